#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# perfctl hist --latency: pairs that are known, with times that are known from outside.
# lib is set by what is sourced
# shellcheck disable=SC2154
. "$(dirname "$0")/lib/cli.bash"
build tree

nap=syscalls:sys_enter_clock_nanosleep..sys_exit_clock_nanosleep
getsid=syscalls:sys_enter_getppid..sys_exit_getppid

perfctl hist --latency $nap -j -o nap.json -- sleep 0.25 2>/dev/null
ok "a sleep takes as long as it takes" python3 -c '
import json
t = json.load(open("nap.json"))
assert t["rows"]["count"] == 1 and t["begun"] == 1, t
row = t["table"][0]
assert row["count"] == 1 and 250e6 <= row["sum"] <= 2000e6, row
assert row["key"]["eighths(latency)"]["from"] <= row["sum"] <= row["key"]["eighths(latency)"]["to"], row
assert row["min"] == row["max"] == row["sum"], row
q = t["quantiles"][0]
assert q["p50"] == q["p99"] == row["sum"] and q["count"] == 1, q'
says "bars for powers of two" 0 '^ +134\.22 ms to 268\.44 ms +1 +2[0-9.]+ ms' \
	perfctl hist --latency $nap -- sleep 0.2
says "percentiles" 0 '^ p50 2[0-9.]+ ms, p90 2[0-9.]+ ms, p99 2[0-9.]+ ms$' \
	perfctl hist --latency $nap -- sleep 0.2
says "each occurrence" 0 '^4,000 occurrences = 4,000 in rows \+ 0 other \+ 0 lost \+ 0 filtered \+ 0 without a begin$' \
	perfctl hist --latency $getsid -- ./tree 3 3 100
says "... and each begin" 0 '^4,000 begun: 0 replaced, 0 dropped, 0 open$' \
	perfctl hist --latency $getsid -- ./tree 3 3 100
says "by name" 0 '^ comm tree: 4,000 times$' perfctl hist --latency $getsid by comm -- ./tree 3 3 100
says "by two" 0 '^ comm tree, cpu [01]: [0-9,]+ times$' \
	perfctl hist --latency $getsid 'by comm, cpu' -- ./tree 3 3 100
perfctl hist --latency $getsid --csv -o pid.csv by pid -- ./tree 3 3 100 2>/dev/null
ok "--csv: all of each process" awk -F, '
	NR == 1 && $0 != "kind,eighths(latency),to,pid,count,sum,min,max" { exit 1 }
	$1 == "row" { n[$4] += $5; if ($2 > $7 || $3 < $8) exit 1 }
	$1 == "p50" { p50[$4] = $6 } $1 == "p99" { if (p50[$4] > $6 || $5 != 100) exit 1; quantiles++ }
	END { for (pid in n) { if (n[pid] != 100) exit 1; all++ } exit all == 40 && quantiles == 40 ? 0 : 1 }' pid.csv
says "one that the first event calls otherwise" 0 '^ +[0-9.]+ [mun]s to ' \
	perfctl hist -a --latency 'sched:sched_waking..sched:sched_switch by field(pid)=field(next_pid)' -- sleep 0.2
perfctl hist -I 50 -j -o i.json --latency $getsid -- \
	sh -c './tree 0 0 100; sleep 0.1; ./tree 0 0 200; sleep 0.1' 2>/dev/null
ok "-I: each is in one interval" python3 -c '
import json
lines = [json.loads(l) for l in open("i.json")]
assert len(lines) > 2 and sum(l["rows"]["count"] for l in lines) >= 300, lines'

says "nonsense" 2 '--latency takes two events' perfctl hist --latency a:b -- true
says "a bucket as what pairs have in common" 2 'pairs are found by' \
	perfctl hist --latency "$getsid by log2(x)" -- true
says "a field that there is not" 2 'which syscalls:sys_enter_getppid does not have' \
	perfctl hist --latency "$getsid by nope" -- true
says "-e, too" 2 '-e and --sum go without it' perfctl hist --latency $getsid -e page-faults -- true
says "--open 1" 2 '--open takes 16 to 1048576, not 1' perfctl hist --latency $getsid --open 1 -- true
finish
