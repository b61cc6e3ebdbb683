// SPDX-License-Identifier: GPL-2.0
/* Exits of guests as tables and as JSON. See exits_print.h. */
#include "exits_print.h"
#include "kvm/reasons.h"
#include "base/json.h"
#include "base/text.h"

#include <inttypes.h>

static double percent(uint64_t part, uint64_t of)
{
	return of ? 100.0 * (double)part / (double)of : 0;
}

static void print_row(const struct exits_row *r, const struct exits_guest *g, enum guest_isa isa,
		      FILE *out)
{
	char count[32], ns[32], p50[32], p90[32], p99[32], most[32], reason[GUEST_REASON_TEXT];

	fprintf(out, "%12s %11s %6.2f %% %10s %10s %10s %10s  ", text_count(count, r->count),
		text_ns(ns, r->ns), percent(r->ns, g->ns), text_ns(p50, r->shares[HIST_P50]),
		text_ns(p90, r->shares[HIST_P90]), text_ns(p99, r->shares[HIST_P99]),
		text_ns(most, r->most));
	if (r->vcpu >= 0)
		fprintf(out, "%4d  ", r->vcpu);
	fprintf(out, "%s\n", guest_reason(reason, isa, r->reason));
}

static void print_guest(const struct exits *e, const struct exits_guest *g, enum guest_isa isa,
			FILE *out)
{
	const struct exits_row *rows = &e->rows[g->first];
	char comm[64], count[32], ns[32];

	fprintf(out, "\n guest of %" PRIu32 " (%s): %s exits, %s outside of the guest\n\n", g->pid,
		g->comm ? text_safe(comm, sizeof(comm), g->comm) : "it has ended",
		text_count(count, g->count), text_ns(ns, g->ns));
	fprintf(out, "%12s %11s %8s %10s %10s %10s %10s  %sreason\n", "exits", "time", "", "p50",
		"p90", "p99", "most", rows->vcpu >= 0 ? "vCPU  " : "");
	for (size_t i = 0; i < g->n; i++)
		print_row(&rows[i], g, isa, out);
}

void exits_print(const struct exits *e, FILE *out)
{
	enum guest_isa isa = guest_isa_here();

	if (e->at >= 0)
		fprintf(out, "\n# %.3f s\n", e->at);
	for (size_t i = 0; i < e->n_guests; i++)
		print_guest(e, &e->guests[i], isa, out);
	if (!e->n_guests)
		fprintf(out, "\n no guest left its processor and came back in %.3f s\n",
			e->seconds);
	fprintf(out, "\n in %.3f s; outside at the end, and so not in the sums: %" PRIu64 " vCPU%s\n",
		e->seconds, e->sums.open, e->sums.open == 1 ? "" : "s");
	fflush(out);
}

static void json_row(const struct exits_row *r, enum guest_isa isa, struct json *j)
{
	char reason[GUEST_REASON_TEXT], name[16];

	json_open(j, NULL, '{');
	json_string(j, "reason", guest_reason(reason, isa, r->reason));
	json_u64(j, "code", r->reason);
	if (r->vcpu >= 0)
		json_i64(j, "vcpu", r->vcpu);
	json_u64(j, "exits", r->count);
	json_u64(j, "ns", r->ns);
	for (int i = 0; i < HIST_QUANTILES; i++) {
		snprintf(name, sizeof(name), "%s_ns", hist_quantile_names[i]);
		json_u64(j, name, r->shares[i]);
	}
	json_u64(j, "most_ns", r->most);
	json_close(j, '}');
}

void exits_json(const struct exits *e, FILE *out)
{
	enum guest_isa isa = guest_isa_here();
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	if (e->at >= 0)
		json_double(&j, "time", e->at, 6);
	json_double(&j, "seconds", e->seconds, 6);
	json_open(&j, "guests", '[');
	for (size_t i = 0; i < e->n_guests; i++) {
		const struct exits_guest *g = &e->guests[i];

		json_open(&j, NULL, '{');
		json_u64(&j, "pid", g->pid);
		if (g->comm)
			json_string(&j, "comm", g->comm);
		json_u64(&j, "exits", g->count);
		json_u64(&j, "ns", g->ns);
		json_open(&j, "reasons", '[');
		for (size_t k = 0; k < g->n; k++)
			json_row(&e->rows[g->first + k], isa, &j);
		json_close(&j, ']');
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_u64(&j, "outside", e->sums.open);
	json_u64(&j, "other", e->sums.other.count);
	json_u64(&j, "lost", e->sums.lost.count);
	json_u64(&j, "dropped", e->sums.dropped);
	json_close(&j, '}');
	json_end_line(&j);
	fflush(out);
}
