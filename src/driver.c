// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cpuidle driver: its states, and a device for each CPU that comes.
 *
 * Normally two states, POLL (the core's own poll loop) and HLT, between which
 * the governor chooses. In fused mode one state does both and learns by
 * itself, since the core calls no governor for a driver with one state.
 */

#define pr_fmt(fmt) "hpoll: " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpuidle.h>
#include <linux/kernel_stat.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/idle.h>

#include <hpoll/core_calls.h>
#include <hpoll/driver.h>
#include <hpoll/fault.h>
#include <hpoll/host_poll.h>
#include <hpoll/params.h>
#include <hpoll/probe.h>
#include <hpoll/stats.h>

/* As many rounds between two looks at the clock as the core's poll loop has. */
#define RELAX_COUNT	200

static struct cpuidle_device __percpu *devices;
static int cpuhp_state;
static enum hpoll_mode mode_now;

/*
 * From 6.3 on, enter has to return with interrupts off; before, either was
 * fine. RCU is not watching: nothing here may be traced.
 */
static __cpuidle int enter_halt(struct cpuidle_device *dev,
				struct cpuidle_driver *drv, int index)
{
	if (current_clr_polling_and_test())
		return index;

	hpoll_core_halt();
	raw_local_irq_disable();
	return index;
}

/* Return: true if there is work; false if the time is over. */
static __cpuidle bool poll(u64 window_ns)
{
	u64 start_ns = sched_clock();
	unsigned int count = 0;
	bool resched;

	raw_local_irq_enable();
	resched = current_set_polling_and_test();
	while (!resched) {
		cpu_relax();
		resched = need_resched();
		if (++count < RELAX_COUNT)
			continue;
		count = 0;
		if (sched_clock() - start_ns > window_ns)
			break;
	}
	raw_local_irq_disable();

	return resched;
}

/* What a probe asks for, instead of what the policy would. */
static __cpuidle void obey(struct cpuidle_device *dev,
			   struct cpuidle_driver *drv, int index,
			   enum hpoll_probe_state wanted)
{
	bool timed_out = false;

	hpoll_probe_enter(wanted);
	if (wanted == HPOLL_PROBE_POLL) {
		timed_out = !poll(HPOLL_PROBE_POLL_NS);
		current_clr_polling();
	} else {
		enter_halt(dev, drv, index);
	}
	hpoll_probe_leave(timed_out);
}

static __cpuidle u32 begin_fused(struct hpoll_window *window)
{
	struct hpoll_params params = hpoll_params_snapshot();
	struct hpoll_now now = {
		.now_ns = sched_clock(),
		/* The timers can't be asked where RCU is not watching. */
		.timer_ns = HPOLL_NO_TIMER,
		.event_ns = HPOLL_NO_TIMER,
		.stolen_ns = kcpustat_this_cpu->cpustat[CPUTIME_STEAL],
		.wake_ns = hpoll_probe_cost_ns(),
	};

	return hpoll_window_begin(window, &params, &now);
}

static __cpuidle int enter_fused(struct cpuidle_device *dev,
				 struct cpuidle_driver *drv, int index)
{
	struct hpoll_window *window = this_cpu_ptr(&hpoll_window);
	enum hpoll_probe_state wanted = hpoll_probe_wanted();
	u64 start_ns, halt_ns;
	u32 window_ns;

	if (wanted != HPOLL_PROBE_NONE) {
		obey(dev, drv, index, wanted);
		return index;
	}

	window_ns = begin_fused(window);
	start_ns = sched_clock();
	halt_ns = start_ns;
	if (window_ns) {
		bool resched = poll(window_ns);

		halt_ns = sched_clock();
		hpoll_window_polled(window, halt_ns - start_ns, !resched);
		if (resched) {
			current_clr_polling();
			return index;
		}
	}

	enter_halt(dev, drv, index);
	hpoll_window_halted(window, sched_clock() - halt_ns, need_resched());
	return index;
}

/*
 * No .owner: every registered device would hold a reference and the module
 * could never be unloaded. No .governor either: the core would remember the
 * governor before ours, and return to it even after an operator has chosen
 * another; see hpoll_governor_activate().
 */
static struct cpuidle_driver driver = {
	.name = "hpoll",
	.states = {
		{ /* POLL, filled in by cpuidle_poll_state_init() */ },
		{
			.enter = enter_halt,
			/* As low as can be said: any latency limit but 0 allows it. */
			.exit_latency = 1,
			.target_residency = 1,
			.power_usage = -1,
			.name = "HLT",
			.desc = "halt as the kernel does",
		},
	},
	.safe_state_index = 0,
	.state_count = 2,
};

static struct cpuidle_driver fused_driver = {
	.name = "hpoll",
	.states = {
		{
			.enter = enter_fused,
			.exit_latency = 1,
			.target_residency = 1,
			.power_usage = -1,
			.name = "POLL-HLT",
			.desc = "poll, then halt",
		},
	},
	.safe_state_index = 0,
	.state_count = 1,
};

static struct cpuidle_driver *ours(void)
{
	return mode_now == HPOLL_MODE_FUSED ? &fused_driver : &driver;
}

static int driver_cpu_online(unsigned int cpu)
{
	struct cpuidle_device *dev = per_cpu_ptr(devices, cpu);
	int ret;

	dev->cpu = cpu;
	ret = hpoll_fault_cpu(cpu) ?: cpuidle_register_device(dev);
	if (ret) {
		/* It idles without a driver then. No reason to keep it off. */
		pr_warn("CPU %u idles without hpoll: registering it failed (%d)\n",
			cpu, ret);
		return 0;
	}

	if (mode_now == HPOLL_MODE_FUSED) {
		hpoll_window_reset(per_cpu_ptr(&hpoll_window, cpu));
		hpoll_probe_ready(cpu, true);
		hpoll_host_poll_off(cpu);
	}
	return 0;
}

static int driver_cpu_offline(unsigned int cpu)
{
	if (mode_now == HPOLL_MODE_FUSED) {
		hpoll_probe_ready(cpu, false);
		hpoll_host_poll_restore(cpu);
	}
	cpuidle_unregister_device(per_cpu_ptr(devices, cpu));
	return 0;
}

bool hpoll_driver_has_cpu(unsigned int cpu)
{
	return devices && per_cpu_ptr(devices, cpu)->enabled;
}

/* The slot is taken: can the governor work over what is there? */
static int attach(enum hpoll_mode *mode)
{
	struct hpoll_core_driver driver;

	hpoll_core_look_at_driver(&driver);
	if (!driver.polls) {
		pr_err("not loaded: the cpuidle driver is %s, whose state 0 does not poll\n",
		       driver.name);
		return -EBUSY;
	}

	*mode = mode_now = HPOLL_MODE_ATTACHED;
	return 0;
}

int hpoll_driver_register(bool fused, enum hpoll_mode *mode)
{
	struct hpoll_core_driver other;
	int ret;

	mode_now = fused ? HPOLL_MODE_FUSED : HPOLL_MODE_OWN;
	cpuidle_poll_state_init(&driver);

	ret = hpoll_fault("driver") ?: cpuidle_register_driver(ours());
	if (ret == -EBUSY && fused) {
		hpoll_core_look_at_driver(&other);
		pr_err("not loaded: the cpuidle driver is %s, and this kernel lets no governor attach to it (no %s)\n",
		       other.name, hpoll_core_missing());
		return ret;
	}
	if (ret == -EBUSY)
		return attach(mode);
	if (ret)
		goto failed;

	devices = hpoll_fault("devices") ? NULL :
		  alloc_percpu(struct cpuidle_device);
	if (!devices) {
		ret = -ENOMEM;
		goto unregister_driver;
	}

	ret = hpoll_fault("driver_cpuhp") ?:
	      cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "cpuidle/hpoll:online",
				driver_cpu_online, driver_cpu_offline);
	if (ret < 0)
		goto unregister_driver;
	cpuhp_state = ret;

	*mode = mode_now;
	return 0;

unregister_driver:
	cpuidle_unregister_driver(ours());
failed:
	pr_err("not loaded: registering the cpuidle driver failed (%d)\n", ret);
	return ret;
}

void hpoll_driver_unregister(void)
{
	if (mode_now == HPOLL_MODE_ATTACHED)
		return;
	cpuhp_remove_state(cpuhp_state);
	cpuidle_unregister_driver(ours());
}

void hpoll_driver_free(void)
{
	free_percpu(devices);
}
