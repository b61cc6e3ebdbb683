/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the fuzzer share. See README.
 *
 *	main.c		options, the machine, rounds of workers, laws at the end
 *	worker.c	one process that plays programs; what it says of a failure
 *	program.c	random numbers, making and mutating programs, the corpus
 *	attr.c		attributes: valid ones, mutated ones
 *	filter.c	texts of filters
 *	model.c		the objects that are open
 *	calls.c		pev_open(2) and what can be done with its descriptors
 *	ops.c		the table of operations, those on descriptors
 *	excite.c	what an event waits for
 *	collide.c	two threads on the same objects
 *	world.c		operations on what is around: processes, CPUs, cgroups ...
 *	attack.c	whole scenarios that once worked
 *	moment.c	what leads to places that are passed rarely
 *	pager.c		pages that do not come
 *	laws.c		exact counts of what is done here
 *	table.c		tables and their law
 *	user.c		marks of programs and their law
 *	context.c	requests that threads work for
 *	crash.c		memory that outlives a crash
 *	text.c		lines of debugfs
 *	spoil.c		what each check refuses
 *	records.c	rings and what must hold in them
 *	cover.c		which code of the kernel was reached
 *	nth.c		the n-th failure of each kind of call
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <errno.h>
#include <linux/pev.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PAGE		((size_t)getpagesize())

typedef unsigned long long llu;

#define MAX_CPUS	64
#define MAX_WORKERS	16
#define CHANNELS	4	/* slots of a worker */
#define EVENTS		48
#define OTHERS		8
#define VICTIMS		3
#define CGROUPS		3
#define MAPS		6
#define PROGRAM		64	/* most operations of a program */
#define OP_TEXT 128
#define CHANNEL_IDS	1024	/* after so many a channel's records are no longer followed */

/* ---- cover.c ---- */

/**
 * struct found - what a program reached
 * @point: a point that none had reached
 * @way: two points, one behind the other, that were not seen so
 * @rarest: the point that the fewest programs reached, for cover_programs()
 * @ops: operations up to the one that found the last new one of these
 */
struct found {
	bool point;
	bool way;
	uint32_t rarest;
	uint32_t ops;
};

bool cover_open(void);
void cover_start(void);
/* Between operations: what the kernel writes down of one has an end. */
void cover_step(void);
struct found cover_end(void); /* of a program */
/* What another thread found for this one's operation is what that found, too. */
void cover_join(const struct found *other);
uint32_t cover_programs(uint32_t point); /* that reached it; UINT32_MAX: there is none */
unsigned int cover_points(void);
unsigned int cover_pairs(void);
/* Operations of this run and of those that it goes on from; of these when the last point was found. */
uint64_t cover_operations(void);
uint64_t cover_newest(void);
void cover_init(void);
void cover_load(const char *dir);
void cover_store(const char *dir);

/* ---- program.c ---- */

#define CHOICES 4 /* of an operation that are changed, at most */

/**
 * struct choice - a random number that is changed, while those before and behind stay
 * @at: which one of its operation, from 1; 0: none
 * @is: instead; most are a choice among few
 */
struct choice {
	uint16_t at;
	uint16_t is;
};

/**
 * struct rng - a source of random numbers
 * @state: all numbers that follow
 * @drawn: how many came
 * @choices: CHOICES of them, or NULL
 */
struct rng {
	uint64_t	state;
	unsigned int drawn;
	const struct choice *choices;
};

uint64_t rnd(struct rng *r);
static inline uint64_t below(struct rng *r, uint64_t n) { return rnd(r) % n; }
static inline bool one_in(struct rng *r, unsigned int n) { return below(r, n) == 0; }
uint64_t mix(uint64_t a, uint64_t b);

/**
 * struct op - an operation, whole: what it does follows from it and from the model
 * @kind: index of the table
 * @a:    which slot
 * @b:    which other slot
 * @drawn: random numbers that it took when it was played last
 * @rnd:  where all else comes from
 * @choices: but for these
 */
struct op {
	uint16_t	kind;
	uint16_t	a;
	uint16_t	b;
	uint16_t drawn;
	uint64_t	rnd;
	struct choice choices[CHOICES];
};

struct program {
	uint32_t	nr;
	struct op	ops[PROGRAM];
};

struct player;

/* An operation as a word, shorter than OP_TEXT, and back; false: it is none. */
int op_text(char *text, size_t size, const struct op *op);
bool op_parse(struct op *op, const char *word);
/* A program as a line, until the thread's next one, and back; words that name none are left out. */
const char *program_text(const struct program *p);
bool program_parse(struct program *p, char *line);
/* The last operations of @p up to the @ops-th, which found something new. */
struct program leading_to(const struct program *p, uint32_t ops);
void program_make(struct program *p, struct rng *r, const struct player *w);
/* A program that another worker made may hold what this one is not allowed to do. */
void program_adapt(struct program *p, const struct player *w);
void program_mutate(struct program *p, struct rng *r, const struct player *w);
/* Sets @p to a new program or a mutation of one of the corpus; returns @from of corpus_played(). */
uint32_t program_next(struct program *p, struct rng *r, const struct player *w);
/* @p, which program_next() said is @from, did what cover_end() @found. */
void corpus_played(const struct program *p, uint32_t from, const struct found *found,
		   struct rng *r);
void corpus_load(const char *dir);
void corpus_store(const char *dir);
unsigned int corpus_size(void);

/* ---- model.c ---- */

/**
 * struct layout - how long the records of an event are
 * @known:  or not at all
 * @sample: PEV_SAMPLE_*
 * @fixed:  bytes of the payload's fixed part
 * @locs:   offsets of location words in it
 * @nr_locs: of them
 * @lens:   texts of a system call behind the fixed part, -1: none
 * @kinds:  struct pev_call_structs says where they are
 * @args:   holds what a caller passed, who may have passed anything
 */
struct layout {
	bool		known;
	bool		args;
	int8_t		lens;
	bool		kinds;
	uint8_t		nr_locs;
	uint16_t	fixed;
	uint16_t	locs[6];
	uint64_t	sample;
	/* as PEV_IOC_ID says */
	uint32_t	payload;
	uint16_t	nr_lengths;
	uint16_t	lengths[16];
};

/* An event as its channel saw it: it may be gone. */
struct member {
	bool		used;
	bool		reset;		/* its counts don't tell all */
	struct layout	layout;
	uint64_t	parsed;		/* records found */
	uint64_t value; /* of the event when it was read last */
	uint64_t samples;
	uint64_t	lost;
	uint64_t off_by; /* value - samples - lost - unarmed */
	struct event	*event;		/* NULL: closed */
	struct pev_attr	attr;
};

struct ring {
	const uint8_t		*map;	/* all of it, to read */
	struct pev_ring_user	*user;
	uint64_t		pos;
	uint64_t		time;
	uint64_t		discarded;
};

struct channel {
	int			fd;
	bool			followed;	/* its records are counted */
	bool			scribbled;
	bool			overwrite;
	struct pev_channel_info	info;
	struct ring		rings[MAX_CPUS];
	unsigned int		nr_ids;
	struct member		*members;
	uint64_t owing; /* records whose stack comes later */
	uint64_t told; /* of these, by the records of stacks */
};

struct event {
	int			fd;
	struct pev_attr		attr;
	struct layout		layout;
	struct channel		*channel;
	struct member		*member;
	bool one; /* value = samples + lost + unarmed */
	bool			own;	/* counts this thread only */
	bool			shared;	/* lives on when it is closed, maybe */
	uint64_t		opened;	/* ns */
};

struct victim {
	pid_t	pid;
	int	sock;
	bool	traced;
};

struct mapping {
	void	*at;
	size_t	size;
};

/* ---- worker.c ---- */

#define LAST	40

struct player {
	unsigned int	index;
	unsigned int	round;
	uid_t		uid;
	bool		root;
	struct rng	rng;
	struct program	program;
	uint64_t	nr_programs;
	uint64_t	seed;
	struct channel	channels[CHANNELS];
	struct event	events[EVENTS];
	int		others[OTHERS];
	struct victim	victims[VICTIMS];
	int		cgroups[CGROUPS];
	struct mapping	maps[MAPS];
	struct op	last[LAST];
	unsigned int	nr_last;
	int		post;		/* where descriptors are passed to others */
	uint64_t	locked;		/* bytes of ring that could be had at first */
	bool		alarms;
};

int worker_run(struct player *w);
/* A law is broken: says so, with what led there, and ends the run. */
void broken(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Runs @op beside what the caller does, until racer_wait(). */
void racer_start(struct player *w, const struct op *op);
void racer_call(struct player *w, void (*what)(void *arg), void *arg);
void racer_wait(void);
extern struct player *me;

/* ---- main.c ---- */

#define KINDS 96

/* What all processes share. */
struct shared {
	bool		stop;
	bool		failed;
	uint64_t	ops;		/* calls, all of them */
	uint64_t	opens;		/* that opened, attached or closed something */
	uint64_t	refused;
	uint64_t	laws;		/* that were looked at */
	uint64_t	records;	/* parsed */
	uint64_t	scanned;	/* bytes looked through for kernel addresses */
	uint64_t	held[2];	/* pages that a call waited for: of memory, of files */
	uint64_t	kinds[KINDS];
	uint64_t	spent[KINDS];	/* us */
	uint64_t	longest[KINDS];	/* us */
	uint64_t	beat[MAX_WORKERS];	/* moves while a worker lives */
	struct op	now[MAX_WORKERS];
	pid_t		pids[MAX_WORKERS];
	uint64_t	plugging;	/* who takes CPUs away: one at a time */
	uint64_t	module;
};

extern struct shared *all;

struct options {
	uint64_t	seed;
	uint64_t	ops;
	unsigned int	seconds;
	unsigned int	workers;
	unsigned int	round;		/* seconds */
	int		uid;		/* of all workers; -1: root and others alternately */
	bool		guided;
	bool		alone;		/* no other event holds hooks in place */
	bool leaks_later; /* a run behind it in the same machine looks for them */
	const char	*corpus;
	const char	*log;
	const char	*replay;
	const char *keep; /* what of it reaches new code */
	bool once; /* until it ends */
	const char	*only;		/* operations */
	bool		verbose;
};

extern struct options opt;
extern unsigned int nr_cpus;
extern bool slow;			/* a kernel that finds bugs has no time for much else */
extern uint64_t secret;			/* address of a string that only the kernel may read */
extern char self_path[], helper_path[];
bool excluded(const char *name);
uint64_t now_ns(void);
int write_file(const char *path, const char *text);
uint64_t read_number(const char *path);

static inline void add(uint64_t *counter, uint64_t n)
{
	__atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

/* ---- attr.c ---- */

void attr_init(void);
void attr_channel(struct rng *r, struct pev_attr *attr);
void attr_event(struct player *w, struct rng *r, struct pev_attr *attr, struct layout *layout);
uint64_t attr_room(struct rng *r);
void attr_mutate(struct player *w, struct rng *r, struct pev_attr *attr, size_t *size,
		 uint32_t *flags);
/* Changes a word of @data, which begins at one. */
void mutate(struct rng *r, void *data, size_t size);
/* Changes bytes of @text, up to its end: a name may then have none. */
void mutate_text(struct rng *r, char *text, size_t size);
const char *attr_point(unsigned int i, bool *marker);
void attr_layout(const char *name, struct layout *layout);
const char *attr_filter(struct rng *r, const struct pev_attr *attr);
uint64_t strange(struct rng *r);
void *edge(struct rng *r, const void *data, size_t size);

/* ---- filter.c ---- */

const char *filter_text(struct rng *r); /* until the thread's next one */

/* ---- model.c ---- */

void model_init(struct player *w);
struct event *pick_event(struct player *w, unsigned int from);
struct channel *pick_channel(struct player *w, unsigned int from);
void channel_opened(struct channel *c, int fd, bool overwrite);
void channel_close(struct channel *c);
void channel_taint(struct channel *c);
void event_opened(struct event *e, int fd, const struct pev_attr *attr,
		  const struct layout *layout, struct channel *c);
void event_close(struct event *e);
void model_close(struct player *w, struct rng *r);

/* ---- calls.c ---- */

int k_open(const struct pev_attr *attr, size_t size, uint32_t flags);
int k_event(const struct pev_attr *attr);
int k_ioctl(int fd, unsigned long cmd, unsigned long arg);
ssize_t k_read(int fd, void *buf, size_t size);
ssize_t k_write(int fd, const void *data, size_t size);
int k_close(int fd);
void *k_mmap(int fd, size_t size, int prot, int flags, uint64_t offset);
int k_munmap(void *at, size_t size);
extern __thread uint64_t k_started;
extern bool k_failing;
/* Opens what entering needs, so that descriptors can be counted from then on. */
void k_begin(void);
const char *k_reason(void);
bool kernel_address(uint64_t value);
void scan_text(const char *text, const char *what);
void scan_words(const void *data, size_t size, const char *what);

/* ---- records.c ---- */

int rings_map(struct channel *c);
void rings_unmap(struct channel *c);
/* Reads all there is; false if that is not to be had. */
bool rings_drain(struct channel *c);
void rings_scan(struct channel *c);

/* ---- probe.c ---- */

/* Before there are workers. */
void probe_init(void);
void attr_probe(struct rng *r, struct pev_attr *attr, struct layout *layout);
/* Makes config of @attr a probe of that kind, in one place and without fields. */
void probe_plain(uint32_t kind, struct pev_attr *attr);
/* Does what probes in this program wait for. */
void probe_call(struct rng *r);

/* ---- laws.c ---- */

struct pev_value law_value(struct event *e);
void law_channel(struct channel *c);
void law_exact(struct player *w, struct rng *r);
void law_forks(struct player *w, struct rng *r);
void law_counter(struct player *w, struct rng *r);
void law_markers(struct player *w, struct rng *r);

/* ---- excite.c ---- */

/* Makes an event of @attr happen once, as far as this thread can. */
void attr_excite(const struct pev_attr *attr, struct rng *r);
/* Switches @e on and makes it happen, as far as this thread can. */
void event_excite(struct event *e, struct rng *r);

/* ---- table.c ---- */

void law_table(struct player *w, struct rng *r);
/* What events count, charged to tasks; with those that come and go. */
void law_charged(struct player *w, struct rng *r);
/* A table of any kind, with @attr made one of an event for it; -errno */
int table_open(struct rng *r, struct pev_attr *attr);

/* ---- context.c ---- */

/* The first half of each trace id that is said here. */
#define CONTEXT_TRACE 0x66757a7a20746573ULL

/* ---- user.c ---- */

void law_user(struct rng *r);

/* ---- ops.c, collide.c, world.c, attack.c ---- */

enum op_flags {
	OP_ROOT		= 1,	/* needs root */
	OP_RACES	= 2,	/* may run beside another */
};

struct op_type {
	const char	*name;
	unsigned int	weight;
	unsigned int	flags;
	void		(*run)(struct player *w, const struct op *op, struct rng *r);
};

extern const struct op_type op_types[];
extern const unsigned int nr_op_types;
/* Returns how many random numbers it took. */
unsigned int op_run(struct player *w, const struct op *op);

typedef void op_fn(struct player *w, const struct op *op, struct rng *r);
op_fn collide;
op_fn world_poke, world_victim, world_fork, world_hotplug, world_cgroup, world_move, world_module,
	world_fire, world_perf, world_driver, world_ftrace, world_signal, world_ptrace, world_work,
	world_pass, world_exec, world_limits, world_context, world_crash, world_text, world_spoil,
	world_log;
/* What threads do that are counted. */
void spawn_thread(void);
void map_code(bool protects);
void map_program(void); /* which has to be read from the disk */
void touch_pages(unsigned int n);
op_fn attack_filter, attack_function, attack_exec, attack_hold, attack_hold_read,
	attack_channel_filter, attack_flush, attack_last, attack_timers, attack_guest, attack_grant;

/* moment.c */
op_fn moment_beside, moment_shorten, moment_fault, moment_plug, moment_threaded, moment_perf,
	moment_most, moment_nested, moment_counted;
/* user.c: a producer that is another process */
op_fn law_other;

pid_t world_spawn(struct player *w, struct victim *v);
void world_end(struct player *w);
void world_unload(void);	/* modules that hold memory of their own */
int victim_main(int sock, uint64_t seed);
int helper_main(int argc, char **argv);

/* ---- pager.c ---- */

void pager_mount(void);		/* while it is root: files of FUSE, where there is FUSE */
void pager_init(void);
/* A page that does not come until pager_give(); a new one each time. */
void *pager_page(struct rng *r);
bool pager_wait(void);		/* until a call wants it */
bool pager_give(const void *data, size_t size);	/* false: it had to be given earlier */

/* ---- nth.c ---- */

int nth_main(void);

#endif
