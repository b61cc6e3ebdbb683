// SPDX-License-Identifier: GPL-2.0
/* Probes in the kernel and in files. See probe.h. */
#include "probe.h"

#include <ctype.h>
#include <errno.h>
#include <pev/sym.h>
#include <stdlib.h>

static const struct kind {
	const char *name;
	const char *pmu;
	const char *terms;
	bool file;
	const char *form;
	const char *config;
} kinds[] = {
	{ "kprobe", "kprobe", "", false, "kprobe:FUNCTION", "CONFIG_KPROBE_EVENTS" },
	{ "kretprobe", "kprobe", "retprobe", false, "kretprobe:FUNCTION", "CONFIG_KPROBE_EVENTS" },
	{ "uprobe", "uprobe", "", true, "uprobe:FILE:FUNCTION", "CONFIG_UPROBE_EVENTS" },
	{ "uretprobe", "uprobe", "retprobe", true, "uretprobe:FILE:FUNCTION",
	  "CONFIG_UPROBE_EVENTS" },
};

static const struct kind *kind_of(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t len = strlen(kinds[i].name);

		if (!strncmp(text, kinds[i].name, len) && text[len] == ':')
			return &kinds[i];
	}
	return NULL;
}

size_t probe_length(const char *list)
{
	const struct kind *k = kind_of(list);
	size_t n;

	if (!k)
		return 0;
	n = strlen(k->name) + 1;
	/* the file's name has slashes, too */
	if (k->file) {
		n += strcspn(list + n, ":,{}");
		n += list[n] == ':';
	}
	return n + strcspn(list + n, "/,{}");
}

/* "FUNCTION+0x10" becomes "FUNCTION" and the number. */
static int cut_offset(char *place, uint64_t *offset, struct msg *m)
{
	char *plus = strrchr(place, '+'), *end;

	*offset = 0;
	if (!plus)
		return 0;
	errno = 0;
	*offset = strtoull(plus + 1, &end, 0);
	if (!isdigit((unsigned char)plus[1]) || *end || errno)
		return msg_set(m, -EINVAL, "\"%s\" is not a number of bytes behind %.*s", plus + 1,
			       (int)(plus - place), place);
	*plus = '\0';
	return 0;
}

static int no_function(const char *file, const char *name, int err, const char *problem,
		       struct msg *m)
{
	if (err == -ENOTUNIQ)
		return msg_set(m, err, "%s has several functions %s: give the offset in the file of "
			       "one, as in uprobe:%s:0x1234", file, name, file);
	if (err == -ENOENT)
		return msg_set(m, err, "%s has no function \"%s\": its name is that of its symbols "
			       "(\"nm -D\" or \"nm\" shows them), or an offset in the file", file,
			       name);
	return msg_set(m, err, "the functions of %s: %s", file, problem ? problem : strerror(-err));
}

static int find_function(const char *file, const char *name, uint64_t *offset, struct msg *m)
{
	struct pev_syms *syms;
	int err = pev_syms_new(0, &syms), object;

	if (err)
		return msg_set(m, err, "%s: %s", file, strerror(-err));
	object = pev_syms_object(syms, file, NULL, 0);
	err = object < 0 ? object : pev_sym_place(syms, object, name, offset);
	if (err)
		no_function(file, name, err, object < 0 ? NULL : pev_syms_problem(syms, object), m);
	pev_syms_free(syms);
	return err;
}

/* "FILE:FUNCTION+4", "FILE:0x1234" */
static int find_in_file(struct probe *p, const char *text, struct msg *m)
{
	const char *colon = strchr(text, ':');
	char *file = xstrndup(text, (size_t)(colon - text)), *name, *end;
	uint64_t base = 0;
	int err;

	p->place = realpath(file, NULL);
	err = p->place ? 0 : msg_set(m, -errno, "%s: %s", file, strerror(errno));
	free(file);
	if (err)
		return err;
	if (isdigit((unsigned char)colon[1])) {
		errno = 0;
		p->offset = strtoull(colon + 1, &end, 0);
		return !*end && !errno ? 0 : msg_set(m, -EINVAL, "\"%s\" is not an offset in %s",
						     colon + 1, p->place);
	}
	name = xstrdup(colon + 1);
	err = cut_offset(name, &p->offset, m);
	if (!err)
		err = find_function(p->place, name, &base, m);
	p->offset += base;
	free(name);
	return err;
}

int probe_make(struct probe *p, const char *text, struct msg *m)
{
	const struct kind *k = kind_of(text);
	const char *colon;
	int err;

	*p = (struct probe){ 0 };
	text += strlen(k->name) + 1;
	colon = k->file ? strchr(text, ':') : text - 1;
	if (!colon || colon == text || !colon[1])
		return msg_set(m, -EINVAL, "\"%s:%s\" is not of the form %s", k->name, text, k->form);
	if (!pmu_sysfs_exists(k->pmu, strlen(k->pmu)))
		return msg_set(m, -ENODEV, "%s:%s: this kernel was built without %s", k->name, text,
			       k->config);
	if (strpbrk(text, "*?["))
		return msg_set(m, -EINVAL, "%s:%s: a probe is at one place, and has no globs",
			       k->name, text);
	err = pmu_sysfs_code(k->pmu, k->terms, &p->code, m);
	if (!err && k->file)
		err = find_in_file(p, text, m);
	if (!err && !k->file) {
		p->place = xstrdup(text);
		err = cut_offset(p->place, &p->offset, m);
	}
	if (err)
		probe_free(p);
	return err;
}

void probe_free(struct probe *p)
{
	pmu_code_free(&p->code);
	free(p->place);
	p->place = NULL;
}
