#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Recordings for recording.c. usage: seed_recording.py DIR"""
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
write("known", b"\1" + stream)
write("own", b"\0" + struct.pack("<H", len(metadata)) + metadata + stream)
