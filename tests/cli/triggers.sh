#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# Triggers: record --start-on, --stop-on and --snapshot-on. What is recorded are system calls
# of getppid(), which tree makes, one for each that is asked for.
. "$(dirname "$0")/lib/cli.bash"
build hot
build tree
e=syscalls:sys_enter_getppid
marked='sched:sched_process_exec if filename ~ "*hot"'

perfctl record -e $e -o all -- ./tree 0 0 300 >/dev/null 2>&1
calls=$(records all $e)
within "without a trigger: all calls" "$calls" 300 1000
# the shell makes calls of its own when it begins
perfctl record -e $e -o all -- sh -c './tree 0 0 300; ./hot 1' >/dev/null 2>&1
first=$(records all $e)

# start
says "--start-on: what came before is counted" 0 'came while nothing was to be recorded' \
	perfctl record -e $e --start-on "$marked" -o start -- \
	sh -c './tree 0 0 500; ./hot 1; ./tree 0 0 300'
ok "--start-on: what comes then" [ "$(records start $e)" = "$calls" ]
ok "... and the trigger before it" bash -c \
	'perfctl script -F event start | grep -E "getppid|process_exec" | head -n 1 | grep -q process_exec'
perfctl record -e $e --start-on "$marked" -o never -- ./tree 0 0 300 2>never.txt
ok "--start-on: nothing, if it never happens" [ "$(records never $e)" = 0 ]
ok "... which is said" grep -q 'happened 0 times' never.txt

# stop
perfctl record -e $e --stop-on "$marked" -o stop -- \
	sh -c './tree 0 0 300; ./hot 1; ./tree 0 0 500' >/dev/null 2>stop.txt
ok "--stop-on: what came before" [ "$(records stop $e)" = "$first" ]
ok "... the end is said" grep -q 'the recording ends, as --stop-on says' stop.txt
ok "... and the trigger is the last one" bash -c \
	'perfctl script -F event -e "*getppid,*process_exec" stop | tail -n 1 | grep -q process_exec'

# both: windows
perfctl record -e $e --start-on "$marked" \
	--stop-on 'sched:sched_process_exec if filename ~ "*true"' -o both -- \
	sh -c 'for i in 1 2 3; do ./hot 1; ./tree 0 0 300; /bin/true; ./tree 0 0 500; done' \
	>/dev/null 2>both.txt
ok "--start-on and --stop-on: three windows" [ "$(records both $e)" = $((3 * calls)) ]
ok "... are counted" grep -q 'started the recording 3 times' both.txt
ok "... both ways" grep -q 'stopped the recording 3 times' both.txt

# the flight recorder
perfctl record --overwrite -m 64K -e $e --snapshot-on "$marked" -o flight -- \
	sh -c './tree 0 0 20000; ./hot 1; ./tree 0 0 20000' >/dev/null 2>flight.txt
ok "--snapshot-on: a snapshot" grep -q 'snapshot written to flight.1' flight.txt
within "... of what led there" "$(records flight.1 $e)" 100 19999
ok "... ends with the trigger" bash -c \
	'perfctl script -F event -e "*getppid,*process_exec" flight.1 | tail -n 1 | grep -q process_exec'
within "... and it went on" "$(records flight $e)" 100 40000
perfctl record --overwrite -m 64K -e $e --snapshot-on "$marked" -o last -- \
	sh -c './tree 0 0 300; exec ./hot 1' >/dev/null 2>last.txt
ok "--snapshot-on: the command's last act" grep -q 'snapshot written to last.1' last.txt
ok "... has what led there" [ "$(records last.1 $e)" = "$first" ]
perfctl record --overwrite -m 64K -e $e --stop-on "$marked" -o kept -- \
	sh -c './tree 0 0 300; ./hot 1; ./tree 0 0 50000' >/dev/null 2>kept.txt
ok "--overwrite --stop-on: what led there is kept" [ "$(records kept $e)" = "$first" ]

# what makes no sense
says "--snapshot-on without --overwrite" 2 'is for --overwrite' \
	perfctl record --snapshot-on "$marked" -o no -- true
says "a trigger that takes samples" 2 'takes samples all the time' \
	perfctl record --stop-on cpu-clock -o no -- true
says "--fold" 2 'which --fold has none of' \
	perfctl record --fold --stop-on "$marked" -o no -- true
says "no such event" 2 'sched:sched_proces_exec' \
	perfctl record --stop-on sched:sched_proces_exec -o no -- true
says "no such field" 2 'nosuchfield' \
	perfctl record --stop-on 'sched:sched_process_exec if nosuchfield ~ "x"' -o no -- true
if perfctl doctor --engine perf >/dev/null 2>&1 || [ $? != 69 ]; then
	says "by perf_event_open(2)" 1 'needs a kernel with pev' \
		perfctl record --engine perf --stop-on page-faults -o no -- true
fi
finish
