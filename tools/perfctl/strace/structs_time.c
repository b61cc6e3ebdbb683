// SPDX-License-Identifier: GPL-2.0
/* Times that calls take and give. See structs_time.h. */
#include "structs_time.h"

#include <inttypes.h>
#include <sys/stat.h>

/* Two numbers of 8 bytes on all architectures */
#define SIZE 16

static void put_time(struct strbuf *b, const struct struct_bytes *s, size_t at, const char *part)
{
	strbuf_addf(b, "{tv_sec=%" PRId64 ", %s=%" PRId64 "}", (int64_t)struct_u64(s, at), part,
		    (int64_t)struct_u64(s, at + 8));
}

/* Of a file: it may be the present, or stay as it is. */
static void put_file_time(struct strbuf *b, const struct struct_bytes *s)
{
	int64_t ns = (int64_t)struct_u64(s, 8);

	if (ns == UTIME_NOW || ns == UTIME_OMIT)
		strbuf_puts(b, ns == UTIME_NOW ? "UTIME_NOW" : "UTIME_OMIT");
	else
		put_time(b, s, 0, "tv_nsec");
}

static void put_file_timeval(struct strbuf *b, const struct struct_bytes *s)
{
	put_time(b, s, 0, "tv_usec");
}

void put_timespec(struct strbuf *b, const struct struct_bytes *s)
{
	if (s->len == SIZE)
		put_time(b, s, 0, "tv_nsec");
	else
		struct_array(b, s, SIZE, put_file_time);
}

void put_timeval(struct strbuf *b, const struct struct_bytes *s)
{
	if (s->len == SIZE)
		put_time(b, s, 0, "tv_usec");
	else
		struct_array(b, s, SIZE, put_file_timeval);
}

static void put_timer(struct strbuf *b, const struct struct_bytes *s, const char *part)
{
	strbuf_puts(b, "{it_interval=");
	put_time(b, s, 0, part);
	strbuf_puts(b, ", it_value=");
	put_time(b, s, SIZE, part);
	strbuf_putc(b, '}');
}

void put_itimerspec(struct strbuf *b, const struct struct_bytes *s)
{
	put_timer(b, s, "tv_nsec");
}

void put_itimerval(struct strbuf *b, const struct struct_bytes *s)
{
	put_timer(b, s, "tv_usec");
}

void put_rusage(struct strbuf *b, const struct struct_bytes *s)
{
	strbuf_puts(b, "{ru_utime=");
	put_time(b, s, 0, "tv_usec");
	strbuf_puts(b, ", ru_stime=");
	put_time(b, s, SIZE, "tv_usec");
	strbuf_puts(b, ", ...}");
}
