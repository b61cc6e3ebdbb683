/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: what it asks for, with its declaration. */
#ifndef _PEV_OLDER_UAPI_LINUX_EVENTPOLL_H
#define _PEV_OLDER_UAPI_LINUX_EVENTPOLL_H

#include <linux/capability.h>
#include_next <uapi/linux/eventpoll.h>

#endif
