// SPDX-License-Identifier: GPL-2.0-only

#include <cpuid.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <unistd.h>

#include "machine.h"

#define REFUSED		"hpoll: not loaded: "
#define LOADED		"hpoll: loaded: "

/* CPUID: leaf 1's hypervisor bit, and where hypervisors put their leaves. */
#define HYPERVISOR_BIT	0x80000000U
#define LEAVES_FIRST	0x40000000U
#define LEAVES_END	0x40010000U
#define LEAVES_STEP	0x100U

/* KVM's features and hints, in the leaf after its signature. */
#define KVM_POLL_CONTROL	0x1000U
#define KVM_HINT_DEDICATED	0x1U

/* klogctl(2) */
#define READ_ALL	3
#define SIZE_BUFFER	10

static struct cpuid_facts ask_cpuid(void)
{
	struct cpuid_facts facts = { };
	unsigned int leaf, eax, ebx, ecx, edx;
	char text[13] = "";

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return facts;
	facts.hypervisor = ecx & HYPERVISOR_BIT;
	for (leaf = LEAVES_FIRST; leaf < LEAVES_END; leaf += LEAVES_STEP) {
		__cpuid(leaf, eax, ebx, ecx, edx);
		memcpy(text, &ebx, 4);
		memcpy(text + 4, &ecx, 4);
		memcpy(text + 8, &edx, 4);
		if (leaf == LEAVES_FIRST && facts.hypervisor)
			memcpy(facts.signature, text, sizeof(text));
		if (strcmp(text, "KVMKVMKVM"))
			continue;
		facts.kvm = true;
		__cpuid(leaf + 1, eax, ebx, ecx, edx);
		facts.poll_control = eax & KVM_POLL_CONTROL;
		facts.dedicated = edx & KVM_HINT_DEDICATED;
		break;
	}
	return facts;
}

/* For tests: words in a file. */
static struct cpuid_facts read_cpuid(void)
{
	struct cpuid_facts facts = { };
	char *words = files_read("/cpuid"), *signature;

	facts.hypervisor = text_has_word(words, "hypervisor");
	facts.kvm = text_has_word(words, "KVMKVMKVM");
	facts.poll_control = text_has_word(words, "poll-control");
	facts.dedicated = text_has_word(words, "dedicated");
	signature = words ? strstr(words, "signature=") : NULL;
	if (facts.kvm)
		strcpy(facts.signature, "KVMKVMKVM");
	else if (signature && sscanf(signature, "signature=%12s", facts.signature) != 1)
		facts.signature[0] = '\0';
	free(words);
	return facts;
}

static char *read_log(int *error)
{
	int size;
	char *text;

	if (!files_are_real())
		return files_read("/dmesg");
	size = klogctl(SIZE_BUFFER, NULL, 0);
	text = size < 0 ? NULL : malloc(size + 1);
	size = text ? klogctl(READ_ALL, text, size) : -1;
	if (size < 0) {
		*error = errno;
		free(text);
		return NULL;
	}
	text[size] = '\0';
	return text;
}

/* The last line with which it refused, if no load came after. */
static char *find_refusal(int *error)
{
	char *log = read_log(error), *found = NULL, *at;

	for (at = log; at && (at = strstr(at, REFUSED)); at += strlen(REFUSED))
		found = at + strlen(REFUSED);
	if (found && strstr(found, LOADED))
		found = NULL;
	if (found)
		found = strndup(found, strcspn(found, "\n"));
	free(log);
	return found;
}

static char *line_or_nothing(const char *path)
{
	char *line = files_line(path);

	return line ? line : strdup("");
}

/* Return: false if there is nothing to read. */
static bool read_times(unsigned long long *steal, unsigned long long *all)
{
	unsigned long long t[8];
	char *line = files_line("/proc/stat");
	bool found;
	int i;

	found = line && sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1],
			       &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) == 8;
	free(line);
	if (!found)
		return false;
	*steal = t[7];
	for (*all = 0, i = 0; i < 8; i++)
		*all += t[i];
	return true;
}

static double look_at_steal(void)
{
	unsigned long long steal[2] = { }, all[2] = { };

	if (files_are_real()) {
		if (!read_times(&steal[0], &all[0]))
			return 0;
		sleep(1);
	}
	if (!read_times(&steal[1], &all[1]) || all[1] <= all[0])
		return 0;
	return 100.0 * (steal[1] - steal[0]) / (all[1] - all[0]);
}

/* "0-3,5" */
static unsigned int count_online(void)
{
	char *list = line_or_nothing("/sys/devices/system/cpu/online"), *at = list;
	unsigned int count = 0;
	int from, to, len;

	while (sscanf(at, "%d%n", &from, &len) == 1) {
		at += len;
		to = from;
		if (sscanf(at, "-%d%n", &to, &len) == 1)
			at += len;
		count += to - from + 1;
		at += *at == ',';
	}
	free(list);
	return count;
}

struct machine machine_look(void)
{
	struct machine machine = {
		.state = state_read(),
		.cpus = table_read(DEBUGFS "hpoll/cpus"),
		.cpuid = files_are_real() ? ask_cpuid() : read_cpuid(),
		.cmdline = line_or_nothing("/proc/cmdline"),
		.driver = line_or_nothing(CPUIDLE "current_driver"),
		.governor = line_or_nothing(CPUIDLE "current_governor"),
		.online = count_online(),
		.steal_pct = look_at_steal(),
	};

	machine.refusal = find_refusal(&machine.log_error);
	return machine;
}

void machine_free(struct machine *machine)
{
	state_free(&machine->state);
	table_free(machine->cpus);
	free(machine->cmdline);
	free(machine->driver);
	free(machine->governor);
	free(machine->refusal);
}
