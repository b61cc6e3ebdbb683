#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Recordings as they come through a pipe, for pipe.c. usage: seed_pipe.py DIR"""
import os
import struct
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
BEGIN, METADATA, RING, NAMED, INFO, INFO_FILE, END = range(1, 8)


def read(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


def frame(kind, name=b"", data=b""):
    return struct.pack("<4sHHQ", b"PevF", kind, len(name), len(data)) + name + data


with tempfile.TemporaryDirectory() as scratch:
    subprocess.run([f"{here}/seed_stream.py", scratch], check=True)
    stream = read(scratch, "0")[1:]
metadata = read(here, "../unit/lib/metadata.tsdl")
begin = frame(BEGIN, data=struct.pack("<I", 1))
info = frame(INFO, b"command", b"true") + frame(INFO_FILE, b"notes", b"some")
packets = frame(RING, b"0", stream) + frame(NAMED, b"state", stream)
with open(f"{sys.argv[1]}/whole", "wb") as f:
    f.write(begin + frame(METADATA, data=metadata) + packets + info + frame(END))
with open(f"{sys.argv[1]}/short", "wb") as f:
    f.write(begin + info + packets)
