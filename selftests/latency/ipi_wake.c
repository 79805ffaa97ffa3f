// SPDX-License-Identifier: GPL-2.0-only
/*
 * ipi_wake - how long does a function call take to reach an idle CPU?
 *
 * 1. The source CPU busy-waits until the target has been idle for the gap.
 * 2. It reads the clock, then calls smp_call_function_single().
 * 3. On the target the called function reads the same clock: the sample is the
 *    difference. The source waits for the call to end and starts again at 1.
 *
 * Step 2 is an IPI only where the target halts. A target that polls has
 * TIF_POLLING_NRFLAG set, so the kernel sets NEED_RESCHED in its idle task and
 * sends nothing. That saving is part of what is measured.
 *
 * The source busy-waits because a sleeping one would go idle itself: each
 * sample would then also contain the source's own wake-up, polled or halted by
 * the very governor under test, and its CPU might not run when the gap ends.
 *
 * The target stamps the time, not the source when it sees an answer: a spinning
 * source may be taken off its CPU by the host (PAUSE-loop exits), which would
 * be counted as latency of the target.
 *
 * A call that finds the target busy wakes nobody; it is counted, not sampled.
 *
 * Task: instead of a function call the source wakes a task on the target and waits,
 * busily, until it has read the clock. Whoever is woken so leaves the idle loop, and
 * restarts the tick where it was stopped; a function call does neither.
 *
 * Mixed: so many calls after long gaps come between so many after short ones (in
 * turn, or at random with these odds). They are made, but not sampled: who has slept
 * for long is woken from a halt, whatever the policy.
 *
 * Interface, in debugfs under ipi_wake/:
 *   run     write "source=0 target=1 gap_us=60 samples=2000"; the write returns
 *           when the measurement is done. What is left out has that default.
 *           "task=1" wakes a task; "long_us=5000 longs=2 shorts=1 random=0" has
 *           two long gaps between short ones.
 *           Wrong values give EINVAL and one line in the kernel's log.
 *   result  the last run as JSON on one line; empty before the first.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#ifdef CONFIG_X86
#include <asm/tsc.h>
#endif

#define MAX_SAMPLES	1000000U
#define MAX_GAP_US	1000000U
/*
 * A gap of more than twice its length and this is not what was asked for:
 * something else ran on the source. Such a call is counted, not sampled.
 */
#define LATE_NS		(100 * NSEC_PER_USEC)
/* CPU hotplug is held off during a run, so a run is bounded. */
#define MAX_RUN_US	120000000ULL
/* Calls of a kind, one after the other. */
#define MAX_RUN_OF	1000U
#define MAX_REQUEST	128
/* Bucket n counts samples from 2^n ns up to, not including, 2^(n+1) ns. */
#define BUCKETS		40
/* Share of the worst samples whose mean is given: a percentile is noisier. */
#define WORST_SHARE	100

struct request {
	unsigned int source;
	unsigned int target;
	unsigned int gap_us;
	unsigned int samples;
	unsigned int long_us;
	unsigned int longs;
	unsigned int shorts;
	unsigned int random;
	unsigned int task;
};

static const struct request defaults = {
	.source = 0, .target = 1, .gap_us = 60, .samples = 2000, .shorts = 1,
};

/* One call; written by the target, read by the source after the call ended. */
struct call {
	u64 arrived;
	bool idle;
};

struct run {
	struct request request;
	struct task_struct *sleeper;
	bool wanted;
	struct call *call;
	u64 *ns;
	unsigned int taken;
	unsigned int busy;
	unsigned int backwards;
	unsigned int late;
	u64 elapsed_ns;
	int error;
	struct completion *done;
};

/* Serialises runs, and guards result. */
static DEFINE_MUTEX(run_lock);
static struct run result;
static struct dentry *dir;

#ifdef CONFIG_X86
/*
 * Reading the kernel's clock may be a VM exit (HPET), which is what we measure.
 * The TSC is the same on all CPUs unless the kernel found that it is not.
 */
static bool use_tsc;

static void clock_choose(void)
{
	use_tsc = tsc_khz && !check_tsc_unstable();
}

static u64 clock_read(void)
{
	return use_tsc ? rdtsc_ordered() : ktime_get_mono_fast_ns();
}

static u64 clock_to_ns(u64 delta)
{
	return use_tsc ? div_u64(delta * 1000000, tsc_khz) : delta;
}

static const char *clock_name(void)
{
	return use_tsc ? "tsc" : "monotonic";
}
#else
static void clock_choose(void)
{
}

static u64 clock_read(void)
{
	return ktime_get_mono_fast_ns();
}

static u64 clock_to_ns(u64 delta)
{
	return delta;
}

static const char *clock_name(void)
{
	return "monotonic";
}
#endif

static void arrive(void *info)
{
	struct call *call = info;

	call->arrived = clock_read();
	call->idle = is_idle_task(current);
}

/* Returns the time that really passed. */
static u64 busy_wait(u64 ns)
{
	u64 start = clock_read();
	u64 passed;

	do {
		cpu_relax();
		cond_resched();
		passed = clock_to_ns(clock_read() - start);
	} while (passed < ns);

	return passed;
}

/* Is this call one after a long gap? By the generator of Numerical Recipes. */
static bool is_long(const struct request *request, unsigned int call)
{
	static u32 state;

	u32 all = request->longs + request->shorts;

	if (!request->random)
		return call % all < request->longs;
	state = state * 1664525 + 1013904223;
	return (u64)state * all >> 32 < request->longs;
}

/* On the target: sleeps until it is wanted. */
static int sleep_and_arrive(void *data)
{
	struct run *run = data;

	set_current_state(TASK_IDLE);
	while (!kthread_should_stop()) {
		if (READ_ONCE(run->wanted)) {
			__set_current_state(TASK_RUNNING);
			run->call->arrived = clock_read();
			/* Pairs with wake_task(). */
			smp_store_release(&run->wanted, false);
		} else {
			schedule();
		}
		set_current_state(TASK_IDLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int wake_task(struct run *run, struct call *call)
{
	u64 start = ktime_get_ns();

	/* Whether it is can't be asked; nothing else runs there, mostly. */
	call->idle = true;
	run->call = call;
	WRITE_ONCE(run->wanted, true);
	wake_up_process(run->sleeper);
	/* Pairs with sleep_and_arrive(). */
	while (smp_load_acquire(&run->wanted)) {
		cpu_relax();
		cond_resched();
		if (ktime_get_ns() - start > NSEC_PER_SEC)
			return -ETIMEDOUT;
	}
	return 0;
}

static int call_function(struct run *run, struct call *call)
{
	int ret;

	preempt_disable();
	ret = smp_call_function_single(run->request.target, arrive, call, 1);
	preempt_enable();
	return ret;
}

static int measure_one(struct run *run, u64 gap_ns, bool sampled)
{
	struct call call = {};
	u64 gap = busy_wait(gap_ns);
	u64 sent;
	int ret;

	sent = clock_read();
	ret = run->request.task ? wake_task(run, &call) : call_function(run, &call);
	if (ret)
		return ret;

	if (!sampled)
		return 0;
	if (gap > 2 * gap_ns + LATE_NS)
		run->late++;
	else if (!call.idle)
		run->busy++;
	else if ((s64)(call.arrived - sent) < 0)
		run->backwards++;
	else
		run->ns[run->taken++] = clock_to_ns(call.arrived - sent);

	return 0;
}

static int measure(void *data)
{
	struct run *run = data;
	const struct request *request = &run->request;
	u64 start = ktime_get_ns();
	unsigned int call, sampled;

	for (call = 0, sampled = 0; sampled < request->samples && !run->error; call++) {
		bool is_sample = !is_long(request, call);
		u64 gap_us = is_sample ? request->gap_us : request->long_us;

		if (kthread_should_stop())
			run->error = -EINTR;
		else
			run->error = measure_one(run, gap_us * NSEC_PER_USEC, is_sample);
		sampled += is_sample;
	}
	run->elapsed_ns = ktime_get_ns() - start;
	complete(run->done);

	/* kthread_stop() may only be called on a thread that still exists. */
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a;
	u64 y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static struct task_struct *create_bound(int (*function)(void *), struct run *run,
					unsigned int cpu)
{
	struct task_struct *thread = kthread_create(function, run, "ipi_wake/%u", cpu);

	if (!IS_ERR(thread))
		kthread_bind(thread, cpu);
	return thread;
}

static int run_measurement(struct run *run)
{
	const struct request *request = &run->request;
	DECLARE_COMPLETION_ONSTACK(done);
	struct task_struct *thread;
	int ret = 0;

	run->done = &done;
	cpus_read_lock();
	if (!cpu_online(request->source) || !cpu_online(request->target)) {
		pr_err("CPU %u or %u is not online\n", request->source, request->target);
		ret = -EINVAL;
		goto unlock;
	}

	if (request->task) {
		run->sleeper = create_bound(sleep_and_arrive, run, request->target);
		if (IS_ERR(run->sleeper)) {
			ret = PTR_ERR(run->sleeper);
			goto unlock;
		}
		wake_up_process(run->sleeper);
	}
	thread = create_bound(measure, run, request->source);
	if (IS_ERR(thread)) {
		ret = PTR_ERR(thread);
		goto stop_sleeper;
	}
	wake_up_process(thread);
	ret = wait_for_completion_interruptible(&done);
	kthread_stop(thread);
	if (!ret)
		ret = run->error;

stop_sleeper:
	if (request->task)
		kthread_stop(run->sleeper);
unlock:
	cpus_read_unlock();
	return ret;
}

static int parse(char *text, struct request *request)
{
	const struct {
		const char *name;
		unsigned int *value;
	} keys[] = {
		{ "source", &request->source },
		{ "target", &request->target },
		{ "gap_us", &request->gap_us },
		{ "samples", &request->samples },
		{ "long_us", &request->long_us },
		{ "longs", &request->longs },
		{ "shorts", &request->shorts },
		{ "random", &request->random },
		{ "task", &request->task },
	};
	char *word;

	*request = defaults;
	text = strim(text);
	while ((word = strsep(&text, " "))) {
		char *name = strsep(&word, "=");
		int i;

		if (!*name && !word)
			continue;
		for (i = 0; i < ARRAY_SIZE(keys); i++)
			if (!strcmp(keys[i].name, name))
				break;
		if (i == ARRAY_SIZE(keys) || !word || kstrtouint(word, 10, keys[i].value)) {
			pr_err("'%s=%s': want a number for source, target, gap_us, samples, long_us, longs, shorts, random or task\n",
			       name, word ?: "");
			return -EINVAL;
		}
	}

	if (request->source >= nr_cpu_ids || request->target >= nr_cpu_ids ||
	    request->source == request->target) {
		pr_err("source %u and target %u: want two different CPUs below %u\n",
		       request->source, request->target, nr_cpu_ids);
		return -EINVAL;
	}
	if (request->long_us > MAX_GAP_US || request->longs > MAX_RUN_OF ||
	    !request->shorts || request->shorts > MAX_RUN_OF) {
		pr_err("long_us %u, longs %u, shorts %u: want at most %u, at most %u, and 1 to %u\n",
		       request->long_us, request->longs, request->shorts, MAX_GAP_US, MAX_RUN_OF,
		       MAX_RUN_OF);
		return -EINVAL;
	}
	if (request->random > 1 || request->task > 1) {
		pr_err("random %u, task %u: want 0 or 1\n", request->random, request->task);
		return -EINVAL;
	}
	if (!request->samples || request->samples > MAX_SAMPLES || request->gap_us > MAX_GAP_US ||
	    (u64)request->samples * (request->gap_us + (u64)request->long_us * request->longs) >
		    MAX_RUN_US) {
		pr_err("gap_us %u, samples %u: want at most %u, 1 to %u, and %llu s in all\n",
		       request->gap_us, request->samples, MAX_GAP_US, MAX_SAMPLES,
		       MAX_RUN_US / USEC_PER_SEC);
		return -EINVAL;
	}
	return 0;
}

static ssize_t run_write(struct file *file, const char __user *buffer, size_t count, loff_t *ppos)
{
	struct run run = {};
	char text[MAX_REQUEST];
	int ret;

	if (count >= sizeof(text)) {
		pr_err("a request has at most %d characters\n", MAX_REQUEST - 1);
		return -EINVAL;
	}
	if (copy_from_user(text, buffer, count))
		return -EFAULT;
	text[count] = '\0';
	ret = parse(text, &run.request);
	if (ret)
		return ret;

	run.ns = vmalloc(array_size(run.request.samples, sizeof(*run.ns)));
	if (!run.ns)
		return -ENOMEM;

	ret = mutex_lock_interruptible(&run_lock);
	if (ret)
		goto free;
	clock_choose();
	ret = run_measurement(&run);
	if (!ret) {
		sort(run.ns, run.taken, sizeof(*run.ns), compare_u64, NULL);
		vfree(result.ns);
		result = run;
		run.ns = NULL;
	}
	mutex_unlock(&run_lock);

free:
	vfree(run.ns);
	return ret ?: count;
}

/* The sorted sample below which a share of all lies, in thousandths. */
static u64 quantile(const struct run *run, unsigned int thousandths)
{
	u64 at = div_u64((u64)(run->taken - 1) * thousandths + 500, 1000);

	return run->ns[at];
}

static u64 mean(const u64 *ns, unsigned int count)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < count; i++)
		sum += ns[i];
	return div_u64(sum, count);
}

static void show_distribution(struct seq_file *seq, const struct run *run)
{
	unsigned int worst = DIV_ROUND_UP(run->taken, WORST_SHARE);
	unsigned int buckets[BUCKETS] = {};
	const char *comma = "";
	unsigned int i;

	for (i = 0; i < run->taken; i++)
		buckets[min_t(u64, run->ns[i] ? ilog2(run->ns[i]) : 0, BUCKETS - 1)]++;

	seq_printf(seq, ",\"min\":%llu,\"p1\":%llu,\"p50\":%llu,\"p90\":%llu,\"p99\":%llu",
		   run->ns[0], quantile(run, 10), quantile(run, 500), quantile(run, 900),
		   quantile(run, 990));
	seq_printf(seq, ",\"max\":%llu,\"mean\":%llu,\"worst1pct_mean\":%llu",
		   run->ns[run->taken - 1], mean(run->ns, run->taken),
		   mean(run->ns + run->taken - worst, worst));

	seq_puts(seq, ",\"hist\":[");
	for (i = 0; i < BUCKETS; i++) {
		if (!buckets[i])
			continue;
		seq_printf(seq, "%s[%llu,%u]", comma, 1ULL << i, buckets[i]);
		comma = ",";
	}
	seq_puts(seq, "]");
}

static int result_show(struct seq_file *seq, void *unused)
{
	const struct request *request = &result.request;
	int ret;

	ret = mutex_lock_interruptible(&run_lock);
	if (ret)
		return ret;
	if (result.ns) {
		seq_printf(seq, "{\"unit\":\"ns\",\"clock\":\"%s\",\"source\":%u,\"target\":%u",
			   clock_name(), request->source, request->target);
		seq_printf(seq, ",\"long_us\":%u,\"longs\":%u,\"shorts\":%u,\"random\":%u,\"task\":%u",
			   request->long_us, request->longs, request->shorts, request->random,
			   request->task);
		seq_printf(seq, ",\"gap_us\":%u,\"requested\":%u,\"samples\":%u",
			   request->gap_us, request->samples, result.taken);
		seq_printf(seq, ",\"busy\":%u,\"late\":%u,\"backwards\":%u,\"elapsed_ns\":%llu",
			   result.busy, result.late, result.backwards, result.elapsed_ns);
		if (result.taken)
			show_distribution(seq, &result);
		seq_puts(seq, "}\n");
	}
	mutex_unlock(&run_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(result);

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = run_write,
};

static int __init ipi_wake_init(void)
{
	dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	debugfs_create_file("run", 0200, dir, NULL, &run_fops);
	debugfs_create_file("result", 0400, dir, NULL, &result_fops);
	return 0;
}

/* Open files hold the module, and a run ends before its write() does. */
static void __exit ipi_wake_exit(void)
{
	debugfs_remove(dir);
	vfree(result.ns);
}

module_init(ipi_wake_init);
module_exit(ipi_wake_exit);
MODULE_DESCRIPTION("Measures how long a function call takes to reach an idle CPU");
MODULE_LICENSE("GPL");
