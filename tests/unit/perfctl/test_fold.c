// SPDX-License-Identifier: GPL-2.0
/* record --fold by samples that are added up here: rows and call chains. */
#include "fold/rows.h"
#include "tests.h"

static const uint64_t kernel[] = { 0xffffffff81000010, 0xffffffff81000020 };
static uint64_t user[] = { 0x401000, 0x402000, 0x403000 };

static struct fold_sample sample(uint32_t tid, size_t n_kernel, size_t n_user)
{
	return (struct fold_sample){
		.pid = 7,
		.tid = tid,
		.period = 10,
		.kernel = { kernel, n_kernel },
		.user = { user, n_user },
	};
}

static void sums(void)
{
	struct fold_rows r = { .most_rows = 8, .most_frames = 64 };
	struct fold_sample s = sample(8, 2, 3);
	struct fold_chain c;

	s.time = 5;
	OK(fold_rows_add(&r, &s), "a sample");
	s.time = 3;
	OK(fold_rows_add(&r, &s) && r.n == 1 && r.v[0].count == 2 && r.v[0].sum == 20,
	   "another of the same thread and chains is in its row");
	IS_NUM(r.v[0].last, 5, "... and one that comes late does not set its time back");
	s = sample(9, 2, 3);
	OK(fold_rows_add(&r, &s) && r.n == 2 && r.n_stacks == 2,
	   "another thread has a row, and the same chains");
	s.event = 1;
	OK(fold_rows_add(&r, &s) && r.n == 3, "another event, too");
	s = sample(8, 2, 2);
	OK(fold_rows_add(&r, &s) && r.n == 4 && r.n_stacks == 3,
	   "a chain that another begins with");
	s = sample(8, 0, 3);
	OK(fold_rows_add(&r, &s) && r.n == 5 && r.n_stacks == 4, "none in the kernel");
	c = fold_rows_chain(&r, r.v[4].kernel);
	OK(!c.n, "... which has no addresses");
	c = fold_rows_chain(&r, r.v[4].user);
	OK(c.n == 3 && !memcmp(c.ips, user, sizeof(user)), "... and the user's has its own");
	fold_rows_free(&r);
}

static void room(void)
{
	struct fold_rows r = { .most_rows = 2, .most_frames = 5 };
	struct fold_sample s = sample(1, 2, 0);
	uint64_t count = 0;

	OK(fold_rows_add(&r, &s), "the first");
	s = sample(2, 2, 0);
	OK(fold_rows_add(&r, &s), "the second row");
	s = sample(3, 2, 0);
	OK(!fold_rows_add(&r, &s), "a third has no room");
	s = sample(1, 2, 0);
	OK(fold_rows_add(&r, &s), "... what has a row does");
	for (size_t i = 0; i < r.n; i++)
		count += r.v[i].count;
	OK(count == 3 && r.n == 2, "... and nothing was added where there was none");
	fold_rows_clear(&r);
	s = sample(1, 2, 3);
	OK(fold_rows_add(&r, &s) && r.n_frames == 5, "chains that fill the room");
	s = sample(1, 1, 3);
	OK(!fold_rows_add(&r, &s), "... and one more");
	fold_rows_clear(&r);
	r.most_frames = 1;
	s = sample(1, 2, 3);
	OK(fold_rows_add(&r, &s) && r.v[0].count == 1,
	   "chains that are longer than all room find it when there is nothing else");
	fold_rows_free(&r);
}

/* All chains of three bits an address, which hash where they like */
static void content(void)
{
	struct fold_rows r = { .most_rows = 1 << 20, .most_frames = 1 << 24 };
	bool right = true;

	for (unsigned int pass = 0; pass < 2; pass++)
		for (uint64_t i = 0; i < 1 << 15; i++) {
			uint64_t ips[5];
			struct fold_sample s = { .period = 1, .user = { ips, 5 } };

			for (unsigned int k = 0; k < 5; k++)
				ips[k] = i >> (3 * k) & 7;
			right &= fold_rows_add(&r, &s);
		}
	for (size_t i = 0; i < r.n; i++)
		right &= r.v[i].count == 2;
	OK(right && r.n == 1 << 15 && r.n_stacks == (1 << 15) + 1,
	   "32,768 chains are distinguished by what they are");
	fold_rows_free(&r);
}

void test_fold(void)
{
	sums();
	room();
	content();
}
