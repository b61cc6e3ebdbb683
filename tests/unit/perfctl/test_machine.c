// SPDX-License-Identifier: GPL-2.0
/* Address spaces over time, samples added up. */
#include "profile/profile.h"
#include "tests.h"

static uint32_t object_at(struct machine *m, uint32_t pid, uint64_t addr)
{
	const struct map *map = mapset_find(machine_process(m, pid)->space, addr);

	return map ? map->object : 999;
}

static void overlaps(void)
{
	struct machine m;
	const struct map *map;

	machine_init(&m);
	machine_mmap(&m, 1, 0x1000, 0x9000, 0, 10);
	machine_mmap(&m, 1, 0x3000, 0x1000, 0x500, 11);
	IS_NUM(machine_process(&m, 1)->space->n, 3, "a hole in a map leaves both ends");
	map = mapset_find(machine_process(&m, 1)->space, 0x4000);
	OK(map && map->object == 10 && map->offset == 0x3000, "... with the right offset behind it");
	IS_NUM(object_at(&m, 1, 0x3fff), 11, "the last byte of the new map");
	IS_NUM(object_at(&m, 1, 0x0fff), 999, "before all maps");
	IS_NUM(object_at(&m, 1, 0xa000), 999, "behind all maps");
	machine_mmap(&m, 1, 0x2800, 0x2000, 0, 12);
	IS_NUM(object_at(&m, 1, 0x3000), 12, "a map that covers a whole one and parts of two");
	IS_NUM(object_at(&m, 1, 0x27ff), 10, "... leaves the first part");
	map = mapset_find(machine_process(&m, 1)->space, 0x4800);
	OK(map && map->object == 10 && map->offset == 0x3800, "... and the last one");
	machine_mmap(&m, 1, 0, 0x100000, 0, 13);
	IS_NUM(machine_process(&m, 1)->space->n, 1, "one that covers everything is alone");
	machine_mmap(&m, 1, 0xffffffffffff0000, 0x20000, 0, 14);
	machine_mmap(&m, 1, 0x5000, 0, 0, 15);
	IS_NUM(machine_process(&m, 1)->space->n, 1, "empty and overflowing maps are ignored");
	machine_free(&m);
}

/* What "top" sees on a machine that builds something for days */
static void ends(void)
{
	size_t most = 0, most_threads = 0;
	struct machine m;

	machine_init(&m);
	machine_comm(&m, 5, 5, "make");
	machine_mmap(&m, 5, 0x1000, 0x1000, 0, 20);
	for (uint32_t pid = 100; pid < 20100; pid++) {
		machine_fork(&m, 5, 5, pid, pid);
		machine_mmap(&m, pid, 0x3000, 0x1000, 0, 21);
		machine_fork(&m, pid, pid, pid, pid + 100000);
		machine_exit(&m, pid, pid + 100000);
		machine_exit(&m, pid, pid);
		if (pid % 100)
			continue;
		if (pid == 200)
			IS_NUM(object_at(&m, 199, 0x3000), 21, "a process is known after its end");
		machine_forget(&m);
		if (pid == 200)
			IS_NUM(object_at(&m, 199, 0x3000), 21, "... once more");
		most = m.n_processes > most ? m.n_processes : most;
		most_threads = m.n_threads > most_threads ? m.n_threads : most_threads;
	}
	OK(most < 300 && most_threads < 600, "20,000 processes are forgotten: %zu and %zu threads "
	   "at most", most, most_threads);
	IS_NUM(object_at(&m, 5, 0x1000), 20, "one that runs stays");
	IS_STR(machine_comm_name(&m, machine_thread(&m, 5, 5)->comm), "make", "... with its name");
	machine_exit(&m, 5, 5);
	machine_forget(&m);
	machine_fork(&m, 1, 1, 5, 5);
	machine_mmap(&m, 5, 0x7000, 0x1000, 0, 22);
	machine_forget(&m);
	machine_forget(&m);
	IS_NUM(object_at(&m, 5, 0x7000), 22, "a pid that is used again stays, too");
	machine_free(&m);
}

/* The same, of programs that are built, run and removed, and name their threads by numbers */
static void names_end(void)
{
	uint32_t kernel, make;
	size_t names = 0, files = 0, frames = 0;
	struct session f;

	session_init(&f);
	kernel = OBJECT_ID_KERNEL;
	make = objects_get(&f.objects, "/usr/bin/make", NULL);
	machine_comm(&f.machine, 5, 5, "make");
	machine_mmap(&f.machine, 5, 0x1000, 0x1000, 0, make);
	for (uint32_t pid = 100; pid < 20100; pid++) {
		uint64_t addr = 0x3010;
		char name[32];

		snprintf(name, sizeof(name), "/tmp/job-%u", pid);
		machine_fork(&f.machine, 5, 5, pid, pid);
		machine_comm(&f.machine, pid, pid, name + 5);
		machine_mmap(&f.machine, pid, 0x3000, 0x1000, 0,
			     objects_get(&f.objects, name, NULL));
		stacks_chain(&f.stacks, machine_process(&f.machine, pid)->space, NULL, 0, &addr, 1);
		machine_exit(&f.machine, pid, pid);
		if (pid % 100)
			continue;
		machine_forget(&f.machine);
		session_forget(&f);
		names = max_u64(names, f.machine.comms.n);
		files = max_u64(files, f.objects.n);
		frames = max_u64(frames, f.stacks.n_frames);
	}
	OK(names < 300, "names of 20,000 processes are forgotten: %zu at most", names);
	OK(files < 400, "... and their files: %zu at most", files);
	OK(frames < 10, "... and frames in them: %zu", frames);
	IS_NUM(object_at(&f.machine, 5, 0x1000), make, "one that runs has its file");
	IS_STR(object_name(&f.objects, make), "make", "... with its name");
	IS_NUM(objects_get(&f.objects, "/usr/bin/make", NULL), make, "... and its number");
	IS_STR(machine_comm_name(&f.machine, machine_thread(&f.machine, 5, 5)->comm), "make",
	       "... and the process its own name");
	IS_STR(machine_comm_name(&f.machine, machine_thread(&f.machine, 0, 0)->comm), "swapper",
	       "the idle thread, too");
	IS_STR(object_name(&f.objects, kernel), "[kernel]", "the kernel stays");
	session_close(&f);
}

static void unwind_in(struct session *f, const char *program)
{
	uint64_t mask = pev_unwind_regs("x86_64"), regs[64] = { 0 };
	struct pev_class cls = { 0 };
	struct pev_event ev = { .cls = &cls, .pid = 7, .tid = 7, .uregs = regs };
	uint32_t object = objects_get(&f->objects, program, NULL);
	uint8_t stack[64] = { 0 };

	machine_mmap(&f->machine, 7, 0x400000, 0x100000, 0, object);
	for (int i = 0; i < 64; i++) {
		/* of linux's registers of samples, the 8th is the address, the 7th the stack */
		if (i == 7 || i == 8)
			regs[ev.uregs_len] = i == 8 ? 0x402000 : 0x7f0000000000;
		ev.uregs_len += mask >> i & 1;
	}
	ev.dump = stack;
	ev.dump_len = sizeof(stack);
	session_unwind(f, NULL, &ev);
}

/* How to unwind is kept by the numbers of objects, which others are given. */
static void rows_end(void)
{
	struct session f;

	session_init(&f);
	f.unwind = xcalloc(1, sizeof(*f.unwind));
	f.unwind->machine = "x86_64";
	unwind_in(&f, "/proc/self/exe");
	OK(f.unwind->u, "an unwinder is made for a sample");
	session_forget(&f);
	OK(!f.unwind->u, "... and forgotten with the objects");
	unwind_in(&f, "/bin/sh");
	OK(f.unwind->u, "... and made for the next one");
	session_close(&f);
}

static bool is_odd(uint32_t pid, uint32_t tid)
{
	(void)pid;
	return tid % 2;
}

/* Events were lost: what is known may be wrong until it is known again. */
static void events_missing(void)
{
	struct machine m;

	machine_init(&m);
	machine_comm(&m, 5, 5, "make");
	machine_mmap(&m, 5, 0x1000, 0x1000, 0, 20);
	OK(!machine_doubted(&m, 5) && !machine_doubted(&m, 6), "no event is missing");
	machine_doubt(&m);
	OK(machine_doubted(&m, 5), "events are missing: a process may be another one");
	OK(machine_doubted(&m, 6), "... or one that began");
	OK(!machine_doubted(&m, 0), "... but not the idle thread");
	machine_mmap(&m, 6, 0x1000, 0x1000, 0, 20);
	OK(machine_doubted(&m, 6), "one that maps something may have begun before");
	machine_fork(&m, 5, 5, 7, 7);
	OK(machine_doubted(&m, 7), "a child has what its parent had");
	machine_exec(&m, 5);
	machine_mmap(&m, 5, 0x1000, 0x1000, 0, 21);
	OK(!machine_doubted(&m, 5), "one that executes a program is known");
	machine_fork(&m, 5, 5, 9, 9);
	OK(!machine_doubted(&m, 9), "... and so are its children");
	machine_doubt(&m);
	OK(machine_doubted(&m, 5) && machine_doubted(&m, 9), "until more is missing");
	for (uint32_t pid = 1000; pid < 2000; pid++)
		machine_fork(&m, 5, 5, pid, pid);
	machine_sweep(&m, is_odd);
	machine_forget(&m);
	machine_forget(&m);
	OK(m.n_threads > 500 && m.n_threads < 510 && m.n_processes < 510,
	   "what does not run has ended: %zu of 1,000 stay", m.n_threads);
	IS_NUM(object_at(&m, 5, 0x1000), 21, "what runs stays");
	machine_free(&m);
}

static void lives(void)
{
	struct machine m;
	uint32_t gen;

	machine_init(&m);
	machine_comm(&m, 5, 5, "sh");
	machine_mmap(&m, 5, 0x1000, 0x1000, 0, 20);
	machine_fork(&m, 5, 5, 6, 6);
	gen = machine_process(&m, 6)->space->gen;
	IS_NUM(gen, machine_process(&m, 5)->space->gen, "a forked child shares the maps");
	IS_NUM(object_at(&m, 6, 0x1000), 20, "... and sees them");
	IS_STR(machine_comm_name(&m, machine_thread(&m, 6, 6)->comm), "sh", "... and has the name");
	machine_mmap(&m, 6, 0x3000, 0x1000, 0, 21);
	IS_NUM(object_at(&m, 5, 0x3000), 999, "what the child maps is its own");
	IS_NUM(object_at(&m, 6, 0x1000), 20, "... and it keeps the rest");
	machine_exec(&m, 6);
	IS_NUM(object_at(&m, 6, 0x1000), 999, "exec empties the address space");
	IS_NUM(object_at(&m, 5, 0x1000), 20, "... of one process");
	machine_fork(&m, 5, 5, 5, 7);
	IS_NUM(machine_thread(&m, 0, 7)->pid, 5, "a new thread belongs to its process");
	machine_comm(&m, 5, 7, "worker");
	IS_STR(machine_comm_name(&m, machine_thread(&m, 5, 7)->comm), "worker", "a thread's name");
	IS_STR(machine_comm_name(&m, machine_thread(&m, 5, 5)->comm), "sh", "... is not its process'");
	machine_fork(&m, 5, 5, 7, 7);
	IS_NUM(machine_thread(&m, 7, 7)->pid, 7, "a tid that is used again as a process");
	IS_STR(machine_comm_name(&m, machine_thread(&m, 99, 99)->comm), "[unknown]",
	       "nobody knows thread 99");
	machine_free(&m);
}

static const char *seen_name(struct machine *m, uint32_t pid, uint32_t tid)
{
	return machine_comm_name(m, machine_seen(m, pid, tid)->thread.comm);
}

/* What samples are asked for is remembered: changes must be seen nevertheless. */
static void samples(void)
{
	struct machine m;

	machine_init(&m);
	IS_STR(seen_name(&m, 5, 5), "[unknown]", "a sample of a process that nobody named");
	OK(!machine_seen(&m, 5, 5)->space && !m.n_threads && !m.n_processes,
	   "... has no maps, and is no news");
	IS_STR(seen_name(&m, 0, 0), "swapper", "a sample of an idle processor");
	machine_comm(&m, 5, 5, "sh");
	IS_STR(seen_name(&m, 5, 5), "sh", "a name that came after a sample");
	machine_comm(&m, 5, 5 + SEEN_THREADS, "other");
	IS_STR(seen_name(&m, 5, 5 + SEEN_THREADS), "other", "two threads in turn");
	IS_STR(seen_name(&m, 5, 5), "sh", "... keep their names");
	IS_STR(seen_name(&m, 9, 5), "[unknown]", "the same tid in another process is another thread");
	machine_mmap(&m, 5, 0x1000, 0x1000, 0, 20);
	OK(mapset_find(machine_seen(&m, 5, 5)->space, 0x1000), "a map that came after a sample");
	machine_exec(&m, 5);
	OK(!mapset_find(machine_seen(&m, 5, 5)->space, 0x1000), "... and went");
	machine_free(&m);
}

void test_machine(void)
{
	overlaps();
	lives();
	ends();
	names_end();
	rows_end();
	events_missing();
	samples();
}

void test_profile(void)
{
	const uint64_t kernel[] = { 0xffffffff81000010, 0xffffffff81000020 };
	const uint64_t user[] = { 0x1010, 0x1021, 0x5000 };
	const struct mapset *space;
	struct cell_key key = { .comm = 1 };
	struct session session;
	struct profile p;
	uint32_t a, b, object;
	struct strbuf s = { 0 };

	session_init(&session);
	profile_init(&p, &session);
	object = objects_get(&session.objects, "/bin/x", NULL);
	machine_mmap(&session.machine, 1, 0x1000, 0x1000, 0x40, object);
	space = machine_process(&session.machine, 1)->space;
	a = stacks_frame(p.stacks, space, 0x1010);
	OK(p.stacks->frames[a].object == object && p.stacks->frames[a].at == 0x50,
	   "an address becomes an offset");
	IS_NUM(stacks_frame(p.stacks, space, 0x1010), a, "... always the same frame");
	IS_NUM(p.stacks->frames[stacks_frame(p.stacks, space, 0xffffffff81000010)].object,
	       OBJECT_ID_KERNEL, "a kernel address is the kernel's");
	IS_NUM(p.stacks->frames[stacks_frame(p.stacks, space, 0x5000)].object, OBJECT_ID_UNKNOWN,
	       "an address outside all maps is kept as unknown");
	for (uint64_t at = 0; at < 2 * KNOWN_PLACES; at++)
		stacks_frame(p.stacks, space, 0x1000 + at);
	IS_NUM(stacks_frame(p.stacks, space, 0x1010), a, "... also after many others");
	a = stacks_chain(p.stacks, space, kernel, 2, user, 3);
	b = stacks_chain(p.stacks, space, kernel, 2, user, 3);
	OK(a != CHAIN_NONE && a == b, "the same chain has the same number");
	IS_NUM(p.stacks->chains[a].n, 5, "... and all its frames");
	IS_NUM(p.stacks->frames[p.stacks->chain_frames[p.stacks->chains[a].first + 3]].at, 0x60,
	       "a return address counts for its call");
	machine_mmap(&session.machine, 1, 0x8000, 0x1000, 0, object);
	IS_NUM(stacks_chain(p.stacks, machine_process(&session.machine, 1)->space, kernel, 2, user,
			    3),
	       a, "a changed address space with the same code gives the same chain");
	OK(stacks_chain(p.stacks, space, kernel, 2, user, 2) != a,
	   "a shorter chain is another one");
	IS_NUM(stacks_chain(p.stacks, space, NULL, 0, NULL, 0), CHAIN_NONE, "no frames, no chain");
	profile_add(&p, &key, 3);
	profile_add(&p, &key, 4);
	key.tid = 9;
	profile_add(&p, &key, 1);
	OK(p.n_cells == 2 && p.cells[0].samples == 2 && p.cells[0].weight == 7, "cells add up");
	stacks_resolve(p.stacks);
	stacks_func_name(p.stacks, p.stacks->frames[stacks_frame(p.stacks, space, 0x1010)].func,
			 &s);
	IS_STR(s.s, "x+0x50", "an unresolved place is object+offset");
	strbuf_free(&s);
	profile_free(&p);
	session_close(&session);
}
