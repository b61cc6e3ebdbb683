// SPDX-License-Identifier: GPL-2.0
/* Operands of sys/sdt.h, of both processors on either. */
#include "program/operand.h"
#include "event/probe_usdt.h"
#include "tests.h"

#include <stdlib.h>

static struct operand parsed(unsigned int machine, const char *text)
{
	struct program p = { .machine = machine };
	struct usdt_probe probe = { .args = text };
	struct operand operands[OPERANDS_MAX] = { 0 };
	size_t n = operands_parse(&p, &probe, operands);

	OK(n == 1, "%s is one operand", text);
	operands_free(operands, n);
	return operands[0];
}

static void is_register(unsigned int machine, const char *text, unsigned int type,
			unsigned int number)
{
	struct operand o = parsed(machine, text);

	OK(!o.why && o.field.type == type && o.field.from == PEV_PROBE_REGISTER &&
		   o.field.number == number && !o.field.nr_loads,
	   "%s is register %u", text, number);
}

static void is_memory(unsigned int machine, const char *text, unsigned int type,
		      unsigned int number, long long offset)
{
	struct operand o = parsed(machine, text);

	OK(!o.why && o.field.type == type && o.field.from == PEV_PROBE_REGISTER &&
		   o.field.number == number && o.field.nr_loads == 1 &&
		   o.field.offsets[0] == offset,
	   "%s is %lld behind register %u", text, offset, number);
}

static void is_constant(unsigned int machine, const char *text, unsigned int type, long long value)
{
	struct operand o = parsed(machine, text);

	OK(!o.why && o.field.type == type && o.field.from == PEV_PROBE_CONSTANT &&
		   !o.field.nr_loads && o.field.offsets[0] == value,
	   "%s is the constant %lld", text, value);
}

static void is_refused(unsigned int machine, const char *text, const char *why)
{
	struct operand o = parsed(machine, text);

	OK(o.why && strstr(o.why, why), "%s is refused: %s", text, o.why ? o.why : "(it is not)");
}

static void test_x86(void)
{
	is_register(EM_X86_64, "-4@%edi", PEV_PROBE_S32, 5);
	is_register(EM_X86_64, "8@%rax", PEV_PROBE_U64, 0);
	is_register(EM_X86_64, "2@%bx", PEV_PROBE_U16, 1);
	is_register(EM_X86_64, "1@%cl", PEV_PROBE_U8, 2);
	is_register(EM_X86_64, "-1@%sil", PEV_PROBE_S8, 4);
	is_register(EM_X86_64, "4@%r8d", PEV_PROBE_U32, 16);
	is_register(EM_X86_64, "1@%r15b", PEV_PROBE_U8, 23);
	is_register(EM_X86_64, "%rdx", PEV_PROBE_U64, 3);
	is_memory(EM_X86_64, "8@-16(%rbp)", PEV_PROBE_U64, 6, -16);
	is_memory(EM_X86_64, "-2@(%rsp)", PEV_PROBE_S16, 7, 0);
	is_memory(EM_X86_64, "4@0x20(%r9)", PEV_PROBE_U32, 17, 32);
	is_constant(EM_X86_64, "-4@$-7", PEV_PROBE_S32, -7);
	is_constant(EM_X86_64, "8@$9223372036854775807", PEV_PROBE_U64, 0x7fffffffffffffff);
	is_refused(EM_X86_64, "8@$", "symbol was stripped");
	is_refused(EM_X86_64, "8@$9223372036854775808", "symbol was stripped");
	is_refused(EM_X86_64, "8f@%xmm0", "floating-point");
	is_refused(EM_X86_64, "8@%xmm0", "not in a general register");
	is_refused(EM_X86_64, "1@%ah", "not in a general register");
	is_refused(EM_X86_64, "8@%r16", "not in a general register");
	is_refused(EM_X86_64, "8@(%rax,%rbx,8)", "two registers");
	is_refused(EM_X86_64, "8@lost(%rip)", "symbol was stripped");
	is_refused(EM_X86_64, "8@%fs:16(%rax)", "not in a general register");
	is_refused(EM_X86_64, "3@%eax", "its size");
	is_refused(EM_X86_64, "8@", "not");
	is_refused(EM_X86_64, "8@(", "not understood");
	is_refused(EM_RISCV, "4@a0", "this processor");
}

static void test_ppc(void)
{
	is_register(EM_PPC64, "-4@3", PEV_PROBE_S32, 3);
	is_register(EM_PPC64, "8@%r31", PEV_PROBE_U64, 31);
	is_register(EM_PPC64, "8@r10", PEV_PROBE_U64, 10);
	is_memory(EM_PPC64, "8@16(31)", PEV_PROBE_U64, 31, 16);
	is_memory(EM_PPC64, "-4@-112(%r1)", PEV_PROBE_S32, 1, -112);
	is_memory(EM_PPC64, "1@0(9)", PEV_PROBE_U8, 9, 0);
	is_constant(EM_PPC64, "8@i5", PEV_PROBE_U64, 5);
	is_constant(EM_PPC64, "-8@i-5", PEV_PROBE_S64, -5);
	is_refused(EM_PPC64, "8@9,10", "two registers");
	is_refused(EM_PPC64, "8@32", "not understood");
	is_refused(EM_PPC64, "8@.LANCHOR0@toc@l(9)", "not understood");
}

static void test_arm64(void)
{
	is_register(EM_AARCH64, "-4@w0", PEV_PROBE_S32, 0);
	is_register(EM_AARCH64, "8@x30", PEV_PROBE_U64, 30);
	is_register(EM_AARCH64, "8@sp", PEV_PROBE_U64, 31);
	is_memory(EM_AARCH64, "8@[x29]", PEV_PROBE_U64, 29, 0);
	is_memory(EM_AARCH64, "-4@[sp, 12]", PEV_PROBE_S32, 31, 12);
	is_memory(EM_AARCH64, "1@[x3, -256]", PEV_PROBE_U8, 3, -256);
	is_memory(EM_AARCH64, "1@[x3,#8]", PEV_PROBE_U8, 3, 8);
	is_constant(EM_AARCH64, "-4@-5", PEV_PROBE_S32, -5);
	is_constant(EM_AARCH64, "8@#7", PEV_PROBE_U64, 7);
	is_refused(EM_AARCH64, "8@[x0, x1]", "two registers");
	is_refused(EM_AARCH64, "8@[x0, w1, sxtw 3]", "two registers");
	is_refused(EM_AARCH64, "8@[d0]", "not in a general register");
	is_refused(EM_AARCH64, "8@[x0", "not understood");
	is_refused(EM_AARCH64, "8@d0", "not in a general register");
	is_refused(EM_AARCH64, "8@x31", "not in a general register");
	is_refused(EM_AARCH64, "8@x1a", "not in a general register");
	is_refused(EM_AARCH64, "8@", "not in a general register");
	is_refused(EM_AARCH64, "8@#", "not in a general register");
}

/* A place with a space in it is one operand. */
static void test_arm64_list(void)
{
	struct program p = { .machine = EM_AARCH64 };
	struct usdt_probe probe = { .args = "4@[sp, 12] 8@x0 8@[x1] 4@[x2, 3" };
	struct operand operands[OPERANDS_MAX];
	size_t n = operands_parse(&p, &probe, operands);

	IS_NUM(n, 4, "operands of arm64, with spaces within");
	IS_STR(operands[0].text, "4@[sp, 12]", "... the first of them");
	IS_STR(operands[3].text, "4@[x2, 3", "... the last one, which has no end");
	operands_free(operands, n);
}

static void test_list(void)
{
	struct program p = { .machine = EM_X86_64 };
	struct usdt_probe probe = { .args = " -4@%edi  8f@%xmm0 8@8(%rsi) 8@$1" };
	struct probe_fields f = { 0 };
	struct strbuf strings = { 0 };
	struct msg m;

	OK(!probe_usdt_fields(&f, &p, "x", &probe, NULL, 0, false, &strings, &m) && f.nr == 3,
	   "all that can be recorded");
	IS_STR(strings.s + f.fields[1].name, "arg2", "... keeps its number");
	f = (struct probe_fields){ 0 };
	strbuf_reset(&strings);
	OK(!probe_usdt_fields(&f, &p, "x", &probe, "a,b=$arg3[16]:str", 17, false, &strings, &m) &&
		   f.nr == 2 && f.fields[0].type == PEV_PROBE_S32,
	   "fields have the types of their arguments");
	OK(f.fields[1].nr_loads == 3 && f.fields[1].offsets[0] == 8 &&
		   f.fields[1].offsets[1] == 16 && f.fields[1].type == PEV_PROBE_TEXT,
	   "what lies behind an argument in memory");
	f = (struct probe_fields){ 0 };
	OK(probe_usdt_fields(&f, &p, "x", &probe, "a,b,c,d", 7, false, &strings, &m),
	   "the second is a floating-point number");
	f = (struct probe_fields){ 0 };
	OK(!probe_usdt_fields(&f, &p, "x", &probe, "a=$arg4:u8", 10, false, &strings, &m) &&
		   f.fields[0].from == PEV_PROBE_CONSTANT && f.fields[0].type == PEV_PROBE_U8,
	   "a constant of another type");
	OK(probe_usdt_fields(&f, &p, "x", &probe, "a=arg3[8]", 9, false, &strings, &m) &&
		   strstr(m.text, "constant"),
	   "nothing lies behind a constant");
	OK(probe_usdt_fields(&f, &p, "x", &probe, "a=arg3:str", 10, false, &strings, &m) &&
		   strstr(m.text, "constant"),
	   "... nor is it a text");
	strbuf_free(&strings);
}

void test_operand(void)
{
	test_x86();
	test_ppc();
	test_arm64();
	test_arm64_list();
	test_list();
}
