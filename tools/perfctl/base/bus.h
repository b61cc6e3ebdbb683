/* SPDX-License-Identifier: GPL-2.0 */
/* Files that are mapped and become shorter while they are read. */
#ifndef PERFCTL_BASE_BUS_H
#define PERFCTL_BASE_BUS_H

/* From here on the program ends with a sentence then, instead of by SIGBUS. */
void bus_explain(void);
/*
 * ... or finds zeros where the file was, and goes on: for what measures a machine, the users of
 * which have programs that they may cut at any time. It needs bus_explain().
 */
void bus_survive(void);

#endif
