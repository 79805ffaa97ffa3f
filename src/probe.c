// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probing: what a halt costs, measured on each CPU by another one.
 *
 * What counts is a wake-up that somebody waits for: a task on this CPU, woken
 * by another CPU that waits until it has run. From a halt that takes an interrupt,
 * which costs the sender an exit, the host's scheduler, and a tick that was stopped;
 * a CPU that polls only has to see a flag.
 *
 * The first time at load. Then again after 1 s, 2 s, and so on up to a minute,
 * as a guest may be moved to another host; not by a timer that wakes a CPU.
 */

#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include <hpoll/halt_cost.h>
#include <hpoll/params.h>
#include <hpoll/probe.h>
#include <hpoll/stats.h>

#define PAUSE_MAX_S	64

/*
 * How long a CPU is waited for that has something else to do, and how much more
 * often that may be in vain than not.
 */
#define PATIENCE_US	1000
#define TRIES		3

/* ... and after how long it is asked anew. */
#define LATER_MS	20

/* How long it is left in its halt, so that the host has really put it aside. */
#define SETTLE_US	50

/* How long is waited for the task; it has the priority to run at once. */
#define ANSWER_NS	20000000ULL

DEFINE_PER_CPU(struct hpoll_probe, hpoll_probe);

/* The task that a CPU is woken for: a worker's. */
struct task {
	struct work_struct work;
	bool has_run;
};

static DEFINE_PER_CPU(struct task, task);
static bool leaving;

static void nothing(void *unused)
{
}

static void run_task(struct work_struct *work)
{
	WRITE_ONCE(container_of(work, struct task, work)->has_run, true);
}

static u32 wake_ns(unsigned int cpu)
{
	struct task *t = per_cpu_ptr(&task, cpu);
	u64 start_ns, ns;

	WRITE_ONCE(t->has_run, false);
	start_ns = local_clock();
	queue_work_on(cpu, system_highpri_wq, &t->work);
	do {
		cpu_relax();
		ns = local_clock() - start_ns;
	} while (!READ_ONCE(t->has_run) && ns < ANSWER_NS);
	flush_work(&t->work);
	return ns;
}

static bool is_in(unsigned int cpu, enum hpoll_probe_state state)
{
	return READ_ONCE(per_cpu(hpoll_probe.in, cpu)) == state;
}

/* Return: true if the CPU is at rest in what it was asked to do. */
static bool bring_into(unsigned int cpu, enum hpoll_probe_state state)
{
	int us;

	WRITE_ONCE(per_cpu(hpoll_probe.wanted, cpu), state);
	/* Out of whatever it waits in. */
	smp_call_function_single(cpu, nothing, NULL, true);
	for (us = 0; !is_in(cpu, state) && us < PATIENCE_US; us++)
		udelay(1);
	udelay(SETTLE_US);
	return is_in(cpu, state);
}

static bool sample(unsigned int cpu, enum hpoll_probe_state state, u32 *ns)
{
	if (!bring_into(cpu, state))
		return false;
	*ns = wake_ns(cpu);
	return true;
}

/*
 * Many a try may fail where the host is busy as well, and still it is worth going
 * on while most succeed. A CPU that always has something to do is soon left alone.
 */
static bool sample_all(unsigned int cpu, struct hpoll_halt_cost_samples *samples)
{
	int patience = TRIES;
	int i = 0;

	while (i < HPOLL_HALT_COST_SAMPLES) {
		if (sample(cpu, HPOLL_PROBE_POLL, &samples->polled_ns[i]) &&
		    sample(cpu, HPOLL_PROBE_HALT, &samples->halted_ns[i])) {
			patience++;
			i++;
		} else if (!--patience) {
			return false;
		}
		/* Others may want this CPU, too; meanwhile that one halts. */
		usleep_range(SETTLE_US, 2 * SETTLE_US);
	}
	return true;
}

/* On another CPU than the one that is measured. Return: 0, or -EBUSY. */
static int measure(void *arg)
{
	unsigned int cpu = *(unsigned int *)arg;
	struct hpoll_probe *probe = per_cpu_ptr(&hpoll_probe, cpu);
	struct hpoll_halt_cost_samples samples;
	bool done;

	/* A CPU that runs something is not disturbed, not even by an IPI. */
	if (READ_ONCE(per_cpu(hpoll_window.over, cpu)))
		return -EBUSY;
	done = sample_all(cpu, &samples);
	WRITE_ONCE(probe->wanted, HPOLL_PROBE_NONE);
	/* Out of what it may be in again. */
	smp_call_function_single(cpu, nothing, NULL, true);
	if (!done)
		return -EBUSY;
	WRITE_ONCE(probe->cost_ns, hpoll_halt_cost_estimate_ns(&samples, probe->cost_ns));
	return 0;
}

/* Under cpus_read_lock(). Return: a CPU to measure @cpu from; itself if it is alone. */
static unsigned int other_cpu(unsigned int cpu)
{
	unsigned int other = cpumask_first(cpu_online_mask);

	if (other == cpu)
		other = cpumask_next(cpu, cpu_online_mask);
	return other < nr_cpu_ids ? other : cpu;
}

static int measure_from_other(unsigned int cpu)
{
	unsigned int other;
	int ret = 0;

	cpus_read_lock();
	other = other_cpu(cpu);
	if (cpu_online(cpu) && other != cpu)
		ret = smp_call_on_cpu(other, measure, &cpu, false);
	cpus_read_unlock();
	return ret;
}

/*
 * The timer fires when somebody else has woken a CPU, so just then it may have
 * something to do.
 */
static void measure_cpu(unsigned int cpu)
{
	struct hpoll_probe *probe = per_cpu_ptr(&hpoll_probe, cpu);
	int i;

	if (!READ_ONCE(probe->ready))
		return;
	if (probe->wait_s) {
		probe->wait_s--;
		return;
	}
	probe->pause_s = clamp(2 * probe->pause_s, 1, PAUSE_MAX_S);
	probe->wait_s = probe->pause_s - 1;

	for (i = 0; i < TRIES && measure_from_other(cpu) && !READ_ONCE(leaving); i++)
		msleep(LATER_MS);

	/* Where nothing is known yet, soon again. */
	if (!READ_ONCE(probe->cost_ns)) {
		probe->wait_s = 0;
		probe->pause_s = 0;
	}
}

static void measure_all(struct work_struct *work);
static DECLARE_DEFERRABLE_WORK(work, measure_all);

static void measure_all(struct work_struct *unused)
{
	struct hpoll_params params = hpoll_params_snapshot();
	unsigned int cpu;

	if (params.policy == HPOLL_POLICY_ADAPTIVE && params.max_ns) {
		for_each_possible_cpu(cpu) {
			if (READ_ONCE(leaving))
				return;
			measure_cpu(cpu);
		}
	}
	schedule_delayed_work(&work, HZ);
}

void hpoll_probe_ready(unsigned int cpu, bool ready)
{
	struct hpoll_probe *probe = per_cpu_ptr(&hpoll_probe, cpu);

	WRITE_ONCE(probe->ready, ready);
	if (!ready)
		WRITE_ONCE(probe->wanted, HPOLL_PROBE_NONE);
}

unsigned int hpoll_probe_range_ns(u32 *least_ns, u32 *most_ns)
{
	unsigned int cpu, count = 0;

	*least_ns = U32_MAX;
	*most_ns = 0;
	for_each_online_cpu(cpu) {
		u32 cost_ns = READ_ONCE(per_cpu(hpoll_probe.cost_ns, cpu));

		if (!cost_ns)
			continue;
		count++;
		*least_ns = min(*least_ns, cost_ns);
		*most_ns = max(*most_ns, cost_ns);
	}
	return count;
}

void hpoll_probe_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		INIT_WORK(per_cpu_ptr(&task.work, cpu), run_task);
	schedule_delayed_work(&work, 0);
}

void hpoll_probe_exit(void)
{
	WRITE_ONCE(leaving, true);
	cancel_delayed_work_sync(&work);
}
