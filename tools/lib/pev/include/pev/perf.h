/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: perf's recordings as traces.
 *
 * Makes metadata and records of what a file of perf's says of its events, and of
 * the records in it. Files are untrusted.
 *
 *	pev_perf_new(&perf);
 *	pev_perf_format(perf, "sched", text, len);
 *	event = pev_perf_event(perf, "sched:sched_switch", &attr);
 *	pev_perf_metadata(perf, &machine, &text, &len);
 *	...
 *	pev_perf_sample(perf, encoder, event, record, time);
 *	pev_perf_sideband(perf, encoder, record, time);
 */
#ifndef _PEV_PERF_H
#define _PEV_PERF_H

#include <stddef.h>
#include <stdint.h>
#include <pev/encoder.h>

#ifdef __cplusplus
extern "C" {
#endif

struct perf_event_attr;
struct perf_event_header;
struct pev_perf;

/**
 * struct pev_perf_machine - what was recorded; NULL for what is not known
 * @clock_offset: ns from the records' clock to the epoch
 */
struct pev_perf_machine {
	const char	*hostname;
	const char	*release;
	const char	*machine;
	int64_t		clock_offset;
};

/**
 * pev_config_perf() - what perf_event_open(2) calls an event of pev
 * @type:        PEV_TYPE_SOFTWARE, PEV_TYPE_TIMER or PEV_TYPE_HARDWARE
 * @config:      of struct pev_attr
 * @perf_type:   gets attr.type
 * @perf_config: gets attr.config
 *
 * Return: 0, -ENOENT: there is no such event, or perf has nothing like it.
 */
int pev_config_perf(uint32_t type, uint64_t config, uint32_t *perf_type, uint64_t *perf_config);

/** pev_perf_new() - 0 or -ENOMEM; free with pev_perf_free() */
int pev_perf_new(struct pev_perf **perf);
void pev_perf_free(struct pev_perf *perf);

/**
 * pev_perf_format() - the text of a tracepoint's file "format", before its events
 * @system: of the tracepoint
 */
int pev_perf_format(struct pev_perf *perf, const char *system, const char *text, size_t len);
/** pev_perf_tracepoint() - "system:event" of that id, NULL: its format was not given */
const char *pev_perf_tracepoint(const struct pev_perf *perf, uint64_t id);

/**
 * pev_perf_event() - a class of records
 *
 * What its samples have more than a trace can hold is left out.
 * Return: its number, or -ENOMEM.
 */
int pev_perf_event(struct pev_perf *perf, const char *name, const struct perf_event_attr *attr);

/** pev_perf_build_id() - of a file, for mappings that do not tell it; 0 or -ENOMEM */
int pev_perf_build_id(struct pev_perf *perf, const char *path, const void *id, size_t len);

/** pev_perf_metadata() - of all events and the sideband; free @text. 0 or -ENOMEM */
int pev_perf_metadata(struct pev_perf *perf, const struct pev_perf_machine *machine,
		      char **text, size_t *len);

/**
 * pev_perf_sample() - a PERF_RECORD_SAMPLE
 * @enc:    of the metadata
 * @event:  its number
 * @record: in memory that has header.size bytes, aligned to 8
 * @time:   not before the last one's
 *
 * Return: 0; -EBADMSG: it makes no sense; -E2BIG: it has more than a record can hold;
 * or what the encoder says.
 */
int pev_perf_sample(struct pev_perf *perf, struct pev_encoder *enc, unsigned int event,
		    const struct perf_event_header *record, uint64_t time);
/**
 * pev_perf_sideband() - a record about a process
 *
 * Return: as pev_perf_sample(), but 1 if it was written and 0 if there is nothing like it.
 */
int pev_perf_sideband(struct pev_perf *perf, struct pev_encoder *enc,
		      const struct perf_event_header *record, uint64_t time);

#ifdef __cplusplus
}
#endif

#endif /* _PEV_PERF_H */
