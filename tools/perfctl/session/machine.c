// SPDX-License-Identifier: GPL-2.0
/* Follows threads, processes and their address spaces over time. See machine.h. */
#include "machine.h"

#include <stdlib.h>

/* a thread that has ended is known for one more round */
#define ENDED_ROUNDS 2

static struct mapset *mapset_new(struct machine *m)
{
	struct mapset *s = xcalloc(1, sizeof(*s));

	s->refs = 1;
	s->gen = ++m->last_gen;
	return s;
}

static void mapset_put(struct mapset *s)
{
	if (--s->refs)
		return;
	free(s->maps);
	free(s);
}

/* Returns the process's own copy of its address space, which it may change. */
static struct mapset *mapset_own(struct machine *m, struct process *p)
{
	struct mapset *s = p->space, *own;

	if (s->refs == 1) {
		s->gen = ++m->last_gen;
		return s;
	}
	own = mapset_new(m);
	own->maps = xmalloc((s->n + 1) * sizeof(*s->maps));
	if (s->n)
		memcpy(own->maps, s->maps, s->n * sizeof(*s->maps));
	own->n = s->n;
	own->cap = s->n + 1;
	mapset_put(s);
	p->space = own;
	return own;
}

/* Returns the index of the first map that ends behind @addr. */
static size_t first_behind(const struct mapset *s, uint64_t addr)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->maps[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct map *mapset_find(const struct mapset *s, uint64_t addr)
{
	size_t i = first_behind(s, addr);

	if (i == s->n || s->maps[i].start > addr)
		return NULL;
	return &s->maps[i];
}

static void insert_at(struct mapset *s, size_t at, const struct map *map)
{
	s->maps = array_grow(s->maps, s->n, &s->cap, sizeof(*s->maps));
	memmove(&s->maps[at + 1], &s->maps[at], (s->n - at) * sizeof(*s->maps));
	s->maps[at] = *map;
	s->n++;
}

/* Replaces what lay there before, but keeps the parts outside of @map. */
static void mapset_insert(struct mapset *s, const struct map *map)
{
	size_t i = first_behind(s, map->start), j;

	if (i < s->n && s->maps[i].start < map->start) {
		struct map left = s->maps[i], *right = &s->maps[i];

		right->offset += map->start - right->start;
		right->start = map->start;
		left.end = map->start;
		insert_at(s, i++, &left);
	}
	for (j = i; j < s->n && s->maps[j].end <= map->end; j++)
		;
	if (j < s->n && s->maps[j].start < map->end) {
		s->maps[j].offset += map->end - s->maps[j].start;
		s->maps[j].start = map->end;
	}
	if (i == j) {
		insert_at(s, i, map);
		return;
	}
	s->maps[i] = *map;
	memmove(&s->maps[i + 1], &s->maps[j], (s->n - j) * sizeof(*s->maps));
	s->n -= j - i - 1;
}

void machine_init(struct machine *m)
{
	*m = (struct machine){ 0 };
	strtab_id(&m->comms, "[unknown]");
	m->version = 1;
	m->swapper = strtab_id(&m->comms, "swapper");
}

void machine_free(struct machine *m)
{
	for (size_t i = 0; i < m->n_processes; i++)
		mapset_put(m->processes[i].space);
	free(m->processes);
	free(m->threads);
	htab_free(&m->h_processes);
	htab_free(&m->h_threads);
	strtab_free(&m->comms);
	*m = (struct machine){ 0 };
}

static uint32_t process_index(struct machine *m, uint32_t pid)
{
	struct process *p;

	if (HTAB_GET(p, &m->h_processes, hash_u64(pid), p->pid == pid, m->processes,
		     m->n_processes, m->cap_processes)) {
		p->pid = pid;
		p->space = mapset_new(m);
		p->comm = COMM_UNKNOWN;
	}
	return (uint32_t)(p - m->processes);
}

/* Gets the index first, as finding it may move the array. */
static struct process *process_get(struct machine *m, uint32_t pid)
{
	uint32_t i = process_index(m, pid);

	return &m->processes[i];
}

static struct thread *thread_get(struct machine *m, uint32_t pid, uint32_t tid)
{
	struct thread *t;

	if (!HTAB_GET(t, &m->h_threads, hash_u64(tid), t->tid == tid, m->threads, m->n_threads,
		      m->cap_threads)) {
		if (pid && t->pid != pid) { /* the tid is used again */
			t->process = process_index(m, pid);
			t->pid = pid;
			t->comm = m->processes[t->process].comm;
			t->ended = 0;
		}
		return t;
	}
	t->tid = tid;
	t->pid = pid ? pid : tid;
	t->process = process_index(m, t->pid);
	t->comm = tid ? m->processes[t->process].comm : m->swapper;
	return t;
}

static const struct process *find_process(const struct machine *m, uint32_t pid)
{
	uint32_t hash = hash_u64(pid), pos, ref;

	for (ref = htab_first(&m->h_processes, hash, &pos); ref;
	     ref = htab_next(&m->h_processes, hash, &pos))
		if (m->processes[ref - 1].pid == pid)
			return &m->processes[ref - 1];
	return NULL;
}

static void look_up(const struct machine *m, uint32_t pid, uint32_t tid, struct seen *seen)
{
	struct thread *t = &seen->thread;
	uint32_t hash = hash_u64(tid), pos, ref;
	const struct process *p;

	*t = (struct thread){ .tid = tid, .pid = pid ? pid : tid, .comm = COMM_UNKNOWN };
	if (!tid)
		t->comm = m->swapper;
	for (ref = htab_first(&m->h_threads, hash, &pos); ref;
	     ref = htab_next(&m->h_threads, hash, &pos)) {
		const struct thread *known = &m->threads[ref - 1];

		if (known->tid != tid || (pid && known->pid != pid))
			continue;
		seen->space = m->processes[known->process].space;
		*t = *known;
		return;
	}
	p = find_process(m, t->pid);
	seen->space = p ? p->space : NULL;
	if (p && tid)
		t->comm = p->comm;
}

const struct seen *machine_seen(struct machine *m, uint32_t pid, uint32_t tid)
{
	struct seen *seen = &m->seen[tid % SEEN_THREADS];

	if (seen->version != m->version || seen->pid != pid || seen->tid != tid) {
		look_up(m, pid, tid, seen);
		seen->version = m->version;
		seen->pid = pid;
		seen->tid = tid;
	}
	return seen;
}

const struct thread *machine_thread(struct machine *m, uint32_t pid, uint32_t tid)
{
	m->version++;
	return thread_get(m, pid, tid);
}

const struct process *machine_process(struct machine *m, uint32_t pid)
{
	m->version++;
	return process_get(m, pid);
}

void machine_mmap(struct machine *m, uint32_t pid, uint64_t start, uint64_t len, uint64_t offset,
		  uint32_t object)
{
	struct map map = { .start = start, .end = start + len, .offset = offset,
			   .object = object };

	if (!len || map.end < start)
		return;
	m->version++;
	mapset_insert(mapset_own(m, process_get(m, pid)), &map);
}

void machine_comm(struct machine *m, uint32_t pid, uint32_t tid, const char *name)
{
	struct thread *t = thread_get(m, pid, tid);

	m->version++;
	t->comm = strtab_id(&m->comms, name);
	if (t->pid == t->tid)
		m->processes[t->process].comm = t->comm;
}

void machine_fork(struct machine *m, uint32_t parent_pid, uint32_t parent_tid, uint32_t pid,
		  uint32_t tid)
{
	uint32_t comm = thread_get(m, parent_pid, parent_tid)->comm, parent, child;
	struct thread *t;

	m->version++;
	if (pid != parent_pid) {
		parent = process_index(m, parent_pid);
		child = process_index(m, pid);
		mapset_put(m->processes[child].space);
		m->processes[child].space = m->processes[parent].space;
		m->processes[child].space->refs++;
		m->processes[child].comm = comm;
		m->processes[child].round = m->processes[parent].round;
	}
	t = thread_get(m, pid, tid);
	t->comm = comm;
	t->ended = 0;
}

void machine_exec(struct machine *m, uint32_t pid)
{
	struct process *p = process_get(m, pid);

	m->version++;
	mapset_put(p->space);
	p->space = mapset_new(m);
	p->round = m->round;
}

void machine_exit(struct machine *m, uint32_t pid, uint32_t tid)
{
	uint32_t hash = hash_u64(tid), pos, ref;

	for (ref = htab_first(&m->h_threads, hash, &pos); ref;
	     ref = htab_next(&m->h_threads, hash, &pos)) {
		struct thread *t = &m->threads[ref - 1];

		if (t->tid == tid && t->pid == pid && !t->ended)
			t->ended = ENDED_ROUNDS;
	}
}

void machine_doubt(struct machine *m)
{
	m->round++;
}

bool machine_doubted(const struct machine *m, uint32_t pid)
{
	const struct process *p = m->round && pid ? find_process(m, pid) : NULL;

	return m->round && pid && (!p || p->round != m->round);
}

void machine_sweep(struct machine *m, bool (*runs)(uint32_t pid, uint32_t tid))
{
	for (size_t i = 0; i < m->n_threads; i++) {
		struct thread *t = &m->threads[i];

		if (t->tid && !t->ended && !runs(t->pid, t->tid))
			t->ended = ENDED_ROUNDS;
	}
}

/* Removes threads that ended; @lost and @left: by process, whether it has such and others. */
static void forget_threads(struct machine *m, bool *lost, bool *left)
{
	size_t kept = 0;

	htab_clear(&m->h_threads);
	for (size_t i = 0; i < m->n_threads; i++) {
		struct thread t = m->threads[i];

		if (t.ended && !--t.ended) {
			lost[t.process] = true;
			continue;
		}
		left[t.process] = true;
		m->threads[kept++] = t;
		htab_add(&m->h_threads, hash_u64(t.tid), (uint32_t)(kept - 1));
	}
	m->n_threads = kept;
}

void machine_forget(struct machine *m)
{
	bool *lost = xcalloc(m->n_processes + 1, sizeof(*lost));
	bool *left = xcalloc(m->n_processes + 1, sizeof(*left));
	uint32_t *now = xcalloc(m->n_processes + 1, sizeof(*now));
	size_t kept = 0;

	forget_threads(m, lost, left);
	htab_clear(&m->h_processes);
	for (size_t i = 0; i < m->n_processes; i++) {
		if (lost[i] && !left[i]) {
			mapset_put(m->processes[i].space);
			continue;
		}
		now[i] = (uint32_t)kept;
		m->processes[kept++] = m->processes[i];
		htab_add(&m->h_processes, hash_u64(m->processes[i].pid), now[i]);
	}
	m->n_processes = kept;
	for (size_t i = 0; i < m->n_threads; i++)
		m->threads[i].process = now[m->threads[i].process];
	m->version++;
	free(lost);
	free(left);
	free(now);
}

void machine_forget_names(struct machine *m)
{
	struct strtab old = m->comms;

	m->comms = (struct strtab){ 0 };
	strtab_id(&m->comms, strtab_get(&old, COMM_UNKNOWN));
	m->swapper = strtab_id(&m->comms, strtab_get(&old, m->swapper));
	for (size_t i = 0; i < m->n_threads; i++)
		m->threads[i].comm = strtab_id(&m->comms, strtab_get(&old, m->threads[i].comm));
	for (size_t i = 0; i < m->n_processes; i++)
		m->processes[i].comm = strtab_id(&m->comms, strtab_get(&old, m->processes[i].comm));
	m->version++;
	strtab_free(&old);
}

void machine_objects(const struct machine *m, bool *used)
{
	for (size_t i = 0; i < m->n_processes; i++) {
		const struct mapset *s = m->processes[i].space;

		for (size_t k = 0; k < s->n; k++)
			used[s->maps[k].object] = true;
	}
}
