# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What does not fit: a device that is not there or may not be opened, a module of another kernel,
# or of other headers. Sourced by tests/module/run, and by tests/module/beside, whose $work is a
# directory and $PERFCTL the command.
# shellcheck disable=SC2154

user=(setpriv --reuid 65534 --regid 65534 --clear-groups)

counts() { "$@" "$PERFCTL" stat --engine pev -e page-faults:u -- true; }

# A recording of what executes, until $work/go is there.
record_on() {
	"$PERFCTL" record --engine pev -o "$work/on.trace" -e sched:sched_process_exec -- \
		sh -c ': > "$0/begun"; until [ -e "$0/go" ]; do sleep 0.1; done; exec env true' "$work" \
		> "$work/on.said" 2>&1 &
	recorder=$!
	for _ in {1..600}; do
		[ ! -e "$work/begun" ] || return 0
		kill -0 $recorder 2> /dev/null || break
		sleep 0.1
	done
	cat "$work/on.said"
	return 1
}

# ... goes on to its end, by descriptors that it has, and has what came meanwhile.
recorded_on() {
	: > "$work/go"
	wait "$recorder" && grep -q 'nothing lost' "$work/on.said" &&
		"$PERFCTL" script "$work/on.trace" | grep -q 'filename=.*bin/true' ||
		{ cat "$work/on.said"; "$PERFCTL" script "$work/on.trace"; return 1; }
}

device_tests() {
	local recorder
	chmod 0600 /dev/pev
	says "without rights to the device: a sentence" 77 \
		'you may not open /dev/pev \(Permission denied\)' counts "${user[@]}"
	says "... and what helps" 0 'chmod 0666 /dev/pev' "${user[@]}" "$PERFCTL" doctor
	ok "... root has them still" counts
	chmod 0666 /dev/pev
	ok "... and everyone again" counts "${user[@]}"

	# not by ok, whose commands are of another shell
	record_on > "$work/on.failed"
	result $? "a recording begins" "$(cat "$work/on.failed")"
	mv /dev/pev /dev/pev.away
	says "without the device: a sentence" 69 \
		'the module pev is loaded, but /dev/pev is not there \(No such file' counts
	says "... and what helps" 0 'udevadm trigger' "$PERFCTL" doctor
	recorded_on > "$work/on.failed" 2>&1
	result $? "... the recording loses nothing" "$(cat "$work/on.failed")"
	mv /dev/pev.away /dev/pev
	ok "... and there it is again" counts
}

# another_crc FILE SYMBOL: FILE as compiled with a header by which SYMBOL is something else
another_crc() {
	local at byte
	at=$(LC_ALL=C grep -abo -m 1 "$2" "$1" | head -n 1 | cut -d : -f 1)
	# struct modversion_info: eight bytes, then the name
	byte=$(od -An -tu1 -j $((at - 8)) -N 1 "$1")
	printf "\\x$(printf %02x $((byte ^ 1)))" | dd of="$1" bs=1 seek=$((at - 8)) conv=notrunc status=none
}

# complains REGEX: the kernel's log, since this was last called
complains() {
	dmesg > "$work/log"
	tail -n +$((${seen:-0} + 1)) "$work/log" | grep -qE -- "$1" || { tail -n 5 "$work/log"; return 1; }
	seen=$(wc -l < "$work/log")
}

nothing_there() { [ ! -e /dev/pev ] && [ ! -e /sys/module/pev ] && [ ! -e /proc/sys/kernel/pev_paranoid ]; }

# foreign_tests KO: while no module is loaded. A module has its release twice, for Linux, which
# does not look at it where symbols have versions, and for pev.
foreign_tests() {
	local release other
	release=$(uname -r)
	other=${release/6.1/6.9}
	dmesg > "$work/log"
	seen=$(wc -l < "$work/log")
	LC_ALL=C sed "s/${release//./\\.}/$other/g" "$1" > "$work/other.ko"
	says "a module of another kernel is not loaded" 1 'Invalid module format' insmod "$work/other.ko"
	ok "... for which it is, is in the log, and which this is" complains \
		"pev: this module is for Linux ${other//[.+]/.}, and this is ${release//[.+]/.}: build it"
	ok "... and nothing of it is there" nothing_there
	cp "$1" "$work/changed.ko"
	another_crc "$work/changed.ko" module_layout
	says "a module of other headers is not loaded" 1 'Invalid module format' insmod "$work/changed.ko"
	ok "... what they have otherwise is in the log" complains \
		'pev: disagrees about version of symbol module_layout'
	ok "... and nothing of it is there" nothing_there
}

# While pev is loaded: a module with markers, of another pev.
other_pev() {
	! lsmod | grep -q '^pev_sample ' || rmmod pev_sample
	cp "$PEV_MODULES/pev-sample.ko" "$work/sample.ko"
	another_crc "$work/sample.ko" pev_marker_fire
	dmesg > "$work/log"
	seen=$(wc -l < "$work/log")
	says "a module with markers of another pev is not loaded" 1 'Invalid' insmod "$work/sample.ko"
	ok "... what is another is in the log" complains \
		'pev_sample: disagrees about version of symbol pev_marker_fire'
}
