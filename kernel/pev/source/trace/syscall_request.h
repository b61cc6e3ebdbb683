/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What requests of ioctl() say of the memory that its argument points to.
 */
#ifndef _PEV_SYSCALL_REQUEST_H
#define _PEV_SYSCALL_REQUEST_H

#include <linux/types.h>

/**
 * struct pev_call_request - a request
 * @cmd:  its number
 * @when: PEV_CALL_IN, PEV_CALL_OUT, both, or 0 if the argument points to nothing
 * @size: bytes of what the argument points to
 */
struct pev_call_request {
	u32	cmd;
	u8	when;
	u16	size;
};

struct pev_call_request pev_call_request(unsigned long cmd);

#endif
