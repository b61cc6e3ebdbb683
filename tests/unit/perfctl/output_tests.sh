#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Files that commands write: whole or not at all, and what was there stays; run by "run".
. "$(dirname "$0")/../../lib/tap.bash"
p=$OUT/tools/perfctl
rm -rf "$OUT/output"
mkdir -p "$OUT/output"
cd "$OUT/output" || exit 1
t=$OUT/traces

# What each command writes; $1: where to
declare -A writes=(
	[json]="report -j F $t/chains" [csv]="report --csv F $t/chains"
	[html]="report --html F $t/chains" [svg]="flame -o F $t/chains"
	[folded]="flame --folded -o F $t/chains"
	[jsonl]="export jsonl -o F $t/chains" [perf.data]="export perf.data -o F $t/chains"
	[firefox]="export firefox -o F $t/chains"
)
write() { # KIND FILE
	# shellcheck disable=SC2086
	"$p" ${writes[$1]/F/$2}
}
no_rest() { [ -z "$(find . -name '.perfctl-*')" ]; }
for kind in "${!writes[@]}"; do
	ok "$kind: is written" write "$kind" "good.$kind"
	cp "good.$kind" "before.$kind"
	says "$kind: a file that grows too large" 74 'File too large(; the older file stays)?$' \
		bash -c "ulimit -f 0; exec '$p' ${writes[$kind]/F/good.$kind}"
	ok "$kind: ... leaves what was there" cmp "good.$kind" "before.$kind"
done
ok "no temporary file stays" no_rest
says "a new file that grows too large is removed" 74 'the incomplete file is removed' \
	bash -c "ulimit -f 0; exec '$p' ${writes[json]/F/new.json}"
ok "... and is not there" test ! -e new.json
echo old >slow.jsonl
"$p" export jsonl -o slow.jsonl "$t/long" 2>/dev/null &
pid=$!
while no_rest && kill -0 $pid 2>/dev/null; do :; done
kill -TERM $pid
wait $pid
within "a signal while it is written" $? 143 143
ok "... leaves what was there" grep -qx old slow.jsonl
ok "... and no temporary file" no_rest

# who reads is slow, so that writing takes long
on_terminal() { script -qec "$1" /dev/null </dev/null; }
says "script: progress is shown" 0 'reading \[#* *\] +[0-9]+ %' \
	on_terminal "'$p' script $t/long | { sleep 1; cat >script.txt; }"
says "export: progress is shown" 0 'exporting \[#* *\] +[0-9]+ %' \
	on_terminal "'$p' export jsonl -o - $t/long | { sleep 1; cat >export.txt; }"
says "no progress without a terminal" 0 '^0$' \
	bash -c "{ '$p' script $t/long | { sleep 1; cat >script.txt; }; } 2>&1 | grep -c 'reading'; :"

# Ctrl-C is the pager's: it may end a search there, and what it has read stays
cat >pager.sh <<'EOP'
trap 'echo >interrupted' INT
cat >shown
echo >ready
until [ -e go ]; do sleep 0.05; done
EOP
cat >terminal.py <<'EOP'
import os, pty, sys, time

def until(path, pid):
    while not os.path.exists(path):
        if os.waitpid(pid, os.WNOHANG)[0]:
            sys.exit(f"perfctl ended before {path}")
        time.sleep(0.05)

pid, terminal = pty.fork()
if not pid:
    os.execvp(sys.argv[1], sys.argv[1:])
until("ready", pid)
os.write(terminal, b"\x03")
until("interrupted", pid)
if os.waitpid(pid, os.WNOHANG)[0]:
    sys.exit("perfctl did not wait for the pager")
open("go", "w").close()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)
EOP
says "Ctrl-C in the pager does not end perfctl" 0 '' \
	env PAGER='sh pager.sh' timeout 60 python3 terminal.py "$p" report --stdio "$t/flat"
ok "... and nothing of what it showed is missing" \
	bash -c "'$p' report --stdio '$t/flat' | diff - <(sed 's/\x1b\[[0-9;]*m//g' shown)"

echo old >real.json
ln -s real.json link.json
write json link.json
ok "a link is followed, and stays" bash -c "[ -L link.json ] && ! grep -qx old real.json"
ln -s made.json dangling.json
write json dangling.json
ok "a link to nothing makes the file" test -L dangling.json -a -f made.json
ln -s loop loop
says "a link to itself" 74 'Too many levels' write json loop
echo old >rights.json
chmod 604 rights.json
write json rights.json
within "an older file's rights stay" "$(stat -c %a rights.json)" 604 604
(umask 027; write json masked.json)
(umask 022
	"$p" export perf.data -o private.perf.data "$t/long" && "$p" import -o private private.perf.data
	"$p" archive -o private.tar private) >/dev/null 2>&1
ok "a recording is its owner's alone, whatever the umask" test "$(find private -perm /077 | wc -l) $(stat -c %a private)" = "0 700"
ok "... and so is an archive of it" test "$(stat -c %a private.tar)" = 600
if [ "$(id -u)" = 0 ]; then
	chown 4242 private.perf.data
	ok "import: a file that others may write, by a copy" "$p" import -o copied private.perf.data
	ok "... with all that it has" bash -c "cmp <('$p' script private) <('$p' script copied)"
fi
within "a new file's rights are those of the umask" "$(stat -c %a masked.json)" 640 640
says "a directory that is not there" 74 'nowhere/x.json: No such file' write json nowhere/x.json
says "a directory is no file" 74 '' write json .

mkfifo fifo
timeout 60 "$p" export jsonl -o fifo "$t/long" 2>fifo.err &
head -n 1 fifo >first
wait $!
within "a FIFO: the end of its reader ends the export" $? 74 74
ok "a FIFO: has been read" grep -q '^{' first
ok "a FIFO: is still one" test -p fifo
says "a process substitution" 0 '^1000$' \
	bash -c "'$p' export csv -o >(tail -n +2 | wc -l) '$t/flat' 2>/dev/null; wait \$!"
echo first >both
write json /dev/stdout >>both
ok "/dev/stdout: the position is that of the standard output" bash -c \
	'head -n 1 both | grep -qx first && tail -n +2 both | python3 -m json.tool >/dev/null'
ok "/dev/fd/5: the same" bash -c \
	"exec 5>fifth; '$p' ${writes[json]/F//dev/fd/5} && echo behind >&5; tail -n 1 fifth | grep -qx behind"
ok "/dev/null" write json /dev/null
ok "/dev/null is still there" test -c /dev/null

{ printf PERFILE2; head -c 5000 /dev/zero; } >perf.data
cp perf.data original
says "export does not replace what perf recorded" 1 'perf.data is a recording that perf made' \
	"$p" export perf.data "$t/flat"
says "nor does report" 1 'is a recording that perf made' write json perf.data
ok "... it is still there" cmp perf.data original
ok "export --force replaces it" "$p" export perf.data --force "$t/flat"
ok "what export wrote is replaced" "$p" export perf.data "$t/flat"
if [ "$(id -u)" = 0 ]; then
	mkdir -m 1777 shared
	echo old >mine
	chmod 755 .
	setpriv --reuid 65534 --clear-groups ln -s "$PWD/mine" shared/link 2>/dev/null ||
		{ ln -s "$PWD/mine" shared/link && chown -h 65534 shared/link; }
	says "another user's link in a shared directory" 77 'is not followed' write json shared/link
	ok "... and what it leads to stays" grep -qx old mine
	echo old >theirs
	chown 65534:65534 theirs
	write json theirs
	within "an older file's owner stays" "$(stat -c %u theirs)" 65534 65534
else
	skip "files of other users" "this needs root"
fi
finish
