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

# pass_on DESCRIPTOR SECONDS: prints what comes, and counts results, skips and failures. In an emulated
# machine the start of a program takes a tenth of a second: the shell alone has none to start. Who
# is about to be killed is named, SECONDS from now: it would not say itself where it hangs. A result
# that came two seconds or more after the one before is followed by how long that was.
pass_on() {
	local line='' more late=$((SECONDS + $2)) wait=(-t $(($2 > 0 ? $2 : 1))) status before=$SECONDS
	results=0 skipped=0 failed=0
	while :; do
		more=
		IFS= read -r "${wait[@]}" -u "$1" more
		status=$?
		line+=$more
		if [ $status -gt 128 ]; then	# what there is of a line goes on
			wait=()
			processes
			continue
		fi
		[ $status = 0 ] || [ -n "$line" ] || break
		[[ ! $line =~ ^1\.\.0\ +#\ SKIP ]] || skipped=$((skipped + 1))
		printf '%s\n' "$line"
		if [[ $line =~ ^\ *(not\ )?ok($|[^[:alnum:]_]) ]]; then
			results=$((results + 1))
			[ -z "${BASH_REMATCH[1]}" ] || failed=$((failed + 1))
			[ $((SECONDS - before)) -lt 2 ] || echo "# after $((SECONDS - before)) s"
			before=$SECONDS
		fi
		line=
		[ $status = 0 ] || break
		[ ${#wait[@]} = 0 ] || wait=(-t $((late > SECONDS ? late - SECONDS : 1)))
	done
}

# run_one NAME COMMAND...
run_one() {
	local name=$1 rc results skipped failed from start=$SECONDS
	shift
	echo "TAP version 13"
	echo "# === $name"
	exec {from}< <(exec timeout -k 5 "${TIMEOUT:-300}" "$@" 2>&1)
	rc=$!
	pass_on "$from" $((${TIMEOUT:-300} - 5))
	exec {from}<&-
	wait "$rc"
	rc=$?
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
		run_one "${prog##*/}" "$prog"
	else
		run_one "${prog##*/}" bash "$prog"
	fi
done
exit $status
