/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl doctor --bundle: a file for bug reports. */
#ifndef PERFCTL_DOCTOR_BUNDLE_H
#define PERFCTL_DOCTOR_BUNDLE_H

#include "cli/opt.h"

/**
 * bundle_write() - examine this machine and write what a bug report needs
 * @path:     of a file that must not exist; NULL: a name with the date
 * @commands: all, whose options in the configuration are told
 *
 * Names of the machine and its users, paths in their homes and secrets of URLs are taken
 * out. Says on the standard output what is in it. Return: 0 or -errno with @m set.
 */
int bundle_write(const char *path, const struct command *const *commands, size_t n,
		 struct msg *m);

#endif
