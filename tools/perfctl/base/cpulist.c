// SPDX-License-Identifier: GPL-2.0
/* Sets of CPUs. See cpulist.h. */
#include "cpulist.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

static void set(struct cpulist *l, unsigned int cpu)
{
	unsigned int need = cpu / 64 + 1;

	if (need > l->n) {
		l->words = xrealloc(l->words, need * sizeof(*l->words));
		memset(l->words + l->n, 0, (need - l->n) * sizeof(*l->words));
		l->n = need;
	}
	l->words[cpu / 64] |= 1ULL << (cpu % 64);
}

static bool number(const char **p, unsigned long *v)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return false;
	*v = strtoul(*p, &end, 10);
	*p = end;
	return *v < CPULIST_MAX;
}

int cpulist_parse(struct cpulist *l, const char *text, struct msg *m)
{
	const char *p = text;
	unsigned long a, b;

	*l = (struct cpulist){ 0 };
	do {
		if (!number(&p, &a))
			goto bad;
		b = a;
		if (*p == '-') {
			p++;
			if (!number(&p, &b) || b < a)
				goto bad;
		}
		for (; a <= b; a++)
			set(l, (unsigned int)a);
	} while (*p == ',' && p++);
	if (!*p || (*p == '\n' && !p[1]))
		return 0;
bad:
	cpulist_free(l);
	return msg_set(m, -EINVAL, "\"%s\" is no list of CPUs such as 0-3,8", text);
}

void cpulist_copy(struct cpulist *to, const struct cpulist *from)
{
	*to = (struct cpulist){ .n = from->n };
	if (!from->n)
		return;
	to->words = xmalloc(from->n * sizeof(*to->words));
	memcpy(to->words, from->words, from->n * sizeof(*to->words));
}

void cpulist_free(struct cpulist *l)
{
	free(l->words);
	*l = (struct cpulist){ 0 };
}

bool cpulist_has(const struct cpulist *l, unsigned int cpu)
{
	return cpu / 64 < l->n && (l->words[cpu / 64] >> (cpu % 64) & 1);
}

unsigned int cpulist_count(const struct cpulist *l)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < l->n; i++)
		n += (unsigned int)__builtin_popcountll(l->words[i]);
	return n;
}

void cpulist_put(struct strbuf *b, const struct cpulist *l)
{
	bool some = false;

	for (unsigned int cpu = 0; cpu < l->n * 64; cpu++) {
		unsigned int first = cpu;

		if (!cpulist_has(l, cpu))
			continue;
		while (cpulist_has(l, cpu + 1))
			cpu++;
		strbuf_addf(b, "%s%u", some ? "," : "", first);
		if (cpu > first)
			strbuf_addf(b, "-%u", cpu);
		some = true;
	}
}

int cpulist_online(struct cpulist *l)
{
	char *text = file_read("/sys/devices/system/cpu/online", NULL);
	struct msg m;
	int err;

	*l = (struct cpulist){ 0 };
	if (!text)
		return -errno;
	err = cpulist_parse(l, text, &m);
	free(text);
	return err;
}
