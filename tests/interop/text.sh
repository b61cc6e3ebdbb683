#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# The kernel's text and a recording of the same things, 10^5 records of 200 kinds: text.host.sh
# compares them.
# shellcheck disable=SC2154
. "$(dirname "$0")/../cli/lib/cli.bash"
here=$(cd "$lib/../../interop/lib" && pwd)
out=${PEV_OUT:-/tmp/pev-interop}/text
rm -rf "$out"
mkdir -p "$out"
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
if [ ! -e /sys/kernel/debug/pev/text ] || [ ! -d /sys/kernel/tracing/events ]; then
	echo "1..0 # SKIP no debugfs or tracefs"
	exit 0
fi
text=$(PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$here/text_take.py" "$work/both" "${PEV_TEXT_RECORDS:-120000}" 2>&1)
result $? "the text and the recording are made" "$text"
ok "the recording has lost nothing" bash -c "! perfctl info '$work/both/trace' | grep -E '^  lost .* records'"
cp -r "$work/both/trace" "$work/both/text" "$work/both/formats" "$out/"
finish
