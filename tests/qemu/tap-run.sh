#!/bin/bash
# Runs test programs one after the other and prints their TAP as one stream.
# A program that fails without a word, prints no result, or is still running
# after TIMEOUT seconds (120) gets a "not ok" of its own; exit status 4 is
# kselftest's "skipped". Works in any guest: bash and coreutils are enough.
#
# usage: tap-run.sh PROGRAM...
set -u

status=0
for prog; do
	name=$(basename "$prog")
	out=$(mktemp)
	run=("$prog")
	[ -x "$prog" ] || run=(bash "$prog")
	echo "TAP version 13"
	echo "# === $name"
	timeout -k 5 "${TIMEOUT:-120}" "${run[@]}" > >(tee "$out") 2>&1
	rc=$?
	wait $!
	results=$(grep -c -E '^ *(not )?ok\b' "$out")
	skipped=$(grep -c -E '^1\.\.0 +# SKIP' "$out")
	failed=$(grep -c -E '^ *not ok\b' "$out")
	rm -f "$out"
	echo "TAP version 13"
	case $rc in
	0)	[ "$((results + skipped))" != 0 ] || echo "ok - $name" ;;
	4)	[ "$((results + skipped))" != 0 ] || echo "ok - $name # SKIP" ;;
	124|137) status=1
		echo "not ok - $name: killed after ${TIMEOUT:-120} s" ;;
	*)	status=1
		[ "$failed" != 0 ] || echo "not ok - $name: exit status $rc without a failed test" ;;
	esac
done
exit $status
