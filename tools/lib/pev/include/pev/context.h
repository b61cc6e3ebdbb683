/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: the request that a thread works for, which records of it carry.
 *
 *	static __thread struct pev_thread_context request, *current_request;
 *
 *	pev_context_attach(&current_request, NULL);	once in each thread
 *
 *	pev_context_write(&request, trace_id, span_id);	as a request begins
 *	pev_context_point(&current_request, &request);
 *	...
 *	pev_context_point(&current_request, NULL);	as it ends
 *
 * No call tells the kernel of a request: it looks as it writes a record with
 * PEV_SAMPLE_CONTEXT. The form is OpenTelemetry's thread context record (OTEP 4947): a
 * program whose SDK writes it attaches &otel_thread_ctx_v1, and leaves the rest to it.
 */
#ifndef _PEV_CONTEXT_H
#define _PEV_CONTEXT_H

#include <stdint.h>
#include <string.h>
#include <linux/pev.h>
#include <pev/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * pev_context_attach() - make known where the calling thread says for which request it works
 * @pointer: address of a pointer to a struct pev_thread_context, which stays where it is as
 *           long as the thread; NULL: nowhere any more
 * @err:     filled on failure; may be NULL
 *
 * It holds for the thread until it ends or its program is replaced by execve(). The
 * child of a fork() calls it again.
 *
 * Return: 0, or -errno as in pev_open(2); -ENOSYS: the kernel has no pev, and the thread
 * can go on as if it had.
 */
int pev_context_attach(const void *pointer, struct pev_error *err);

/* In the order of the program: who reads interrupts the thread. */
#define PEV_CONTEXT_ORDER() __asm__ volatile("" : : : "memory")

/**
 * pev_context_write() - write a record that others may read meanwhile
 * @trace_id: 16 bytes
 * @span_id:  8 bytes
 */
static inline void pev_context_write(struct pev_thread_context *c, const void *trace_id,
				     const void *span_id)
{
	*(volatile uint8_t *)&c->valid = 0;
	PEV_CONTEXT_ORDER();
	memcpy(c->trace_id, trace_id, sizeof(c->trace_id));
	memcpy(c->span_id, span_id, sizeof(c->span_id));
	c->reserved = 0;
	c->attrs_size = 0;
	PEV_CONTEXT_ORDER();
	*(volatile uint8_t *)&c->valid = 1;
}

/** pev_context_point() - work for a request from now on; NULL: for none */
static inline void pev_context_point(struct pev_thread_context **pointer,
				     struct pev_thread_context *c)
{
	PEV_CONTEXT_ORDER();
	*(struct pev_thread_context *volatile *)pointer = c;
	PEV_CONTEXT_ORDER();
}

#ifdef __cplusplus
}
#endif

#endif /* _PEV_CONTEXT_H */
