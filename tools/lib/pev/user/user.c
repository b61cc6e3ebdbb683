// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Listening to programs: which there are, what their marks are, and their records. Rings are
 * read by ring.c, formats understood by parse.c.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <pev/pev.h>
#include <pev/user.h>
#include "core/compiler.h"
#include "user/ring.h"

/* Threads of which one reading asks whether they are another process's */
#define MOST_ASKED 64
#define TIDS 64

/* A descriptor by which a producer was found, and what it calls it */
struct found {
	int fd;
	uint32_t number;
};

/**
 * struct producer - a process
 * @found:   how, at most once by each listener
 * @gate:    the kernel's
 * @rings:   by number
 * @classes: of its marks; UINT32_MAX: it was not asked for, or is not understood
 * @times:   of the last record of each ring
 * @asked:   threads that were looked for; tid 0: none
 * @ended:   nothing more comes
 * @no_room: counted
 */
struct producer {
	struct pev_user_next next;
	struct found *found;
	size_t n_found;
	const volatile struct pev_user_gate *gate;
	struct user_ring *rings;
	uint64_t *times;
	uint32_t *classes;
	struct {
		uint32_t claimed;
		uint32_t tid;
	} asked[TIDS];
	bool ended;
	bool no_room;
};

struct listener {
	int fd;
	char name[256];
	uint32_t next;
};

struct pev_user {
	struct listener *listeners;
	size_t n_listeners;
	struct producer **producers;
	size_t n_producers;
	struct pev_user_class **classes;
	uint32_t n_classes;
	struct pev_user_sums sums;
	uint64_t begin;
	long page;
};

/* ---- classes ---- */

static bool is_meant(const struct pev_user *u, const char *name)
{
	for (size_t i = 0; i < u->n_listeners; i++) {
		const char *pattern = u->listeners[i].name;
		size_t len = strlen(pattern);

		if (len && pattern[len - 1] == '*' ? !strncmp(name, pattern, len - 1) :
						     !strcmp(name, pattern))
			return true;
	}
	return false;
}

/* The kernel has checked it, but this is what goes into metadata. */
static bool is_name(const char *name)
{
	size_t i;

	for (i = 0; name[i]; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_' && name[i] != ':')
			return false;
	return i && i < sizeof(((struct pev_user_class *)0)->name);
}

static bool same_fields(const struct pev_user_class *a, const struct pev_user_class *b)
{
	if (a->nr_fields != b->nr_fields)
		return false;
	for (uint32_t i = 0; i < a->nr_fields; i++)
		if (strcmp(a->fields[i].name, b->fields[i].name) ||
		    a->fields[i].kind != b->fields[i].kind ||
		    a->fields[i].bits != b->fields[i].bits)
			return false;
	return true;
}

/* Returns the index of a class, or UINT32_MAX. */
static uint32_t add_class(struct pev_user *u, const struct pev_user_class *cls)
{
	struct pev_user_class **more, *copy;
	uint32_t i;

	for (i = 0; i < u->n_classes; i++)
		if (!strcmp(u->classes[i]->name, cls->name) &&
		    !strcmp(u->classes[i]->format, cls->format) && same_fields(u->classes[i], cls))
			return i;
	if (u->n_classes == PEV_MAX_CHANNEL_EVENTS)
		return UINT32_MAX;
	copy = malloc(sizeof(*copy));
	more = realloc(u->classes, (i + 1) * sizeof(*more));
	if (more)
		u->classes = more;
	if (!more || !copy) {
		free(copy);
		return UINT32_MAX;
	}
	*copy = *cls;
	copy->index = i;
	u->classes[u->n_classes++] = copy;
	return i;
}

static uint32_t class_of(struct pev_user *u, const char *strings, const struct pev_user_mark *mark)
{
	struct pev_user_class cls;

	memset(&cls, 0, sizeof(cls));
	if (!is_name(strings + mark->name) || !is_meant(u, strings + mark->name) ||
	    strlen(strings + mark->format) >= sizeof(cls.format))
		return UINT32_MAX;
	strcpy(cls.name, strings + mark->name);
	strcpy(cls.format, strings + mark->format);
	if (pev_user_parse(cls.format, strings + mark->fields, &cls))
		return UINT32_MAX;
	return add_class(u, &cls);
}

/* ---- producers ---- */

static uint64_t stride(const struct pev_user *u, const struct producer *p)
{
	uint64_t page = (uint64_t)u->page;

	return page + (p->next.ring_size + page - 1) / page * page;
}

static void producer_free(struct pev_user *u, struct producer *p)
{
	for (uint32_t i = 0; p->rings && i < p->next.nr_rings; i++)
		if (p->rings[i].head)
			munmap((void *)(uintptr_t)p->rings[i].head, stride(u, p));
	if (p->gate)
		munmap((void *)(uintptr_t)p->gate, (size_t)u->page);
	for (size_t i = 0; i < p->n_found; i++)
		ioctl(p->found[i].fd, PEV_IOC_USER_DONE, &p->found[i].number);
	free(p->found);
	free(p->rings);
	free(p->times);
	free(p->classes);
	free(p);
}

static struct producer *producer_by_id(const struct pev_user *u, uint64_t id)
{
	for (size_t i = 0; i < u->n_producers; i++)
		if (u->producers[i]->next.id == id)
			return u->producers[i];
	return NULL;
}

static int add_found(struct producer *p, int fd, uint32_t number)
{
	struct found *more = realloc(p->found, (p->n_found + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	p->found = more;
	more[p->n_found++] = (struct found){ .fd = fd, .number = number };
	return 0;
}

static int producer_fill(struct pev_user *u, struct producer *p, int fd,
			 const struct pev_user_mark *marks, const char *strings)
{
	void *gate = mmap(NULL, (size_t)u->page, PROT_READ, MAP_SHARED, fd,
			  (off_t)p->next.mmap_offset);

	if (gate == MAP_FAILED)
		return -errno;
	p->gate = gate;
	p->rings = calloc(p->next.nr_rings, sizeof(*p->rings));
	p->times = calloc(p->next.nr_rings, sizeof(*p->times));
	p->classes = calloc(p->next.nr_marks, sizeof(*p->classes));
	if (!p->rings || !p->times || !p->classes)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->next.nr_marks; i++)
		p->classes[i] = class_of(u, strings, &marks[i]);
	return add_found(p, fd, p->next.number);
}

static int add_producer(struct pev_user *u, int fd, const struct pev_user_next *next,
			const struct pev_user_mark *marks, const char *strings)
{
	struct producer *p = producer_by_id(u, next->id), **more;
	int err;

	if (p)
		return add_found(p, fd, next->number);
	p = calloc(1, sizeof(*p));
	more = realloc(u->producers, (u->n_producers + 1) * sizeof(*more));
	if (more)
		u->producers = more;
	if (!p || !more) {
		free(p);
		return -ENOMEM;
	}
	p->next = *next;
	err = producer_fill(u, p, fd, marks, strings);
	if (err) {
		producer_free(u, p);
		return err;
	}
	u->producers[u->n_producers++] = p;
	u->sums.producers++;
	return 0;
}

/* Returns 1 if there was one, 0 if not, or -errno. */
static int find_next(struct pev_user *u, struct listener *l, struct pev_user_mark *marks,
		     char *strings)
{
	struct pev_user_next next = {
		.size = sizeof(next),
		.number = l->next,
		.marks = (uintptr_t)marks,
		.strings = (uintptr_t)strings,
		.nr_marks = PEV_MAX_USER_MARKS,
		.strings_size = PEV_MAX_USER_STRINGS,
	};
	int err = ioctl(l->fd, PEV_IOC_USER_NEXT, &next) ? -errno : 0;

	if (err == -EAGAIN)
		return 0;
	if (err && err != -EACCES)
		return err;
	l->next = next.number + 1;
	if (!err)
		err = add_producer(u, l->fd, &next, marks, strings);
	/* one that has gained rights, or ended and was forgotten, is passed over */
	return err == -ENOMEM ? err : 1;
}

PEV_EXPORT int pev_user_find(struct pev_user *u)
{
	struct pev_user_mark *marks = calloc(PEV_MAX_USER_MARKS, sizeof(*marks));
	char *strings = malloc(PEV_MAX_USER_STRINGS);
	int more = marks && strings ? 0 : -ENOMEM;

	for (size_t i = 0; i < u->n_listeners && more >= 0; i++)
		do
			more = find_next(u, &u->listeners[i], marks, strings);
		while (more > 0);
	free(marks);
	free(strings);
	return more;
}

/* ---- records ---- */

/* What a record is read with */
struct reading {
	struct pev_user *user;
	struct producer *producer;
	uint32_t ring;
	uint64_t now;
	unsigned int asked;
	pev_user_fn fn;
	void *arg;
	int64_t records;
};

/* A thread that belongs to another process is none of this one; one that has ended may be. */
static bool is_of(uint32_t tid, uint32_t pid)
{
	char path[40], line[128];
	unsigned int tgid = pid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %u", &tgid) == 1)
			break;
	if (f)
		fclose(f);
	return tgid == pid;
}

static uint32_t told_tid(struct reading *r, uint32_t claimed)
{
	struct producer *p = r->producer;
	size_t at = claimed % TIDS;

	if (!claimed || claimed == p->next.inner_pid || p->next.pid != p->next.inner_pid)
		return p->next.pid;
	if (p->asked[at].claimed == claimed)
		return p->asked[at].tid;
	if (r->asked++ >= MOST_ASKED)
		return p->next.pid;
	p->asked[at].claimed = claimed;
	p->asked[at].tid = is_of(claimed, p->next.pid) ? claimed : p->next.pid;
	return p->asked[at].tid;
}

static uint64_t cut(uint64_t word, const struct pev_user_field *f)
{
	unsigned int unused = 64 - f->bits;

	if (f->kind == PEV_USER_SIGNED)
		return (uint64_t)((int64_t)(word << unused) >> unused);
	return word << unused >> unused;
}

/* Returns whether the words are what the fields want. */
static bool take_values(struct pev_user_event *ev, const uint64_t *words, uint32_t units)
{
	for (uint32_t i = 0; i < ev->cls->nr_fields; i++) {
		const struct pev_user_field *f = &ev->cls->fields[i];
		struct pev_user_value *v = &ev->values[i];
		uint64_t more = 0;

		if (!units)
			return false;
		if (f->kind == PEV_USER_TEXT) {
			if (words[0] > (units - 1) * 8ull)
				return false;
			v->len = (uint32_t)words[0];
			v->text = (const char *)(words + 1);
			more = (v->len + 7) / 8;
		} else {
			v->word = cut(words[0], f);
		}
		words += 1 + more;
		units -= (uint32_t)(1 + more);
	}
	return true;
}

static int take_record(void *arg, const uint64_t *words, uint32_t units)
{
	struct reading *r = arg;
	struct producer *p = r->producer;
	struct pev_user_event ev = { .producer = p->next.id, .ring = r->ring, .pid = p->next.pid };
	uint32_t mark = words[0] >> 16 & 0xffff;
	int err;

	if (mark >= p->next.nr_marks) {
		r->user->sums.damaged++;
		return 0;
	}
	if (p->classes[mark] == UINT32_MAX)
		return 0;
	ev.cls = r->user->classes[p->classes[mark]];
	ev.time = words[1];
	if (ev.time > r->now)
		ev.time = r->now;
	if (ev.time < p->times[r->ring])
		ev.time = p->times[r->ring];
	p->times[r->ring] = ev.time;
	ev.tid = told_tid(r, (uint32_t)(words[0] >> 32));
	if (!take_values(&ev, words + 2, units - 2)) {
		r->user->sums.damaged++;
		return 0;
	}
	err = r->fn(r->arg, &ev);
	r->records += err >= 0;
	return err < 0 ? err : 0;
}

static void map_ring(struct pev_user *u, struct producer *p, uint32_t nr)
{
	struct user_ring *ring = &p->rings[nr];
	uint64_t at = p->next.mmap_offset + (uint64_t)u->page + nr * stride(u, p);
	char *map = mmap(NULL, stride(u, p), PROT_READ, MAP_SHARED, p->found[0].fd, (off_t)at);

	if (map == MAP_FAILED)
		return;
	ring->head = (const uint64_t *)(const void *)map;
	ring->data = (const uint64_t *)(const void *)(map + u->page);
	ring->units = p->next.ring_size / 8;
	p->times[nr] = u->begin;
}

static int read_ring(struct reading *r, uint32_t nr)
{
	struct user_ring *ring = &r->producer->rings[nr];
	int err;

	if (!ring->head)
		map_ring(r->user, r->producer, nr);
	if (!ring->head)
		return 0;
	r->ring = nr;
	ring->lost = 0;
	ring->damaged = 0;
	r->now = pev_clock();
	err = user_ring_read(ring, take_record, r);
	r->user->sums.lost += ring->lost;
	r->user->sums.damaged += ring->damaged;
	return err;
}

static int read_producer(struct reading *r)
{
	struct producer *p = r->producer;
	/* before the rings: what is written later does not come from it */
	uint32_t flags = __atomic_load_n(&p->gate->flags, __ATOMIC_ACQUIRE);
	uint32_t used = __atomic_load_n(&p->gate->used_rings, __ATOMIC_RELAXED);
	int err = 0;

	if (used > p->next.nr_rings)
		used = p->next.nr_rings;
	if (flags & PEV_USER_NO_ROOM && !p->no_room) {
		p->no_room = true;
		r->user->sums.no_room++;
	}
	r->asked = 0;
	for (uint32_t i = 0; i < used && !err; i++)
		err = read_ring(r, i);
	p->ended = !err && flags & PEV_USER_ENDED;
	return err;
}

static void forget_ended(struct pev_user *u)
{
	size_t kept = 0;

	for (size_t i = 0; i < u->n_producers; i++) {
		if (u->producers[i]->ended)
			producer_free(u, u->producers[i]);
		else
			u->producers[kept++] = u->producers[i];
	}
	u->n_producers = kept;
}

PEV_EXPORT int64_t pev_user_read(struct pev_user *u, pev_user_fn fn, void *arg)
{
	struct reading r = { .user = u, .fn = fn, .arg = arg };
	int err = 0;

	for (size_t i = 0; i < u->n_producers && !err; i++) {
		r.producer = u->producers[i];
		err = read_producer(&r);
	}
	forget_ended(u);
	u->sums.records += (uint64_t)r.records;
	return err ? err : r.records;
}

/* ---- the listener ---- */

PEV_EXPORT int pev_user_new(struct pev_user **out)
{
	struct pev_user *u = calloc(1, sizeof(*u));

	*out = u;
	if (!u)
		return -ENOMEM;
	u->begin = pev_clock();
	u->page = sysconf(_SC_PAGESIZE);
	return 0;
}

PEV_EXPORT void pev_user_free(struct pev_user *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->n_producers; i++)
		producer_free(u, u->producers[i]);
	for (uint32_t i = 0; i < u->n_classes; i++)
		free(u->classes[i]);
	free(u->producers);
	free(u->classes);
	free(u->listeners);
	free(u);
}

PEV_EXPORT int pev_user_listen(struct pev_user *u, int fd, const char *name)
{
	struct listener *more;

	if (strlen(name) >= sizeof(more->name))
		return -EINVAL;
	more = realloc(u->listeners, (u->n_listeners + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	u->listeners = more;
	more += u->n_listeners++;
	*more = (struct listener){ .fd = fd };
	strcpy(more->name, name);
	return 0;
}

PEV_EXPORT uint32_t pev_user_count(const struct pev_user *u)
{
	return u->n_classes;
}

PEV_EXPORT const struct pev_user_class *pev_user_class(const struct pev_user *u, uint32_t index)
{
	return index < u->n_classes ? u->classes[index] : NULL;
}

PEV_EXPORT void pev_user_sums(const struct pev_user *u, struct pev_user_sums *sums)
{
	*sums = u->sums;
}
