/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl guest list: the virtual machines of KVM that run here. */
#ifndef PERFCTL_GUEST_LIST_H
#define PERFCTL_GUEST_LIST_H

#include "base/util.h"

/* Prints those that you may see, or those of @guests (PID,PID; NULL: all). */
int guest_list(const char *guests, bool json, struct msg *m);

#endif
