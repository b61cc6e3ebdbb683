# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# Signals: what was ignored stays ignored, what ends a measurement leaves no half of one.
rec="perfctl record --engine perf -q -e page-faults:u -c 1"

mkdir signalled && cd signalled || exit 1
bash -c "trap '' HUP INT; exec $rec -o nohup.trace -- \
	sh -c 'echo >started; until [ -e go ]; do sleep 0.05; done; echo >done'" &
pid=$!
until [ -e started ] || ! kill -0 $pid; do sleep 0.05; done
kill -HUP $pid
kill -INT $pid
touch go
wait $pid
within "record: ignored SIGHUP and SIGINT end nothing" $? 0 0
ok "record: ... the command came to its end" test -e "done"

cat >pending.py <<'EOP'
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
os.kill(os.getpid(), signal.SIGINT)
os.execvp(sys.argv[1], sys.argv[1:])
EOP
says "record: Ctrl-C while it sets up" 1 'interrupted before anything was measured' \
	python3 pending.py $rec -o early.trace -- touch ran
ok "record: ... leaves no half a recording, and the command has not run" \
	test ! -e early.trace -a ! -e ran
says "stat: Ctrl-C while it sets up" 1 'interrupted before anything was measured' \
	python3 pending.py perfctl stat --engine perf -e page-faults -- touch ran

cat >thread.py <<'EOP'
import os, sys, threading, time
def work():
    with open("tid.new", "w") as f:
        f.write(str(threading.get_native_id()))
    os.rename("tid.new", "tid")
    while not os.path.exists("end"):
        time.sleep(0.05)
t = threading.Thread(target=work)
t.start()
t.join()
while not os.path.exists("over"):
    time.sleep(0.05)
EOP
python3 thread.py &
pid=$!
until [ -e tid ] || ! kill -0 $pid; do sleep 0.05; done
timeout 30 $rec -t "$(cat tid)" -o thread.trace &
recorder=$!
until [ -e thread.trace/metadata ] || ! kill -0 $recorder; do sleep 0.05; done
touch end
wait $recorder
within "record -t: ends with the thread" $? 0 0
ok "record -t: ... the process goes on" kill -0 $pid
touch over
wait $pid

# the root ends first, and its child runs on
cat >root.py <<'EOP'
import os, time
def wait_for(name):
    while not os.path.exists(name):
        time.sleep(0.05)
open("up", "w").close()
wait_for("fork")
if not os.fork():
    wait_for("child_end")
EOP
python3 root.py &
root_pid=$!
until [ -e up ] || ! kill -0 $root_pid; do sleep 0.05; done
timeout 30 $rec --subtree $root_pid -o subtree.trace &
recorder=$!
until [ -e subtree.trace/metadata ] || ! kill -0 $recorder; do sleep 0.05; done
touch fork
wait $root_pid
sleep 1
ok "record --subtree: goes on while a descendant runs" kill -0 $recorder
touch child_end
wait $recorder
within "record --subtree: ... and ends with the last one" $? 0 0

if command -v tmux >/dev/null; then
	mkdir -p tmp
	tmux -S "$PWD/tmux" -f /dev/null new-session -d -x 100 -y 20 \
		"TMPDIR=$PWD/tmp perfctl top --engine perf -e cpu-clock; echo \$? >top.status; exec cat"
	for _ in {1..1200}; do
		[ ! -e top.status ] || break
		! tmux -S "$PWD/tmux" capture-pane -p 2>/dev/null | grep -q '%' || break
		sleep 0.05
	done
	ok "top: keeps its files in TMPDIR" bash -c '[ -n "$(ls -A tmp)" ]'
	tmux -S "$PWD/tmux" send-keys C-c
	for _ in {1..200}; do [ -e top.status ] || sleep 0.05; done
	within "top: Ctrl-C in the terminal interface" "$(cat top.status)" 0 0
	ok "top: ... leaves no temporary files" bash -c '[ -z "$(ls -A tmp)" ]'
	tmux -S "$PWD/tmux" kill-server
else
	skip "top: Ctrl-C in the terminal interface" "tmux is not installed"
fi
mkdir -p tmp2
TMPDIR=$PWD/tmp2 perfctl top --engine perf -e cpu-clock --stdio >top.txt 2>&1 &
pid=$!
until [ -s top.txt ] || ! kill -0 $pid; do sleep 0.05; done
kill -TERM $pid
wait $pid
ok "top --stdio: SIGTERM leaves no temporary files" bash -c '[ -z "$(ls -A tmp2)" ]'
cd .. || exit 1
