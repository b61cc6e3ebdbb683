#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# What recordings by pev say of their machine: tests/native has what is looked at.
# shellcheck disable=SC2034,SC2154
. "$(dirname "$0")/lib/cli.bash"
top=$(cd "$lib/../../.." && pwd)
build hot
root=1 tracepoints=1
export engine=pev
# shellcheck source=tests/native/state.sh
. "$top/tests/native/state.sh"

perfctl record -q --fold -F 99 -a -o folded.trace --timeout 200ms
ok "record --fold: none, as no record has a number to be named" bash -c \
	'[ -s folded.trace/metadata ] && ! grep -q state: folded.trace/metadata'
finish
