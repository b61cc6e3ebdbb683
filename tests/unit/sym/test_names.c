// SPDX-License-Identifier: GPL-2.0
/* Readable names of C++ and Rust. */
#include "tests.h"

#include <pev/sym.h>
#include <stdlib.h>
#include <string.h>

static void name(const char *mangled, const char *want)
{
	char *got = pev_sym_demangle(mangled);

	IS_STR(got, want, mangled);
	free(got);
}

void test_names(void)
{
	char *deep;

	name("main", NULL);
	name("_Zgarbage", NULL);
	name("_Z", NULL);
	name("_", NULL);
	name("_ZN5space5thing5outerEi", "space::thing::outer(int)");
	name("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back(int&&)");
	name("_ZNSsC1EPKcRKSaIcE@@GLIBCXX_3.4",
	     "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::"
	     "basic_string(char const*, std::allocator<char> const&)");
	name("_ZL4coldv.cold", "cold() [clone .cold]");
	/* Rust, the older way */
	name("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
	name("_ZN61_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE",
	     "<alloc::vec::Vec<T> as core::fmt::Debug>::fmt");
	name("_ZN3foo28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE.llvm.1234",
	     "foo::{{closure}}");
	name("_ZN3foo3bar17h0123456789abcdeE", NULL);
	/* v0; from RFC 2603 and what rustc writes */
	name("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	name("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
	name("_RNCNvCs1234_7mycrate3foos_0", "mycrate::foo::{closure#1}");
	name("_RINvCs1234_7mycrate3foolE", "mycrate::foo::<i32>");
	name("_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>");
	name("_RNvMs_Cs4Cv8Wi1oAIB_7mycrateNtB4_7Example3foo", "<mycrate::Example>::foo");
	name("_RNvXCs1234_7mycrateNtB2_3FooNtB2_5Trait3bar", "<mycrate::Foo as mycrate::Trait>::bar");
	name("_RINvC1a1fRShE", "a::f::<&[u8]>");
	name("_RINvC1a1fTlhEE", "a::f::<(i32, u8)>");
	name("_RINvC1a1fFUKCPvEuE", "a::f::<unsafe extern \"C\" fn(*const ...)>");
	name("_RINvC1a1fDNtC1a1TEL_E", "a::f::<dyn a::T>");
	name("_RINvC1a1fAhj10_E", "a::f::<[u8; 16]>");
	name("_RINvC1a1fKb1_E", "a::f::<true>");
	name("_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
	     "utf8_idents::\u10e1\u10d0\u10ed\u10db\u10d4\u10da\u10d0\u10d3_\u10d2\u10d4\u10db\u10e0\u10d8\u10d4\u10da\u10d8_\u10e1\u10d0\u10d3\u10d8\u10da\u10d8");
	name("_RINvC1a1fFG_RL0_hEuE", "a::f::<for<'a> fn(&'a u8)>");
	name("_RINvC1a1fFG1_RL0_hRL1_hEuE", "a::f::<for<'a, 'b, 'c> fn(&'c u8, &'b u8)>");
	/* more lifetimes than can be counted */
	name("_RINvC1a1fFGzzzzzzzzzzz_hEuE", NULL);
	name("_RINvC1a1fDGzzzzzzzzzzz_NtC1a1TEL_E", NULL);
	name("_RNvXXCssFN53_7rmyFFFFFGFFFNvX5369_", NULL);
	name("_RNvC1aB_", NULL);
	name("_RB_", NULL);
	name("_RNvC99a", NULL);
	name("_R", NULL);
	/* each letter doubles what the name stands for: 2^30 integers */
	name("_RINvC1a1fTTTTTTTTTTTTTTTTTTTTTTTTTTTTTThBB_EBA_EBz_EBy_EBx_EBw_EBv_EBu_EBt_EBs_EBr_EBq_"
	     "EBp_EBo_EBn_EBm_EBl_EBk_EBj_EBi_EBh_EBg_EBf_EBe_EBd_EBc_EBb_EBa_EB9_EB8_EE", NULL);
	name("_Z1fSt4pairIxxES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_ES_IS5_S5_ES_IS6_S6_E"
	     "S_IS7_S7_ES_IS8_S8_ES_IS9_S9_ES_ISA_SA_ES_ISB_SB_ES_ISC_SC_ES_ISD_SD_E", NULL);
	/* nests deeper than any stack */
	deep = malloc(20000);
	memset(deep, 'R', 19999);
	deep[0] = '_';
	deep[19999] = 0;
	OK(!pev_sym_demangle(deep), "a name of 20 KB is left alone");
	strcpy(deep, "_RINvC1a1f");
	memset(deep + 10, 'R', 10000);
	strcpy(deep + 10010, "hE");
	OK(!pev_sym_demangle(deep), "10000 references are no type");
	free(deep);
}
