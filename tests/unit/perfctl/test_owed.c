// SPDX-License-Identifier: GPL-2.0
/* Stacks that come behind their records: each cookie gets one stack or one counted loss. */
#include "session/owed.h"
#include "tests.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPUS 2
#define PACKET 4096
/* more than a packet holds, and a table of the first size */
#define MANY 3000
/* The upper half of a cookie counts uses, the lower half places. */
#define COOKIE(use, place) ((uint64_t)(use) << 32 | (place))

static const char classes[] =
	"typealias integer { size = 32; align = 64; signed = false; } := aligned32_t;\n"
	"event {\n	name = \"cpu-clock\";\n	id = 0;\n	stream_id = 0;\n"
	"	model.emf.uri = \"pev:timer?period=999&freq=1\";\n"
	"	context := struct { uint32_t pid; xint64_t ip; xint64_t ustack_cookie;\n"
	"		aligned32_t kstack_len; uint32_t ustack_len;\n"
	"		xint64_t kstack[kstack_len]; xint64_t ustack[ustack_len]; };\n"
	"	fields := struct { } align(64);\n};\n"
	"event {\n	name = \"pev:ustack\";\n	id = 1;\n	stream_id = 0;\n"
	"	model.emf.uri = \"pev:ustack?period=1&freq=0\";\n"
	"	context := struct { aligned32_t kstack_len; uint32_t ustack_len;\n"
	"		xint64_t kstack[kstack_len]; xint64_t ustack[ustack_len]; };\n"
	"	fields := struct { uint64_t cookie; uint32_t missing; uint32_t records; } align(64);\n};\n";

/**
 * struct made - a trace that is made
 */
struct made {
	char *dir;
	struct pev_writer *w;
	struct pev_meta *meta;
	struct pev_encoder *cpu[CPUS];
};

static int put_packet(void *arg, const void *packet, size_t len)
{
	const struct pev_packet *p = packet;
	struct made *m = arg;

	return pev_writer_packets(m->w, p->cpu_id, packet, len);
}

static void begin(struct made *m)
{
	static const uint8_t uuid[16] = { 1, 2, 3 };
	const char *tmp = getenv("TMPDIR");
	struct pev_error e;
	char *head, *text;
	size_t len;

	*m = (struct made){ 0 };
	if (asprintf(&m->dir, "%s/owed.XXXXXX", tmp ? tmp : "/tmp") < 0 || !mkdtemp(m->dir) ||
	    pev_meta_head(uuid, 0, 0, &head, &len) || asprintf(&text, "%s%s", head, classes) < 0 ||
	    pev_writer_open(m->dir, PEV_WRITER_REPLACE, &m->w, &e) ||
	    pev_writer_metadata(m->w, text, strlen(text)) ||
	    pev_meta_parse(text, strlen(text), 0, &m->meta, &e))
		exit(1);
	for (unsigned int i = 0; i < CPUS; i++)
		if (pev_encoder_new(m->meta, PACKET, i, i, put_packet, m, &m->cpu[i]))
			exit(1);
	free(head);
	free(text);
}

static void put_sample(struct made *m, unsigned int cpu, uint64_t time, uint64_t cookie)
{
	struct pev_encoder *e = m->cpu[cpu];

	if (pev_encoder_begin(e, pev_meta_class_by_name(m->meta, "cpu-clock"), time, 7) ||
	    pev_encoder_int(e, "ustack_cookie", cookie) || pev_encoder_commit(e))
		exit(1);
}

/* The stack of a cookie is one address: the cookie. */
static void put_stack(struct made *m, unsigned int cpu, uint64_t time, uint64_t cookie,
		      uint32_t missing)
{
	struct pev_encoder *e = m->cpu[cpu];

	if (pev_encoder_begin(e, pev_meta_class_by_name(m->meta, "pev:ustack"), time, 7) ||
	    (!missing && pev_encoder_data(e, "ustack", &cookie, sizeof(cookie))) ||
	    pev_encoder_int(e, "cookie", cookie) || pev_encoder_int(e, "missing", missing) ||
	    pev_encoder_commit(e))
		exit(1);
}

static void flush(struct made *m)
{
	for (unsigned int i = 0; i < CPUS; i++)
		if (pev_encoder_flush(m->cpu[i]))
			exit(1);
	if (pev_writer_sync(m->w))
		exit(1);
}

static void end_writing(struct made *m)
{
	for (unsigned int i = 0; i < CPUS; i++)
		pev_encoder_close(m->cpu[i]);
	pev_writer_close(m->w);
	pev_meta_free(m->meta);
}

/**
 * struct joins - what became of a trace's samples
 * @wrong: have another stack than their own
 */
struct joins {
	uint64_t samples;
	uint64_t wrong;
	struct owed_sums sums;
};

static bool read_joins(const char *dir, struct joins *j)
{
	const struct pev_event *ev;
	struct pev_trace *trace;
	struct pev_cursor *c;
	struct pev_error e;
	struct owed *o;

	*j = (struct joins){ 0 };
	if (pev_trace_open(dir, 0, &trace, &e) || pev_cursor_open(trace, NULL, 0, &c))
		return false;
	o = owed_new(trace);
	while (pev_cursor_next(c, &ev) > 0) {
		struct pev_event copy;
		const struct pev_event *got;

		if (ev->cls->type == PEV_TYPE_USTACK)
			continue;
		j->samples++;
		got = owed_join(o, &j->sums, ev, &copy);
		if (got != ev && (got->ustack_len != 1 || got->ustack[0] != ev->ustack_cookie ||
				  got->time != ev->time))
			j->wrong++;
		if (got == ev && ev->ustack_len)
			j->wrong++;
	}
	owed_free(o);
	pev_cursor_close(c);
	pev_trace_close(trace);
	return true;
}

static uint64_t lost(const struct joins *j)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < PEV_MISSING_MAX; i++)
		n += j->sums.missing[i];
	return n;
}

static void done(struct made *m)
{
	struct pev_error e;

	if (pev_trace_remove(m->dir, &e))
		fprintf(stderr, "%s: %s\n", m->dir, e.text);
	free(m->dir);
}

/* Samples on one CPU, their stacks on the other, packets behind, and some in another order */
static void across(void)
{
	struct made m;
	struct joins j;
	bool ok;

	begin(&m);
	for (uint32_t i = 1; i <= MANY; i++) {
		put_sample(&m, i % 2, 10 * i, COOKIE(i / 8, i % 8 + 1));
		put_sample(&m, i % 2, 10 * i + 1, COOKIE(i / 8, i % 8 + 1));
		if (i % 16 == 0)
			for (uint32_t k = 16; k-- > 0;)
				put_stack(&m, (i - k + 1) % 2, 10 * i + 2,
					  COOKIE((i - k) / 8, (i - k) % 8 + 1), 0);
	}
	for (uint32_t i = MANY / 16 * 16 + 1; i <= MANY; i++)
		put_stack(&m, i % 2, 10 * MANY + 5, COOKIE(i / 8, i % 8 + 1), 0);
	end_writing(&m);
	ok = read_joins(m.dir, &j);
	OK(ok && j.samples == 2 * MANY && j.sums.joined == 2 * MANY && !lost(&j),
	   "each sample has a stack, from another CPU, packets later");
	IS_NUM(j.wrong, 0, "... its own");
	done(&m);
}

/* A reader that takes the first stacks for those that come later would mix up uses of a place. */
static void losses(void)
{
	struct made m;
	struct joins j;
	bool ok;

	begin(&m);
	put_sample(&m, 0, 10, COOKIE(1, 1));
	put_stack(&m, 0, 20, COOKIE(1, 1), 0);
	put_sample(&m, 1, 30, COOKIE(2, 1));
	put_stack(&m, 1, 40, COOKIE(2, 1), PEV_MISSING_EXEC);
	put_sample(&m, 0, 50, COOKIE(3, 1));
	put_sample(&m, 0, 60, COOKIE(4, 1));
	put_stack(&m, 0, 70, COOKIE(4, 1), PEV_MISSING_MEMORY);
	put_sample(&m, 0, 80, 0);
	put_sample(&m, 0, 90, COOKIE(5, 1));
	put_stack(&m, 0, 100, COOKIE(5, 1), PEV_MISSING_MAX + 3);
	end_writing(&m);
	ok = read_joins(m.dir, &j);
	OK(ok && j.sums.joined == 1 && !j.wrong, "one stack came");
	OK(j.sums.missing[PEV_MISSING_EXEC] == 1 && j.sums.missing[PEV_MISSING_MEMORY] == 1,
	   "two say why they did not");
	IS_NUM(j.sums.missing[PEV_MISSING_NOTHING], 2, "nothing came, or what is not known");
	IS_NUM(j.samples, j.sums.joined + lost(&j) + 1,
	       "each cookie has one stack or one loss, and what owes none neither");
	done(&m);
}

/* A file that was cut has fewer stacks, and each sample still one or a loss. */
static void cut(void)
{
	struct made m;
	struct joins j;
	bool sums = true, all = true;
	char *file;

	begin(&m);
	for (uint32_t i = 1; i <= MANY; i++) {
		put_sample(&m, 0, 10 * i, COOKIE(i, 1));
		put_stack(&m, 1, 10 * i + 5, COOKIE(i, 1), 0);
	}
	end_writing(&m);
	if (asprintf(&file, "%s/stream_1", m.dir) < 0)
		exit(1);
	for (off_t size = 20 * PACKET; size; size = size > 5000 ? size - 5000 : size / 2) {
		if (truncate(file, size))
			exit(1);
		all &= read_joins(m.dir, &j);
		sums &= j.samples == MANY && !j.wrong && j.sums.joined + lost(&j) == MANY &&
			lost(&j) == j.sums.missing[PEV_MISSING_NOTHING] && lost(&j);
	}
	unlink(file);
	OK(all && sums, "a cut recording: one stack or one loss");
	free(file);
	done(&m);
}

static const struct pev_event *next_sample(struct pev_cursor *c)
{
	const struct pev_event *ev;

	while (pev_cursor_next(c, &ev) > 0)
		if (ev->cls->type != PEV_TYPE_USTACK)
			return ev;
	return NULL;
}

/* A thread that is asleep does not hold up the others, nor is anything waited for at the end. */
static void follow_on(struct made *m, struct pev_trace *trace, struct pev_cursor *c, struct owed *o)
{
	const struct pev_event *ev;

	put_sample(m, 0, 50, COOKIE(2, 1));
	put_sample(m, 0, 51, COOKIE(2, 2));
	flush(m);
	put_sample(m, 0, 60, COOKIE(2, 3));
	flush(m);
	pev_trace_update(trace, 0);
	owed_look(o, trace);
	ev = next_sample(c);
	OK(ev && owed_waits(o, ev, pev_trace_synced(trace), 1) &&
		   !owed_waits(o, ev, pev_trace_synced(trace), 1 + OWED_WAIT_MS),
	   "a thread that does not return does not keep its records for ever");
	ev = next_sample(c);
	OK(ev && !owed_waits(o, ev, pev_trace_synced(trace), 2 + OWED_WAIT_MS),
	   "... nor those that waited with it");
	flush(m);
	pev_trace_update(trace, 0);
	ev = next_sample(c);
	OK(ev && owed_waits(o, ev, pev_trace_synced(trace), 3 + OWED_WAIT_MS), "newer ones wait");
	put_sample(m, 0, 70, 0);
	flush(m);
	flush(m);
	pev_trace_update(trace, 0);
	OK(!owed_waits(o, ev, pev_trace_synced(trace), 4 + OWED_WAIT_MS),
	   "... until all has been written that was told meanwhile");
	end_writing(m);
	pev_trace_update(trace, PEV_UPDATE_ALL);
	OK(!owed_waits(o, ev, pev_trace_synced(trace), 5 + OWED_WAIT_MS),
	   "at the end nothing waits");
}

/* What is being made: what has come is found although it is farther than one may show. */
static void follow(void)
{
	const struct pev_event *ev;
	struct pev_trace *trace;
	struct pev_cursor *c;
	struct pev_error e;
	struct owed *o;
	struct made m;

	begin(&m);
	put_sample(&m, 0, 10, COOKIE(1, 1));
	put_sample(&m, 0, 20, COOKIE(1, 2));
	flush(&m);
	put_stack(&m, 1, 30, COOKIE(1, 1), 0);
	flush(&m);
	if (pev_trace_open(m.dir, PEV_TRACE_FOLLOW, &trace, &e) ||
	    pev_cursor_open(trace, NULL, 0, &c))
		exit(1);
	o = owed_new(trace);
	pev_trace_update(trace, 0);
	owed_look(o, trace);
	IS_NUM(pev_trace_synced(trace), 20, "it is complete up to the last sync but one");
	ev = next_sample(c);
	OK(ev && owed_has(o, ev) && !owed_waits(o, ev, pev_trace_synced(trace), 1),
	   "a stack that lies behind that is there");
	ev = next_sample(c);
	OK(ev && !owed_has(o, ev) && owed_waits(o, ev, pev_trace_synced(trace), 1),
	   "a stack that is not there is waited for");
	OK(owed_waits(o, ev, pev_trace_synced(trace), OWED_WAIT_MS / 2), "... for some time");
	put_stack(&m, 0, 40, COOKIE(1, 2), 0);
	flush(&m);
	pev_trace_update(trace, 0);
	owed_look(o, trace);
	OK(owed_has(o, ev) && !owed_waits(o, ev, pev_trace_synced(trace), OWED_WAIT_MS / 2),
	   "... and shown when it has come");
	follow_on(&m, trace, c, o);
	owed_free(o);
	pev_cursor_close(c);
	pev_trace_close(trace);
	done(&m);
}

void test_owed(void)
{
	across();
	losses();
	cut();
	follow();
}
