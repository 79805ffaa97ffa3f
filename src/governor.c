// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cpuidle governor: asks the policy and tells it what came of it.
 *
 * The core calls select, then the driver's enter, then reflect, on each CPU
 * for itself. It calls enable and disable for each CPU under cpuidle_lock,
 * with cpuidle paused; but a CPU that is in an idle period at that time may
 * come to its reflect during or after them, with the driver gone by then.
 */

#include <linux/cpuidle.h>
#include <linux/jiffies.h>
#include <linux/kernel_stat.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>

#include <hpoll/core_calls.h>
#include <hpoll/fault.h>
#include <hpoll/governor.h>
#include <hpoll/host_poll.h>
#include <hpoll/params.h>
#include <hpoll/probe.h>
#include <hpoll/stats.h>
#include <trace/events/hpoll.h>

/**
 * struct governor_cpu - one CPU's state, written by that CPU alone, but for
 *                       @enabled
 * @enabled: the core uses us on this CPU
 * @chose_poll: the last choice was to poll
 * @polled_last: the state left last was the polling one; differs from
 *               @chose_poll if the core had no time to enter a state
 * @probing: the last choice was what a probe asked for
 */
struct governor_cpu {
	bool enabled;
	bool chose_poll;
	bool polled_last;
	bool probing;
};

static DEFINE_PER_CPU(struct governor_cpu, governor_cpu);

/* Whom to give way to on unload. Written once, at load. */
static struct cpuidle_governor *predecessor;

static bool is_polling(const struct cpuidle_driver *drv, int index)
{
	return drv->states[index].flags & CPUIDLE_FLAG_POLLING;
}

/*
 * The shallowest state that halts. A governor that is attached to a driver
 * with deeper ones leaves them alone: they cost more to wake up from than
 * polling is meant to save.
 */
static int find_halt(const struct cpuidle_driver *drv,
		     const struct cpuidle_device *dev)
{
	int i;

	for (i = 0; i < drv->state_count; i++)
		if (!is_polling(drv, i) && !dev->states_usage[i].disable)
			return i;
	return -1;
}

static u32 begin(struct hpoll_window *window, const struct hpoll_params *params,
		 bool duty)
{
	struct hpoll_now now = {
		.timer_ns = HPOLL_NO_TIMER,
		.event_ns = HPOLL_NO_TIMER,
		.duty = duty,
	};
	u32 window_ns;

	if (params->policy == HPOLL_POLICY_ADAPTIVE) {
		if (hpoll_window_wants_timers(window)) {
			struct hpoll_core_timers timers = hpoll_core_timers();

			now.timer_ns = timers.timer_ns;
			now.event_ns = timers.event_ns;
		}
		now.now_ns = sched_clock();
		now.stolen_ns = kcpustat_this_cpu->cpustat[CPUTIME_STEAL];
		now.wake_ns = hpoll_probe_cost_ns();
	}
	window_ns = hpoll_window_begin(window, params, &now);
	trace_hpoll_decide(window_ns, window->cost_ns, now.timer_ns, window->budget.left_ns);
	return window_ns;
}

static struct hpoll_choice choose(const struct governor_cpu *gc,
				  const struct cpuidle_device *dev,
				  struct hpoll_idle *idle)
{
	struct hpoll_window *window = this_cpu_ptr(&hpoll_window);
	struct hpoll_params params = hpoll_params_snapshot();

	/* A poll that ran out of time is the first part of a longer period. */
	if (hpoll_window_goes_on(window))
		idle->window_ns = 0;
	else if (gc->polled_last && dev->poll_time_limit)
		idle->window_ns = min(window->period.window_ns, params.max_ns);
	else
		idle->window_ns = begin(window, &params, idle->latency_ns <= 0);
	/* To stop the tick and start it again costs more than one that comes in vain. */
	idle->timer_is_near = window->period.timer_ns < TICK_NSEC;
	return hpoll_choose(idle);
}

/* Return: what a probe asks for, unless this CPU is not free to do it. */
static enum hpoll_probe_state probe_wanted(const struct hpoll_idle *idle)
{
	if (idle->latency_ns <= 0 || !idle->can_poll || !idle->can_halt)
		return HPOLL_PROBE_NONE;
	return hpoll_probe_wanted();
}

static struct hpoll_choice obey(enum hpoll_probe_state wanted)
{
	bool poll = wanted == HPOLL_PROBE_POLL;

	hpoll_probe_enter(wanted);
	return (struct hpoll_choice) {
		.poll = poll,
		.poll_ns = HPOLL_PROBE_POLL_NS,
		.stop_tick = !poll,
	};
}

static int governor_select(struct cpuidle_driver *drv,
			   struct cpuidle_device *dev, bool *stop_tick)
{
	struct governor_cpu *gc = this_cpu_ptr(&governor_cpu);
	int halt = find_halt(drv, dev);
	struct hpoll_idle idle = {
		.latency_ns = hpoll_core_latency_ns(dev->cpu),
		.polled_last = gc->polled_last,
		.timed_out = dev->poll_time_limit,
		.can_poll = is_polling(drv, 0) && !dev->states_usage[0].disable,
		.can_halt = halt >= 0,
	};
	enum hpoll_probe_state wanted = probe_wanted(&idle);
	struct hpoll_choice choice;

	/* The core had no time to do what was chosen before. */
	if (gc->probing)
		hpoll_probe_leave(false);

	gc->probing = wanted != HPOLL_PROBE_NONE;
	choice = gc->probing ? obey(wanted) : choose(gc, dev, &idle);
	gc->chose_poll = choice.poll;
	*stop_tick = choice.stop_tick;
	if (!choice.poll)
		return max(halt, 0);

	/*
	 * Anew for every poll: the core stores its own default here when it
	 * finds 0.
	 */
	dev->poll_limit_ns = choice.poll_ns;
	return 0;
}

static void trace_outcome(const struct cpuidle_device *dev,
			  const struct hpoll_window *window, bool polled)
{
	trace_hpoll_outcome(window->period.window_ns, dev->last_residency_ns, polled,
			    window->over);
}

/*
 * On the path between a wake-up and the work that it is for: what an IPI asks
 * of a polling CPU is only done after this.
 */
static void governor_reflect(struct cpuidle_device *dev, int index)
{
	struct governor_cpu *gc = this_cpu_ptr(&governor_cpu);
	struct hpoll_window *window = this_cpu_ptr(&hpoll_window);

	dev->last_state_idx = index;
	gc->polled_last = gc->chose_poll;
	if (gc->probing) {
		hpoll_probe_leave(gc->chose_poll && dev->poll_time_limit);
		gc->probing = false;
		gc->polled_last = false;
	} else if (gc->polled_last) {
		hpoll_window_polled(window, dev->last_residency_ns,
				    dev->poll_time_limit);
		trace_outcome(dev, window, true);
	} else {
		hpoll_window_halted(window, dev->last_residency_ns,
				    need_resched());
		trace_outcome(dev, window, false);
	}
}

static int governor_enable(struct cpuidle_driver *drv,
			   struct cpuidle_device *dev)
{
	struct governor_cpu *gc = per_cpu_ptr(&governor_cpu, dev->cpu);

	hpoll_window_reset(per_cpu_ptr(&hpoll_window, dev->cpu));
	gc->polled_last = false;
	gc->probing = false;
	gc->enabled = true;
	hpoll_probe_ready(dev->cpu, true);
	dev->poll_limit_ns = 0;
	hpoll_host_poll_off(dev->cpu);
	return 0;
}

static void governor_disable(struct cpuidle_driver *drv,
			     struct cpuidle_device *dev)
{
	WRITE_ONCE(per_cpu(governor_cpu.enabled, dev->cpu), false);
	hpoll_probe_ready(dev->cpu, false);
	hpoll_host_poll_restore(dev->cpu);
	/* The next governor may rely on the core's default. */
	dev->poll_limit_ns = 0;
}

static struct cpuidle_governor governor = {
	.name = "hpoll",
	/*
	 * Below every other, so that registering alone changes nothing: see
	 * hpoll_governor_activate().
	 */
	.rating = 1,
	.enable = governor_enable,
	.disable = governor_disable,
	.select = governor_select,
	.reflect = governor_reflect,
};

int hpoll_governor_register(void)
{
	return hpoll_fault("governor") ?:
	       hpoll_core_register_governor(&governor);
}

void hpoll_governor_activate(void)
{
	predecessor = hpoll_core_activate_governor(&governor);
}

void hpoll_governor_unregister(void)
{
	hpoll_core_unregister_governor(&governor, predecessor);
}

bool hpoll_governor_has_cpu(unsigned int cpu)
{
	return READ_ONCE(per_cpu(governor_cpu.enabled, cpu));
}

bool hpoll_governor_is_current(void)
{
	return hpoll_core_current_governor() == &governor;
}
