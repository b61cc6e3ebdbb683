// SPDX-License-Identifier: GPL-2.0
/* Structures of calls for descriptors and files. See structs_file.h. */
#include "structs_file.h"
#include "bits.h"

#include <inttypes.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

void put_fds(struct strbuf *b, const struct struct_bytes *s)
{
	strbuf_addf(b, "[%d, %d]", (int32_t)struct_u32(s, 0), (int32_t)struct_u32(s, 4));
}

/* ---- select(), poll() and epoll ---- */

/* "[3 5]" */
void put_fd_set(struct strbuf *b, const struct struct_bytes *s)
{
	bool some = false;

	strbuf_putc(b, '[');
	for (size_t fd = 0; fd / 8 < s->len; fd++) {
		if (!(s->at[fd / 8] & 1u << fd % 8))
			continue;
		strbuf_addf(b, "%s%zu", some ? " " : "", fd);
		some = true;
	}
	strbuf_puts(b, s->cut ? " ...]" : "]");
}

#define POLLFD_SIZE 8

static void put_poll_events(struct strbuf *b, uint16_t v)
{
	static const struct bit bits[] = {
		B(POLLIN),     B(POLLPRI),    B(POLLOUT),    B(POLLERR),
		B(POLLHUP),    B(POLLNVAL),   B(POLLRDNORM), B(POLLRDBAND),
		B(POLLWRNORM), B(POLLWRBAND), B(POLLMSG),    B(POLLRDHUP),
	};

	bits_put(b, v, bits, ARRAY_SIZE(bits), "0");
}

static void put_asked(struct strbuf *b, const struct struct_bytes *s)
{
	int fd = (int32_t)struct_u32(s, 0);

	strbuf_addf(b, "{fd=%d", fd);
	if (fd >= 0) {
		strbuf_puts(b, ", events=");
		put_poll_events(b, struct_u16(s, 4));
	}
	strbuf_putc(b, '}');
}

void put_pollfd(struct strbuf *b, const struct struct_bytes *s)
{
	struct_array(b, s, POLLFD_SIZE, put_asked);
}

bool structs_put_found(struct strbuf *b, const struct struct_bytes *s)
{
	bool some = false;

	if (s->kind == PEV_CALL_FD_SET) {
		for (size_t i = 0; i < s->len && !some; i++)
			some = s->at[i];
		if (some)
			put_fd_set(b, s);
		return some;
	}
	if (s->kind != PEV_CALL_POLLFD)
		return false;
	for (size_t at = 0; at + POLLFD_SIZE <= s->len; at += POLLFD_SIZE) {
		uint16_t found = struct_u16(s, at + 6);

		if (!found)
			continue;
		strbuf_addf(b, "%s{fd=%d, revents=", some ? ", " : "[", (int32_t)struct_u32(s, at));
		put_poll_events(b, found);
		strbuf_putc(b, '}');
		some = true;
	}
	if (some)
		strbuf_puts(b, s->cut ? ", ...]" : "]");
	return some;
}

static void put_ready(struct strbuf *b, const struct struct_bytes *s)
{
	static const struct bit bits[] = {
		B(EPOLLIN),	B(EPOLLPRI),	 B(EPOLLOUT),
		B(EPOLLERR),	B(EPOLLHUP),	 B(EPOLLRDNORM),
		B(EPOLLRDBAND), B(EPOLLWRNORM),	 B(EPOLLWRBAND),
		B(EPOLLMSG),	B(EPOLLRDHUP),	 B(EPOLLEXCLUSIVE),
		B(EPOLLWAKEUP), B(EPOLLONESHOT), { 1u << 31, "EPOLLET" },
	};
	/* only x86 has it packed */
	size_t data = s->abi == STRUCTS_X86_64 ? 4 : 8;

	strbuf_puts(b, "{events=");
	bits_put(b, struct_u32(s, 0), bits, ARRAY_SIZE(bits), "0");
	strbuf_addf(b, ", data={u32=%" PRIu32 ", u64=%" PRIu64 "}}", struct_u32(s, data),
		    struct_u64(s, data));
}

void put_epoll_event(struct strbuf *b, const struct struct_bytes *s)
{
	struct_array(b, s, s->abi == STRUCTS_X86_64 ? 12 : 16, put_ready);
}

/* ---- stat() ---- */

static void put_mode(struct strbuf *b, uint32_t mode)
{
	static const struct bit types[] = { B(S_IFSOCK), B(S_IFLNK), B(S_IFREG), B(S_IFBLK),
					    B(S_IFDIR),	 B(S_IFCHR), B(S_IFIFO) };
	static const struct bit bits[] = { B(S_ISUID), B(S_ISGID), B(S_ISVTX) };

	if (mode & S_IFMT) {
		bits_put_one(b, mode & S_IFMT, types, ARRAY_SIZE(types));
		strbuf_putc(b, '|');
	}
	if (mode & 07000) {
		bits_put(b, mode & 07000, bits, ARRAY_SIZE(bits), "");
		strbuf_putc(b, '|');
	}
	strbuf_addf(b, "%#03o", mode & 0777);
}

static bool is_device(uint32_t mode)
{
	return S_ISCHR(mode) || S_ISBLK(mode);
}

/* Offsets in struct stat: arm64 has the one of include/uapi/asm-generic/stat.h */
#define STAT_SIZE 48

static size_t stat_mode(enum structs_abi abi)
{
	return abi == STRUCTS_ARM64 ? 16 : 24;
}

static size_t stat_rdev(enum structs_abi abi)
{
	return abi == STRUCTS_ARM64 ? 32 : 40;
}

void put_stat(struct strbuf *b, const struct struct_bytes *s)
{
	uint32_t mode = struct_u32(s, stat_mode(s->abi));
	uint64_t rdev = struct_u64(s, stat_rdev(s->abi));

	strbuf_puts(b, "{st_mode=");
	put_mode(b, mode);
	if (is_device(mode))
		strbuf_addf(b, ", st_rdev=makedev(%#x, %#x), ...}", major(rdev), minor(rdev));
	else
		strbuf_addf(b, ", st_size=%" PRId64 ", ...}", (int64_t)struct_u64(s, STAT_SIZE));
}

void put_statx(struct strbuf *b, const struct struct_bytes *s)
{
	static const struct bit masks[] = {
		{ 0x7ff, "STATX_BASIC_STATS" }, { 0x1, "STATX_TYPE" },
		{ 0x2, "STATX_MODE" },		{ 0x4, "STATX_NLINK" },
		{ 0x8, "STATX_UID" },		{ 0x10, "STATX_GID" },
		{ 0x20, "STATX_ATIME" },	{ 0x40, "STATX_MTIME" },
		{ 0x80, "STATX_CTIME" },	{ 0x100, "STATX_INO" },
		{ 0x200, "STATX_SIZE" },	{ 0x400, "STATX_BLOCKS" },
		{ 0x800, "STATX_BTIME" },	{ 0x1000, "STATX_MNT_ID" },
		{ 0x2000, "STATX_DIOALIGN" },	{ 0x4000, "STATX_MNT_ID_UNIQUE" },
		{ 0x8000, "STATX_SUBVOL" },
	};

	strbuf_puts(b, "{stx_mask=");
	bits_put(b, struct_u32(s, 0), masks, ARRAY_SIZE(masks), "0");
	strbuf_addf(b, ", stx_attributes=%#" PRIx64 ", stx_mode=", struct_u64(s, 8));
	put_mode(b, struct_u16(s, 28));
	strbuf_addf(b, ", stx_size=%" PRIu64 ", ...}", struct_u64(s, 40));
}

/* ---- file systems ---- */

/* Of f_flags, which the C library does not name */
#define ST_VALID 0x20

void put_statfs(struct strbuf *b, const struct struct_bytes *s)
{
	static const struct bit types[] = {
		B(EXT4_SUPER_MAGIC),	  B(XFS_SUPER_MAGIC),	  B(BTRFS_SUPER_MAGIC),
		B(TMPFS_MAGIC),		  B(PROC_SUPER_MAGIC),	  B(SYSFS_MAGIC),
		B(CGROUP_SUPER_MAGIC),	  B(CGROUP2_SUPER_MAGIC), B(DEBUGFS_MAGIC),
		B(TRACEFS_MAGIC),	  B(DEVPTS_SUPER_MAGIC),  B(NFS_SUPER_MAGIC),
		B(OVERLAYFS_SUPER_MAGIC), B(FUSE_SUPER_MAGIC),	  B(RAMFS_MAGIC),
		B(SQUASHFS_MAGIC),	  B(V9FS_MAGIC),	  B(HUGETLBFS_MAGIC),
		B(SELINUX_MAGIC),	  B(SECURITYFS_MAGIC),
	};
	static const struct bit bits[] = {
		B(ST_VALID),	   B(ST_RDONLY),   B(ST_NOSUID),  B(ST_NODEV),	    B(ST_NOEXEC),
		B(ST_SYNCHRONOUS), B(ST_MANDLOCK), B(ST_NOATIME), B(ST_NODIRATIME), B(ST_RELATIME),
	};
	static const char *const names[] = { "f_bsize",	 "f_blocks", "f_bfree",
					     "f_bavail", "f_files",  "f_ffree" };

	strbuf_puts(b, "{f_type=");
	bits_put_one(b, struct_u64(s, 0), types, ARRAY_SIZE(types));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		strbuf_addf(b, ", %s=%" PRIu64, names[i], struct_u64(s, 8 + 8 * i));
	strbuf_addf(b,
		    ", f_fsid={val=[%#x, %#x]}, f_namelen=%" PRIu64 ", f_frsize=%" PRIu64
		    ", f_flags=",
		    struct_u32(s, 56), struct_u32(s, 60), struct_u64(s, 64), struct_u64(s, 72));
	bits_put(b, struct_u64(s, 80), bits, ARRAY_SIZE(bits), "0");
	strbuf_putc(b, '}');
}
