// SPDX-License-Identifier: GPL-2.0-only
/*
 * hpoll: poll in the guest, then halt. The order of coming and going.
 */

#define pr_fmt(fmt) "hpoll: " fmt

#include <linux/module.h>

#include <hpoll/arch.h>
#include <hpoll/core_calls.h>
#include <hpoll/driver.h>
#include <hpoll/facts.h>
#include <hpoll/gate.h>
#include <hpoll/governor.h>
#include <hpoll/host_poll.h>
#include <hpoll/params.h>
#include <hpoll/probe.h>
#include <hpoll/stats.h>
#include <hpoll/status.h>

static bool has_governor;

static int ask_gate(struct hpoll_facts *facts, struct hpoll_verdict *verdict)
{
	const char *arg = hpoll_params_gate();
	struct hpoll_gate gate;
	int ret;

	ret = hpoll_gate_parse(arg, &gate);
	if (ret) {
		pr_err("not loaded: gate=%s is none of auto, kvm, hypervisor, force, off, and no list of up to %d CPUID signatures of %d to %d characters\n",
		       arg, HPOLL_GATE_SIGNATURES, HPOLL_SIGNATURE_MIN,
		       HPOLL_SIGNATURE_LEN);
		return ret;
	}

	hpoll_arch_facts(facts);
	facts->cpuidle_disabled = hpoll_core_cpuidle_disabled();
	hpoll_gate_judge(&gate, facts, verdict);
	if (!verdict->open) {
		pr_err("not loaded: gate %s refuses: %s\n", arg,
		       verdict->reason);
		return -ENODEV;
	}
	return 0;
}

static int __init hpoll_init(void)
{
	struct hpoll_facts facts = { };
	struct hpoll_verdict verdict;
	enum hpoll_mode mode;
	int ret;

	hpoll_core_init();
	has_governor = !hpoll_core_missing();

	ret = ask_gate(&facts, &verdict);
	if (ret)
		return ret;

	if (has_governor) {
		ret = hpoll_governor_register();
		if (ret) {
			pr_err("not loaded: registering the cpuidle governor failed (%d)\n",
			       ret);
			return ret;
		}
	}

	ret = hpoll_driver_register(!has_governor, &mode);
	if (ret)
		goto unregister_governor;

	ret = hpoll_host_poll_init(&facts);
	if (ret)
		goto unregister_driver;

	if (has_governor)
		hpoll_governor_activate();
	hpoll_probe_init();
	hpoll_facts_init(hpoll_stats_init(), &facts);

	hpoll_status_set(mode, &verdict);
	return 0;

unregister_driver:
	hpoll_driver_unregister();
unregister_governor:
	if (has_governor)
		hpoll_governor_unregister();
	hpoll_core_drain();
	hpoll_driver_free();
	return ret;
}

static void __exit hpoll_exit(void)
{
	hpoll_status_clear();
	hpoll_stats_exit();
	hpoll_host_poll_exit();
	hpoll_driver_unregister();
	if (has_governor)
		hpoll_governor_unregister();
	hpoll_probe_exit();
	hpoll_core_drain();
	hpoll_driver_free();
}

module_init(hpoll_init);
module_exit(hpoll_exit);

MODULE_DESCRIPTION("cpuidle driver and governor that poll in the guest before they halt");
MODULE_LICENSE("GPL");
MODULE_AUTHOR("The hpoll authors");
MODULE_VERSION("0.1.0");
