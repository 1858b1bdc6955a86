// SPDX-License-Identifier: MIT
// cuTensorMap*: the model's own encoder, which is an H200's, bit for bit.
#include "driver.h"
#include "finding_text.h"
#include "tensormap.h"

// Says all that is wrong, as `tmaref watch` and `tmaref encode` do.
static enum cuda_result answer(const char *call, enum rule rule, const struct findings *findings)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    if (driver_context() == NULL) return CUDA_ERROR_INVALID_CONTEXT;
    if (rule == RULE_OK) return CUDA_SUCCESS;
    const int error = rule_cuda_error(rule);
    struct line line;
    line_start(&line);
    line_add(&line, "returns %s (%d):\n", cuda_error_name(error), error);
    findings_text(findings, &line);
    return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call, "%.*s", (int)line.used - 1, line.bytes);
}

DRIVER_VISIBLE enum cuda_result cuTensorMapEncodeTiled(struct tensormap_image *map, uint32_t data_type, uint32_t rank,
                                                       void *address, const uint64_t *dim, const uint64_t *stride,
                                                       const uint32_t *box, const uint32_t *estride,
                                                       uint32_t interleave, uint32_t swizzle, uint32_t l2_promotion,
                                                       uint32_t oob_fill)
{
    struct findings findings;
    return answer("cuTensorMapEncodeTiled",
                  tensormap_encode_tiled(map, data_type, rank, (uintptr_t)address, dim, stride, box, estride,
                                         interleave, swizzle, l2_promotion, oob_fill, &findings),
                  &findings);
}

DRIVER_VISIBLE enum cuda_result cuTensorMapEncodeIm2col(struct tensormap_image *map, uint32_t data_type, uint32_t rank,
                                                        void *address, const uint64_t *dim, const uint64_t *stride,
                                                        const int *lower, const int *upper, uint32_t channels,
                                                        uint32_t pixels, const uint32_t *estride, uint32_t interleave,
                                                        uint32_t swizzle, uint32_t l2_promotion, uint32_t oob_fill)
{
    struct findings findings;
    return answer("cuTensorMapEncodeIm2col",
                  tensormap_encode_im2col(map, data_type, rank, (uintptr_t)address, dim, stride, lower, upper, channels,
                                          pixels, estride, interleave, swizzle, l2_promotion, oob_fill, &findings),
                  &findings);
}

DRIVER_VISIBLE enum cuda_result cuTensorMapEncodeIm2colWide(struct tensormap_image *map, uint32_t data_type,
                                                            uint32_t rank, void *address, const uint64_t *dim,
                                                            const uint64_t *stride, int lower_width, int upper_width,
                                                            uint32_t channels, uint32_t pixels, const uint32_t *estride,
                                                            uint32_t interleave, uint32_t mode, uint32_t swizzle,
                                                            uint32_t l2_promotion, uint32_t oob_fill)
{
    struct findings findings;
    return answer("cuTensorMapEncodeIm2colWide",
                  tensormap_encode_im2col_wide(map, data_type, rank, (uintptr_t)address, dim, stride, lower_width,
                                               upper_width, channels, pixels, estride, interleave, mode, swizzle,
                                               l2_promotion, oob_fill, &findings),
                  &findings);
}

DRIVER_VISIBLE enum cuda_result cuTensorMapReplaceAddress(struct tensormap_image *map, void *address)
{
    struct findings findings;
    return answer("cuTensorMapReplaceAddress", tensormap_replace_address(map, (uintptr_t)address, &findings),
                  &findings);
}
