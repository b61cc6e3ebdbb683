// SPDX-License-Identifier: GPL-2.0
/* A line for each wait. See timehist.h. */
#include "timehist.h"
#include "base/json.h"
#include "base/text.h"
#include "waits/place.h"

/**
 * struct timehist - while waits are printed
 * @profile: without samples, for functions
 * @place:   where a thread waited, as text; @by, @from: what woke it
 */
struct timehist {
	struct waits waits;
	struct wait_filter *filter;
	struct profile profile;
	struct strbuf place, by, from;
	bool as_json;
	struct json json;
	FILE *out;
};

static const char *const states[] = {
	[PEV_WAIT_PREEMPTED] = "preempted",
	[PEV_WAIT_SLEEPING] = "sleeping",
	[PEV_WAIT_DISK] = "disk",
	[PEV_WAIT_STOPPED] = "stopped",
	[PEV_WAIT_TRACED] = "traced",
	[PEV_WAIT_IDLE] = "idle",
	[PEV_WAIT_NEW] = "new",
	[PEV_WAIT_FROZEN] = "frozen",
};

static const char *state_name(const struct wait *wait)
{
	return wait->state < ARRAY_SIZE(states) ? states[wait->state] : "unknown";
}

static void find_texts(struct timehist *t, const struct wait *wait)
{
	strbuf_reset(&t->place);
	strbuf_reset(&t->by);
	strbuf_reset(&t->from);
	stacks_resolve(t->profile.stacks);
	if (wait->chain)
		place_function(&t->profile, place_chain(&t->profile, wait->chain), &t->place);
	if (wait_is_preempted(wait) || !wait->waker)
		return;
	wakers_name(&t->waits.wakers, wait->waker, true, &t->by);
	wakers_place(&t->waits.wakers, wait->waker, &t->from);
}

static const char *text_of(const struct strbuf *b)
{
	return b->len ? b->s : "";
}

static void print_line(const struct timehist *t, const struct wait *wait, double at)
{
	char ran[32], blocked[32], runnable[32], name[128];
	struct strbuf b = { 0 };

	text_name(&b, machine_comm_name(&t->waits.session->machine, wait->thread.comm));
	snprintf(name, sizeof(name), "%s/%u", b.s, wait->thread.tid);
	fprintf(t->out, "%12.6f  %3d  %-22s %10s %10s %10s  %s", at, wait->cpu, name,
		text_ns(ran, wait->ran), text_ns(blocked, wait->blocked),
		text_ns(runnable, wait->runnable), wait->open ? "open" : state_name(wait));
	if (t->place.len)
		fprintf(t->out, " in %s", t->place.s);
	if (t->by.len)
		fprintf(t->out, ", woken by %s", t->by.s);
	if (t->from.len)
		fprintf(t->out, " from %s", t->from.s);
	fputc('\n', t->out);
	strbuf_free(&b);
}

static void print_json(struct timehist *t, const struct wait *wait, int64_t begin)
{
	struct json *j = &t->json;

	json_open(j, NULL, '{');
	json_i64(j, "begin_ns", wait->begin - begin);
	json_i64(j, "end_ns", wait->end - begin);
	json_i64(j, "cpu", wait->cpu);
	json_string(j, "comm", machine_comm_name(&t->waits.session->machine, wait->thread.comm));
	json_u64(j, "pid", wait->thread.pid);
	json_u64(j, "tid", wait->thread.tid);
	json_u64(j, "ran_ns", wait->ran);
	json_u64(j, "blocked_ns", wait->blocked);
	json_u64(j, "runnable_ns", wait->runnable);
	json_string(j, "state", state_name(wait));
	json_bool(j, "io", wait->flags & PEV_WAIT_IO);
	json_bool(j, "open", wait->open);
	json_string(j, "place", text_of(&t->place));
	json_string(j, "waker", text_of(&t->by));
	json_string(j, "from", text_of(&t->from));
	json_close(j, '}');
	fputc('\n', j->out);
}

static void print_wait(void *arg, const struct wait *wait)
{
	struct timehist *t = arg;
	int64_t begin = pev_trace_begin_ns(t->waits.session->trace);

	if (!wait_filter_has(t->filter, wait))
		return;
	find_texts(t, wait);
	if (t->as_json)
		print_json(t, wait, begin);
	else
		print_line(t, wait, (double)(wait->end - begin) / 1e9);
}

int timehist_print(struct session *s, struct wait_filter *filter, bool json, FILE *out,
		   struct msg *m)
{
	struct timehist t = {
		.filter = filter, .as_json = json, .json = { .out = out }, .out = out
	};
	int err;

	waits_init(&t.waits, s);
	t.waits.family = &filter->family;
	profile_init(&t.profile, s);
	if (json)
		json_open(&t.json, NULL, '[');
	else
		fprintf(out, "#     %6s  %3s  %-22s %10s %10s %10s  %s\n", "End", "CPU", "Thread",
			"Ran", "Blocked", "Runnable", "What it waited for");
	err = waits_read(&t.waits, print_wait, &t, m);
	if (json) {
		json_close(&t.json, ']');
		json_end_line(&t.json);
	}
	waits_free(&t.waits);
	profile_free(&t.profile);
	strbuf_free(&t.place);
	strbuf_free(&t.by);
	strbuf_free(&t.from);
	return err;
}
