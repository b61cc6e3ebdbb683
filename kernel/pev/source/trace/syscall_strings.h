/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the arguments of system calls point to, for events with PEV_F_TEXT.
 */
#ifndef _PEV_SYSCALL_TEXT_H
#define _PEV_SYSCALL_TEXT_H

#include <linux/types.h>

struct pev_attr;
struct pev_event;
struct pev_layout;
struct pev_refuse;
struct pev_strbuf;
struct pev_trace;
struct pt_regs;

#ifdef CONFIG_FTRACE_SYSCALLS
int pev_syscall_text_init(struct pev_event *event, const struct pev_attr *attr,
			  struct pev_refuse *r);
void pev_syscall_text_teardown(void);
void pev_syscall_text_fields(struct pev_event *event, struct pev_strbuf *text);
void pev_syscall_text_layout(struct pev_event *event, struct pev_layout *layout);
void pev_syscall_text_enter(struct pev_trace *trace, struct pt_regs *regs, int nr);
void pev_syscall_text_exit(struct pev_trace *trace, struct pt_regs *regs, int nr, long ret);
/* The probe of an event of the system "raw_syscalls" that has texts. */
void *pev_syscall_text_probe(struct pev_event *event);
#else
static inline int pev_syscall_text_init(struct pev_event *event, const struct pev_attr *attr,
					struct pev_refuse *r)
{
	return -EOPNOTSUPP;
}

static inline void pev_syscall_text_teardown(void)
{
}

static inline void pev_syscall_text_fields(struct pev_event *event, struct pev_strbuf *text)
{
}

static inline void pev_syscall_text_layout(struct pev_event *event, struct pev_layout *layout)
{
}

static inline void *pev_syscall_text_probe(struct pev_event *event)
{
	return NULL;
}
#endif

#endif
