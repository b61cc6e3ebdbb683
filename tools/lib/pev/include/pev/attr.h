/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: attributes of events and channels, and the names that people use.
 *
 * pev_attr_channel() and the like clear the whole structure and set what must
 * be set; then change any member you like.
 */
#ifndef _PEV_ATTR_H
#define _PEV_ATTR_H

#include <stddef.h>
#include <stdint.h>
#include <linux/pev.h>
#include <pev/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** pev_attr_channel() - a channel; @ring_size: bytes of each ring, rounded up to a power of two */
void pev_attr_channel(struct pev_attr *attr, uint64_t ring_size);

/**
 * pev_attr_event() - an event of any type, counting only, on the caller itself
 * @type:   PEV_TYPE_SOFTWARE and the like
 * @config: by type, 0 for tracepoints and markers
 * @name:   for tracepoints and markers, else NULL; must live until pev_open()
 */
void pev_attr_event(struct pev_attr *attr, uint32_t type, uint64_t config,
		    const char *name);

/** pev_attr_record() - let records of the event go to a channel */
void pev_attr_record(struct pev_attr *attr, int channel_fd, uint64_t period,
		     uint64_t sample);

/** pev_attr_target() - choose a target; @id: tid, pid or cgroup fd, by @target */
void pev_attr_target(struct pev_attr *attr, uint32_t target, int id);

/**
 * pev_attr_cpus() - on these CPUs alone, of a target PEV_TARGET_CPUS or PEV_TARGET_CGROUP
 * @mask: a bit for each CPU; must live until pev_open()
 * @words: 64-bit words of it
 */
void pev_attr_cpus(struct pev_attr *attr, const uint64_t *mask, unsigned int words);

/**
 * pev_attr_pmu() - of a hardware or raw event: which PMU, and the further words of its code
 * @pmu: PEV_PMU_CORE, or another that the text of PEV_TYPE_PMU has; by the engine perf
 *       the number in the PMU's file "type" in sysfs
 */
void pev_attr_pmu(struct pev_attr *attr, uint32_t pmu, uint64_t config1, uint64_t config2);

/** pev_attr_filter() - a filter expression, which must live until pev_open() */
void pev_attr_filter(struct pev_attr *attr, const char *filter);

/**
 * pev_attr_error() - ask the kernel to explain a refusal
 * @err: filled by the kernel if it refuses what pev_open() is called for, so it must
 *       live until then; NULL: ask for nothing
 */
void pev_attr_error(struct pev_attr *attr, struct pev_error *err);

/**
 * pev_attr_by_name() - an event from the name that people use
 * @attr: set up as by pev_attr_event(); attr->name points into @name
 * @name: a name of the catalog: "page-faults", "sched:sched_switch", or one
 *        with its type before it: "timer/cpu-clock", "marker/pev:test".
 *
 * Looks into no catalog: a bare name is taken for a software event, then a
 * timer, then a sideband event ("mmap"; "pev:mmap" also names it), then a hardware
 * event ("cycles"). Another one that has a colon is a tracepoint, unless there are
 * capital letters before the colon: that, and a bare name which is nothing of
 * all these, goes to pev_pmu_code(): "r01c4", "INST_RETIRED:ANY_P".
 *
 * Return: 0, -EINVAL for an unknown type, -ENOENT for an unknown bare name, or as
 * pev_pmu_code(), which says more.
 */
int pev_attr_by_name(struct pev_attr *attr, const char *name);

/** pev_type_name() - "software", "timer", ...; NULL if there is none */
const char *pev_type_name(uint32_t type);
/** pev_type_by_name() - enum pev_type or -ENOENT */
int pev_type_by_name(const char *name);
/** pev_config_name() - name of attr.config of a software, timer or sideband event, or NULL */
const char *pev_config_name(uint32_t type, uint64_t config);
/** pev_config_by_name() - attr.config or -ENOENT */
int pev_config_by_name(uint32_t type, const char *name);
/** pev_attr_field_name() - member of struct pev_attr at a byte offset (pev_error.field), or NULL */
const char *pev_attr_field_name(uint32_t offset);

#ifdef __cplusplus
}
#endif

#endif /* _PEV_ATTR_H */
