/* SPDX-License-Identifier: GPL-2.0 */
/* JSON, which is valid whatever bytes a name has. */
#ifndef PERFCTL_BASE_JSON_H
#define PERFCTL_BASE_JSON_H

#include "util.h"

/*
 * "text": control characters, and each byte of what is not clean UTF-8, become
 * \u00NN.
 */
void json_text(struct strbuf *b, const char *text);

/**
 * struct json - writes JSON as it comes
 * @out:   where to
 * @depth: levels that are open
 * @items: at each level, whether something is there already
 */
struct json {
	FILE *out;
	unsigned int depth;
	bool items[32];
};

void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);
void json_string(struct json *j, const char *key, const char *v);
void json_u64(struct json *j, const char *key, uint64_t v);
void json_i64(struct json *j, const char *key, int64_t v);
void json_double(struct json *j, const char *key, double v, int digits);
void json_bool(struct json *j, const char *key, bool v);
void json_null(struct json *j, const char *key);
void json_end_line(struct json *j);

#endif
