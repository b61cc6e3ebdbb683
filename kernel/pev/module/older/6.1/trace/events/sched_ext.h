/* SPDX-License-Identifier: GPL-2.0 */
/* 6.1 has no such trace events. */
