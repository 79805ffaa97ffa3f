// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module parameters, with the names, units and defaults of mainline haltpoll.
 *
 * The kernel's own number parsing refuses what is no number (-EINVAL) or does
 * not fit (-ERANGE) and leaves the old value. Any value that fits is valid,
 * in every combination: the policy clamps.
 */

#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include <hpoll/params.h>

static unsigned int guest_halt_poll_ns __read_mostly = HPOLL_DEFAULT_MAX_NS;
module_param(guest_halt_poll_ns, uint, 0644);
MODULE_PARM_DESC(guest_halt_poll_ns,
		 "Longest time to poll before a halt, in ns, 0 to 4294967295; 0: never poll (default 200000)");

static unsigned int guest_halt_poll_grow __read_mostly = HPOLL_DEFAULT_GROW;
module_param(guest_halt_poll_grow, uint, 0644);
MODULE_PARM_DESC(guest_halt_poll_grow,
		 "Factor by which a CPU's polling window grows, 0 to 4294967295; 0 and 1 only lift it to guest_halt_poll_grow_start (default 2)");

static unsigned int guest_halt_poll_shrink __read_mostly = HPOLL_DEFAULT_SHRINK;
module_param(guest_halt_poll_shrink, uint, 0644);
MODULE_PARM_DESC(guest_halt_poll_shrink,
		 "Divisor by which a CPU's polling window shrinks, 0 to 4294967295; 0: to nothing at once (default 2)");

static unsigned int guest_halt_poll_grow_start __read_mostly =
	HPOLL_DEFAULT_GROW_START_NS;
module_param(guest_halt_poll_grow_start, uint, 0644);
MODULE_PARM_DESC(guest_halt_poll_grow_start,
		 "Smallest polling window of a CPU that polls, in ns, 0 to 4294967295; guest_halt_poll_ns wins if smaller (default 50000)");

static bool guest_halt_poll_allow_shrink __read_mostly =
	HPOLL_DEFAULT_ALLOW_SHRINK;
module_param(guest_halt_poll_allow_shrink, bool, 0644);
MODULE_PARM_DESC(guest_halt_poll_allow_shrink,
		 "Let polling windows shrink, Y or N (default Y)");

static const char * const policy_names[] = {
	[HPOLL_POLICY_CLASSIC] = "classic",
	[HPOLL_POLICY_ADAPTIVE] = "adaptive",
};

static enum hpoll_policy policy __read_mostly = HPOLL_POLICY_ADAPTIVE;

static int set_policy(const char *text, const struct kernel_param *kp)
{
	int i = sysfs_match_string(policy_names, text);

	if (i < 0)
		return i;
	WRITE_ONCE(policy, i);
	return 0;
}

static int get_policy(char *buf, const struct kernel_param *kp)
{
	return scnprintf(buf, PAGE_SIZE, "%s\n", policy_names[READ_ONCE(policy)]);
}

static const struct kernel_param_ops policy_ops = {
	.set = set_policy,
	.get = get_policy,
};
module_param_cb(policy, &policy_ops, NULL, 0644);
MODULE_PARM_DESC(policy,
		 "How polling windows are learned: classic (mainline's rule) or adaptive (the distribution of idle lengths) (default adaptive)");

static unsigned int halt_cost_ns __read_mostly;
module_param(halt_cost_ns, uint, 0644);
MODULE_PARM_DESC(halt_cost_ns,
		 "For how long polling pays if it saves a halt, in ns, 0 to 4294967295, for policy=adaptive; guest_halt_poll_ns wins if smaller; 0: eight times what a wake-up from a halt takes longer, as measured on each CPU (default 0)");

static unsigned int poll_budget_pct __read_mostly = HPOLL_DEFAULT_BUDGET_PCT;

static int set_budget_pct(const char *text, const struct kernel_param *kp)
{
	unsigned int pct;
	int ret = kstrtouint(text, 0, &pct);

	if (ret)
		return ret;
	if (pct < 1 || pct > 100)
		return -ERANGE;
	WRITE_ONCE(poll_budget_pct, pct);
	return 0;
}

static const struct kernel_param_ops budget_pct_ops = {
	.set = set_budget_pct,
	.get = param_get_uint,
};
module_param_cb(poll_budget_pct, &budget_pct_ops, &poll_budget_pct, 0644);
MODULE_PARM_DESC(poll_budget_pct,
		 "Share of a CPU's time that polling in vain may burn beyond what polling saved, in percent, 1 to 100, for policy=adaptive (default 1)");

static char *gate = "auto";
module_param(gate, charp, 0444);
MODULE_PARM_DESC(gate,
		 "Where to load: auto (known hypervisor signature), kvm, hypervisor (CPUID bit), force, off, or a comma-separated list of CPUID signatures such as \"KVMKVMKVM,Microsoft Hv\" (default auto)");

struct hpoll_params hpoll_params_snapshot(void)
{
	return (struct hpoll_params) {
		.max_ns = READ_ONCE(guest_halt_poll_ns),
		.grow = READ_ONCE(guest_halt_poll_grow),
		.shrink = READ_ONCE(guest_halt_poll_shrink),
		.grow_start_ns = READ_ONCE(guest_halt_poll_grow_start),
		.allow_shrink = READ_ONCE(guest_halt_poll_allow_shrink),
		.policy = READ_ONCE(policy),
		.halt_cost_ns = READ_ONCE(halt_cost_ns),
		.budget_pct = READ_ONCE(poll_budget_pct),
	};
}

const char *hpoll_params_gate(void)
{
	return gate;
}
