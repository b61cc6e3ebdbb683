// SPDX-License-Identifier: GPL-2.0
/*
 * Where a recording is streamed to. See url.h. Names become directories at the relay, and parts of
 * the URLs by which viewers find them.
 */
#include "url.h"

#include <errno.h>
#include <stdlib.h>

#define SCHEME "net://"
#define CONTROL_PORT 5342
#define DATA_PORT 5343
/* the relay's limits, less the NUL */
#define SESSION_MOST 200
#define HOSTNAME_MOST 63

bool relay_url_is(const char *text)
{
	return !strncmp(text, SCHEME, strlen(SCHEME));
}

static int refuse(const char *text, const char *why, struct msg *m)
{
	return msg_set(m, -EINVAL,
		       "\"%s\": %s; a relay is net://HOST[:CONTROL-PORT:DATA-PORT][/SESSION]", text,
		       why);
}

/* May it be a directory of that name, and a part of a URL? */
static bool is_name(const char *s, size_t most)
{
	size_t len = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");

	return len && len <= most && !s[len] && *s != '.' && *s != '-';
}

static int parse_port(const char **at, uint16_t *port)
{
	unsigned long n;
	char *end;

	if (**at != ':')
		return 0;
	if ((*at)[1] < '0' || (*at)[1] > '9')
		return -EINVAL;
	n = strtoul(*at + 1, &end, 10);
	if (!n || n > 65535)
		return -EINVAL;
	*port = (uint16_t)n;
	*at = end;
	return 0;
}

/* Returns what is behind the host; NULL: there is none. */
static const char *parse_host(struct relay_url *u, const char *at)
{
	bool v6 = *at == '[';
	size_t len = v6 ? strcspn(at, "]/") : strcspn(at, ":/");

	if (len == v6 || (v6 && at[len] != ']'))
		return NULL;
	u->host = xstrndup(at + v6, len - v6);
	return at + len + v6;
}

static int parse(struct relay_url *u, const char *text, int pid, struct msg *m)
{
	const char *at = text + strlen(SCHEME);

	if (strpbrk(at, "@?# \t\n\\\"'"))
		return refuse("(the URL)", "it has signs that belong to no host or session", m);
	at = parse_host(u, at);
	if (!at)
		return refuse(text, "it names no host", m);
	if (parse_port(&at, &u->control) || parse_port(&at, &u->data) || (*at && *at != '/'))
		return refuse(text, "a port is a number up to 65535", m);
	u->session = *at && at[1] ? xstrdup(at + 1) : xasprintf("perfctl-%d", pid);
	if (!is_name(u->session, SESSION_MOST))
		return refuse(
			text,
			"a session has letters, digits, \".\", \"_\" and \"-\", 200 at most, and "
			"begins with a letter or digit",
			m);
	return 0;
}

int relay_url_parse(struct relay_url *u, const char *text, const char *hostname, int pid,
		    struct msg *m)
{
	int err;

	*u = (struct relay_url){ .control = CONTROL_PORT, .data = DATA_PORT };
	err = parse(u, text, pid, m);
	if (!err && !is_name(hostname, HOSTNAME_MOST))
		err = msg_set(
			m, -EINVAL,
			"this machine's name, by which the relay sorts recordings, cannot be a "
			"directory there: it must have letters, digits, \".\", \"_\" and \"-\", 63 at "
			"most (see hostname(1))");
	if (!err) {
		u->text = xstrdup(text);
		u->hostname = xstrdup(hostname);
	} else {
		relay_url_free(u);
	}
	return err;
}

void relay_url_free(struct relay_url *u)
{
	free(u->text);
	free(u->host);
	free(u->session);
	free(u->hostname);
	*u = (struct relay_url){ 0 };
}
