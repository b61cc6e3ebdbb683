# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# perfctl trace: signals.
if [ -n "$tracepoints" ]; then
	trace="perfctl trace --engine perf --no-strings"
	build signals
	$trace -o signals.txt -- ./signals
	within "trace: a signal ends the program" $? 139 139
	says "trace: a signal, why it came and what handles it" 0 \
		'^ +[0-9.]+ signals/[0-9]+ --- SIGUSR1 \{code: SI_USER, handler: 0x[0-9a-f]+\} ---$' \
		cat signals.txt
	says "trace: ... codes of its own" 0 ' --- SIGCHLD \{code: CLD_KILLED, handler: 0x' cat signals.txt
	says "trace: ... that nothing handles" 0 ' --- SIGSEGV \{code: SEGV_MAPERR, handler: SIG_DFL\}' \
		cat signals.txt
	within "trace: what ended by another signal is killed" \
		"$(grep -c '+++ killed by a fatal signal' signals.txt)" 1 1
	ok "trace: ... but not by SIGKILL" bash -c '! grep -q SIGKILL signals.txt'
	within "trace: a handler's return is a call with an end" \
		"$(grep -c 'rt_sigreturn() = [0-9]' signals.txt)" 2 2
	ok "trace: ... of which the number is not lost" bash -c '! grep -q syscall_-1 signals.txt'
	$trace --no-names -e getppid -o signals.txt -- ./signals
	says "trace --no-names: as strace has it, whatever -e" 0 '--- SIGUSR1 \{si_code=SI_USER\} ---' \
		cat signals.txt
	$trace --no-signals -o signals.txt -- ./signals
	ok "trace --no-signals" bash -c '! grep -qE "\+\+\+|---" signals.txt'
	$trace -j -o signals.json -- ./signals
	ok "trace -j: signals are objects" python3 -c '
import json
events = [json.loads(line) for line in open("signals.json")]
usr = [e for e in events if e.get("signal") == "SIGUSR1"]
assert len(usr) == 1 and usr[0]["code"] == "SI_USER" and usr[0]["handler"].startswith("0x"), usr
assert sum("killed" in e for e in events) == 1, events'
else
	skip "trace: signals" "tracefs cannot be read here"
fi
