// SPDX-License-Identifier: GPL-2.0
/*
 * Sideband events: what a program's life looks like in them. The program is
 * this one, started once more with PEV_CHILD in its environment.
 */
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "pev_util.h"
#include "withheld.h"

#define CHILD_EXIT	3
#define GRAND_EXIT	7

static const int sizes[PEV_SB_MAX] = {
	[PEV_SB_MMAP] = -84, [PEV_SB_COMM] = 24, [PEV_SB_FORK] = 32,
	[PEV_SB_EXEC] = -16, [PEV_SB_EXIT] = 12,
};

struct mmap_payload {
	uint64_t addr, len, pgoff, ino;
	uint32_t pid, tid, maj, min, prot, flags;
	uint32_t build_id_size;
	uint8_t build_id[20];
	uint16_t off, flen;
	char filename[];
};

struct exec_payload {
	uint32_t pid, tid, old_tid;
	uint16_t off, flen;
	char filename[];
};

struct fork_payload {
	uint32_t pid, tid, ppid, ptid;
	char comm[16];
};

struct comm_payload {
	uint32_t pid, tid;
	char comm[16];
};

struct exit_payload {
	uint32_t pid, tid;
	int32_t code;
};

/* ---- the program that is watched ---- */

static void *thread_main(void *arg)
{
	prctl(PR_SET_NAME, "pev-thread");
	return arg;
}

static void __attribute__((constructor)) child_main(void)
{
	long page = sysconf(_SC_PAGESIZE);
	pthread_t thread;
	pid_t pid;
	void *p;
	int fd;

	if (!getenv("PEV_CHILD"))
		return;
	pthread_create(&thread, NULL, thread_main, NULL);
	pthread_join(thread, NULL);
	fd = open("/proc/self/exe", O_RDONLY);
	p = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, page);
	mprotect(p, page, PROT_READ | PROT_EXEC);
	p = mmap(NULL, 3 * page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid = fork();
	if (!pid)
		_exit(GRAND_EXIT);
	waitpid(pid, NULL, 0);
	_exit(p == MAP_FAILED ? 100 : CHILD_EXIT);
}

/* ---- the watcher ---- */

struct seen {
	struct pev_record	*records;
	unsigned int		nr;
};

static int by_time(const void *a, const void *b)
{
	const struct pev_record *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* All records of all CPUs in the order of their times; ids are the kinds. */
static int collect(const struct pev_map *map, struct seen *seen)
{
	seen->nr = 0;
	seen->records = calloc(4096, sizeof(*seen->records));
	for (unsigned int cpu = 0; cpu < map->nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(map, cpu, sizes, PEV_SB_MAX);
		int ret;

		while ((ret = pev_walk_next(&walk, &seen->records[seen->nr])) > 0)
			if (++seen->nr == 4096)
				return -1;
		if (ret < 0)
			return ret;
	}
	qsort(seen->records, seen->nr, sizeof(*seen->records), by_time);
	return 0;
}

FIXTURE(sideband) {
	int channel;
	int events[PEV_SB_MAX];
	struct pev_map map;
	struct seen seen;
	pid_t child;
	int status;
	int go[2];
};

FIXTURE_VARIANT(sideband) {
	uint32_t target;
	uint64_t flags;
};

FIXTURE_VARIANT_ADD(sideband, subtree) {
	.target = PEV_TARGET_SUBTREE,
};

FIXTURE_VARIANT_ADD(sideband, subtree_on_exec) {
	.target = PEV_TARGET_SUBTREE, .flags = PEV_F_DISABLED | PEV_F_ENABLE_ON_EXEC,
};

FIXTURE_VARIANT_ADD(sideband, machine) {
	.target = PEV_TARGET_CPUS,
};

FIXTURE_SETUP(sideband)
{
	char byte;

	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	self->channel = pev_open_channel(1 << 20, 1 << 16, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pipe(self->go));
	self->child = fork();
	if (!self->child) {
		char *argv[] = { "child", NULL }, *envp[] = { "PEV_CHILD=1", NULL };

		if (read(self->go[0], &byte, 1) == 1)
			execve("/proc/self/exe", argv, envp);
		_exit(99);
	}
	for (unsigned int i = 0; i < PEV_SB_MAX; i++) {
		struct pev_attr attr = {
			.type = PEV_TYPE_SIDEBAND, .config = i, .target = variant->target,
			.target_id = variant->target == PEV_TARGET_CPUS ? 0 : self->child,
			.flags = variant->flags, .channel_fd = self->channel, .group_fd = -1,
			.sample = PEV_SAMPLE_TID,
		};

		self->events[i] = pev_open(&attr);
		ASSERT_LE(0, self->events[i]) TH_LOG("%s", pev_reason());
		ASSERT_EQ(i, pev_event_id(self->events[i]));
	}
	ASSERT_EQ(1, write(self->go[1], "x", 1));
	ASSERT_EQ(self->child, waitpid(self->child, &self->status, 0));
	ASSERT_EQ(CHILD_EXIT << 8, self->status);
	ASSERT_EQ(0, ioctl(self->channel, PEV_IOC_DISABLE, 0));
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
	ASSERT_EQ(0, collect(&self->map, &self->seen));
}

FIXTURE_TEARDOWN(sideband)
{
	free(self->seen.records);
	pev_unmap_channel(&self->map);
	for (unsigned int i = 0; i < PEV_SB_MAX; i++)
		close(self->events[i]);
	close(self->channel);
	close(self->go[0]);
	close(self->go[1]);
}

/* The next record of a kind about a pid, from *@at on. */
static const void *next(const struct seen *seen, unsigned int kind, uint32_t pid,
			unsigned int *at)
{
	for (; *at < seen->nr; ++*at) {
		const struct pev_record *r = &seen->records[*at];
		const struct mmap_payload *m = (const void *)r->payload;
		const uint32_t *ids = (const void *)r->payload;

		if (r->id != kind)
			continue;
		if ((kind == PEV_SB_MMAP ? m->pid : ids[0]) == pid)
			return seen->records[(*at)++].payload;
	}
	return NULL;
}

/* Of the notes from @p to @end. */
static bool build_id_in(const char *p, const char *end, void *to)
{
	while (p + sizeof(ElfW(Nhdr)) < end) {
		const ElfW(Nhdr) *n = (const void *)p;
		const char *desc = p + sizeof(*n) + (n->n_namesz + 3) / 4 * 4;

		if (n->n_type == NT_GNU_BUILD_ID && n->n_descsz == 20) {
			memcpy(to, desc, 20);
			return true;
		}
		p = desc + (n->n_descsz + 3) / 4 * 4;
	}
	return false;
}

static int find_build_id(struct dl_phdr_info *info, size_t size, void *to)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const char *p = (const char *)info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_NOTE && build_id_in(p, p + ph->p_memsz, to))
			return 1;
	}
	return 0;
}

static bool find_build_id_of(int fd, size_t size, void *to)
{
	const char *file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	const ElfW(Ehdr) *head = (const void *)file;
	bool found = false;

	if (file == MAP_FAILED)
		return false;
	for (int i = 0; i < head->e_phnum && !found; i++) {
		const ElfW(Phdr) *ph = (const void *)(file + head->e_phoff);

		found = ph[i].p_type == PT_NOTE &&
			build_id_in(file + ph[i].p_offset, file + ph[i].p_offset + ph[i].p_filesz,
				    to);
	}
	munmap((void *)file, size);
	return found;
}

TEST_F(sideband, exec_then_name_then_mappings)
{
	const struct mmap_payload *m;
	const struct exec_payload *e;
	const struct comm_payload *c;
	char exe[PATH_MAX] = "";
	uint8_t id[20];
	unsigned int at = 0;
	struct stat st;

	ASSERT_LT(0, readlink("/proc/self/exe", exe, sizeof(exe) - 1));
	e = next(&self->seen, PEV_SB_EXEC, self->child, &at);
	ASSERT_NE(NULL, e);
	EXPECT_EQ(self->child, e->tid);
	EXPECT_EQ(self->child, e->old_tid);
	EXPECT_EQ(24, e->off);
	EXPECT_STREQ("/proc/self/exe", e->filename);
	EXPECT_EQ(strlen(e->filename) + 1, e->flen);
	c = next(&self->seen, PEV_SB_COMM, self->child, &at);
	ASSERT_NE(NULL, c);
	EXPECT_EQ(self->child, c->tid);
	EXPECT_STREQ("exe", c->comm);
	m = next(&self->seen, PEV_SB_MMAP, self->child, &at);
	while (m && strcmp(m->filename, exe))
		m = next(&self->seen, PEV_SB_MMAP, self->child, &at);
	ASSERT_NE(NULL, m);
	EXPECT_EQ(self->child, m->tid);
	EXPECT_EQ(92, m->off);
	EXPECT_EQ(strlen(exe) + 1, m->flen);
	EXPECT_EQ(PROT_READ | PROT_EXEC, m->prot);
	EXPECT_EQ(MAP_PRIVATE, m->flags);
	EXPECT_NE(0, m->addr);
	EXPECT_NE(0, m->len);
	ASSERT_EQ(0, stat(exe, &st));
	EXPECT_EQ(st.st_ino, m->ino);
	if (!dl_iterate_phdr(find_build_id, id))
		SKIP(return, "this program has no build id");
	ASSERT_EQ(20, m->build_id_size);
	EXPECT_EQ(0, memcmp(id, m->build_id, 20));
}

/* A reader forgets the old mappings when it sees an exec: none may precede it. */
TEST_F(sideband, no_mapping_before_exec)
{
	unsigned int exec = 0, map = 0;

	ASSERT_NE(NULL, next(&self->seen, PEV_SB_EXEC, self->child, &exec));
	ASSERT_NE(NULL, next(&self->seen, PEV_SB_MMAP, self->child, &map));
	EXPECT_LT(exec, map);
}

TEST_F(sideband, mappings)
{
	long page = sysconf(_SC_PAGESIZE);
	bool anon = false, changed = false;
	const struct mmap_payload *m;
	unsigned int at = 0;

	while ((m = next(&self->seen, PEV_SB_MMAP, self->child, &at))) {
		EXPECT_EQ(PROT_EXEC, m->prot & PROT_EXEC) TH_LOG("%s", m->filename);
		if (!strcmp(m->filename, "//anon") && m->len == 3 * page) {
			EXPECT_EQ(0, m->build_id_size);
			EXPECT_EQ(0, m->ino);
			anon = true;
		}
		/* by mprotect(): the second page of the program */
		if (m->len == page && m->pgoff == page && m->ino)
			changed = true;
	}
	EXPECT_TRUE(anon);
	EXPECT_TRUE(changed);
}

/* Is the first page of the file in memory? */
static bool is_cached(int fd)
{
	long page = sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	unsigned char there = 1;

	if (p == MAP_FAILED)
		return true;
	mincore(p, page, &there);
	munmap(p, page);
	return there & 1;
}

/* Of this process, or of this thread. */
static int open_mappings(uint32_t target, int channel)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_SIDEBAND,
		.config = PEV_SB_MMAP,
		.target = target,
		.channel_fd = channel,
		.group_fd = -1,
		.sample = PEV_SAMPLE_TID,
	};

	return pev_open(&attr);
}

/* It is read before the thread goes on, and not where the mapping is made: that can't wait. */
TEST(build_id_that_has_to_be_read)
{
	long page = sysconf(_SC_PAGESIZE);
	const struct mmap_payload *m;
	char path[PATH_MAX] = "";
	struct pev_map map;
	struct seen seen;
	uint8_t id[20];
	struct stat st;
	int fd, event, channel;
	void *p;

	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	ASSERT_LT(0, readlink("/proc/self/exe", path, sizeof(path) - 20));
	/* a program that does not run */
	strcpy(strrchr(path, '/') + 1, "open_test");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		SKIP(return, "there is no %s", path);
	ASSERT_EQ(0, fstat(fd, &st));
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (is_cached(fd))
		SKIP(return, "the file stays in memory");
	channel = pev_open_channel(1 << 16, 4096, 0);
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	event = open_mappings(PEV_TARGET_TASK, channel);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	p = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	close(event);
	if (!find_build_id_of(fd, st.st_size, id))
		SKIP(return, "%s has no build id", path);
	ASSERT_EQ(0, pev_map_channel(channel, &map));
	ASSERT_EQ(0, collect(&map, &seen));
	ASSERT_EQ(1, seen.nr);
	m = (const void *)seen.records[0].payload;
	EXPECT_STREQ(path, m->filename);
	EXPECT_EQ((uintptr_t)p, m->addr);
	ASSERT_EQ(20, m->build_id_size);
	EXPECT_EQ(0, memcmp(id, m->build_id, 20));
	munmap(p, page);
	free(seen.records);
	pev_unmap_channel(&map);
	close(channel);
	close(fd);
}

#define NOTE_ID "0123456789abcdefghij"

/* Of a program, the page that the kernel asks for first, and the one with its notes. */
static void fill_program(void *pages, char *data, size_t size)
{
	const ElfW(Ehdr) head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
			     sizeof(long) == 8 ? ELFCLASS64 : ELFCLASS32 },
		.e_type = ET_DYN,
		.e_phoff = sizeof(head),
		.e_phnum = 1,
	};
	const struct {
		ElfW(Nhdr) head;
		char name[4], id[sizeof(NOTE_ID) - 1];
	} note = { { 4, sizeof(note.id), NT_GNU_BUILD_ID }, "GNU", NOTE_ID };
	const ElfW(Phdr) notes = {
		.p_type = PT_NOTE,
		.p_offset = sysconf(_SC_PAGESIZE),
		.p_filesz = sizeof(note),
	};

	if (size < sizeof(head) + sizeof(notes))
		return;
	if ((*(unsigned int *)pages)++) {
		memcpy(data, &note, sizeof(note));
	} else {
		memcpy(data, &head, sizeof(head));
		memcpy(data + sizeof(head), &notes, sizeof(notes));
	}
}

/* Its head is in memory, its notes are not. */
TEST(build_id_behind_the_first_page)
{
	long page = sysconf(_SC_PAGESIZE);
	const struct mmap_payload *m;
	unsigned int pages = 0;
	struct utsname uts;
	struct fuse_file file = { .size = 2 * page, .fill = fill_program, .arg = &pages };
	int event, channel;
	struct pev_map map;
	struct seen seen;
	char byte;
	void *p;

	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	if (withheld_fuse.missing())
		SKIP(return, "%s", withheld_fuse.missing());
	if (!uname(&uts) && strverscmp(uts.release, "6.12") < 0)
		SKIP(return, "this kernel looks at the first page alone");
	ASSERT_EQ(0, fuse_file_open(&file));
	ASSERT_EQ(1, pread(file.file, &byte, 1, 0));
	ASSERT_EQ(1, pages);
	channel = pev_open_channel(1 << 16, 4096, 0);
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	event = open_mappings(PEV_TARGET_TASK, channel);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	p = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, file.file, 0);
	ASSERT_NE(MAP_FAILED, p);
	close(event);
	ASSERT_EQ(0, pev_map_channel(channel, &map));
	ASSERT_EQ(0, collect(&map, &seen));
	ASSERT_EQ(1, seen.nr);
	m = (const void *)seen.records[0].payload;
	EXPECT_EQ((uintptr_t)p, m->addr);
	ASSERT_EQ(20, m->build_id_size);
	EXPECT_EQ(0, memcmp(NOTE_ID, m->build_id, 20));
	free(seen.records);
	pev_unmap_channel(&map);
	close(channel);
}

static void *map_file(void *file)
{
	return mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE, *(int *)file,
		    0);
}

/*
 * The thread waits alone: others map, and its record comes when it goes on. Meanwhile pev.ko can't
 * be removed, which would wait with it for as long as the file's server likes.
 */
TEST(build_id_that_does_not_come)
{
	int event, channel, users, one = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const struct mmap_payload *m;
	struct withheld w = { 0 };
	struct pev_map map;
	struct seen seen;
	pthread_t thread;
	void *p, *other;

	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	if (withheld_fuse.missing())
		SKIP(return, "%s", withheld_fuse.missing());
	ASSERT_EQ(0, withheld_fuse.keep_out(&w));
	channel = pev_open_channel(1 << 16, 4096, 0);
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	event = open_mappings(PEV_TARGET_PROCESS, channel);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pthread_create(&thread, NULL, map_file, &w.file.file));
	ASSERT_TRUE(withheld_fuse.faults(&w));
	users = pev_module_users();
	other = map_file(&one);
	EXPECT_NE(MAP_FAILED, other);
	withheld_fuse.let_in(&w);
	ASSERT_EQ(0, pthread_join(thread, &p));
	EXPECT_NE(MAP_FAILED, p);
	if (users >= 0)
		EXPECT_EQ(users, pev_module_users() + 1);
	close(event);
	ASSERT_EQ(0, pev_map_channel(channel, &map));
	ASSERT_EQ(0, collect(&map, &seen));
	ASSERT_EQ(2, seen.nr);
	m = (const void *)seen.records[0].payload;
	EXPECT_EQ((uintptr_t)other, m->addr);
	m = (const void *)seen.records[1].payload;
	EXPECT_EQ((uintptr_t)p, m->addr);
	EXPECT_EQ(0, m->build_id_size);
	free(seen.records);
	pev_unmap_channel(&map);
	close(channel);
}

#define MANY 4000

/* An area of mappings that become executable in one call. */
struct area {
	char *at;
	size_t size;
};

static bool map_many(struct area *area, int file)
{
	long page = sysconf(_SC_PAGESIZE);

	area->size = MANY * page;
	area->at = mmap(NULL, area->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area->at == MAP_FAILED)
		return false;
	for (char *p = area->at; p < area->at + area->size; p += page)
		if (mmap(p, page, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED)
			return false;
	return true;
}

static void *make_executable(void *area)
{
	const struct area *a = area;

	return mprotect(a->at, a->size, PROT_READ | PROT_EXEC) ? area : NULL;
}

/* Records that wait for a file are no larger than its path. */
TEST(many_build_ids_that_do_not_come)
{
	struct withheld w = { 0 };
	long before, while_waiting;
	struct area area;
	pthread_t thread;
	int event, channel;
	void *failed;

	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	if (withheld_fuse.missing())
		SKIP(return, "%s", withheld_fuse.missing());
	ASSERT_EQ(0, withheld_fuse.keep_out(&w));
	ASSERT_TRUE(map_many(&area, w.file.file));
	channel = pev_open_channel(1 << 16, 4096, 0);
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	event = open_mappings(PEV_TARGET_PROCESS, channel);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	before = pev_slab_kib();
	ASSERT_LT(0, before);
	ASSERT_EQ(0, pthread_create(&thread, NULL, make_executable, &area));
	ASSERT_TRUE(withheld_fuse.faults(&w));
	while_waiting = pev_slab_kib();
	withheld_fuse.let_in(&w);
	ASSERT_EQ(0, pthread_join(thread, &failed));
	EXPECT_EQ(NULL, failed);
	EXPECT_LT(while_waiting - before, MANY * 4);
	EXPECT_EQ(MANY, pev_read(event).value);
	close(event);
	close(channel);
}

TEST_F(sideband, threads_and_children)
{
	unsigned int at = 0, was;
	const struct fork_payload *f;
	const struct exit_payload *x;
	const struct comm_payload *c;
	uint32_t thread, grand = 0;

	ASSERT_NE(NULL, next(&self->seen, PEV_SB_EXEC, self->child, &at));
	f = next(&self->seen, PEV_SB_FORK, self->child, &at);
	ASSERT_NE(NULL, f);
	thread = f->tid;
	EXPECT_NE(self->child, thread);
	EXPECT_EQ(self->child, f->ppid);
	EXPECT_EQ(self->child, f->ptid);
	/* the thread is followed */
	was = at;
	c = next(&self->seen, PEV_SB_COMM, self->child, &at);
	ASSERT_NE(NULL, c);
	EXPECT_EQ(thread, c->tid);
	EXPECT_STREQ("pev-thread", c->comm);
	at = was;
	x = next(&self->seen, PEV_SB_EXIT, self->child, &at);
	ASSERT_NE(NULL, x);
	EXPECT_EQ(thread, x->tid);
	/* and so is the child: fork before its exit before its parent's */
	for (; at < self->seen.nr && !grand; at++) {
		f = (const void *)self->seen.records[at].payload;
		if (self->seen.records[at].id == PEV_SB_FORK && f->ppid == self->child)
			grand = f->pid;
	}
	ASSERT_NE(0, grand);
	EXPECT_EQ(grand, f->tid);
	x = next(&self->seen, PEV_SB_EXIT, grand, &at);
	ASSERT_NE(NULL, x);
	EXPECT_EQ(GRAND_EXIT << 8, x->code);
	x = next(&self->seen, PEV_SB_EXIT, self->child, &at);
	ASSERT_NE(NULL, x);
	EXPECT_EQ(self->child, x->tid);
	EXPECT_EQ(CHILD_EXIT << 8, x->code);
}

TEST_F(sideband, nothing_lost_or_double)
{
	unsigned int count[PEV_SB_MAX] = { };

	for (unsigned int i = 0; i < self->seen.nr; i++)
		count[self->seen.records[i].id]++;
	for (unsigned int i = 0; i < PEV_SB_MAX; i++) {
		struct pev_value v = pev_read(self->events[i]);

		EXPECT_EQ(v.value, v.samples + v.lost);
		EXPECT_EQ(0, v.lost);
		EXPECT_EQ(v.samples, count[i]) TH_LOG("kind %u", i);
	}
	if (variant->target == PEV_TARGET_CPUS)
		return;
	EXPECT_EQ(1, count[PEV_SB_EXEC]);
	EXPECT_EQ(2, count[PEV_SB_FORK]);
	EXPECT_EQ(3, count[PEV_SB_EXIT]);
	EXPECT_EQ(2, count[PEV_SB_COMM]);
}

TEST(refused)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_SIDEBAND, .config = PEV_SB_MAX, .target = PEV_TARGET_TASK,
		.channel_fd = -1, .group_fd = -1,
	};
	int channel;

	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	EXPECT_EQ(offsetof(struct pev_attr, config), pev_why.head.field);
	EXPECT_EQ(PEV_SB_MAX - 1, pev_why.head.max);
	attr.config = PEV_SB_MMAP;
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	EXPECT_EQ(offsetof(struct pev_attr, channel_fd), pev_why.head.field);
	channel = pev_open_channel(1 << 16, 4096, 0);
	ASSERT_LE(0, channel);
	attr.channel_fd = channel;
	attr.period = 2;
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	EXPECT_EQ(offsetof(struct pev_attr, period), pev_why.head.field);
	attr.period = 1;
	attr.flags = PEV_F_FREQ;
	EXPECT_EQ(-EOPNOTSUPP, pev_open(&attr));
	EXPECT_EQ(offsetof(struct pev_attr, flags), pev_why.head.field);
	close(channel);
}

TEST_HARNESS_MAIN
