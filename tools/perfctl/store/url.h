/* SPDX-License-Identifier: GPL-2.0 */
/* Where a store is, and the credentials for it. */
#ifndef PERFCTL_STORE_URL_H
#define PERFCTL_STORE_URL_H

#include "base/util.h"
#include "cli/opt.h"

/**
 * struct store_opts - as typed
 * @credentials: file in the form of netrc(5), NULL: $HOME/.netrc if there is one
 * @ca:          file with the certificates that sign the store's; NULL: the system's
 */
struct store_opts {
	const char *credentials;
	const char *ca;
};

#define STORE_OPTS(type, member)                                                  \
	{ 0,                                                                      \
	  OPT_STRING,                                                             \
	  "credentials",                                                          \
	  "FILE",                                                                 \
	  "user and password for the store, as in .netrc; for you alone to read " \
	  "(default: ~/.netrc)",                                                  \
	  offsetof(type, member.credentials) },                                   \
	{                                                                         \
		0, OPT_STRING, "ca", "FILE",                                      \
			"what signs the certificate of an https store "           \
			"(default: what the system trusts)",                      \
			offsetof(type, member.ca)                                 \
	}

/**
 * struct store_url - http[s]://HOST[:PORT][/DATABASE]
 * @server:      up to the port, with a slash behind
 * @database:    "default" if there is none
 * @credentials: file that has them; NULL: none are sent
 * @ca:          as in store_opts
 */
struct store_url {
	char *server;
	char *database;
	char *credentials;
	const char *ca;
};

int store_url_parse(struct store_url *u, const char *text, const struct store_opts *o,
		    struct msg *m);
void store_url_free(struct store_url *u);
/* Refuses a file with secrets that others than its owner may read or write. */
int store_check_secret(const char *path, struct msg *m);

#endif
