/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_ATOMIC_H
#define SHIM_LINUX_ATOMIC_H

#include "compiler.h"

#define try_cmpxchg_local(ptr, old, new) ({				\
	bool swapped_;							\
	ring_point();							\
	swapped_ = __atomic_compare_exchange_n((ptr), (old), (new), false, \
					       __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
	ring_point();							\
	swapped_;							\
})

/* also against other CPUs */
#define try_cmpxchg(ptr, old, new) try_cmpxchg_local(ptr, old, new)

#endif
