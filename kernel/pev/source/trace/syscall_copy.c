// SPDX-License-Identifier: GPL-2.0
/*
 * Owns copying what the arguments of system calls point to. Knows neither which
 * these are nor the records.
 *
 * The tracepoints of system calls have preemption disabled, so a page that is
 * not there can't be brought in: its text is left out, and looked for again when
 * the call returns, which has mostly needed it itself.
 *
 * What a CPU copies is its own: system calls come from tasks alone and do not
 * nest.
 */
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/compat.h>
#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/socket.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include "base/work.h"
#include "syscall_copy.h"
#include "syscall_request.h"
#include "tracepoint.h"

/* Strings of a list that are looked at. */
#define LIST_MAX	64
/* Buffers of a vector. */
#define BUFFERS_MAX	32

static DEFINE_MUTEX(copies_lock);
static struct pev_call_copy __percpu *copies;

/*
 * By hash of the thread: some text was not there when its call began. Two
 * threads that share a bit copy once too often, or miss a text as they would
 * without it.
 */
#define MISSED_BITS	12
static DECLARE_BITMAP(missed, 1 << MISSED_BITS);

/**
 * pev_call_copies_make() - make room to copy, unless it is there
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int pev_call_copies_make(void)
{
	guard(mutex)(&copies_lock);
	if (!copies)
		copies = alloc_percpu(struct pev_call_copy);
	return copies ? 0 : -ENOMEM;
}

/* The opposite, when pev goes. */
void __pev_teardown pev_call_copies_free(void)
{
	free_percpu(copies);
}

/* --- one argument -------------------------------------------------------- */

/* Return: room for a text, at most @limit. */
static u32 room(const struct pev_call_copy *c, u32 limit)
{
	return min(limit, PEV_MAX_CALL_TEXT - c->used);
}

/* Append a string of user memory. Return: was it readable? */
static bool copy_string(struct pev_call_copy *c, u8 arg, unsigned long from, u32 limit)
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

static bool copy_list(struct pev_call_copy *c, u8 arg, unsigned long from, u32 limit)
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

/*
 * Append @count elements of @size bytes, of which there is room for whole ones,
 * but for the first.
 */
static bool copy_elements(struct pev_call_copy *c, u8 arg, unsigned long from, u64 count,
			  u32 size, u32 limit)
{
	u32 most = room(c, limit);
	u32 len = most > size ? most - most % size : most;

	if (count <= most / size)
		len = count * size;
	if (copy_from_user_nofault(c->text + c->used, (const void __user *)from, len))
		return false;
	if (count > most / size)
		c->cut |= BIT(arg);
	c->used += len;
	c->len[arg] = len;
	return true;
}

/* Append what @n buffers hold, at most @most bytes. Return: was it there? */
static bool copy_contents(struct pev_call_copy *c, u8 arg, const struct iovec *vec, u32 n,
			  u64 most, u32 limit)
{
	for (u32 i = 0; i < n && most; i++) {
		u64 len = min_t(u64, vec[i].iov_len, most);
		u32 left = room(c, limit - c->len[arg]);
		u32 some = min_t(u64, len, left);

		if (copy_from_user_nofault(c->text + c->used, vec[i].iov_base, some))
			return false;
		c->used += some;
		c->len[arg] += some;
		most -= len;
		if (len > left) {
			c->cut |= BIT(arg);
			break;
		}
	}
	return true;
}

/*
 * Append PEV_CALL_BUFFERS, of the elements as many as leave half of the room to what they
 * point to.
 */
static bool copy_buffers(struct pev_call_copy *c, u8 arg, unsigned long from, u64 count, u64 most,
			 u32 limit)
{
	u32 left = room(c, limit - c->len[arg]);
	struct iovec vec[BUFFERS_MAX];
	u64 n;

	if (left < sizeof(n)) {
		c->cut |= BIT(arg);
		return true;
	}
	n = min3(count, (u64)BUFFERS_MAX, (u64)(left - sizeof(n)) / 2 / sizeof(*vec));
	if (copy_from_user_nofault(vec, (const void __user *)from, n * sizeof(*vec)))
		return false;
	if (n < count)
		c->cut |= BIT(arg);
	memcpy(c->text + c->used, &n, sizeof(n));
	memcpy(c->text + c->used + sizeof(n), vec, n * sizeof(*vec));
	c->used += sizeof(n) + n * sizeof(*vec);
	c->len[arg] += sizeof(n) + n * sizeof(*vec);
	return copy_contents(c, arg, vec, n, most, limit);
}

/* Append @len bytes, at most @most, and say in @got how many. Return: were they there? */
static bool copy_part(struct pev_call_copy *c, u8 arg, const void __user *from, u64 len, u32 most,
		      u32 *got)
{
	*got = from ? min_t(u64, len, most) : 0;
	if (*got && copy_from_user_nofault(c->text + c->used, from, *got))
		return false;
	c->used += *got;
	c->len[arg] += *got;
	return true;
}

/*
 * Append the lengths of a message's name and of its control data, and these, of which
 * the latter leave half of the room to the buffers.
 */
static bool copy_parts(struct pev_call_copy *c, u8 arg, const struct user_msghdr *head, u32 limit)
{
	u8 *at = c->text + c->used;
	u32 lens[2] = { };

	if (room(c, limit - c->len[arg]) < sizeof(lens)) {
		c->cut |= BIT(arg);
		return true;
	}
	c->used += sizeof(lens);
	c->len[arg] += sizeof(lens);
	if (!copy_part(c, arg, head->msg_name, max(head->msg_namelen, 0),
		       min_t(u32, room(c, limit - c->len[arg]),
			     sizeof(struct __kernel_sockaddr_storage)), &lens[0]) ||
	    !copy_part(c, arg, head->msg_control, head->msg_controllen,
		       room(c, limit - c->len[arg]) / 2, &lens[1]))
		return false;
	memcpy(at, lens, sizeof(lens));
	return true;
}

/* Append a message's header and what that points to. */
static bool copy_message(struct pev_call_copy *c, u8 arg, unsigned long from, u64 most, u32 limit)
{
	struct user_msghdr head;

	if (!copy_elements(c, arg, from, 1, sizeof(head), limit))
		return false;
	if (c->len[arg] < sizeof(head))
		return true;
	memcpy(&head, c->text + c->used - sizeof(head), sizeof(head));
	return copy_parts(c, arg, &head, limit) &&
	       copy_buffers(c, arg, (unsigned long)head.msg_iov, head.msg_iovlen, most, limit);
}

/* Append the words of an fd_set, of which the call looks at @n bits. */
static bool copy_bits(struct pev_call_copy *c, u8 arg, unsigned long from, int n, u32 most,
		      u32 limit)
{
	u32 words = DIV_ROUND_UP((u32)max(n, 0), 64);
	u64 last;

	if (words > most)
		c->cut |= BIT(arg);
	if (!copy_elements(c, arg, from, min(words, most), sizeof(last), limit))
		return false;
	/* what lies beyond is nobody's */
	if (words && n % 64 && c->len[arg] == words * sizeof(last)) {
		u8 *at = c->text + c->used - sizeof(last);

		memcpy(&last, at, sizeof(last));
		last &= GENMASK_ULL(n % 64 - 1, 0);
		memcpy(at, &last, sizeof(last));
	}
	return true;
}

/**
 * count_elements() - how many elements an argument points to
 * @rule:  of the argument
 * @next:  the argument behind it
 * @ret:   what the call returned; when it begins, 0
 * @count: gets the number
 *
 * Return: is it known?
 */
static bool count_elements(const struct pev_call_rule *rule, unsigned long next, long ret,
			   u64 *count)
{
	int n;

	switch (rule->amount) {
	case PEV_AMOUNT_NEXT:
		*count = next;
		return true;
	case PEV_AMOUNT_RETURNED:
		/* recvfrom() with MSG_TRUNC may return more than the buffer holds */
		*count = min_t(unsigned long, next, ret);
		return true;
	case PEV_AMOUNT_NEXT_INT:
		n = next;
		break;
	case PEV_AMOUNT_AT_NEXT:
		if (copy_from_user_nofault(&n, (const void __user *)next, sizeof(n)))
			return false;
		break;
	default:
		n = 1;
	}
	/* what is below 0 is refused by the call: there is nothing */
	*count = max(n, 0);
	return true;
}

/* Return: was it there? */
static bool copy_arg(struct pev_call_copy *c, u8 arg, const struct pev_call_rule *rule,
		     const unsigned long *args, u32 limit, long ret)
{
	unsigned long from = args[arg];
	unsigned long next = arg + 1 < PEV_NR_ARGS ? args[arg + 1] : 0;
	/* of buffers that the call has filled */
	u64 most = rule->when & PEV_CALL_OUT ? ret : U64_MAX;
	u64 count;

	switch (rule->amount) {
	case PEV_AMOUNT_STRING:
		return copy_string(c, arg, from, limit);
	case PEV_AMOUNT_STRINGS:
		return copy_list(c, arg, from, limit);
	case PEV_AMOUNT_BITS:
		return copy_bits(c, arg, from, args[0], rule->most, limit);
	case PEV_AMOUNT_BUFFERS:
		return copy_buffers(c, arg, from, next, most, limit);
	case PEV_AMOUNT_MESSAGE:
		return copy_message(c, arg, from, most, limit);
	case PEV_AMOUNT_REQUEST:
		return copy_elements(c, arg, from, pev_call_request(args[arg - 1]).size, 1, limit);
	}
	if (!count_elements(rule, next, ret, &count))
		return false;
	if (rule->most && count > rule->most) {
		c->cut |= BIT(arg);
		count = rule->most;
	}
	return copy_elements(c, arg, from, count, rule->size, limit);
}

/* --- a call -------------------------------------------------------------- */

/* This CPU's copy, with nothing in it. */
static struct pev_call_copy *copy_begin(void)
{
	struct pev_call_copy *c = this_cpu_ptr(copies);

	memset(c, 0, offsetof(struct pev_call_copy, text));
	return c;
}

/* The plan of the call; NULL if nothing is known of it. */
static const struct pev_call_plan *plan_of(struct pev_call_copy *c, const struct pev_trace *trace,
					   int nr)
{
	if (likely(!in_compat_syscall()))
		return pev_call_plan(nr);
	/* the numbers mean other calls, and structures differ */
	if (trace->structs)
		memset(c->kind, PEV_CALL_COMPAT, sizeof(c->kind));
	return NULL;
}

static u32 missed_bit(void)
{
	return hash_32(current->pid, MISSED_BITS);
}

/* Does an argument point to something at that time? Of ioctl() the request decides. */
static bool points(const struct pev_call_rule *rule, u8 arg, const unsigned long *args, u8 when)
{
	if (!args[arg])
		return false;
	return rule->amount != PEV_AMOUNT_REQUEST || pev_call_request(args[arg - 1]).when & when;
}

/*
 * Copy what is there at the times @when, PEV_CALL_IN, PEV_CALL_OUT or both. Return: were all
 * there?
 */
static bool copy_args(struct pev_call_copy *c, const struct pev_trace *trace,
		      const struct pev_call_plan *plan, u8 when, const unsigned long *args,
		      long ret)
{
	const struct pev_call_masks *masks = &plan->of[trace->structs];
	u8 mask = (when & PEV_CALL_IN ? masks->enter : 0) | (when & PEV_CALL_OUT ? masks->out : 0);
	bool all = true;

	if (trace->structs)
		memcpy(c->kind, plan->kind, sizeof(c->kind));
	for (u8 i = 0; i < PEV_NR_ARGS; i++) {
		const struct pev_call_rule *rule = pev_call_rule(plan, i);

		if (!(mask & BIT(i)) || !points(rule, i, args, when))
			continue;
		if (copy_arg(c, i, rule, args, trace->limit, ret)) {
			c->copied |= BIT(i);
		} else {
			c->used -= c->len[i];
			c->len[i] = 0;
			c->cut &= ~BIT(i);
			all = false;
		}
	}
	return all;
}

/**
 * pev_call_copy_enter() - what the arguments of a call that begins point to
 * @trace: of the event that wants it
 * @nr:    of the call
 * @args:  of the call
 *
 * Context: The task that makes the call, preemption disabled.
 * Return: the copies, until the next call on this CPU.
 */
const struct pev_call_copy *pev_call_copy_enter(const struct pev_trace *trace, int nr,
						const unsigned long *args)
{
	struct pev_call_copy *c = copy_begin();
	const struct pev_call_plan *plan = plan_of(c, trace, nr);
	u32 bit = missed_bit();

	if (!plan)
		return c;
	if (!copy_args(c, trace, plan, PEV_CALL_IN, args, 0))
		set_bit(bit, missed);
	else if (test_bit(bit, missed))
		clear_bit(bit, missed);
	return c;
}

/**
 * pev_call_copy_exit() - what they point to when the call has ended
 * @trace: of the event that wants it
 * @nr:    of the call
 * @args:  of the call
 * @ret:   what it returns
 *
 * Context: as pev_call_copy_enter().
 * Return: as pev_call_copy_enter(): what the call has filled in, if it worked, and
 * what was not there when it began.
 */
const struct pev_call_copy *pev_call_copy_exit(const struct pev_trace *trace, int nr,
					       const unsigned long *args, long ret)
{
	struct pev_call_copy *c = copy_begin();
	const struct pev_call_plan *plan = plan_of(c, trace, nr);
	u8 when = 0;

	if (!plan || (plan->exec && ret >= 0))
		return c;
	if (test_bit(missed_bit(), missed))
		when |= PEV_CALL_IN;
	if (ret >= 0)
		when |= PEV_CALL_OUT;
	copy_args(c, trace, plan, when, args, ret);
	return c;
}
