// SPDX-License-Identifier: GPL-2.0
/* Samples of guests: frames of their own, names by a file of the guest's. */
#include "event/names.h"
#include "hist/latency.h"
#include "kvm/points.h"
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
	IS_STR(guest_reason(b, GUEST_ISA_POWER, 0x980), "h_decrementer", "... and a POWER one");
	IS_STR(guest_reason(b, GUEST_ISA_POWER, 0xe00), "h_data_storage",
	       "... for a page that is not there");
	IS_STR(guest_reason(b, GUEST_ISA_ARM64, 0), "interrupt", "... and Arm's, by an interrupt");
	IS_STR(guest_reason(b, GUEST_ISA_ARM64, 0x201), "wfx", "... as it trapped");
	IS_STR(guest_reason(b, GUEST_ISA_ARM64, 0x23f), "reason 0x23f", "... for no class known");
	IS_STR(guest_exit_reason(b, PEV_EXIT_WORD(PEV_EXIT_SVM, 0x7b)), "io",
	       "a record's reason, of AMD's");
	IS_STR(guest_exit_reason(b, PEV_EXIT_WORD(PEV_EXIT_VMX, 0x80000021)),
	       "invalid_state (entry failed)", "... of Intel's");
	IS_STR(guest_exit_reason(b, PEV_EXIT_WORD(PEV_EXIT_POWER, 0xc00)), "hypercall",
	       "... of POWER's");
	IS_STR(guest_exit_reason(b, PEV_EXIT_WORD(77, 0x7b)), "reason 0x7b",
	       "... of a kernel that knows more");
}

static enum guest_isa isa_of(const char *text)
{
	char cpuinfo[256];

	snprintf(cpuinfo, sizeof(cpuinfo), "%s", text);
	return guest_isa_of(cpuinfo);
}

static void isas(void)
{
	IS_NUM(isa_of("processor\t: 0\nflags\t\t: fpu svm\nbugs\t\t: x\n"), GUEST_ISA_SVM,
	       "an AMD processor");
	IS_NUM(isa_of("processor\t: 0\nflags\t\t: fpu vmx\n"), GUEST_ISA_VMX, "an Intel one");
	IS_NUM(isa_of("processor\t: 0\nflags\t\t: fpu\nvmx flags\t: vnmi svm\n"), GUEST_ISA_OTHER,
	       "one that runs no guests");
	IS_NUM(isa_of("processor\t: 0\ncpu\t\t: POWER9 (architected), altivec supported\n"),
	       GUEST_ISA_POWER, "a POWER one");
	IS_NUM(isa_of("processor\t: 0\nBogoMIPS\t: 125.00\nCPU implementer\t: 0x41\n"),
	       GUEST_ISA_ARM64, "one of Arm's");
}

/* Of formats of Linux 6.12, what is in the record behind the fields that all have */
static const char *const formats[] = {
	[GUEST_ISA_SVM] = "field:unsigned int exit_reason;\tfield:unsigned long guest_rip;\t"
			  "field:u32 isa;\tfield:u64 info1;\tfield:u64 info2;\t"
			  "field:u32 intr_info;\tfield:u32 error_code;\t"
			  "field:unsigned int vcpu_id;\tfield:u64 requests;\t",
	[GUEST_ISA_POWER] = "field:int vcpu_id;\tfield:int trap;\tfield:unsigned long pc;\t"
			    "field:unsigned long msr;\tfield:u8 ceded;\t",
	[GUEST_ISA_ARM64] = "field:int ret;\tfield:unsigned int esr_ec;\t"
			    "field:unsigned long vcpu_pc;\t",
};

static bool format_has(const char *format, const char *field)
{
	char text[64];

	snprintf(text, sizeof(text), " %s;", field);
	return strstr(format, text);
}

/* What the table is made of is there, and in the order in which exits.c looks for it. */
static bool pair_fits(enum guest_isa isa)
{
	const struct kvm_points *points = kvm_points(isa);
	unsigned int reasons = kvm_points_reasons(points), keys = 1 + reasons + points->vcpu_id;
	struct pev_table table = { 0 };
	struct event_list events = { 0 };
	struct msg m = { 0 };
	char *pair = kvm_points_pair(points, points->vcpu_id);
	bool fits = !hist_latency_parse(&table, &events, pair, &m) && events.n == 2 &&
		    !strcmp(events.specs[0].name, points->exit) &&
		    !strcmp(events.specs[1].name, points->entry) && table.nr_keys == keys &&
		    table.keys[0].from == PEV_TABLE_LATENCY && keys < PEV_MAX_TABLE_KEYS;

	for (unsigned int i = 1; i < keys && fits; i++)
		fits = table.keys[i].from == (PEV_TABLE_FIELD | PEV_TABLE_AT_BEGIN) &&
		       format_has(formats[isa], table.keys[i].name);
	if (points->vcpu_id)
		fits = fits && !strcmp(table.keys[keys - 1].name, "vcpu_id");
	event_list_free(&events);
	free(pair);
	return fits && points->vcpu_id == format_has(formats[isa], "vcpu_id");
}

static void points(void)
{
	OK(pair_fits(GUEST_ISA_SVM), "KVM's tracepoints on x86 say why and which processor");
	OK(pair_fits(GUEST_ISA_POWER), "... and those of KVM-HV");
	OK(pair_fits(GUEST_ISA_ARM64), "... on arm64 why alone");
	IS_NUM(kvm_points_reasons(kvm_points(GUEST_ISA_ARM64)), 2, "... in two fields");
	IS_NUM(kvm_crossing("kvm_hv:kvm_guest_enter"), KVM_ENTRY, "an entry on POWER");
	IS_NUM(kvm_crossing("kvm:kvm_exit"), KVM_EXIT, "an exit on others");
	IS_NUM(kvm_crossing("kvm:kvm_page_fault"), KVM_NO_CROSSING, "another event of KVM's");
	OK(strstr(kvm_points(GUEST_ISA_POWER)->missing, "modprobe kvm_hv") &&
		   strstr(kvm_points(GUEST_ISA_SVM)->missing, "modprobe kvm_amd"),
	   "each processor has its own module");
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
	isas();
	points();
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
