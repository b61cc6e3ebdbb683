/* SPDX-License-Identifier: GPL-2.0 */
/* The machine's registers by their numbers in the Power ISA: ../../model.h */
#ifndef SHIM_ASM_REG_H
#define SHIM_ASM_REG_H

#include "../../model.h"

#define SPRN_MMCR3	754
#define SPRN_SIER	784
#define SPRN_MMCR2	785
#define SPRN_MMCRA	786
#define SPRN_PMC1	787
#define SPRN_PMC2	788
#define SPRN_PMC3	789
#define SPRN_PMC4	790
#define SPRN_PMC5	791
#define SPRN_PMC6	792
#define SPRN_MMCR0	795
#define SPRN_SIAR	796
#define SPRN_SDAR	797
#define SPRN_MMCR1	798

#define mfspr(n)	model_mfspr(n)
#define mtspr(n, v)	model_mtspr(n, v)

#endif
