// SPDX-License-Identifier: MIT
// For --remedies: a launch is done again, with an edit of its PTX, by a process that was forked before it began. Its
// memory is that from then; what it writes is lost with it.
#ifndef TMAREF_TRY_AGAIN_H
#define TMAREF_TRY_AGAIN_H

#include "look.h"
#include "work.h"

// socket: to the process, which waits for edits
struct remedy {
    bool is_open;
    int socket;
    struct remedy_trier trier;
};

// Before a launch, with what it is: `launch` without looker and observer, and the name of its kernel. is_open is 0 if
// nothing can be tried: not asked for, with other reports, or where memory is shared with other processes.
void remedy_open(struct remedy *remedy, struct driver *driver, const struct machine_launch *launch, const char *kernel);
void remedy_close(struct remedy *remedy);

#endif
