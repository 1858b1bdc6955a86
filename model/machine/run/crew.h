// SPDX-License-Identifier: MIT
// Threads of the host that take part in a launch. Between launches they wait for the next one, because many kernels
// last no longer than it takes to start threads.
#ifndef TMAREF_MACHINE_CREW_H
#define TMAREF_MACHINE_CREW_H

#pragma GCC visibility push(hidden)

struct crew_member;

// A thread that is free, or a new one, does work(context); NULL: the host has none. Signals of the process go to other
// threads.
struct crew_member *crew_call(void (*work)(void *), void *context);

// Until it has done its work. Then it is free.
void crew_wait(struct crew_member *member);

// How many threads of this process are in it, free or not.
int crew_threads(void);

#pragma GCC visibility pop

#endif
