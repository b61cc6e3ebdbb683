/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: engines. What events are measured by: the kernel's pev, or, on a kernel
 * that has none, perf_event_open(2). A program that opens, reads and records
 * through an engine works on both, and its recordings have the same form.
 *
 * Events and channels of an engine are handles. They can be polled; nothing
 * else may be done to them but by the functions below. pev_engine_close()
 * closes one. struct pev_attr is filled as for pev_open(), with handles in
 * channel_fd and group_fd.
 */
#ifndef _PEV_ENGINE_H
#define _PEV_ENGINE_H

#include <pev/attr.h>
#include <pev/catalog.h>
#include <pev/ring.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pev_engine;

/*
 * Of the highest bits of attr.flags some are for engines of user space, and refused by the
 * kernel's pev. The event_flags of pev_engine_info() have those that an engine knows.
 */

/**
 * PEV_EF_PRECISE() - how near a sample's address must be to the instruction that it is of
 * @level: 0: the interrupt's; 1: always as far from it; 2: near it, if possible; 3: its own
 *
 * Of hardware events; perf's precise_ip. The kernel's PEV_F_PRECISE(), under the name that it
 * had before.
 */
#define PEV_EF_PRECISE(level) PEV_F_PRECISE(level)
#define PEV_EF_PRECISE_ALL PEV_F_PRECISE_ALL
/** PEV_EF_PRECISE_LEVEL() - the level in attr.flags */
#define PEV_EF_PRECISE_LEVEL(flags) PEV_F_PRECISE_LEVEL(flags)

/**
 * PEV_EF_CALLS - the records of all system calls, by their names
 *
 * Of raw_syscalls:sys_enter and raw_syscalls:sys_exit with a channel: the records of a call are
 * those of its tracepoint syscalls:sys_enter_NAME or syscalls:sys_exit_NAME, which is described
 * in the channel's metadata when it first happens. What has no such tracepoint is not recorded,
 * as are the calls of 32-bit programs, but counts as filtered. One such event costs what
 * hundreds of events do not: opening and closing each takes milliseconds.
 */
#define PEV_EF_CALLS	((__u64)1 << 61)

/**
 * PEV_EF_CGROUP - records say of which cgroup the thread was: see pev_event.cgroup
 *
 * Of events with a channel. The kernel has it from Linux 5.7 on, if it counts by cgroup.
 */
#define PEV_EF_CGROUP ((__u64)1 << 60)

/**
 * pev_engine_new() - make an engine ready; free with pev_engine_free()
 * @name: "pev" or "perf"; NULL: pev if the kernel has it, else perf
 * @flags: 0
 * @err:   filled at failure
 *
 * Return: 0; -EINVAL for an unknown name or @flags; -ENOSYS: the kernel does not have it;
 * -EACCES or -EPERM: it may not be used here.
 */
int pev_engine_new(const char *name, unsigned int flags, struct pev_engine **engine,
		   struct pev_error *err);
/** pev_engine_free() - after all its handles were closed and channels unmapped */
void pev_engine_free(struct pev_engine *engine);
/** pev_engine_name() - "pev" or "perf" */
const char *pev_engine_name(const struct pev_engine *engine);
/**
 * pev_engine_helper() - the path of pev-perfmon, which opens for its group's members what
 * the kernel refuses to them, or NULL if there is none
 *
 * The engine perf asks it unless the caller is root. It is looked for in /usr/local/libexec
 * and /usr/libexec, or where the environment variable PEV_PERFMON says.
 */
const char *pev_engine_helper(void);

/**
 * pev_engine_exact_losses() - whether all lost records are counted, for each event
 *
 * perf before Linux 6.0 tells only of those that others followed, and not of which event they
 * were: pev_value.lost is 0, and pev_channel_lost() is the least that it can be.
 */
bool pev_engine_exact_losses(const struct pev_engine *engine);

/** pev_engine_info() - what the engine can do here */
int pev_engine_info(struct pev_engine *engine, struct pev_info *info, struct pev_error *err);
/** pev_engine_catalog() - the events that it can open; free with pev_catalog_free(); @flags: 0 */
int pev_engine_catalog(struct pev_engine *engine, unsigned int flags, struct pev_catalog **catalog,
		       struct pev_error *err);

/**
 * pev_engine_fields() - the fields of an event of pev_engine_catalog()
 * @flags: 0
 *
 * As in @entry.fields, which not every engine fills: reading all of them takes time.
 * Free @fields.
 */
int pev_engine_fields(struct pev_engine *engine, const struct pev_catalog_entry *entry,
		      unsigned int flags, char **fields, struct pev_error *err);

/** pev_engine_open() - an event or a channel; @flags: 0; returns a handle or -errno */
int pev_engine_open(struct pev_engine *engine, struct pev_attr *attr, unsigned int flags,
		    struct pev_error *err);
void pev_engine_close(struct pev_engine *engine, int handle);

/*
 * As the pev_fd_ functions of the same names, which take descriptors. pev_engine_flush()
 * fetches what the kernel has before it closes the packets.
 */
int pev_engine_enable(struct pev_engine *engine, int handle, unsigned int flags);
int pev_engine_disable(struct pev_engine *engine, int handle, unsigned int flags);
int pev_engine_reset(struct pev_engine *engine, int handle, unsigned int flags);
int pev_engine_set_period(struct pev_engine *engine, int handle, uint64_t period);
int pev_engine_set_filter(struct pev_engine *engine, int handle, const char *filter,
			  struct pev_error *err);
int pev_engine_read(struct pev_engine *engine, int handle, struct pev_value *value);
int pev_engine_read_group(struct pev_engine *engine, int handle, struct pev_value *values,
			   unsigned int room);
int pev_engine_read_cpus(struct pev_engine *engine, int handle, struct pev_value *values,
			 unsigned int *nr);
int pev_engine_read_multiplexed(struct pev_engine *engine, int handle,
				struct pev_multiplexed *m);

/** pev_engine_cpu_fn - a CPU came online, or went */
typedef void (*pev_engine_cpu_fn)(void *arg, unsigned int cpu, bool online);

/**
 * pev_engine_refresh() - measure CPUs that came online
 * @changed: called for each CPU that came or went since the last call or the engine was
 *           made, for both if it went and came back; NULL: nothing is
 *
 * Of events on whole CPUs and cgroups. Call it once a second or at each wake-up: what
 * happens on a CPU before is missed, but for the kernel's pev, which needs no call, and
 * calls nothing.
 *
 * Return: 0, or -errno of the first event that could not be opened on such a CPU.
 */
int pev_engine_refresh(struct pev_engine *engine, pev_engine_cpu_fn changed, void *arg);

int pev_engine_flush(struct pev_engine *engine, int channel);
int pev_engine_snapshot(struct pev_engine *engine, int channel, struct pev_span *spans,
			unsigned int *nr);
int pev_engine_metadata(struct pev_engine *engine, int channel, char **text, size_t *len);
/**
 * pev_engine_map() - the rings of a channel; unmap with pev_channel_unmap()
 * @flags: 0
 *
 * pev_channel_map_new() and pev_writer_drain() fetch what the kernel has before
 * they look at the rings.
 */
int pev_engine_map(struct pev_engine *engine, int channel, unsigned int flags,
		   struct pev_channel **mapped);

#ifdef __cplusplus
}
#endif

#endif
