// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoints' own code.
 */

#define CREATE_TRACE_POINTS
#include <trace/events/hpoll.h>
