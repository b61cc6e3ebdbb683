// SPDX-License-Identifier: GPL-2.0
/*
 * Owns PEV_F_TEXT: which arguments of which system call point to text, copying
 * it, and the records that have it. The kernel's own description of its system
 * calls says most of that; what it leaves open is in a table here.
 *
 * The tracepoints of system calls have preemption disabled, so a page that is
 * not there can't be brought in: its text is left out, and looked for again when
 * the call returns, which has mostly needed it itself.
 *
 * Locks: the plans are made under plans_lock, before the first event that has
 * texts is connected, and stay as they are. What a CPU copies is its own:
 * system calls come from tasks alone and do not nest.
 */
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/compat.h>
#include <linux/hash.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/pev_refuse.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>
#include <trace/syscall.h>
#include "base/strbuf.h"
#include "glue/trace_list.h"
#include "record/layout.h"
#include "record/sample.h"
#include "filter.h"
#include "syscall_strings.h"
#include "tracepoint.h"

#define NR_ARGS		SYSCALL_DEFINE_MAXARGS
/* Strings of a list that are looked at. */
#define LIST_MAX	64

/**
 * enum kind - what an argument points to
 * @KIND_NONE:   nothing that is text
 * @KIND_STRING: it ends with a NUL
 * @KIND_LIST:   pointers to strings, up to NULL
 * @KIND_BYTES:  as many as the next argument says
 * @KIND_RESULT: as many as the call returns; they are there when it ends
 */
enum kind {
	KIND_NONE,
	KIND_STRING,
	KIND_LIST,
	KIND_BYTES,
	KIND_RESULT,
};

/**
 * struct rule - what an argument's declaration means; the first that fits counts
 * @type: of the argument
 * @name: its name; NULL: any
 * @next: name of the argument behind it; NULL: any, or none
 * @kind: what it is
 *
 * Plain "char *" may be either direction, hence the names.
 */
struct rule {
	const char	*type;
	const char	*name;
	const char	*next;
	u8		kind;
};

static const struct rule rules[] = {
	{ "const char *",	 "buf",		"count",	KIND_BYTES },	/* write() */
	{ "const char *",	 "u_msg_ptr",	"msg_len",	KIND_BYTES },
	{ "const char *",	 NULL,		NULL,		KIND_STRING },
	{ "const char *const *", "argv",	NULL,		KIND_LIST },
	{ "char *",		 "filename",	NULL,		KIND_STRING },	/* utimes() */
	{ "char *",		 "dev_name",	NULL,		KIND_STRING },	/* mount() */
	{ "char *",		 "dir_name",	NULL,		KIND_STRING },
	{ "char *",		 "type",	NULL,		KIND_STRING },
	{ "char *",		 "name",	"len",		KIND_BYTES },	/* sethostname() */
	{ "char *",		 "name",	NULL,		KIND_STRING },	/* umount() */
	{ "char *",		 "buf",		NULL,		KIND_RESULT },	/* read() */
	{ "char *",		 "ubuf",	"len",		KIND_RESULT },	/* getrandom() */
	{ "char *",		 "list",	"size",		KIND_RESULT },	/* listxattr() */
	{ "char *",		 "u_msg_ptr",	"msg_len",	KIND_RESULT },
	{ "void *",		 "buff",	"len",		KIND_BYTES },	/* sendto() */
	{ "void *",		 "ubuf",	"size",		KIND_RESULT },	/* recvfrom() */
};

/**
 * struct plan - a system call
 * @kind:  of each argument
 * @enter: mask of arguments whose text may be copied when it begins
 * @exit:  when it ends
 * @exec:  when it works, the program that called is no more
 */
struct plan {
	u8	kind[NR_ARGS];
	u8	enter;
	u8	exit;
	bool	exec;
};

static DEFINE_MUTEX(plans_lock);
/* By number of the call; NULL until the first event wants them. */
static struct plan *plans;

/**
 * struct copy - the texts of one record
 * @copied: as in struct pev_call_text
 * @cut:    as there
 * @len:    as there, but of every argument
 * @used:   bytes of @text
 * @text:   one byte more, in which a string that is cut has its NUL
 */
struct copy {
	u8	copied;
	u8	cut;
	u16	len[NR_ARGS];
	u32	used;
	u8	text[PEV_MAX_CALL_TEXT + 1];
};

static struct copy __percpu *copies;

/*
 * By hash of the thread: some text was not there when its call began. Two
 * threads that share a bit copy once too often, or miss a text as they would
 * without it.
 */
#define MISSED_BITS	12
static DECLARE_BITMAP(missed, 1 << MISSED_BITS);

/* --- what is text -------------------------------------------------------- */

static enum kind kind_of(const struct syscall_metadata *meta, int arg)
{
	const char *next = arg + 1 < meta->nb_args ? meta->args[arg + 1] : "";
	const struct rule *rule;

	for (rule = rules; rule < rules + ARRAY_SIZE(rules); rule++) {
		if (!strcmp(rule->type, meta->types[arg]) &&
		    (!rule->name || !strcmp(rule->name, meta->args[arg])) &&
		    (!rule->next || !strcmp(rule->next, next)))
			return rule->kind;
	}
	return KIND_NONE;
}

static void plan_call(struct plan *plan, const struct syscall_metadata *meta)
{
	for (int i = 0; i < meta->nb_args && i < NR_ARGS; i++) {
		enum kind kind = kind_of(meta, i);

		plan->kind[i] = kind;
		plan->exec |= kind == KIND_LIST;
		if (kind == KIND_RESULT)
			plan->exit |= BIT(i);
		else if (kind != KIND_NONE)
			plan->enter |= BIT(i);
	}
	/* do not cache a miss: retry next time */
	plan->exit |= plan->enter;
}

static int make_plans(void)
{
	struct trace_event_call *call;
	struct plan *made;

	guard(mutex)(&plans_lock);
	if (plans)
		return 0;
	made = kcalloc(NR_syscalls, sizeof(*made), GFP_KERNEL);
	copies = alloc_percpu(struct copy);
	if (!made || !copies) {
		free_percpu(copies);
		kfree(made);
		return -ENOMEM;
	}
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

/* --- copying ------------------------------------------------------------- */

/* Return: room for a text, at most @limit. */
static u32 room(const struct copy *c, u32 limit)
{
	return min(limit, PEV_MAX_CALL_TEXT - c->used);
}

/* Append a string of user memory. Return: was it readable? */
static bool copy_string(struct copy *c, u8 arg, unsigned long from, u32 limit)
{
	char *to = c->text + c->used;
	u32 most = room(c, limit);
	long len;

	len = strncpy_from_user_nofault(to, (const void __user *)from, most + 1);
	if (len < 0)
		return false;
	if (!len) {
		/* 0 means an empty string here */
		*to = '\0';
		len = 1;
	}
	if (len > most) {
		c->cut |= BIT(arg);
		len = most;
	}
	c->used += len;
	c->len[arg] += len;
	return true;
}

static bool copy_list(struct copy *c, u8 arg, unsigned long from, u32 limit)
{
	unsigned long string;
	u32 i;

	for (i = 0; i < LIST_MAX; i++, from += sizeof(string)) {
		if (copy_from_user_nofault(&string, (const void __user *)from, sizeof(string)))
			break;
		if (!string)
			return true;
		if (!copy_string(c, arg, string, limit - c->len[arg]))
			break;
		if (c->cut & BIT(arg))
			return true;
	}
	c->cut |= BIT(arg);
	return i;
}

static bool copy_bytes(struct copy *c, u8 arg, unsigned long from, unsigned long count,
		       u32 limit)
{
	u32 len = min_t(unsigned long, count, room(c, limit));

	if (copy_from_user_nofault(c->text + c->used, (const void __user *)from, len))
		return false;
	if (len < count)
		c->cut |= BIT(arg);
	c->used += len;
	c->len[arg] = len;
	return true;
}

/* Return: was it there, or is there nothing to copy? */
static bool copy_arg(struct copy *c, u8 arg, enum kind kind, const unsigned long *args,
		     u32 limit, long ret)
{
	unsigned long from = args[arg], count = arg + 1 < NR_ARGS ? args[arg + 1] : 0;
	bool there = true;

	if (!from)
		return true;
	switch (kind) {
	case KIND_STRING:
		there = copy_string(c, arg, from, limit);
		break;
	case KIND_LIST:
		there = copy_list(c, arg, from, limit);
		break;
	case KIND_RESULT:
		if (ret < 0)
			return true;
		/* recvfrom() with MSG_TRUNC may return more than the buffer holds */
		there = copy_bytes(c, arg, from, min_t(unsigned long, count, ret), limit);
		break;
	case KIND_BYTES:
		there = copy_bytes(c, arg, from, count, limit);
		break;
	default:
		return true;
	}
	if (there)
		c->copied |= BIT(arg);
	return there;
}

/* This CPU's copy, with nothing in it. */
static struct copy *copy_begin(void)
{
	struct copy *c = this_cpu_ptr(copies);

	memset(c, 0, offsetof(struct copy, text));
	return c;
}

/* The plan of the call; NULL if nothing is known of it. */
static const struct plan *plan_of(int nr)
{
	/* 32-bit tasks: the numbers mean other calls */
	if (in_compat_syscall() || (unsigned int)nr >= NR_syscalls)
		return NULL;
	return &plans[array_index_nospec(nr, NR_syscalls)];
}

static u32 missed_bit(void)
{
	return hash_32(current->pid, MISSED_BITS);
}

static struct copy *copy_enter(struct pev_trace *trace, int nr, const unsigned long *args)
{
	const struct plan *plan = plan_of(nr);
	struct copy *c = copy_begin();
	u32 bit = missed_bit();
	bool all = true;

	if (!plan)
		return c;
	for (u8 i = 0; i < NR_ARGS; i++) {
		if (plan->enter & BIT(i))
			all &= copy_arg(c, i, plan->kind[i], args, trace->limit, 0);
	}
	if (!all)
		set_bit(bit, missed);
	else if (test_bit(bit, missed))
		clear_bit(bit, missed);
	return c;
}

static struct copy *copy_exit(struct pev_trace *trace, int nr, const unsigned long *args,
			      long ret)
{
	const struct plan *plan = plan_of(nr);
	struct copy *c = copy_begin();
	bool again = test_bit(missed_bit(), missed);

	if (!plan || (plan->exec && ret >= 0))
		return c;
	for (u8 i = 0; i < NR_ARGS; i++) {
		if (plan->exit & BIT(i) && (again || plan->kind[i] == KIND_RESULT))
			copy_arg(c, i, plan->kind[i], args, trace->limit, ret);
	}
	return c;
}

/* --- records ------------------------------------------------------------- */

/* A trace event of a system call, as its filter sees it. */
struct call_entry {
	struct trace_entry	ent;
	u64			nr;
	u64			words[NR_ARGS];
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

/* See struct pev_call_text: of the arguments in trace->text there are lengths. */
static void write_record(struct pev_trace *trace, struct pev_event_cpu *ec,
			 const struct call_entry *entry, u32 words, const struct copy *c,
			 unsigned long ip)
{
	struct pev_event *event = trace->event;
	struct pev_sample_in in = { .ip = ip, .period = READ_ONCE(event->period) };
	u32 fixed = (words + 1) * sizeof(u64);
	struct pev_call_text *head;
	void *to;
	u32 size;

	size = struct_size(head, len, hweight8(trace->text));
	to = pev_sample_begin(event, ec, fixed + size + c->used, &in);
	if (!to)
		return;
	memcpy(to, &entry->nr, fixed);
	head = to + fixed;
	head->copied = c->copied;
	head->cut = c->cut;
	for (u32 i = 0, n = 0; i < NR_ARGS; i++) {
		if (trace->text & BIT(i))
			head->len[n++] = c->len[i];
	}
	memcpy((void *)head + size, c->text, c->used);
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
	unsigned long args[NR_ARGS];

	syscall_get_arguments(current, regs, args);
	memcpy(entry.words, args, sizeof(args));
	if (due(trace, ec, &entry, ip))
		write_record(trace, ec, &entry, trace->words, copy_enter(trace, nr, args), ip);
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
	unsigned long args[NR_ARGS];

	syscall_get_arguments(current, regs, args);
	if (due(trace, ec, &entry, ip))
		write_record(trace, ec, &entry, trace->words, copy_exit(trace, nr, args, ret), ip);
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

	if (is_raw(event, "sys_enter")) {
		trace->text = GENMASK(NR_ARGS - 1, 0);
		trace->words = NR_ARGS;
	} else if (is_raw(event, "sys_exit")) {
		trace->text = GENMASK(NR_ARGS - 1, 0);
		trace->words = 1;
	} else if (!pev_trace_is_syscall(event->call)) {
		return -EOPNOTSUPP;
	} else if (pev_trace_is_enter(event->call)) {
		trace->text = plans[meta->syscall_nr].enter;
		trace->words = meta->nb_args;
	} else {
		trace->text = plans[meta->syscall_nr].exit;
		trace->words = 1;
	}
	return 0;
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
	/* the smallest packet holds such a record, without stacks */
	BUILD_BUG_ON(sizeof(struct copy) > PEV_MIN_PACKET / 2);

	if (attr->channel_fd < 0)
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "an event without a channel has no records to put texts in");
	if (attr->config > PEV_MAX_CALL_TEXT)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 0, PEV_MAX_CALL_TEXT,
					"config is the most bytes of each text, %llu are too many",
					attr->config);
	if (make_plans())
		return pev_refuse(r, ENOMEM, PEV_NO_FIELD, "no memory for the texts");
	if (set_masks(event))
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "PEV_F_TEXT is for system calls, \"raw_syscalls:*\" and \"syscalls:*\"");
	trace->limit = attr->config ?: PEV_CALL_TEXT;
	return 0;
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
	for (int i = 0; i < NR_ARGS; i++) {
		if (!(trace->text & BIT(i)))
			continue;
		put_name(event, i, name, sizeof(name));
		pev_strbuf_printf(text, "\t\tuint16_t %s_len;\n", name);
	}
	for (int i = 0; i < NR_ARGS; i++) {
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
	struct pev_call_text *head;
	u32 fixed = (trace->words + 1) * sizeof(u64);
	u32 texts = hweight8(trace->text);

	layout->payload = fixed + struct_size(head, len, texts);
	for (u32 i = 0; i < texts; i++)
		pev_layout_length(layout, fixed + struct_size(head, len, i));
}
