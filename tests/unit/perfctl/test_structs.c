// SPDX-License-Identifier: GPL-2.0
/* Structures of system calls, as strace shows them. */
#include "strace/structs.h"
#include "strace/structs_file.h"
#include "tests.h"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <time.h>

static struct struct_bytes bytes(enum pev_call_kind kind, const void *at, size_t len)
{
	return (struct struct_bytes){ .kind = kind, .at = at, .len = len, .most = 32 };
}

static void shown(const struct struct_bytes *s, const char *want)
{
	struct strbuf b = { 0 };
	bool done = structs_put(&b, s);

	if (want)
		IS_STR(done ? b.s : "(a number)", want, want);
	else
		OK(!done && !b.len, "kind %d of %zu bytes stays a number", s->kind, s->len);
	strbuf_free(&b);
}

static void is(enum pev_call_kind kind, const void *at, size_t len, const char *want)
{
	struct struct_bytes s = bytes(kind, at, len);

	shown(&s, want);
}

#define IS(kind, object, want) is(kind, &(object), sizeof(object), want)

static void addresses(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(80) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
				    .sin6_port = htons(443),
				    .sin6_addr = IN6ADDR_LOOPBACK_INIT,
				    .sin6_scope_id = 2 };
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/run/so\n" };
	struct sockaddr_un abstract = { .sun_family = AF_UNIX };
	struct sockaddr_nl nl = { .nl_family = AF_NETLINK, .nl_pid = 7, .nl_groups = 0x11 };
	uint8_t strange[6] = { 99, 0, 1, 2, 'a', '"' };

	inet_pton(AF_INET, "127.0.0.1", &in.sin_addr);
	memcpy(abstract.sun_path, "\0a\0b", 4);
	IS(PEV_CALL_SOCKADDR, in,
	   "{sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"127.0.0.1\")}");
	is(PEV_CALL_SOCKADDR, &in, 8, "{sa_family=AF_INET, sa_data=\"\\0P\\177\\0\\0\\1\"}");
	is(PEV_CALL_SOCKADDR, &in, 2, "{sa_family=AF_INET}");
	is(PEV_CALL_SOCKADDR, &in, 1, NULL);
	is(PEV_CALL_SOCKADDR, &in, 0, NULL);
	IS(PEV_CALL_SOCKADDR, in6,
	   "{sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), "
	   "inet_pton(AF_INET6, \"::1\", &sin6_addr), sin6_scope_id=2}");
	IS(PEV_CALL_SOCKADDR, un, "{sa_family=AF_UNIX, sun_path=\"/run/so\\n\"}");
	is(PEV_CALL_SOCKADDR, &un, 2 + 4, "{sa_family=AF_UNIX, sun_path=\"/run\"}");
	is(PEV_CALL_SOCKADDR, &abstract, 2 + 4, "{sa_family=AF_UNIX, sun_path=@\"a\\0b\"}");
	is(PEV_CALL_SOCKADDR, &abstract, 2 + 1, "{sa_family=AF_UNIX, sun_path=@\"\"}");
	is(PEV_CALL_SOCKADDR, &abstract, 2, "{sa_family=AF_UNIX}");
	IS(PEV_CALL_SOCKADDR, nl, "{sa_family=AF_NETLINK, nl_pid=7, nl_groups=00000011}");
	IS(PEV_CALL_SOCKADDR, strange, "{sa_family=99, sa_data=\"\\1\\2a\\\"\"}");
}

static void buffers(void)
{
	struct iovec vec[2] = { { (void *)0x1000, 5 }, { NULL, 0 } };
	struct msghdr msg = { .msg_iov = (void *)0x2000, .msg_iovlen = 1, .msg_flags = MSG_TRUNC };
	struct struct_bytes s = bytes(PEV_CALL_IOVEC, vec, sizeof(vec));
	char name[40] = "veth0";
	int on = 1;

	shown(&s, "[{iov_base=0x1000, iov_len=5}, {iov_base=NULL, iov_len=0}]");
	s.len = 16;
	s.cut = true;
	shown(&s, "[{iov_base=0x1000, iov_len=5}, ...]");
	s.len = 7;
	shown(&s, "[...]");
	IS(PEV_CALL_MSGHDR, msg,
	   "{msg_name=NULL, msg_namelen=0, msg_iov=0x2000, msg_iovlen=1, msg_controllen=0, "
	   "msg_flags=MSG_TRUNC}");
	is(PEV_CALL_MSGHDR, &msg, 51, NULL);
	IS(PEV_CALL_SOCKOPT, on, "[1]");
	is(PEV_CALL_SOCKOPT, name, 5, "\"veth0\"");
	s = bytes(PEV_CALL_SOCKOPT, name, sizeof(name));
	s.most = 3;
	shown(&s, "\"vet\"...");
	IS(PEV_CALL_INT, on, "[1]");
	is(PEV_CALL_INT, &on, 3, NULL);
}

static void descriptors(void)
{
	struct pollfd polled[3] = { { 3, POLLIN, POLLIN | POLLHUP },
				    { -1, POLLOUT, 0 },
				    { 5, 0, POLLERR } };
	struct struct_bytes s = bytes(PEV_CALL_POLLFD, polled, sizeof(polled));
	uint8_t packed[12] = { 1, 0, 0, 0, 7 }, aligned[16] = { 4, 0, 0, 0, 0, 0, 0, 0, 9 };
	struct strbuf b = { 0 };
	int fds[2] = { 3, 4 };

	IS(PEV_CALL_FDS, fds, "[3, 4]");
	is(PEV_CALL_FDS, fds, 7, NULL);
	shown(&s, "[{fd=3, events=POLLIN}, {fd=-1}, {fd=5, events=0}]");
	OK(structs_put_found(&b, &s), "something was found");
	IS_STR(b.s, "[{fd=3, revents=POLLIN|POLLHUP}, {fd=5, revents=POLLERR}]", "what was found");
	strbuf_reset(&b);
	s.at += 8;
	s.len = 8;
	OK(!structs_put_found(&b, &s) && !b.len, "nothing was found");
	is(PEV_CALL_POLLFD, polled, 0, "[]");
	IS(PEV_CALL_EPOLL_EVENT, packed, "[{events=EPOLLIN, data={u32=7, u64=7}}]");
	s = bytes(PEV_CALL_EPOLL_EVENT, aligned, sizeof(aligned));
	s.abi = STRUCTS_PPC64LE;
	shown(&s, "[{events=EPOLLOUT, data={u32=9, u64=9}}]");
	strbuf_free(&b);
}

static void files(void)
{
	struct stat st = { .st_mode = S_IFREG | 0644, .st_size = 1234 };
	struct statx stx = { .stx_mask = STATX_BASIC_STATS | STATX_MNT_ID,
			     .stx_mode = S_IFDIR | S_ISVTX | 0777,
			     .stx_size = 99 };

	IS(PEV_CALL_STAT, st, "{st_mode=S_IFREG|0644, st_size=1234, ...}");
	is(PEV_CALL_STAT, &st, 55, NULL);
	st.st_mode = S_IFCHR | 0;
	st.st_rdev = makedev(136, 3);
	IS(PEV_CALL_STAT, st, "{st_mode=S_IFCHR|000, st_rdev=makedev(0x88, 0x3), ...}");
	IS(PEV_CALL_STATX, stx,
	   "{stx_mask=STATX_BASIC_STATS|STATX_MNT_ID, stx_attributes=0, "
	   "stx_mode=S_IFDIR|S_ISVTX|0777, stx_size=99, ...}");
}

static void times(void)
{
	struct timespec ts[2] = { { 1, 30000000 }, { 0, UTIME_NOW } };
	struct timeval tv[2] = { { 1, 5 }, { -1, 0 } };
	struct itimerspec its = { .it_value = { 2, 3 } };
	struct itimerval itv = { .it_interval = { 4, 5 } };
	struct rusage ru = { .ru_utime = { 1, 2 }, .ru_stime = { 3, 4 } };

	IS(PEV_CALL_TIMESPEC, ts[0], "{tv_sec=1, tv_nsec=30000000}");
	IS(PEV_CALL_TIMESPEC, ts, "[{tv_sec=1, tv_nsec=30000000}, UTIME_NOW]");
	is(PEV_CALL_TIMESPEC, ts, 15, NULL);
	IS(PEV_CALL_TIMEVAL, tv[0], "{tv_sec=1, tv_usec=5}");
	IS(PEV_CALL_TIMEVAL, tv, "[{tv_sec=1, tv_usec=5}, {tv_sec=-1, tv_usec=0}]");
	IS(PEV_CALL_ITIMERSPEC, its,
	   "{it_interval={tv_sec=0, tv_nsec=0}, it_value={tv_sec=2, tv_nsec=3}}");
	IS(PEV_CALL_ITIMERVAL, itv,
	   "{it_interval={tv_sec=4, tv_usec=5}, it_value={tv_sec=0, tv_usec=0}}");
	IS(PEV_CALL_RUSAGE, ru,
	   "{ru_utime={tv_sec=1, tv_usec=2}, ru_stime={tv_sec=3, tv_usec=4}, ...}");
}

static void tasks(void)
{
	static const struct {
		int status;
		const char *want;
	} ends[] = {
		{ 7 << 8, "[{WIFEXITED(s) && WEXITSTATUS(s) == 7}]" },
		{ 9, "[{WIFSIGNALED(s) && WTERMSIG(s) == SIGKILL}]" },
		{ 11 | 0x80, "[{WIFSIGNALED(s) && WTERMSIG(s) == SIGSEGV && WCOREDUMP(s)}]" },
		{ 19 << 8 | 0x7f, "[{WIFSTOPPED(s) && WSTOPSIG(s) == SIGSTOP}]" },
		{ 0xffff, "[{WIFCONTINUED(s)}]" },
	};
	uint64_t limit[2] = { 8192 * 1024, UINT64_MAX }, small[2] = { 1024, 0 };
	uint64_t set = 1 << 1 | 1 << 16 | 1ULL << 33, most = ~(1ULL << 8 | 1ULL << 18), none = 0;
	uint64_t action[4] = { 0x401000, 0x14000000, 0x402000, 1 << 16 };
	uint64_t ignore[4] = { 1, 0, 0, 0 }, info[4] = { 0x401000, 4, 0, UINT64_MAX };
	struct utsname uts = { .sysname = "Linux", .nodename = "vm" };
	struct sysinfo si = { .uptime = 5, .totalram = 1000, .procs = 3, .mem_unit = 1 };

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		IS(PEV_CALL_WAIT_STATUS, ends[i].status, ends[i].want);
	IS(PEV_CALL_RLIMIT, limit, "{rlim_cur=8192*1024, rlim_max=RLIM64_INFINITY}");
	IS(PEV_CALL_RLIMIT, small, "{rlim_cur=1024, rlim_max=0}");
	IS(PEV_CALL_SIGSET, set, "[INT CHLD RT_2]");
	IS(PEV_CALL_SIGSET, most, "~[KILL STOP]");
	IS(PEV_CALL_SIGSET, none, "[]");
	IS(PEV_CALL_SIGACTION, action,
	   "{sa_handler=0x401000, sa_mask=[CHLD], sa_flags=SA_RESTORER|SA_RESTART, "
	   "sa_restorer=0x402000}");
	IS(PEV_CALL_SIGACTION, ignore, "{sa_handler=SIG_IGN, sa_mask=[], sa_flags=0}");
	IS(PEV_CALL_SIGACTION, info, "{sa_sigaction=0x401000, sa_mask=~[], sa_flags=SA_SIGINFO}");
	IS(PEV_CALL_UTSNAME, uts, "{sysname=\"Linux\", nodename=\"vm\", ...}");
	IS(PEV_CALL_SYSINFO, si,
	   "{uptime=5, loads=[0, 0, 0], totalram=1000, freeram=0, sharedram=0, bufferram=0, "
	   "totalswap=0, freeswap=0, procs=3, totalhigh=0, freehigh=0, mem_unit=1}");
}

/* No kind reads beyond what it is given, whatever that is; the allocator looks. */
static void damaged(void)
{
	unsigned int shown_of = 0;

	for (int kind = -1; kind <= PEV_CALL_MAX; kind++)
		for (size_t len = 0; len <= 256; len++)
			for (unsigned int abi = 0; abi < 4; abi++) {
				uint8_t *at = malloc(len ? len : 1);
				struct struct_bytes s = bytes((enum pev_call_kind)kind, at, len);
				struct strbuf b = { 0 };

				for (size_t i = 0; i < len; i++)
					at[i] = (uint8_t)(abi & 1 ? 0xff : i * 7);
				s.abi = abi / 2;
				s.cut = abi & 1;
				shown_of += structs_put(&b, &s);
				structs_put_found(&b, &s);
				strbuf_free(&b);
				free(at);
			}
	OK(shown_of > 10000, "bytes of any length and value");
}

void test_structs(void)
{
	enum structs_abi abi;

	OK(structs_abi("x86_64", &abi) && abi == STRUCTS_X86_64, "x86_64");
	OK(structs_abi("ppc64le", &abi) && abi == STRUCTS_PPC64LE, "ppc64le");
	OK(!structs_abi("vax", &abi) && !structs_abi(NULL, &abi), "other machines");
	addresses();
	buffers();
	descriptors();
	files();
	times();
	tasks();
	damaged();
}
