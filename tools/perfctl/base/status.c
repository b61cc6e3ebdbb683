// SPDX-License-Identifier: GPL-2.0
/* Errors to exit statuses. See status.h. */
#include "status.h"

#include <errno.h>

int status_of(int err)
{
	switch (-err) {
	case ENOSYS:
		return STATUS_NO_PEV;
	case EACCES:
	case EPERM:
		return STATUS_REFUSED;
	case EINVAL:
	case ENOENT:
		return STATUS_USAGE;
	case EBADMSG:
		return STATUS_BAD_DATA;
	case ENOSPC:
	case EIO:
	case EDQUOT:
	case EFBIG:
		return STATUS_IO;
	default:
		return STATUS_FAILED;
	}
}
