// SPDX-License-Identifier: GPL-2.0
/* Chooses an engine. See engine.h. */
#include "engine.h"
#include "base/cpulist.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The program has one: handles of two could not be distinguished. */
static struct {
	char name[8];
	struct pev_engine *engine;
} chosen;

int engine_choose(void *opts, const char *name, struct msg *m)
{
	(void)opts;
	if (strcmp(name, "pev") && strcmp(name, "perf"))
		return msg_set(m, -EINVAL, "the engines are pev and perf, not \"%s\"", name);
	snprintf(chosen.name, sizeof(chosen.name), "%s", name);
	return 0;
}

/* @why: the library's sentence */
static int no_pev(struct msg *m, const char *why)
{
	struct utsname u;

	if (!access("/sys/module/pev/initstate", F_OK))
		return msg_set(m, -ENOSYS, "%s", why);
	if (uname(&u))
		strcpy(u.release, "?");
	return msg_set(m, -ENOSYS,
		       "the running kernel (%s) has no pev: leave --engine out to measure by "
		       "perf_event_open(2); \"perfctl doctor\" says whether its module could be "
		       "loaded, or what else keeps it away",
		       u.release);
}

int engine_ready(struct msg *m)
{
	struct pev_error why;
	int err;

	if (chosen.engine)
		return 0;
	err = pev_engine_new(*chosen.name ? chosen.name : NULL, 0, &chosen.engine, &why);
	if (err == -ENOSYS && !strcmp(chosen.name, "pev"))
		return no_pev(m, why.text);
	return err ? msg_set(m, err, "%s", why.text) : 0;
}

struct pev_engine *engine(void)
{
	return chosen.engine;
}

bool engine_is_pev(void)
{
	return !strcmp(pev_engine_name(chosen.engine), "pev");
}

const char *engine_rate_setting(void)
{
	return engine_is_pev() ? "kernel.pev_max_sample_rate" : "kernel.perf_event_max_sample_rate";
}

/* Returns 0 if there is none. */
static long long number_in(const char *path)
{
	char *text = file_read(path, NULL);
	long long n = text ? strtoll(text, NULL, 10) : 0;

	free(text);
	return n;
}

uint64_t engine_max_rate(void)
{
	return (uint64_t)number_in(engine_is_pev() ? "/proc/sys/kernel/pev_max_sample_rate" :
						     "/proc/sys/kernel/perf_event_max_sample_rate");
}

const char *engine_memory_settings(void)
{
	return engine_is_pev() ? "ulimit -l" :
				 "ulimit -l, or as root sysctl kernel.perf_event_mlock_kb";
}

/* Root has no limit. */
static bool may_lock(uint64_t bytes, uint64_t cpus)
{
	struct rlimit limit;
	uint64_t room;

	if (!geteuid() || getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return true;
	if (!engine_is_pev() && number_in("/proc/sys/kernel/perf_event_paranoid") < 0)
		return true;
	room = limit.rlim_cur;
	if (!engine_is_pev())
		room += (uint64_t)number_in("/proc/sys/kernel/perf_event_mlock_kb") * 1024 * cpus;
	return bytes * cpus <= room;
}

void engine_put_larger_ring(struct strbuf *b, unsigned int mib)
{
	struct cpulist online;
	unsigned int cpus = cpulist_online(&online) ? 1 : cpulist_count(&online);

	if (may_lock((uint64_t)mib << 20, cpus))
		strbuf_addf(b, "try a larger ring (-m %uM)", mib);
	else
		strbuf_addf(b, "raise the limit of locked memory (%s) for larger rings (-m %uM)",
			    engine_memory_settings(), mib);
	cpulist_free(&online);
}
