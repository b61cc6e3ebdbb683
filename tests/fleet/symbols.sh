# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# perfctl symbols: a store has build ids and offsets; functions are sent from where the files are, and
# then named where the samples are shown, which has no such file.
# engines: perf

url=$store/symbols
sql "$http1" <<< "CREATE DATABASE symbols"
perfctl store init "$url"

mkdir built production
cat > built/spin.cc <<'EOP'
#include <cstdlib>
#include <cstring>
namespace shop {
volatile unsigned long sum;
__attribute__((noinline)) void add_up(long n) { for (long i = 0; i < n; i++) sum = sum + i; }
extern "C" __attribute__((noinline)) void hostile(long n) { for (long i = 0; i < n; i++) sum = sum + i; }
}
static char page[1 << 20];
int main(int, char **argv)
{
	for (int i = 0; i < 20; i++) {
		shop::add_up(atol(argv[1]));
		shop::hostile(atol(argv[1]));
		for (int n = 0; n < 200; n++)
			memset(page, n + atoi(argv[1]), sizeof(page));
	}
}
EOP
g++ -O1 -Wl,--build-id -o built/spin built/spin.cc
objcopy --redefine-sym "hostile=x'); DROP TABLE pev_rows; --" built/spin
objcopy --strip-all built/spin production/spin
# what runs in production has no names, and is nowhere else
perfctl record -q -g -e cpu-clock -c 1000000 -o spin.trace -- production/spin 4000000
perfctl push -q "$url" spin.trace --service shop
rm -r production
id=$(readelf -n built/spin | awk '/Build ID/ { print $3 }')
report() { perfctl report --from "$url" -g none --sort symbol,dso; }
says "without names, offsets and the file are shown" 0 "0x[0-9a-f]+.*spin" report
ok "... and no function" eval '! report | grep -q add_up'
says "list says what has none" 0 "no  +$id  .*/production/spin" perfctl symbols list "$url"
says "a file is sent" 0 "functions of 1 files" perfctl symbols upload "$url" built/spin
says "its functions have names, demangled" 0 "shop::add_up" report
says "hostile ones, too" 0 "x'[)]; DROP TABLE pev_rows; --" report
says "and the file that it was is still named" 0 "shop::add_up +spin" report
says "flame --from names them" 0 "shop::add_up" perfctl flame --from "$url" -o -
says "list says so" 0 "yes  +$id  .*/production/spin" perfctl symbols list "$url"
rows() { sql "$http1" symbols <<< "OPTIMIZE TABLE pev_symbols FINAL" && sql "$http1" symbols <<< "SELECT count() FROM pev_symbols"; }
before=$(rows)
says "once more: it is there" 0 "0 functions of 0 files; 1 files were there" perfctl symbols upload "$url" built/spin
mkdir -p tree/below
cp built/spin tree/below/
echo text > tree/text
ln -s "$work/built/spin" tree/link
mkfifo tree/fifo
says "a directory: what is a program there" 0 "0 files; 1 files were there" perfctl symbols upload "$url" tree
ok "nothing is there twice" test "$(rows)" = "$before" -a "$before" -gt 0
says "of what the store lacks, what this machine has" 0 "[1-9][0-9,]* functions of [1-9]" perfctl symbols upload -v "$url"
says "then libc is named by the store" 0 "yes  +.*/libc" perfctl symbols list "$url"

# ---- what cannot be sent
says "no ELF file" 2 "is no program or library" perfctl symbols upload "$url" tree/text
says "no file" 2 "No such file" perfctl symbols upload "$url" tree/none
says "a FIFO" 2 "neither a file nor a directory" perfctl symbols upload "$url" tree/fifo
g++ -O1 -Wl,--build-id=none -o tree/no-id built/spin.cc
says "no build id" 2 "has no build id" perfctl symbols upload "$url" tree/no-id
objcopy --only-keep-debug built/spin tree/spin.debug
says "debug information alone says nothing of offsets" 0 "1 have none|1 files were there" perfctl symbols upload "$url" tree/spin.debug
says "no verb" 2 "symbols takes" perfctl symbols "$url"

# ---- interrupted in the middle, and again
sql "$http1" symbols <<< "DROP TABLE pev_symbols"
perfctl store init "$url"
coproc PROXY { exec python3 "$here/proxy.py" "$http1" 'INSERT%20INTO%20pev_symbols' "$work/victim"; }
read -r -u "${PROXY[0]}" proxy
(
	echo $BASHPID > victim
	exec perfctl symbols upload "http://127.0.0.1:$proxy/symbols" built/spin
) 2> /dev/null
ok "killed between insert and answer" test $? = 137
kill "$PROXY_PID" 2> /dev/null
wait "$PROXY_PID" 2> /dev/null
perfctl symbols upload "$url" built/spin 2> /dev/null
ok "after the next one it has each function once" test "$(rows)" = "$before"

# ---- a store of before
sql "$http1" symbols <<< "DROP TABLE pev_symbols"
sql "$http1" symbols <<< "DROP TABLE pev_version"
sql "$http1" symbols <<< "CREATE TABLE pev_version (version UInt32) ENGINE = TinyLog"
sql "$http1" symbols <<< "INSERT INTO pev_version VALUES (1)"
says "check says what to do with an older store" 1 "version 1, .*\"perfctl store init URL\" adds" perfctl store check "$url"
says "it is shown as before" 0 "0x[0-9a-f]+.*spin" report
says "it takes no functions" 1 "perfctl store init" perfctl symbols upload "$url" built/spin
says "init brings it up to date" 0 "" perfctl store init "$url"
says "then check has figures" 0 "pev_symbols" perfctl store check "$url"
perfctl symbols upload "$url" built/spin 2> /dev/null
says "and samples of before get names" 0 "shop::add_up" report

# ---- expire
sql "$http1" symbols <<< "INSERT INTO pev_symbols VALUES ('2020-01-01', 'abcd', 0, 16, 16, 'gone'), ('2020-01-01', '$id', 0, 1, 1, 'runs')"
says "expire drops functions of what runs no more" 0 "pev_symbols: 1 functions of files that run no more" perfctl store expire "$url"
left() { [ "$(sql "$http1" symbols <<< "SELECT count() FROM pev_symbols WHERE build_id = 'abcd'")" = 0 ]; }
ok "... and no other" until_true 20 left
ok "... which is there" test "$(sql "$http1" symbols <<< "SELECT count() FROM pev_symbols WHERE name = 'runs'")" = 1
sql "$http1" symbols <<< "INSERT INTO pev_version VALUES (9)"
says "a later store is refused" 2 "version 9, .*use a newer one" perfctl store check "$url"
