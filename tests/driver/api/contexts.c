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

enum cuda_result cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags);
enum cuda_result cuGetExportTable(const void **table, const struct CUuuid_st *id);

// A name that a program asks for is that of the newest version that the program knows.
SECTION(names)
{
    int version = 0;
    uint32_t status = 9;
    void *function = NULL, *old = NULL;
    const void *table = &version;
    WORKS(cuDriverGetVersion(&version));
    REQUIRE(version == 13000);
    REFUSES(ERROR_INVALID_VALUE, cuDriverGetVersion(NULL));
    WORKS(cuGetProcAddress_v2("cuCtxCreate", &function, 13000, 0, &status));
    REQUIRE(status == CU_GET_PROC_ADDRESS_SUCCESS && function != NULL);
    WORKS(cuGetProcAddress_v2("cuCtxCreate", &old, 4000, 0, &status));
    REQUIRE(old != NULL && old != function);
    WORKS(cuGetProcAddress("cuInit", &function, 2000, 0));
    REFUSES(ERROR_NOT_FOUND, cuGetProcAddress("cuNoSuchCall", &function, 13000, 0));
    WORKS(cuGetProcAddress_v2("cuMemAllocAsync", &function, 9000, 0, &status));
    REQUIRE(function == NULL && status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    WORKS(cuGetProcAddress_v2("cuMem", &function, 13000, 0, &status));
    REQUIRE(function == NULL && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    REFUSES(ERROR_INVALID_VALUE, cuGetProcAddress_v2(NULL, &function, 13000, 0, &status));
    REFUSES(ERROR_INVALID_VALUE, cuGetProcAddress_v2("cuInit", NULL, 13000, 0, &status));
    REFUSES(ERROR_INVALID_VALUE, cuGetProcAddress_v2("cuInit", &function, 13000, 3, &status));
    // The private interface: said once what to do.
    SAYS_NOTHING();
    REFUSES(ERROR_NOT_SUPPORTED, cuGetExportTable(&table, NULL));
    REQUIRE(table == NULL);
    SAYS("this program asks the driver for a private interface");
    REFUSES(ERROR_NOT_SUPPORTED, cuGetExportTable(NULL, NULL));
    SAYS_NOTHING();
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
