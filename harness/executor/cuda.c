// SPDX-License-Identifier: MIT
#include "cuda.h"

#include "symbol.h"

int cuda_load(struct cuda_driver *driver, struct text *why)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        text_set(why, "no CUDA driver on this machine (%s)", dlerror());
        return 0;
    }
#define CUDA_LOAD(name, parameters)                                                                                    \
    if (!symbol_find(library, #name, &driver->name)) {                                                                 \
        text_set(why, "the CUDA driver is too old: it has no " #name " (12.8 or later is needed)");                    \
        return 0;                                                                                                      \
    }
    CUDA_CALL_ROWS(CUDA_LOAD)
#undef CUDA_LOAD
    return 1;
}
