/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Status: what hpoll decided and does, in words.
 */
#ifndef HPOLL_STATUS_H
#define HPOLL_STATUS_H

#include <hpoll/driver.h>
#include <hpoll/gate.h>

/**
 * hpoll_status_set() - take note of what was decided at load
 * @mode: how hpoll runs
 * @verdict: the gate's answer; copied
 *
 * Also logs it in one line. Process context, once.
 */
void hpoll_status_set(enum hpoll_mode mode,
		      const struct hpoll_verdict *verdict);

/**
 * hpoll_status_clear() - tell nothing more
 *
 * The file can still be read while the module unloads; once this has returned
 * that looks at nothing which may be gone. Process context, first at unload.
 */
void hpoll_status_clear(void);

#endif
