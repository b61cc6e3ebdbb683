/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Tokens of the metadata. Functions that return int return 0 or -errno, pointers
 * are NULL, after a failure; the first failure is kept in the parser, and after
 * it every function fails.
 */
#ifndef _PEV_CTF_TSDL_LEX_H
#define _PEV_CTF_TSDL_LEX_H

#include "core/compiler.h"
#include "ctf/meta.h"

enum token_kind {
	TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN,
};

/* Signs of more than one character, in token.sign */
#define SIGN_ASSIGN_TYPE	256	/* := */
#define SIGN_RANGE		257	/* ... */

struct token {
	enum token_kind	kind;
	const char	*start;
	size_t		len;
	unsigned int	line;
	int		sign;
	uint64_t	number;
};

struct parser {
	struct pev_meta		*meta;
	const char		*pos;
	const char		*end;
	unsigned int		line;
	unsigned int		depth;
	struct token		token;
	struct pev_error	*err;
	bool			failed;
	int			error;
};

/* A value of an attribute: "path = value;" */
struct value {
	char		path[64];
	bool		is_number;
	bool		negative;
	uint64_t	number;
	const char	*text;		/* string, or dotted name */
	unsigned int	line;
};

/* Goes on to the next token, which is then in parser.token */
int tsdl_next(struct parser *p);
int tsdl_fail(struct parser *p, const char *fmt, ...) PEV_PRINTF(2, 3);
int tsdl_no_memory(struct parser *p);
void *tsdl_alloc(struct parser *p, size_t size);
int tsdl_digit(char c);
bool tsdl_is_sign(const struct parser *p, int sign);
bool tsdl_is_name(const struct parser *p, const char *name);
int tsdl_unexpected(struct parser *p, const char *wanted);
int tsdl_expect(struct parser *p, char sign);
bool tsdl_accept(struct parser *p, char sign);
const char *tsdl_take_name(struct parser *p, const char *wanted);
int tsdl_dotted(struct parser *p, char *buf, size_t room);
int tsdl_value(struct parser *p, struct value *v);
bool tsdl_upto(const struct value *v, uint64_t max);
int tsdl_need_number(struct parser *p, const struct value *v, uint64_t max);

#endif /* _PEV_CTF_TSDL_LEX_H */
