// SPDX-License-Identifier: MIT
#include "runnable.h"

#include <string.h>

#include "gemm_gpu.h"
#include "ladder_case.h"

#define GEMM_SIZES                                                                                                     \
    "\"type\": \"bf16\", \"m\": 512, \"n\": 512, \"k\": 512, \"out\": null, \"tile\": null, \"pitch\": null, "
#define GEMM_DEFAULTS(kernel, splits)                                                                                  \
    "{\"kernel\": \"" kernel "\", " GEMM_SIZES "\"stages\": null, \"cluster\": [1, 1], \"splits\": " splits ", "       \
    "\"reduce\": 0, \"workspace\": 0, \"group\": 8, \"ctas\": 0, \"exact\": 0, \"dump\": 0, \"seed\": 0}"
#define GEMM_ROW(name, summary, kernel, splits)                                                                        \
    {                                                                                                                  \
        name, summary, "gemm", GEMM_DEFAULTS(kernel, splits), gemm_time, gemm_work, "FLOP/s", gemm_timeline            \
    }

#define LADDER_ROW(name, summary, step, ctas)                                                                          \
    {                                                                                                                  \
        name, summary, "ladder",                                                                                       \
            "{\"step\": \"" step "\", \"m\": 512, \"n\": 512, \"k\": 512, \"ctas\": " ctas ", \"seed\": 0}",           \
            ladder_time, ladder_work, "FLOP/s", NULL                                                                   \
    }

const struct runnable runnables[] = {
    GEMM_ROW("gemm-pingpong", "persistent GEMM, each consumer warpgroup with tiles of its own", "pingpong", "1"),
    GEMM_ROW("gemm-cooperative", "persistent GEMM, both consumer warpgroups on one tile", "cooperative", "1"),
    GEMM_ROW("gemm-split-k", "GEMM with k split into parts, for few tiles", "split_k", "4"),
    GEMM_ROW("gemm-pingpong-turned", "ping-pong GEMM of the transpose of D, for an m between the tiles of the others",
             "pingpong_turned", "1"),
    GEMM_ROW("gemm-cooperative-turned", "the same, both consumer warpgroups on one tile", "cooperative_turned", "1"),
    GEMM_ROW("gemm-turned", "split-K GEMM of the transpose of D, for an m between the tiles of the others", "turned",
             "4"),
    GEMM_ROW("gemm-gather", "GEMM whose producer copies rows by cp.async, for rows that TMA loads slowly", "gather",
             "1"),
    GEMM_ROW("gemm-cp-async", "the baseline of sm_80: multi-stage cp.async, ldmatrix, mma.sync", "cp_async", "1"),
    {"gemm-layout", "GEMM with operands of any swizzle and majorness", "gemm_layout",
     "{\"type\": \"bf16\", \"major_a\": \"k\", \"major_b\": \"k\", \"swizzle_a\": \"128B\", \"swizzle_b\": \"128B\", "
     "\"shift\": [0, 0], \"m\": 128, \"n\": 128, \"k\": 128, \"pitch\": null, \"dump\": 0, \"seed\": 0}",
     NULL, NULL, NULL, NULL},
    LADDER_ROW("ladder-load", "GEMM, step 1 of the ladder: load, wait, multiply", "load", "null"),
    LADDER_ROW("ladder-double-buffer", "step 2: the next block is loaded meanwhile", "double_buffer", "null"),
    LADDER_ROW("ladder-pipeline", "step 3: a producer warp and a ring of buffers", "pipeline", "null"),
    LADDER_ROW("ladder-cooperative", "step 4: two consumer warpgroups on one tile", "cooperative", "null"),
    LADDER_ROW("ladder-pingpong", "step 5: two consumers, each with a tile of its own, in turn", "pingpong", "0"),
    {"prefetch", "the prefetch pipeline of bulk copies", "prefetch",
     "{\"stages\": 4, \"stores\": 0, \"ctas\": 8, \"threads\": 128, \"bytes\": 65536, \"batch\": 1024, \"offset\": 0, "
     "\"in_place\": 0, \"seed\": 0}",
     NULL, NULL, NULL, NULL},
    {"read-modify-write", "tiles through shared memory by memcpy_async and its relatives", "rmw",
     "{\"form\": \"cp_async_bulk\", \"type\": \"u32\", \"issuer\": \"thread0\", \"threads\": 128, \"count\": 8192, "
     "\"tile\": 1024, "
     "\"offset\": 0, \"seed\": 0}",
     NULL, NULL, NULL, NULL},
    {"cluster-histogram", "a histogram over the shared memory of a cluster, and its relatives", "histogram",
     "{\"variant\": \"sync\", \"cluster\": 2, \"clusters\": 4, \"threads\": 256, \"nbins\": 1000, \"count\": 100000, "
     "\"values\": \"any\", \"skew\": 0, \"seed\": 0}",
     NULL, NULL, NULL, NULL},
    {"attention", "one query, its keys split over CTAs that meet in distributed shared or global memory", "softmax",
     "{\"variant\": \"push\", \"parts\": 4, \"rows\": 2, \"dims\": 128, \"count\": 500, \"threads\": 256, "
     "\"inputs\": \"plain\", \"seed\": 0}",
     NULL, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}};

const struct runnable *runnable_find(const char *name)
{
    for (const struct runnable *row = runnables; row->name != NULL; row++)
        if (strcmp(row->name, name) == 0) return row;
    return NULL;
}
