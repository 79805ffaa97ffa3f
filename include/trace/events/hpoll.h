/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints: what the governor decides, and what comes of it.
 *
 * Both are passed on the CPU that they tell of, where RCU is watching: in the core's
 * select and reflect. In fused mode, where the driver decides,
 * it is not, so there they are silent.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hpoll

#if !defined(_TRACE_HPOLL_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_HPOLL_H

#include <linux/tracepoint.h>

/**
 * hpoll_decide - an idle period begins, and it was decided for how long to poll
 * @window_ns: that long at most, in nanoseconds; 0: it halts at once
 * @cost_ns: for how long polling pays if it saves a halt; 0 under policy=classic
 * @timer_ns: how far the next timer is; U64_MAX where it was not asked for
 * @budget_ns: what polling in vain may still burn, with policy=adaptive
 */
TRACE_EVENT(hpoll_decide,

	TP_PROTO(u32 window_ns, u32 cost_ns, u64 timer_ns, u32 budget_ns),

	TP_ARGS(window_ns, cost_ns, timer_ns, budget_ns),

	TP_STRUCT__entry(
		__field(u64, timer_ns)
		__field(u32, window_ns)
		__field(u32, cost_ns)
		__field(u32, budget_ns)
	),

	TP_fast_assign(
		__entry->timer_ns = timer_ns;
		__entry->window_ns = window_ns;
		__entry->cost_ns = cost_ns;
		__entry->budget_ns = budget_ns;
	),

	TP_printk("window_ns=%u cost_ns=%u timer_ns=%lld budget_ns=%u",
		  __entry->window_ns, __entry->cost_ns,
		  (long long)__entry->timer_ns, __entry->budget_ns)
);

/**
 * hpoll_outcome - a poll or a halt is over
 * @window_ns: for how long it was to poll in this period, in nanoseconds
 * @ns: how long it took
 * @polled: it polled; or else it halted
 * @over: that ended the period: there is work, or something unforeseen came
 */
TRACE_EVENT(hpoll_outcome,

	TP_PROTO(u32 window_ns, u64 ns, bool polled, bool over),

	TP_ARGS(window_ns, ns, polled, over),

	TP_STRUCT__entry(
		__field(u64, ns)
		__field(u32, window_ns)
		__field(bool, polled)
		__field(bool, over)
	),

	TP_fast_assign(
		__entry->ns = ns;
		__entry->window_ns = window_ns;
		__entry->polled = polled;
		__entry->over = over;
	),

	TP_printk("%s ns=%llu window_ns=%u",
		  __entry->polled ? (__entry->over ? "hit" : "miss") :
				    (__entry->over ? "halt" : "halt-goes-on"),
		  __entry->ns, __entry->window_ns)
);

#endif

#include <trace/define_trace.h>
