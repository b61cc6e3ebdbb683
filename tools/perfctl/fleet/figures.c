// SPDX-License-Identifier: GPL-2.0
/* Prometheus' text format. See figures.h. */
#include "figures.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

void figures_init(struct figures *f)
{
	*f = (struct figures){ .times = 1 };
	strtab_id(&f->names, "(other)");
}

void figures_free(struct figures *f)
{
	strtab_free(&f->names);
}

/* A name that is new when there is no place any more must not be kept either. */
static uint32_t number_of(struct figures *f, const char *service)
{
	for (uint32_t i = 0; f->names.n == FIGURES_SERVICES && i < f->names.n; i++)
		if (!strcmp(strtab_get(&f->names, i), service))
			return i;
	return f->names.n < FIGURES_SERVICES ? strtab_id(&f->names, service) : 0;
}

void figures_count(struct figures *f, const char *service, uint64_t ns)
{
	struct service_figures *s = &f->services[number_of(f, service)];

	f->samples++;
	s->samples++;
	s->ns += ns;
}

void figures_head(struct strbuf *b, const char *name, const char *type, const char *help)
{
	strbuf_addf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put(struct strbuf *b, const char *name, const char *type, uint64_t v, const char *help)
{
	figures_head(b, name, type, help);
	strbuf_addf(b, "%s %" PRIu64 "\n", name, v);
}

void figures_label(struct strbuf *b, const char *name)
{
	struct strbuf safe = { 0 };

	strbuf_add(&safe, "", 0);
	text_name(&safe, name);
	for (const char *s = safe.s; *s; s++) {
		if (*s == '\\' || *s == '"')
			strbuf_putc(b, '\\');
		strbuf_putc(b, *s);
	}
	strbuf_free(&safe);
}

static void put_services(const struct figures *f, struct strbuf *b, const char *name, bool time)
{
	for (uint32_t i = 0; i < f->names.n; i++) {
		const struct service_figures *s = &f->services[i];

		if (!s->samples)
			continue;
		strbuf_addf(b, "%s{service=\"", name);
		figures_label(b, strtab_get(&f->names, i));
		if (time)
			strbuf_addf(b, "\"} %.9f\n", (double)s->ns / 1e9);
		else
			strbuf_addf(b, "\"} %" PRIu64 "\n", s->samples);
	}
}

static void put_own(struct strbuf *b)
{
	char *text = file_read("/proc/self/statm", NULL);
	uint64_t pages = 0;
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	figures_head(b, "perfctl_agent_cpu_seconds_total", "counter",
	     "Processor time of the agent itself.");
	strbuf_addf(b, "perfctl_agent_cpu_seconds_total %.6f\n",
		    (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
			    (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6);
	if (text && sscanf(text, "%*u %" SCNu64, &pages) == 1)
		put(b, "perfctl_agent_resident_bytes", "gauge",
		    pages * (uint64_t)sysconf(_SC_PAGESIZE), "Memory of the agent itself.");
	free(text);
}

void figures_text(const struct figures *f, struct strbuf *b)
{
	put(b, "perfctl_agent_samples_total", "counter", f->samples, "Samples of programs.");
	put(b, "perfctl_agent_idle_samples_total", "counter", f->idle,
	    "Samples that were taken while nothing ran.");
	put(b, "perfctl_agent_lost_records_total", "counter", f->lost,
	    "Records that found no room in the rings.");
	put(b, "perfctl_agent_lost_samples_total", "counter", f->lost_samples,
	    "Those of them that were samples.");
	put(b, "perfctl_agent_reread_processes_total", "counter", f->reread,
	    "Processes that were read from /proc again, as records of them were missing.");
	figures_head(b, "perfctl_agent_unwatched_seconds_total", "counter",
		     "Time in which the kernel did not tell of processes, as that took too much.");
	strbuf_addf(b, "perfctl_agent_unwatched_seconds_total %.3f\n", (double)f->blind_ns / 1e9);
	put(b, "perfctl_agent_sent_batches_total", "counter", f->sent_batches,
	    "Batches that the store acknowledged.");
	put(b, "perfctl_agent_sent_samples_total", "counter", f->sent_samples,
	    "Samples that the store acknowledged.");
	put(b, "perfctl_agent_failed_attempts_total", "counter", f->failures,
	    "Attempts to send a batch that the store did not acknowledge.");
	put(b, "perfctl_agent_dropped_samples_total", "counter", f->dropped,
	    "Samples for which the spool had no room.");
	put(b, "perfctl_agent_spool_batches", "gauge", f->spooled_batches,
	    "Batches that wait for the store.");
	put(b, "perfctl_agent_spool_bytes", "gauge", f->spooled_bytes,
	    "What these take on the disk.");
	put(b, "perfctl_agent_store_up", "gauge", f->up,
	    "Whether the store took what was sent last.");
	put(b, "perfctl_agent_rate_divisor", "gauge", f->times,
	    "Samples are taken so many times less often than asked for, as the agent took too much.");
	put_own(b);
	figures_head(b, "perfctl_service_samples_total", "counter",
	     "Samples of a service: n of them have a standard error of about sqrt(n).");
	put_services(f, b, "perfctl_service_samples_total", false);
	figures_head(b, "perfctl_service_cpu_seconds_total", "counter",
	     "Processor time of a service by these samples.");
	put_services(f, b, "perfctl_service_cpu_seconds_total", true);
}
