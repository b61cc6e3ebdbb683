#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Damages a copy of a recording.

usage: damage.py KIND SEED FROM TO
       damage.py try SEED ROUNDS FROM...
            each kind, on a copy of each recording, with so many seeds from SEED on where it is
            done by chance: each command that reads ends soon, with a documented status and a
            message, and never passes on what a terminal would obey. Prints a line for each kind:
            its name, what it is, and what was wrong, with tabs between them.
"""
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys

HEADER = 88
# tabs and line ends are all the control characters that may be printed; ESC and the eight-bit
# controls in UTF-8 are none
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")


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


def cut_packet(t):
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


def repeated(t):
    """packets twice"""
    packets = t.packets(t.main)
    t.write(t.main, b"".join(p + p for p in packets))


def mixed_up(t):
    """the streams of two CPUs in one file"""
    t.write(t.main, b"".join(t.read(n) for n in t.streams))


def garbage_stream(t, rnd):
    """a stream of garbage"""
    t.write(t.main, rnd.randbytes(100000))


def empty_streams(t):
    """streams without a byte"""
    for n in t.streams:
        t.write(n, b"")


def no_streams(t):
    """metadata only"""
    for n in t.streams:
        os.unlink(t.at(n))


def empty_dir(t):
    """an empty directory"""
    shutil.rmtree(t.path)
    os.mkdir(t.path)


def no_dir(t):
    """no directory"""
    shutil.rmtree(t.path)


def plain_file(t, rnd):
    """a file in place of the directory"""
    shutil.rmtree(t.path)
    with open(t.path, "wb") as f:
        f.write(rnd.randbytes(10000))


def no_metadata(t):
    """no metadata"""
    os.unlink(t.at("metadata"))


def empty_metadata(t):
    """empty metadata"""
    t.write("metadata", b"")


def cut_metadata(t, rnd):
    """metadata that ends early"""
    data = t.read("metadata")
    t.write("metadata", data[:rnd.randrange(len(data))])


def cut_classes(t):
    """metadata without its last events"""
    data = t.read("metadata")
    at = data.rindex(b"event {", 0, len(data) * 2 // 3)
    t.write("metadata", data[:at])


def garbage_metadata(t, rnd):
    """metadata of garbage"""
    t.write("metadata", b"/* CTF 1.8 */\n" + rnd.randbytes(20000))


def deep_metadata(t):
    """metadata with structures in structures"""
    data = t.read("metadata")
    t.write("metadata", data + b"event { fields := " + b"struct { " * 200000)


def text_metadata(t):
    """escape sequences in names of events and fields"""
    data = t.read("metadata")
    data = data.replace(b'name = "', b'name = "\x1b[31m\\x1b]0;x\\007\x9b', 1000)
    t.write("metadata", data)


def directory_metadata(t):
    """a directory in place of the metadata"""
    os.unlink(t.at("metadata"))
    os.mkdir(t.at("metadata"))


def fifo_stream(t):
    """a FIFO in place of a stream"""
    os.unlink(t.at(t.main))
    os.mkfifo(t.at(t.main))


def fifo_metadata(t):
    """a FIFO in place of the metadata"""
    os.unlink(t.at("metadata"))
    os.mkfifo(t.at("metadata"))


def endless_stream(t):
    """a stream that never ends"""
    os.unlink(t.at(t.main))
    os.symlink("/dev/zero", t.at(t.main))


def endless_metadata(t):
    """metadata that never ends"""
    os.unlink(t.at("metadata"))
    os.symlink("/dev/zero", t.at("metadata"))


def huge_stream(t):
    """a sparse file of a terabyte"""
    os.truncate(t.at(t.main), 1 << 40)


def loops(t):
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


def fifo_info(t):
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


def damage(kind, seed, source, target):
    """True if another seed makes another damage."""
    shutil.rmtree(target, ignore_errors=True)
    if os.path.isfile(target):
        os.unlink(target)
    shutil.copytree(source, target, symlinks=True)
    by_chance = KINDS[kind].__code__.co_argcount == 2
    if by_chance:
        KINDS[kind](Trace(target), random.Random(kind + str(seed)))
    else:
        KINDS[kind](Trace(target))
    return by_chance


def fine(*command):
    """What is wrong with how a command ended, or None; its output stays in out and err."""
    words = " ".join(command)
    with open("out", "wb") as out, open("err", "wb") as err:
        try:
            status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                    timeout=30).returncode
        except subprocess.TimeoutExpired:
            return words + " did not end"
    out, err = (open(name, "rb").read() for name in ("out", "err"))
    if status not in (0, 65):
        return "%s ended with %d: %s" % (words, status, printable(err[-500:]))
    control = CONTROL.search(out) or CONTROL.search(err)
    if control:
        at, text = control.start(), control.string
        return "%s prints control characters: %s" % (words, printable(text[max(at - 40, 0):at + 40]))
    if status and not re.search(rb"^perfctl: .", err, re.M):
        return "%s ended with %d without a word" % (words, status)
    if not status and not out and not err:
        return words + " says nothing at all"
    return None


def printable(data):
    return ascii(data.decode("utf-8", "backslashreplace"))


def report_json(path):
    bad = fine("perfctl", "report", "-j", "-", path)
    if bad or not os.path.getsize("out"):
        return bad
    try:
        json.load(open("out", errors="replace"))
    except ValueError as e:
        return "perfctl report -j: %s" % e
    return None


def read(path):
    """What is wrong with how a command that reads ended, or None."""
    return fine("perfctl", "report", path) or \
        fine("perfctl", "report", "--children", "-g", "none", "--sort",
             "comm,dso,symbol,pid,tid,cpu", path) or \
        report_json(path) or \
        fine("perfctl", "script", "-F", "tid,cpu,abstime,event,fields", path) or \
        fine("perfctl", "script", path)


def tries(kind, seeds, sources):
    """What is wrong with how damaged copies are read, or None."""
    for seed in seeds:
        by_chance = False
        for source in sources:
            by_chance = damage(kind, seed, source, "bad")
            bad = read("bad")
            if bad:
                return "%s (%s, seed %d)" % (bad, os.path.basename(source), seed)
        if not by_chance:
            break
    return None


def main():
    if sys.argv[1] == "try":
        seed, rounds, sources = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
        for kind, f in KINDS.items():
            bad = tries(kind, range(seed, seed + rounds), sources)
            print("%s\t%s\t%s" % (kind, f.__doc__, bad or ""), flush=True)
        return
    damage(*sys.argv[1:])


main()
