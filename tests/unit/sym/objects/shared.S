/* SPDX-License-Identifier: GPL-2.0 */
/* A function, and debug information the names in which are said to be in another file, SHARED. */
#include "f3.S"

	.section .gnu_debugaltlink,"",@progbits
	.string	SHARED
	.fill	20, 1, 7
	.section .debug_abbrev,"",@progbits
	.uleb128 1, 0x11	/* DW_TAG_compile_unit */
	.byte	1
	.uleb128 0x11, 0x01	/* DW_AT_low_pc, DW_FORM_addr */
	.uleb128 0x12, 0x07	/* DW_AT_high_pc, DW_FORM_data8 */
	.uleb128 0, 0
	.uleb128 2, 0x2e	/* DW_TAG_subprogram */
	.byte	0
	.uleb128 0x03, 0x1f21	/* DW_AT_name, DW_FORM_GNU_strp_alt */
	.uleb128 0x11, 0x01
	.uleb128 0x12, 0x07
	.uleb128 0, 0
	.byte	0
	.section .debug_info,"",@progbits
	.long	end - begin
begin:
	.value	4
	.long	0
	.byte	8
	.uleb128 1
	.quad	f3
	.quad	f3_end - f3
	.uleb128 2
	.long	0
	.quad	f3
	.quad	f3_end - f3
	.byte	0
end:
