// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what the arguments of system calls point to. The kernel's own description
 * of its system calls says most of that; what it leaves open is in a table here.
 * Knows neither how anything is copied nor what records look like.
 *
 * Locks: the plans are made under plans_lock, before the first event that has
 * texts is connected, and stay as they are.
 */
#include <linux/nospec.h>
#include <linux/posix_types.h>
#include <linux/resource.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/stat.h>
#include <linux/statfs.h>
#include <linux/string.h>
#include <linux/sysinfo.h>
#include <linux/time.h>
#include <linux/uio.h>
#include <linux/utsname.h>
#include <uapi/linux/eventpoll.h>
#include <uapi/linux/openat2.h>
#include <uapi/linux/pev.h>
#include <uapi/linux/poll.h>
#include <uapi/linux/sched.h>
#include "base/work.h"
#include "glue/trace_list.h"
#include "syscall_plan.h"
#include "tracepoint.h"

#define IN	PEV_CALL_IN
#define OUT	PEV_CALL_OUT
/* What rules say of the memory. */
#define RULE(what, where, how, bytes)	\
	.kind = PEV_CALL_ ## what, .when = where, .amount = PEV_AMOUNT_ ## how, .size = bytes
#define STRING			RULE(STRING, IN, STRING, 1)
#define BYTES			RULE(BYTES, IN, NEXT, 1)
#define RESULT			RULE(BYTES, OUT, RETURNED, 1)
#define ONE(what, where, type)	RULE(what, where, FIXED, sizeof(type))
#define TWO(what, where, type)	RULE(what, where, FIXED, 2 * sizeof(type))
/* As long as the caller says, of which later kernels may know more. */
#define SIZED(what, type)	RULE(what, IN, NEXT, 1), .most = sizeof(type)
#define ADDRESS(where, how)	\
	RULE(SOCKADDR, where, how, 1), .most = sizeof(struct __kernel_sockaddr_storage)

/*
 * The first that fits counts. Plain "char *" may be either direction, hence the
 * names. What is not const and the caller's alone, as with setrlimit(), is still
 * there when the call has worked.
 */
static const struct pev_call_rule rules[] = {
	{ },	/* of an argument that points to nothing that is known */

	/* texts */
	{ "const char *",	 "buf",		"count",	BYTES },	/* write() */
	{ "const char *",	 "u_msg_ptr",	"msg_len",	BYTES },
	{ "const char *",	 NULL,		NULL,		STRING },
	{ "const char *const *", "argv",	NULL,
	  RULE(STRINGS, IN, STRINGS, 1) },
	{ "char *",		 "filename",	NULL,		STRING },	/* utimes() */
	{ "char *",		 "dev_name",	NULL,		STRING },	/* mount() */
	{ "char *",		 "dir_name",	NULL,		STRING },
	{ "char *",		 "type",	NULL,		STRING },
	{ "char *",		 "name",	"len",
	  RULE(BYTES, IN, NEXT_INT, 1) },	/* sethostname() */
	{ "char *",		 "name",	NULL,		STRING },	/* umount() */
	{ "char *",		 "buf",		NULL,		RESULT },	/* read() */
	{ "char *",		 "ubuf",	"len",		RESULT },	/* getrandom() */
	{ "char *",		 "list",	"size",		RESULT },	/* listxattr() */
	{ "char *",		 "u_msg_ptr",	"msg_len",	RESULT },
	{ "void *",		 "buff",	"len",		BYTES },	/* sendto() */
	{ "void *",		 "ubuf",	"size",		RESULT },	/* recvfrom() */

	/* sockets */
	{ "struct sockaddr *",	 NULL,		"int",		ADDRESS(IN, NEXT_INT) },
	{ "struct sockaddr *",	 NULL,		"int *",	ADDRESS(OUT, AT_NEXT) },
	{ "int *",		 "addr_len",	NULL,		ONE(INT, IN | OUT, int) },
	{ "int *",		 "upeer_addrlen", NULL,		ONE(INT, IN | OUT, int) },
	{ "int *",		 "usockaddr_len", NULL,		ONE(INT, IN | OUT, int) },
	{ "int *",		 "optlen",	NULL,		ONE(INT, IN | OUT, int) },
	{ "char *",		 "optval",	"int",
	  RULE(SOCKOPT, IN, NEXT_INT, 1) },
	{ "char *",		 "optval",	"int *",
	  RULE(SOCKOPT, OUT, AT_NEXT, 1) },
	{ "struct user_msghdr *", NULL,		NULL,
	  .call = "sendmsg", RULE(MSGHDR, IN, MESSAGE, sizeof(struct user_msghdr)) },
	{ "struct user_msghdr *", NULL,		NULL,
	  RULE(MSGHDR, OUT, MESSAGE, sizeof(struct user_msghdr)) },
	{ "const struct iovec *", "vec",	NULL,
	  .call = "readv",	RULE(BUFFERS, OUT, BUFFERS, 1) },
	{ "const struct iovec *", "vec",	NULL,
	  .call = "writev",	RULE(BUFFERS, IN, BUFFERS, 1) },
	{ "const struct iovec *", NULL,		NULL,
	  RULE(IOVEC, IN, NEXT, sizeof(struct iovec)) },	/* of other processes, too */

	/* descriptors and waiting for them */
	{ "int *",		 "fildes",	NULL,		TWO(FDS, OUT, int) },
	{ "int *",		 "usockvec",	NULL,		TWO(FDS, OUT, int) },
	{ "struct pollfd *",	 NULL,		NULL,
	  RULE(POLLFD, IN | OUT, NEXT_INT, sizeof(struct pollfd)) },
	{ "fd_set *",		 NULL,		NULL,
	  RULE(FD_SET, IN | OUT, BITS, sizeof(u64)), .most = __FD_SETSIZE / 64 },
	{ "struct epoll_event *", "event",	NULL,
	  ONE(EPOLL_EVENT, IN, struct epoll_event) },
	{ "struct epoll_event *", "events",	NULL,
	  RULE(EPOLL_EVENT, OUT, RETURNED, sizeof(struct epoll_event)) },

	/* it points to something if its request says so */
	{ "unsigned long",	 "arg",		NULL,
	  .call = "ioctl",	RULE(IOCTL, IN | OUT, REQUEST, 1) },

	/* files */
	{ "struct stat *",	 NULL,		NULL,		ONE(STAT, OUT, struct stat) },
	{ "struct statx *",	 NULL,		NULL,		ONE(STATX, OUT, struct statx) },
	{ "struct statfs *",	 NULL,		NULL,		ONE(STATFS, OUT, struct statfs) },
	{ "struct open_how *",	 NULL,		NULL,		SIZED(OPEN_HOW, struct open_how) },

	/* times; what is left of them, if a signal came, is not there otherwise */
	{ "struct __kernel_timespec *", "rmtp",	NULL },
	{ "const struct __kernel_timespec *", NULL, NULL,
	  ONE(TIMESPEC, IN, struct __kernel_timespec) },
	{ "struct __kernel_timespec *", "utimes", NULL,
	  TWO(TIMESPEC, IN, struct __kernel_timespec) },
	{ "struct __kernel_timespec *", "tp",	NULL,
	  ONE(TIMESPEC, OUT, struct __kernel_timespec) },	/* clock_gettime() */
	{ "struct __kernel_timespec *", "interval", NULL,
	  ONE(TIMESPEC, OUT, struct __kernel_timespec) },
	{ "struct __kernel_timespec *", NULL,	NULL,
	  ONE(TIMESPEC, IN, struct __kernel_timespec) },	/* nanosleep(), ppoll() */
	{ "struct __kernel_old_timeval *", "utimes", NULL,
	  TWO(TIMEVAL, IN, struct __kernel_old_timeval) },
	{ "struct __kernel_old_timeval *", "tv", NULL,
	  ONE(TIMEVAL, OUT, struct __kernel_old_timeval) },
	{ "struct __kernel_old_timeval *", NULL, NULL,
	  ONE(TIMEVAL, IN, struct __kernel_old_timeval) },	/* select() */
	{ "const struct __kernel_itimerspec *", NULL, NULL,
	  ONE(ITIMERSPEC, IN, struct __kernel_itimerspec) },
	{ "struct __kernel_itimerspec *", NULL,	NULL,
	  ONE(ITIMERSPEC, OUT, struct __kernel_itimerspec) },
	{ "struct __kernel_old_itimerval *", "value", "struct __kernel_old_itimerval *",
	  ONE(ITIMERVAL, IN, struct __kernel_old_itimerval) },	/* setitimer() */
	{ "struct __kernel_old_itimerval *", NULL, NULL,
	  ONE(ITIMERVAL, OUT, struct __kernel_old_itimerval) },

	/* processes and signals */
	{ "int *",		 "stat_addr",	NULL,		ONE(WAIT_STATUS, OUT, int) },
	{ "struct rusage *",	 NULL,		NULL,		ONE(RUSAGE, OUT, struct rusage) },
	{ "const struct rlimit64 *", NULL,	NULL,		ONE(RLIMIT, IN, struct rlimit64) },
	{ "struct rlimit64 *",	 NULL,		NULL,		ONE(RLIMIT, OUT, struct rlimit64) },
	{ "struct rlimit *",	 NULL,		NULL,		ONE(RLIMIT, OUT, struct rlimit) },
	{ "const sigset_t *",	 NULL,		NULL,		ONE(SIGSET, IN, sigset_t) },
	{ "sigset_t *",		 "oset",	NULL,		ONE(SIGSET, OUT, sigset_t) },
	{ "sigset_t *",		 "uset",	NULL,		ONE(SIGSET, OUT, sigset_t) },
	{ "sigset_t *",		 NULL,		NULL,		ONE(SIGSET, IN, sigset_t) },
	{ "struct clone_args *", NULL,		NULL,
	  SIZED(CLONE_ARGS, struct clone_args) },
	{ "struct siginfo *",	 NULL,		NULL,
	  ONE(SIGINFO, OUT, siginfo_t) },	/* waitid() */
	{ "siginfo_t *",	 "uinfo",	"uts",
	  ONE(SIGINFO, OUT, siginfo_t) },	/* rt_sigtimedwait() */
	{ "siginfo_t *",	 NULL,		NULL,		ONE(SIGINFO, IN, siginfo_t) },
	{ "const struct sigaction *", NULL,	NULL,
	  ONE(SIGACTION, IN, struct sigaction) },
	{ "struct sigaction *",	 NULL,		NULL,
	  ONE(SIGACTION, OUT, struct sigaction) },

	/* the machine */
	{ "struct new_utsname *", NULL,		NULL,
	  ONE(UTSNAME, OUT, struct new_utsname) },
	{ "struct sysinfo *",	 NULL,		NULL,		ONE(SYSINFO, OUT, struct sysinfo) },
};

static DEFINE_MUTEX(plans_lock);
/* By number of the call; NULL until the first event wants them. */
static struct pev_call_plan *plans;

static u8 rule_of(const struct syscall_metadata *meta, int arg)
{
	bool last = arg + 1 >= meta->nb_args;
	const char *name = last ? "" : meta->args[arg + 1];
	const char *type = last ? "" : meta->types[arg + 1];

	BUILD_BUG_ON(ARRAY_SIZE(rules) > U8_MAX);
	for (u8 i = 1; i < ARRAY_SIZE(rules); i++) {
		const struct pev_call_rule *rule = &rules[i];

		if (!strcmp(rule->type, meta->types[arg]) &&
		    (!rule->name || !strcmp(rule->name, meta->args[arg])) &&
		    (!rule->call || strstr(meta->name, rule->call)) &&
		    (!rule->next || !strcmp(rule->next, name) || !strcmp(rule->next, type)))
			return i;
	}
	return 0;
}

static void add_to_masks(struct pev_call_masks *masks, int arg, u8 when)
{
	if (when & PEV_CALL_IN)
		masks->enter |= BIT(arg);
	if (when & PEV_CALL_OUT)
		masks->out |= BIT(arg);
	/* what is not there when the call begins is looked for again */
	masks->exit = masks->enter | masks->out;
}

static void plan_call(struct pev_call_plan *plan, const struct syscall_metadata *meta)
{
	for (int i = 0; i < meta->nb_args && i < PEV_NR_ARGS; i++) {
		const struct pev_call_rule *rule;

		plan->rule[i] = rule_of(meta, i);
		rule = &rules[plan->rule[i]];
		plan->kind[i] = rule->kind;
		plan->exec |= rule->kind == PEV_CALL_STRINGS;
		if (rule->kind <= PEV_CALL_BYTES)
			add_to_masks(&plan->of[0], i, rule->when);
		add_to_masks(&plan->of[1], i, rule->when);
	}
}

/**
 * pev_call_plans_make() - make the plans, unless they are there
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int pev_call_plans_make(void)
{
	struct trace_event_call *call;
	struct pev_call_plan *made;

	guard(mutex)(&plans_lock);
	if (plans)
		return 0;
	made = kcalloc(NR_syscalls, sizeof(*made), GFP_KERNEL);
	if (!made)
		return -ENOMEM;
	guard(pev_trace_list)();
	pev_trace_list_for_each(call) {
		struct syscall_metadata *meta = call->data;

		if (pev_trace_is_enter(call) &&
		    (unsigned int)meta->syscall_nr < NR_syscalls)
			plan_call(&made[meta->syscall_nr], meta);
	}
	plans = made;
	return 0;
}

/* The opposite, when pev goes. */
void __pev_teardown pev_call_plans_free(void)
{
	kfree(plans);
}

/**
 * pev_call_plan() - what is copied of a system call
 * @nr: its number in 64-bit programs
 *
 * Context: Any, after pev_call_plans_make().
 * Return: its plan; NULL if there is no such call.
 */
const struct pev_call_plan *pev_call_plan(int nr)
{
	if ((unsigned int)nr >= NR_syscalls)
		return NULL;
	return &plans[array_index_nospec(nr, NR_syscalls)];
}

/**
 * pev_call_rule() - what an argument points to
 * @plan: of its call
 * @arg:  its number
 *
 * Context: Any.
 * Return: the rule; of kind PEV_CALL_NOTHING if nothing is copied.
 */
const struct pev_call_rule *pev_call_rule(const struct pev_call_plan *plan, u8 arg)
{
	return &rules[plan->rule[arg]];
}
