/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes: an event for each time that a place in the kernel or in a file is reached, or a
 * function there returns. By perf's PMUs kprobe and uprobe, or by pev, which also takes
 * many functions of the kernel at once, and records what FIELDS name. Those of "usdt:" were
 * placed by a program's author with sys/sdt.h.
 *
 *	PROBE	:= PLACE [ "(" FIELDS ")" ]
 *	PLACE	:= ( "kprobe" | "kretprobe" ) ":" [ MODULE ":" ] FUNCTION [ "+" OFFSET ] |
 *		   ( "kprobe" | "kretprobe" | "function" ) ":" GLOB |
 *		   "function" ":" [ MODULE ":" ] FUNCTION |
 *		   ( "uprobe" | "uretprobe" ) ":" FILE ":" ( FUNCTION [ "+" OFFSET ] | OFFSET |
 *		     GLOB | SOURCE ":" LINE ) |
 *		   "usdt:" FILE ":" [ PROVIDER-GLOB ":" ] NAME-GLOB
 *	FIELDS	:= see probe_fields.h
 */
#ifndef PERFCTL_EVENT_PROBE_H
#define PERFCTL_EVENT_PROBE_H

#include "probe_file.h"
#include "pmu/sysfs.h"

#include <time.h>

/**
 * struct probe - a probe as perf_event_open(2) takes it
 * @code:  of the PMU; config1 is to be the address of @place, config2 @offset
 * @place: the function or the file
 */
struct probe {
	struct pmu_code code;
	char *place;
	uint64_t offset;
};

/* Returns the length of the probe that a list of events begins with, without terms; 0: none */
size_t probe_length(const char *list);
/**
 * struct probe_places - a probe as pev_open(2) takes it
 * @head:    attr.config is its address
 * @places:  names are offsets in @strings
 * @line:    they are those of a line of the source
 * @written: when the file was, before it was probed
 * @results: why each was left out, 0: it was not; NULL: none may be
 * @fields:  what is recorded
 * @strings: the names
 */
struct probe_places {
	struct pev_probe head;
	struct pev_probe_place *places;
	size_t nr;
	size_t cap;
	int32_t *results;
	bool line;
	struct timespec written;
	struct probe_fields fields;
	struct strbuf strings;
};

/**
 * struct probe_taker - who gets what is made of a text
 * @by_perf: is given each event for perf_event_open(2), which it is to copy
 * @by_pev:  is given each event for pev_open(2), which is its own then
 * @all_fields: probes that say what their arguments are record all of them, if none is asked for
 * @arg:     for both, who are given the name of the event, too: the text without its fields
 */
struct probe_taker {
	void (*by_perf)(void *arg, const char *name, const struct probe *p);
	void (*by_pev)(void *arg, const char *name, struct probe_places *p);
	bool all_fields;
	void *arg;
};

/*
 * Find the places that a text names. It is one event; of "usdt:" one for each probe that
 * matches, for places with other fields another one. For perf, notes and lines are one for each
 * place. Return 0,
 * or -errno with a sentence.
 */
int probe_each(const char *text, const struct probe_taker *taker, struct msg *m);
int probe_places_each(const char *text, const struct probe_taker *taker, struct msg *m);
/* Of those in a file */
enum probe_file_kind probe_places_kind(const struct probe_places *p);
/* Notes which of them the kernel left out; the event was opened. */
void probe_places_note(const struct probe_places *p, const char *label);
/* Notes that the file is another one by now, in which nothing is probed; the event is closed. */
void probe_places_note_file(const struct probe_places *p, const char *label);
void probe_places_free(struct probe_places *p);
/* The file that the text of a probe names, to be freed; NULL: it is one of the kernel. */
char *probe_file(const char *text);

#endif
