// SPDX-License-Identifier: GPL-2.0
/*
 * A worker: a process that plays programs, with a second thread that races with it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "fuzz.h"

struct player *me;

/* ---- the second thread ---- */

static struct racer {
	pthread_mutex_t	lock;
	pthread_cond_t	changed;
	bool		busy;
	struct player	*player;
	struct op	op;
	void		(*what)(void *arg);
	void		*arg;
	struct found found;
} racer = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void *racer_thread(void *unused)
{
	cover_open();
	pthread_mutex_lock(&racer.lock);
	for (;;) {
		while (!racer.busy)
			pthread_cond_wait(&racer.changed, &racer.lock);
		pthread_mutex_unlock(&racer.lock);
		cover_start();
		if (racer.what)
			racer.what(racer.arg);
		else
			op_run(racer.player, &racer.op);
		racer.found = cover_end();
		pthread_mutex_lock(&racer.lock);
		racer.busy = false;
		pthread_cond_broadcast(&racer.changed);
	}
	return unused;
}

static void racer_go(struct player *w, void (*what)(void *arg), void *arg)
{
	pthread_mutex_lock(&racer.lock);
	racer.player = w;
	racer.what = what;
	racer.arg = arg;
	racer.busy = true;
	pthread_cond_broadcast(&racer.changed);
	pthread_mutex_unlock(&racer.lock);
}

void racer_start(struct player *w, const struct op *op)
{
	racer.op = *op;
	racer_go(w, NULL, NULL);
}

void racer_call(struct player *w, void (*what)(void *arg), void *arg)
{
	racer_go(w, what, arg);
}

void racer_wait(void)
{
	pthread_mutex_lock(&racer.lock);
	while (racer.busy)
		pthread_cond_wait(&racer.changed, &racer.lock);
	pthread_mutex_unlock(&racer.lock);
	cover_join(&racer.found);
}

/* ---- what is said of a failure ---- */

void broken(const char *format, ...)
{
	static char text[16384];
	size_t len;
	va_list args;

	if (__atomic_exchange_n(&all->failed, true, __ATOMIC_RELAXED))
		_exit(1);
	len = snprintf(text, sizeof(text), "not ok - law: ");
	va_start(args, format);
	len += vsnprintf(text + len, sizeof(text) / 2, format, args);
	va_end(args);
	if (me) {
		len += snprintf(text + len, sizeof(text) - len,
				"\n# worker %u of round %u, uid %u, seed %llu, program %llu; its last operations:\n",
				me->index, me->round, me->uid, (llu)opt.seed,
				(llu)me->nr_programs);
		for (unsigned int i = 0; i < LAST; i++) {
			const struct op *op = &me->last[(me->nr_last + i) % LAST];

			if (!op->rnd || len > sizeof(text) - 200)
				continue;
			len += snprintf(text + len, sizeof(text) - len, "#   ");
			len += op_text(text + len, sizeof(text) - len, op);
			len += snprintf(text + len, sizeof(text) - len, "\n");
		}
	}
	if (write(1, text, len) < 0)
		_exit(2);
	__atomic_store_n(&all->stop, true, __ATOMIC_RELAXED);
	_exit(1);
}

/* ---- a life ---- */

static bool stopping(void)
{
	return __atomic_load_n(&all->stop, __ATOMIC_RELAXED) ||
	       (opt.ops && __atomic_load_n(&all->ops, __ATOMIC_RELAXED) >= opt.ops);
}

static void play_op(struct player *w, struct op *op)
{
	uint64_t begin = now_ns(), us;

	w->last[w->nr_last++ % LAST] = *op;
	all->now[w->index] = *op;
	add(&all->beat[w->index], 1);
	op->drawn = op_run(w, op);
	us = (now_ns() - begin) / 1000;
	cover_step();
	add(&all->kinds[op->kind], 1);
	add(&all->spent[op->kind], us);
	if (us > all->longest[op->kind])
		all->longest[op->kind] = us;
}

/* One line for each program, before it runs: what is left of a machine that died. */
static void note(const struct player *w, int log)
{
	static char text[PROGRAM * OP_TEXT + 80];
	int len = snprintf(text, sizeof(text), "worker %u uid %u program %llu: %s", w->index,
			   w->uid, (llu)w->nr_programs, program_text(&w->program));

	if (write(log, text, len) < 0)
		return;
}

static struct found play_ops(struct player *w)
{
	cover_start();
	for (unsigned int i = 0; i < w->program.nr && !stopping(); i++)
		play_op(w, &w->program.ops[i]);
	return cover_end();
}

static void play(struct player *w, int log)
{
	struct found found;
	uint32_t from = 0;

	if (opt.guided)
		from = program_next(&w->program, &w->rng, w);
	else
		program_make(&w->program, &w->rng, w);
	w->nr_programs++;
	if (log >= 0)
		note(w, log);
	found = play_ops(w);
	if (opt.guided)
		corpus_played(&w->program, from, &found, &w->rng);
}

/* This worker's programs of a log, once more. */
static void replay(struct player *w)
{
	int keep = opt.keep ? open(opt.keep, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644) : -1;
	FILE *f = fopen(opt.replay, "re");
	char *line = NULL, *text;
	unsigned int index;
	struct found found;
	size_t size = 0;

	while (f && !stopping() && getline(&line, &size, f) > 0) {
		text = strstr(line, ": ");
		if (!text || sscanf(line, "worker %u", &index) != 1 || index != w->index ||
		    !program_parse(&w->program, text + 2))
			continue;
		program_adapt(&w->program, w);
		w->nr_programs++;
		found = play_ops(w);
		if (keep < 0 || !found.point)
			continue;
		w->program = leading_to(&w->program, found.ops);
		note(w, keep);
	}
	free(line);
	if (f)
		fclose(f);
	if (keep >= 0)
		close(keep);
}

static unsigned int open_fds(void)
{
	unsigned int n = 0;
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		n += d->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n;
}

/* Locked memory is given back: a channel as large as the first one can be had again. */
static void check_locked(struct player *w, bool first)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_CHANNEL, .channel_fd = -1, .group_fd = -1,
	};
	int fd = -1;

	if (w->root)
		return;
	for (attr.ring_size = first ? 1 << 20 : w->locked; attr.ring_size > 8192;
	     attr.ring_size >>= 1) {
		fd = k_event(&attr);
		if (fd >= 0 || !first)
			break;
	}
	if (!first && fd < 0)
		broken("a ring of %llu bytes could be had at first, and cannot now: %s",
		       (llu)w->locked, k_reason());
	w->locked = attr.ring_size;
	k_close(fd);
}

static void become(uid_t uid)
{
	if (!uid)
		return;
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		_exit(2);
	/* so that it can be traced, and trace itself */
	prctl(PR_SET_DUMPABLE, 1);
}

int worker_run(struct player *w)
{
	int log = opt.log ? open(opt.log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644) : -1;
	struct rlimit core = { 0, 0 };
	unsigned int before, after;
	pthread_t t;

	me = w;
	setrlimit(RLIMIT_CORE, &core);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	model_init(w);
	cover_open();
	if (pthread_create(&t, NULL, racer_thread, NULL))
		return 2;
	racer_call(w, (void (*)(void *))cover_start, NULL);
	racer_wait();
	pager_mount();
	become(w->uid);
	w->root = !w->uid;
	pager_init();
	/* the alarms are the player's */
	for (unsigned int i = 0; i < VICTIMS; i++)
		world_spawn(w, &w->victims[i]);
	if (w->root)
		world_cgroup(w, &(struct op){ 0 }, &w->rng);
	check_locked(w, true);
	k_begin();
	before = open_fds();
	for (unsigned int i = 0; i < VICTIMS; i++)
		before -= w->victims[i].sock >= 0;
	before -= w->cgroups[0] >= 0;
	if (opt.replay)
		replay(w);
	else
		while (!stopping())
			play(w, log);
	/* some go as they are, with all of it open */
	if (one_in(&w->rng, 3))
		_exit(0);
	world_end(w);
	model_close(w, &w->rng);
	/* others play on, with what was passed to them */
	if (!opt.replay)
		check_locked(w, false);
	after = open_fds();
	/* what others passed and no one received lies in the socket, not here */
	if (after != before)
		broken("%u descriptors at first, %u at the end", before, after);
	_exit(0);
}
