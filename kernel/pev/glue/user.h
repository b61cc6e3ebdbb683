/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading memory of the user's, a word at a time, where each instruction counts:
 *
 *	if (!pev_user_begin(at, sizeof(*at)))	an address that was checked before
 *		return false;
 *	where = pev_user_load_or_0(at);
 *	where = pev_user_address(where, size);	one that was not
 *	ok = pev_user_load_be64(&number, where);
 *	pev_user_end();
 *
 * What is not there is a jump. unsafe_get_user() does the same, but tests each word that it has
 * read where the compiler has no asm goto with outputs. Page faults are off: pev_user_faults_off().
 */
#ifndef _PEV_USER_MEMORY_H
#define _PEV_USER_MEMORY_H

#include <linux/compiler.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>

/* Is what was the user's address when it was checked: it stays that. */
static __always_inline bool pev_user_begin(const void __user *checked, size_t size)
{
#ifdef CONFIG_X86_64
	__uaccess_begin();
	return true;
#else
	return user_read_access_begin(checked, size);
#endif
}

#define pev_user_end()	user_read_access_end()

/* Until pev_user_faults_on() nothing is faulted in. */
static __always_inline void pev_user_faults_off(void)
{
	/* an interrupt may hit the thread as it counts itself, and leaves the count as it was */
	data_race(({ pagefault_disable(); 0; }));
}

static __always_inline void pev_user_faults_on(void)
{
	/* as above */
	data_race(({ pagefault_enable(); 0; }));
}

/* An address of a few bytes that can be read, also ahead of the check: @at, or where nothing is. */
static __always_inline const void __user *pev_user_address(const void __user *at, size_t size)
{
#ifdef CONFIG_X86_64
	return mask_user_address(at);
#else
	bool ok = access_ok(at, size);

	barrier_nospec();
	return ok ? at : NULL;
#endif
}

#if defined(CONFIG_X86_64) && !defined(CONFIG_CC_HAS_ASM_GOTO_OUTPUT)
static __always_inline u64 pev_user_load_or_0(const u64 __user *from)
{
	u64 word;

	asm volatile("1:	mov %[from], %[word]\n"
		     "2:\n"
		     _ASM_EXTABLE_TYPE_REG(1b, 2b, EX_TYPE_ZERO_REG, %[word])
		     : [word] "=r" (word) : [from] "m" (*from));
	return word;
}

static __always_inline bool pev_user_load_be64(u64 *to, const u64 __user *from)
{
	asm goto("1:	mov %[from], %%rax\n"
		 "	bswap %%rax\n"
		 "	mov %%rax, %[to]\n"
		 _ASM_EXTABLE_UA(1b, %l[fault])
		 : : [from] "m" (*from), [to] "m" (*to)
		 : "rax", "memory" : fault);
	return true;
fault:
	return false;
}

static __always_inline bool pev_user_is(const u8 __user *from, u8 byte)
{
	asm goto("1:	cmpb %[byte], %[from]\n"
		 "	jne %l[other]\n"
		 _ASM_EXTABLE_UA(1b, %l[other])
		 : : [from] "m" (*from), [byte] "i" (byte)
		 : "cc" : other);
	return true;
other:
	return false;
}
#else
/* 0 also where nothing is */
static __always_inline u64 pev_user_load_or_0(const u64 __user *from)
{
	u64 word;

	unsafe_get_user(word, from, fault);
	return word;
fault:
	return 0;
}

/* *@to = *@from, a number whose first byte is the most significant one; false: nothing is there */
static __always_inline bool pev_user_load_be64(u64 *to, const u64 __user *from)
{
	u64 word;

	unsafe_get_user(word, from, fault);
	*to = be64_to_cpu((__force __be64)word);
	return true;
fault:
	return false;
}

/* Is *@from there, and is it @byte, a constant? */
static __always_inline bool pev_user_is(const u8 __user *from, u8 byte)
{
	u8 is;

	unsafe_get_user(is, from, fault);
	return is == byte;
fault:
	return false;
}
#endif

#endif
