/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few names that the pure rooms need, in the kernel and in user space.
 *
 * Gate and policy include no kernel header of their own, so that the very
 * same source is built into the module, the KUnit suites and the user-space
 * tests.
 */
#ifndef HPOLL_TYPES_H
#define HPOLL_TYPES_H

#ifdef __KERNEL__

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <linux/types.h>

#else

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;

#define U32_MAX	((u32)~0U)
#define U64_MAX	((u64)~0ULL)

#define __aligned(bytes)	__attribute__((__aligned__(bytes)))

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#endif

#endif
