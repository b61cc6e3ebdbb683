/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_BARRIER_H
#define SHIM_ASM_BARRIER_H

#include <linux/compiler.h>

#define smp_store_release(p, v) do {					\
	ring_point();							\
	__atomic_store_n((p), (v), __ATOMIC_RELEASE);			\
	ring_point();							\
} while (0)
#define smp_load_acquire(p) ({						\
	ring_point();							\
	__atomic_load_n((p), __ATOMIC_ACQUIRE);				\
})

/* ThreadSanitizer knows no fences; on x86 the compiler's barrier is one */
#if defined(__x86_64__)
#define smp_wmb()	barrier()
#define smp_rmb()	barrier()
#define smp_mb() barrier()
#else
#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_wmb()	__atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_rmb()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
#endif

#endif
