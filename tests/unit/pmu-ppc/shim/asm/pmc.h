/* SPDX-License-Identifier: GPL-2.0 */
#include "../../model.h"

static inline void ppc_enable_pmcs(void)
{
	machine.enabled = true;
}

static inline void ppc_set_pmu_inuse(int inuse)
{
	machine.inuse = inuse;
}
