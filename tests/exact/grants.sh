#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perfctl guest grant, on a kernel whose KVM lends counters. GUEST is tests/module/guest.c, compiled: it
# never asks for one. What guests do with them is tests/selftests/grant_test.c's.
# shellcheck source=tests/cli/lib/cli.bash
. "$(dirname "$0")/../cli/lib/cli.bash"

mkfifo tell
# open for reading, too, so that nothing waits for a writer
exec 9<> tell
exec {said}< <(exec "$GUEST" < tell)
guest=$!
read -r -u "$said" word

grant() { perfctl guest grant "$@"; }

ok "a guest runs" [ "$word" = runs ]
says "guest grant: what became of it" 0 "^ +$guest +[^ ]+ +0 +0 +0 +0 +0 +0$" grant "$guest" --timeout 100ms
says "... of a guest that asks for nothing" 0 "guest of process $guest never asked" grant all -- true
says "... how many" 0 '2 counters lent to each virtual processor, for ' grant "$guest" --counters 2 -- true
says "... -j" 0 "\"counters\": 4, .*\"pid\": $guest, .*\"ended\": false, \"vcpus\": 0, \"calls\": 0" \
	grant "$guest" -j -- true
says "... pmu shows it meanwhile" 0 "^ +$guest +counters 4 vcpus 0 calls 0 " grant "$guest" -- perfctl pmu
says "... and -j" 0 "\"grants\": ..\"pid\": $guest, \"counters\": 3, \"vcpus\": 0" \
	grant "$guest" --counters 3 -- perfctl pmu -j
says "... the command's status" 3 'counters lent' grant "$guest" -- sh -c 'exit 3'
says "... not twice, and what to do" 1 'lent counters already; "perfctl pmu" shows' \
	grant "$guest" -- perfctl guest grant "$guest"
says "... more than there are" 2 'allowed: 1 to 6' grant "$guest" --counters 8
says "... of a process without a guest" 2 'runs no virtual machine of KVM' grant $$
says "... by users" 77 'CAP_PERFMON.*run it as root' \
	setpriv --reuid 65534 --regid 65534 --clear-groups perfctl guest grant "$guest"
says "... it ends with the guest" 0 "^ +$guest +[^ ]+ +ended +0 " bash -c '
	perfctl guest grant "$0" & grant=$!
	until perfctl pmu | grep -q "^ *$0 *counters"; do sleep 0.05; done
	kill "$0"; wait $grant' "$guest"
ok "... nothing is lent any more" bash -c '! perfctl pmu | grep "Lent to guests"'
kill "$guest" 2> /dev/null
says "... where none runs" 1 'no process that runs a guest of KVM' grant all
finish
