// SPDX-License-Identifier: GPL-2.0-only
/*
 * hpollctl doctor: why is it not faster?
 *
 * One check for each cause that is known. A check says nothing where it does not
 * apply.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpollctl.h"
#include "json.h"
#include "machine.h"

/* A halt that is dearer than that was an exit: no host wakes a vCPU so soon. */
#define CHEAP_HALT_NS	2000

/* From here on the host has not enough CPUs. */
#define MUCH_STEAL_PCT	5

/* As few idle periods tell nothing. */
#define FEW_PERIODS	1000

enum level { FINE, NOTE, TROUBLE };

static const char * const level_names[] = { "ok", "note", "trouble" };

/**
 * struct finding - what a check found
 * @level: how bad it is
 * @says: what, in a few words; NULL: the check does not apply
 * @evidence: from where that is known
 * @next: what to do, in lines; NULL: nothing
 */
struct finding {
	enum level level;
	const char *says;
	char *evidence;
	const char *next;
};

struct check {
	const char *name;
	struct finding (*look)(const struct machine *machine);
};

/* Printed text, to be freed. */
#define text(...)							\
({									\
	char *made_text;						\
									\
	asprintf(&made_text, __VA_ARGS__) < 0 ? NULL : made_text;	\
})

static struct finding look_at_command_line(const struct machine *machine)
{
	static const char * const words[] = {
		"idle=poll", "idle=halt", "idle=nomwait", "nohlt", "cpuidle.off=1",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (text_has_word(machine->cmdline, words[i]))
			return (struct finding) {
				.level = TROUBLE,
				.says = "the kernel's command line decides how CPUs idle",
				.evidence = text("%s in /proc/cmdline", words[i]),
				.next = "take it off the command line, and boot again",
			};
	return (struct finding) { };
}

/* What helps against the reason that is in the log. */
static const char *after_refusal(const char *refusal)
{
	if (strstr(refusal, "gate off"))
		return "load it without gate=off";
	/* Not even gate=force loads then. */
	if (strstr(refusal, "boot without"))
		return "boot without that option, then load hpoll";
	if (strstr(refusal, "gate"))
		return "load it with gate=force; or let the host show its hypervisor:\n"
		       "QEMU: no -hypervisor and no kvm=off in -cpu\n"
		       "libvirt: no <hidden state='on'/> in <kvm>, no disabled 'hypervisor'";
	if (strstr(refusal, "whose state 0 does not poll"))
		return "boot without that driver: intel_idle.max_cstate=0,\n"
		       "processor.max_cstate=0; or let the host offer no C-states:\n"
		       "QEMU: no -overcommit cpu-pm=on";
	return "see 'dmesg | grep hpoll:'";
}

static struct finding look_at_loading(const struct machine *machine)
{
	struct finding finding = { .level = TROUBLE, .says = "hpoll is not loaded" };

	if (machine->state.loaded)
		return (struct finding) {
			.says = "hpoll is loaded",
			.evidence = text("/sys/module/hpoll is there"),
		};
	if (machine->refusal) {
		finding.says = "hpoll refused to load";
		finding.evidence = text("kernel log: %s", machine->refusal);
		finding.next = after_refusal(machine->refusal);
	} else if (machine->log_error) {
		finding.evidence = text("no /sys/module/hpoll; the kernel log: %s",
					strerror(machine->log_error));
		finding.next = "modprobe hpoll; if that fails, run this as root";
	} else {
		finding.evidence = text("no /sys/module/hpoll, no word of it in the kernel log");
		finding.next = "modprobe hpoll";
	}
	return finding;
}

static struct finding look_at_activity(const struct machine *machine)
{
	const char *says = state_value(&machine->state, "active");
	struct finding finding = {
		.level = TROUBLE,
		.says = "hpoll is loaded, but not active",
		.next = "see 'hpollctl status'",
	};

	if (!machine->state.loaded)
		return (struct finding) { };
	if (machine->state.active)
		return (struct finding) {
			.says = "CPUs poll through it",
			.evidence = text("mode %s, driver %s",
					 state_value(&machine->state, "mode"),
					 state_value(&machine->state, "driver")),
		};
	if (strstr(says, "another governor")) {
		finding.says = "another governor is current";
		finding.evidence = text("%scurrent_governor is %s", CPUIDLE, machine->governor);
		finding.next = "echo hpoll > " CPUIDLE "current_governor";
		return finding;
	}
	finding.evidence = text("status: %s (driver: %s)", says, machine->driver);
	if (strstr(says, "no state that polls"))
		finding.next = "boot without the driver that has the slot, then load hpoll";
	else if (strstr(says, "no cpuidle driver"))
		finding.next = "rmmod hpoll && modprobe hpoll";
	return finding;
}

static struct finding look_at_cpus(const struct machine *machine)
{
	const char *says = state_value(&machine->state, "cpus");
	unsigned int used, online;

	if (!machine->state.active || sscanf(says, "%u of %u", &used, &online) != 2 ||
	    used == online)
		return (struct finding) { };
	return (struct finding) {
		.level = TROUBLE,
		.says = "some CPUs idle without hpoll",
		.evidence = text("status: cpus: %s", says),
		.next = "see 'dmesg | grep hpoll:' for why",
	};
}

static struct finding look_at_hypervisor(const struct machine *machine)
{
	if (machine->cpuid.hypervisor)
		return (struct finding) {
			.says = "the hypervisor shows itself",
			.evidence = text("CPUID: hypervisor bit, signature \"%s\"",
					 machine->cpuid.signature),
		};
	return (struct finding) {
		.level = NOTE,
		.says = "no hypervisor is to be seen: bare metal, or hidden",
		.evidence = text("CPUID: no hypervisor bit"),
		.next = "in a guest: gate=force; hidden, clocks and IPIs are slower, too.\n"
			"QEMU: no -hypervisor and no kvm=off in -cpu\n"
			"libvirt: no <hidden state='on'/> in <kvm>",
	};
}

static struct finding look_at_hint(const struct machine *machine)
{
	if (!machine->cpuid.kvm || machine->cpuid.dedicated || machine->state.active)
		return (struct finding) { };
	return (struct finding) {
		.level = NOTE,
		.says = "mainline's haltpoll does not start here either",
		.evidence = text("CPUID: KVM gives no hint that CPUs are dedicated"),
		.next = "hpoll needs no hint; for haltpoll:\n"
			"QEMU: -cpu ...,kvm-hint-dedicated=on\n"
			"libvirt: <hint-dedicated state='on'/> in <kvm>",
	};
}

static struct finding look_at_host_poll(const struct machine *machine)
{
	if (!machine->cpuid.kvm || machine->cpuid.poll_control)
		return (struct finding) { };
	return (struct finding) {
		.level = NOTE,
		.says = "the host polls as well, after the guest has halted",
		.evidence = text("CPUID: KVM offers no POLL_CONTROL"),
		.next = "QEMU: -cpu ...,kvm-poll-control=on\n"
			"libvirt: <poll-control state='on'/> in <kvm>\n"
			"or on the host: halt_poll_ns=0 for the module kvm",
	};
}

static struct finding look_at_halt_cost(const struct machine *machine)
{
	u64 most = 0, cost;
	unsigned int row;

	if (!machine->state.active || !machine->cpus)
		return (struct finding) { };
	for (row = 0; row < machine->cpus->rows; row++) {
		cost = table_at(machine->cpus, row, "halt_cost_ns");
		most = cost > most ? cost : most;
	}
	if (!most)
		return (struct finding) { };
	if (most >= CHEAP_HALT_NS)
		return (struct finding) {
			.says = "a halt is worth polling for",
			.evidence = text("a wake-up from a halt takes up to %s longer",
					 human_ns(most)),
		};
	return (struct finding) {
		.level = NOTE,
		.says = "a halt costs next to nothing here, so polling gains nothing",
		.evidence = text("a wake-up from a halt takes at most %s longer", human_ns(most)),
		.next = "the host does not intercept HLT (QEMU: -overcommit cpu-pm=on), or\n"
			"this is no guest; hpoll may as well be unloaded",
	};
}

static struct finding look_for_others(const struct machine *machine)
{
	if (machine->online != 1)
		return (struct finding) { };
	return (struct finding) {
		.level = NOTE,
		.says = "one CPU: no other can wake it",
		.evidence = text("/sys/devices/system/cpu/online"),
		.next = "polling only saves interrupts the exit of a HLT; give the guest more CPUs",
	};
}

static struct finding look_at_steal(const struct machine *machine)
{
	if (machine->steal_pct < MUCH_STEAL_PCT)
		return (struct finding) { };
	return (struct finding) {
		.level = TROUBLE,
		.says = "the host has not enough CPUs for its guests",
		.evidence = text("/proc/stat: %.0f%% of the time is stolen", machine->steal_pct),
		.next = "polling takes from others then, and hpoll holds back; have fewer vCPUs\n"
			"per host CPU, or vCPUs pinned to CPUs of their own",
	};
}

static struct finding look_at_use(const struct machine *machine)
{
	u64 hits, periods, refused;

	if (!machine->state.active || !machine->cpus)
		return (struct finding) { };
	hits = table_total(machine->cpus, "hits");
	refused = table_total(machine->cpus, "refused");
	periods = hits + table_total(machine->cpus, "halts");
	if (periods < FEW_PERIODS)
		return (struct finding) { };
	if (refused > periods / 2)
		return (struct finding) {
			.level = NOTE,
			.says = "most idle periods are not polled for: the budget is used up",
			.evidence = text("%llu of %llu periods", refused, periods),
			.next = "their lengths can't be foretold; to poll more all the same:\n"
				"hpollctl tune poll_budget_pct=...",
		};
	if (hits < periods / 100)
		return (struct finding) {
			.level = NOTE,
			.says = "idle periods are longer than polling pays for",
			.evidence = text("%llu of %llu periods ended while polling", hits, periods),
			.next = "see 'hpollctl histogram'; a guest at rest looks like that, too",
		};
	return (struct finding) {
		.says = "polls catch wake-ups",
		.evidence = text("%llu of %llu idle periods ended while polling", hits, periods),
	};
}

static const struct check checks[] = {
	{ "command-line", look_at_command_line },
	{ "loaded", look_at_loading },
	{ "active", look_at_activity },
	{ "cpus", look_at_cpus },
	{ "hypervisor", look_at_hypervisor },
	{ "haltpoll", look_at_hint },
	{ "host-poll", look_at_host_poll },
	{ "halt-cost", look_at_halt_cost },
	{ "one-cpu", look_for_others },
	{ "steal", look_at_steal },
	{ "use", look_at_use },
};

/* Its lines one below the other. */
static void print_lines(const char *name, const char *lines)
{
	for (; *lines; name = "") {
		size_t len = strcspn(lines, "\n");

		printf("%9s%-7s%.*s\n", "", name, (int)len, lines);
		lines += len + !!lines[len];
	}
}

static void print(const struct finding *finding)
{
	printf("%-8s %s\n", level_names[finding->level], finding->says);
	print_lines("found:", finding->evidence);
	if (finding->next)
		print_lines("to do:", finding->next);
}

static void print_json(const struct check *check, const struct finding *finding)
{
	json_open(NULL, '{');
	json_text("check", check->name);
	json_text("level", level_names[finding->level]);
	json_text("says", finding->says);
	json_text("evidence", finding->evidence);
	json_text("next", finding->next);
	json_close('}');
}

int doctor_run(const struct options *options, int argc, char **argv)
{
	bool trouble = false;
	struct machine machine;
	size_t i;

	no_arguments(argc, argv);
	machine = machine_look();
	if (options->json) {
		json_open(NULL, '{');
		json_open("findings", '[');
	}
	for (i = 0; i < ARRAY_SIZE(checks); i++) {
		struct finding finding = checks[i].look(&machine);

		if (!finding.says)
			continue;
		trouble |= finding.level == TROUBLE;
		if (options->json)
			print_json(&checks[i], &finding);
		else
			print(&finding);
		free(finding.evidence);
	}
	if (options->json) {
		json_close(']');
		json_bool("trouble", trouble);
		json_close('}');
	}
	machine_free(&machine);
	return trouble ? EXIT_TROUBLE : EXIT_FINE;
}
