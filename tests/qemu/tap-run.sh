#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs test programs one after the other and prints their TAP as one stream.
# A program that fails without a word, prints no result, or is still running
# after TIMEOUT seconds (300) gets a "not ok" of its own; exit status 4 is
# kselftest's "skipped". Works in any guest: bash and coreutils are enough.
#
# usage: tap-run.sh PROGRAM...
#        tap-run.sh --command PROGRAM [ARGUMENT...]     named $TAP_NAME
set -u

status=0

# processes: all but the kernel's own, what each waits for, and since when
processes() {
	ps -eo pid,ppid,stat,etimes,wchan:20,args --forest --cols 200 2>&1 |
		awk '$2 != 2 { print "# " $0 }'
}

# run_one NAME COMMAND...
run_one() {
	local name=$1 out rc results skipped failed watch start=$SECONDS
	shift
	out=$(mktemp)
	echo "TAP version 13"
	echo "# === $name"
	# what is about to be killed is named: it would not say itself where it hangs
	{ read -rt $((${TIMEOUT:-300} - 5)) <> <(:) || processes; } &
	watch=$!
	timeout -k 5 "${TIMEOUT:-300}" "$@" 2>&1 | tee "$out"
	rc=${PIPESTATUS[0]}
	kill $watch 2> /dev/null
	wait $watch
	results=$(grep -c -E '^ *(not )?ok\b' "$out")
	skipped=$(grep -c -E '^1\.\.0 +# SKIP' "$out")
	failed=$(grep -c -E '^ *not ok\b' "$out")
	rm -f "$out"
	echo "TAP version 13"
	echo "# === $name took $((SECONDS - start)) s"
	case $rc in
	0)	[ "$((results + skipped))" != 0 ] || echo "ok - $name" ;;
	4)	[ "$((results + skipped))" != 0 ] || echo "ok - $name # SKIP" ;;
	124|137) status=1
		echo "not ok - $name: killed after ${TIMEOUT:-300} s" ;;
	*)	status=1
		[ "$failed" != 0 ] || echo "not ok - $name: exit status $rc without a failed test" ;;
	esac
}

if [ "${1:-}" = --command ]; then
	shift
	run_one "${TAP_NAME:-$1}" "$@"
	exit $status
fi
for prog; do
	if [ -x "$prog" ]; then
		run_one "$(basename "$prog")" "$prog"
	else
		run_one "$(basename "$prog")" bash "$prog"
	fi
done
exit $status
