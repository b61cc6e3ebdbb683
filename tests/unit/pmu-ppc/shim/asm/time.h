/* SPDX-License-Identifier: GPL-2.0 */
#include "../../model.h"

static inline u64 mftb(void)
{
	return machine.tb;
}
