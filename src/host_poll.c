// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host poll: KVM polls for a halted vCPU before it gives up the physical CPU.
 * Where the guest polls, that comes on top and only burns time, so it is off
 * on a CPU as long as that CPU is ours, and as it was before otherwise.
 *
 * All state of a CPU is touched by that CPU alone, with interrupts off.
 */

#include <linux/cpu.h>
#include <linux/percpu.h>
#include <linux/reboot.h>
#include <linux/smp.h>
#include <linux/suspend.h>

#include <hpoll/arch.h>
#include <hpoll/host_poll.h>

#include "compat.h"

/**
 * struct host_poll - one CPU's part
 * @off: switched off by us
 * @before: what was found when it was switched off
 */
struct host_poll {
	bool off;
	bool before;
};

static DEFINE_PER_CPU(struct host_poll, host_poll);
static bool offered;

static void switch_off(void *unused)
{
	struct host_poll *hp = this_cpu_ptr(&host_poll);

	if (hp->off || hpoll_arch_host_poll_get(&hp->before))
		return;
	hp->off = !hpoll_arch_host_poll_set(false);
}

static void restore(void *unused)
{
	struct host_poll *hp = this_cpu_ptr(&host_poll);

	if (!hp->off)
		return;
	hpoll_arch_host_poll_set(hp->before);
	hp->off = false;
}

/* A resume resets the control; our state still says what it should be. */
static void switch_off_again(void *unused)
{
	if (this_cpu_read(host_poll.off))
		hpoll_arch_host_poll_set(false);
}

void hpoll_host_poll_off(unsigned int cpu)
{
	if (offered)
		smp_call_function_single(cpu, switch_off, NULL, true);
}

void hpoll_host_poll_restore(unsigned int cpu)
{
	if (offered)
		smp_call_function_single(cpu, restore, NULL, true);
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
	on_each_cpu(restore, NULL, true);
	return NOTIFY_OK;
}

/* The other CPUs have been stopped by now and can't be asked any more. */
static int on_panic(struct notifier_block *nb, unsigned long event,
		    void *unused)
{
	restore(NULL);
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

	ret = register_pm_notifier(&pm_notifier);
	if (ret)
		return ret;
	ret = register_reboot_notifier(&reboot_notifier);
	if (ret)
		goto unregister_pm;
	ret = atomic_notifier_chain_register(&panic_notifier_list,
					     &panic_notifier);
	if (ret)
		goto unregister_reboot;
	return 0;

unregister_reboot:
	unregister_reboot_notifier(&reboot_notifier);
unregister_pm:
	unregister_pm_notifier(&pm_notifier);
	return ret;
}

void hpoll_host_poll_exit(void)
{
	if (!offered)
		return;
	atomic_notifier_chain_unregister(&panic_notifier_list,
					 &panic_notifier);
	unregister_reboot_notifier(&reboot_notifier);
	unregister_pm_notifier(&pm_notifier);
}
