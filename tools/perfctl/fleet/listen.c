// SPDX-License-Identifier: GPL-2.0
/* Answers by HTTP. See listen.h. */
#include "listen.h"

#include <errno.h>
#include <stdlib.h>

#ifdef HAVE_MICROHTTPD

#include <arpa/inet.h>
#include <dlfcn.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>

#define CONNECTIONS_MOST 16u
#define IDLE_SECONDS 30u
#define ANSWER_SECONDS 600u

static struct {
	void *lib;
	__typeof__(&MHD_start_daemon) start;
	__typeof__(&MHD_stop_daemon) stop;
	__typeof__(&MHD_create_response_from_buffer) create;
	__typeof__(&MHD_add_response_header) header;
	__typeof__(&MHD_queue_response) queue;
	__typeof__(&MHD_destroy_response) destroy;
	__typeof__(&MHD_lookup_connection_value) lookup;
} mhd;

struct listener {
	struct MHD_Daemon *daemon;
	listen_fn fn;
	void *arg;
};

static int load(struct msg *m)
{
	const struct {
		void **to;
		const char *name;
	} functions[] = {
		{ (void **)&mhd.start, "MHD_start_daemon" },
		{ (void **)&mhd.stop, "MHD_stop_daemon" },
		{ (void **)&mhd.create, "MHD_create_response_from_buffer" },
		{ (void **)&mhd.header, "MHD_add_response_header" },
		{ (void **)&mhd.queue, "MHD_queue_response" },
		{ (void **)&mhd.lookup, "MHD_lookup_connection_value" },
		{ (void **)&mhd.destroy, "MHD_destroy_response" },
	};

	mhd.lib = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
	if (!mhd.lib)
		return msg_set(
			m, -ENOENT,
			"--metrics is answered by libmicrohttpd, which is not installed: apt "
			"install libmicrohttpd12");
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		*functions[i].to = dlsym(mhd.lib, functions[i].name);
		if (!*functions[i].to)
			return msg_set(m, -ENOENT, "the libmicrohttpd that is installed has no %s",
				       functions[i].name);
	}
	return 0;
}

static enum MHD_Result answer(struct MHD_Connection *c, unsigned int status, const char *type,
			      struct strbuf *b)
{
	/* takes what is in it */
	struct MHD_Response *r = mhd.create(b->len, b->s, MHD_RESPMEM_MUST_FREE);
	enum MHD_Result ret = MHD_NO;

	if (!r) {
		strbuf_free(b);
		return MHD_NO;
	}
	mhd.header(r, "Content-Type", type);
	mhd.header(r, "X-Content-Type-Options", "nosniff");
	ret = mhd.queue(c, status, r);
	mhd.destroy(r);
	return ret;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *path,
				  const char *method, const char *version, const char *data,
				  size_t *len, void **state)
{
	const char *type = "text/plain; charset=utf-8", *typed;
	const struct listener *l = arg;
	unsigned int status = 405;
	struct strbuf b = { 0 };
	uint64_t seconds = 0;

	(void)version;
	(void)data;
	(void)state;
	/* answers come only to what is asked for */
	*len = 0;
	strbuf_add(&b, "", 0);
	if (!strcmp(method, "GET")) {
		typed = mhd.lookup(c, MHD_GET_ARGUMENT_KIND, "seconds");
		if (typed && (parse_u64(typed, &seconds) || !seconds || seconds > ANSWER_SECONDS))
			status = 400;
		else
			status = l->fn(l->arg, path, (unsigned int)seconds, &type, &b);
	}
	if (status != 200)
		strbuf_addf(&b, "%u\n", status);
	return answer(c, status, type, &b);
}

/* Who asks is not known, so that only this machine can, unless an address is typed. */
static int resolve(const char *typed, struct addrinfo **found, struct msg *m)
{
	const struct addrinfo hints = { .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
					.ai_socktype = SOCK_STREAM };
	const char *colon = strrchr(typed, ':');
	char *host;
	size_t len;
	int err;

	if (!colon || !colon[1])
		return msg_set(m, -EINVAL,
			       "--metrics takes ADDRESS:PORT, such as 127.0.0.1:9111, "
			       "not \"%s\"",
			       typed);
	len = (size_t)(colon - typed);
	host = len > 1 && typed[0] == '[' && colon[-1] == ']' ? xstrndup(typed + 1, len - 2) :
								xstrndup(typed, len);
	err = getaddrinfo(*host ? host : "127.0.0.1", colon + 1, &hints, found);
	if (err)
		err = msg_set(m, -EINVAL, "--metrics %s: %s; it takes an address in digits", typed,
			      gai_strerror(err));
	free(host);
	return err;
}

int listen_open(struct listener **l, const char *address, listen_fn fn, void *arg, struct msg *m)
{
	unsigned int flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
			     MHD_USE_POLL;
	struct addrinfo *at;
	int err = load(m);

	*l = NULL;
	if (!err)
		err = resolve(address, &at, m);
	if (err)
		return err;
	*l = xcalloc(1, sizeof(**l));
	(*l)->fn = fn;
	(*l)->arg = arg;
	(*l)->daemon = mhd.start(flags | (at->ai_family == AF_INET6 ? MHD_USE_IPv6 : 0), 0, NULL,
				 NULL, on_request, *l, MHD_OPTION_SOCK_ADDR, at->ai_addr,
				 MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MOST,
				 MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS, MHD_OPTION_END);
	freeaddrinfo(at);
	if ((*l)->daemon)
		return 0;
	free(*l);
	*l = NULL;
	return msg_set(m, -EIO, "--metrics %s: %s", address,
		       errno ? strerror(errno) : "cannot listen there");
}

void listen_close(struct listener *l)
{
	if (!l)
		return;
	mhd.stop(l->daemon);
	free(l);
}

#else

int listen_open(struct listener **l, const char *address, listen_fn fn, void *arg, struct msg *m)
{
	(void)address;
	(void)fn;
	(void)arg;
	*l = NULL;
	return msg_set(
		m, -ENOSYS,
		"this perfctl was built without libmicrohttpd, which answers --metrics: build "
		"it again with libmicrohttpd-dev installed");
}

void listen_close(struct listener *l)
{
	(void)l;
}

#endif
