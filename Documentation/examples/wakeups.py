# SPDX-License-Identifier: GPL-2.0
"""Who wakes whom, and how long that takes until it runs. For perfctl script -s:

    perfctl record -a -e sched:sched_waking -e sched:sched_switch -- ./program
    perfctl script -s wakeups.py
"""
import collections

woken = {}                              # thread: when, by which program
pairs = collections.defaultdict(list)   # programs: ns


def begin(trace):
    print(f"{trace.info('command')}: {(trace.end - trace.begin) / 1e9:.3f} s")


def sched__sched_waking(event):
    woken[event["pid"]] = event.time, event.comm


def sched__sched_switch(event):
    since, waker = woken.pop(event["next_pid"], (None, None))
    if since is not None:
        pairs[waker, event["next_comm"]].append(event.time - since)


def end():
    for (waker, wakee), ns in sorted(pairs.items(), key=lambda p: -len(p[1]))[:20]:
        print(f"{len(ns):7}  {waker:>16} -> {wakee:<16} {sum(ns) / len(ns) / 1e3:10.1f} us on average")
