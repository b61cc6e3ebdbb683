// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What a writer sends through a pipe is the trace that arrives, or is refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>
#include "sample.h"
#include "tap.h"

#define EVENTS 600

static char source[4096], arrived[4096], *sent;
static size_t sent_len;

/* Sends the trace at @source. Returns what the writer returned. */
static int send_trace(int fd, int (*full)(void *arg), void *arg)
{
	struct pev_trace *trace;
	struct pev_error err;
	struct pev_writer *w;
	const char *text;
	size_t len;
	int ret;

	if (pev_trace_open(source, 0, &trace, &err))
		return -1;
	ret = pev_writer_pipe(fd, full, arg, &w, &err);
	if (ret) {
		pev_trace_close(trace);
		return ret;
	}
	text = pev_meta_text(pev_trace_meta(trace, 0), &len);
	ret = pev_writer_metadata(w, text, len);
	for (unsigned int i = 0; !ret && i < pev_trace_nr_streams(trace); i++) {
		const struct pev_stream *s = pev_trace_stream(trace, i);

		ret = pev_writer_packets(w, (unsigned int)s->instance, s->data, s->size);
	}
	if (!ret)
		ret = pev_writer_info(w, "command", "two\nlines");
	if (!ret)
		ret = pev_writer_info_file(w, "notes", "of three", 8);
	pev_trace_close(trace);
	len = pev_writer_close(w);
	return ret ? ret : (int)len;
}

/* Receives into @arrived. Returns what the last call returned. */
static int receive(int fd, const void *head, size_t head_len)
{
	struct pev_writer *w;
	struct pev_pipe *pipe;
	struct pev_error err;
	int ret;

	remove_tree(arrived);
	if (pev_writer_open(arrived, 0, &w, &err) || pev_pipe_open(fd, head, head_len, w, &pipe))
		return -1;
	do
		ret = pev_pipe_read(pipe, &err);
	while (ret > 0 || ret == -EINTR);
	pev_pipe_close(pipe);
	pev_writer_close(w);
	return ret;
}

static int receive_part(size_t len)
{
	FILE *f = tmpfile();
	int ret = -1;

	if (!f)
		return ret;
	if (write(fileno(f), sent, len) == (ssize_t)len) {
		lseek(fileno(f), 0, SEEK_SET);
		ret = receive(fileno(f), NULL, 0);
	}
	fclose(f);
	return ret;
}

static bool same_streams(void)
{
	struct pev_trace *a, *b;
	bool same;

	if (pev_trace_open(source, 0, &a, NULL))
		return false;
	if (pev_trace_open(arrived, 0, &b, NULL)) {
		pev_trace_close(a);
		return false;
	}
	same = pev_trace_nr_streams(a) == pev_trace_nr_streams(b);
	for (unsigned int i = 0; same && i < pev_trace_nr_streams(a); i++) {
		const struct pev_stream *x = pev_trace_stream(a, i), *y = pev_trace_stream(b, i);

		same = x->size == y->size && !memcmp(x->data, y->data, x->size) &&
		       x->instance == y->instance;
	}
	pev_trace_close(a);
	pev_trace_close(b);
	return same;
}

static void test_round_trip(void)
{
	FILE *f = tmpfile();
	struct pev_trace *t;
	char head[8], *text;
	size_t len;

	check(f && !send_trace(fileno(f), NULL, NULL), "a trace is sent");
	sent_len = f ? (size_t)lseek(fileno(f), 0, SEEK_END) : 0;
	sent = malloc(sent_len + 1);
	check(sent && pread(fileno(f), sent, sent_len, 0) == (ssize_t)sent_len &&
		      pev_pipe_begins(sent, 8) && !pev_pipe_begins("PERFILE2", 8) &&
		      !pev_pipe_begins(sent, 3),
	      "its beginning says what it is");
	lseek(fileno(f), 0, SEEK_SET);
	check(read(fileno(f), head, sizeof(head)) == sizeof(head) &&
		      !receive(fileno(f), head, sizeof(head)),
	      "it arrives");
	check(same_streams(), "with the same packets");
	if (!pev_trace_open(arrived, 0, &t, NULL)) {
		check(!strcmp(pev_trace_info(t, "command"), "two\nlines") &&
			      !strcmp(pev_trace_info(t, "complete"), "yes"),
		      "what is known of it, too");
		check(!pev_trace_info_file(t, "notes", &text, &len) && len == 8 &&
			      !memcmp(text, "of three", 8),
		      "and files");
		free(text);
		pev_trace_close(t);
	}
	fclose(f);
}

static void test_damage(void)
{
	unsigned int cut = 0, all = 0;
	size_t step = sent_len / 400 + 1;

	for (size_t len = 2; len < sent_len; len += step) {
		cut += receive_part(len) == -ENODATA;
		all++;
	}
	check(cut == all, "a pipe that ends early: %u of %u say so", cut, all);
	check(receive_part(sent_len) == 0, "the whole arrives");
	check(receive_part(0) == -ENODATA, "nothing is no trace");
	sent[20] ^= 1;
	check(receive_part(sent_len) == -EBADMSG, "a frame that begins wrong");
	sent[20] ^= 1;
	sent[16] ^= 2;
	check(receive_part(sent_len) == -ENOTSUP, "what a later version sends");
	sent[16] ^= 2;
}

/* A frame after the one that begins */
static int receive_frame(uint16_t kind, const char *name, uint64_t len, const char *data)
{
	struct {
		uint32_t magic;
		uint16_t kind;
		uint16_t name;
		uint64_t len;
	} frame = { 0x46766550, kind, (uint16_t)strlen(name), len };
	FILE *f = tmpfile();
	int ret = -1;

	if (f && write(fileno(f), sent, 20) == 20 &&
	    write(fileno(f), &frame, sizeof(frame)) == sizeof(frame) &&
	    write(fileno(f), name, frame.name) == frame.name &&
	    write(fileno(f), data, strlen(data)) == (ssize_t)strlen(data)) {
		lseek(fileno(f), 0, SEEK_SET);
		ret = receive(fileno(f), NULL, 0);
	}
	if (f)
		fclose(f);
	return ret;
}

static void test_hostile(void)
{
	enum { METADATA = 2, RING, NAMED, INFO, INFO_FILE };

	check(receive_frame(INFO_FILE, "../planted", 1, "x") == -EBADMSG,
	      "a name that leads elsewhere");
	check(receive_frame(NAMED, "../planted", 0, "") == -EBADMSG, "... of a stream");
	check(receive_frame(NAMED, "", 0, "") == -EBADMSG, "... an empty one");
	check(receive_frame(RING, "-1", 0, "") == -EBADMSG, "a ring before the first");
	check(receive_frame(RING, "99999999999", 0, "") == -EBADMSG, "... behind the last");
	check(receive_frame(RING, "0", 5, "trash") == -EBADMSG, "what is not a packet");
	check(receive_frame(INFO, "a=b", 1, "c") == -EBADMSG, "a key that is none");
	check(receive_frame(METADATA, "", 1ULL << 60, "x") == -EBADMSG, "a length that can't be");
	check(receive_frame(METADATA, "", 200 << 20, "x") == -ENODATA, "... that does not come");
	check(receive_frame(999, "later", 1, "x") == -ENODATA, "an unknown kind is left out");
}

static int give_up(void *arg)
{
	return ++*(int *)arg > 1 ? -ETIMEDOUT : 0;
}

/* A reader that takes nothing, or that has gone */
static void test_reader(void)
{
	int fds[2], tries = 0;

	signal(SIGPIPE, SIG_IGN);
	check(!pipe(fds) && fcntl(fds[1], F_SETPIPE_SZ, 4096) > 0 &&
		      send_trace(fds[1], give_up, &tries) == -ETIMEDOUT && tries == 2,
	      "a reader that stops does not hold the writer");
	close(fds[0]);
	check(send_trace(fds[1], NULL, NULL) == -EPIPE, "a reader that ends");
	close(fds[1]);
	tries = 0;
	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds) &&
		      send_trace(fds[1], give_up, &tries) == -ETIMEDOUT,
	      "the same through a socket");
	close(fds[0]);
	close(fds[1]);
}

static void test_processes(void)
{
	int fds[2], status = 1;
	pid_t pid;

	if (pipe(fds))
		exit(1);
	pid = fork();
	if (!pid) {
		close(fds[0]);
		_exit(send_trace(fds[1], NULL, NULL) ? 1 : 0);
	}
	close(fds[1]);
	check(!receive(fds[0], NULL, 0) && same_streams(), "from one process to another");
	close(fds[0]);
	check(waitpid(pid, &status, 0) == pid && !status, "which ends");
}

int main(void)
{
	char *dir = test_dir();

	snprintf(source, sizeof(source), "%s/source", dir);
	snprintf(arrived, sizeof(arrived), "%s/arrived", dir);
	if (sample_trace(source, EVENTS, 4096))
		return 1;
	test_round_trip();
	test_damage();
	test_hostile();
	test_reader();
	test_processes();
	free(sent);
	remove_tree(dir);
	free(dir);
	return tap_done();
}
