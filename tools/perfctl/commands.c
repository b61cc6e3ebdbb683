// SPDX-License-Identifier: GPL-2.0
/* The table of all commands. See cmd/commands.h. */
#include "cmd/commands.h"

#define COMMAND_ENTRY(name) &command_##name,

const struct command *const commands[] = { COMMANDS(COMMAND_ENTRY) };
const size_t commands_n = ARRAY_SIZE(commands);
