// SPDX-License-Identifier: MIT
// For a library that is preloaded into a program: it exports functions of its own under the names of another library's,
// and this file's dlsym hands them out. interpose.c is compiled into each such library (harness/watch,
// harness/exec/cubins).
#ifndef TMAREF_INTERPOSE_H
#define TMAREF_INTERPOSE_H

#include <stdatomic.h>

// One function. `real` is the one last handed out; written by whoever looks one up, and always to an equivalent value.
// `home` is shared by functions that belong together: all are of the library that the program is linked with, or was
// asked for one of them first, and another copy of that library keeps its own until that one is unloaded. NULL: the
// functions of any library are the same.
struct interposed {
    const char *name;
    void *wrapper;
    _Atomic(void *) *home;
    _Atomic(void *) real;
};

// What the library says: the row of a name, NULL if it leaves that name alone; and under which names the loader may
// have the libraries with the real functions, NULL at the end.
struct interposed *interposed_find(const char *name);
extern const char *const interposed_libraries[];

// Keeps what its library gave and hands out our wrapper for it; NULL for NULL, and what another library than `home`
// gave as it is.
void *interpose_keep(struct interposed *of, void *function);

// The real function, never our wrapper; NULL if no library in this process has it.
void *interpose_real(struct interposed *of);

// Another function of the library that has this address; NULL if it has none.
void *interpose_beside(void *address, const char *name);

#endif
