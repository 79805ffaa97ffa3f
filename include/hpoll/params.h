/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Module parameters: what an operator can set and read.
 */
#ifndef HPOLL_PARAMS_H
#define HPOLL_PARAMS_H

#include <hpoll/policy.h>

/**
 * hpoll_params_snapshot() - read the tunables, each once
 *
 * Any context. A concurrent write is seen as a whole or not at all, per
 * parameter.
 *
 * Return: the snapshot.
 */
struct hpoll_params hpoll_params_snapshot(void);

/**
 * hpoll_params_gate() - the gate parameter
 *
 * Return: its text; constant once the module is loaded.
 */
const char *hpoll_params_gate(void);

#endif
