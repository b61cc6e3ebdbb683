# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What tests in bash share: source it, call ok, says, within and so on, and end with
# "finish". Prints TAP.
#
#   TAP_START     the number of the last result so far (0)
#   TAP_TIMEOUT   seconds that a program may take (120)
#   tap_tells=1   "ok" adds to its name the last line that the command printed

n=${TAP_START:-0}
failures=0
tap_tells=

pass() {
	n=$((n + 1))
	echo "ok $n - $1"
}

# fail NAME [TEXT...]: the texts explain it
fail() {
	n=$((n + 1))
	failures=$((failures + 1))
	echo "not ok $n - $1"
	shift
	[ $# = 0 ] || printf '%s\n' "$@" | head -n 30 | cut -c 1-400 | cat -v | sed 's/^/# /'
}

# skip NAME WHY
skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# skip_all WHY: before the first result
skip_all() {
	echo "1..0 # SKIP $*"
	exit 0
}

# result STATUS NAME [TEXT...]: passes if STATUS is 0
result() {
	if [ "$1" = 0 ]; then pass "$2"; else fail "${@:2}"; fi
}

# limited COMMAND...: a program gets TAP_TIMEOUT; timeout(1) cannot run a function
limited() {
	if [ "$(type -t "$1")" = file ]; then
		timeout "${TAP_TIMEOUT:-120}" "$@"
	else
		"$@"
	fi
}

# ok NAME COMMAND...: the command must succeed
ok() {
	local name=$1 text
	shift
	if text=$("$@" 2>&1); then
		pass "$name${tap_tells:+${text:+ ($(tail -n 1 <<< "$text"))}}"
	else
		fail "$name" "$*" "$text"
	fi
}

# has_line REGEX TEXT: as grep has it. A short text is looked at by the shell, as an emulated machine
# takes long to start a program.
has_line() {
	local line
	if [ ${#2} -lt 4096 ] && [[ $1 != *$'\n'* ]]; then
		while IFS= read -r line; do
			[[ ! $line =~ $1 ]] || return 0
		done <<< "$2"
	fi
	grep -qE -- "$1" <<< "$2"
}

# says NAME STATUS REGEX COMMAND...: exit status, and a line of either stream
says() {
	local name=$1 want=$2 regex=$3 text status
	shift 3
	text=$(limited "$@" 2>&1)
	status=$?
	if [ "$status" = "$want" ] && has_line "$regex" "$text"; then
		pass "$name"
	else
		fail "$name" "$* gave $status instead of $want; wanted: $regex" "$text"
	fi
}

# within NAME VALUE LOW HIGH [TEXT...]: numbers, with decimals; the texts explain another one
within() {
	local whole='^ *(0|[1-9][0-9]{0,17}) *$'
	if [[ $2 =~ $whole && $3 =~ $whole && $4 =~ $whole ]]; then
		[ "$2" -ge "$3" ] && [ "$2" -le "$4" ]
	else
		awk -v v="$2" -v lo="$3" -v hi="$4" 'BEGIN { exit !(v != "" && v >= lo && v <= hi) }'
	fi
	# shellcheck disable=SC2181
	if [ $? = 0 ]
	then pass "$1 ($2)"; else fail "$1" "got \"$2\", expected $3 to $4" "${@:5}"; fi
}

# finish: the plan, and the exit status
finish() {
	echo "1..$n"
	[ "$failures" = 0 ]
	exit
}
