# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# What the host sees of a guest of KVM by guest.c, whose code lies where vmm.h says. "run" sources
# this; PERFCTL, GUEST and work are its.

# Its pid is $guest; a line to $tell adds a processor, and $said has a line for each that runs.
guest_begin() {
	local m
	for m in irqbypass ccp kvm kvm-amd; do
		insmod "/run/pev/modules/$m.ko" 2> /dev/null
	done
	[ -p "$work/tell" ] || mkfifo "$work/tell"
	exec {said}< <(exec "$GUEST" 2>&1 < "$work/tell")
	guest=$!
	exec {tell}> "$work/tell"
	read -r -u "$said" word
}

guest_end() {
	kill "$guest" 2> /dev/null
	exec {said}<&- {tell}>&-
}

# guest_recorded PID|NAME|all TRACE [ENGINE]
guest_recorded() {
	(cd "$work" && "$PERFCTL" record --engine "${3:-pev}" --guest "$1" -o "$2.trace" --timeout 3)
}

# guest_report TRACE COLUMNS LINE-REGEX: of the first row
guest_report() {
	"$PERFCTL" report --stdio --guest-kallsyms "$work/kallsyms" --sort "$2" "$work/$1.trace" |
		awk -v row="$3" '!/^#/ && NF { print "# " $0; exit $0 !~ row }'
}

guest_script() {
	"$PERFCTL" script "$work/guest.trace" | awk '
		/cpu-clock:/ { n++; if ($0 !~ /10[0-9a-f][0-9a-f] /) { print "# " $0; wrong = 1 } }
		END { exit !n || wrong }'
}

# guest_counts EVENT: counted of the guest's process, more than nothing
guest_counts() {
	"$PERFCTL" stat --engine pev -x, -o "$work/stat.csv" -e "$1" -p "$guest" --timeout 2 &&
		awk -F, -v e="$1" '{ print "# " $0 } $3 == e && $1 > 0 { found = 1 } END { exit !found }' \
			"$work/stat.csv"
}

guest_stat() {
	"$PERFCTL" stat --guest "$guest" -x, -o "$work/stat.csv" --timeout 2 &&
		awk -F, '{ print "# " $0 } $3 == "cpu-clock" && $2 == "msec" && $1 > 0 { found = 1 }
			END { exit !found }' "$work/stat.csv"
}

# The host's own work has no guest in it.
host_stat() {
	"$PERFCTL" stat --engine pev -x, -o "$work/stat.csv" -e cpu-clock:G,cpu-clock:H -- \
		dd if=/dev/zero of=/dev/null bs=64k count=20000 status=none &&
		awk -F, '{ print "# " $0 } $3 == "cpu-clock:G" && $1 + 0 > 0 { wrong = 1 }
			$3 == "cpu-clock:H" && $1 > 0 { found = 1 } END { exit !found || wrong }' "$work/stat.csv"
}

guest_top() {
	"$PERFCTL" top --guest all --stdio -n 1 -d 2 -s guest,dso,symbol --guest-kallsyms "$work/kallsyms" |
		tee "$work/top" | grep -Eq "of $guest +.guest.kernel. +.g. guest_loop" || { sed 's/^/# /' "$work/top"; return 1; }
}

# The host's samples have their chains, and the guest's stand on a frame of their own.
both_recorded() {
	(cd "$work" && "$PERFCTL" record -a -g --guest all -o both.trace --timeout 3) &&
		"$PERFCTL" flame --folded -o - "$work/both.trace" 2> /dev/null > "$work/folded"
	grep -Eq "^.guest of $guest.;0x10[0-9a-f]{2} [0-9]+$" "$work/folded" &&
		grep -Evq '^.guest of' "$work/folded" || { head -n 20 "$work/folded" | sed 's/^/# /'; return 1; }
}

guest_timeline() {
	(cd "$work" && "$PERFCTL" record -a -e sched:sched_switch -e sched:sched_wakeup \
		-e kvm:kvm_entry -e kvm:kvm_exit -o line.trace --timeout 2) &&
		"$PERFCTL" timeline --vcpus --width 100 "$work/line.trace" > "$work/line"
	grep -E "^ +vCPU 0 of $guest .*#" "$work/line" && grep -Eq '^ +CPU 0 ' "$work/line" ||
		{ sed 's/^/# /' "$work/line"; return 1; }
}

guest_listed() {
	"$PERFCTL" guest list -j | python3 -c '
import json, sys
pid, comm = int(sys.argv[1]), sys.argv[2][:15]
all = json.load(sys.stdin)
print("#", all)
(vm,) = [v for v in all if v["pid"] == pid]
assert vm["comm"] == comm and vm["machines"] == 1, vm
(cpu,) = vm["vcpus"]
assert cpu["vcpu"] == 0 and cpu["tid"] == pid, cpu' "$guest" "${GUEST##*/}"
}

# exits FILE EXPRESSION: of the one guest g and its reasons r
exits() {
	python3 -c '
import json, sys
all = json.load(open(sys.argv[1]))
print("#", all)
(g,) = [g for g in all["guests"] if g["pid"] == int(sys.argv[3])]
r = {}
for row in g["reasons"]:
	assert 0 < row["p50_ns"] <= row["p90_ns"] <= row["p99_ns"] <= row["most_ns"] <= row["ns"], row
	r.setdefault(row["reason"], []).append(row)
assert sum(x["exits"] for x in g["reasons"]) == g["exits"], g
assert sum(x["ns"] for x in g["reasons"]) == g["ns"], g
assert all["lost"] == all["other"] == all["dropped"] == 0, all
assert eval(sys.argv[2]), sys.argv[2]' "$work/$1" "$2" "$guest"
}

# Each round of the guest ends with an access to a port: no more of them end than begin.
guest_exits() {
	"$PERFCTL" guest exits --engine "$1" -j -o "$work/exits.$1" --timeout 3 &&
		exits "exits.$1" '"io" in r and "interrupt" in r and r["io"][0]["code"] == 0x7b'
}

# A virtual processor comes while its guest is recorded, and its exits are counted.
guest_grows() {
	(cd "$work" && "$PERFCTL" record --guest "$guest" -o grows.trace -- \
		"$PERFCTL" guest exits --guest "$guest" --per-vcpu -j -o grows.json -- \
		bash -c "echo > '$work/tell'; read -r word <&$said; [ \"\$word\" = runs ]") &&
		exits grows.json '{x["vcpu"] for x in g["reasons"]} == {0, 1}' &&
		"$PERFCTL" report --stdio --sort tid "$work/grows.trace" | awk '
			!/^#/ && NF { n++; print "# " $0 } END { exit n != 2 }'
}

guest_ends() {
	"$PERFCTL" stat --guest "$guest" -- bash -c "kill $guest; tail --pid=$guest -s 0.1 -f /dev/null" \
		> "$work/ends" 2>&1
	sed 's/^/# /' "$work/ends"
	grep -q "process $guest has ended, and with it its virtual machine" "$work/ends" &&
		grep -q "Counts for process $guest as a guest" "$work/ends"
}

# What depends on how pev.ko hangs together with KVM
guest_tests() {
	guest_begin
	ok "a guest of KVM runs" [ "$word" = runs ]
	ok "it is listed with its processor's thread" guest_listed
	ok "it is recorded" guest_recorded "$guest" guest
	printf '%016x T guest_loop\n%016x T guest_end\n' $((0x1000)) $((0x100c)) > "$work/kallsyms"
	ok "its function is named" guest_report guest dso,symbol '100.*guest.kernel.*\[g\] guest_loop'
	ok "... and whose guest it is" guest_report guest guest "100.* of $guest"
	ok "script shows its addresses" guest_script
	ok "stat --guest counts its time" guest_stat
	ok "ticks that hit guests are counted" guest_counts cpu-clock:G
	ok "... and those that hit the host" guest_counts cpu-clock:H
	ok "exits are counted by reason" guest_exits pev
	[ -z "${GUEST_TOOLS:-}" ] || guest_tools
	ok "a guest that ends while it is measured is told" guest_ends
	guest_end
}

# What perfctl makes of it
guest_tools() {
	ok "by perf's events it is the same" guest_recorded "$guest" perf perf
	ok "... the function" guest_report perf dso,symbol '100.*guest.kernel.*\[g\] guest_loop'
	ok "all guests are this one" guest_recorded all all
	ok "host and guests are recorded together, each sample of one" both_recorded
	ok "a timeline shows the guest's processor" guest_timeline
	ok "where no guest runs, no tick hits one" host_stat
	ok "perf's clocks count both, which is refused in words" refused "host and of guests alike" \
		"$PERFCTL" stat --engine perf --guest "$guest" --timeout 1
	ok "top --guest names its function" guest_top
	ok "exits are counted by perf's events, too" guest_exits perf
	ok "a processor that is added is recorded, and its exits are counted" guest_grows
	ok "a process without a guest is refused in words" refused "runs no virtual machine" \
		guest_recorded $$ none
	ok "... also by guest exits" refused "runs no virtual machine" \
		"$PERFCTL" guest exits --guest $$ --timeout 1
	ok "so is a file that is no kallsyms" refused "ADDRESS TYPE NAME" \
		"$PERFCTL" report --guest-kallsyms /etc/hostname "$work/guest.trace"
}
