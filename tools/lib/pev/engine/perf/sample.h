/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Parses perf's samples.
 */
#ifndef _PEV_ENGINE_PERF_SAMPLE_H
#define _PEV_ENGINE_PERF_SAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct perf_sample - the parts of a sample
 *
 * Pointers lead into the record; missing parts have length 0.
 *
 * @size:   bytes of the record
 * @kernel: it happened in the kernel
 * @guest: PEV_GUEST_*, as the kernel asked KVM: @ip is the guest's then
 * @values: of the group, one every @value_words words
 * @chain: with the marks that perf puts between its parts
 * @regs_abi: PERF_SAMPLE_REGS_ABI_*, of the program
 * @regs:  NULL: of a kernel thread
 * @stack_len: bytes that the stack really has
 * @cgroup: 0: not told, or not told where it can be found
 */
struct perf_sample {
	uint32_t	size;
	bool		kernel;
	uint32_t guest;
	uint64_t	id;
	uint64_t	ip;
	uint32_t	pid;
	uint32_t	tid;
	uint64_t	time;
	uint64_t	addr;
	uint32_t	cpu;
	uint64_t	period;
	const uint64_t	*values;
	uint64_t	nr_values;
	unsigned int	value_words;
	const uint64_t	*chain;
	uint64_t	chain_len;
	const uint8_t	*raw;
	uint32_t	raw_len;
	uint64_t	regs_abi;
	const uint64_t	*regs;
	unsigned int	nr_regs;
	const uint8_t	*stack;
	uint64_t	stack_len;
	uint64_t cgroup;
};

/**
 * perf_sample_parse() - parse a PERF_RECORD_SAMPLE
 * @record: in memory that has header.size bytes, aligned to 8
 * @attr:   of its event
 *
 * Return: true, false if it does not fit.
 */
bool perf_sample_parse(const struct perf_event_header *record,
		       const struct perf_event_attr *attr, struct perf_sample *sample);

#endif /* _PEV_ENGINE_PERF_SAMPLE_H */
