// SPDX-License-Identifier: MIT
// A libcuda.so.1 for machines without one: enough of a driver to be found in every way and to answer the tensor map
// calls as the model does. STANDIN makes it lie: "verdict" refuses everything, "bytes" spoils a byte, "context" says
// that there is no context. It dies where an H200's driver was recorded to die.
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_calls.h"
#include "tensormap.h"

enum { VERSION = 13000, SPOILT_WORD = 7 };

#define DECLARE(name, parameters)             enum cuda_result name parameters;
#define MAP(name, since, streams, parameters) DECLARE(name, parameters)
#include "made_calls.def"
DECLARE(cuInit, (unsigned flags))
DECLARE(cuDriverGetVersion, (int *version))
DECLARE(cuGetProcAddress, (const char *symbol, void **function, int cuda_version, uint64_t flags))
DECLARE(cuGetProcAddress_v2, (const char *symbol, void **function, int cuda_version, uint64_t flags, uint32_t *status))

static bool lies(const char *how)
{
    const char *value = getenv("STANDIN");
    return value != NULL && strcmp(value, how) == 0;
}

static enum cuda_result answer(enum rule rule, struct tensormap_image *map)
{
    if (rule_row(rule)->sm_90a == OUTCOME_CRASH) raise(SIGSEGV);
    if (lies("context")) return CUDA_ERROR_INVALID_CONTEXT;
    if (lies("verdict")) return CUDA_ERROR_INVALID_VALUE;
    if (lies("bytes") && rule == RULE_OK) map->word[SPOILT_WORD] ^= 1;
    return (enum cuda_result)rule_cuda_error(rule);
}

enum cuda_result cuInit(unsigned flags)
{
    return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

enum cuda_result cuDriverGetVersion(int *version)
{
    *version = VERSION;
    return CUDA_SUCCESS;
}

enum cuda_result cuTensorMapEncodeTiled(struct tensormap_image *map, uint32_t data_type, uint32_t rank, void *address,
                                        const uint64_t *dim, const uint64_t *stride, const uint32_t *box,
                                        const uint32_t *estride, uint32_t interleave, uint32_t swizzle,
                                        uint32_t l2_promotion, uint32_t oob_fill)
{
    return answer(tensormap_encode_tiled(map, data_type, rank, (uintptr_t)address, dim, stride, box, estride,
                                         interleave, swizzle, l2_promotion, oob_fill, NULL),
                  map);
}

enum cuda_result cuTensorMapEncodeIm2col(struct tensormap_image *map, uint32_t data_type, uint32_t rank, void *address,
                                         const uint64_t *dim, const uint64_t *stride, const int *lower,
                                         const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *estride,
                                         uint32_t interleave, uint32_t swizzle, uint32_t l2_promotion,
                                         uint32_t oob_fill)
{
    return answer(tensormap_encode_im2col(map, data_type, rank, (uintptr_t)address, dim, stride, lower, upper, channels,
                                          pixels, estride, interleave, swizzle, l2_promotion, oob_fill, NULL),
                  map);
}

enum cuda_result cuTensorMapEncodeIm2colWide(struct tensormap_image *map, uint32_t data_type, uint32_t rank,
                                             void *address, const uint64_t *dim, const uint64_t *stride,
                                             int lower_width, int upper_width, uint32_t channels, uint32_t pixels,
                                             const uint32_t *estride, uint32_t interleave, uint32_t mode,
                                             uint32_t swizzle, uint32_t l2_promotion, uint32_t oob_fill)
{
    return answer(tensormap_encode_im2col_wide(map, data_type, rank, (uintptr_t)address, dim, stride, lower_width,
                                               upper_width, channels, pixels, estride, interleave, mode, swizzle,
                                               l2_promotion, oob_fill, NULL),
                  map);
}

enum cuda_result cuTensorMapReplaceAddress(struct tensormap_image *map, void *address)
{
    return answer(tensormap_replace_address(map, (uintptr_t)address, NULL), map);
}

static enum cuda_result unknown(void)
{
    return CUDA_SUCCESS;
}

// The functions by name; cuGetProcAddress means its second version from CUDA 12 on. Everything else that a runtime
// library may ask for is a function that succeeds and does nothing.
static void *find(const char *symbol, int cuda_version)
{
    static const struct {
        const char *name;
        void *function;
    } rows[] = {
#define MAP(name, ...) {#name, (void *)name},
        MAP(cuInit, ) MAP(cuDriverGetVersion, )
#include "made_calls.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, symbol) == 0) return rows[i].function;
    if (strcmp(symbol, "cuGetProcAddress") != 0) return (void *)unknown;
    return cuda_version >= 12000 ? (void *)cuGetProcAddress_v2 : (void *)cuGetProcAddress;
}

enum cuda_result cuGetProcAddress(const char *symbol, void **function, int cuda_version, uint64_t flags)
{
    (void)flags;
    *function = find(symbol, cuda_version);
    return CUDA_SUCCESS;
}

enum cuda_result cuGetProcAddress_v2(const char *symbol, void **function, int cuda_version, uint64_t flags,
                                     uint32_t *status)
{
    if (status != NULL) *status = CU_GET_PROC_ADDRESS_SUCCESS;
    return cuGetProcAddress(symbol, function, cuda_version, flags);
}
