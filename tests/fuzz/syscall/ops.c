// SPDX-License-Identifier: GPL-2.0
/*
 * The table of operations, and those on pev's own descriptors.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"

#define GARBAGE	5

static void open_channel(struct player *w, const struct op *op, struct rng *r)
{
	struct channel *c = &w->channels[op->a % CHANNELS];
	struct pev_attr attr;
	int fd;

	channel_close(c);
	attr_channel(r, &attr);
	fd = k_event(&attr);
	if (fd >= 0 && attr.flags & PEV_CHF_PANIC && !me->root)
		broken("a channel for the console was opened without rights");
	if (fd >= 0)
		channel_opened(c, fd, attr.flags & PEV_CHF_OVERWRITE);
	else if (attr.flags & PEV_CHF_PANIC && fd == (me->root ? -EBUSY : -EACCES))
		;	/* there are PEV_MAX_PANIC others, or it takes rights */
	else if (fd != -EPERM && fd != -ENOMEM && fd != -EINTR && fd != -EMFILE)
		broken("a plain channel was refused: %s: %s", strerror(-fd), k_reason());
}

static struct channel *channel_of(struct player *w, int fd)
{
	for (unsigned int i = 0; i < CHANNELS; i++)
		if (fd >= 0 && w->channels[i].fd == fd)
			return &w->channels[i];
	return NULL;
}

/* Returns NULL if it was refused. */
static struct event *open_in(struct player *w, unsigned int slot, const struct pev_attr *attr,
			     const struct layout *layout)
{
	struct event *e = &w->events[slot % EVENTS];
	int fd;

	event_close(e);
	fd = k_event(attr);
	if (fd < 0)
		return NULL;
	event_opened(e, fd, attr, layout, channel_of(w, attr->channel_fd));
	return e;
}

static void open_event(struct player *w, const struct op *op, struct rng *r)
{
	struct layout layout;
	struct pev_attr attr;
	struct event *e;

	attr_event(w, r, &attr, &layout);
	e = open_in(w, op->a, &attr, &layout);
	if (e && one_in(r, 3))
		event_excite(e, r);
}

/* An event whose records wait for stacks of this thread, and who brings these. */
static void open_stacks(struct player *w, const struct op *op, struct rng *r)
{
	struct channel *c = pick_channel(w, op->b);
	struct layout layout = { .known = true,
				 .lens = -1,
				 .fixed = sizeof(struct pev_ustack_record) };
	struct pev_attr attr = {
		.type = PEV_TYPE_USTACK,
		.target = PEV_TARGET_TASK + below(r, 3),
		.sample = PEV_SAMPLE_USTACK | PEV_SAMPLE_TID,
		.group_fd = -1,
	};
	/* of records about a wait, what runs next owes the stack */
	bool cpus = w->root && one_in(r, 3), waits = one_in(r, 3);
	struct event *e;

	if (!c)
		return;
	/* whatever runs there, and what leaves it */
	if (cpus)
		attr.target = PEV_TARGET_CPUS;
	attr.channel_fd = c->fd;
	attr.max_stack = one_in(r, 2) ? 1 + below(r, PEV_MAX_STACK) : 0;
	layout.sample = attr.sample;
	if (!one_in(r, 4))
		open_in(w, op->a, &attr, &layout);
	do
		attr_event(w, r, &attr, &layout);
	while (attr.channel_fd < 0 || attr.type == PEV_TYPE_USTACK ||
	       (waits && attr.type != PEV_TYPE_WAIT));
	attr.channel_fd = c->fd;
	attr.target = cpus && one_in(r, 2) ? PEV_TARGET_CPUS : PEV_TARGET_TASK;
	if (attr.target == PEV_TARGET_CPUS)
		attr.flags &= ~PEV_F_ENABLE_ON_EXEC;
	attr.target_id = 0;
	attr.cpus = 0;
	attr.cpus_size = 0;
	attr.group_fd = -1;
	attr.sample |= PEV_SAMPLE_COOKIE | PEV_SAMPLE_USTACK;
	if (waits) {
		attr.target = PEV_TARGET_TASK;
		attr.sample &= ~PEV_SAMPLE_CONTEXT;
		attr.flags &= ~(PEV_F_START | PEV_F_STOP | PEV_F_FREEZE);
	}
	layout.sample = attr.sample;
	e = open_in(w, op->a + 1, &attr, &layout);
	if (e)
		event_excite(e, r);
}

/* Of all kinds this one has the most choices. */
static void open_probe(struct player *w, const struct op *op, struct rng *r)
{
	struct layout layout;
	struct pev_attr attr;
	struct event *e;

	do
		attr_event(w, r, &attr, &layout);
	while (attr.type != PEV_TYPE_PROBE);
	e = open_in(w, op->a, &attr, &layout);
	if (e)
		event_excite(e, r);
}

/* System calls whose memory is copied, all of it, and calls that have some. */
static void open_calls(struct player *w, const struct op *op, struct rng *r)
{
	static const char *const names[] = {
		"raw_syscalls:sys_enter",    "raw_syscalls:sys_exit",
		"syscalls:sys_enter_execve", "syscalls:sys_enter_openat",
		"syscalls:sys_enter_write",
	};
	struct channel *c = pick_channel(w, op->b);
	const char *name = names[one_in(r, 3) ? below(r, ARRAY_SIZE(names)) : below(r, 2)];
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT,
		.target = PEV_TARGET_TASK,
		.flags = PEV_F_EXCLUDE_KERNEL | PEV_F_TEXT | (one_in(r, 4) ? 0 : PEV_F_STRUCTS),
		.sample = PEV_SAMPLE_TID,
		.config = one_in(r, 2) ? 0 : 1 + below(r, one_in(r, 2) ? 40 : PEV_MAX_CALL_TEXT),
		.name = (uintptr_t)name,
		.period = 1,
		.group_fd = -1,
	};
	struct layout layout;
	struct event *e;

	if (!c)
		return;
	attr.channel_fd = c->fd;
	attr_layout(name, &layout);
	layout.sample = attr.sample;
	layout.kinds = attr.flags & PEV_F_STRUCTS;
	layout.lens = strstr(name, "raw") ? 6 : strstr(name, "execve") ? 2 : 1;
	e = open_in(w, op->a, &attr, &layout);
	for (unsigned int n = 2; e && n; n--)
		event_excite(e, r);
}

static void excite(struct player *w, const struct op *op, struct rng *r)
{
	struct event *e = pick_event(w, op->a);

	if (e)
		event_excite(e, r);
}

/* Many at once: in one channel, on one target. */
static void open_many(struct player *w, const struct op *op, struct rng *r)
{
	unsigned int n = 2 + below(r, 14);
	struct layout layout;
	struct pev_attr attr;
	int fd, leader = -1;

	attr_event(w, r, &attr, &layout);
	for (unsigned int i = 0; i < n; i++) {
		struct event *e = &w->events[(op->a + i) % EVENTS];

		event_close(e);
		if (leader >= 0 && one_in(r, 2))
			attr.group_fd = leader;
		if (attr.group_fd >= 0 && attr.group_fd != leader)
			attr.group_fd = -1;
		fd = k_event(&attr);
		if (fd < 0)
			break;
		event_opened(e, fd, &attr, &layout, channel_of(w, attr.channel_fd));
		if (leader < 0 && attr.group_fd < 0)
			leader = fd;
	}
	/* all of them see it */
	if (one_in(r, 3))
		event_excite(&w->events[op->a % EVENTS], r);
}

/* Not what the model knows: kept apart, and not followed. */
static void keep(struct player *w, unsigned int slot, int fd)
{
	int *other = &w->others[slot % OTHERS];
	struct pev_id id = { .size = sizeof(id) };

	if (*other >= 0)
		k_close(*other);
	*other = fd;
	if (k_ioctl(fd, PEV_IOC_ID, (uintptr_t)&id) || !id.channel)
		return;
	for (unsigned int i = 0; i < CHANNELS; i++)
		if (w->channels[i].fd >= 0 && w->channels[i].info.id == id.channel)
			channel_taint(&w->channels[i]);
}

static void open_mutated(struct player *w, const struct op *op, struct rng *r)
{
	size_t size = sizeof(struct pev_attr);
	struct layout layout;
	struct pev_attr attr;
	uint32_t flags = PEV_OPEN_CLOEXEC;
	int fd;

	switch (below(r, 8)) {
	case 0:
	case 2:
		attr_channel(r, &attr);
		break;
	case 1:
		memset(&attr, 0, sizeof(attr));
		attr.type = PEV_TYPE_INFO;
		attr.info = attr_room(r);
		attr.info_size = below(r, 256);
		break;
	default:
		attr_event(w, r, &attr, &layout);
	}
	attr.refusal = attr_room(r);
	attr.refusal_size = below(r, 256);
	attr_mutate(w, r, &attr, &size, &flags);
	if (one_in(r, 8))
		fd = k_open(edge(r, &attr, sizeof(attr)), size, flags);
	else
		fd = k_open(&attr, size, flags);
	if (fd > 0)
		keep(w, op->a, fd);
}

/* Those of information; what unprivileged workers read is looked through. */
static void open_query(struct player *w, const struct op *op, struct rng *r)
{
	static __thread char text[65536];
	struct pev_info info;
	struct pev_attr attr = {
		.type = PEV_TYPE_INFO, .info = (uintptr_t)&info, .info_size = sizeof(info),
	};
	ssize_t got;
	int fd;

	if (k_event(&attr) < 0) {
		broken("an info query failed: %s", k_reason());
	} else if (!w->root) {
		/* of flags, the highest two are how addresses of POWER's kernel begin */
		info.event_flags &= ~PEV_F_PRECISE_ALL;
		scan_words(&info, sizeof(info), "struct pev_info");
	}
	memset(&attr, 0, sizeof(attr));
	attr.type = one_in(r, 12) ? PEV_TYPE_CATALOG : PEV_TYPE_PMU;
	if (one_in(r, 3)) {
		attr.type = PEV_TYPE_CLIENT;
		attr.name = (uintptr_t)(one_in(r, 4) ? "pev_log_private" : "pev_log");
		attr.channel_fd = -1;
		attr.group_fd = -1;
	}
	fd = k_event(&attr);
	if (fd < 0)
		return;
	got = k_read(fd, text, sizeof(text) - 1);
	if (got > 0 && !w->root) {
		text[got] = '\0';
		scan_text(text, "a list");
	}
	keep(w, op->a, fd);
}

static void close_event(struct player *w, const struct op *op, struct rng *r)
{
	unsigned int n = one_in(r, 8) ? 1 + below(r, 12) : 1;

	while (n--) {
		struct event *e = pick_event(w, op->a + n);

		if (e)
			event_close(e);
	}
}

static void close_channel(struct player *w, const struct op *op, struct rng *r)
{
	struct channel *c = pick_channel(w, op->a);

	(void)r;
	if (c)
		channel_close(c);
}

static void dup_event(struct player *w, const struct op *op, struct rng *r)
{
	struct event *e = pick_event(w, op->a);
	int *other = &w->others[op->b % OTHERS], fd;

	if (!e)
		return;
	e->shared = true;
	fd = fcntl(e->fd, F_DUPFD_CLOEXEC, 3 + below(r, 30));
	if (fd < 0)
		return;
	if (*other >= 0)
		k_close(*other);
	*other = fd;
}

static void read_event(struct player *w, const struct op *op, struct rng *r)
{
	struct event *e = pick_event(w, op->a);
	struct pev_value values[64];

	if (!e)
		return;
	if (one_in(r, 4))
		k_read(e->fd, values, below(r, sizeof(values)));
	else
		law_value(e);
}

static void read_metadata(struct player *w, const struct op *op, struct rng *r)
{
	struct channel *c = pick_channel(w, op->a);
	static __thread char text[32768];
	ssize_t got;

	if (!c)
		return;
	if (one_in(r, 4))
		lseek(c->fd, one_in(r, 2) ? 0 : (off_t)strange(r), SEEK_SET);
	got = k_read(c->fd, text, below(r, sizeof(text)));
	if (got > 0 && !w->root) {
		text[got] = '\0';
		scan_text(text, "metadata");
	}
}

static void control_fd(struct player *w, struct event *e, struct channel *c, struct rng *r)
{
	static const unsigned long commands[] = {
		PEV_IOC_ENABLE, PEV_IOC_ENABLE, PEV_IOC_DISABLE, PEV_IOC_RESET,
	};
	unsigned long cmd = commands[below(r, ARRAY_SIZE(commands))], arg = one_in(r, 4);

	if (cmd == PEV_IOC_RESET) {
		if (!one_in(r, 4))
			return;
		for (unsigned int i = 0; i < EVENTS; i++)
			if (w->events[i].member)
				w->events[i].member->reset = true;
	}
	if (one_in(r, 32))
		arg = strange(r);
	k_ioctl(e ? e->fd : c->fd, cmd, arg);
}

static void control_event(struct player *w, const struct op *op, struct rng *r)
{
	struct event *e = pick_event(w, op->a);

	if (e)
		control_fd(w, e, NULL, r);
}

static void control_channel(struct player *w, const struct op *op, struct rng *r)
{
	struct channel *c = pick_channel(w, op->a);

	if (c)
		control_fd(w, NULL, c, r);
}

static void period(struct player *w, const struct op *op, struct rng *r)
{
	struct event *e = pick_event(w, op->a);
	uint64_t value = one_in(r, 3) ? strange(r) : 1 + below(r, 100);
	unsigned long cmd = one_in(r, 4) ? PEV_IOC_GROUP_PERIOD : PEV_IOC_PERIOD;
	bool all_of_them = one_in(r, 8);
	struct channel *c = pick_channel(w, op->b);

	if (!e || (all_of_them && !c))
		return;
	if (e->attr.type == PEV_TYPE_TIMER)
		value = value * 10007 + (one_in(r, 8) && !slow ? 0 : 500000);
	for (unsigned int i = 0; i < EVENTS; i++)
		if (w->events[i].attr.type != PEV_TYPE_SIDEBAND &&
		    w->events[i].attr.type != PEV_TYPE_WAIT &&
		    w->events[i].attr.type != PEV_TYPE_USTACK)
			w->events[i].one = false;
	k_ioctl(all_of_them ? c->fd : e->fd, cmd, one_in(r, 40) ? strange(r) : (uintptr_t)&value);
}

static void filter(struct player *w, const struct op *op, struct rng *r)
{
	struct event *e = pick_event(w, op->a);
	struct channel *c = one_in(r, 6) ? pick_channel(w, op->b) : NULL;
	static __thread char text[400];
	struct pev_filter_arg arg = {
		.refusal = (uintptr_t)text, .refusal_size = sizeof(text), .flags = one_in(r, 4),
	};

	if (!e)
		return;
	if (!one_in(r, 4))
		arg.filter = (uintptr_t)attr_filter(r, &e->attr);
	if (one_in(r, 32))
		arg.flags = strange(r);
	if (one_in(r, 32))
		arg.filter = strange(r);
	for (unsigned int i = 0; i < EVENTS; i++)
		w->events[i].attr.filter = 1;
	memset(text, 0, sizeof(text));
	k_ioctl(c ? c->fd : e->fd, PEV_IOC_FILTER, (uintptr_t)&arg);
	text[sizeof(text) - 1] = '\0';
	if (!w->root)
		scan_text(text + sizeof(struct pev_refusal), "a filter's refusal");
}

static void ask_event(struct player *w, const struct op *op, struct rng *r)
{
	struct event *e = pick_event(w, op->a);
	static __thread struct pev_value values[MAX_CPUS];
	struct pev_cpu_values cpus = {
		.values = (uintptr_t)values, .nr = one_in(r, 4) ? below(r, 8) : MAX_CPUS,
	};
	struct pev_multiplexed m = { .size = one_in(r, 4) ? below(r, 200) : sizeof(m) };
	struct pev_counts counts = { .size = one_in(r, 4) ? below(r, 80) : sizeof(counts) };
	static __thread uint16_t lengths[16];
	struct pev_id id = {
		.size = one_in(r, 2) ? sizeof(id) : below(r, sizeof(id)),
		.lengths = one_in(r, 4) ? 8 : (uintptr_t)lengths,
		.nr_lengths = below(r, 17),
	};

	if (!e)
		return;
	switch (below(r, 6)) {
	case 0:
		k_ioctl(e->fd, PEV_IOC_ID, (uintptr_t)&id);
		break;
	case 3:
		if (counts.size <= sizeof(counts))
			k_ioctl(e->fd, PEV_IOC_READ_COUNTS, (uintptr_t)&counts);
		break;
	case 2:
		k_ioctl(e->fd, PEV_IOC_FLUSH, one_in(r, 16));
		break;
	case 1:
		if (m.size <= sizeof(m))
			k_ioctl(e->fd, PEV_IOC_READ_MULTIPLEXED, (uintptr_t)&m);
		break;
	default:
		k_ioctl(e->fd, PEV_IOC_READ_CPUS, (uintptr_t)&cpus);
	}
}

static void ask_channel(struct player *w, const struct op *op, struct rng *r)
{
	struct channel *c = pick_channel(w, op->a);
	static __thread struct pev_span spans[MAX_CPUS];
	struct pev_snapshot_arg snapshot = {
		.spans = (uintptr_t)spans, .nr = one_in(r, 4) ? below(r, 8) : MAX_CPUS,
	};
	struct pev_channel_info info = { .size = one_in(r, 4) ? below(r, 112) : sizeof(info) };
	struct pev_channel_state state = { .size = one_in(r, 4) ? below(r, 40) : sizeof(state) };

	if (!c)
		return;
	switch (below(r, 6)) {
	case 0:
		k_ioctl(c->fd, PEV_IOC_SNAPSHOT, (uintptr_t)&snapshot);
		break;
	case 2:
		if (state.size <= sizeof(state))
			k_ioctl(c->fd, PEV_IOC_CHANNEL_STATE, (uintptr_t)&state);
		break;
	case 3:
		k_ioctl(c->fd, PEV_IOC_ACT, one_in(r, 16) ? strange(r) : below(r, PEV_ACT_MAX));
		break;
	/* what is closed for good would fuzz nothing */
	case 4:
		k_ioctl(c->fd, PEV_IOC_ACT, one_in(r, 2) ? PEV_ACT_START : PEV_ACT_THAW);
		break;
	case 1:
		k_ioctl(c->fd, PEV_IOC_CHANNEL_INFO, (uintptr_t)&info);
		break;
	default:
		k_ioctl(c->fd, PEV_IOC_FLUSH, one_in(r, 16));
	}
}

/* A call that is not meant for this descriptor, or for none. */
static void garbage(struct player *w, const struct op *op, struct rng *r)
{
	struct event *e = pick_event(w, op->a);
	struct channel *c = pick_channel(w, op->b);
	int fd = e && one_in(r, 2) ? e->fd : c ? c->fd : w->others[op->a % OTHERS];
	static __thread char room[4096];
	unsigned int nr = below(r, 16), size = below(r, 256);

	memset(room, 0, sizeof(room));
	memcpy(room, &(uint64_t){ strange(r) }, 8);
	/* those that would make what the model knows untrue */
	if (nr <= 4 || nr == 10)
		nr = 5;
	k_ioctl(fd, (unsigned long)below(r, 4) << 30 | size << 16 | PEV_IOC_MAGIC << 8 | nr,
		one_in(r, 4) ? strange(r) & 0xfff : (uintptr_t)edge(r, room, 128));
	if (one_in(r, GARBAGE))
		pwrite(fd, room, 8, 0);
}

static void poll_channel(struct player *w, const struct op *op, struct rng *r)
{
	struct pollfd fds[2] = { { .events = POLLIN }, { .events = POLLIN } };
	struct channel *c = pick_channel(w, op->a);
	struct event *e = pick_event(w, op->b);

	if (!c || !e)
		return;
	fds[0].fd = c->fd;
	fds[1].fd = e->fd;
	poll(fds, 1 + one_in(r, 2), one_in(r, 16) ? 1 : 0);
	add(&all->ops, 1);
}

/* Mappings of any part, of their own and not those that are followed. */
static void map(struct player *w, const struct op *op, struct rng *r)
{
	struct mapping *m = &w->maps[op->b % MAPS];
	struct channel *c = pick_channel(w, op->a);
	struct event *e = pick_event(w, op->b);
	int prot = one_in(r, 8) ? below(r, 8) : PROT_READ;
	uint64_t offset;
	size_t size;

	if (m->at)
		k_munmap(m->at, m->size);
	m->at = NULL;
	if (e && one_in(r, 8)) {
		m->size = PAGE;
		m->at = k_mmap(e->fd, m->size, prot, MAP_SHARED, 0);
		return;
	}
	if (!c)
		return;
	offset = below(r, nr_cpus + 1) * c->info.mmap_stride;
	size = PAGE << below(r, 4);
	switch (below(r, 4)) {
	case 0:
		break;
	case 1:
		offset += c->info.mmap_user;
		size = PAGE;
		break;
	case 2:
		offset += c->info.mmap_data;
		size = one_in(r, 2) ? size : c->info.ring_size;
		break;
	default:
		offset += below(r, 8) * PAGE;
	}
	m->size = size;
	m->at = k_mmap(c->fd, size, prot, one_in(r, 4) ? MAP_PRIVATE : MAP_SHARED, offset);
}

static void remap(struct player *w, const struct op *op, struct rng *r)
{
	static const int advices[] = {
		MADV_DONTNEED, MADV_WILLNEED, MADV_DONTFORK, MADV_FREE, MADV_REMOVE, MADV_COLD,
		MADV_PAGEOUT, MADV_DODUMP, MADV_POPULATE_READ, MADV_POPULATE_WRITE,
	};
	struct mapping *m = &w->maps[op->a % MAPS];
	size_t part = PAGE * (1 + below(r, 4));
	void *at;

	if (!m->at)
		return;
	add(&all->ops, 1);
	if (part > m->size)
		part = m->size;
	switch (below(r, 5)) {
	case 0:
		mprotect(m->at, part, below(r, 4));
		break;
	case 1:
		madvise(m->at, part, advices[below(r, ARRAY_SIZE(advices))]);
		break;
	case 2:
		at = mremap(m->at, m->size, one_in(r, 2) ? m->size + PAGE : part, MREMAP_MAYMOVE);
		if (at != MAP_FAILED) {
			m->at = at;
			m->size = part < m->size ? part : m->size;
		}
		break;
	case 3:
		mlock(m->at, part);
		break;
	default:	/* the first page goes: what is left is a hole and the rest */
		munmap(m->at, PAGE);
		if (m->size > PAGE) {
			m->at = (char *)m->at + PAGE;
			m->size -= PAGE;
		} else {
			m->at = NULL;
		}
	}
}

/* A consumer that says it read what it did not. */
static void scribble(struct player *w, const struct op *op, struct rng *r)
{
	struct channel *c = pick_channel(w, op->a);
	struct ring *ring;

	if (!c || (c->followed && !one_in(r, 8)))
		return;
	channel_taint(c);
	if (rings_map(c))
		return;
	ring = &c->rings[below(r, nr_cpus)];
	add(&all->ops, 1);
	if (ring->user)
		__atomic_store_n(&ring->user->tail, strange(r), __ATOMIC_RELAXED);
}

static void drain(struct player *w, const struct op *op, struct rng *r)
{
	struct channel *c = pick_channel(w, op->a);

	(void)r;
	if (c)
		rings_drain(c);
}

static void check_channel(struct player *w, const struct op *op, struct rng *r)
{
	struct channel *c = pick_channel(w, op->a);

	if (!c)
		return;
	law_channel(c);
	if (one_in(r, 2))
		k_ioctl(c->fd, PEV_IOC_ENABLE, 0);
}

static void call_probed(struct player *w, const struct op *op, struct rng *r)
{
	(void)w;
	(void)op;
	probe_call(r);
}

static void check_exact(struct player *w, const struct op *op, struct rng *r)
{
	(void)op;
	law_exact(w, r);
}

static void check_table(struct player *w, const struct op *op, struct rng *r)
{
	(void)op;
	law_table(w, r);
}

static void check_charged(struct player *w, const struct op *op, struct rng *r)
{
	(void)op;
	law_charged(w, r);
}

static void check_counter(struct player *w, const struct op *op, struct rng *r)
{
	(void)op;
	law_counter(w, r);
}

static void check_user(struct player *w, const struct op *op, struct rng *r)
{
	(void)w;
	(void)op;
	law_user(r);
}

static void check_forks(struct player *w, const struct op *op, struct rng *r)
{
	(void)op;
	law_forks(w, r);
}

static void check_markers(struct player *w, const struct op *op, struct rng *r)
{
	(void)op;
	law_markers(w, r);
}

/* Another operation in another thread meanwhile, that takes nothing from the model. */
static void race(struct player *w, const struct op *op, struct rng *r)
{
	struct op first = { .a = op->a, .b = op->b }, second = { .a = op->a, .b = op->b };
	struct op *both[] = { &first, &second };

	for (unsigned int i = 0; i < 2; i++) {
		do {
			both[i]->kind = below(r, nr_op_types);
		} while (!(op_types[both[i]->kind].flags & OP_RACES));
		both[i]->rnd = rnd(r);
	}
	racer_start(w, &first);
	op_run(w, &second);
	racer_wait();
}

const struct op_type op_types[] = {
	{ "open-event", 110, 0, open_event },
	{ "open-channel", 12, 0, open_channel },
	{ "open-many", 14, 0, open_many },
	{ "open-stacks", 12, 0, open_stacks },
	{ "open-probe", 12, 0, open_probe },
	{ "open-calls", 8, 0, open_calls },
	{ "open-mutated", 60, 0, open_mutated },
	{ "query", 6, 0, open_query },
	{ "close-event", 40, 0, close_event },
	{ "close-channel", 6, 0, close_channel },
	{ "dup", 8, 0, dup_event },
	{ "read", 60, OP_RACES, read_event },
	{ "metadata", 16, OP_RACES, read_metadata },
	{ "control", 60, 0, control_event },
	{ "control-channel", 20, 0, control_channel },
	{ "period", 20, 0, period },
	{ "filter", 20, 0, filter },
	{ "ask-event", 40, OP_RACES, ask_event },
	{ "ask-channel", 40, OP_RACES, ask_channel },
	{ "garbage", 30, OP_RACES, garbage },
	{ "poll", 30, OP_RACES, poll_channel },
	{ "map", 20, 0, map },
	{ "remap", 16, 0, remap },
	{ "scribble", 10, 0, scribble },
	{ "drain", 40, 0, drain },
	{ "check-channel", 12, 0, check_channel },
	{ "check-exact", 24, 0, check_exact },
	{ "check-table", 16, 0, check_table },
	{ "check-user", 24, 0, check_user },
	{ "check-charged", 8, 0, check_charged },
	{ "call-probed", 12, 0, call_probed },
	{ "check-forks", 2, 0, check_forks },
	{ "check-counter", 12, 0, check_counter },
	{ "check-markers", 4, OP_ROOT, check_markers },
	{ "race", 40, 0, race },
	{ "collide", 16, 0, collide },
	{ "excite", 30, 0, excite },
	{ "work", 40, OP_RACES, world_work },
	{ "poke", 40, OP_RACES, world_poke },
	{ "victim", 2, 0, world_victim },
	{ "fork", 3, 0, world_fork },
	{ "exec", 1, 0, world_exec },
	{ "pass", 12, 0, world_pass },
	{ "signal", 6, 0, world_signal },
	{ "ptrace", 3, 0, world_ptrace },
	{ "limits", 2, 0, world_limits },
	{ "context", 12, 0, world_context },
	{ "crash", 6, 0, world_crash },
	{ "text", 8, 0, world_text },
	{ "spoil", 24, OP_RACES, world_spoil },
	{ "cgroup", 4, OP_ROOT, world_cgroup },
	{ "move", 4, OP_ROOT, world_move },
	{ "fire", 10, OP_ROOT, world_fire },
	{ "module", 2, OP_ROOT, world_module },
	{ "log", 1, OP_ROOT, world_log },
	{ "perf", 6, OP_ROOT, world_perf },
	{ "driver", 3, OP_ROOT, world_driver },
	{ "ftrace", 1, OP_ROOT, world_ftrace },
	{ "hotplug", 1, OP_ROOT, world_hotplug },
	{ "attack-filter", 3, 0, attack_filter },
	{ "attack-function", 3, 0, attack_function },
	{ "attack-exec", 1, 0, attack_exec },
	{ "attack-hold", 1, 0, attack_hold },
	{ "attack-hold-read", 1, 0, attack_hold_read },
	{ "attack-channel-filter", 1, 0, attack_channel_filter },
	{ "attack-flush", 3, 0, attack_flush },
	{ "attack-last", 1, 0, attack_last },
	{ "attack-timers", 1, 0, attack_timers },
	{ "attack-guest", 1, 0, attack_guest },
	{ "attack-grant", 6, 0, attack_grant },
	{ "beside", 8, 0, moment_beside },
	{ "shorten", 8, 0, moment_shorten },
	{ "fault-again", 4, 0, moment_fault },
	{ "plug", 2, OP_ROOT, moment_plug },
	{ "threaded", 2, OP_ROOT, moment_threaded },
	{ "perf-counter", 6, 0, moment_perf },
	{ "counted", 4, 0, moment_counted },
	{ "most-events", 1, 0, moment_most },
	{ "nested-fault", 2, OP_ROOT, moment_nested },
	{ "check-other", 4, 0, law_other },
};

const unsigned int nr_op_types = ARRAY_SIZE(op_types);

_Static_assert(ARRAY_SIZE(op_types) <= KINDS, "KINDS");

unsigned int op_run(struct player *w, const struct op *op)
{
	struct rng r = { .state = op->rnd, .choices = op->choices };

	op_types[op->kind].run(w, op, &r);
	return r.drawn;
}
