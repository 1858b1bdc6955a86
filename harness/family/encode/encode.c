// SPDX-License-Identifier: MIT
// Family "encode": one of the four tensor-map calls. The result is the driver's return value and, where it accepts,
// the 128 bytes.
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "family.h"
#include "field.h"
#include "gpu.h"
#include "map_args.h"
#include "rules/map.h"

void encode_generate(struct random *random, void *test_case)
{
    map_args_generate(random, test_case);
}

static void encode_windows(const void *test_case, struct result *result)
{
    (void)test_case;
    result_window(result, "map", 0, TENSORMAP_BYTES);
}

static enum rule encode_run_model(const void *test_case, struct result *result)
{
    struct tensormap_image image;
    enum rule rule = map_args_encode(test_case, &image, NULL);
    if (rule == RULE_OK) memcpy(result->window[0].bytes, image.word, TENSORMAP_BYTES);
    return rule;
}

static int encode_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    const struct map_args *args = cases;
    struct tensormap_image image;
    for (int i = 0; i < count; i++) {
        results[i].status = map_args_call(&gpu->driver, &args[i], &image);
        if (results[i].status == CUDA_SUCCESS) memcpy(results[i].window[0].bytes, image.word, TENSORMAP_BYTES);
    }
    return CUDA_SUCCESS;
}

// The fields of a map by their names of the driver; `entries` of `bytes` bytes each.
static const struct {
    const char *name;
    size_t offset, bytes;
    int entries;
} fields[] = {
    {"mode", offsetof(struct tensormap, mode), sizeof(enum tensormap_mode), 1},
    {"tensorDataType", offsetof(struct tensormap, dtype), sizeof(enum dtype), 1},
    {"tensorRank", offsetof(struct tensormap, rank), sizeof(int), 1},
    {"globalAddress", offsetof(struct tensormap, address), 8, 1},
    {"globalDim", offsetof(struct tensormap, dim), 8, TENSORMAP_MAX_RANK},
    {"globalStrides", offsetof(struct tensormap, stride) + 8, 8, TENSORMAP_MAX_RANK - 1},
    {"boxDim", offsetof(struct tensormap, box), 4, TENSORMAP_MAX_RANK},
    {"elementStrides", offsetof(struct tensormap, estride), 4, TENSORMAP_MAX_RANK},
    {"pixelBoxLowerCorner", offsetof(struct tensormap, lower), 4, 3},
    {"pixelBoxUpperCorner", offsetof(struct tensormap, upper), 4, 3},
    {"pixelsPerColumn", offsetof(struct tensormap, pixels), 4, 1},
    {"interleave", offsetof(struct tensormap, interleave), sizeof(enum tensormap_interleave), 1},
    {"swizzle", offsetof(struct tensormap, swizzle), sizeof(enum tensormap_swizzle), 1},
    {"l2Promotion", offsetof(struct tensormap, l2_promotion), sizeof(enum tensormap_l2_promotion), 1},
    {"oobFill", offsetof(struct tensormap, oob_fill), sizeof(enum tensormap_oob_fill), 1},
    {"bytes of the box", offsetof(struct tensormap, box_bytes), 4, 1},
    {"bytes of the pattern", offsetof(struct tensormap, pattern_bytes), 4, 1},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static uint64_t entry_of(const struct tensormap *map, int field, int entry)
{
    uint64_t value = 0;
    memcpy(&value, (const char *)map + fields[field].offset + (size_t)entry * fields[field].bytes, fields[field].bytes);
    return value;
}

// Names each field in which two maps differ.
static void explain_fields(const struct tensormap_image *expected, const struct tensormap_image *found, FILE *out)
{
    struct tensormap want, got;
    bool differ = false;
    tensormap_decode(expected, &want, NULL);
    tensormap_decode(found, &got, NULL);
    for (int i = 0; i < FIELDS; i++)
        for (int j = 0; j < fields[i].entries; j++) {
            uint64_t a = entry_of(&want, i, j), b = entry_of(&got, i, j);
            if (a == b) continue;
            char entry[16] = "";
            if (fields[i].entries > 1) snprintf(entry, sizeof entry, "[%d]", j);
            fprintf(out, "    %s%s: expected 0x%" PRIx64 ", found 0x%" PRIx64 "\n", fields[i].name, entry, a, b);
            differ = true;
        }
    if (!differ) fprintf(out, "    no field differs: the bits belong to none\n");
}

enum rule encode_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    struct tensormap_image images[2];
    (void)test_case;
    memcpy(images[0].word, difference->expected->bytes, TENSORMAP_BYTES);
    memcpy(images[1].word, difference->found->bytes, TENSORMAP_BYTES);
    for (int i = 0; i < TENSORMAP_BYTES / 8; i++) {
        uint64_t want = images[0].word[i], got = images[1].word[i];
        if (want != got)
            fprintf(out,
                    "    word q%d of the map: expected %016" PRIx64 ", found %016" PRIx64
                    ", bits that differ %016" PRIx64 "\n",
                    i, want, got, want ^ got);
    }
    explain_fields(&images[0], &images[1], out);
    return RULE_MAP_BITS_LAYOUT;
}

const struct family family_encode = {
    .name = "encode",
    .summary = "cuTensorMapEncodeTiled, EncodeIm2col, EncodeIm2colWide, ReplaceAddress: accept or refuse, and the 128 "
               "bytes",
    .case_bytes = sizeof(struct map_args),
    .generate = encode_generate,
    .fields = &map_fields,
    .windows = encode_windows,
    .run_model = encode_run_model,
    .run_gpu = encode_run_gpu,
    .explain = encode_explain,
};
