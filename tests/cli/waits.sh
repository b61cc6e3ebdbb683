#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# perfctl record --waits: what the kernel counts of threads' time, and the records of waits.
# lib is set by what is sourced
# shellcheck disable=SC2154,SC2016
. "$(dirname "$0")/lib/cli.bash"
build spin

# counted KEY TRACE: ns that the kernel counted
counted() {
	grep -o "$1=[0-9]*" "$2/info/record" | head -n 1 | grep -o '[0-9]*$'
}

# law TRACE: all time is run, blocked, runnable or folded, to the nanosecond
law() {
	local run blocked runnable folded
	run=$(counted ' run' "$1") blocked=$(counted ' blocked' "$1")
	runnable=$(counted ' runnable' "$1") folded=$(counted ' folded' "$1")
	[ "$(counted enabled "$1")" = $((run + blocked + runnable + folded)) ]
}

# time_of COMM FIELD FILE: sum over the threads of that name in a report as JSON
time_of() {
	python3 -c '
import json, sys
threads = json.load(open(sys.argv[3]))["time"]["threads"]
print(sum(t[sys.argv[2]] for t in threads if t["comm"] == sys.argv[1]))' "$@"
}

# sum FIELD TRACE: of all records
sum() {
	perfctl script -e pev:wait -F fields -i "$2" 2>/dev/null |
		awk -v f="$1" 'match($0, "(^| )" f "=[0-9]+") {
			split(substr($0, RSTART, RLENGTH), p, "="); n += p[2] } END { printf "%.0f\n", n }'
}

# ended TRACE: ns of each wait that has a record since it ended
ended() {
	perfctl script -e pev:wait -F fields -i "$1" 2>/dev/null | awk '{
		for (i = 1; i <= NF; i++) { split($i, p, "="); v[p[1]] = p[2] }
		if (int(v["flags"] / 4) % 2 == 0) printf "%.0f\n", v["blocked"] + v["runnable"] }'
}

# law_of_threads TRACE: the same for each thread, and for all of them as the kernel counted it
law_of_threads() {
	perfctl report -j - -i "$1" 2>/dev/null | python3 -c '
import json, sys
time = json.load(sys.stdin)["time"]
terms = ["run_ns", "blocked_ns", "runnable_ns", "folded_ns"]
for t in time["threads"]:
    assert t["enabled_ns"] == sum(t[k] for k in terms), t
    assert t["unknown_ns"] == 0, t
for k in ["enabled_ns"] + terms:
    assert time[k] == sum(t[k] for t in time["threads"]), (k, time)'
}

says "record --waits" 0 '^\[ all.trace: .*, nothing lost \]$' \
	perfctl record --waits=0 -o all.trace -- sh -c 'sleep 3 | cat'
ok "all time adds up" law all.trace
ok "... of each thread" law_of_threads all.trace
within "nothing is folded" "$(counted ' folded' all.trace)" 0 0
ok "the records have all that was blocked" test "$(sum blocked all.trace)" = "$(counted ' blocked' all.trace)"
ok "... and runnable" test "$(sum runnable all.trace)" = "$(counted ' runnable' all.trace)"
perfctl report -j all.json -i all.trace 2>/dev/null
perfctl off-cpu --wakers -i all.trace >wakers.txt 2>/dev/null
says "report: the law" 0 '^# run [0-9]+ \+ blocked [0-9]+ \+ runnable [0-9]+ \+ folded 0 = [0-9]+ ns, counted by the kernel$' \
	perfctl report --stdio -i all.trace
says "report: a sleeper" 0 ' s +[0-9.]+% +[0-9.]+% +[0-9.]+% +[0-9]+  sleep/[0-9]+$' perfctl report --stdio -i all.trace
within "... which was blocked for as long as it slept, and for what it read" "$(time_of sleep blocked_ns all.json)" \
	3000000000 60000000000
ok "off-cpu --wakers: a reader, and the writer that woke it" \
	grep -q 'cat: blocked in .*pipe_read, woken by sleep from ' wakers.txt
ok "off-cpu --wakers: a sleeper, and the timer" \
	grep -q 'sleep: blocked in .*nanosleep, woken by \[timer\] from hrtimer_wakeup' wakers.txt
ok "... the command itself first" bash -c 'grep -m 1 "^ .*%" wakers.txt | grep -q " sh: "'

perfctl record -q --waits -o long.trace -- sh -c 'sleep 0.3 | cat'
ok "waits below a millisecond are folded" law long.trace
within "... and have no records" "$(ended long.trace | sort -n | head -n 1)" 1000000 60000000000
ok "... but are counted" test "$(counted folded_waits long.trace)" -gt 0
ok "... for each thread" law_of_threads long.trace
says "report: ... which has a column" 0 '^# +Time +Run +Blocked +Runnable +Folded +Waits  Thread$' \
	perfctl report --stdio -i long.trace
ok "a record for each wait that is longer" \
	test "$(ended long.trace | wc -l)" = "$(counted ' waits' long.trace)"

# a thread takes the place of the first one of its process, and that one's number
cat >exec.py <<'END'
import os, threading, time
threading.Thread(target=lambda: os.execlp("sleep", "sleep", "0.1")).start()
time.sleep(60)
END
perfctl record -q --waits -o exec.trace -- python3 exec.py
ok "an exec by another thread than the first" law_of_threads exec.trace

# what is in the middle of something when the recording ends, or ends in its sleep
perfctl record -q --waits -o cut.trace --timeout 3 -- sh -c 'sleep 1000 & sleep 0.1; kill -9 $!; sleep 1000' \
	>/dev/null 2>&1
ok "threads that end blocked, or wait at the recording's end" law_of_threads cut.trace
within "off-cpu: the wait that has not ended" \
	"$(perfctl off-cpu --sort comm -j - -i cut.trace 2>/dev/null | python3 -c '
import json, sys
rows = json.load(sys.stdin)["events"][0]["rows"]
print(sum(r["weight"] for r in rows if r["comm"] == "sleep"))')" 1000000000 60000000000

# two that share a CPU: each of them runs as long as it says, and waits for the other
perfctl record -q --waits=0 -o spin.trace -- taskset -c 0 sh -c './spin 300 >one.txt & ./spin 300 >two.txt; wait'
perfctl report -j spin.json -i spin.trace 2>/dev/null
run=$(cat one.txt two.txt | awk '{ r += $1 } END { printf "%.0f\n", r }')
ok "of spinners, too" law spin.trace
within "a starved thread ran for as long as its clock says" "$(time_of spin run_ns spin.json)" \
	$((run * 99 / 100)) $((run * 101 / 100 + 100000000))
within "... and was runnable while the other ran" "$(time_of spin runnable_ns spin.json)" 300000000 60000000000
within "... which is all that it did" "$(time_of spin unknown_ns spin.json)" 0 0

chmod 777 .
says "a user without rights" 0 'nothing lost' setpriv --reuid 65534 --clear-groups \
	perfctl record --waits -o own.trace -- sleep 0.2
ok "... all time adds up" law own.trace
says "... and a wait is seen" 0 ' sleep: blocked in .*nanosleep' perfctl off-cpu --wakers -i own.trace

sleep 1000 &
sleeper=$!
says "-p: a process that runs" 0 'nothing lost' perfctl record --waits -p $sleeper -o p.trace --timeout 0.3
ok "... a wait that has not ended is counted" test "$(counted ' blocked' p.trace)" -gt 200000000
ok "... and all adds up" law p.trace
ok "... for its thread, too" law_of_threads p.trace
kill $sleeper
if command -v babeltrace2 >/dev/null; then
	ok "babeltrace2 reads it" test "$(babeltrace2 all.trace 2>/dev/null | grep ' pev:wait: ' | grep -cvE ' flags = (4|5|12),')" = "$(counted ' waits' all.trace)"
else
	skip "babeltrace2 reads it" "no babeltrace2"
fi
says "-a: waits are those of tasks" 1 'a task, a process or a subtree' perfctl record --waits -a -o a.trace -- true
says "--fold" 2 '--waits needs each single one' perfctl record --fold --waits -- true
finish
