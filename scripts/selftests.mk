# SPDX-License-Identifier: GPL-2.0
# The kselftest programs, static: the same binary runs in any root.
#   O=            where they go
#   HARNESS=      directory with kselftest_harness.h of the kernel under test
#   CROSS_COMPILE=

CC      := $(CROSS_COMPILE)gcc
# The harness of 6.12 is not clean under -Wextra.
CFLAGS  := -O2 -g -Wall -D_GNU_SOURCE= -pthread -static -MMD -MP \
	   -Iinclude/uapi -I$(HARNESS) -Itests/selftests -Itests/lib
SOURCES := $(wildcard tests/selftests/*_test.c)
PROGS   := $(SOURCES:tests/selftests/%.c=$(O)/%)

all: $(PROGS)

# Two readers of the same packets: by struct pev_id, and libpev by the metadata. Of
# libpev, what decodes is linked: names of processors' events want a shared library.
READER  := tests/selftests/layout_decode.c \
	   $(addprefix tools/lib/pev/,core/arena.c core/error.c core/file.c sys/attr.c sys/code.c $(addprefix ctf/, \
	     decode.c event.c label.c layout.c meta.c tsdl.c tsdl_lex.c tsdl_type.c))

$(O)/layout_test: tests/selftests/layout_test.c tests/selftests/layout_decode.h $(READER) \
		tools/lib/pev/include/pev/pev.h $(firstword $(MAKEFILE_LIST)) | $(O)
	$(CC) $(filter-out -MMD -MP,$(CFLAGS)) -iquote tools/lib/pev -iquote tools/lib/common -Itools/lib/pev/include -ffunction-sections \
		-Wl,--gc-sections -o $@ $< $(READER)

# Programs that have marks
$(O)/user_write_test: CFLAGS += -Itools/lib/pev/include

$(O)/%: tests/selftests/%.c $(firstword $(MAKEFILE_LIST)) | $(O)
	$(CC) $(CFLAGS) -o $@ $<

$(O):
	mkdir -p $@

-include $(PROGS:=.d)
.PHONY: all
