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
 * Interface, in debugfs under ipi_wake/:
 *   run     write "source=0 target=1 gap_us=60 samples=2000"; the write returns
 *           when the measurement is done. What is left out has that default.
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
};

static const struct request defaults = {
	.source = 0, .target = 1, .gap_us = 60, .samples = 2000,
};

/* One call; written by the target, read by the source after the call ended. */
struct call {
	u64 arrived;
	bool idle;
};

struct run {
	struct request request;
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

static int measure_one(struct run *run, u64 gap_ns)
{
	struct call call = {};
	u64 gap = busy_wait(gap_ns);
	u64 sent;
	int ret;

	preempt_disable();
	sent = clock_read();
	ret = smp_call_function_single(run->request.target, arrive, &call, 1);
	preempt_enable();
	if (ret)
		return ret;

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
	u64 gap_ns = (u64)run->request.gap_us * NSEC_PER_USEC;
	u64 start = ktime_get_ns();
	unsigned int i;

	for (i = 0; i < run->request.samples && !run->error; i++) {
		if (kthread_should_stop())
			run->error = -EINTR;
		else
			run->error = measure_one(run, gap_ns);
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

	thread = kthread_create(measure, run, "ipi_wake/%u", request->source);
	if (IS_ERR(thread)) {
		ret = PTR_ERR(thread);
		goto unlock;
	}
	kthread_bind(thread, request->source);
	wake_up_process(thread);
	ret = wait_for_completion_interruptible(&done);
	kthread_stop(thread);
	if (!ret)
		ret = run->error;

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
			pr_err("'%s=%s': want source, target, gap_us or samples, and a number\n",
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
	if (!request->samples || request->samples > MAX_SAMPLES || request->gap_us > MAX_GAP_US ||
	    (u64)request->samples * request->gap_us > MAX_RUN_US) {
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
