#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Is what perfctl exports what it says it is?

usage: check.py same A B ...    readers agree: KIND:PATH each, KIND of readers.py
       check.py chrome FILE     slices nest, tracks are named
       check.py firefox FILE    tables refer to what there is, as Gecko's format says
       check.py chains PERFCTL TRACE PERF.DATA
                                perf script has the call chains that jsonl has
       check.py damage PERFCTL PERF.DATA N DIR
                                N damaged copies: none makes import or report die
"""
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys

import readers


def die(*text):
    sys.exit(" ".join(str(t) for t in text))


def counts_of(word):
    kind, _, rest = word.partition(":")
    args = rest.split(",")
    return getattr(readers, kind)(*args)


def same(*words):
    all_counts = [counts_of(w) for w in words]
    if any(isinstance(next(iter(c), None), str) for c in all_counts):
        all_counts = [c if isinstance(next(iter(c), None), str) else readers.functions(c)
                      for c in all_counts]
    if not all_counts[0]:
        die("nothing was read by", words[0])
    for word, counts in zip(words[1:], all_counts[1:]):
        differ = [(k, all_counts[0][k], counts[k]) for k in set(all_counts[0]) | set(counts)
                  if all_counts[0][k] != counts[k]]
        if differ:
            die(f"{words[0]} and {word} differ:", sorted(differ)[:8])
    print(sum(all_counts[0].values()), "samples of", len(all_counts[0]), "functions")


def need(thing, *types):
    if not isinstance(thing, types):
        die(repr(thing)[:200], "is not of", types)
    return thing


def chrome(path):
    doc = json.load(open(path))
    tracks, named, kinds = collections.defaultdict(list), set(), collections.Counter()
    for e in need(doc["traceEvents"], list):
        kinds[need(e["ph"], str)] += 1
        track = need(e["pid"], int), need(e["tid"], int)
        need(e["name"], str)
        need(e["args"], dict)
        if e["ph"] == "M":
            named.add(track)
            continue
        begin = need(e["ts"], int, float)
        if e["ph"] == "X":
            tracks[track].append((round(begin * 1000), round((begin + e["dur"]) * 1000), e["name"]))
        elif e["ph"] != "i":
            die("unexpected kind", e["ph"])
    for track, slices in tracks.items():
        if track not in named:
            die("track", track, "has no name")
        open_ends = []
        for begin, end, name in sorted(slices, key=lambda s: (s[0], -s[1])):
            while open_ends and open_ends[-1] <= begin:
                open_ends.pop()
            if end < begin or (open_ends and end > open_ends[-1]):
                die("slice", name, begin, end, "of", track, "does not nest")
            open_ends.append(end)
    print(dict(kinds), len(tracks), "tracks")


def firefox(path):
    doc = json.load(open(path))
    meta = doc["meta"]
    if meta["version"] != 24 or not meta["categories"]:
        die("meta", meta)
    for key in ("interval", "startTime", "processType", "product", "stackwalk"):
        if key not in meta:
            die("meta has no", key)
    need(doc["libs"], list)
    need(doc["processes"], list)
    samples = markers = 0
    for t in need(doc["threads"], list):
        for key in ("tid", "pid", "name", "registerTime", "processType"):
            if key not in t:
                die("a thread has no", key)
        strings = need(t["stringTable"], list)
        frames, stacks = t["frameTable"], t["stackTable"]
        if stacks["schema"] != {"prefix": 0, "frame": 1}:
            die("schema of stacks", stacks["schema"])
        for f in frames["data"]:
            if len(f) > len(frames["schema"]) or not 0 <= f[0] < len(strings):
                die("frame", f)
            if not 0 <= f[frames["schema"]["category"]] < len(meta["categories"]):
                die("category of", f)
        for i, (prefix, frame) in enumerate(stacks["data"]):
            if prefix is not None and not 0 <= prefix < i or not 0 <= frame < len(frames["data"]):
                die("stack", i, prefix, frame)
        last = -1
        for stack, time, _ in t["samples"]["data"]:
            if not 0 <= stack < len(stacks["data"]) or time < last:
                die("sample", stack, time, "after", last)
            last = time
            samples += 1
        for m in t["markers"]["data"]:
            if not 0 <= m[0] < len(strings) or m[2] is not None or m[3] != 0:
                die("marker", m)
            if "type" not in need(m[5], dict):
                die("marker without a type", m)
            markers += 1
        if len(set(strings)) != len(strings):
            die("a string is there twice")
    print(samples, "samples,", markers, "markers")


def chains(tool, trace, data):
    ours, theirs, stack = collections.Counter(), collections.Counter(), None
    for line in readers.run(tool, "export", "jsonl", "-o", "-", trace).splitlines():
        e = json.loads(line)
        # perf script breaks lines that have no symbol off, and prints all others
        ours[tuple(readers.named(f["function"]) for f in e.get("chain", []))] += 1
    text = readers.run("perf", "script", "-i", data, "-F", "comm,ip,sym")
    for line in text.splitlines() + [""]:
        m = re.match(r"\s+([0-9a-f]+) (.*)$", line)
        if m:
            stack = (stack or []) + [readers.named(m.group(2).strip())]
        elif stack is not None:
            theirs[tuple(stack)] += 1
            stack = None
    # an unknown place: one is as good as another, and several in a row are one to us
    def squeeze(c):
        out = collections.Counter()
        for key, n in c.items():
            out[tuple(k for i, k in enumerate(key) if k != "?")] += n
        return out
    ours, theirs = squeeze(ours), squeeze(theirs)
    differ = [(k, ours[k], theirs[k]) for k in set(ours) | set(theirs) if ours[k] != theirs[k]]
    if differ or not ours:
        die(len(differ), "chains differ, such as", sorted(differ)[:3])
    print(sum(ours.values()), "chains,", len(ours), "different ones")


def damaged(data, rng):
    data = bytearray(data)
    way = rng.randrange(4)
    if way == 0:
        return data[:rng.randrange(len(data))]
    for _ in range(rng.choice((1, 3, 30, 300))):
        # the header, the records' own headers, anything
        at = rng.randrange(min(len(data), (104, 600, len(data))[way - 1]))
        data[at] = rng.choice((0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)))
    return data


def damage(tool, path, number, where):
    data = open(path, "rb").read()
    statuses = collections.Counter()
    for seed in range(int(number)):
        rng = random.Random(seed)
        copy, trace = os.path.join(where, "copy"), os.path.join(where, "copy.trace")
        open(copy, "wb").write(damaged(data, rng))
        shutil.rmtree(trace, ignore_errors=True)
        done = subprocess.run([tool, "import", "-o", trace, copy], capture_output=True, timeout=60)
        statuses[done.returncode] += 1
        if done.returncode not in (0, 65):
            die("seed", seed, "status", done.returncode, done.stderr[-1500:].decode("latin1"))
        if os.path.exists(trace):
            done = subprocess.run([tool, "report", trace], capture_output=True, timeout=60)
            if done.returncode not in (0, 65):
                die("report, seed", seed, "status", done.returncode,
                    done.stderr[-1500:].decode("latin1"))
    if not statuses[0] or not statuses[65]:
        die("one-sided:", dict(statuses))
    print(dict(statuses))


if __name__ == "__main__":
    commands = {f.__name__: f for f in (same, chrome, firefox, chains, damage)}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        die(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
