// SPDX-License-Identifier: GPL-2.0
/* Samples of guests: frames of their own, names by a file of the guest's. */
#include "session/guest.h"
#include "session/session.h"
#include "tests.h"

#include <errno.h>
#include <linux/pev.h>
#include <stdlib.h>
#include <unistd.h>

#define ADDR 0xffffffff81000210ULL

static int give(const char *text)
{
	char path[] = "/tmp/pev-guest.XXXXXX";
	struct msg m = { 0 };
	int fd = mkstemp(path), err;
	size_t len = strlen(text);

	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		return 1;
	close(fd);
	err = guest_kallsyms(NULL, path, &m);
	unlink(path);
	return err;
}

static void name_of(struct stacks *s, uint32_t frame, struct strbuf *b)
{
	stacks_resolve(s);
	strbuf_reset(b);
	stacks_func_name(s, stacks_frame_func(s, frame), b);
}

void test_guest(void)
{
	uint32_t host, kernel, user;
	struct strbuf b = { 0 };
	struct session f;

	session_init(&f);
	host = stacks_sampled(&f.stacks, NULL, ADDR, 0);
	kernel = stacks_sampled(&f.stacks, NULL, ADDR, PEV_GUEST_CODE);
	user = stacks_sampled(&f.stacks, NULL, ADDR, PEV_GUEST_CODE | PEV_GUEST_USER);
	IS_NUM(f.stacks.frames[host].object, OBJECT_ID_KERNEL, "an address of the host's kernel");
	OK(kernel != host && user != host && user != kernel,
	   "the same in a guest is another place");
	IS_STR(object_name(&f.objects, f.stacks.frames[kernel].object), GUEST_KERNEL,
	       "... of its kernel");
	IS_STR(object_name(&f.objects, f.stacks.frames[user].object), GUEST_USER,
	       "... or of its programs");
	IS_NUM(stacks_sampled(&f.stacks, NULL, ADDR, PEV_GUEST_CODE), kernel,
	       "always the same one");
	name_of(&f.stacks, kernel, &b);
	IS_STR(b.s, "0xffffffff81000210", "without names, the address");
	session_close(&f);

	OK(give("nothing of this\nis a name\n") == -EINVAL, "a file that names nothing is refused");
	OK(give("0000000000000000 T _text\n0000000000000000 t f\n") == -EINVAL,
	   "... and one without addresses");
	OK(!give("ffffffff81000200 T guest_f\nffffffff81000300 T guest_g\n"),
	   "kallsyms of a guest");
	session_init(&f);
	host = stacks_sampled(&f.stacks, NULL, ADDR, 0);
	kernel = stacks_sampled(&f.stacks, NULL, ADDR, PEV_GUEST_CODE);
	user = stacks_sampled(&f.stacks, NULL, ADDR, PEV_GUEST_CODE | PEV_GUEST_USER);
	name_of(&f.stacks, kernel, &b);
	IS_STR(b.s, "guest_f", "... names its kernel's function");
	name_of(&f.stacks, user, &b);
	IS_STR(b.s, "0xffffffff81000210", "... but not what is in its programs");
	name_of(&f.stacks, host, &b);
	OK(strcmp(b.s, "guest_f"), "... nor what is the host's");
	session_close(&f);
	strbuf_free(&b);
}
