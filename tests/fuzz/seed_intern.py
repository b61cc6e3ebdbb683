#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Packets for intern.c. usage: seed_intern.py DIR"""
import struct
import sys

CLOCK = 5  # the id of timer:cpu-clock in tests/unit/lib/metadata.tsdl
HEAD = 88
BEGIN = 1 << 20


def frames(kernel, user):
    return struct.pack(f"<{len(kernel) + len(user)}Q", *kernel, *user)


def record(number, word):
    """A sample; word: what its call chains are like"""
    head = struct.pack("<II", CLOCK | (BEGIN + number) << 5, 40 + number)
    context = struct.pack("<Ixxxx10Q", 7, 0x401000 + number, 0, 997, number % 2, 0, 1, 2, 3, 0, 8)
    behind = struct.pack("<3Q", 0, 0, 8) + b"12345678"
    return head + context + word + behind


def packet(records):
    content = b"".join(records)
    size = HEAD + len(content)
    return struct.pack("<I16sIQQQQQQQII", 0xC1FC1FC1, b"\0" * 16, 0, 0, BEGIN, BEGIN + (1 << 16),
                       size * 8, size * 8, 3, 0, 1, 0) + content


CHAINS = [([0xffffffff81000010, 0xffffffff81000020], [0x401000, 0x402000, 0x403000]),
          ([0xffffffff81000010, 0xffffffff81000020], [0x401008, 0x402000, 0x403000]),
          ([], [0x401000, 0x402000, 0x403000]), ([], []), ([0xffffffff81000030], [])]


def in_rings():
    for number in range(24):
        kernel, user = CHAINS[number * 7 % len(CHAINS)]
        yield record(number, struct.pack("<II", len(kernel), len(user)) + frames(kernel, user))


def named():
    """The same, with each chain once"""
    at, places = HEAD, {}
    for number in range(24):
        both = CHAINS[number * 7 % len(CHAINS)]
        here = (at + 8 + 88) // 8
        ids, new = [], []
        for which, chain in enumerate(both):
            key = which, tuple(chain)
            new.append([] if key in places else chain)
            ids.append(places.setdefault(key, here) if chain else 0)
        word = struct.pack("<4H", len(new[0]), len(new[1]), *ids)
        yield record(number, word + frames(*new))
        at += 8 + 88 + 8 + 8 * (len(new[0]) + len(new[1])) + 32


def write(name, data):
    with open(f"{sys.argv[1]}/{name}", "wb") as f:
        f.write(data)


write("rings", b"\0" + packet(in_rings()))
write("named", b"\1" + packet(named()))
