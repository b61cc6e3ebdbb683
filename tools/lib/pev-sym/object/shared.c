// SPDX-License-Identifier: LGPL-2.1-only
/* Keeps indexed unwind tables for all threads. See shared.h. */
#include <stdlib.h>
#include <string.h>
#include "object/shared.h"

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct shared_cfi *list;

static struct shared_cfi *find(const struct elf_id *id, const char *name, unsigned int which)
{
	for (struct shared_cfi *s = id->len ? list : NULL; s; s = s->next)
		if (s->which == which && elf_id_equal(&s->id, id) && !strcmp(s->name, name))
			return s;
	return NULL;
}

static struct shared_cfi *add(const struct elf_id *id, const char *name, unsigned int which)
{
	struct shared_cfi *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->name = strdup(name);
	if (!s->name) {
		free(s);
		return NULL;
	}
	s->id = *id;
	s->which = which;
	pthread_mutex_init(&s->lock, NULL);
	s->next = list;
	list = s;
	return s;
}

struct shared_cfi *shared_cfi_get(const struct elf_id *id, const char *name, unsigned int which)
{
	struct shared_cfi *s;

	pthread_mutex_lock(&list_lock);
	s = find(id, name, which);
	if (!s)
		s = add(id, name, which);
	if (s)
		s->refs++;
	pthread_mutex_unlock(&list_lock);
	return s;
}

struct elf_file *shared_cfi_put(struct shared_cfi *s)
{
	struct shared_cfi **at = &list;
	struct elf_file *owner;
	unsigned int left;

	pthread_mutex_lock(&list_lock);
	left = --s->refs;
	while (!left && *at != s)
		at = &(*at)->next;
	if (!left)
		*at = s->next;
	pthread_mutex_unlock(&list_lock);
	if (left)
		return NULL;
	owner = s->owner;
	cfi_free(&s->cfi);
	pthread_mutex_destroy(&s->lock);
	free(s->name);
	free(s);
	return owner;
}
