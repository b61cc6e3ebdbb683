# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the tests on the host share. The recordings are in $traces, perfctl is
# on PATH; a fresh directory is the working directory.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034
top=$(cd "$here/../../.." && pwd)
. "$top/tests/lib/tap.bash"
traces=${PEV_OUT:-/tmp/pev-interop}/traces
tools=$(dirname "$(command -v perfctl || echo /)")

if ! compgen -G "$traces/*/metadata" >/dev/null || [ ! -f "$tools/libpev/libpev.a" ]; then
	skip_all "no recordings in $traces, or no perfctl on PATH"
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/pev-interop.XXXXXX")
cd "$work" || exit 1
trap 'cd /; rm -rf "$work"' EXIT
