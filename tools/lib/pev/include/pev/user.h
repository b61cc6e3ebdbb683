/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: reading the marks of programs, those of <pev/mark.h>.
 *
 *	pev_attr_event(&attr, PEV_TYPE_USER, 0, "shop:*");
 *	fd = pev_attr_open(&attr, 0, &err);
 *	pev_user_new(&user);
 *	pev_user_listen(user, fd, "shop:*");
 *	while (!pev_user_find(user))
 *		pev_user_read(user, take, arg);
 *
 * Programs write what they like: a record that is none, or of no mark, is left out and
 * counted, and a time that can't be is made one that can. Who wrote it is the kernel's word;
 * the thread, and how many records were displaced by newer ones, is the program's.
 */
#ifndef _PEV_USER_H
#define _PEV_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pev/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum pev_user_kind - what a field of a mark is
 * @PEV_USER_SIGNED:   a number
 * @PEV_USER_UNSIGNED: a number
 * @PEV_USER_HEX:      a number or an address, to be shown in hexadecimal
 * @PEV_USER_LETTER:   a character
 * @PEV_USER_DOUBLE:   the bits of a double
 * @PEV_USER_TEXT:     bytes, without NUL
 */
enum pev_user_kind {
	PEV_USER_SIGNED = 0,
	PEV_USER_UNSIGNED = 1,
	PEV_USER_HEX = 2,
	PEV_USER_LETTER = 3,
	PEV_USER_DOUBLE = 4,
	PEV_USER_TEXT = 5,
};

#define PEV_USER_FIELDS 16 /* of a mark, at most */

/**
 * struct pev_user_field - a field of a mark
 * @name: letters, digits and _; no other field of the mark has it
 * @kind: enum pev_user_kind
 * @bits: of a number, that have a meaning
 */
struct pev_user_field {
	char name[32];
	uint32_t kind;
	uint32_t bits;
};

/**
 * struct pev_user_class - a mark, as its program describes it
 * @index:     of this name, format and fields in all programs of the listener
 * @nr_fields: of @fields
 * @name:      "shop:checkout"
 * @format:    as written
 * @fields:    in the order of the format
 */
struct pev_user_class {
	uint32_t index;
	uint32_t nr_fields;
	char name[128];
	char format[256];
	struct pev_user_field fields[PEV_USER_FIELDS];
};

/**
 * struct pev_user_value - the value of a field
 * @word: of all kinds but PEV_USER_TEXT
 * @text: not ended by NUL
 * @len:  bytes there
 */
struct pev_user_value {
	uint64_t word;
	const char *text;
	uint32_t len;
};

/**
 * struct pev_user_event - a record
 * @producer: which process, by a number that no other one gets
 * @ring:     of the process; times in one ring never step back
 * @pid:      of the process, 0 if it can't be seen from here
 * @tid:      of the thread, as the program claims, but none of another process that runs
 * @time:     in ticks of the clock that PEV_CLOCK_DEFAULT means
 * @cls:      which mark
 * @values:   one for each of its fields
 */
struct pev_user_event {
	uint64_t producer;
	uint32_t ring;
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	const struct pev_user_class *cls;
	struct pev_user_value values[PEV_USER_FIELDS];
};

/**
 * struct pev_user_sums - all that was read
 * @producers: processes that were found
 * @records:   handed out
 * @lost:      displaced by newer ones before they were read, as programs claim
 * @damaged:   what was no record, and packets of which the rest could not be read
 * @no_room:   processes that had no memory for a ring (RLIMIT_MEMLOCK)
 */
struct pev_user_sums {
	uint64_t producers;
	uint64_t records;
	uint64_t lost;
	uint64_t damaged;
	uint64_t no_room;
};

struct pev_user;

/** typedef pev_user_fn - takes a record; what it returns below 0 ends the reading */
typedef int (*pev_user_fn)(void *arg, const struct pev_user_event *ev);

/** pev_user_new() - listen to nothing yet; free with pev_user_free() */
int pev_user_new(struct pev_user **user);
void pev_user_free(struct pev_user *user);
/**
 * pev_user_listen() - read what an event finds
 * @fd:   of PEV_TYPE_USER; stays the caller's, and open
 * @name: that it was opened with
 */
int pev_user_listen(struct pev_user *user, int fd, const char *name);
/** pev_user_find() - look for programs that came, whose marks are classes then; -errno */
int pev_user_find(struct pev_user *user);
/**
 * pev_user_read() - hand out what the programs that were found have written since the last call
 *
 * Those of one ring are in order; rings of all processes are read one after the other. Look in
 * so often that rings do not fill: no program waits for a reader.
 *
 * Return: the number of records; -errno, or what @fn returned below 0.
 */
int64_t pev_user_read(struct pev_user *user, pev_user_fn fn, void *arg);
/** pev_user_count() - marks that were found; their indices are below this */
uint32_t pev_user_count(const struct pev_user *user);
/** pev_user_class() - a mark by its index; NULL if there is none */
const struct pev_user_class *pev_user_class(const struct pev_user *user, uint32_t index);
void pev_user_sums(const struct pev_user *user, struct pev_user_sums *sums);

/**
 * pev_user_parse() - what a mark's format means
 * @format: "%lu %s", or "order %lu city %s"
 * @fields: "order, city": what names a field with no word before it
 * @cls:    its fields are filled in
 *
 * Return: 0; -EINVAL for a format that is not understood, or with too many fields.
 */
int pev_user_parse(const char *format, const char *fields, struct pev_user_class *cls);

/** pev_clock() - the clock that recordings have if none was chosen; 0 without pev */
uint64_t pev_clock(void);

/**
 * struct pev_marks - marks that are named while the program runs, for languages without
 *                    a preprocessor
 */
struct pev_marks;

/**
 * pev_marks_new() - register a mark
 * @name:   "shop:checkout"
 * @format: as for PEV_USER_MARK()
 * @fields: names of its fields, with commas between
 *
 * Return: 0; -EINVAL for a name or format that is refused; -EOPNOTSUPP where marks stay off.
 */
int pev_marks_new(const char *name, const char *format, const char *fields,
		  struct pev_marks **marks);
/** pev_marks_free() - forget it; what was written can be read nevertheless */
void pev_marks_free(struct pev_marks *marks);
/** pev_marks_on() - are marks listened to? NULL: they are not */
bool pev_marks_on(const struct pev_marks *marks);
/**
 * pev_marks_write() - write a record of a mark that is on
 * @values: one for each field of the format
 */
void pev_marks_write(struct pev_marks *marks, const struct pev_user_value *values);

#ifdef __cplusplus
}
#endif

#endif /* _PEV_USER_H */
