// SPDX-License-Identifier: GPL-2.0
/*
 * Marks of programs: a worker is a producer and listens to itself. The law is that a listener
 * sees exactly what the producer wrote, in its own rings and in no other's, whatever is
 * forked, scribbled on, unmapped or asked for wrongly meanwhile.
 */
#include <linux/pev_user.h>
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
	uint32_t number = strange(r);
	void *at;

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

/* A child that produces; it closes itself to others before it says so. */
static void produce_as_child(int to, bool hides)
{
	struct space s;
	uint64_t id = begin(&s) ? s.gate->id : 0;

	if (hides)
		prctl(PR_SET_DUMPABLE, 0);
	if (write(to, &id, sizeof(id)) == sizeof(id))
		pause();
	_exit(0);
}

/* What a child has is shown to a listener that was there before, as long as it may see it. */
static void law_other(struct rng *r)
{
	bool hides = one_in(r, 2);
	struct pev_user_next next;
	uint64_t id = 0;
	int fd, ends[2];
	pid_t pid;

	fd = listen_to("fuzz:*");
	if (fd < 0 || pipe(ends)) {
		k_close(fd);
		return;
	}
	pid = fork();
	if (!pid)
		produce_as_child(ends[1], hides);
	close(ends[1]);
	if (pid > 0 && read(ends[0], &id, sizeof(id)) == sizeof(id) && id) {
		bool found = find(fd, id, &next);
		void *at = found ? k_mmap(fd, PAGE, PROT_READ, MAP_SHARED, next.mmap_offset) : NULL;

		add(&all->laws, 1);
		if (found && hides && !me->root)
			broken("a listener is told of a process that it may not see");
		if (!me->root && hides)
			at = at ?: k_mmap(fd, PAGE, PROT_READ, MAP_SHARED, 0);
		if (at)
			k_munmap(at, PAGE);
	}
	close(ends[0]);
	if (pid > 0)
		kill(pid, SIGKILL);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	k_close(fd);
}

void law_user(struct rng *r)
{
	struct space s;
	int fd;

	if (one_in(r, 4)) {
		produce_mutated(r);
		return;
	}
	if (one_in(r, 6)) {
		law_other(r);
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
