// SPDX-License-Identifier: MIT
// Family "order": small patterns of writing and reading, each with a fence or a scope or without it. A case makes many
// tries; its result is how many went wrong. Where the memory model forbids it, none may: the result is compared. Where
// the model allows it, the hardware decides how many: any number of the tries is legal, and the recording says what an
// H200 showed.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "family.h"
#include "field.h"
#include "gpu_jobs.h"
#include "order_case.h"

const struct order_row order_rows[ORDER_TRY_COUNT] = {
#define ROW(id, of_name, of_pattern, of_guard, of_by, may, of_litmus)                                                  \
    {.name = of_name,                                                                                                  \
     .litmus = of_litmus,                                                                                              \
     .pattern = ORDER_##of_pattern,                                                                                    \
     .guard = ORDER_GUARD_##of_guard,                                                                                  \
     .by = ORDER_BY_##of_by,                                                                                           \
     .may_fail = ORDER_##may},
    ORDER_TRIES(ROW)
#undef ROW
};

static const struct {
    const char *kernel;
    unsigned cluster;
} patterns[ORDER_PATTERN_COUNT] = {
#define ROW(id, kernel, cluster) {#kernel, cluster},
    ORDER_PATTERNS(ROW)
#undef ROW
};

static const char *const names[] = {
#define NAME(id, name, pattern, guard, by, may, litmus) name,
    ORDER_TRIES(NAME)
#undef NAME
        NULL};

static const struct order_row *row_of(const void *test_case)
{
    return &order_rows[((const struct order_case *)test_case)->what];
}

// --- The model -------------------------------------------------------------------------------------------------------

struct order_counts order_counts_of(const struct result *result)
{
    struct order_counts counts;
    memcpy(&counts, result->window[0].bytes, sizeof counts);
    return counts;
}

static void order_windows(const void *test_case, struct result *result)
{
    (void)test_case;
    result_window(result, "counts", 0, ORDER_OUTPUT_WORDS * 4);
}

// What a machine leaves that does one instruction after the other.
static enum rule order_run_model(const void *test_case, struct result *result)
{
    (void)test_case;
    memset(result->window[0].bytes, 0, ORDER_OUTPUT_WORDS * 4);
    return RULE_OK;
}

static int order_varies(const void *test_case)
{
    return row_of(test_case)->may_fail;
}

static int order_is_legal(const void *test_case, const struct result *result)
{
    const struct order_case *c = test_case;
    if (result->status != 0 || result->windows != 1) return 0;
    const struct order_counts counts = order_counts_of(result);
    return counts.strange == 0 && counts.wrong <= (row_of(c)->may_fail ? c->tries : 0);
}

static json_t *order_describe(const void *test_case, const struct result *result)
{
    const struct order_case *c = test_case;
    char line[80] = "";
    if (result->windows == 1)
        snprintf(line, sizeof line, "%" PRIu32 " of %" PRIu32 " tries went wrong", order_counts_of(result).wrong,
                 c->tries);
    return json_pack("[s]", line);
}

static int order_restore(const void *test_case, const json_t *text, struct result *result)
{
    struct order_counts counts = {0, 0};
    uint32_t tries;
    const char *line = json_string_value(json_array_get(text, 0));
    if (line == NULL || sscanf(line, "%" SCNu32 " of %" SCNu32 " tries went wrong", &counts.wrong, &tries) != 2)
        return 0;
    memcpy(result->window[0].bytes, &counts, sizeof counts);
    return tries == ((const struct order_case *)test_case)->tries;
}

enum rule order_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct order_case *c = test_case;
    const struct result found = {.windows = 1, .window = {*difference->found}};
    const struct order_counts counts = order_counts_of(&found);
    fprintf(out, "    \"%s\": %" PRIu32 " of %" PRIu32 " tries went wrong, %" PRIu32 " had words that nobody wrote\n",
            row_of(c)->name, counts.wrong, c->tries, counts.strange);
    if (!row_of(c)->may_fail)
        fprintf(out, "    the memory model forbids that any goes wrong: tmaref litmus, test %s\n", row_of(c)->litmus);
    return RULE_OK;
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

static uint32_t pattern_of(const void *test_case)
{
    return row_of(test_case)->pattern;
}

static int pattern_bit(const void *test_case)
{
    return 1 << pattern_of(test_case);
}

// Of which patterns a case says how many threads and bytes.
enum {
    OF_BYTES = ~(1 << ORDER_PRODUCT),
    OF_THREADS = ~(1 << ORDER_PRODUCT | 1 << ORDER_ALONE | 1 << ORDER_WAIT),
};

static int make_job(const struct gpu_place *place, void *to)
{
    const struct order_case *c = place->test_case;
    const int bit = pattern_bit(c);
    *(struct order_job *)to = (struct order_job){.output = place->offset / 4,
                                                 .guard = row_of(c)->guard,
                                                 .by = row_of(c)->by,
                                                 .bytes = bit & OF_BYTES ? c->bytes : ORDER_PRODUCT_BYTES,
                                                 .threads = bit & OF_THREADS ? c->threads : ORDER_PRODUCT_THREADS,
                                                 .conflicts = c->conflicts,
                                                 .traffic = c->traffic,
                                                 .tries = c->tries,
                                                 .seed = c->seed};
    return CUDA_SUCCESS;
}

static int shape(struct gpu *gpu, uint32_t group, struct gpu_launch *launch, struct gpu_arguments *arguments)
{
    (void)gpu, (void)arguments;
    launch->kernel = patterns[group].kernel;
    launch->cluster = patterns[group].cluster;
    return CUDA_SUCCESS;
}

static const struct gpu_jobs jobs = {.module = "order",
                                     .case_bytes = sizeof(struct order_case),
                                     .job_bytes = sizeof(struct order_job),
                                     .block = ORDER_THREADS,
                                     .shared_bytes = ORDER_SHARED_BYTES,
                                     .per_processor = 2,
                                     .make = make_job,
                                     .groups = ORDER_PATTERN_COUNT,
                                     .group = pattern_of,
                                     .shape = shape};

// --- Cases -----------------------------------------------------------------------------------------------------------

static const char *illegal(const void *test_case)
{
    const struct order_case *c = test_case;
    const bool reads = row_of(c)->pattern == ORDER_READ || row_of(c)->pattern == ORDER_OWN;
    if (c->bytes % 128 != 0) return "bytes is a multiple of 128";
    if (c->threads % 32 != 0) return "threads is a multiple of 32";
    if (reads && c->bytes > 4 * ORDER_WORDS_EACH * c->threads) return "a thread reads at most 64 bytes";
    return row_of(c)->pattern != ORDER_ALONE || c->bytes <= 512 ? NULL : "one thread writes at most 512 bytes";
}

static const int32_t sizes[] = {512, 1024, 4096, 8192, 16384};
#define CASE struct order_case
static const struct field field[] = {
    FIELD_ONE_OF("what", what, names, "what is tried, and what orders it"),
    FIELD_NUMBER("bytes", bytes, 128, ORDER_MOST_BYTES, "bytes that are written and read, a multiple of 128",
                 .is_there = pattern_bit, .only = OF_BYTES, .where = "all but wgmma",
                 DRAWN({20, JUST(128)}, {80, ONE_OF(sizes)})),
    FIELD_NUMBER("threads", threads, 32, ORDER_PARTY, "threads that take part, a multiple of 32",
                 .is_there = pattern_bit, .only = OF_THREADS, .where = "those of many threads",
                 DRAWN({20, JUST(32)}, {20, JUST(128)}, {60, JUST(ORDER_PARTY)})),
    FIELD_NUMBER("conflicts", conflicts, 0, 1, "1: the lanes of a warp access words that are bytes / 128 words apart"),
    FIELD_NUMBER("traffic", traffic, 0, 1, "1: other warps write shared memory meanwhile"),
    FIELD_NUMBER("tries", tries, 1, 65536, "how often it is tried", DRAWN({50, BETWEEN(1, 64)}, {50, JUST(256)})),
    FIELD_SEED,
    FIELD_END,
};
#undef CASE

const struct family family_order = {
    FAMILY_CASES("order", struct order_case, field, .illegal = illegal),
    .summary = "order: writes and reads with a fence or a scope left out; how many tries went wrong",
    .cost = 1,
    .windows = order_windows,
    .run_model = order_run_model,
    .jobs = &jobs,
    .kernels = "order",
    .describe = order_describe,
    .restore = order_restore,
    .varies = order_varies,
    .is_legal = order_is_legal,
    .explain = order_explain,
};
