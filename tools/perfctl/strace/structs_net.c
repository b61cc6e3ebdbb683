// SPDX-License-Identifier: GPL-2.0
/* Structures of calls for sockets, and lists of buffers. See structs_net.h. */
#include "structs_net.h"
#include "bits.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>

/* of newer libraries */
#ifndef SOL_TLS
#define SOL_TLS 282
#endif

/* Offsets in the addresses; they are the same on all architectures */
#define PORT 2
#define IN_ADDR 4
#define IN_SIZE 16
#define IN6_FLOW 4
#define IN6_ADDR 8
#define IN6_SCOPE 24
#define IN6_SIZE 28
#define NL_PID 4
#define NL_GROUPS 8
#define NL_SIZE 12

static void put_inet(struct strbuf *b, const struct struct_bytes *s)
{
	char text[INET_ADDRSTRLEN];

	strbuf_addf(b, ", sin_port=htons(%u), sin_addr=inet_addr(\"%s\")",
		    ntohs(struct_u16(s, PORT)),
		    inet_ntop(AF_INET, s->at + IN_ADDR, text, sizeof(text)));
}

static void put_inet6(struct strbuf *b, const struct struct_bytes *s)
{
	char text[INET6_ADDRSTRLEN];

	strbuf_addf(b,
		    ", sin6_port=htons(%u), sin6_flowinfo=htonl(%u), "
		    "inet_pton(AF_INET6, \"%s\", &sin6_addr), sin6_scope_id=%u",
		    ntohs(struct_u16(s, PORT)), ntohl(struct_u32(s, IN6_FLOW)),
		    inet_ntop(AF_INET6, s->at + IN6_ADDR, text, sizeof(text)),
		    struct_u32(s, IN6_SCOPE));
}

static void put_netlink(struct strbuf *b, const struct struct_bytes *s)
{
	strbuf_addf(b, ", nl_pid=%d, nl_groups=%08" PRIx32, (int32_t)struct_u32(s, NL_PID),
		    struct_u32(s, NL_GROUPS));
}

/* A name in the abstract namespace begins with NUL, and has no end. */
static void put_unix(struct strbuf *b, const struct struct_bytes *s)
{
	const char *path = (const char *)s->at + 2;
	size_t len = s->len - 2;

	if (!len)
		return;
	strbuf_puts(b, ", sun_path=");
	if (*path) {
		text_quoted(b, path, strnlen(path, len));
		return;
	}
	strbuf_putc(b, '@');
	text_quoted(b, path + 1, len - 1);
}

static void put_other(struct strbuf *b, const struct struct_bytes *s)
{
	if (s->len <= 2)
		return;
	strbuf_puts(b, ", sa_data=");
	text_quoted(b, s->at + 2, s->len - 2);
}

static const struct family {
	uint16_t family;
	size_t least;
	void (*put)(struct strbuf *b, const struct struct_bytes *s);
} families[] = {
	{ AF_UNIX, 2, put_unix },
	{ AF_INET, IN_SIZE, put_inet },
	{ AF_INET6, IN6_SIZE, put_inet6 },
	{ AF_NETLINK, NL_SIZE, put_netlink },
};

void put_sockaddr(struct strbuf *b, const struct struct_bytes *s)
{
	static const struct bit names[] = {
		B(AF_UNSPEC),	 B(AF_UNIX),   B(AF_INET), B(AF_INET6),
		B(AF_NETLINK),	 B(AF_PACKET), B(AF_ALG),  B(AF_VSOCK),
		B(AF_BLUETOOTH), B(AF_CAN),    B(AF_XDP),  B(AF_TIPC),
	};
	uint16_t family = struct_u16(s, 0);
	size_t i = 0;

	strbuf_puts(b, "{sa_family=");
	bits_put_one(b, family, names, ARRAY_SIZE(names));
	while (i < ARRAY_SIZE(families) &&
	       (families[i].family != family || s->len < families[i].least))
		i++;
	(i < ARRAY_SIZE(families) ? families[i].put : put_other)(b, s);
	strbuf_putc(b, '}');
}

/* Most are ints, which the length tells from text. */
void put_sockopt(struct strbuf *b, const struct struct_bytes *s)
{
	size_t len = s->len < s->most ? s->len : s->most;

	if (s->len == sizeof(int) && !s->cut) {
		put_int(b, s);
		return;
	}
	text_quoted(b, s->at, len);
	strbuf_puts(b, s->cut || len < s->len ? "..." : "");
}

void put_int(struct strbuf *b, const struct struct_bytes *s)
{
	strbuf_addf(b, "[%d]", (int32_t)struct_u32(s, 0));
}

/* Of 64-bit programs */
#define IOVEC_SIZE 16
#define MSGHDR_SIZE 56

static void put_buffer(struct strbuf *b, const struct struct_bytes *s)
{
	strbuf_puts(b, "{iov_base=");
	struct_pointer(b, struct_u64(s, 0));
	strbuf_addf(b, ", iov_len=%" PRIu64 "}", struct_u64(s, 8));
}

void put_iovec(struct strbuf *b, const struct struct_bytes *s)
{
	struct_array(b, s, IOVEC_SIZE, put_buffer);
}

/*
 * What @len bytes of a buffer hold, of which @s has what is left. Buffers that the call did not come
 * to are empty.
 */
static void put_contents(struct strbuf *b, const struct struct_bytes *s, uint64_t len)
{
	size_t there = len < s->len ? (size_t)len : s->len;
	size_t shown = there < s->most ? there : s->most;

	text_quoted(b, s->at, shown);
	strbuf_puts(b, shown < there || (s->cut && there < len) ? "..." : "");
}

/* "[{iov_base="abc", iov_len=3}]" */
void put_buffers(struct strbuf *b, const struct struct_bytes *s)
{
	uint64_t n = struct_u64(s, 0), most = (s->len - sizeof(n)) / IOVEC_SIZE;
	struct struct_bytes left = *s;

	n = n < most ? n : most;
	left.at += sizeof(n) + n * IOVEC_SIZE;
	left.len -= sizeof(n) + n * IOVEC_SIZE;
	strbuf_putc(b, '[');
	for (uint64_t i = 0; i < n; i++) {
		size_t at = sizeof(n) + i * IOVEC_SIZE;
		uint64_t base = struct_u64(s, at), len = struct_u64(s, at + 8);
		size_t there = len < left.len ? (size_t)len : left.len;

		strbuf_addf(b, "%s{iov_base=", i ? ", " : "");
		if ((len && !there && s->cut) || (!base && !there))
			struct_pointer(b, base);
		else
			put_contents(b, &left, len);
		strbuf_addf(b, ", iov_len=%" PRIu64 "}", len);
		left.at += there;
		left.len -= there;
	}
	strbuf_puts(b, s->cut ? n ? ", ...]" : "...]" : "]");
}

/* ---- Messages ---- */

/* Of 64-bit programs; data and headers begin at multiples of 8 */
#define CMSG_SIZE 16
#define UCRED_SIZE 12

static void put_rights(struct strbuf *b, const struct struct_bytes *s)
{
	strbuf_putc(b, '[');
	for (size_t at = 0; at + 4 <= s->len; at += 4)
		strbuf_addf(b, "%s%d", at ? ", " : "", (int32_t)struct_u32(s, at));
	strbuf_puts(b, s->cut ? ", ...]" : "]");
}

static void put_credentials(struct strbuf *b, const struct struct_bytes *s)
{
	strbuf_addf(b, "{pid=%d, uid=%u, gid=%u}", (int32_t)struct_u32(s, 0), struct_u32(s, 4),
		    struct_u32(s, 8));
}

static void put_control_data(struct strbuf *b, uint32_t level, uint32_t type,
			     const struct struct_bytes *s)
{
	if (level == SOL_SOCKET && type == SCM_RIGHTS && (s->len >= 4 || !s->cut))
		put_rights(b, s);
	else if (level == SOL_SOCKET && type == SCM_CREDENTIALS && s->len >= UCRED_SIZE)
		put_credentials(b, s);
	else
		put_sockopt(b, s);
}

static void put_control_head(struct strbuf *b, uint64_t len, uint32_t level, uint32_t type)
{
	static const struct bit levels[] = {
		{ IPPROTO_IP, "SOL_IP" },
		B(SOL_SOCKET),
		{ IPPROTO_IPV6, "SOL_IPV6" },
		{ IPPROTO_TCP, "SOL_TCP" },
		{ IPPROTO_UDP, "SOL_UDP" },
		B(SOL_NETLINK),
		B(SOL_ALG),
		B(SOL_TLS),
	};
	static const struct bit types[] = { B(SCM_RIGHTS), B(SCM_CREDENTIALS), B(SCM_TIMESTAMP),
					    B(SCM_TIMESTAMPNS), B(SCM_TIMESTAMPING) };

	strbuf_addf(b, "{cmsg_len=%" PRIu64 ", cmsg_level=", len);
	bits_put_one(b, level, levels, ARRAY_SIZE(levels));
	strbuf_puts(b, ", cmsg_type=");
	if (level == SOL_SOCKET)
		bits_put_one(b, type, types, ARRAY_SIZE(types));
	else
		strbuf_addf(b, "%#" PRIx32, type);
}

/* "[{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[3]}]" */
static void put_control(struct strbuf *b, const struct struct_bytes *s)
{
	size_t at = 0;

	strbuf_putc(b, '[');
	while (s->len - at >= CMSG_SIZE) {
		uint64_t len = struct_u64(s, at), left = s->len - at;
		uint32_t level = struct_u32(s, at + 8), type = struct_u32(s, at + 12);
		struct struct_bytes data = *s;

		strbuf_puts(b, at ? ", " : "");
		put_control_head(b, len, level, type);
		data.cut = len > left;
		if (len > CMSG_SIZE) {
			data.at += at + CMSG_SIZE;
			data.len = (size_t)(len < left ? len : left) - CMSG_SIZE;
			strbuf_puts(b, ", cmsg_data=");
			put_control_data(b, level, type, &data);
		}
		strbuf_putc(b, '}');
		/* what says that it is shorter than its head, or longer than all, is the last */
		if (len < CMSG_SIZE || len > left || ((len + 7) & ~7ULL) >= left) {
			at = s->len;
			break;
		}
		at += (len + 7) & ~7ULL;
	}
	strbuf_puts(b, at < s->len || s->cut ? at ? ", ...]" : "...]" : "]");
}

/* The next @len bytes of @left, of which there were @all */
static struct struct_bytes part_of(struct struct_bytes *left, uint32_t len, uint64_t all)
{
	struct struct_bytes part = *left;

	part.len = len < left->len ? len : left->len;
	part.cut = part.len < all;
	left->at += part.len;
	left->len -= part.len;
	return part;
}

static void put_name(struct strbuf *b, const struct struct_bytes *s,
		     const struct struct_bytes *name)
{
	strbuf_puts(b, "{msg_name=");
	if (name->len >= 2)
		put_sockaddr(b, name);
	else
		struct_pointer(b, struct_u64(s, 0));
	strbuf_addf(b, ", msg_namelen=%d, msg_iov=", (int32_t)struct_u32(s, 8));
}

void put_msghdr(struct strbuf *b, const struct struct_bytes *s)
{
	static const struct bit flags[] = {
		B(MSG_OOB), B(MSG_TRUNC),    B(MSG_CTRUNC),
		B(MSG_EOR), B(MSG_ERRQUEUE), B(MSG_CMSG_CLOEXEC),
	};
	struct struct_bytes left = *s, name = { 0 }, control = { 0 };

	(void)part_of(&left, MSGHDR_SIZE, 0);
	if (left.len >= 8) {
		uint32_t lens[2] = { struct_u32(&left, 0), struct_u32(&left, 4) };

		(void)part_of(&left, 8, 0);
		name = part_of(&left, lens[0], struct_u32(s, 8));
		control = part_of(&left, lens[1], struct_u64(s, 40));
	}
	put_name(b, s, &name);
	if (left.len >= sizeof(uint64_t))
		put_buffers(b, &left);
	else
		struct_pointer(b, struct_u64(s, 16));
	strbuf_addf(b, ", msg_iovlen=%" PRIu64, struct_u64(s, 24));
	if (struct_u64(s, 32)) {
		strbuf_puts(b, ", msg_control=");
		if (control.len)
			put_control(b, &control);
		else
			struct_pointer(b, struct_u64(s, 32));
	}
	strbuf_addf(b, ", msg_controllen=%" PRIu64 ", msg_flags=", struct_u64(s, 40));
	bits_put(b, struct_u32(s, 48), flags, ARRAY_SIZE(flags), "0");
	strbuf_putc(b, '}');
}
