#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges samples of guests that the host recorded by what the guests say of themselves.

usage: judge.py RECORDING EVENT FEWEST PID=ACCOUNT,KALLSYMS...

ACCOUNT is the output of phases.c in the guest that process PID ran, whose clock was the host's;
KALLSYMS is of its kernel. The recording was made with --clock cycles.

Where a sample interrupted the guest, the guest went on when the sample was over. So its time is
between the times that the guest took before and behind: which phase it hit is known for certain.
Prints a line for each thing that was hit, and one for each sample that is wrong; the last one says
how many were right. The exit status is 1 if one was wrong, or if fewer than FEWEST were right.
"""
import bisect
import collections
import sys

import pev

KERNEL = 1 << 63
SHOWN = 20  # of the wrong ones
LONGEST_GAP = 100000
# by ftrace, on the way to the kernel's loop: of lib/, the clock that it asks, and what the compiler made no part
# of its callers on the way back
UNTRACED = ("kstrtoull", "_kstrtoull", "_parse_integer_limit", "_parse_integer",
            "_parse_integer_fixup_radix", "_copy_from_user", "rep_movs_alternative", "kvm_clock_get_cycles",
            "simple_attr_write_xsigned", "arch_exit_to_user_mode_prepare",
            "syscall_exit_to_user_mode_work")
OUTSIDE = "outside of the account"


class Guest:
    """An account: what ran when, and where it lies."""

    def __init__(self, account, kallsyms):
        self.phases, self.between, self.loops = {}, [], {}
        self.spans, self.interrupts, self.path = [], [], set(UNTRACED)
        handlers = {"phase": self.add_phase, "between": self.add_between,
                    "function": self.add_function, "kernel": self.add_kernel,
                    "interrupt": self.add_interrupt, "path": self.add_path}
        with open(account, encoding="utf-8") as f:
            for line in f:
                words = line.split()
                if words and words[0] in handlers:
                    handlers[words[0]](*words[1:])
        self.spans.sort()
        self.interrupts.sort()
        self.begins = [s[0] for s in self.spans]
        self.read_symbols(kallsyms)

    def add_phase(self, name, begin, end):
        self.spans.append((int(begin), int(end), name))

    def add_interrupt(self, ticks):
        self.interrupts.append(int(ticks))

    def add_path(self, function):
        self.path.add(function)

    def add_between(self, start, end):
        self.between.append((int(start, 0), int(end, 0)))

    def add_function(self, name, start, end):
        self.phases[name] = int(start, 0), int(end, 0)

    def add_kernel(self, name, *functions):
        self.loops[name] = functions

    def read_symbols(self, path):
        symbols = []
        with open(path, encoding="utf-8") as f:
            for line in f:
                words = line.split()
                if len(words) >= 3 and words[1] in "tTwW":
                    # a compiler's copy of a function is that function
                    symbols.append((int(words[0], 16), words[2].split(".")[0]))
        symbols.sort()
        self.addresses = [s[0] for s in symbols]
        self.names = [s[1] for s in symbols]
        # what ftrace cannot see
        where = {name: addr for addr, name in symbols}
        self.untraced = [(where[f"__{t}_text_start"], where[f"__{t}_text_end"])
                         for t in ("entry", "noinstr")]

    def function(self, ip):
        """Of the guest's kernel"""
        i = bisect.bisect_right(self.addresses, ip) - 1
        return self.names[i] if i >= 0 else None

    def span(self, ticks):
        """From when to when which phases ran; None is one: what is between them"""
        i = bisect.bisect_right(self.begins, ticks) - 1
        if i < 0 or (i + 1 == len(self.spans) and ticks >= self.spans[i][1]):
            return None
        begin, end, phase = self.spans[i]
        if ticks < end:
            return begin, end, {phase}
        # the guest does other things between the account of some turns and the next ones
        following, _, then = self.spans[i + 1]
        return (end, following, {phase, then, None}) if following - end < LONGEST_GAP else None

    def interrupted(self, begin, end):
        i = bisect.bisect_left(self.interrupts, begin)
        return i < len(self.interrupts) and self.interrupts[i] < end

    def judge(self, ticks, ip, user):
        """What was hit, as the guest has it, and why that can't be."""
        span = self.span(ticks)
        if not span:
            return OUTSIDE, None
        begin, end, phases = span
        if user != (ip < KERNEL):
            return phases, "the address is of another mode"
        if not user:
            return self.judge_kernel(ip, phases, self.interrupted(begin, end))
        for name, (start, to) in self.phases.items():
            if start <= ip < to:
                return name, None if name in phases else f"where {phases} ran"
        if None in phases and any(start <= ip < to for start, to in self.between):
            return "between phases", None
        return phases, "in no function that ran then"

    def judge_kernel(self, ip, phases, interrupted):
        function = self.function(ip)
        if len(phases) == 1 and phases & self.loops.keys():
            if any(function in self.loops[p] for p in phases):
                return function, None
            if function in self.path or any(start <= ip < to for start, to in self.untraced):
                return "on the way to the kernel's loop", None
        if interrupted:
            return "interrupts", None
        return function, f"where {phases} ran"


def main():
    recording, event, fewest = sys.argv[1:4]
    guests = {}
    for arg in sys.argv[4:]:
        pid, files = arg.split("=")
        guests[int(pid)] = Guest(*files.split(","))
    hits, wrong = collections.Counter(), 0
    with pev.Trace(recording) as trace:
        for e in trace.events(event):
            guest = guests.get(e.pid)
            if not guest or not e.guest & pev.GUEST_CODE:
                where, why = None, "it is of none of the guests"
            else:
                where, why = guest.judge(e.ticks, e.ip, bool(e.guest & pev.GUEST_USER))
            if why:
                wrong += 1
                if wrong <= SHOWN:
                    print(f"wrong: {e.pid} at {e.ticks}, {e.ip:#x}, {where}: {why}")
            else:
                hits[e.pid, where] += 1
        lost = trace.lost
    for (pid, where), n in sorted(hits.items()):
        print(f"{pid} {n} {where}")
    right = sum(n for (_, where), n in hits.items() if where != OUTSIDE)
    print(f"{right} right, {wrong} wrong, {lost} lost")
    sys.exit(wrong != 0 or right < int(fewest))


if __name__ == "__main__":
    main()
