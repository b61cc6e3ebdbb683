/* SPDX-License-Identifier: GPL-2.0 */
/* The commands, and the exit statuses that all of them use. */
#ifndef PERFCTL_H
#define PERFCTL_H

#include "opt.h"

#define PERFCTL_VERSION "1.0"

/**
 * enum status - exit statuses; stat and record pass on their command's instead,
 * if they did their own part
 * @STATUS_OK:      done
 * @STATUS_FAILED:  something else went wrong, and was said
 * @STATUS_USAGE:   the command line makes no sense
 * @STATUS_BAD_DATA: the recording cannot be used
 * @STATUS_NO_PEV:  the running kernel has no pev
 * @STATUS_IO:      reading or writing failed, e.g. the disk is full
 * @STATUS_REFUSED: the kernel refused
 * @STATUS_CANNOT_RUN: the command to measure was found and could not be run
 * @STATUS_NOT_FOUND:  the command to measure was not found
 */
enum status {
	STATUS_OK = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	STATUS_BAD_DATA = 65,
	STATUS_NO_PEV = 69,
	STATUS_IO = 74,
	STATUS_REFUSED = 77,
	STATUS_CANNOT_RUN = 126,
	STATUS_NOT_FOUND = 127,
};

extern const struct command command_list;
extern const struct command command_stat;
extern const struct command command_record;
extern const struct command command_report;
extern const struct command command_annotate;
extern const struct command command_diff;
extern const struct command command_flame;
extern const struct command command_offcpu;
extern const struct command command_timeline;
extern const struct command command_top;
extern const struct command command_script;
extern const struct command command_doctor;
extern const struct command command_pmu;
extern const struct command command_export;
extern const struct command command_import;
extern const struct command command_trace;

/* "perfctl: TEXT" on the error output */
void complain(const char *fmt, ...) PRINTF(1, 2);
/* "note: TEXT", for what the user should know but which stops nothing */
void note(const char *fmt, ...) PRINTF(1, 2);

/**
 * command_options() - parse, and do what all commands do about --help and errors
 *
 * Return: -1 to go on, else the exit status.
 */
int command_options(const struct command *cmd, void *into, int argc, char **argv,
		    int *n_operands);

/* The status for a -errno of pev_open() and friends. */
int status_of(int err);

#endif
