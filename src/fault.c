// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults, for tests; not part of an operator's build.
 */

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include <hpoll/fault.h>

static char *fault = "";
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault, "The steps that fail, comma-separated (test build)");

static int fault_cpu = -1;
module_param(fault_cpu, int, 0644);
MODULE_PARM_DESC(fault_cpu,
		 "The CPU whose registration fails, -1 for none (test build)");

int hpoll_fault(const char *step)
{
	size_t len = strlen(step);
	const char *name;

	for (name = fault; name; name = strchr(name, ',')) {
		name += *name == ',';
		if (!strncmp(name, step, len) &&
		    (!name[len] || name[len] == ','))
			return -EIO;
	}
	return 0;
}

int hpoll_fault_cpu(unsigned int cpu)
{
	return READ_ONCE(fault_cpu) == (int)cpu ? -EIO : 0;
}
