// SPDX-License-Identifier: GPL-2.0
/*
 * <debugfs>/pev/text: what it is told to listen to, and the lines that are read. What this thread
 * does itself is there, once each or counted as lost, and lines are in the order of time. It is for
 * those who may use tracepoints.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "fuzz.h"

#define PATH "/sys/kernel/debug/pev/text"
#define MOST 64 /* calls of one law */
#define PATIENCE (20 * 1000000000ULL)

/**
 * struct lines - what was read of a file
 * @rest:  of a line whose end was not read yet
 * @len:   bytes of it
 * @time:  of the last line, ns
 * @found: lines with @wanted
 * @lost:  records, as the file says
 * @wanted: what a line of this thread's has; NULL: none is looked for
 */
struct lines {
	char rest[16384];
	size_t len;
	uint64_t time;
	uint64_t found;
	uint64_t lost;
	const char *wanted;
};

/* Root may be told these: another one has switched off what is not for all, or there is no memory. */
static int open_text(int flags)
{
	int fd = open(PATH, flags | O_CLOEXEC);

	add(&all->ops, 1);
	add(&all->opens, fd >= 0);
	if (fd >= 0 && !me->root)
		broken("a user may read the events of all");
	if (fd < 0 && me->root && errno != EACCES && errno != ENOMEM && errno != EINTR &&
	    errno != EMFILE && errno != ENFILE && errno != ENOENT)
		broken("the text was refused by %d (%s)", errno, strerror(errno));
	return fd;
}

static void take_line(struct lines *l, const char *line)
{
	unsigned long long seconds, ns, lost;
	unsigned int cpu, tid;

	if (sscanf(line, "# %llu records were lost", &lost) == 1) {
		l->lost += lost;
		return;
	}
	/* the name of a thread may have an end of line in it, and what is behind it has no time */
	if (sscanf(line, " %llu.%9llu [%u] %u ", &seconds, &ns, &cpu, &tid) != 4)
		return;
	ns += seconds * 1000000000;
	if (ns < l->time)
		broken("lines of the text go back in time, by %llu ns: %.200s", (llu)(l->time - ns),
		       line);
	l->time = ns;
	if (l->wanted && strstr(line, l->wanted)) {
		l->found++;
		if (tid != (unsigned int)gettid())
			broken("a line of thread %d says %u: %.200s", gettid(), tid, line);
	}
}

static void take_part(struct lines *l, const char *part, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (l->len == sizeof(l->rest) - 1 || part[i] == '\n') {
			l->rest[l->len] = 0;
			take_line(l, l->rest);
			l->len = 0;
		} else {
			l->rest[l->len++] = part[i];
		}
	}
}

/* Return: what read() did. */
static ssize_t read_part(int fd, struct lines *l, struct rng *r)
{
	static __thread char part[65536];
	size_t size = one_in(r, 4) ? 1 + below(r, 200) : sizeof(part);
	ssize_t ret = k_read(fd, part, size);

	if (ret > 0)
		take_part(l, part, ret);
	else if (ret != 0 && ret != -EAGAIN && ret != -EINTR)
		broken("a read of the text was refused by %zd", ret);
	return ret;
}

/* What was not read yet is still there: nothing of it is lost by that. */
static void read_nowhere(int fd, struct rng *r)
{
	char nothing[8];
	ssize_t ret = k_read(fd, edge(r, nothing, sizeof(nothing)), 4096);

	if (ret >= 0 && ret <= (ssize_t)sizeof(nothing))
		return;
	if (ret != -EFAULT && ret != -EAGAIN && ret != -EINTR)
		broken("a read of the text to where nothing is was answered by %zd", ret);
}

/* What no other thread passes at that time, even one that plays the same program. */
static unsigned int own_number(void)
{
	static __thread unsigned int nr;

	return 0x70000000 | (gettid() & 0xfffff) << 8 | (nr++ & 0xff);
}

static void has_all(int fd, struct rng *r)
{
	unsigned int cookie = own_number(), calls = 1 + below(r, MOST);
	uint64_t until = now_ns() + PATIENCE;
	char wanted[64], line[128];
	struct lines l = { .wanted = wanted };

	snprintf(wanted, sizeof(wanted), " sys_getsid(pid: %x)", cookie);
	snprintf(line, sizeof(line), "syscalls:sys_enter_getsid pid == %u\n", cookie);
	if (k_write(fd, line, strlen(line)) < 0)
		return;
	for (unsigned int i = 0; i < calls; i++) {
		syscall(SYS_getsid, cookie);
		if (one_in(r, 8))
			read_part(fd, &l, r);
	}
	while (l.found + l.lost < calls && now_ns() < until) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		if (read_part(fd, &l, r) < 0)
			poll(&p, 1, 1000);
	}
	/* of what is lost it is not said whose it was */
	if (l.found + l.lost < calls || l.found > calls)
		broken("of %u calls %llu are in the text, and %llu lost", calls, (llu)l.found,
		       (llu)l.lost);
	add(&all->laws, 1);
}

/* A line to listen to something, or not. */
static size_t some_line(char *line, size_t size, struct rng *r)
{
	/* clang-format off */
	static const char * const events[] = {
		"sched:sched_switch", "sched:sched_waking", "raw_syscalls:sys_enter",
		"raw_syscalls:sys_exit", "irq:softirq_entry", "timer:timer_start",
		"syscalls:sys_enter_read", "signal:signal_generate", "task:task_newtask",
		"pev_sample:plain", "pev_sample:types", "pev_sample:text", "kmem:kmalloc",
		"sched:*", "no:event", ":", "#", "",
	};
	static const char * const filters[] = {
		"", "", "", "pid > 1", "id == 63", "next_comm ~ \"f*\"", "comm == ", "(((", "a b c",
		"pid == 1 || pid == 2 && prio > 0",
	};
	/* clang-format on */
	size_t len;

	len = snprintf(line, size, "%s %s\n", events[below(r, ARRAY_SIZE(events))],
		       filters[below(r, ARRAY_SIZE(filters))]);
	if (one_in(r, 8))
		line[below(r, len)] = rnd(r);
	return len;
}

static void try_all(int fd, struct rng *r)
{
	struct lines l = {};
	char line[256];
	size_t len;

	for (unsigned int i = 0; i < 8; i++) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		switch (below(r, 6)) {
		case 0:
			len = some_line(line, sizeof(line), r);
			k_write(fd, line, len);
			break;
		case 1:
			len = some_line(line, sizeof(line), r);
			k_write(fd, edge(r, line, len), one_in(r, 2) ? len : 1UL << below(r, 20));
			break;
		case 2:
			poll(&p, 1, below(r, 3));
			break;
		case 3:
			read_nowhere(fd, r);
			break;
		default:
			read_part(fd, &l, r);
		}
	}
}

/* Markers as printf() would show them: of the sample module, where that is loaded. */
static void show_markers(struct player *w, int fd, struct rng *r)
{
	static const char *const names[] = {
		"pev_sample:plain\n", "pev_sample:number\n", "pev_sample:text\n",
		"pev_sample:types\n", "pev_api:control\n",
	};
	struct lines l = {};

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		if (!one_in(r, 3))
			k_write(fd, names[i], strlen(names[i]));
	world_fire(w, &(struct op){ 0 }, r);
	for (unsigned int i = 0; i < 4; i++)
		if (read_part(fd, &l, r) < 0)
			break;
}

void world_text(struct player *w, const struct op *op, struct rng *r)
{
	int fd = open_text(O_RDWR | O_NONBLOCK);

	(void)op;
	if (fd < 0)
		return;
	if (one_in(r, 2))
		has_all(fd, r);
	else if (one_in(r, 3))
		show_markers(w, fd, r);
	else
		try_all(fd, r);
	k_close(fd);
}

/*
 * The sample module with channels of its own goes when it has just written: who removes it delivers
 * what nobody has read yet.
 */
void world_log(struct player *w, const struct op *op, struct rng *r)
{
	const char *dir = getenv("PEV_MODULES");
	char text[32], path[512];
	int fd;

	(void)w;
	(void)op;
	add(&all->ops, 1);
	snprintf(path, sizeof(path), "%s/pev-log.ko", dir ? dir : ".");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	syscall(SYS_finit_module, fd, one_in(r, 4) ? "forgets=1" : "", 0);
	close(fd);
	snprintf(text, sizeof(text), "task %u", 1 + (unsigned int)below(r, 300));
	write_file("/sys/kernel/debug/pev_log/fire", text);
	syscall(SYS_delete_module, "pev_log", O_NONBLOCK);
}
