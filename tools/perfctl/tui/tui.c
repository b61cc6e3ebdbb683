// SPDX-License-Identifier: GPL-2.0
/*
 * Terminal interface: the loop and the keys. See tui.h.
 *
 * The recording is read by a thread of its own, which holds load.lock while it
 * changes the profile; here it is held while rows are made and drawn.
 */
#include "tui.h"
#include "draw.h"
#include "list.h"
#include "base/stop.h"
#include "base/text.h"
#include "report/out.h"
#include "session/fetch.h"
#include "annotate/annotate.h"
#include "base/clock.h"

#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>

#define REFRESH_MS 400

static const char *const orders[] = { "comm,dso,symbol", "symbol", "dso", "comm", "tid,comm" };

static void *reader(void *arg)
{
	struct tui *t = arg;
	int err = t->load->run ? t->load->run(t->load, &t->msg) : load_run(t->load, &t->msg);

	pthread_mutex_lock(&t->load->lock);
	t->failed = err != 0;
	t->dirty = t->done = true;
	pthread_mutex_unlock(&t->load->lock);
	return NULL;
}

static void came(void *arg, uint64_t done, uint64_t total)
{
	struct tui *t = arg;

	(void)done;
	(void)total;
	t->dirty = true;
}

static void start_screen(struct tui *t)
{
	setlocale(LC_CTYPE, "");
	set_escdelay(25);
	initscr();
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	if (t->color && has_colors()) {
		start_color();
		use_default_colors();
		init_pair(1, COLOR_RED, -1);
		init_pair(2, COLOR_GREEN, -1);
		init_pair(3, COLOR_CYAN, -1);
		init_pair(4, COLOR_BLUE, -1);
	}
}

/* Zooms in; takes ownership of @what. */
static void zoom(struct tui *t, char *what)
{
	struct tui_zoom *z = ARRAY_PUSH(t->zooms, t->n_zooms, t->cap_zooms);

	z->config = t->config;
	z->what = what;
	t->at = t->top = 0;
	t->dirty = true;
}

static void unzoom(struct tui *t)
{
	struct tui_zoom *z;

	if (!t->n_zooms)
		return;
	z = &t->zooms[--t->n_zooms];
	t->config = z->config;
	free(z->what);
	t->at = t->top = 0;
	t->dirty = true;
}

static void zoom_function(struct tui *t)
{
	uint32_t func = t->at < t->n_lines ? tui_line_func(t, &t->lines[t->at]) : UINT32_MAX;
	struct strbuf b = { 0 };

	if (func == UINT32_MAX) {
		snprintf(t->message, sizeof(t->message), "this line is no function");
		return;
	}
	stacks_func_name(&t->session->stacks, func, &b);
	zoom(t, b.s);
	t->config.through = func + 1;
}

static void zoom_thread(struct tui *t)
{
	const struct row_key *key = t->at < t->n_lines ? &t->rows.r[t->lines[t->at].row].key : NULL;
	unsigned int mask = t->config.sort.mask;
	struct strbuf b = { 0 };

	if (key && (mask & (1u << SORT_TID))) {
		zoom(t, xasprintf("thread %u", key->tid));
		t->config.by_tid = true;
		t->config.tid = key->tid;
	} else if (key && (mask & (1u << SORT_COMM))) {
		text_name(&b, machine_comm_name(&t->session->machine, key->comm));
		zoom(t, b.s);
		t->config.by_comm = true;
		t->config.comm_id = key->comm;
	} else {
		snprintf(t->message, sizeof(t->message),
			 "rows are of no program: press s to show them by program");
		return;
	}
	/* show what it did, by object and function */
	sort_parse(&t->config.sort, "dso,symbol", NULL, NULL, &t->msg);
}

static void next_order(struct tui *t)
{
	t->order = (t->order + 1) % ARRAY_SIZE(orders);
	sort_parse(&t->config.sort, orders[t->order], NULL, NULL, &t->msg);
	snprintf(t->message, sizeof(t->message), "by %s", orders[t->order]);
	t->at = t->top = 0;
	t->dirty = true;
}

static void next_event(struct tui *t)
{
	for (uint32_t k = 1; k <= t->session->names.n; k++) {
		uint32_t e = (uint32_t)((t->event + k) % t->session->names.n);

		if (!report_has_event(&t->load->profile, e))
			continue;
		if (e == t->event)
			snprintf(t->message, sizeof(t->message), "there is one event only");
		t->event = e;
		sort_parse(&t->config.sort, orders[t->order], NULL, NULL, &t->msg);
		t->at = t->top = 0;
		t->dirty = true;
		return;
	}
}

/* Shows the instructions of a function; selects the hottest one. */
static void annotate(struct tui *t)
{
	uint32_t func = t->at < t->n_lines ? tui_line_func(t, &t->lines[t->at]) : UINT32_MAX;
	struct tui_text *lines;
	struct annotation a;
	char *title;
	size_t hot = 0;

	if (func == UINT32_MAX) {
		snprintf(t->message, sizeof(t->message), "this line is no function");
		return;
	}
	annotate_make(&a, &t->load->profile, func, t->event);
	lines = xcalloc(a.n, sizeof(*lines));
	for (size_t i = 0; i < a.n; i++) {
		const struct annotate_line *l = &a.lines[i];
		double share = a.weight ? 100.0 * (double)l->weight / (double)a.weight : 0;

		if (l->is_source)
			lines[i].text = xasprintf("%9s  %s", "", l->text);
		else if (l->weight)
			lines[i].text = xasprintf("%8.2f%%  %8llx:  %s", share,
						  (unsigned long long)l->at, l->text);
		else
			lines[i].text = xasprintf("%9s  %8llx:  %s", "",
						  (unsigned long long)l->at, l->text);
		lines[i].color = l->is_source ? 3 : share >= 5 ? 1 : share >= 0.5 ? 2 : 0;
		if (!l->is_source && (a.lines[hot].is_source || l->weight > a.lines[hot].weight))
			hot = i;
	}
	title = xasprintf("%s in %s%s%s", a.name, object_name(&t->session->objects, a.object),
			  a.note ? ": " : "", a.note ? a.note : "");
	tui_pages(title, lines, a.n, hot);
	for (size_t i = 0; i < a.n; i++)
		free(lines[i].text);
	free(lines);
	free(title);
	annotate_free(&a);
}

static void search(struct tui *t)
{
	if (!tui_ask("/", t->search, sizeof(t->search)) || !t->search[0])
		return;
	if (!tui_find(t, 1))
		snprintf(t->message, sizeof(t->message), "nothing matches \"%.100s\"", t->search);
}

static void move_by(struct tui *t, int by)
{
	if (by < 0)
		t->at = t->at > (size_t)-by ? t->at - (size_t)-by : 0;
	else if (t->n_lines)
		t->at = min_u64(t->at + (size_t)by, t->n_lines - 1);
}

static bool move_key(struct tui *t, int c)
{
	int page = tui_body_height();

	switch (c) {
	case KEY_DOWN:
	case 'j':
		move_by(t, 1);
		return true;
	case KEY_UP:
	case 'k':
		move_by(t, -1);
		return true;
	case KEY_NPAGE:
	case ' ':
		move_by(t, page);
		return true;
	case KEY_PPAGE:
		move_by(t, -page);
		return true;
	case KEY_HOME:
	case 'g':
		t->at = 0;
		return true;
	case KEY_END:
	case 'G':
		t->at = t->n_lines ? t->n_lines - 1 : 0;
		return true;
	default:
		return false;
	}
}

/* Keys that choose which rows there are and how they are made */
static bool view_key(struct tui *t, int c)
{
	switch (c) {
	case 'z':
		zoom_function(t);
		return true;
	case 't':
		zoom_thread(t);
		return true;
	case 27:
	case KEY_BACKSPACE:
	case 127:
		unzoom(t);
		return true;
	case 's':
		next_order(t);
		return true;
	case 'c':
		t->config.children = !t->config.children;
		t->dirty = true;
		return true;
	case 'i':
		t->config.order = tree_inwards(&t->config) ? TREE_CALLEE : TREE_CALLER;
		t->dirty = true;
		return true;
	case '\t':
		next_event(t);
		return true;
	default:
		return false;
	}
}

/* Returns false to quit. */
static bool key(struct tui *t, int c)
{
	t->message[0] = 0;
	if (move_key(t, c) || view_key(t, c))
		return true;
	switch (c) {
	case 'q':
		return false;
	case '\n':
	case KEY_ENTER:
	case KEY_RIGHT:
		tui_toggle(t, false);
		break;
	case '*':
		tui_toggle(t, true);
		break;
	case KEY_LEFT:
		tui_close(t);
		break;
	case '/':
		search(t);
		break;
	case 'n':
	case 'N':
		if (t->search[0] && !tui_find(t, c == 'n' ? 1 : -1))
			snprintf(t->message, sizeof(t->message), "nothing matches");
		break;
	case 'a':
		annotate(t);
		break;
	case '?':
	case KEY_F(1):
		tui_help();
		break;
	default:
		break;
	}
	return true;
}

static bool rows_are_stale(const struct tui *t)
{
	return t->forgot != t->load->forgot;
}

static void loop(struct tui *t)
{
	int64_t made = 0;
	bool go_on = true;

	while (go_on) {
		int c;

		t->load->wanted = true;
		pthread_mutex_lock(&t->load->lock);
		t->load->wanted = false;
		if (rows_are_stale(t) ||
		    (t->dirty && (t->done || !t->rows.n || now_ms() - made >= REFRESH_MS))) {
			tui_make_rows(t);
			made = now_ms();
		}
		tui_draw(t);
		pthread_mutex_unlock(&t->load->lock);
		c = tui_key(t->done && !t->dirty ? -1 : REFRESH_MS / 4);
		if (tui_ended())
			break;
		if (c == ERR || c == KEY_RESIZE)
			continue;
		pthread_mutex_lock(&t->load->lock);
		if (rows_are_stale(t))
			tui_make_rows(t);
		go_on = key(t, c);
		pthread_mutex_unlock(&t->load->lock);
	}
}

int tui_run(struct load *l, const struct rows_config *config, double limit, bool color,
	    struct msg *m)
{
	struct tui t = {
		.load = l, .session = l->session, .config = *config, .limit = limit, .color = color
	};
	pthread_t thread;
	int err;

	/* the screen cuts them */
	t.config.full_names = true;
	l->progress = came;
	l->arg = &t;
	err = pthread_create(&thread, NULL, reader, &t);
	if (err)
		return msg_set(m, -err, "starting a thread: %s", strerror(err));
	/* not by the library, which would leave at once */
	stop_catch(&l->stop);
	fetch_silently();
	start_screen(&t);
	loop(&t);
	endwin();
	l->stop = true;
	pthread_join(thread, NULL);
	tui_list_free(&t);
	if (t.failed)
		*m = t.msg;
	return t.failed ? -EIO : 0;
}
