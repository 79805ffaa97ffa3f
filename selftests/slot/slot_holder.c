// SPDX-License-Identifier: GPL-2.0-only
/*
 * slot_holder - takes the cpuidle driver's slot
 *
 *	polls=1		its state 0 polls and its state 1 halts, on every CPU; its
 *			devices stay when a CPU goes offline. Otherwise its states
 *			do nothing and it registers no device, so CPUs idle as
 *			without a driver.
 *	governor=NAME	the governor that the core shall use while it is there
 */

#include <linux/cpu.h>
#include <linux/cpuidle.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/smp.h>

static bool polls;
module_param(polls, bool, 0444);
MODULE_PARM_DESC(polls, "State 0 polls, state 1 halts (default N)");

static char *governor = "";
module_param(governor, charp, 0444);
MODULE_PARM_DESC(governor, "The governor that it wants (default none)");

static int enter_nothing(struct cpuidle_device *dev, struct cpuidle_driver *drv,
			 int index)
{
	return index;
}

static __cpuidle int enter_halt(struct cpuidle_device *dev,
				struct cpuidle_driver *drv, int index)
{
	raw_safe_halt();
	raw_local_irq_disable();
	return index;
}

static struct cpuidle_driver driver = {
	.name = "slot_holder",
	.states = {
		{ .enter = enter_nothing, .name = "NO", .desc = "does not poll" },
		{ .enter = enter_nothing, .name = "NEITHER", .desc = "nor this one" },
	},
	.state_count = 2,
};

static int nothing(void *unused)
{
	return 0;
}

static int __init slot_holder_init(void)
{
	if (governor[0])
		driver.governor = governor;
	if (!polls)
		return cpuidle_register_driver(&driver);

	cpuidle_poll_state_init(&driver);
	driver.states[1] = (struct cpuidle_state) {
		.enter = enter_halt,
		.exit_latency = 1,
		.target_residency = 1,
		.name = "HALT",
		.desc = "halts",
	};
	return cpuidle_register(&driver, NULL);
}

static void __exit slot_holder_exit(void)
{
	unsigned int cpu;

	if (!polls) {
		cpuidle_unregister_driver(&driver);
		return;
	}

	cpuidle_unregister(&driver);
	/* A CPU may still be in a state of ours; not once it has run a task. */
	cpus_read_lock();
	for_each_online_cpu(cpu)
		smp_call_on_cpu(cpu, nothing, NULL, false);
	cpus_read_unlock();
}

module_init(slot_holder_init);
module_exit(slot_holder_exit);

MODULE_DESCRIPTION("Takes the cpuidle driver's slot, for tests");
MODULE_LICENSE("GPL");
