# SPDX-License-Identifier: GPL-2.0
# checkpoint.py DIR at: seconds from the begin to the end of the last checkpoint of a recording
# checkpoint.py DIR spoil: overwrite the records of all packets that end 0.11 s before it begins, as
# readers leave 0.1 s for clocks that differ; how many
import glob
import os
import struct
import sys

directory, what = sys.argv[1:3]


def packets(name):
    """Offset, bytes of content, begin and end of each packet, by the index"""
    with open(f"{directory}/index/{name}.idx", "rb") as f:
        data = f.read()
    for at in range(16, len(data) - 71, 72):
        e = struct.unpack_from(">9Q", data, at)
        yield e[0], e[2] // 8, e[3], e[4]


points = list(packets("stream_checkpoint"))
end = max(i for i, p in enumerate(points) if p[1] == min(q[1] for q in points))
header = points[end][1]
begin = points[end - 1][2]
first = min(p[2] for f in glob.glob(f"{directory}/stream_*") for p in packets(os.path.basename(f)))
freq = 1e9
for line in open(f"{directory}/metadata", encoding="utf-8", errors="replace"):
    if line.strip().startswith("freq = "):
        freq = float(line.split("=")[1].strip(" ;\n"))
        break
if what == "at":
    print(f"{(points[end][2] - first) / freq:.9f}")
    sys.exit()
spoiled = 0
for path in glob.glob(f"{directory}/stream_*"):
    with open(path, "r+b") as f:
        for offset, content, _, stop in packets(os.path.basename(path)):
            if stop + freq * 0.11 < begin and content > header:
                f.seek(offset + header)
                f.write(b"\xff" * (content - header))
                spoiled += 1
print(spoiled)
