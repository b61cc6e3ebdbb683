/* SPDX-License-Identifier: GPL-2.0 */
/* Calls of pev_open(2) that are to be refused. Include kselftest_harness.h before this. */
#ifndef PEV_REFUSED_H
#define PEV_REFUSED_H

#include "pev_util.h"

/*
 * The call is refused with @error, for the member at @field, in words that have @words: the
 * kernel's to choose, but not to leave out.
 */
static UNUSED void pev_refused(struct __test_metadata *_metadata, int line, struct pev_attr attr,
			       int error, unsigned int field, const char *words)
{
	int ret = pev_open(&attr);

	EXPECT_EQ(-error, ret) TH_LOG("line %d: type %u: %s", line, attr.type, pev_reason());
	EXPECT_EQ(error, pev_why.head.error) TH_LOG("line %d", line);
	EXPECT_EQ(field, pev_why.head.field) TH_LOG("line %d: %s", line, pev_reason());
	EXPECT_LT(10, strlen(pev_reason())) TH_LOG("line %d: %s", line, pev_reason());
	EXPECT_NE(NULL, strstr(pev_reason(), words))
	TH_LOG("line %d: no \"%s\" in \"%s\"", line, words, pev_reason());
	if (ret >= 0)
		close(ret);
}

/* ... and it offers this range. */
static UNUSED void pev_refused_range(struct __test_metadata *_metadata, int line,
				     struct pev_attr attr, int error, unsigned int field,
				     const char *words, uint64_t min, uint64_t max)
{
	pev_refused(_metadata, line, attr, error, field, words);
	EXPECT_EQ(min, pev_why.head.min) TH_LOG("line %d: %s", line, pev_reason());
	EXPECT_EQ(max, pev_why.head.max) TH_LOG("line %d: %s", line, pev_reason());
}

#define PEV_REFUSED(attr, error, member, words) \
	pev_refused(_metadata, __LINE__, attr, error, PEV_OFFSET(member), words)

#define PEV_REFUSED_RANGE(attr, error, member, words, ...) \
	pev_refused_range(_metadata, __LINE__, attr, error, PEV_OFFSET(member), words, __VA_ARGS__)

#define NO_RANGE 0, 0

#endif
