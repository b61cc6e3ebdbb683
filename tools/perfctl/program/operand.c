// SPDX-License-Identifier: GPL-2.0
/* Parses operands. See operand.h. */
#include "operand.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* Registers as perf and pev number them, whatever machine reads the file. */
#define X86_IP 8
#define X86_R8 16
#define ARM_SP 31

static const struct {
	const char *name;
	uint8_t number;
} x86_registers[] = {
	{ "ax", 0 }, { "bx", 1 }, { "cx", 2 }, { "dx", 3 },
	{ "si", 4 }, { "di", 5 }, { "bp", 6 }, { "sp", 7 },
};

static bool is_word(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && !strncmp(text, word, len);
}

/* "%rax", "%eax", "%ax", "%al", "%dil"; bytes of the second half are not found */
static bool x86_legacy(const char *text, size_t len, uint32_t *number)
{
	for (size_t i = 0; i < ARRAY_SIZE(x86_registers); i++) {
		const char *name = x86_registers[i].name;
		const char low[] = { name[0], 'l', '\0' }, low2[] = { name[0], name[1], 'l', '\0' };
		bool wide = len == 3 && (*text == 'r' || *text == 'e') &&
			    !strncmp(text + 1, name, 2);

		*number = x86_registers[i].number;
		if (wide || is_word(text, len, name) ||
		    is_word(text, len, *number < 4 ? low : low2))
			return true;
	}
	return false;
}

static bool x86_register(const char *text, size_t len, uint32_t *number)
{
	unsigned int n = 0;
	size_t at = 1;

	if (len < 3 || *text++ != '%')
		return false;
	len--;
	if (is_word(text, len, "rip")) {
		*number = X86_IP;
		return true;
	}
	if (x86_legacy(text, len, number))
		return true;
	for (; at < len && at < 3 && isdigit((unsigned char)text[at]); at++)
		n = n * 10 + (unsigned int)(text[at] - '0');
	if (*text != 'r' || n < 8 || n > 15 ||
	    !(at == len || (at + 1 == len && strchr("bwd", text[at]))))
		return false;
	*number = X86_R8 + n - 8;
	return true;
}

/* "3", "r3", "%r3" */
static bool ppc_register(const char *text, size_t len, uint32_t *number)
{
	size_t at = len && *text == '%', digits;

	at += at < len && text[at] == 'r';
	*number = 0;
	for (digits = at; at < len && at - digits < 2 && isdigit((unsigned char)text[at]); at++)
		*number = *number * 10 + (uint32_t)(text[at] - '0');
	return at == len && at > digits && *number < 32;
}

/* "x3", "w3", "sp" */
static bool arm_register(const char *text, size_t len, uint32_t *number)
{
	if (is_word(text, len, "sp")) {
		*number = ARM_SP;
		return true;
	}
	*number = 0;
	for (size_t i = 1; i < len && i < 3 && isdigit((unsigned char)text[i]); i++)
		*number = *number * 10 + (uint32_t)(text[i] - '0');
	return (len == 2 || len == 3) && (*text == 'x' || *text == 'w') && *number < ARM_SP &&
	       isdigit((unsigned char)text[1]) && isdigit((unsigned char)text[len - 1]);
}

static bool find_register(unsigned int machine, const char *text, size_t len, uint32_t *number)
{
	if (machine == EM_AARCH64)
		return arm_register(text, len, number);
	return machine == EM_PPC64 ? ppc_register(text, len, number) :
				     x86_register(text, len, number);
}

/* "16", "-16", "": up to @end */
static bool parse_offset(const char *text, const char *end, int64_t *to)
{
	char *behind;

	*to = 0;
	if (text == end)
		return true;
	errno = 0;
	*to = strtoll(text, &behind, 0);
	return !errno && behind == end;
}

/* "$16", "$-1"; "i16" on PowerPC */
static bool parse_constant(unsigned int machine, const char *text, struct pev_probe_field *f)
{
	int64_t value;

	if (*text != (machine == EM_PPC64 ? 'i' : '$') || !text[1] ||
	    !parse_offset(text + 1, text + strlen(text), &value))
		return false;
	f->from = PEV_PROBE_CONSTANT;
	f->offsets[0] = value;
	return true;
}

/* "counter", "counter+4", "4+counter" up to @end: its address */
static bool parse_symbol(const struct program *p, const char *text, const char *end, uint64_t *to)
{
	char *behind = (char *)text;
	int64_t add = 0;
	size_t len;

	if (isdigit((unsigned char)*text) || *text == '-') {
		add = strtoll(text, &behind, 0);
		behind += *behind == '+';
	}
	text = behind;
	len = strcspn(text, "+-()@, ");
	if (!len || text + len > end)
		return false;
	if (text + len < end) {
		int64_t more;

		if (!parse_offset(text + len, end, &more))
			return false;
		add += more;
	}
	if (!program_symbol(p, text, len, to))
		return false;
	*to += (uint64_t)add;
	return true;
}

/* What lies at @offset behind a register */
static const char *behind_register(struct pev_probe_field *f, uint32_t number, int64_t offset)
{
	f->from = PEV_PROBE_REGISTER;
	f->number = number;
	f->nr_loads = 1;
	f->offsets[0] = offset;
	return NULL;
}

/* Variables lie at a constant distance from the code, wherever that is mapped. */
static const char *parse_variable(const struct program *p, const struct usdt_probe *probe,
				  const char *text, const char *end, struct pev_probe_field *f)
{
	uint64_t address;

	if (p->machine != EM_X86_64 || text == end)
		return "its place is not understood";
	if (!parse_symbol(p, text, end, &address))
		return "it is a variable whose symbol was stripped";
	return behind_register(f, X86_IP, (int64_t)(address - probe->address));
}

static const char *parse_memory(const struct program *p, const struct usdt_probe *probe,
				const char *text, const char *open, struct pev_probe_field *f)
{
	const char *close = open + strlen(open) - 1;
	uint32_t number;
	int64_t offset;

	if (*close != ')')
		return "its place is not understood";
	if (memchr(open, ',', (size_t)(close - open)))
		return "its address is made of two registers";
	if (!find_register(p->machine, open + 1, (size_t)(close - open - 1), &number))
		return "its address is not in a general register";
	if (parse_offset(text, open, &offset))
		return behind_register(f, number, offset);
	if (p->machine == EM_X86_64 && number == X86_IP)
		return parse_variable(p, probe, text, open, f);
	return "its place is not understood";
}

/* "x0", "5", "#5", "[x0]", "[sp, 12]" */
static const char *arm_place(const char *text, struct pev_probe_field *f)
{
	const char *comma = strchr(text, ','), *end = text + strlen(text);
	uint32_t number;
	int64_t offset;

	if (arm_register(text, (size_t)(end - text), &f->number)) {
		f->from = PEV_PROBE_REGISTER;
		return NULL;
	}
	if (*text != '[') {
		text += *text == '#';
		if (text == end || !parse_offset(text, end, &offset))
			return "it is not in a general register";
		f->from = PEV_PROBE_CONSTANT;
		f->offsets[0] = offset;
		return NULL;
	}
	if (*--end != ']')
		return "its place is not understood";
	if (!arm_register(text + 1, (size_t)((comma ? comma : end) - text - 1), &number))
		return "its address is not in a general register";
	if (comma)
		comma += 1 + strspn(comma + 1, " #");
	if (!parse_offset(comma ? comma : end, end, &offset))
		return "its address is made of two registers";
	return behind_register(f, number, offset);
}

static const char *parse_place(const struct program *p, const struct usdt_probe *probe,
			       const char *text, struct pev_probe_field *f)
{
	const char *open = strchr(text, '(');

	if (p->machine == EM_AARCH64)
		return arm_place(text, f);
	if (parse_constant(p->machine, text, f))
		return NULL;
	if (find_register(p->machine, text, strlen(text), &f->number)) {
		f->from = PEV_PROBE_REGISTER;
		return NULL;
	}
	if (*text == '%')
		return "it is not in a general register";
	if (open)
		return parse_memory(p, probe, text, open, f);
	if (strchr(text, ','))
		return "its address is made of two registers";
	return parse_variable(p, probe, text, text + strlen(text), f);
}

static const char *parse_type(const char *text, const char *at, uint8_t *type)
{
	static const uint8_t types[][2] = {
		{ PEV_PROBE_U8, PEV_PROBE_S8 },	  { PEV_PROBE_U16, PEV_PROBE_S16 },
		{ PEV_PROBE_U32, PEV_PROBE_S32 }, { PEV_PROBE_U64, PEV_PROBE_S64 },
	};
	bool sign = *text == '-';

	text += sign;
	if (at - text == 2 && text[1] == 'f')
		return "it is a floating-point number";
	for (size_t i = 0; at - text == 1 && i < ARRAY_SIZE(types); i++)
		if (*text == '0' + (1 << i)) {
			*type = types[i][sign];
			return NULL;
		}
	return "its size is not 1, 2, 4 or 8";
}

static void parse_operand(const struct program *p, const struct usdt_probe *probe,
			  struct operand *o)
{
	const char *at = strchr(o->text, '@');

	o->field.type = PEV_PROBE_U64;
	if (p->machine != EM_X86_64 && p->machine != EM_PPC64 && p->machine != EM_AARCH64)
		o->why = "operands of this processor are not known";
	else if (at)
		o->why = parse_type(o->text, at, &o->field.type);
	if (!o->why)
		o->why = parse_place(p, probe, at ? at + 1 : o->text, &o->field);
}

/* Of the first operand; on arm64 there may be a space between brackets. */
static size_t operand_length(const char *text)
{
	size_t len = strcspn(text, " ["), close;

	if (text[len] != '[')
		return len;
	close = len + strcspn(text + len, "]");
	return text[close] ? close + 1 : close;
}

size_t operands_parse(const struct program *p, const struct usdt_probe *probe,
		      struct operand operands[OPERANDS_MAX])
{
	const char *text = probe->args;
	size_t n = 0;

	while (n < OPERANDS_MAX) {
		size_t len;

		text += strspn(text, " ");
		len = operand_length(text);
		if (!len)
			break;
		operands[n] = (struct operand){ .text = xstrndup(text, len) };
		parse_operand(p, probe, &operands[n++]);
		text += len;
	}
	return n;
}

void operands_free(struct operand *operands, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(operands[i].text);
}
