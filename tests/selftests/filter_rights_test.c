// SPDX-License-Identifier: GPL-2.0
/*
 * What no filter looks at, whatever the rights. The arguments of a system call are
 * whatever its caller passes: a filter must not follow one into the kernel or into memory
 * of the program, nor tell which of the kernel's functions lies there.
 */
#include "kselftest_harness.h"
#include "pev_child.h"

#define ANYBODY	1000

#define OPENAT	"syscalls:sys_enter_openat"
#define CLOSE	"syscalls:sys_enter_close"
#define ENTER	"raw_syscalls:sys_enter"

/* How a filter comes to an event. */
enum way { BY_OPEN, BY_EVENT, BY_GROUP, BY_CHANNEL, WAYS };

static const char * const ways[WAYS] = { "open", "event", "group", "channel" };

struct filter {
	const char	*event;
	const char	*expr;
};

/* What would be read or looked up. */
static const struct filter denied[] = {
	{ OPENAT, "filename ~ \"A*\"" },
	{ OPENAT, "filename == \"A\"" },
	{ OPENAT, "filename != 'A'" },
	{ OPENAT, "!(filename ~ \"*A*\")" },
	{ OPENAT, "dfd == 1 && (flags == 2 || filename   ~   \"*A\")" },
	{ OPENAT, "filename.ustring == \"A\" || filename == \"A\"" },
	{ OPENAT, "filename.function == commit_creds" },
	{ OPENAT, "filename.ustring.function == commit_creds" },
	{ CLOSE, "fd.function == commit_creds" },
	{ CLOSE, "fd.function != commit_creds" },
	{ CLOSE, "fd == 1 || fd.function == commit_creds" },
	{ CLOSE, "fd.function == no_function_is_called_so" },
	{ CLOSE, "fd.function == 0xffffffff81000000" },
	{ CLOSE, "fd.function == 0xc000000000010000" },
	{ CLOSE, "fd.function == 1" },
	{ ENTER, "id.function == commit_creds" },
	{ ENTER, "id.function == 0xffffffff81000000" },
	{ OPENAT, "filename.ustring ~ \"A*\"" },
	{ OPENAT, "filename.ustring != \"A\"" },
	{ OPENAT, "filename.ustring == \"filename == 'A'\"" },
};

/* The caller's own numbers and names. */
static const struct filter allowed[] = {
	{ CLOSE, "fd == 1" },
	{ CLOSE, "fd & 1 || !(fd > 7)" },
	{ OPENAT, "dfd != 3 && flags == 0" },
	{ ENTER, "id == 3 && common_pid == 1" },
	{ CLOSE, "CPU == 0" },
	{ CLOSE, "COMM == \"A\"" },
	{ CLOSE, "COMM ~ \"A*\"" },
	{ CLOSE, "COMM == \"fd.function == commit_creds\"" },
	{ OPENAT, "filename == 0 || filename != 0x1000" },
	{ OPENAT, "common_tgid == 1 || common_cgroup == 1" },
};

#define NR(array)	(sizeof(array) / sizeof(*(array)))

/* One of each stays open meanwhile: the first and the last cost most. */
static const char * const events[] = { OPENAT, CLOSE, ENTER };

FIXTURE(rights) {
	struct pev_levels before;
	int open[NR(events)];
};

FIXTURE_SETUP(rights)
{
	PEV_NEEDS_ROOT(return );
	PEV_DEFAULT_LEVELS(&self->before);
	for (unsigned int i = 0; i < NR(events); i++) {
		self->open[i] = pev_open_event(PEV_TYPE_TRACEPOINT, events[i], NULL, -1);
		ASSERT_LE(0, self->open[i]) TH_LOG("%s", pev_reason());
	}
}

FIXTURE_TEARDOWN(rights)
{
	for (unsigned int i = 0; i < NR(events); i++)
		close(self->open[i]);
	pev_set_levels(self->before);
}

static int set_filter(int fd, const char *expr, uint32_t flags)
{
	struct pev_filter_arg arg = {
		.filter = (uintptr_t)expr, .refusal = (uintptr_t)&pev_why,
		.refusal_size = sizeof(pev_why), .flags = flags,
	};

	memset(&pev_why, 0, sizeof(pev_why));
	return ioctl(fd, PEV_IOC_FILTER, &arg) ? -errno : 0;
}

/* An event and what a filter may be set on instead. */
struct objects {
	int	channel;
	int	leader;
	int	event;
};

static void close_objects(struct objects *o)
{
	close(o->event);
	close(o->leader);
	close(o->channel);
}

static int open_event(const struct objects *o, const char *event, const char *filter)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT, .target = PEV_TARGET_TASK,
		.name = (uintptr_t)event, .filter = (uintptr_t)filter,
		.channel_fd = o->channel, .group_fd = o->leader,
		.period = 1, .sample = PEV_SAMPLE_TID, .flags = PEV_F_DISABLED,
	};

	return pev_open(&attr);
}

static int open_objects(struct objects *o, const char *event, const char *filter)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);

	o->channel = pev_open_channel(8192, 4096, 0);
	/* it has no fields */
	o->leader = pev_open(&attr);
	o->event = open_event(o, event, filter);
	return o->event;
}

static int set_by(const struct objects *o, enum way way, const char *expr)
{
	switch (way) {
	case BY_EVENT:
		return set_filter(o->event, expr, 0);
	case BY_GROUP:
		return set_filter(o->leader, expr, PEV_IOF_GROUP);
	default:
		return set_filter(o->channel, expr, 0);
	}
}

/* Sets it on @o, or opens one more event with it; 0 or -errno. */
static int filtered(const struct objects *o, enum way way, const struct filter *f)
{
	int fd;

	if (way != BY_OPEN)
		return set_by(o, way, f->expr);
	fd = open_event(o, f->event, f->expr);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Of each of the events one. */
static int open_all(struct objects *all)
{
	for (unsigned int i = 0; i < NR(events); i++)
		if (open_objects(&all[i], events[i], NULL) < 0)
			return -1;
	return 0;
}

static const struct objects *objects_of(const struct objects *all, const struct filter *f)
{
	for (unsigned int i = 0; i < NR(events); i++)
		if (!strcmp(f->event, events[i]))
			return &all[i];
	return NULL;
}

/* Does the refusal @ret say what is refused? */
static bool is_denied(int ret, enum way way)
{
	return ret == -EINVAL && pev_why.head.error == EINVAL &&
	       pev_why.head.field == (way == BY_OPEN ? PEV_OFFSET(filter) : 0) &&
	       (strstr(pev_reason(), "filters follow no pointers") ||
		strstr(pev_reason(), ".function is refused"));
}

/* Where the kernel's code lies is shown to some. */
static bool needs_right(int ret, enum way way)
{
	return ret == -EACCES && pev_why.head.error == EACCES &&
	       pev_why.head.field == (way == BY_OPEN ? PEV_OFFSET(filter) : 0) &&
	       strstr(pev_reason(), "CAP_PERFMON");
}

#define NEEDS_RIGHT(ret, way, f) \
	EXPECT_TRUE(needs_right(ret, way)) \
		TH_LOG("%s by %s: %d %s", (f)->expr, ways[way], ret, pev_reason())

#define DENIED(ret, way, f) \
	EXPECT_TRUE(is_denied(ret, way)) \
		TH_LOG("%s by %s: %d %s", (f)->expr, ways[way], ret, pev_reason())

static void expect_filters(struct __test_metadata *_metadata, bool all_rights)
{
	static const struct filter ip = { CLOSE, "common_ip != 0" };
	struct objects all[NR(events)];

	EXPECT_EQ(0, open_all(all)) TH_LOG("%s", pev_reason());
	for (enum way way = 0; way < WAYS; way++) {
		int ip_ret = filtered(objects_of(all, &ip), way, &ip);

		if (all_rights) {
			EXPECT_EQ(0, ip_ret) TH_LOG("%s: %s", ways[way], pev_reason());
		} else {
			NEEDS_RIGHT(ip_ret, way, &ip);
		}
		for (unsigned int i = 0; i < NR(denied); i++) {
			int ret = filtered(objects_of(all, &denied[i]), way, &denied[i]);

			DENIED(ret, way, &denied[i]);
		}
		for (unsigned int i = 0; i < NR(allowed); i++) {
			const struct objects *o = objects_of(all, &allowed[i]);

			EXPECT_EQ(0, filtered(o, way, &allowed[i]))
				TH_LOG("%s by %s: %s", allowed[i].expr, ways[way],
				       pev_reason());
		}
	}
}

static void expect_filters_as(struct __test_metadata *_metadata, int user, int cap)
{
	struct pev_child c;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		if (user)
			EXPECT_EQ(0, pev_become(user, cap));
		expect_filters(_metadata, !user || cap == PEV_CAP_PERFMON);
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
}

TEST_F(rights, of_anybody)
{
	expect_filters_as(_metadata, ANYBODY, -1);
}

TEST_F(rights, of_the_privileged)
{
	expect_filters_as(_metadata, 0, -1);
	expect_filters_as(_metadata, ANYBODY, PEV_CAP_PERFMON);
}

/* Returns how many of 20 calls of close() pass the filter. */
static uint64_t passed(int fd)
{
	uint64_t before = pev_read(fd).value;

	pev_on(fd);
	for (long i = 0; i < 20; i++)
		syscall(__NR_close, -1L - i);
	pev_off(fd);
	return pev_read(fd).value - before;
}

#define LAST_TWO	"fd >= 0xfffffffffffffffe"

/* Opened with all rights and handed on: those of who sets the filter count, too. */
TEST_F(rights, of_an_event_that_was_handed_down)
{
	static const struct filter f = { CLOSE, "common_ip != 0" };
	struct objects o;
	struct pev_child c;

	ASSERT_LE(0, open_objects(&o, CLOSE, LAST_TWO)) TH_LOG("%s", pev_reason());
	EXPECT_EQ(2, passed(o.event));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		EXPECT_EQ(0, pev_become(ANYBODY, -1));
		for (enum way way = BY_EVENT; way < WAYS; way++) {
			int ret = set_by(&o, way, f.expr);

			NEEDS_RIGHT(ret, way, &f);
		}
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
	/* it has the filter that it had */
	EXPECT_EQ(2, passed(o.event));
	EXPECT_EQ(0, set_by(&o, BY_EVENT, f.expr));
	EXPECT_EQ(20, passed(o.event));
	close_objects(&o);
}

/* The same of what takes long: who opened it may let it, but not who was given it. */
TEST_F(rights, of_time_that_was_handed_down)
{
	char expr[4000] = "COMM ~ \"*a?b*\"";
	struct objects o;
	struct pev_child c;

	while (strlen(expr) < sizeof(expr) - 32)
		strcat(expr, " || COMM ~ \"*a?b*\"");
	ASSERT_LE(0, open_objects(&o, CLOSE, LAST_TWO)) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		EXPECT_EQ(0, pev_become(ANYBODY, -1));
		for (enum way way = BY_EVENT; way < WAYS; way++) {
			EXPECT_EQ(-EINVAL, set_by(&o, way, expr)) TH_LOG("by %s", ways[way]);
		}
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
	EXPECT_EQ(2, passed(o.event));
	for (enum way way = BY_EVENT; way < WAYS; way++) {
		EXPECT_EQ(0, set_by(&o, way, expr)) TH_LOG("by %s", ways[way]);
	}
	close_objects(&o);
}

/* Any user may open it, and any reader of the descriptor gets the answers. */
TEST_F(rights, of_an_event_that_was_handed_up)
{
	static const struct filter f = { CLOSE, "common_ip != 0" };
	struct objects o;
	struct pev_child c;
	int pair[2];

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		int mine;

		if (pev_become(ANYBODY, -1) || open_objects(&o, CLOSE, LAST_TWO) < 0 ||
		    pev_send_fd(pair[1], o.event) || pev_send_fd(pair[1], o.leader) ||
		    pev_send_fd(pair[1], o.channel))
			_exit(1);
		pev_child_wait(&c);
		/* the target is this thread */
		mine = passed(o.event) == 2 ? 0 : 2;
		_exit(mine);
	}
	o.event = pev_receive_fd(pair[0]);
	o.leader = pev_receive_fd(pair[0]);
	o.channel = pev_receive_fd(pair[0]);
	ASSERT_LE(0, o.event);
	for (enum way way = BY_EVENT; way < WAYS; way++) {
		int ret = set_by(&o, way, f.expr);

		NEEDS_RIGHT(ret, way, &f);
	}
	EXPECT_EQ(0, set_by(&o, BY_EVENT, "fd == 7"));
	EXPECT_EQ(0, set_by(&o, BY_EVENT, LAST_TWO));
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
	close_objects(&o);
	close(pair[0]);
	close(pair[1]);
}

static unsigned long kernel_symbol(const char *name)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned long at, found = 0;
	char symbol[256];

	while (f && !found && fscanf(f, "%lx %*c %255s%*[^\n]", &at, symbol) == 2)
		if (!strcmp(symbol, name))
			found = at;
	if (f)
		fclose(f);
	return found;
}

/* The address of a text of the kernel, passed as the name of a file. */
TEST_F(rights, no_kernel_memory)
{
	static const struct filter guesses[] = {
		{ OPENAT, "filename ~ \"Linux version*\"" },
		{ OPENAT, "!(filename ~ \"Linux version*\")" },
		{ OPENAT, "filename.ustring ~ \"Linux version*\"" },
		{ OPENAT, "!(filename.ustring ~ \"Linux version*\")" },
	};
	unsigned long banner = kernel_symbol("linux_banner");
	struct pev_child c;

	if (!banner)
		SKIP(return, "no symbol linux_banner");
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		EXPECT_EQ(0, pev_become(ANYBODY, -1));
		for (unsigned int i = 0; i < NR(guesses); i++) {
			struct pev_value v[2];
			struct objects o;

			/* the same answer as of an address where nothing lies */
			for (unsigned int real = 0; real < 2; real++) {
				memset(&v[real], 0, sizeof(v[real]));
				if (open_objects(&o, OPENAT, guesses[i].expr) >= 0) {
					pev_on(o.event);
					syscall(SYS_openat, AT_FDCWD, real ? banner : 8, 0);
					pev_off(o.event);
					v[real] = pev_read(o.event);
				}
				close_objects(&o);
			}
			EXPECT_EQ(v[0].value, v[1].value) TH_LOG("%s", guesses[i].expr);
			EXPECT_EQ(v[0].filtered, v[1].filtered) TH_LOG("%s", guesses[i].expr);
			EXPECT_EQ(0, v[0].value + v[0].filtered) TH_LOG("%s", guesses[i].expr);
		}
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
}

/* Refusals do not depend on what the kernel has. */
TEST_F(rights, no_kernel_symbols)
{
	static const char * const names[] = { "commit_creds", "commit_creeds" };
	static const char * const exprs[] = { "fd.function == %s", "fd == 1 && fd.function != %s" };
	struct pev_child c;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		EXPECT_EQ(0, pev_become(ANYBODY, -1));
		for (unsigned int i = 0; i < NR(exprs); i++) {
			struct pev_refusal head[2];
			char said[2][sizeof(pev_why.text)];
			struct objects o;
			int ret[2];

			for (unsigned int n = 0; n < 2; n++) {
				char expr[80], *at;

				snprintf(expr, sizeof(expr), exprs[i], names[n]);
				ret[n] = open_objects(&o, CLOSE, expr);
				close_objects(&o);
				head[n] = pev_why.head;
				strcpy(said[n], pev_reason());
				/* it may cite the filter */
				at = strstr(said[n], names[n]);
				if (at)
					memmove(at, at + strlen(names[n]),
						strlen(at + strlen(names[n])) + 1);
			}
			EXPECT_EQ(ret[0], ret[1]);
			EXPECT_EQ(0, memcmp(&head[0], &head[1], sizeof(head[0])));
			EXPECT_STREQ(said[0], said[1]);
		}
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
}

TEST_HARNESS_MAIN
