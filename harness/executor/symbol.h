// SPDX-License-Identifier: MIT
// A function of a library that was opened at run time.
#ifndef TMAREF_SYMBOL_H
#define TMAREF_SYMBOL_H

#include <dlfcn.h>
#include <string.h>

// Puts the address of `name` into the function pointer at `function`: NULL, and returns 0, if `library` has none.
static inline int symbol_find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol); // ISO C has no cast from void * to a function
    return symbol != NULL;
}

#endif
