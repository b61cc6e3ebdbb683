// SPDX-License-Identifier: GPL-2.0
/* Rows and trees from cells; means and deviations. */
#include "profile/tree.h"
#include "stat/math.h"
#include "tests.h"

/* main calls work twice over: main -> work -> leaf, and main -> leaf */
static void fill(struct profile *p, struct session *session)
{
	const uint64_t deep[] = { 0x1010, 0x1021, 0x1031 }, shallow[] = { 0x1010, 0x1031 };
	struct cell_key key = { 0 };
	const struct mapset *space;
	uint32_t object;

	session_init(session);
	profile_init(p, session);
	object = objects_get(&session->objects, "/nonexistent/prog", NULL);
	machine_mmap(&session->machine, 1, 0x1000, 0x1000, 0, object);
	space = machine_process(&session->machine, 1)->space;
	key.frame = stacks_frame(p->stacks, space, 0x1010);
	key.chain = stacks_chain(p->stacks, space, NULL, 0, deep, 3);
	for (int i = 0; i < 3; i++)
		profile_add(p, &key, 1);
	key.chain = stacks_chain(p->stacks, space, NULL, 0, shallow, 2);
	profile_add(p, &key, 1);
	stacks_resolve(p->stacks);
}

static void callers(void)
{
	struct rows_config config = { 0 };
	struct session session;
	struct profile p;
	struct rows rows;
	struct tree t;
	struct msg m;

	fill(&p, &session);
	OK(!sort_parse(&config.sort, "dso,symbol", NULL, NULL, &m), "--sort dso,symbol");
	rows_make(&rows, &p, &config, 0);
	OK(rows.n == 1 && rows.r[0].self == 4 && rows.weight == 4, "one row with all samples");
	tree_make(&t, &rows, &rows.r[0]);
	OK(t.n == 4 && t.nodes[0].weight == 4, "a tree of two callers, one of which was called");
	IS_NUM(t.nodes[t.nodes[0].child].weight, 3, "the heavier caller comes first");
	IS_NUM(t.nodes[t.nodes[t.nodes[0].child].next].weight, 1, "then the other");
	tree_free(&t);
	rows_free(&rows);
	profile_free(&p);
	session_close(&session);
}

static void children(void)
{
	struct rows_config config = { .children = true };
	struct session session;
	struct profile p;
	struct rows rows;
	struct tree t;
	struct msg m;

	fill(&p, &session);
	sort_parse(&config.sort, "symbol", NULL, NULL, &m);
	rows_make(&rows, &p, &config, 0);
	IS_NUM(rows.n, 3, "--children: a row for each function");
	OK(rows.r[0].total == 4 && rows.r[1].total == 4 && rows.r[2].total == 3,
	   "... with what it called");
	OK(rows.r[0].self == 4 && rows.r[1].self == 0, "... and without");
	tree_make(&t, &rows, &rows.r[1]);
	OK(t.nodes[0].weight == 4 && t.n == 4, "the tree below the outermost function");
	tree_free(&t);
	rows_free(&rows);
	profile_free(&p);
	session_close(&session);
}

static void recursion(void)
{
	const uint64_t chain[] = { 0x1010, 0x1011, 0x1011 };
	struct rows_config config = { .children = true };
	struct cell_key key = { 0 };
	struct session session;
	struct profile p;
	struct rows rows;
	struct msg m;

	session_init(&session);
	profile_init(&p, &session);
	machine_mmap(&session.machine, 1, 0x1000, 0x1000, 0,
		     objects_get(&session.objects, "/x", NULL));
	key.chain = stacks_chain(p.stacks, machine_process(&session.machine, 1)->space, NULL, 0,
				 chain, 3);
	key.frame = p.stacks->chain_frames[p.stacks->chains[key.chain].first];
	profile_add(&p, &key, 5);
	stacks_resolve(p.stacks);
	sort_parse(&config.sort, "dso", NULL, NULL, &m);
	rows_make(&rows, &p, &config, UINT32_MAX);
	OK(rows.n == 1 && rows.r[0].total == 5, "what calls itself counts once");
	rows_free(&rows);
	config.dso = "nothing*,y";
	rows_make(&rows, &p, &config, UINT32_MAX);
	OK(rows.n == 0 && rows.hidden == 5, "what the filter refuses is counted as hidden");
	rows_free(&rows);
	profile_free(&p);
	session_close(&session);
}

void test_rows(void)
{
	struct spread s = { 0 };
	struct sort_list l;
	struct msg m;

	callers();
	children();
	recursion();
	OK(sort_parse(&l, "nonsense", NULL, NULL, &m) && sort_parse(&l, "", NULL, NULL, &m), "no columns: nonsense, nothing");
	OK(!sort_parse(&l, "sym,sym,pid", NULL, NULL, &m) && l.n == 2, "a column that is named twice");
	spread_add(&s, 2);
	OK(s.mean == 2 && spread_stddev(&s) == 0, "one number deviates from nothing");
	spread_add(&s, 4);
	spread_add(&s, 6);
	OK(s.mean == 4 && spread_stddev(&s) == 2, "mean 4, deviation 2 of 2, 4, 6");
	OK(spread_percent(&s) > 28.8 && spread_percent(&s) < 28.9, "the mean is sure to 28.87 %%");
}
