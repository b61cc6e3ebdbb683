// SPDX-License-Identifier: GPL-2.0
/* Draws a timeline with characters. See timeline_print.h. */
#include "timeline_print.h"
#include "base/json.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define WIDTH_LEAST 20
#define LABEL 24

unsigned int timeline_print_width(uint64_t columns)
{
	struct winsize w = { 0 };

	if (!columns && isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w))
		columns = w.ws_col;
	if (!columns)
		columns = 100;
	return columns > LABEL + 1 + WIDTH_LEAST ? (unsigned int)columns - LABEL - 2 : WIDTH_LEAST;
}

static int by_time(const void *va, const void *vb)
{
	const struct timeline_thread *a = va, *b = vb;

	if (a->ran != b->ran)
		return a->ran < b->ran ? 1 : -1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static void print_axis(const struct timeline *tl)
{
	char left[32], right[32];

	snprintf(left, sizeof(left), "%.6f s", (double)(tl->from - tl->begin) / 1e9);
	snprintf(right, sizeof(right), "%.6f s", (double)(tl->to - tl->begin) / 1e9);
	printf("%*s %s%*s\n", LABEL, "", left, (int)(tl->width - strlen(left)), right);
}

/* What a column shows of a thread: running is what is looked for, and shows where there is any. */
static enum timeline_state column_state(const uint64_t ns[TIMELINE_STATES])
{
	uint64_t run = ns[TIMELINE_RUN] + ns[TIMELINE_GUEST];

	if (!(run | ns[TIMELINE_WAIT] | ns[TIMELINE_SLEEP]))
		return TIMELINE_NOTHING;
	if (run * 3 >= ns[TIMELINE_WAIT] + ns[TIMELINE_SLEEP] || (run && !ns[TIMELINE_WAIT]))
		return ns[TIMELINE_GUEST] * 2 > run ? TIMELINE_GUEST : TIMELINE_RUN;
	return ns[TIMELINE_WAIT] * 2 > ns[TIMELINE_SLEEP] ? TIMELINE_WAIT : TIMELINE_SLEEP;
}

#define IDLE "\xc2\xb7"

static void print_columns(const struct timeline *tl, const struct timeline_thread *t, bool color)
{
	static const char *const marks[][TIMELINE_STATES] = {
		{ " ", IDLE, "-", "#", "#" },
		/* of virtual processors */
		{ " ", IDLE, "-", "x", "#" },
	};
	static const char *const colors[] = { "", "\033[2m", "\033[33m", "\033[32m", "\033[32m" };
	bool vcpu = tl->vcpus && t->vcpu >= 0;

	for (unsigned int c = 0; c < tl->width; c++) {
		enum timeline_state s = column_state(t->time + (size_t)c * TIMELINE_STATES);

		if (color && s != TIMELINE_NOTHING)
			printf("%s%s\033[m", vcpu && s == TIMELINE_RUN ? "\033[31m" : colors[s],
			       marks[vcpu][s]);
		else
			fputs(marks[vcpu][s], stdout);
	}
	printf("\n");
}

static void print_thread(const struct timeline *tl, const struct timeline_thread *t, bool color)
{
	char comm[64];

	text_safe(comm, sizeof(comm), machine_comm_name(&tl->session->machine, t->comm));
	printf("%-*.15s %7u ", LABEL - 8, comm, t->tid);
	print_columns(tl, t, color);
}

static bool is_vcpu(const struct timeline *tl, const struct timeline_thread *t)
{
	return t->vcpu >= 0 && timeline_shows(tl, t);
}

static void print_vcpu(const struct timeline *tl, const struct timeline_thread *t, bool color)
{
	char label[64];

	snprintf(label, sizeof(label), "vCPU %d of %u", t->vcpu, t->pid);
	printf("%*.*s ", LABEL, LABEL, label);
	print_columns(tl, t, color);
}

static int by_vcpu(const void *va, const void *vb)
{
	const struct timeline_thread *a = va, *b = vb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->vcpu != b->vcpu ? (a->vcpu < b->vcpu ? -1 : 1) :
				    (a->tid < b->tid ? -1 : a->tid > b->tid);
}

static void print_vcpus(struct timeline *tl, bool color)
{
	qsort(tl->thread, tl->n, sizeof(*tl->thread), by_vcpu);
	for (size_t i = 0; i < tl->n; i++)
		if (is_vcpu(tl, &tl->thread[i]))
			print_vcpu(tl, &tl->thread[i], color);
}

static void print_threads(struct timeline *tl, uint64_t most, bool color)
{
	qsort(tl->thread, tl->n, sizeof(*tl->thread), by_time);
	for (size_t i = 0, shown = 0; i < tl->n && shown < most; i++) {
		const struct timeline_thread *t = &tl->thread[i];

		if (!timeline_shows(tl, t))
			continue;
		shown++;
		print_thread(tl, t, color);
	}
	printf("\n# runs: #   waits for a processor: -   sleeps: \xc2\xb7\n");
}

struct program {
	uint32_t comm;
	uint64_t ran;
};

static int by_ran(const void *va, const void *vb)
{
	const struct program *a = va, *b = vb;

	if (a->ran != b->ran)
		return a->ran < b->ran ? 1 : -1;
	return a->comm < b->comm ? -1 : a->comm > b->comm;
}

/* Returns the programs, those that ran longest first. */
static struct program *sort_programs(const struct timeline *tl, size_t n)
{
	struct program *p = xcalloc(n, sizeof(*p));

	for (size_t i = 0; i < n; i++)
		p[i].comm = (uint32_t)i;
	for (size_t i = 0; i < tl->n; i++)
		if (timeline_wants(tl, tl->thread[i].comm))
			p[tl->thread[i].comm].ran += tl->thread[i].ran;
	qsort(p, n, sizeof(*p), by_ran);
	return p;
}

/* @letter: of each program */
static void print_track(const struct timeline *tl, size_t cpu, const char *letter, bool color)
{
	const struct timeline_track *l = &tl->tracks[cpu];

	printf("%*s%-5zu ", LABEL - 5, "CPU ", cpu);
	for (unsigned int c = 0; c < tl->width; c++) {
		uint64_t ns = (uint64_t)(timeline_column(tl, c + 1) - timeline_column(tl, c));
		char ch = l->busy[c] ? letter[l->comms[c]] : ' ';

		if (color && l->busy[c])
			printf("\033[%s%dm%c\033[m", l->busy[c] * 2 >= ns ? "1;" : "", 31 + ch % 6,
			       ch);
		else
			putchar(ch);
	}
	putchar('\n');
}

/* @all: ns that the shown CPUs had */
static void print_letters(const struct timeline *tl, const struct program *p, size_t n,
			  uint64_t all)
{
	char comm[64];

	for (size_t i = 0; i < n && i < sizeof(LETTERS) - 1 && p[i].ran; i++)
		printf("# %c  %-16s %6.2f %%\n", LETTERS[i],
		       text_safe(comm, sizeof(comm),
				 machine_comm_name(&tl->session->machine, p[i].comm)),
		       all ? 100.0 * (double)p[i].ran / (double)all : 0);
}

static void print_tracks(const struct timeline *tl, bool color)
{
	size_t n = tl->session->machine.comms.n;
	struct program *p = sort_programs(tl, n);
	char *letter = xcalloc(n, 1);
	uint64_t cpus = 0;

	for (size_t i = 0; i < n; i++)
		letter[p[i].comm] = i < sizeof(LETTERS) - 1 ? LETTERS[i] : '*';
	for (size_t cpu = 0; cpu < tl->n_tracks; cpu++) {
		if (!tl->tracks[cpu].comms)
			continue;
		cpus++;
		print_track(tl, cpu, letter, color);
	}
	printf("\n%s", tl->vcpus ? "# in the guest: #   the host works for it: x   waits for a "
				   "processor: -   has nothing to do: " IDLE "\n" :
				   "");
	print_letters(tl, p, n, cpus * (uint64_t)(tl->to - tl->from));
	free(p);
	free(letter);
}

void timeline_print(struct timeline *tl, uint64_t most, bool color)
{
	print_axis(tl);
	if (tl->vcpus)
		print_vcpus(tl, color);
	if (tl->threads)
		print_threads(tl, most, color);
	else
		print_tracks(tl, color);
}

static void json_thread(const struct timeline *tl, const struct timeline_thread *t, struct json *j)
{
	static const char *const keys[] = { [TIMELINE_SLEEP] = "sleep_ns",
					    [TIMELINE_WAIT] = "wait_ns",
					    [TIMELINE_RUN] = "run_ns",
					    [TIMELINE_GUEST] = "guest_ns" };
	enum timeline_state last = tl->vcpus ? TIMELINE_GUEST : TIMELINE_RUN;

	json_open(j, NULL, '{');
	json_string(j, "comm", machine_comm_name(&tl->session->machine, t->comm));
	json_u64(j, "tid", t->tid);
	if (tl->vcpus)
		json_i64(j, "vcpu", t->vcpu);
	for (enum timeline_state s = TIMELINE_SLEEP; s <= last; s++) {
		json_open(j, keys[s], '[');
		for (unsigned int c = 0; c < tl->width; c++)
			json_u64(j, NULL, t->time[(size_t)c * TIMELINE_STATES + s]);
		json_close(j, ']');
	}
	json_close(j, '}');
	fputc('\n', j->out);
}

static void json_track(const struct timeline *tl, size_t cpu, struct json *j)
{
	const struct timeline_track *l = &tl->tracks[cpu];

	json_open(j, NULL, '{');
	json_u64(j, "cpu", cpu);
	json_open(j, "busy_ns", '[');
	for (unsigned int c = 0; c < tl->width; c++)
		json_u64(j, NULL, l->busy[c]);
	json_close(j, ']');
	json_open(j, "comm", '[');
	for (unsigned int c = 0; c < tl->width; c++) {
		if (l->busy[c])
			json_string(j, NULL, machine_comm_name(&tl->session->machine, l->comms[c]));
		else
			json_null(j, NULL);
	}
	json_close(j, ']');
	json_close(j, '}');
	fputc('\n', j->out);
}

void timeline_json(struct timeline *tl, uint64_t most)
{
	struct json j = { .out = stdout };

	qsort(tl->thread, tl->n, sizeof(*tl->thread), tl->vcpus ? by_vcpu : by_time);
	json_open(&j, NULL, '{');
	json_i64(&j, "begin_ns", tl->from);
	json_i64(&j, "end_ns", tl->to);
	json_u64(&j, "columns", tl->width);
	if (tl->vcpus) {
		json_open(&j, "vcpus", '[');
		for (size_t i = 0; i < tl->n; i++)
			if (is_vcpu(tl, &tl->thread[i]))
				json_thread(tl, &tl->thread[i], &j);
		json_close(&j, ']');
	}
	json_open(&j, tl->threads ? "threads" : "cpus", '[');
	for (size_t i = 0, shown = 0; tl->threads && i < tl->n && shown < most; i++) {
		if (!timeline_shows(tl, &tl->thread[i]))
			continue;
		shown++;
		json_thread(tl, &tl->thread[i], &j);
	}
	for (size_t cpu = 0; !tl->threads && cpu < tl->n_tracks; cpu++)
		if (tl->tracks[cpu].comms)
			json_track(tl, cpu, &j);
	json_close(&j, ']');
	json_close(&j, '}');
	json_end_line(&j);
}
