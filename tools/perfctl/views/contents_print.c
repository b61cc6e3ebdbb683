// SPDX-License-Identifier: GPL-2.0
/* perfctl info for people. See contents_print.h. */
#include "contents_print.h"
#include "inventory.h"
#include "base/text.h"

#include <time.h>

static void put(FILE *out, const char *label, const char *value)
{
	struct strbuf b = { 0 };

	if (!value || !*value)
		return;
	text_name(&b, value);
	fprintf(out, "  %-10s %s\n", label, b.s);
	strbuf_free(&b);
}

static void put_time(FILE *out, const char *label, int64_t ns)
{
	time_t t = (time_t)(ns / 1000000000);
	char when[64] = "";
	struct tm tm;

	if (ns > 0 && localtime_r(&t, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %z", &tm);
	put(out, label, when);
}

static void print_origin(const struct contents *c, FILE *out)
{
	const struct pev_trace *t = c->session->trace;
	const char *engine = pev_trace_info(t, "engine"), *tool = pev_trace_info(t, "tool");
	const char *target = pev_trace_info(t, "target"), *command = pev_trace_info(t, "command");
	int64_t begin = pev_trace_begin_ns(t), end = pev_trace_end_ns(t);
	char text[512], ns[32];

	fprintf(out, "Recording\n");
	put(out, "command", command);
	/* of a command the target repeats it */
	if (target && !(command && *command && strstr(target, command)))
		put(out, "measured", target);
	put_time(out, "begin", begin);
	put_time(out, "end", end);
	put(out, "length", text_ns(ns, end > begin ? (uint64_t)(end - begin) : 0));
	if (pev_trace_nr_metas(t))
		put(out, "clock", pev_meta_clock(pev_trace_meta(t, 0))->name);
	snprintf(text, sizeof(text), "%s%s%s", tool ? tool : "", engine ? ", engine " : "",
		 engine ? engine : "");
	put(out, "made by", text);
}

/* What it had when the recording began; "info --state" has all of it. */
static void print_inventory(const struct inventory *v, FILE *out)
{
	static const struct {
		const char *label;
		void (*get)(const struct inventory *v, struct strbuf *b);
	} lines[] = {
		{ "topology", inventory_topology },
		{ "had", inventory_counts },
		{ "not known", inventory_missing },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct strbuf b = { 0 };

		lines[i].get(v, &b);
		put(out, lines[i].label, b.s);
		strbuf_free(&b);
	}
}

static void print_machine(const struct contents *c, FILE *out)
{
	const struct pev_trace *t = c->session->trace;
	const char *cpus = pev_trace_info(t, "cpus"), *machine = pev_trace_info(t, "machine");
	const char *counters;
	char text[512];

	fprintf(out, "\nMachine\n");
	put(out, "host", pev_trace_info(t, "hostname"));
	snprintf(text, sizeof(text), "%s%s%s%s", machine ? machine : "", cpus ? ", " : "",
		 cpus ? cpus : "", cpus ? (strcmp(cpus, "1") ? " CPUs" : " CPU") : "");
	put(out, "processor", text);
	counters = pev_trace_info(t, "counters");
	put(out, "counters by",
	    counters && !strcmp(counters, "pev")       ? "pev's driver" :
	    counters && !strcmp(counters, "perf")      ? "perf's driver" :
	    counters && !strcmp(counters, "pev, perf") ? "pev's driver, and perf's" :
							 counters);
	put(out, "kernel", pev_trace_info(t, "release"));
	put(out, "version", pev_trace_info(t, "version"));
	put(out, "build id", pev_trace_info(t, "build_id"));
	print_inventory(&c->inventory, out);
}

static void print_state(const struct contents *c, FILE *out)
{
	const struct pev_trace *t = c->session->trace;
	uint64_t lost = pev_trace_lost(t);
	const char *complete = pev_trace_nr_warnings(t) ? "it was, but is damaged" : "yes";
	char text[512], n[32];

	if (session_incomplete(c->session, text, sizeof(text)))
		complete = "no";
	fprintf(out, "\nState\n");
	put(out, "complete", complete);
	put(out, "missing", session_incomplete(c->session, text, sizeof(text)));
	put(out, "missing", pev_trace_info(t, "not_measured"));
	for (unsigned int i = 0; i < pev_trace_nr_warnings(t); i++)
		put(out, "damaged", pev_trace_warning(t, i));
	snprintf(text, sizeof(text), "%s record%s", text_count(n, lost), text_s(lost));
	put(out, "lost", lost ? text : "nothing");
}

/* "N FORM", of which @one is for 1; nothing for 0 */
static void put_number(FILE *out, const char *label, uint64_t n, const char *one,
		       const char *several)
{
	char text[256], number[32];

	if (!n)
		return;
	snprintf(text, sizeof(text), "%s %s", text_count(number, n), n == 1 ? one : several);
	put(out, label, text);
}

static void print_crash_kernel(const struct contents *c, FILE *out)
{
	const struct pev_trace *t = c->session->trace;
	const struct pev_meta *meta = pev_trace_nr_metas(t) ? pev_trace_meta(t, 0) : NULL;
	const char *release = meta ? pev_meta_env(meta, "kernel_release") : NULL;
	const char *host = meta ? pev_meta_env(meta, "hostname") : NULL;
	char text[512];

	snprintf(text, sizeof(text), "%s%s%s", release ? release : "", host ? " on " : "",
		 host ? host : "");
	put(out, "kernel", text);
	put_time(out, "booted", (int64_t)c->crash.booted);
	put_time(out, "recorded", (int64_t)c->crash.began);
}

/* What was in the memory, and what became of it */
static void print_crash(const struct contents *c, FILE *out)
{
	const struct contents_crash *crash = &c->crash;
	char text[256], records[32], packets[32], rings[32], bytes[32];

	if (!crash->known)
		return;
	fprintf(out, "\nCrash memory, which a kernel left that went down\n");
	print_crash_kernel(c, out);
	snprintf(text, sizeof(text), "%s records in %s packets of %s ring%s",
		 text_count(records, crash->records), text_count(packets, crash->packets),
		 text_count(rings, crash->rings), crash->rings == 1 ? "" : "s");
	put(out, "had", text);
	put_number(out, "cut", crash->unpublished, "byte that was being written at that moment",
		   "bytes that were being written at that moment");
	if (crash->cut) {
		snprintf(text, sizeof(text),
			 "%s of %s packets that end early, as what follows makes no sense",
			 text_bytes(bytes, crash->cut_bytes), text_count(packets, crash->cut));
		put(out, "cut", text);
	}
	put_number(out, "damaged", crash->torn, "packet is left out: its header was not whole",
		   "packets are left out: their headers were not whole");
	put_number(out, "damaged", crash->bad_rings, "ring can't be read: its state makes no sense",
		   "rings can't be read: their state makes no sense");
	if (!crash->unpublished && !crash->cut && !crash->torn && !crash->bad_rings)
		put(out, "damaged", "nothing, and nothing is cut");
}

/* "999 Hz: thread, place, user chain" */
static const char *describe(const struct contents_event *e, char *buf, size_t size)
{
	const struct pev_class *cls = e->cls;
	char carries[256], how[64] = "";

	contents_carries(cls, carries, sizeof(carries));
	if (cls->freq)
		snprintf(how, sizeof(how), "%llu Hz", (unsigned long long)cls->freq);
	else if (cls->period > 1)
		snprintf(how, sizeof(how), "each %llu", (unsigned long long)cls->period);
	snprintf(buf, size, "%s%s%s", how, *how && *carries ? ": " : "", carries);
	return buf;
}

static void print_event(const struct contents_event *e, FILE *out)
{
	char records[32], bytes[32], lost[32], name[256], text[400];

	fprintf(out, "  %12s %10s %8s  %-24s %s\n", text_count(records, e->records),
		text_bytes(bytes, e->bytes), e->counted ? text_count(lost, e->lost) : "-",
		text_safe(name, sizeof(name), e->cls->name),
		e->cls->type == PEV_TYPE_USTACK ? "call chains that came later" :
		e->sideband			? "of processes and code" :
						  describe(e, text, sizeof(text)));
	if (e->filtered)
		fprintf(out, "  %12s refused by its filter\n", text_count(records, e->filtered));
}

static void print_events(const struct contents *c, FILE *out)
{
	fprintf(out, "\nEvents\n  %12s %10s %8s  %-24s %s\n", "records", "size", "lost", "event",
		"what the records have");
	for (size_t i = 0; i < c->n_events; i++)
		if (c->events[i].cls && !c->events[i].sideband)
			print_event(&c->events[i], out);
	for (size_t i = 0; i < c->n_events; i++)
		if (c->events[i].cls && c->events[i].sideband && !c->events[i].inventory &&
		    c->events[i].records)
			print_event(&c->events[i], out);
}

static void print_streams(const struct contents *c, FILE *out)
{
	const struct pev_trace *t = c->session->trace;
	char packets[32], bytes[32], lost[32], name[128];

	fprintf(out, "\nRings\n  %12s %10s %8s  %s\n", "packets", "size", "lost", "of");
	for (unsigned int i = 0; i < pev_trace_nr_streams(t); i++) {
		const struct pev_stream *s = pev_trace_stream(t, i);

		fprintf(out, "  %12s %10s %8s  ", text_count(packets, s->nr_packets),
			text_bytes(bytes, s->size), text_count(lost, s->lost));
		if (!strcmp(s->name, "stream_state"))
			fprintf(out, "what ran before");
		else if (!strcmp(s->name, "stream_machine"))
			fprintf(out, "what the machine had");
		else if (s->cpu >= 0)
			fprintf(out, "CPU %d", s->cpu);
		else
			fprintf(out, "%s", text_safe(name, sizeof(name), s->name));
		fprintf(out, "%s\n", s->damaged ? ", damaged" : "");
	}
}

static void print_programs(const struct contents *c, size_t most, FILE *out)
{
	char n[32], name[128];

	fprintf(out, "\nProcesses (%s)\n  %12s %10s  %s\n", text_count(n, c->n_programs), "records",
		"PID", "program");
	for (size_t i = 0; i < c->n_programs && i < most; i++) {
		const struct contents_program *p = &c->programs[i];

		fprintf(out, "  %12s %10u  %s\n", text_count(n, p->records), p->pid,
			text_safe(name, sizeof(name),
				  machine_comm_name(&c->session->machine, p->comm)));
	}
	if (c->n_programs > most)
		fprintf(out, "  and %s more (--all)\n", text_count(n, c->n_programs - most));
}

static void print_files(const struct contents *c, FILE *out)
{
	char bytes[32], name[256];

	fprintf(out, "\nFiles (%s)\n", text_bytes(bytes, c->bytes));
	for (size_t i = 0; i < c->n_files; i++)
		if (strncmp(c->files[i].name, "stream_", 7))
			fprintf(out, "  %10s  %s\n", text_bytes(bytes, c->files[i].bytes),
				text_safe(name, sizeof(name), c->files[i].name));
	fprintf(out, "\nCode\n  programs and libraries: %zu, with a build id: %zu\n", c->code,
		c->code_ids);
}

void contents_print(const struct contents *c, size_t most, FILE *out)
{
	char n[32], safe[256];

	fprintf(out, "%s: %s record%s\n\n",
		text_safe(safe, sizeof(safe), pev_trace_path(c->session->trace)),
		text_count(n, c->records), text_s(c->records));
	print_origin(c, out);
	print_crash(c, out);
	print_machine(c, out);
	print_state(c, out);
	print_events(c, out);
	print_streams(c, out);
	if (c->n_programs)
		print_programs(c, most, out);
	print_files(c, out);
}
