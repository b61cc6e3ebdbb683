#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# perfctl record --context: samples and tracepoints of a server are those of the request that
# its thread worked for.
# lib is set by what is sourced
# shellcheck disable=SC2154,SC2016
. "$(dirname "$0")/lib/cli.bash"
build server
export PYTHONPATH=$lib/../../../tools/python PYTHONDONTWRITEBYTECODE=1
export LIBPEV=$PEV_TOOLS/libpev/libpev.so.1

call=syscalls:sys_enter_sched_get_priority_max
ok "a server is recorded" perfctl record -q --context -F 999 -e task-clock -e $call --waits=0 -- \
	bash -c './server 3 40 >served.txt'
ok "it served all requests" [ "$(wc -l <served.txt)" = 40 ]

# each request makes five calls, and each thread one of no request behind each
perfctl script -e $call -F request,event >calls.txt 2>/dev/null
ok "calls: each of those of a request, and no other" bash -c '
	while read -r id rest; do
		[ "$(grep -c "request=$id/" calls.txt)" = 5 ] || exit 1
	done <served.txt
	[ "$(grep -c request= calls.txt)" = 200 ] && [ "$(grep -vc request= calls.txt)" = 40 ]'

# the same without records: a row for each request
ok "tables by request" perfctl hist -e $call --csv -o rows.csv request -- bash -c './server 3 40 >counted.txt'
ok "... a row for each, and one for those of none" bash -c '
	while read -r id rest; do
		grep -qx "row,$id,5" rows.csv || exit 1
	done <counted.txt
	[ "$(grep -c "^row," rows.csv)" = 41 ] && grep -qx "row,none,40" rows.csv'
says "... which a begin has no more" 2 'begin\(\) takes' \
	perfctl hist --latency raw_syscalls:sys_enter..sys_exit 'begin(request)' -- true

# a request is served by one function: where it was sampled, its samples are
perfctl script -e task-clock -F request,ip >samples.txt 2>/dev/null
ok "samples: those in a function are of the requests that it served" awk '
	FILENAME == "served.txt" { function_of[$1] = $2; next }
	match($0, /work_[0-3]/) {
		f = substr($0, RSTART, RLENGTH)
		n++
		if (!match($0, /request=[0-9a-f]+/) ||
		    function_of[substr($0, RSTART + 8, RLENGTH - 8)] != f) {
			print "of another request: " $0
			wrong++
		}
	}
	END { print n + 0 " samples"; exit wrong || n < 30 }' served.txt samples.txt

# the law of large numbers: four requests of ten have 1, 2, 3 and 4 parts of the time; a busy
# emulator takes few samples, whose shares vary by three of their deviations at most
perfctl report --json - --sort request -e task-clock >report.json 2>/dev/null
ok "report --sort request: the time of each function" python3 -c '
import json, math
served = [line.split() for line in open("served.txt")]
rows = json.load(open("report.json"))["events"][0]["rows"]
share = {row["request"]: row["samples"] for row in rows}
took, seen = {}, {}
for id, function, ns in served:
    took[function] = took.get(function, 0) + int(ns)
    seen[function] = seen.get(function, 0) + share.get(id, 0)
print(took, seen)
n = sum(seen.values())
for f in took:
    a, b = took[f] / sum(took.values()), seen[f] / n
    assert abs(a - b) < 0.1 * a + 0.01 + 3 * math.sqrt(a * (1 - a) / n), (f, a, b)'

id=$(awk '$2 == "work_3" { print $1; exit }' served.txt)
says "timeline --request: one thread worked for it" 0 '^server +[0-9]+ .*#' perfctl timeline --request "$id"
ok "... and the time that it took is shown" bash -c "
	ns=\$(perfctl timeline --json --request $id |
		python3 -c 'import json, sys; t = json.load(sys.stdin); print(t[\"end_ns\"] - t[\"begin_ns\"])')
	[ \"\$ns\" -gt 15000000 ]"
says "waits carry the request, too" 0 'pev:wait: request=abababab' perfctl script -e pev:wait
ok "pprof: the label of a request" bash -c "perfctl export pprof -o p.gz 2>/dev/null && zcat p.gz | grep -aq $id"

ok "Python: event.request, as perfctl script shows it" /usr/bin/python3 -c '
import subprocess, pev
lines = subprocess.run(["perfctl", "script", "-e", "'$call'", "-F", "request"], check=True,
                       capture_output=True, text=True).stdout.splitlines()
with pev.Trace("pev.trace") as trace:
    events = list(trace.events("'$call'"))
    assert len(events) == len(lines) == 240, (len(events), len(lines))
    for e, line in zip(events, lines):
        r = e.request
        assert (f"request={r.trace}/{r.span}" if r else "") in line and bool(r) == ("request=" in line), line
    assert all(e.request is None for e in trace.events("sched:*"))'

# the example of the guide: one order waits for a lock of a file, and says how long it took
build orders
id=5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a05
ok "a server with marks is recorded" perfctl record -q -g --context --waits=1ms \
	-e 'user:shop:*' -e task-clock -o orders.trace -- ./orders
ok "... twelve orders begin and are done" [ "$(records orders.trace 'user:shop:*')" = 24 ]
perfctl script -e pev:wait -F request,fields,chain -i orders.trace >waits.txt 2>/dev/null
ok "... the slow one waited for a lock, in the time that its mark says" /usr/bin/python3 -c '
import re, pev
with pev.Trace("orders.trace") as trace:
    took = {e["order"]: e["us"] for e in trace.events("user:shop:done")}
    waits = [(e["blocked"] // 1000, e["waker_tid"]) for e in trace.events("pev:wait")
             if e.request and e.request.trace == "'$id'"]
print(took, waits)
assert len(took) == 12, took
longest = max(waits)
# a tenth of a second, of which a busy machine may have used some before it asked for the lock
assert 50000 <= longest[0] <= took[5] and longest[1], (longest, took[5])
texts = open("waits.txt").read().split("\n\n")
assert any("'$id'" in t and f"blocked={longest[0]}" in t and "flock" in t for t in texts), texts'

says "--fold has no requests" 2 'writes none down' perfctl record --fold --context -- true
says "the other engine is refused in words" 1 'does not know which request' \
	perfctl record --engine perf --context -o other -- true
finish
