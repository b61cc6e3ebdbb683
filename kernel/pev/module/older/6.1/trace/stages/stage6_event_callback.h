/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For headers of 6.1, where a string is measured by one stage and copied by another: no more
 * than was measured is written, and all of it.
 */
#include_next <trace/stages/stage6_event_callback.h>

#undef __get_dynamic_array
#define __get_dynamic_array(field)	\
	((void *)__entry + (__entry->__data_loc_##field & 0xffff))

#undef __get_dynamic_array_len
#define __get_dynamic_array_len(field)	((__entry->__data_loc_##field >> 16) & 0xffff)

#undef __get_str
#define __get_str(field)	((char *)__get_dynamic_array(field))

#undef __get_rel_dynamic_array
#define __get_rel_dynamic_array(field)				\
	((void *)__entry + offsetof(typeof(*__entry), __rel_loc_##field) +	\
	 sizeof(__entry->__rel_loc_##field) + (__entry->__rel_loc_##field & 0xffff))

#undef __get_rel_dynamic_array_len
#define __get_rel_dynamic_array_len(field)	((__entry->__rel_loc_##field >> 16) & 0xffff)

#undef __get_rel_str
#define __get_rel_str(field)	((char *)__get_rel_dynamic_array(field))

#undef __assign_str
#define __assign_str(dst, src)						\
	strscpy_pad(__get_str(dst), (const char *)(src) ?: "(null)", __get_dynamic_array_len(dst));

#undef __assign_rel_str
#define __assign_rel_str(dst, src)					\
	strscpy_pad(__get_rel_str(dst), (const char *)(src) ?: "(null)",	\
		    __get_rel_dynamic_array_len(dst));

#undef __assign_str_len
#define __assign_str_len(dst, src, len)	__assign_str(dst, src)

#undef __assign_rel_str_len
#define __assign_rel_str_len(dst, src, len)	__assign_rel_str(dst, src)

#undef __assign_vstr
#define __assign_vstr(dst, fmt, va)					\
	do {								\
		va_list __again;					\
									\
		memset(__get_str(dst), 0, __get_dynamic_array_len(dst));	\
		va_copy(__again, *(va));				\
		vsnprintf(__get_str(dst), __get_dynamic_array_len(dst), fmt, __again);	\
		va_end(__again);					\
	} while (0)
