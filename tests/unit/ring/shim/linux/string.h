/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_STRING_H
#define SHIM_LINUX_STRING_H

#include <string.h>
#include "compiler.h"

/* the only call in packet_open(): a point between its stores */
#define memcpy(dst, src, n) do {					\
	ring_point();							\
	(memcpy)((dst), (src), (n));					\
	ring_point();							\
} while (0)

#endif
