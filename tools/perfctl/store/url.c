// SPDX-License-Identifier: GPL-2.0
/* The URL of a store, as typed. See url.h. */
#include "url.h"
#include "sql.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int store_check_secret(const char *path, struct msg *m)
{
	struct stat st;

	if (stat(path, &st))
		return msg_set(m, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return msg_set(m, -EINVAL, "%s has credentials, and must be a regular file", path);
	if (st.st_uid != geteuid() && st.st_uid)
		return msg_set(m, -EACCES,
			       "%s has credentials, and belongs to user %u: it must be yours or "
			       "root's",
			       path, st.st_uid);
	if (st.st_mode & 077)
		return msg_set(
			m, -EACCES,
			"%s has credentials, and others may use it (mode %03o): chmod 600 %s", path,
			st.st_mode & 0777, path);
	return 0;
}

static int find_credentials(struct store_url *u, const char *typed, struct msg *m)
{
	const char *home = getenv("HOME");

	if (typed) {
		u->credentials = xstrdup(typed);
	} else if (home && *home) {
		u->credentials = xasprintf("%s/.netrc", home);
		if (access(u->credentials, F_OK)) {
			free(u->credentials);
			u->credentials = NULL;
		}
	}
	return u->credentials ? store_check_secret(u->credentials, m) : 0;
}

static int refuse(const char *text, const char *why, struct msg *m)
{
	return msg_set(m, -EINVAL,
		       "\"%s\": %s; a store is http://HOST:8123 or https://HOST:8443/DATABASE",
		       text, why);
}

int store_url_parse(struct store_url *u, const char *text, const struct store_opts *o,
		    struct msg *m)
{
	const char *host, *slash;

	*u = (struct store_url){ .ca = o->ca };
	if (!strncmp(text, "http://", 7))
		host = text + 7;
	else if (!strncmp(text, "https://", 8))
		host = text + 8;
	else
		return refuse(text, "it begins neither with http:// nor with https://", m);
	if (strpbrk(host, "@"))
		return refuse("(the URL)",
			      "user and password are not part of it, as everyone sees the command "
			      "line: write them into ~/.netrc",
			      m);
	if (strpbrk(host, "?# \t\n\\\"'"))
		return refuse(text, "it has signs that belong to no host or database", m);
	slash = strchrnul(host, '/');
	if (slash == host)
		return refuse(text, "it names no host", m);
	if (*slash && slash[1] && !sql_is_name(slash + 1))
		return refuse(text, "a database has letters, digits and underscores", m);
	u->server = xasprintf("%.*s/", (int)(slash - text), text);
	u->database = xstrdup(*slash && slash[1] ? slash + 1 : "default");
	return find_credentials(u, o->credentials, m);
}

void store_url_free(struct store_url *u)
{
	free(u->server);
	free(u->database);
	free(u->credentials);
	*u = (struct store_url){ 0 };
}
