/* SPDX-License-Identifier: GPL-2.0 */
/* The hosts and services of a fleet that a page lets choose from. */
#ifndef PERFCTL_HTML_LABELS_H
#define PERFCTL_HTML_LABELS_H

#include "enc.h"
#include "profile/load.h"

/**
 * struct html_labels - values of one field, numbered as samples come to need them
 * @number: for each value of the profile its number and 1
 * @values: in the order of their numbers
 */
struct html_labels {
	uint32_t *number;
	uint32_t *values;
	size_t n, cap;
};

/* Are the samples of @s a fleet's? *step: seconds that were added up */
bool html_fleet(const struct session *s, uint64_t *step);
uint32_t html_label(struct html_labels *l, const struct profile *p, uint32_t value);
/* "name": "base64 of numbers of strings", */
void html_put_labels(struct strbuf *out, struct html_enc *e, const struct html_labels *l,
		     const struct profile *p, const char *name);
void html_labels_free(struct html_labels *l);

#endif
