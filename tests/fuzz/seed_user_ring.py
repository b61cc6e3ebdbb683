#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Writes seeds of user_ring.c: rings that a program filled as it should, and formats.

usage: seed_user_ring.py DIRECTORY
"""
import pathlib
import struct
import sys

PACKET = 512
OUT = pathlib.Path(sys.argv[1])


def ring(records, units):
    """Whole packets of records, each of so many words; the head behind them."""
    words, count = [], 0
    for _ in range(records):
        at = len(words)
        if at % PACKET and at % PACKET + units > PACKET:
            words += [0] * (PACKET - at % PACKET)
            at = len(words)
        if at % PACKET == 0:
            words.append(count << 32 | at)
        words += [count << 32 | units, 1000 + count] + [7] * (units - 2)
        count += 1
    return struct.pack("<QQ", count << 32 | len(words), 0) + struct.pack(f"<{len(words)}Q", *words)


for name, records, units in (("one", 1, 2), ("some", 30, 4), ("two-packets", 150, 5),
                             ("long", 3, 400), ("three-packets", 200, 7)):
    (OUT / name).write_bytes(ring(records, units))
moving = bytearray(ring(150, 5))
moving[8:16] = struct.pack("<Q", 3 << 32 | 700)
(OUT / "moving").write_bytes(bytes(moving))
for n, text in enumerate(("order %lu city %s", "%lu %s,order, city", "%d%d%d a, b->c, \"x,y\"",
                          "%5.3f%%%p%c%hhx%zu", "%*d", "%1$d")):
    (OUT / f"format{n}").write_text(text)
