// SPDX-License-Identifier: MIT
// Processes of a test end with it: whatever ends the test, nobody waits for a child that is left, and no child keeps a
// pipe of ctest open.
#ifndef TMAREF_TESTS_TIED_FORK_H
#define TMAREF_TESTS_TIED_FORK_H

#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

// In a child of fork(): it dies with the thread that made it.
static inline void tie_to_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

// fork() of a child that is tied from the first on, also if `parent` ends before it says so.
static inline pid_t tied_fork(void)
{
    const pid_t parent = getpid(), child = fork();
    if (child != 0) return child;
    tie_to_parent();
    if (getppid() != parent) _exit(1);
    return 0;
}

#endif
