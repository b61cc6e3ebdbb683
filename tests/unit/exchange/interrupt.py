#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Interrupts perfctl import while it reads a pipe. usage: interrupt.py PERFCTL FILE TRACE"""
import fcntl
import os
import signal
import subprocess
import sys
import termios
import time

tool, path, trace = sys.argv[1:]
data = open(path, "rb").read()
done = subprocess.Popen([tool, "import", "-o", trace, "-"], stdin=subprocess.PIPE,
                        # what runs in the background ignores it
                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
done.stdin.write(data[:len(data) // 2])
done.stdin.flush()


def reads():
    """It has taken what there is, and set its handler before."""
    left = fcntl.ioctl(done.stdin, termios.FIONREAD, bytes(4))
    caught = next(int(line.split()[1], 16) for line in open(f"/proc/{done.pid}/status")
                  if line.startswith("SigCgt:"))
    return not int.from_bytes(left, sys.byteorder) and caught >> signal.SIGINT - 1 & 1


limit = time.monotonic() + 60
while not reads():
    if done.poll() is not None or time.monotonic() > limit:
        sys.exit("it does not read the pipe")
    time.sleep(0.01)
os.kill(done.pid, signal.SIGINT)
done.stdin.write(data[len(data) // 2:])
done.stdin.close()
sys.exit(done.wait())
