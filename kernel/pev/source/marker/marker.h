/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _PEV_MARKER_SETUP_H
#define _PEV_MARKER_SETUP_H

int pev_markers_setup(void);
void pev_markers_teardown(void);

#endif
