// SPDX-License-Identifier: GPL-2.0
/* Structures of calls for sockets, and lists of buffers. See structs_net.h. */
#include "structs_net.h"
#include "bits.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <sys/socket.h>

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

void put_msghdr(struct strbuf *b, const struct struct_bytes *s)
{
	static const struct bit flags[] = {
		B(MSG_OOB), B(MSG_TRUNC),    B(MSG_CTRUNC),
		B(MSG_EOR), B(MSG_ERRQUEUE), B(MSG_CMSG_CLOEXEC),
	};
	struct struct_bytes buffers = *s;

	buffers.at += s->len < MSGHDR_SIZE ? s->len : MSGHDR_SIZE;
	buffers.len -= s->len < MSGHDR_SIZE ? s->len : MSGHDR_SIZE;
	strbuf_puts(b, "{msg_name=");
	struct_pointer(b, struct_u64(s, 0));
	strbuf_addf(b, ", msg_namelen=%d, msg_iov=", (int32_t)struct_u32(s, 8));
	if (buffers.len >= sizeof(uint64_t))
		put_buffers(b, &buffers);
	else
		struct_pointer(b, struct_u64(s, 16));
	strbuf_addf(b, ", msg_iovlen=%" PRIu64, struct_u64(s, 24));
	if (struct_u64(s, 32)) {
		strbuf_puts(b, ", msg_control=");
		struct_pointer(b, struct_u64(s, 32));
	}
	strbuf_addf(b, ", msg_controllen=%" PRIu64 ", msg_flags=", struct_u64(s, 40));
	bits_put(b, struct_u32(s, 48), flags, ARRAY_SIZE(flags), "0");
	strbuf_putc(b, '}');
}
