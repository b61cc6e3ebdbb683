/* SPDX-License-Identifier: GPL-2.0 */
/* How values and names are shown to people and to programs. */
#ifndef PERFCTL_BASE_TEXT_H
#define PERFCTL_BASE_TEXT_H

#include "util.h"

/* Length of the valid, printable UTF-8 sequence at @s, 0 if there is none. */
size_t text_utf8_len(const unsigned char *s);
/*
 * Names come from untrusted programs and files: control bytes and broken UTF-8
 * are shown as \xNN, so that no terminal obeys them.
 */
void text_name(struct strbuf *b, const char *s);
/* Writes any bytes as a string of C, in ASCII. */
void text_quoted(struct strbuf *b, const void *data, size_t len);
/* Like text_name(), into a buffer; returns it. */
const char *text_safe(char *buf, size_t size, const char *s);
/*
 * Appends a function's own name: "hash" of "int ns::Map<int>::hash<long>(char const*) const".
 * Names of C are the same.
 */
void text_base_name(struct strbuf *b, const char *name);
/*
 * Appends a function's name without parameters, return type and arguments of templates:
 * "ns::Map<>::hash" of the same. Names of C, Go and generated code are the same.
 */
void text_short_name(struct strbuf *b, const char *name);
/* Columns that a string (already made safe) takes on a terminal. */
size_t text_width(const char *s);

/* 1234567 as "1,234,567" */
const char *text_count(char buf[32], uint64_t v);
/* The ending of what is counted: "" behind 1, else "s" */
const char *text_s(uint64_t n);
/* 1536 as "1.5 KiB" */
const char *text_bytes(char buf[32], uint64_t v);
/* 1500000 as "1.50 ms" */
const char *text_ns(char buf[32], uint64_t ns);

/* Prints words in lines of 80 columns: the first one goes on at @column, others are indented. */
void text_wrapped(FILE *out, const char *text, int indent, int column);

/* A CSV cell, quoted where @sep or a quote is in it. */
void text_csv(struct strbuf *b, const char *s, const char *sep);

#endif
