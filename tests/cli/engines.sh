#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# What works by pev is what the documents say: tests/native/engines.sh has the commands.
# shellcheck disable=SC2034,SC2154
. "$(dirname "$0")/lib/cli.bash"
build hot
build tree

top=$(cd "$lib/../../.." && pwd)
here=$top/tests/native
root=1
tracepoints=1
getppid=110
insmod "$PEV_MODULES/pev-sample.ko"
engine=pev
# shellcheck source=tests/native/engines.sh
. "$top/tests/native/engines.sh"
finish
