/* SPDX-License-Identifier: GPL-2.0 */
/* The files of channels. */
#ifndef _PEV_CHANNEL_FILE_H
#define _PEV_CHANNEL_FILE_H

struct file;
struct pev_channel;

/**
 * pev_channel_file() - a file whose release drops the caller's reference
 * @channel: the channel
 *
 * Return: the file or an ERR_PTR(), the reference then stays with the caller.
 */
struct file *pev_channel_file(struct pev_channel *channel);

/* The channel behind @file, NULL if it is no channel. */
struct pev_channel *pev_channel_from_file(struct file *file);

#endif
