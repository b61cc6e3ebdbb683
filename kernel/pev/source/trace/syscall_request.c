// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what requests of ioctl() say of their argument. Knows neither drivers nor
 * how anything is copied: a number may belong to several drivers, and what it
 * says is only as true as its maker was.
 */
#include <linux/array_size.h>
#include <linux/fs.h>
#include <linux/if.h>
#include <linux/ioctl.h>
#include <linux/sockios.h>
#include <uapi/linux/if_tun.h>
#include <uapi/linux/termios.h>
#include "syscall_plan.h"
#include "syscall_request.h"

#define IN	PEV_CALL_IN
#define OUT	PEV_CALL_OUT

/*
 * Numbers from before they had parts, which architectures have given some of them
 * since then, and a few whose parts are not true.
 */
static const struct pev_call_request requests[] = {
	/* terminals */
	{ TCGETS,		OUT,		sizeof(struct termios) },
	{ TCSETS,		IN,		sizeof(struct termios) },
	{ TCSETSW,		IN,		sizeof(struct termios) },
	{ TCSETSF,		IN,		sizeof(struct termios) },
	{ TCGETA,		OUT,		sizeof(struct termio) },
	{ TCSETA,		IN,		sizeof(struct termio) },
	{ TCSETAW,		IN,		sizeof(struct termio) },
	{ TCSETAF,		IN,		sizeof(struct termio) },
	{ TIOCGWINSZ,		OUT,		sizeof(struct winsize) },
	{ TIOCSWINSZ,		IN,		sizeof(struct winsize) },
	{ TIOCGPGRP,		OUT,		sizeof(int) },
	{ TIOCSPGRP,		IN,		sizeof(int) },
	{ TIOCGSID,		OUT,		sizeof(int) },
	{ TIOCOUTQ,		OUT,		sizeof(int) },
	{ TIOCSTI,		IN,		sizeof(char) },
	{ TIOCMGET,		OUT,		sizeof(int) },
	{ TIOCMBIS,		IN,		sizeof(int) },
	{ TIOCMBIC,		IN,		sizeof(int) },
	{ TIOCMSET,		IN,		sizeof(int) },
	{ TIOCPKT,		IN,		sizeof(int) },
	{ TIOCGETD,		OUT,		sizeof(int) },
	{ TIOCSETD,		IN,		sizeof(int) },
	/* all descriptors */
	{ FIONREAD,		OUT,		sizeof(int) },
	{ FIONBIO,		IN,		sizeof(int) },
	{ FIOASYNC,		IN,		sizeof(int) },
	{ FIOQSIZE,		OUT,		sizeof(loff_t) },
	/* files and disks; of those with a size_t, an int is meant */
	{ FIBMAP,		IN | OUT,	sizeof(int) },
	{ FIGETBSZ,		OUT,		sizeof(int) },
	{ FS_IOC_GETFLAGS,	OUT,		sizeof(int) },
	{ FS_IOC_SETFLAGS,	IN,		sizeof(int) },
	{ BLKROSET,		IN,		sizeof(int) },
	{ BLKROGET,		OUT,		sizeof(int) },
	{ BLKGETSIZE,		OUT,		sizeof(long) },
	{ BLKRAGET,		OUT,		sizeof(long) },
	{ BLKFRAGET,		OUT,		sizeof(long) },
	{ BLKSECTGET,		OUT,		sizeof(short) },
	{ BLKSSZGET,		OUT,		sizeof(int) },
	{ BLKBSZGET,		OUT,		sizeof(int) },
	{ BLKBSZSET,		IN,		sizeof(int) },
	{ BLKDISCARD,		IN,		2 * sizeof(u64) },
	{ BLKSECDISCARD,	IN,		2 * sizeof(u64) },
	{ BLKZEROOUT,		IN,		2 * sizeof(u64) },
	{ BLKIOMIN,		OUT,		sizeof(int) },
	{ BLKIOOPT,		OUT,		sizeof(int) },
	{ BLKALIGNOFF,		OUT,		sizeof(int) },
	{ BLKPBSZGET,		OUT,		sizeof(int) },
	{ BLKDISCARDZEROES,	OUT,		sizeof(int) },
	{ BLKROTATIONAL,	OUT,		sizeof(short) },
	/* sockets and network interfaces */
	{ SIOCATMARK,		OUT,		sizeof(int) },
	{ SIOCGPGRP,		OUT,		sizeof(int) },
	{ SIOCSPGRP,		IN,		sizeof(int) },
	{ SIOCOUTQNSD,		OUT,		sizeof(int) },
	{ SIOCGIFCONF,		IN | OUT,	sizeof(struct ifconf) },
	{ SIOCGIFNAME,		IN | OUT,	sizeof(struct ifreq) },
	{ SIOCGIFFLAGS,		IN | OUT,	sizeof(struct ifreq) },
	{ SIOCSIFFLAGS,		IN,		sizeof(struct ifreq) },
	{ SIOCGIFADDR,		IN | OUT,	sizeof(struct ifreq) },
	{ SIOCSIFADDR,		IN,		sizeof(struct ifreq) },
	{ SIOCGIFDSTADDR,	IN | OUT,	sizeof(struct ifreq) },
	{ SIOCSIFDSTADDR,	IN,		sizeof(struct ifreq) },
	{ SIOCGIFBRDADDR,	IN | OUT,	sizeof(struct ifreq) },
	{ SIOCSIFBRDADDR,	IN,		sizeof(struct ifreq) },
	{ SIOCGIFNETMASK,	IN | OUT,	sizeof(struct ifreq) },
	{ SIOCSIFNETMASK,	IN,		sizeof(struct ifreq) },
	{ SIOCGIFMETRIC,	IN | OUT,	sizeof(struct ifreq) },
	{ SIOCGIFMTU,		IN | OUT,	sizeof(struct ifreq) },
	{ SIOCSIFMTU,		IN,		sizeof(struct ifreq) },
	{ SIOCGIFHWADDR,	IN | OUT,	sizeof(struct ifreq) },
	{ SIOCSIFHWADDR,	IN,		sizeof(struct ifreq) },
	{ SIOCGIFINDEX,		IN | OUT,	sizeof(struct ifreq) },
	{ SIOCGIFTXQLEN,	IN | OUT,	sizeof(struct ifreq) },
	{ SIOCGIFMAP,		IN | OUT,	sizeof(struct ifreq) },
	{ SIOCETHTOOL,		IN | OUT,	sizeof(struct ifreq) },
	{ TUNSETIFF,		IN | OUT,	sizeof(struct ifreq) },
	{ TUNGETIFF,		OUT,		sizeof(struct ifreq) },
};

/**
 * pev_call_request() - what a request says of its argument
 * @cmd: second argument of ioctl(), an int: what else its register holds is garbage
 *
 * Context: Any.
 * Return: the request.
 */
struct pev_call_request pev_call_request(unsigned long cmd)
{
	struct pev_call_request request = { .cmd = cmd };

	for (u32 i = 0; i < ARRAY_SIZE(requests); i++) {
		if (requests[i].cmd == request.cmd)
			return requests[i];
	}
	request.size = _IOC_SIZE(request.cmd);
	if (request.size && _IOC_DIR(request.cmd) & _IOC_WRITE)
		request.when |= IN;
	if (request.size && _IOC_DIR(request.cmd) & _IOC_READ)
		request.when |= OUT;
	return request;
}
