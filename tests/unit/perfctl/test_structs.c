// SPDX-License-Identifier: GPL-2.0
/* Structures of system calls, as strace shows them. */
#include "strace/ioctls.h"
#include "strace/structs.h"
#include "strace/structs_file.h"
#include "tests.h"

#include <arpa/inet.h>
#include <asm/termbits.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <linux/fs.h>
#include <linux/sockios.h>
#include <sound/asound.h>
#include <stdlib.h>
#include <sys/ioctl.h>
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

/* What buffers hold comes behind them, and behind the header of a message. */
static void vectors(void)
{
	struct {
		uint64_t n;
		struct iovec vec[3];
		char contents[6];
	} __attribute__((packed))
	v = { 3,
	      { { (void *)0x1000, 3 }, { NULL, 0 }, { (void *)0x2000, 4 } },
	      { 'a', 'b', 'c', '\n', 'e', 'f' } };
	struct {
		struct msghdr head;
		uint32_t lens[2];
		uint64_t n;
		struct iovec vec[1];
		char contents[2];
	} __attribute__((packed))
	msg = { { .msg_iovlen = 1 }, { 0 }, 1, { { (void *)0x1000, 2 } }, { 'h', 'i' } };
	struct struct_bytes s = bytes(PEV_CALL_BUFFERS, &v, sizeof(v));

	/* a call that reads need not fill them */
	shown(&s, "[{iov_base=\"abc\", iov_len=3}, {iov_base=NULL, iov_len=0}, "
		  "{iov_base=\"\\nef\", iov_len=4}]");
	s.cut = true;
	shown(&s, "[{iov_base=\"abc\", iov_len=3}, {iov_base=NULL, iov_len=0}, "
		  "{iov_base=\"\\nef\"..., iov_len=4}, ...]");
	s.most = 2;
	s.len = 8 + 3 * 16 + 3;
	shown(&s, "[{iov_base=\"ab\"..., iov_len=3}, {iov_base=NULL, iov_len=0}, "
		  "{iov_base=0x2000, iov_len=4}, ...]");
	s.cut = false;
	shown(&s, "[{iov_base=\"ab\"..., iov_len=3}, {iov_base=NULL, iov_len=0}, "
		  "{iov_base=\"\", iov_len=4}]");
	/* a number that is not true */
	v.n = UINT64_MAX;
	s.len = 8 + 16 + 5;
	shown(&s, "[{iov_base=\"\\0\\0\"..., iov_len=3}]");
	is(PEV_CALL_BUFFERS, &v, 7, NULL);
	is(PEV_CALL_BUFFERS, &v, 8, "[]");
	IS(PEV_CALL_MSGHDR, msg,
	   "{msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"hi\", iov_len=2}], msg_iovlen=1, "
	   "msg_controllen=0, msg_flags=0}");
}

/* Where a message goes, and what comes beside its data: the parts lie one behind the other. */
static void messages(void)
{
	struct {
		struct msghdr head;
		uint32_t lens[2];
		struct sockaddr_in name;
		struct {
			uint64_t len;
			uint32_t level, type;
			int data[4];
		} control[2];
		uint64_t n;
		struct iovec vec[1];
		char contents[2];
	} __attribute__((packed)) msg = { { .msg_name = (void *)0x3000,
					    .msg_namelen = 16,
					    .msg_iovlen = 1,
					    .msg_control = (void *)0x4000,
					    .msg_controllen = 64 },
					  { 16, 64 },
					  { .sin_family = AF_INET, .sin_port = htons(53) },
					  { { 24, SOL_SOCKET, SCM_RIGHTS, { 3, -1 } },
					    { 28, SOL_SOCKET, SCM_CREDENTIALS, { 7, 8, 9 } } },
					  1,
					  { { (void *)0x1000, 2 } },
					  { 'h', 'i' } };
	struct struct_bytes s = bytes(PEV_CALL_MSGHDR, &msg, sizeof(msg));

	/* the first has room that it does not use */
	msg.control[0].len = 32;
	msg.control[0].data[2] = 5;
	msg.control[0].data[3] = 6;
	shown(&s,
	      "{msg_name={sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr(\"0.0.0.0\")}, "
	      "msg_namelen=16, msg_iov=[{iov_base=\"hi\", iov_len=2}], msg_iovlen=1, "
	      "msg_control=[{cmsg_len=32, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, "
	      "cmsg_data=[3, -1, 5, 6]}, {cmsg_len=28, cmsg_level=SOL_SOCKET, "
	      "cmsg_type=SCM_CREDENTIALS, cmsg_data={pid=7, uid=8, gid=9}}], "
	      "msg_controllen=64, msg_flags=0}");
	/* of another protocol, and a length that is less than that of its head */
	msg.control[0].level = IPPROTO_IP;
	msg.control[0].type = 8;
	msg.control[0].data[2] = msg.control[0].data[3] = 0;
	msg.control[1].len = 0;
	msg.head.msg_namelen = 0;
	msg.lens[0] = 0;
	memmove(&msg.name, msg.control, sizeof(msg) - offsetof(typeof(msg), control));
	s.len -= sizeof(msg.name);
	shown(&s, "{msg_name=0x3000, msg_namelen=0, msg_iov=[{iov_base=\"hi\", iov_len=2}], "
		  "msg_iovlen=1, msg_control=[{cmsg_len=32, cmsg_level=SOL_IP, cmsg_type=0x8, "
		  "cmsg_data=\"\\3\\0\\0\\0\\377\\377\\377\\377\\0\\0\\0\\0\\0\\0\\0\\0\"}, "
		  "{cmsg_len=0, cmsg_level=SOL_SOCKET, cmsg_type=SCM_CREDENTIALS}], "
		  "msg_controllen=64, msg_flags=0}");
	/* more was said than is there, at every length */
	msg.lens[0] = msg.lens[1] = UINT32_MAX;
	for (s.len = 0; s.len < sizeof(msg); s.len++) {
		struct strbuf b = { 0 };

		OK(structs_put(&b, &s) == (s.len >= 52), "cut after %zu bytes", s.len);
		strbuf_free(&b);
	}
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
	vectors();
	messages();
	IS(PEV_CALL_SOCKOPT, on, "[1]");
	is(PEV_CALL_SOCKOPT, name, 5, "\"veth0\"");
	s = bytes(PEV_CALL_SOCKOPT, name, sizeof(name));
	s.most = 3;
	shown(&s, "\"vet\"...");
	IS(PEV_CALL_INT, on, "[1]");
	is(PEV_CALL_INT, &on, 3, NULL);
}

static void sets(void)
{
	uint64_t words[2] = { 1 << 3 | 1 << 5, 1 }, none = 0;
	struct struct_bytes s = bytes(PEV_CALL_FD_SET, words, sizeof(words));
	struct strbuf b = { 0 };

	shown(&s, "[3 5 64]");
	OK(structs_put_found(&b, &s), "some are ready");
	IS_STR(b.s, "[3 5 64]", "those that are ready");
	s.len = 7;
	s.cut = true;
	shown(&s, "[3 5 ...]");
	IS(PEV_CALL_FD_SET, none, "[]");
	s = bytes(PEV_CALL_FD_SET, &none, sizeof(none));
	strbuf_reset(&b);
	OK(!structs_put_found(&b, &s), "none are ready");
	is(PEV_CALL_FD_SET, words, 0, "[]");
	strbuf_free(&b);
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

	sets();
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
	/* of 128 bytes: the mode is in the 4th word, the device in the 8th, the size in the 12th */
	uint32_t generic[32] = { [4] = S_IFREG | 0644, [12] = 1234 };
	struct struct_bytes s;
	struct stat st = { .st_mode = S_IFREG | 0644, .st_size = 1234 };
	struct statx stx = { .stx_mask = STATX_BASIC_STATS | STATX_MNT_ID,
			     .stx_mode = S_IFDIR | S_ISVTX | 0777,
			     .stx_size = 99 };

	IS(PEV_CALL_STAT, st, "{st_mode=S_IFREG|0644, st_size=1234, ...}");
	is(PEV_CALL_STAT, &st, 55, NULL);
	st.st_mode = S_IFCHR | 0;
	st.st_rdev = makedev(136, 3);
	IS(PEV_CALL_STAT, st, "{st_mode=S_IFCHR|000, st_rdev=makedev(0x88, 0x3), ...}");
	s = bytes(PEV_CALL_STAT, generic, sizeof(generic));
	s.abi = STRUCTS_ARM64;
	shown(&s, "{st_mode=S_IFREG|0644, st_size=1234, ...}");
	generic[4] = S_IFCHR | 0600;
	generic[8] = makedev(5, 1);
	shown(&s, "{st_mode=S_IFCHR|0600, st_rdev=makedev(0x5, 0x1), ...}");
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

/* Structures that have what older calls have as arguments, and those of signals and file systems */
static void calls(void)
{
	const uint64_t how[] = { 02000000, 0, 0x08 }, creates[] = { 0101, 0644, 0 };
	const uint64_t clone[11] = { 0x4100, 0, 0, 0, 17, 0x7000, 0x9000 };
	const uint64_t thread[8] = { 0x3d0f00, 0, 0x1000, 0x1000, 0, 0x7000, 0x9000, 0x8000 };
	const uint64_t fs[15] = { 0xef53, 4096, 100, 50, 40, 30, 20, 7, 255, 4096, 0x1020 };
	const uint64_t exited[16] = { 17, 1, 1000ULL << 32 | 42, 3, 5, 6 };
	const uint64_t killed[16] = { 17, 2, 42, 9 };
	const uint64_t queued[16] = { 10, 0xffffffff, 1ULL << 32 | 42, 7 };
	const uint64_t fault[16] = { 11, 1, 0x1234 };
	const uint64_t nobody[16] = { 0 };

	IS(PEV_CALL_OPEN_HOW, how, "{flags=O_RDONLY|O_CLOEXEC, resolve=RESOLVE_BENEATH}");
	IS(PEV_CALL_OPEN_HOW, creates, "{flags=O_WRONLY|O_CREAT, mode=0644, resolve=0}");
	IS(PEV_CALL_CLONE_ARGS, clone,
	   "{flags=CLONE_VM|CLONE_VFORK, exit_signal=SIGCHLD, stack=0x7000, stack_size=0x9000}");
	IS(PEV_CALL_CLONE_ARGS, thread,
	   "{flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD|CLONE_SYSVSEM|"
	   "CLONE_SETTLS|CLONE_PARENT_SETTID|CLONE_CHILD_CLEARTID, child_tid=0x1000, "
	   "parent_tid=0x1000, exit_signal=0, stack=0x7000, stack_size=0x9000, tls=0x8000}");
	IS(PEV_CALL_STATFS, fs,
	   "{f_type=EXT4_SUPER_MAGIC, f_bsize=4096, f_blocks=100, f_bfree=50, f_bavail=40, "
	   "f_files=30, f_ffree=20, f_fsid={val=[0x7, 0]}, f_namelen=255, f_frsize=4096, "
	   "f_flags=ST_VALID|ST_RELATIME}");
	IS(PEV_CALL_SIGINFO, exited,
	   "{si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=42, si_uid=1000, si_status=3, "
	   "si_utime=5, si_stime=6}");
	IS(PEV_CALL_SIGINFO, killed,
	   "{si_signo=SIGCHLD, si_code=CLD_KILLED, si_pid=42, si_uid=0, si_status=SIGKILL, "
	   "si_utime=0, si_stime=0}");
	IS(PEV_CALL_SIGINFO, queued,
	   "{si_signo=SIGUSR1, si_code=SI_QUEUE, si_pid=42, si_uid=1, si_int=7, si_ptr=0x7}");
	IS(PEV_CALL_SIGINFO, fault, "{si_signo=SIGSEGV, si_code=SEGV_MAPERR, si_addr=0x1234}");
	IS(PEV_CALL_SIGINFO, nobody, "{}");
}

/* No kind reads beyond what it is given, whatever that is; the allocator looks. */
static void is_request(unsigned long request, const void *at, size_t len, const char *want)
{
	struct struct_bytes s = bytes(PEV_CALL_IOCTL, at, len);

	s.request = (uint32_t)request;
	shown(&s, want);
}

#define IS_REQUEST(request, object, want) is_request(request, &(object), sizeof(object), want)

static void terminals(void)
{
	struct termios tio = { .c_iflag = ICRNL | IXON,
			       .c_oflag = OPOST | ONLCR,
			       .c_cflag = B38400 | CS8 | CREAD,
			       .c_lflag = ISIG | ICANON | ECHO };
	uint16_t old[9] = { ICRNL, OPOST, B9600 | CS7, ISIG };
	struct winsize size = { 24, 80, 0, 5 };

	IS_REQUEST(TCGETS, tio,
		   "{c_iflag=ICRNL|IXON, c_oflag=OPOST|ONLCR, c_cflag=B38400|CS8|CREAD, "
		   "c_lflag=ISIG|ICANON|ECHO, ...}");
	tio = (struct termios){ .c_iflag = 1u << 31 };
	IS_REQUEST(TCSETSF, tio, "{c_iflag=0x80000000, c_oflag=0, c_cflag=B0|CS5, c_lflag=0, ...}");
	/* of which there are fewer bytes than it takes */
	is_request(TCGETS, &tio, 4, "[-2147483648]");
	is_request(TCGETS, &tio, 0, "\"\"");
	IS_REQUEST(TCGETA, old,
		   "{c_iflag=ICRNL, c_oflag=OPOST, c_cflag=B9600|CS7, c_lflag=ISIG, ...}");
	IS_REQUEST(TIOCGWINSZ, size, "{ws_row=24, ws_col=80, ws_xpixel=0, ws_ypixel=5}");
}

static void interfaces(void)
{
	struct ifreq ifr = { .ifr_name = "eth0" };
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct ifconf conf = { .ifc_len = 80, .ifc_buf = (char *)0x1000 };

	inet_pton(AF_INET, "192.0.2.1", &in.sin_addr);
	memcpy(&ifr.ifr_addr, &in, sizeof(in));
	IS_REQUEST(SIOCGIFADDR, ifr,
		   "{ifr_name=\"eth0\", ifr_addr={sa_family=AF_INET, sin_port=htons(0), "
		   "sin_addr=inet_addr(\"192.0.2.1\")}}");
	memcpy(&ifr.ifr_hwaddr, "\1\0\2\0\0\xab\xcd\xef", 8);
	IS_REQUEST(SIOCGIFHWADDR, ifr,
		   "{ifr_name=\"eth0\", ifr_hwaddr={sa_family=ARPHRD_ETHER, "
		   "sa_data=02:00:00:ab:cd:ef}}");
	ifr.ifr_flags = IFF_UP | IFF_RUNNING;
	IS_REQUEST(SIOCGIFFLAGS, ifr, "{ifr_name=\"eth0\", ifr_flags=IFF_UP|IFF_RUNNING}");
	ifr.ifr_flags = IFF_TAP | IFF_NO_PI;
	IS_REQUEST(TUNSETIFF, ifr, "{ifr_name=\"eth0\", ifr_flags=IFF_TAP|IFF_NO_PI}");
	ifr.ifr_mtu = 1500;
	IS_REQUEST(SIOCGIFMTU, ifr, "{ifr_name=\"eth0\", ifr_mtu=1500}");
	ifr.ifr_ifindex = 2;
	IS_REQUEST(SIOCGIFINDEX, ifr, "{ifr_name=\"eth0\", ifr_ifindex=2}");
	ifr.ifr_data = NULL;
	/* a name without an end */
	memset(ifr.ifr_name, 'x', IFNAMSIZ);
	IS_REQUEST(SIOCETHTOOL, ifr, "{ifr_name=\"xxxxxxxxxxxxxxxx\", ifr_data=NULL}");
	IS_REQUEST(SIOCGIFCONF, conf, "{ifc_len=80, ifc_buf=0x1000}");
}

static void requests(void)
{
	struct struct_bytes s = bytes(PEV_CALL_IOCTL, "abcd", 4);
	uint64_t range[2] = { 4096, 512 };
	uint16_t rotates = 1;
	int on = 1;

	terminals();
	interfaces();
	IS_REQUEST(FIONBIO, on, "[1]");
	IS_REQUEST(BLKROTATIONAL, rotates, "[1]");
	IS_REQUEST(BLKGETSIZE64, range[0], "[4096]");
	IS_REQUEST(BLKDISCARD, range, "[4096, 512]");
	/* a driver that is not known */
	is_request(_IOC(_IOC_READ, 0xfe, 1, 5), "\1\2abc", 5, "\"\\1\\2abc\"");
	s.cut = true;
	shown(&s, "\"abcd\"...");
}

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
				s.request = len & 1 ? SIOCGIFADDR : SIOCGIFHWADDR;
				s.cut = abi & 1;
				shown_of += structs_put(&b, &s);
				structs_put_found(&b, &s);
				strbuf_free(&b);
				free(at);
			}
	OK(shown_of > 10000, "bytes of any length and value");
}

static void is_ioctl(uint64_t request, const char *name)
{
	struct strbuf b = { 0 };

	ioctls_put(&b, request);
	IS_STR(b.s, name, name);
	strbuf_free(&b);
}

static void ioctls(void)
{
	is_ioctl(TCGETS, "TCGETS");
	is_ioctl(0xffffffff00000000ull | FIONREAD, "FIONREAD");
	is_ioctl(BLKGETSIZE64, "BLKGETSIZE64");
	is_ioctl(_IOC(_IOC_READ | _IOC_WRITE, 0x41, 0x3, 0x19),
		 "_IOC(_IOC_READ|_IOC_WRITE, 0x41, 0x3, 0x19)");
	/* of headers that are only known when this is built; two have the same */
	is_ioctl(SNDRV_PCM_IOCTL_HW_PARAMS, "SNDRV_PCM_IOCTL_HW_PARAMS");
	is_ioctl(_IO('U', 1), "UI_DEV_CREATE or USB_RAW_IOCTL_RUN");
	is_ioctl(_IOC(_IOC_WRITE, 0xfe, 0xff, 1), "_IOC(_IOC_WRITE, 0xfe, 0xff, 0x1)");
	is_ioctl(0x4b7f, "0x4b7f");
	is_ioctl(0, "0x0");
	requests();
}

void test_structs(void)
{
	enum structs_abi abi;

	OK(structs_abi("x86_64", &abi) && abi == STRUCTS_X86_64, "x86_64");
	OK(structs_abi("ppc64le", &abi) && abi == STRUCTS_PPC64LE, "ppc64le");
	OK(structs_abi("aarch64", &abi) && abi == STRUCTS_ARM64, "aarch64");
	OK(!structs_abi("vax", &abi) && !structs_abi(NULL, &abi), "other machines");
	addresses();
	buffers();
	descriptors();
	files();
	times();
	tasks();
	calls();
	ioctls();
	damaged();
}
