// SPDX-License-Identifier: GPL-2.0
/* Signals in words. See signals.h. */
#include "signals.h"

#include <inttypes.h>
#include <signal.h>

/* The kernel's first; the C library keeps some for itself. */
#define FIRST_REALTIME 32
#define LAST_REALTIME 64

void signals_put_name(struct strbuf *b, int sig)
{
	const char *name = sig > 0 && sig < FIRST_REALTIME ? sigabbrev_np(sig) : NULL;

	if (name)
		strbuf_addf(b, "SIG%s", name);
	else if (sig >= FIRST_REALTIME && sig <= LAST_REALTIME)
		strbuf_addf(b, "SIGRT_%d", sig - FIRST_REALTIME);
	else
		strbuf_addf(b, "%d", sig);
}

/**
 * struct code - a value of si_code
 * @sig: of this signal alone; 0: of any
 */
struct code {
	int sig;
	int code;
	const char *name;
};

/* clang-format off */
#define ANY(x)	   { 0, x, #x }
#define OF(sig, x) { sig, x, #x }

static const struct code codes[] = {
	ANY(SI_USER),
	ANY(SI_KERNEL),
	ANY(SI_QUEUE),
	ANY(SI_TIMER),
	ANY(SI_MESGQ),
	ANY(SI_ASYNCIO),
	ANY(SI_SIGIO),
	ANY(SI_TKILL),
	OF(SIGCHLD, CLD_EXITED),
	OF(SIGCHLD, CLD_KILLED),
	OF(SIGCHLD, CLD_DUMPED),
	OF(SIGCHLD, CLD_TRAPPED),
	OF(SIGCHLD, CLD_STOPPED),
	OF(SIGCHLD, CLD_CONTINUED),
	OF(SIGSEGV, SEGV_MAPERR),
	OF(SIGSEGV, SEGV_ACCERR),
	OF(SIGBUS, BUS_ADRALN),
	OF(SIGBUS, BUS_ADRERR),
	OF(SIGBUS, BUS_OBJERR),
	OF(SIGFPE, FPE_INTDIV),
	OF(SIGFPE, FPE_INTOVF),
	OF(SIGFPE, FPE_FLTDIV),
	OF(SIGFPE, FPE_FLTOVF),
	OF(SIGFPE, FPE_FLTUND),
	OF(SIGFPE, FPE_FLTRES),
	OF(SIGFPE, FPE_FLTINV),
	OF(SIGFPE, FPE_FLTSUB),
	OF(SIGILL, ILL_ILLOPC),
	OF(SIGILL, ILL_ILLOPN),
	OF(SIGILL, ILL_ILLADR),
	OF(SIGILL, ILL_ILLTRP),
	OF(SIGILL, ILL_PRVOPC),
	OF(SIGILL, ILL_PRVREG),
	OF(SIGTRAP, TRAP_BRKPT),
	OF(SIGTRAP, TRAP_TRACE),
	OF(SIGIO, POLL_IN),
	OF(SIGIO, POLL_OUT),
	OF(SIGIO, POLL_HUP),
};
/* clang-format on */

void signals_put_code(struct strbuf *b, int sig, int code)
{
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (codes[i].code == code && (!codes[i].sig || codes[i].sig == sig)) {
			strbuf_puts(b, codes[i].name);
			return;
		}
	strbuf_addf(b, "%d", code);
}

void signals_put_handler(struct strbuf *b, uint64_t handler)
{
	if (handler == (uintptr_t)SIG_DFL)
		strbuf_puts(b, "SIG_DFL");
	else if (handler == (uintptr_t)SIG_IGN)
		strbuf_puts(b, "SIG_IGN");
	else
		strbuf_addf(b, "0x%" PRIx64, handler);
}
