#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Streams of tests/unit/lib/metadata.tsdl, each with the number of a format before it.

usage: seed_stream.py DIR
"""
import struct
import sys

UUID = bytes.fromhex("00112233445566778899aabbccddeeff")


def header(ident, time):
    return struct.pack("<I", ident | (time & (1 << 27) - 1) << 5) + struct.pack("<I", 42)


def pad(b):
    return b + b"\0" * (-len(b) % 8)


def packet(records):
    body = b"".join(pad(r) for r in records)
    size = 88 + len(body)
    return struct.pack("<I", 0xC1FC1FC1) + UUID + struct.pack(
        "<IQQQQQQQII", 0, 0, 1000, 5000, size * 8, size * 8, 0, 0, 0, 0) + body


switch = header(3, 1000) + pad(struct.pack("<IxxxxQ", 42, 0x401000)) + struct.pack(
    "<16siiq16sii", b"prog", 42, 120, 1, b"next", 43, 120)
sample = header(5, 1100) + pad(struct.pack("<IxxxxQQQQ", 42, 0x401000, 0, 5, 0)) + struct.pack(
    "<IIQQQQQQ", 1, 1, (1 << 64) - 4096, 0x401000, 0, 0, 0, 0)
mmap = header(7, 1050) + struct.pack("<QQQQ7I20sHH10s", 0x400000, 0x10000, 0, 1, 42, 42, 0, 0, 5, 2,
                                     4, b"abcd", 92, 10, b"/bin/true\0")
comm = header(8, 1060) + struct.pack("<II16s", 42, 42, b"prog")
for number in range(8):
    with open(f"{sys.argv[1]}/{number}", "wb") as f:
        f.write(bytes([number]) + packet([switch, mmap, comm, sample, sample]))
