/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fields of probes: where each is found when a place is reached, and how it lies in the
 * record.
 */
#ifndef _PEV_PROBE_FETCH_H
#define _PEV_PROBE_FETCH_H

#include <linux/types.h>
#include <uapi/linux/pev.h>

struct pev_filter_field;
struct pev_layout;
struct pev_refuse;
struct pev_strbuf;
struct pt_regs;

#define PEV_FETCH_NAME	32

/* Locations count from so many bytes before the payload, as in trace events. */
#define PEV_FETCH_BASE	8

/**
 * struct pev_fetch - how a field is found, checked
 * @name:    an identifier
 * @type:    enum pev_probe_type
 * @from:    enum pev_probe_from
 * @loads:   of @offsets
 * @user:    loads are from the process's memory
 * @number:  of the argument, register, or word
 * @limit:   most bytes of a text
 * @at:      where it lies in the payload; of a text the two words about it
 * @offsets: see struct pev_probe_field
 */
struct pev_fetch {
	char	name[PEV_FETCH_NAME];
	u8	type;
	u8	from;
	u8	loads;
	bool	user;
	u32	number;
	u16	limit;
	u16	at;
	s64	offsets[PEV_MAX_PROBE_LOADS];
};

/**
 * struct pev_fetches - all fields of a probe
 * @kind:  enum pev_probe_kind
 * @nr:    of @fetch
 * @fixed: bytes of the payload before its texts
 * @most:  bytes of the longest payload, rounded up to whole words
 * @fetch: the fields
 */
struct pev_fetches {
	u32			kind;
	u32			nr;
	u32			fixed;
	u32			most;
	struct pev_fetch	fetch[PEV_MAX_PROBE_FIELDS];
};

/**
 * struct pev_fetch_in - what is known when a place is reached
 * @regs:     the registers there
 * @duration: ns since the function was entered; NULL: that is not known
 */
struct pev_fetch_in {
	struct pt_regs	*regs;
	const u64	*duration;
};

/* Is a probe of this kind one in a file? */
static inline bool pev_probe_in_file(u32 kind)
{
	return kind == PEV_PROBE_USER || kind == PEV_PROBE_USER_RETURN;
}

static inline bool pev_probe_at_return(u32 kind)
{
	return kind == PEV_PROBE_KERNEL_RETURN || kind == PEV_PROBE_USER_RETURN;
}

/**
 * pev_fetch_add() - check a field that a user wants, and append it
 * @all:  the fields before it; @kind is set
 * @want: the user's
 * @name: its name
 * @r:    says what is wrong with it
 *
 * Context: Process context.
 * Return: 0, -EINVAL or -EOPNOTSUPP.
 */
int pev_fetch_add(struct pev_fetches *all, const struct pev_probe_field *want, const char *name,
		  struct pev_refuse *r);

/* Is how long a function took among the fields? */
bool pev_fetch_needs_duration(const struct pev_fetches *all);

/* Lay the fields out; none is added later. */
void pev_fetch_arrange(struct pev_fetches *all);

/**
 * pev_fetch_run() - write the payload of an occurrence
 * @all:   the fields
 * @place: index of the place
 * @in:    see struct pev_fetch_in
 * @to:    @most bytes, aligned to 8: all of those that count are written
 *
 * Loads don't fault: what isn't there is 0, and said to be so.
 *
 * Context: Any with preemption disabled, NMI included.
 * Return: bytes of the payload.
 */
u32 pev_fetch_run(const struct pev_fetches *all, u32 place, const struct pev_fetch_in *in,
		  void *to);

/* Append the fields' lines to the metadata, but for that of the place. */
void pev_fetch_tsdl(const struct pev_fetches *all, struct pev_strbuf *text);
void pev_fetch_layout(const struct pev_fetches *all, struct pev_layout *layout);
bool pev_fetch_find(const struct pev_fetches *all, const char *name, size_t len,
		    struct pev_filter_field *field);

#endif
