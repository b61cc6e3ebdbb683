# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# The limit of samples a second, which the kernel itself lowers when they take long.
rate=/proc/sys/kernel/perf_event_max_sample_rate
most=$(cat $rate)
says "-F beyond the limit is refused, and by what" 2 \
	"$((most + 1)) samples a second .*kernel.perf_event_max_sample_rate allows \(1 to [0-9]+\)" \
	perfctl record --engine perf -o never.trace -F $((most + 1)) -e cpu-clock:u -- true
says "top: as by record" 2 "kernel.perf_event_max_sample_rate allows \(1 to [0-9]+\)" \
	perfctl top --engine perf --stdio -n 1 -d 0.1 -p $$ -F $((most + 1)) -e cpu-clock:u

# In a machine of our own the limit is lowered for certain. Elsewhere, where others measure,
# what perfctl reads is.
if [ -n "${PEV_VM:-}" ]; then
	echo 70 >$rate
else
	echo 70 >rate
	[ -n "${NATIVE_NS:-}" ] && mount --bind rate $rate 2>/dev/null
fi
if [ "$(cat $rate)" = 70 ]; then
	says "record: as many samples as the limit allows, which is said" 0 \
		'^note: 70 samples a second are taken, not 999: kernel.perf_event_max_sample_rate' \
		perfctl record --engine perf -o rate.trace -e cpu-clock:u -- ./hot 300
	within "record: these it has" "$(records rate.trace cpu-clock)" 1 1000
	says "top: the same" 0 '^note: 70 samples a second are taken, not 499' \
		perfctl top --engine perf --stdio -n 1 -d 0.1 -p $$ -e cpu-clock:u
	says "doctor: samples are taken" 0 '^  yes  sampling|own processes, by timer' \
		perfctl doctor --engine perf
	says "record -F within the limit says nothing of it" 1 '^0$' bash -c \
		'perfctl record --engine perf -o rate.trace -F 70 -e cpu-clock:u -- true 2>&1 | grep -c allows'
	says "record -c has no such limit" 1 '^0$' bash -c 'perfctl record --engine perf \
		-o rate.trace -c 1000000 -e cpu-clock:u -- true 2>&1 | grep -c allows'
	says "record: nor have events that are counted out" 1 '^0$' bash -c 'perfctl record \
		--engine perf -o rate.trace -e page-faults:u -- true 2>&1 | grep -c allows'
	if [ -n "${PEV_VM:-}" ]; then
		echo "$most" >$rate
	else
		umount $rate
	fi
else
	skip "record: as many samples as the limit allows, which is said" "not root"
fi
