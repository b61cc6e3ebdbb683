// SPDX-License-Identifier: GPL-2.0
/* Names of the reasons for which processors leave guests. See reasons.h. */
#include "reasons.h"

#include <inttypes.h>
#include <pev/pev.h>
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

/*
 * Vectors of interrupts, Power ISA, book III, 7.5; those with h_ are the hypervisor's. Linux has
 * numbers of its own from 0x1980 on, and 0 where it answered a hypercall before it says so (H_CEDE,
 * by which a processor says that it has nothing to do), or an interrupt came before the guest began.
 */
static const struct reason power[] = {
	{ 0x0, "no_trap" }, { 0x100, "system_reset" }, { 0x200, "machine_check" },
	{ 0x300, "data_storage" }, { 0x380, "data_segment" }, { 0x400, "instruction_storage" },
	{ 0x480, "instruction_segment" }, { 0x500, "external" }, { 0x502, "h_external" },
	{ 0x600, "alignment" }, { 0x700, "program" }, { 0x800, "fp_unavailable" },
	{ 0x900, "decrementer" }, { 0x980, "h_decrementer" }, { 0xa00, "doorbell" },
	{ 0xc00, "hypercall" }, { 0xd00, "trace" }, { 0xe00, "h_data_storage" },
	{ 0xe20, "h_instruction_storage" }, { 0xe40, "h_emulation_assistance" },
	{ 0xe60, "h_maintenance" }, { 0xe80, "h_doorbell" }, { 0xea0, "h_virtualization" },
	{ 0xf00, "performance_monitor" }, { 0xf20, "vector_unavailable" },
	{ 0xf40, "vsx_unavailable" }, { 0xf60, "facility_unavailable" },
	{ 0xf80, "h_facility_unavailable" }, { 0x1500, "soft_patch" },
	{ 0x1980, "nested_h_decrementer" }, { 0x5555, "passed_through_interrupt" },
};

/* Linux's kind of exit, and of a trap the class in ESR_EL2, Arm's manual, D24.2.40 */
static const struct reason arm64[] = {
	{ 0x000, "interrupt" }, { 0x100, "serror" }, { 0x300, "illegal_state" },
	{ 0x200, "unknown" }, { 0x201, "wfx" }, { 0x203, "cp15_32" }, { 0x204, "cp15_64" },
	{ 0x205, "cp14_mr" }, { 0x206, "cp14_ls" }, { 0x207, "fp_asimd" }, { 0x208, "cp10_id" },
	{ 0x209, "pac" }, { 0x20c, "cp14_64" }, { 0x20d, "bti" }, { 0x20e, "illegal" },
	{ 0x211, "svc32" }, { 0x212, "hvc32" }, { 0x213, "smc32" }, { 0x215, "svc64" },
	{ 0x216, "hvc64" }, { 0x217, "smc64" }, { 0x218, "sys64" }, { 0x219, "sve" },
	{ 0x21a, "eret" }, { 0x21c, "fpac" }, { 0x21d, "sme" }, { 0x220, "iabt_lower" },
	{ 0x221, "iabt_current" }, { 0x222, "pc_alignment" }, { 0x224, "dabt_lower" },
	{ 0x225, "dabt_current" }, { 0x226, "sp_alignment" }, { 0x227, "mops" },
	{ 0x228, "fp_exc32" }, { 0x22c, "fp_exc64" }, { 0x22f, "serror_trap" },
	{ 0x230, "breakpoint_lower" }, { 0x231, "breakpoint_current" },
	{ 0x232, "softstep_lower" }, { 0x233, "softstep_current" },
	{ 0x234, "watchpoint_lower" }, { 0x235, "watchpoint_current" }, { 0x238, "bkpt32" },
	{ 0x23a, "vector32" }, { 0x23c, "brk64" },
};
/* clang-format on */

static enum guest_isa isa_of_flags(char *flags)
{
	flags[1 + strcspn(flags + 1, "\n")] = 0;
	return strstr(flags, " svm") ? GUEST_ISA_SVM :
	       strstr(flags, " vmx") ? GUEST_ISA_VMX :
				       GUEST_ISA_OTHER;
}

enum guest_isa guest_isa_of(char *cpuinfo)
{
	char *flags = strstr(cpuinfo, "\nflags");

	return flags				  ? isa_of_flags(flags) :
	       strstr(cpuinfo, ": POWER")	  ? GUEST_ISA_POWER :
	       strstr(cpuinfo, "CPU implementer") ? GUEST_ISA_ARM64 :
						    GUEST_ISA_OTHER;
}

enum guest_isa guest_isa_here(void)
{
	char *text = file_read("/proc/cpuinfo", NULL);
	enum guest_isa isa = text ? guest_isa_of(text) : GUEST_ISA_OTHER;

	free(text);
	return isa;
}

static const struct {
	const struct reason *table;
	size_t n;
	uint32_t mask;
} names[] = {
	[GUEST_ISA_OTHER] = { NULL, 0, 0 },
	[GUEST_ISA_VMX] = { vmx, ARRAY_SIZE(vmx), 0xffff },
	[GUEST_ISA_SVM] = { svm, ARRAY_SIZE(svm), 0xffffffff },
	[GUEST_ISA_POWER] = { power, ARRAY_SIZE(power), 0xffffffff },
	[GUEST_ISA_ARM64] = { arm64, ARRAY_SIZE(arm64), 0xffffffff },
};

const char *guest_reason(char buf[GUEST_REASON_TEXT], enum guest_isa isa, uint64_t code)
{
	const char *name = NULL;

	for (size_t i = 0; i < names[isa].n && !name; i++)
		if (names[isa].table[i].code == (code & names[isa].mask))
			name = names[isa].table[i].name;
	if (!name)
		snprintf(buf, GUEST_REASON_TEXT, "reason 0x%" PRIx64, code);
	else
		snprintf(buf, GUEST_REASON_TEXT, "%s%s", name,
			 isa == GUEST_ISA_VMX && code & 0x80000000 ? " (entry failed)" : "");
	return buf;
}

const char *guest_exit_reason(char buf[GUEST_REASON_TEXT], uint64_t exit)
{
	static const enum guest_isa isas[] = {
		[PEV_EXIT_VMX] = GUEST_ISA_VMX,
		[PEV_EXIT_SVM] = GUEST_ISA_SVM,
		[PEV_EXIT_POWER] = GUEST_ISA_POWER,
	};
	uint32_t isa = PEV_EXIT_ISA(exit);

	return guest_reason(buf, isa < ARRAY_SIZE(isas) ? isas[isa] : GUEST_ISA_OTHER,
			    PEV_EXIT_REASON(exit));
}
