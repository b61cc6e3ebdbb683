// SPDX-License-Identifier: GPL-2.0
/* Structures of system calls. See structs.h. */
#include "structs.h"
#include "structs_call.h"
#include "structs_file.h"
#include "structs_ioctl.h"
#include "structs_net.h"
#include "structs_task.h"
#include "structs_time.h"

/**
 * struct kind - one kind
 * @least: bytes without which nothing can be shown
 */
static const struct kind {
	size_t least;
	void (*put)(struct strbuf *b, const struct struct_bytes *s);
} kinds[PEV_CALL_MAX] = {
	[PEV_CALL_SOCKADDR] = { 2, put_sockaddr },
	[PEV_CALL_SOCKOPT] = { 0, put_sockopt },
	[PEV_CALL_MSGHDR] = { 52, put_msghdr },
	[PEV_CALL_IOVEC] = { 0, put_iovec },
	[PEV_CALL_INT] = { 4, put_int },
	[PEV_CALL_FDS] = { 8, put_fds },
	[PEV_CALL_POLLFD] = { 0, put_pollfd },
	[PEV_CALL_EPOLL_EVENT] = { 0, put_epoll_event },
	[PEV_CALL_STAT] = { 56, put_stat },
	[PEV_CALL_STATX] = { 48, put_statx },
	[PEV_CALL_TIMESPEC] = { 16, put_timespec },
	[PEV_CALL_TIMEVAL] = { 16, put_timeval },
	[PEV_CALL_ITIMERSPEC] = { 32, put_itimerspec },
	[PEV_CALL_ITIMERVAL] = { 32, put_itimerval },
	[PEV_CALL_WAIT_STATUS] = { 4, put_wait_status },
	[PEV_CALL_RUSAGE] = { 32, put_rusage },
	[PEV_CALL_RLIMIT] = { 16, put_rlimit },
	[PEV_CALL_SIGSET] = { 8, put_sigset },
	[PEV_CALL_SIGACTION] = { 32, put_sigaction },
	[PEV_CALL_UTSNAME] = { 130, put_utsname },
	[PEV_CALL_SYSINFO] = { 112, put_sysinfo },
	[PEV_CALL_STATFS] = { 88, put_statfs },
	[PEV_CALL_SIGINFO] = { 48, put_siginfo },
	[PEV_CALL_CLONE_ARGS] = { 64, put_clone_args },
	[PEV_CALL_OPEN_HOW] = { 24, put_open_how },
	[PEV_CALL_FD_SET] = { 0, put_fd_set },
	[PEV_CALL_BUFFERS] = { 8, put_buffers },
	[PEV_CALL_IOCTL] = { 0, put_ioctl },
};

bool structs_abi(const char *machine, enum structs_abi *abi)
{
	static const char *const machines[] = {
		[STRUCTS_X86_64] = "x86_64",
		[STRUCTS_PPC64LE] = "ppc64le",
		[STRUCTS_ARM64] = "aarch64",
	};

	for (unsigned int i = 0; machine && i < ARRAY_SIZE(machines); i++) {
		if (!strcmp(machine, machines[i])) {
			*abi = i;
			return true;
		}
	}
	return false;
}

bool structs_put(struct strbuf *b, const struct struct_bytes *s)
{
	const struct kind *k = (unsigned int)s->kind < PEV_CALL_MAX ? &kinds[s->kind] : NULL;

	if (!k || !k->put || s->len < k->least)
		return false;
	k->put(b, s);
	return true;
}
