// SPDX-License-Identifier: GPL-2.0
/* Lays out an address space for the frames of a store. See places.h. */
#include "places.h"
#include "ids.h"
#include "symbols/names_elf.h"

#include <inttypes.h>
#include <stdlib.h>

#define KERNEL_BASE UINT64_C(0xffffffff81000000)
/* of a function; readers look for a return address one byte before it */
#define FUNCTION_SIZE 16
#define USER_BASE 0x10000ull
#define USER_END (1ull << 46)
/* no file has code behind this */
#define OFFSET_MOST (1ull << 36)
#define PAGE 4096ull
#define NOT_PLACED UINT32_MAX

static bool same(const char *a, const char *b)
{
	return !strcmp(a, b);
}

static uint32_t file_of(struct places *p, const struct answer_frame *f)
{
	uint32_t hash = hash_2u64(hash_bytes(f->path, strlen(f->path)),
				  hash_bytes(f->build_id, strlen(f->build_id)));
	struct place_file *file;

	if (HTAB_GET(file, &p->h_files, hash,
		     same(file->path, f->path) && same(file->build_id, f->build_id), p->files,
		     p->n_files, p->cap_files))
		*file = (struct place_file){ .path = f->path, .build_id = f->build_id };
	file->size = max_u64(file->size, (f->place / PAGE + 2) * PAGE);
	return (uint32_t)(file - p->files);
}

static uint32_t function_of(struct places *p, const struct answer_frame *f)
{
	uint32_t hash = hash_2u64(hash_bytes(f->name, strlen(f->name)),
				  hash_bytes(f->path, strlen(f->path)));
	struct place_function *function;

	if (HTAB_GET(function, &p->h_functions, hash,
		     same(function->name, f->name) && same(function->module, f->path), p->functions,
		     p->n_functions, p->cap_functions))
		*function = (struct place_function){ f->name, f->path };
	return (uint32_t)(function - p->functions);
}

static struct place_names *code_of(const struct places *p, const struct answer_frame *f)
{
	if (f->kind != STORE_FRAME_NAMED)
		return NULL;
	return (struct place_names *)&p->code[same(f->path, "[vdso]") ? PLACE_VDSO : PLACE_JIT];
}

/* Each frame is a function of its own: a name that comes twice is the same one to readers. */
static uint32_t number_in(struct place_names *code, const struct answer_frame *f)
{
	*ARRAY_PUSH(code->names, code->n, code->cap) = *f->name ? f->name : "[unknown]";
	return (uint32_t)code->n - 1;
}

/* Returns where the next file can be. */
static uint64_t make_code(struct place_names *code, uint64_t at)
{
	uint64_t id = code->n;

	if (!code->n)
		return at;
	for (size_t i = 0; i < code->n; i++)
		id = id_text(id, code->names[i]);
	memcpy(code->id, &id, sizeof(id));
	code->first = names_elf_code(&code->file, code->names, code->n, code->id, sizeof(code->id));
	code->base = at;
	return at + (code->file.len / PAGE + 1) * PAGE;
}

void places_make(struct places *p, const struct answer *a)
{
	uint64_t at = USER_BASE;

	*p = (struct places){ .a = a };
	p->frames = xmalloc((a->n_frames + 1) * sizeof(*p->frames));
	for (size_t i = 0; i < a->n_frames; i++) {
		const struct answer_frame *f = &a->frames[i];

		if (f->kind == STORE_FRAME_FILE && f->place < OFFSET_MOST && *f->path)
			p->frames[i] = file_of(p, f);
		else if (f->kind == STORE_FRAME_KERNEL)
			p->frames[i] = function_of(p, f);
		else if (code_of(p, f))
			p->frames[i] = number_in(code_of(p, f), f);
		else
			p->frames[i] = NOT_PLACED;
	}
	for (int i = 0; i < PLACE_CODES; i++)
		at = make_code(&p->code[i], at);
	for (size_t i = 0; i < p->n_files; i++) {
		struct place_file *file = &p->files[i];

		/* what others wrote may name more than an address space has room for */
		file->size = file->size > USER_END - at ? 0 : file->size;
		file->base = at;
		at += file->size;
	}
}

void places_free(struct places *p)
{
	htab_free(&p->h_files);
	htab_free(&p->h_functions);
	free(p->files);
	free(p->functions);
	for (int i = 0; i < PLACE_CODES; i++) {
		free(p->code[i].names);
		strbuf_free(&p->code[i].file);
	}
	free(p->frames);
	*p = (struct places){ 0 };
}

uint64_t places_find(const struct places *p, uint64_t frame)
{
	const struct answer_frame *f = answer_frame(p->a, frame);
	uint32_t nr = f ? p->frames[f - p->a->frames] : NOT_PLACED;
	const struct place_names *code;

	if (nr == NOT_PLACED)
		return f && f->kind == STORE_FRAME_NOWHERE && !f->place ? 0 : PLACE_NOWHERE;
	if (f->kind == STORE_FRAME_KERNEL)
		return KERNEL_BASE + (uint64_t)nr * FUNCTION_SIZE;
	code = code_of(p, f);
	if (code)
		return code->base + code->first + (uint64_t)nr * NAMES_ELF_SIZE;
	return p->files[nr].size ? p->files[nr].base + f->place : PLACE_NOWHERE;
}

/* One function a line: a name has no room for what ends a word or a line. */
static void put_word(struct strbuf *b, const char *s)
{
	if (!*s)
		strbuf_puts(b, "[unknown]");
	for (; *s; s++)
		strbuf_putc(b, (unsigned char)*s > ' ' ? *s : '_');
}

void places_kallsyms(const struct places *p, struct strbuf *b)
{
	for (size_t i = 0; i < p->n_functions; i++) {
		const struct place_function *f = &p->functions[i];
		size_t len = strlen(f->module);

		strbuf_addf(b, "%016" PRIx64 " t ", KERNEL_BASE + (uint64_t)i * FUNCTION_SIZE);
		put_word(b, f->name);
		/* modules are called [ext4], as the kernel lists them; the kernel itself is not one */
		if (len > 2 && f->module[0] == '[' && f->module[len - 1] == ']' &&
		    !same(f->module, "[kernel]")) {
			strbuf_puts(b, "\t");
			put_word(b, f->module);
		}
		strbuf_putc(b, '\n');
	}
	if (p->n_functions)
		strbuf_addf(b, "%016" PRIx64 " t -\n",
			    KERNEL_BASE + (uint64_t)p->n_functions * FUNCTION_SIZE);
}
