/* SPDX-License-Identifier: GPL-2.0 */
#include "../../model.h"

static inline void isync(void)
{
	model_isync();
}
