// SPDX-License-Identifier: GPL-2.0
/* perfctl push and --from: what goes to a store and comes from it, without one. */
#include "fleet/ids.h"
#include "fleet/journal.h"
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

void test_store(void)
{
	test_wire();
	test_sql();
	test_where();
	test_url();
	test_ids();
	test_journal();
}
