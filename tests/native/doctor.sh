# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash
# perfctl doctor --bundle: what is in it, what must not be, and how it is written.

mkdir -p bundle/home/mary/private
cat >bundle/config <<'END'
[report]
sort = dso,symbol
percent-limit = 5
input = https://mary:planted-password@example.org/x
[record]
output = /home/mary/planted-path
no-such-option = planted-token
END

# bundle_in FILE: written where secrets are planted, on a machine of another name
bundle_in() {
	local run=(env HOME="$work/bundle/home/mary" USER=planted-user SUDO_USER=planted-sudo
		AWS_SECRET_ACCESS_KEY=planted-key PERFCTL_CONFIG="$work/bundle/config"
		DEBUGINFOD_URLS=https://planted-name:planted-word@debug.example.org
		LD_LIBRARY_PATH="$work/bundle/home/mary/planted-lib" TERM='xterm planted-term'
		perfctl doctor --bundle "$1")

	if [ -n "$root" ]; then
		unshare --uts bash -c 'echo planted-host >/proc/sys/kernel/hostname && exec "$@"' - \
			"${run[@]}"
	else
		"${run[@]}"
	fi
}

# a command line that others must not see
bash -c 'exec -a planted-command-line sleep 100' &
sleeper=$!
says "bundle: written, and says to look at it" 0 'look at it before you send it' bundle_in bundle/b
kill "$sleeper"
for wanted in '^perfctl [0-9]' '^  yes  recordings' '^perf_event_paranoid: -?[0-9]' "$(uname -r | sed 's/+/\\+/g')" \
		'^Max locked memory' '^software$' '^\[report\] sort=dso,symbol$' \
		'^\[report\] input=\(removed, [0-9]+ characters\)$' '^LANG: ' '^DEBUGINFOD_URLS: set$'; do
	says "bundle: has $wanted" 0 "$wanted" cat bundle/b
done
says "bundle: has no secret that was planted" 1 '^$' grep -iE 'planted|mary|example\.org' bundle/b
[ -n "$root" ] || says "bundle: does not name the machine" 1 '^$' grep -w "$(uname -n)" bundle/b
says "bundle: is its owner's alone" 0 '^600$' stat -c %a bundle/b
sum=$(cksum <bundle/b)
says "bundle: does not overwrite a file" 1 'exists and is not overwritten' bundle_in bundle/b
ok "... which stays as it was" test "$sum" = "$(cksum <bundle/b)"
ln -s nowhere bundle/link
says "bundle: does not follow a link" 1 'exists and is not overwritten' bundle_in bundle/link
ok "... to anywhere" test ! -e bundle/nowhere
says "bundle: a directory that is missing" 74 'bundle/none/b: No such file' bundle_in bundle/none/b
if [ -e /dev/full ] && [ -n "$root" ]; then
	mkdir -p bundle/full && mount -t tmpfs -o size=4k tmpfs bundle/full &&
		says "bundle: a full disk" 74 'No space left' bundle_in bundle/full/b
	says "... leaves nothing" 0 '^0$' bash -c 'ls -A bundle/full | wc -l'
	umount bundle/full
fi
says "bundle: has a name of its own" 0 '^perfctl-doctor-[0-9]{4}-[0-9]{2}-[0-9]{2}\.txt ' \
	nobody perfctl doctor --bundle
says "bundle: not with the self-test" 2 'exclude each other' perfctl doctor --self-test --bundle x

perfctl doctor --engine perf -j >doctor.json
ok "doctor -j: what can be done, and why not" python3 -c '
import json
d = json.load(open("doctor.json"))
assert d["engine"] == "perf" and isinstance(d["can"]["whole_machine"], bool), d
assert {f["state"] for f in d["findings"]} <= {"ok", "note", "bad"}, d
assert all(f["what"] and f["text"] for f in d["findings"]), d'
says "doctor -j --self-test" 2 'exclude each other' perfctl doctor -j --self-test
if [ -n "$root" ]; then
	perfctl top --engine perf -j -n 2 -d 0.2 >top.json 2>top.err
	ok "top -j: an object for each table" python3 -c '
import json
text, tables = open("top.json").read(), []
while text.strip():
    table, end = json.JSONDecoder().raw_decode(text.lstrip())
    text = text.lstrip()[end:]
    tables.append(table)
assert len(tables) == 2, tables
for row in (r for t in tables for e in t["events"] for r in e["rows"]):
    assert row["comm"] and row["samples"] >= 0 and row["weight"] >= 0, row'
fi
ok "README: the version is this one's" grep -qF "\"$(perfctl version)\"" "$top/README.md"
