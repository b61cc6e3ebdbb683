/* SPDX-License-Identifier: GPL-2.0 */
/* Where a function of the running program lies in its file, for probes. */
#ifndef PEV_PLACE_H
#define PEV_PLACE_H

#include <stdint.h>
#include <stdio.h>

/* @fn: address of the function. Return: its offset in the file; 0: it is in none. */
static inline uint64_t pev_place_of(const void *fn)
{
	unsigned long begin, end, offset, at = (unsigned long)fn;
	FILE *f = fopen("/proc/self/maps", "re");
	uint64_t place = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) == 3 &&
		    at >= begin && at < end)
			place = at - begin + offset;
	if (f)
		fclose(f);
	return place;
}

#endif
