# SPDX-License-Identifier: GPL-2.0
#
# Objects of host tests, as they are and sanitized: what programs share is compiled once for each
# way, and source by source, as the compiler's cache takes it. Wants TOP, O, CC, flags, sanitize and
# headers; shimmed: what has to be made before anything is compiled.

# $(call object,plain|sanitized,SOURCE...)
object = $(patsubst $(TOP)/%.c,$(O)/$(1)/%.o,$(abspath $(2)))

$(O)/plain/%.o: $(TOP)/%.c $(headers) $(shimmed)
	@mkdir -p $(@D)
	$(CC) $(flags) -c -o $@ $<

$(O)/sanitized/%.o: $(TOP)/%.c $(headers) $(shimmed)
	@mkdir -p $(@D)
	$(CC) $(flags) $(sanitize) -c -o $@ $<

.SECONDARY:
