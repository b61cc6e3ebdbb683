// SPDX-License-Identifier: GPL-2.0
/*
 * Marks of programs: a worker is a producer and listens to itself. The law is that a listener
 * sees exactly what the producer wrote, in its own rings and in no other's, whatever is
 * forked, scribbled on, unmapped or asked for wrongly meanwhile.
 */
#include <linux/pev_user.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fuzz.h"

#define RINGS 3
#define RING PEV_MIN_USER_RING
#define STRIDE (PAGE + (RING + PAGE - 1) / PAGE * PAGE)

static const char strings[] = "fuzz:one\0%lu %s\0a, b\0fuzz:two\0%d\0";

/* All that a producer says, so that any byte of it can be made another. */
struct asked {
	struct pev_producer producer;
	struct pev_user_mark marks[2];
	char strings[sizeof(strings)];
};

static void some_producer(struct asked *a)
{
	memset(a, 0, sizeof(*a));
	memcpy(a->strings, strings, sizeof(strings));
	a->marks[0] = (struct pev_user_mark){ .name = 0, .format = 9, .fields = 16, .slot = 1 };
	a->marks[1] = (struct pev_user_mark){ .name = 21, .format = 30, .fields = 33, .slot = 2 };
	a->producer = (struct pev_producer){
		.size = sizeof(a->producer),
		.nr_marks = 2,
		.marks = (uintptr_t)a->marks,
		.strings = (uintptr_t)a->strings,
		.strings_size = sizeof(strings),
		.nr_rings = RINGS,
		.ring_size = RING,
	};
}

static int produce(const void *producer)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_PRODUCER,
		.config = (uintptr_t)producer,
		.channel_fd = -1,
		.group_fd = -1,
	};

	return k_event(&attr);
}

/* What may be refused whatever is asked for. */
static bool out_of_something(int err)
{
	return err == -ENOMEM || err == -EINTR || err == -EMFILE || err == -EPERM ||
	       err == -ENOSPC || err == -EFAULT || err == -EACCES || err == -ESRCH;
}

static void produce_mutated(struct rng *r)
{
	unsigned int n = 1 + below(r, 3);
	struct asked a;
	void *at;
	int fd;

	some_producer(&a);
	while (n--)
		if (one_in(r, 3))
			mutate_text(r, a.strings, sizeof(a.strings));
		else
			mutate(r, &a, offsetof(struct asked, strings));
	if (a.producer.strings_size > sizeof(strings) &&
	    a.producer.strings_size <= PEV_MAX_USER_STRINGS)
		a.producer.strings_size = sizeof(strings);
	fd = produce(one_in(r, 4) ? edge(r, &a, sizeof(a.producer)) : &a.producer);
	if (fd < 0)
		return;
	/* any part of it, mostly one that there is not */
	at = k_mmap(fd, PAGE << below(r, 6), PROT_READ | (one_in(r, 2) ? PROT_WRITE : 0),
		    one_in(r, 4) ? MAP_PRIVATE : MAP_SHARED, PAGE * below(r, 4));
	if (at)
		k_munmap(at, PAGE);
	k_close(fd);
}

/* The mappings of a producer. */
struct space {
	const volatile struct pev_user_gate *gate;
	char *rings;
};

static bool begin(struct space *s)
{
	struct asked a;
	int fd;

	some_producer(&a);
	fd = produce(&a.producer);
	if (fd < 0) {
		if (!out_of_something(fd))
			broken("a plain producer was refused: %s: %s", strerror(-fd), k_reason());
		return false;
	}
	s->rings = k_mmap(fd, RINGS * STRIDE, PROT_READ | PROT_WRITE, MAP_SHARED, PAGE);
	s->gate = s->rings ? k_mmap(fd, PAGE, PROT_READ, MAP_SHARED, 0) : NULL;
	k_close(fd);
	if (s->gate)
		return true;
	if (s->rings)
		k_munmap(s->rings, RINGS * STRIDE);
	return false;
}

static void end(struct space *s)
{
	k_munmap((void *)s->gate, PAGE);
	k_munmap(s->rings, RINGS * STRIDE);
}

static int listen_to(const char *name)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_USER,
		.target = PEV_TARGET_SUBTREE,
		.name = (uintptr_t)name,
		.channel_fd = -1,
		.group_fd = -1,
	};
	int fd = k_event(&attr);

	if (fd < 0 && !out_of_something(fd))
		broken("listening was refused: %s: %s", strerror(-fd), k_reason());
	return fd;
}

/* The producer with this id; false if it is not told of. */
static bool find(int fd, uint64_t id, struct pev_user_next *next)
{
	struct pev_user_mark marks[2];
	char text[sizeof(strings)];
	int err;

	memset(next, 0, sizeof(*next));
	do {
		next->size = sizeof(*next);
		next->marks = (uintptr_t)marks;
		next->strings = (uintptr_t)text;
		next->nr_marks = 2;
		next->strings_size = sizeof(text);
		err = k_ioctl(fd, PEV_IOC_USER_NEXT, (uintptr_t)next);
		if (!err && next->id == id) {
			if (memcmp(text, strings, sizeof(strings)))
				broken("a producer's names are others than it said");
			return true;
		}
		next->number++;
	} while (!err || err == -EACCES || err == -ENOSPC);
	if (err != -EAGAIN && !k_failing)
		broken("PEV_IOC_USER_NEXT: %s", strerror(-err));
	return false;
}

static void ask_wrongly(struct rng *r, int fd)
{
	struct pev_user_next next = { .size = sizeof(next) };
	struct pev_counts counts = { .size = sizeof(counts) };
	uint32_t number = strange(r);
	void *at;

	if (!k_ioctl(fd, PEV_IOC_READ_COUNTS, (uintptr_t)&counts) &&
	    (counts.value || counts.samples || counts.lost))
		broken("a listener counts");
	mutate(r, &next, sizeof(next));
	k_ioctl(fd, PEV_IOC_USER_NEXT,
		one_in(r, 4) ? (uintptr_t)edge(r, &next, sizeof(next)) : (uintptr_t)&next);
	if (one_in(r, 4))
		k_ioctl(fd, PEV_IOC_USER_DONE, (uintptr_t)&number);
	at = k_mmap(fd, PAGE << below(r, 4), PROT_READ | (one_in(r, 4) ? PROT_WRITE : 0),
		    MAP_SHARED, (below(r, 3) << 40) + PAGE * below(r, 16));
	if (at) {
		if (!mprotect(at, PAGE, PROT_READ | PROT_WRITE))
			broken("a listener made a mapping writable");
		k_munmap(at, PAGE);
	}
}

/* What is in a ring is what was written there for each listener. */
static void law_seen(struct rng *r, int fd, const struct space *s)
{
	struct pev_user_next next;
	unsigned int nr = below(r, RINGS);
	char *ring = s->rings + nr * STRIDE, *seen;
	/* none that looks like an address of the kernel */
	uint64_t value = rnd(r) >> 16 | 1;
	size_t at = below(r, (PAGE + RING) / 8) * 8;

	*(volatile uint64_t *)(ring + at) = value;
	if (!find(fd, s->gate->id, &next))
		return;
	seen = k_mmap(fd, STRIDE, PROT_READ, MAP_SHARED, next.mmap_offset + PAGE + nr * STRIDE);
	add(&all->laws, 1);
	if (seen && *(volatile uint64_t *)(seen + at) != value &&
	    !(s->gate->flags & PEV_USER_NO_ROOM))
		broken("a listener sees something else than the producer");
	if (!seen && !(s->gate->flags & PEV_USER_NO_ROOM) && !k_failing)
		broken("a ring that was written to is not there");
	if (!me->root && seen)
		scan_words(seen, STRIDE, "a program's ring");
	if (seen)
		k_munmap(seen, STRIDE);
}

/* A child writes everywhere: nothing of its parent's changes. */
static void law_child(struct rng *r, const struct space *s)
{
	uint64_t id = s->gate->id, before = rnd(r);
	volatile uint64_t *word = (uint64_t *)(s->rings + below(r, RINGS) * STRIDE);
	int status;
	pid_t pid;

	*word = before;
	pid = fork();
	if (!pid) {
		bool same = s->gate->id == id;

		for (unsigned int i = 0; i < RINGS; i++)
			memset(s->rings + i * STRIDE, 0xa5, STRIDE);
		if (below(r, 2))
			munmap(s->rings, RINGS * STRIDE);
		_exit(same);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return;
	add(&all->laws, 1);
	if (WIFEXITED(status) && WEXITSTATUS(status))
		broken("a child has its parent's gate");
	if (*word != before || s->gate->id != id)
		broken("a child wrote into its parent's ring");
}

void law_user(struct rng *r)
{
	struct space s;
	int fd;

	if (one_in(r, 4)) {
		produce_mutated(r);
		return;
	}
	fd = one_in(r, 2) ? listen_to("fuzz:*") : -1;
	if (!begin(&s)) {
		k_close(fd);
		return;
	}
	if (fd < 0)
		fd = listen_to(one_in(r, 2) ? "fuzz:one" : "*");
	if (fd >= 0) {
		for (unsigned int n = below(r, 4); n; n--)
			ask_wrongly(r, fd);
		law_seen(r, fd, &s);
	}
	if (one_in(r, 4))
		law_child(r, &s);
	if (one_in(r, 2)) {
		k_close(fd);
		fd = -1;
	}
	end(&s);
	k_close(fd);
}

/* ---- another process ---- */

static int other_told;

static int wait_told(void *unused)
{
	char c;

	(void)unused;
	while (read(other_told, &c, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

/*
 * A producer that stays until it is told: with @hidden one that its user can't trace, with @ends
 * one whose memory another process has when it ends.
 */
static void produce_there(int tell, int told, bool hidden, bool ends)
{
	static char stack[16384] __attribute__((aligned(16)));
	struct space s;
	uint64_t id = 0;

	other_told = told;
	if (begin(&s))
		id = s.gate->id;
	if (hidden)
		prctl(PR_SET_DUMPABLE, 0);
	if (ends && clone(wait_told, stack + sizeof(stack), CLONE_VM, NULL) < 0)
		id = 0;
	/* its end tells of the other one */
	if (write(tell, &id, sizeof(id)) != sizeof(id) || ends)
		_exit(0);
	wait_told(NULL);
}

/* Is there what a user may see of others' programs, and nothing else? */
void law_other(struct player *w, const struct op *op, struct rng *r)
{
	bool hidden = one_in(r, 3), ends = one_in(r, 3);
	struct pev_user_next next;
	int out[2], in[2], fd;
	uint64_t id = 0;
	void *seen;
	pid_t pid;

	(void)op;
	if (pipe(out))
		return;
	if (pipe(in)) {
		close(out[0]);
		close(out[1]);
		return;
	}
	fd = one_in(r, 2) ? listen_to("fuzz:*") : -1;
	pid = fork();
	if (!pid) {
		close(in[1]);
		close(out[0]);
		produce_there(out[1], in[0], hidden, ends);
	}
	close(out[1]);
	close(in[0]);
	if (pid > 0 && read(out[0], &id, sizeof(id)) == sizeof(id) && id) {
		/* a zombie by then, whose memory is still there */
		if (ends)
			waitid(P_PID, pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
		if (fd < 0)
			fd = listen_to("fuzz:*");
		if (fd >= 0 && find(fd, id, &next)) {
			add(&all->laws, 1);
			if (hidden && !w->root)
				broken("uid %u listens to a program that it can't trace", w->uid);
			seen = k_mmap(fd, STRIDE, PROT_READ, MAP_SHARED, next.mmap_offset + PAGE);
			if (seen)
				k_munmap(seen, STRIDE);
		}
	}
	if (one_in(r, 2)) {
		k_close(fd);
		fd = -1;
	}
	close(in[1]);
	close(out[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	k_close(fd);
}
