// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Gets files by build id from debuginfod servers. Loads the client library only when
 * needed, as it brings in libcurl and its dependencies; most machines have no server.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include "object/debuginfod.h"

struct client {
	void	*lib;
	void	*(*begin)(void);
	void	(*end)(void *client);
	int	(*find)(void *client, const unsigned char *id, int len, char **path);
};

static bool resolve(struct client *c, const char *what)
{
	c->lib = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!c->lib)
		return false;
	*(void **)&c->begin = dlsym(c->lib, "debuginfod_begin");
	*(void **)&c->end = dlsym(c->lib, "debuginfod_end");
	*(void **)&c->find = dlsym(c->lib, what);
	return c->begin && c->end && c->find;
}

int debuginfod_get(const struct elf_id *id, bool debug, char **path)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct client c;
	void *client;
	int fd;

	if (!urls || !*urls)
		return -ENOSYS;
	if (!resolve(&c, debug ? "debuginfod_find_debuginfo" : "debuginfod_find_executable"))
		return -ENOPKG;
	client = c.begin();
	if (!client)
		return -ENOMEM;
	fd = c.find(client, id->bytes, id->len, path);
	c.end(client);
	return fd;
}
