#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# Probes by pev: in a file and in the kernel, with what they record.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib/cli.bash"

build calls "$here/../native/lib"

perfctl stat -x, -o user.csv -e 'uprobe:./calls:work,uretprobe:./calls:work/name=back/' \
	-- ./calls 1000 >out
says "a program runs as it did" 0 '^1000 ' cat out
within "uprobe: 1000 calls" "$(stat_value uprobe:./calls:work user.csv)" 1000 1000
within "uretprobe: 1000 returns" "$(stat_value back user.csv)" 1000 1000

perfctl stat -x, -o later.csv -e uprobe:./calls:work -- sh -c './calls 30; ./calls 40 & wait' >/dev/null
within "uprobe: in all that a command starts" "$(stat_value uprobe:./calls:work later.csv)" 70 70

perfctl record -q -o user.trace -e 'uprobe:./calls:work(x:s32)' --filter 'x >= 400' -- \
	./calls 500 >/dev/null
within "record: a record for each call that passes the filter" \
	"$(records user.trace uprobe:./calls:work)" 100 100
says "record: with its argument" 0 ' x=400 ' perfctl script -i user.trace
within "report: all in that function" "$(share user.trace work)" 100 100
perfctl record -q -o result.trace -e 'uretprobe:./calls:work(ret:s32)' -- ./calls 5 >/dev/null
says "record: results" 0 ' ret=5 ' perfctl script -i result.trace

perfctl record -q -o kernel.trace -e 'kprobe:do_filp_open(dfd:s32,path=arg1[0]:str)' -- \
	cat /etc/hostname >/dev/null
says "kprobe: with a string behind a pointer" 0 'path="?/etc/hostname"?' perfctl script -i kernel.trace
perfctl record -q -o return.trace -e 'kretprobe:do_filp_open(ret:x64,duration)' -- true
says "kretprobe: the result, and the time" 0 'ret=0x[0-9a-f]+ duration=[0-9]+' \
	perfctl script -i return.trace
perfctl stat -x, -o glob.csv -e 'kprobe:do_filp_o*n,kprobe:do_*_open/name=more/' -- true 2>/dev/null
within "kprobe: functions by a glob" "$(stat_value 'kprobe:do_filp_o*n' glob.csv)" 1 100000
within "... are one event, whatever their number" "$(stat_value more glob.csv)" 1 100000

says "a function that is not there" 2 'no function "no_such_f"' \
	perfctl stat -e kprobe:no_such_f -- true
says "a glob that nothing matches" 2 'no function of the kernel matches' \
	perfctl stat -e 'kprobe:no_such_f*' -- true
says "the middle of nowhere" 2 "can't be probed|instruction" \
	perfctl stat -e kprobe:do_filp_open+0x1ffff -- true
says "a field of no type" 2 'its type is one of' perfctl stat -e 'kprobe:do_filp_open(a:b)' -- true
says "a field of no value" 2 'its value is' perfctl stat -e 'kprobe:do_filp_open(a=b)' -- true
says "an argument at the return" 2 'arguments are gone' \
	perfctl stat -e 'kretprobe:do_filp_open(a)' -- true
says "a filter on no field" 2 'nofield' \
	perfctl stat -e 'kprobe:do_filp_open(dfd)' --filter 'nofield == 1' -- true

if command -v babeltrace2 >/dev/null; then
	says "babeltrace2: names the place" 0 '"work" : container = 0' babeltrace2 user.trace
	says "babeltrace2: and the argument" 0 'x = 400' babeltrace2 user.trace
else
	skip "babeltrace2" "babeltrace2 is not installed"
fi
finish
