// SPDX-License-Identifier: GPL-2.0
/* Owns the lock of the control plane. */
#include "base/lock.h"
#include "lock.h"

/* see lock.h */
DEFINE_MUTEX(pev_control);
