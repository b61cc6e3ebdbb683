#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Small perf.data files of each kind to begin with. usage: seed_perf.py DIR"""
import struct
import sys

IDENTIFIER, IP, TID, TIME, CPU, PERIOD, CHAIN, RAW = (1 << b for b in (16, 0, 1, 2, 7, 8, 5, 10))
ALL = IDENTIFIER | IP | TID | TIME | CPU | PERIOD | CHAIN


def record(kind, misc, body):
    body += b"\0" * (-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def attr(kind, config, sample):
    a = struct.pack("<IIQQQQQ", kind, 112, config, 999, sample, 0, 1 << 10 | 1 << 18 | 1 << 1)
    return a + b"\0" * (112 - len(a))


def trailer(time):
    return struct.pack("<IIQIIQ", 42, 42, time, 0, 0, 1)


def sample(time, raw=b""):
    chain = struct.pack("<5Q", 4, (1 << 64) - 128, (1 << 64) - 4096 * 9, (1 << 64) - 512, 0x401000)
    return record(9, 2, struct.pack("<QQIIQIIQ", 1, 0x401000, 42, 42, time, 0, 0, 5) + chain + raw)


def records(raw=b""):
    mmap = struct.pack("<IIQQQ24xII", 42, 42, 0x400000, 0x1000, 0, 5, 2) + b"/bin/true\0"
    mmap += b"\0" * (-len(mmap) % 8)
    comm = struct.pack("<II", 42, 42) + b"prog\0\0\0\0"
    task = struct.pack("<IIIIQ", 43, 42, 43, 42, 1000)
    return (record(10, 2, mmap + trailer(0)) + record(3, 1 << 13, comm + trailer(900)) +
            sample(1000, raw) + record(7, 0, task + trailer(1100)) + record(68, 0, b"") +
            sample(1200, raw) + record(4, 0, task + trailer(1300)) +
            record(2, 0, struct.pack("<QQ", 1, 3) + trailer(1400)))


def text(s):
    return struct.pack("<I", 64) + s.encode().ljust(64, b"\0")


def formats():
    f = (b"name: switch\nID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
         b"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
         b"\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n")
    return (b"\x17\x08\x44tracing0.6\0\0\x08" + struct.pack("<I", 4096) + b"header_page\0" +
            struct.pack("<Q", 0) + b"header_event\0" + struct.pack("<QII", 0, 0, 1) + b"sched\0" +
            struct.pack("<IQ", 1, len(f)) + f + b"\0" * 16)


def file(sample_type, kind, config, data, features):
    ids = struct.pack("<Q", 1)
    attrs = attr(kind, config, sample_type) + struct.pack("<QQ", 104, 8)
    bits = sum(1 << f for f in features)
    at = 104 + len(ids) + len(attrs)
    head = b"PERFILE2" + struct.pack("<QQQQQQQQQQQQ", 104, 128, 112, len(attrs), at, len(data), 0, 0,
                                     bits, 0, 0, 0)
    table, bodies, place = b"", b"", at + len(data) + 16 * len(features)
    for f in sorted(features):
        table += struct.pack("<QQ", place + len(bodies), len(features[f]))
        bodies += features[f]
    return head + ids + attrs + data + table + bodies


def write(name, data):
    with open(f"{sys.argv[1]}/{name}", "wb") as f:
        f.write(data)


desc = struct.pack("<II", 1, 112) + attr(1, 0, ALL) + struct.pack("<I", 1) + text("cpu-clock") + \
    struct.pack("<Q", 1)
write("file", file(ALL, 1, 0, records(), {3: text("host"), 4: text("6.12"), 12: desc}))
inner = struct.pack("<HHI", 7, 0, 42) + b"a name".ljust(16, b"\0") + struct.pack("<HH", 28, 4) + b"abc\0"
raw = struct.pack("<I", len(inner)) + inner
write("tracepoint", file(ALL | RAW, 2, 7, records(raw), {1: formats()}))
write("pipe", b"PERFILE2" + struct.pack("<Q", 16) +
      record(64, 0, attr(1, 0, ALL) + struct.pack("<Q", 1)) +
      record(78, 0, struct.pack("<QQ", 2, 1) + b"a name\0") + records())
