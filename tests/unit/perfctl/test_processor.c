// SPDX-License-Identifier: GPL-2.0
/*
 * Names of processors' events and their codes. What is expected are facts about
 * the processors: event select and unit mask (x86), event code (PowerPC), as the
 * makers' manuals and libpfm4's own tests have them, here without the bits that
 * are the kernel's to set.
 */
#include "event/spec.h"
#include "pmu/processor.h"
#include "tests.h"

#include <errno.h>
#include <stdio.h>

struct fact {
	const char *name;
	int err;
	uint64_t code;
};

#if defined(__x86_64__)
static const struct fact facts[] = {
	{ "skl::MEM_LOAD_RETIRED:L3_MISS", 0, 0x20d1 },
	{ "skl::cycle_activity:0x6:c=6", 0, 0x60006a3 },
	{ "skl::dtlb_store_misses:walk_completed_2m_4m:c=1", 0, 0x1000449 },
	{ "skl::rob_misc_events:lbr_inserts", 0, 0x20cc },
	{ "skl::uops_dispatched_port:port_0", 0, 0x1a1 },
	{ "skl::uops_dispatched:port_0", 0, 0x1a1 },
	{ "amd64_fam17h_zen1::retired_uops", 0, 0xc1 },
	{ "amd64_fam17h_zen1::cycles_not_in_halt", 0, 0x76 },
	{ "amd64_fam17h_zen1::locks:spec_lock", 0, 0x425 },
	{ "amd64_fam17h_zen1::L1_DTLB_MISS:TLB_RELOAD_1G_L2_HIT:u", 0, 0x845 },
	{ "skx::mem_load_uops_l3_miss_retired:remote_hitm", 0, 0x4d3 },
	{ "skx::mem_load_uops_l3_miss_retired:local_dram", 0, 0x1d3 },
	{ "skx::mem_load_uops_l3_hit_retired:xsnp_hit", 0, 0x2d2 },
	{ "amd64_fam17h_zen2::retired_uops", 0, 0xc1 },
	{ "amd64_fam17h_zen2::cycles_not_in_halt", 0, 0x76 },
	{ "amd64_fam17h_zen2::L2_PREFETCH_HIT_L2", 0, 0x1f70 },
	{ "amd64_fam17h_zen2::L1_DTLB_MISS:TLB_RELOAD_1G_L2_HIT:u", 0, 0x845 },
	{ "amd64_fam17h_zen2::RETIRED_FUSED_INSTRUCTIONS", 0, 0x1000000d0 },
	{ "amd64_fam17h_zen2::RETIRED_SSE_AVX_FLOPS", 0, 0xf03 },
	{ "amd64_fam17h_zen2::RETIRED_SSE_AVX_FLOPS:MULT_FLOPS:u", 0, 0x203 },
	{ "icl::MEM_LOAD_RETIRED:L3_MISS", 0, 0x20d1 },
	{ "icl::CPU_CLK_UNHALTED.DISTRIBUTED", 0, 0x2ec },
	{ "icl::CPU_CLK_UNHALTED.REF_DISTRIBUTED", 0, 0x83c },
	{ "icl::cycle_activity:0x6:c=6", 0, 0x60006a3 },
	{ "icl::dtlb_store_misses:walk_completed_2m_4m:c=1", 0, 0x1000449 },
	{ "icl::misc_retired:lbr_inserts", 0, 0x20cc },
	{ "icl::uops_dispatched_port:port_0", 0, 0x1a1 },
	{ "icl::uops_dispatched:port_0", 0, 0x1a1 },
	{ "icl::l2_lines_out.useless_hwpf", 0, 0x4f2 },
	{ "icl::inst_retired:stall_cycles", 0, 0x18001c0 },
	{ "icl::inst_retired:prec_dist", 0, 0x100 },
	{ "icl::inst_retired:any_p", 0, 0xc0 },
	{ "icl::inst_retired:any", 0, 0x100 },
	{ "icl::topdown.slots", 0, 0x400 },
	{ "icl::topdown.slots_p", 0, 0x1a4 },
	{ "amd64_fam19h_zen3::retired_ops", 0, 0xc1 },
	{ "amd64_fam19h_zen3::cycles_not_in_halt", 0, 0x76 },
	{ "amd64_fam19h_zen3::L2_PREFETCH_HIT_L2:L2_HW_PREFETCHER", 0, 0x1f70 },
	{ "amd64_fam19h_zen3::L1_DTLB_MISS:TLB_RELOAD_1G_L2_HIT:u", 0, 0x845 },
	{ "amd64_fam19h_zen3::RETIRED_FUSED_INSTRUCTIONS", 0, 0x1000000d0 },
	{ "amd64_fam19h_zen3::RETIRED_SSE_AVX_FLOPS", 0, 0xf03 },
	{ "amd64_fam19h_zen3::RETIRED_SSE_AVX_FLOPS:MULT_FLOPS:u", 0, 0x203 },
	{ "icx::MEM_LOAD_RETIRED:L3_MISS", 0, 0x20d1 },
	{ "icx::CPU_CLK_UNHALTED.DISTRIBUTED", 0, 0x2ec },
	{ "icx::CPU_CLK_UNHALTED.REF_DISTRIBUTED", 0, 0x83c },
	{ "icx::cycle_activity:0x6:c=6", 0, 0x60006a3 },
	{ "icx::dtlb_store_misses:walk_completed_2m_4m:c=1", 0, 0x1000449 },
	{ "icx::misc_retired:lbr_inserts", 0, 0x20cc },
	{ "icx::uops_dispatched_port:port_0", 0, 0x1a1 },
	{ "icx::uops_dispatched:port_0", 0, 0x1a1 },
	{ "icx::l2_lines_out.useless_hwpf", 0, 0x4f2 },
	{ "icx::inst_retired:stall_cycles", 0, 0x18001c0 },
	{ "icx::inst_retired:prec_dist", 0, 0x100 },
	{ "icx::inst_retired:any_p", 0, 0xc0 },
	{ "icx::inst_retired:any", 0, 0x100 },
	{ "icx::mem_load_l3_miss_retired:remote_pmm", 0, 0x10d3 },
	{ "icx::mem_load_l3_miss_retired:remote_dram", 0, 0x2d3 },
	{ "spr::MEM_LOAD_RETIRED:L3_MISS", 0, 0x20d1 },
	{ "spr::CPU_CLK_UNHALTED.DISTRIBUTED", 0, 0x2ec },
	{ "spr::CPU_CLK_UNHALTED.REF_DISTRIBUTED", 0, 0x83c },
	{ "spr::CPU_CLK_UNHALTED.C02", 0, 0x20ec },
	{ "spr::CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE", 0, 0x23c },
	{ "spr::cycle_activity:0x6:c=6", 0, 0x60006a3 },
	{ "spr::dtlb_store_misses:walk_completed_2m_4m:c=1", 0, 0x1000413 },
	{ "spr::misc_retired:lbr_inserts", 0, 0x20cc },
	{ "spr::uops_dispatched:port_0", 0, 0x1b2 },
	{ "spr::uops_dispatched:port_2_3_10", 0, 0x4b2 },
	{ "spr::uops_dispatched:port_5_11", 0, 0x20b2 },
	{ "spr::inst_retired:stall_cycles", 0, 0x18001c0 },
	{ "spr::inst_retired:prec_dist", 0, 0x100 },
	{ "spr::inst_retired:any_p", 0, 0xc0 },
	{ "spr::inst_retired:any", 0, 0x1c0 },
	{ "spr::mem_load_l3_miss_retired:remote_pmm", 0, 0x10d3 },
	{ "spr::mem_load_l3_miss_retired:remote_dram", 0, 0x2d3 },
	{ "spr::cpu_clk_unhalted:pause_inst:k", 0, 0x10440ec },
	{ "spr::ARITH.FP_DIVIDER_ACTIVE", 0, 0x10001b0 },
	{ "spr::UOPS_RETIRED.STALLS", 0, 0x18002c2 },
	{ "amd64_fam19h_zen4::retired_ops", 0, 0xc1 },
	{ "amd64_fam19h_zen4::cycles_not_in_halt", 0, 0x76 },
	{ "amd64_fam19h_zen4::L2_PREFETCH_HIT_L2:L2_STREAM", 0, 0x170 },
	{ "amd64_fam19h_zen4::L1_DTLB_MISS:TLB_RELOAD_1G_L2_HIT:u", 0, 0x845 },
	{ "amd64_fam19h_zen4::RETIRED_FUSED_INSTRUCTIONS", 0, 0x1000000d0 },
	{ "amd64_fam19h_zen4::RETIRED_SSE_AVX_FLOPS", 0, 0x1f03 },
	{ "amd64_fam19h_zen4::RETIRED_SSE_AVX_FLOPS:MULT_FLOPS:u", 0, 0x203 },
	{ "amd64_fam19h_zen4::P0_FREQ_CYCLES_NOT_IN_HALT.P0_FREQ_CYCLES", 0, 0x100000120 },
	{ "amd64_fam19h_zen4::DISPATCH_STALLS_1:SMT_CONTENTION", 0, 0x1000060a0 },
	{ "amd64_fam19h_zen4::OPS_QUEUE_EMPTY", 0, 0xa9 },
	{ "amd64_fam19h_zen4::PACKED_FP_OPS_RETIRED:FP128_SQRT", 0, 0x60c },
	/* a second register, which pev does not program */
	{ "skl::FRONTEND_RETIRED:DSB_MISS", -EOPNOTSUPP },
	{ "skl::FRONTEND_RETIRED:IDQ_4_BUBBLES", -EOPNOTSUPP },
	{ "skl::offcore_response_0:l3_hitmes", -EOPNOTSUPP },
	{ "skl::offcore_response_0:0xfffffffff", -EOPNOTSUPP },
	{ "skx::offcore_response_0:snp_any", -EOPNOTSUPP },
	{ "icl::FRONTEND_RETIRED:ITLB_MISS", -EOPNOTSUPP },
	{ "icl::FRONTEND_RETIRED:LATENCY_GE_2_BUBBLES_GE_1", -EOPNOTSUPP },
	{ "icl::offcore_response_0:other_any_response", -EOPNOTSUPP },
	{ "icx::FRONTEND_RETIRED:DSB_MISS", -EOPNOTSUPP },
	{ "icx::FRONTEND_RETIRED:LATENCY_GE_256", -EOPNOTSUPP },
	{ "icx::offcore_response_0:demand_rfo_l3_miss", -EOPNOTSUPP },
	{ "icx::mem_trans_retired:load_latency:ldlat=3:u", -EOPNOTSUPP },
	{ "spr::FRONTEND_RETIRED:L1I_MISS", -EOPNOTSUPP },
	{ "spr::offcore_response_0:demand_Data_rd_local_dram", -EOPNOTSUPP },
	{ "spr::offcore_response_0:STREAMING_WR_L3_MISS_LOCAL", -EOPNOTSUPP },
	/* what there is not */
	{ "skl::FRONTEND_RETIRED:IDQ_3_BUBBLES:fe_thres=4096", -EINVAL },
	{ "skl::FRONTEND_RETIRED:DSB_MISS:ITLB_MISS", -EINVAL },
	{ "skl::cycle_activity:stalls_mem_any:c=6", -EINVAL },
	{ "skl::offcore_response_0:0x7fffffffff", -EINVAL },
	{ "skl::offcore_response_1:0x7fffffffff", -EINVAL },
	{ "skx::offcore_response_0:L4_HIT_LOCAL_L4", -EINVAL },
	{ "icl::FRONTEND_RETIRED:LATENCY_GE_4:fe_thres=4095", -EINVAL },
	{ "icl::FRONTEND_RETIRED:IDQ_4_BUBBLES:fe_thres=4096", -EINVAL },
	{ "icl::FRONTEND_RETIRED:DSB_MISS:ITLB_MISS", -EINVAL },
	{ "icl::rob_misc_events:lbr_inserts", -ENOENT },
	{ "icl::cycle_activity:stalls_mem_any:c=6", -EINVAL },
	{ "icl::l2_lines_out.silent:t=0", -EINVAL },
	{ "icl::mem_trans_retired:load_latency:ldlat=1000000", -EINVAL },
	{ "icl::mem_trans_retired:load_latency:ldlat=0:intx=0:intxcp=0", -EINVAL },
	{ "icx::FRONTEND_RETIRED:LATENCY_GE_4:fe_thres=4095", -EINVAL },
	{ "icx::FRONTEND_RETIRED:IDQ_4_BUBBLES:fe_thres=4096", -EINVAL },
	{ "icx::FRONTEND_RETIRED:DSB_MISS:ITLB_MISS", -EINVAL },
	{ "icx::rob_misc_events:lbr_inserts", -ENOENT },
	{ "icx::cycle_activity:stalls_mem_any:c=6", -EINVAL },
	{ "icx::l2_lines_out.silent:t=0", -EINVAL },
	{ "icx::mem_trans_retired:load_latency:ldlat=1000000", -EINVAL },
	{ "icl::mem_load_l3_miss_retired:remote_dram", -EINVAL },
	{ "spr::FRONTEND_RETIRED:LATENCY_GE_4:fe_thres=4095", -EINVAL },
	{ "spr::FRONTEND_RETIRED:DSB_MISS:ITLB_MISS", -EINVAL },
	{ "spr::rob_misc_events:lbr_inserts", -ENOENT },
	{ "spr::cycle_activity:cycles_mem_any:c=6", -EINVAL },
	{ "spr::mem_trans_retired:load_latency:ldlat=1000000", -EINVAL },
};
#elif defined(__powerpc64__)
static const struct fact facts[] = {
	{ "power8::PM_L1MISS_LAT_EXC_1024", 0, 0x67200301ea },
	{ "power8::PM_RC_LIFETIME_EXC_32", 0, 0xde200201e6 },
	{ "power9::PM_CYC", 0, 0x1001e },
	{ "power9::PM_INST_DISP", 0, 0x200f2 },
	{ "power9::PM_CYC_ALT", 0, 0x2001e },
	{ "power9::PM_CYC_ALT2", 0, 0x3001e },
	{ "power9::PM_INST_CMPL_ALT", 0, 0x20002 },
	{ "power9::PM_L2_INST_MISS_ALT", 0, 0x4609e },
	{ "power9::PM_L2_INST_MISS", 0, 0x36880 },
	{ "power10::PM_CYC", 0, 0x100f0 },
	{ "power10::PM_CYC_ALT2", 0, 0x2001e },
	{ "power10::PM_CYC_ALT3", 0, 0x3001e },
	{ "power10::PM_INST_CMPL", 0, 0x100fe },
	{ "power10::PM_INST_CMPL_ALT2", 0, 0x20002 },
	{ "power10::PM_L2_INST", 0, 0x36080 },
	{ "power9::PM_NO_SUCH_EVENT", -ENOENT },
};
#endif

static void try_facts(void)
{
	char name[128];
	struct msg m;

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		const struct fact *f = &facts[i];
		uint64_t code = 0;
		int err = processor_code(f->name, &code, &m);

		if (err || f->err) {
			snprintf(name, sizeof(name), "%s is refused", f->name);
			IS_NUM(err, f->err, name);
			OK(strlen(m.text) > 20, "... in words: %s", m.text);
		} else {
			snprintf(name, sizeof(name), "%s is 0x%llx", f->name,
				 (unsigned long long)f->code);
			IS_NUM(code, f->code, name);
		}
	}
}

static void typed(void)
{
#if defined(__x86_64__)
	struct event_list l = { 0 };
	struct msg m;

	OK(!event_list_parse(&l, "skl::INST_RETIRED:ANY_P:c=1:uD,skl::inst_retired.any_p/period=7/k",
			     &m) && l.n == 2, "unit masks, modifiers of the processor's, ours, terms");
	OK(l.specs[0].kind == SPEC_RAW && l.specs[0].config == 0x10000c0 &&
	   l.specs[0].modes == (SPEC_USER | SPEC_PINNED), "... the first");
	IS_STR(l.specs[0].name, "skl::INST_RETIRED:ANY_P:c=1", "... its name");
	OK(l.specs[1].config == 0xc0 && l.specs[1].period == 7 && l.specs[1].modes == SPEC_KERNEL,
	   "... the second");
	event_list_free(&l);
	IS_NUM(event_list_parse(&l, "skl::INST_RETIRD", &m), -ENOENT, "a name with a slip");
	IS_STR(m.text, "unknown event \"skl::INST_RETIRD\"; did you mean \"skl::INST_RETIRED\"?",
	       "... and what was meant");
	event_list_free(&l);
	IS_NUM(event_list_parse(&l, "sklake::INST_RETIRED", &m), -ENOENT, "no such table");
	event_list_free(&l);
	IS_NUM(event_list_parse(&l, "skl::BR_INST_RETIRED:NEAR_RETRUN", &m), -EINVAL,
	       "a unit mask with a slip");
	OK(strstr(m.text, "NEAR_RETURN") != NULL, "... and those that there are: %s", m.text);
	event_list_free(&l);
#endif
}

void test_processor(void)
{
	struct msg m;

	if (processor_names(&m)) {
		OK(true, "names of processors' events # SKIP %s", m.text);
		return;
	}
	try_facts();
	typed();
}
