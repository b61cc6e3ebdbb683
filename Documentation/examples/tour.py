#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
# %% [markdown]
# # A tour of a recording
#
# Cells begin with "# %%", as notebooks and editors know them; it also runs as it
# is:
#
#     perfctl record -a -e cpu-clock -e sched:sched_switch -- ./program
#     PYTHONPATH=tools/python LIBPEV=.../libpev.so.1 Documentation/examples/tour.py pev.trace

# %% Open it, and see what is in it
import collections
import sys

import pev

trace = pev.Trace(sys.argv[1] if len(sys.argv) > 1 else "pev.trace")
seconds = (trace.end - trace.begin) / 1e9
print(f"{trace.info('command')}: {seconds:.3f} s, {trace.lost} records lost")
for cls in trace.classes:
    print(f"  {cls.name:30} {', '.join(cls.fields)}")
for warning in trace.warnings:
    print("  damaged:", warning)

# %% How often did what happen, in order of time and of all CPUs
counts = collections.Counter(e.name for e in trace)
for name, n in counts.most_common():
    print(f"{n:9,}  {name}")

# %% When did it happen: twenty equal spans of the recording
span = max(1, (trace.end - trace.begin) // 20 + 1)
busy = collections.Counter((e.time - trace.begin) // span for e in trace)
most = max(busy.values(), default=1)
for i in range(20):
    print(f"{i * span / 1e9:9.4f} s  {'#' * (50 * busy[i] // most)} {busy[i]}")

# %% Who ran for how long, from the switches; fields are numbers and text
ran, since = collections.Counter(), {}
for e in trace.events("sched:sched_switch"):
    if e.cpu in since:
        ran[e["prev_comm"]] += e.time - since[e.cpu]
    since[e.cpu] = e.time
for comm, ns in ran.most_common(10):
    print(f"{ns / 1e6:12.3f} ms  {comm}")

# %% The second half only: found by a search, what is before is not read
half = trace.begin + (trace.end - trace.begin) // 2
print(sum(1 for _ in trace.events(begin=half)), "events in the second half")
trace.close()
