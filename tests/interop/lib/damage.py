#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Damages a copy of a recording.

usage: damage.py KIND SEED FROM TO
       damage.py kinds
"""
import os
import random
import shutil
import struct
import sys

HEADER = 88


class Trace:
    def __init__(self, path):
        self.path = path
        names = sorted(n for n in os.listdir(path) if n.startswith("stream_"))
        self.streams = [n for n in names if os.path.getsize(self.at(n))]
        # the stream with the most packets
        self.main = max(self.streams, key=lambda n: os.path.getsize(self.at(n)))

    def at(self, name):
        return os.path.join(self.path, name)

    def read(self, name):
        with open(self.at(name), "rb") as f:
            return f.read()

    def write(self, name, data):
        with open(self.at(name), "wb") as f:
            f.write(data)

    def packets(self, name):
        data, found, at = self.read(name), [], 0
        while at < len(data):
            size = struct.unpack_from("<Q", data, at + 56)[0] // 8
            found.append(data[at:at + size])
            at += size
        return found


def cut_packet(t, rnd):
    """the stream ends behind a packet"""
    packets = t.packets(t.main)
    t.write(t.main, b"".join(packets[:len(packets) // 2]))


def cut_inside(t, rnd):
    """the stream ends inside a packet"""
    packets = t.packets(t.main)
    size = len(b"".join(packets[:-1]))
    t.write(t.main, t.read(t.main)[:size + rnd.randrange(1, len(packets[-1]))])


def cut_header(t, rnd):
    """the stream ends inside a packet's header"""
    packets = t.packets(t.main)
    size = len(b"".join(packets[:-1]))
    t.write(t.main, t.read(t.main)[:size + rnd.randrange(1, HEADER)])


def zero_tail(t, rnd):
    """zeros behind the last packet, as a crash of the machine leaves them"""
    t.write(t.main, t.read(t.main) + bytes(rnd.randrange(1, 200000)))


def zero_hole(t, rnd):
    """zeros in place of a packet"""
    packets = t.packets(t.main)
    i = rnd.randrange(len(packets))
    packets[i] = bytes(len(packets[i]))
    t.write(t.main, b"".join(packets))


def garbage_tail(t, rnd):
    """garbage behind the last packet"""
    t.write(t.main, t.read(t.main) + rnd.randbytes(rnd.randrange(1, 100000)))


def shuffled(t, rnd):
    """packets in another order"""
    packets = t.packets(t.main)
    rnd.shuffle(packets)
    t.write(t.main, b"".join(packets))


def repeated(t, rnd):
    """packets twice"""
    packets = t.packets(t.main)
    t.write(t.main, b"".join(p + p for p in packets))


def mixed_up(t, rnd):
    """the streams of two CPUs in one file"""
    t.write(t.main, b"".join(t.read(n) for n in t.streams))


def garbage_stream(t, rnd):
    """a stream of garbage"""
    t.write(t.main, rnd.randbytes(100000))


def empty_streams(t, rnd):
    """streams without a byte"""
    for n in t.streams:
        t.write(n, b"")


def no_streams(t, rnd):
    """metadata only"""
    for n in t.streams:
        os.unlink(t.at(n))


def empty_dir(t, rnd):
    """an empty directory"""
    shutil.rmtree(t.path)
    os.mkdir(t.path)


def no_dir(t, rnd):
    """no directory"""
    shutil.rmtree(t.path)


def plain_file(t, rnd):
    """a file in place of the directory"""
    shutil.rmtree(t.path)
    with open(t.path, "wb") as f:
        f.write(rnd.randbytes(10000))


def no_metadata(t, rnd):
    """no metadata"""
    os.unlink(t.at("metadata"))


def empty_metadata(t, rnd):
    """empty metadata"""
    t.write("metadata", b"")


def cut_metadata(t, rnd):
    """metadata that ends early"""
    data = t.read("metadata")
    t.write("metadata", data[:rnd.randrange(len(data))])


def cut_classes(t, rnd):
    """metadata without its last events"""
    data = t.read("metadata")
    at = data.rindex(b"event {", 0, len(data) * 2 // 3)
    t.write("metadata", data[:at])


def garbage_metadata(t, rnd):
    """metadata of garbage"""
    t.write("metadata", b"/* CTF 1.8 */\n" + rnd.randbytes(20000))


def deep_metadata(t, rnd):
    """metadata with structures in structures"""
    data = t.read("metadata")
    t.write("metadata", data + b"event { fields := " + b"struct { " * 200000)


def text_metadata(t, rnd):
    """escape sequences in names of events and fields"""
    data = t.read("metadata")
    data = data.replace(b'name = "', b'name = "\x1b[31m\\x1b]0;x\\007\x9b', 1000)
    t.write("metadata", data)


def directory_metadata(t, rnd):
    """a directory in place of the metadata"""
    os.unlink(t.at("metadata"))
    os.mkdir(t.at("metadata"))


def fifo_stream(t, rnd):
    """a FIFO in place of a stream"""
    os.unlink(t.at(t.main))
    os.mkfifo(t.at(t.main))


def fifo_metadata(t, rnd):
    """a FIFO in place of the metadata"""
    os.unlink(t.at("metadata"))
    os.mkfifo(t.at("metadata"))


def endless_stream(t, rnd):
    """a stream that never ends"""
    os.unlink(t.at(t.main))
    os.symlink("/dev/zero", t.at(t.main))


def endless_metadata(t, rnd):
    """metadata that never ends"""
    os.unlink(t.at("metadata"))
    os.symlink("/dev/zero", t.at("metadata"))


def huge_stream(t, rnd):
    """a sparse file of a terabyte"""
    os.truncate(t.at(t.main), 1 << 40)


def loops(t, rnd):
    """directories that hold themselves"""
    os.symlink(".", t.at("self"))
    os.symlink("stream_0", t.at("stream_9"))
    os.symlink("stream_8", t.at("stream_8"))


def info(t, rnd):
    """garbage in place of what was known of the system"""
    if not os.path.isdir(t.at("info")):
        os.mkdir(t.at("info"))
    for n in set(os.listdir(t.at("info"))) | {"record", "kallsyms", "modules", "vdso"}:
        t.write("info/" + n, rnd.choice([
            b"", rnd.randbytes(5000), b"=\n\n=\n" * 100, b"\x1b[31m=\x1b[32m\ncommand=\x1b]0;x\x07\n",
            b"ffffffff81000000 T \x1b[31mx\n" * 10, b"x" * 100000]))


def fifo_info(t, rnd):
    """a FIFO in place of what was known of the system"""
    for n in os.listdir(t.at("info")):
        os.unlink(t.at("info/" + n))
        os.mkfifo(t.at("info/" + n))


def headers(t, rnd):
    """odd numbers in the headers of packets"""
    odd = [0, 1, 7, 8, 704, 711, (1 << 32) - 1, 1 << 32, 1 << 63, (1 << 64) - 1, (1 << 64) - 8]
    packets = [bytearray(p) for p in t.packets(t.main)]
    for _ in range(rnd.randrange(1, 4)):
        p = rnd.choice(packets)
        struct.pack_into("<Q", p, 24 + 8 * rnd.randrange(8), rnd.choice(odd + [rnd.getrandbits(64)]))
    t.write(t.main, b"".join(packets))


def records(t, rnd):
    """odd bytes inside records"""
    packets = [bytearray(p) for p in t.packets(t.main)]
    for _ in range(rnd.randrange(1, 40)):
        p = rnd.choice(packets)
        content = struct.unpack_from("<Q", p, 48)[0] // 8
        if content <= HEADER + 8:
            continue
        at = rnd.randrange(HEADER, content - 8)
        if rnd.random() < 0.5:
            at -= at % 8
        n = rnd.choice([1, 2, 4, 8])
        p[at:at + n] = rnd.choice([bytes(n), b"\xff" * n, rnd.randbytes(n), b"\x1b[31m\x07\x9b!"[:n]])
    t.write(t.main, b"".join(packets))


def metadata_bytes(t, rnd):
    """odd bytes in the metadata"""
    data = bytearray(t.read("metadata"))
    for _ in range(rnd.randrange(1, 10)):
        data[rnd.randrange(len(data))] = rnd.choice(b'{};:=[]"\\0189abz\x00\xff\x1b\n')
    t.write("metadata", data)


def metadata_lines(t, rnd):
    """lines of the metadata left out, twice and elsewhere"""
    lines = t.read("metadata").split(b"\n")
    for _ in range(rnd.randrange(1, 8)):
        i = rnd.randrange(len(lines))
        what = rnd.randrange(4)
        if what == 0:
            del lines[i]
        elif what == 1:
            lines.insert(i, lines[i])
        elif what == 2:
            lines.insert(rnd.randrange(len(lines)), lines[i])
        else:
            number = rnd.choice([b"0", b"-1", b"7", b"65", b"99999999999999999999"])
            lines[i] = b"".join(number if c == 0x38 else bytes([c]) for c in lines[i])
    t.write("metadata", b"\n".join(lines))


KINDS = {f.__name__.replace("_", "-"): f for f in (
    cut_packet, cut_inside, cut_header, zero_tail, zero_hole, garbage_tail, shuffled, repeated,
    mixed_up, garbage_stream, empty_streams, no_streams, empty_dir, no_dir, plain_file,
    no_metadata, empty_metadata, cut_metadata, cut_classes, garbage_metadata, deep_metadata,
    text_metadata, directory_metadata, fifo_stream, fifo_metadata, endless_stream,
    endless_metadata, huge_stream, loops, info, fifo_info, headers, records, metadata_bytes,
    metadata_lines)}


def main():
    if sys.argv[1] == "kinds":
        for name, f in KINDS.items():
            print(name, f.__doc__)
        return
    kind, seed, source, target = sys.argv[1:]
    shutil.copytree(source, target, symlinks=True)
    KINDS[kind](Trace(target), random.Random(kind + seed))


main()
