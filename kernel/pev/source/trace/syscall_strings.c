// SPDX-License-Identifier: GPL-2.0
/*
 * Owns PEV_F_TEXT and PEV_F_STRUCTS: events and records with what the arguments
 * of system calls point to. Knows neither what that is nor how it is copied.
 */
#include <linux/bits.h>
#include <linux/pev_refuse.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <asm/syscall.h>
#include <trace/syscall.h>
#include "base/strbuf.h"
#include "base/work.h"
#include "glue/trace_list.h"
#include "record/layout.h"
#include "record/sample.h"
#include "filter.h"
#include "syscall_copy.h"
#include "syscall_plan.h"
#include "syscall_strings.h"
#include "tracepoint.h"

/* --- records ------------------------------------------------------------- */

/* A trace event of a system call, as its filter sees it. */
struct call_entry {
	struct trace_entry	ent;
	u64			nr;
	u64			words[PEV_NR_ARGS];
};

/* Is a record due? */
static bool due(struct pev_trace *trace, struct pev_event_cpu *ec,
		const struct call_entry *entry, unsigned long ip)
{
	const struct pev_occurrence at = { .record = entry, .ip = ip, .size = sizeof(*entry) };

	if (unlikely(READ_ONCE(trace->event->gate)) &&
	    !pev_filter_allows(trace->event, ec, 1, &at))
		return false;
	return pev_event_hit(trace->event, ec, 1);
}

/* Bytes of what says where the texts are: struct pev_call_text or pev_call_structs. */
static u32 head_size(const struct pev_trace *trace)
{
	u32 lens = hweight8(trace->text) * sizeof(u16);

	return lens + (trace->structs ? sizeof(struct pev_call_structs) :
					sizeof(struct pev_call_text));
}

/* Fill it in. Of the arguments in trace->text there are lengths. */
static void put_head(const struct pev_trace *trace, const struct pev_call_copy *c, void *to)
{
	struct pev_call_structs *head = to;
	u16 *len = trace->structs ? head->len : ((struct pev_call_text *)to)->len;

	head->copied = c->copied;
	head->cut = c->cut;
	if (trace->structs)
		memcpy(head->kind, c->kind, sizeof(head->kind));
	for (u32 i = 0; i < PEV_NR_ARGS; i++) {
		if (trace->text & BIT(i))
			*len++ = c->len[i];
	}
}

static void write_record(struct pev_trace *trace, struct pev_event_cpu *ec,
			 const struct call_entry *entry, u32 words,
			 const struct pev_call_copy *c, unsigned long ip)
{
	struct pev_event *event = trace->event;
	struct pev_sample_in in = { .ip = ip, .period = READ_ONCE(event->period) };
	u32 fixed = (words + 1) * sizeof(u64);
	u32 head = head_size(trace);
	void *to;

	to = pev_sample_begin(event, ec, fixed + head + c->used, &in);
	if (!to)
		return;
	memcpy(to, &entry->nr, fixed);
	put_head(trace, c, to + fixed);
	memcpy(to + fixed + head, c->text, c->used);
	pev_sample_end(ec);
}

/**
 * pev_syscall_text_enter() - a call began
 * @trace: of an event that has texts, and runs here
 * @regs:  of the caller
 * @nr:    of the call
 *
 * Context: The task that makes the call, preemption disabled.
 */
void pev_syscall_text_enter(struct pev_trace *trace, struct pt_regs *regs, int nr)
{
	struct pev_event_cpu *ec = this_cpu_ptr(trace->event->percpu);
	struct call_entry entry = { .nr = nr };
	unsigned long ip = instruction_pointer(regs);
	unsigned long args[PEV_NR_ARGS];

	syscall_get_arguments(current, regs, args);
	memcpy(entry.words, args, sizeof(args));
	if (due(trace, ec, &entry, ip))
		write_record(trace, ec, &entry, trace->words,
			     pev_call_copy_enter(trace, nr, args), ip);
}

/**
 * pev_syscall_text_exit() - a call ended
 * @trace: of an event that has texts, and runs here
 * @regs:  of the caller
 * @nr:    of the call
 * @ret:   what it returns
 *
 * Context: as pev_syscall_text_enter().
 */
void pev_syscall_text_exit(struct pev_trace *trace, struct pt_regs *regs, int nr, long ret)
{
	struct pev_event_cpu *ec = this_cpu_ptr(trace->event->percpu);
	struct call_entry entry = { .nr = nr, .words[0] = ret };
	unsigned long ip = instruction_pointer(regs);
	unsigned long args[PEV_NR_ARGS];

	syscall_get_arguments(current, regs, args);
	if (due(trace, ec, &entry, ip))
		write_record(trace, ec, &entry, trace->words,
			     pev_call_copy_exit(trace, nr, args, ret), ip);
}

static void probe_raw_enter(void *data, struct pt_regs *regs, long id)
{
	struct pev_trace *trace = data;

	if (pev_trace_running(&trace->hook))
		pev_syscall_text_enter(trace, regs, id);
}

static void probe_raw_exit(void *data, struct pt_regs *regs, long ret)
{
	struct pev_trace *trace = data;

	if (pev_trace_running(&trace->hook))
		pev_syscall_text_exit(trace, regs, syscall_get_nr(current, regs), ret);
}

/* --- events -------------------------------------------------------------- */

static bool is_raw(const struct pev_event *event, const char *name)
{
	return !strcmp(event->call->class->system, "raw_syscalls") &&
	       !strcmp(trace_event_name(event->call), name);
}

void *pev_syscall_text_probe(struct pev_event *event)
{
	return is_raw(event, "sys_enter") ? probe_raw_enter : (void *)probe_raw_exit;
}

static int set_masks(struct pev_event *event)
{
	struct pev_trace *trace = event->private;
	struct syscall_metadata *meta = event->call->data;
	const struct pev_call_plan *plan;

	if (is_raw(event, "sys_enter") || is_raw(event, "sys_exit")) {
		trace->text = GENMASK(PEV_NR_ARGS - 1, 0);
		trace->words = is_raw(event, "sys_enter") ? PEV_NR_ARGS : 1;
		return 0;
	}
	if (!pev_trace_is_syscall(event->call))
		return -EOPNOTSUPP;
	plan = pev_call_plan(meta->syscall_nr);
	if (!plan)
		return 0;
	if (pev_trace_is_enter(event->call)) {
		trace->text = plan->of[trace->structs].enter;
		trace->words = meta->nb_args;
	} else {
		trace->text = plan->of[trace->structs].exit;
		trace->words = 1;
	}
	return 0;
}

/* For how many events more one counts that copies lists of 64 strings, with preemption off. */
#define LISTS_WEIGHT	8

static bool has_lists(const struct pev_event *event)
{
	const struct syscall_metadata *meta = event->call->data;
	const struct pev_call_plan *plan;

	if (!pev_trace_is_syscall(event->call))
		return true;
	plan = pev_call_plan(meta->syscall_nr);
	return plan && plan->exec;
}

/**
 * pev_syscall_text_init() - prepare an event for PEV_F_TEXT
 * @event: a tracepoint whose private part exists
 * @attr:  the user's
 * @r:     says why not
 *
 * An event whose call has no texts is as it would be without the flag.
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINVAL, -EOPNOTSUPP or -ENOMEM.
 */
int pev_syscall_text_init(struct pev_event *event, const struct pev_attr *attr,
			  struct pev_refuse *r)
{
	struct pev_trace *trace = event->private;

	BUILD_BUG_ON(offsetof(struct pev_call_text, len) != 2);
	BUILD_BUG_ON(offsetof(struct pev_call_structs, len) != 8);
	/* the smallest packet holds such a record, without stacks */
	BUILD_BUG_ON(sizeof(struct pev_call_copy) > PEV_MIN_PACKET / 2);

	if (attr->channel_fd < 0)
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "an event without a channel has no records to put texts in");
	if (attr->config > PEV_MAX_CALL_TEXT)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 0, PEV_MAX_CALL_TEXT,
					"config is the most bytes of each text, %llu are too many",
					attr->config);
	if (pev_call_plans_make() || pev_call_copies_make())
		return pev_refuse(r, ENOMEM, PEV_NO_FIELD, "no memory for the texts");
	trace->structs = attr->flags & PEV_F_STRUCTS;
	if (set_masks(event))
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "PEV_F_TEXT is for system calls, \"raw_syscalls:*\" and \"syscalls:*\"");
	trace->limit = attr->config ?: PEV_CALL_TEXT;
	if (!event->privileged && has_lists(event))
		event->weight += LISTS_WEIGHT;
	return 0;
}

/* See pev_trace_teardown(). */
void __pev_teardown pev_syscall_text_teardown(void)
{
	pev_call_copies_free();
	pev_call_plans_free();
}

/* The argument's name, of a raw event its number. */
static void put_name(struct pev_event *event, int arg, char *name, size_t size)
{
	struct syscall_metadata *meta = event->call->data;

	if (pev_trace_is_syscall(event->call))
		snprintf(name, size, "%s%s_text", *meta->args[arg] == '_' ? "_" : "",
			 meta->args[arg]);
	else
		snprintf(name, size, "arg%d_text", arg);
}

/* Names of enum pev_call_kind, for readers without the header. */
static void put_kinds(struct pev_strbuf *text)
{
	static const char *const names[] = {
		[PEV_CALL_NOTHING] = "nothing", [PEV_CALL_STRING] = "string",
		[PEV_CALL_STRINGS] = "strings", [PEV_CALL_BYTES] = "bytes",
		[PEV_CALL_SOCKADDR] = "sockaddr", [PEV_CALL_SOCKOPT] = "sockopt",
		[PEV_CALL_MSGHDR] = "msghdr", [PEV_CALL_IOVEC] = "iovec",
		[PEV_CALL_INT] = "int", [PEV_CALL_FDS] = "fds",
		[PEV_CALL_POLLFD] = "pollfd", [PEV_CALL_EPOLL_EVENT] = "epoll_event",
		[PEV_CALL_STAT] = "stat", [PEV_CALL_STATX] = "statx",
		[PEV_CALL_TIMESPEC] = "timespec", [PEV_CALL_TIMEVAL] = "timeval",
		[PEV_CALL_ITIMERSPEC] = "itimerspec", [PEV_CALL_ITIMERVAL] = "itimerval",
		[PEV_CALL_WAIT_STATUS] = "wait_status", [PEV_CALL_RUSAGE] = "rusage",
		[PEV_CALL_RLIMIT] = "rlimit", [PEV_CALL_SIGSET] = "sigset",
		[PEV_CALL_SIGACTION] = "sigaction", [PEV_CALL_UTSNAME] = "utsname",
		[PEV_CALL_SYSINFO] = "sysinfo", [PEV_CALL_STATFS] = "statfs",
		[PEV_CALL_SIGINFO] = "siginfo", [PEV_CALL_CLONE_ARGS] = "clone_args",
		[PEV_CALL_OPEN_HOW] = "open_how", [PEV_CALL_FD_SET] = "fd_set",
		[PEV_CALL_BUFFERS] = "buffers", [PEV_CALL_COMPAT] = "compat",
		[PEV_CALL_IOCTL] = "ioctl",
	};

	BUILD_BUG_ON(ARRAY_SIZE(names) != PEV_CALL_MAX);
	pev_strbuf_printf(text, "\t\tenum : uint8_t {");
	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		pev_strbuf_printf(text, "%s %s = %u", i ? "," : "", names[i], i);
	pev_strbuf_printf(text, " } text_kind[%u];\n", PEV_NR_ARGS);
}

/**
 * pev_syscall_text_fields() - describe struct pev_call_text and the texts in TSDL
 * @event: has texts
 * @text:  gets a line for each field
 */
void pev_syscall_text_fields(struct pev_event *event, struct pev_strbuf *text)
{
	struct pev_trace *trace = event->private;
	char name[40];

	pev_strbuf_printf(text, "\t\tuint8_t text_copied;\n\t\tuint8_t text_cut;\n");
	if (trace->structs)
		put_kinds(text);
	for (int i = 0; i < PEV_NR_ARGS; i++) {
		if (!(trace->text & BIT(i)))
			continue;
		put_name(event, i, name, sizeof(name));
		pev_strbuf_printf(text, "\t\tuint16_t %s_len;\n", name);
	}
	for (int i = 0; i < PEV_NR_ARGS; i++) {
		if (!(trace->text & BIT(i)))
			continue;
		put_name(event, i, name, sizeof(name));
		pev_strbuf_printf(text, "\t\ttext_t %s[%s_len];\n", name, name);
	}
}

/**
 * pev_syscall_text_layout() - say how long the payload is, up to the last text
 * @event:  has texts
 * @layout: filled in
 */
void pev_syscall_text_layout(struct pev_event *event, struct pev_layout *layout)
{
	struct pev_trace *trace = event->private;
	u32 fixed = (trace->words + 1) * sizeof(u64);
	u32 texts = hweight8(trace->text);

	layout->payload = fixed + head_size(trace);
	for (u32 i = 0; i < texts; i++)
		pev_layout_length(layout, layout->payload - (texts - i) * sizeof(u16));
}
