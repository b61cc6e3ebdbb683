// SPDX-License-Identifier: GPL-2.0
/* What /proc says of a process: names with all that they may have. */
#include "procs/stat.h"
#include "tests.h"

#include <unistd.h>

#define REST " 1 1 0 -1 4194560 2 3 4 5 6 7 8 9 20 0 1 0 123456 1 2 3\n"

void test_proc(void)
{
	struct proc_stat s;

	OK(proc_stat_parse(&s, "7 (cat) S 3" REST) && s.state == 'S' && s.ppid == 3 &&
		   s.start == 123456,
	   "a process's state, parent and start");
	IS_STR(s.comm, "cat", "... and name");
	OK(proc_stat_parse(&s, "7 (a) R 9 (b)) Z 4" REST) && s.ppid == 4 && s.state == 'Z',
	   "a name that looks like the rest");
	IS_STR(s.comm, "a) R 9 (b)", "... as it is");
	OK(proc_stat_parse(&s, "7 (a\nb c) D 5" REST) && s.ppid == 5, "one with a newline");
	OK(proc_stat_parse(&s, "7 () R 6" REST) && s.ppid == 6 && !*s.comm, "none");
	OK(proc_stat_parse(
		   &s,
		   "7 (kworker/u4:2-events_unbound_and_a_name_that_is_longer_than_all_names) I 2" REST) &&
		   strlen(s.comm) == sizeof(s.comm) - 1,
	   "a long one is cut");
	OK(proc_stat_parse(&s, "7 (CPU 0/KVM) S 3 1 1 0 -1 4194560 2 3 4 5 6 7 8 9 20 0 1 0 123456 "
			       "23 -24 25 26 27 28 29 30 31 32 33 34 35 36 37 -38 39 40 41 42 "
			       "4300 44\n") &&
		   s.start == 123456 && s.guest == 4300,
	   "time in a guest, field 43");
	OK(proc_stat_parse(&s, "7 (cat) S 3" REST) && !s.guest, "a kernel that does not say it");
	OK(!proc_stat_parse(&s, "") && !s.ppid && !s.start, "no text");
	OK(!proc_stat_parse(&s, "7 (cat) S 3") && !s.ppid, "a text that is cut");
	OK(!proc_stat_parse(&s, ") (") && !proc_stat_parse(&s, "7 cat S 3" REST), "no name");
	OK(proc_stat_read(&s, (uint32_t)getpid()) && s.ppid == (uint32_t)getppid() && s.start,
	   "this process");
	OK(proc_stat_thread(&s, (uint32_t)getpid(), (uint32_t)getpid()) && *s.comm && s.start,
	   "one of its threads");
	OK(!proc_stat_thread(&s, (uint32_t)getpid(), UINT32_MAX) && !*s.comm,
	   "a thread that is not there");
	OK(!proc_stat_read(&s, UINT32_MAX) && !s.ppid, "one that is not there");
	IS_NUM(proc_of_thread(gettid()), getpid(), "the process of a thread");
}
