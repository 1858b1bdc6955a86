// SPDX-License-Identifier: MIT
// Host code that accesses pinned or managed memory while work of a stream still uses it, for --sanitize. What works
// have accessed that the host has not waited for, it may not touch: pages of which each byte is so are protected
// between two works. Only a mistake faults there; it is told, and the access goes on.
#ifndef TMAREF_HOST_WATCH_H
#define TMAREF_HOST_WATCH_H

#include "driver.h"

// Work accesses these bytes, by flags of shadow.h. If it does so by strong accesses, the host may know of it by them.
void host_watch_touch(struct driver *driver, uint64_t address, uint64_t bytes, uint32_t flags);

// Work is done now, which may access all; no more. The second: 1 if the host may know by memory that it is over.
void host_watch_open(struct driver *driver);
bool host_watch_close(struct driver *driver);

// A fault at this address, of the program at `place`; 0: not of the program. 1 if it was such a page, which is open
// now.
int host_watch_fault(uint64_t address, int writes, uintptr_t place);

// Where the host is, in that fault or else in a call. Returns the length.
size_t host_watch_tell(char *text, size_t bytes);

// A child of fork() may touch all.
void host_watch_drop(void);

#endif
