/* SPDX-License-Identifier: GPL-2.0 */
/* The version that "perfctl version" prints. */
#ifndef PERFCTL_BASE_VERSION_H
#define PERFCTL_BASE_VERSION_H

#include <pev/version.h>

#define PERFCTL_VERSION PEV_VERSION

#endif
