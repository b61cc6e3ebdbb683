# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# Counts by key, of records that are added up as they come: of numbers that are known.
hist() { perfctl hist --engine perf "$@"; }
copy=(dd if=/dev/zero of=/dev/null bs=3000 count=50)
says "hist: each fault of a program, and that they were added up here" 0 \
	'^([0-9,]+) occurrences = \1 in rows \+ 0 other \+ 0 lost \+ 0 filtered$' \
	hist -e page-faults:u -- ./usage 500 0
says "... said so" 0 '^note: each occurrence is recorded' hist -e page-faults:u -- true
says "... by call, of what has none" 69 'or events of system calls' hist -e page-faults call -- true
cgroups= made=
while read -r _ at type _; do
	[ "$type" != cgroup2 ] || cgroups=$at
done </proc/mounts
[ -z "$root" ] || [ -z "$cgroups" ] || made=$cgroups/pev-native.$$
if [ -z "$made" ] || ! mkdir "$made" "$made/sub" 2>/dev/null; then
	made=
elif grep -q ':perf_event:' /proc/self/cgroup; then
	rmdir "$made/sub" "$made" && made=
fi
if [ -n "$made" ]; then
	# where no service manager runs, no cgroup has the controller until this file is written
	if [ -n "${PEV_VM:-}" ] && [ -z "$(cat "$cgroups/cgroup.subtree_control")" ]; then
		says "by cgroup: where none has the controller" 2 'no cgroup has the controller perf_event: .*subtree_control' \
			hist -e page-faults:u cgroup -- true
		says "stat -G: a cgroup without the controller" 2 'no controller perf_event: .*subtree_control' \
			perfctl stat --engine perf -G "$made" -e cs -- true
		echo +pids >"$cgroups/cgroup.subtree_control"
	fi
	# faults of programs that are in their cgroups before they begin
	in_both="(echo 0 >$made/cgroup.procs && exec ./usage 3000 0) & (echo 0 >$made/sub/cgroup.procs && exec ./usage 5000 0)
		wait"
	hist -j -o groups.json -e page-faults:u cgroup comm -- sh -c "$in_both" >/dev/null 2>&1
	ok "by cgroup: the faults of each" python3 -c '
import json, sys
t = json.load(open("groups.json"))
got = {r["key"]["cgroup"]: r["count"] for r in t["table"] if r["key"]["comm"] == "usage"}
above, below = "/" + sys.argv[1], "/" + sys.argv[1] + "/sub"
assert {above, below} == set(got), t
assert 3000 <= got[above] < 3500 and 5000 <= got[below] < 5500, t
assert t["generated"]["count"] == sum(r["count"] for r in t["table"]), t' "${made##*/}"
	perfctl stat --engine perf --by cgroup -j -o by_group.json -e page-faults:u -- sh -c \
		"(sleep 0.5; $in_both) & wait" >/dev/null 2>by_group.err
	ok "stat --by cgroup: of a command" python3 -c '
import json, sys
p = json.load(open("by_group.json"))
got = {r["cgroup"]: r["counts"][0] for r in p["rows"]}
other = p["events"][0]["other"]
above, below = "/" + sys.argv[1], "/" + sys.argv[1] + "/sub"
# what is (other) was before they had counters of their own
assert 3000 - other <= got[above] < 3600 and 5000 - other <= got[below] < 5600, p' "${made##*/}"
	ok "... which adds up" rows_add_up by_group.json
	ok "... with what may be wrong" grep -q '^note: .* goes to the cgroup that it is in then$' by_group.err
	until_ok sh -c "rmdir $made/sub; rmdir $made"
else
	for what in "by cgroup: the faults of each" "stat --by cgroup: of a command" "... which adds up" \
		"... with what may be wrong"; do
		skip "$what" "there are no cgroups of version 2"
	done
fi
says "... by request: what is in the way" 69 'hist by request needs a kernel with pev' hist -e page-faults request -- true
says "... a field that is not there" 2 'page-faults has no field "no_such"' hist -e page-faults no_such -- true
hist -j -o faults.json -e page-faults:u comm --sum period -- ./usage 3000 0 2>/dev/null
ok "-j: as many as there were, by name" python3 -c '
import json
t = json.load(open("faults.json"))
row, = (r for r in t["table"] if r["key"]["comm"] == "usage")
assert 3000 <= row["count"] == row["sum"] < 3500 and row["min"] == row["max"] == 1, t
assert t["generated"]["count"] == sum(r["count"] for r in t["table"]), t'
hist -j -o one.json --rows 1 -e page-faults:u tid -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do ./usage 10 0; done' \
	>/dev/null 2>&1
ok "--rows: the rest is told" python3 -c '
import json, os
t = json.load(open("one.json"))
assert len(t["table"]) == os.cpu_count() and t["other"]["count"] > 0, t
assert t["generated"]["count"] == t["rows"]["count"] + t["other"]["count"], t'
if [ -n "$tracepoints" ]; then
	says "sizes of reads: log2" 0 '^ +2,048 to 4,095 +50  #{40}$' \
		hist -e syscalls:sys_enter_read --filter 'fd == 0' 'log2(count)' -- "${copy[@]}"
	says "... linear, their sum by name" 0 '^ +3,000 to 3,099 +50 +150,000 +3,000 +3,000  #{40}$' \
		hist -e syscalls:sys_enter_read --filter 'fd == 0' 'comm linear(count,100)' --sum count -- "${copy[@]}"
	says "results below 0" 0 '^ +-3 to -2 +7  #{40}$' hist -e syscalls:sys_exit_kill 'log2(ret)' -- \
		sh -c 'for i in 1 2 3 4 5 6 7; do kill -0 99999999 2>/dev/null; done; true'
	says "calls by their names" 0 '^ +350  getppid +tree$' hist -e raw_syscalls:sys_enter --filter 'id == 110' \
		call by comm -- ./tree 2 2 50
	says "... of events of a call each" 0 '^ +50  read$' hist -e syscalls:sys_enter_read --filter 'fd == 0' \
		-e syscalls:sys_enter_write --filter 'fd == 1' call -- "${copy[@]}"
	says "two events" 0 '^ +50  syscalls:sys_enter_write  3000$' hist -e syscalls:sys_enter_read --filter 'fd == 0' \
		-e syscalls:sys_enter_write --filter 'fd == 1' event count -- "${copy[@]}"
	hist -j -o latency.json --latency syscalls:sys_enter_clock_nanosleep..sys_exit_clock_nanosleep \
		'begin(comm),log2(ret)' -- sh -c './usage 0 40 & ./usage 0 60; wait' >/dev/null 2>&1
	ok "--latency: each sleep, for how long, by who began it" python3 -c '
import json
t = json.load(open("latency.json"))
assert sum(r["count"] for r in t["table"]) == t["rows"]["count"] == t["begun"] == 100, t
assert t["replaced"] == t["dropped"] == t["open"] == t["unmatched"]["count"] == 0, t
assert all(r["key"]["begin(comm)"] == "usage" and r["min"] >= 100000 for r in t["table"]), t
assert sum(r["sum"] for r in t["table"]) == t["rows"]["sum"], t'
	hist -I 50 -j -o each.json -e syscalls:sys_enter_getppid comm -- \
		sh -c './tree 0 0 100; sleep 0.2; ./tree 0 0 200; sleep 0.2' 2>/dev/null
	ok "-I: each occurrence is in one interval, under the name it had" python3 -c '
import json
lines = [json.loads(l) for l in open("each.json")]
assert len(lines) > 2, len(lines)
assert sum(r["count"] for l in lines for r in l["table"] if r["key"]["comm"] == "tree") == 300, lines'
else
	skip "sizes of reads" "tracefs cannot be read here"
	skip "... linear, their sum by name" "tracefs cannot be read here"
	skip "results below 0" "tracefs cannot be read here"
	skip "calls by their names" "tracefs cannot be read here"
	skip "... of events of a call each" "tracefs cannot be read here"
	skip "two events" "tracefs cannot be read here"
	skip "--latency" "tracefs cannot be read here"
	skip "-I" "tracefs cannot be read here"
fi
