#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Days of record --fold, simulated; run by "run". For a week: build/tests/unit/perfctl/fold_week DIR 7
# what is sourced sets failures
# shellcheck disable=SC2154
. "$(dirname "$0")/../../lib/tap.bash"
p=$OUT/tools/perfctl
days=2
# Half of a day is half of the bytes, or less. PEV_TEST_DAY=86400 has whole ones.
seconds=${PEV_TEST_DAY:-43200}
most=$((20000000 * seconds / 86400))
growth=$((1024 * seconds / 86400))	# KiB

# what is freed is used again at once, so that memory is what is needed
ASAN_OPTIONS=$ASAN_OPTIONS:quarantine_size_mb=1 "$OUT/fold_week" "$OUT/week" $days 6 "$seconds" >"$OUT/week.txt" 2>&1
ok "$days days, of $seconds s, of 99 samples a second are written" grep -q ' samples in .* records, 0 of (other)$' "$OUT/week.txt"
ok "... of less than $most bytes each, 20 MB in 24 hours" awk '/^day/ { if ($3 >= '$most') bad = 1; n++ } END { exit bad || n != '$days' }' \
	"$OUT/week.txt"
ok "... in memory that does not grow" awk '/^day/ { if ($1 && last && $5 > last + '$growth') bad = 1; last = $5; n++ }
	END { exit bad || n != '$days' }' "$OUT/week.txt"
samples=$(sed -n 's/ samples in .*//p' "$OUT/week.txt" | sed ':a; s/\B[0-9]\{3\}\>/,&/; ta')
"$p" report -g none -i "$OUT/week" >"$OUT/week.report" 2>&1
ok "each sample is in the recording" grep -q "^# cpu-clock: $samples samples$" "$OUT/week.report"
# 96 threads with 3,600 call chains
ASAN_OPTIONS=$ASAN_OPTIONS:quarantine_size_mb=1 "$OUT/fold_week" "$OUT/week" 1 12 "$seconds" >>"$OUT/week.txt" 2>&1
ok "a day of twice as many threads and call chains takes no more" awk '/^day/ { day = $3 }
	END { exit !(day > 1000000 && day < '$most') }' "$OUT/week.txt"
[ "$failures" = 0 ] || sed 's/^/# /' "$OUT/week.txt"
rm -rf "$OUT/week"
finish
