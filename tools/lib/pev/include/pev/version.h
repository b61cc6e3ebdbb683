/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The version of libpev, libpev-sym, perfctl and their packages: this is the one place
 * to change it. CHANGELOG.md says what it means. The kernel's interface has a number of
 * its own, PEV_ABI_VERSION.
 */
#ifndef _PEV_VERSION_H
#define _PEV_VERSION_H

/* What a program is compiled with; pev_version() is what it runs with. */
#define PEV_VERSION "1.0"

#endif /* _PEV_VERSION_H */
