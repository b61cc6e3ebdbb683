// SPDX-License-Identifier: GPL-2.0
/* Whose a perf.data is. See perf_file.h. */
#include "perf_file.h"

#include <fcntl.h>
#include <unistd.h>

static bool read_at(int fd, void *to, size_t len, uint64_t at)
{
	return at <= INT64_MAX && pread(fd, to, len, (off_t)at) == (ssize_t)len;
}

/* Sections of features follow the records; their order is that of the bits. */
static bool version_is_ours(int fd, const struct perf_file_header *h)
{
	uint64_t below = h->features[0] & ((1ULL << PERF_FEAT_VERSION) - 1);
	char text[sizeof(uint32_t) + sizeof(PERF_OUR_VERSION) - 1];
	struct perf_file_section s;

	if (!(h->features[0] & 1ULL << PERF_FEAT_VERSION))
		return false;
	return read_at(fd, &s, sizeof(s), h->data.offset + h->data.size +
		       (uint64_t)__builtin_popcountll(below) * sizeof(s)) &&
	       read_at(fd, text, sizeof(text), s.offset) &&
	       !memcmp(text + sizeof(uint32_t), PERF_OUR_VERSION, sizeof(PERF_OUR_VERSION) - 1);
}

bool perf_file_is_original(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct perf_file_header h = { 0 };
	bool is_perf;

	if (fd < 0)
		return false;
	is_perf = pread(fd, &h, sizeof(h), 0) >= (ssize_t)sizeof(h.magic) &&
		  (h.magic == PERF_FILE_MAGIC || h.magic == PERF_FILE_MAGIC_OTHER);
	if (is_perf && h.size == sizeof(h) && version_is_ours(fd, &h))
		is_perf = false;
	close(fd);
	return is_perf;
}
