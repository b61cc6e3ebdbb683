// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Node.js: says for which span the calling thread works, so that records of the kernel carry
 * it. register.js calls this; it knows nothing of OpenTelemetry.
 *
 *	attach()		once in each thread; returns what is wrong, or null
 *	record(trace, span)	a record of the identifiers, in hexadecimal, as long as it is used
 *	point(record)		work for it from now on; null: for none
 */
#define NAPI_VERSION 8
#include <node_api.h>
#include <pev/context.h>
#include <stdlib.h>

#define CHECK(call)                                                           \
	do {                                                                  \
		if ((call) != napi_ok) {                                      \
			napi_throw_error(env, NULL, "pev: " #call " failed"); \
			return NULL;                                          \
		}                                                             \
	} while (0)

static __thread struct pev_thread_context *current;

static napi_value attach(napi_env env, napi_callback_info info)
{
	struct pev_error why;
	napi_value result;

	(void)info;
	if (pev_context_attach(&current, &why))
		CHECK(napi_create_string_utf8(env, why.text, NAPI_AUTO_LENGTH, &result));
	else
		CHECK(napi_get_null(env, &result));
	return result;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Returns whether @value is a string of 2 * @n hexadecimal digits. */
static bool parse(napi_env env, napi_value value, uint8_t *bytes, size_t n)
{
	char text[33];
	size_t len;

	if (napi_get_value_string_latin1(env, value, text, sizeof(text), &len) != napi_ok ||
	    len != 2 * n)
		return false;
	for (size_t i = 0; i < n; i++) {
		int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static void forget(napi_env env, void *record, void *unused)
{
	(void)env;
	(void)unused;
	/* it may be that of the last point(), whose span has ended */
	if (current == record)
		pev_context_point(&current, NULL);
	free(record);
}

static napi_value record(napi_env env, napi_callback_info info)
{
	uint8_t trace[16], span[8];
	struct pev_thread_context *c;
	napi_value args[2], result;
	size_t argc = 2;

	CHECK(napi_get_cb_info(env, info, &argc, args, NULL, NULL));
	if (argc < 2 || !parse(env, args[0], trace, sizeof(trace)) ||
	    !parse(env, args[1], span, sizeof(span))) {
		napi_throw_type_error(env, NULL, "a trace id of 32 and a span id of 16 digits");
		return NULL;
	}
	c = malloc(sizeof(*c));
	if (!c) {
		napi_throw_error(env, NULL, "no memory");
		return NULL;
	}
	pev_context_write(c, trace, span);
	if (napi_create_external(env, c, forget, NULL, &result) != napi_ok) {
		free(c);
		napi_throw_error(env, NULL, "no memory");
		return NULL;
	}
	return result;
}

static napi_value point(napi_env env, napi_callback_info info)
{
	void *c = NULL;
	napi_value arg;
	size_t argc = 1;

	CHECK(napi_get_cb_info(env, info, &argc, &arg, NULL, NULL));
	/* anything else is none */
	if (argc && napi_get_value_external(env, arg, &c) != napi_ok)
		c = NULL;
	pev_context_point(&current, c);
	return NULL;
}

/* A worker ends before its thread, which another one may get. */
static void detach(void *unused)
{
	(void)unused;
	pev_context_point(&current, NULL);
	pev_context_attach(NULL, NULL);
}

NAPI_MODULE_INIT()
{
	static const napi_property_descriptor functions[] = {
		{ "attach", NULL, attach, NULL, NULL, NULL, napi_default, NULL },
		{ "record", NULL, record, NULL, NULL, NULL, napi_default, NULL },
		{ "point", NULL, point, NULL, NULL, NULL, napi_default, NULL },
	};

	CHECK(napi_define_properties(env, exports, sizeof(functions) / sizeof(*functions),
				     functions));
	CHECK(napi_add_env_cleanup_hook(env, detach, NULL));
	return exports;
}
