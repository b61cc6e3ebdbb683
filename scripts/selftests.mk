# SPDX-License-Identifier: GPL-2.0
# The kselftest programs, static: the same binary runs in any root.
#   O=            where they go
#   HARNESS=      directory with kselftest_harness.h of the kernel under test
#   CROSS_COMPILE=

CC      := $(CROSS_COMPILE)gcc
# The harness of 6.12 is not clean under -Wextra.
CFLAGS  := -O2 -g -Wall -D_GNU_SOURCE= -pthread -static -MMD -MP \
	   -Iinclude/uapi -I$(HARNESS) -Itests/selftests
SOURCES := $(wildcard tests/selftests/*_test.c)
PROGS   := $(SOURCES:tests/selftests/%.c=$(O)/%)

all: $(PROGS)

$(O)/%: tests/selftests/%.c $(firstword $(MAKEFILE_LIST)) | $(O)
	$(CC) $(CFLAGS) -o $@ $<

$(O):
	mkdir -p $@

-include $(PROGS:=.d)
.PHONY: all
