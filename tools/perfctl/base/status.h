/* SPDX-License-Identifier: GPL-2.0 */
/* The exit statuses that all commands use. */
#ifndef PERFCTL_BASE_STATUS_H
#define PERFCTL_BASE_STATUS_H

/**
 * enum status - exit statuses; stat and record pass on that of their command
 * instead, if their own part went well
 * @STATUS_OK:      done
 * @STATUS_FAILED:  something else went wrong, and a message says what
 * @STATUS_USAGE:   the command line makes no sense
 * @STATUS_BAD_DATA: the recording cannot be used
 * @STATUS_NO_PEV:  the running kernel has no pev
 * @STATUS_NO_MEMORY: there is not enough memory
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
	STATUS_NO_MEMORY = 70,
	STATUS_IO = 74,
	STATUS_REFUSED = 77,
	STATUS_CANNOT_RUN = 126,
	STATUS_NOT_FOUND = 127,
};

/* Returns the status for a -errno of pev_open() and the like. */
int status_of(int err);

#endif
