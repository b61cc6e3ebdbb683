/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What arguments of system calls point to, read from the memory of the program when it has gone on:
 * for engines that copy nothing. It may have changed since then.
 */
#ifndef PERFCTL_STRACE_LATER_H
#define PERFCTL_STRACE_LATER_H

#include "syscalls.h"

#define LATER_PROCESSES 256

/**
 * struct later - memories that are open
 * @processes: by hash of the process; of two that share one, one is open
 * @refused: of some process the memory could not be opened, though it was there
 */
struct later {
	struct later_process {
		uint32_t pid;
		bool open;
		int fd;
	} processes[LATER_PROCESSES];
	bool refused;
};

/**
 * struct later_call - a call of which something is to be read
 * @ended: @ret is what it returned: read what it has filled in; else what it was given
 * @most:  bytes of a text
 */
struct later_call {
	const struct syscall_desc *desc;
	const uint64_t *args;
	uint32_t pid;
	bool ended;
	int64_t ret;
	size_t most;
};

/* Returns NULL if there is nothing, which the caller frees otherwise. */
struct live_text *later_read(struct later *l, const struct later_call *call);
/* The process runs another program now, or has ended: what is open is the memory of the one before. */
void later_forget(struct later *l, uint32_t pid);
void later_free(struct later *l);

#endif
