#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# perfctl stat: counts that are known, every output form, exit statuses.
. "$(dirname "$0")/lib/cli.bash"
build hot
build tree

says "the usual counters" 0 ' msec task-clock .*CPUs utilized' perfctl stat -- ./hot 100
says "the command's status is passed on" 7 'task-clock' perfctl stat -- sh -c 'exit 7'
says "a command that dies by a signal" 137 'task-clock' perfctl stat -- sh -c 'kill -9 $$'
says "a command that is not there" 127 'cannot run no-such-command: No such file' \
	perfctl stat -- no-such-command
says "a command that cannot be executed" 126 'cannot run /etc/passwd' perfctl stat -- /etc/passwd
says "nothing to measure" 2 'what is to be measured' perfctl stat
says "an unknown event" 2 'did you mean "page-faults"' perfctl stat -e page-fualts true
says "a tracepoint without its system" 2 'did you mean "sched:sched_switch"\?' perfctl stat -e sched_switch true
says "... mistyped" 2 'did you mean "sched:sched_switch"\?' perfctl stat -e sched_swich true
says "... of a system call" 2 'did you mean "syscalls:sys_enter_openat"\?' perfctl record -e sys_enter_openat true
says "... as a glob" 2 'did you mean "\*:sched_wak\*"\?' perfctl stat -e 'sched_wak*' true
says "an unknown tracepoint" 2 'did you mean "sched:sched_switch"' \
	perfctl stat -e sched:sched_swich true
says "a hardware event" 2 'no PMU here' perfctl stat -e cycles true
says "a process that is not there" 1 'there is no process 999999' perfctl stat -p 999999
says "two targets" 2 'exclude each other' perfctl stat -a -p 1

says "a timer's clock is counted" 0 '^ +[0-9.]+ msec task-clock' perfctl stat -e timer/task-clock true

# counts that are known exactly
e=raw_syscalls:sys_enter
perfctl stat -x, -o one.csv -e $e --filter 'id == 110' -- ./tree 0 0 1000
within "one process: its 1000 calls" "$(stat_value $e one.csv)" 1000 1000
perfctl stat -x, -o tree.csv -e $e --filter 'id == 110' -- ./tree 3 3 100
within "a tree of 40 processes: all calls of all" "$(stat_value $e tree.csv)" 4000 4000
perfctl stat -x, -o threads.csv -e $e --filter 'id == 110' -- ./tree 2 2 100 threads
within "7 processes with a thread each" "$(stat_value $e threads.csv)" 700 700
perfctl stat -x, -o fork.csv -e sched:sched_process_fork -- ./tree 3 3 1
within "39 forks" "$(stat_value sched:sched_process_fork fork.csv)" 39 39

perfctl stat -x, -o group.csv -e '{task-clock,cs,page-faults}' -- ./hot 100
within "a group: task-clock in ms" "$(stat_value task-clock group.csv)" 20 2000
within "a group: page faults" "$(stat_value page-faults group.csv)" 10 10000
says "-r: means and deviations" 0 'page-faults .*\( \+- +[0-9.]+% \)' perfctl stat -r 3 -- ./tree 1 1 10
says "-r: number of runs" 0 "Counts for './tree 1 1 10' \(3 runs; .*of the mean\)" perfctl stat -r 3 -- ./tree 1 1 10
perfctl stat -x, -r 3 -o r.csv -e $e --filter 'id == 110' -- ./tree 1 1 50
within "-r: the mean of equal runs" "$(stat_value $e r.csv)" 100 100
ok "-r -x: the deviation is a column" grep -q ",$e,0.00%," r.csv
perfctl stat -I 100 -x, -o i.csv -e task-clock -- ./hot 450
within "-I 100: a line each 100 ms" "$(wc -l <i.csv)" 3 8
ok "-I: time stamps grow" bash -c 'cut -d, -f1 i.csv | sort -c -n'
says "-I: table" 0 '^ +0\.[0-9]+ +[0-9.]+ msec task-clock' perfctl stat -I 100 -e task-clock -- ./hot 250
perfctl stat -j -o j.json -- ./hot 50
ok "-j: a JSON object a line" python3 -c '
import json
rows = [json.loads(l) for l in open("j.json")]
assert [r["event"] for r in rows] == ["task-clock", "context-switches", "cpu-migrations", "page-faults"], rows
assert rows[0]["counter-value"] > 0 and rows[0]["unit"] == "msec", rows'
says "-A: each CPU" 0 '^CPU1 ' perfctl stat -A -a -e task-clock,cs -- sleep 0.1
perfctl stat -A -a -x, -o cpus.csv -e sched:sched_switch -- ./hot 200
perfctl stat -a -x, -o machine.csv -e sched:sched_switch -- ./hot 200
ok "-A: CPUs' counts are there" bash -c '[ "$(grep -c "^CPU[01],[0-9]" cpus.csv)" = 2 ]'
within "-a: switches of the whole machine" "$(stat_value sched:sched_switch machine.csv)" 2 100000
says "-C: one CPU" 0 "Counts for CPUs 1" perfctl stat -C 1 -e cs -- sleep 0.1
says "-o: a file that cannot be written" 74 'No such file' perfctl stat -o /no/such/file true

# attached to what runs
./hot 300000 >/dev/null &
pid=$!
says "-p with a command that says how long" 0 'task-clock' perfctl stat -p $pid -- sleep 0.3
says "--subtree of a running process" 0 'task-clock' perfctl stat --subtree $pid -- sleep 0.2
says "-t of a running thread" 0 'task-clock' perfctl stat -t $pid -- sleep 0.2
perfctl stat -p $pid -x, -o p.csv -e task-clock -- sleep 0.5
within "-p: a busy process runs most of the time (ms)" "$(stat_value task-clock p.csv)" 100 30000
timeout -s INT 4 perfctl stat -p $pid -o int.txt
ok "Ctrl-C ends it and prints" grep -q task-clock int.txt
kill $pid
wait 2>/dev/null
sleep 3 &
says "-p without a command ends with the process" 0 'context-switches' perfctl stat -p $!

if [ -d /sys/fs/cgroup ] && mkdir /sys/fs/cgroup/pevcli 2>/dev/null; then
	perfctl stat -G pevcli -x, -o g.csv -e $e --filter 'id == 110' -- \
		sh -c 'echo $$ >/sys/fs/cgroup/pevcli/cgroup.procs; exec ./tree 1 1 100'
	within "-G: calls in a cgroup" "$(stat_value $e g.csv)" 200 200
	rmdir /sys/fs/cgroup/pevcli 2>/dev/null
else
	skip "-G: calls in a cgroup" "no cgroup v2"
fi
says "-G: no such cgroup" 2 'cgroup no/such: No such file' perfctl stat -G no/such true
says "a filter with a mistake: the kernel's words" 2 "$e: .*(field|filter|syntax|parse)" \
	perfctl stat -e $e --filter 'nofield == 1' true

# by part, of a command, too
for by in cpu core socket node; do
	perfctl stat -j --per-$by -e page-faults -o by.json -- ./tree 3 3 100
	within "--per-$by of a command: its faults" "$(grep -o '"counter-value": [0-9]*' by.json |
		awk '{ n += $2 } END { print n }')" 100 1000000
done

says "an event of tasks that have ended: why there is none" 0 'sched_process_exit comes when a task has ended' \
	perfctl stat -e sched:sched_process_exit -- true
perfctl stat -x, -o exits.csv -a -e sched:sched_process_exit -- ./tree 3 3 1 2>exits.err
within "... with -a they are there" "$(stat_value sched:sched_process_exit exits.csv)" 39 100000
ok "... and nothing is said" bash -c '! grep -q "comes when a task" exits.err'

# software events know what is common to all
perfctl stat -x, -o sw.csv -e page-faults --filter 'comm == "no such"' -e minor-faults \
	--filter 'comm == "hot"' -e faults/name=all/ -- ./hot 10
within "a filter of a software event: none of another program" \
	"$(stat_value page-faults sw.csv)" 0 0
within "... those of this one" "$(stat_value minor-faults sw.csv)" 1 \
	"$(stat_value all sw.csv)"
says "a filter of a hardware event" 2 'cycles cannot have a filter, as a PMU counts it' \
	perfctl stat -e cycles --filter 'cpu == 0' true
says "... of a clock, which counts no occurrences" 1 'task-clock: .*filter' \
	perfctl stat -e task-clock --filter 'cpu == 0' true
finish
