// SPDX-License-Identifier: GPL-2.0
/* Names of numbers in records. See names.h. */
#include "names.h"
#include "base/text.h"
#include "profile/rows.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

#define ENTER "syscalls:sys_enter_"
#define EXIT "syscalls:sys_exit_"
/* Numbers of devices, as the kernel has them inside */
#define MINOR_BITS 20

enum named {
	NAMED_NOTHING,
	NAMED_IRQ,
	NAMED_NETIF,
	NAMED_DEVICE,
	NAMED_CGROUP,
	NAMED_FD,
};

/* Which fields of which events are what */
static const struct {
	const char *events;
	const char *fields;
	enum named what;
} rules[] = {
	/* that of the entry has the name itself */
	{ "irq:irq_handler_exit,irq_vectors:*,irq_matrix:*", "irq", NAMED_IRQ },
	{ "net:*,qdisc:*,xdp:*,bridge:*,neigh:*,page_pool:*", "ifindex,to_ifindex", NAMED_NETIF },
	{ "fib:*,fib6:*", "oif,iif", NAMED_NETIF },
	{ "block:*,ext4:*,jbd2:*,xfs:*,f2fs:*,erofs:*,filemap:*", "dev,s_dev", NAMED_DEVICE },
	{ "writeback:*", "cgroup_ino", NAMED_CGROUP },
	{ ENTER "*",
	  "fd,fildes,dfd,oldfd,newfd,olddfd,newdfd,in_fd,out_fd,fd_in,fd_out,epfd,dirfd,pidfd",
	  NAMED_FD },
};

/**
 * struct names_class - a class of events
 * @looked: what follows was looked up
 * @fields: what each field is; NULL: none is anything
 * @enter:  the name of the call on descriptors that begins; NULL: none does ...
 * @exit:   ... or that ends
 */
struct names_class {
	bool looked;
	uint8_t *fields;
	const char *enter;
	const char *exit;
};

static enum named what_is(const struct pev_class *cls, const struct pev_field *f)
{
	if (f->shape != PEV_SHAPE_INT)
		return NAMED_NOTHING;
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (globs_match(rules[i].events, cls->name) &&
		    globs_match(rules[i].fields, f->name))
			return rules[i].what;
	return NAMED_NOTHING;
}

/* Other calls leave descriptors as they are. */
static const char *call_name(const struct pev_class *cls, const char *prefix)
{
	const char *name = cls->name + strlen(prefix);

	return !strncmp(cls->name, prefix, strlen(prefix)) && globs_match(FDS_CALLS, name) ? name :
											     NULL;
}

static void look_up(struct names_class *c, const struct pev_class *cls)
{
	c->looked = true;
	for (unsigned int i = 0; i < cls->nr_fields; i++) {
		enum named what = what_is(cls, &cls->fields[i]);

		if (!what)
			continue;
		if (!c->fields)
			c->fields = xcalloc(cls->nr_fields, 1);
		c->fields[i] = (uint8_t)what;
	}
	c->enter = call_name(cls, ENTER);
	c->exit = call_name(cls, EXIT);
}

/* Classes come while a recording is followed. */
static const struct names_class *class_of(struct script_names *n, const struct pev_class *cls)
{
	if (cls->index >= n->n_classes) {
		unsigned int more = cls->index + 16;

		n->classes = xrealloc(n->classes, more * sizeof(*n->classes));
		memset(n->classes + n->n_classes, 0, (more - n->n_classes) * sizeof(*n->classes));
		n->n_classes = more;
	}
	if (!n->classes[cls->index].looked)
		look_up(&n->classes[cls->index], cls);
	return &n->classes[cls->index];
}

/* ---- what the machine had ---- */

/* Of flags that are not known, all are set: then it is not known what an exec leaves open. */
static void take_fd(struct script_names *n, const struct inventory_row *row)
{
	if (n->certain)
		fds_set(&n->fds, (uint32_t)row->n[0], row->n[1], row->s[0], row->n[2] & O_CLOEXEC);
}

void script_names_init(struct script_names *n, const struct session *s, bool whole)
{
	*n = (struct script_names){ .session = s, .certain = whole };
	inventory_load(&n->has, s->trace);
	for (size_t i = 0; i < n->has.n; i++)
		if (n->has.rows[i].kind == INVENTORY_FD)
			take_fd(n, &n->has.rows[i]);
}

/* ---- what calls do with descriptors ---- */

static struct names_call *call_of(struct script_names *n, uint32_t tid)
{
	struct names_call *c;

	if (HTAB_GET(c, &n->h_calls, hash_u64(tid), c->tid == tid, n->calls, n->n_calls,
		     n->cap_calls))
		c->tid = tid;
	return c;
}

/* The arguments are the fields behind the call's number. */
static void begin_call(struct script_names *n, const struct pev_event *ev)
{
	struct names_call *c = call_of(n, ev->tid);
	unsigned int at = 0;

	c->open = true;
	memset(c->args, 0, sizeof(c->args));
	for (unsigned int i = 0; i < ev->cls->nr_fields && at < ARRAY_SIZE(c->args); i++) {
		const struct pev_field *f = &ev->cls->fields[i];

		if (f->shape == PEV_SHAPE_INT && strcmp(f->name, "__syscall_nr") &&
		    strcmp(f->name, "nr"))
			c->args[at++] = pev_event_int(ev, f);
	}
}

/* @args: NULL: its begin was not seen; then all that the process has is forgotten */
static void done(struct script_names *n, const char *name, uint32_t pid, const uint64_t *args,
		 int64_t ret)
{
	struct syscall_desc desc = { .name = (char *)name };

	fds_call(&n->fds, pid, &(struct fds_done){ .desc = &desc, .args = args, .ret = ret });
}

/* What these calls do is certain before they end. */
static bool is_certain(const char *name)
{
	return !strcmp(name, "close") || !strcmp(name, "exit_group");
}

static void end_call(struct script_names *n, const struct pev_event *ev, const char *name,
		     uint32_t pid)
{
	const struct pev_field *ret = pev_class_field(ev->cls, "ret");
	struct names_call *c = call_of(n, ev->tid);

	if (ret && ret->shape == PEV_SHAPE_INT && !is_certain(name))
		done(n, name, pid, c->open ? c->args : NULL, (int64_t)pev_event_int(ev, ret));
	c->open = false;
}

void script_names_event(struct script_names *n, const struct pev_event *ev,
			const struct session_class *cls, uint32_t pid)
{
	static const uint64_t none[6];
	const struct names_class *c;

	/* of a recording that is followed, it was not there when it was opened */
	if (cls->kind == SESSION_INVENTORY && n->session->follow.on) {
		size_t had = n->has.n;

		inventory_take(&n->has, ev);
		if (n->has.n > had && n->has.rows[had].kind == INVENTORY_FD)
			take_fd(n, &n->has.rows[had]);
	}
	if (!n->fds.n)
		return;
	if (cls->kind == SESSION_FORK && cls->ppid && cls->pid)
		fds_fork(&n->fds, (uint32_t)pev_event_int(ev, cls->ppid),
			 (uint32_t)pev_event_int(ev, cls->pid));
	if (cls->kind == SESSION_EXEC)
		done(n, "execve", pid, none, 0);
	if (cls->kind != SESSION_EVENT)
		return;
	c = class_of(n, ev->cls);
	if (c->enter)
		begin_call(n, ev);
	if (c->enter && is_certain(c->enter))
		done(n, c->enter, pid, call_of(n, ev->tid)->args, 0);
	else if (c->exit)
		end_call(n, ev, c->exit, pid);
}

/* ---- names ---- */

static void put(struct strbuf *b, const char *name)
{
	if (!name || !*name)
		return;
	strbuf_putc(b, '(');
	text_name(b, name);
	strbuf_putc(b, ')');
}

static const char *row_text(const struct script_names *n, enum inventory_kind kind, uint64_t number)
{
	const struct inventory_row *row = inventory_find(&n->has, kind, number, 0, NULL);

	return row ? row->s[0] : NULL;
}

/* The root of a file system rather than a directory of it that was mounted elsewhere, too */
static const char *mounted_at(const struct script_names *n, uint64_t major, uint64_t minor)
{
	const struct inventory_row *row = NULL, *first = NULL;

	while ((row = inventory_find(&n->has, INVENTORY_MOUNT, major, minor, row))) {
		if (!strcmp(row->s[3], "/"))
			return row->s[0];
		if (!first)
			first = row;
	}
	return first ? first->s[0] : NULL;
}

/* "vda1 /home" */
static void put_device(const struct script_names *n, uint64_t dev, struct strbuf *b)
{
	uint64_t major = dev >> MINOR_BITS, minor = dev & ((1u << MINOR_BITS) - 1);
	const struct inventory_row *row = inventory_find(&n->has, INVENTORY_BLOCK, major, minor,
							 NULL);
	const char *mount = mounted_at(n, major, minor);
	char *both;

	if (row && mount) {
		both = xasprintf("%s %s", row->s[0], mount);
		put(b, both);
		free(both);
	} else {
		put(b, row ? row->s[0] : mount);
	}
}

void script_names_put(struct script_names *n, const struct pev_event *ev, uint32_t pid,
		      const struct pev_field *f, struct strbuf *b)
{
	const struct names_class *c;
	uint64_t v;

	if (!n->has.n)
		return;
	c = class_of(n, ev->cls);
	if (!c->fields || !c->fields[f->index])
		return;
	v = pev_event_int(ev, f);
	switch ((enum named)c->fields[f->index]) {
	case NAMED_IRQ:
		put(b, row_text(n, INVENTORY_IRQ, v));
		break;
	case NAMED_NETIF:
		put(b, row_text(n, INVENTORY_NETIF, v));
		break;
	case NAMED_CGROUP:
		put(b, row_text(n, INVENTORY_CGROUP, v));
		break;
	case NAMED_DEVICE:
		put_device(n, v, b);
		break;
	case NAMED_FD:
		put(b, fds_name(&n->fds, pid, (int32_t)v));
		break;
	default:
		break;
	}
}

void script_names_free(struct script_names *n)
{
	for (unsigned int i = 0; i < n->n_classes; i++)
		free(n->classes[i].fields);
	free(n->classes);
	free(n->calls);
	htab_free(&n->h_calls);
	fds_free(&n->fds);
	inventory_free(&n->has);
	*n = (struct script_names){ 0 };
}
