// SPDX-License-Identifier: MIT
// Programs with much of something: time and memory grow with it, and no faster.
#define _GNU_SOURCE 1
#include "api.h"

#include <sys/resource.h>
#include <time.h>
#include <zstd.h>

// Processor time since the last call, in seconds, and the most memory that the process has had, in MiB.
static double seconds(void)
{
    static clock_t last;
    const clock_t now = clock(), since = last;
    last = now;
    return (double)(now - since) / CLOCKS_PER_SEC;
}

static long mebibytes(void)
{
    struct rusage usage;
    REQUIRE(getrusage(RUSAGE_SELF, &usage) == 0);
    return usage.ru_maxrss / 1024;
}

// 20,000 kernels, each with one register, were 52 s and 2.7 GB.
SECTION(many_kernels)
{
    enum { KERNELS = 20000 };
    struct CUfunc_st **all = calloc(KERNELS, sizeof *all);
    struct CUmod_st *module;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    api_ready();
    REQUIRE(all != NULL && out != NULL);
    fputs(PTX_HEAD, out);
    for (int i = 0; i < KERNELS; i++)
        fprintf(out, ".visible .entry k%d(){.reg .b32 %%r; mov.b32 %%r, %d; ret;}\n", i, i);
    fclose(out);
    seconds();
    WORKS(cuModuleLoadData(&module, text));
    WORKS(cuModuleEnumerateFunctions(all, KERNELS, module));
    for (int i = 0; i < KERNELS; i++) WORKS(cuFuncLoad(all[i]));
    REQUIRE(all[0] != all[1] && seconds() < 5 && mebibytes() < 500);
    WORKS(cuModuleUnload(module));
    free(text);
    free(all);
}

// Registers that no instruction names were 253 MB of each warp.
SECTION(many_registers)
{
    static const char body[] = ".visible .entry many(.param .u64 to)\n{\n.reg .b64 %rd<1000000>;\n.reg .b32 %r<2>;\n"
                               "ld.param.u64 %rd999999, [to];\nmov.u64 %rd500000, 4;\n"
                               "add.u64 %rd3, %rd999999, %rd500000;\nmov.u32 %r1, 9;\n"
                               "st.global.u32 [%rd3], %r1;\nret;\n}\n";
    api_ready();
    struct CUfunc_st *many = api_kernel(body, "many");
    unsigned long long to = api_memory(8, 0);
    void *parameters[] = {&to};
    const long before = mebibytes();
    WORKS(cuLaunchKernel(many, 1, 1, 1, 256, 1, 1, 0, NULL, parameters, NULL));
    WORKS(cuCtxSynchronize());
    REQUIRE(api_word(to + 4) == 9 && mebibytes() < before + 100);
}

// A variable of a gigabyte with one byte that is not 0 was a gigabyte as soon as it was loaded. What the machine has
// not is refused, also where a function that the kernel calls has it.
SECTION(vast_variables)
{
    struct CUmod_st *module;
    struct CUfunc_st *function;
    unsigned long long at;
    size_t bytes;
    api_ready();
    const long before = mebibytes();
    module = api_module(".visible .global .align 4 .b8 vast[1500000000] = {1};\n");
    WORKS(cuModuleGetGlobal_v2(&at, &bytes, module, "vast"));
    REQUIRE(bytes == 1500000000 && api_byte(at) == 1 && api_byte(at + bytes - 1) == 0);
    REQUIRE(mebibytes() < before + 100);
    REFUSES(ERROR_INVALID_PTX, cuModuleLoadData(&module, PTX_HEAD ".const .align 4 .b8 c[1500000000] = {1};\n"));
    SAYS("'c': constant data with it has 1500000000 bytes, limit 65536");
    module = api_module(".func f() { .shared .b8 s[200000]; ret; }\n"
                        ".visible .entry k() { .shared .b8 s[50000]; call f, (); ret; }\n");
    REFUSES(ERROR_INVALID_PTX, cuModuleGetFunction(&function, module, "k"));
    SAYS("'k': its shared memory has 250000 bytes, limit 232448");
}

// What no compiler wrote is refused before it takes memory: 33 KB were 2 GB.
SECTION(bombs)
{
    static const char pattern[] = "/*\n";
    enum { BYTES = 600 << 20, ROOM = 1 << 20 };
    struct CUmod_st *module;
    char *text = malloc(BYTES);
    unsigned char *packed = calloc(ROOM, 1);
    REQUIRE(text != NULL && packed != NULL);
    for (size_t i = 0; i < BYTES; i++) text[i] = pattern[i % (sizeof pattern - 1)];
    const size_t payload = ZSTD_compress(packed + HEADER + ENTRY, ROOM - HEADER - ENTRY, text, BYTES, 1);
    REQUIRE(!ZSTD_isError(payload));
    free(text);
    api_put(packed, 0xba55ed50, 4);
    api_put(packed + 4, 1, 2);
    api_put(packed + 6, HEADER, 2);
    api_put(packed + 8, ENTRY + payload, 8);
    api_put(packed + HEADER, PTX, 2);
    api_put(packed + HEADER + 4, ENTRY, 4);
    api_put(packed + HEADER + 8, payload, 8);
    api_put(packed + HEADER + 28, 90, 4);
    api_put(packed + HEADER + 40, ZSTD, 8);
    api_put(packed + HEADER + 56, BYTES, 8);
    api_ready();
    seconds();
    REFUSES(ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&module, packed));
    SAYS("more than 500 times its packed size");
    REQUIRE(seconds() < 0.5);
    free(packed);
}

// Comments that end at once, and those that do not: as long as the text.
SECTION(long_comments)
{
    enum { BYTES = 4 << 20 };
    struct CUmod_st *module;
    char *text = calloc(BYTES + 1, 1);
    REQUIRE(text != NULL);
    for (size_t i = 0; i < BYTES; i++) text[i] = "/*"[i % 2];
    api_ready();
    seconds();
    REFUSES(ERROR_INVALID_IMAGE, cuModuleLoadData(&module, text));
    SAYS("PTX begins with .version");
    REQUIRE(seconds() < 3);
    free(text);
}

// Each node of a chain of 100,000 looked for the copy of the one before it: more than 6 s.
SECTION(long_chains)
{
    enum { NODES = 100000 };
    struct CUgraphNode_st *node = NULL, *last;
    struct CUgraph_st *graph, *clone;
    size_t nodes = 0;
    api_ready();
    WORKS(cuGraphCreate(&graph, 0));
    for (int i = 0; i < NODES; i++) {
        last = node;
        WORKS(cuGraphAddEmptyNode(&node, graph, &last, i > 0));
    }
    seconds();
    WORKS(cuGraphClone(&clone, graph));
    WORKS(cuGraphGetNodes(clone, NULL, &nodes));
    WORKS(cuGraphNodeFindInClone(&last, node, clone));
    REQUIRE(nodes == NODES && last != node && seconds() < 2);
    WORKS(cuGraphDestroy(clone));
    WORKS(cuGraphDestroy(graph));
}
