#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Recordings for recording.c. usage: seed_recording.py DIR"""
import ctypes
import os
import struct
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))


def write(name, data):
    with open(f"{sys.argv[1]}/{name}", "wb") as f:
        f.write(data)


def read(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


metadata = read(here, "../unit/lib/metadata.tsdl")
with tempfile.TemporaryDirectory() as scratch:
    subprocess.run([f"{here}/seed_stream.py", scratch], check=True)
    stream = read(scratch, "0")[1:]
    subprocess.run([f"{here}/seed_intern.py", scratch], check=True)
    named = read(scratch, "named")[1:]


def index(stream):
    """As a writer makes it: see tools/lib/pev/trace/index.h."""
    text = struct.pack(">4I", 0xC1F1DCC1, 1, 1, 72)
    at = 0
    while at < len(stream):
        (kind, instance, begin, end, content, size, lost, seq) = struct.unpack_from(
            "<I7Q", stream, at + 20)
        text += struct.pack(">9Q", at, size, content, begin, end, lost, kind, instance, seq)
        at += size // 8
    return text


def pack(stream):
    """Frames of packets, and their ends: see tools/lib/pev/trace/pack.h."""
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_compress.restype = ctypes.c_size_t
    zstd.ZSTD_compressBound.restype = ctypes.c_size_t
    frames, ends, at = b"", b"", 0
    while at < len(stream):
        size = struct.unpack_from("<Q", stream, at + 56)[0] // 8
        room = zstd.ZSTD_compressBound(ctypes.c_size_t(size))
        to = ctypes.create_string_buffer(room)
        n = zstd.ZSTD_compress(to, ctypes.c_size_t(room), stream[at:at + size],
                               ctypes.c_size_t(size), 1)
        frames += to.raw[:n]
        ends += struct.pack(">Q", len(frames))
        at += size
    return frames, ends


write("known", b"\1" + stream)
indexed = index(stream)
write("indexed", b"\3" + struct.pack("<H", len(indexed)) + indexed + stream)
write("own", b"\0" + struct.pack("<H", len(metadata)) + metadata + stream)
# a call chain once a packet: see Documentation/design/interning.rst
lengths = b"".join(b"\t\tuint32_t %s_len;\n" % n for n in (b"kstack", b"ustack"))
names = lengths.replace(b"uint32", b"uint16")
names += names.replace(b"_len", b"_id")
of_named = metadata.replace(lengths, names)
# the uuid is behind the magic
uuid = bytes.fromhex("00112233445566778899aabbccddeeff")
named = named[:4] + uuid + named[20:]
write("named", b"\0" + struct.pack("<H", len(of_named)) + of_named + named)
frames, ends = pack(stream)
write("packed", b"\7" + struct.pack("<H", len(indexed)) + indexed +
      struct.pack("<H", len(ends)) + ends + frames)
write("unindexed", b"\5" + struct.pack("<H", 0) + frames)
