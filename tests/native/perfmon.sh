# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash
# pev-perfmon: members of a group measure what others may not, and nothing else changes.

# member GROUP COMMAND...: as a user without rights in a group of that number
member() {
	(cd user && exec setpriv --reuid 65534 --regid 65534 --groups "$1" "${@:2}")
}

perfmon_tests() {
	local group=65533
	export PEV_PERFMON=$work/user/pev-perfmon

	chown "root:$group" user/pev-perfmon && chmod 750 user/pev-perfmon
	says "pev-perfmon: says what it is" 2 'opens events for perfctl' user/pev-perfmon
	says "pev-perfmon: without its capability, as if it were not there" "$refused" 'paranoid' \
		member $group perfctl stat --engine perf -a -e page-faults -- true
	if ! setcap cap_perfmon,cap_syslog+ep user/pev-perfmon 2>/dev/null; then
		skip "pev-perfmon: with its capability" "this file system keeps none"
		return
	fi
	says "a user who is not in its group: refused" 77 'whole CPUs' \
		member 65532 perfctl stat --engine perf -a -e page-faults -- true
	says "... and told to join" 0 '^For more: sudo usermod -aG .* "\$USER"$' \
		member 65532 perfctl doctor --engine perf
	says "a member: the whole machine" 0 '^  yes  the whole machine' \
		member $group perfctl doctor --engine perf
	says "... and who gives it" 0 '^ok +rights +those of .*pev-perfmon' \
		member $group perfctl doctor --engine perf
	says "... counts it" 0 '^ +[0-9,]+ +page-faults' \
		member $group perfctl stat --engine perf -a -e page-faults -- true
	says "... in groups" 0 '^ +[0-9,]+ +minor-faults' \
		member $group perfctl stat --engine perf -a -e '{page-faults,minor-faults}' -- true
	says "... records it" 0 "$nothing_lost" member $group perfctl record --engine perf -a -g -o perfmon -- \
		./usage 20000 0
	says "... with names of the kernel's functions" 0 '\[k\] [a-z_]+' \
		member $group perfctl report -g none -i perfmon
	says "... into files of its own" 0 '^65534 65534$' stat -c '%u %g' user/perfmon/metadata
	says "what is measured has no capability" 0 '^CapPrm:.0000000000000000$' \
		member $group perfctl stat --engine perf -a -e page-faults -- grep CapPrm /proc/self/status
	ok "... and no connection to it" member $group bash -c \
		'perfctl stat --engine perf -a -e page-faults -o counts -- ls -l /proc/self/fd >fds
		grep -q " 1 ->" fds && ! grep socket fds'
	# shellcheck disable=SC2016
	says "... and its environment as it was" 0 '^/somewhere$' env LD_LIBRARY_PATH=/somewhere \
		setpriv --reuid 65534 --regid 65534 --groups $group \
		perfctl stat --engine perf -a -e page-faults -o /dev/null -- sh -c 'echo $LD_LIBRARY_PATH'
	# by root, so that the helper's descriptors can be counted
	"$work/ask" "$PEV_PERFMON" >ask.tap
	while read -r line; do
		result "$(case $line in ok*) echo 0 ;; *) echo 1 ;; esac)" "${line#*- }" "$(grep '^#' ask.tap)"
	done < <(grep -E '^(not )?ok' ask.tap)
	ok "pev-perfmon: was asked all" grep -q 'ends with the connection' ask.tap
	# it ends when perfctl does; its parent may be slow to notice
	ok "pev-perfmon: none is left" timeout 20 bash -c \
		"while pgrep -r R,S,D -u 65534 -x pev-perfmon; do sleep 0.1; done"
	unset PEV_PERFMON
}

refused=77
if [ -z "$root" ]; then
	skip "pev-perfmon" "only root can give it its capability"
elif [ "$level" -gt 2 ] && [ -z "${PEV_VM:-}" ]; then
	skip "pev-perfmon" "kernel.perf_event_paranoid is $level: CAP_PERFMON is not enough"
elif [ "$level" -lt 1 ]; then
	skip "pev-perfmon" "kernel.perf_event_paranoid is $level: nobody needs it"
elif ! command -v setcap >/dev/null; then
	skip "pev-perfmon" "there is no setcap (libcap2-bin)"
else
	cp "${BUILD:-$top/build}/$machine/tools/pev-perfmon" user/
	build ask "$here/lib"
	# at 3, Debian's kernels ask for more than CAP_PERFMON
	[ -z "${PEV_VM:-}" ] || echo 2 >$level_file
	perfmon_tests
	[ -z "${PEV_VM:-}" ] || echo "$level" >$level_file
fi
