/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The CRC-32 that zlib, the kernel and debug links have.
 */
#ifndef _PEV_COMMON_CRC32_H
#define _PEV_COMMON_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* @sum: of what is before the data, 0 if they are the first */
static inline uint32_t crc32_add(uint32_t sum, const void *data, size_t len)
{
	static const uint32_t by_nibble[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	const uint8_t *p = data;

	for (sum = ~sum; len; len--) {
		sum ^= *p++;
		sum = sum >> 4 ^ by_nibble[sum & 15];
		sum = sum >> 4 ^ by_nibble[sum & 15];
	}
	return ~sum;
}

#endif /* _PEV_COMMON_CRC32_H */
