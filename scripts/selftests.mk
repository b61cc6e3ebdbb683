# SPDX-License-Identifier: GPL-2.0
# The kselftest programs, static: the same binary runs in any root.
#   O=            where they go
#   HARNESS=      directory with kselftest_harness.h of the kernel under test
#   CROSS_COMPILE=

CC      := $(CROSS_COMPILE)gcc
# The harness of 6.12 is not clean under -Wextra.
CFLAGS  := -O2 -g -Wall -D_GNU_SOURCE= -pthread -static \
	   -Iinclude/uapi -I$(HARNESS) -Itests/selftests -Itests/lib
SOURCES := $(wildcard tests/selftests/*_test.c)
PROGS   := $(SOURCES:tests/selftests/%.c=$(O)/%)
OBJECTS := $(SOURCES:tests/selftests/%.c=$(O)/obj/%.o)

all: $(PROGS)

# Two readers of the same packets: by struct pev_id, and libpev by the metadata. Of
# libpev, what decodes is linked: names of processors' events want a shared library.
READER  := $(addprefix $(O)/obj/libpev/,core/arena.o core/error.o core/file.o sys/attr.o sys/code.o $(addprefix ctf/, \
	     decode.o event.o label.o layout.o meta.o tsdl.o tsdl_lex.o tsdl_type.o))
DECODER := $(O)/obj/layout_decode.o $(READER)

$(O)/layout_test: $(DECODER)
$(O)/layout_test: LDFLAGS := -Wl,--gc-sections
$(DECODER): CFLAGS += -iquote tools/lib/pev -iquote tools/lib/common -Itools/lib/pev/include -ffunction-sections

# Programs that have marks
$(O)/obj/user_write_test.o: CFLAGS += -Itools/lib/pev/include

# One command for both would be none that a compiler's cache knows.
$(PROGS): $(O)/%: $(O)/obj/%.o
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(OBJECTS) $(O)/obj/layout_decode.o: $(O)/obj/%.o: tests/selftests/%.c $(firstword $(MAKEFILE_LIST))
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

$(READER): $(O)/obj/libpev/%.o: tools/lib/pev/%.c $(firstword $(MAKEFILE_LIST))
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(OBJECTS:.o=.d) $(DECODER:.o=.d)
.PHONY: all
