# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# perfctl stat --engine perf: counts that are known.
stat="perfctl stat --engine perf"

says "stat: the usual counters" 0 ' msec task-clock .*CPUs utilized' $stat -- ./hot 50
says "stat: the command's status is passed on" 7 task-clock $stat -- sh -c 'exit 7'
says "stat: a command that is not there" 127 'cannot run no-such-command' $stat -- no-such-command
says "stat: an unknown engine" 2 'the engines are pev and perf' perfctl stat --engine oprofile -- true
says "stat: a group" 0 'page-faults' $stat -e '{task-clock,page-faults}:u' -- ./hot 20
if perfctl doctor --engine perf | grep -q 'hardware events *no PMU'; then
	says "stat -d: says what is missing, and counts the rest" 0 '^note: -d adds misses of caches, which need a PMU' \
		$stat -d -- true
else
	says "stat -d: misses of caches" 0 '% of L1d loads|this processor does not count' $stat -d -- ./hot 100
fi
says "stat -r" 0 '\(3 runs; \+- is the standard error of the mean\)' $stat -r 3 -e page-faults -- true
echo 3 >turns.n
$stat -r 2 -x, -o rate.csv -e task-clock,page-faults -- sh -c \
	'n=$(cat turns.n); echo $((n * 4)) >turns.n; ./hot $((n * 20)); ./usage 300 0' >hot.txt
within "stat -r: a rate is of the means" "$(awk -F, '$3 == "page-faults" {
	rate = $7; sub("/sec", "", $8); if ($8 ~ /^K/) rate *= 1000; faults = $1 }
	$3 == "task-clock" { ms = $1 } END { print rate / (faults / ms * 1000) }' rate.csv)" 0.999 1.001
$stat --timeout 200ms -x, -o timed.csv -e cpu-clock:u -- ./hot 20000
within "stat --timeout: ms that were counted" "$(stat_value cpu-clock:u timed.csv)" 1 400
$stat --delay "${slow}.3s" -x, -o late.csv -e page-faults:u -- sh -c \
	'./usage 5000 0 >/dev/null; exec sleep $0.6' "$slow"
within "stat --delay: faults of before are not counted" "$(stat_value page-faults:u late.csv)" 0 200
says "stat -I" 0 '^ +0\.[0-9]+ +[0-9.]+ msec task-clock' $stat -I 100 -e task-clock -- ./hot 250
echo 'engine = pref' >config.bad && sed -i '1i [stat]' config.bad
says "stat: an unknown engine in the configuration" 2 'in the configuration: the engines are' \
	env PERFCTL_CONFIG=config.bad perfctl stat -- true

$stat -x, -o faults.csv -e page-faults:u -- ./usage 3000 0 >faults.txt
known=$(awk '{ print $2 }' faults.txt)
# the program's last faults come after it asked, those of the exec before it began
within "stat: page faults of user mode, of $known by getrusage()" \
	"$(stat_value page-faults:u faults.csv)" 3000 $((known + 20))
if [ -n "$root" ]; then
	$stat -x, -o cs.csv -e context-switches,page-faults -- ./usage 1000 200 >cs.txt
	read -r _ _ _ known _ before <cs.txt
	# those before the exec are not counted, and some come after the question
	within "stat: context switches, of $known by getrusage(), $before before main()" \
		"$(stat_value context-switches cs.csv)" $((known - before)) $((known + 5))
	known=$(awk '{ print $2 }' cs.txt)
	within "stat: page faults, of $known by getrusage()" \
		"$(stat_value page-faults cs.csv)" $((known - 30)) $((known + 30))
	says "stat -a" 0 'Counts for the whole machine' $stat -a -e cs -- sleep 0.1
	says "stat -A: each CPU" 0 '^CPU0 ' $stat -A -a -e task-clock,cs -- sleep 0.1
	$stat -C 0 -x, -o cpu.csv -e cpu-clock -- sleep 0.2
	within "stat -C 0: one CPU's time in ms" "$(stat_value cpu-clock cpu.csv)" 190 60000
	says "stat -C: CPUs that are not there are told" 0 'CPUs 9998-9999 are not online' \
		$stat -C 0,9998-9999 -e cpu-clock -- true
	says "... one" 0 'CPU 9999 is not online' $stat -C 0,9999 -e cpu-clock -- true
	says "... and refused where there is no other" 1 '^perfctl: -C: none of these CPUs is online: 9999; online are 0' \
		$stat -C 9999 -e cpu-clock -- true
	says "stat --by cpu" 0 '^ +[0-9,]+  total$' $stat --by cpu -a -e cs -- sleep 0.1
	if [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ]; then
		$stat --by cgroup -a -j -o by.json -e cs -- ./usage 0 200 2>/dev/null
		ok "stat --by cgroup: each has what those below it have not" python3 -c '
import json
p = json.load(open("by.json"))
assert p["rows"] and p["events"][0]["rows"] == p["events"][0]["counter"], p'
	else
		skip "stat --by cgroup" "there is no cgroup v2 hierarchy"
	fi
else
	skip "stat: context switches and whole CPUs" "not root"
fi

./hot 600000 >/dev/null &
running=$!
(until_ok test -s running.csv && sleep 0.2 && kill $running) &
says "stat -p: a process that is there" 0 '^[0-9.]+,[0-9.]+,msec,task-clock:u' bash -c \
	"$stat -I 50 -x, -o running.csv -e task-clock:u -p $running && cat running.csv"
wait
./hot 600000 >/dev/null &
running=$!
until_ok grep -q hot /proc/$running/comm
$stat --by process -j -o by.json -e task-clock:u,page-faults:u -p $running,$$ -- sleep 0.2
kill $running
wait $running 2>/dev/null
ok "stat --by process: whose time it was" python3 -c '
import json, sys
p = json.load(open("by.json"))
busy = p["rows"][0]
assert busy["process"] == int(sys.argv[1]) and busy["comm"] == "hot", busy
assert p["events"][0]["rows"] == p["events"][0]["counter"] == sum(
	r["counts"][0] for r in p["rows"]), p' "$running"
# the process is there long before it does what is counted
later='(sleep 0.5; exec ./usage 3000 0) & (sleep 0.7; exec ./usage 5000 0) & wait'
for by in process thread; do
	$stat --by $by -j -o later.json -e page-faults:u,task-clock:u -- sh -c "$later" 2>later.err
	ok "stat --by $by: what the command begins later has its own rows" python3 -c '
import json, sys
p = json.load(open("later.json"))
counts = sorted((r["counts"][0] for r in p["rows"] if r["comm"] == "usage"), reverse=True)
assert len(counts) == 2 and 5000 <= counts[0] < 6000 and 3000 <= counts[1] < 4000, p'
	ok "... which add up" rows_add_up later.json
	# if nothing was missed, there is nothing to say
	ok "... with how exact it is" sh -c "grep -q '^note: .* threads that began meanwhile ([0-9]*) had counters' later.err ||
		! grep -q '\"other\": [1-9]' later.json"
done
$stat --by comm -I 50 -j -o i.json -e page-faults:u -- sh -c "$later" 2>/dev/null
ok "stat --by comm -I: each interval adds up" rows_add_up i.json
ok "... all together, too" python3 -c '
import json
lines = [json.loads(l) for l in open("i.json")]
assert len(lines) > 5 and sum(l["events"][0]["counter"] for l in lines) >= 8000, lines'
$stat --by thread --rows 1 -j -o one.json -e page-faults:u -- sh -c "$later" 2>/dev/null
ok "stat --by thread --rows 1: the rest is told" python3 -c '
import json
p = json.load(open("one.json"))
assert len(p["rows"]) == 1 and p["events"][0]["other"] >= 3000, p'
ok "... and adds up" rows_add_up one.json
says "stat --by comm -x: other and total" 0 '^\(total\),[0-9]+,,page-faults:u,' \
	$stat --by comm -x, -o - -e page-faults:u -- sh -c "$later"
says "stat --by thread -a: of which threads" 69 'counts the threads of a command, or of -p, -t and' \
	$stat --by thread -a -- true
says "stat --by: two names" 69 'takes one name there' $stat --by comm,cpu -p $$ -- true
says "stat --by: a slip" 2 'did you mean "cgroup"' $stat --by cgruop -- true
cp hot hot-by-its-long-name
./hot-by-its-long-name 600000 >/dev/null &
running=$!
until_ok grep -q hot-by /proc/$running/comm
says "stat -p NAME: its process" 0 "Counts for process hot-by-its-long-name \\($running\\):" \
	$stat -e task-clock:u -p hot-by-its-long-name -- sleep 0.1
says "stat -p NAME,PID" 0 "Counts for processes hot-by-its-long,$$ \\($running, $$\\):" \
	$stat -e task-clock:u -p "hot-by-its-long,$$" -- sleep 0.1
kill $running
wait $running 2>/dev/null
says "stat -p: no process of that name" 1 'no process of the name "hot-by".*ps -eo' $stat -p hot-by
says "stat -a -G: the cgroup alone" 2 'cgroup no-such-cgroup: No such file' $stat -a -G no-such-cgroup
says "stat -t: a name is no thread" 2 '"hot" is not the number of a thread' $stat -t hot
$stat -e task-clock:u -p $$ -- sleep 0.1 2>other.txt
ok "stat -p: no times of the command that only waits" bash -c \
	'grep -q "seconds time elapsed" other.txt && ! grep -qE "seconds (user|sys)" other.txt'
says "stat -p: one that is not" 1 'there is no process 999999' $stat -p 999999

# by part: the parts together are the whole
if [ -n "$root" ]; then
	for by in cpu core socket node; do
		$stat -a -j --per-$by -e page-faults -o by.json -- ./tree 3 3 100
		ok "stat --per-$by: has the faults" python3 -c '
import json, sys
lines = [json.loads(line) for line in open("by.json")]
key = sys.argv[1]
assert sum(int(line["counter-value"]) for line in lines) >= 100, lines
assert all(isinstance(line[key], int) for line in lines), lines
assert len({(line.get("socket"), line[key]) for line in lines}) == len(lines), lines' $by
	done
	says "stat --per-core: a table" 0 '^S[0-9]+-D[0-9]+-C[0-9]+ +[0-9]+ +[0-9,]+ +page-faults' \
		$stat -a --per-core -e page-faults -- ./tree 3 3 100
	says "stat --per-socket -I" 0 '^#  +time/sec socket  cpus +counts unit event' \
		$stat -a --per-socket -I 50 -e page-faults -- ./tree 3 3 100
else
	skip "stat --per-core" "not root"
fi
says "stat: two kinds of parts" 2 '\-\-per-core and --per-node exclude each other' \
	$stat --per-core --per-node -- true
says "stat --per-core: of a command" 2 '\-\-per-core: .* with -a, -C and -G only' \
	$stat --per-core -- true
cat >busy.py <<'EOP'
import threading
def busy():
    while True:
        sum(range(1000))
threading.Thread(target=busy).start()
open("two", "w").close()
busy()
EOP
python3 busy.py &
running=$!
until_ok test -e two
cat >two.py <<'EOP'
import json
lines = [json.loads(line) for line in open("by.json")]
assert {line["comm"] for line in lines} <= {"python3"}, lines
raise SystemExit(len({line["tid"] for line in lines}) != 2)
EOP
both_seen() {
	$stat -j --per-thread -e task-clock:u -p $running -o by.json -- sleep 0.1 && python3 two.py
}
until_ok both_seen
ok "stat --per-thread: each of two" both_seen
kill $running
wait $running 2>/dev/null
says "stat --per-thread: of a command" 2 'give processes with -p or threads with -t' \
	$stat --per-thread -- true

if [ -n "$tracepoints" ]; then
	e=raw_syscalls:sys_enter
	$stat -x, -o one.csv -e $e --filter "id == $getppid" -- ./tree 0 0 1000
	within "stat: one process, its 1000 calls" "$(stat_value $e one.csv)" 1000 1000
	$stat -x, -o tree.csv -e $e --filter "id == $getppid" -- ./tree 3 3 100
	within "stat: a tree of 40 processes, all calls" "$(stat_value $e tree.csv)" 4000 4000
	$stat -x, -o threads.csv -e $e --filter "id == $getppid" -- ./tree 2 2 100 threads
	within "stat: 7 processes with a thread each" "$(stat_value $e threads.csv)" 700 700
	$stat -x, -o fork.csv -e sched:sched_process_fork -- ./tree 3 3 1
	within "stat: 39 forks" "$(stat_value sched:sched_process_fork fork.csv)" 39 39
	says "stat: a filter that makes no sense" 2 'does not understand the filter' \
		$stat -e $e --filter 'nonsense ==' -- true
	says "stat: a filter of a software event" 1 'filters tracepoints and probes only' \
		$stat -e page-faults --filter 'comm == "hot"' -- true
	says "stat: an unknown tracepoint" 2 'did you mean "sched:sched_switch"' \
		$stat -e sched:sched_swich -- true
else
	skip "stat: tracepoints" "tracefs cannot be read here"
fi

if [ -n "$root" ] && [ -e /sys/bus/event_source/devices/msr/events/tsc ]; then
	$stat -x, -o msr.csv -e msr/tsc/,msr/event=0x00,name=code/ -- ./hot 100 >hot.txt
	within "stat: an event of a PMU of sysfs" "$(stat_value msr/tsc/ msr.csv)" 100000 1e12
	within "stat: the same by its code" "$(stat_value code msr.csv)" 100000 1e12
	if command -v strace >/dev/null; then
		# the PMU counts at any level, so that what it was asked for shows
		ok "stat: the level of precision is handed on" bash -c \
			"strace -f -v -e trace=perf_event_open $stat -e msr/tsc/pp -- true 2>&1 |
			 grep -q 'precise_ip=2'"
	else
		skip "stat: the level of precision is handed on" "strace is not installed"
	fi
	says "stat: an event that the PMU does not have" 2 'no "tsk"; it has .*tsc' \
		$stat -e msr/tsk/ -- true
	says "stat: more bits than the field has" 2 'more bits than config:0' \
		$stat -e uprobe/retprobe=2/ -- true
	says "stat: a value that is no number" 2 '"x" is not a number' $stat -e msr/event=x/ -- true
	says "record: a PMU that takes no samples" 2 'takes no samples.*perfctl stat' \
		perfctl record --engine perf -q -e msr/tsc,period=100/ -o no.trace -- true
else
	skip "stat: PMUs of sysfs" "not root, or the machine has no PMU msr"
fi
