#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# Recordings in parts, commands while they are made, cutting and merging by pev: tests/native has
# what is done.
# shellcheck disable=SC2034,SC2154
. "$(dirname "$0")/lib/cli.bash"
top=$(cd "$lib/../../.." && pwd)
build hot
build usage "$top/tests/native/lib"
# an emulated processor takes its time
fast=250 slow=2 many=2000 moments=5
root=1
export engine=pev
for part in parts control cut; do
	# shellcheck disable=SC1090
	. "$top/tests/native/$part.sh"
done
finish
