// SPDX-License-Identifier: MIT
// The runtime's errors, of another thread too, and where an option is wrong. The rest of it is in runtime.calls.
#include "api.h"

#include <dlfcn.h>
#include <pthread.h>

static void *last_error_elsewhere(void *unused)
{
    REQUIRE(cudaPeekAtLastError() == cudaSuccess);
    return unused;
}

SECTION(runtime_errors)
{
    static char broken[] = PTX_HEAD ".visible .entry k()\n{\nret;\n";
    static char kernel, variable;
    struct CUlib_st *library;
    pthread_t thread;
    size_t bytes;
    REQUIRE(cudaGetLastError() == cudaSuccess); // before anything
    void **bad = __cudaRegisterFatBinary(api_image(broken));
    __cudaRegisterFunction(bad, &kernel, NULL, "k", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(bad, &variable, NULL, "v", 0, 4, 0, 0);
    REQUIRE(cudaLaunchKernel(&kernel, one_cta, one_cta, NULL, 0, NULL) == cudaErrorInvalidPtx);
    SAYS("PTX line");
    REQUIRE(cudaGetSymbolSize(&bytes, &variable) == cudaErrorInvalidPtx);
    SAYS_NOTHING();
    REQUIRE(pthread_create(&thread, NULL, last_error_elsewhere, NULL) == 0 && pthread_join(thread, NULL) == 0);
    REQUIRE(cudaGetLastError() == cudaErrorInvalidPtx);
    struct CUkern_st *none;
    WORKS(cudaLibraryLoadData(&library, broken, NULL, NULL, 0, NULL, NULL, 0));
    REFUSES(ERROR_INVALID_PTX, cudaLibraryGetKernel(&none, library, "k"));
    __cudaUnregisterFatBinary(bad);
}

// --- What is wrong with the environment ------------------------------------------------------------------------------

// No call that needs the device works where an option is wrong: each is an error, whatever its arguments.
SECTION(bad_environment)
{
    typedef enum cudaError call(size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
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
        call *function;
        *(void **)&function = dlsym(RTLD_DEFAULT, names[i]);
        REQUIRE(function != NULL);
        if (function(0, 0, 0, 0, 0, 0, 0, 0) == cudaSuccess) api_expect(__FILE__, __LINE__, names[i], 0, 1);
        called++;
    }
    REQUIRE(called > 300);
    REQUIRE(__cudaInitModule(handle) == 0);
}
