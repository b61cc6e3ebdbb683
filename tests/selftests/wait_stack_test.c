// SPDX-License-Identifier: GPL-2.0
/*
 * Waits: the kernel's stack of the sleeper is that of this wait, and of no other one that had
 * the same innermost frames. The kernel's own text in /proc says which it is.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/select.h>
#include <sys/uio.h>
#include "wait_util.h"

#define ROUNDS 120
#define WAYS 4
#define FRAMES 64
#define PLACES 256
#define LOOKS 10000
/* Functions of one name */
#define NAMESAKES 8
/* POWER's unwinder begins with a slot that the innermost function need not have filled. */
#ifdef __powerpc__
#define UNSURE 1
#else
#define UNSURE 0
#endif

/* A child that sleeps in its pipe: by read(2) and readv(2) in the same function. */
static void sleep_by(struct pev_child *c, int way)
{
	struct pollfd poll_fd = { .fd = c->go[0], .events = POLLIN };
	struct iovec iov = { .iov_base = &(char){ 0 }, .iov_len = 1 };
	fd_set set;

	switch (way) {
	case 1:
		if (readv(c->go[0], &iov, 1) != 1)
			_exit(96);
		return;
	case 2:
		poll(&poll_fd, 1, -1);
		break;
	case 3:
		FD_ZERO(&set);
		FD_SET(c->go[0], &set);
		select(c->go[0] + 1, &set, NULL, NULL, NULL);
		break;
	}
	pev_child_wait(c);
}

static void sleep_in_turn(struct pev_child *c)
{
	for (int i = 0;; i++) {
		sleep_by(c, i % WAYS);
		pev_child_say(c, i);
	}
}

/* ---- what the kernel says ---- */

/* A place in the kernel's code, and the addresses that it may have. */
struct place {
	char name[128];
	unsigned long long offset;
	uint64_t at[NAMESAKES];
	unsigned int nr;
};

struct chain {
	unsigned int frames[FRAMES];
	unsigned int nr;
};

struct recorded {
	uint64_t frames[FRAMES];
	unsigned int nr;
};

struct stacks {
	struct place places[PLACES];
	unsigned int nr_places;
	struct chain chains[ROUNDS];
	struct recorded records[ROUNDS];
	unsigned int nr_records;
};

static unsigned int place_of(struct stacks *s, const char *name, unsigned long long offset)
{
	unsigned int i;

	for (i = 0; i < s->nr_places; i++)
		if (s->places[i].offset == offset && !strcmp(s->places[i].name, name))
			return i;
	if (i == PLACES)
		return 0;
	snprintf(s->places[i].name, sizeof(s->places[i].name), "%s", name);
	s->places[i].offset = offset;
	s->nr_places++;
	return i;
}

static void read_chain(FILE *f, struct stacks *s, struct chain *chain)
{
	char line[256], name[128];
	unsigned long long offset;

	chain->nr = 0;
	for (unsigned int i = 0; i < UNSURE; i++)
		if (!fgets(line, sizeof(line), f))
			return;
	while (fgets(line, sizeof(line), f) && chain->nr < FRAMES)
		if (sscanf(line, "[<%*x>] %127[^+]+0x%llx/", name, &offset) == 2)
			chain->frames[chain->nr++] = place_of(s, name, offset);
}

/*
 * One that was preempted while it went to sleep says already that it sleeps, but has the stack
 * of where it was preempted. The kernel names no place where it waits before it has left its CPU.
 *
 * Return: whether it has; negative if the kernel does not say.
 */
static int has_left_its_cpu(pid_t pid)
{
	char path[64];
	FILE *f;
	int c;

	snprintf(path, sizeof(path), "/proc/%d/wchan", pid);
	f = fopen(path, "r");
	if (!f)
		return -1;
	c = fgetc(f);
	fclose(f);
	return c == EOF ? -1 : c != '0';
}

/* Return: false if the kernel does not say; one without stacks of others names no place ever. */
static bool read_stack(pid_t pid, struct stacks *s, struct chain *chain)
{
	char path[64];
	int left = 0;
	FILE *f;

	for (unsigned int i = 0; !left && i < LOOKS; i++) {
		pev_settled(pid);
		left = has_left_its_cpu(pid);
	}
	snprintf(path, sizeof(path), "/proc/%d/stack", pid);
	f = left > 0 ? fopen(path, "r") : NULL;
	if (!f)
		return false;
	read_chain(f, s, chain);
	fclose(f);
	return chain->nr > 1;
}

static bool find_places(struct stacks *s)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512], name[256];
	unsigned long long at;
	bool any = false;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %*c %255s", &at, name) != 2 || !at)
			continue;
		for (unsigned int i = 0; i < s->nr_places; i++) {
			struct place *p = &s->places[i];

			if (p->nr < NAMESAKES && !strcmp(p->name, name)) {
				p->at[p->nr++] = at + p->offset;
				any = true;
			}
		}
	}
	if (f)
		fclose(f);
	return any;
}

/* ---- what the records say ---- */

static bool is_place(const struct place *p, uint64_t at)
{
	for (unsigned int i = 0; i < p->nr; i++)
		if (p->at[i] == at)
			return true;
	return false;
}

static bool is_chain(const struct stacks *s, const struct chain *chain, const struct recorded *r)
{
	if (r->nr != chain->nr)
		return false;
	for (unsigned int i = 0; i < chain->nr; i++)
		if (!is_place(&s->places[chain->frames[i]], r->frames[i]))
			return false;
	return true;
}

static void take(const struct wait *w, void *to)
{
	struct stacks *s = to;
	struct recorded *r;

	if (w->record.state != PEV_WAIT_SLEEPING)
		return;
	r = &s->records[s->nr_records++ % ROUNDS];
	r->nr = 0;
	for (unsigned int i = UNSURE; i < w->nr_kstack && i < FRAMES; i++)
		r->frames[r->nr++] = w->kstack[i];
}

static const char *name_of(const struct stacks *s, uint64_t at)
{
	for (unsigned int i = 0; i < s->nr_places; i++)
		if (is_place(&s->places[i], at))
			return s->places[i].name;
	return "?";
}

static void show(struct __test_metadata *_metadata, const struct stacks *s, unsigned int round,
		 const struct chain *chain, const struct recorded *r)
{
	for (unsigned int i = 0; i < chain->nr || i < r->nr; i++)
		TH_LOG("round %u: %-40s %llx %s", round,
		       i < chain->nr ? s->places[chain->frames[i]].name : "-",
		       i < r->nr ? (unsigned long long)r->frames[i] : 0,
		       i < r->nr ? name_of(s, r->frames[i]) : "-");
}

/* The first wait had begun before the event was there, which may or may not have seen it. */
static unsigned int count_wrong(struct __test_metadata *_metadata, const struct stacks *s)
{
	unsigned int wrong = 0, first = ROUNDS - s->nr_records;

	for (unsigned int i = 0; i < s->nr_records; i++) {
		if (is_chain(s, &s->chains[first + i], &s->records[i]))
			continue;
		show(_metadata, s, first + i, &s->chains[first + i], &s->records[i]);
		wrong++;
	}
	return wrong;
}

static int pin_to_first(void)
{
	cpu_set_t cpus, one;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return -1;
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &cpus)) {
			CPU_SET(cpu, &one);
			return sched_setaffinity(0, sizeof(one), &one);
		}
	return -1;
}

/* The child sleeps in ways that alternate, and each of its waits has the stack that /proc shows. */
static void compare(struct __test_metadata *_metadata, FIXTURE_DATA(wait) *self, struct stacks *s)
{
	struct pev_attr attr;

	/* records of one CPU are in order; the child inherits this */
	ASSERT_EQ(0, pin_to_first());
	ASSERT_LE(0, pev_child_start(&self->child));
	if (!self->child.pid)
		sleep_in_turn(&self->child);
	if (!read_stack(self->child.pid, s, &s->chains[0]))
		SKIP(return, "/proc/PID/stack cannot be read");
	attr = attr_of(PEV_TARGET_TASK, self->child.pid, self->channel);
	attr.sample = PEV_SAMPLE_KSTACK;
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	for (int i = 0; i < ROUNDS; i++) {
		ASSERT_TRUE(read_stack(self->child.pid, s, &s->chains[i]));
		pev_child_go(&self->child);
		ASSERT_EQ(i, pev_child_hear(&self->child));
	}
	ASSERT_TRUE(find_places(s));
	ASSERT_LT(0, each_wait(self->channel, &self->map, PEV_SAMPLE_KSTACK, take, s));
	ASSERT_GE(ROUNDS, s->nr_records);
	ASSERT_LE(ROUNDS - 1, s->nr_records);
	EXPECT_EQ(0, count_wrong(_metadata, s));
	/* each way has a stack of its own */
	for (int i = 1; i < WAYS; i++)
		EXPECT_NE(0, memcmp(&s->chains[0], &s->chains[i], sizeof(*s->chains)));
}

TEST_F(wait, has_the_stack_of_this_wait)
{
	struct stacks *s = calloc(1, sizeof(*s));

	ASSERT_NE(NULL, s);
	compare(_metadata, self, s);
	free(s);
}

#define TRACING "/sys/kernel/tracing/"

static bool say(const char *file, int flags, const char *text)
{
	char path[128];
	bool ok;
	int fd;

	snprintf(path, sizeof(path), TRACING "%s", file);
	fd = open(path, O_WRONLY | flags | O_CLOEXEC);
	ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return ok;
}

/*
 * The function graph tracer lets functions return to itself: what is on the stack in place of their
 * callers leads nowhere.
 */
TEST_F(wait, has_the_stack_of_traced_functions)
{
	/* those of them that this kernel has */
	static const char *const names[] = { "vfs_read", "vfs_readv", "do_sys_poll",
					     "core_sys_select", "do_select" };
	bool known = false, ends;
	struct stacks *s;

	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	say("set_ftrace_filter", O_TRUNC, "\n");
	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++)
		known |= say("set_ftrace_filter", O_APPEND, names[i]);
	if (!known || !say("current_tracer", 0, "function_graph"))
		SKIP(return, "this kernel does not trace how functions return");
	s = calloc(1, sizeof(*s));
	ASSERT_NE(NULL, s);
	compare(_metadata, self, s);
	ends = say("current_tracer", 0, "nop");
	EXPECT_TRUE(say("set_ftrace_filter", O_TRUNC, "\n") && ends);
	free(s);
}

TEST_HARNESS_MAIN
