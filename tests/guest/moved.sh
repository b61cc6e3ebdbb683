#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A Linux guest of Debian's QEMU counts by counters that its host lends it, is saved, and goes on in another process,
# where none are lent at first; and it moves on to a third while it counts and records, and the host counts, too. What it
# counts is right or said to be a part. "root" has built what is booted; KNOWN is known.S of tests/exact.
# shellcheck source=tests/cli/lib/cli.bash disable=SC2154,SC2016
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib/cli.bash"
# shellcheck source=tests/exact/known.bash
. "$here/../exact/known.bash"
dir=${PEV_TOOLS%/tools}
# no guest may have a PMU of KVM's, which QEMU does not hide on AMD's processors
"$here/../lib/load_kvm" enable_pmu=0 || exit
declare -A pids
loops=10000

# In the guest, again and again: a loop of one length, what was counted of it, how long it was not, and samples of it.
counting='mount -t proc p /proc; mount -t sysfs s /sys; exec < /dev/null
	while :; do
		rm -f /tmp/o
		perfctl stat -x, -e instructions:u -o /tmp/o -- bash -c "echo BEGUN; for i in {1..'$loops'}; do :; done" 2>&1
		echo COUNTED $(cut -d, -f1,5 /tmp/o 2>&1)
		perfctl record -q -o /tmp/t -e instructions:u -c 500009 -- bash -c "for i in {1..'$loops'}; do :; done" 2> /dev/null &&
			echo RECORDED $(perfctl script /tmp/t | grep -c instructions)
	done'
printf '%s\n' "$counting" > counting
echo counting | cpio -o -H newc --quiet | cat "$dir/guest/root.cpio" - > root.cpio

# boot NAME [OPTION...]: it hears of its monitor by NAME.in
boot() {
	mkfifo "$1.in" "$1.out"
	: > "$1.said"
	cat "$1.out" > "$1.monitor" &
	qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot -accel kvm -M microvm,rtc=off -cpu host \
		-smp 1 -m 256 -chardev "file,id=said,path=$1.said" -serial chardev:said -chardev "pipe,id=in,path=$1" \
		-mon chardev=in -kernel "$dir/kernel-$PEV_FLAVOR/bzImage" -initrd root.cpio -append "console=ttyS0 reboot=t
		nokaslr no_timer_check noxsave nmi_watchdog=0 quiet panic=-1 mitigations=off rdinit=/usr/bin/bash -- /counting" \
		"${@:2}" 2> "$1.err" &
	pids[$1]=$!
}

# grant NAME
grant() {
	perfctl guest grant "${pids[$1]}" > "$1.grant" 2>&1 &
}

# said NAME WORDS N: so many lines begin so
said() { [ "$(tr -d '\r' < "$1.said" | grep -c "^$2")" -ge "$3" ]; }

# said_more NAME WORDS N: N lines more
said_more() {
	local now
	now=$(tr -d '\r' < "$1.said" | grep -c "^$2")
	until_ok said "$1" "$2" $((now + $3)) || { tail -n 20 "$1.said" "$1.err"; return 1; }
}

# saved NAME: all of its state is in a file
saved() { grep -q completed "$1.monitor" || { echo "info migrate" > "$1.in"; sleep 0.1; false; }; }

# goes_on NAME: it was saved as it stood still, and so it does at first
goes_on() { echo cont > "$1.in"; sleep 0.1; said "$1" COUNTED 1; }

# whole NAME: what was counted for all of its time
whole() { tr -d '\r' < "$1.said" | sed -n 's/^COUNTED \([0-9]*\),100.00$/\1/p'; }

boot first
until_ok eval "perfctl guest list | grep -q qemu"
grant first
ok "a guest counts" said_more first "COUNTED [0-9]" 2
ok "... and begins to count again" said_more first BEGUN 1
echo stop > first.in
echo 'migrate "exec:cat > state"' > first.in
ok "it is saved meanwhile" until_ok saved first
echo quit > first.in
wait "${pids[first]}"
ok "the grant ends with the process" until_ok grep -q "${pids[first]} .* ended " first.grant
says "... and says what became of it: none stood still or was throttled" 0 ' ended +[1-9][0-9,]* +[0-9]+ +[1-9][0-9]* +0 +0$' cat first.grant

boot second -incoming "exec:cat state"
ok "it goes on elsewhere, where nothing is lent" until_ok goes_on second
ok "... and tries to count" said_more second COUNTED 2
part=$(tr -d '\r' < second.said | sed -n 's/^COUNTED //p' | head -n 1)
typical=$(whole first | sort -n | sed -n 2p)
within "what it had begun to count is a part" "${part%%,*}" 1 $((typical - 1))
ok "... which its running time says" awk -v "share=${part#*,}" 'BEGIN { exit !(share > 0 && share < 100) }'
says "what it would count now is refused in a sentence" 0 'the host lends this guest no counters now' cat second.said
within "nothing else was counted" "$(tr -d '\r' < second.said | grep -c '^COUNTED [0-9]')" 1 1
grant second
ok "it counts again when counters are lent" said_more second "COUNTED [0-9]" 2
# interrupts of the guest's restart an instruction now and then, and bash finds its memory elsewhere
whole first | cat - <(whole second) > all
within "each count of a whole loop is right: the least" "$(sort -n all | head -n 1)" $((typical - typical / 200)) $((typical + typical / 200))
within "... and the most" "$(sort -n all | tail -n 1)" $((typical - typical / 200)) $((typical + typical / 200))

# Live: it runs on until all of its memory is at its next place.
boot third -incoming unix:socket
until_ok test -S socket
grant third
until_ok grep -q "${pids[third]}" <(perfctl guest list)
echo 'migrate unix:socket' > second.in
until saved second; do
	perfctl stat -x, -e instructions:u -- "$KNOWN" 2>> host
done
echo quit > second.in
wait "${pids[second]}"
ok "a guest moves on while it runs, and records where it is then" said_more third "RECORDED [0-9]" 3
ok "... and counts" said_more third "COUNTED [0-9]" 1
tr -d '\r' < third.said > third.lines
for way in COUNTED RECORDED; do
	# the one that was under way may be a part, and is no more than others
	sed -n "s/^$way \([0-9]*\).*/\1/p" third.lines > counts
	most=$(sort -n counts | tail -n 1)
	within "$way: whole but for one" "$(awk -v m="$most" '$1 < m * 0.995 - 1' counts | wc -l)" 0 1
done
within "... as before" "$(whole third | sort -n | tail -n 1)" $((typical - typical / 200)) $((typical + typical / 200))
within "the host counted its own meanwhile, exactly" "$(cut -d, -f1 host | sort -u)" $instructions $instructions
kill -KILL "${pids[third]}"
finish
