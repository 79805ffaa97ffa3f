/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Faults: steps that fail because a test asks for it. Only a test build
 * (CONFIG_HPOLL_TEST_FAULTS) has them, with parameters of its own; in any other
 * build they compile to nothing.
 */
#ifndef HPOLL_FAULT_H
#define HPOLL_FAULT_H

#include <linux/types.h>

#ifdef CONFIG_HPOLL_TEST_FAULTS

/**
 * hpoll_fault() - shall this step fail?
 * @step: the step's name, as it is given to fault=
 *
 * Any context.
 *
 * Return: 0, or -EIO if the test asks for a failure.
 */
int hpoll_fault(const char *step);

/**
 * hpoll_fault_cpu() - shall this CPU's registration fail?
 * @cpu: the CPU, as it is given to fault_cpu=
 *
 * Any context.
 *
 * Return: 0, or -EIO if the test asks for a failure.
 */
int hpoll_fault_cpu(unsigned int cpu);

#else

static inline int hpoll_fault(const char *step)
{
	return 0;
}

static inline int hpoll_fault_cpu(unsigned int cpu)
{
	return 0;
}

#endif

#endif
