// SPDX-License-Identifier: GPL-2.0
/* Structures that have the arguments of a call. See structs_call.h. */
#include "structs_call.h"
#include "bits.h"
#include "signals.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <string.h>

/* ---- openat2() ---- */

void put_open_flags(struct strbuf *b, uint64_t v)
{
	static const struct bit modes[] = { B(O_RDONLY), B(O_WRONLY), B(O_RDWR) };
	static const struct bit bits[] = {
		B(O_CREAT), B(O_EXCL), B(O_NOCTTY), B(O_TRUNC), B(O_APPEND), B(O_NONBLOCK),
		B(O_SYNC), B(O_DSYNC), B(O_DIRECT), B(O_NOFOLLOW), B(O_TMPFILE), B(O_DIRECTORY),
		B(O_NOATIME), B(O_CLOEXEC), B(O_PATH),
	};

	v = (uint32_t)v;
	bits_put_one(b, v & O_ACCMODE, modes, ARRAY_SIZE(modes));
	if (v & ~(uint64_t)O_ACCMODE) {
		strbuf_putc(b, '|');
		bits_put(b, v & ~(uint64_t)O_ACCMODE, bits, ARRAY_SIZE(bits), "");
	}
}

void put_open_how(struct strbuf *b, const struct struct_bytes *s)
{
	static const struct bit bits[] = {
		B(RESOLVE_NO_XDEV), B(RESOLVE_NO_MAGICLINKS), B(RESOLVE_NO_SYMLINKS),
		B(RESOLVE_BENEATH), B(RESOLVE_IN_ROOT),	      B(RESOLVE_CACHED),
	};
	uint64_t flags = struct_u64(s, 0), mode = struct_u64(s, 8);

	strbuf_puts(b, "{flags=");
	put_open_flags(b, flags);
	if (mode || flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)))
		strbuf_addf(b, ", mode=%#" PRIo64, mode);
	strbuf_puts(b, ", resolve=");
	bits_put(b, struct_u64(s, 16), bits, ARRAY_SIZE(bits), "0");
	strbuf_puts(b, s->cut ? ", ...}" : "}");
}

/* ---- clone3() ---- */

void put_clone_flags(struct strbuf *b, uint64_t v)
{
	static const struct bit bits[] = {
		B(CLONE_VM), B(CLONE_FS), B(CLONE_FILES), B(CLONE_SIGHAND), B(CLONE_PIDFD),
		B(CLONE_PTRACE), B(CLONE_VFORK), B(CLONE_PARENT), B(CLONE_THREAD),
		B(CLONE_NEWNS), B(CLONE_SYSVSEM), B(CLONE_SETTLS), B(CLONE_PARENT_SETTID),
		B(CLONE_CHILD_CLEARTID), B(CLONE_CHILD_SETTID), B(CLONE_NEWCGROUP),
		B(CLONE_NEWUTS), B(CLONE_NEWIPC), B(CLONE_NEWUSER), B(CLONE_NEWPID),
		B(CLONE_NEWNET),
	};
	const char *sig = v & 0xff ? sigabbrev_np((int)(v & 0xff)) : NULL;

	bits_put(b, v & ~0xffULL, bits, ARRAY_SIZE(bits), sig ? "" : "0");
	if (sig)
		strbuf_addf(b, "%sSIG%s", v & ~0xffULL ? "|" : "", sig);
}

static void put_place(struct strbuf *b, const char *name, uint64_t v)
{
	if (!v)
		return;
	strbuf_addf(b, ", %s=", name);
	struct_pointer(b, v);
}

/* What is 0 is left out, but for the signal at its end. */
void put_clone_args(struct strbuf *b, const struct struct_bytes *s)
{
	uint64_t flags = struct_u64(s, 0), signal = struct_u64(s, 32), size = struct_u64(s, 48);
	uint64_t set_tid = struct_u64(s, 64), cgroup = struct_u64(s, 80);

	strbuf_puts(b, "{flags=");
	put_clone_flags(b, flags & ~0xffULL);
	put_place(b, "pidfd", struct_u64(s, 8));
	put_place(b, "child_tid", struct_u64(s, 16));
	put_place(b, "parent_tid", struct_u64(s, 24));
	strbuf_puts(b, ", exit_signal=");
	if (signal && signal < 65)
		signals_put_name(b, (int)signal);
	else
		strbuf_addf(b, "%" PRIu64, signal);
	put_place(b, "stack", struct_u64(s, 40));
	if (size)
		strbuf_addf(b, ", stack_size=%#" PRIx64, size);
	put_place(b, "tls", struct_u64(s, 56));
	put_place(b, "set_tid", set_tid);
	if (set_tid)
		strbuf_addf(b, ", set_tid_size=%" PRIu64, struct_u64(s, 72));
	if (cgroup)
		strbuf_addf(b, ", cgroup=%" PRIu64, cgroup);
	strbuf_puts(b, s->cut ? ", ...}" : "}");
}
