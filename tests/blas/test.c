// SPDX-License-Identifier: MIT
// The sections of the tests of the simulated cuBLAS, by name: blas_calls SECTION.
#include "test.h"

#include "cuda_api.h"

void *test_keep(void *it)
{
    enum { MOST = 64 };
    static void *kept[MOST];
    static size_t count;
    REQUIRE(count < MOST);
    return kept[count++] = it;
}

struct blas_handle *test_handle(void)
{
    struct blas_handle *handle;
    WORKS(cublasCreate_v2(&handle));
    return test_keep(handle);
}

void *test_memory(int type, int64_t count)
{
    static uint32_t state = 1;
    unsigned long long memory;
    const int reals = 1 + numbers_is_complex(type);
    WORKS(cuMemAlloc_v2(&memory, (size_t)(count + 1) * numbers_bytes(type)));
    void *at = (void *)(uintptr_t)memory;
    for (int64_t i = 0; i < count * reals; i++) {
        state = state * 1664525 + 1013904223;
        numbers_put(numbers_real(type), at, i, (int)(state >> 28) - 8);
    }
    return at;
}

double test_number(int type, const void *at, int64_t index)
{
    double number;
    numbers_widen(numbers_real(type), at, index, 1, 1, &number);
    return number;
}

int main(int argc, char **argv)
{
    const struct section *section = argc == 2 ? section_find(argv[1]) : NULL;
    if (section == NULL) return puts("usage: blas_calls SECTION"), 2;
    section->show();
    return 0;
}
