#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# `make run`: records a real program at work on this machine's own data, and
# prints where its time went. sqlite3 loads the list of all files of all
# installed packages, then groups, indexes, joins and sorts it.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-$PWD/build}

if ! [ -x "$build/x86_64/tools/perfctl" ]; then
	echo "run: perfctl is not built: nothing can be recorded yet" >&2
	exit 1
fi
out=$build/run
mkdir -p "$out"

# The data: package, path; a real and irregular list of any Debian machine.
for list in /var/lib/dpkg/info/*.list; do
	pkg=${list##*/}
	sed "s|^|${pkg%.list}\t|" "$list"
done > "$out/files.tsv"

cat > "$out/workload.sql" <<'SQL'
.mode tabs
CREATE TABLE files (package TEXT, path TEXT);
.import files.tsv files
CREATE INDEX by_path ON files (path);
.print packages with the most files:
SELECT package, count(*) AS n FROM files GROUP BY package ORDER BY n DESC, package LIMIT 5;
.print directories that the most packages share:
SELECT path, count(*) AS n FROM files GROUP BY path ORDER BY n DESC, path LIMIT 5;
.print files beside a man page of the same name:
SELECT count(*) FROM files a JOIN files b ON b.path = '/usr/share/man/man1/' || substr(a.path, 10) || '.1.gz'
	WHERE a.path LIKE '/usr/bin/%';
SELECT path FROM files ORDER BY length(path) DESC, path LIMIT 1;
SQL

# Debian's kernel gets pev by the module. There is no other engine then: what cannot be
# recorded by pev is an error here.
load=
if [ "${FLAVOR:-plain}" = stock ]; then
	load="insmod $(printf %q "$build/x86_64/module/pev.ko")"
fi

env CMD="set -e
$load
cd $(printf %q "$out")
rm -rf pev.trace
uname -sr
echo '\$ perfctl record -g -- sqlite3 :memory: .read\ workload.sql'
perfctl record --engine pev -g -o pev.trace -- sqlite3 :memory: '.read workload.sql'
echo
echo '\$ perfctl report'
perfctl report pev.trace > report.txt
head -n 70 report.txt
echo
echo '# all of it:' $(printf %q "$out/report.txt")" make NOBUILD=1 vm
took=$(($(date +%s) - RUN_BEGAN))
if [ "$RUN_STATE" = cold ]; then
	echo "# after $took s, cold: what was missing was fetched and built"
else
	echo "# after $took s, warm"
fi
touch "$build/x86_64/run-before"
