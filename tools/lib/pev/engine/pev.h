/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The engine of a kernel that has pev.
 */
#ifndef _PEV_ENGINE_PEV_H
#define _PEV_ENGINE_PEV_H

#include "engine/ops.h"

/* 0, or -errno with @err: the kernel has no pev, or forbids it */
int engine_pev_new(struct pev_engine **engine, struct pev_error *err);

#endif /* _PEV_ENGINE_PEV_H */
