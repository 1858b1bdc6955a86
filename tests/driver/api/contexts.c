// SPDX-License-Identifier: MIT
// Contexts, devices, names.
#include "api.h"

#include <dlfcn.h>
#include <malloc.h>

enum { RELAXED = 2, SCHED_BLOCKING = 4, MAP_HOST = 8, STACK = 0, FIFO = 1, HEAP = 2, DEPTH = 3, LIMITS = 10 };

// A round of everything that a context takes with it: captures under way, and events recorded in them.
static void go_round(void)
{
    struct CUctx_st *context;
    struct CUstream_st *origin, *joined;
    struct CUevent_st *event;
    WORKS(cuCtxCreate_v2(&context, 0, 0));
    const unsigned long long at = api_memory(4096, 0);
    WORKS(cuStreamCreate(&origin, 1));
    WORKS(cuStreamCreate(&joined, 1));
    WORKS(cuEventCreate(&event, 2));
    WORKS(cuStreamBeginCapture_v2(origin, RELAXED));
    for (int i = 0; i < 100; i++) WORKS(cuMemsetD8Async(at, 0, 64, origin));
    WORKS(cuEventRecord(event, origin));
    WORKS(cuStreamWaitEvent(joined, event, 0));
    WORKS(cuCtxDestroy_v2(context));
}

// A hundred contexts take little more memory of the host than ten: their handles, not the 30 KiB of nodes in each.
// (Under a sanitizer mallinfo2 says nothing, and its own search for leaks does it.)
SECTION(context_leaks)
{
    WORKS(cuInit(0));
    for (int i = 0; i < 10; i++) go_round();
    const size_t before = mallinfo2().uordblks;
    for (int i = 0; i < 90; i++) go_round();
    REQUIRE(mallinfo2().uordblks < before + 90 * 512);
}

// NVIDIA's libraries and many wheels carry the static runtime: the report has the name of the one that asks.
SECTION(private_library)
{
    void *library = dlopen(ASKING_LIBRARY, RTLD_NOW);
    REQUIRE(library != NULL);
    int (*ask)(void) = NULL;
    *(void **)&ask = dlsym(library, "ask");
    REFUSES(ERROR_NOT_SUPPORTED, ask());
    SAYS(ASKING_LIBRARY " asks");
}
