/* SPDX-License-Identifier: GPL-2.0 */
/* All commands of perfctl, in the order of "perfctl help". */
#ifndef PERFCTL_CMD_COMMANDS_H
#define PERFCTL_CMD_COMMANDS_H

#include "cli/opt.h"

/* A command NAME is command_NAME in NAME.c in one of the folders here. */
/* clang-format off */
#define COMMANDS(X)						\
	X(list) X(probe) X(mark) X(stat) X(hist) X(record)	\
	X(report) X(script) X(info) X(doctor) X(pmu)		\
	X(annotate) X(diff) X(flame) X(offcpu) X(sched) X(lock)	\
	X(path) X(timeline) X(top) X(export) X(import) X(cut)	\
	X(merge) X(trace) X(open) X(archive) X(cache) X(push)	\
	X(store) X(agent) X(symbols) X(guest)
/* clang-format on */

#define DECLARE_COMMAND(name) extern const struct command command_##name;
COMMANDS(DECLARE_COMMAND)
#undef DECLARE_COMMAND

extern const struct command *const commands[];
extern const size_t commands_n;

#endif
