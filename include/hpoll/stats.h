/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stats: each CPU's window, and what came of it, in /sys/kernel/debug/hpoll/.
 */
#ifndef HPOLL_STATS_H
#define HPOLL_STATS_H

#include <linux/percpu.h>

#include <hpoll/window.h>

struct dentry;

/* Written by its CPU alone: by the governor, or by the driver in fused mode. */
DECLARE_PER_CPU(struct hpoll_window, hpoll_window);

/**
 * hpoll_stats_init() - create the files
 *
 * Process context. Without debugfs there are none, and all else works.
 *
 * Return: the directory, for other files; hpoll_stats_exit() removes it with them.
 */
struct dentry *hpoll_stats_init(void);

/**
 * hpoll_stats_exit() - remove the files
 *
 * Process context. Waits for those who read them.
 */
void hpoll_stats_exit(void);

#endif
