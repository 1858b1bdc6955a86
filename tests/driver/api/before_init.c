// SPDX-License-Identifier: MIT
// Every call of both APIs, with nothing but zeros, where no call can work.
#define _GNU_SOURCE 1
#include "api.h"

#include <dlfcn.h>

static int call_with_zeros(const char *name)
{
    int (*function)(size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
    *(void **)&function = dlsym(RTLD_DEFAULT, name);
    REQUIRE(function != NULL);
    return function(0, 0, 0, 0, 0, 0, 0, 0);
}

// Nothing works before cuInit, whatever the arguments, but the two that have nothing to do.
SECTION(uninitialized)
{
    static const char *const names[] = {
#define CALL(name, ...)    #name,
#define FORWARD(name, ...) #name,
#define REFUSED(name, ...) #name,
#include "driver_calls.def"
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], "cuInit") == 0 || strncmp(names[i], "cuProfiler", 10) == 0) continue;
        if (call_with_zeros(names[i]) == 0) api_expect(__FILE__, __LINE__, names[i], 0, CUDA_ERROR_NOT_INITIALIZED);
    }
}

// No call that needs the device works where an option is wrong: each is an error, whatever its arguments.
SECTION(bad_environment)
{
    static const char *const names[] = {
#define CALL(name, ...)    #name,
#define GIVES(name, ...)   #name,
#define FORWARD(name, ...) #name,
#define REFUSED(name, ...) #name,
#include "release_calls.def"
    };
    int called = 0;
    setenv("TMAREF_SEED", "one", 1);
    void **handle = __cudaRegisterFatBinary(api_image(PTX_HEAD));
    REFUSES(ERROR_INVALID_VALUE, cudaFree(NULL));
    SAYS("TMAREF_SEED is 'one', which is not a whole number");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(names[i], "__", 2) == 0 || strstr(names[i], "LastError") != NULL) continue;
        if (strcmp(names[i], "cudaCreateChannelDesc") == 0) continue; // fills a struct, and returns no error
        if (call_with_zeros(names[i]) == 0) api_expect(__FILE__, __LINE__, names[i], 0, 1);
        called++;
    }
    REQUIRE(called > 300);
    REQUIRE(__cudaInitModule(handle) == 0);
}
