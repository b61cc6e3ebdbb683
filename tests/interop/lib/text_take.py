#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Makes a recording and the kernel's text of the same things, for text_judge.py.

usage: text_take.py DIR RECORDS

Listens to each event whose print format print_format.py understands, has perfctl record the same,
and lets many kinds of things happen until there are so many lines. A ring of the text is read
before it can be full. PEV_TEXT_EVENTS is a regular expression that takes some of the events, for a
try on a slow machine.
"""
import ctypes
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading

from print_format import PrintFormat, Unknown
from text_marks import BEGIN, END

TEXT = "/sys/kernel/debug/pev/text"
EVENTS = "/sys/kernel/tracing/events"
# Of the others, some have no end once they are read, and some never happen here
SYSTEMS = """9p cgroup filelock filemap irq mmap napi net sched signal skb sock syscalls task timer udp workqueue
writeback""".split()
# Not "read", by which each part of the text would make more of it
CALLS = """write close fstat poll lseek mmap mprotect munmap ioctl pread64 pwrite64 readv writev access
pipe select sched_yield mremap msync mincore madvise dup dup2 getitimer getpid sendfile socket connect accept
sendto recvfrom sendmsg recvmsg shutdown bind listen getsockname getpeername socketpair setsockopt getsockopt
wait4 uname fcntl flock fsync fdatasync truncate ftruncate getdents getcwd chdir fchdir rename mkdir rmdir
creat link unlink symlink readlink chmod fchmod chown fchown lchown umask gettimeofday getrlimit getrusage
sysinfo times getuid getgid geteuid getegid getppid getpgrp getgroups getresuid getresgid getpgid getsid
capget rt_sigpending sigaltstack statfs fstatfs getpriority sched_getparam sched_getscheduler
sched_get_priority_max sched_get_priority_min mlock munlock readahead getxattr fgetxattr listxattr time
sched_getaffinity epoll_create timer_gettime clock_gettime clock_getres tgkill inotify_add_watch mkdirat
openat2 newfstatat unlinkat renameat linkat symlinkat readlinkat fchmodat faccessat utimensat
epoll_wait signalfd fallocate timerfd_settime timerfd_gettime dup3 pipe2 preadv pwritev
getcpu statx pidfd_send_signal close_range membarrier""".split()

libc = ctypes.CDLL(None, use_errno=True)


def numbers():
    path = next(p for p in ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
                            "/usr/include/asm/unistd_64.h") if os.path.exists(p))
    return {m.group(1): int(m.group(2)) for m in re.finditer(r"#define __NR_(\w+) (\d+)", open(path).read())}


def call(number, *args):
    libc.syscall(ctypes.c_long(number), *(ctypes.c_long(a) for a in (args or (-1, -1, -1, -1, -1, -1))))


class Take:
    def __init__(self, directory, wanted):
        self.directory, self.wanted = directory, wanted
        self.numbers = numbers()
        self.fd = os.open(TEXT, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self.parts, self.lines = [], 0
        self.events = []

    def listen(self):
        """Others are left out; which, the host sees by the number of kinds."""
        calls = {"sys_%s_%s" % (way, c) for c in CALLS for way in ("enter", "exit")}
        os.makedirs(self.directory + "/formats")
        for system in sorted(os.listdir(EVENTS)):
            if system not in SYSTEMS:
                continue
            for name in sorted(os.listdir(os.path.join(EVENTS, system))):
                if system == "syscalls" and name not in calls:
                    continue
                self.listen_to(system, name)

    def listen_to(self, system, name):
        event = "%s:%s" % (system, name)
        if not re.fullmatch(os.environ.get("PEV_TEXT_EVENTS", ".*"), event):
            return
        try:
            with open("%s/%s/%s/format" % (EVENTS, system, name)) as f:
                text = f.read()
            if system != "syscalls":
                PrintFormat(text)
            os.write(self.fd, event.encode() + b"\n")
        except (OSError, Unknown):
            return
        with open("%s/formats/%s" % (self.directory, event), "w") as f:
            f.write(text)
        self.events.append(event)

    def drain(self):
        while True:
            try:
                part = os.read(self.fd, 65536)
            except BlockingIOError:
                return
            self.parts.append(part)
            self.lines += part.count(b"\n")

    def mark(self, what):
        for cpu in range(os.cpu_count()):
            os.sched_setaffinity(0, {cpu})
            call(self.numbers["getsid"], what + cpu)
            self.drain()
        os.sched_setaffinity(0, range(os.cpu_count()))

    def record(self):
        """Returns when everything is recorded."""
        ways = [self.directory + "/control", self.directory + "/answer"]
        for way in ways:
            os.mkfifo(way)
        command = ["perfctl", "record", "-a", "-q", "--no-state", "-m", "8M", "-o", self.directory + "/trace",
                   "--control", "fifo:%s,%s" % tuple(ways)]
        for event in self.events:
            command += ["-e", event]
        log = open(self.directory + "/log", "w")
        self.recorder = subprocess.Popen(command, stdout=log, stderr=log)
        self.control, self.answer = os.open(ways[0], os.O_RDWR), os.open(ways[1], os.O_RDWR)
        self.ask("ping")

    def ask(self, word):
        os.write(self.control, word.encode() + b"\n")
        while not select.select([self.answer], [], [], 0.01)[0]:
            self.drain()
            if self.recorder.poll() is not None:
                sys.exit(open(self.directory + "/log").read())
        if os.read(self.answer, 64).strip() != b"ack":
            sys.exit("perfctl record does not answer to " + word)

    def begin(self):
        """What was before belongs to nothing, nor do losses of it."""
        self.drain()
        self.parts, self.lines = [], 0
        self.mark(BEGIN)

    def end(self):
        self.mark(END)
        with open(self.directory + "/text", "wb") as f:
            f.writelines(self.parts)
        self.ask("stop")
        if self.recorder.wait():
            sys.exit(open(self.directory + "/log").read())

    def calls(self):
        for name in CALLS:
            if name in self.numbers:
                call(self.numbers[name])

    def things(self):
        """Of each system, something."""
        path = self.directory + "/file"
        with open(path, "w") as f:
            f.write("x" * 10000)
        os.unlink(path)
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        subprocess.call(["/bin/true"])
        left, right = socket.socketpair()
        left.send(b"x" * 100)
        right.recv(100)
        left.close()
        right.close()
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
                s.bind(("127.0.0.1", 0))
                s.sendto(b"y" * 50, s.getsockname())
        except OSError:
            pass  # a kernel without networks
        thread = threading.Thread(target=os.getppid)
        thread.start()
        thread.join()
        os.kill(os.getpid(), signal.SIGURG)

    def go_on(self):
        signal.signal(signal.SIGALRM, lambda *_: None)
        while self.lines < self.wanted:
            self.calls()
            self.drain()
            self.things()
            self.drain()


def main():
    take = Take(sys.argv[1], int(sys.argv[2]))
    subprocess.call(["ip", "link", "set", "lo", "up"], stderr=subprocess.DEVNULL)
    take.listen()
    take.record()
    take.begin()
    take.go_on()
    take.end()
    print(take.lines, len(take.events))


main()
