// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Gets files by build id from debuginfod servers. Loads the client library only when
 * needed, as it brings in libcurl and its dependencies; most machines have no server.
 * The process has one client, so that connections are used again.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include "object/debuginfod.h"

typedef int (*progress_fn)(void *client, long done, long total);
typedef int (*find_fn)(void *client, const unsigned char *id, int len, char **path);

static struct {
	pthread_mutex_t	lock;
	bool		tried;
	void		*handle;
	find_fn		find[2];
	void		(*set_progress)(void *client, progress_fn fn);
	void		(*set_data)(void *client, void *data);
	void		*(*get_data)(void *client);
} client = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void resolve(void)
{
	void *lib = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL), *(*begin)(void) = NULL;

	client.tried = true;
	if (!lib)
		return;
	*(void **)&begin = dlsym(lib, "debuginfod_begin");
	*(void **)&client.find[0] = dlsym(lib, "debuginfod_find_executable");
	*(void **)&client.find[1] = dlsym(lib, "debuginfod_find_debuginfo");
	*(void **)&client.set_progress = dlsym(lib, "debuginfod_set_progressfn");
	*(void **)&client.set_data = dlsym(lib, "debuginfod_set_user_data");
	*(void **)&client.get_data = dlsym(lib, "debuginfod_get_user_data");
	if (begin && client.find[0] && client.find[1] && client.set_progress && client.set_data &&
	    client.get_data)
		client.handle = begin();
}

static void ready(void)
{
	pthread_mutex_lock(&client.lock);
	if (!client.tried)
		resolve();
	pthread_mutex_unlock(&client.lock);
}

static int on_progress(void *handle, long done, long total)
{
	struct fetch *fetch = client.get_data(handle);

	if (!fetch->gave_up && fetch->fn)
		fetch->gave_up = fetch->fn(fetch->arg, done < 0 ? 0 : (uint64_t)done,
					   total < 0 ? 0 : (uint64_t)total);
	return fetch->gave_up;
}

void debuginfod_watch(void *handle, struct fetch *fetch)
{
	ready();
	if (!handle || !client.handle)
		return;
	client.set_data(handle, fetch);
	client.set_progress(handle, on_progress);
}

int debuginfod_get(const struct elf_id *id, bool debug, struct fetch *fetch, char **path)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	int fd;

	if (!urls || !*urls)
		return -ENOSYS;
	if (fetch->gave_up)
		return -ECANCELED;
	ready();
	if (!client.handle)
		return -ENOPKG;
	pthread_mutex_lock(&client.lock);
	client.set_data(client.handle, fetch);
	client.set_progress(client.handle, on_progress);
	fd = client.find[debug](client.handle, id->bytes, id->len, path);
	pthread_mutex_unlock(&client.lock);
	return fd;
}
