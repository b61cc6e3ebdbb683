#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""tools/python/pev.py reads what perfctl reads.

usage: binding.py PERFCTL TRACE...
"""
import json
import subprocess
import sys

import pev


def check(tool, path):
    lines = subprocess.run([tool, "export", "jsonl", "-o", "-", path], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    with pev.Trace(path) as trace:
        sideband = {"pev:mmap", "pev:comm", "pev:fork", "pev:exec", "pev:exit"}
        names = [k.name for k in trace.classes if k.name not in sideband and
                 not k.name.startswith("state:")]
        events = list(trace.events(*names)) if names else []
        assert len(events) == len(lines), (path, len(events), len(lines))
        for e, line in zip(events, lines):
            want = json.loads(line)
            assert e.name == want["event"] and e.cpu == want["cpu"] and e.tid == want["tid"], line
            assert e.time - trace.begin == want["time_ns"], line
            if "ip" in e.cls.sample:
                assert hex(e.ip) == want["address"], line
            for name, value in want["fields"].items():
                got = e[name]
                if isinstance(got, tuple):
                    got = list(got)
                if isinstance(got, bytes):
                    got = got.hex()
                # jsonl spells out what no terminal should see
                if isinstance(got, str) and not got.isprintable():
                    continue
                assert got == value, (line, name, got)
        if events:
            middle = events[len(events) // 2].time
            after = sum(1 for _ in trace.events(*names, begin=middle))
            assert after == sum(1 for e in events if e.time >= middle), after
            before = sum(1 for _ in trace.events(*names, end=middle))
            assert before == sum(1 for e in events if e.time < middle), before
        for e in events:
            if "kstack" in e.cls.sample:
                assert e.user_chain[0] == e.ip
                break
        return len(events)


def main():
    total = sum(check(sys.argv[1], path) for path in sys.argv[2:])
    try:
        pev.Trace("/nowhere")
    except pev.Error as e:
        assert "/nowhere" in str(e), e
    else:
        raise AssertionError("no error")
    print(total, "events, libpev", pev.version())


main()
