/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: tables, in which the kernel counts and sums up by key instead of writing records.
 *
 * The rows of all CPUs are added up here, so that each key has one row, from one reading
 * to the next until pev_table_clear().
 */
#ifndef _PEV_TABLE_H
#define _PEV_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <linux/pev.h>
#include <pev/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pev_table_reader;

/*
 * flags of pev_table_open(): values have a sign, of kernels that do not tell pev_table_sign();
 * of pev_table_bucket(): the number has one
 */
#define PEV_TABLE_SIGNED	(1U << 0)

/**
 * struct pev_table_sums - what became of all that came; the first is the sum of the others
 * @generated: all
 * @rows:      what is in rows
 * @other:     what found no row left: the table was opened with too few
 * @lost:      for what the kernel had no memory, so that a field counts as 0
 * @filtered:  what the events' filters refused
 * @unmatched: what would have ended a pair of which none was open
 * @begun:     pairs that began: in rows and other, replaced, dropped or open
 * @replaced:  of these, those that gave way to one of the same key
 * @dropped:   of these, those that had no room: the table was opened with too few open pairs
 * @open:      of these, those that were open when it was fetched last
 * @recorded:  pairs that took long enough for a record, and have one
 * @unrecorded: of the same, those that found no room in the channel
 *
 * Sums are modulo 2^64.
 */
struct pev_table_sums {
	struct pev_table_sum generated;
	struct pev_table_sum rows;
	struct pev_table_sum other;
	struct pev_table_sum lost;
	struct pev_table_sum filtered;
	struct pev_table_sum unmatched;
	uint64_t begun;
	uint64_t replaced;
	uint64_t dropped;
	uint64_t open;
	uint64_t recorded;
	uint64_t unrecorded;
};

/**
 * pev_table_open() - open a table, and be its reader; free with pev_table_close()
 * @table: @size is set here
 * @flags: 0 or PEV_TABLE_SIGNED
 * @err:   filled on failure; may be NULL
 *
 * Return: 0; -EINVAL for unknown @flags; -ENOMEM; -errno as in pev_open(2).
 */
int pev_table_open(const struct pev_table *table, unsigned int flags,
		   struct pev_table_reader **reader, struct pev_error *err);
/** pev_table_close() - the events of the table are closed by who opened them */
void pev_table_close(struct pev_table_reader *reader);

/** pev_table_fd() - for channel_fd of the events */
int pev_table_fd(const struct pev_table_reader *reader);

/**
 * pev_table_fetch() - add what came since the last call
 *
 * The rows move in memory. Return: 0; -ENOMEM, and what has not been added is in the next
 * call's; -errno as in pev_open(2).
 */
int pev_table_fetch(struct pev_table_reader *reader);
/**
 * pev_table_sign() - which numbers have a sign
 *
 * Return: after a pev_table_fetch(), with an event open, bit n for key n, and bit
 * PEV_MAX_TABLE_KEYS for the values.
 */
uint32_t pev_table_sign(const struct pev_table_reader *reader);
/** pev_table_clear() - forget what was fetched */
void pev_table_clear(struct pev_table_reader *reader);

/** pev_table_count() - rows that were fetched */
size_t pev_table_count(const struct pev_table_reader *reader);
/** pev_table_row() - row @nr, in no order; NULL: there are not so many */
const struct pev_table_row *pev_table_row(const struct pev_table_reader *reader, size_t nr);
/**
 * pev_table_stack() - the addresses of a call chain that is part of a key
 * @word: of the row's key
 * @ips:  set to the addresses, innermost first; they stay until the next pev_table_fetch()
 *
 * Chains of the same addresses have the same word until pev_table_clear(). Return: how many
 * addresses there are, which may be none.
 */
size_t pev_table_stack(const struct pev_table_reader *reader, uint64_t word,
		       const uint64_t **ips);
/** pev_table_sums() - what became of all that came */
void pev_table_sums(const struct pev_table_reader *reader, struct pev_table_sums *sums);

/**
 * pev_table_bucket() - the key that the kernel makes of a number
 * @key:    of a table
 * @flags:  0, or PEV_TABLE_SIGNED: @number is two's complement
 * @number: of a field, or ns of a latency
 * @word:   gets what a row with it has
 *
 * Return: 0; -EINVAL for a kind of bucket that the library does not know, a PEV_TABLE_LINEAR
 * without a step, or unknown @flags.
 */
int pev_table_bucket(const struct pev_table_key *key, unsigned int flags, uint64_t number,
		     uint64_t *word);

/**
 * pev_table_bounds() - the values that share a key of a bucket
 * @key:  of the table
 * @word: the row's; as @low and @high two's complement if the field has a sign
 * @low:  gets the least of them
 * @high: gets the greatest
 *
 * Return: 0; -EINVAL if @word can't be one of such a key.
 */
int pev_table_bounds(const struct pev_table_key *key, uint64_t word, uint64_t *low,
		     uint64_t *high);

#ifdef __cplusplus
}
#endif

#endif /* _PEV_TABLE_H */
