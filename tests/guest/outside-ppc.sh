#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two Linux guests of KVM-HV, which know nothing of it, are listed, counted, sampled and shown by their host. What they
# and KVM say judges it: one guest runs a program in a loop, the other works in its kernel.
# "root" has built what is booted, with spin.c as /usr/bin/spin, whose loop is at SPIN.
# shellcheck source=tests/cli/lib/cli.bash disable=SC2034,SC2154
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib/cli.bash"
export SPIN
sum=/sys/kernel/debug/kvm/sum_exits

declare -A runs

# boot NAME COMMAND [OPTION...]: in the background, what it says in a file of that name
boot() {
	"$here/run" "$2" --name "$1" "${@:3}" > "$1" 2> "$1.err" &
	runs[$1]=$!
}

# until_says NAME WORD: the guest has, or has ended
until_says() {
	until grep -qs "^$2" "$1"; do
		[ -d "/proc/${runs[$1]}" ] || grep -qs "^$2" "$1" || {
			cat "$1.err"
			return 1
		}
		sleep 0.5
	done
}

# judge WHAT: as outside_ppc.py did
judge() {
	cat "$1.judged" && [ ! -e "$1.wrong" ]
}

# Both tell now and then how long they have run, in user and in kernel mode; the second one finds out before
# which function of its kernel that is. Ticks that come while interrupts are off, it sees where they are replayed.
account='while read -r all < /proc/stat; do echo "account ${all#cpu}"; sleep 2; done'
boot user "spin & echo begun; $account"
boot kernel "dd if=/dev/urandom of=/dev/null bs=1M & perfctl record -q -a -e cpu-clock --timeout 1 -o /tmp/t
	own=\$(perfctl report --stdio --sort symbol /tmp/t | sed -n '/__replay_/d; /\[k\]/{s/.* //p; q}')
	echo own \$own; grep \" \$own\\$\" /proc/kallsyms; echo begun; $account"
ok "a guest runs a program" until_says user begun
ok "another one works in its kernel" until_says kernel begun
# it runs the host's kernel, which lies where it was linked to lie
grep -F "$(sed -n '/^own/{n; p}' kernel)" /proc/kallsyms > same || echo none > same

perfctl guest exits -j -o exits -- bash -c "cat $sum > sum0
	perfctl stat --guest all -x, -o stat --timeout 2; cat $sum > sum1"
perfctl guest list -j > list
# Seldom: each sample leaves the guest, whose kernel has to catch up with its timers then, and on a busy host both take
# longer.
ok "they are recorded by timers" perfctl record -q -F 200 --guest all -o trace --timeout 3
perfctl record -q -a -e sched:sched_switch -e sched:sched_wakeup -e kvm_hv:kvm_guest_enter \
	-e kvm_hv:kvm_guest_exit -o line --timeout 1
pkill -f "qemu-system-ppc64 .* -name (user|kernel)"
wait
perfctl report --stdio -n --percent-limit 0 --guest-kallsyms /proc/kallsyms --sort guest,dso,symbol trace > report
perfctl timeline --vcpus --width 100 line > timeline
# at once, as a start of Python takes seconds here
python3 "$here/outside_ppc.py" list stat exits guests user kernel timeline
tap_tells=1
ok "both are listed by name, with their processors" judge list
ok "ticks count the time that passed between entries and exits" judge stat
ok "their exits are those that KVM counts, by reason" judge exits
ok "half of the samples are each guest's" judge guests
ok "the program's are where it runs, and as many as the guest says" judge user
ok "the kernel's have the function that the guest says" judge kernel
ok "a timeline shows both at work" judge timeline
finish
