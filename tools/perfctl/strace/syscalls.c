// SPDX-License-Identifier: GPL-2.0
/* System calls by number. See syscalls.h. */
#include "syscalls.h"
#include "bits.h"
#include "classes.h"
#include "compat.h"
#include "ioctls.h"
#include "live.h"
#include "signals.h"
#include "structs.h"
#include "structs_call.h"
#include "structs_file.h"
#include "base/text.h"
#include "cli/suggest.h"
#include "event/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* More than any machine has */
#define MOST_CALLS 1024
/* Operations of futex() that take a time: WAIT, LOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI, LOCK_PI2 */
#define FUTEX_WAITS (1u << 0 | 1u << 6 | 1u << 9 | 1u << 11 | 1u << 13)

/* ---- Values ---- */

static void show_prot(struct strbuf *b, uint64_t v)
{
	static const struct bit bits[] = { B(PROT_READ), B(PROT_WRITE), B(PROT_EXEC) };

	bits_put(b, v, bits, ARRAY_SIZE(bits), "PROT_NONE");
}

static void show_map(struct strbuf *b, uint64_t v)
{
	static const struct bit bits[] = {
		B(MAP_SHARED_VALIDATE), B(MAP_SHARED), B(MAP_PRIVATE), B(MAP_FIXED),
		B(MAP_ANONYMOUS), B(MAP_FIXED_NOREPLACE), B(MAP_DENYWRITE), B(MAP_POPULATE),
		B(MAP_NORESERVE), B(MAP_STACK), B(MAP_HUGETLB), B(MAP_GROWSDOWN), B(MAP_LOCKED),
	};

	bits_put(b, v, bits, ARRAY_SIZE(bits), "0");
}

static void show_signal(struct strbuf *b, uint64_t v)
{
	signals_put_name(b, (int)v);
}

static void show_dirfd(struct strbuf *b, uint64_t v)
{
	if ((int)v == AT_FDCWD)
		strbuf_puts(b, "AT_FDCWD");
	else
		strbuf_addf(b, "%d", (int)v);
}

static void show_whence(struct strbuf *b, uint64_t v)
{
	static const struct bit values[] = { B(SEEK_SET), B(SEEK_CUR), B(SEEK_END), B(SEEK_DATA),
					     B(SEEK_HOLE) };

	bits_put_one(b, v, values, ARRAY_SIZE(values));
}

static void show_access(struct strbuf *b, uint64_t v)
{
	static const struct bit bits[] = { B(R_OK), B(W_OK), B(X_OK) };

	bits_put(b, v, bits, ARRAY_SIZE(bits), "F_OK");
}

static void show_at(struct strbuf *b, uint64_t v)
{
	static const struct bit bits[] = { B(AT_SYMLINK_NOFOLLOW), B(AT_REMOVEDIR),
					   B(AT_SYMLINK_FOLLOW), B(AT_NO_AUTOMOUNT),
					   B(AT_EMPTY_PATH) };

	bits_put(b, (uint32_t)v, bits, ARRAY_SIZE(bits), "0");
}

static void show_fcntl(struct strbuf *b, uint64_t v)
{
	static const struct bit values[] = {
		B(F_DUPFD), B(F_GETFD), B(F_SETFD), B(F_GETFL), B(F_SETFL), B(F_GETLK),
		B(F_SETLK), B(F_SETLKW), B(F_SETOWN), B(F_GETOWN), B(F_DUPFD_CLOEXEC),
		B(F_SETPIPE_SZ), B(F_GETPIPE_SZ), B(F_ADD_SEALS), B(F_GET_SEALS),
	};

	bits_put_one(b, v, values, ARRAY_SIZE(values));
}

static void show_family(struct strbuf *b, uint64_t v)
{
	static const struct bit values[] = { B(AF_UNIX), B(AF_INET), B(AF_INET6), B(AF_NETLINK),
					     B(AF_PACKET), B(AF_VSOCK) };

	bits_put_one(b, v, values, ARRAY_SIZE(values));
}

static void show_socket(struct strbuf *b, uint64_t v)
{
	static const struct bit values[] = { B(SOCK_STREAM), B(SOCK_DGRAM), B(SOCK_RAW),
					     B(SOCK_SEQPACKET) };

	bits_put_one(b, v & 0xf, values, ARRAY_SIZE(values));
	if (v & SOCK_CLOEXEC)
		strbuf_puts(b, "|SOCK_CLOEXEC");
	if (v & SOCK_NONBLOCK)
		strbuf_puts(b, "|SOCK_NONBLOCK");
}

static void show_epoll(struct strbuf *b, uint64_t v)
{
	static const struct bit values[] = { B(EPOLL_CTL_ADD), B(EPOLL_CTL_MOD),
					     B(EPOLL_CTL_DEL) };

	bits_put_one(b, v, values, ARRAY_SIZE(values));
}

static void show_madvise(struct strbuf *b, uint64_t v)
{
	static const struct bit values[] = {
		B(MADV_NORMAL), B(MADV_RANDOM), B(MADV_SEQUENTIAL), B(MADV_WILLNEED),
		B(MADV_DONTNEED), B(MADV_FREE), B(MADV_HUGEPAGE), B(MADV_NOHUGEPAGE),
		B(MADV_DONTFORK),
	};

	bits_put_one(b, v, values, ARRAY_SIZE(values));
}

static void show_wait(struct strbuf *b, uint64_t v)
{
	static const struct bit bits[] = { B(WNOHANG), B(WUNTRACED), B(WCONTINUED), B(WEXITED),
					   B(WNOWAIT) };

	bits_put(b, (uint32_t)v, bits, ARRAY_SIZE(bits), "0");
}

static void show_futex(struct strbuf *b, uint64_t v)
{
	static const struct bit values[] = {
		{ 0, "FUTEX_WAIT" }, { 1, "FUTEX_WAKE" }, { 3, "FUTEX_REQUEUE" },
		{ 4, "FUTEX_CMP_REQUEUE" }, { 5, "FUTEX_WAKE_OP" }, { 6, "FUTEX_LOCK_PI" },
		{ 7, "FUTEX_UNLOCK_PI" }, { 9, "FUTEX_WAIT_BITSET" }, { 10, "FUTEX_WAKE_BITSET" },
	};

	bits_put_one(b, v & 0x7f, values, ARRAY_SIZE(values));
	if (v & 128)
		strbuf_puts(b, "|FUTEX_PRIVATE_FLAG");
	if (v & 256)
		strbuf_puts(b, "|FUTEX_CLOCK_REALTIME");
}

static void show_how(struct strbuf *b, uint64_t v)
{
	static const struct bit values[] = { B(SIG_BLOCK), B(SIG_UNBLOCK), B(SIG_SETMASK) };

	bits_put_one(b, v, values, ARRAY_SIZE(values));
}

static void show_clock(struct strbuf *b, uint64_t v)
{
	static const struct bit values[] = {
		B(CLOCK_REALTIME), B(CLOCK_MONOTONIC), B(CLOCK_PROCESS_CPUTIME_ID),
		B(CLOCK_THREAD_CPUTIME_ID), B(CLOCK_MONOTONIC_RAW), B(CLOCK_REALTIME_COARSE),
		B(CLOCK_MONOTONIC_COARSE), B(CLOCK_BOOTTIME),
	};

	bits_put_one(b, (uint64_t)(int)v, values, ARRAY_SIZE(values));
}

static void show_shutdown(struct strbuf *b, uint64_t v)
{
	static const struct bit values[] = { B(SHUT_RD), B(SHUT_WR), B(SHUT_RDWR) };

	bits_put_one(b, v, values, ARRAY_SIZE(values));
}

/* Shows flags of calls that make descriptors; the values are the same for all. */
static void show_fd_flags(struct strbuf *b, uint64_t v)
{
	static const struct bit bits[] = { B(O_CLOEXEC), B(O_NONBLOCK), B(O_DIRECT) };

	bits_put(b, (uint32_t)v, bits, ARRAY_SIZE(bits), "0");
}

static void show_msg(struct strbuf *b, uint64_t v)
{
	static const struct bit bits[] = {
		B(MSG_OOB), B(MSG_PEEK), B(MSG_DONTROUTE), B(MSG_TRUNC), B(MSG_DONTWAIT),
		B(MSG_WAITALL), B(MSG_NOSIGNAL), B(MSG_MORE), B(MSG_CMSG_CLOEXEC),
	};

	bits_put(b, (uint32_t)v, bits, ARRAY_SIZE(bits), "0");
}

static void show_mremap(struct strbuf *b, uint64_t v)
{
	static const struct bit bits[] = { B(MREMAP_MAYMOVE), B(MREMAP_FIXED) };

	bits_put(b, v, bits, ARRAY_SIZE(bits), "0");
}

static void show_octal(struct strbuf *b, uint64_t v)
{
	strbuf_addf(b, v ? "0%o" : "%o", (unsigned int)v);
}

static void show_int(struct strbuf *b, uint64_t v)
{
	strbuf_addf(b, "%d", (int)v);
}

/* Adds what the kernel's types do not say. The first entry that fits counts. */
static const struct {
	const char *calls;
	const char *arg;
	void (*show)(struct strbuf *b, uint64_t value);
} meanings[] = {
	{ "open,openat,open_by_handle_at", "flags", put_open_flags },
	{ "mmap,mprotect,pkey_mprotect", "prot", show_prot },
	{ "mmap", "flags", show_map },
	{ "clone", "clone_flags", put_clone_flags },
	{ "unshare,setns", "unshare_flags,flags,nstype", put_clone_flags },
	{ "lseek", "whence", show_whence },
	{ "fcntl", "cmd", show_fcntl },
	{ "ioctl", "cmd", ioctls_put },
	{ "access,faccessat,faccessat2", "mode", show_access },
	{ "*at,newfstatat,statx,execveat,faccessat2", "flag,flags", show_at },
	{ "socket,socketpair", "family", show_family },
	{ "socket,socketpair", "type", show_socket },
	{ "epoll_ctl", "op", show_epoll },
	{ "madvise", "behavior", show_madvise },
	{ "wait4,waitid", "options", show_wait },
	{ "futex", "op", show_futex },
	{ "rt_sigprocmask", "how", show_how },
	{ "clock_*,timer_create,timerfd_create", "which_clock,clockid", show_clock },
	{ "shutdown", "how", show_shutdown },
	{ "pipe2,dup3", "flags", show_fd_flags },
	{ "sendto,recvfrom,sendmsg,recvmsg,sendmmsg,recvmmsg", "flags", show_msg },
	{ "mremap", "flags", show_mremap },
	{ "*", "dfd,olddfd,newdfd,oldfd_dir", show_dirfd },
	{ "*", "fd,in_fd,out_fd,fd_in,fd_out,fildes,oldfd,newfd,epfd,ufd", show_int },
	{ "kill,tkill,tgkill,rt_sig*", "sig", show_signal },
	{ "*", "mode,mask", show_octal },
};

/* ---- The table ---- */

static void set_meaning(const char *call, struct syscall_arg *a)
{
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		if (globs_match(meanings[i].calls, call) && globs_match(meanings[i].arg, a->name)) {
			if (meanings[i].show == show_octal && !strstr(a->type, "mode_t") &&
			    strcmp(call, "umask"))
				continue;
			a->show = meanings[i].show;
			return;
		}
}

/* Returns how the kernel reads an argument, by its declared type. */
static enum syscall_text text_of(const struct syscall_arg *a)
{
	if (strstr(a->type, "*const"))
		return TEXT_LIST;
	return globs_match("buf,buff,ubuf,list,u_msg_ptr", a->name) ? TEXT_BYTES : TEXT_STRING;
}

static bool is_fd(const struct syscall_arg *a)
{
	return (a->show == show_int || a->show == show_dirfd) && !strchr(a->type, '*');
}

/* "type name;type name": the number comes first */
static void take_fields(struct syscall_desc *d, const char *fields)
{
	char *copy = xstrdup(fields), *save, *p;

	d->known = *fields;
	for (p = strtok_r(copy, ";", &save); p && d->n < 6; p = strtok_r(NULL, ";", &save)) {
		char *space = strrchr(p, ' ');

		if (!space || strstr(space, "syscall_nr"))
			continue;
		*space = 0;
		d->args[d->n].name = xstrdup(space + 1);
		d->args[d->n].type = xstrdup(p);
		d->args[d->n].text = text_of(&d->args[d->n]);
		set_meaning(d->name, &d->args[d->n]);
		d->args[d->n].is_fd = is_fd(&d->args[d->n]);
		d->n++;
	}
	free(copy);
}

/* An unknown call shows all arguments that it may have. */
static void ask_fields(struct syscall_desc *d, const struct pev_catalog_entry *e)
{
	char *fields;

	if (pev_engine_fields(engine(), e, 0, &fields, NULL))
		return;
	take_fields(d, fields);
	free(fields);
}

/* What becomes of the caller. */
static void set_fate(struct syscall_desc *d)
{
	d->never = globs_match("exit,exit_group", d->name);
	d->execs = globs_match("execve,execveat", d->name);
}

/*
 * Gives a 32-bit call the arguments of the 64-bit one of that name, but where they lie otherwise in
 * the registers.
 */
static void init_compat(struct syscalls *s)
{
	static const char others[] = "mmap,select,clone,pread64,pwrite64,truncate64,ftruncate64,"
				     "readahead,fadvise64,sync_file_range,fallocate,fanotify_mark";

	s->n32 = compat_count();
	s->d32 = xcalloc(s->n32, sizeof(*s->d32));
	for (unsigned int i = 0; i < s->n32; i++) {
		const char *name = compat_name(i);
		int nr = name ? pev_syscall_number(name) : -1;
		struct syscall_desc *d = &s->d32[i];

		if (nr >= 0 && (unsigned int)nr < s->n && !globs_match(others, name))
			*d = s->d[nr];
		d->name = name ? xstrdup(name) : xasprintf("syscall_%u", i);
		set_fate(d);
		d->compat = true;
	}
}

void syscalls_init(struct syscalls *s, const struct pev_catalog *catalog)
{
	static const char prefix[] = "syscalls:sys_enter_";
	unsigned int last = 0;

	for (unsigned int i = 0; i < MOST_CALLS; i++)
		if (pev_syscall_name(i))
			last = i;
	s->n = last + 1;
	s->d = xcalloc(s->n, sizeof(*s->d));
	for (unsigned int i = 0; i < s->n; i++) {
		const char *name = pev_syscall_name(i);

		s->d[i].name = name ? xstrdup(name) : xasprintf("syscall_%u", i);
	}
	for (size_t k = 0; catalog && k < pev_catalog_count(catalog); k++) {
		const struct pev_catalog_entry *e = pev_catalog_entry(catalog, k);

		int nr;

		if (strncmp(e->name, prefix, sizeof(prefix) - 1))
			continue;
		nr = pev_syscall_number(e->name + sizeof(prefix) - 1);
		if (nr >= 0 && (unsigned int)nr < s->n && !s->d[nr].known)
			ask_fields(&s->d[nr], e);
	}
	for (unsigned int i = 0; i < s->n; i++)
		set_fate(&s->d[i]);
	init_compat(s);
}

void syscalls_init_trace(struct syscalls *s, const struct pev_trace *trace)
{
	const char *machine = pev_trace_info(trace, "machine");
	struct utsname u;

	*s = (struct syscalls){ 0 };
	if (!machine || (!uname(&u) && !strcmp(machine, u.machine)))
		syscalls_init(s, NULL);
}

void syscalls_free(struct syscalls *s)
{
	for (unsigned int i = 0; i < s->n; i++) {
		for (unsigned int k = 0; k < s->d[i].n; k++) {
			free(s->d[i].args[k].name);
			free(s->d[i].args[k].type);
		}
		free(s->d[i].name);
	}
	/* their arguments are those of the others */
	for (unsigned int i = 0; i < s->n32; i++)
		free(s->d32[i].name);
	free(s->d);
	free(s->d32);
	*s = (struct syscalls){ 0 };
}

const struct syscall_desc *syscalls_get(const struct syscalls *s, int64_t nr)
{
	if (nr >= 0 && nr & COMPAT_CALL) {
		nr &= ~(int64_t)COMPAT_CALL;
		return nr < s->n32 ? &s->d32[nr] : NULL;
	}
	return nr >= 0 && nr < s->n ? &s->d[nr] : NULL;
}

static void filter_add(struct strbuf *filter, unsigned int nr)
{
	strbuf_addf(filter, "%sid == %u", filter->len ? " || " : "", nr);
}

static int filter_one(struct syscalls *s, const char *glob, struct strbuf *filter, struct msg *m)
{
	const struct call_class *class = call_class_find(glob);
	struct suggestion near = { .word = glob };
	bool some = false;
	char kind[32];

	if (*glob == '%' && !class)
		return msg_set(m, -EINVAL, "there are no calls \"%s\"; there are %s", glob,
			       call_class_names());

	for (unsigned int i = 0; i < s->n; i++) {
		suggest_offer(&near, s->d[i].name);
		if (class ? !call_class_has(class, &s->d[i]) : !glob_match(glob, s->d[i].name))
			continue;
		filter_add(filter, i);
		s->d[i].unwanted = false;
		some = true;
	}
	if (some)
		return 0;
	/* strace's older "-e file" */
	snprintf(kind, sizeof(kind), "%%%s", glob);
	if (call_class_find(kind))
		near.best = kind;
	return msg_set(m, -EINVAL, "there is no system call \"%s\"%s%s%s", glob,
		       near.best ? "; did you mean \"" : "", near.best ? near.best : "",
		       near.best ? "\"?" : "");
}

int syscalls_filter(struct syscalls *s, const char *names, const char *also, struct strbuf *filter,
		    struct msg *m)
{
	char *copy = xstrdup(names), *save, *p;
	int err = 0;

	for (unsigned int i = 0; i < s->n; i++)
		s->d[i].unwanted = true;
	for (p = strtok_r(copy, ", ", &save); p && !err; p = strtok_r(NULL, ", ", &save))
		err = filter_one(s, p, filter, m);
	for (unsigned int i = 0; i < s->n && also && !err; i++)
		if (s->d[i].unwanted && globs_match(also, s->d[i].name))
			filter_add(filter, i);
	for (unsigned int i = 0; i < s->n32; i++) {
		int nr = pev_syscall_number(s->d32[i].name);

		s->d32[i].unwanted = nr < 0 || (unsigned int)nr >= s->n || s->d[nr].unwanted;
	}
	if (!err && filter->len >= PEV_MAX_FILTER)
		err = msg_set(m, -EINVAL, "more system calls than a filter of the kernel can name");
	free(copy);
	return err;
}

bool syscalls_point(const struct syscalls *s)
{
	for (unsigned int i = 0; i < s->n; i++)
		for (unsigned int k = 0; k < s->d[i].n && !s->d[i].unwanted; k++)
			if (strchr(s->d[i].args[k].type, '*'))
				return true;
	return false;
}

/* ---- Printing ---- */

static void put_by_type(struct strbuf *b, const char *type, uint64_t v)
{
	if (strchr(type, '*')) {
		if (v)
			strbuf_addf(b, "0x%" PRIx64, v);
		else
			strbuf_puts(b, "NULL");
	} else if (!strcmp(type, "int") || !strcmp(type, "pid_t") || !strcmp(type, "key_t") ||
		   strstr(type, "timer_t") || strstr(type, "clockid_t") || strstr(type, "s32")) {
		strbuf_addf(b, "%d", (int)v);
	} else if (strstr(type, "mode_t")) {
		show_octal(b, v);
	} else if (!strcmp(type, "unsigned int") || strstr(type, "u32") || strstr(type, "uid_t") ||
		   strstr(type, "gid_t")) {
		strbuf_addf(b, "%u", (unsigned int)v);
	} else if (!strcmp(type, "long") || strstr(type, "off_t") || strstr(type, "s64")) {
		strbuf_addf(b, "%" PRId64, (int64_t)v);
	} else if (v >> 20) {
		strbuf_addf(b, "0x%" PRIx64, v);
	} else {
		strbuf_addf(b, "%" PRIu64, v);
	}
}

static void put_list(struct strbuf *b, const char *s, size_t len, bool cut)
{
	strbuf_putc(b, '[');
	for (size_t at = 0; at < len;) {
		size_t n = strnlen(s + at, len - at);

		strbuf_puts(b, at ? ", " : "");
		text_quoted(b, s + at, n);
		at += n + 1;
	}
	strbuf_puts(b, cut ? len ? ", ...]" : "...]" : "]");
}

/* ---- What arguments point to ---- */

/* Returns NULL if that memory could not be read. */
static const struct live_text *text_at(const struct syscall_args *a, unsigned int when,
				       unsigned int i)
{
	const struct live_text *t = a->texts[when];

	return t && t->copied & 1u << i ? t : NULL;
}

/* Kernels that do not say what it is give strings and data alone. */
static enum pev_call_kind kind_of(const struct syscall_arg *arg, const struct live_text *t,
				  unsigned int i)
{
	static const enum pev_call_kind kinds[] = {
		[TEXT_STRING] = PEV_CALL_STRING,
		[TEXT_BYTES] = PEV_CALL_BYTES,
		[TEXT_LIST] = PEV_CALL_STRINGS,
	};

	return t->kinds ? (enum pev_call_kind)t->kind[i] : kinds[arg->text];
}

static struct struct_bytes bytes_of(const struct syscall_arg *arg, const struct syscall_args *a,
				    const struct live_text *t, unsigned int i)
{
	return (struct struct_bytes){
		.kind = kind_of(arg, t, i),
		.request = i && a->values ? (uint32_t)a->values[i - 1] : 0,
		.abi = a->abi,
		.at = (const uint8_t *)t->bytes + t->at[i],
		.len = t->len[i],
		.cut = t->cut & 1u << i,
		.most = a->bytes,
	};
}

static void put_string(struct strbuf *b, const struct struct_bytes *s)
{
	size_t len = s->len;
	bool cut = s->cut;

	if (s->kind == PEV_CALL_STRING) {
		len = strnlen((const char *)s->at, len);
	} else if (len > s->most) {
		len = s->most;
		cut = true;
	}
	text_quoted(b, s->at, len);
	strbuf_puts(b, cut ? "..." : "");
}

/* Returns the int at an argument, or @none. */
static int64_t int_at(const struct syscall_args *a, unsigned int when, unsigned int i, int64_t none)
{
	const struct live_text *t = i < 6 ? text_at(a, when, i) : NULL;
	int v;

	if (!t || !t->kinds || t->kind[i] != PEV_CALL_INT || t->len[i] != sizeof(v))
		return none;
	memcpy(&v, t->bytes + t->at[i], sizeof(v));
	return v;
}

/* "[128 => 16]": the room for an address, and how long it is. */
static bool put_lengths(struct strbuf *b, const struct syscall_args *a, unsigned int i)
{
	int64_t none = INT64_MAX, before = int_at(a, 0, i, none), after = int_at(a, 1, i, none);

	if (before == none || after == none || before == after)
		return false;
	strbuf_addf(b, "[%" PRId64 " => %" PRId64 "]", before, after);
	return true;
}

/* An address may be longer than the caller's room: what is behind that is not the call's. */
static void clip_to_room(struct struct_bytes *s, const struct syscall_args *a, unsigned int i)
{
	int64_t had = int_at(a, 0, i + 1, INT64_MAX);

	if (had >= 0 && (uint64_t)had < s->len)
		s->len = (size_t)had;
}

/* Returns whether a call leaves it unread and unwritten, although it points to something. */
static bool is_unused(const struct syscall_desc *d, const struct syscall_args *a,
		      enum pev_call_kind kind)
{
	if (!strcmp(d->name, "futex"))
		return !(1u << (a->values[1] & 0x1f) & FUTEX_WAITS);
	if (!strcmp(d->name, "epoll_ctl"))
		return a->values[1] == EPOLL_CTL_DEL;
	return kind == PEV_CALL_WAIT_STATUS && a->ret <= 0;
}

static bool put_text(struct strbuf *b, const struct syscall_desc *d, const struct syscall_args *a,
		     unsigned int i, unsigned int when)
{
	const struct syscall_arg *arg = &d->args[i];
	const struct live_text *t = text_at(a, when, i);
	struct struct_bytes s;

	if (!t)
		return false;
	s = bytes_of(arg, a, t, i);
	switch (s.kind) {
	case PEV_CALL_STRINGS:
		put_list(b, (const char *)s.at, s.len, s.cut);
		return true;
	case PEV_CALL_STRING:
	case PEV_CALL_BYTES:
		put_string(b, &s);
		return true;
	case PEV_CALL_INT:
		return put_lengths(b, a, i) || structs_put(b, &s);
	case PEV_CALL_SOCKADDR:
	case PEV_CALL_SOCKOPT:
		clip_to_room(&s, a, i);
		return structs_put(b, &s);
	default:
		return !is_unused(d, a, s.kind) && structs_put(b, &s);
	}
}

/* What was read afterwards has a mark: ~"/etc/passwd" */
static bool put_marked(struct strbuf *b, const struct syscall_desc *d, const struct syscall_args *a,
		       unsigned int i, unsigned int when)
{
	const struct live_text *t = text_at(a, when, i);
	struct strbuf text = { 0 };
	bool done;

	if (!t || !t->later)
		return put_text(b, d, a, i, when);
	done = put_text(&text, d, a, i, when);
	if (done)
		strbuf_addf(b, "~%s", text.s);
	strbuf_free(&text);
	return done;
}

/* What a call has filled in counts when it has ended, even if it was something before. */
static unsigned int first_text(const struct syscall_desc *d, const struct syscall_args *a)
{
	return a->texts[1] && globs_match("recvmsg,ioctl", d->name);
}

/* Registers of 32-bit programs have no sign that a long would have. */
static uint64_t value_of(const struct syscall_desc *d, const struct syscall_args *a, unsigned int i)
{
	const char *type = d->args[i].type;

	if (d->compat && (!strcmp(type, "long") || strstr(type, "off_t")))
		return (uint64_t)(int32_t)a->values[i];
	return a->values[i];
}

static void put_arg(struct strbuf *b, const struct syscall_desc *d, const struct syscall_args *a,
		    unsigned int i)
{
	const struct syscall_arg *arg = &d->args[i];
	unsigned int first = first_text(d, a);

	if (put_marked(b, d, a, i, first) || put_marked(b, d, a, i, !first))
		return;
	if (arg->show)
		arg->show(b, a->values[i]);
	else
		put_by_type(b, arg->type, value_of(d, a, i));
	if (arg->is_fd && a->fd_name)
		syscalls_put_fd_name(b, a->fd_name(a->arg, (int)a->values[i]));
}

void syscalls_put_found(struct strbuf *b, const struct syscall_desc *d,
			const struct syscall_args *a)
{
	/* by argument of select() */
	static const char *const sets[ARRAY_SIZE(d->args)] = { "", "in ", "out ", "except " };
	struct strbuf found = { 0 };
	bool some = false;

	for (unsigned int i = 0; d && i < d->n && a->ret > 0; i++) {
		const struct live_text *t = text_at(a, 1, i);
		struct struct_bytes s;

		if (!t)
			continue;
		s = bytes_of(&d->args[i], a, t, i);
		strbuf_reset(&found);
		if (!structs_put_found(&found, &s))
			continue;
		strbuf_addf(b, "%s%s%s%s", some ? ", " : " (", t->later ? "~" : "",
			    s.kind == PEV_CALL_FD_SET && sets[i] ? sets[i] : "", found.s);
		some = true;
	}
	strbuf_puts(b, some ? ")" : "");
	strbuf_free(&found);
}

void syscalls_put_fd_name(struct strbuf *b, const char *name)
{
	char safe[512];

	if (name)
		strbuf_addf(b, "<%s>", text_safe(safe, sizeof(safe), name));
}

/* The kernel ignores the mode of an open that creates nothing. */
static bool is_idle_mode(const struct syscall_desc *d, const struct syscall_args *a)
{
	unsigned int n = d->n;

	return n > 1 && !strcmp(d->args[n - 1].name, "mode") &&
	       d->args[n - 2].show == put_open_flags &&
	       !(a->values[n - 2] & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)));
}

void syscalls_put_args(struct strbuf *b, const struct syscall_desc *d,
		       const struct syscall_args *a)
{
	unsigned int n = d && d->known ? d->n : 6;

	if (a->bare && d && d->known && is_idle_mode(d, a))
		n--;

	for (unsigned int i = 0; i < n; i++) {
		if (i)
			strbuf_puts(b, ", ");
		if (!d || !d->known) {
			strbuf_addf(b, "0x%" PRIx64, a->values[i]);
			continue;
		}
		if (!a->bare)
			strbuf_addf(b, "%s: ", d->args[i].name);
		put_arg(b, d, a, i);
	}
}

/* Names codes of calls that the kernel restarts after a signal; programs never see them. */
static const char *restart_name(int64_t err)
{
	switch (err) {
	case 512:
		return "ERESTARTSYS (to be restarted)";
	case 513:
		return "ERESTARTNOINTR (to be restarted)";
	case 514:
		return "ERESTARTNOHAND (to be restarted if no handler runs)";
	case 516:
		return "ERESTART_RESTARTBLOCK (interrupted by a signal)";
	default:
		return NULL;
	}
}

void syscalls_put_result(struct strbuf *b, const struct syscall_desc *d, int64_t ret)
{
	const char *name;

	if (ret < 0 && ret >= -4095) {
		name = restart_name(-ret);
		if (name)
			strbuf_addf(b, "? %s", name);
		else if (strerrorname_np((int)-ret))
			strbuf_addf(b, "-1 %s (%s)", strerrorname_np((int)-ret),
				    strerror((int)-ret));
		else
			strbuf_addf(b, "%" PRId64, ret);
	} else if (d && globs_match("mmap,brk,mremap,shmat", d->name)) {
		strbuf_addf(b, "0x%" PRIx64, (uint64_t)ret);
	} else {
		strbuf_addf(b, "%" PRId64, ret);
	}
}
