# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# perfctl trace: signals, and what descriptors are.
if [ -n "$tracepoints" ]; then
	trace="perfctl trace --engine perf --no-strings"
	build signals
	$trace -o signals.txt -- ./signals
	within "trace: a signal ends the program" $? 139 139
	says "trace: a signal, why it came and what handles it" 0 \
		'^ +[0-9.]+ signals/[0-9]+ --- SIGUSR1 \{code: SI_USER, handler: 0x[0-9a-f]+\} ---$' \
		cat signals.txt
	says "trace: ... codes of its own" 0 ' --- SIGCHLD \{code: CLD_KILLED, handler: 0x' cat signals.txt
	says "trace: ... that nothing handles" 0 ' --- SIGSEGV \{code: SEGV_MAPERR, handler: SIG_DFL\}' \
		cat signals.txt
	within "trace: what ended by another signal is killed" \
		"$(grep -c '+++ killed by a fatal signal' signals.txt)" 1 1
	ok "trace: ... but not by SIGKILL" bash -c '! grep -q SIGKILL signals.txt'
	within "trace: a handler's return is a call with an end" \
		"$(grep -c 'rt_sigreturn() = [0-9]' signals.txt)" 2 2
	ok "trace: ... of which the number is not lost" bash -c '! grep -q syscall_-1 signals.txt'
	$trace --no-names -e getppid -o signals.txt -- ./signals
	says "trace --no-names: as strace has it, whatever -e" 0 '--- SIGUSR1 \{si_code=SI_USER\} ---' \
		cat signals.txt
	$trace --no-signals -o signals.txt -- ./signals
	ok "trace --no-signals" bash -c '! grep -qE "\+\+\+|---" signals.txt'
	$trace -j -o signals.json -- ./signals
	ok "trace -j: signals are objects" python3 -c '
import json
events = [json.loads(line) for line in open("signals.json")]
usr = [e for e in events if e.get("signal") == "SIGUSR1"]
assert len(usr) == 1 and usr[0]["code"] == "SI_USER" and usr[0]["handler"].startswith("0x"), usr
assert sum("killed" in e for e in events) == 1, events'
	ok "trace: that strings are addresses is said only where there are some" bash -c \
		'! perfctl trace --engine perf -e fsync,getppid -- ./tree 0 0 1 2>&1 | grep "point to"'
	$trace -e %file -o kinds.txt -- cat /nowhere
	within "trace -e %file: calls that take a file" "$(grep -cE ' (openat|execve)\(' kinds.txt)" 2 100
	ok "trace -e %file: ... alone" bash -c '! grep -E " (read|close|mmap|brk|write)\(" kinds.txt'
	$trace -e %desc,%process -o kinds.txt -- cat /nowhere
	within "trace -e %desc,%process: several kinds" \
		"$(grep -oE ' (close|openat|exit_group)\(' kinds.txt | sort -u | wc -l)" 3 3
	ok "trace -e %desc,%process: ... alone" bash -c '! grep -E " (access|brk|munmap)\(" kinds.txt'
	$trace -e '%signal,getppid' -o kinds.txt -- ./signals
	says "trace -e trace=: as strace has it" 0 'getppid\(\) = ' $trace -e trace=%signal,getppid -- ./tree 0 0 1
	says "trace -e %signal" 0 ' rt_sigaction\(sig: SIGUSR1' cat kinds.txt
	says "trace -e: a kind that is none" 2 'no calls "%files"; there are %file, %desc' $trace -e %files -- true
	says "trace -e: a kind as strace once took it" 2 'no system call "file"; did you mean "%file"' $trace -e file -- true
	echo text >file
	$trace -y -e 'dup*' -o paths.txt -- sh -c 'exec 5<&7; (read -r _ <&5; :); :' 7<file
	says "trace -y: what was open before" 0 " dup2\(oldfd: 7<$PWD/file>, newfd: 5\) = 5<$PWD/file> <" \
		cat paths.txt
	says "trace -y: what was duplicated, in a child, too" 0 \
		" dup2\(oldfd: 5<$PWD/file>, newfd: 0\) = 0<$PWD/file> <" cat paths.txt
	$trace -y -e read -o paths.txt -- sh -c 'exec 5<&7; read -r _ <&5; exec 5<&-; read -r _ <&5' 7<file
	within "trace -y -e: calls that are not asked for count, too" \
		"$(grep -cE " read\(fd: (0<.*|5<$PWD/file>), " paths.txt)" 1 100
	ok "trace -y -e: ... but are not shown" bash -c '! grep -vE " read\(|---" paths.txt'
	sh -c 'while sleep 0.05; do read -r _ <&7; done' 7<file &
	reader=$!
	until_ok test -e /proc/$reader/fd/7
	$trace -y -p $reader -o paths.txt &
	tracer=$!
	until_ok grep -q "dup2(oldfd: 7<$PWD/file>, newfd: 0) = 0<$PWD/file>" paths.txt
	kill $reader
	wait $reader $tracer 2>/dev/null
	says "trace -y -p: what a process had open" 0 "dup2\(oldfd: 7<$PWD/file>, newfd: 0\)" cat paths.txt
	$trace -y -j -e dup2 -o paths.json -- sh -c 'exec 5<&7' 7<file
	says "trace -y -j" 0 "\"args\": \"oldfd: 7<$PWD/file>, .*\"result_text\": \"5<$PWD/file>\"" cat paths.json
	says "trace -y -S" 2 'for lines, and -S prints none' $trace -y -S -- true

	# what is read of the program afterwards, while it waits
	cat >later.c <<'C'
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
	static struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/nowhere/later" };
	static struct timespec ts = { 0, 1000 };
	char c;

	open("/nowhere/before", O_RDONLY);
	connect(socket(AF_UNIX, SOCK_DGRAM, 0), (struct sockaddr *)&un, sizeof(un));
	nanosleep(&ts, NULL);
	return read(0, &c, 1) != 1;
}
C
	gcc -O1 -o later later.c
	mkfifo live hold
	perfctl trace --engine perf --no-signals --read-later --no-names -o live -- ./later <hold &
	tracer=$!
	exec 4>hold 3<live
	while IFS= read -r line <&3; do
		echo "$line"
		case $line in *nanosleep*) break ;; esac
	done >later.txt
	echo >&4
	cat <&3 >>later.txt
	wait $tracer
	within "trace --read-later: the command's status" $? 0 0
	exec 3<&- 4>&-
	says "trace --read-later: a name" 0 ' openat\(AT_FDCWD, ~"/nowhere/before", O_RDONLY\) = -1 ENOENT' cat later.txt
	says "trace --read-later: an address" 0 \
		' connect\([0-9]+, ~\{sa_family=AF_UNIX, sun_path="/nowhere/later"\}, 110\) = -1 ENOENT' cat later.txt
	says "trace --read-later: a time" 0 'nanosleep\((CLOCK_REALTIME, 0, )?~\{tv_sec=0, tv_nsec=1000\}, NULL\) = 0' \
		cat later.txt
	says "trace --read-later -S" 2 'is for lines with strings, and -S has none' $trace --strings --read-later -S -- true
	says "trace --read-later --no-strings" 2 'and --no-strings has none' $trace --read-later -- true

	# a program whose calls have other numbers
	cat >bits32.c <<'C'
static long call(long nr, long a, long b, long c)
{
	long ret;

	asm volatile("int $0x80" : "=a"(ret) : "a"(nr), "b"(a), "c"(b), "d"(c) : "memory");
	return ret;
}
void _start(void)
{
	call(20, 0, 0, 0);
	call(5, (long)"/nowhere", 0, 0);
	call(19, 0, -5, 1);
	call(1, 7, 0, 0);
}
C
	if [ "$(uname -m)" = x86_64 ] && gcc -m32 -O1 -nostdlib -static -fno-pic -no-pie \
		-fno-stack-protector -o bits32 bits32.c 2>/dev/null && { ./bits32; [ $? = 7 ]; } then
		$trace -o bits32.txt -- ./bits32
		within "trace: a 32-bit program's status" $? 7 7
		says "trace: 32-bit calls by their own table" 0 ' 32-bit getpid\(\) = [0-9]+ <' cat bits32.txt
		says "trace: ... errors" 0 ' 32-bit open\(filename: 0x.*\) = -1 ENOENT' cat bits32.txt
		says "trace: ... numbers below 0" 0 ' 32-bit lseek\(.* offset: -5, (whence|origin): SEEK_CUR\)' cat bits32.txt
		says "trace: ... the exec that began it" 0 ' 32-bit execve\(\.\.\.\) = 0' cat bits32.txt
		$trace -o bits32.txt -- sh -c './bits32; exec true'
		says "trace: ... of a child" 0 ' bits32/[0-9]+ 32-bit getpid\(\) = [0-9]+ <' cat bits32.txt
		within "trace: ... and no other's" "$(grep -v ' bits32/' bits32.txt | grep -c 32-bit)" 0 0
		says "trace -S: ... in the table" 7 ' 32-bit lseek$' $trace -S -- ./bits32
		says "trace -j: ... in objects" 7 '"call": ?"lseek", ?"bits": ?32' $trace -j -- ./bits32
	else
		skip "trace: 32-bit programs" "none can be built here, or run"
	fi
else
	skip "trace: signals and descriptors" "tracefs cannot be read here"
fi
