# SPDX-License-Identifier: GPL-2.0
"""Counts of samples by program and function, as different readers see a file.

Each function returns a Counter: {(program, function): samples}; functions that
have no name are "?".
"""
import collections
import csv
import json
import re
import subprocess


def run(*words):
    done = subprocess.run(words, capture_output=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: {done.stderr.decode(errors='replace')[-500:]}")
    return done.stdout.decode(errors="replace")


def named(function):
    """Of several names of a function one is as good as another; the vdso has no file. perf has no name of
    some places in a PLT, and looks where a call returns to, which in the dynamic linker's start is another
    function."""
    if re.match(r"0x[0-9a-f]+$|.*\+0x[0-9a-f]+$|\[unknown\]|__vdso_", function):
        return "?"
    if function.endswith("@plt"):
        return "plt"
    return re.sub(r"@.*|^_dl_(?=start)|(?<=start)_user$", "", function).lstrip("_")


def perfctl(tool, trace, event=None):
    report = json.loads(run(tool, "report", "-j", "-", "-g", "none", "--percent-limit", "0",
                            "--sort", "comm,symbol", trace))
    counts = collections.Counter()
    for e in report["events"]:
        if event in (None, e["event"]):
            for row in e["rows"]:
                counts[row["comm"], named(row["symbol"])] += row["samples"]
    return counts


def perf(path, event=None, kallsyms=None):
    words = ["perf", "report", "--stdio", "-i", path, "-g", "none", "--no-children", "-n",
             "--sort", "comm,symbol", "-t", ";", "--percent-limit", "0"]
    if kallsyms:
        words += ["--kallsyms", kallsyms]
    counts, now = collections.Counter(), None
    for line in run(*words).splitlines():
        begin = re.match(r"# Samples: .* of event '(.*)'", line)
        if begin:
            now = begin.group(1)
        cells = [c.strip() for c in line.split(";")]
        if line.startswith("#") or len(cells) < 4 or event not in (None, now):
            continue
        counts[cells[2], named(cells[3][4:])] += int(cells[1])
    return counts


def folded(path):
    counts = collections.Counter()
    for line in open(path):
        stack, n = line.rstrip("\n").rsplit(" ", 1)
        frames = stack.split(";")
        counts[frames[0], named(frames[-1])] += int(n)
    return counts


def table(path):
    counts = collections.Counter()
    for row in csv.DictReader(open(path, newline="")):
        counts[row["program"], named(row["function"])] += 1
    return counts


def lines(path):
    counts = collections.Counter()
    for line in open(path):
        e = json.loads(line)
        counts[e["program"], named(e["place"]["function"])] += 1
    return counts


def firefox(path):
    profile = json.load(open(path))
    counts = collections.Counter()
    for t in profile["threads"]:
        frames, stacks, strings = t["frameTable"]["data"], t["stackTable"]["data"], t["stringTable"]
        for stack, _time, _delay in t["samples"]["data"]:
            text = strings[frames[stacks[stack][1]][0]]
            counts[t["name"], named(text.rsplit(" (in ", 1)[0])] += 1
    return counts


def functions(counts):
    """The same by function alone."""
    out = collections.Counter()
    for (_program, function), n in counts.items():
        out[function] += n
    return out


def pprof(path):
    """go tool pprof -top: by function."""
    text = run("go", "tool", "pprof", "-top", "-nodecount=100000", "-nodefraction=0",
               "-sample_index=samples", path)
    counts = collections.Counter()
    for line in text.splitlines():
        m = re.match(r" *(\d+) +[0-9.]+% +[0-9.]+% +\d+ +[0-9.]+%  (.*?)( \(inline\))?$", line)
        if m and int(m.group(1)):
            counts[named(m.group(2))] += int(m.group(1))
    return counts


def callgrind(path):
    """callgrind_annotate: cost by function."""
    counts = collections.Counter()
    for line in run("callgrind_annotate", "--threshold=100", path).splitlines():
        m = re.match(r" *([0-9,]+) \( ?[0-9.]+%\)  \?\?\?:(.*) \[.*\]$", line)
        if m:
            counts[named(m.group(2))] += int(m.group(1).replace(",", ""))
    return counts
