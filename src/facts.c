// SPDX-License-Identifier: GPL-2.0-only
/*
 * What was found at load: /sys/kernel/debug/hpoll/facts.
 */

#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include <hpoll/core_calls.h>
#include <hpoll/facts.h>
#include <hpoll/host_poll.h>

static struct hpoll_facts facts;

static int facts_show(struct seq_file *s, void *unused)
{
	const char *name;
	unsigned int i;
	bool found;

	seq_printf(s, "hypervisor bit: %s\n", facts.hypervisor_bit ? "set" : "clear");
	for (i = 0; i < facts.nr_signatures; i++)
		seq_printf(s, "signature at 0x%x: %s\n", facts.signature[i].leaf,
			   facts.signature[i].text);
	seq_printf(s, "host poll control: %s\n",
		   hpoll_host_poll_offered() ? "offered" : "not offered");
	for (i = 0; (name = hpoll_core_symbol(i, &found)); i++)
		seq_printf(s, "symbol %s: %s\n", name, found ? "found" : "not found");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(facts);

void hpoll_facts_init(struct dentry *dir, const struct hpoll_facts *at_load)
{
	facts = *at_load;
	debugfs_create_file("facts", 0444, dir, NULL, &facts_fops);
}
