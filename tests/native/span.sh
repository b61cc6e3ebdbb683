# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154,SC2086
# A span of a long recording is read without what is before it, and with all names.
mkdir spanned && cp usage hot spanned && cd spanned || exit 1
checkpoint() { python3 "$here/lib/checkpoint.py" long "$1"; }

# pieces of the stack fill it quickly, of which the environment makes much; the shell is there all the time, others come and go
DEEP=$(printf '%032000d' 0) perfctl record --engine perf -q -m 32M -g dwarf,32768 -e page-faults:u -c 1 -o long -- \
	sh -c './usage 50 20; ./hot 500; i=0; until [ -s long/stream_checkpoint ] || [ $((i += 1)) = 1000 ]; do
		./usage 50 20; done; ./hot 1000; ./usage 50 20; exec ./hot 300' >/dev/null
ok "record: a checkpoint is written" test -s long/stream_checkpoint
at=$(awk -v at="$(checkpoint at)" 'BEGIN { printf "%.9f", at + 0.2 }')
lines() { perfctl script --no-sideband -F comm,tid,cpu,time,event,ip -i long "$@" 2>lines.err; }
lines | awk -v at="$at" '{ for (i = 1; i <= NF && $i !~ /^[0-9]+\.[0-9]+:?$/; i++) ; if ($i + 0 >= at) print }' >after.txt
ok "script --time: the same as of all that is in that time" bash -c \
	"perfctl script --no-sideband -F comm,tid,cpu,time,event,ip -i long --time $at, 2>/dev/null | cmp - after.txt && [ -s after.txt ]"
perfctl report --stdio -g none --sort comm,symbol --time "$at," -i long >report.txt 2>/dev/null
ok "report --time: it knows the names" grep -q hot report.txt
perfctl cut --time "$at," -o cut long 2>/dev/null
ok "cut --time: the same, with the same names" bash -c \
	'[ "$(perfctl script --no-sideband -F comm,tid,cpu,abstime,event,ip -i cut 2>/dev/null | md5sum)" = \
	   "$(perfctl script --no-sideband -F comm,tid,cpu,abstime,event,ip -i long --time '"$at"', 2>/dev/null | md5sum)" ]'
# what is damaged and was not told of has not been read
within "packets before it are damaged" "$(checkpoint spoil)" 20 1000000
says "... which reading all of it finds" 0 'the rest of it is left out' bash -c 'perfctl script -i long 2>&1 >/dev/null; true'
ok "script --time: does not read them" bash -c \
	"perfctl script --no-sideband -F comm,tid,cpu,time,event,ip -i long --time $at, 2>span.err | cmp - after.txt && ! grep -q 'left out' span.err"
ok "report --time: does not, either" bash -c \
	"perfctl report --stdio -g none --sort comm,symbol --time $at, -i long 2>span.err | cmp - report.txt && ! grep -q 'left out' span.err"
ok "cut --time: neither" bash -c \
	"perfctl cut --time $at, -o again long 2>span.err && ! grep -q 'left out' span.err"
cd .. || exit 1
