// SPDX-License-Identifier: GPL-2.0
/* Names of the reasons for which processors leave guests. See reasons.h. */
#include "reasons.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct reason {
	uint32_t code;
	const char *name;
};

/* clang-format off */
/* The low 16 bits of the exit reason, Intel's manual, volume 3, appendix C */
static const struct reason vmx[] = {
	{ 0, "exception_nmi" }, { 1, "external_interrupt" }, { 2, "triple_fault" },
	{ 3, "init_signal" }, { 4, "sipi_signal" }, { 7, "interrupt_window" },
	{ 8, "nmi_window" }, { 9, "task_switch" }, { 10, "cpuid" }, { 12, "hlt" },
	{ 13, "invd" }, { 14, "invlpg" }, { 15, "rdpmc" }, { 16, "rdtsc" }, { 18, "vmcall" },
	{ 19, "vmclear" }, { 20, "vmlaunch" }, { 21, "vmptrld" }, { 22, "vmptrst" },
	{ 23, "vmread" }, { 24, "vmresume" }, { 25, "vmwrite" }, { 26, "vmoff" }, { 27, "vmon" },
	{ 28, "cr_access" }, { 29, "dr_access" }, { 30, "io" }, { 31, "msr_read" },
	{ 32, "msr_write" }, { 33, "invalid_state" }, { 34, "msr_load_fail" }, { 36, "mwait" },
	{ 37, "monitor_trap_flag" }, { 39, "monitor" }, { 40, "pause" },
	{ 41, "mce_during_vmentry" }, { 43, "tpr_below_threshold" }, { 44, "apic_access" },
	{ 45, "eoi_induced" }, { 46, "gdtr_idtr" }, { 47, "ldtr_tr" }, { 48, "ept_violation" },
	{ 49, "ept_misconfig" }, { 50, "invept" }, { 51, "rdtscp" }, { 52, "preemption_timer" },
	{ 53, "invvpid" }, { 54, "wbinvd" }, { 55, "xsetbv" }, { 56, "apic_write" },
	{ 57, "rdrand" }, { 58, "invpcid" }, { 59, "vmfunc" }, { 60, "encls" }, { 61, "rdseed" },
	{ 62, "pml_full" }, { 63, "xsaves" }, { 64, "xrstors" }, { 67, "umwait" },
	{ 68, "tpause" }, { 74, "bus_lock" }, { 75, "notify" },
};

/* EXITCODE of the control block, AMD's manual, volume 2, appendix C; the last ones are Linux's */
static const struct reason svm[] = {
	{ 0x0, "read_cr0" }, { 0x2, "read_cr2" }, { 0x3, "read_cr3" }, { 0x4, "read_cr4" },
	{ 0x8, "read_cr8" }, { 0x10, "write_cr0" }, { 0x12, "write_cr2" }, { 0x13, "write_cr3" },
	{ 0x14, "write_cr4" }, { 0x18, "write_cr8" }, { 0x20, "read_dr0" }, { 0x21, "read_dr1" },
	{ 0x22, "read_dr2" }, { 0x23, "read_dr3" }, { 0x24, "read_dr4" }, { 0x25, "read_dr5" },
	{ 0x26, "read_dr6" }, { 0x27, "read_dr7" }, { 0x30, "write_dr0" }, { 0x31, "write_dr1" },
	{ 0x32, "write_dr2" }, { 0x33, "write_dr3" }, { 0x34, "write_dr4" },
	{ 0x35, "write_dr5" }, { 0x36, "write_dr6" }, { 0x37, "write_dr7" },
	{ 0x40, "de_exception" }, { 0x41, "db_exception" }, { 0x43, "bp_exception" },
	{ 0x44, "of_exception" }, { 0x45, "br_exception" }, { 0x46, "ud_exception" },
	{ 0x47, "nm_exception" }, { 0x48, "df_exception" }, { 0x4a, "ts_exception" },
	{ 0x4b, "np_exception" }, { 0x4c, "ss_exception" }, { 0x4d, "gp_exception" },
	{ 0x4e, "pf_exception" }, { 0x50, "mf_exception" }, { 0x51, "ac_exception" },
	{ 0x52, "mc_exception" }, { 0x53, "xf_exception" }, { 0x60, "interrupt" },
	{ 0x61, "nmi" }, { 0x62, "smi" }, { 0x63, "init" }, { 0x64, "vintr" },
	{ 0x65, "cr0_sel_write" }, { 0x66, "read_idtr" }, { 0x67, "read_gdtr" },
	{ 0x68, "read_ldtr" }, { 0x69, "read_rt" }, { 0x6a, "write_idtr" },
	{ 0x6b, "write_gdtr" }, { 0x6c, "write_ldtr" }, { 0x6d, "write_rt" }, { 0x6e, "rdtsc" },
	{ 0x6f, "rdpmc" }, { 0x70, "pushf" }, { 0x71, "popf" }, { 0x72, "cpuid" },
	{ 0x73, "rsm" }, { 0x74, "iret" }, { 0x75, "swint" }, { 0x76, "invd" },
	{ 0x77, "pause" }, { 0x78, "hlt" }, { 0x79, "invlpg" }, { 0x7a, "invlpga" },
	{ 0x7b, "io" }, { 0x7c, "msr" }, { 0x7d, "task_switch" }, { 0x7e, "ferr_freeze" },
	{ 0x7f, "shutdown" }, { 0x80, "vmrun" }, { 0x81, "hypercall" }, { 0x82, "vmload" },
	{ 0x83, "vmsave" }, { 0x84, "stgi" }, { 0x85, "clgi" }, { 0x86, "skinit" },
	{ 0x87, "rdtscp" }, { 0x88, "icebp" }, { 0x89, "wbinvd" }, { 0x8a, "monitor" },
	{ 0x8b, "mwait" }, { 0x8d, "xsetbv" }, { 0x8f, "write_efer_trap" },
	{ 0x90, "write_cr0_trap" }, { 0x94, "write_cr4_trap" }, { 0x98, "write_cr8_trap" },
	{ 0xa2, "invpcid" }, { 0x400, "npf" }, { 0x401, "avic_incomplete_ipi" },
	{ 0x402, "avic_unaccelerated_access" }, { 0x403, "vmgexit" },
	{ 0x80000001, "vmgexit_mmio_read" }, { 0x80000002, "vmgexit_mmio_write" },
	{ 0x80000003, "vmgexit_nmi_complete" }, { 0x80000004, "vmgexit_ap_hlt_loop" },
	{ 0x80000005, "vmgexit_ap_jump_table" }, { 0x80000010, "vmgexit_page_state_change" },
	{ 0x80000011, "vmgexit_guest_request" }, { 0x80000012, "vmgexit_ext_guest_request" },
	{ 0x80000013, "vmgexit_ap_creation" }, { 0x8000fffd, "vmgexit_hypervisor_feature" },
	{ 0xffffffff, "invalid_guest_state" },
};
/* clang-format on */

enum guest_isa guest_isa_here(void)
{
	char *text = file_read("/proc/cpuinfo", NULL),
	     *flags = text ? strstr(text, "\nflags") : NULL;
	enum guest_isa isa = GUEST_ISA_OTHER;

	if (flags) {
		flags[1 + strcspn(flags + 1, "\n")] = 0;
		isa = strstr(flags, " svm") ? GUEST_ISA_SVM :
		      strstr(flags, " vmx") ? GUEST_ISA_VMX :
					      isa;
	}
	free(text);
	return isa;
}

static const char *find(const struct reason *table, size_t n, uint32_t code)
{
	for (size_t i = 0; i < n; i++)
		if (table[i].code == code)
			return table[i].name;
	return NULL;
}

const char *guest_reason(char buf[GUEST_REASON_TEXT], enum guest_isa isa, uint64_t code)
{
	const char *name = isa == GUEST_ISA_VMX ? find(vmx, ARRAY_SIZE(vmx), code & 0xffff) :
			   isa == GUEST_ISA_SVM ? find(svm, ARRAY_SIZE(svm), (uint32_t)code) :
						  NULL;

	if (!name)
		snprintf(buf, GUEST_REASON_TEXT, "reason 0x%" PRIx64, code);
	else
		snprintf(buf, GUEST_REASON_TEXT, "%s%s", name,
			 isa == GUEST_ISA_VMX && code & 0x80000000 ? " (entry failed)" : "");
	return buf;
}
