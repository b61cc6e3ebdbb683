// SPDX-License-Identifier: GPL-2.0
/* Samples of guests: frames of their own, names by a file of the guest's. */
#include "kvm/reasons.h"
#include "kvm/vmm.h"
#include "session/guest.h"
#include "session/session.h"
#include "tests.h"

#include <errno.h>
#include <linux/pev.h>
#include <stdlib.h>
#include <unistd.h>

#define ADDR 0xffffffff81000210ULL

static int give(const char *text)
{
	char path[] = "/tmp/pev-guest.XXXXXX";
	struct msg m = { 0 };
	int fd = mkstemp(path), err;
	size_t len = strlen(text);

	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		return 1;
	close(fd);
	err = guest_kallsyms(NULL, path, &m);
	unlink(path);
	return err;
}

static void name_of(struct stacks *s, uint32_t frame, struct strbuf *b)
{
	stacks_resolve(s);
	strbuf_reset(b);
	stacks_func_name(s, stacks_frame_func(s, frame), b);
}

static void reasons(void)
{
	char b[GUEST_REASON_TEXT];

	IS_STR(guest_reason(b, GUEST_ISA_SVM, 0x78), "hlt", "why an AMD processor left a guest");
	IS_STR(guest_reason(b, GUEST_ISA_SVM, 0x400), "npf", "... a nested page fault");
	IS_STR(guest_reason(b, GUEST_ISA_SVM, 0xffffffff), "invalid_guest_state", "... -1");
	IS_STR(guest_reason(b, GUEST_ISA_VMX, 12), "hlt", "... and an Intel one");
	IS_STR(guest_reason(b, GUEST_ISA_VMX, 0x80000021), "invalid_state (entry failed)",
	       "... as it did not come in");
	IS_STR(guest_reason(b, GUEST_ISA_SVM, 0x3ff), "reason 0x3ff", "... for no reason known");
	IS_STR(guest_reason(b, GUEST_ISA_OTHER, 0x78), "reason 0x78", "... on no processor known");
}

static void threads(void)
{
	IS_NUM(vmm_vcpu_of_thread("CPU 12/KVM"), 12, "a thread of QEMU's for a virtual processor");
	IS_NUM(vmm_vcpu_of_thread("fc_vcpu 0"), 0, "... of Firecracker's");
	IS_NUM(vmm_vcpu_of_thread("crosvm_vcpu3"), 3, "... of crosvm's");
	IS_NUM(vmm_vcpu_of_thread("IO iothread1"), -1, "... and one that is for something else");
	IS_NUM(vmm_vcpu_of_thread("CPU"), -1, "... whatever its name begins with");
}

void test_guest(void)
{
	uint32_t host, kernel, user;
	struct strbuf b = { 0 };
	struct session f;

	reasons();
	threads();
	session_init(&f);
	host = stacks_sampled(&f.stacks, NULL, ADDR, 0);
	kernel = stacks_sampled(&f.stacks, NULL, ADDR, PEV_GUEST_CODE);
	user = stacks_sampled(&f.stacks, NULL, ADDR, PEV_GUEST_CODE | PEV_GUEST_USER);
	IS_NUM(f.stacks.frames[host].object, OBJECT_ID_KERNEL, "an address of the host's kernel");
	OK(kernel != host && user != host && user != kernel,
	   "the same in a guest is another place");
	IS_STR(object_name(&f.objects, f.stacks.frames[kernel].object), GUEST_KERNEL,
	       "... of its kernel");
	IS_STR(object_name(&f.objects, f.stacks.frames[user].object), GUEST_USER,
	       "... or of its programs");
	IS_NUM(stacks_sampled(&f.stacks, NULL, ADDR, PEV_GUEST_CODE), kernel,
	       "always the same one");
	name_of(&f.stacks, kernel, &b);
	IS_STR(b.s, "0xffffffff81000210", "without names, the address");
	session_close(&f);

	OK(give("nothing of this\nis a name\n") == -EINVAL, "a file that names nothing is refused");
	OK(give("0000000000000000 T _text\n0000000000000000 t f\n") == -EINVAL,
	   "... and one without addresses");
	OK(!give("ffffffff81000200 T guest_f\nffffffff81000300 T guest_g\n"),
	   "kallsyms of a guest");
	session_init(&f);
	host = stacks_sampled(&f.stacks, NULL, ADDR, 0);
	kernel = stacks_sampled(&f.stacks, NULL, ADDR, PEV_GUEST_CODE);
	user = stacks_sampled(&f.stacks, NULL, ADDR, PEV_GUEST_CODE | PEV_GUEST_USER);
	name_of(&f.stacks, kernel, &b);
	IS_STR(b.s, "guest_f", "... names its kernel's function");
	name_of(&f.stacks, user, &b);
	IS_STR(b.s, "0xffffffff81000210", "... but not what is in its programs");
	name_of(&f.stacks, host, &b);
	OK(strcmp(b.s, "guest_f"), "... nor what is the host's");
	session_close(&f);
	strbuf_free(&b);
}
