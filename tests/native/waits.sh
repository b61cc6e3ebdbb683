# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154,SC2016
# perfctl record --waits by the scheduler's events: what threads did with their time.
# time_of COMM FIELD FILE: sum over the threads of that name in a report as JSON
time_of() {
	python3 -c '
import json, sys
threads = json.load(open(sys.argv[3]))["time"]["threads"]
print(sum(t[sys.argv[2]] for t in threads if t["comm"] == sys.argv[1]))' "$@"
}

# adds_up FILE: the time of each thread and of all of them, to the nanosecond
adds_up() {
	python3 -c '
import json, sys
time = json.load(open(sys.argv[1]))["time"]
for t in time["threads"] + [time]:
    parts = sum(t[k + "_ns"] for k in ("run", "blocked", "runnable", "unknown"))
    assert t["enabled_ns"] == parts, t
assert len(time["threads"]) > 0, time' "$1"
}

if [ -n "$tracepoints" ] && [ -n "$root" ]; then
	build spin
	# perf leaves out a switch of an idle CPU now and then: what waited has to be seen
	for _ in {1..8}; do
		perfctl record --engine perf -q --waits -o waits.trace -- sh -c 'sleep 0.3 | cat' >/dev/null
		perfctl report -j waits.json -i waits.trace 2>/dev/null
		perfctl off-cpu --wakers -i waits.trace >wakers.txt
		! grep -q 'cat: blocked in .*pipe_read, woken by sleep from ' wakers.txt ||
			! grep -q 'sleep: blocked in .*nanosleep, woken by \[timer\]' wakers.txt ||
			[ "$(time_of sleep blocked_ns waits.json)" -lt 300000000 ] || break
	done
	within "record --waits: a sleep of 0.3 s is blocked" "$(time_of sleep blocked_ns waits.json)" 300000000 400000000
	within "... as is what reads from it" "$(time_of cat blocked_ns waits.json)" 250000000 400000000
	ok "the time of each thread adds up" adds_up waits.json
	says "report: the time, before the samples" 0 '^# run [0-9]+ \+ blocked [0-9]+ \+ runnable [0-9]+ \+ unknown [0-9]+ = [0-9]+ ns' \
		perfctl report --stdio -i waits.trace
	ok "report: the scheduler's events are no samples" bash -c '! perfctl report --stdio -i waits.trace | grep -q "^# sched:"'
	ok "off-cpu --wakers: a reader, and the writer that woke it" \
		grep -q 'cat: blocked in .*pipe_read, woken by sleep from ' wakers.txt
	ok "off-cpu --wakers: a sleeper, and the timer" \
		grep -q 'sleep: blocked in .*nanosleep, woken by \[timer\]' wakers.txt
	ok "off-cpu --wakers: the command itself comes first" bash -c 'grep -m 1 "^ .*%" wakers.txt | grep -q " sh: "'

	perfctl record --engine perf -q -e sched:sched_switch -o bare.trace -- true
	says "report --latency: nothing was sampled" 65 'has no samples, which --latency would weigh' \
		perfctl report --latency -i bare.trace
	says "report --latency: how many threads ran at once" 0 '^# threads at once: 1 in [0-9.]+ %.* of the time that any ran$' \
		perfctl report --stdio --latency -i waits.trace
	ok "flame --wall: all of the time is in the picture" bash -c '
		wall=$(perfctl flame --wall --folded -i waits.trace 2>/dev/null | awk "{ ns += \$NF } END { printf \"%.0f\", ns }")
		python3 -c "
import json, sys
time = json.load(open(\"waits.json\"))[\"time\"]
known = time[\"enabled_ns\"] - time[\"unknown_ns\"]
assert known * 0.9 < int(sys.argv[1]) < known * 1.01, (known, sys.argv)" "$wall"'

	# two that share a CPU: the scheduler's own sums are of the same time. Where perf has left out
	# a switch, it is not known what a thread did; its start and its end are no spinning.
	perfctl record --engine perf -q --waits -o spin.trace -- \
		taskset -c 0 sh -c './spin 400 >one.txt & ./spin 400 >two.txt; wait'
	perfctl report -j spin.json -i spin.trace 2>/dev/null
	read -r run delay < <(cat one.txt two.txt | awk '{ r += $1; d += $2 } END { printf "%.0f %.0f\n", r, d }')
	unknown=$(time_of spin unknown_ns spin.json)
	ok "the time of each spinner adds up" adds_up spin.json
	within "a starved thread: it ran for as long as schedstat says" "$(time_of spin run_ns spin.json)" \
		$((run * 99 / 100 - unknown)) $((run * 101 / 100 + 30000000))
	within "... and was runnable for as long" "$(time_of spin runnable_ns spin.json)" \
		$((delay * 99 / 100 - unknown)) $((delay * 101 / 100 + 30000000))
	within "... of most of the time it is known" "$unknown" 0 $(((run + delay) / 10))
else
	skip "waits" "tracepoints cannot be recorded on all CPUs here"
fi
# Without the right to see the scheduler: by the threads' own switches. The program says what the
# scheduler's own sums are.
if [ -n "$users" ]; then
	build spin
	cp spin user/
	says "record --waits without rights" 0 "$nothing_lost" users_may nobody perfctl record --engine perf --waits \
		-o own.trace -- sh -c './spin 300 >one.txt; sleep 0.3 | cat'
	says "... says what is missing, and why" 0 '^note: --waits: how long .* but not where, .*: .*' \
		users_may nobody perfctl record --engine perf --waits -o note.trace -- true
	perfctl report -j own.json -i user/own.trace 2>/dev/null
	ok "... the time of each thread adds up" adds_up own.json
	read -r run _ <user/one.txt
	within "... it ran for as long as schedstat says" "$(time_of spin run_ns own.json)" \
		$((run * 99 / 100)) $((run * 101 / 100 + 30000000))
	within "... a sleep of 0.3 s is blocked" "$(time_of sleep blocked_ns own.json)" 290000000 5000000000
	within "... as is what reads from it" "$(time_of cat blocked_ns own.json)" 250000000 5000000000
	says "... report says what blocked means there" 0 '^# blocked: until they ran again' \
		perfctl report --stdio -i user/own.trace
	says "... off-cpu, by program" 0 '^ +[0-9.]+% +[0-9.]+ .?s +[0-9]+( +[0-9.]+ .?s){2} +sleep$' \
		perfctl off-cpu --flat --sort comm -i user/own.trace
	says "... off-cpu --wakers: nothing tells for what" 0 ' sleep: blocked$' \
		perfctl off-cpu --wakers -i user/own.trace
	says "... lock: refused, with what it takes" 1 'switches alone.*that takes root, tracefs.*record --waits -a' \
		perfctl lock -i user/own.trace
	says "... off-cpu --sort waker: the same" 65 'switches alone.*that takes root, tracefs.*record --waits -a' \
		perfctl off-cpu --sort waker -i user/own.trace
	says "... sched latency" 0 ' spin/[0-9]+$' perfctl sched latency -i user/own.trace
	sleep 1000 &
	sleeper=$!
	says "record --waits -p: the switches of its threads" 0 "$nothing_lost" \
		perfctl record --engine perf --waits -p $sleeper -o p.trace --timeout 0.2
	kill $sleeper
else
	skip "waits without rights" "kernel.perf_event_paranoid is $level"
fi

says "record --waits: a time that is none" 2 'takes a time such as 1ms or 0, not "long"' \
	perfctl record --engine perf --waits=long -- true
says "record --waits -C: the scheduler's events are of the machine" 2 'the whole machine where the kernel has no waits' \
	perfctl record --engine perf --waits -C 0 -- true
says "record --fold --waits" 2 '--waits needs each single one' perfctl record --engine perf --fold --waits -- true
