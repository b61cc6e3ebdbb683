#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# Events of a module that is loaded while events of their names are recorded.
# shellcheck disable=SC2154
. "$(dirname "$0")/lib/cli.bash"

fire=/sys/kernel/debug/pev_sample/fire
if [ ! -e "$PEV_MODULES/pev-sample.ko" ]; then
	skip_all "no pev-sample.ko"
fi
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug

# another test may have left it
rmmod pev-sample 2>/dev/null

# said WORDS: the recorder has said so
said() { grep -q -- "$1" late.err; }

# with_module DIR OPTIONS...: the module comes, and fires each mark 100 times
with_module() {
	local dir=$1
	shift
	perfctl record -a -m 1M --flush 100ms -o "$dir" "$@" >/dev/null 2>late.err &
	recorder=$!
	until_ok test -e "$dir/metadata"
	insmod "$PEV_MODULES/pev-sample.ko"
	until_ok said 'pev_sample:plain has come'
	echo "task 100" >$fire
	perfctl probe --names list pev_sample >places
	kill $recorder
	wait $recorder
	rmmod pev-sample
}

with_module late.trace -e 'pev_[ks]*:*'
for event in number text types plain; do
	says "late: pev_sample:$event has come" 0 "^note: pev_sample:$event has come, and is recorded" \
		cat late.err
done
within "... and is recorded from then on" "$(records late.trace pev_sample:plain)" 100 100
within "... with its fields" "$(perfctl script -e pev_sample:text -F fields late.trace |
	grep -c 'length=4')" 100 100
says "probe list: a module's functions, as -e takes them" 0 '^kprobe:pev_sample:pev_sample_exit$' cat places
within "... and no others" "$(grep -vc '^kprobe:pev_sample:' places)" 0 0
within "... and counted" "$(awk '$1 == "pev_sample:types" { print $2, $3 }' late.err)" "100 0" "100 0"
if command -v babeltrace2 >/dev/null; then
	within "... babeltrace2 reads them" "$(babeltrace2 late.trace | grep -c ' pev_sample:types:')" 100 100
fi
finish
