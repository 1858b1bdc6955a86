// SPDX-License-Identifier: MIT
// Options that a command does not have, told before argp sees them: with the one that was meant.
#ifndef TMAREF_COMMAND_NEAR_H
#define TMAREF_COMMAND_NEAR_H

#include "command_option.h"

// Returns 0, or complains of the first long option that `command` lacks and returns the exit status.
int command_near_check(const struct command_line *line, const char *command, int argc, char **argv);

#endif
