/* SPDX-License-Identifier: GPL-2.0 */
/* A function, and debug information that is said to be in another file, SPLIT. */
#include "f3.S"

	.section .debug_abbrev,"",@progbits
	.uleb128 1, 0x11	/* DW_TAG_compile_unit */
	.byte	0
	.uleb128 0x76, 0x08	/* DW_AT_dwo_name, DW_FORM_string */
	.uleb128 0x11, 0x01	/* DW_AT_low_pc, DW_FORM_addr */
	.uleb128 0x12, 0x07	/* DW_AT_high_pc, DW_FORM_data8 */
	.uleb128 0, 0
	.byte	0
	.section .debug_info,"",@progbits
	.long	end - begin
begin:
	.value	5
	.byte	4, 8		/* DW_UT_skeleton */
	.long	0
	.quad	0x1122334455667788
	.uleb128 1
	.string	SPLIT
	.quad	f3
	.quad	f3_end - f3
end:
