#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# perfctl trace: calls, arguments and results as the program made them.
# lib is set by what is sourced
# shellcheck disable=SC2154
. "$(dirname "$0")/lib/cli.bash"
build tree
build traced
rm -rf /nowhere

# shows NAME REGEX: in the trace of calls
shows() {
	if grep -qE -- "$2" calls.txt; then pass "$1"; else fail "$1" "$2" "$(cat calls.txt)"; fi
}
perfctl trace -o calls.txt -- ./traced
within "the status is the program's" $? 7 7
shows "time, thread and call" '^ +0\.[0-9]{6} traced/[0-9]+ openat\('
shows "directories and open flags" 'openat\(dfd: AT_FDCWD, filename: "/dev/null", flags: O_RDWR\|O_APPEND\|O_CLOEXEC, mode: 0\) = 3 <'
shows "modes, and errors by name" 'flags: O_WRONLY\|O_CREAT\|O_EXCL, mode: 0640\) = -1 E[A-Z]+ \(.*\) <|flags: O_WRONLY\|O_CREAT\|O_EXCL, mode: 0640\) = [0-9]+ <'
shows "lseek's whence" 'lseek\(fd: 3, offset: 17, (whence|origin): SEEK_END\) = '
shows "mmap's flags, fds below 0" 'mmap\(addr: 0, len: 12288, prot: PROT_READ\|PROT_WRITE, flags: MAP_PRIVATE\|MAP_ANONYMOUS, fd: -1, off: 0\) = 0x[0-9a-f]+ <'
shows "sockets" 'socket\(family: AF_UNIX, type: SOCK_STREAM\|SOCK_CLOEXEC, protocol: 0\) = [0-9]+ <'
shows "EBADF" 'close\(fd: (-77|4294967219)\) = -1 EBADF \(Bad file descriptor\)'
shows "the end of a program" 'exit_group\(error_code: 7\) = \?$'
shows "what is written, cut" 'write\(fd: [0-9]+, buf: "two\\nlines \\33\[31m\\0007 and so on, fur"\.\.\., count: 51\) = 51 <'
shows "what was read" 'read\(fd: [0-9]+, buf: "Linux\\n", count: 4096\) = 6 <'
shows "the arguments of an exec" 'execve\(filename: "/nowhere/echo", argv: \["echo", "one two"\], envp: 0x[0-9a-f]+\) = -1 ENOENT'
within "no name is missing" "$(grep -cE 'filename: 0x' calls.txt)" 0 0
nap=$(sed -nE 's/.*nanosleep\(.*<([0-9.]+) ms>$/\1/p' calls.txt)
within "how long it took" "$nap" 30 3000
ok "in order of time" bash -c "awk '/ getppid|openat|lseek|mmap|close/ { print \$1 }' calls.txt | sort -c -n"

perfctl trace -s 60 --no-names -o calls.txt -- ./traced
shows "-s: more of it" 'write\([0-9]+, "two\\nlines \\33\[31m\\0007 and so on, further than is shown\\0", 51\) = 51 <'
shows "--no-names: as strace has it" 'openat\(AT_FDCWD, "/dev/null", O_RDWR\|O_APPEND\|O_CLOEXEC\) = 3 <'
shows "... with the mode of what is created" 'openat\(AT_FDCWD, "/nowhere", O_WRONLY\|O_CREAT\|O_EXCL, 0640\) = '
rm -rf /nowhere
perfctl trace --no-strings -e 'open*' -o calls.txt -- ./traced
shows "--no-strings: numbers" 'openat\(dfd: AT_FDCWD, filename: 0x[0-9a-f]+, flags: O_RDWR'
rm -rf /nowhere

build structs
perfctl trace --no-names -o calls.txt -- ./structs
shows "an address of IPv4" 'connect\((-1|[0-9]+), \{sa_family=AF_INET, sin_port=htons\(9\), sin_addr=inet_addr\("127\.0\.0\.1"\)\}, 16\) = '
shows "... of a call that fails" 'connect\([0-9]+, \{sa_family=AF_UNIX, sun_path="/nowhere/at all"\}, 110\) = -1 ENOENT'
shows "... an abstract one" 'bind\([0-9]+, \{sa_family=AF_UNIX, sun_path=@"pev-trace"\}, 12\) = 0'
shows "... that a call gives" 'getsockname\([0-9]+, \{sa_family=AF_UNIX, sun_path=@"pev-trace"\}, \[110 => 12\]\) = 0'
shows "times" 'nanosleep\((CLOCK_REALTIME, 0, )?\{tv_sec=0, tv_nsec=1000\}, NULL\) = 0'
shows "a device" '\("?.*"/dev/null", \{st_mode=S_IFCHR\|0666, st_rdev=makedev\(0x1, 0x3\), \.\.\.\}'
shows "a directory" '"/", \{st_mode=S_IFDIR\|0[0-7]+, st_size=[0-9]+, \.\.\.\}'
shows "nothing of a file that is not there" '"/nowhere/at all", 0x[0-9a-f]+, 0\) = -1 ENOENT'
shows "a pipe" 'pipe2?\(\[[0-9]+, [0-9]+\](, 0)?\) = 0'
shows "poll: what is asked, what is found" 'poll\(\[\{fd=([0-9]+), events=POLLIN\}, \{fd=[0-9]+, events=POLLIN\}\], 2, (-1|NULL, NULL, 0)\) = 1 \(\[\{fd=\1, revents=POLLIN\}\]\) <'
shows "how a child ended" 'wait4\(-1, \[\{WIFEXITED\(s\) && WEXITSTATUS\(s\) == 5\}\], 0, NULL\) = [0-9]+'
shows "limits" 'prlimit64\(0, 4, NULL, \{rlim_cur=.*, rlim_max=[0-9A-Z].*\}\) = 0'
shows "what a signal does" 'rt_sigaction\(SIGUSR2, \{sa_handler=SIG_IGN, sa_mask=\[\], sa_flags=.*\}, NULL, 8\) = 0'
shows "how to open" 'openat2\(AT_FDCWD, "/dev", \{flags=O_RDONLY\|O_CLOEXEC, resolve=RESOLVE_NO_XDEV\}, 24\) = '
shows "a file system" '"/proc", \{f_type=PROC_SUPER_MAGIC, f_bsize=[0-9]+, f_blocks=0, .*, f_flags=ST_VALID.*\}\) = 0'
shows "a new process" 'clone3\(\{flags=CLONE_FS, exit_signal=SIGCHLD\}, 88\) = [0-9]+'
shows "a child that is waited for" 'waitid\(.*\{si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=[0-9]+, si_uid=0, si_status=6, .*\}, .*, NULL\) = 0'
shows "a signal that is queued" 'rt_sigqueueinfo\([0-9]+, .*, \{si_signo=SIGCHLD, si_code=SI_QUEUE, .*\}\) = 0'
shows "buffers and what they hold" 'writev\([0-9]+, \[\{iov_base="hello", iov_len=5\}, \{iov_base="!", iov_len=1\}\], 2\) = 6'
shows "... when they were read" 'readv\([0-9]+, \[\{iov_base="xhell", iov_len=5\}, \{iov_base="o!", iov_len=20\}\], 2\) = 7'
shows "select: what is asked, what is found" 'select6?\([0-9]+, \[([0-9]+)\], \[([0-9]+)\], NULL, NULL(, NULL)?\) = 1 \(out \[\2\]\) <'
shows "a message" 'sendmsg\([0-9]+, \{msg_name=NULL, msg_namelen=0, msg_iov=\[\{iov_base="o!\\0\\0\\0\\0\\0\\0", iov_len=8\}\], msg_iovlen=1, .*\}, 0\) = 8'
shows "... that came" 'recvmsg\([0-9]+, \{.*msg_iov=\[\{iov_base="o!\\0.*", iov_len=8\}\], .*\}, 0\) = 8'
shows "where a message goes, and the descriptor in it" 'sendmsg\([0-9]+, \{msg_name=\{sa_family=AF_UNIX, sun_path=@"pev-trace"\}, msg_namelen=12, msg_iov=\[\{iov_base="o!.*", iov_len=8\}\], msg_iovlen=1, msg_control=\[\{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=\[1\]\}\], msg_controllen=24, msg_flags=0\}, 0\) = '
shows "... where it came from, and which descriptor it is here" 'recvmsg\([0-9]+, \{msg_name=.*cmsg_type=SCM_RIGHTS, cmsg_data=\[[0-9]+\]\}\], msg_controllen=24, .*\}, 0\) = 8'
shows "requests that headers define" 'ioctl\([0-9]+, FS_IOC_GETFSLABEL, '
shows "... what they return" 'ioctl\([0-9]+, FIONREAD, \[0\]\) = 0'
shows "... what they are given" 'ioctl\([0-9]+, FIONBIO, \[1\]\) = 0'
shows "... both" 'ioctl\([0-9]+, SIOCGIFINDEX, \{ifr_name="lo", ifr_ifindex=1\}\) = 0'
shows "... interfaces" 'ioctl\([0-9]+, SIOCGIFFLAGS, \{ifr_name="lo", ifr_flags=(IFF_UP\|)?IFF_LOOPBACK.*\}\) = 0'
shows "... terminals" 'ioctl\([0-9]+, TCGETS2?, \{c_iflag=.*, c_oflag=.*ONLCR, c_cflag=B38400\|CS8\|CREAD.*, c_lflag=ISIG\|ICANON\|.*, \.\.\.\}\) = 0'
shows "... and how large they are" 'ioctl\([0-9]+, TIOCGWINSZ, \{ws_row=24, ws_col=80, ws_xpixel=0, ws_ypixel=0\}\) = 0'
perfctl trace --no-strings -e connect -o calls.txt -- ./structs
shows "--no-strings: numbers" 'connect\(fd: -?[0-9]+, uservaddr: 0x[0-9a-f]+, addrlen: 16\)'

build signals
perfctl trace -o calls.txt -- ./signals
shows "signals" ' signals/[0-9]+ --- SIGUSR1 \{code: SI_USER, handler: 0x[0-9a-f]+\} ---$'
shows "... that end a process" '\+\+\+ killed by a fatal signal'
shows "the return of a handler" 'rt_sigreturn\(\) = [0-9]+ <'

perfctl trace -e %desc,%file,%network -o calls.txt -- cat /nowhere
shows "-e: kinds of calls" ' openat\(dfd: AT_FDCWD, filename: "/nowhere"'
within "... alone" "$(grep -cE ' (brk|munmap)\(' calls.txt)" 0 0
echo text >file
perfctl trace -y -o calls.txt -- sh -c 'read -r _ <file; read -r _ <&7' 7</dev/null
shows "-y: what was opened" ' openat\(dfd: AT_FDCWD, filename: "file", .*\) = [0-9]+<file> <'
shows "... and duplicated" ' read\(fd: 0<file>, buf: "t", count: 1\)'
shows "... and was open before" ' read\(fd: (0|7)</dev/null>, '

# the same in a recording
perfctl record -q -o text.trace --strings -e syscalls:sys_enter_openat,raw_syscalls:sys_exit -- ./traced
says "record --strings" 0 'syscalls:sys_enter_openat:.* filename_text="?/dev/null' perfctl script --no-sideband text.trace
says "... of what calls return" 0 'arg1_text="?Linux' perfctl script -e raw_syscalls:sys_exit text.trace
says "... of other events" 2 'for system calls' perfctl record --strings -e cpu-clock -- true
if command -v babeltrace2 >/dev/null; then
	says "babeltrace2 shows them" 0 'filename_text = "/dev/null"' babeltrace2 text.trace
else
	skip "babeltrace2 shows them" "no babeltrace2"
fi
rm -rf /nowhere

# every call of a tree of processes, threads and all
perfctl trace -e getppid -o tree.txt -- ./tree 2 2 50 threads
within "each call of all processes" "$(grep -c 'getppid() = [0-9]' tree.txt)" 350 350
# a child may end before its parent does, of which there is a line
grep -v ' --- SIGCHLD ' tree.txt >calls.txt
within "... by the thread of each" "$(awk '{ print $2 }' calls.txt | sort -u | wc -l)" 7 7
within "-e lets nothing else through" "$(grep -vc getppid calls.txt)" 0 0
says "-e: globs" 0 'openat' perfctl trace -e 'open*,stat*' -- ls /
says "-e: a mistyped call" 2 'did you mean "openat"' perfctl trace -e opennat -- true
perfctl trace -z -o failed.txt -- ./traced
within "-z: nothing that worked" "$(grep -vcE '= -1 E|= \?' failed.txt)" 0 0
within "-z: and all that failed" "$(grep -c EBADF failed.txt)" 1 1

perfctl trace -S -o table.txt -- ./tree 1 1 1000
within "-S: calls" "$(awk '$NF == "getppid" { gsub(",", ""); print $(NF - 1) }' table.txt)" 2000 2000
ok "-S: shares add up" awk '/%/ && $NF != "all" { sum += $1 } END { exit !(sum > 99 && sum < 101) }' table.txt
says "-S: no lines" 1 '^$' grep getppid\( table.txt

# a running process, until Ctrl-C
./tree 0 0 1 & wait $!
sh -c 'while :; do readlink /proc/self/exe >/dev/null; done' &
victim=$!
mkfifo live
perfctl trace -p $victim -o live &
tracer=$!
exec 3<live
for _ in 1 2 3 4 5 6 7 8 9 10; do
	IFS= read -r line <&3 && echo "$line" >>live.txt
done
kill -TERM $tracer
cat <&3 >>live.txt
wait $tracer
within "Ctrl-C ends it well" $? 0 0
within "-p: calls of a running process, as it makes them" "$(grep -c "sh/$victim " live.txt)" 10 10000000
ok "... which runs on" kill -0 $victim
kill $victim
wait $victim 2>/dev/null
says "no such process" 1 'there is no process' perfctl trace -p 4000000
says "a full disk" 74 'could not be written' perfctl trace -o /dev/full -- ls /
says "no such command" 127 'nosuch' perfctl trace -- ./nosuch

# what it costs, beside strace
seconds() {
	local before
	before=$(date +%s%N)
	"$@" >/dev/null 2>&1
	echo $((($(date +%s%N) - before) / 1000000))
}
# without what it takes to begin and to end
seconds ./tree 0 0 60000 >/dev/null
plain=$(seconds ./tree 0 0 60000)
empty=$(seconds perfctl trace -S -o cost.txt -- ./tree 0 0 0)
ours=$(($(seconds perfctl trace -S -o cost.txt -- ./tree 0 0 60000) - empty))
seconds perfctl trace -o cost.txt -- ./tree 0 0 60000 >/dev/null
within "no call is lost at that pace" "$(grep -c getppid cost.txt)" 60000 60000
if command -v strace >/dev/null; then
	empty=$(seconds strace -f -c -o strace.txt ./tree 0 0 0)
	# a tenth of the calls is enough: each takes as long
	theirs=$((10 * ($(seconds strace -f -c -o strace.txt ./tree 0 0 6000) - empty)))
	within "60,000 calls: alone $plain ms, trace -S $ours ms, strace -c $theirs ms: a fifth of strace's at most" \
		"$(awk -v a="$ours" -v b="$theirs" 'BEGIN { print a / b }')" 0 0.2
else
	skip "the cost beside strace" "no strace"
fi
perfctl trace -o refusals.txt -e pev:refusal -- perfctl stat -e kprobe:no_such_f -- true >out 2>&1
says "markers: what pev refused, and why" 0 'pev:refusal\(error: 2, text: "?there is no function' \
	cat refusals.txt
perfctl stat -x, -o wakeups.csv -a -e pev:wakeup -- \
	perfctl record -q -m 16K -o small.trace -e 'raw_syscalls:*' -- dd if=/dev/zero of=/dev/null bs=1 \
	count=20000 2>/dev/null
within "markers: wake-ups of a reader" "$(stat_value pev:wakeup wakeups.csv)" 1 1000000
finish
