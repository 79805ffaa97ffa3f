// SPDX-License-Identifier: GPL-2.0-only
/*
 * What was decided on each CPU, what it cost, and how long idle periods were.
 *
 * Read while the CPUs go on, with nothing that would hold them up: each number is
 * right for itself, but they may be from before and after a period.
 */

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include <hpoll/probe.h>
#include <hpoll/stats.h>

DEFINE_PER_CPU(struct hpoll_window, hpoll_window);

static struct dentry *dir;

static int cpus_show(struct seq_file *s, void *unused)
{
	unsigned int cpu;

	seq_puts(s, "cpu window_ns halt_cost_ns hits misses halts refused preempted polled_ns vain_ns halted_ns budget_ns strain\n");
	for_each_online_cpu(cpu) {
		const struct hpoll_window *window = per_cpu_ptr(&hpoll_window, cpu);
		const struct hpoll_counts *counts = &window->counts;

		seq_printf(s, "%u %u %u %llu %llu %llu %llu %llu %llu %llu %llu %u %u\n", cpu,
			   READ_ONCE(window->period.window_ns),
			   READ_ONCE(per_cpu(hpoll_probe.cost_ns, cpu)),
			   READ_ONCE(counts->hits), READ_ONCE(counts->misses),
			   READ_ONCE(counts->halts), READ_ONCE(counts->refused),
			   READ_ONCE(counts->preempted), READ_ONCE(counts->polled_ns),
			   READ_ONCE(counts->vain_ns), READ_ONCE(counts->halted_ns),
			   READ_ONCE(window->budget.left_ns), READ_ONCE(window->budget.strain));
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(cpus);

static int lengths_show(struct seq_file *s, void *unused)
{
	unsigned int cpu, i;

	/* As many columns in each line. */
	cpus_read_lock();
	seq_puts(s, "from_ns");
	for_each_online_cpu(cpu)
		seq_printf(s, " cpu%u", cpu);
	seq_putc(s, '\n');
	for (i = 0; i < HPOLL_LENGTHS; i++) {
		seq_printf(s, "%llu", hpoll_lengths_from_ns(i));
		for_each_online_cpu(cpu)
			seq_printf(s, " %llu",
				   READ_ONCE(per_cpu(hpoll_window.counts.lengths[i], cpu)));
		seq_putc(s, '\n');
	}
	cpus_read_unlock();
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(lengths);

struct dentry *hpoll_stats_init(void)
{
	dir = debugfs_create_dir("hpoll", NULL);
	debugfs_create_file("cpus", 0444, dir, NULL, &cpus_fops);
	debugfs_create_file("lengths", 0444, dir, NULL, &lengths_fops);
	return dir;
}

void hpoll_stats_exit(void)
{
	debugfs_remove(dir);
}
