// SPDX-License-Identifier: GPL-2.0
/* What arguments of ioctl() point to. See structs_ioctl.h. */
#include "structs_ioctl.h"
#include "bits.h"
#include "structs_net.h"
#include "base/text.h"

/* the kernel's terminals: of some machines, requests have their size */
#include <asm/termbits.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

/* ---- Terminals ---- */

#define TERMIOS_SIZE 16
#define TERMIO_SIZE 8

static void put_input(struct strbuf *b, uint32_t v)
{
	static const struct bit bits[] = {
		B(IGNBRK), B(BRKINT), B(IGNPAR), B(PARMRK),  B(INPCK),
		B(ISTRIP), B(INLCR),  B(IGNCR),	 B(ICRNL),   B(IUCLC),
		B(IXON),   B(IXANY),  B(IXOFF),	 B(IMAXBEL), B(IUTF8),
	};

	bits_put(b, v, bits, ARRAY_SIZE(bits), "0");
}

/* Delays, which no terminal has needed for long, are numbers. */
static void put_output(struct strbuf *b, uint32_t v)
{
	static const struct bit bits[] = { B(OPOST), B(OLCUC),	B(ONLCR), B(OCRNL),
					   B(ONOCR), B(ONLRET), B(OFILL), B(OFDEL) };

	bits_put(b, v, bits, ARRAY_SIZE(bits), "0");
}

static void put_control(struct strbuf *b, uint32_t v)
{
	static const struct bit speeds[] = {
		B(B0),	   B(B50),    B(B75),	 B(B110),    B(B134),	 B(B150),    B(B200),
		B(B300),   B(B600),   B(B1200),	 B(B1800),   B(B2400),	 B(B4800),   B(B9600),
		B(B19200), B(B38400), B(B57600), B(B115200), B(B230400), B(B460800), B(B921600),
	};
	static const struct bit sizes[] = { B(CS5), B(CS6), B(CS7), B(CS8) };
	static const struct bit bits[] = { B(CSTOPB), B(CREAD),	 B(PARENB), B(PARODD),
					   B(HUPCL),  B(CLOCAL), B(CRTSCTS) };

	bits_put_one(b, v & CBAUD, speeds, ARRAY_SIZE(speeds));
	strbuf_putc(b, '|');
	bits_put_one(b, v & CSIZE, sizes, ARRAY_SIZE(sizes));
	v &= ~(uint32_t)(CBAUD | CSIZE);
	if (v) {
		strbuf_putc(b, '|');
		bits_put(b, v, bits, ARRAY_SIZE(bits), "");
	}
}

static void put_local(struct strbuf *b, uint32_t v)
{
	static const struct bit bits[] = {
		B(ISIG),   B(ICANON),  B(ECHO),	   B(ECHOE),  B(ECHOK),	 B(ECHONL),  B(NOFLSH),
		B(TOSTOP), B(ECHOCTL), B(ECHOPRT), B(ECHOKE), B(IEXTEN), B(EXTPROC),
	};

	bits_put(b, v, bits, ARRAY_SIZE(bits), "0");
}

static void put_modes(struct strbuf *b, const uint32_t modes[4])
{
	strbuf_puts(b, "{c_iflag=");
	put_input(b, modes[0]);
	strbuf_puts(b, ", c_oflag=");
	put_output(b, modes[1]);
	strbuf_puts(b, ", c_cflag=");
	put_control(b, modes[2]);
	strbuf_puts(b, ", c_lflag=");
	put_local(b, modes[3]);
	strbuf_puts(b, ", ...}");
}

static void put_termios(struct strbuf *b, const struct struct_bytes *s)
{
	const uint32_t modes[] = { struct_u32(s, 0), struct_u32(s, 4), struct_u32(s, 8),
				   struct_u32(s, 12) };

	put_modes(b, modes);
}

/* The older one, of half the bits. */
static void put_termio(struct strbuf *b, const struct struct_bytes *s)
{
	const uint32_t modes[] = { struct_u16(s, 0), struct_u16(s, 2), struct_u16(s, 4),
				   struct_u16(s, 6) };

	put_modes(b, modes);
}

static void put_winsize(struct strbuf *b, const struct struct_bytes *s)
{
	strbuf_addf(b, "{ws_row=%u, ws_col=%u, ws_xpixel=%u, ws_ypixel=%u}", struct_u16(s, 0),
		    struct_u16(s, 2), struct_u16(s, 4), struct_u16(s, 6));
}

/* ---- Network interfaces ---- */

/* Of 64-bit programs: a name, and one of several things, by the request */
#define IFREQ_SIZE 40
#define IFCONF_SIZE 16
#define HARDWARE_SIZE 6

static void put_flags(struct strbuf *b, uint32_t request, uint16_t v)
{
	static const struct bit bits[] = {
		B(IFF_UP),	    B(IFF_BROADCAST),  B(IFF_DEBUG),	 B(IFF_LOOPBACK),
		B(IFF_POINTOPOINT), B(IFF_NOTRAILERS), B(IFF_RUNNING),	 B(IFF_NOARP),
		B(IFF_PROMISC),	    B(IFF_ALLMULTI),   B(IFF_MASTER),	 B(IFF_SLAVE),
		B(IFF_MULTICAST),   B(IFF_PORTSEL),    B(IFF_AUTOMEDIA), B(IFF_DYNAMIC),
	};
	static const struct bit of_tun[] = { B(IFF_TUN),       B(IFF_TAP),	B(IFF_NO_PI),
					     B(IFF_ONE_QUEUE), B(IFF_VNET_HDR), B(IFF_MULTI_QUEUE) };

	strbuf_puts(b, ", ifr_flags=");
	if (request == TUNSETIFF || request == TUNGETIFF)
		bits_put(b, v, of_tun, ARRAY_SIZE(of_tun), "0");
	else
		bits_put(b, v, bits, ARRAY_SIZE(bits), "0");
}

/* Its family is of another list than those of sockets. */
static void put_hardware_address(struct strbuf *b, const struct struct_bytes *s)
{
	static const struct bit names[] = { B(ARPHRD_ETHER),  B(ARPHRD_INFINIBAND), B(ARPHRD_PPP),
					    B(ARPHRD_TUNNEL), B(ARPHRD_LOOPBACK),   B(ARPHRD_NONE) };

	strbuf_puts(b, ", ifr_hwaddr={sa_family=");
	bits_put_one(b, struct_u16(s, IFNAMSIZ), names, ARRAY_SIZE(names));
	strbuf_puts(b, ", sa_data=");
	for (size_t i = 0; i < HARDWARE_SIZE; i++)
		strbuf_addf(b, "%s%02x", i ? ":" : "", s->at[IFNAMSIZ + 2 + i]);
	strbuf_putc(b, '}');
}

static void put_value(struct strbuf *b, const struct struct_bytes *s)
{
	int value = (int32_t)struct_u32(s, IFNAMSIZ);

	switch (s->request) {
	case SIOCGIFFLAGS:
	case SIOCSIFFLAGS:
	case TUNSETIFF:
	case TUNGETIFF:
		put_flags(b, s->request, struct_u16(s, IFNAMSIZ));
		break;
	case SIOCGIFHWADDR:
	case SIOCSIFHWADDR:
		put_hardware_address(b, s);
		break;
	case SIOCGIFNAME:
	case SIOCGIFINDEX:
		strbuf_addf(b, ", ifr_ifindex=%d", value);
		break;
	case SIOCGIFMETRIC:
		strbuf_addf(b, ", ifr_metric=%d", value);
		break;
	case SIOCGIFMTU:
	case SIOCSIFMTU:
		strbuf_addf(b, ", ifr_mtu=%d", value);
		break;
	case SIOCGIFTXQLEN:
		strbuf_addf(b, ", ifr_qlen=%d", value);
		break;
	default:
		strbuf_puts(b, ", ifr_data=");
		struct_pointer(b, struct_u64(s, IFNAMSIZ));
	}
}

static void put_ifreq(struct strbuf *b, const struct struct_bytes *s)
{
	static const struct bit addresses[] = {
		{ SIOCGIFADDR, "addr" },	 { SIOCSIFADDR, "addr" },
		{ SIOCGIFDSTADDR, "dstaddr" },	 { SIOCSIFDSTADDR, "dstaddr" },
		{ SIOCGIFBRDADDR, "broadaddr" }, { SIOCSIFBRDADDR, "broadaddr" },
		{ SIOCGIFNETMASK, "netmask" },	 { SIOCSIFNETMASK, "netmask" },
	};
	struct struct_bytes address = *s;

	strbuf_puts(b, "{ifr_name=");
	text_quoted(b, s->at, strnlen((const char *)s->at, IFNAMSIZ));
	address.at += IFNAMSIZ;
	address.len = sizeof(struct sockaddr);
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		if (addresses[i].value != s->request)
			continue;
		strbuf_addf(b, ", ifr_%s=", addresses[i].name);
		put_sockaddr(b, &address);
		strbuf_putc(b, '}');
		return;
	}
	put_value(b, s);
	strbuf_putc(b, '}');
}

static void put_ifconf(struct strbuf *b, const struct struct_bytes *s)
{
	strbuf_addf(b, "{ifc_len=%d, ifc_buf=", (int32_t)struct_u32(s, 0));
	struct_pointer(b, struct_u64(s, 8));
	strbuf_putc(b, '}');
}

/* ---- Disks ---- */

#define RANGE_SIZE 16

static void put_range(struct strbuf *b, const struct struct_bytes *s)
{
	strbuf_addf(b, "[%" PRIu64 ", %" PRIu64 "]", struct_u64(s, 0), struct_u64(s, 8));
}

/* ---- All ---- */

/**
 * struct shape - what a request has
 * @least: bytes without which it is shown as bytes
 */
static const struct shape {
	uint32_t request;
	size_t least;
	void (*put)(struct strbuf *b, const struct struct_bytes *s);
} shapes[] = {
	{ TCGETS, TERMIOS_SIZE, put_termios },
	{ TCSETS, TERMIOS_SIZE, put_termios },
	{ TCSETSW, TERMIOS_SIZE, put_termios },
	{ TCSETSF, TERMIOS_SIZE, put_termios },
#ifdef TCGETS2
	{ TCGETS2, TERMIOS_SIZE, put_termios },
	{ TCSETS2, TERMIOS_SIZE, put_termios },
	{ TCSETSW2, TERMIOS_SIZE, put_termios },
	{ TCSETSF2, TERMIOS_SIZE, put_termios },
#endif
	{ TCGETA, TERMIO_SIZE, put_termio },
	{ TCSETA, TERMIO_SIZE, put_termio },
	{ TCSETAW, TERMIO_SIZE, put_termio },
	{ TCSETAF, TERMIO_SIZE, put_termio },
	{ TIOCGWINSZ, sizeof(struct winsize), put_winsize },
	{ TIOCSWINSZ, sizeof(struct winsize), put_winsize },
	{ SIOCGIFCONF, IFCONF_SIZE, put_ifconf },
	{ SIOCGIFNAME, IFREQ_SIZE, put_ifreq },
	{ SIOCGIFFLAGS, IFREQ_SIZE, put_ifreq },
	{ SIOCSIFFLAGS, IFREQ_SIZE, put_ifreq },
	{ SIOCGIFADDR, IFREQ_SIZE, put_ifreq },
	{ SIOCSIFADDR, IFREQ_SIZE, put_ifreq },
	{ SIOCGIFDSTADDR, IFREQ_SIZE, put_ifreq },
	{ SIOCSIFDSTADDR, IFREQ_SIZE, put_ifreq },
	{ SIOCGIFBRDADDR, IFREQ_SIZE, put_ifreq },
	{ SIOCSIFBRDADDR, IFREQ_SIZE, put_ifreq },
	{ SIOCGIFNETMASK, IFREQ_SIZE, put_ifreq },
	{ SIOCSIFNETMASK, IFREQ_SIZE, put_ifreq },
	{ SIOCGIFMETRIC, IFREQ_SIZE, put_ifreq },
	{ SIOCGIFMTU, IFREQ_SIZE, put_ifreq },
	{ SIOCSIFMTU, IFREQ_SIZE, put_ifreq },
	{ SIOCGIFHWADDR, IFREQ_SIZE, put_ifreq },
	{ SIOCSIFHWADDR, IFREQ_SIZE, put_ifreq },
	{ SIOCGIFINDEX, IFREQ_SIZE, put_ifreq },
	{ SIOCGIFTXQLEN, IFREQ_SIZE, put_ifreq },
	{ SIOCETHTOOL, IFREQ_SIZE, put_ifreq },
	{ TUNSETIFF, IFREQ_SIZE, put_ifreq },
	{ TUNGETIFF, IFREQ_SIZE, put_ifreq },
	{ BLKDISCARD, RANGE_SIZE, put_range },
	{ BLKSECDISCARD, RANGE_SIZE, put_range },
	{ BLKZEROOUT, RANGE_SIZE, put_range },
};

/* A number if it may be one. */
static void put_unknown(struct strbuf *b, const struct struct_bytes *s)
{
	if (s->len == sizeof(uint64_t) && !s->cut)
		strbuf_addf(b, "[%" PRId64 "]", (int64_t)struct_u64(s, 0));
	else if (s->len == sizeof(uint16_t) && !s->cut)
		strbuf_addf(b, "[%u]", struct_u16(s, 0));
	else
		put_sockopt(b, s);
}

void put_ioctl(struct strbuf *b, const struct struct_bytes *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		if (shapes[i].request == s->request && s->len >= shapes[i].least) {
			shapes[i].put(b, s);
			return;
		}
	put_unknown(b, s);
}
