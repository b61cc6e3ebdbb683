// SPDX-License-Identifier: GPL-2.0
/* Reads BTF by libbpf, which is loaded when it is asked for. See btf.h. */
#include "btf.h"

#include <errno.h>
#ifdef HAVE_LIBBPF
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dlfcn.h>
#include <stdlib.h>
#endif

#ifdef HAVE_LIBBPF

#ifdef __powerpc64__
#define MACHINE EM_PPC64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

static struct {
	void *lib;
	__typeof__(&libbpf_set_print) set_print;
	__typeof__(&btf__load_vmlinux_btf) load_kernel;
	__typeof__(&btf__load_module_btf) load_module;
	__typeof__(&btf__find_by_name_kind) find;
	__typeof__(&btf__type_by_id) type;
	__typeof__(&btf__name_by_offset) name;
	__typeof__(&btf__free) free;
} bpf;

static int load(struct msg *m)
{
	const struct {
		void **to;
		const char *name;
	} functions[] = {
		{ (void **)&bpf.set_print, "libbpf_set_print" },
		{ (void **)&bpf.load_kernel, "btf__load_vmlinux_btf" },
		{ (void **)&bpf.load_module, "btf__load_module_btf" },
		{ (void **)&bpf.find, "btf__find_by_name_kind" },
		{ (void **)&bpf.type, "btf__type_by_id" },
		{ (void **)&bpf.name, "btf__name_by_offset" },
		{ (void **)&bpf.free, "btf__free" },
	};

	bpf.lib = dlopen("libbpf.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!bpf.lib)
		return msg_set(m, -ENOENT,
			       "the kernel's types are read by libbpf, which is not "
			       "installed: apt install libbpf1");
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		*functions[i].to = dlsym(bpf.lib, functions[i].name);
		if (*functions[i].to)
			continue;
		dlclose(bpf.lib);
		bpf.lib = NULL;
		return msg_set(m, -ENOENT, "the libbpf that is installed has no %s",
			       functions[i].name);
	}
	bpf.set_print(NULL);
	return 0;
}

int kernel_types_open(struct kernel_types *t, const char *module, struct msg *m)
{
	int err = bpf.lib ? 0 : load(m);

	*t = (struct kernel_types){ 0 };
	if (err)
		return err;
	t->kernel = bpf.load_kernel();
	if (!t->kernel)
		return msg_set(m, -ENODATA,
			       "the kernel was built without its types "
			       "(CONFIG_DEBUG_INFO_BTF)");
	if (module)
		t->module = bpf.load_module(module, t->kernel);
	if (!module || t->module)
		return 0;
	kernel_types_close(t);
	return msg_set(m, -ENODATA, "the module %s was built without its types", module);
}

void kernel_types_close(struct kernel_types *t)
{
	if (t->module)
		bpf.free(t->module);
	if (t->kernel)
		bpf.free(t->kernel);
	*t = (struct kernel_types){ 0 };
}

/* ---- types ---- */

/* What a type is without names and qualifiers; NULL: nothing, as void is */
static const struct btf_type *peel(const struct btf *btf, uint32_t id)
{
	const struct btf_type *type = bpf.type(btf, id);

	while (type && (btf_is_mod(type) || btf_is_typedef(type)))
		type = type->type ? bpf.type(btf, type->type) : NULL;
	return type && !btf_is_void(type) ? type : NULL;
}

/* Words before the name of a type, or before what it refers to */
static const char *word_of(const struct btf_type *type)
{
	switch (btf_kind(type)) {
	case BTF_KIND_CONST:
		return "const ";
	case BTF_KIND_VOLATILE:
		return "volatile ";
	case BTF_KIND_STRUCT:
		return "struct ";
	case BTF_KIND_UNION:
		return "union ";
	case BTF_KIND_FWD:
		return btf_kflag(type) ? "union " : "struct ";
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return "enum ";
	default:
		return "";
	}
}

static bool refers(const struct btf_type *type)
{
	return btf_is_ptr(type) || btf_is_mod(type);
}

/* "struct file *", "const char *" */
static char *type_text(const struct btf *btf, uint32_t id, unsigned int depth)
{
	const struct btf_type *type = bpf.type(btf, id);
	const char *name, *before, *behind = "";
	char *inner, *text;

	if (!type || btf_is_void(type))
		return xstrdup("void");
	name = bpf.name(btf, type->name_off);
	before = word_of(type);
	/* the name of a tag is none of the type's */
	if (name && *name && btf_kind(type) != BTF_KIND_TYPE_TAG)
		return xasprintf("%s%s", before, name);
	if (depth > 8 || (!refers(type) && !btf_is_array(type)))
		return xasprintf("%s?", before);
	inner = type_text(btf, btf_is_array(type) ? btf_array(type)->type : type->type, depth + 1);
	if (btf_is_ptr(type))
		behind = inner[strlen(inner) - 1] == '*' ? "*" : " *";
	else if (btf_is_array(type))
		behind = " []";
	text = xasprintf("%s%s%s", before, inner, behind);
	free(inner);
	return text;
}

static bool is_char(const struct btf *btf, uint32_t id)
{
	const struct btf_type *type = peel(btf, id);
	const char *name = type && btf_is_int(type) ? bpf.name(btf, type->name_off) : NULL;

	return name && !strcmp(name, "char");
}

/* Is it passed in one general register? */
static bool describe(const struct btf *btf, uint32_t id, struct parameter *p)
{
	const struct btf_type *type = peel(btf, id);

	p->type = type_text(btf, id, 0);
	if (!type)
		return false;
	if (btf_is_ptr(type)) {
		p->pointer = true;
		p->bytes = 8;
		p->text = is_char(btf, type->type);
		return true;
	}
	p->structure = btf_is_composite(type) || btf_is_array(type);
	p->bytes = type->size;
	if (btf_is_int(type))
		p->sign = btf_int_encoding(type) & BTF_INT_SIGNED;
	return (btf_is_int(type) || btf_is_any_enum(type)) && p->bytes && p->bytes <= 8;
}

/* ---- types of values ---- */

static void read_type(const struct btf *btf, uint32_t id, struct value_type *to);

/* Bytes of a type, 0: not known */
static unsigned int size_of(const struct btf *btf, uint32_t id, unsigned int depth)
{
	const struct btf_type *type = peel(btf, id);

	if (!type || depth > 8)
		return 0;
	if (btf_is_ptr(type))
		return 8;
	if (btf_is_array(type))
		return btf_array(type)->nelems * size_of(btf, btf_array(type)->type, depth + 1);
	if (btf_is_int(type) || btf_is_any_enum(type) || btf_is_composite(type) ||
	    btf_is_float(type))
		return type->size;
	return 0;
}

static bool target_of(const struct value_type *t, struct value_type *to)
{
	const struct btf_type *type = peel(t->btf, t->id);

	*to = (struct value_type){ .reader = t->reader, .btf = t->btf };
	if (!type || (!btf_is_ptr(type) && !btf_is_array(type)))
		return false;
	to->id = btf_is_ptr(type) ? type->type : btf_array(type)->type;
	if (!peel(t->btf, to->id))
		return false;
	read_type(t->btf, to->id, to);
	return true;
}

static void members_of(const struct value_type *t, value_member_fn each, void *arg)
{
	const struct btf_type *type = peel(t->btf, t->id);
	const struct btf_member *member;

	if (!type || !btf_is_composite(type))
		return;
	member = btf_members(type);
	for (unsigned int i = 0; i < btf_vlen(type); i++) {
		uint32_t bit = btf_member_bit_offset(type, i);
		struct value_member m = { .offset = bit / 8 };

		m.bits = btf_member_bitfield_size(type, i) || bit % 8;
		read_type(t->btf, member[i].type, &m.type);
		if (each(arg, bpf.name(t->btf, member[i].name_off), &m))
			return;
	}
}

static char *text_of(const struct value_type *t)
{
	return type_text(t->btf, t->id, 0);
}

static const struct type_reader reader = {
	.target = target_of,
	.members = members_of,
	.text = text_of,
};

static void read_type(const struct btf *btf, uint32_t id, struct value_type *to)
{
	const struct btf_type *type = peel(btf, id);
	const char *name;

	*to = (struct value_type){ .reader = &reader, .btf = btf, .id = id, .kind = VALUE_OTHER };
	to->bytes = size_of(btf, id, 0);
	if (!type)
		return;
	if (btf_is_ptr(type))
		to->kind = VALUE_POINTER;
	else if (btf_is_int(type) || btf_is_any_enum(type))
		to->kind = VALUE_NUMBER;
	else if (btf_is_array(type))
		to->kind = VALUE_ARRAY;
	else if (btf_is_composite(type) || btf_is_fwd(type))
		to->kind = VALUE_STRUCTURE;
	if (btf_is_array(type))
		to->count = btf_array(type)->nelems;
	if (!btf_is_int(type))
		return;
	name = bpf.name(btf, type->name_off);
	to->sign = btf_int_encoding(type) & BTF_INT_SIGNED;
	to->letter = name && !strcmp(name, "char");
}

/* ---- functions ---- */

static void read_prototype(const struct btf *btf, const struct btf_type *proto,
			   struct parameters *to)
{
	const struct btf_param *param = btf_params(proto);
	int position = 0;

	if (proto->type) {
		to->result.general = describe(btf, proto->type, &to->result);
		/* its address may be the first argument */
		if (to->result.structure)
			position = -1;
	}
	for (unsigned int i = 0; i < btf_vlen(proto); i++) {
		struct parameter p = { .name = bpf.name(btf, param[i].name_off) };

		/* "..." has neither name nor type */
		if (!param[i].type)
			break;
		p.general = describe(btf, param[i].type, &p);
		parameter_place(&p, MACHINE, &position);
		*ARRAY_PUSH(to->v, to->n, to->cap) = p;
	}
	to->void_known = !proto->type;
}

static const struct btf *btf_of(const struct kernel_types *t)
{
	return t->module ? t->module : t->kernel;
}

static const struct btf_type *find_prototype(const struct btf *btf, const char *name)
{
	int id = bpf.find(btf, name, BTF_KIND_FUNC);
	const struct btf_type *proto;

	if (id < 0)
		return NULL;
	proto = bpf.type(btf, bpf.type(btf, (uint32_t)id)->type);
	return proto && btf_is_func_proto(proto) ? proto : NULL;
}

bool kernel_types_function(const struct kernel_types *t, const char *name, struct parameters *to)
{
	const struct btf_type *proto = find_prototype(btf_of(t), name);

	*to = (struct parameters){ 0 };
	if (proto)
		read_prototype(btf_of(t), proto, to);
	return proto;
}

bool kernel_types_value(const struct kernel_types *t, const char *name, int argument,
			struct value_type *to)
{
	const struct btf_type *proto = find_prototype(btf_of(t), name);
	uint32_t id = 0;

	if (proto && argument < 0)
		id = proto->type;
	else if (proto && argument < (int)btf_vlen(proto))
		id = btf_params(proto)[argument].type;
	if (id)
		read_type(btf_of(t), id, to);
	return id;
}

#else

int kernel_types_open(struct kernel_types *t, const char *module, struct msg *m)
{
	(void)module;
	*t = (struct kernel_types){ 0 };
	return msg_set(m, -EOPNOTSUPP,
		       "this perfctl was built without libbpf, which reads the "
		       "kernel's types");
}

void kernel_types_close(struct kernel_types *t)
{
	(void)t;
}

bool kernel_types_function(const struct kernel_types *t, const char *name, struct parameters *to)
{
	(void)t;
	(void)name;
	*to = (struct parameters){ 0 };
	return false;
}

bool kernel_types_value(const struct kernel_types *t, const char *name, int argument,
			struct value_type *to)
{
	(void)t;
	(void)name;
	(void)argument;
	*to = (struct value_type){ 0 };
	return false;
}

#endif
