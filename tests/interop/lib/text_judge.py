#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Is <debugfs>/pev/text what babeltrace2 reads, record by record, in order and fields?

usage: text_judge.py DIR TEXT...

DIR has trace/, a recording, and formats/, what tracefs says of each event; TEXT has the lines of the
file while the recording was made. Both were written by the kernel as the same things happened, each into rings of
its own: the marks on each CPU (see text_take.py) say from where to where they are compared.

A line and a record belong together if the thread, the event and all that the print format makes of
the record's fields are the same. On a CPU both have the same order, but where an interrupt came
between the two writes of what it interrupted: then the one pair of times encloses the other.

Writes "RECORDS KINDS CPUS ENCLOSED" to TEXT.same or the first difference to TEXT.differs. The recording
is read once for all the texts.
"""
import collections
import gc
import os
import re
import sys

import bt2

from print_format import Pattern, PrintFormat
from text_marks import BEGIN, END

LINE = re.compile(r" *(\d+)\.(\d{9}) \[(\d{3})\] +(\d+) (.*)", re.S)
# records of an interrupt and what it woke that may come between two writes of one
NESTED = 400
# a tick that comes late adds all that were missed
TICKS = 1000
# of a file that is open on all CPUs
REFERENCES = 64


class Own:
    """A field that each write reads for itself, which another CPU may change in between.

    @name: its name
    @text: what a line has of it
    @value: of what @text finds, with the record's fields
    @may: whether it may differ so from the record's; @later: the line was written behind the record
    """

    def __init__(self, name, text, value, may):
        self.name, self.text, self.value, self.may = name, re.compile(text), value, may

    def fields(self, line, record):
        """The record's with what the line has of this one; None if that may not be."""
        found = self.text.search(line.body)
        if not found:
            return None
        value, was = self.value(found.group(1), record.fields), record.fields[self.name]
        if not self.may(was, value, line.ns >= record.ns):
            return None
        return {**record.fields, self.name: value}


def ticked(was, value, later):
    return 0 < (value - was if later else was - value) <= TICKS


OWN = {
    "timer:timer_start": Own("now", r" \[timeout=(-?\d+)\]", lambda text, f: f["expires"] - int(text), ticked),
    "timer:timer_expire_entry": Own("now", r" now=(\d+)", lambda text, f: int(text), ticked),
    "9p:9p_fid_ref": Own("refcount", r" refcount (\d+)", lambda text, f: int(text),
                         lambda was, value, later: abs(value - was) <= REFERENCES),
    # who ends is a zombie, and then its parent reaps it
    "sched:sched_switch": Own("prev_state", r" prev_state=([XZ]) ", lambda text, f: {"X": 0x10, "Z": 0x20}[text],
                              lambda was, value, later: {was, value} == {0x10, 0x20}),
}


class Differ(Exception):
    """Text and recording are not the same."""


def differ(*text):
    raise Differ("\n".join(str(t) for t in text))


class Line:
    def __init__(self, match):
        self.ns = int(match.group(1)) * 10**9 + int(match.group(2))
        self.cpu, self.tid, self.body = int(match.group(3)), int(match.group(4)), match.group(5)


class Record:
    def __init__(self, msg, freq):
        event, clock = msg.event, msg.default_clock_snapshot
        seconds, rest = divmod(clock.value, freq)
        self.ns = seconds * 10**9 + rest * 10**9 // freq
        self.name = event.name
        self.cpu = int(event.packet.context_field["cpu_id"])
        self.tid = int(event.common_context_field["tid"])
        # the end of a record is a structure of nothing
        self.fields = {n: plain(v) for n, v in event.payload_field.items()
                       if not isinstance(v, bt2._StructureFieldConst)}
        self.pattern = None


def plain(value):
    if isinstance(value, bt2._StringFieldConst):
        return str(value)
    if isinstance(value, bt2._ArrayFieldConst):
        return [int(v) for v in value]
    return int(value) if isinstance(value, bt2._IntegerFieldConst) else value


def read_lines(path):
    lines, last = collections.defaultdict(list), -1
    for text in open(path, errors="surrogateescape", newline="\n"):
        match = LINE.fullmatch(text.rstrip("\n"))
        if not match:
            differ("a line that is none, or says that records were lost:", text)
        line = Line(match)
        if line.ns < last:
            differ("the text is not in the order of time:", text)
        last = line.ns
        lines[line.cpu].append(line)
    return lines


def read_records(path, names):
    records, last = collections.defaultdict(list), -1
    for msg in bt2.TraceCollectionMessageIterator(path):
        if type(msg) is bt2._DiscardedEventsMessageConst:
            differ("the recording has lost records: make its rings larger")
        if type(msg) is not bt2._EventMessageConst or msg.event.name not in names:
            continue
        record = Record(msg, msg.default_clock_snapshot.clock_class.frequency)
        if record.ns < last:
            differ("babeltrace2's records are not in the order of time")
        last = record.ns
        records[record.cpu].append(record)
    return records


class Formats:
    """What a record is to look like."""

    def __init__(self, path):
        self.names = set(os.listdir(path))
        self.path, self.known = path, {}

    def format(self, name):
        if name not in self.known:
            with open(os.path.join(self.path, name)) as f:
                text = f.read()
            self.known[name] = [m.group(1) for m in re.finditer(
                r"^\tfield:[^;]*?(\w+);", text, re.M) if not m.group(1).startswith("common_") and
                m.group(1) != "__syscall_nr"] if name.startswith("syscalls:") else PrintFormat(text)
        return self.known[name]

    def pattern(self, record, fields=None):
        """A text, or a regular expression where it can't be known. @fields: others than the record's"""
        system, name = record.name.split(":")
        known = self.format(record.name)
        if system != "syscalls":
            text = known.pattern(fields or record.fields)
            if isinstance(text, Pattern):
                return re.compile(re.escape(name + ": ") + text, re.S)
            return "%s: %s" % (name, text)
        mask = (1 << 64) - 1
        call = name.replace("sys_enter_", "sys_").replace("sys_exit_", "sys_")
        if name.startswith("sys_exit_"):
            return "%s -> 0x%x" % (call, record.fields["ret"] & mask)
        return "%s(%s)" % (call, ", ".join("%s: %x" % (a, record.fields[a] & mask) for a in known))


def matches(pattern, text):
    return pattern == text if isinstance(pattern, str) else bool(pattern.fullmatch(text))


def fits(line, record, formats):
    if line.tid != record.tid:
        return False
    if record.pattern is None:
        record.pattern = formats.pattern(record)
    if matches(record.pattern, line.body):
        return True
    own = OWN.get(record.name)
    if not own or not line.body.startswith(record.name.split(":")[1] + ":"):
        return False
    fields = own.fields(line, record)
    return bool(fields and matches(formats.pattern(record, fields), line.body))


def between(items, begin, end, what, cpu):
    """From the mark's beginning to that of the other one."""
    at = [i for i, item in enumerate(items) if begin(item)], [i for i, item in enumerate(items) if end(item)]
    if len(at[0]) != 1 or len(at[1]) != 1:
        differ("%s of CPU %d: %d marks at the beginning, %d at the end" %
               (what, cpu, len(at[0]), len(at[1])))
    return items[at[0][0]:at[1][0] + 1]


def is_line(mark):
    return lambda line: line.body == "sys_getsid(pid: %x)" % mark


def is_record(mark):
    return lambda r: r.name == "syscalls:sys_enter_getsid" and r.fields["pid"] == mark


class Pairs:
    """What belongs together on a CPU."""

    def __init__(self, cpu, lines, records, formats):
        self.cpu, self.lines, self.records, self.formats = cpu, lines, records, formats
        self.pairs, self.enclosed = [], 0

    def show(self, text, at):
        line = self.lines[at]
        near = [r for r in self.records[max(at - 3, 0):at + 4]]
        differ("CPU %d, line %d: %s" % (self.cpu, at, text),
               "text:        %d %d %s" % (line.ns, line.tid, line.body),
               *("babeltrace2: %d %d %s %s: %s" % (r.ns, r.tid, r.name, r.fields,
                                                 self.formats.pattern(r)) for r in near))

    def find(self):
        waiting = collections.deque()  # records that were passed over
        at = 0
        for i, line in enumerate(self.lines):
            found = next((r for r in waiting if fits(line, r, self.formats)), None)
            if found:
                waiting.remove(found)
                self.enclosed += 1
                self.pairs.append((line, found))
                continue
            ahead = at
            while ahead < min(at + NESTED, len(self.records)) and \
                    not fits(line, self.records[ahead], self.formats):
                ahead += 1
            if ahead == min(at + NESTED, len(self.records)):
                if not self.is_edge(line.ns):
                    self.show("no record is like it", i)
                continue
            waiting.extend(self.records[at:ahead])
            at = ahead + 1
            self.pairs.append((line, self.records[ahead]))
        for record in list(waiting) + self.records[at:]:
            if not self.is_edge(record.ns):
                differ("CPU %d: the text lacks a record: %d %d %s %s" %
                       (self.cpu, record.ns, record.tid, record.name, record.fields))

    def is_edge(self, ns):
        """Between the two writes of a mark, by an interrupt."""
        return any(min(self.lines[i].ns, self.records[i].ns) <= ns <=
                   max(self.lines[i].ns, self.records[i].ns) for i in (0, -1))

    def check_times(self):
        """The one is always written before the other; so pairs that differ in order enclose."""
        order = {}
        for line, record in self.pairs:
            if line.ns == record.ns:
                continue
            first = order.setdefault(record.name, line.ns < record.ns)
            if first != (line.ns < record.ns):
                differ("CPU %d: the times of a pair are not of one occurrence: %d %s" %
                       (self.cpu, line.ns, line.body), "%d %s" % (record.ns, record.fields))


def judge(path, records, formats):
    lines = read_lines(path)
    kinds, n, cpus, enclosed = set(), 0, 0, 0
    for cpu in sorted(lines):
        ours = between(lines[cpu], is_line(BEGIN + cpu), is_line(END + cpu), "text", cpu)
        theirs = between(records[cpu], is_record(BEGIN + cpu), is_record(END + cpu), "babeltrace2", cpu)
        pairs = Pairs(cpu, ours, theirs, formats)
        pairs.find()
        pairs.check_times()
        n, cpus, enclosed = n + len(pairs.pairs), cpus + 1, enclosed + pairs.enclosed
        kinds |= {r.name for _, r in pairs.pairs}
    return n, len(kinds), cpus, enclosed


def main():
    # there are millions of objects, which live to the end
    gc.disable()
    directory = sys.argv[1]
    formats = Formats(os.path.join(directory, "formats"))
    try:
        records = read_records(os.path.join(directory, "trace"), formats.names)
    except Differ as e:
        sys.exit(str(e))
    for path in sys.argv[2:]:
        try:
            said = "same", "%d %d %d %d" % judge(path, records, formats)
        except Differ as e:
            said = "differs", str(e)
        with open("%s.%s" % (path, said[0]), "w", errors="surrogateescape") as f:
            f.write(said[1] + "\n")


main()
