#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two Linux guests that do different things are recorded by their host, which they know nothing of: each sample is
# judged by the guests' own account. "root" has built what is booted, with phases.c as /usr/bin/phases and
# /pev-cost.ko. TURNS and PERIOD are others of phases.c and of counters.
# shellcheck source=tests/cli/lib/cli.bash disable=SC2034,SC2154
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib/cli.bash"
. "$here/../exact/ways.bash"
export PYTHONPATH=$here/../../tools/python PYTHONDONTWRITEBYTECODE=1 LIBPEV=$PEV_TOOLS/libpev/libpev.so.1

turns=${TURNS:-200} period=${PERIOD:-5003}
sides=(left right)
declare -A runs pids

# What the guest on the left says first: which functions of its kernel lie on the way to the loop. They are those of the
# other one, too, and a tracer of all functions is switched on and off by writing over each, which takes long.
# shellcheck disable=SC2016
path='
	echo function > current_tracer
	phases left path
	sed "/^#/d; s/ <-.*//; s/.* /path /; s/[.].*//" trace | sort -u
	echo nop > current_tracer'

# What a guest does: it begins its turns again and again, with the times of all interrupts behind them.
# shellcheck disable=SC2016
script='
	insmod /pev-cost.ko
	stat -c "notes: %s" /sys/kernel/notes
	cat /sys/kernel/notes /proc/kallsyms > /run/host
	cd /sys/kernel/tracing
	echo 0 > tracing_on
	PATH_OF_SIDE
	echo x86-tsc > trace_clock
	echo 1 > events/irq_vectors/enable
	while :; do
		echo > trace
		echo 1 > tracing_on
		phases SIDE TURNS
		echo 0 > tracing_on
		sed -n "s/.* \([0-9]*\): [a-z_]*_entry: .*/interrupt \1/p" trace
	done'

# boot SIDE
boot() {
	local text=${script//PATH_OF_SIDE/}
	[ "$1" != left ] || text=${script//PATH_OF_SIDE/$path}
	text=${text//SIDE/$1}
	GUEST_CONSOLE=$1.console "$here/run" "${text//TURNS/$turns}" --file "$1.file" > "$1.said" 2> "$1.err" &
	runs[$1]=$!
}

# have_stopped PID...: these machines, or ended
have_stopped() {
	local pid
	for pid; do
		[ ! -d "/proc/$pid" ] || grep -q '^State:.*T' "/proc/$pid/status" || return 1
	done
}

go_on() {
	kill -CONT "$@"
	until_ok have_stopped "$@"
}

# during COMMAND...: measures while both guests do all their turns; then these say what they did, and are
# before the next ones
during() {
	"$@" -- bash -c "$(declare -f until_ok have_stopped go_on); go_on ${pids[*]}"
	go_on "${pids[@]}"
}

# started SIDE: which process it is
started() { pids[$1]=$(pgrep -P "${runs[$1]}" -x linux_vmm); }

# laid_out SIDE: as its root were mounted here
laid_out() {
	local notes
	notes=$(sed -n 's/^notes: //p' "$1.said")
	mkdir -p "$1.root/proc" "$1.root/sys/kernel"
	head -c "$notes" "$1.file" > "$1.root/sys/kernel/notes"
	tail -c +$((notes + 1)) "$1.file" > "$1.root/proc/kallsyms"
}

# judged EVENT RECORDING FEWEST: by the guests' accounts
judged() {
	local side args=()
	for side in "${sides[@]}"; do
		{ grep '^path' left.said; cat "$side.said"; } > "$side.account"
		args+=("${pids[$side]}=$side.account,$side.root/proc/kallsyms")
	done
	python3 "$here/judge.py" "$2" "$1" "$3" "${args[@]}"
}

never_throttle 1000000
sysctl -q -w kernel.pev_max_sample_rate=1000000
"$here/../lib/load_kvm"
for side in "${sides[@]}"; do
	boot "$side"
done
for side in "${sides[@]}"; do
	until_ok started "$side"
done
until_ok have_stopped "${pids[@]}"
for side in "${sides[@]}"; do
	laid_out "$side"
done
trap 'kill -KILL "${pids[@]}"; wait; cd /; rm -rf "$work"' EXIT
tap_tells=1
both=${pids[left]},${pids[right]}
rec="perfctl record -q --clock cycles --guest $both"

says "list has both guests" 0 "^ +${pids[left]} +linux_vmm" perfctl guest list
during $rec -e instructions -c $period -o counter
ok "samples by a counter are where the guests say that they were" judged instructions counter $((turns * 10))
during $rec -e cpu-clock -c 10000 -o timer
ok "samples by a timer are where the guests say that they were" judged cpu-clock timer $((turns * 5))

during perfctl guest exits --guest $both > exits 2>&1
during perfctl record -q -a -e kvm:kvm_entry -e kvm:kvm_exit -e sched:sched_switch -o tracks
for side in "${sides[@]}"; do
	pid=${pids[$side]}
	says "guest exits: why $side stopped" 0 "^ guest of $pid .linux_vmm.: [0-9]+ exits?, " cat exits
	says "timeline: $side has a track" 0 "vCPU 0 of $pid [^#]*#" perfctl timeline --vcpus --width 100 -i tracks
done

# why the host works for which guest
during perfctl record -q -a --exits -F 20000 -e cpu-clock -e kvm:kvm_msr -o work
ok "record --exits: KVM writes registers for guests that were left for that" bash -c '
	perfctl script -F tid,exit -e kvm:kvm_msr work |
		awk "{ n++; wrong += \$2 != \"exit=msr\" } END { print \"# \" n \", wrong: \" wrong; exit !n || wrong }"'
perfctl report --stdio --percent-limit 0 --sort guest,exit -e cpu-clock work > reasons
for side in "${sides[@]}"; do
	says "report --sort guest,exit: samples in $side are of no exit" 0 "^ .* of ${pids[$side]} +\[none\]$" cat reasons
	says "... and no other one has them" 1 '' grep -E "of ${pids[$side]} +[a-z]" reasons
done

# what the report names, by a root of the guest's, and not by files of others
# few lines, as the emulator reads all of them slowly
mkdir -p few.root/proc
cp -r left.root/sys few.root
grep -e ' T _stext$' -e 'pev_cost]$' left.root/proc/kallsyms > few.root/proc/kallsyms
during perfctl record -q --guest "${pids[left]}" --guest-mount few.root -e instructions -c $period -o named
says "names by --guest-mount" 0 ' bare_set$' perfctl report --stdio --sort guest,symbol -i named
cp few.root/proc/kallsyms same
says "... and by the guest's kallsyms" 0 ' bare_set$' \
	perfctl report --stdio --sort symbol --guest-kallsyms same -i named
sed 's/^ffffffff81\(.* T _stext\)$/ffffffff82\1/' same > moved
says "... not by those of another boot" 1 'is of another boot of the guest, as the kernel lay at 0xffffffff81000000' \
	perfctl report --guest-kallsyms moved -i named
printf '\4\0\0\0\4\0\0\0\3\0\0\0GNU\0\1\2\3\4' > same.notes # a build id of four bytes
says "... nor by those of another kernel" 1 'same is of another kernel than the guest ran, whose build id is [0-9a-f]+, and not 01020304' \
	perfctl report --guest-kallsyms same -i named
mkdir -p no-sys/proc
cp same no-sys/proc/kallsyms
says "... nor by a root without sys" 2 'no /sys/kernel/notes with a build id' \
	perfctl record --guest "${pids[left]}" --guest-mount no-sys -o no -- true
says "... one root for two guests is refused" 2 'is the root of one guest, and' \
	perfctl record --guest $both --guest-mount left.root -o no -- true
finish
