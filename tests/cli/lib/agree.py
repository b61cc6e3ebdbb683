# SPDX-License-Identifier: GPL-2.0
"""Do babeltrace2 and perfctl script tell of the same events?

usage: agree.py BABELTRACE-OUTPUT SCRIPT-OUTPUT

Times may differ by a nanosecond: the two round ticks differently.
"""
import re
import sys


def nanoseconds(text):
    seconds, fraction = text.split(".")
    return int(seconds) * 10**9 + int(fraction)


def read(path, pattern):
    events = []
    for line in open(path, errors="replace"):
        match = re.match(pattern, line)
        if not match:
            sys.exit(f"{path}: {line!r} is no event")
        events.append((nanoseconds(match.group(1)), match.group(2)))
    return sorted(events)


theirs = read(sys.argv[1], r"\[([0-9.]+)\] \(\S+\) (?:\S+ )*?(\S+:?\S*): \{")
ours = read(sys.argv[2], r" ([0-9.]+): (\S+):$")
if sorted(n for _, n in theirs) != sorted(n for _, n in ours):
    sys.exit("the names differ")
for (a, _), (b, _) in zip(theirs, ours):
    if abs(a - b) > 1:
        sys.exit(f"times differ: {a} and {b}")
