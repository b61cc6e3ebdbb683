// SPDX-License-Identifier: LGPL-2.1-only
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include "core/compiler.h"
#include "core/zstd.h"

static struct zstd lib;
static bool found;

static void look(void)
{
	const struct {
		void **to;
		const char *name;
	} all[] = {
		{ (void **)&lib.create, "ZSTD_createCCtx" },
		{ (void **)&lib.destroy, "ZSTD_freeCCtx" },
		{ (void **)&lib.bound, "ZSTD_compressBound" },
		{ (void **)&lib.compress, "ZSTD_compressCCtx" },
		{ (void **)&lib.decompress, "ZSTD_decompress" },
		{ (void **)&lib.frame_len, "ZSTD_findFrameCompressedSize" },
		{ (void **)&lib.content, "ZSTD_getFrameContentSize" },
		{ (void **)&lib.failed, "ZSTD_isError" },
	};
	void *handle = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);

	found = handle;
	for (size_t i = 0; found && i < sizeof(all) / sizeof(*all); i++) {
		*all[i].to = dlsym(handle, all[i].name);
		found = *all[i].to;
	}
}

const struct zstd *zstd_get(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, look);
	return found ? &lib : NULL;
}
