// SPDX-License-Identifier: GPL-2.0
/* Prints facts about this machine. See facts.h. */
#include "facts.h"
#include "scrub.h"
#include "summary.h"
#include "base/version.h"
#include "cli/config.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

/* Prints those lines of a text that begin with a word of the list. */
static void put_lines(FILE *out, char *text, const char *const *words, size_t n)
{
	char *save, *line;

	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		for (size_t i = 0; i < n; i++)
			if (!strncmp(line, words[i], strlen(words[i]))) {
				fprintf(out, "%s\n", line);
				break;
			}
}

/* Prints "NAME: first line of the file", or that it is not there. */
static void put_file(FILE *out, const char *name, const char *path)
{
	char *text = file_read(path, NULL);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	fprintf(out, "%s: %s\n", name, text ? text : "-");
	free(text);
}

void facts_perfctl(const struct facts_source *from, FILE *out)
{
	(void)from;
	fprintf(out, "perfctl %s, libpev %s, ABI %d\n", PERFCTL_VERSION, pev_version(),
		PEV_ABI_VERSION);
#ifdef HAVE_CURSES
	fprintf(out, "with curses\n");
#endif
#ifdef HAVE_CAPSTONE
	fprintf(out, "with capstone\n");
#endif
}

void facts_doctor(const struct facts_source *from, FILE *out)
{
	struct doctor d = { .out = out };

	(void)from;
	doctor_report(&d);
}

void facts_kernel(const struct facts_source *from, FILE *out)
{
	static const char *const lines[] = { "PRETTY_NAME=", "VERSION_ID=" };
	struct utsname u;
	char *text = file_read("/etc/os-release", NULL);

	(void)from;
	/* not /proc/version, which says where and by which user it was built */
	if (!uname(&u))
		fprintf(out, "%s %s %s %s\n", u.sysname, u.release, u.version, u.machine);
	put_lines(out, text, lines, ARRAY_SIZE(lines));
	free(text);
	put_file(out, "lockdown", "/sys/kernel/security/lockdown");
	put_file(out, "security modules", "/sys/kernel/security/lsm");
	put_file(out, "tainted", "/proc/sys/kernel/tainted");
	put_file(out, "module pev", "/sys/module/pev/initstate");
	put_file(out, "its version", "/sys/module/pev/version");
}

/* The kernel's own, or the file that Debian installs beside it; packed or not */
static char *kernel_config(void)
{
	struct strbuf b = { 0 };
	struct utsname u;
	char buf[4096];
	gzFile f = gzopen("/proc/config.gz", "rb");
	int n;

	if (!f && !uname(&u)) {
		char *path = xasprintf("/boot/config-%s", u.release);

		f = gzopen(path, "rb");
		free(path);
	}
	while (f && (n = gzread(f, buf, sizeof(buf))) > 0)
		strbuf_add(&b, buf, (size_t)n);
	if (f)
		gzclose(f);
	return b.s;
}

void facts_kernel_config(const struct facts_source *from, FILE *out)
{
	static const char *const lines[] = {
		"CONFIG_PEV", "CONFIG_PERF_", "CONFIG_HAVE_PERF_", "CONFIG_TRACEPOINTS",
		"CONFIG_TRACING", "CONFIG_FTRACE", "CONFIG_EVENT_TRACING", "CONFIG_FTRACE_SYSCALLS",
		"CONFIG_KPROBE", "CONFIG_UPROBE", "CONFIG_BPF_SYSCALL", "CONFIG_DEBUG_INFO_BTF",
		"CONFIG_KALLSYMS", "CONFIG_UNWINDER_", "CONFIG_FRAME_POINTER", "CONFIG_PREEMPT",
		"CONFIG_HZ", "CONFIG_NO_HZ", "CONFIG_HIGH_RES_TIMERS", "CONFIG_CGROUPS",
		"CONFIG_CGROUP_PERF", "CONFIG_SECURITY_LOCKDOWN", "CONFIG_SECURITY_PERF",
		"CONFIG_HARDLOCKUP_DETECTOR", "CONFIG_RANDOMIZE_BASE", "CONFIG_SECCOMP",
		"CONFIG_VIRT_CPU_ACCOUNTING", "CONFIG_NR_CPUS", "CONFIG_PARAVIRT",
	};
	char *text = kernel_config();

	(void)from;
	put_lines(out, text, lines, ARRAY_SIZE(lines));
	if (!text)
		fprintf(out, "neither in /proc/config.gz nor in /boot\n");
	free(text);
}

void facts_sysctls(const struct facts_source *from, FILE *out)
{
	static const char *const names[] = {
		"pev_paranoid", "perf_event_paranoid", "perf_event_max_sample_rate",
		"perf_event_mlock_kb", "perf_event_max_stack", "perf_cpu_time_max_percent",
		"kptr_restrict", "nmi_watchdog", "yama/ptrace_scope", "randomize_va_space",
		"unprivileged_bpf_disabled", "threads-max",
	};
	char path[80];

	(void)from;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "/proc/sys/kernel/%s", names[i]);
		put_file(out, names[i], path);
	}
	put_file(out, "clocksource",
		 "/sys/devices/system/clocksource/clocksource0/current_clocksource");
}

void facts_processor(const struct facts_source *from, FILE *out)
{
	static const char *const lines[] = {
		"vendor_id", "cpu family", "model", "stepping", "microcode", "cpu\t", "revision",
		"platform", "CPU implementer", "CPU part", "CPU variant", "CPU revision", "flags",
	};
	static const char *const memory[] = { "MemTotal" };
	char *text = file_read("/proc/cpuinfo", NULL), *end = text ? strstr(text, "\n\n") : NULL;

	(void)from;
	/* one of them is enough */
	if (end)
		*end = '\0';
	put_lines(out, text, lines, ARRAY_SIZE(lines));
	free(text);
	put_file(out, "online", "/sys/devices/system/cpu/online");
	put_file(out, "possible", "/sys/devices/system/cpu/possible");
	put_file(out, "threads of a core", "/sys/devices/system/cpu/smt/active");
	text = file_read("/proc/meminfo", NULL);
	put_lines(out, text, memory, ARRAY_SIZE(memory));
	free(text);
}

#define PMUS "/sys/bus/event_source/devices"

/* Prints "name=content" of each file of a PMU's folder, or the names alone. */
static void put_folder(FILE *out, const char *pmu, const char *folder, bool contents)
{
	char path[512];
	struct dirent **names;
	int n;

	snprintf(path, sizeof(path), PMUS "/%s/%s", pmu, folder);
	n = scandir(path, &names, NULL, alphasort);
	if (n < 0)
		return;
	fprintf(out, "  %s:", folder);
	for (int i = 0; i < n; i++) {
		if (*names[i]->d_name != '.') {
			char *text = NULL;

			snprintf(path, sizeof(path), PMUS "/%s/%s/%s", pmu, folder,
				 names[i]->d_name);
			if (contents)
				text = file_read(path, NULL);
			if (text)
				text[strcspn(text, "\n")] = '\0';
			fprintf(out, " %s%s%s", names[i]->d_name, text ? "=" : "", text ? text : "");
			free(text);
		}
		free(names[i]);
	}
	free(names);
	fputc('\n', out);
}

static void put_pmu(FILE *out, const char *pmu)
{
	static const char *const files[] = { "type", "cpumask", "cpus", "nr_addr_filters" };
	char path[512];

	fprintf(out, "%s\n", pmu);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char name[32];

		snprintf(path, sizeof(path), PMUS "/%s/%s", pmu, files[i]);
		if (access(path, R_OK))
			continue;
		snprintf(name, sizeof(name), "  %s", files[i]);
		put_file(out, name, path);
	}
	put_folder(out, pmu, "format", true);
	put_folder(out, pmu, "caps", true);
	put_folder(out, pmu, "events", false);
}

void facts_pmus(const struct facts_source *from, FILE *out)
{
	struct dirent **names;
	int n = scandir(PMUS, &names, NULL, alphasort);

	(void)from;
	if (n < 0) {
		fprintf(out, "there is no " PMUS "\n");
		return;
	}
	for (int i = 0; i < n; i++) {
		if (*names[i]->d_name != '.')
			put_pmu(out, names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

void facts_limits(const struct facts_source *from, FILE *out)
{
	static const char *const lines[] = { "CapPrm", "CapEff", "CapBnd", "NoNewPrivs", "Seccomp" };
	static const char *const limits[] = { "Limit", "Max locked memory", "Max open files",
					      "Max processes", "Max address space" };
	char *text = file_read("/proc/self/status", NULL);

	(void)from;
	fprintf(out, "%s\n", geteuid() ? "a user" : "root");
	put_lines(out, text, lines, ARRAY_SIZE(lines));
	free(text);
	text = file_read("/proc/self/limits", NULL);
	put_lines(out, text, limits, ARRAY_SIZE(limits));
	free(text);
}

/* Which file systems of the kernel are where; nothing is said of others. */
void facts_mounts(const struct facts_source *from, FILE *out)
{
	static const char *const types[] = { " tracefs ", " debugfs ", " cgroup2 ", " cgroup ",
					     " securityfs " };
	char *text = file_read("/proc/self/mounts", NULL), *save, *line;

	(void)from;
	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		for (size_t i = 0; i < ARRAY_SIZE(types); i++)
			if (strstr(line, types[i]))
				fprintf(out, "%s\n", line);
	free(text);
}

void facts_environment(const struct facts_source *from, FILE *out)
{
	static const char *const shown[] = { "LANG", "LC_ALL", "TERM", "COLORTERM", "NO_COLOR" };
	static const char *const named[] = {
		"PERFCTL_CONFIG", "XDG_CONFIG_HOME", "HOME", "PAGER", "DEBUGINFOD_URLS",
		"LD_LIBRARY_PATH", "LD_PRELOAD", "SUDO_USER",
	};

	(void)from;
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		const char *value = getenv(shown[i]);

		fprintf(out, "%s: %s\n", shown[i], !value ? "not set" :
			scrub_is_plain(value) ? value : "(removed)");
	}
	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		fprintf(out, "%s: %s\n", named[i], getenv(named[i]) ? "set" : "not set");
}

static bool has_option(const struct command *cmd, const char *name, size_t len)
{
	for (const struct opt *o = cmd->opts; o->kind != OPT_END; o++)
		if (o->name && strlen(o->name) == len && !strncmp(o->name, name, len))
			return true;
	return false;
}

/* Prints "--name=value" of a command's section. */
static void put_word(FILE *out, const struct command *cmd, const char *word)
{
	const char *name = word + 2, *eq = strchr(name, '=');
	size_t len = eq ? (size_t)(eq - name) : strlen(name);
	bool no = !strncmp(name, "no-", 3);

	if (!has_option(cmd, no ? name + 3 : name, no ? len - 3 : len))
		fprintf(out, "[%s] (an option that it does not have)\n", cmd->name);
	else if (!eq || scrub_is_plain(eq + 1))
		fprintf(out, "[%s] %s\n", cmd->name, name);
	else
		fprintf(out, "[%s] %.*s=(removed, %zu characters)\n", cmd->name, (int)len, name,
			strlen(eq + 1));
}

void facts_config(const struct facts_source *from, FILE *out)
{
	for (size_t i = 0; i < from->n_commands; i++) {
		const struct command *cmd = from->commands[i];
		struct msg m;
		char **words;
		int n;

		/* the message quotes the line */
		if (config_words(cmd->name, &words, &n, &m))
			fprintf(out, "[%s] has a line that is no \"option = value\"\n", cmd->name);
		for (int k = 1; k < n; k++)
			put_word(out, cmd, words[k]);
	}
}
