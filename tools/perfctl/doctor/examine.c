// SPDX-License-Identifier: GPL-2.0
/* Tries the usual ways of measuring, and looks at the settings that matter. See examine.h. */
#include "examine.h"
#include "pmu.h"
#include "way.h"
#include "base/cpulist.h"
#include "base/text.h"
#include "crash/take.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "event/names.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

/* What record takes */
#define USUAL_HZ 999

static int64_t read_number(const char *path, int64_t otherwise)
{
	char *text = file_read(path, NULL);
	int64_t v = text ? strtoll(text, NULL, 10) : otherwise;

	free(text);
	return v;
}

void doctor_way(struct doctor *d)
{
	struct way w = { .root = !geteuid() };
	struct way_text t;
	struct utsname u;

	if (uname(&u))
		return;
	snprintf(w.release, sizeof(w.release), "%s", u.release);
	w.way = pev_way(&w.call, &w.device);
	way_look(&w, "");
	t = way_explain(&w);
	doctor_say(d, t.finding, "the kernel's pev", "%s", t.text);
	if (*t.remedy)
		doctor_remedy(d, "%s", t.remedy);
}

static void check_kernel(struct doctor *d)
{
	bool module = pev_way(NULL, NULL) == PEV_WAY_DEVICE;
	struct utsname u;

	if (uname(&u))
		return;
	if (!engine_is_pev()) {
		doctor_say(d, GOOD, "kernel", "Linux %s on %s", u.release, u.machine);
		doctor_say(d, GOOD, "engine", "perf: perf_event_open(2)");
		doctor_way(d);
		return;
	}
	doctor_say(d, GOOD, "kernel", "Linux %s on %s, pev ABI %u", u.release, u.machine,
	    d->info.abi_version);
	doctor_say(d, GOOD, "engine", "pev");
	if (d->info.abi_version > PEV_ABI_VERSION)
		doctor_remedy(d,
			      "the %s is newer than this perfctl (ABI %d): what it has more is not "
			      "used",
			      module ? "module" : "kernel", PEV_ABI_VERSION);
	else if (d->info.abi_version < PEV_ABI_VERSION)
		doctor_remedy(d,
			      "this perfctl (ABI %d) is newer: what it has more will be refused%s",
			      PEV_ABI_VERSION,
			      module ? "; a newer module is loaded by rmmod and modprobe" : "");
	doctor_way(d);
}

/* Opens a thing and closes it; the kernel's words if it refuses. */
static bool try_open(struct pev_attr *attr, struct pev_error *why)
{
	int handle = pev_engine_open(engine(), attr, 0, why);

	if (handle >= 0)
		pev_engine_close(engine(), handle);
	return handle >= 0;
}

static void check_sampling(struct doctor *d)
{
	struct pev_attr attr;
	struct pev_error why;
	uint64_t most = engine_max_rate();
	int channel;

	pev_attr_channel(&attr, 1 << 20);
	channel = pev_engine_open(engine(), &attr, 0, &why);
	if (channel < 0) {
		doctor_say(d, BAD, "channel", "rings of 1 MiB: %s", kernel_reason(&why));
		return;
	}
	doctor_say(d, GOOD, "channel", "rings of 1 MiB for each CPU");
	pev_attr_event(&attr, PEV_TYPE_TIMER, PEV_TIMER_CPU_CLOCK, NULL);
	pev_attr_record(&attr, channel, most ? min_u64(most, USUAL_HZ) : USUAL_HZ,
			PEV_SAMPLE_TID | PEV_SAMPLE_IP | PEV_SAMPLE_USTACK);
	pev_attr_target(&attr, PEV_TARGET_PROCESS, 0);
	attr.flags |= PEV_F_FREQ | PEV_F_EXCLUDE_KERNEL;
	d->can[CAN_OWN] = try_open(&attr, &why);
	if (d->can[CAN_OWN])
		doctor_say(d, GOOD, "sampling", "own processes, by timer, with call chains");
	else
		doctor_say(d, BAD, "sampling", "%s", kernel_reason(&why));
	attr.flags &= ~PEV_F_EXCLUDE_KERNEL;
	attr.sample |= PEV_SAMPLE_KSTACK;
	d->can[CAN_KERNEL] = try_open(&attr, &why);
	if (d->can[CAN_KERNEL])
		doctor_say(d, GOOD, "kernel side", "addresses and call chains of the kernel");
	else
		doctor_say(d, NOTE, "kernel side", "%s", kernel_reason(&why));
	pev_attr_target(&attr, PEV_TARGET_CPUS, 0);
	d->can[CAN_MACHINE] = try_open(&attr, &why);
	if (d->can[CAN_MACHINE])
		doctor_say(d, GOOD, "whole machine", "record -a, stat -a");
	else
		doctor_say(d, NOTE, "whole machine", "%s", kernel_reason(&why));
	pev_engine_close(engine(), channel);
}

/* CAP_PERFMON or CAP_SYS_ADMIN among the effective ones */
static bool has_perfmon(void)
{
	char *text = file_read("/proc/self/status", NULL);
	char *line = text ? strstr(text, "\nCapEff:") : NULL;
	uint64_t caps = line ? strtoull(line + 8, NULL, 16) : 0;

	free(text);
	return caps & (1ULL << 38 | 1ULL << 21);
}

/* Whether pev-perfmon gives what the kernel refuses to us */
static bool is_helped(const struct doctor *d)
{
	return !engine_is_pev() && d->perfmon.may_run && d->perfmon.perfmon &&
	       d->can[CAN_MACHINE] && !has_perfmon();
}

static void check_rights(struct doctor *d)
{
	const char *setting = engine_is_pev() ? "kernel.pev_paranoid" :
						"kernel.perf_event_paranoid";
	int level = d->info.paranoid;
	bool may = has_perfmon(), off = engine_is_pev() && level >= 4;

	doctor_say(d, off ? BAD : GOOD, setting, "is %d", level);
	if (off)
		doctor_remedy(d, "sysctl kernel.pev_paranoid=2 switches pev on");
	if (may && d->can[CAN_OWN])
		doctor_say(d, GOOD, "rights", "CAP_PERFMON: kernel addresses, other users' processes, the "
		    "whole machine");
	else if (may)
		doctor_say(d, NOTE, "rights", "CAP_PERFMON, which is not enough here");
	else if (is_helped(d))
		doctor_say(d, GOOD, "rights", "those of %s, which opens events for you", d->perfmon.path);
	else
		doctor_say(d, NOTE, "rights", "no CAP_PERFMON: %s", !d->can[CAN_OWN] ?
			   "nothing may be measured" : d->can[CAN_KERNEL] ? "own processes" :
			   "own processes, user mode");
	if (!may && !is_helped(d))
		doctor_remedy(d, "for more: run as root, or see above");
}

static void check_tracepoints(struct doctor *d)
{
	struct pev_attr attr;
	struct pev_error why;

	pev_attr_event(&attr, PEV_TYPE_TRACEPOINT, 0, "sched:sched_switch");
	attr.flags = PEV_F_DISABLED;
	d->can[CAN_TRACEPOINTS] = try_open(&attr, &why);
	if (d->info.nr_tracepoints && d->can[CAN_TRACEPOINTS])
		doctor_say(d, GOOD, "tracepoints", "%u", d->info.nr_tracepoints);
	else if (d->info.nr_tracepoints)
		doctor_say(d, NOTE, "tracepoints", "%u are there: %s", d->info.nr_tracepoints,
			   kernel_reason(&why));
	else if (d->can[CAN_TRACEPOINTS])
		doctor_say(d, NOTE, "tracepoints", "the kernel does not list them");
	else
		doctor_say(d, NOTE, "tracepoints", "none: %s", kernel_reason(&why));
}

static void check_events(struct doctor *d)
{
	size_t n;
	const struct counter_name *sw = software_names(&n);
	struct strbuf missing = { 0 };

	check_tracepoints(d);
	if (engine_is_pev())
		doctor_say(d, d->info.nr_markers ? GOOD : NOTE, "markers", "%u", d->info.nr_markers);
	for (size_t i = 0; i < n; i++)
		if (!(d->info.software >> sw[i].config & 1))
			strbuf_addf(&missing, "%s%s", missing.len ? ", " : "", sw[i].name);
	if (missing.len)
		doctor_say(d, NOTE, "software events", "this machine has no %s", missing.s);
	else
		doctor_say(d, GOOD, "software events", "all");
	strbuf_free(&missing);
}

static void check_clock(struct doctor *d)
{
	bool cycles = d->info.clock == PEV_CLOCK_CYCLES;
	char *source = file_read("/sys/devices/system/clocksource/clocksource0/current_clocksource",
				 NULL);

	if (source)
		source[strcspn(source, "\n")] = 0;
	doctor_say(d, GOOD, "clock", "%s, %.3f MHz%s%s", cycles ? "cycle counter" : "monotonic",
	    (double)d->info.clock_freq / 1e6, source ? ", the kernel's own is " : "",
	    source ? source : "");
	if (!cycles && engine_is_pev())
		doctor_remedy(d, "the cycle counter is not stable here; a stamp costs a little more");
	free(source);
}

static void check_memory(struct doctor *d)
{
	struct cpulist online;
	struct rlimit rl;
	char a[32], b[32];
	uint64_t need;

	cpulist_online(&online);
	need = (uint64_t)cpulist_count(&online) << 20;
	cpulist_free(&online);
	if (getrlimit(RLIMIT_MEMLOCK, &rl))
		return;
	if (rl.rlim_cur == RLIM_INFINITY || !geteuid())
		doctor_say(d, GOOD, "locked memory", "no limit that matters to you");
	else if (rl.rlim_cur >= need)
		doctor_say(d, GOOD, "locked memory", "%s; record's rings take %s",
		    text_bytes(a, rl.rlim_cur), text_bytes(b, need));
	else {
		doctor_say(d, NOTE, "locked memory", "%s; record's rings want %s and will be smaller",
		    text_bytes(a, rl.rlim_cur), text_bytes(b, need));
		doctor_remedy(d, "raise it with \"ulimit -l\", or in /etc/security/limits.conf");
	}
}

/* Most machines have no such memory, which is nothing to speak of. */
static void check_crash(struct doctor *d)
{
	char text[sizeof(((struct pev_error *)0)->text)];

	if (engine_is_pev() && crash_state(text, sizeof(text)))
		doctor_say(d, NOTE, "crash memory", "%s", text);
}

static void check_symbols(struct doctor *d)
{
	int64_t kptr = read_number("/proc/sys/kernel/kptr_restrict", 0);
	char *text = file_read("/proc/kallsyms", NULL);
	char *line = text ? strstr(text, " T _text\n") : NULL;
	bool shown = line && line - text >= 16 && strncmp(line - 16, "0000000000000000", 16);

	if (!text)
		doctor_say(d, NOTE, "kernel symbols", "/proc/kallsyms: %s", strerror(errno));
	else if (!shown && is_helped(d) && d->perfmon.syslog)
		doctor_say(d, GOOD, "kernel symbols", "%s reads them for you", d->perfmon.path);
	else if (!shown)
		doctor_say(d, NOTE, "kernel symbols", kptr > 0 ?
			   "their addresses are hidden (kernel.kptr_restrict is %lld)" :
			   "their addresses are hidden from users without CAP_SYSLOG "
			   "(kernel.perf_event_paranoid is above 1)", (long long)kptr);
	else
		doctor_say(d, GOOD, "kernel symbols", "/proc/kallsyms shows them");
	if (text && !shown && !(is_helped(d) && d->perfmon.syslog))
		doctor_remedy(d, "kernel functions will be shown as addresses; run as root to record their "
		       "names");
	free(text);
}

static void check_rest(struct doctor *d)
{
	bool cgroup = access("/sys/fs/cgroup/cgroup.controllers", R_OK) == 0;

	doctor_say(d, cgroup ? GOOD : NOTE, "cgroup v2", cgroup ? "mounted at /sys/fs/cgroup (-G)" :
	    "not mounted at /sys/fs/cgroup: -G needs the path of a cgroup's directory");
	if (!engine_is_pev())
		return;
	if (!access("/proc/sys/kernel/perf_event_paranoid", F_OK))
		doctor_say(d, GOOD, "perf", "perf_events is there, too; both can be used at once");
	else
		doctor_say(d, GOOD, "perf", "perf_events is not in this kernel; pev does not need it");
	doctor_say(d, GOOD, "tracefs", "not needed");
}

void doctor_examine(struct doctor *d)
{
	check_kernel(d);
	check_sampling(d);
	check_rights(d);
	check_events(d);
	doctor_pmu(d);
	check_clock(d);
	check_memory(d);
	check_crash(d);
	check_symbols(d);
	check_rest(d);
}
