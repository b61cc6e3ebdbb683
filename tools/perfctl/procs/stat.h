/* SPDX-License-Identifier: GPL-2.0 */
/* What /proc says of one process or thread. */
#ifndef PERFCTL_PROCS_STAT_H
#define PERFCTL_PROCS_STAT_H

#include "base/util.h"

/**
 * struct proc_stat - of /proc/PID/stat
 * @state: a letter
 * @start: ticks since boot
 * @guest: ticks that ran a guest, 0 if the kernel does not say
 */
struct proc_stat {
	char comm[64];
	char state;
	uint32_t ppid;
	uint64_t start;
	uint64_t guest;
};

/* @text: of the file. Returns false if it is none; the rest is zeroed then. */
bool proc_stat_parse(struct proc_stat *s, const char *text);
/* Returns false, and zeroes @s, if the process is gone. */
bool proc_stat_read(struct proc_stat *s, uint32_t pid);
/* The same of one thread, where proc_stat_read() adds all threads of a process up. */
bool proc_stat_thread(struct proc_stat *s, uint32_t pid, uint32_t tid);
/* Returns the process of a thread; the thread's own number if that is not known. */
int proc_of_thread(int tid);

#endif
