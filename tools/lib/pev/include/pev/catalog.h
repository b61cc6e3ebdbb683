/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: the events that the kernel offers.
 */
#ifndef _PEV_CATALOG_H
#define _PEV_CATALOG_H

#include <stddef.h>
#include <stdint.h>
#include <pev/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct pev_catalog_entry - an event that can be opened
 * @type:   enum pev_type; 0 for a type that this library does not know
 * @type_name: as the kernel wrote it
 * @name:   what to put in attr.name or into pev_attr_by_name()
 * @fields: "type name" pairs separated by ';', "" for none; of an engine's catalog
 *          see pev_engine_fields()
 * @way:    how it is recorded, if not as its type is: "perf" is by perf's probe, which costs
 *          more, and drops what comes inside of another one; "" otherwise
 *
 * Only the library allocates this structure; later versions add members at its end.
 */
struct pev_catalog_entry {
	uint32_t	type;
	const char	*type_name;
	const char	*name;
	const char	*fields;
	const char	*way;
};

struct pev_catalog;

/**
 * pev_catalog_read() - ask the kernel; free with pev_catalog_free()
 * @flags: 0
 *
 * Return: 0, -EINVAL for unknown @flags, -ENOMEM, -errno of the kernel.
 */
int pev_catalog_read(unsigned int flags, struct pev_catalog **catalog, struct pev_error *err);
/**
 * pev_catalog_parse() - the same from text
 * @len: bytes of @text; lines of another form are left out
 *
 * Return: 0, -ENOMEM.
 */
int pev_catalog_parse(const char *text, size_t len, struct pev_catalog **catalog);
void pev_catalog_free(struct pev_catalog *catalog);
/** pev_catalog_count() - number of its entries */
size_t pev_catalog_count(const struct pev_catalog *catalog);
/** pev_catalog_entry() - by number below pev_catalog_count(), NULL for others */
const struct pev_catalog_entry *pev_catalog_entry(const struct pev_catalog *catalog, size_t nr);

/**
 * pev_syscall_name() - a system call of this machine by number, NULL for others
 *
 * Newer ones than this library knows have no name.
 */
const char *pev_syscall_name(unsigned int nr);
/**
 * pev_syscall_number() - the reverse
 * @name: of the call, or what its tracepoint has behind "syscalls:sys_enter_": "umount2" and
 *        "umount" are the same
 *
 * Return: the number or -ENOENT.
 */
int pev_syscall_number(const char *name);

#ifdef __cplusplus
}
#endif

#endif /* _PEV_CATALOG_H */
