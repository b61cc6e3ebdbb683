// SPDX-License-Identifier: GPL-2.0
/*
 * Random numbers, programs made of them, and the corpus: programs that reached
 * code which none had reached before.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fuzz.h"

#define CORPUS		4096
#define LEADING 24 /* operations that are kept of a program, at most */
#define PICKS 8 /* programs of which the rarest is taken, at most */

#define NEW UINT32_MAX /* a program that is not of the corpus */
#define UNTRIED (UINT32_MAX - 1) /* of an earlier run, so nothing is known of its points */

/*
 * What several workers write at once is a program, too, and may be any: its length is looked
 * at by who takes it.
 */
static struct corpus {
	uint32_t	nr;	/* taken; those of the last ones may still be written */
	uint32_t	ready[CORPUS];
	uint32_t rarest[CORPUS]; /* point of each, or UNTRIED */
	struct program	programs[CORPUS];
} *corpus;

uint64_t mix(uint64_t a, uint64_t b)
{
	struct rng r = { a * 0x9e3779b97f4a7c15ULL + b };

	rnd(&r);
	return rnd(&r);
}

/* splitmix64 */
uint64_t rnd(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15ULL;

	r->drawn++;
	for (unsigned int i = 0; r->choices && i < CHOICES; i++)
		if (r->choices[i].at == r->drawn)
			return r->choices[i].is;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* Is @name one of @list, which commas separate? */
static bool listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (; list; list = strchr(list, ',')) {
		list += *list == ',';
		if (!strncmp(list, name, len) && (!list[len] || list[len] == ','))
			return true;
	}
	return false;
}

static bool usable(unsigned int kind, const struct player *w)
{
	const struct op_type *type = &op_types[kind];

	if (type->flags & OP_ROOT && !w->root)
		return false;
	if (opt.only && !listed(opt.only, type->name))
		return false;
	return !excluded(type->name);
}

static struct op make_op(struct rng *r, const struct player *w)
{
	struct op op = { 0 };
	unsigned int kind, sum = 0;
	uint64_t at;

	for (kind = 0; kind < nr_op_types; kind++)
		sum += usable(kind, w) ? op_types[kind].weight : 0;
	at = sum ? below(r, sum) : 0;
	for (kind = 0; kind < nr_op_types - 1; kind++) {
		unsigned int weight = usable(kind, w) ? op_types[kind].weight : 0;

		if (at < weight)
			break;
		at -= weight;
	}
	op.kind = kind;
	op.a = rnd(r);
	op.b = rnd(r);
	op.rnd = rnd(r);
	return op;
}

int op_text(char *text, size_t size, const struct op *op)
{
	int len = snprintf(text, size, "%s:%u:%u:%llx", op_types[op->kind].name, op->a, op->b,
			   (llu)op->rnd);

	for (unsigned int i = 0; i < CHOICES; i++)
		if (op->choices[i].at && (size_t)len < size)
			len += snprintf(text + len, size - len, ":%u=%u", op->choices[i].at,
					op->choices[i].is);
	return len;
}

bool op_parse(struct op *op, const char *word)
{
	char name[32];
	int len, more;
	llu rnd;

	memset(op, 0, sizeof(*op));
	if (sscanf(word, "%31[^:]:%hu:%hu:%llx%n", name, &op->a, &op->b, &rnd, &len) != 4)
		return false;
	op->rnd = rnd;
	for (unsigned int i = 0; i < CHOICES; i++, len += more)
		if (sscanf(word + len, ":%hu=%hu%n", &op->choices[i].at, &op->choices[i].is,
			   &more) != 2)
			break;
	for (op->kind = 0; op->kind < nr_op_types; op->kind++)
		if (!strcmp(op_types[op->kind].name, name))
			return true;
	return false;
}

const char *program_text(const struct program *p)
{
	static __thread char text[PROGRAM * OP_TEXT];
	size_t len = 0;

	for (unsigned int i = 0; i < p->nr && i < PROGRAM; i++) {
		len += op_text(text + len, OP_TEXT, &p->ops[i]);
		text[len++] = ' ';
	}
	text[len ? len - 1 : 0] = '\n';
	text[len ? len : 1] = '\0';
	return text;
}

bool program_parse(struct program *p, char *line)
{
	char *save, *word;

	p->nr = 0;
	for (word = strtok_r(line, " \n", &save); word && p->nr < PROGRAM;
	     word = strtok_r(NULL, " \n", &save))
		p->nr += op_parse(&p->ops[p->nr], word);
	return p->nr;
}

void program_make(struct program *p, struct rng *r, const struct player *w)
{
	p->nr = 1 + below(r, PROGRAM >> below(r, 4));
	for (unsigned int i = 0; i < p->nr; i++)
		p->ops[i] = make_op(r, w);
}

/* Changes one choice of many. */
static void choose(struct op *op, struct rng *r)
{
	static const unsigned int most[] = { 2, 8, 64, 1 << 16 };

	if (op->drawn)
		op->choices[below(r, CHOICES)] = (struct choice){
			.at = 1 + below(r, op->drawn),
			.is = below(r, most[below(r, ARRAY_SIZE(most))]),
		};
}

static void mutate_once(struct program *p, struct rng *r, const struct player *w)
{
	unsigned int at = p->nr ? below(r, p->nr) : 0;

	switch (p->nr ? below(r, 10) : 0) {
	case 0:		/* another one in between */
		if (p->nr == PROGRAM)
			break;
		memmove(&p->ops[at + 1], &p->ops[at], (p->nr - at) * sizeof(p->ops[0]));
		p->ops[at] = make_op(r, w);
		p->nr++;
		break;
	case 1:		/* one less */
		if (p->nr < 2)
			break;
		memmove(&p->ops[at], &p->ops[at + 1], (p->nr - at - 1) * sizeof(p->ops[0]));
		p->nr--;
		break;
	case 2:
		p->ops[at] = make_op(r, w);
		break;
	case 3:		/* the same with other arguments */
		p->ops[at].rnd = rnd(r);
		memset(p->ops[at].choices, 0, sizeof(p->ops[at].choices));
		break;
	case 4:		/* or on another object */
		p->ops[at].a = rnd(r);
		p->ops[at].b = rnd(r);
		break;
	case 5: {	/* in another order */
		unsigned int other = below(r, p->nr);
		struct op op = p->ops[at];

		p->ops[at] = p->ops[other];
		p->ops[other] = op;
		break;
	}
	case 6: /* once more, and nearly so */
		if (p->nr == PROGRAM)
			break;
		memmove(&p->ops[at + 1], &p->ops[at], (p->nr - at) * sizeof(p->ops[0]));
		p->nr++;
		choose(&p->ops[at + 1], r);
		break;
	default: /* nearly the same */
		choose(&p->ops[at], r);
	}
}

void program_mutate(struct program *p, struct rng *r, const struct player *w)
{
	unsigned int n = 1 + below(r, 4);

	while (n--)
		mutate_once(p, r, w);
}

void program_adapt(struct program *p, const struct player *w)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < p->nr && i < PROGRAM; i++)
		if (p->ops[i].kind < nr_op_types && usable(p->ops[i].kind, w))
			p->ops[n++] = p->ops[i];
	p->nr = n;
}

/* The end of @p becomes that of @other, which is copied first: it may be replaced meanwhile. */
static void go_on_as(struct program *p, const struct program *other, struct rng *r,
		     const struct player *w)
{
	struct program end = *other;
	unsigned int from, at;

	program_adapt(&end, w);
	from = below(r, end.nr + 1);
	at = below(r, p->nr + 1);
	while (from < end.nr && at < PROGRAM)
		p->ops[at++] = end.ops[from++];
	p->nr = at;
}

/* How common what a program of the corpus does is; what was not tried yet is rarer than all else. */
static uint32_t commonness(uint32_t at)
{
	uint32_t rarest = __atomic_load_n(&corpus->rarest[at], __ATOMIC_RELAXED);

	return rarest == UNTRIED ? 0 : cover_programs(rarest);
}

/* Of @tries programs of the corpus, the one that does the rarest, or the most common. */
static uint32_t pick(struct rng *r, unsigned int nr, unsigned int tries, bool rare)
{
	uint32_t best = below(r, nr), at;

	while (--tries) {
		at = below(r, nr);
		if (rare == (commonness(at) < commonness(best)))
			best = at;
	}
	return best;
}

uint32_t program_next(struct program *p, struct rng *r, const struct player *w)
{
	unsigned int nr = corpus_size();
	uint32_t from;

	if (!nr || one_in(r, 2)) {
		program_make(p, r, w);
		return NEW;
	}
	from = pick(r, nr, 1 + below(r, PICKS), true);
	*p = corpus->programs[from];
	program_adapt(p, w);
	/* as it is, at first: only so its points become known */
	if (__atomic_load_n(&corpus->rarest[from], __ATOMIC_RELAXED) == UNTRIED)
		return from;
	if (one_in(r, 8))
		go_on_as(p, &corpus->programs[below(r, nr)], r, w);
	program_mutate(p, r, w);
	return from;
}

static void corpus_init(void)
{
	if (corpus)
		return;
	corpus = mmap(NULL, sizeof(*corpus), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (corpus == MAP_FAILED)
		abort();
}

unsigned int corpus_size(void)
{
	unsigned int nr = corpus ? __atomic_load_n(&corpus->nr, __ATOMIC_ACQUIRE) : 0;

	if (nr > CORPUS)
		nr = CORPUS;
	while (nr && !__atomic_load_n(&corpus->ready[nr - 1], __ATOMIC_ACQUIRE))
		nr--;
	return nr;
}

static void corpus_put(const struct program *p, uint32_t at, uint32_t rarest)
{
	corpus->programs[at] = *p;
	__atomic_store_n(&corpus->rarest[at], rarest, __ATOMIC_RELAXED);
	__atomic_store_n(&corpus->ready[at], 1, __ATOMIC_RELEASE);
}

/* Returns whether there was place. */
static bool corpus_add(const struct program *p, uint32_t rarest)
{
	uint32_t at;

	if (__atomic_load_n(&corpus->nr, __ATOMIC_RELAXED) >= CORPUS)
		return false;
	at = __atomic_fetch_add(&corpus->nr, 1, __ATOMIC_RELAXED);
	if (at >= CORPUS)
		return false;
	corpus_put(p, at, rarest);
	return true;
}

struct program leading_to(const struct program *p, uint32_t ops)
{
	struct program part = { 0 };
	uint32_t end = ops < p->nr ? ops : p->nr, from = end > LEADING ? end - LEADING : 0;

	part.nr = end - from;
	memcpy(part.ops, p->ops + from, part.nr * sizeof(part.ops[0]));
	return part;
}

void corpus_played(const struct program *p, uint32_t from, const struct found *found, struct rng *r)
{
	unsigned int nr = corpus_size();
	uint32_t untried = UNTRIED;
	struct program part;

	if (from != NEW)
		__atomic_compare_exchange_n(&corpus->rarest[from], &untried, found->rarest, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	if (!corpus || (!found->point && !found->way))
		return;
	part = leading_to(p, found->ops);
	/* what is new takes the place of what many programs do */
	if (!corpus_add(&part, found->rarest) && found->point)
		corpus_put(&part, pick(r, nr, PICKS, false), found->rarest);
}

void corpus_load(const char *dir)
{
	char path[4096], *line = NULL;
	struct program p;
	size_t size = 0;
	FILE *f;

	corpus_init();
	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/programs", dir);
	f = fopen(path, "re");
	while (f && getline(&line, &size, f) > 0)
		if (program_parse(&p, line))
			corpus_add(&p, UNTRIED);
	free(line);
	if (f)
		fclose(f);
}

void corpus_store(const char *dir)
{
	unsigned int nr = corpus_size();
	char path[4096], new[4100];
	bool good = true;
	FILE *f;

	if (!dir)
		return;
	mkdir(dir, 0755);
	snprintf(path, sizeof(path), "%s/programs", dir);
	snprintf(new, sizeof(new), "%s.new", path);
	f = fopen(new, "we");
	if (!f) {
		printf("# %s: %s\n", new, strerror(errno));
		return;
	}
	for (unsigned int i = 0; i < nr; i++)
		good &= fputs(program_text(&corpus->programs[i]), f) >= 0;
	good &= !fclose(f);
	if (!good || rename(new, path))
		printf("# the corpus could not be written to %s: %s\n", path, strerror(errno));
}
