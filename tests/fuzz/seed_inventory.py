#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Files of /proc, and packets of what a machine has: stream 3 of the classes in inventory/kinds.c.

usage: seed_inventory.py DIR
"""
import struct
import sys

UUID = bytes.fromhex("00112233445566778899aabbccddeeff")
FILES = [
    b"22 27 0:21 / /proc rw,relatime - proc proc rw\n"
    b"36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 shared:2 - ext3 /dev/root rw\n",
    b"major minor  #blocks  name\n\n 259        0  500107608 nvme0n1\n",
    b"loop 32768 0 - Live 0xffffffffc0440000\nnf 4096 1 a,b, Live 0x0 (OE)\n",
]


def record(ident, numbers, texts):
    """Numbers as struct.pack() takes them; the fields begin at 8 bytes."""
    body = struct.pack("<II", ident, 0) + struct.pack(*numbers)
    body += b"".join(struct.pack("<H", len(t)) for t in texts) + b"".join(texts)
    return body + b"\0" * (-len(body) % 8)


def packet(records):
    body = b"".join(records)
    size = 88 + len(body)
    return struct.pack("<I", 0xC1FC1FC1) + UUID + struct.pack(
        "<IQQQQQQQII", 3, 0, 0, 5000, size * 8, size * 8, 0, 0, 0, 0) + body


RECORDS = [
    record(0, ("<IIiiiiII", 3, 1, 0, -1, 0, 0, 3400000, 0), [b"cpu_core"]),
    record(1, ("<I", 36), [b"virtio1-req.0", b"PCI-MSIX"]),
    record(2, ("<I", 2), [b"eth0"]),
    record(3, ("<IIQ", 8, 1, 4096), [b"sda1"]),
    record(4, ("<IIII", 30, 1, 8, 1), [b"/", b"ext4", b"/dev/sda1", b"/"]),
    record(5, ("<Q", 4711), [b"/system.slice"]),
    record(6, ("<QQ", 0xffffffffc0440000, 4096), [b"loop"]),
    record(7, ("<III", 42, 3, 0o100000), [b"/a\nb"]),
    record(8, ("<QQQ", 1, 0, 2), [b"fd"]),
    record(7, ("<III", 42, 4, 0), [b"late"]),
]
for number, content in enumerate(FILES):
    with open(f"{sys.argv[1]}/file{number}", "wb") as f:
        f.write(bytes([number]) + content)
with open(f"{sys.argv[1]}/records", "wb") as f:
    f.write(b"\3" + packet(RECORDS))
