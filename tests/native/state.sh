# SPDX-License-Identifier: GPL-2.0
# engines: pev perf
# shellcheck shell=bash disable=SC2154,SC2086,SC2016
# What the machine has, in recordings: it agrees with what /proc, /sys and other tools say, and
# names numbers. The recording is read as if the machine were another one: nothing is asked of it.
export engine=${engine:-perf}

# state DIR KIND EXPRESSION: in Python, of the rows and the sums of a kind
state() {
	perfctl info -j --state "$1" | python3 -c "
import json, sys
kind = json.load(sys.stdin)['state']['$2']
rows = kind['rows']
print($3)"
}
rec="perfctl record --engine $engine -q -e page-faults:u -c 1"
exec 7</etc/passwd
$rec -o state.trace -- true
exec 7<&-
ok "state: it is complete" bash -c "perfctl info -j state.trace | python3 -c '
import json, sys
sys.exit(not all(k[\"complete\"] for k in json.load(sys.stdin)[\"state\"].values()))'"
ok "... CPUs are those of lscpu" diff \
	<(lscpu -p=CPU,SOCKET,NODE | grep -v '^#' | sed 's/,$/,-/') \
	<(state state.trace cpu '"\n".join(
		"%d,%d,%s" % (r["cpu"], r["package"] or 0, "-" if r["node"] is None else r["node"])
		for r in rows if r["online"])')
ok "... and so is their number of cores" test \
	"$(lscpu -p=SOCKET,CORE | grep -v '^#' | sort -u | wc -l)" = \
	"$(state state.trace cpu 'len({(r["package"], r["core"], r["cpu"] if r["core"] is None else 0)
		for r in rows if r["online"]})')"
if [ -d /sys/kernel/irq ]; then
	ok "... interrupts are those of /proc/interrupts" bash -c '
		n=0
		while IFS="	" read -r irq actions; do
			n=$((n + 1))
			line=$(grep -E "^ *$irq:" /proc/interrupts) || { echo "$irq is not there"; exit 1; }
			[[ $line = *"${actions//,/, }"* ]] || { echo "$actions: $line"; exit 1; }
		done
		echo "$n"; [ $n -gt 0 ]' < <(state state.trace irq \
		'"\n".join("%d\t%s" % (r["irq"], r["actions"]) for r in rows)')
else
	skip "... interrupts are those of /proc/interrupts" "the kernel has no /sys/kernel/irq"
fi
ok "... network interfaces are the kernel's" diff \
	<(for i in /sys/class/net/*/ifindex; do echo "$(cat $i) $(basename "${i%/*}")"; done | sort) \
	<(state state.trace netif '"\n".join("%d %s" % (r["ifindex"], r["name"]) for r in rows)' | sort)
if command -v ip >/dev/null; then
	ok "... as ip link says" diff \
		<(ip -o link | sed 's/^\([0-9]*\): \([^:@]*\).*/\1 \2/' | sort) \
		<(state state.trace netif '"\n".join("%d %s" % (r["ifindex"], r["name"]) for r in rows)' | sort)
else
	skip "... as ip link says" "ip is not installed"
fi
ok "... mounts are those of findmnt" diff \
	<(findmnt -rn -o ID,MAJ:MIN,FSTYPE | sort) \
	<(state state.trace mount \
		'"\n".join("%d %d:%d %s" % (r["id"], r["major"], r["minor"], r["type"]) for r in rows)' | sort)
ok "... block devices are those of /proc/partitions" diff \
	<(awk 'NF == 4 && $1 != "major" { print $1, $2, $4 }' /proc/partitions) \
	<(state state.trace block '"\n".join("%d %d %s" % (r["major"], r["minor"], r["name"]) for r in rows)' |
		sed '/^$/d')
ok "... modules are those of /proc/modules" diff \
	<(cut -d ' ' -f 1,2 /proc/modules 2>/dev/null) \
	<(state state.trace module '"\n".join("%s %d" % (r["name"], r["size"]) for r in rows)' | sed '/^$/d')
cgroups=
[ "$(stat -fc %T /sys/fs/cgroup 2>/dev/null)" != cgroup2fs ] || cgroups=/sys/fs/cgroup
[ "$(stat -fc %T /sys/fs/cgroup/unified 2>/dev/null)" != cgroup2fs ] || cgroups=/sys/fs/cgroup/unified
if [ -n "$cgroups" ]; then
	ok "... cgroups have their directories' numbers" diff \
		<(stat -c %i $cgroups) <(state state.trace cgroup '[r["id"] for r in rows if r["path"] == "/"][0]')
else
	skip "... cgroups have their directories' numbers" "there are no cgroups of version 2"
fi
within "... what the command was given is open" \
	"$(state state.trace fd 'sum(r["fd"] == 7 and r["path"] == "/etc/passwd" for r in rows)')" 1 1
within "... what it closes when it begins is not" \
	"$(state state.trace fd 'sum(r["path"].startswith(("anon_inode:[perf", "anon_inode:[pev")) for r in rows)')" 0 0

# what else can be done with it
says "info: the topology in a line" 0 '^  topology   .*[0-9] threads?' perfctl info state.trace
says "info --state: whole tables" 0 '^ +[0-9]+ +[0-9]+ .* /proc  proc  ' perfctl info --state state.trace
ok "script: leaves the records to info" bash -c '! perfctl script state.trace | grep -q state:'
within "script -e: unless it is asked for them" "$(perfctl script -e 'state:mount' state.trace | wc -l)" \
	"$(state state.trace mount 'len(rows)')" "$(state state.trace mount 'len(rows)')"
if command -v babeltrace2 >/dev/null; then
	within "babeltrace2 shows them, too" "$(babeltrace2 state.trace | grep -c ' state:mount: ')" \
		"$(state state.trace mount 'len(rows)')" "$(state state.trace mount 'len(rows)')"
else
	skip "babeltrace2 shows them, too" "babeltrace2 is not installed"
fi
# by PLACE, CPU list: PLACE and samples of each, as the CPUs' sums say, and as the recording does
by_place() {
	perfctl report --sort cpu,$1 -j - "$2" | python3 -c "
import json, sys, collections
n = collections.Counter()
for e in json.load(sys.stdin)['events']:
	for r in e['rows']:
		n[$3] += r['samples']
print(sorted(n.items()))"
}
$rec -a -o places.trace -- true
for place in node socket core; do
	column=$(case $place in node) echo NODE ;; socket) echo SOCKET ;; core) echo SOCKET,CORE ;; esac)
	map=$(lscpu -p=CPU,$column | sed '/^#/d; s/,/: "/; s/,/:/; s/$/",/' | tr -d '\n')
	if perfctl report --sort $place places.trace > /dev/null 2>&1; then
		ok "report --sort $place: as lscpu has them" diff <(by_place $place places.trace "r['$place']") \
			<(by_place $place places.trace "{$map}[int(r['cpu'])]")
	else
		says "report --sort $place: the machine does not say it" 1 "does not say in which $place" \
			perfctl report --sort $place places.trace
	fi
done
ok "report: they are no events" bash -c '! perfctl report state.trace | grep -q state:'
$rec --no-state -o without.trace -- true
says "record --no-state: none" 1 'does not say what its machine had: "perfctl record" writes that' \
	perfctl info --state without.trace
says "... so nothing can be sorted by it" 1 'does not say in which socket its CPUs are' \
	perfctl report --sort socket without.trace
ok "... and no metadata of them" bash -c '! grep -q state: without.trace/metadata'
ok "... and all else" perfctl report -i without.trace
perfctl cut --time 0.001, -o late.cut state.trace 2>/dev/null
ok "cut: keeps all of it" diff <(perfctl info --state state.trace) <(perfctl info --state late.cut)
$rec -o - -- true | perfctl script -i - -e 'state:cpu' >piped.txt
cpus=$(state state.trace cpu 'len(rows)')
within "record -o -: it comes through a pipe" "$(grep -c state:cpu piped.txt)" "$cpus" "$cpus"
$rec -z -o packed.trace -- true
ok "record -z: compressed" test "$(state packed.trace mount 'len(rows)')" = \
	"$(state state.trace mount 'len(rows)')"
perfctl record --engine $engine -q --overwrite -e page-faults:u -o flight.trace -- true
within "record --overwrite: mounts, but no descriptors" "$(state flight.trace mount 'len(rows)')" \
	"$(state state.trace mount 'len(rows)')" "$(state state.trace mount 'len(rows)')"
within "... which were others" "$(state flight.trace fd 'len(rows)')" 0 0

# what runs already; what may not be read is counted
sleep 1000 </etc/hostname &
sleeper=$!
$rec -o attached.trace -p $sleeper --timeout 50ms
ok "record -p: what it has open" test \
	"$(state attached.trace fd '[r["path"] for r in rows if r["fd"] == 0][0]')" = /etc/hostname
kill $sleeper
# the disk's end is the recording's: it keeps what it has of the state
cp -r state.trace short.trace
rm -rf short.trace/index
size=$(stat -c %s short.trace/stream_machine)
truncate -s $((size / 2)) short.trace/stream_machine
ok "a recording that was cut there can be read" perfctl info short.trace
python3 - state.trace short.trace <<'END'
import shutil, sys
data = bytearray(open(sys.argv[1] + "/stream_machine", "rb").read())
at = data.find(b"/proc")
data[at - 40:at - 8] = b"\xff" * 32
open(sys.argv[2] + "/stream_machine", "wb").write(data)
END
says "... and one that is damaged: it says so" 0 'cut off or damaged|damaged' perfctl info short.trace

# many descriptors: a bound, and time that is
cat >many.py <<'END'
import os, resource, sys
want = int(sys.argv[1])
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (min(want + 100, hard), hard))
for i in range(min(want, hard - 100)):
    os.dup(0)
print(min(want, hard - 100), flush=True)
sys.stdin.read()
END
mkfifo hold
python3 many.py 20000 <hold >many.txt &
many=$!
exec 8>hold
until_ok test -s many.txt
made=$(cat many.txt)
$rec -o many.trace -p $many --timeout 50ms
within "many descriptors: a recording takes 16384" "$(state many.trace fd 'len(rows)')" \
	$((made < 16384 ? made : 16384)) 16384
within "... and counts the others" "$(state many.trace fd 'len(rows) + kind["left_out"]')" "$made" $((made + 20))
exec 8>&-
wait $many
if [ "$engine" = perf ]; then
	if [ -n "$root" ] && [ -n "$users" ]; then
		users_may nobody perfctl record --engine perf -q -e page-faults:u -o state.trace -- true
		within "a user without rights: modules have no addresses" \
			"$(state user/state.trace module 'sum(r["address"] != 0 for r in rows)')" 0 0
		ok "... the rest is there" test "$(state user/state.trace netif 'len(rows)')" = \
			"$(state state.trace netif 'len(rows)')"
	else
		skip "a user without rights: modules have no addresses" "this needs root, and users who may measure"
		skip "... the rest is there" "this needs root, and users who may measure"
	fi
fi

# numbers of records have names
if [ -n "$tracepoints" ] && [ -n "$root" ]; then
	perfctl record --engine $engine -q -o calls.trace -e 'syscalls:sys_enter_read' \
		-e 'syscalls:sys_*_close' -e 'syscalls:sys_*_dup2' -- \
		bash -c 'read -r -n 1 x <&5; exec 5<&-; exec 5</dev/null; read -r -n 1 x <&5' 5</etc/passwd
	perfctl script -i calls.trace >calls.txt
	ok "script: a descriptor has the name of its file" grep -q 'sys_enter_read: .*fd=[05](/etc/passwd)' calls.txt
	within "... until it is closed" "$(sed -n '/sys_enter_close: .*fd=5(\/etc\/passwd)/,$p' calls.txt |
		tail -n +2 | grep -c 'fd=5(/etc/passwd)')" 0 0
	perfctl record --engine $engine -q -a -o block.trace -e 'block:block_rq_issue' -e 'irq:irq_handler_exit' \
		-- dd if=/dev/zero of=written bs=4k count=4 conv=fsync 2>/dev/null
	perfctl script -i block.trace >block.txt
	if grep -q block_rq_issue block.txt; then
		disk=$(awk 'NF == 4 && $1 != "major" { print $4 }' /proc/partitions | paste -sd '|')
		ok "script: a device has its name" grep -qE "block_rq_issue: dev=[0-9]+\(($disk)[ )]" block.txt
	else
		skip "script: a device has its name" "nothing was written to a disk"
	fi
	if grep -q irq_handler_exit block.txt && [ -d /sys/kernel/irq ]; then
		irq=$(sed -n 's/.*irq_handler_exit: irq=\([0-9]*\).*/\1/p' block.txt | head -n 1)
		ok "script: an interrupt has that of who handles it" grep -qF \
			"irq=$irq($(cat /sys/kernel/irq/$irq/actions))" block.txt
	else
		skip "script: an interrupt has that of who handles it" "no interrupt came"
	fi
else
	skip "script: a descriptor has the name of its file" "this needs root, and tracepoints"
	skip "... until it is closed" "this needs root, and tracepoints"
	skip "script: a device has its name" "this needs root, and tracepoints"
	skip "script: an interrupt has that of who handles it" "this needs root, and tracepoints"
fi
