// SPDX-License-Identifier: GPL-2.0-only
/*
 * slot_holder - takes the cpuidle driver's slot and does nothing with it
 *
 * Stands for a driver that hpoll can't attach to: its state 0 does not poll.
 * It registers no device, so CPUs idle as without a driver.
 */

#include <linux/cpuidle.h>
#include <linux/module.h>

static int enter(struct cpuidle_device *dev, struct cpuidle_driver *drv,
		 int index)
{
	return index;
}

static struct cpuidle_driver driver = {
	.name = "slot_holder",
	.states = {
		{ .enter = enter, .name = "NO", .desc = "does not poll" },
		{ .enter = enter, .name = "NEITHER", .desc = "nor this one" },
	},
	.state_count = 2,
};

static int __init slot_holder_init(void)
{
	return cpuidle_register_driver(&driver);
}

static void __exit slot_holder_exit(void)
{
	cpuidle_unregister_driver(&driver);
}

module_init(slot_holder_init);
module_exit(slot_holder_exit);

MODULE_DESCRIPTION("Takes the cpuidle driver's slot, for tests");
MODULE_LICENSE("GPL");
