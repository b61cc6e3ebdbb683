// SPDX-License-Identifier: GPL-2.0
/* perfctl push and --from: what goes to a store and comes from it, without one. */
#include "fleet/figures.h"
#include "fleet/ids.h"
#include "fleet/journal.h"
#include "fleet/known.h"
#include "fleet/outbox.h"
#include "fleet/services.h"
#include "live/shed.h"
#include "store/sql.h"
#include "store/url.h"
#include "store/where.h"
#include "store/wire.h"
#include "tests.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_wire(void)
{
	struct strbuf b = { 0 };
	struct wire w;
	char *s;

	wire_put_u16(&b, 0x1234);
	wire_put_size(&b, 300);
	wire_put_u64(&b, UINT64_MAX - 1);
	wire_put_text(&b, "caf\xc3\xa9");
	OK((uint8_t)b.s[0] == 0x34 && (uint8_t)b.s[2] == 0xac && b.s[3] == 2,
	   "the least significant byte first, sizes by 7 bits");
	w = (struct wire){ (uint8_t *)b.s, (uint8_t *)b.s + b.len, false };
	IS_NUM(wire_u16(&w), 0x1234, "16 bits");
	OK(!wire_size(&w, 1) && w.broken, "a size of more than there is");
	w = (struct wire){ (uint8_t *)b.s + 4, (uint8_t *)b.s + b.len, false };
	OK(wire_u64(&w) == UINT64_MAX - 1, "64 bits");
	s = wire_text(&w);
	IS_STR(s, "caf\xc3\xa9", "a text");
	OK(!wire_more(&w) && !w.broken, "and its end");
	free(s);
	OK(!wire_u8(&w) && w.broken, "nothing is behind it");
	strbuf_free(&b);
}

static void test_sql(void)
{
	struct strbuf b = { 0 };

	sql_text(&b, "a'b\\c\n\"\xff");
	IS_STR(b.s, "'a\\x27b\\x5cc\\x0a\\x22\\xff'", "all that could mean something is a number");
	OK(sql_is_name("db_1") && !sql_is_name("1db") && !sql_is_name("") && !sql_is_name("a.b"),
	   "names of databases");
	strbuf_free(&b);
}

static int where(const char *expr, struct strbuf *b)
{
	struct msg m;

	strbuf_free(b);
	return where_sql(expr, "", "D", b, &m);
}

static void test_where(void)
{
	struct strbuf b = { 0 };

	OK(!where("host = \"a\"", &b), "a test");
	IS_STR(b.s,
	       "(host GLOBAL IN (SELECT id FROM pev_names WHERE D AND kind = 1 AND name = 'a'))",
	       "of a label");
	OK(!where("host !~ 'a|b'", &b) && strstr(b.s, "NOT IN") &&
		   strstr(b.s, "match(name, '^(?:a|b)$')"),
	   "a pattern is for the whole");
	OK(!where("host = 'a\\'b' and host = 'c\\\\'", &b) && strstr(b.s, "'a\\x27b'") &&
		   strstr(b.s, "'c\\x5c'"),
	   "quotes and backslashes in a text");
	IS_NUM(where("hostile = 'a'", &b), -EINVAL, "no label of that name");
	IS_NUM(where("host = 'a' or", &b), -EINVAL, "nothing behind or");
	IS_NUM(where("((((((((((((((((((((((((((((((((((host = 'a'", &b), -EINVAL,
	       "too many parentheses");
	strbuf_free(&b);
}

static int parse(const char *url, const char *credentials)
{
	const struct store_opts o = { .credentials = credentials };
	struct store_url u;
	struct msg m;
	int err = store_url_parse(&u, url, &o, &m);

	store_url_free(&u);
	return err;
}

static void test_url(void)
{
	char path[] = "/tmp/test_store.XXXXXX";
	int fd = mkstemp(path);

	fchmod(fd, 0600);
	OK(!parse("http://a:8123", path) && !parse("https://[::1]:8443/x_y", path), "stores");
	IS_NUM(parse("a:8123", path), -EINVAL, "no scheme");
	IS_NUM(parse("http:///x", path), -EINVAL, "no host");
	IS_NUM(parse("http://a/x?query=1", path), -EINVAL, "more than a database");
	IS_NUM(parse("http://u:p@a", path), -EINVAL, "a password");
	fchmod(fd, 0640);
	IS_NUM(parse("http://a", path), -EACCES, "credentials that a group can read");
	unlink(path);
	IS_NUM(parse("http://a", path), -ENOENT, "credentials that are not there");
	IS_NUM(parse("http://a", "/tmp"), -EINVAL, "a directory for credentials");
	close(fd);
}

static void test_ids(void)
{
	OK(id_text(id_text(0, "ab"), "c") != id_text(id_text(0, "a"), "bc"),
	   "where a text ends makes a difference");
	OK(id_text(0, "") != id_text(0, "\x01") && id_bytes(0, "\0", 1) != id_bytes(0, "\0\0", 2),
	   "so do zeros");
	OK(id_text(0, "pev") == 0xad08838c317fe86aull, "stores keep them: they never change");
}

static void test_journal(void)
{
	char dir[] = "/tmp/test_store.XXXXXX", *path;
	struct journal j, other;
	struct msg m;
	FILE *f;

	if (!mkdtemp(dir))
		abort();
	path = xasprintf("%s/info", dir);
	mkdir(path, 0700);
	IS_NUM(journal_open(&j, dir, "store", &m), 0, "a journal");
	IS_NUM(journal_open(&other, dir, "store", &m), -EBUSY, "is one process's");
	IS_NUM(journal_open(&other, dir, "another", &m), 0, "another store's is another");
	journal_close(&other);
	OK(!journal_begin(&j, 0, 5, 7, &m) && !journal_done(&j, 0, &m) &&
		   !journal_begin(&j, 2, 6, 7, &m),
	   "batches");
	f = fopen(j.path, "a");
	fputs("done 2", f);
	fclose(f);
	journal_close(&j);
	IS_NUM(journal_open(&j, dir, "store", &m), 0, "the journal of one that was killed");
	OK(journal_batch(&j, 0)->done && !journal_batch(&j, 1)->doubt &&
		   !journal_batch(&j, 1)->done,
	   "what it had, and had not");
	OK(journal_batch(&j, 2)->doubt && !journal_batch(&j, 2)->done &&
		   journal_batch(&j, 2)->id == 6,
	   "a line that was cut off says nothing");
	OK(!journal_done(&j, 2, &m), "and the next one goes into its place");
	journal_close(&j);
	IS_NUM(journal_open(&j, dir, "store", &m), 0, "again");
	OK(journal_batch(&j, 2)->done, "it is there");
	f = fopen(j.path, "a");
	fputs("rubbish\n", f);
	fclose(f);
	journal_close(&j);
	IS_NUM(journal_open(&j, dir, "store", &m), -EBADMSG, "a damaged one");
	free(path);
	path = xasprintf("rm -rf %s", dir);
	if (system(path))
		abort();
	free(path);
}

static bool is_service(const char *cgroup, const char *want)
{
	struct strbuf name = { 0 };
	bool same;

	service_name(cgroup, &name);
	same = !strcmp(name.s, want);
	strbuf_free(&name);
	return same;
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void test_services(void)
{
	struct services s = { 0 };

	OK(is_service("/system.slice/nginx.service", "nginx"), "a unit");
	OK(is_service("/system.slice/nginx.service/worker", "nginx"), "and below it");
	OK(is_service("/system.slice/docker-" ID ".scope", "docker-0123456789ab") &&
		   is_service("/docker/" ID, "0123456789ab") &&
		   is_service("/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID ".scope",
			      "cri-containerd-0123456789ab"),
	   "containers");
	OK(is_service("/user.slice/user-1000.slice/user@1000.service/app.slice/x.scope", "x"),
	   "the innermost");
	OK(is_service("/", "(no service)") && is_service("/batch/job7", "batch"),
	   "neither unit nor container");
	services_find(&s, 1);
	services_fork(&s, 1, UINT32_MAX - 1);
	IS_STR(services_find(&s, UINT32_MAX - 1).name, services_find(&s, 1).name,
	       "a child that was never seen has its parent's");
	IS_STR(services_find(&s, UINT32_MAX).name, "(no service)", "a process that is not there");
	services_free(&s);
}

static void test_figures(void)
{
	struct figures *f = xmalloc(sizeof(*f));
	struct strbuf b = { 0 };
	char name[32];

	figures_init(f);
	figures_count(f, "a\"b\\c\n\033", 50000000);
	figures_text(f, &b);
	OK(strstr(b.s, "perfctl_service_cpu_seconds_total{service=\"a\\\"b") &&
		   !strchr(b.s, '\033'),
	   "labels are quoted");
	OK(strstr(b.s, "} 0.050000000\n") && strstr(b.s, "perfctl_agent_samples_total 1\n"),
	   "figures");
	for (int i = 0; i < 2 * FIGURES_SERVICES; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		figures_count(f, name, 1);
	}
	IS_NUM(f->names.n, FIGURES_SERVICES, "not more services than that");
	OK(f->services[0].samples == FIGURES_SERVICES + 2 && f->samples == 2 * FIGURES_SERVICES + 1,
	   "the others are counted together");
	strbuf_free(&b);
	figures_free(f);
	free(f);
}

/* Puts something into the middle of the only file of a directory. */
static void damage(const char *dir)
{
	char *command = xasprintf("f=$(echo %s/*-*) && printf X | dd of=\"$f\" bs=1 seek=20 "
				  "conv=notrunc status=none",
				  dir);

	if (system(command))
		abort();
	free(command);
}

static void test_outbox(void)
{
	char dir[] = "/tmp/test_store.XXXXXX", *command;
	struct store_batch b = { .day = 9 }, back;
	const struct store_row row = { .time = 9 * STORE_DAY, .samples = 7 };
	struct outbox o, other;
	struct spooled f;
	struct msg m;

	if (!mkdtemp(dir))
		abort();
	store_batch_row(&b, &row);
	IS_NUM(outbox_open(&o, dir, 1 << 20, &m), 0, "an outbox");
	IS_NUM(outbox_open(&other, dir, 1 << 20, &m), -EBUSY, "is one process's");
	outbox_close(&other);
	OK(!outbox_take(&o, &f, &back), "nothing is in it");
	OK(!outbox_add(&o, &b, &m) && outbox_take(&o, &f, &back), "a batch");
	OK(back.day == 9 && back.samples == 7 && !f.sent && f.samples == 7 &&
		   back.rows[STORE_ROWS].len == b.rows[STORE_ROWS].len,
	   "is what was put in");
	store_batch_free(&back);
	OK(!outbox_sending(&o, &f, 0x77, &m), "sent");
	outbox_close(&o);
	IS_NUM(outbox_open(&o, dir, 1 << 20, &m), 0, "the outbox of one that was killed");
	OK(outbox_take(&o, &f, &back) && f.sent && f.id == 0x77, "knows what is in doubt");
	store_batch_free(&back);
	o.most = 150;
	IS_NUM(outbox_add(&o, &b, &m), -ENOSPC, "what is being sent makes no room");
	OK(o.dropped_samples == 7 && o.n == 1, "what finds none is counted");
	outbox_give(&o, false);
	OK(!outbox_add(&o, &b, &m) && o.n == 1 && o.dropped_samples == 14, "then the oldest goes");
	damage(dir);
	OK(!outbox_take(&o, &f, &back) && !o.n && o.dropped_samples == 21,
	   "a damaged one is dropped");
	OK(!outbox_add(&o, &b, &m) && outbox_take(&o, &f, &back), "another one");
	store_batch_free(&back);
	outbox_give(&o, true);
	OK(!o.n && !o.bytes && !outbox_take(&o, &f, &back), "goes when it is there");
	outbox_close(&o);
	store_batch_free(&b);
	command = xasprintf("rmdir %s", dir);
	IS_NUM(system(command), 0, "and leaves nothing");
	free(command);
}

static void put_stack(struct store_batch *b, uint64_t id)
{
	struct strbuf *to = &b->rows[STORE_STACKS];

	wire_put_u16(to, (uint16_t)b->day);
	wire_put_u64(to, id);
	wire_put_text(to, "program");
	wire_put_size(to, 2);
	wire_put_u64(to, id);
	wire_put_u64(to, id);
	to = &b->rows[STORE_FRAMES];
	wire_put_u16(to, (uint16_t)b->day);
	wire_put_u64(to, id + 1000);
	wire_put_u8(to, STORE_FRAME_FILE);
	wire_put_text(to, "00");
	wire_put_text(to, "/a");
	wire_put_u64(to, id);
	wire_put_text(to, "");
}

static void test_known(void)
{
	struct store_batch a = { .day = 1 }, b = { .day = 1 }, c = { .day = 2 };
	struct known k = { 0 };
	size_t stack, frame;

	put_stack(&a, 1);
	stack = a.rows[STORE_STACKS].len;
	frame = a.rows[STORE_FRAMES].len;
	put_stack(&b, 1);
	put_stack(&b, 2);
	put_stack(&c, 2);
	known_leave_out(&k, &a);
	OK(a.rows[STORE_STACKS].len == stack && a.rows[STORE_FRAMES].len == frame,
	   "the store knows nothing yet");
	known_add(&k, &a);
	known_leave_out(&k, &b);
	OK(b.rows[STORE_STACKS].len == stack && b.rows[STORE_FRAMES].len == frame,
	   "what it knows is left out");
	OK(!memcmp(b.rows[STORE_STACKS].s + 2, "\2\0", 2), "the other one stays");
	known_add(&k, &b);
	known_leave_out(&k, &c);
	OK(c.rows[STORE_STACKS].len == stack, "another day is told again");
	known_add(&k, &c);
	known_forget(&k);
	known_leave_out(&k, &c);
	OK(c.rows[STORE_STACKS].len == stack, "so is a store that failed");
	store_batch_free(&a);
	store_batch_free(&b);
	store_batch_free(&c);
	known_free(&k);
}

/* An agent looks once a second here, and takes so many ms of it. */
static unsigned int look(struct shed *s, uint64_t *cpu, uint64_t *now, uint64_t ms)
{
	unsigned int level;
	double share;

	*cpu += ms * 1000000;
	*now += 1000000000;
	level = shed_decide(s, *cpu, *now, 1, &share);
	if (level != s->level)
		shed_set(s, level, *now);
	return 1u << level;
}

static void test_shed(void)
{
	uint64_t cpu = 5000000000, now = 1000;
	struct shed s = { 0 };

	IS_NUM(look(&s, &cpu, &now, 900), 1, "what an agent took to begin does not count");
	IS_NUM(look(&s, &cpu, &now, 10), 1, "one that takes what it may goes on");
	IS_NUM(look(&s, &cpu, &now, 11), 2, "one that takes more samples half as often");
	IS_NUM(look(&s, &cpu, &now, 6), 2, "at twice the rate it would take too much again");
	IS_NUM(look(&s, &cpu, &now, 12), 4, "a quarter");
	IS_NUM(look(&s, &cpu, &now, 3), 2, "well below, it samples more often");
	IS_NUM(look(&s, &cpu, &now, 0), 1, "and as was asked for");
	IS_NUM(look(&s, &cpu, &now, 0), 1, "never more");
	for (int i = 0; i < 20; i++)
		look(&s, &cpu, &now, 500);
	IS_NUM(look(&s, &cpu, &now, 500), 1 << SHED_MOST, "there is a least rate");
	s = (struct shed){ 0 };
	shed_set(&s, 2, 100);
	shed_set(&s, 1, 200);
	IS_NUM(shed_times(&s, 99), 1, "a sample of before stands for what it did then");
	IS_NUM(shed_times(&s, 100), 4, "as do those");
	IS_NUM(shed_times(&s, 199), 4, "of between");
	IS_NUM(shed_times(&s, 5000), 2, "and those of now");
	for (uint64_t i = 0; i < 2 * SHED_PAST; i++)
		shed_set(&s, i % 2 ? 3 : 2, 1000 + i);
	IS_NUM(shed_times(&s, 1000 + 2 * SHED_PAST - 1), 8, "many changes: the newest is known");
	IS_NUM(shed_times(&s, 1000 + 2 * SHED_PAST - 2), 4, "and the one before");
}

void test_store(void)
{
	test_shed();
	test_known();
	test_services();
	test_figures();
	test_outbox();
	test_wire();
	test_sql();
	test_where();
	test_url();
	test_ids();
	test_journal();
}
