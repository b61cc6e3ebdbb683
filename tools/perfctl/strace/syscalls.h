/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls by number: their names, and what their arguments mean. Names and
 * types of arguments are the running kernel's own, from the fields of its
 * tracepoints syscalls:sys_enter_NAME.
 */
#ifndef PERFCTL_STRACE_SYSCALLS_H
#define PERFCTL_STRACE_SYSCALLS_H

#include "live.h"
#include "structs.h"

#include <pev/pev.h>

struct live_text;

/**
 * enum syscall_text - kind of the memory that an argument points to
 * @TEXT_STRING: a name: it is shown in full
 * @TEXT_BYTES:  data: a part of it is shown
 * @TEXT_LIST:   strings, one behind the other
 */
enum syscall_text {
	TEXT_STRING,
	TEXT_BYTES,
	TEXT_LIST,
};

/**
 * struct syscall_arg - one argument
 * @is_fd: the value is a descriptor
 * @show: writes the value, NULL: by the type
 */
struct syscall_arg {
	char *name;
	char *type;
	enum syscall_text text;
	bool is_fd;
	void (*show)(struct strbuf *b, uint64_t value);
};

/**
 * struct syscall_desc - one system call
 * @known: the kernel describes it
 * @never: it does not return
 * @execs: it goes on as another program
 * @unwanted: it is recorded for what it does to others: see syscalls_filter()
 * @compat: it is one of 32-bit programs
 */
struct syscall_desc {
	char *name;
	bool compat;
	bool known;
	bool never;
	bool execs;
	bool unwanted;
	unsigned int n;
	struct syscall_arg args[6];
};

/**
 * struct syscalls - all of them
 * @d32: those of 32-bit programs; names, and arguments that those of 64-bit programs have, too
 */
struct syscalls {
	struct syscall_desc *d, *d32;
	unsigned int n, n32;
};

/* @catalog: may be NULL: then arguments are numbers */
void syscalls_init(struct syscalls *s, const struct pev_catalog *catalog);
/* Those of a recording; none if it is of another architecture, whose numbers are others */
void syscalls_init_trace(struct syscalls *s, const struct pev_trace *trace);
void syscalls_free(struct syscalls *s);
/* Returns NULL for a number without a call. With COMPAT_CALL it is one of a 32-bit program. */
const struct syscall_desc *syscalls_get(const struct syscalls *s, int64_t nr);
/**
 * syscalls_filter() - "id == 0 || id == 257" of comma-separated globs
 * @names: unknown ones are refused
 * @also:  more of them, which are unwanted unless they are among @names; NULL: none
 */
int syscalls_filter(struct syscalls *s, const char *names, const char *also, struct strbuf *filter,
		    struct msg *m);
/* Returns whether an argument of a call that is wanted points to anything. */
bool syscalls_point(const struct syscalls *s);
/**
 * struct syscall_args - the arguments of a call
 * @values: all six; NULL: they are not known, for syscalls_put_found() alone
 * @texts:  of its begin and its end, either may be NULL: the first that has the
 *          text of an argument counts
 * @ret:    what it returned; with texts[1] only
 * @abi:    of the machine
 * @bytes:  of data that are shown
 * @bare:   without the names of the arguments
 * @fd_name: what a descriptor of the caller is, or NULL; NULL: none is known
 * @arg:    for @fd_name
 */
struct syscall_args {
	const uint64_t *values;
	const struct live_text *texts[2];
	int64_t ret;
	enum structs_abi abi;
	size_t bytes;
	bool bare;
	const char *(*fd_name)(void *arg, int fd);
	void *arg;
};

/* "dfd: AT_FDCWD, filename: "/etc/passwd", flags: O_RDONLY" */
void syscalls_put_args(struct strbuf *b, const struct syscall_desc *d,
		       const struct syscall_args *a);
/* "</etc/passwd>", nothing for NULL */
void syscalls_put_fd_name(struct strbuf *b, const char *name);
/* " ([{fd=3, revents=POLLIN}])", what a call has found, behind its result; mostly nothing */
void syscalls_put_found(struct strbuf *b, const struct syscall_desc *d,
			const struct syscall_args *a);
/* "3", "-1 ENOENT (No such file or directory)" */
void syscalls_put_result(struct strbuf *b, const struct syscall_desc *d, int64_t ret);

#endif
