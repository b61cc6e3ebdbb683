#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# Marks of programs, from PEV_USER_MARK() in C, pev.mark() in Python and perfctl mark to
# recordings, in order with the kernel's events, whatever becomes of the program.
# lib is set by what is sourced
# shellcheck disable=SC2154
. "$(dirname "$0")/lib/cli.bash"
build shop
build plugin.so
python=/usr/bin/python3
export PYTHONPATH=$lib/../../../tools/python PYTHONDONTWRITEBYTECODE=1
export LIBPEV=$PEV_TOOLS/libpev/libpev.so.1
call=syscalls:sys_enter_sched_get_priority_max

# ---- a program: what it says, between what the kernel says ----

ok "a program is recorded" perfctl record -q -e 'user:shop:*' -e $call -o orders -- ./shop orders 2000
perfctl script -F event,fields -i orders | grep -v '^ *pev:' >orders.txt
ok "a mark, the system call, a mark: each in this order" awk '
	{ sub(":$", "", $1); n = NR - 1; order = int(n / 3); wrong = 0 }
	n % 3 == 0 && ($1 != "user:shop:begin" || $2 != "n=" order) { wrong = 1 }
	n % 3 == 1 && $1 != "syscalls:sys_enter_sched_get_priority_max" { wrong = 1 }
	n % 3 == 2 && ($1 != "user:shop:checkout" || $2 != "n=" order) { wrong = 1 }
	wrong { print "record " n ": " $0; exit 1 }
	END { if (!wrong && NR != 6000) { print NR " records"; exit 1 } }' orders.txt
says "fields by their types and names" 0 '^ *user:shop:checkout:? n=5 city="Oslo" price="1.25"$' cat orders.txt
ok "babeltrace2 reads as many" bash -c '[ "$(babeltrace2 orders | grep -c "user:shop:")" = 4000 ]'

# ---- one that is there before the recording, and is listed ----

mkfifo lines
./shop wait 1000 <lines &
waits=$!
exec 3>lines
listed() { perfctl list user: | grep -q 'user:shop:checkout'; }
ok "perfctl list finds the marks of a running program" until_ok listed
perfctl record -q -e 'user:shop:checkout' -p $waits -o present -- bash -c '
	for i in {1..50}; do echo order; done >&3; echo >&3'
exec 3>&-
wait $waits
ok "record -p: those of a program that was there" [ "$(records present user:shop:checkout)" = 50 ]
ok "... and no other" [ "$(records present user:shop:begin)" = 0 ]

# ---- the last words of one that is killed ----

perfctl record -q -e 'user:shop:*' -o killed -- ./shop killed 1000
ok "killed: all that it said before is there" [ "$(records killed user:shop:last)" = 1000 ]

# ---- libraries that come and go ----

for i in {1..40}; do cp plugin.so plugin$i.so; done
ok "40 libraries with marks, loaded and unloaded in 5 rounds" \
	perfctl record -q -e 'user:*' -o plugins -- ./shop plugins 5 ./plugin?*.so
ok "... each mark of each round and thread is there" bash -c "
	perfctl script -F event,fields -i plugins | awk '
		\$1 == \"user:plugin:work:\" { n[\$2, \$3]++ }
		END {
			for (key in n)
				keys += n[key] == 40
			if (keys != 10)
				for (key in n)
					print key, n[key]
			exit keys != 10
		}'"
ok "... between those of the program" bash -c "
	perfctl script -F event,fields -i plugins | awk '
		\$1 == \"user:shop:loaded:\" { inside = 1; rounds++; round = \$2; sub(\".*=\", \"\", round) }
		\$1 == \"user:shop:unloaded:\" { inside = 0 }
		\$1 == \"user:plugin:work:\" && (!inside || \$2 !~ \"=\" round \"\$\") { print; wrong++ }
		END { exit wrong || rounds != 5 }'"
perfctl record -q -e "user:plugin:*" -o exits -- bash -c './shop exits 1000 ./plugin.so; echo $? >exits.txt'
ok "a thread of a library writes marks while the program ends" grep -qx 0 exits.txt

# ---- other languages, and a name that two programs have ----

cat >both.sh <<END
set -e
./shop orders 3
$python -c '
import pev
for i in range(5):
    pev.mark("shop:checkout", item=f"book {i}", copies=i, rebate=i / 8)'
perfctl mark shop:checkout "by hand"
perfctl mark shop:begin
END
ok "Python and the shell write the same mark, with other fields" \
	perfctl record -q -e 'user:shop:checkout' -o both -- bash both.sh
perfctl script -e 'user:*' -F event,fields -i both >both.txt
ok "... each record has the fields of its program" bash -c '
	[ "$(wc -l <both.txt)" = 9 ] && [ "$(grep -c "n=.*price" both.txt)" = 3 ] &&
	[ "$(grep -c "item=\"book [0-4]\".*copies=[0-4]\|copies=[0-4].*item=\"book [0-4]\"" both.txt)" = 5 ] &&
	[ "$(grep -c "text=\"by hand\"" both.txt)" = 1 ]'
ok "... for babeltrace2, too" bash -c '
	babeltrace2 both >both.bt && [ "$(grep -c "shop:checkout" both.bt)" = 9 ] && grep -q "by hand" both.bt'
ok "... and for Python" $python -c '
import pev
with pev.Trace("both") as t:
    events = list(t.events("user:shop:checkout"))
    assert len(events) == 9, events
    assert [e["copies"] for e in events if e.get("copies") is not None] == [0, 1, 2, 3, 4]
    assert [e["item"] for e in events if e.get("item")] == [f"book {i}" for i in range(5)]'

# ---- refusals ----

says "a name that is none" 2 'PROVIDER:EVENT' perfctl mark nonsense
says "no name" 2 'which mark' perfctl mark
says "--fold has no marks" 2 'go to the disk' perfctl record --fold -e 'user:shop:*' -o no -- true
says "nor has --overwrite" 2 'go to the disk' perfctl record --overwrite -e 'user:shop:*' -o no -- true
says "Python: a field that can't be written" 1 'is a list: an int' $python -c '
import pev
pev.mark("shop:cart", items=[1, 2])'
finish
