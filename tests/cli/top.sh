#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# perfctl top, off-cpu and timeline on what really runs.
. "$(dirname "$0")/lib/cli.bash"
build hot
build tree

./hot 600000 >/dev/null &
pid=$!
perfctl top --stdio -n 2 -d 1 -p $pid >top.txt 2>&1
says "top -p: what runs, by name" 0 '^ +[0-9.]+% +hot +hot +\[\.\] spin' cat top.txt
within "top -p: it has nearly all" "$(awk '/\] spin/ { sub("%", "", $1); s = $1 } END { print s }' top.txt)" 70 100
says "top: says what it costs" 0 '^# [0-9]+ samples/s, costs [0-9.]+ % of a CPU' cat top.txt
cost=$(sed -n 's/.*costs \([0-9.]*\) %.*/\1/p' top.txt | tail -n 1)
within "top: costs little once symbols are read" "${cost:-100}" 0 75
says "top: all processes" 0 ' hot +hot +\[\.\] spin' perfctl top --stdio -n 1 -d 1
says "top --children" 0 '^ +[0-9.]+% +0\.[0-9]{2}% +hot +hot +\[\.\] main' perfctl top --stdio -n 1 -d 1 --children
ok "top: leaves nothing behind" bash -c '! ls -d /tmp/perfctl-live.* 2>/dev/null'
says "top: an operand" 2 'takes no operand' perfctl top now
says "top --delay: nonsense" 2 'takes 0.1 to 3600' perfctl top -d 0
kill $pid
wait 2>/dev/null

perfctl record -q -a -g -e sched:sched_switch -e sched:sched_wakeup -o sched -- \
	sh -c 'sleep 0.5; ./tree 2 2 100'
slept=$(perfctl off-cpu --comm sleep --sort comm --csv - sched 2>/dev/null | awk -F, '$NF == "sleep" { print $3 / 1e9 }')
within "off-cpu: sleep 0.5 slept for half a second" "${slept:-0}" 0.5 1.5
says "off-cpu: and where" 0 '\[k\] (do_nanosleep|hrtimer_nanosleep|common_nsleep)' perfctl off-cpu --comm sleep sched
says "record --off-cpu: switches and wakeups, with chains" 0 '^\[ off: .*records' perfctl record --off-cpu -o off -- sleep 0.5
ok "... and nothing else" bash -c \
	'[ "$(perfctl script --no-sideband -F event off | sort -u | xargs)" = "sched:sched_switch: sched:sched_waking:" ]'
slept=$(perfctl off-cpu --comm sleep --sort comm --csv - off 2>/dev/null | awk -F, '$NF == "sleep" { print $3 / 1e9 }')
within "... how long sleep slept" "${slept:-0}" 0.5 1.5
says "... and where" 0 '\[k\] (do_nanosleep|hrtimer_nanosleep|common_nsleep)' perfctl off-cpu --comm sleep off
perfctl record -q --off-cpu -g no -e page-faults -e 'sched:sched_sw*' -o off2 -- ./tree 1 1 10
ok "record --off-cpu -e: besides others, once" bash -c \
	'[ "$(perfctl script --no-sideband -F event off2 | sort -u | xargs)" = "page-faults: sched:sched_switch: sched:sched_waking:" ]'
says "record --off-cpu -g no: without chains" 0 'not known where threads waited' perfctl off-cpu off2
says "record --off-cpu -p" 2 '--off-cpu records the whole machine' perfctl record --off-cpu -p 1
says "timeline: tree ran" 0 '^# [a-zA-Z]  tree +[0-9.]+ %' perfctl timeline sched
says "timeline --threads: sleep mostly slept" 0 '^sleep +[0-9]+ +[^ ]*·····' perfctl timeline --threads --comm sleep sched
finish
