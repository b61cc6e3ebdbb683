#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# perfctl hist: counts by key that are known, every output form, refusals.
# lib is set by what is sourced
# shellcheck disable=SC2154
. "$(dirname "$0")/lib/cli.bash"
build tree

read=syscalls:sys_enter_read
calls=raw_syscalls:sys_enter
copy=(dd if=/dev/zero of=/dev/null bs=3000 count=50)

# dd reads its input from descriptor 0, and its loader reads from others
says "sizes of dd's reads: log2" 0 '^ +2,048 to 4,095 +50  #{40}$' \
	perfctl hist -e $read --filter 'fd == 0' 'log2(count)' -- "${copy[@]}"
says "... linear" 0 '^ +3,000 to 3,099 +50  #{40}$' \
	perfctl hist -e $read --filter 'fd == 0' 'linear(count,100)' -- "${copy[@]}"
says "... by name" 0 '^ comm dd: 50 times$' \
	perfctl hist -e $read --filter 'fd == 0' 'log2(count) by comm' -- "${copy[@]}"
says "... and their sum" 0 '^ +50 +150,000 +3,000 +3,000  dd +3000$' \
	perfctl hist -e $read --filter 'fd == 0' comm count --sum count -- "${copy[@]}"
says "comm is the key by default" 0 '^ +50  dd$' \
	perfctl hist -e $read --filter 'fd == 0' -- "${copy[@]}"
says "two events" 0 '^ +50  syscalls:sys_enter_write  3000$' \
	perfctl hist -e $read --filter 'fd == 0' -e syscalls:sys_enter_write --filter 'fd == 1' \
	event count -- "${copy[@]}"
says "system calls by their names" 0 '^ +4,000  getppid +tree$' \
	perfctl hist -e $calls --filter 'id == 110' call by comm -- ./tree 3 3 100
says "each process" 0 '^40$' bash -c "perfctl hist --csv -o - -e $calls --filter 'id == 110' \
	pid -- ./tree 3 3 100 | grep -c '^row,[0-9]*,100$'"
says "cgroups by their paths" 0 '^ +50  /[^ ]*$' \
	perfctl hist -e $read --filter 'fd == 0' cgroup -- "${copy[@]}"
says "a field that is called as a key" 0 '^ +times +field\(pid\)  cpu$' \
	perfctl hist -a -e sched:sched_wakeup 'field(pid)' cpu -- sleep 0.01
says "samples, with what they stand for" 0 '^[0-9,]+ of period = [0-9,]+ in rows' \
	perfctl hist -e cpu-clock/period=1000000/ cpu --sum period -- ./tree 0 0 100000
says "results below 0" 0 '^ +-3 to -2 +7  #{40}$' \
	perfctl hist -e syscalls:sys_exit_kill 'log2(ret)' -- \
	sh -c 'for i in 1 2 3 4 5 6 7; do kill -0 99999999 2>/dev/null; done; true'

# the law
perfctl hist --csv -o law.csv -e $calls --filter 'id != 110' id --sum id --rows 1 -- \
	./tree 0 0 300 2>law.err
law() { # COLUMN
	awk -F, -v c="$1" '$1 == "generated" { g = $c; n++ } $1 ~ /^(rows|other|lost|filtered)$/ { s += $c; n++ }
		$1 == "row" { r += $c } $1 == "rows" { rows = $c }
		END { print n " " g - s " " r - rows }' law.csv
}
ok "what became of all adds up" test "$(law 3)" = "5 0 0"
ok "... and so do the sums" test "$(law 4)" = "5 0 0"
ok "--filter: what it refused is told" grep -q '^filtered,,300,33000,,$' law.csv
ok "--rows 1: the rest is told" grep -qE '^other,,[1-9]' law.csv
ok "... with what helps" grep -q 'found no row left: --rows 4 gives more room' law.err
says "the last line" 0 '^300 occurrences = 300 in rows \+ 0 other \+ 0 lost \+ 0 filtered$' \
	bash -c "perfctl hist -o - -e syscalls:sys_enter_getppid -- ./tree 0 0 300 | tail -n 1"

# intervals: what they print adds up to all; shells call it, too
perfctl hist -I 20 -j -o i.json -e syscalls:sys_enter_getppid comm -- \
	sh -c './tree 0 0 100; sleep 0.1; ./tree 0 0 200; sleep 0.1'
ok "-I: each occurrence is in one interval" python3 -c '
import json
lines = [json.loads(l) for l in open("i.json")]
assert len(lines) > 2, len(lines)
assert sum(r["count"] for l in lines for r in l["table"] if r["key"]["comm"] == "tree") == 300, lines
assert [l["time"] for l in lines] == sorted(l["time"] for l in lines), lines'
perfctl hist -j -o j.json -e $read --filter 'fd == 0' 'log2(count),comm' --sum count -- "${copy[@]}" 2>/dev/null
ok "-j: rows, and what became of all" python3 -c '
import json
t = json.load(open("j.json"))
assert t["table"] == [{"key": {"log2(count)": {"from": 2048, "to": 4095}, "comm": "dd"},
	"count": 50, "sum": 150000, "min": 3000, "max": 3000}], t
assert t["rows"] == {"count": 50, "sum": 150000}, t
assert t["generated"]["count"] == 50 + t["filtered"]["count"], t'
perfctl hist --csv -o c.csv -e $read --filter 'fd == 0' 'log2(count),comm' -- "${copy[@]}" 2>/dev/null
ok "--csv: columns" test "$(head -n 2 c.csv)" = "kind,log2(count),to,comm,count
row,2048,4095,dd,50"

# what is measured
./tree 0 0 100000000 &
pid=$!
perfctl hist -p $pid -e syscalls:sys_enter_getppid pid --csv -o p.csv -- sleep 0.2
ok "-p: a process that runs" grep -qE "^row,$pid,[1-9]" p.csv
kill $pid
wait 2>/dev/null
says "the command's status is passed on" 7 '^ +[0-9,]+  sh$' \
	perfctl hist -e $calls -- sh -c 'exit 7'
says "a command that is not there" 127 'cannot run no-such-command' \
	perfctl hist -e $calls -- no-such-command

# refusals
says "no event" 2 '^perfctl: -e EVENT says what is counted' perfctl hist comm -- true
says "no target" 2 'what is to be measured' perfctl hist -e $calls comm
says "a field that is not there" 2 'asks for the field nosuch, which .* does not have' \
	perfctl hist -e $calls nosuch -- true
says "a field that is no number" 2 'is not a number' perfctl hist -e sched:sched_wakeup 'field(comm)' -- true
says "a function that is not there" 2 'there is no log3\(\), did you mean log2\(\)' \
	perfctl hist -e $calls 'log3(id)' -- true
says "too many rows" 2 '--rows takes at most 65536, not 65537' \
	perfctl hist --rows 65537 -e $calls -- true
says "two forms" 2 '--json and --csv exclude each other' perfctl hist -j --csv -e $calls -- true
# both ways to count agree, on the same program
for engine in pev perf; do
	perfctl hist --engine $engine --csv -o $engine.csv -e $calls --filter 'id == 110' 'comm linear(id,100)' \
		--sum id -- ./tree 3 3 100 2>$engine.err
done
ok "--engine perf: the same rows" bash -c 'grep ^row, pev.csv | grep . && diff <(grep ^row, pev.csv) <(grep ^row, perf.csv)'
ok "... said to be added up here" grep -q '^note: each occurrence is recorded' perf.err
finish
