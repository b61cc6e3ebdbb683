#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The terminal interface of report, in tmux; run by "run".
. "$(dirname "$0")/../../lib/tap.bash"
p=$OUT/tools/perfctl
cd "$OUT/traces" || exit 1
if ! command -v tmux >/dev/null; then
	skip "the terminal interface" "tmux is not installed"
	finish
fi
starts=0
socket=$OUT/tmux.0
tm() { tmux -S "$socket" -f /dev/null "$@"; }
trap 'tm kill-server 2>/dev/null' EXIT

# start WIDTH HEIGHT COMMAND
start() {
	tm kill-server 2>/dev/null
	# a server that is on its way out must not be met again
	starts=$((starts + 1))
	socket=$OUT/tmux.$starts
	tm new-session -d -x "$1" -y "$2" "$3; echo left with \$?; exec cat"
}

keys() { tm send-keys "$@"; }

# shows NAME REGEX: there must be such a line on the screen within 20 s
shows() {
	local text="" end=$((SECONDS + 20))
	while [ $SECONDS -lt $end ]; do
		text=$(tm capture-pane -p 2>/dev/null)
		if grep -qE -- "$2" <<<"$text"; then
			pass "$1"
			return
		fi
		sleep 0.05
	done
	fail "$1" "wanted: $2" "$text"
}

export TERM=screen
start 90 20 "'$p' report chains"
shows "tui: rows with shares" '^ +[0-9.]+% +prog +victim +\+ alpha'
shows "tui: the heading has the samples" 'cpu-clock: 1,000 samples'
keys '/' 'bet' Enter
keys Enter
shows "tui: search, then Enter opens the callers" '^ +[0-9.]+% +prog +victim +- beta'
keys Down z
shows "tui: z zooms into a function" '1,000 samples > (alpha|beta|main)'
keys Escape
shows "tui: Esc goes back" 'cpu-clock: 1,000 samples +perfctl'
keys c
shows "tui: c adds up what was called" '^ +Total +Self'
keys c s
shows "tui: s changes the columns" 'by symbol'
shows "... to functions only" '^ +Share +Function'
keys '/' 'nowhere' Enter
shows "tui: a search without a match says so" 'nothing matches "nowhere"'
keys '?'
shows "tui: help" 'zoom into a function: only what goes through it'
keys q
tm resize-window -x 38 -y 8
shows "tui: a small terminal has shares and functions" '^ +[0-9.]+% +[+-] (alpha|beta|main)'
tm resize-window -x 12 -y 3
shows "tui: the smallest one stays alive" '%'
tm resize-window -x 90 -y 20
shows "tui: and grows again" 'by symbol|1,000 samples'
keys q
shows "tui: q quits, the terminal is as before" 'left with 0'
start 80 12 "NO_COLOR=1 '$p' report flat"
shows "tui: without colours" '50\.00%.*alpha'
! tm capture-pane -pe | grep -q $'\033\[3[0-7]m'
result $? "NO_COLOR: there are none"
keys q
shows "tui: left" 'left with 0'
start 80 12 "'$p' report flat"
shows "tui: the rows, again" '50\.00%.*alpha'
keys C-c
shows "tui: Ctrl-C quits as q does" 'left with 0'
cat >slow_pager <<'END'
#!/bin/bash
trap 'echo signalled; exec cat' INT
echo the pager waits
while :; do sleep 0.05; done
END
chmod +x slow_pager
start 80 12 "PAGER=./slow_pager '$p' report --stdio flat"
shows "pager: it runs" 'the pager waits'
keys C-c
shows "pager: Ctrl-C is the pager's, and perfctl goes on" '50\.00%.*alpha'
shows "pager: ... to its end" 'left with 0'
start 80 12 "'$p' report empty"
shows "tui: a recording without samples" 'no samples'
keys q
shows "tui: left again" 'left with 0'
start 80 12 "'$p' report --stdio flat | cat"
shows "report in a pipe prints" '^# cpu-clock: 1,000 samples'
finish
