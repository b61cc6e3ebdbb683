#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Does babeltrace2 read the same from a trace as libpev and perfctl script?

usage: compare.py DIR EVENTS SCRIPT REPORT BEFORE AFTER

EVENTS is what the program events printed of DIR, SCRIPT the output of
perfctl script -F tid,cpu,abstime,event,ip,fields,chain, REPORT of perfctl
report -j -. BEFORE and AFTER are seconds since the epoch: every record must lie
between them.

Prints "RECORDS STREAMS LOST NAMES" and exits with 1 at the first difference.
"""
import collections
import json
import os
import re
import sys

import bt2

PLACE = re.compile(rb" {0,}([0-9a-f]+) .* \([^()]*(?:\([^()]*\))?\)$", re.S)
# Parts of a sample that are in the payload for babeltrace2's sake
VARYING = ("kstack", "ustack", "uregs", "values", "dump")
# What is recorded with every event, and is none that the report counts
SIDEBAND = {"pev:mmap", "pev:comm", "pev:fork", "pev:exec", "pev:exit"}


def differ(*text):
    sys.exit("\n".join(str(t) for t in text))


def escape(data):
    """Text as pev_event_print_field() has it."""
    out = bytearray(b'"')
    for c in data:
        if c in b'"\\':
            out += b"\\%c" % c
        elif c == 10:
            out += b"\\n"
        elif c == 9:
            out += b"\\t"
        elif c < 32 or c == 127:
            out += b"\\x%02x" % c
        else:
            out.append(c)
    return bytes(out + b'"')


def number(value):
    cls = value.cls
    v, bits, base = int(value), cls.field_value_range, cls.preferred_display_base
    if base == 16:
        return b"0x%x" % (v & (1 << bits) - 1)
    if base == 8:
        return b"0%o" % (v & (1 << bits) - 1)
    return b"%d" % v


def text(value):
    if isinstance(value, bt2._StringFieldConst):
        return escape(str(value).encode("utf-8", "surrogateescape"))
    if isinstance(value, bt2._ArrayFieldConst):
        cls = value.cls.element_field_class
        if cls.field_value_range == 8 and isinstance(cls, bt2._UnsignedIntegerFieldClassConst):
            return b"".join(b"%02x" % int(i) for i in value)
        return b"[%s]" % b", ".join(number(i) for i in value)
    return number(value)


def label(value):
    """What perfctl script shows in place of a number."""
    named = isinstance(value, bt2._EnumerationFieldConst) and value.labels
    return named[0].encode() if named else None


class Record:
    """An event message: what to expect of it in EVENTS and in SCRIPT."""

    def __init__(self, msg):
        event, clock = msg.event, msg.default_clock_snapshot
        self.ticks, self.ns = clock.value, clock.ns_from_origin
        self.name = event.name
        self.cpu = int(event.packet.context_field["cpu_id"])
        self.tid = int(event.common_context_field["tid"])
        context, payload = event.specific_context_field, event.payload_field
        self.context = [] if context is None else [(n, context[n]) for n in context]
        # padding is a structure without fields
        self.payload = [(n, payload[n]) for n in payload
                        if not isinstance(payload[n], bt2._StructureFieldConst)]
        self.context = [(n, text(v), v) for n, v in self.context]
        self.payload = [(n, text(v), v) for n, v in self.payload]
        self.dict = {n: v for n, _, v in self.context + self.payload}

    def line(self):
        head = b"%s cpu=%d tid=%d" % (self.name.encode(), self.cpu, self.tid)
        return b" ".join([head] + [b"%s=%s" % (n.encode(), t)
                                   for n, t, _ in self.context + self.payload])

    def find_chains(self, named):
        """Puts chains in the place of their names. named: those that the packet has until here."""
        self.chains = {}
        for name in ("kstack", "ustack"):
            chain = [int(x) for x in self.dict.get(name, [])]
            number = int(self.dict.get(name + "_id", 0))
            if number and chain:
                named[name, number] = chain
            elif number:
                chain = named[name, number]
            self.chains[name] = chain

    def shown(self):
        """Payload fields that perfctl script shows."""
        names = {n for n, _, _ in self.payload}
        for n, t, v in self.payload:
            owner = n[:-4] if n.endswith(("_off", "_len")) else None
            if n in ("kstack_id", "ustack_id"):
                owner = n[:-3]
            if n not in VARYING and owner not in names:
                yield n, label(v) or t

    def chain(self):
        frames = []
        for name in ("kstack", "ustack"):
            part = list(self.chains[name])
            while len(part) > 1 and not part[-1]:
                part.pop()
            frames += part
        return frames

    def script(self, ns):
        head = b" %7d [%03d] %d.%09d: %s:" % (self.tid, self.cpu, ns // 10**9, ns % 10**9,
                                              self.name.encode())
        own = {n: int(v) for n, _, v in self.context}
        if "period" in own:
            head += b" period=%d" % own["period"]
        if "addr" in own:
            head += b" addr=0x%x" % own["addr"]
        return head + b"".join(b" %s=%s" % (n.encode(), safe(t)) for n, t in self.shown())


def safe(data):
    """What perfctl makes harmless for a terminal, beyond control characters."""
    out = ""
    for c in data.decode("utf-8", "surrogateescape"):
        o = ord(c)
        bad = (o < 0xa0 and not 0x20 <= o < 0x7f) or 0xdc80 <= o < 0xdd00 or \
            0x200b <= o <= 0x200f or 0x2028 <= o <= 0x202e or 0x2066 <= o <= 0x2069 or \
            o == 0xfeff
        out += "".join("\\x%02x" % b for b in c.encode("utf-8", "surrogateescape")) if bad else c
    return out.encode("utf-8", "surrogateescape")


def read_theirs(path):
    streams, lost, last, records = {}, {}, -1, 0
    named = {}
    for msg in bt2.TraceCollectionMessageIterator(path):
        if type(msg) is bt2._PacketBeginningMessageConst:
            named[msg.packet.stream.name] = {}
        elif type(msg) is bt2._EventMessageConst:
            r = Record(msg)
            r.find_chains(named[msg.event.stream.name])
            if r.ticks < last:
                differ("babeltrace2's records are not in order of time", r.line())
            last = r.ticks
            streams.setdefault(os.path.basename(msg.event.stream.name), []).append(r)
            records += 1
        elif type(msg) is bt2._DiscardedEventsMessageConst:
            name = os.path.basename(msg.stream.name)
            lost[name] = lost.get(name, 0) + msg.count
    return streams, lost, records


# names of numbers, by what the machine had
NAME = re.compile(rb"( (?:irq|(?:to_)?ifindex|[oi]if|s?_?dev|cgroup_ino|fd|fildes|dfd|oldfd|newfd|"
                  rb"olddfd|newdfd|in_fd|out_fd|fd_in|fd_out|epfd|dirfd|pidfd)=-?[0-9a-fx]+)"
                  rb"\((?:[^()]|\([^()]*\))*\)")
CALL = re.compile(rb"(: raw_syscalls:sys_(?:enter|exit): id=[0-9]+)\([a-z0-9_]+\)")


class Script:
    """Blocks of perfctl script's output: a line, and the addresses that follow."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        self.lines = self.data.split(b"\n")
        self.at = 0

    def line(self):
        if self.at >= len(self.lines):
            return None
        self.at += 1
        # the name of a system call is of no field, nor are those of other numbers
        return NAME.sub(rb"\1", CALL.sub(rb"\1", self.lines[self.at - 1]))


# functions that trace, at most, before the one that is traced
TRACING = 6


def address(line):
    match = PLACE.match(line)
    return int(match.group(1), 16) if match else None


def compare_script(script, record, ns):
    want = record.script(ns)
    got = script.line()
    frames = record.chain()
    ip = next((v for n, _, v in record.context if n == "ip"), None)
    if ip is not None and not frames:
        if got is None or not got.startswith(want) or address(got[len(want):]) != int(ip):
            differ("perfctl script differs", b"theirs: " + want + b" %x" % int(ip), b"ours:   %s" % got)
        return
    if got != want:
        differ("perfctl script differs", b"theirs: " + want, b"ours:   %s" % got)
    # script begins the chain of a tracepoint behind the functions that trace it
    first = address(script.lines[script.at]) if frames and script.at < len(script.lines) else None
    if first in frames[:TRACING]:
        frames = frames[frames.index(first):]
    for f in frames:
        line = script.line()
        if line is None or address(line) != f:
            differ("a call chain differs", want, "theirs: %x" % f, b"ours:   %s" % line)
    if frames and script.line() != b"":
        differ("a call chain is longer", want)


def compare_report(path, names, lost):
    with open(path, errors="surrogateescape") as f:
        report = json.load(f)
    ours = {e["event"]: e["samples"] for e in report["events"] if e["samples"]}
    want = {n: c for n, c in names.items() if n not in SIDEBAND and not n.startswith("state:")}
    if ours != want or report["lost"] != sum(lost.values()):
        differ("perfctl report counts otherwise", "theirs: %s %s" % (want, lost),
               "ours:   %s %s" % (ours, report["lost"]))


def main():
    theirs, lost, records = read_theirs(sys.argv[1])
    script = Script(sys.argv[3])
    next_of = dict.fromkeys(theirs, 0)
    names, nr, last = collections.Counter(), 0, -1
    our_lost = {}
    first_ns, last_ns = None, None
    for line in open(sys.argv[2], "rb"):
        line = line[:-1]
        if line.startswith(b"lost "):
            _, name, n = line.split()
            our_lost[name.decode()] = int(n)
            continue
        stream, ticks, ns, rest = line.split(b" ", 3)
        stream, ticks, ns = stream.decode(), int(ticks), int(ns)
        at = next_of.get(stream, 0)
        if at >= len(theirs.get(stream, [])):
            differ("libpev has more records", line)
        record = theirs[stream][at]
        next_of[stream] = at + 1
        if record.line() != rest:
            differ("libpev differs in %s, record %d" % (stream, at),
                   b"theirs: " + record.line(), b"ours:   " + rest)
        if record.ticks != ticks or abs(record.ns - ns) > 1:
            differ("the time differs", line, "theirs: %d %d" % (record.ticks, record.ns))
        if ticks < last:
            differ("libpev's records are not in order of time", line)
        last = ticks
        if first_ns is None:
            first_ns = ns
        last_ns = ns
        compare_script(script, record, ns)
        names[record.name] += 1
        nr += 1
    if nr != records:
        differ("babeltrace2 has %d records, libpev %d" % (records, nr))
    if any(script.lines[script.at:][:1]) or len(script.lines) - script.at > 1:
        differ("perfctl script has more records", script.line())
    if {k: v for k, v in our_lost.items() if v} != lost:
        differ("losses differ", "theirs: %s" % lost, "ours:   %s" % our_lost)
    before, after = sys.argv[5:]
    if nr and not (float(before) * 1e9 <= first_ns and last_ns <= float(after) * 1e9):
        differ("records are not between %s and %s s: %d to %d ns" %
               (before, after, first_ns, last_ns))
    compare_report(sys.argv[4], names, lost)
    print(nr, len(theirs), sum(lost.values()), len(names))


main()
