/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What descriptors of processes are: what was open when they were first seen, and
 * what their system calls have opened, duplicated and closed since then.
 */
#ifndef PERFCTL_STRACE_FDS_H
#define PERFCTL_STRACE_FDS_H

#include "syscalls.h"

/* Calls that fds_call() has to be told of */
#define FDS_CALLS "open,openat,openat2,creat,socket,accept,accept4,epoll_create,epoll_create1," \
		  "eventfd,eventfd2,timerfd_create,signalfd,signalfd4,inotify_init,"            \
		  "inotify_init1,memfd_create,pidfd_open,dup,dup2,dup3,fcntl,close,"            \
		  "close_range,execve,execveat,exit_group"

/**
 * struct fd_owner - a process
 * @names: of each descriptor, 0: not known
 * @cloexec: an exec closes it
 */
struct fd_owner {
	uint32_t pid;
	size_t n;
	struct fd_slot {
		uint32_t name;
		bool cloexec;
	} *slots;
};

struct fds {
	struct fd_owner *owners;
	size_t n, cap;
	struct htab h;
	struct strtab names;
};

/* Takes what a process has open now. Called again, keeps only what has stayed the same. */
void fds_look(struct fds *f, uint32_t pid);
/* Takes one that it has open, as another one has seen it. */
void fds_set(struct fds *f, uint32_t pid, uint64_t fd, const char *name, bool cloexec);
void fds_fork(struct fds *f, uint32_t parent, uint32_t child);
/**
 * struct fds_done - a call that has ended
 * @texts: of its begin and its end, either may be NULL
 */
struct fds_done {
	const struct syscall_desc *desc;
	const uint64_t *args;
	int64_t ret;
	const struct live_text *texts[2];
};

void fds_call(struct fds *f, uint32_t pid, const struct fds_done *call);
/* Calls were lost: nothing is certain any more. */
void fds_forget(struct fds *f);
/* Returns NULL if it is not known. */
const char *fds_name(const struct fds *f, uint32_t pid, int64_t fd);
/* Returns whether the result of a call is a descriptor. */
bool fds_is_result(const struct syscall_desc *d, const uint64_t *args);
void fds_free(struct fds *f);

#endif
