// SPDX-License-Identifier: MIT
// The tensor map calls of the stand-in GPU, answered by the model, and the call that the executor does not make.
#include <signal.h>
#include <string.h>

#include "cuda_calls.h"
#include "standin.h"
#include "tensormap.h"

#define DECLARE(name, parameters) enum cuda_result name parameters;
CUDA_TENSOR_MAP_CALL_ROWS(DECLARE)

// The model wants the alignment of the type, which the driver does not: it works on a copy.
static struct tensormap_image made;

static struct tensormap_image *made_of(const void *map, void *address)
{
    meet_trouble((uintptr_t)address);
    if (map != NULL) memcpy(made.word, map, TENSORMAP_BYTES);
    return map != NULL ? &made : NULL;
}

static enum cuda_result answer(enum rule rule, void *map)
{
    if (rule_row(rule)->sm_90a == OUTCOME_CRASH) raise(SIGSEGV);
    if (rule_cuda_error(rule) == 0) memcpy(map, made.word, TENSORMAP_BYTES);
    return (enum cuda_result)rule_cuda_error(rule);
}

enum cuda_result cuTensorMapEncodeTiled(struct tensormap_image *map, uint32_t data_type, uint32_t rank, void *address,
                                        const uint64_t *dim, const uint64_t *stride, const uint32_t *box,
                                        const uint32_t *estride, uint32_t interleave, uint32_t swizzle,
                                        uint32_t l2_promotion, uint32_t oob_fill)
{
    return answer(tensormap_encode_tiled(made_of(map, address), data_type, rank, (uintptr_t)address, dim, stride, box,
                                         estride, interleave, swizzle, l2_promotion, oob_fill, NULL),
                  map);
}

enum cuda_result cuTensorMapEncodeIm2col(struct tensormap_image *map, uint32_t data_type, uint32_t rank, void *address,
                                         const uint64_t *dim, const uint64_t *stride, const int *lower,
                                         const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *estride,
                                         uint32_t interleave, uint32_t swizzle, uint32_t l2_promotion,
                                         uint32_t oob_fill)
{
    return answer(tensormap_encode_im2col(made_of(map, address), data_type, rank, (uintptr_t)address, dim, stride,
                                          lower, upper, channels, pixels, estride, interleave, swizzle, l2_promotion,
                                          oob_fill, NULL),
                  map);
}

enum cuda_result cuTensorMapEncodeIm2colWide(struct tensormap_image *map, uint32_t data_type, uint32_t rank,
                                             void *address, const uint64_t *dim, const uint64_t *stride,
                                             int lower_width, int upper_width, uint32_t channels, uint32_t pixels,
                                             const uint32_t *estride, uint32_t interleave, uint32_t mode,
                                             uint32_t swizzle, uint32_t l2_promotion, uint32_t oob_fill)
{
    return answer(tensormap_encode_im2col_wide(made_of(map, address), data_type, rank, (uintptr_t)address, dim, stride,
                                               lower_width, upper_width, channels, pixels, estride, interleave, mode,
                                               swizzle, l2_promotion, oob_fill, NULL),
                  map);
}

enum cuda_result cuTensorMapReplaceAddress(struct tensormap_image *map, void *address)
{
    return answer(tensormap_replace_address(made_of(map, address), (uintptr_t)address, NULL), map);
}

// Called by the watch alone, never by the executor: it fails, whatever it takes.
int cuGetProcAddress_v2(void)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}
