// SPDX-License-Identifier: MIT
// Options of `tmaref exec`, as they come in the environment; calls before cuInit; tensor maps; what launches refuse.
#define _GNU_SOURCE 1
#include "api.h"

#include <dlfcn.h>

#include "tensormap.h"

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

// A report for machines, of another device, under another schedule.
SECTION(options)
{
    char name[64];
    setenv("TMAREF_JSON", "1", 1);
    setenv("TMAREF_DEVICE", "h100", 1);
    setenv("TMAREF_SCHEDULE", "late", 1);
    setenv("TMAREF_SEED", "7", 1);
    setenv("TMAREF_THREADS", "", 1); // as if it were not set
    api_ready();
    WORKS(cuDeviceGetName(name, sizeof name, 0));
    REQUIRE(strcmp(name, "NVIDIA H100 80GB HBM3 (tmaref)") == 0);
    WORKS(cuLaunchKernel(api_kernel(ptx_fault, "fault"), 2, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    REFUSES(ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    SAYS("{\"error\": 700, \"kernel\": \"fault\", \"kind\": \"");
}

SECTION(bad_options)
{
    static const char *const wrong[][3] = {
        {"TMAREF_SCHEDULE", "lat", "TMAREF_SCHEDULE is 'lat', which is not one of: default late early shuffled"},
        {"TMAREF_DEVICE", "h1000", "TMAREF_DEVICE is 'h1000', which is not one of: h200 h100"},
        {"TMAREF_THREADS", "65", "TMAREF_THREADS is '65', which is not a whole number from 0 to 64"},
        {"TMAREF_SEED", "99999999999999999999", "TMAREF_SEED is '99999999999999999999'"},
        {"TMAREF_DUMP", "nothing", "'nothing' is not a place, a thread or a list"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        setenv(wrong[i][0], wrong[i][1], 1);
        REFUSES(ERROR_INVALID_VALUE, cuInit(0));
        SAYS(wrong[i][2]);
        REFUSES(ERROR_INVALID_VALUE, cuInit(0)); // told once
        SAYS_NOTHING();
        unsetenv(wrong[i][0]);
    }
    WORKS(cuInit(0));
}

// --quiet says nothing of what is refused; a kernel that fails is still told.
SECTION(quiet)
{
    setenv("TMAREF_QUIET", "1", 1);
    api_ready();
    REFUSES(ERROR_INVALID_VALUE, cuMemFree_v2(64));
    SAYS_NOTHING();
}

// How a kernel can end: a limit, a hang, a trap, an instruction that is not there.
SECTION(endings)
{
    static const struct {
        const char *body, *says;
        enum cuda_result error;
    } ends[] = {{"loop:\nbra loop;\n", "was stopped at its limit", CUDA_ERROR_LAUNCH_TIMEOUT},
                {"barrier.sync 0, 64;\n", "hangs", CUDA_ERROR_LAUNCH_TIMEOUT},
                {"trap;\n", "in kernel ends: the kernel executed trap", CUDA_ERROR_LAUNCH_FAILED}};
    setenv("TMAREF_LIMIT_INSTRUCTIONS", "1000", 1);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char body[256];
        api_ready();
        snprintf(body, sizeof body, ".visible .entry ends()\n{\n%sret;\n}\n", ends[i].body);
        WORKS(cuLaunchKernel(api_kernel(body, "ends"), 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
        REQUIRE(cuCtxSynchronize() == ends[i].error);
        SAYS(ends[i].says);
        WORKS(cuDevicePrimaryCtxReset_v2(0));
    }
}

SECTION(maps)
{
    static struct tensormap_image map;
    const uint64_t dim[] = {64, 64, 8, 8}, stride[] = {256, 16384, 131072};
    const uint32_t box[] = {16, 8}, large[] = {257, 8}, estride[] = {1, 1, 1, 1};
    const int lower[] = {0, 0}, upper[] = {0, 0};
    uint32_t kind;
    REFUSES(ERROR_NOT_INITIALIZED, cuTensorMapEncodeTiled(&map, 7, 2, NULL, dim, stride, box, estride, 0, 0, 0, 0));
    WORKS(cuInit(0));
    REFUSES(ERROR_INVALID_CONTEXT, cuTensorMapEncodeTiled(&map, 7, 2, NULL, dim, stride, box, estride, 0, 0, 0, 0));
    REFUSES(ERROR_INVALID_VALUE, cuPointerGetAttribute(&kind, 2, 64));
    api_ready();
    void *at = (void *)(uintptr_t)api_memory(1 << 21, 0);
    WORKS(cuTensorMapEncodeTiled(&map, 7, 2, at, dim, stride, box, estride, 0, 0, 0, 0));
    WORKS(cuTensorMapReplaceAddress(&map, (char *)at + 256));
    REFUSES(ERROR_INVALID_VALUE, cuTensorMapEncodeTiled(&map, 7, 2, at, dim, stride, large, estride, 0, 0, 0, 0));
    SAYS("MAP_BOX_DIM");
    REFUSES(ERROR_INVALID_VALUE, cuTensorMapReplaceAddress(&map, (char *)at + 1));
    WORKS(cuTensorMapEncodeIm2col(&map, 7, 4, at, dim, stride, lower, upper, 16, 8, estride, 0, 0, 0, 0));
    REFUSES(ERROR_INVALID_VALUE,
            cuTensorMapEncodeIm2col(&map, 7, 2, at, dim, stride, lower, upper, 16, 8, estride, 0, 0, 0, 0));
    REFUSES(ERROR_INVALID_VALUE,
            cuTensorMapEncodeIm2colWide(&map, 7, 2, at, dim, stride, 0, 0, 16, 8, estride, 0, 0, 0, 0, 0));
}

// What a launch is given in the wrong way.
SECTION(bad_launches)
{
    api_ready();
    struct CUfunc_st *put = api_kernel(ptx_put, "put"), *plain = api_kernel(".visible .entry k()\n{\nret;\n}\n", "k");
    unsigned long long at = api_memory(64, 0);
    uint32_t value = 4;
    void *parameters[] = {&at, &value};
    struct {
        unsigned long long at;
        uint32_t value;
    } packed = {at, 5};
    size_t packed_bytes = 8, whole_bytes = 12;
    void *extra[] = {(void *)1, &packed, (void *)2, &packed_bytes, (void *)0}, *none[] = {(void *)0};
    REFUSES(ERROR_INVALID_VALUE, cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, extra));
    SAYS("the parameters are given twice");
    REFUSES(ERROR_INVALID_VALUE, cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, none));
    WORKS(cuLaunchKernel(plain, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, none));
    WORKS(cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra)); // the rest is 0
    REQUIRE(api_word(at) == 0);
    extra[3] = &whole_bytes;
    WORKS(cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    REQUIRE(api_word(at) == 5);
    REFUSES(ERROR_INVALID_VALUE, cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 300000, NULL, parameters, NULL));
    SAYS("(rule ");
    REFUSES(ERROR_INVALID_VALUE, cuLaunchKernelEx(NULL, put, parameters, NULL));
    struct cuda_launch_config config = {1, 1, 1, 1, 1, 1, 0, NULL, NULL, 1};
    REFUSES(ERROR_INVALID_VALUE, cuLaunchKernelEx(&config, put, parameters, NULL));
    REFUSES(ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
            cuLaunchCooperativeKernel(put, 100000, 1, 1, 1024, 1, 1, 0, NULL, parameters));
    SAYS(
        "a cooperative launch of 100000 CTAs; at most 264 run at once, 2 on each of 132 multiprocessors: 1024 threads");
    // 300 declared registers, of which two are alive at once: an H200 runs 264 CTAs of 1,024 threads.
    struct CUfunc_st *wide = api_kernel(".visible .entry wide()\n{\n.reg .b32 %r<300>;\nmov.u32 %r0, %tid.x;\n"
                                        "add.u32 %r299, %r0, %r0;\nst.shared.u32 [%r299], %r0;\nret;\n}\n",
                                        "wide");
    int registers = 0;
    WORKS(cuFuncGetAttribute(&registers, 4, wide));
    REQUIRE(registers > 0 && registers < 16);
    REFUSES(ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, cuLaunchCooperativeKernel(wide, 265, 1, 1, 1024, 1, 1, 0, NULL, NULL));
    SAYS("about 2 registers a thread. The registers are an estimate, of the values that the PTX has alive at once");
    WORKS(cuLaunchCooperativeKernel(put, 2, 1, 1, 32, 1, 1, 0, NULL, parameters));
    WORKS(cuLaunchCooperativeKernel(put, 2, 1, 1, 32, 1, 1, 0, NULL, parameters));
    WORKS(cuCtxSynchronize());
}
