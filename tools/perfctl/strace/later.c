// SPDX-License-Identifier: GPL-2.0
/* Reads what arguments point to afterwards. See later.h. */
#include "later.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Bytes of an address of a socket, and of what its caller gives with its length */
#define ADDRESS_MOST 128
#define SIZED_MOST 128

enum amount {
	AMOUNT_STRING,
	AMOUNT_FIXED,
	/* as many elements as the argument behind it says, as an int there, or as the call returns */
	AMOUNT_NEXT,
	AMOUNT_AT_NEXT,
	AMOUNT_RETURNED,
};

enum when {
	WHEN_IN = 1,
	WHEN_OUT = 2,
};

/**
 * struct rule - what an argument points to
 * @names: NULL: any
 * @next:  type of the argument behind it; NULL: any
 * @size:  of an element
 */
struct rule {
	const char *type, *names, *next;
	enum pev_call_kind kind;
	enum amount amount;
	uint16_t size;
	uint8_t when;
};

#define RULE(type, names, next, kind, amount, size, when)                       \
	{                                                                       \
		type, names, next, PEV_CALL_##kind, AMOUNT_##amount, size, when \
	}
#define IN WHEN_IN
#define OUT WHEN_OUT

/* The first that fits counts. The kernel's module has the like, with what can be copied in time. */
/* clang-format off */
static const struct rule rules[] = {
	RULE("const char *", "buf,u_msg_ptr", NULL, BYTES, NEXT, 1, IN),
	RULE("const char *", NULL, NULL, STRING, STRING, 1, IN),
	RULE("char *", "filename,dev_name,dir_name,type", NULL, STRING, STRING, 1, IN),
	RULE("char *", "buf,ubuf,list,u_msg_ptr", NULL, BYTES, RETURNED, 1, OUT),
	RULE("void *", "buff", NULL, BYTES, NEXT, 1, IN),
	RULE("void *", "ubuf", NULL, BYTES, RETURNED, 1, OUT),
	RULE("struct sockaddr *", NULL, "int", SOCKADDR, NEXT, 1, IN),
	RULE("struct sockaddr *", NULL, "int *", SOCKADDR, AT_NEXT, 1, OUT),
	RULE("int *", "fildes,usockvec", NULL, FDS, FIXED, 8, OUT),
	RULE("int *", "stat_addr", NULL, WAIT_STATUS, FIXED, 4, OUT),
	RULE("struct pollfd *", NULL, NULL, POLLFD, NEXT, 8, IN | OUT),
	RULE("struct epoll_event *", "event", NULL, EPOLL_EVENT, FIXED, sizeof(struct epoll_event), IN),
	RULE("struct epoll_event *", "events", NULL, EPOLL_EVENT, RETURNED, sizeof(struct epoll_event), OUT),
	RULE("struct stat *", NULL, NULL, STAT, FIXED, sizeof(struct stat), OUT),
	RULE("struct statx *", NULL, NULL, STATX, FIXED, 256, OUT),
	RULE("struct statfs *", NULL, NULL, STATFS, FIXED, sizeof(struct statfs), OUT),
	RULE("struct open_how *", NULL, NULL, OPEN_HOW, NEXT, 1, IN),
	RULE("struct clone_args *", NULL, NULL, CLONE_ARGS, NEXT, 1, IN),
	RULE("const struct __kernel_timespec *", NULL, NULL, TIMESPEC, FIXED, 16, IN),
	RULE("struct __kernel_timespec *", "utimes", NULL, TIMESPEC, FIXED, 32, IN),
	RULE("struct __kernel_timespec *", "tp,interval", NULL, TIMESPEC, FIXED, 16, OUT),
	RULE("struct __kernel_timespec *", "rmtp", NULL, NOTHING, FIXED, 0, 0),
	RULE("struct __kernel_timespec *", NULL, NULL, TIMESPEC, FIXED, 16, IN),
	RULE("const struct __kernel_itimerspec *", NULL, NULL, ITIMERSPEC, FIXED, 32, IN),
	RULE("struct __kernel_itimerspec *", NULL, NULL, ITIMERSPEC, FIXED, 32, OUT),
	RULE("struct rusage *", NULL, NULL, RUSAGE, FIXED, sizeof(struct rusage), OUT),
	RULE("const struct rlimit64 *", NULL, NULL, RLIMIT, FIXED, 16, IN),
	RULE("struct rlimit64 *", NULL, NULL, RLIMIT, FIXED, 16, OUT),
	RULE("struct rlimit *", NULL, NULL, RLIMIT, FIXED, 16, OUT),
	RULE("sigset_t *", "oset,uset", NULL, SIGSET, FIXED, 8, OUT),
	RULE("sigset_t *", NULL, NULL, SIGSET, FIXED, 8, IN),
	RULE("const sigset_t *", NULL, NULL, SIGSET, FIXED, 8, IN),
	RULE("const struct sigaction *", NULL, NULL, SIGACTION, FIXED, 32, IN),
	RULE("struct sigaction *", NULL, NULL, SIGACTION, FIXED, 32, OUT),
	RULE("struct new_utsname *", NULL, NULL, UTSNAME, FIXED, sizeof(struct utsname), OUT),
	RULE("struct sysinfo *", NULL, NULL, SYSINFO, FIXED, sizeof(struct sysinfo), OUT),
};
/* clang-format on */

static const struct rule *rule_of(const struct syscall_desc *d, unsigned int arg)
{
	const struct syscall_arg *a = &d->args[arg];
	const char *next = arg + 1 < d->n ? d->args[arg + 1].type : "";

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		const struct rule *r = &rules[i];

		if (!strcmp(r->type, a->type) && (!r->names || globs_match(r->names, a->name)) &&
		    (!r->next || !strcmp(r->next, next)))
			return r;
	}
	return NULL;
}

/*
 * The memory that is open stays that of the program which ran when it was opened: once there is
 * another one, nothing can be read any more.
 */
static int memory_of(struct later *l, uint32_t pid)
{
	struct later_process *p = &l->processes[hash_u64(pid) % LATER_PROCESSES];
	char path[32];

	if (p->open && p->pid == pid)
		return p->fd;
	if (p->open)
		close(p->fd);
	snprintf(path, sizeof(path), "/proc/%u/mem", pid);
	p->pid = pid;
	p->fd = open(path, O_RDONLY | O_CLOEXEC);
	p->open = p->fd >= 0;
	l->refused |= !p->open && (errno == EACCES || errno == EPERM);
	return p->fd;
}

/* Returns how many bytes there are, at most @len. */
static size_t read_memory(int fd, uint64_t from, void *to, size_t len)
{
	ssize_t got = pread(fd, to, len, (off_t)from);

	return got > 0 ? (size_t)got : 0;
}

/* Returns how many bytes an argument points to, as far as that is known. */
static uint64_t length_of(const struct rule *r, const struct later_call *call, unsigned int arg,
			  int fd)
{
	uint64_t next = arg + 1 < 6 ? call->args[arg + 1] : 0;
	int n = (int)next;

	switch (r->amount) {
	case AMOUNT_FIXED:
		return r->size;
	case AMOUNT_AT_NEXT:
		if (read_memory(fd, next, &n, sizeof(n)) != sizeof(n))
			return 0;
		break;
	case AMOUNT_RETURNED:
		return call->ret > 0 ? (uint64_t)call->ret * r->size : 0;
	default:
		/* lengths of data are longs, and others are small */
		if (r->kind == PEV_CALL_BYTES)
			return next;
	}
	return n > 0 ? (uint64_t)n * r->size : 0;
}

static size_t limit_of(const struct rule *r, const struct later_call *call)
{
	switch (r->kind) {
	case PEV_CALL_SOCKADDR:
		return ADDRESS_MOST;
	case PEV_CALL_OPEN_HOW:
	case PEV_CALL_CLONE_ARGS:
		return SIZED_MOST;
	default:
		return r->amount == AMOUNT_FIXED ? r->size : call->most - call->most % r->size;
	}
}

/* Appends what one argument points to. */
static void read_arg(struct live_text *t, size_t *used, const struct rule *r,
		     const struct later_call *call, unsigned int arg, int fd)
{
	size_t limit = limit_of(r, call), got;
	uint64_t len = r->amount == AMOUNT_STRING ? limit : length_of(r, call, arg, fd);
	const char *end;

	if (len > limit) {
		len = limit;
		t->cut |= 1u << arg;
	}
	if (*used + len > PEV_MAX_CALL_TEXT || (!len && r->amount != AMOUNT_RETURNED))
		return;
	got = len ? read_memory(fd, call->args[arg], t->bytes + *used, len) : 0;
	if (r->amount == AMOUNT_STRING) {
		end = got ? memchr(t->bytes + *used, 0, got) : NULL;
		if (got < len && !end)
			return;
		t->cut |= end ? 0 : 1u << arg;
		len = end ? (size_t)(end - (t->bytes + *used)) : got;
	} else if (got < len) {
		return;
	}
	t->copied |= 1u << arg;
	t->kind[arg] = (uint8_t)r->kind;
	t->at[arg] = (uint16_t)*used;
	t->len[arg] = (uint16_t)len;
	*used += len;
}

/* Of a 32-bit program, structures are others. */
static bool is_for(const struct rule *r, const struct later_call *call)
{
	if (!(r->when & (call->ended ? WHEN_OUT : WHEN_IN)))
		return false;
	return !call->desc->compat || r->kind == PEV_CALL_STRING || r->kind == PEV_CALL_BYTES ||
	       r->kind == PEV_CALL_SOCKADDR;
}

struct live_text *later_read(struct later *l, const struct later_call *call)
{
	const struct syscall_desc *d = call->desc;
	struct live_text *t = NULL;
	size_t used = 0;

	/* an exec has left nothing of what it was given */
	if (!d || !d->known || (call->ended && call->ret < 0) || d->execs)
		return NULL;
	for (unsigned int i = 0; i < d->n; i++) {
		const struct rule *r = call->args[i] ? rule_of(d, i) : NULL;
		int fd = r && is_for(r, call) ? memory_of(l, call->pid) : -1;

		if (fd < 0)
			continue;
		if (!t) {
			t = xcalloc(1, sizeof(*t) + PEV_MAX_CALL_TEXT);
			t->kinds = true;
			t->later = true;
		}
		read_arg(t, &used, r, call, i, fd);
	}
	return t;
}

void later_forget(struct later *l, uint32_t pid)
{
	struct later_process *p = &l->processes[hash_u64(pid) % LATER_PROCESSES];

	if (!p->open || p->pid != pid)
		return;
	close(p->fd);
	p->open = false;
}

void later_free(struct later *l)
{
	for (size_t i = 0; i < LATER_PROCESSES; i++)
		if (l->processes[i].open)
			close(l->processes[i].fd);
	*l = (struct later){ 0 };
}
