// SPDX-License-Identifier: GPL-2.0
/* Terminal interface: drawing. See tui.h. */
#include "draw.h"
#include "list.h"
#include "tui.h"
#include "base/stop.h"
#include "base/text.h"
#include "report/print.h"

#include <curses.h>
#include <poll.h>
#include <stdlib.h>

/* how often it is looked for the end meanwhile */
#define KEY_MS 1000

#define PAIR_MUCH 1
#define PAIR_SOME 2
#define PAIR_SOFT 3
#define PAIR_BAR 4

/* narrower terminals lose columns, the least important first */
#define WIDTH_ALL 76
#define WIDTH_SOME 44

int tui_body_height(void)
{
	return LINES > 3 ? LINES - 3 : 1;
}

static void bar_line(int y, const char *left, const char *right)
{
	int room = COLS - (int)text_width(right) - 2;

	attron(COLOR_PAIR(PAIR_BAR) | A_REVERSE);
	mvhline(y, 0, ' ', COLS);
	mvaddnstr(y, 1, left, COLS > 1 ? COLS - 1 : 0);
	if (room > (int)text_width(left) + 2)
		mvaddstr(y, room + 1, right);
	attroff(COLOR_PAIR(PAIR_BAR) | A_REVERSE);
}

static chtype share_color(double share)
{
	return share >= 5   ? COLOR_PAIR(PAIR_MUCH) | A_BOLD :
	       share >= 0.5 ? COLOR_PAIR(PAIR_SOME) :
			      A_NORMAL;
}

static void put_share(double share, chtype base)
{
	attron(share_color(share));
	printw("%7.2f%%", share);
	attroff(share_color(share));
	attron(base);
}

/* Puts UTF-8 text, cut to a number of columns. */
static void put_cut(const char *s, int room)
{
	int n = 0, used = 0;

	while (s[n] && used < room) {
		n++;
		while (((unsigned char)s[n] & 0xc0) == 0x80)
			n++;
		used++;
	}
	addnstr(s, n);
	for (; used < room; used++)
		addch(' ');
}

static void line_name(const struct tui *t, const struct tui_line *l, struct strbuf *b)
{
	struct profile *p = &t->load->profile;
	uint32_t func = tui_line_func(t, l);

	for (uint32_t i = 0; i < l->depth && i < 40; i++)
		strbuf_puts(b, "  ");
	strbuf_puts(b, !l->kids ? "  " : l->open ? "- " : "+ ");
	if (l->node || func != UINT32_MAX)
		stacks_func_name(p->stacks, func, b);
	else
		report_cell(&t->rows, &t->rows.r[l->row], t->config.sort.keys[t->config.sort.n - 1],
			    &t->session->names, b);
}

static int column_width(const struct tui *t, unsigned int k)
{
	enum sort_key key = t->config.sort.keys[k];

	if (COLS < WIDTH_SOME || (COLS < WIDTH_ALL && key != SORT_COMM))
		return 0;
	return sort_is_number(key) ? 8 : key == SORT_DSO ? (COLS >= 110 ? 26 : 18) : 16;
}

static void draw_line(const struct tui *t, const struct tui_line *l, int y, bool chosen)
{
	const struct row *row = &t->rows.r[l->row];
	uint64_t weight = l->node ? t->trees[l->row].nodes[l->node].weight : row->total;
	chtype base = chosen ? A_REVERSE : A_NORMAL;
	struct strbuf b = { 0 };

	move(y, 0);
	attron(base);
	put_share(report_share(&t->rows, weight), base);
	if (t->config.children && COLS >= WIDTH_SOME) {
		if (l->node)
			printw("%9s", "");
		else
			addch(' '), put_share(report_share(&t->rows, row->self), base);
	}
	for (unsigned int k = 0; k + 1 < t->config.sort.n; k++) {
		int width = column_width(t, k);

		if (!width)
			continue;
		strbuf_reset(&b);
		strbuf_add(&b, "", 0);
		if (!l->node)
			report_cell(&t->rows, row, t->config.sort.keys[k], &t->session->names, &b);
		addstr("  ");
		put_cut(b.s, width);
	}
	strbuf_reset(&b);
	line_name(t, l, &b);
	addstr("  ");
	if (COLS > getcurx(stdscr))
		put_cut(b.s, COLS - getcurx(stdscr));
	attroff(base);
	strbuf_free(&b);
}

static void draw_headings(const struct tui *t)
{
	static const char *const names[] = {
		[SORT_COMM] = "Program", [SORT_DSO] = "Object",	    [SORT_SYMBOL] = "Function",
		[SORT_PID] = "Process",	 [SORT_TID] = "Thread",	    [SORT_CPU] = "CPU",
		[SORT_EVENT] = "Event",	 [SORT_SRCLINE] = "Source", [SORT_PARENT] = "Called by",
		[SORT_TIME] = "Seconds", [SORT_GUEST] = "Guest",    [SORT_REQUEST] = "Request",
		[SORT_NODE] = "Node",	 [SORT_SOCKET] = "Socket",  [SORT_CORE] = "Core",
		[SORT_VCPU] = "vCPU",	 [SORT_EXIT] = "Left for",
	};

	move(1, 0);
	attron(A_BOLD);
	addstr(t->config.children ? "   Total" : "   Share");
	if (t->config.children && COLS >= WIDTH_SOME)
		addstr("     Self");
	for (unsigned int k = 0; k < t->config.sort.n; k++) {
		enum sort_key key = t->config.sort.keys[k];
		bool last = k + 1 == t->config.sort.n;
		const char *name = key >= SORT_FIELD ? sort_name(&t->config.sort, key) : names[key];

		if (!last && !column_width(t, k))
			continue;
		addstr(last ? "    " : "  ");
		if (COLS > getcurx(stdscr))
			put_cut(name, last ? COLS - getcurx(stdscr) : column_width(t, k));
	}
	attroff(A_BOLD);
}

static void draw_bars(struct tui *t)
{
	struct strbuf b = { 0 };
	char n[32], right[96] = "";
	const struct load *l = t->load;

	if (t->event == UINT32_MAX) {
		strbuf_puts(&b, t->done ? "no samples" : "reading...");
	} else {
		text_name(&b, strtab_get(&t->session->names, t->event));
		if (!l->run)
			strbuf_addf(&b, ": %s sample%s", text_count(n, t->rows.samples),
				    text_s(t->rows.samples));
	}
	for (size_t i = 0; i < t->n_zooms; i++)
		strbuf_addf(&b, " > %s", t->zooms[i].what);
	if (l->live[0])
		snprintf(right, sizeof(right), "%s", l->live);
	else if (t->load->run)
		snprintf(right, sizeof(right), "waiting for samples");
	else if (!t->done)
		snprintf(right, sizeof(right), "reading %d %%",
			 l->total ? (int)(100 * min_u64(l->done, l->total) / l->total) : 0);
	else
		snprintf(right, sizeof(right), "perfctl report");
	bar_line(0, b.s, right);
	strbuf_free(&b);
	if (t->message[0])
		bar_line(LINES - 1, t->message, "? help");
	else
		bar_line(LINES - 1, "Enter open  / search  z zoom  a annotate  Tab event  q quit",
			 "? help");
}

void tui_draw(struct tui *t)
{
	size_t body = (size_t)tui_body_height();

	erase();
	if (t->at < t->top)
		t->top = t->at;
	if (t->at >= t->top + body)
		t->top = t->at - body + 1;
	if (t->n_lines <= body)
		t->top = 0;
	draw_bars(t);
	if (t->event != UINT32_MAX && LINES > 3)
		draw_headings(t);
	for (size_t i = 0; i < body && t->top + i < t->n_lines; i++)
		draw_line(t, &t->lines[t->top + i], (int)i + 2, t->top + i == t->at);
	refresh();
}

static bool terminal_gone;

bool tui_ended(void)
{
	return terminal_gone || stop_wanted();
}

int tui_key(int timeout_ms)
{
	struct pollfd p = { .events = POLLIN };
	int c;

	do {
		/* a signal may come just before the wait */
		timeout(timeout_ms < 0 ? KEY_MS : timeout_ms);
		c = getch();
		if (c == ERR && poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR))
			terminal_gone = true;
	} while (c == ERR && timeout_ms < 0 && !tui_ended());
	return c;
}

bool tui_ask(const char *what, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = 0;
	for (;;) {
		int c;

		move(LINES - 1, 0);
		clrtoeol();
		printw("%s%s", what, buf);
		refresh();
		c = tui_key(-1);
		if (c == 27 || c == ERR)
			return false;
		if (c == '\n' || c == KEY_ENTER)
			return true;
		if ((c == KEY_BACKSPACE || c == 127 || c == 8) && len)
			buf[--len] = 0;
		else if (c >= 32 && c < 256 && c != 127 && len + 1 < size) {
			buf[len++] = (char)c;
			buf[len] = 0;
		}
	}
}

static void draw_page(const char *title, const struct tui_text *lines, size_t n, size_t top,
		      size_t at)
{
	static const int pairs[] = { 0, PAIR_MUCH, PAIR_SOME, PAIR_SOFT };
	size_t body = (size_t)tui_body_height() + 1;
	char right[48];

	erase();
	snprintf(right, sizeof(right), "%zu of %zu", n ? at + 1 : 0, n);
	bar_line(0, title, right);
	for (size_t i = 0; i < body && top + i < n; i++) {
		chtype attr = (chtype)COLOR_PAIR(pairs[lines[top + i].color]) |
			      (top + i == at ? A_REVERSE : A_NORMAL);

		move((int)i + 1, 0);
		attron(attr);
		put_cut(lines[top + i].text, COLS);
		attroff(attr);
	}
	bar_line(LINES - 1, "Up Down move  h hottest  q back", "");
	refresh();
}

void tui_pages(const char *title, const struct tui_text *lines, size_t n, size_t at)
{
	size_t top = 0, home = at;

	for (;;) {
		size_t body = (size_t)tui_body_height() + 1;
		int c;

		if (at < top)
			top = at;
		if (at >= top + body)
			top = at - body / 2;
		draw_page(title, lines, n, top, at);
		c = tui_key(-1);
		if (c == 'q' || c == 27 || c == KEY_LEFT || c == ERR)
			return;
		if ((c == KEY_DOWN || c == 'j') && at + 1 < n)
			at++;
		else if ((c == KEY_UP || c == 'k') && at)
			at--;
		else if (c == KEY_NPAGE || c == ' ')
			at = at + body < n ? at + body : n ? n - 1 : 0;
		else if (c == KEY_PPAGE)
			at = at > body ? at - body : 0;
		else if (c == KEY_HOME || c == 'g')
			at = 0;
		else if (c == KEY_END || c == 'G')
			at = n ? n - 1 : 0;
		else if (c == 'h')
			at = home;
	}
}

void tui_help(void)
{
	static const char *const text[] = {
		"Up, Down, j, k      move; also PageUp, PageDown, Home, End",
		"Enter, Right        open or close a branch",
		"*                   open all of a branch",
		"Left                close it, or go to the one above",
		"/                   search; n and N go on and back",
		"z                   zoom into a function: only what goes through it",
		"t                   zoom into a program; into a thread if threads are shown",
		"s                   show by function, object, program, thread, or all three",
		"c                   add up what functions called, or not",
		"i                   turn trees around: callers, or from the outermost inwards",
		"a                   annotate: the instructions of a function with their shares",
		"Tab                 the next event",
		"Esc, Backspace      back from a zoom",
		"?                   this",
		"q                   quit",
	};
	struct tui_text lines[ARRAY_SIZE(text)];

	for (size_t i = 0; i < ARRAY_SIZE(text); i++)
		lines[i] = (struct tui_text){ .text = (char *)text[i] };
	tui_pages("Keys", lines, ARRAY_SIZE(text), 0);
}
