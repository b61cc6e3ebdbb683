# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# perfctl off-cpu of what this kernel's scheduler did.
if [ -n "$tracepoints" ] && [ -n "$root" ]; then
	# perf leaves out a switch of an idle CPU now and then: what waited has to be seen
	for _ in {1..8}; do
		perfctl record --engine perf -q --off-cpu -o waits.trace -- sleep 0.3 >/dev/null
		! perfctl off-cpu --comm sleep --least 250000 --flat --sort comm -i waits.trace 2>/dev/null |
			grep -q '[3-9][0-9][0-9]\.[0-9]* ms' || break
	done
	says "off-cpu: a sleep of 0.3 s" 0 '[3-9][0-9][0-9]\.[0-9]+ ms +[0-9]+( +[0-9.]+ .?s){2} +sleep ' \
		perfctl off-cpu --comm sleep --least 250000 --flat --sort comm,dso -i waits.trace
	perfctl off-cpu --flat --sort comm -i waits.trace >waits.txt
	# until its exec, the command has its parent's name
	ok "off-cpu: of a command, its waits alone" bash -c 'grep -q " sleep" waits.txt &&
		! grep "^ .*%" waits.txt | grep -qvE " (sleep|perfctl)$" && grep -q "all: of all programs" waits.txt'
	within "off-cpu --all: those of others, too" \
		"$(perfctl off-cpu --all --flat --sort comm --percent-limit 0 -i waits.trace | grep -c '^ .*%')" 2 1000
	perfctl record --engine perf -q --off-cpu -o family.trace -- sh -c 'sleep 0.1; ./usage 0 100' >/dev/null
	says "off-cpu: what the command started belongs to it" 0 '%.* usage$' \
		perfctl off-cpu --flat --sort comm --percent-limit 0 -i family.trace
	for _ in {1..8}; do
		perfctl record --engine perf -q --off-cpu -o pipe.trace -- sh -c 'sleep 0.2 | cat' >/dev/null
		perfctl off-cpu --flat --sort comm,waker -i pipe.trace >pipe.txt
		perfctl off-cpu --folded -i pipe.trace >pipe.folded
		! grep -q ' cat  *sleep/' pipe.txt || ! grep -q ' sleep  *\[timer\]$' pipe.txt ||
			! awk '/nanosleep/ { ns += $NF } END { exit ns < 2e8 }' pipe.folded || break
	done
	ok "off-cpu --sort waker: a reader waits for the writer" grep -qE ' cat +sleep/[0-9]+$' pipe.txt
	ok "off-cpu --sort waker: a sleeper for a timer" grep -qE ' sleep +\[timer\]$' pipe.txt
	says "off-cpu --sort user: the program's function" 0 ' cat +[^[ ]' \
		perfctl off-cpu --flat --sort comm,user -i pipe.trace
	ok "off-cpu --folded: chains, with the ns waited" awk '/nanosleep/ { ns += $NF }
		END { exit !(ns > 2e8 && ns < 1e9) }' pipe.folded
	ok "off-cpu --flame: a picture of the same" bash -c \
		'perfctl off-cpu --flame pipe.svg -i pipe.trace && grep -q "<title>.*nanosleep" pipe.svg'
	./usage 0 1000000000 >/dev/null &
	user=$!
	perfctl record --engine perf -q -e sched:sched_switch -g -p $user -o half.trace &
	recorder=$!
	until_ok has_records half.trace sched:sched_switch
	kill $user
	wait $recorder
	wait $user 2>/dev/null
	says "off-cpu: a recording of one process is refused" 65 \
		"switches show a thread leave .* the recording is of process $user; record with" \
		perfctl off-cpu -i half.trace
else
	skip "off-cpu" "tracepoints cannot be recorded on all CPUs here"
fi
