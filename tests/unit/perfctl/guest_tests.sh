#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Guests in made-up traces: their names, their processors; run by "run" behind trace_tests.sh.
. "$(dirname "$0")/../../lib/tap.bash"
p=$OUT/tools/perfctl
t=$OUT/traces/of_guests
rm -rf "$t" && mkdir -p "$t" && cd "$t" || exit 1
"$OUT/mktrace" guests guests 10

# Each 100 us: 40 in the guest, 30 the host's work, 20 asleep, 10 waiting; the first begins late.
says "timeline --vcpus: a processor of a guest, and what it does" 0 \
	'vCPU 3 of 42 x###x·xx###x·-xx###x·' "$p" timeline --vcpus --width 100 guests
says "... the CPUs below" 0 '^ +CPU 0 +a+ a+' "$p" timeline --vcpus --width 100 guests
says "... what the marks mean" 0 '^# in the guest: #   the host works for it: x' "$p" timeline --vcpus guests
ok "timeline --vcpus -j: ns of each state" bash -c '"$1" timeline --vcpus -j guests | python3 -c "
import json, sys
(v,) = json.load(sys.stdin)[\"vcpus\"]
assert (v[\"vcpu\"], v[\"tid\"]) == (3, 42), v
got = {k: sum(v[k]) for k in v if k.endswith(\"_ns\")}
assert got == {\"guest_ns\": 400000, \"sleep_ns\": 200000, \"wait_ns\": 100000, \"run_ns\": 290000}, got
"' - "$p"
"$OUT/mktrace" turns turns 100
says "timeline --vcpus without guests: what to record" 65 'no kvm:kvm_entry.* -e kvm:kvm_exit' \
	"$p" timeline --vcpus turns
says "timeline --vcpus is of CPUs" 2 'exclude each other' "$p" timeline --vcpus --threads guests

says "report --sort guest,vcpu: whose sample, on which processor" 0 \
	'^ +50\.00%  of 42 +3, thread 42  \[guest.kernel\]' "$p" report --stdio -e task-clock --sort guest,vcpu,dso guests
says "... or of the host" 0 '^ +12\.50%  \[host\] +\[host\] ' \
	"$p" report --stdio -e task-clock --sort guest,vcpu,dso guests
says "... or of the host's work for it" 0 '^ +12\.50%  for 42 +3, thread 42 ' \
	"$p" report --stdio -e task-clock --sort guest,vcpu,dso guests
says "report --sort exit: why the guest was left" 0 '^ +12\.50%  for 42 +hlt$' \
	"$p" report --stdio -e task-clock --sort guest,exit guests
says "... a guest itself has none" 0 '^ +75\.00%  of 42 +\[none\]$' \
	"$p" report --stdio -e task-clock --sort guest,exit guests
ok "script -F exit" bash -c 'got=$("$1" script -e task-clock -F tid,exit guests | sort | uniq -c | tr -s " " | tr "\n" ,) &&
	echo "# $got" && [ "$got" = " 35 42, 5 42 exit=hlt," ]' - "$p"
says "one flame graph: guests beside what the host does" 0 '^\[guest of 42\];0xffffffff81000210 20$' \
	"$p" flame -e task-clock --folded -o - guests
says "... the host" 0 '^true\+0x1000 10$' "$p" flame -e task-clock --folded -o - guests

symbols='ffffffff81000000 T _stext\nffffffff81000200 T guest_f\nffffffff81000300 T guest_g\n'
# notes ID: as a kernel has them, behind another note
notes() { printf '\4\0\0\0\4\0\0\0\1\0\0\0Xen\0abcd\4\0\0\0\4\0\0\0\3\0\0\0GNU\0\1\2\3'"$1"; }
mkdir -p root/proc root/sys/kernel
printf "$symbols" >root/proc/kallsyms
says "--guest-mount: not without sys" 2 'no /sys/kernel/notes with a build id' \
	"$p" report --guest-mount root guests
notes '\4' >root/sys/kernel/notes
says "--guest-mount names functions" 0 '50\.00%.*guest_f$' \
	"$p" report --stdio -e task-clock --guest-mount root guests
says "--guest-mount: a directory that is not there" 2 'none/proc/kallsyms: No such file' \
	"$p" report --guest-mount none guests

# what record --guest-mount leaves
cp -rT guests named
cp root/proc/kallsyms named/info/guest_kallsyms
echo guest_build_id=01020304 >>named/info/record
says "a recording has the names of its guest" 0 '50\.00%.*guest_f$' "$p" report --stdio -e task-clock named
cp root/proc/kallsyms same
notes '\4' >same.notes
says "a file of the same kernel" 0 '50\.00%.*guest_f$' \
	"$p" report --stdio -e task-clock --guest-kallsyms same named
notes '\5' >same.notes
says "a file of another kernel is refused" 1 \
	'same is of another kernel than the guest ran, whose build id is 01020304, and not 01020305' \
	"$p" report --guest-kallsyms same named
notes '\5' >root/sys/kernel/notes
says "... and so is a root" 1 'root is of another kernel' "$p" script --guest-mount root named
rm same.notes
sed -i s/^ffffffff81/ffffffff82/ same
says "a file of another boot is refused" 1 'of another boot of the guest, as the kernel lay at 0xffffffff81000000' \
	"$p" report --guest-kallsyms same named
says "notes that end too early tell no build id" 2 'with a build id' bash -c \
	'truncate -s 30 root/sys/kernel/notes; "$0" report --guest-mount root guests' "$p"

says "guest: a process that runs none" 2 "process $$ runs no virtual machine of KVM: .perfctl guest list" \
	"$p" guest list --guest $$
says "guest: what is of exits" 2 '\-I is for "perfctl guest exits"' "$p" guest list -I 5
says "guest: what there is" 2 'guest takes list, exits, or grant' "$p" guest
says "guest grant: not without a guest" 2 'which guests are lent counters' "$p" guest grant
says "... and not two ways at once" 2 'which guests are lent counters' "$p" guest grant --guest 1 2
says "... one command, behind --" 2 'behind the last two "--" and a command' "$p" guest grant 1 2 -- true
says "... and not --" 2 'behind the last two "--" and a command' "$p" guest grant 1 --
says "... how many" 2 'counters takes at most 8' "$p" guest grant 1 --counters 9
says "... at least one" 2 'counters' "$p" guest grant 1 --counters 0
says "... what is of exits" 2 '\-I is for "perfctl guest exits"' "$p" guest grant 1 -I 5
says "... what is of grant" 2 'counters is for "perfctl guest grant"' "$p" guest list --counters 2
says "... not by perf's events" 1 "can't lend counters to guests: boot a kernel with pev" \
	"$p" guest grant --engine perf $$
says "record --exits: not by perf's events" 1 "does not say why a guest was left, only a kernel with pev" \
	"$p" record --engine perf --exits -- true
says "... not of guests alone" 2 'take -a, or -p with the process that runs the guest' \
	"$p" record --engine perf --exits --guest all -- true
says "... not with what writes no records" 2 "it can't say why guests were left" \
	"$p" record --engine perf --exits --fold -- true
says "record --guest-mount is of a guest" 2 'goes with --guest PID' "$p" record --guest-mount / -- true
says "stat --by knows no guests" 2 'leave --by out' "$p" stat --guest all --by comm -- true
says "stat -a --guest: how to count both" 2 'cpu-clock:G,cpu-clock:H -a' "$p" stat -a --guest all -- true
finish
