/* SPDX-License-Identifier: GPL-2.0 */
/* Kinds of system calls, as strace names them: %file, %network, ... */
#ifndef PERFCTL_STRACE_CLASSES_H
#define PERFCTL_STRACE_CLASSES_H

#include "syscalls.h"

struct call_class;

/* @name: with its "%"; returns NULL if there is none of that name */
const struct call_class *call_class_find(const char *name);
bool call_class_has(const struct call_class *c, const struct syscall_desc *d);
/* "%file, %desc and ...": all of them */
const char *call_class_names(void);

#endif
