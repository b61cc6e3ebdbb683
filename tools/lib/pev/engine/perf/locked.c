// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds out how much memory perf's rings may lock: for each user some for every CPU, by a
 * sysctl, and for each process what RLIMIT_MEMLOCK allows.
 */
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "core/compiler.h"
#include "core/file.h"
#include "engine/perf/info.h"
#include "engine/perf/locked.h"

/* A capability within a user namespace is none here. */
static bool is_first_user_ns(void)
{
	unsigned long long inside, outside, many;
	bool first = true;
	char *text;

	if (pev_read_file("/proc/self/uid_map", &text, NULL))
		return true;
	if (sscanf(text, "%llu %llu %llu", &inside, &outside, &many) == 3)
		first = !inside && !outside && many == UINT32_MAX;
	free(text);
	return first;
}

static bool may_lock_any(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (perf_paranoid() < 0)
		return true;
	return !syscall(SYS_capget, &header, data) &&
	       data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK) &&
	       is_first_user_ns();
}

static unsigned int count_cpus(const struct cpu_mask *mask)
{
	unsigned int n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(mask->words); i++)
		n += (unsigned int)__builtin_popcountll(mask->words[i]);
	return n ? n : 1;
}

uint64_t perf_ring_room(const struct perf_engine *engine)
{
	unsigned int cpus = count_cpus(&engine->online);
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), room;
	struct rlimit limit;

	if (may_lock_any() || getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	room = (uint64_t)perf_mlock_kb() * 1024 * cpus + limit.rlim_cur;
	room = room > engine->mapped ? (room - engine->mapped) / cpus : 0;
	/* each has a page before its data */
	return room > page ? room - page : 0;
}
