/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between kernels, by name. The only file that may test a
 * kernel's version; where a feature can be probed, it is.
 */
#ifndef HPOLL_COMPAT_H
#define HPOLL_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 10, 0)
#error "hpoll needs Linux 5.10 or later (static_call, cpuidle times in ns)"
#endif

/* panic_notifier_list moved out of linux/kernel.h in 5.14. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
#include <linux/panic_notifier.h>
#else
#include <linux/kernel.h>
#include <linux/notifier.h>
#endif

/* cpuid() had come with asm/processor.h until it got headers of its own in 6.16. */
#ifdef CONFIG_X86
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#include <asm/cpuid/api.h>
#else
#include <asm/processor.h>
#endif
#endif

#endif
