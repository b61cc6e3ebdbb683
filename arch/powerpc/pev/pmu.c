// SPDX-License-Identifier: GPL-2.0
/* The PMU of POWER8 to POWER10. */
#include "prompt.h"

DEFINE_PER_CPU(bool, ppc_pev_prompt);
