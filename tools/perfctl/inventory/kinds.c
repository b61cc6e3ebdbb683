// SPDX-License-Identifier: GPL-2.0
/* The kinds of things that a machine has. See kinds.h. */
#include "kinds.h"

#include <stdlib.h>

/* Class of their stream: 0 is the channel's, 1 that of folded samples, 2 that of programs' marks */
#define STREAM 3
#define SYSTEM "state:"
#define URI "pev:state"

const struct inventory_desc inventory_kinds[INVENTORY_KINDS] = {
	[INVENTORY_CPU] = {
		.name = "cpu",
		.one = "CPU",
		.several = "CPUs",
		.numbers = {
			{ "cpu", "uint32_t" },
			{ "online", "uint32_t" },
			{ "package", "int32_t" },
			{ "core", "int32_t" },
			{ "thread", "int32_t" },
			{ "node", "int32_t" },
			{ "max_khz", "uint32_t" },
			{ "capacity", "uint32_t" },
		},
		.texts = { "kind" },
		.keys = 1,
	},
	[INVENTORY_IRQ] = {
		.name = "irq",
		.one = "interrupt",
		.several = "interrupts",
		.numbers = { { "irq", "uint32_t" } },
		.texts = { "actions", "chip" },
		.keys = 1,
	},
	[INVENTORY_NETIF] = {
		.name = "netif",
		.one = "network interface",
		.several = "network interfaces",
		.numbers = { { "ifindex", "uint32_t" } },
		.texts = { "name" },
		.keys = 1,
	},
	[INVENTORY_BLOCK] = {
		.name = "block",
		.one = "block device",
		.several = "block devices",
		.numbers = {
			{ "major", "uint32_t" },
			{ "minor", "uint32_t" },
			{ "kib", "uint64_t" },
		},
		.texts = { "name" },
		.keys = 2,
	},
	[INVENTORY_MOUNT] = {
		.name = "mount",
		.one = "mount",
		.several = "mounts",
		.numbers = {
			{ "id", "uint32_t" },
			{ "parent", "uint32_t" },
			{ "major", "uint32_t" },
			{ "minor", "uint32_t" },
		},
		.texts = { "path", "type", "source", "root" },
		.keys = 2,
		.first = 2,
	},
	[INVENTORY_CGROUP] = {
		.name = "cgroup",
		.one = "cgroup",
		.several = "cgroups",
		.numbers = { { "id", "uint64_t" } },
		.texts = { "path" },
		.keys = 1,
	},
	[INVENTORY_MODULE] = {
		.name = "module",
		.one = "module",
		.several = "modules",
		.numbers = { { "address", "xint64_t" }, { "size", "uint64_t" } },
		.texts = { "name" },
		.keys = 1,
	},
	[INVENTORY_FD] = {
		.name = "fd",
		.one = "descriptor",
		.several = "descriptors",
		.numbers = { { "pid", "uint32_t" }, { "fd", "uint32_t" }, { "flags", "xint32_t" } },
		.texts = { "path" },
		.keys = 2,
	},
	[INVENTORY_SUM] = {
		.name = "sum",
		.one = "sum",
		.several = "sums",
		.numbers = {
			{ "written", "uint64_t" },
			{ "left_out", "uint64_t" },
			{ "unreadable", "uint64_t" },
		},
		.texts = { "kind" },
	},
};

int inventory_class_kind(const struct pev_class *cls)
{
	if (strcmp(cls->uri, URI) || strncmp(cls->name, SYSTEM, strlen(SYSTEM)))
		return -1;
	for (int k = 0; k < INVENTORY_KINDS; k++)
		if (!strcmp(cls->name + strlen(SYSTEM), inventory_kinds[k].name))
			return k;
	return -1;
}

/* An underscore before a name is no part of it in TSDL, and keeps it from being a keyword. */
static void add_class(struct strbuf *text, const struct inventory_desc *d, int id)
{
	strbuf_addf(text,
		    "event {\n	name = \"" SYSTEM "%s\";\n	id = %d;\n	stream_id = %d;\n"
		    "	model.emf.uri = \"" URI "\";\n	fields := struct {\n",
		    d->name, id, STREAM);
	for (size_t i = 0; i < INVENTORY_NUMBERS && d->numbers[i].name; i++)
		strbuf_addf(text, "		%s _%s;\n", d->numbers[i].type, d->numbers[i].name);
	for (size_t i = 0; i < INVENTORY_TEXTS && d->texts[i]; i++)
		strbuf_addf(text, "		uint16_t _%s_len;\n", d->texts[i]);
	for (size_t i = 0; i < INVENTORY_TEXTS && d->texts[i]; i++)
		strbuf_addf(text, "		text_t _%s[_%s_len];\n", d->texts[i], d->texts[i]);
	strbuf_puts(text, "		struct { } align(64) ___end;\n	} align(64);\n};\n\n");
}

/*
 * The channel's text grows at its end, and who follows a recording reads only what is new: before its
 * first event is a place that stays.
 */
int inventory_metadata(struct strbuf *text)
{
	const char *event = text->s ? strstr(text->s, "\nevent {") : NULL;
	size_t head = event ? (size_t)(event - text->s) + 1 : text->len, len;
	struct strbuf whole = { 0 };
	char *stream;
	int err = pev_meta_stream(STREAM, 0, &stream, &len);

	if (err)
		return err;
	strbuf_add(&whole, text->s, head);
	strbuf_add(&whole, stream, len);
	free(stream);
	for (int k = 0; k < INVENTORY_KINDS; k++)
		add_class(&whole, &inventory_kinds[k], k);
	strbuf_add(&whole, text->s + head, text->len - head);
	strbuf_free(text);
	*text = whole;
	return 0;
}
