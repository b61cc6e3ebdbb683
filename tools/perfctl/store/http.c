// SPDX-License-Identifier: GPL-2.0
/* Statements by HTTP, which libcurl speaks. See http.h. */
#include "http.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>

#ifdef HAVE_CURL

#include <curl/curl.h>
#include <dlfcn.h>
#include <zlib.h>

#define CONNECT_MS 5000L
/* A transfer that moves less than a byte a second for so long has failed. */
#define STALL_S 30L
/* The store gives up earlier than we do. */
#define STATEMENT_S 120L
#define ANSWER_MOST (1u << 30)
#define ERROR_MOST 2048

/* With libcurl come three dozen libraries, which would slow down the start of every command. */
static struct {
	void *lib;
	__typeof__(&curl_easy_init) init;
	__typeof__(&curl_easy_setopt) setopt;
	__typeof__(&curl_easy_perform) perform;
	__typeof__(&curl_easy_getinfo) getinfo;
	__typeof__(&curl_easy_escape) escape;
	__typeof__(&curl_easy_cleanup) cleanup;
	__typeof__(&curl_easy_reset) reset;
	__typeof__(&curl_free) free;
	__typeof__(&curl_slist_append) append;
	__typeof__(&curl_slist_free_all) free_list;
} curl;

struct http {
	const struct store_url *url;
	volatile bool *stop;
	CURL *easy;
	char error[CURL_ERROR_SIZE];
};

static int load(struct msg *m)
{
	static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };
	const struct {
		void **to;
		const char *name;
	} functions[] = {
		{ (void **)&curl.init, "curl_easy_init" },
		{ (void **)&curl.setopt, "curl_easy_setopt" },
		{ (void **)&curl.perform, "curl_easy_perform" },
		{ (void **)&curl.getinfo, "curl_easy_getinfo" },
		{ (void **)&curl.escape, "curl_easy_escape" },
		{ (void **)&curl.cleanup, "curl_easy_cleanup" },
		{ (void **)&curl.reset, "curl_easy_reset" },
		{ (void **)&curl.free, "curl_free" },
		{ (void **)&curl.append, "curl_slist_append" },
		{ (void **)&curl.free_list, "curl_slist_free_all" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names) && !curl.lib; i++)
		curl.lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!curl.lib)
		return msg_set(m, -ENOENT,
			       "stores are asked by libcurl, which is not installed: "
			       "apt install libcurl4");
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		*functions[i].to = dlsym(curl.lib, functions[i].name);
		if (!*functions[i].to)
			return msg_set(m, -ENOENT, "the libcurl that is installed has no %s",
				       functions[i].name);
	}
	return 0;
}

int http_open(const struct store_url *url, struct http **h, struct msg *m)
{
	int err = curl.free_list ? 0 : load(m);

	*h = NULL;
	if (err)
		return err;
	*h = xcalloc(1, sizeof(**h));
	(*h)->url = url;
	(*h)->easy = checked(curl.init());
	return 0;
}

void http_close(struct http *h)
{
	if (!h)
		return;
	curl.cleanup(h->easy);
	free(h);
}

void http_stop_by(struct http *h, volatile bool *stop)
{
	h->stop = stop;
}

static int on_progress(void *arg, curl_off_t total, curl_off_t now, curl_off_t to_send,
		       curl_off_t sent)
{
	const struct http *h = arg;

	(void)total;
	(void)now;
	(void)to_send;
	(void)sent;
	return h->stop && *h->stop;
}

static size_t take(char *data, size_t size, size_t n, void *arg)
{
	struct strbuf *b = arg;

	if (b->len + size * n > ANSWER_MOST)
		return 0;
	strbuf_add(b, data, size * n);
	return size * n;
}

static void deflate_body(const struct strbuf *body, struct strbuf *to)
{
	z_stream z = { 0 };
	uint8_t *out;
	uLong room;

	if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		checked(NULL);
	room = deflateBound(&z, body->len);
	out = xmalloc(room);
	z.next_in = (uint8_t *)body->s;
	z.avail_in = (uInt)body->len;
	z.next_out = out;
	z.avail_out = (uInt)room;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		checked(NULL);
	strbuf_add(to, out, z.total_out);
	deflateEnd(&z);
	free(out);
}

/* Rows follow a statement in the URL, else it is the body itself. */
static char *address(struct http *h, const char *sql, bool rows)
{
	char *text = rows ? checked(curl.escape(h->easy, sql, 0)) : NULL, *url;

	url = xasprintf("%s?database=%s&max_execution_time=%ld%s%s", h->url->server,
			h->url->database, STATEMENT_S,
			rows ? "&query=" :
			       "&wait_end_of_query=1"
			       "&enable_http_compression=1",
			rows ? text : "");
	curl.free(text);
	return url;
}

static void set_up(struct http *h, const char *url, const struct strbuf *body,
		   struct strbuf *answer)
{
	CURL *e = h->easy;

	curl.reset(e);
	h->error[0] = '\0';
	curl.setopt(e, CURLOPT_URL, url);
	curl.setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
	curl.setopt(e, CURLOPT_NOSIGNAL, 1L);
	curl.setopt(e, CURLOPT_ERRORBUFFER, h->error);
	curl.setopt(e, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	curl.setopt(e, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl.setopt(e, CURLOPT_LOW_SPEED_TIME, STATEMENT_S + STALL_S);
	curl.setopt(e, CURLOPT_POSTFIELDS, body->s ? body->s : "");
	curl.setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->len);
	curl.setopt(e, CURLOPT_WRITEFUNCTION, take);
	curl.setopt(e, CURLOPT_WRITEDATA, answer);
	curl.setopt(e, CURLOPT_ACCEPT_ENCODING, "gzip");
	curl.setopt(e, CURLOPT_NOPROGRESS, 0L);
	curl.setopt(e, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl.setopt(e, CURLOPT_XFERINFODATA, h);
	if (h->url->credentials) {
		curl.setopt(e, CURLOPT_NETRC, CURL_NETRC_OPTIONAL);
		curl.setopt(e, CURLOPT_NETRC_FILE, h->url->credentials);
	}
	if (h->url->ca)
		curl.setopt(e, CURLOPT_CAINFO, h->url->ca);
}

static int failed(struct http *h, CURLcode code, struct msg *m)
{
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_CONNECT:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
		return msg_set(m, -ENOTCONN, "%s: %s", h->url->server,
			       h->error[0] ? h->error : "there is no way to it");
	default:
		return msg_set(m, -EAGAIN, "%s: %s", h->url->server,
			       h->error[0] ? h->error : "its answer did not come");
	}
}

/* The store says in its body what was wrong; a body of others may be long, or no text. */
static int refused(struct http *h, long status, struct strbuf *answer, struct msg *m)
{
	char safe[ERROR_MOST];

	strbuf_add(answer, "", 1);
	if (answer->len > ERROR_MOST / 2)
		answer->s[ERROR_MOST / 2] = '\0';
	text_safe(safe, sizeof(safe), answer->s);
	if (status == 401 || status == 403 || strstr(safe, "REQUIRED_PASSWORD") ||
	    strstr(safe, "Code: 192,") || strstr(safe, "Code: 193,") || strstr(safe, "Code: 194,"))
		return msg_set(m, -EACCES, "%s does not let you in: %s", h->url->server, safe);
	return msg_set(m, -EIO, "%s refused a statement (%ld): %s", h->url->server, status, safe);
}

int http_ask(struct http *h, const char *sql, const struct strbuf *body, struct strbuf *answer,
	     struct msg *m)
{
	struct curl_slist *headers = curl.append(NULL, "Expect:");
	struct strbuf got = { 0 }, sent = { 0 };
	char *url = address(h, sql, body);
	long status = 0;
	CURLcode code;
	int err = 0;

	if (body) {
		deflate_body(body, &sent);
		headers = curl.append(headers, "Content-Encoding: gzip");
	} else {
		strbuf_puts(&sent, sql);
	}
	set_up(h, url, &sent, &got);
	curl.setopt(h->easy, CURLOPT_HTTPHEADER, checked(headers));
	code = curl.perform(h->easy);
	if (code == CURLE_OK)
		curl.getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
	if (code != CURLE_OK)
		err = failed(h, code, m);
	else if (status != 200)
		err = refused(h, status, &got, m);
	if (!err && answer)
		strbuf_add(answer, got.s ? got.s : "", got.len);
	curl.free_list(headers);
	strbuf_free(&sent);
	strbuf_free(&got);
	free(url);
	return err;
}

#else

int http_open(const struct store_url *url, struct http **h, struct msg *m)
{
	(void)url;
	*h = NULL;
	return msg_set(m, -ENOSYS,
		       "this perfctl was built without libcurl, by which stores are "
		       "asked: build it again with libcurl4-openssl-dev installed");
}

void http_close(struct http *h)
{
	(void)h;
}

void http_stop_by(struct http *h, volatile bool *stop)
{
	(void)h;
	(void)stop;
}

int http_ask(struct http *h, const char *sql, const struct strbuf *body, struct strbuf *answer,
	     struct msg *m)
{
	(void)h;
	(void)sql;
	(void)body;
	(void)answer;
	return msg_set(m, -ENOSYS, "this perfctl was built without libcurl");
}

#endif
