// SPDX-License-Identifier: GPL-2.0-only
/*
 * fail_load - lets one allocation fail while hpoll is loaded
 *
 * The kernel can let a task's Nth allocation from now on fail (fail-nth, see
 * Documentation/fault-injection). A task that sets this for itself and then
 * loads a module fails hundreds of times in the kernel's module loader before
 * the module has a say. So it is set here, in the loading task, when the
 * loader is about to call the module's init.
 *
 * Parameters:
 *   nth   which allocation shall fail; 0 for none
 *   left  how far from failing the last load ended; 0 if one did fail
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>

static unsigned int nth;
module_param(nth, uint, 0644);
MODULE_PARM_DESC(nth, "Which allocation fails, counted from hpoll's init on (0: none)");

static unsigned int left;
module_param(left, uint, 0444);
MODULE_PARM_DESC(left, "Allocations that were left when loading ended (0: one failed)");

#ifdef CONFIG_FAULT_INJECTION

static bool armed;

static int before_init(struct kprobe *kp, struct pt_regs *regs)
{
	const struct module *mod = (void *)regs_get_kernel_argument(regs, 0);

	if (!strcmp(mod->name, "hpoll")) {
		current->fail_nth = nth;
		armed = true;
	}
	return 0;
}

static struct kprobe init_probe = {
	.symbol_name = "do_init_module",
	.pre_handler = before_init,
};

/* Loading has ended, well or not. A module that is unloaded goes, too. */
static int on_module_event(struct notifier_block *nb, unsigned long event,
			   void *data)
{
	if (event == MODULE_STATE_COMING || !armed)
		return NOTIFY_OK;

	armed = false;
	left = current->fail_nth;
	current->fail_nth = 0;
	return NOTIFY_OK;
}

static struct notifier_block module_notifier = {
	.notifier_call = on_module_event,
};

static int __init fail_load_init(void)
{
	int ret = register_kprobe(&init_probe);

	if (ret)
		return ret;
	ret = register_module_notifier(&module_notifier);
	if (ret)
		unregister_kprobe(&init_probe);
	return ret;
}

static void __exit fail_load_exit(void)
{
	unregister_module_notifier(&module_notifier);
	unregister_kprobe(&init_probe);
}

#else

static int __init fail_load_init(void)
{
	pr_err("not loaded: this kernel injects no faults\n");
	return -EOPNOTSUPP;
}

static void __exit fail_load_exit(void)
{
}

#endif

module_init(fail_load_init);
module_exit(fail_load_exit);

MODULE_DESCRIPTION("Lets one allocation fail while hpoll is loaded, for tests");
MODULE_LICENSE("GPL");
