// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host poll: KVM polls for a halted vCPU before it gives up the physical CPU.
 * Where the guest polls, that comes on top and only burns time, so it is off
 * on a CPU as long as that CPU is ours, and as it was before otherwise.
 *
 * What is wanted of a CPU may be said at any time; it is done at once, or for
 * a CPU that is offline or on its way as the last thing when it comes. By then
 * a driver that steers host polling itself (haltpoll) has done so, and what is
 * put back later is what that driver wants.
 */

#define pr_fmt(fmt) "hpoll: " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/percpu.h>
#include <linux/reboot.h>
#include <linux/smp.h>
#include <linux/suspend.h>

#include <hpoll/arch.h>
#include <hpoll/fault.h>
#include <hpoll/host_poll.h>

#include "compat.h"

/**
 * struct host_poll - one CPU's part
 * @want_off: it polls by itself; written by whoever enables and disables it
 * @here: it is online for us. This and the following are written by the CPU
 *        alone, with interrupts off.
 * @off: switched off by us
 * @before: what was found when it was switched off
 */
struct host_poll {
	bool want_off;
	bool here;
	bool off;
	bool before;
};

static DEFINE_PER_CPU(struct host_poll, host_poll);
static bool offered;
static int cpuhp_state;

static void switch_off(struct host_poll *hp)
{
	if (hp->off || hpoll_arch_host_poll_get(&hp->before))
		return;
	hp->off = !hpoll_arch_host_poll_set(false);
}

static void restore(struct host_poll *hp)
{
	if (!hp->off)
		return;
	hpoll_arch_host_poll_set(hp->before);
	hp->off = false;
}

static void do_as_wanted(void *unused)
{
	struct host_poll *hp = this_cpu_ptr(&host_poll);

	if (hp->here && READ_ONCE(hp->want_off))
		switch_off(hp);
	else
		restore(hp);
}

static void come(void *unused)
{
	WRITE_ONCE(this_cpu_ptr(&host_poll)->here, true);
	/* Pairs with the one in want(): who is second sees the first. */
	smp_mb();
	do_as_wanted(NULL);
}

static void leave(void *unused)
{
	WRITE_ONCE(this_cpu_ptr(&host_poll)->here, false);
	do_as_wanted(NULL);
}

static void restore_this_cpu(void *unused)
{
	restore(this_cpu_ptr(&host_poll));
}

/* A resume resets the control; our state still says what it should be. */
static void switch_off_again(void *unused)
{
	if (this_cpu_read(host_poll.off))
		hpoll_arch_host_poll_set(false);
}

static void want(unsigned int cpu, bool off)
{
	WRITE_ONCE(per_cpu(host_poll.want_off, cpu), off);
	/* Pairs with the one in come(). */
	smp_mb();
	if (READ_ONCE(per_cpu(host_poll.here, cpu)))
		smp_call_function_single(cpu, do_as_wanted, NULL, true);
}

void hpoll_host_poll_off(unsigned int cpu)
{
	want(cpu, true);
}

void hpoll_host_poll_restore(unsigned int cpu)
{
	want(cpu, false);
}

bool hpoll_host_poll_offered(void)
{
	return offered;
}

unsigned int hpoll_host_poll_count_off(void)
{
	unsigned int cpu, count = 0;

	for_each_possible_cpu(cpu)
		count += READ_ONCE(per_cpu(host_poll.off, cpu));
	return count;
}

static int host_poll_cpu_online(unsigned int cpu)
{
	smp_call_function_single(cpu, come, NULL, true);
	return 0;
}

static int host_poll_cpu_offline(unsigned int cpu)
{
	smp_call_function_single(cpu, leave, NULL, true);
	return 0;
}

static int on_pm_event(struct notifier_block *nb, unsigned long event,
		       void *unused)
{
	switch (event) {
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		on_each_cpu(switch_off_again, NULL, true);
	}
	return NOTIFY_OK;
}

/* The next kernel, by reboot or kexec, shall find the host as we found it. */
static int on_reboot(struct notifier_block *nb, unsigned long event,
		     void *unused)
{
	on_each_cpu(restore_this_cpu, NULL, true);
	return NOTIFY_OK;
}

/* The other CPUs have been stopped by now and can't be asked any more. */
static int on_panic(struct notifier_block *nb, unsigned long event,
		    void *unused)
{
	restore_this_cpu(NULL);
	return NOTIFY_OK;
}

static struct notifier_block pm_notifier = { .notifier_call = on_pm_event };
static struct notifier_block reboot_notifier = { .notifier_call = on_reboot };
static struct notifier_block panic_notifier = { .notifier_call = on_panic };

int hpoll_host_poll_init(const struct hpoll_facts *facts)
{
	int ret;

	offered = hpoll_arch_host_poll_offered(facts);
	if (!offered)
		return 0;

	ret = hpoll_fault("pm_notifier") ?: register_pm_notifier(&pm_notifier);
	if (ret)
		goto failed;
	ret = hpoll_fault("reboot_notifier") ?:
	      register_reboot_notifier(&reboot_notifier);
	if (ret)
		goto unregister_pm;
	ret = hpoll_fault("panic_notifier") ?:
	      atomic_notifier_chain_register(&panic_notifier_list,
					     &panic_notifier);
	if (ret)
		goto unregister_reboot;

	ret = hpoll_fault("host_poll_cpuhp") ?:
	      cpuhp_setup_state(CPUHP_AP_ONLINE_DYN,
				"cpuidle/hpoll_host_poll:online",
				host_poll_cpu_online, host_poll_cpu_offline);
	if (ret < 0)
		goto unregister_panic;
	cpuhp_state = ret;
	return 0;

unregister_panic:
	atomic_notifier_chain_unregister(&panic_notifier_list,
					 &panic_notifier);
unregister_reboot:
	unregister_reboot_notifier(&reboot_notifier);
unregister_pm:
	unregister_pm_notifier(&pm_notifier);
failed:
	pr_err("not loaded: getting ready to control host polling failed (%d)\n",
	       ret);
	return ret;
}

void hpoll_host_poll_exit(void)
{
	if (!offered)
		return;
	cpuhp_remove_state(cpuhp_state);
	atomic_notifier_chain_unregister(&panic_notifier_list,
					 &panic_notifier);
	unregister_reboot_notifier(&reboot_notifier);
	unregister_pm_notifier(&pm_notifier);
}
