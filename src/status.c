// SPDX-License-Identifier: GPL-2.0-only
/*
 * Status: /sys/module/hpoll/parameters/status, and the line in the log.
 */

#define pr_fmt(fmt) "hpoll: " fmt

#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include <hpoll/core_calls.h>
#include <hpoll/governor.h>
#include <hpoll/host_poll.h>
#include <hpoll/params.h>
#include <hpoll/probe.h>
#include <hpoll/status.h>

#define SWITCH "echo hpoll > /sys/devices/system/cpu/cpuidle/current_governor"

static enum hpoll_mode mode;
static struct hpoll_verdict verdict;
static bool known;

static const char * const mode_names[] = {
	[HPOLL_MODE_OWN] = "own driver",
	[HPOLL_MODE_ATTACHED] = "attached",
	[HPOLL_MODE_FUSED] = "fused",
};

static const char *governor_name(void)
{
	if (mode == HPOLL_MODE_FUSED)
		return "none";
	return hpoll_governor_is_current() ? "hpoll" : "another";
}

/* Return: why no CPU polls through us, NULL if they do. */
static const char *idle_reason(const struct hpoll_core_driver *driver)
{
	if (mode == HPOLL_MODE_FUSED)
		return NULL;
	if (!hpoll_governor_is_current())
		return "another governor is current; to change that: " SWITCH;
	if (!driver->present)
		return "no cpuidle driver is registered any more; load again to use hpoll's own";
	if (!driver->polls)
		return "the cpuidle driver has no state that polls";
	return NULL;
}

/* The core says nothing when it can't use us on a CPU, so we do. */
static unsigned int count_cpus(void)
{
	unsigned int cpu, count = 0;

	for_each_online_cpu(cpu)
		count += mode == HPOLL_MODE_FUSED ? hpoll_driver_has_cpu(cpu) :
						    hpoll_governor_has_cpu(cpu);
	return count;
}

void hpoll_status_set(enum hpoll_mode mode_now,
		      const struct hpoll_verdict *verdict_now)
{
	struct hpoll_core_driver driver;
	const char *reason;

	mode = mode_now;
	verdict = *verdict_now;
	/* Pairs with show(): the file can be read while the module loads. */
	smp_store_release(&known, true);

	hpoll_core_look_at_driver(&driver);
	pr_info("loaded: mode %s, driver %s, governor %s, window 0 to %u ns, gate %s: %s\n",
		mode_names[mode], driver.name, governor_name(),
		hpoll_params_snapshot().max_ns, hpoll_params_gate(),
		verdict.reason);
	if (mode == HPOLL_MODE_FUSED)
		pr_info("no governor on this kernel (no %s): one state polls, then halts; PM QoS latency limits are not seen\n",
			hpoll_core_missing());
	reason = idle_reason(&driver);
	if (reason)
		pr_info("not active: %s\n", reason);
	if (num_possible_cpus() == 1)
		pr_info("one CPU: no other can wake it, only interrupts; polling saves them the exit of a HLT\n");
}

void hpoll_status_clear(void)
{
	/* Whoever reads the file holds this lock. */
	kernel_param_lock(THIS_MODULE);
	known = false;
	kernel_param_unlock(THIS_MODULE);
}

static int show_halt_cost(char *buf, size_t size)
{
	struct hpoll_params params = hpoll_params_snapshot();
	unsigned int cpus;
	u32 least_ns, most_ns;

	if (params.policy != HPOLL_POLICY_ADAPTIVE)
		return scnprintf(buf, size, "halt cost: not used by policy=classic\n");
	if (params.halt_cost_ns)
		return scnprintf(buf, size, "halt cost: %u ns, set by halt_cost_ns\n",
				 params.halt_cost_ns);
	cpus = hpoll_probe_range_ns(&least_ns, &most_ns);
	if (!cpus)
		return scnprintf(buf, size,
				 "halt cost: not measured yet, guest_halt_poll_ns is used\n");
	return scnprintf(buf, size, "halt cost: %u to %u ns, measured on %u CPUs\n",
			 least_ns, most_ns, cpus);
}

static int show(char *buf, const struct kernel_param *kp)
{
	struct hpoll_core_driver driver;
	const char *reason;
	int len;

	/* Pairs with hpoll_status_set(). */
	if (!smp_load_acquire(&known))
		return scnprintf(buf, PAGE_SIZE, "loading or unloading\n");

	hpoll_core_look_at_driver(&driver);
	reason = idle_reason(&driver);
	len = scnprintf(buf, PAGE_SIZE,
			"active: %s%s\n"
			"mode: %s\n"
			"driver: %s\n"
			"governor: %s\n"
			"cpus: %u of %u online\n"
			"gate: %s\n"
			"reason: %s\n"
			"host poll: %s, off on %u CPUs\n",
			reason ? "no, " : "yes", reason ?: "",
			mode_names[mode], driver.name,
			governor_name(), count_cpus(), num_online_cpus(),
			hpoll_params_gate(), verdict.reason,
			hpoll_host_poll_offered() ? "controlled" : "not offered",
			hpoll_host_poll_count_off());
	return len + show_halt_cost(buf + len, PAGE_SIZE - len);
}

static const struct kernel_param_ops status_ops = { .get = show };
module_param_cb(status, &status_ops, NULL, 0444);
MODULE_PARM_DESC(status, "What hpoll decided and does (read-only)");
