// SPDX-License-Identifier: MIT
// A program that compiles by NVRTC and links by nvJitLink, as users write them, loads the cubin and runs its kernel.
// usage: maker SECTION. Built twice: linked with both libraries, and finding them by dlopen and dlsym.
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cuda_api.h"

// The calls, and the names that a program is linked with.
#define CALLS(CALL)                                                                                                    \
    CALL(nvrtcCreateProgram, nvrtcCreateProgram,                                                                       \
         (void **, const char *, const char *, int, const char *const *, const char *const *))                         \
    CALL(nvrtcCompileProgram, nvrtcCompileProgram, (void *, int, const char *const *))                                 \
    CALL(nvrtcGetCUBINSize, nvrtcGetCUBINSize, (void *, size_t *))                                                     \
    CALL(nvrtcGetCUBIN, nvrtcGetCUBIN, (void *, char *))                                                               \
    CALL(nvrtcGetPTXSize, nvrtcGetPTXSize, (void *, size_t *))                                                         \
    CALL(nvrtcGetPTX, nvrtcGetPTX, (void *, char *))                                                                   \
    CALL(nvrtcGetLTOIRSize, nvrtcGetLTOIRSize, (void *, size_t *))                                                     \
    CALL(nvrtcGetLTOIR, nvrtcGetLTOIR, (void *, char *))                                                               \
    CALL(nvrtcDestroyProgram, nvrtcDestroyProgram, (void **))                                                          \
    CALL(nvJitLinkCreate, __nvJitLinkCreate_13_0, (void **, uint32_t, const char **))                                  \
    CALL(nvJitLinkAddData, __nvJitLinkAddData_13_0, (void *, int, const void *, size_t, const char *))                 \
    CALL(nvJitLinkAddFile, __nvJitLinkAddFile_13_0, (void *, int, const char *))                                       \
    CALL(nvJitLinkComplete, __nvJitLinkComplete_13_0, (void *))                                                        \
    CALL(nvJitLinkGetLinkedCubinSize, __nvJitLinkGetLinkedCubinSize_13_0, (void *, size_t *))                          \
    CALL(nvJitLinkGetLinkedCubin, __nvJitLinkGetLinkedCubin_13_0, (void *, void *))                                    \
    CALL(nvJitLinkDestroy, __nvJitLinkDestroy_13_0, (void **))

#ifdef IS_LINKED
#define CALL(name, linked, parameters) extern int linked parameters;
CALLS(CALL)
#undef CALL
#define CALL(name, linked, parameters) static int(*const call_##name) parameters = linked;
CALLS(CALL)
#undef CALL
static void find_calls(void)
{
}
#else
#define CALL(name, linked, parameters) static int(*call_##name) parameters;
CALLS(CALL)
#undef CALL
static void find_calls(void)
{
    if (dlsym(RTLD_DEFAULT, "nvrtcGetCUBIN") != NULL) puts("nvrtcGetCUBIN is there before its library");
    void *nvrtc = dlopen("libnvrtc.so.13", RTLD_NOW), *link = dlopen("libnvJitLink.so.13", RTLD_NOW);
    if (nvrtc == NULL || link == NULL) puts(dlerror());
    if (nvrtc == NULL || link == NULL) exit(2);
#define CALL(name, linked, parameters)                                                                                 \
    *(void **)&call_##name = dlsym(strncmp(#name, "nvrtc", 5) == 0 ? nvrtc : link, #name);                             \
    if (dlerror() != NULL) puts("dlsym left an error: " #name);
    CALLS(CALL)
#undef CALL
}
#endif

#define WORKS(call) works(#call, (int)(call))
static void works(const char *call, int result)
{
    if (result == 0) return;
    printf("%s: %d\n", call, result);
    exit(1);
}

enum { THREADS = 32, KIND_CUBIN = 1, KIND_PTX, KIND_LTO, KIND_LIBRARY = 6, KIND_ANY = 10 };

static const char whole[] =
    "extern \"C\" __global__ void fill(int *to) { to[threadIdx.x] = 3 * (int)threadIdx.x + 1; }\n";
static const char fill[] = "extern __device__ int part(int);\n"
                           "extern \"C\" __global__ void fill(int *to) { to[threadIdx.x] = part(threadIdx.x); }\n";
static const char part[] = "__device__ int part(int of) { return 3 * of + 1; }\n";

struct content {
    char *at;
    size_t bytes;
};

static void *compile(const char *text, const char *name, const char *gpu, const char *more)
{
    void *program;
    const char *option[] = {gpu, more};
    WORKS(call_nvrtcCreateProgram(&program, text, name, 0, NULL, NULL));
    WORKS(call_nvrtcCompileProgram(program, more == NULL ? 1 : 2, option));
    return program;
}

// What the program has by these two calls; the program ends. Nothing is written behind the size that was said.
static struct content get(void *program, int (*ask)(void *, size_t *), int (*give)(void *, char *))
{
    static const char behind[] = "behind";
    struct content content;
    WORKS(ask(program, &content.bytes));
    content.at = malloc(content.bytes + sizeof behind);
    memcpy(content.at + content.bytes, behind, sizeof behind);
    WORKS(give(program, content.at));
    if (memcmp(content.at + content.bytes, behind, sizeof behind) != 0) puts("more was written than was said");
    WORKS(call_nvrtcDestroyProgram(&program));
    return content;
}

static struct content cubin_of(const char *text, const char *name, const char *gpu, const char *more)
{
    return get(compile(text, name, gpu, more), call_nvrtcGetCUBINSize, call_nvrtcGetCUBIN);
}

static struct content lto_of(const char *text, const char *name)
{
    return get(compile(text, name, "-arch=sm_90a", "-dlto"), call_nvrtcGetLTOIRSize, call_nvrtcGetLTOIR);
}

static void run(const void *image)
{
    struct CUctx_st *context;
    struct CUmod_st *module;
    struct CUfunc_st *kernel;
    unsigned long long to;
    int value[THREADS];
    void *parameters[] = {&to};
    WORKS(cuInit(0));
    WORKS(cuDevicePrimaryCtxRetain(&context, 0));
    WORKS(cuCtxSetCurrent(context));
    WORKS(cuModuleLoadData(&module, image));
    WORKS(cuModuleGetFunction(&kernel, module, "fill"));
    WORKS(cuMemAlloc_v2(&to, sizeof value));
    WORKS(cuLaunchKernel(kernel, 1, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL));
    WORKS(cuMemcpyDtoH_v2(value, to, sizeof value));
    for (int i = 0; i < THREADS; i++)
        if (value[i] != 3 * i + 1) printf("value %d is %d\n", i, value[i]);
    puts("the kernel ran");
}

static void run_link(void *link)
{
    size_t bytes;
    WORKS(call_nvJitLinkComplete(link));
    WORKS(call_nvJitLinkGetLinkedCubinSize(link, &bytes));
    char *cubin = malloc(bytes);
    WORKS(call_nvJitLinkGetLinkedCubin(link, cubin));
    WORKS(call_nvJitLinkDestroy(&link));
    run(cubin);
}

static void *link_of(const char *more)
{
    void *link;
    const char *option[] = {"-arch=sm_90a", more};
    WORKS(call_nvJitLinkCreate(&link, more == NULL ? 1 : 2, option));
    return link;
}

static void add(void *link, int kind, struct content content, const char *name)
{
    WORKS(call_nvJitLinkAddData(link, kind, content.at, content.bytes, name));
}

// --- Sections --------------------------------------------------------------------------------------------------------

static void show_compiled(void)
{
    run(cubin_of(whole, "whole.cu", "-arch=sm_90", NULL).at);
}

static void show_other_gpu(void)
{
    run(cubin_of(whole, "whole.cu", "-arch=sm_80", NULL).at);
}

static void show_virtual(void)
{
    const struct content cubin = cubin_of(whole, "whole.cu", "-arch=compute_90a", NULL);
    printf("%zu bytes\n", cubin.bytes);
    run(get(compile(whole, "whole.cu", "-arch=compute_90a", NULL), call_nvrtcGetPTXSize, call_nvrtcGetPTX).at);
}

static void show_linked(void)
{
    void *link = link_of(NULL);
    add(link, KIND_PTX,
        get(compile(fill, "fill.cu", "-arch=sm_90a", "-rdc=true"), call_nvrtcGetPTXSize, call_nvrtcGetPTX), NULL);
    add(link, KIND_CUBIN, cubin_of(part, "part.cu", "-arch=sm_90a", "-rdc=true"), "part");
    run_link(link);
}

// Of what kind the inputs are, the library looks; one is a file.
static void show_any(void)
{
    static const char path[] = "part.cubin";
    const struct content cubin = cubin_of(part, "part.cu", "-arch=sm_90a", "-rdc=true");
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(cubin.at, 1, cubin.bytes, file) != cubin.bytes || fclose(file) != 0) exit(2);
    void *link = link_of(NULL);
    add(link, KIND_ANY, cubin_of(fill, "fill.cu", "-arch=sm_90a", "-rdc=true"), "fill");
    WORKS(call_nvJitLinkAddFile(link, KIND_ANY, path));
    run_link(link);
}

static void show_lto(void)
{
    void *link = link_of("-lto"), *unused = link_of(NULL);
    add(link, KIND_LTO, lto_of(fill, "fill.cu"), "fill");
    add(link, KIND_LTO, lto_of(part, "part.cu"), "part");
    WORKS(call_nvJitLinkDestroy(&unused));
    run_link(link);
}

// A library without LTO-IR, as Numba adds libcudadevrt.a to all links.
static void show_lto_library(void)
{
    void *link = link_of("-lto");
    add(link, KIND_LTO, lto_of(fill, "fill.cu"), "fill");
    add(link, KIND_LTO, lto_of(part, "part.cu"), "part");
    WORKS(call_nvJitLinkAddFile(link, KIND_LIBRARY, getenv("DEVICE_RUNTIME")));
    run_link(link);
}

// Two copies of NVRTC in one process: each knows its own programs alone. The one that came first keeps its PTX.
static void show_two_copies(void)
{
    int (*ask)(void *, size_t *);
    struct content cubin;
    void *other = dlopen(getenv("OTHER_NVRTC"), RTLD_NOW), *program = compile(whole, "whole.cu", "-arch=sm_90a", NULL);
    if (other == NULL) puts(dlerror());
    *(void **)&ask = dlsym(other, "nvrtcGetCUBINSize");
    WORKS(call_nvrtcGetCUBINSize(program, &cubin.bytes));
    if (ask == NULL || ask == call_nvrtcGetCUBINSize) puts("the other copy has no function of its own");
    cubin = get(program, call_nvrtcGetCUBINSize, call_nvrtcGetCUBIN);
    run(cubin.at);
}

// NVRTC is unloaded where no program is linked with it, and comes back to another place.
static void show_reloaded(void)
{
    enum { PAGE_BYTES = 4096 };
    Dl_info place;
    void *nvrtc = dlopen("libnvrtc.so.13", RTLD_NOW | RTLD_NOLOAD);
    if (nvrtc == NULL || dladdr((void *)call_nvrtcCreateProgram, &place) == 0) exit(2);
    for (int i = 0; i < 2; i++) dlclose(nvrtc);
    mmap(place.dli_fbase, PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    find_calls();
    show_compiled();
}

// The driver links cubins, too.
static void show_driver_link(void)
{
    enum { CUBIN };
    struct CUctx_st *context;
    struct CUlinkState_st *link;
    void *image;
    const struct content input[] = {cubin_of(fill, "fill.cu", "-arch=sm_90a", "-rdc=true"),
                                    cubin_of(part, "part.cu", "-arch=sm_90a", "-rdc=true")};
    WORKS(cuInit(0));
    WORKS(cuDevicePrimaryCtxRetain(&context, 0));
    WORKS(cuCtxSetCurrent(context));
    WORKS(cuLinkCreate_v2(0, NULL, NULL, &link));
    for (int i = 0; i < 2; i++)
        WORKS(cuLinkAddData_v2(link, CUBIN, input[i].at, input[i].bytes, "input", 0, NULL, NULL));
    WORKS(cuLinkComplete(link, &image, NULL));
    run(image);
}

// The cubin is NVIDIA's where there is no PTX to put into it.
static void show_no_ptx(void)
{
    run(cubin_of(whole, "whole.cu", "-arch=sm_90a", "-no-ptx").at);
}

int main(int count, char **argument)
{
    static const struct {
        const char *name;
        void (*show)(void);
    } sections[] = {{"compiled", show_compiled},
                    {"other_gpu", show_other_gpu},
                    {"virtual", show_virtual},
                    {"no_ptx", show_no_ptx},
                    {"linked", show_linked},
                    {"any", show_any},
                    {"lto", show_lto},
                    {"lto_library", show_lto_library},
                    {"driver_link", show_driver_link},
                    {"two_copies", show_two_copies},
                    {"reloaded", show_reloaded}};
    find_calls();
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (count == 2 && strcmp(sections[i].name, argument[1]) == 0) sections[i].show();
    return 0;
}
