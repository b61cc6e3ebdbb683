# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# perfctl store, perfctl push, and --from: what a recording has is what the store has.

# samples_of DIR: by report, which reads the recording itself
samples_of() {
	perfctl report -i "$1" -n -g none --percent-limit 0 --sort comm --csv - 2> /dev/null |
		awk -F, 'NR > 1 { n += $4 } END { print n }'
}

cat > burn.py <<-'EOF'
import hashlib, os, time
def work(n):
    return sum(i * i for i in range(n))
for i in range(30):
    work(40000)
    hashlib.sha256(os.urandom(200000)).digest()
    for _ in range(20000):
        time.monotonic()
EOF
perfctl record -q -e cpu-clock -c 300000 -g -o one -- python3 burn.py 2> /dev/null
perfctl record -q -e cpu-clock,page-faults -c 1000000 -g -o two -- sh -c 'python3 burn.py; ls -R /usr/share > /dev/null' 2> /dev/null
ok "there are recordings" test -d one -a -d two

url=$(make_db first)
says "a store without tables is refused" 1 "store init" perfctl store check "$url"
says "nothing is pushed to it" 74 "pev_names" perfctl push "$url" one
ok "store init makes tables" perfctl store init "$url"
ok "again, it leaves them" perfctl store init "$url"
says "store check counts rows" 0 "^pev_rows +0 rows" perfctl store check "$url"

ok "push" perfctl push "$url" one --service web --version 1.2
# rows FILE: all shares, as report prints them
table() { perfctl report "$@" -n -g none --percent-limit 0 --csv - 2> /dev/null | sort; }
table -i one > one.csv
table --from "$url" > one.from
ok "report --from has the same rows as the recording" diff one.csv one.from
within "these are more than a few" "$(wc -l < one.csv)" 10 100000
chains() { perfctl flame "$@" --folded 2> /dev/null | sort; }
chains -i one > one.folded
chains --from "$url" > one.from
ok "flame --from has the same chains" diff one.folded one.from
perfctl export pprof --from "$url" -o one.pb.gz 2> /dev/null
says "export pprof --from is read by pprof" 0 "cpu-clock" go tool pprof -raw one.pb.gz
had=$(samples_in first)
says "a second push finds all there" 0 "0 samples, .* more were there" perfctl push "$url" one --service web
ok "and counts nothing twice" test "$(samples_in first)" = "$had"
rm -rf one.old; cp -r one copy
ok "a pushed recording can still be replaced" perfctl record -q -e cpu-clock -o copy -- true

# callers that are no functions: what broken frame pointers lead to in the vDSO
cat > astray.c <<-'EOF'
#include <sys/auxv.h>
static __attribute__((noinline)) void spin(void)
{
	for (volatile long i = 0; i < 100000000; i++)
		;
}
static __attribute__((noinline)) void call(void)
{
	volatile unsigned long *frame = __builtin_frame_address(0), back = frame[1];

	frame[1] = getauxval(AT_SYSINFO_EHDR) + 0x389;
	spin();
	frame[1] = back;
}
int main(void)
{
	call();
	return 0;
}
EOF
gcc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o astray astray.c
perfctl record -q -e cpu-clock -c 1000000 -g -o third -- ./astray
url=$(new_db astray)
perfctl push -q "$url" third
says "a place in the vDSO without a function has its offset" 0 ';\[vdso\]\+0x388;call;spin ' \
	perfctl flame -i third --folded
chains -i third > third.folded
chains --from "$url" > third.from
ok "... in the store as well" diff third.folded third.from

url=$store/first
perfctl push -q "$url" two --service db --host eu-7
says "columns for labels" 0 "eu-7 +db" perfctl report --from "$url" --sort host,service -g none
events() { perfctl report --from "$url" "$@" -n -g none --percent-limit 0 --sort comm --csv - 2> /dev/null | awk -F, 'NR > 1 { n += $4 } END { print n + 0 }'; }
# ten seconds that begin while they are asked for
next=$(($(date +%s) / 10 * 10 + 10))
all=$(url=$store/astray events)
sql "$http1" astray <<< "INSERT INTO pev_rows SELECT toDate($((next / 86400))), toUInt32($next), host, service,
	event, stack, samples, weight, batch FROM pev_rows"
while [ "$(date +%s)" -lt "$next" ]; do sleep 0.1; done
ok "what is of the second that runs is shown" test "$(url=$store/astray events)" = $((2 * all)) -a "$all" -gt 0
of_one=$(samples_of one) of_two=$(samples_of two)
ok "--where service = ..." test "$(events --where 'service = "web"')" = "$of_one"
ok "--where host ~ ..." test "$(events --where 'host ~ "eu-.*"')" = "$of_two"
ok "a pattern is for the whole name" test "$(events --where 'host ~ "eu"')" = 0
ok "--where with and, or, parentheses" test \
	"$(events --where '(service != "db" or host !~ "eu-[0-9]") and version = "1.2"')" = "$of_one"
ok "--where program" test "$(events --where 'program ~ "pyth.*"')" -gt 0
for bad in 'service' 'service = db' 'service = "db' 'hosts = "x"' 'service = "a" host = "b"' \
	'(service = "a"' 'service = "a")' "x'; DROP TABLE pev_rows; --"; do
	says "--where $bad is refused" 2 "^perfctl: --where: " perfctl report --from "$url" --where "$bad"
done
says "a pattern that makes no sense is the store's to refuse" 74 "refused" \
	perfctl report --from "$url" --where 'host ~ "("'
says "no samples at that time" 1 "no samples" perfctl report --from "$url" --since 3d --until 2d
says "--since is no time" 2 "neither a time ago" perfctl report --from "$url" --since yesterday
says "--where without --from" 2 "name it with --from" perfctl report -i one --where 'host = "x"'
says "--from beside a recording" 2 "leave one out" perfctl report --from "$url" one
says "diff compares two spans" 0 "points" perfctl diff --from "$url" --before 1h..0.001s --after 1h..0.001s
says "diff needs both" 2 "two spans" perfctl diff --from "$url" --before 2h..1h

# names that other machines chose
evil=$'x\'); DROP TABLE pev_rows; -- \\ " \e[31m <b>'
url=$(new_db evil)
ok "a hostile name is stored" perfctl push -q "$url" two --service "$evil" --host "$evil"
ok "it is one name, to the byte" test "$(sql "$http1" evil <<< 'SELECT hex(name) FROM pev_names WHERE kind = 2')" = \
	"$(printf %s "$evil" | od -An -v -tx1 | tr -d ' \n' | tr a-f A-F)"
ok "it can be asked for" test "$(events --where "service = '${evil//[\'\\]/?}' or service ~ 'x.*DROP TABLE.*'")" = "$of_two"
ok "no terminal gets to see its escapes" test \
	"$(perfctl report --from "$url" --sort service -g none 2>&1 | grep -c $'\e')" = 0

# ---- an answer that never comes
url=$(make_db killed)
perfctl store init "$url"
coproc PROXY { exec python3 "$here/proxy.py" "$http1" 'INSERT%20INTO%20pev_rows' "$work/victim"; }
read -r -u "${PROXY[0]}" proxy
(
	echo $BASHPID > victim
	exec perfctl push -q "http://127.0.0.1:$proxy/killed" two
) 2> /dev/null
status=$?
read -r -t 60 -u "${PROXY[0]}" what
ok "perfctl is killed when the store has the rows and before it knows" test "$status" = 137 -a \
	"$what" = "killed HTTP/1.1 200 OK"
ok "the store has them" test "$(samples_in killed)" = "$of_two"
ok "push goes on" perfctl push "http://127.0.0.1:$proxy/killed" two
ok "each sample counts once" test "$(samples_in killed)" = "$of_two"
says "the store has both attempts, and one of them is void" 0 "^[1-9][0-9]* rows are void" perfctl store check "$url"
table -i two > two.csv
table --from "$url" > two.from
ok "report does not see the void one" cmp two.csv two.from
kill "$PROXY_PID" 2> /dev/null
wait "$PROXY_PID" 2> /dev/null

# ---- a store that is away, or dies
url=$(make_db away)
perfctl store init "$url"
stop_engines "$work/ch1"
says "a store that is away" 74 "onnect" perfctl push "$url" two
clickhouse_start "$work/ch1" "$http1"
ok "push when it is back" perfctl push "$url" two
stop_engines "$work/ch1"
clickhouse_start "$work/ch1" "$http1"
ok "what it acknowledged outlives its SIGKILL" test "$(samples_in away)" = "$of_two"

# ---- old days
sql "$http1" away <<< "INSERT INTO pev_rows SELECT day - 40, time - 40 * 86400, host, service, event, stack, samples, weight, batch FROM pev_rows"
says "expire drops days" 0 "^pev_rows: .* dropped" perfctl store expire "$url" --keep 30
ok "and leaves the others" test "$(samples_in away)" = "$of_two"

# ---- several servers
for port in "$http1" "$http2"; do
	sql "$port" <<< 'CREATE DATABASE shards'
	perfctl store init --cluster fleet "http://127.0.0.1:$port/shards" || fail "init --cluster"
done
perfctl push -q "http://127.0.0.1:$http1/shards" one --service web
perfctl push -q "http://127.0.0.1:$http2/shards" two --service db
url=http://127.0.0.1:$http2/shards
ok "either server answers for both" test "$(events)" = $((of_one + of_two))
ok "and for labels of both" test "$(events --where 'service = "web"')" = "$of_one"

# ---- credentials and TLS
url=$(make_db secret)
perfctl store init "$url"
printf 'machine 127.0.0.1 login keeper password "open sesame"\n' > netrc
chmod 644 netrc
says "credentials that others can read are refused" 77 "chmod 600" perfctl store check "$url" --credentials netrc
chmod 600 netrc
ok "with the mode that they should have they are taken" perfctl store check "$url" --credentials netrc
printf 'machine 127.0.0.1 login keeper password wrong\n' > netrc
says "a wrong password" 77 "does not let you in" perfctl store check "$url" --credentials netrc
says "no password in a URL" 2 "[.]netrc" perfctl store check "http://keeper:x@127.0.0.1:$http1"
says "a certificate that nobody vouches for" 74 "certificate" perfctl store check "https://127.0.0.1:$https1/secret"
ok "one that --ca vouches for" perfctl store check "https://127.0.0.1:$https1/secret" --ca cert.pem
