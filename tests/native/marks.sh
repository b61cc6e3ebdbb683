# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# Programs with marks on a kernel without pev: they run as if they had none.

build shop
build plugin.so "$lib"
says "marks are off: a program" 0 '^$' bash -c './shop orders 1000; code=$?; echo; exit $code'
ok "... its libraries, loaded and unloaded" ./shop plugins 3 ./plugin.so
cp shop user/
ok "... a user's" nobody ./shop orders 1000
ok "... a script's" perfctl mark shop:begin "a text"
says "... that has a name that is none" 2 'PROVIDER:EVENT' perfctl mark shop
ok "... Python's" env PYTHONPATH="$top/tools/python" PYTHONDONTWRITEBYTECODE=1 \
	LIBPEV="${BUILD:-$top/build}/$machine/tools/libpev/libpev.so.1" /usr/bin/python3 -c '
import pev
for i in range(1000):
    pev.mark("shop:checkout", order=i, city="Rome", price=1.5)'
says "they can't be recorded, which is said" 69 'need a kernel with pev' \
	perfctl record -q --engine perf -e 'user:shop:*' -o marks -- true
