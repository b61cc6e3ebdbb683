#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Makes of a perf.data that this perf wrote one that others write.

usage: newer.py KIND IN OUT

KIND  compressed2  of "perf record -z" (COMPRESSED): records as perf has them since 6.15
      auxtrace     as with Intel PT: AUX data in the middle, which looks like records
      cut-auxtrace the same, and the file ends in that data
      unknown      two records of a type that is yet to come, one of the kernel's range
"""
import struct
import sys

COMPRESSED, COMPRESSED2, AUXTRACE, SAMPLE = 81, 83, 71, 9


def record(kind, body):
    return struct.pack("<IHH", kind, 0, 8 + len(body)) + body


def records(data):
    at = 0
    while at < len(data):
        kind, _misc, size = struct.unpack_from("<IHH", data, at)
        yield kind, data[at:at + size]
        at += size


def compressed2(data):
    out = b""
    for kind, r in records(data):
        if kind == COMPRESSED:
            body = struct.pack("<Q", len(r) - 8) + r[8:]
            r = record(COMPRESSED2, body + bytes(-len(body) % 8))
        out += r
    return out


def in_the_middle(data, insert):
    all_records = [r for _, r in records(data)]
    at = next(i for i, (kind, _) in enumerate(records(data)) if kind == SAMPLE)
    at = (at + len(all_records)) // 2
    return b"".join(all_records[:at] + [insert] + all_records[at:])


def aux(data):
    # a record whose size is 0, and one that reaches beyond the end
    payload = struct.pack("<IHHIHHQ", 9, 2, 0, 9, 2, 0xffff, 1) * 400
    return record(AUXTRACE, struct.pack("<QQQIIII", len(payload), 0, 0, 0, 42, 0, 0)) + payload


def main(kind, source, target):
    data = open(source, "rb").read()
    at, size = struct.unpack_from("<QQ", data, 40)
    body = data[at:at + size]
    if kind == "compressed2":
        new = compressed2(body)
    elif kind == "auxtrace":
        new = in_the_middle(body, aux(body))
    elif kind == "cut-auxtrace":
        new = body + aux(body)[:-2000]
    else:
        new = in_the_middle(body, record(200, bytes(16)) + record(60, bytes(64)))
    rest = bytearray(data[at + size:])
    # the table of features: their places have moved
    for i in range(bin(int.from_bytes(data[72:104], "little")).count("1")):
        place, = struct.unpack_from("<Q", rest, 16 * i)
        struct.pack_into("<Q", rest, 16 * i, place + len(new) - size)
    with open(target, "wb") as f:
        f.write(data[:48] + struct.pack("<Q", len(new)) + data[56:at] + new + rest)


main(*sys.argv[1:])
