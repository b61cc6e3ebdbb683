# SPDX-License-Identifier: LGPL-2.1-only
"""pev_script: calls the functions of a file for the events of a recording.

What "perfctl script -s FILE" runs; perfctl-script(1) describes the functions.

usage: python3 -m pev_script FILE TRACE [BEGIN END [NAME...]]

BEGIN and END are ns since the epoch; NAMEs are events, and may be globs.
"""
import fnmatch
import os
import re
import runpy
import sys

import pev

_NAMES = ("pev:comm", "pev:fork")


def function_name(event):
    """The function for an event: sched__sched_switch, cpu_clock"""
    return re.sub(r"\W", "_", event.replace(":", "__"))


class _Comms:
    """Names of threads, as they change"""

    def __init__(self):
        self._names = {0: "swapper"}

    def note(self, event):
        if event.name == "pev:comm":
            self._names[event["tid"]] = event["comm"]
        elif event.name == "pev:fork":
            self._names[event["tid"]] = self._names.get(event["ptid"], "")

    def of(self, tid):
        return self._names.get(tid, "")


def _load(path):
    # what lies beside the file can be imported
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    return {name: f for name, f in runpy.run_path(path, run_name="pev_script").items()
            if callable(f)}


def _choose(trace, found, names):
    """Returns the function of each event that is to be handled."""
    functions = {}
    for cls in trace.classes:
        if names and not any(fnmatch.fnmatchcase(cls.name, n) for n in names):
            continue
        f = found.get(function_name(cls.name), found.get("event"))
        if f:
            functions[cls.name] = f
    return functions


def run(path, recording, begin=None, end=None, names=()):
    """Calls begin(trace), the functions of the events, and end()."""
    found = _load(path)
    with pev.Trace(recording) as trace:
        functions, comms = _choose(trace, found, names), _Comms()
        if not functions and not found.keys() & {"begin", "end"}:
            there = ", ".join(sorted({function_name(k.name) for k in trace.classes}))
            sys.exit(f"{path} has neither begin(), event() nor end(), and no function for an event "
                     f"of this recording: {there}")
        if "begin" in found:
            found["begin"](trace)
        # from the start on, as names are given long before they are needed
        for e in trace.events(*functions, *_NAMES, end=end) if functions else ():
            comms.note(e)
            if e.name in functions and (begin is None or e.time >= begin):
                e.comm = comms.of(e.tid)
                functions[e.name](e)
        if "end" in found:
            found["end"]()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    times = [int(a) for a in sys.argv[3:5]]
    try:
        run(sys.argv[1], sys.argv[2], *times, names=sys.argv[5:])
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(141)


if __name__ == "__main__":
    main()
