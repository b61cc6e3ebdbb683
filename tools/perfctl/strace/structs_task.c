// SPDX-License-Identifier: GPL-2.0
/* Structures of calls for processes, signals and the machine. See structs_task.h. */
#include "structs_task.h"
#include "bits.h"
#include "signals.h"
#include "base/text.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>

void put_wait_status(struct strbuf *b, const struct struct_bytes *s)
{
	int status = (int)struct_u32(s, 0);

	if (WIFEXITED(status)) {
		strbuf_addf(b, "[{WIFEXITED(s) && WEXITSTATUS(s) == %d}]", WEXITSTATUS(status));
	} else if (WIFSTOPPED(status)) {
		strbuf_puts(b, "[{WIFSTOPPED(s) && WSTOPSIG(s) == ");
		signals_put_name(b, WSTOPSIG(status));
		strbuf_puts(b, "}]");
	} else if (WIFSIGNALED(status)) {
		strbuf_puts(b, "[{WIFSIGNALED(s) && WTERMSIG(s) == ");
		signals_put_name(b, WTERMSIG(status));
		strbuf_puts(b, WCOREDUMP(status) ? " && WCOREDUMP(s)}]" : "}]");
	} else if (WIFCONTINUED(status)) {
		strbuf_puts(b, "[{WIFCONTINUED(s)}]");
	} else {
		strbuf_addf(b, "[%#x]", (unsigned int)status);
	}
}

static void put_limit(struct strbuf *b, uint64_t v)
{
	if (v == UINT64_MAX)
		strbuf_puts(b, "RLIM64_INFINITY");
	else if (v > 1024 && v % 1024 == 0)
		strbuf_addf(b, "%" PRIu64 "*1024", v / 1024);
	else
		strbuf_addf(b, "%" PRIu64, v);
}

void put_rlimit(struct strbuf *b, const struct struct_bytes *s)
{
	strbuf_puts(b, "{rlim_cur=");
	put_limit(b, struct_u64(s, 0));
	strbuf_puts(b, ", rlim_max=");
	put_limit(b, struct_u64(s, 8));
	strbuf_putc(b, '}');
}

/* ---- signals ---- */

#define LAST_SIGNAL 64

/* Of most signals, those that are missing are shown: "~[KILL STOP]". */
static void put_set(struct strbuf *b, uint64_t set)
{
	bool most = __builtin_popcountll(set) > LAST_SIGNAL / 2, some = false;
	struct strbuf name = { 0 };

	if (most)
		set = ~set;
	strbuf_puts(b, most ? "~[" : "[");
	for (int sig = 1; sig <= LAST_SIGNAL; sig++) {
		if (!(set >> (sig - 1) & 1))
			continue;
		strbuf_reset(&name);
		signals_put_name(&name, sig);
		strbuf_addf(b, "%s%s", some ? " " : "",
			    strncmp(name.s, "SIG", 3) ? name.s : name.s + 3);
		some = true;
	}
	strbuf_putc(b, ']');
	strbuf_free(&name);
}

void put_sigset(struct strbuf *b, const struct struct_bytes *s)
{
	put_set(b, struct_u64(s, 0));
}

void put_sigaction(struct strbuf *b, const struct struct_bytes *s)
{
	static const struct bit bits[] = {
		{ 0x04000000, "SA_RESTORER" }, { 0x10000000, "SA_RESTART" },
		{ 0x00000001, "SA_NOCLDSTOP" }, { 0x00000002, "SA_NOCLDWAIT" },
		{ 0x00000004, "SA_SIGINFO" }, { 0x08000000, "SA_ONSTACK" },
		{ 0x40000000, "SA_NODEFER" }, { 0x80000000, "SA_RESETHAND" },
	};
	uint64_t flags = struct_u64(s, 8);

	strbuf_puts(b, flags & SA_SIGINFO ? "{sa_sigaction=" : "{sa_handler=");
	signals_put_handler(b, struct_u64(s, 0));
	strbuf_puts(b, ", sa_mask=");
	put_set(b, struct_u64(s, 24));
	strbuf_puts(b, ", sa_flags=");
	bits_put(b, flags, bits, ARRAY_SIZE(bits), "0");
	if (flags & bits[0].value) {
		strbuf_puts(b, ", sa_restorer=");
		struct_pointer(b, struct_u64(s, 16));
	}
	strbuf_putc(b, '}');
}

/* Of a child: what it ended with, or by */
static void put_child(struct strbuf *b, const struct struct_bytes *s, int code)
{
	int status = (int32_t)struct_u32(s, 24);

	strbuf_puts(b, ", si_status=");
	if (code == CLD_EXITED)
		strbuf_addf(b, "%d", status);
	else
		signals_put_name(b, status);
	strbuf_addf(b, ", si_utime=%" PRId64 ", si_stime=%" PRId64, (int64_t)struct_u64(s, 32),
		    (int64_t)struct_u64(s, 40));
}

static bool is_fault(int sig, int code)
{
	return code > 0 && (sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE ||
			    sig == SIGTRAP);
}

/* waitid() without a child fills it with zeros. */
void put_siginfo(struct strbuf *b, const struct struct_bytes *s)
{
	int sig = (int32_t)struct_u32(s, 0), error = (int32_t)struct_u32(s, 4);
	int code = (int32_t)struct_u32(s, 8);

	if (!sig) {
		strbuf_puts(b, "{}");
		return;
	}
	strbuf_puts(b, "{si_signo=");
	signals_put_name(b, sig);
	strbuf_puts(b, ", si_code=");
	signals_put_code(b, sig, code);
	if (error)
		strbuf_addf(b, ", si_errno=%d", error);
	if (is_fault(sig, code)) {
		strbuf_puts(b, ", si_addr=");
		struct_pointer(b, struct_u64(s, 16));
	} else if (code == SI_TIMER) {
		strbuf_addf(b, ", si_timerid=%#x, si_overrun=%d", struct_u32(s, 16),
			    (int32_t)struct_u32(s, 20));
	} else if (code != SI_KERNEL) {
		strbuf_addf(b, ", si_pid=%d, si_uid=%u", (int32_t)struct_u32(s, 16),
			    struct_u32(s, 20));
	}
	if (sig == SIGCHLD && code > 0) {
		put_child(b, s, code);
	} else if (code == SI_QUEUE || code == SI_TIMER || code == SI_MESGQ) {
		strbuf_addf(b, ", si_int=%d, si_ptr=", (int32_t)struct_u32(s, 24));
		struct_pointer(b, struct_u64(s, 24));
	}
	strbuf_putc(b, '}');
}

/* ---- the machine ---- */

#define UTS_FIELD 65

void put_utsname(struct strbuf *b, const struct struct_bytes *s)
{
	const char *at = (const char *)s->at;

	strbuf_puts(b, "{sysname=");
	text_quoted(b, at, strnlen(at, UTS_FIELD));
	strbuf_puts(b, ", nodename=");
	text_quoted(b, at + UTS_FIELD, strnlen(at + UTS_FIELD, UTS_FIELD));
	strbuf_puts(b, ", ...}");
}

void put_sysinfo(struct strbuf *b, const struct struct_bytes *s)
{
	static const char *const names[] = { "totalram",  "freeram",   "sharedram",
					     "bufferram", "totalswap", "freeswap" };

	strbuf_addf(b, "{uptime=%" PRId64 ", loads=[%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]",
		    (int64_t)struct_u64(s, 0), struct_u64(s, 8), struct_u64(s, 16),
		    struct_u64(s, 24));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		strbuf_addf(b, ", %s=%" PRIu64, names[i], struct_u64(s, 32 + 8 * i));
	strbuf_addf(b, ", procs=%u, totalhigh=%" PRIu64 ", freehigh=%" PRIu64 ", mem_unit=%u}",
		    struct_u16(s, 80), struct_u64(s, 88), struct_u64(s, 96), struct_u32(s, 104));
}
