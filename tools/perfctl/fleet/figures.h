/* SPDX-License-Identifier: GPL-2.0 */
/* What an agent counts of itself and of services, in Prometheus' text format. */
#ifndef PERFCTL_FLEET_FIGURES_H
#define PERFCTL_FLEET_FIGURES_H

#include "base/util.h"

/* Services that are told from each other: a program must not make labels without end. */
#define FIGURES_SERVICES 500

/* CPU time by samples: @ns that they stand for */
struct service_figures {
	uint64_t samples;
	uint64_t ns;
};

/**
 * struct figures - at one moment
 * @samples:  of programs
 * @idle:     taken while nothing ran
 * @lost:     records that found no room in the rings ...
 * @lost_samples: ... of which so many were samples
 * @reread:   processes that were read from /proc again
 * @blind_ns: while it was not told of processes, as that took too much
 * @sent_batches: that the store acknowledged
 * @sent_samples: in these
 * @failures: attempts to send that the store did not acknowledge
 * @dropped:  samples for which the spool had no room
 * @spooled_batches: that wait
 * @spooled_bytes: on the disk
 * @up:       the store took what was sent last
 * @times:    samples are taken so many times less often than was asked for
 * @names:    of services; the first is for those that find no place
 * @services: by the numbers of their names
 */
struct figures {
	uint64_t samples;
	uint64_t idle;
	uint64_t lost;
	uint64_t lost_samples;
	uint64_t reread;
	uint64_t blind_ns;
	uint64_t sent_batches;
	uint64_t sent_samples;
	uint64_t failures;
	uint64_t dropped;
	uint64_t spooled_batches;
	uint64_t spooled_bytes;
	bool up;
	unsigned int times;
	struct strtab names;
	struct service_figures services[FIGURES_SERVICES];
};

void figures_init(struct figures *f);
void figures_free(struct figures *f);
/* Counts a sample of a service. @ns: of CPU time that it stands for; 0: it is not of a clock */
void figures_count(struct figures *f, const char *service, uint64_t ns);
/* What stands before the values of a metric */
void figures_head(struct strbuf *b, const char *name, const char *type, const char *help);
/* Appends the value of a label: what cannot be printed is made visible, then quoted. */
void figures_label(struct strbuf *b, const char *name);
/* Appends all, and what this process took itself. */
void figures_text(const struct figures *f, struct strbuf *b);

#endif
