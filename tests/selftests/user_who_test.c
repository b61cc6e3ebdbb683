// SPDX-License-Identifier: GPL-2.0
/*
 * Whose a producer is, where several processes have had its memory, and what its threads find
 * in the gate.
 */
#include <pthread.h>
#include "kselftest_harness.h"
#include "pev_child.h"
#include "user_util.h"

#define OTHER_USER 54321
#define LISTENERS 60

/* Does this kernel know to which process a memory belongs? */
static bool knows_owners(void)
{
	char line[128];
	bool found = false;
	FILE *f = fopen("/proc/cgroups", "r");

	while (f && fgets(line, sizeof(line), f))
		found |= !strncmp(line, "memory\t", 7);
	if (f)
		fclose(f);
	return found;
}

/* Has another process look at its gate first, which ends. */
static void lends_and_waits(struct pev_child *c, const struct space *s)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(!s->gate->id);
	pev_child_say(c, reap(pid));
	pev_child_wait(c);
	_exit(0);
}

TEST(who_looked_first_has_ended)
{
	struct user_seen seen;
	struct pev_child c;
	struct space s;
	int fd;

	NEEDS_PEV();
	if (!knows_owners())
		SKIP(return, "without CONFIG_MEMCG nobody knows whose memory it is");
	/* root need not ask who may be traced */
	if (!geteuid())
		ASSERT_EQ(0, pev_become(OTHER_USER, -1));
	ASSERT_EQ(0, begin(&s));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid)
		lends_and_waits(&c, &s);
	EXPECT_EQ(0, pev_child_hear(&c));
	fd = user_listen("shop:*", PEV_TARGET_PROCESS, c.pid, 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, user_next(fd, 0, &seen));
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
	close(fd);
	end(&s);
}

/* Has another process look at its gate first, which becomes another user's program. */
static void lends_to_another(struct pev_child *c, const struct space *s)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		_exit(1);
	pid = vfork();
	if (!pid) {
		if (s->gate->id && dup2(ready[1], 1) == 1)
			execl("/proc/self/exe", "user_who_test", "--become", NULL);
		_exit(1);
	}
	close(ready[1]);
	pev_child_say(c, read(ready[0], &byte, 1) == 1 ? pid : -1);
	pev_child_wait(c);
	kill(pid, SIGKILL);
	_exit(0);
}

/* What lends_to_another() runs. */
static __attribute__((constructor)) void become(int argc, char **argv)
{
	if (argc != 2 || strcmp(argv[1], "--become"))
		return;
	if (!pev_become(OTHER_USER, -1) && write(1, "", 1) == 1)
		pause();
	_exit(1);
}

/* Its new user may trace that one, and sees nothing of the program that has the memory. */
TEST(who_looked_first_is_another_program)
{
	struct pev_child c;
	struct space s;
	pid_t lent, pid;

	PEV_NEEDS_ROOT(return );
	ASSERT_EQ(0, begin(&s));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid)
		lends_to_another(&c, &s);
	lent = (pid_t)pev_child_hear(&c);
	ASSERT_LT(0, lent);
	pid = fork();
	if (!pid) {
		struct user_seen seen;
		int fd;

		if (pev_become(OTHER_USER, -1))
			_exit(9);
		fd = user_listen("*", PEV_TARGET_PROCESS, lent, 0);
		if (fd < 0)
			_exit(1);
		_exit(user_next(fd, 0, &seen) == -EAGAIN ? 0 : 2);
	}
	EXPECT_EQ(0, reap(pid));
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
	end(&s);
}

/* Two threads that look at the gate at the same time, and what the second one finds. */
struct lookers {
	const struct space *space;
	unsigned int arrived;
	uint8_t found;
};

static uint8_t look(struct lookers *lookers)
{
	__atomic_add_fetch(&lookers->arrived, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&lookers->arrived, __ATOMIC_SEQ_CST) < 2)
		pev_relax();
	return lookers->space->gate->on[0];
}

static void *look_too(void *arg)
{
	struct lookers *lookers = arg;

	lookers->found = look(lookers);
	return NULL;
}

/* In a child that was not at its gate before. Return: did both threads find the mark on? */
static bool both_find_it_on(const struct space *s)
{
	struct lookers lookers = { .space = s };
	uint8_t found;
	pthread_t thread;

	if (pthread_create(&thread, NULL, look_too, &lookers))
		return false;
	found = look(&lookers);
	pthread_join(thread, NULL);
	return found && lookers.found;
}

/* Neither runs on with marks off while the other one is still told of those who listen. */
TEST(threads_that_look_at_once)
{
	unsigned int rounds = pev_kernel_is_slow() ? 50 : 200, missed = 0;
	int fds[LISTENERS];
	struct space s;

	NEEDS_PEV();
	/* the one that is meant comes last */
	for (unsigned int i = 0; i < LISTENERS; i++) {
		bool last = i == LISTENERS - 1;

		fds[i] = user_listen(last ? "shop:*" : "other:*", PEV_TARGET_SUBTREE, 0, 0);
		ASSERT_LE(0, fds[i]);
	}
	ASSERT_EQ(0, begin(&s));
	ASSERT_EQ(1, s.gate->on[0]);
	for (unsigned int i = 0; i < rounds; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(!both_find_it_on(&s));
		missed += reap(pid) != 0;
	}
	EXPECT_EQ(0, missed);
	for (unsigned int i = 0; i < LISTENERS; i++)
		close(fds[i]);
	end(&s);
}

TEST_HARNESS_MAIN
