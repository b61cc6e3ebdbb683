#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# report and script on traces that mktrace makes; run by "run".
. "$(dirname "$0")/../../lib/tap.bash"
p=$OUT/tools/perfctl
t=$OUT/traces
rm -rf "$t"
mkdir -p "$t"
cd "$t" || exit 1

offset() { printf '0x%x' $((0x$(nm "$OUT/victim" | awk -v f="$1" '$3 == f { print $1 }') - 0x400000)); }

a=$(offset alpha) b=$(offset beta) m=$(offset main)
"$OUT/mktrace" flat flat 1000 "$OUT/victim" "$a" "$a" "$b" "$m" || exit 1
"$OUT/mktrace" chains chains 1000 "$OUT/victim" "$a" "$b" "$m" || exit 1
"$OUT/mktrace" long chains 40000 "$OUT/victim" "$a" "$b" "$m" || exit 1
"$OUT/mktrace" cut cut 1000 "$OUT/victim" "$a" "$b" "$m" || exit 1
"$OUT/mktrace" hostile hostile 10 || exit 1
"$OUT/mktrace" sched sched 10 || exit 1
"$OUT/mktrace" empty empty || exit 1

says "report: half of the samples in alpha" 0 '^ +50\.00% +prog +victim +\[\.\] alpha$' "$p" report flat
says "report: a quarter in main" 0 '^ +25\.00% +prog +victim +\[\.\] main$' "$p" report -i flat
says "report: the header has the command" 0 '^# command: +mktrace$' "$p" report flat
says "info: how many records each event has" 0 '^ +1,000 +23\.4 KiB +- +cpu-clock +999 Hz: thread, place$' \
	"$p" info flat
says "info: the processes" 0 '^ +1,000 +42 +prog$' "$p" info flat
says "info: names are harmless" 0 '42 +.x1b\[31mred' "$p" info hostile
says "info: nothing was recorded" 0 '^empty: 0 records$' "$p" info empty
ok "info -j is JSON, and says the same" bash -c "'$p' info -j flat | python3 -c '
import json, sys
t = json.load(sys.stdin)
e = {e[\"event\"]: e[\"records\"] for e in t[\"events\"]}
assert t[\"records\"] == 1000 and e[\"cpu-clock\"] == 1000 and t[\"complete\"] and not t[\"lost\"], t
assert t[\"processes\"] == [{\"pid\": 42, \"comm\": \"prog\", \"records\": 1000}], t
'"
for driver in pev perf; do
	rm -rf "by-$driver"
	cp -r flat "by-$driver"
	echo "counters=$driver" >>"by-$driver/info/record"
	says "info: hardware events counted by $driver's driver" 0 "^  counters by $driver's driver$" \
		"$p" info "by-$driver"
done
says "info -j: the same" 0 '"counters": ?"perf"' "$p" info -j by-perf
# as "record --from-crash" leaves it
rm -rf crashed && cp -r flat crashed
printf 'crash_%s\n' began=1795000000000000000 records=1000 packets=25 rings=1 bad_rings=2 torn_packets=1 \
	cut_packets=3 cut_bytes=2048 unpublished=48 lost=0 >>crashed/info/record
sed -i 's/^env {$/env {\n\thostname = "box";\n\tkernel_release = "6.12.1";\n\tkernel_booted = 1794999000;/' crashed/metadata
says "info: of crash memory, which kernel's" 0 '^  kernel     6\.12\.1 on box$' "$p" info crashed
says "... when that had booted" 0 '^  booted     2026-11-18 10:50:00 \+0000$' env TZ=UTC "$p" info crashed
says "... how much there is" 0 '^  had        1,000 records in 25 packets of 1 ring$' "$p" info crashed
says "... what was being written" 0 '^  cut        48 bytes that were being written' "$p" info crashed
says "... what is cut" 0 '^  cut        2\.0 KiB of 3 packets that end early' "$p" info crashed
says "... what is damaged" 0 '^  damaged    1 packet is left out: its header' "$p" info crashed
says "... and which rings" 0 "^  damaged    2 rings can't be read" "$p" info crashed
ok "info -j: the same of crash memory" bash -c "'$p' info -j crashed | python3 -c '
import json, sys
assert json.load(sys.stdin)[\"crash\"] == {\"kernel\": \"6.12.1\", \"booted_ns\": 1794999000000000000,
	\"began_ns\": 1795000000000000000, \"records\": 1000, \"packets\": 25, \"rings\": 1, \"bad_rings\": 2,
	\"torn_packets\": 1, \"cut_packets\": 3, \"cut_bytes\": 2048, \"unpublished_bytes\": 48, \"lost\": 0}'"
ok "info: other recordings have nothing of that" bash -c "! '$p' info flat | grep -i crash"
rm -rf damaged
cp -r flat damaged
truncate -s 3000 damaged/stream_1
says "info: a damaged recording" 0 '^  complete   it was, but is damaged$' "$p" info damaged
says "info: no recording" 65 '/etc is no trace' "$p" info /etc
says "info: two recordings" 2 'one trace at a time' "$p" info flat chains
says "evlist is perf's" 2 'here: "perfctl info"' "$p" evlist
says "report --brief: shares have bounds" 0 '^   50\.00%  46\.91\.\.53\.09   prog  victim  alpha$' \
	"$p" report --brief flat
says "report --brief: callers that most samples came by" 0 'alpha  < (alpha|beta|main)' \
	"$p" report --brief chains
says "report --brief: how complete it is" 0 '^# damaged; nothing lost' "$p" report --brief damaged
says "report --brief: events that are no samples have no bounds" 0 '^  100\.00%  prog$' \
	"$p" report --brief sched
"$OUT/mktrace" strewn random 3000
within "report --brief: lines of many functions" "$("$p" report --brief strewn 2>/dev/null | wc -l)" 30 40
within "report --brief: columns" "$("$p" report --brief strewn 2>/dev/null | wc -L)" 40 120
says "report --brief --json" 2 'exclude each other' "$p" report --brief --json - flat
says "report --brief --children" 2 'no room for --children' "$p" report --brief --children flat
says "report --sort dso" 0 '^ +100\.00% +victim$' "$p" report --sort dso flat
says "report --sort tid,cpu" 0 '^ +50\.00% +42 +1$' "$p" report --sort tid,cpu flat
for t in 2 3 7; do
	ok "report --threads $t: not a byte differs" bash -c "cmp <('$p' report --threads 1 long) <('$p' report --threads $t long)"
done
says "... and nothing is missing" 0 '^# cpu-clock: 40,000 samples' "$p" report --threads 3 long
for t in 1 4; do
	says "report --threads $t: each cut chain counts once" 0 \
		'^note: 100\.0 % of the user call chains \(1,000\) are cut' "$p" report --threads $t cut
done
"$OUT/mktrace" execs execs 1000 "$OUT/victim" "$a" || exit 1
says "report: a chain through execve is not cut, but none" 0 \
	'^note: 100\.0 % of the user call chains \(250\) are cut' "$p" report execs
says "... only its kernel part is shown" 0 '^bprm_execve;begin_new_exec 750$' "$p" flame --folded execs
says "report --sort by a field of the event" 0 '^ +10\.00% +7$' "$p" report --sort next_pid sched
says "... two fields: text is harmless" 0 'prog\\x1b' "$p" report --sort prev_comm,next_pid sched
says "report --sort: a mistyped field" 2 'did you mean "next_pid"' "$p" report --sort nxt_pid sched
says "report --sort time" 0 '^ +25\.00% +0\.000250$' "$p" report --sort time --time-quantum 250us flat
says "report --time" 0 '^# cpu-clock: 251 samples' "$p" report --time 0.000250,0.000500 flat
"$OUT/mktrace" slow slow 2 "$OUT/victim" "$a" "$b" || exit 1
says "report --time-quantum: spans that have no number" 2 'takes 5.000 s, which has too many of these; 2 ns is the least' \
	"$p" report --sort time --time-quantum 1ns slow
says "... but 2 ns do" 0 '^ +50\.00% +5\.000000$' "$p" report --sort time --time-quantum 2ns slow
says "report --time-quantum: nonsense" 2 'such as 100ms' "$p" report --sort time --time-quantum soon flat
says "report --sort parent" 0 '\[\.\] alpha +(alpha|beta|main)' "$p" report --sort symbol,parent chains
says "report --sort parent --parent" 0 '\[\.\] alpha +main$' "$p" report --sort symbol,parent --parent main chains
says "report -g folded" 0 '^ +[0-9.]+% [a-z]+;[a-z;]+$' "$p" report -g folded --percent-limit 0.01 chains
says "report -g flat" 0 '^ {16}main$' "$p" report -g flat --percent-limit 0.01 chains
says "report -g: mistyped" 2 'did you mean "folded"' "$p" report --call-graph=foldet chains
says "report --csv" 0 '^cpu-clock,50\.0000,[0-9]+,500,prog,victim,alpha$' "$p" report --csv - flat
says "report --csv -x" 0 '^event;share;weight;samples;comm;dso;symbol$' "$p" report --csv - -x ';' flat
says "report --group" 0 '^# 1: cpu-clock$' "$p" report --group flat
says "report --sort srcline without debug information" 0 '100\.00% +(victim|\[kernel\])$' "$p" report --sort srcline flat
says "report --color always" 0 $'\033\\[31m +50\.00%' "$p" report --color always flat
ok "NO_COLOR is respected" bash -c "! NO_COLOR=1 script -qec \"'$p' report --stdio flat\" /dev/null </dev/null | grep -q \$'\\033\\[31m'"
says "report -n" 0 '50\.00% +500 +prog' "$p" report -n flat
says "report --symbol leaves the rest out" 0 '^# filtered out: 50\.00 %' "$p" report --symbol alpha flat
says "report --cpu: the samples of one" 0 '^# filtered out: 50\.00 %' "$p" report --cpu 1 flat
says "report --pid: another process" 0 '^# filtered out: 100\.00 %' "$p" report --pid 43 flat
says "report --tid: several" 0 '^ +50\.00% +prog +victim +\[\.\] alpha$' "$p" report --tid 41,42 flat
says "report --percent-limit" 0 '^# 2 more below 30\.00 %, together 50\.00 %' "$p" report --percent-limit 30 flat
says "report --sort event" 0 '100\.00% +cpu-clock' "$p" report --sort event flat
says "report: an unknown column" 2 'did you mean "symbol"' "$p" report --sort symbl flat
says "report: call trees" 0 '^ +beta$' "$p" report chains
says "report -g none: no trees" 0 '^ +33\.[0-9]+% +prog' "$p" report -g none chains
says "report --children" 0 '^ +100\.00% +33\.[0-9]+% +prog +victim +\[\.\] alpha' "$p" report --children chains
says "report --children without chains" 0 'no call chains' "$p" report --children flat
ok "report -j: is JSON" bash -c "'$p' report -j - chains | python3 -m json.tool"
ok "report -j: the shares are there" bash -c "'$p' report -j - flat | python3 -c '
import json, sys
rows = json.load(sys.stdin)[\"events\"][0][\"rows\"]
assert rows[0][\"symbol\"] == \"alpha\" and rows[0][\"samples\"] == 500, rows'"
"$OUT/mktrace" probes probes 1000 || exit 1
says "report: a tracepoint's chain begins behind the tracing" 0 '^ +75\.00% +prog +\[kernel\] +\[k\] ttwu_do_activate$' "$p" report probes
says "report --threads 3: in each of them" 0 '^ +25\.00% .* hrtimer_wakeup$' "$p" report --threads 3 probes
ok "... and no other function is left out" bash -c "
	[ \$('$p' flame --folded probes | grep -c '^pev_is_no_probe;[a-z_]* [0-9]*\$') = 2 ]"
ok "... nor in script and exports" bash -c "
	for c in script 'export folded -o -'; do
		'$p' \$c probes >out || exit 1
		grep -q pev_is_no_probe out && ! grep -qE 'pev_trace|pev_probe|traceiter' out || exit 1
	done"
says "report --sort EVENT.FIELD: not the column of that name" 0 '^ +100\.00% +prog +woken$' "$p" report --sort comm,sched:sched_wakeup.comm -g none probes
says "report --sort EVENT.FIELD: a glob" 0 '^ +100\.00% +42$' "$p" report --sort 'sched_w*.pid' -g none probes
says "report --sort EVENT.FIELD: another event's field" 2 'unknown column "sched_switch.comm"' "$p" report --sort sched_switch.comm probes
says "report --sort: fields are named" 2 'fields of events: .*sched:sched_wakeup \(comm, pid\); EVENT\.FIELD' "$p" report --sort nonsense probes
says "report: a hostile name sends no escape" 0 '\\x1b\[31mred\\x1b\]0;x\\x07' "$p" report hostile
ok "... nor anywhere else" bash -c "! '$p' report hostile 2>&1 | grep -q \$'\033'"
ok "script: neither" bash -c "! '$p' script hostile 2>&1 | grep -q \$'\033'"

# a function with a name of 64 KiB of terminal escapes
python3 - <<'PY'
name = ("\033]0;x\007" * 10923)[:65536]
open("evil.s", "w", newline="").write(
    '.text\n.globl "%s"\n.type "%s",@function\n"%s":\n.skip 64\n.size "%s",64\n' % ((name,) * 4))
PY
gcc -shared -nostdlib -o evil evil.s || exit 1
at=0x$(readelf -SW evil | sed -nE 's/.* \.text +PROGBITS +[0-9a-f]+ +([0-9a-f]+) .*/\1/p')
"$OUT/mktrace" evilname flat 10 "$PWD/evil" "$at" || exit 1
says "report: a name of 64 KiB of escapes is shown as text" 0 '\[\.\] \\x1b\]0;x\\x07\\x1b' \
	"$p" report evilname
ok "... and sends none; nor does script" bash -c \
	"! { '$p' report evilname; '$p' script evilname; } 2>&1 | grep -q \$'\033'"
says "report: a tracepoint has no columns for addresses" 0 '^ +100\.00% +prog *$' "$p" report sched
says "report: ... unless they are all that is asked for" 0 '100\.00% +\[\.\] \[no address\]' "$p" report --sort symbol sched
says "report: nothing recorded" 0 'no samples: nothing was recorded' "$p" report empty
says "script: nothing recorded" 0 'no events in' "$p" script empty
ok "script: one line an event" bash -c "[ \$('$p' script --no-sideband flat | wc -l) = 1000 ]"
ok "script: in order of time" bash -c "'$p' script -F time --no-sideband flat | sort -c -n"
says "script: an address with its function" 0 'cpu-clock: +401[0-9a-f]+ alpha \(victim\)$' "$p" script flat
says "script: fields of a tracepoint" 0 'sched:sched_switch: prev_comm=.* next_pid=9$' "$p" script sched
says "script --time" 0 '^ *0\.000005000: sched' "$p" script -F time,event --time 0.000005, sched
for time in nan,1 "1e300," ,inf 1,2x 5; do
	for c in script report; do
		says "$c --time $time: refused" 2 'perfctl: --time' "$p" $c --time $time flat
	done
done
ok "script --time leaves out what is outside" bash -c "[ \$('$p' script --time 0.000005,0.000006 sched | wc -l) = 2 ]"
says "script: no match is said" 0 'no events that match' "$p" script --comm nobody flat
says "script -F: unknown" 2 'did you mean "event"' "$p" script -F evnt flat

export XDG_CACHE_HOME=$PWD/xdg
rm -rf xdg && mkdir -p xdg/perfctl/dir
for i in 1 2 3 4; do
	head -c 10000 /dev/zero >"xdg/perfctl/000000000000000000000000000000000000000$i"
	touch -d "2020-01-0$i" "xdg/perfctl/000000000000000000000000000000000000000$i"
done
head -c 10000 /dev/zero >xdg/perfctl/0000000000000000000000000000000000000005.123
echo notes >xdg/perfctl/notes
echo notes >xdg/perfctl/abc.txt
says "cache" 0 'xdg/perfctl: 4 files, .* of at most 1.0 GiB' "$p" cache
says "cache purge --keep: so much stays" 0 '2 files removed' "$p" cache purge --keep 26K
ok "... what was used last" bash -c 'ls xdg/perfctl/*4 xdg/perfctl/*3 && ! ls xdg/perfctl/*2'
touch -d 2020-01-01 xdg/perfctl/*.123
says "cache purge: half copies, too, if they are old" 0 '3 files removed' "$p" cache purge
ok "... and nothing else" test -f xdg/perfctl/notes -a -f xdg/perfctl/abc.txt -a -d xdg/perfctl/dir
says "cache: nothing is there" 0 ' 0 files, ' env XDG_CACHE_HOME=/nowhere "$p" cache
says "cache: mistyped" 2 'show or purge' "$p" cache prune
unset XDG_CACHE_HOME
says "no such directory" 65 'No such file' "$p" report nowhere
says "the default directory is missing" 65 'pev\.trace' "$p" report
mkdir nothing
says "an empty directory" 65 'no file metadata' "$p" report nothing
mkdir garbage
head -c 9000 /dev/urandom >garbage/metadata
says "garbage metadata" 65 'metadata' "$p" report garbage
cp -r flat noise
head -c 100000 /dev/urandom >noise/stream_0
says "a stream of noise: the rest is shown" 0 '\[\.\] alpha' "$p" report noise
cp -r flat piped
rm piped/metadata && mkfifo piped/metadata
echo perfctl >opener
(exec 3>piped/metadata && cat opener >opened) &
writer=$!
says "metadata that are a FIFO" 65 'metadata' "$p" report piped
echo test >opener
exec 4<>piped/metadata
wait $writer
exec 4>&-
ok "... which is not opened" test "$(cat opened)" = test
cp -r flat short
truncate -s -1000 short/stream_1
says "a stream that was cut: said and shown" 0 'note: .*stream_1' "$p" report short
says "script on it" 0 'cpu-clock' "$p" script short
cp -r flat zeros
truncate -s 0 zeros/stream_0 zeros/stream_1 zeros/stream_state
says "all streams empty" 0 'no samples' "$p" report zeros
cp -r flat sparse
truncate -s 1G sparse/stream_1 2>/dev/null
says "a sparse file of 1 GB: no hang" 0 '\[\.\] alpha' "$p" report sparse
cp -r long shrinks
# what script writes waits in the pipe until the file has become shorter
says "a stream that becomes shorter while it is read" 65 \
	'^perfctl: .*shrinks/stream_1 became shorter while it was read' bash -o pipefail -c \
	"'$p' script shrinks | { read -r _; truncate -s 4096 shrinks/stream_[01]; cat >/dev/null; }"
for i in 1 2 3 4 5 6 7 8; do
	cp -r chains "bent$i"
	python3 - "bent$i/stream_0" "$i" <<'PY'
import random, sys
random.seed(int(sys.argv[2]))
data = bytearray(open(sys.argv[1], "rb").read())
for _ in range(200):
    data[random.randrange(len(data))] = random.randrange(256)
open(sys.argv[1], "wb").write(data)
PY
	ok "bent stream $i: report comes to an end" bash -c "timeout 60 '$p' report bent$i >/dev/null 2>&1; s=\$?; [ \$s = 0 ] || [ \$s = 65 ]"
	ok "bent stream $i: so does script" bash -c "timeout 60 '$p' script bent$i >/dev/null 2>&1; s=\$?; [ \$s = 0 ] || [ \$s = 65 ]"
done
mkdir two && cp -r flat two/before && cp -r flat two/after && cp -r flat inside && cp -r sched inside/copy
says "a directory of two recordings is not added up" 2 'two has several recordings, .*: two/(before, two/after|after, two/before); name one' \
	"$p" report two
says "a recording with another in it: neither" 2 'inside has several recordings, .*inside/copy' "$p" script inside
says "two traces" 2 'one trace at a time' "$p" report flat chains
says "a full disk" 74 'could not be written' bash -c "'$p' script flat >/dev/full"

says "no command" 2 'Usage: perfctl COMMAND' "$p"
says "no command, on a terminal" 2 'record -g -- COMMAND' script -qec "'$p'" /dev/null
within "no command, on a terminal: ten lines" "$(script -qec "'$p'" /dev/null </dev/null | wc -l)" 10 10
says "help" 0 '  record +record samples' "$p" help
says "help COMMAND" 0 'Usage: perfctl report' "$p" help report
says "version" 0 '^perfctl [0-9.]+ \(libpev [0-9.]+, ABI [0-9]+\)$' "$p" version
says "a mistyped command" 2 'did you mean "record"' "$p" recrod
says "a mistyped option" 2 'did you mean --children' "$p" report --childern
commands=$("$p" help | awk '/^Commands:/ { on = 1; next } !NF { on = 0 } on { print $1 }' |
	grep -vx -e help -e version)
ok "help names the commands" grep -qx record <<<"$commands"
for c in $commands; do
	page=$(cd "$(dirname "$0")/../../.." && pwd)/Documentation/man/man1/perfctl-$c.1
	# shellcheck disable=SC2016
	ok "man perfctl-$c has every option" bash -c '
		for o in $("$0" "$1" --help | grep -oE "^ +(-., )?--[a-z-]+" | grep -oE "[-]-[a-z-]+$"); do
			[ "$o" = --help ] || grep -qF -e "${o//-/\\-}" "$2" || { echo "$o"; exit 1; }
		done' "$p" "$c" "$page"
done
top=$(cd "$(dirname "$0")/../../.." && pwd)
# shellcheck disable=SC2016
ok "man perfctl has every variable of the environment" bash -c '
	for v in $(grep -rhoE "getenv\(\"[A-Z_]+" "$0/tools" --include=*.c | cut -d\" -f2); do
		grep -q "^\.B $v$" "$0/Documentation/man/man1/perfctl.1" || { echo "$v"; exit 1; }
	done' "$top"
# shellcheck disable=SC2016
ok "... and every exit status" bash -c '
	for s in $(sed -nE "s/.*STATUS_[A-Z_]+ = ([0-9]+),/\1/p" "$0/tools/perfctl/base/status.h"); do
		grep -qE "^([0-9]+, )?$s(, [0-9]+)?$" "$0/Documentation/man/man1/perfctl.1" ||
			{ echo "$s"; exit 1; }
	done' "$top"
# On a kernel with pev these are tried in the guest instead.
if ! "$p" doctor --engine pev >/dev/null 2>&1; then
	for c in "list --engine pev" "stat --engine pev true" "record --engine pev true" \
		"doctor --engine pev"; do
		# shellcheck disable=SC2086
		says "$c without pev: says so, and the way out" 69 'has no pev: leave --engine out' "$p" $c
	done
fi
finish
