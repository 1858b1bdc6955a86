// SPDX-License-Identifier: MIT
// How reports spell names of PTX (model/machine/run/demangle.h), and how text of a user's files reaches a terminal
// (model/core/plain.h).
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "plain.h"

#define NUMBA "_ZN6cudapy8__main__3addB2v1B30cw51cXTLSUwv1sCUt9Ww0FEw09RRQPE5ArrayIfLi1E1C7mutable7alignedE"
#define CCCL  "_ZN37_INTERNAL_2a84ef1e_7_ring_cu_ac6f98994cuda3ptx3__424mbarrier_try_wait_parityIvEEbPmRKj"
#define LONG_NAME                                                                                                      \
    "_ZN7cutlass13device_kernelINS_4gemm6kernel13GemmUniversalIN4cute5tupleIJiiiiEEENS_10collective13CollectiveMmaI"   \
    "fEEEEEEvNT_6ParamsE"

static const struct {
    const char *name, *text, *why;
} functions[] = {
    {"_Z5shiftPKiPii", "shift(int const*, int*, int)", "a function of C++"},
    {"_Z4copyIfEvPT_S1_", "copy<float>(float*, float*)", "without void in front, which all kernels return"},
    {LONG_NAME, "cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int, int>, ...>",
     "of long lists the first argument stays"},
    {CCCL, "bool cuda::ptx::mbarrier_try_wait_parity<void>(unsigned long*, unsigned int const&)",
     "without the namespaces of nvcc's file and of CCCL's release"},
    {"_Z7__4_oneP3__4", "__4_one(__4*)", "what only looks like one stays"},
    {NUMBA, "__main__.add(Array<float, 1, C, mutable, aligned>)", "Numba"},
    {"matmul_kernel", "matmul_kernel", "extern \"C\", and Triton's"},
    {"_ZN7cutlass13device_kernelIN4cuteJEEEvT_", "cutlass::device_kernel<...>", "which the library cannot read"},
    {"_ZN7cutlass13device_kernel_", "_ZN7cutlass13device_kernel_", "of which nothing is sure"},
    {"_Z", "_Z", "no name"},
    {"_Zwrong", "_Zwrong", "not mangled, though it begins so"},
};

static int has_library(void)
{
    return dlopen("libstdc++.so.6", RTLD_LAZY) != NULL;
}

LOOP_TEST(demangle_function_tells_the_name_in_the_source, 0, ROWS_OF(functions))
{
    char text[DEMANGLED_BYTES];
    if (!has_library()) {
        printf("skipped: there is no libstdc++.so.6 here\n");
        return;
    }
    const size_t length = demangle_function(functions[_i].name, strlen(functions[_i].name), text, sizeof text);
    ck_assert_uint_eq(length, strlen(text));
    ck_assert_msg(strncmp(text, functions[_i].text, strlen(functions[_i].text)) == 0, "%s: %s", functions[_i].why,
                  text);
}

static const struct {
    const char *name, *text, *why;
} variables[] = {
    {"_ZZ1k14CUtensorMap_stPjE4tile", "tile", "of a function with parameters"},
    {"_ZZ4loadIfEvPT_E4full_0", "full", "the second of that name in it"},
    {"buffer", "buffer", "of C"},
    {"_ZZ1kvE", "_ZZ1kvE", "cut"},
    {"_ZZ1kvE99tile", "_ZZ1kvE99tile", "shorter than it says"},
};

LOOP_TEST(demangle_variable_is_its_name_in_the_function, 0, ROWS_OF(variables))
{
    char text[DEMANGLED_BYTES];
    demangle_variable(variables[_i].name, strlen(variables[_i].name), text, sizeof text);
    ck_assert_msg(strcmp(text, variables[_i].text) == 0, "%s: %s", variables[_i].why, text);
}

TEST(demangle_line_replaces_each_name)
{
    static const char line[] = "mov.u32 %r1, _ZZ1k14CUtensorMap_stPjE4tile+16; // x_ZZ1kvE1s";
    char text[DEMANGLED_BYTES], small[8];
    demangle_line(line, sizeof line - 1, text, sizeof text);
    ck_assert_str_eq(text, "mov.u32 %r1, tile+16; // x_ZZ1kvE1s");
    ck_assert_uint_eq(demangle_line(line, sizeof line - 1, small, sizeof small), 7);
    ck_assert_str_eq(small, "mov....");
}

TEST(plain_writes_control_characters_out)
{
    char *text = NULL, wide[3000];
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    memset(wide, 'a', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    plain_printf(out, "a\x1b[31m\a\tb\x7f\n%s",
                 "\xc2\x9b"
                 "1m \xc3\xa9\r");
    fclose(out);
    ck_assert_str_eq(text, "a\\x1b[31m\\x07\tb\\x7f\n\\u009b1m \xc3\xa9\\x0d");
    free(text);
    out = open_memstream(&text, &bytes);
    plain_printf(out, "%s", wide);
    fclose(out);
    ck_assert_str_eq(text, wide);
    free(text);
}
