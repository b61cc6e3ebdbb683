#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# The Python binding opens events, reads rings and recordings.
# lib is set by what is sourced
# shellcheck disable=SC2154
. "$(dirname "$0")/lib/cli.bash"
build tree
top=$(cd "$lib/../../.." && pwd)
python=/usr/bin/python3
export PYTHONPATH=$top/tools/python PYTHONDONTWRITEBYTECODE=1
export LIBPEV=$PEV_TOOLS/libpev/libpev.so.1
[ -x $python ] || { echo "1..0 # SKIP no $python"; exit 0; }

ok "count: page faults of a thread" $python -c '
import mmap, pev
with pev.count("page-faults", tid=0) as faults:
    before = faults.read()["value"]
    m = mmap.mmap(-1, 1 << 20)
    for i in range(0, 1 << 20, 4096):
        m[i] = 1
    n = faults.read()["value"] - before
    assert 256 <= n < 400, n
'
ok "channel: each call that was made, with its fields" $python -c '
import os, pev
with pev.Channel() as ch:
    ch.open("raw_syscalls:sys_enter", tid=0, filter="id == 110")
    for _ in range(50):
        os.getppid()
    seen = [(e["id"], e.tid, len(e["args"])) for e in ch.read()]
    assert seen == [(110, os.getpid(), 6)] * 50, seen
    os.getppid()
    assert sum(1 for _ in ch.read()) == 1
    assert ch.lost == 0
    assert ch.events[0].read()["samples"] == 51
'
ok "channel: samples with chains" $python -c '
import pev
with pev.Channel() as ch:
    ch.open("timer/cpu-clock", tid=0, freq=999, sample=("tid", "ip", "kstack", "ustack"))
    sum(i * i for i in range(3000000))
    events = [(e.ip, e.kernel_chain + e.user_chain) for e in ch.read()]
    assert len(events) > 5, len(events)
    assert all(ip == chain[0] for ip, chain in events), events
'
says "a refusal is the kernel's sentence" 1 'pev.Error: .*nonsense|pev.Error: .*filter|pev.Error: .*field' $python -c '
import pev
pev.Channel().open("sched:sched_switch", tid=0, filter="nonsense == 1")'
says "no such event" 1 'pev.Error: .*no event nosuch' $python -c 'import pev; pev.count("nosuch")'
perfctl record -q -a -e cpu-clock -e sched:sched_switch -o t -- ./tree 2 2 50
ok "a recording: as perfctl reads it" "$top/tests/unit/exchange/binding.py" perfctl t
says "the example" 0 'events in the second half' $python "$top/Documentation/examples/tour.py" t
says "... counts switches" 0 '[0-9]+  sched:sched_switch' $python "$top/Documentation/examples/tour.py" t
finish
