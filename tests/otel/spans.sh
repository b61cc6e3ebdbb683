#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A server of Node.js with OpenTelemetry's SDK answers many requests at once: each of its system
# calls, and its samples, are those of the right span. $PEV_OTEL has the SDK, $PEV_ADDON the addon.
# lib is set by what is sourced
# shellcheck disable=SC2154
. "$(dirname "$0")/../cli/lib/cli.bash"
top=$(cd "$lib/../../.." && pwd)
export NODE_PATH=$PEV_OTEL/node_modules PEV_CONTEXT_ADDON=$PEV_ADDON
export PYTHONPATH=$top/tools/python PYTHONDONTWRITEBYTECODE=1
export LIBPEV=$PEV_TOOLS/libpev/libpev.so.1
server=$top/Documentation/examples/otel-node/server.js
export TAP_TIMEOUT=240
requests=20

ok "a server is recorded" perfctl record -q --context --waits=0 -F 499 -e task-clock \
	-e syscalls:sys_enter_getpriority -- bash -c "node $server $requests >spans.txt 2>errors.txt"
ok "it says nothing of errors" bash -c 'cat errors.txt; [ ! -s errors.txt ]'
ok "it had a span for each step" [ "$(wc -l <spans.txt)" = $((4 * requests)) ]
cat >check.py <<'END'
import collections
import sys
import pev

REQUESTS = int(sys.argv[1])
CALLS = {"checkout": 2, "read": 1, "check": 1, "pay": 3}
spans = {}
for line in open("spans.txt"):
    number, trace, span, name = line.split()
    spans[int(number)] = (trace, span, name)
calls, samples = collections.Counter(), collections.Counter()
with pev.Trace("pev.trace") as trace:
    for e in trace.events("syscalls:sys_enter_getpriority"):
        want = spans.get(e["who"], (None, None, None))[:2]
        got = e.request or (None, None)
        assert tuple(got) == want, (e["who"], got, want)
        calls[e["who"]] += 1
    for e in trace.events("*task-clock"):
        if e.request:
            samples[tuple(e.request)] += 1
for number, (_, _, name) in spans.items():
    assert calls.pop(number) == CALLS[name], (number, name)
# the call that each makes behind its answer, of no span
assert list(calls.values()) == [REQUESTS], calls
known = {s[:2] for s in spans.values()}
assert samples and set(samples) <= known, set(samples) - known
print(sum(samples.values()), "samples of", len(samples), "spans")
END
ok "each system call is of its span, and each sample of one" /usr/bin/python3 check.py $requests
id=$(awk '$4 == "checkout" { print $2; exit }' spans.txt)
says "timeline --request: what worked for one" 0 'node' perfctl timeline --request "$id"
says "report --sort request" 0 '[0-9a-f]{32}' perfctl report -g none --sort request -e task-clock
finish
