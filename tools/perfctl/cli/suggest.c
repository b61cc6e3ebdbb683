// SPDX-License-Identifier: GPL-2.0
/* Guesses what the user meant to type: edit distance with transpositions. */
#include "suggest.h"
#include "base/util.h"

#include <ctype.h>

#define NEAREST_MAX 96

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

static bool same_letter(char a, char b)
{
	if ((a == '_' || a == '-') && (b == '_' || b == '-'))
		return true;
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned int distance(const char *a, size_t la, const char *b, size_t lb)
{
	unsigned int rows[3][NEAREST_MAX + 1];
	unsigned int *two = rows[0], *one = rows[1], *cur = rows[2], *tmp;

	for (size_t j = 0; j <= lb; j++)
		one[j] = (unsigned int)j;
	for (size_t i = 1; i <= la; i++) {
		cur[0] = (unsigned int)i;
		for (size_t j = 1; j <= lb; j++) {
			bool same = same_letter(a[i - 1], b[j - 1]);

			cur[j] = min3(one[j] + 1, cur[j - 1] + 1, one[j - 1] + !same);
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]) && two[j - 2] + 1 < cur[j])
				cur[j] = two[j - 2] + 1;
		}
		tmp = two;
		two = one;
		one = cur;
		cur = tmp;
	}
	return one[lb];
}

void suggest_offer(struct suggestion *n, const char *candidate)
{
	size_t la = strlen(n->word), lb = strlen(candidate), limit;
	unsigned int d;

	if (!la || la > NEAREST_MAX || lb > NEAREST_MAX)
		return;
	limit = la < 4 ? 1 : (la + 2) / 4 + 1;
	/* a longer word with this beginning is near, too */
	if (la >= 3 && lb > la && !strncmp(n->word, candidate, la))
		d = 1;
	else
		d = distance(n->word, la, candidate, lb);
	if (d <= limit && (!n->best || d < n->distance)) {
		n->best = candidate;
		n->distance = d;
	}
}
