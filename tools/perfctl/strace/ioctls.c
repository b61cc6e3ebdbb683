// SPDX-License-Identifier: GPL-2.0
/* Requests of ioctl(2). See ioctls.h. */
#include "ioctls.h"
#include "bits.h"

/* the kernel's terminals: of some machines, requests have their size */
#include <asm/termbits.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <linux/fiemap.h>
#include <linux/if_tun.h>
#include <linux/kd.h>
#include <linux/kvm.h>
#include <linux/loop.h>
#include <linux/perf_event.h>
#include <linux/pev.h>
#include <linux/random.h>
#include <linux/rtc.h>
#include <linux/sockios.h>
#include <linux/userfaultfd.h>
#include <linux/vt.h>
#include <linux/watchdog.h>
#include <sys/ioctl.h>
#include <sys/types.h>

/*
 * A number may belong to several drivers, of which only the descriptor's is meant. These are those
 * that programs use most, and those that headers define by nothing but a number; each is here once.
 */
/* clang-format off */
static const struct bit requests[] = {
	/* terminals */
	B(TCGETS), B(TCSETS), B(TCSETSW), B(TCSETSF), B(TCSBRK), B(TCXONC), B(TCFLSH), B(TIOCEXCL),
	B(TIOCNXCL), B(TIOCSCTTY), B(TIOCGPGRP), B(TIOCSPGRP), B(TIOCOUTQ), B(TIOCSTI),
	B(TIOCGWINSZ), B(TIOCSWINSZ), B(TIOCMGET), B(TIOCMSET), B(TIOCLINUX), B(TIOCCONS), B(TIOCPKT),
	B(TIOCNOTTY), B(TIOCGETD), B(TIOCSETD), B(TIOCGSID), B(TIOCGPTN), B(TIOCSPTLCK), B(TIOCGPTPEER),
	/* all descriptors */
	B(FIONREAD), B(FIONBIO), B(FIOASYNC), B(FIOCLEX), B(FIONCLEX), B(FIOQSIZE),
	/* consoles */
	B(KDGETMODE), B(KDSETMODE), B(KDGKBTYPE), B(KDGKBMODE), B(KDSKBMODE), B(GIO_UNIMAP),
	B(VT_GETMODE), B(VT_SETMODE), B(VT_GETSTATE), B(VT_ACTIVATE), B(VT_WAITACTIVE), B(VT_OPENQRY),
	/* files and disks */
	B(FIBMAP), B(FIGETBSZ), B(FIFREEZE), B(FITHAW), B(FITRIM), B(FICLONE), B(FICLONERANGE),
	B(FIDEDUPERANGE), B(FS_IOC_GETFLAGS), B(FS_IOC_SETFLAGS), B(FS_IOC_FSGETXATTR),
	B(FS_IOC_FSSETXATTR), B(FS_IOC_FIEMAP), B(BLKROSET), B(BLKROGET), B(BLKRRPART),
	B(BLKGETSIZE), B(BLKFLSBUF), B(BLKRASET), B(BLKRAGET), B(BLKSSZGET), B(BLKBSZGET),
	B(BLKBSZSET), B(BLKGETSIZE64), B(BLKDISCARD), B(BLKIOMIN), B(BLKIOOPT), B(BLKALIGNOFF),
	B(BLKPBSZGET), B(BLKDISCARDZEROES), B(BLKSECDISCARD), B(BLKROTATIONAL), B(BLKZEROOUT),
	B(LOOP_SET_FD), B(LOOP_CLR_FD), B(LOOP_SET_STATUS64), B(LOOP_GET_STATUS64),
	B(LOOP_SET_CAPACITY), B(LOOP_CONFIGURE), B(LOOP_CTL_ADD), B(LOOP_CTL_GET_FREE),
	/* sockets and network interfaces */
	B(SIOCATMARK), B(SIOCGIFNAME), B(SIOCGIFCONF), B(SIOCGIFFLAGS), B(SIOCSIFFLAGS),
	B(SIOCGIFADDR), B(SIOCSIFADDR), B(SIOCGIFDSTADDR), B(SIOCGIFBRDADDR), B(SIOCGIFNETMASK),
	B(SIOCSIFNETMASK), B(SIOCGIFMETRIC), B(SIOCGIFMTU), B(SIOCSIFMTU), B(SIOCGIFHWADDR),
	B(SIOCGIFINDEX), B(SIOCGIFTXQLEN), B(SIOCETHTOOL), B(SIOCADDRT), B(SIOCDELRT), B(SIOCGIFMAP),
	B(SIOCGSTAMP_NEW), B(SIOCGSTAMPNS_NEW), B(TUNSETIFF), B(TUNGETIFF), B(TUNSETPERSIST),
	B(TUNSETOWNER), B(TUNGETFEATURES), B(TUNSETOFFLOAD), B(TUNSETVNETHDRSZ),
	/* virtual machines */
	B(KVM_GET_API_VERSION), B(KVM_CREATE_VM), B(KVM_CHECK_EXTENSION), B(KVM_GET_VCPU_MMAP_SIZE),
	B(KVM_CREATE_VCPU), B(KVM_SET_USER_MEMORY_REGION), B(KVM_RUN), B(KVM_GET_REGS),
	B(KVM_SET_REGS), B(KVM_GET_SREGS), B(KVM_SET_SREGS), B(KVM_IRQ_LINE), B(KVM_IRQFD),
	B(KVM_IOEVENTFD), B(KVM_GET_DIRTY_LOG), B(KVM_INTERRUPT), B(KVM_SET_GSI_ROUTING),
	B(KVM_CREATE_IRQCHIP), B(KVM_SIGNAL_MSI), B(KVM_CREATE_DEVICE),
	/* events */
	B(PERF_EVENT_IOC_ENABLE), B(PERF_EVENT_IOC_DISABLE), B(PERF_EVENT_IOC_REFRESH),
	B(PERF_EVENT_IOC_RESET), B(PERF_EVENT_IOC_PERIOD), B(PERF_EVENT_IOC_SET_OUTPUT),
	B(PERF_EVENT_IOC_SET_FILTER), B(PERF_EVENT_IOC_ID), B(PERF_EVENT_IOC_SET_BPF),
	B(PERF_EVENT_IOC_PAUSE_OUTPUT), B(PEV_IOC_FLUSH), B(PEV_IOC_SNAPSHOT),
	B(PEV_IOC_CHANNEL_INFO), B(PEV_IOC_CHANNEL_STATE), B(PEV_IOC_ACT),
	/* others */
	B(RNDGETENTCNT), B(RNDADDENTROPY), B(RTC_RD_TIME), B(RTC_SET_TIME), B(RTC_WKALM_RD),
	B(RTC_WKALM_SET), B(UFFDIO_API), B(UFFDIO_REGISTER), B(UFFDIO_UNREGISTER), B(UFFDIO_WAKE),
	B(UFFDIO_COPY), B(UFFDIO_ZEROPAGE), B(WDIOC_KEEPALIVE), B(WDIOC_SETTIMEOUT),
	B(WDIOC_GETTIMEOUT),
};
/* clang-format on */

/* All that the headers define by their parts, by number: see ioctl-table.sh */
#define IOCTL(number, text)  \
	{                    \
		number, text \
	}
static const struct bit all[] = {
#include "ioctl_table.h"
	{ 0xffffffff, "" },
};
#undef IOCTL

static void put_direction(struct strbuf *b, unsigned int dir)
{
	static const struct bit bits[] = { B(_IOC_READ), B(_IOC_WRITE) };

	bits_put(b, dir, bits, ARRAY_SIZE(bits), "_IOC_NONE");
}

/* "A or B": only the driver knows which. Returns whether there is one. */
static bool put_all(struct strbuf *b, uint32_t r)
{
	size_t low = 0, high = ARRAY_SIZE(all) - 1, first;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (all[mid].value < r)
			low = mid + 1;
		else
			high = mid;
	}
	first = low;
	for (; low < ARRAY_SIZE(all) - 1 && all[low].value == r; low++)
		strbuf_addf(b, "%s%s", low > first ? " or " : "", all[low].name);
	return low > first;
}

void ioctls_put(struct strbuf *b, uint64_t request)
{
	/* the kernel takes no more of it */
	uint32_t r = (uint32_t)request;

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		if (requests[i].value == r) {
			strbuf_puts(b, requests[i].name);
			return;
		}
	if (put_all(b, r))
		return;
	/* numbers of the time before there were such parts */
	if (!(r >> _IOC_SIZESHIFT)) {
		strbuf_addf(b, "0x%" PRIx32, r);
		return;
	}
	strbuf_puts(b, "_IOC(");
	put_direction(b, _IOC_DIR(r));
	strbuf_addf(b, ", 0x%x, 0x%x, 0x%x)", _IOC_TYPE(r), _IOC_NR(r), _IOC_SIZE(r));
}
