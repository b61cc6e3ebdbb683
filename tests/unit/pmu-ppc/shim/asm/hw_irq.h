/* SPDX-License-Identifier: GPL-2.0 */
#include "../../model.h"

static inline bool pmi_irq_pending(void)
{
	return machine.kept;
}

static inline void clear_pmi_irq_pending(void)
{
	model_forget_kept();
}
