// SPDX-License-Identifier: GPL-2.0-only
/*
 * Core calls: finding and calling what the cpuidle core does not export.
 *
 * 1. Finding. The kernel's own table of symbols is asked; the function that
 *    does so is not exported, but a kprobe (never armed) gives its address.
 *
 * 2. Calling. With x86 IBT a function whose address the kernel never takes
 *    has no ENDBR left, and an indirect call to it is fatal. So every call
 *    goes through a static_call, which the kernel patches into a direct one.
 *
 * 3. Leaving. A governor can be registered but not unregistered. What that
 *    takes is done here, under cpuidle_lock with cpuidle paused: the core's
 *    list and both of its governor pointers are put right.
 */

/* First: where the kernel is too old, this says so. */
#include "compat.h"

#include <linux/cpu.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include <hpoll/core_calls.h>
#include <hpoll/fault.h>

/* The core's prototypes; those in drivers/cpuidle/cpuidle.h are private. */
typedef unsigned long lookup_fn(const char *name);
typedef int disabled_fn(void);
typedef int register_fn(struct cpuidle_governor *gov);
typedef int switch_fn(struct cpuidle_governor *gov);
typedef s64 latency_fn(unsigned int cpu);
typedef ktime_t sleep_length_fn(ktime_t *event);
typedef void halt_fn(void);

static noinstr void safe_halt_fallback(void)
{
	raw_safe_halt();
}

static ktime_t no_timer(ktime_t *event)
{
	*event = KTIME_MAX;
	return KTIME_MAX;
}

DEFINE_STATIC_CALL_NULL(hpoll_lookup, lookup_fn);
DEFINE_STATIC_CALL_NULL(hpoll_disabled, disabled_fn);
DEFINE_STATIC_CALL_NULL(hpoll_register, register_fn);
DEFINE_STATIC_CALL_NULL(hpoll_switch, switch_fn);
DEFINE_STATIC_CALL_NULL(hpoll_latency, latency_fn);
DEFINE_STATIC_CALL(hpoll_sleep_length, no_timer);
DEFINE_STATIC_CALL(hpoll_halt, safe_halt_fallback);

enum {
	REGISTER, SWITCH, LATENCY, CURR_GOVERNOR, PREV_GOVERNOR, GOVERNORS, PARAM_GOVERNOR,
	DRIVER_LOCK, SLEEP_LENGTH, HALT, DISABLED,
};

/* What is optional can be done without. */
static struct symbol {
	const char *name;
	bool optional;
	unsigned long addr;
} symbols[] = {
	[REGISTER] = { "cpuidle_register_governor" },
	[SWITCH] = { "cpuidle_switch_governor" },
	[LATENCY] = { "cpuidle_governor_latency_req" },
	[CURR_GOVERNOR] = { "cpuidle_curr_governor" },
	[PREV_GOVERNOR] = { "cpuidle_prev_governor" },
	[GOVERNORS] = { "cpuidle_governors" },
	[PARAM_GOVERNOR] = { "param_governor" },
	[DRIVER_LOCK] = { "cpuidle_driver_lock", true },
	[SLEEP_LENGTH] = { "tick_nohz_get_sleep_length", true },
	[HALT] = { "arch_cpu_idle", true },
	[DISABLED] = { "cpuidle_disabled", true },
};

static struct cpuidle_governor **curr_governor;
static struct cpuidle_governor **prev_governor;
static struct list_head *governors;
static spinlock_t *driver_lock;
static const char *param_governor;
static const char *missing = "kallsyms_lookup_name";

static bool find_lookup(void)
{
	struct kprobe kp = {
		.symbol_name = "kallsyms_lookup_name",
		.flags = KPROBE_FLAG_DISABLED,
	};

	if (hpoll_fault("kprobe") || register_kprobe(&kp))
		return false;
	/*
	 * This may be the instruction after an ENDBR. A direct call does not
	 * care.
	 */
	static_call_update(hpoll_lookup, (lookup_fn *)kp.addr);
	unregister_kprobe(&kp);
	return true;
}

static void find_all(void)
{
	struct symbol *symbol;

	for (symbol = symbols; symbol < symbols + ARRAY_SIZE(symbols); symbol++) {
		symbol->addr = static_call(hpoll_lookup)(symbol->name);
		if (!symbol->addr && !symbol->optional && !missing)
			missing = symbol->name;
	}
}

#define UPDATE_CALL(call, type, symbol)						\
	do {									\
		unsigned long found = symbols[symbol].addr;			\
										\
		if (found)							\
			static_call_update(call, (type *)found);		\
	} while (0)

void hpoll_core_init(void)
{
	if (!find_lookup())
		return;
	missing = NULL;
	find_all();

	UPDATE_CALL(hpoll_register, register_fn, REGISTER);
	UPDATE_CALL(hpoll_switch, switch_fn, SWITCH);
	UPDATE_CALL(hpoll_latency, latency_fn, LATENCY);
	UPDATE_CALL(hpoll_sleep_length, sleep_length_fn, SLEEP_LENGTH);
	UPDATE_CALL(hpoll_halt, halt_fn, HALT);
	UPDATE_CALL(hpoll_disabled, disabled_fn, DISABLED);
	curr_governor = (void *)symbols[CURR_GOVERNOR].addr;
	prev_governor = (void *)symbols[PREV_GOVERNOR].addr;
	governors = (void *)symbols[GOVERNORS].addr;
	param_governor = (void *)symbols[PARAM_GOVERNOR].addr;
	driver_lock = (void *)symbols[DRIVER_LOCK].addr;
	/* One has to be there to give way to: governors can't leave by themselves. */
	if (!missing && list_empty(governors))
		missing = "other governor";
}

const char *hpoll_core_symbol(unsigned int index, bool *found)
{
	if (index >= ARRAY_SIZE(symbols))
		return NULL;
	*found = symbols[index].addr;
	return symbols[index].name;
}

const char *hpoll_core_missing(void)
{
	return missing;
}

bool hpoll_core_cpuidle_disabled(void)
{
	return symbols[DISABLED].addr && static_call(hpoll_disabled)();
}

__cpuidle void hpoll_core_halt(void)
{
	static_call(hpoll_halt)();
}

s64 hpoll_core_latency_ns(unsigned int cpu)
{
	return static_call(hpoll_latency)(cpu);
}

struct hpoll_core_timers hpoll_core_timers(void)
{
	ktime_t event;
	ktime_t timer = static_call(hpoll_sleep_length)(&event);

	return (struct hpoll_core_timers) {
		.timer_ns = max_t(s64, timer, 0),
		.event_ns = max_t(s64, event, 0),
	};
}

static void look_at_driver(struct hpoll_core_driver *look)
{
	const struct cpuidle_driver *drv = cpuidle_get_driver();

	*look = (struct hpoll_core_driver) { .name = "none" };
	if (!drv)
		return;
	look->present = true;
	look->polls = drv->state_count > 1 &&
		      drv->states[0].flags & CPUIDLE_FLAG_POLLING;
	strscpy(look->name, drv->name, sizeof(look->name));
}

void hpoll_core_look_at_driver(struct hpoll_core_driver *look)
{
	/* Where it can't be found, a driver that leaves just now is a risk. */
	if (!driver_lock) {
		look_at_driver(look);
		return;
	}
	spin_lock(driver_lock);
	look_at_driver(look);
	spin_unlock(driver_lock);
}

int hpoll_core_register_governor(struct cpuidle_governor *gov)
{
	return static_call(hpoll_register)(gov);
}

struct cpuidle_governor *
hpoll_core_activate_governor(struct cpuidle_governor *gov)
{
	struct cpuidle_governor *before;

	cpuidle_pause_and_lock();
	before = *curr_governor;
	/* If it names us, registering has made us current already. */
	if (!param_governor[0])
		static_call(hpoll_switch)(gov);
	cpuidle_resume_and_unlock();

	return before;
}

/* Under cpuidle_lock. */
static struct cpuidle_governor *
find_successor(const struct cpuidle_governor *gov,
	       const struct cpuidle_governor *wanted)
{
	struct cpuidle_governor *other, *best = NULL;

	list_for_each_entry(other, governors, governor_list) {
		if (other == gov)
			continue;
		if (other == wanted)
			return other;
		if (!best || other->rating > best->rating)
			best = other;
	}
	return best;
}

void hpoll_core_unregister_governor(struct cpuidle_governor *gov,
				    struct cpuidle_governor *successor)
{
	cpuidle_pause_and_lock();
	successor = find_successor(gov, successor);
	if (*curr_governor == gov)
		static_call(hpoll_switch)(successor);
	/*
	 * A driver that asks for a governor of its own makes the core keep
	 * the one before, to return to it later.
	 */
	if (*prev_governor == gov)
		*prev_governor = successor;
	list_del_init(&gov->governor_list);
	cpuidle_resume_and_unlock();
}

const struct cpuidle_governor *hpoll_core_current_governor(void)
{
	return curr_governor ? READ_ONCE(*curr_governor) : NULL;
}

static int nothing(void *unused)
{
	return 0;
}

void hpoll_core_drain(void)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		smp_call_on_cpu(cpu, nothing, NULL, false);
	cpus_read_unlock();
}
