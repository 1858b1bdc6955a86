// SPDX-License-Identifier: MIT
// For a library that is preloaded into a program: it exports functions of its own under the names of another library's,
// and this file's dlsym hands them out. interpose.c is compiled into each such library (harness/watch, harness/cubins).
#ifndef TMAREF_INTERPOSE_H
#define TMAREF_INTERPOSE_H

#include <stdatomic.h>

// One function. `real` is the one last handed out; written by whoever looks one up, and always to an equivalent value.
struct interposed {
    const char *name;
    void *wrapper;
    _Atomic(void *) real;
};

// What the library says: the row of a name, NULL if it leaves that name alone; and under which names the loader may
// have the libraries with the real functions, NULL at the end.
struct interposed *interposed_find(const char *name);
extern const char *const interposed_libraries[];

// Keeps what its library gave and hands out our wrapper for it; NULL for NULL.
void *interpose_keep(struct interposed *of, void *function);

// The real function, never our wrapper; NULL if no library in this process has it.
void *interpose_real(struct interposed *of);

// Another function of the library that has this real one; NULL if it has none.
void *interpose_beside(void *real, const char *name);

#endif
