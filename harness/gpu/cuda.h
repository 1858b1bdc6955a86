// SPDX-License-Identifier: MIT
// A CUDA driver, loaded at run time: a table of pointers made from the rows of driver_calls.def. It is the machine's
// own, or the simulated one of `tmaref exec`.
#ifndef TMAREF_CUDA_H
#define TMAREF_CUDA_H

#include <dlfcn.h>
#include <string.h>

#include "cuda_calls.h"
#include "result.h"

struct cuda_driver {
    bool is_simulated;
#define MADE(name, ...) name##_fn name;
#include "made_calls.def"
};

// Says which driver cuda_load() opens from now on, in this process and in its children: the machine's at first.
void cuda_simulate(int is_simulated);
int cuda_is_simulated(void);

// Opens libcuda.so.1 and finds every call. Returns 0 with a sentence in `why` if that fails.
int cuda_load(struct cuda_driver *driver, struct text *why);

// Puts the address of `name` into the function pointer at `function`: NULL, and returns 0, if `library` has none.
static inline bool symbol_find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol); // ISO C has no cast from void * to a function
    return symbol != NULL;
}

#endif
