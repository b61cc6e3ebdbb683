# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The three ways in which counters are had: by pev's own driver, by pev with perf's, and by
# perf_event_open(2).

# never_throttle RATE: perf is not to hold up interrupts, of which it allows RATE a second: an
# emulator's take long, by which it may have lowered the rate that it allows, and all samples of a
# run may fall into one tick. The rate can be set while there is a share.
never_throttle() {
	local kernel=/proc/sys/kernel
	echo 25 > $kernel/perf_cpu_time_max_percent
	echo "$1" > $kernel/perf_event_max_sample_rate
	echo 0 > $kernel/perf_cpu_time_max_percent
}

# take_way WAY: sets @engine, @stat, @rec and @unsampled, the samples that a run may lack
# shellcheck disable=SC2034
take_way() {
	local choice=/proc/sys/kernel/pev_pmu
	case $1 in
	own)	engine=pev; echo own >$choice ;;
	lent)	engine=pev; echo perf >$choice ;;
	perf)	engine=perf ;;
	esac
	stat="perfctl stat --engine $engine -x,"
	rec="perfctl record --engine $engine -q"
	# perf counts an overflow that it finds when it takes the counter off the CPU, before the
	# interrupt came, but records no sample of it
	unsampled=0
	[ "$1" = own ] || unsampled=1
}
