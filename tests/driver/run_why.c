// SPDX-License-Identifier: MIT
// For the test of `tmaref exec --why`: memory that was written in several ways, and a kernel that copies it. usage:
// run_why FILE KERNEL [CLUSTER]. Allocation 1 has 64 x 64 words, word i is i; a copy of rows 4 to 7 over them comes
// from allocation 2, that cuMemsetD32 filled with 5; then the kernel `produce` writes i + 100 to each word of rows 8
// to 11. KERNEL gets a map of allocation 1, boxes of 32 x 16 words with the 128B swizzle, and the addresses of
// allocations 1 and 3.
#include "run.h"

enum { WORDS = RUN_SIDE * RUN_SIDE, ROW_BYTES = 4 * RUN_SIDE };

static struct CUfunc_st *load(struct CUmod_st **module, const char *path, const char *kernel)
{
    struct CUfunc_st *function;
    char *text = read_text(path);
    if (*module == NULL) must(cuModuleLoadData(module, text), "module");
    must(cuModuleGetFunction(&function, *module, kernel), "function");
    free(text);
    return function;
}

static void launch(struct CUfunc_st *function, unsigned ctas, void **parameters)
{
    struct cuda_launch_attribute cluster = clusters_of(ctas);
    const struct cuda_launch_config config = config_of(ctas, 32, &cluster, 1);
    must(cuLaunchKernelEx(&config, function, parameters, NULL), "launch");
    must(cuCtxSynchronize(), "launch");
}

int main(int argc, char **argv)
{
    static struct tensormap_image map;
    static uint32_t word[WORDS];
    struct CUmod_st *module = NULL;
    unsigned long long memory[3];
    if (argc < 3) return 2;
    for (uint32_t i = 0; i < WORDS; i++) word[i] = i;
    begin();
    for (int i = 0; i < 3; i++) must(cuMemAlloc_v2(&memory[i], sizeof word), "memory");
    must(cuMemcpyHtoD_v2(memory[0], word, sizeof word), "copy");
    must(cuMemsetD32_v2(memory[1], 5, WORDS), "fill");
    must(cuMemcpyDtoD_v2(memory[0] + 4 * ROW_BYTES, memory[1], 4 * ROW_BYTES), "copy");
    unsigned long long rows = memory[0] + 8 * ROW_BYTES;
    struct CUfunc_st *kernel = load(&module, argv[1], argv[2]);
    launch(load(&module, argv[1], "produce"), 1, (void *[]){&rows});
    encode(&map, memory[0], (const uint32_t[]){32, 16}, 3);
    launch(kernel, argc > 3 ? (unsigned)atoi(argv[3]) : 1, (void *[]){&map, &memory[0], &memory[2]});
    return 0;
}
