// SPDX-License-Identifier: GPL-2.0
/* perfctl info for programs. See contents_json.h. */
#include "contents_json.h"
#include "base/json.h"
#include "inventory.h"

static void put_info(struct json *j, const struct pev_trace *t)
{
	static const char *const keys[] = {
		"command", "target",  "tool",	  "engine",	  "hostname", "machine",
		"release", "version", "build_id", "not_measured", "counters",
	};
	static const char *const numbers[] = { "command_pid", "cpus", "page_size" };
	uint64_t n;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (pev_trace_info(t, numbers[i]) && !parse_u64(pev_trace_info(t, numbers[i]), &n))
			json_u64(j, numbers[i], n);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (pev_trace_info(t, keys[i]))
			json_string(j, keys[i], pev_trace_info(t, keys[i]));
}

static void put_state(struct json *j, const struct session *f)
{
	const struct pev_trace *t = f->trace;
	char text[512];

	json_bool(j, "complete", !session_incomplete(f, text, sizeof(text)));
	if (session_incomplete(f, text, sizeof(text)))
		json_string(j, "missing", text);
	json_u64(j, "lost", pev_trace_lost(t));
	json_u64(j, "damaged_packets", pev_trace_damaged(t));
	json_open(j, "warnings", '[');
	for (unsigned int i = 0; i < pev_trace_nr_warnings(t); i++)
		json_string(j, NULL, pev_trace_warning(t, i));
	json_close(j, ']');
}

static void put_crash(struct json *j, const struct contents *c)
{
	const struct contents_crash *crash = &c->crash;
	const struct pev_trace *t = c->session->trace;
	const struct pev_meta *meta = pev_trace_nr_metas(t) ? pev_trace_meta(t, 0) : NULL;
	const char *release = meta ? pev_meta_env(meta, "kernel_release") : NULL;

	if (!crash->known)
		return;
	json_open(j, "crash", '{');
	if (release)
		json_string(j, "kernel", release);
	if (crash->booted)
		json_u64(j, "booted_ns", crash->booted);
	json_u64(j, "began_ns", crash->began);
	json_u64(j, "records", crash->records);
	json_u64(j, "packets", crash->packets);
	json_u64(j, "rings", crash->rings);
	json_u64(j, "bad_rings", crash->bad_rings);
	json_u64(j, "torn_packets", crash->torn);
	json_u64(j, "cut_packets", crash->cut);
	json_u64(j, "cut_bytes", crash->cut_bytes);
	json_u64(j, "unpublished_bytes", crash->unpublished);
	json_u64(j, "lost", crash->lost);
	json_close(j, '}');
}

static void put_event(struct json *j, const struct contents_event *e)
{
	char text[256];

	json_open(j, NULL, '{');
	json_string(j, "event", e->cls->name);
	json_bool(j, "sideband", e->sideband);
	json_u64(j, "records", e->records);
	json_u64(j, "bytes", e->bytes);
	if (e->counted) {
		json_u64(j, "made", e->written);
		json_u64(j, "lost", e->lost);
		json_u64(j, "filtered", e->filtered);
	}
	if (e->cls->freq)
		json_u64(j, "frequency", e->cls->freq);
	else if (e->cls->period)
		json_u64(j, "period", e->cls->period);
	json_string(j, "carries", contents_carries(e->cls, text, sizeof(text)));
	json_close(j, '}');
}

static void put_streams(struct json *j, const struct pev_trace *t)
{
	json_open(j, "rings", '[');
	for (unsigned int i = 0; i < pev_trace_nr_streams(t); i++) {
		const struct pev_stream *s = pev_trace_stream(t, i);

		json_open(j, NULL, '{');
		json_string(j, "file", s->name);
		if (s->cpu >= 0)
			json_u64(j, "cpu", (uint64_t)s->cpu);
		json_u64(j, "packets", s->nr_packets);
		json_u64(j, "bytes", s->size);
		json_u64(j, "lost", s->lost);
		json_u64(j, "damaged", s->damaged);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_programs(struct json *j, const struct contents *c)
{
	json_open(j, "processes", '[');
	for (size_t i = 0; i < c->n_programs; i++) {
		json_open(j, NULL, '{');
		json_u64(j, "pid", c->programs[i].pid);
		json_string(j, "comm",
			    machine_comm_name(&c->session->machine, c->programs[i].comm));
		json_u64(j, "records", c->programs[i].records);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_files(struct json *j, const struct contents *c)
{
	json_open(j, "files", '[');
	for (size_t i = 0; i < c->n_files; i++) {
		json_open(j, NULL, '{');
		json_string(j, "name", c->files[i].name);
		json_u64(j, "bytes", c->files[i].bytes);
		json_close(j, '}');
	}
	json_close(j, ']');
}

void contents_json(const struct contents *c, bool whole, FILE *out)
{
	const struct pev_trace *t = c->session->trace;
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	json_string(&j, "trace", pev_trace_path(t));
	put_info(&j, t);
	if (pev_trace_nr_metas(t))
		json_string(&j, "clock", pev_meta_clock(pev_trace_meta(t, 0))->name);
	json_i64(&j, "begin_ns", pev_trace_begin_ns(t));
	json_i64(&j, "end_ns", pev_trace_end_ns(t));
	put_crash(&j, c);
	put_state(&j, c->session);
	if (c->inventory.n) {
		json_open(&j, "state", '{');
		inventory_json(&c->inventory, whole, &j);
		json_close(&j, '}');
	}
	json_u64(&j, "records", c->records);
	json_open(&j, "events", '[');
	for (size_t i = 0; i < c->n_events; i++)
		if (c->events[i].cls)
			put_event(&j, &c->events[i]);
	json_close(&j, ']');
	put_streams(&j, t);
	put_programs(&j, c);
	put_files(&j, c);
	json_u64(&j, "bytes", c->bytes);
	json_u64(&j, "objects", c->code);
	json_u64(&j, "objects_with_build_id", c->code_ids);
	json_close(&j, '}');
	json_end_line(&j);
}
