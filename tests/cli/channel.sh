#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# Recording channels of the kernel's own: those of the sample pev-log.
# shellcheck disable=SC2154
. "$(dirname "$0")/lib/cli.bash"

fire=/sys/kernel/debug/pev_log/fire
if [ ! -e "$PEV_MODULES/pev-log.ko" ]; then
	skip_all "no pev-log.ko"
fi
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug

# a module that another test has left, or a channel that has counted already
reload() {
	rmmod pev-log 2>/dev/null
	insmod "$PEV_MODULES/pev-log.ko"
}

# lost DIR: how many info says were lost
lost() { perfctl info -j -i "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["lost"])'; }

# all DIR: those recorded, and those lost
all() { echo $(($(records "$1" 'pev_log:*') + $(lost "$1"))); }

as_nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all --inh-caps=-all "$@"
}

reload
says "channel: of a command's time" 0 '^\[ c: .* of pev_log, .* s, nothing lost \]$' \
	perfctl record --channel pev_log -o c -- sh -c "echo mixed 100 >$fire"
within "channel: records of one event" "$(records c pev_log:line)" 300 300
within "channel: ... and of the other" "$(records c pev_log:state)" 300 300
says "script: fields" 0 'pev_log:line: serial=300 level=6 text="[a-z]+"' \
	perfctl script -i c -e pev_log:line
says "script: ... of the other" 0 'pev_log:state: serial=300 device=0x[0-9a-f]+ celsius=-99 name="sample"' \
	perfctl script -i c -e pev_log:state
says "info: whose channel" 0 "the kernel's channel pev_log" perfctl info -i c
says "info: what the machine has" 0 'CPU' perfctl info -i c
says "report: counts" 0 'pev_log:line' perfctl report -i c -e pev_log:line
if command -v babeltrace2 >/dev/null; then
	within "channel: babeltrace2 reads all" "$(babeltrace2 c | grep -c 'pev_log:')" 600 600
fi

perfctl record --channel pev_log -o live --flush 100ms 2>live.err &
recorder=$!
until_ok test -e live/metadata
echo task 7 >$fire
until_ok has_records live pev_log:line
says "channel: a second reader" 1 'the channel of pev_log is being read by another' \
	perfctl record --channel pev_log -o second -- true
kill $recorder
wait $recorder
within "channel: until it is ended" "$(records live 'pev_log:*')" 14 14

perfctl record --channel pev_log -o - -- sh -c "echo task 5 >$fire" 2>/dev/null |
	perfctl script -i - >piped
within "channel: through a pipe" "$(grep -c pev_log: piped)" 10 10

# what nobody reads is lost when the rings are full
reload
echo mixed 20000 >$fire
says "channel: lost before" 0 'records found no room before, while nobody read pev_log' \
	perfctl record --channel pev_log -o before -- true
within "... each is counted" "$(all before)" 120000 120000

reload
perfctl record --channel pev_log -o meanwhile -- sh -c \
	"for i in 1 2 3; do echo mixed 10000 >$fire; done" 2>meanwhile.err
within "channel: lost or recorded" "$(all meanwhile)" 180000 180000
if [ "$(lost meanwhile)" -gt 0 ]; then
	says "... and said" 0 'records found no room meanwhile' cat meanwhile.err
fi

says "channel: there is none of that name" 2 'no kernel code has a channel "pev_lag" to read' \
	perfctl record --channel pev_lag -o none -- true
says "channel: private" 2 'no kernel code has a channel "pev_log_private" to read' \
	perfctl record --channel pev_log_private -o none -- true
says "channel: who may not read it" 77 'lets only readers with CAP_PERFMON' \
	as_nobody perfctl record --channel pev_log -o /tmp/none.$$ -- true
for option in "-e page-faults" "-g" "-m 4M" "-F 99" "-C 0" "--overwrite" "--waits" "--delay 1s" \
	"--snapshot-on sched:sched_switch" "-p 1"; do
	# shellcheck disable=SC2086
	says "channel: not with $option" 2 'a part of the kernel writes, as it is: .* has no place there' \
		perfctl record --channel pev_log $option -o none
done
ok "channel: nothing is left of what was refused" test ! -e none
rmmod pev-log
finish
