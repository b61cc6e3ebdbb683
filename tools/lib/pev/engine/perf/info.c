// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds out what perf can do here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <pev/engine.h>
#include "core/file.h"
#include "engine/perf/attr.h"
#include "engine/perf/cpus.h"
#include "engine/perf/error.h"
#include "engine/perf/info.h"
#include "helper/helper.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define MAX_RATE "/proc/sys/kernel/perf_event_max_sample_rate"
#define MLOCK_KB "/proc/sys/kernel/perf_event_mlock_kb"

int perf_open(const struct perf_event_attr *attr, int pid, int cpu, int group_fd,
	      unsigned long flags)
{
	int error, helped;
	long fd;

	do {
		fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd,
			     flags | PERF_FLAG_FD_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	if (fd >= 0)
		return (int)fd;
	error = errno;
	/* what names a probe lies in our memory, where the helper cannot read it */
	if ((error != EACCES && error != EPERM) || perf_is_probe(attr))
		return -error;
	helped = helper_perf_open(attr, pid, cpu, group_fd, flags);
	return helped == -ENOSYS ? -error : helped;
}

static int read_number(const char *path, int other)
{
	char *text;
	int n = other;

	if (!pev_read_file(path, &text, NULL)) {
		n = atoi(text);
		free(text);
	}
	return n;
}

int perf_paranoid(void)
{
	return read_number(PARANOID, 2);
}

unsigned int perf_max_rate(void)
{
	return (unsigned int)read_number(MAX_RATE, 0);
}

unsigned int perf_mlock_kb(void)
{
	return (unsigned int)read_number(MLOCK_KB, 516);
}

bool perf_is_pmu(const struct perf_event_attr *attr, const char *name)
{
	char path[64], *text;
	bool is;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
	if (attr->type < PERF_TYPE_MAX || pev_read_file(path, &text, NULL))
		return false;
	is = attr->type == strtoul(text, NULL, 10);
	free(text);
	return is;
}

bool perf_is_probe(const struct perf_event_attr *attr)
{
	return perf_is_pmu(attr, "uprobe") || perf_is_pmu(attr, "kprobe");
}

const char *perf_tracefs(void)
{
	static const char *const places[] = { "/sys/kernel/tracing",
					      "/sys/kernel/debug/tracing" };
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(path, sizeof(path), "%s/events", places[i]);
		if (!access(path, F_OK) || errno == EACCES)
			return places[i];
	}
	return NULL;
}

/* Returns whether it can be opened on ourselves, disabled. */
static bool opens(struct perf_event_attr attr)
{
	int fd;

	attr.size = sizeof(attr);
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	fd = perf_open(&attr, 0, -1, -1, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

unsigned int perf_features(void)
{
	const struct perf_event_attr dummy = { .type = PERF_TYPE_SOFTWARE,
					       .config = PERF_COUNT_SW_DUMMY };
	struct perf_event_attr attr = dummy;
	unsigned int features = 0;

	attr.mmap = attr.mmap2 = attr.build_id = 1;
	if (opens(attr))
		features |= PERF_HAS_BUILD_ID;
	attr = dummy;
	attr.inherit = attr.inherit_thread = 1;
	if (opens(attr))
		features |= PERF_HAS_INHERIT_THREAD;
	attr = dummy;
	attr.read_format = PERF_FORMAT_LOST_BIT;
	if (opens(attr))
		features |= PERF_HAS_LOST;
	attr = dummy;
	attr.sample_type = PERF_SAMPLE_CGROUP;
	if (opens(attr))
		features |= PERF_HAS_CGROUP;
	return features;
}

static uint64_t hardware_here(const struct perf_engine *engine)
{
	uint64_t found = 0;

	for (uint64_t config = 0; config < PEV_HW_MAX; config++) {
		struct pev_attr ours = { .type = PEV_TYPE_HARDWARE, .config = config,
					 .channel_fd = -1, .group_fd = -1 };
		struct perf_event_attr attr;
		struct perf_class cls;

		if (!perf_attr_make(engine, &ours, &attr, &cls, NULL) && opens(attr))
			found |= 1ULL << config;
		/* without cycles there is no PMU: skip the other tests */
		if (config == PEV_HW_CYCLES && !found)
			break;
	}
	return found;
}

/* Reads the names from tracefs; formats are read when an event is opened. NULL: none */
static char *tracepoint_names(const struct perf_engine *engine)
{
	char path[64], *names;

	if (!engine->tracefs)
		return NULL;
	snprintf(path, sizeof(path), "%s/available_events", engine->tracefs);
	return pev_read_file(path, &names, NULL) ? NULL : names;
}

static uint32_t nr_tracepoints(const struct perf_engine *engine)
{
	char *names = tracepoint_names(engine);
	uint32_t nr = 0;

	for (const char *c = names; c && *c; c++)
		nr += *c == '\n';
	free(names);
	return nr;
}

static uint64_t registers(void)
{
#if defined(__x86_64__)
	/* all but the segments ds, es, fs and gs */
	return 0xff0fff;
#elif defined(__powerpc64__)
	return (1ULL << 44) - 1;
#elif defined(__aarch64__)
	return (1ULL << 33) - 1;
#else
	return 0;
#endif
}

int perf_info(struct pev_engine *base, struct pev_info *info, struct pev_error *err)
{
	const struct perf_engine *engine = perf_of(base);

	(void)err;
	*info = (struct pev_info){
		.size = sizeof(*info),
		.abi_version = PEV_ABI_VERSION,
		.types = 1U << PEV_TYPE_INFO | 1U << PEV_TYPE_CATALOG | 1U << PEV_TYPE_CHANNEL |
			 1U << PEV_TYPE_SOFTWARE | 1U << PEV_TYPE_TIMER |
			 1U << PEV_TYPE_TRACEPOINT | 1U << PEV_TYPE_SIDEBAND |
			 1U << PEV_TYPE_HARDWARE | 1U << PEV_TYPE_RAW,
		.software = (1U << PEV_SW_MAX) - 1,
		.event_flags = PEV_F_DISABLED | PEV_F_ENABLE_ON_EXEC | PEV_F_FREQ |
			       PEV_F_EXCLUDE_USER | PEV_F_EXCLUDE_KERNEL | PEV_F_READ_GROUP |
			       PEV_F_EXCLUDE_HV | PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST |
			       PEV_F_PINNED | PEV_F_EXCLUSIVE | PEV_EF_PRECISE_ALL | PEV_EF_CALLS |
			       (engine->features & PERF_HAS_CGROUP ? PEV_EF_CGROUP : 0),
		.sample = PEV_SAMPLE_ALL &
			  ~(uint64_t)(PEV_SAMPLE_READ | NO_GUESTS(PEV_SAMPLE_GUEST) |
				      PEV_SAMPLE_EXIT | PEV_SAMPLE_CONTEXT | PEV_SAMPLE_PAIR),
		.regs_user = registers(),
		.channel_flags = PEV_CHF_OVERWRITE,
		.targets = ((1U << PEV_TARGET_MAX) - 1) & ~(1U | NO_GUESTS(1U << PEV_TARGET_GUEST)),
		.clock = PEV_CLOCK_MONOTONIC,
		.paranoid = perf_paranoid(),
		.clock_freq = 1000000000,
		.nr_tracepoints = nr_tracepoints(engine),
		.hardware = hardware_here(engine),
		.nr_cpus = perf_cpus_room(),
	};
	if (info->hardware) {
		info->pmu_counters = 1;
		snprintf(info->pmu, sizeof(info->pmu), "cpu");
	}
	return 0;
}

static void put_configs(struct text *t, uint32_t type, uint64_t mask)
{
	const char *name;

	for (uint64_t config = 0; (name = pev_config_name(type, config)); config++)
		if (mask >> config & 1)
			text_addf(t, "%s %s -\n", pev_type_name(type), name);
}

static void put_tracepoints(struct text *t, const struct perf_engine *engine)
{
	char *names = tracepoint_names(engine), *save, *name = NULL;

	if (names)
		name = strtok_r(names, "\n", &save);
	for (; name; name = strtok_r(NULL, "\n", &save))
		text_addf(t, "tracepoint %s -\n", name);
	free(names);
}

int perf_catalog(struct pev_engine *base, struct pev_catalog **catalog, struct pev_error *err)
{
	const struct perf_engine *engine = perf_of(base);
	struct text t = { 0 };
	int ret;

	put_configs(&t, PEV_TYPE_SOFTWARE, UINT64_MAX);
	put_configs(&t, PEV_TYPE_TIMER, UINT64_MAX);
	put_configs(&t, PEV_TYPE_SIDEBAND, UINT64_MAX);
	put_configs(&t, PEV_TYPE_HARDWARE, hardware_here(engine));
	put_tracepoints(&t, engine);
	ret = t.failed ? -ENOMEM : pev_catalog_parse(t.s, t.len, catalog);
	text_free(&t);
	return ret ? pev_fail(err, -ret, 0, "the list of events: %s", strerror(-ret)) : 0;
}
