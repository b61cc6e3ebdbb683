/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters as programs: a flat array of tests, each of which says by the index of another one
 * how it goes on. parse.c makes them of expressions.
 */
#ifndef _PEV_FILTER_PROGRAM_H
#define _PEV_FILTER_PROGRAM_H

#include <linux/compiler.h>
#include <linux/types.h>

struct pid_namespace;
struct task_struct;

/* What is looked at of a string for a pattern with a * or ? inside. */
#define PEV_FILTER_TEXT		1024

/**
 * enum pev_load - where a test's operand comes from
 * @PEV_LOAD_64:      eight bytes of the record
 * @PEV_LOAD_U32:     four bytes of the record, extended by zeros
 * @PEV_LOAD_S32:     four bytes of the record, extended by their sign
 * @PEV_LOAD_U16:     two bytes
 * @PEV_LOAD_S16:     two bytes
 * @PEV_LOAD_U8:      a byte
 * @PEV_LOAD_S8:      a byte
 * @PEV_LOAD_CPU:     the CPU
 * @PEV_LOAD_PID:     the thread's id, as the opener sees it
 * @PEV_LOAD_TGID:    the process's id, as the opener sees it
 * @PEV_LOAD_CGROUP:  the id of the task's cgroup in the unified hierarchy
 * @PEV_LOAD_IP:      where it happened
 * @PEV_LOAD_ARRAY:   characters or CPUs in the record
 * @PEV_LOAD_LOC:     the same, where a word in the record says, counted from the record
 * @PEV_LOAD_REL_LOC: the same, counted from behind that word
 * @PEV_LOAD_COMM:    the task's name
 */
enum pev_load {
	PEV_LOAD_64,
	PEV_LOAD_U32,
	PEV_LOAD_S32,
	PEV_LOAD_U16,
	PEV_LOAD_S16,
	PEV_LOAD_U8,
	PEV_LOAD_S8,
	PEV_LOAD_CPU,
	PEV_LOAD_PID,
	PEV_LOAD_TGID,
	PEV_LOAD_CGROUP,
	PEV_LOAD_IP,
	PEV_LOAD_ARRAY,
	PEV_LOAD_LOC,
	PEV_LOAD_REL_LOC,
	PEV_LOAD_COMM,
};

/**
 * enum pev_check - what a test asks of its operand
 * @PEV_CHECK_RANGE:     is the number @span or less above @low? All comparisons of numbers
 *                       are this, or the opposite of it
 * @PEV_CHECK_BITS:      has it any of the bits @low?
 * @PEV_CHECK_CPU:       is the number a CPU of the mask?
 * @PEV_CHECK_CPUS:      is the mask the same?
 * @PEV_CHECK_CPUS_MEET: has the mask a CPU of it?
 * @PEV_CHECK_EQUAL:     is the string the pattern?
 * @PEV_CHECK_FRONT:     does it begin with the pattern?
 * @PEV_CHECK_END:       does it end with the pattern?
 * @PEV_CHECK_MIDDLE:    does the pattern occur in it?
 * @PEV_CHECK_GLOB:      does it match the pattern?
 */
enum pev_check {
	PEV_CHECK_RANGE,
	PEV_CHECK_BITS,
	PEV_CHECK_CPU,
	PEV_CHECK_CPUS,
	PEV_CHECK_CPUS_MEET,
	PEV_CHECK_EQUAL,
	PEV_CHECK_FRONT,
	PEV_CHECK_END,
	PEV_CHECK_MIDDLE,
	PEV_CHECK_GLOB,
};

/**
 * struct pev_test - a comparison
 * @check:  enum pev_check
 * @load:   enum pev_load
 * @offset: of the operand in the record
 * @size:   bytes of a PEV_LOAD_ARRAY
 * @len:    bytes of the pattern or mask
 * @yes:    the test that follows if it holds, always a later one; PEV_FILTER_YES, _NO: none
 * @no:     the same if it does not
 * @low:    see PEV_CHECK_RANGE and PEV_CHECK_BITS
 * @span:   see PEV_CHECK_RANGE
 * @pool:   where the pattern or mask is in the program's pool
 */
struct pev_test {
	u8	check;
	u8	load;
	u16	offset;
	u16	size;
	u16	len;
	u16	yes;
	u16	no;
	union {
		struct {
			u64	low;
			u64	span;
		};
		u32	pool;
	};
};

#define PEV_FILTER_YES		0xffffU
#define PEV_FILTER_NO		0xfffeU

/**
 * struct pev_program - a filter
 * @nr:     tests
 * @end:    bytes that a record must have for the tests to look at it; 0: they look at none
 * @steps:  what it takes at most: a number or character that is compared is about one
 * @pool:   patterns and masks, behind the tests
 * @pid_ns: the opener's, in which ids of tasks are told
 * @tests:  the first one is asked first
 */
struct pev_program {
	u32			nr;
	u32			end;
	u32			steps;
	const u8		*pool;
	struct pid_namespace	*pid_ns;
	struct pev_test		tests[];
};

/**
 * struct pev_occurrence - what a filter is asked about
 * @record: the fields; NULL if the program's @end is 0
 * @ip:     where it happened
 * @task:   the task it is about; NULL: the current task
 * @size:   bytes of @record
 */
struct pev_occurrence {
	const void		*record;
	u64			ip;
	struct task_struct	*task;
	u32			size;
};

/**
 * pev_program_passes() - ask a filter
 * @program: the filter
 * @at:      the occurrence
 *
 * Follows no pointers, takes no locks, and ends: each test is asked once at most, and
 * what one may take was bounded when the program was made.
 *
 * Context: Any with preemption disabled, NMI included.
 * Return: does the occurrence pass?
 */
bool pev_program_passes(const struct pev_program *program, const struct pev_occurrence *at);

/**
 * pev_load_number() - a number of a record, extended to 64 bits
 * @load: PEV_LOAD_64 to PEV_LOAD_S8
 * @at:   the field, which need not be aligned
 *
 * Context: Any, NMI included.
 * Return: the number.
 */
u64 pev_load_number(u8 load, const void *at);

#endif
