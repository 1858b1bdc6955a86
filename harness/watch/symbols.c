// SPDX-License-Identifier: MIT
// The driver calls that the preloaded library stands before (harness/exec/interpose): those of tensor maps, and
// cuGetProcAddress, by which programs ask for them.
#include <stddef.h>
#include <string.h>

#include "interpose.h"
#include "watch.h"

enum { CUDA_12 = 12000 }; // from here on the name cuGetProcAddress means its second version

const char *const interposed_libraries[] = {"libcuda.so.1", NULL};

#define MAP(symbol, ...) [WATCH_##symbol] = {.name = #symbol, .wrapper = (void *)symbol},
static struct interposed symbols[WATCH_SYMBOLS] = {MAP(cuGetProcAddress, ) MAP(cuGetProcAddress_v2, )
#include "made_calls.def"
};

struct interposed *interposed_find(const char *name)
{
    if (name[0] != 'c' || name[1] != 'u') return NULL;
    for (int i = 0; i < WATCH_SYMBOLS; i++)
        if (strcmp(symbols[i].name, name) == 0) return &symbols[i];
    return NULL;
}

void *watch_real(enum watch_symbol symbol)
{
    return interpose_real(&symbols[symbol]);
}

// After a successful cuGetProcAddress: replaces a function of ours in the answer.
static void wrap_answer(const char *name, void **function, int cuda_version)
{
    struct interposed *symbol = name == NULL ? NULL : interposed_find(name);
    if (symbol == NULL || function == NULL) return;
    if (symbol == &symbols[WATCH_cuGetProcAddress] && cuda_version >= CUDA_12)
        symbol = &symbols[WATCH_cuGetProcAddress_v2];
    *function = interpose_keep(symbol, *function);
}

enum cuda_result cuGetProcAddress(const char *symbol, void **function, int cuda_version, uint64_t flags)
{
    cuGetProcAddress_fn driver = (cuGetProcAddress_fn)watch_real(WATCH_cuGetProcAddress);
    if (driver == NULL) return CUDA_ERROR_NOT_FOUND;
    enum cuda_result result = driver(symbol, function, cuda_version, flags);
    if (result == CUDA_SUCCESS) wrap_answer(symbol, function, cuda_version);
    return result;
}

enum cuda_result cuGetProcAddress_v2(const char *symbol, void **function, int cuda_version, uint64_t flags,
                                     uint32_t *status)
{
    cuGetProcAddress_v2_fn driver = (cuGetProcAddress_v2_fn)watch_real(WATCH_cuGetProcAddress_v2);
    if (driver == NULL) return CUDA_ERROR_NOT_FOUND;
    enum cuda_result result = driver(symbol, function, cuda_version, flags, status);
    if (result == CUDA_SUCCESS) wrap_answer(symbol, function, cuda_version);
    return result;
}
