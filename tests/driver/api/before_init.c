// SPDX-License-Identifier: MIT
// Every call of the driver before cuInit. What options there are is in options.calls.
#define _GNU_SOURCE 1
#include "api.h"

#include <dlfcn.h>

// Nothing works before cuInit, whatever the arguments, but the two that have nothing to do.
SECTION(uninitialized)
{
    typedef enum cuda_result call(size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
    static const char *const names[] = {
#define CALL(name, ...)    #name,
#define FORWARD(name, ...) #name,
#define REFUSED(name, ...) #name,
#include "driver_calls.def"
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], "cuInit") == 0 || strncmp(names[i], "cuProfiler", 10) == 0) continue;
        call *function;
        *(void **)&function = dlsym(RTLD_DEFAULT, names[i]);
        REQUIRE(function != NULL);
        const enum cuda_result error = function(0, 0, 0, 0, 0, 0, 0, 0);
        if (error == CUDA_SUCCESS) api_expect(__FILE__, __LINE__, names[i], 0, CUDA_ERROR_NOT_INITIALIZED);
    }
}
