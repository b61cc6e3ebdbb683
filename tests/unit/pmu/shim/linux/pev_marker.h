/* SPDX-License-Identifier: GPL-2.0 */
/* Markers of which nobody knows here. */
#define PEV_MARK(subsystem, event, ...)      \
	do {                                 \
		if (0)                       \
			printf(__VA_ARGS__); \
	} while (0)
