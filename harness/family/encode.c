// SPDX-License-Identifier: MIT
// Family "encode": one of the four tensor-map calls. The result is the driver's return value and, where it accepts,
// the 128 bytes.
#include <inttypes.h>
#include <string.h>

#include "family.h"
#include "gpu.h"
#include "map_args.h"

static void encode_generate(struct random *random, void *test_case)
{
    map_args_generate(random, test_case);
}

static json_t *encode_write(const void *test_case)
{
    return map_args_write(test_case);
}

static int encode_read(const json_t *json, void *test_case, struct text *why)
{
    return map_args_read(json, "encode case", test_case, why);
}

static size_t encode_result_bytes(const void *test_case)
{
    (void)test_case;
    return TENSORMAP_BYTES;
}

// A crash is a signal, not an error number.
static int status_of(enum rule rule)
{
    enum { SIGNAL_SEGV = 11 };
    return rule_row(rule)->sm_90a == OUTCOME_CRASH ? -SIGNAL_SEGV : rule_cuda_error(rule);
}

static void encode_run_model(const void *test_case, struct result *result)
{
    struct tensormap_image image;
    result->rule = map_args_encode(test_case, &image, NULL);
    result->status = status_of(result->rule);
    if (result->rule == RULE_OK) memcpy(result_window(result, "map", 0, TENSORMAP_BYTES), image.word, TENSORMAP_BYTES);
}

static int encode_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    const struct map_args *args = cases;
    struct tensormap_image image;
    for (int i = 0; i < count; i++) {
        results[i].status = map_args_call(&gpu->driver, &args[i], &image);
        if (results[i].status == CUDA_SUCCESS)
            memcpy(result_window(&results[i], "map", 0, TENSORMAP_BYTES), image.word, TENSORMAP_BYTES);
    }
    return CUDA_SUCCESS;
}

static void encode_explain(const void *test_case, const struct result *expected, const struct result *found, FILE *out)
{
    const struct map_args *args = test_case;
    (void)args;
    if (expected->windows == 0 || found->windows == 0) return;
    for (int i = 0; i < TENSORMAP_BYTES / 8; i++) {
        uint64_t want, got;
        memcpy(&want, expected->window[0].bytes + 8 * i, 8);
        memcpy(&got, found->window[0].bytes + 8 * i, 8);
        if (want != got)
            fprintf(out, "  word q%d: expected %016" PRIx64 ", found %016" PRIx64 ", bits that differ %016" PRIx64 "\n",
                    i, want, got, want ^ got);
    }
}

const struct family family_encode = {
    "encode",
    "cuTensorMapEncodeTiled, EncodeIm2col, EncodeIm2colWide, ReplaceAddress: accept or refuse, and the 128 bytes",
    sizeof(struct map_args),
    encode_generate,
    encode_write,
    encode_read,
    encode_result_bytes,
    encode_run_model,
    encode_run_gpu,
    NULL,
    encode_explain,
};
