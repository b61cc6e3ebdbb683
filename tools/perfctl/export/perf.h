/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl export perf.data: what its two files share. */
#ifndef PERFCTL_EXPORT_PERF_H
#define PERFCTL_EXPORT_PERF_H

#include "export.h"

#define TRACEPOINT_ID(cls) (1000 + (cls)->index)

/**
 * struct perf_out - a perf.data while it is written
 * @pipe:  its output can't be sought in: what a file has in its header comes
 *         as records
 * @zero:  the trace clock's zero, ns since the epoch: times count from it
 * @ids:   by class: the id of the event's records, 0: none are written
 * @first: the class whose id sideband records carry
 * @build: of the record that is put together
 * @bytes: of records
 * @last:  time of the last record
 * @cut_chains: samples whose outer callers had no room in their record
 * @cut_payloads: ... whose payload had none
 */
struct perf_out {
	bool pipe;
	int64_t zero;
	uint64_t *ids;
	const struct pev_class *first;
	struct strbuf build;
	uint64_t bytes;
	uint64_t records;
	uint64_t begin;
	uint64_t last;
	uint64_t cut_chains;
	uint64_t cut_payloads;
};

uint64_t perf_sample_type(const struct pev_class *cls);
static inline bool perf_is_tracepoint(const struct pev_class *cls)
{
	return cls->type == PEV_TYPE_TRACEPOINT || cls->type == PEV_TYPE_MARKER ||
	       cls->type == PEV_TYPE_PROBE;
}

/* Writes the record in perf_out.build to the data. */
void perf_send(struct export *x);
void perf_start(struct perf_out *p, uint32_t type, uint16_t misc);
void perf_add64(struct strbuf *b, uint64_t v);
void perf_add32(struct strbuf *b, uint32_t v);
void perf_pad(struct strbuf *b);

#endif
