# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the measurements of the tools share: times, memory, and lines that say
# what came out:
#
#	BENCH <name> pev=<n> perf=<n> goal=<n> met
#
# "MISSED" instead of "met"; perf=- where perf is not there or can do no such thing. $peer
# is who stands there in place of perf.
peer=perf

# cost RUNS COMMAND...: "milliseconds KiB", the least of so many runs
cost() {
	/usr/bin/python3 -c 'import os, sys, time
null = os.open("/dev/null", os.O_RDWR)
least = [float("inf")] * 2
for _ in range(int(sys.argv[1])):
    begin = time.monotonic()
    pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1, 2)])
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"{sys.argv[2]}: status {status}")
    least = [min(*both) for both in zip(least, [(time.monotonic() - begin) * 1000, usage.ru_maxrss])]
print("%.0f %d" % tuple(least))' "$@"
}

# perf_cost RUNS ARGUMENTS...: the same of perf, "- -" without one
perf_cost() {
	if command -v perf >/dev/null; then
		cost "$1" perf "${@:2}"
	else
		echo "- -"
	fi
}

# judge NAME PEV PEER GOAL: a line. GOAL is "<=" or ">=" and a number, which may
# be so many times "*perf" or "*lttng".
judge() {
	awk -v name="$1" -v pev="$2" -v theirs="$3" -v rule="$4" -v peer="$peer" 'BEGIN {
		least = substr(rule, 1, 2) == ">="
		goal = substr(rule, 3)
		times = sub(/\*[a-z]+$/, "", goal)
		if (times && theirs == "-") {
			printf "BENCH %s pev=%s %s=- goal=- not judged: there is no figure of %s\n",
				name, pev, peer, peer
			exit
		}
		if (times)
			goal = sprintf("%.0f", goal * theirs)
		met = least ? pev + 0 >= goal + 0 : pev + 0 <= goal + 0
		printf "BENCH %s pev=%s %s=%s goal=%s %s", name, pev, peer, theirs, goal, met ? "met" : "MISSED"
		if (theirs + 0)
			printf " (%.3g of %s)", pev / theirs, peer
		printf "\n"
	}'
}

# left_out NAME WHY: a line for what cannot be measured here
left_out() {
	echo "BENCH $1 pev=- perf=- goal=- left out: $2"
}
