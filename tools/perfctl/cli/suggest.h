/* SPDX-License-Identifier: GPL-2.0 */
/* Did you mean ...? */
#ifndef PERFCTL_CLI_SUGGEST_H
#define PERFCTL_CLI_SUGGEST_H

/**
 * struct suggestion - what a mistyped word may mean
 * @word:     as typed
 * @best:     the nearest candidate so far, NULL if none is near
 * @distance: of @best
 */
struct suggestion {
	const char *word;
	const char *best;
	unsigned int distance;
};

void suggest_offer(struct suggestion *n, const char *candidate);

#endif
