// SPDX-License-Identifier: MIT
// A program of somebody else that answers one line for each line: started by the shell, asked through pipes, ended
// when it is late or broken. It knows nothing of cases: command_run.c does.
#ifndef TMAREF_COMMAND_CHILD_H
#define TMAREF_COMMAND_CHILD_H

#include <stddef.h>
#include <sys/types.h>

#include "text.h"

// `pid` 0: it is not running. `answers`: how many lines it has given since it started. `line`: what it has written,
// `used` bytes of `room`, of which the first `taken` were given back as a line.
struct command_child {
    pid_t pid;
    int to, from;
    unsigned long answers;
    char *line;
    size_t used, taken, room;
};

enum command_came {
    COMMAND_CAME_LINE,
    COMMAND_CAME_END,
    COMMAND_CAME_LATE,
    COMMAND_CAME_TOO_LONG,
    COMMAND_CAME_CTRL_C
};

// Starts `command` with /bin/sh; 0 with a sentence in `why`.
int command_child_start(struct command_child *child, const char *command, struct text *why);

// Writes `request` (NULL: nothing more), `bytes` bytes, and waits until `end` (seconds_now()) for a line of at most
// `most` bytes. It goes to `answer` without its line break, and stays there until the next call.
enum command_came command_child_ask(struct command_child *child, const char *request, size_t bytes, double end,
                                    size_t most, const char **answer);

// Ends it, with all that it has started. Without `force` it has a second to end by itself, now that its input has
// ended. Returns what waitpid() says of it.
int command_child_end(struct command_child *child, bool force);

#endif
