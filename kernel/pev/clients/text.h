/* SPDX-License-Identifier: GPL-2.0 */
/* Events as lines of text, in a file of debugfs. */
#ifndef _PEV_CLIENTS_TEXT_H
#define _PEV_CLIENTS_TEXT_H

/* At boot, when there can be clients. */
void pev_text_setup(void);
void pev_text_teardown(void);

#endif
