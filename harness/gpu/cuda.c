// SPDX-License-Identifier: MIT
#include "cuda.h"

#include <limits.h>

#include "beside.h"

static bool simulate;

void cuda_simulate(int is_simulated)
{
    simulate = is_simulated;
}

int cuda_is_simulated(void)
{
    return simulate;
}

static void *open_simulated(struct text *why)
{
    char path[PATH_MAX];
    if (program_part("exec/libcuda.so.1", path, sizeof path) != 0) {
        text_set(why, "exec/libcuda.so.1 is neither beside the tmaref command nor in its lib folder");
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) text_set(why, "the simulated driver cannot be loaded (%s)", dlerror());
    return library;
}

static void *open_real(struct text *why)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) text_set(why, "no CUDA driver on this machine (%s)", dlerror());
    return library;
}

int cuda_load(struct cuda_driver *driver, struct text *why)
{
    void *library = simulate ? open_simulated(why) : open_real(why);
    if (library == NULL) return 0;
    driver->is_simulated = simulate;
#define MADE(name, ...)                                                                                                \
    if (!symbol_find(library, #name, &driver->name)) {                                                                 \
        text_set(why, "the CUDA driver is too old: it has no " #name " (12.8 or later is needed)");                    \
        return 0;                                                                                                      \
    }
#include "made_calls.def"
    return 1;
}
