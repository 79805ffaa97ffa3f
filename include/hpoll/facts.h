/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts: what was found at load, of the machine and of the kernel, for those who
 * want to know what hpoll's decisions rest on.
 */
#ifndef HPOLL_FACTS_H
#define HPOLL_FACTS_H

#include <hpoll/gate.h>

struct dentry;

/**
 * hpoll_facts_init() - show them in a file
 * @dir: the directory in debugfs; who removes it removes the file
 * @facts: what the gate was told; copied
 *
 * Process context, once.
 */
void hpoll_facts_init(struct dentry *dir, const struct hpoll_facts *facts);

#endif
