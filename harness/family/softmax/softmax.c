// SPDX-License-Identifier: MIT
// Family "softmax": flash decoding, the keys of a query split over CTAs, whose states meet in distributed shared memory
// or in global memory. kernels/softmax.cu has the kernels.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_abi.h"
#include "family.h"
#include "field.h"
#include "gpu_jobs.h"
#include "rules/cluster.h"
#include "rules/mbarrier.h"
#include "softmax_case.h"

#define NAME(id, name) name,
static const char *const variant_names[] = {SOFTMAX_VARIANTS(NAME) NULL};
static const char *const inputs_names[] = {SOFTMAX_INPUTS(NAME) NULL};
#undef NAME

// --- JSON ------------------------------------------------------------------------------------------------------------

static const char *illegal(const void *test_case)
{
    const struct softmax_case *c = test_case;
    return (uint64_t)c->rows * c->count <= SOFTMAX_MAX_COUNT ? NULL : "rows * count is at most 16384";
}

// --- What model and GPU share ----------------------------------------------------------------------------------------

// A sign, seven bits of fraction, and an exponent from 2^-7 to 2^0; keys that are 100 times as large go to 2^6.
uint16_t softmax_input(const struct softmax_case *c, enum softmax_input which, uint32_t i)
{
    uint64_t word = random_mix(((uint64_t)c->seed << 32 | i) * 3 + which);
    uint32_t exponent = 120 + (uint32_t)(word >> 32 & 7);
    if (which == SOFTMAX_KEY && c->inputs == SOFTMAX_FLAT) return 0;
    if (which == SOFTMAX_KEY && c->inputs == SOFTMAX_STEEP) exponent += 6;
    return (uint16_t)((word & 1) << 15 | exponent << 7 | (word >> 8 & 127));
}

float softmax_scale(uint32_t dims)
{
    return dims == 64 ? 0.18033688f : 0.12751743f;
}

static bool is_sent(const struct softmax_case *c)
{
    return c->variant == SOFTMAX_PUSH;
}

static uint32_t out_bytes(const struct softmax_case *c)
{
    return (c->rows * c->dims + 2 * SOFTMAX_GUARD_WORDS) * 4;
}

static uint32_t states_bytes(const struct softmax_case *c)
{
    return c->rows * c->parts * softmax_state_words(c->dims) * 4;
}

// Adds the windows of a result: "out" with SOFTMAX_GUARD_WORDS on both sides, "states", and, if there is something to
// be sent, "slots" and "barriers", in the layouts of struct softmax_job; and what they hold before.
static void softmax_windows(const void *test_case, struct result *result)
{
    const struct softmax_case *c = test_case;
    result_window(result, "out", 0, out_bytes(c));
    result_window(result, "states", 0, states_bytes(c));
    if (is_sent(c)) result_window(result, "slots", 0, states_bytes(c));
    if (is_sent(c)) result_window(result, "barriers", 0, 8 * c->rows);
}

static void softmax_fill(const void *test_case, const struct result *result)
{
    (void)test_case;
    for (int i = 0; i < result->windows; i++) memset(result->window[i].bytes, 0xff, result->window[i].size_bytes);
}

// --- The GPU: one or two launches for each case ----------------------------------------------------------------------

enum { INPUT_BUFFER = 2 };

int softmax_launches(enum softmax_variant variant, uint32_t rows, uint32_t dims, uint32_t threads,
                     struct softmax_job *job, void **arguments, struct gpu_launch launch[2])
{
    static const char *const first[SOFTMAX_VARIANT_COUNT][2] = {
        {"softmax_pull_64", "softmax_pull_128"},
        {"softmax_push_64", "softmax_push_128"},
        {"softmax_part_64", "softmax_part_128"},
    };
    arguments[0] = job;
    launch[0] = (struct gpu_launch){.module = "softmax",
                                    .kernel = first[variant][dims == SOFTMAX_MAX_DIMS],
                                    .grid = rows * job->parts,
                                    .block = threads,
                                    .cluster = variant == SOFTMAX_GLOBAL ? 0 : job->parts,
                                    .shared_bytes = softmax_shared_bytes(dims, threads),
                                    .arguments = arguments};
    launch[1] =
        (struct gpu_launch){.module = "softmax",
                            .kernel = dims == SOFTMAX_MAX_DIMS ? "softmax_merge_parts_128" : "softmax_merge_parts_64",
                            .grid = rows,
                            .block = dims,
                            .arguments = arguments};
    return variant == SOFTMAX_GLOBAL ? 2 : 1;
}

// Numbers of a case's queries, then keys, then values.
static uint64_t query_numbers(const struct softmax_case *c)
{
    return (uint64_t)c->rows * c->dims;
}

static uint64_t key_numbers(const struct softmax_case *c)
{
    return query_numbers(c) * c->count;
}

static uint64_t input_bytes(const struct softmax_case *c)
{
    return 2 * (query_numbers(c) + 2 * key_numbers(c));
}

static uint8_t *fill_input(const struct softmax_case *c, enum softmax_input which, uint64_t numbers, uint8_t *to)
{
    for (uint32_t i = 0; i < numbers; i++, to += 2) {
        uint16_t number = softmax_input(c, which, i);
        memcpy(to, &number, sizeof number);
    }
    return to;
}

// The inputs of a case lie where those of the one before it did: copies to the device wait for the kernels before.
static int put_inputs(struct gpu *gpu, const struct softmax_case *c, unsigned long long *input)
{
    uint8_t *inputs = malloc(input_bytes(c)), *next = inputs;
    *input = gpu_buffer(gpu, INPUT_BUFFER, input_bytes(c));
    if (inputs == NULL || *input == 0) {
        free(inputs);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    next = fill_input(c, SOFTMAX_QUERY, query_numbers(c), next);
    next = fill_input(c, SOFTMAX_KEY, key_numbers(c), next);
    fill_input(c, SOFTMAX_VALUE, key_numbers(c), next);
    int error = (int)gpu->driver.cuMemcpyHtoD_v2(*input, inputs, input_bytes(c));
    free(inputs);
    return error;
}

static int start_case(struct gpu *gpu, const void *test_case, struct result *result, uint64_t shift)
{
    const struct softmax_case *c = test_case;
    uint64_t at = shift + (uint64_t)(uintptr_t)result->window[0].bytes, states = at + out_bytes(c);
    unsigned long long input;
    int error = put_inputs(gpu, c, &input);
    struct softmax_job job = {.query = input,
                              .keys = input + 2 * query_numbers(c),
                              .values = input + 2 * (query_numbers(c) + key_numbers(c)),
                              .out = at + 4 * SOFTMAX_GUARD_WORDS,
                              .states = states,
                              .slots = is_sent(c) ? states + states_bytes(c) : 0,
                              .barriers = is_sent(c) ? states + 2 * (uint64_t)states_bytes(c) : 0,
                              .count = c->count,
                              .parts = c->parts,
                              .scale = softmax_scale(c->dims)};
    void *arguments[1];
    struct gpu_launch launch[2];
    int launches =
        softmax_launches((enum softmax_variant)c->variant, c->rows, c->dims, c->threads, &job, arguments, launch);
    for (int i = 0; i < launches && error == CUDA_SUCCESS; i++) error = gpu_start(gpu, &launch[i]);
    return error;
}

// Few keys for several queries: the model takes its time with each.
static void draw_count(struct random *random, void *test_case)
{
    struct softmax_case *c = test_case;
    if (c->rows > 1)
        c->count = (uint32_t)DRAW(random, {30, BETWEEN(1, 20)}, {70, BETWEEN(1, 59)});
    else
        c->count = (uint32_t)DRAW(random, {10, BETWEEN(1, 20)}, {17, BETWEEN(1, 59)}, {46, BETWEEN(60, 100)},
                                  {23, BETWEEN(60, 500)}, {4, BETWEEN(1, 3000)});
}

// Random cases: one to sixteen parts, fewer keys than parts, parts and groups of lanes without a key, counts that
// nothing divides, scores that make weights of 0, and keys that all weigh the same.
#define CASE struct softmax_case
static const struct field field[] = {
    FIELD_ONE_OF("variant", variant, variant_names, "the kernel"),
    FIELD_NUMBER("parts", parts, 1, SOFTMAX_MAX_PARTS, "CTAs that share the keys"),
    FIELD_NUMBER("rows", rows, 1, SOFTMAX_MAX_ROWS, "queries", DRAWN({55, JUST(1)}, {45, BETWEEN(2, 4)})),
    FIELD_NUMBER("dims", dims, 64, SOFTMAX_MAX_DIMS, "length of a query, a key and a value", .multiple = 64),
    FIELD_NUMBER("count", count, 1, SOFTMAX_MAX_COUNT, "keys", .draw = draw_count),
    FIELD_NUMBER("threads", threads, SOFTMAX_MIN_THREADS, SOFTMAX_MAX_THREADS, "threads of a CTA", .multiple = 32),
    FIELD_ONE_OF("inputs", inputs, inputs_names, "how the inputs are spread",
                 DRAWN({47, JUST(SOFTMAX_PLAIN)}, {48, JUST(SOFTMAX_STEEP)}, {5, JUST(SOFTMAX_FLAT)})),
    FIELD_SEED,
    FIELD_END,
};
#undef CASE

// --- In words --------------------------------------------------------------------------------------------------------

static void explain_place(const struct softmax_case *c, int window, uint32_t word, FILE *out)
{
    const uint32_t words = softmax_state_words(c->dims), state = word / words, at = word % words;
    if (window == 0 && (word < SOFTMAX_GUARD_WORDS || word >= SOFTMAX_GUARD_WORDS + c->rows * c->dims)) {
        fprintf(out, "    word %d beside the output: ", (int)word - SOFTMAX_GUARD_WORDS);
    } else if (window == 0) {
        word -= SOFTMAX_GUARD_WORDS;
        fprintf(out, "    output of row %u, dimension %u: ", word / c->dims, word % c->dims);
    } else if (window == 3) {
        fprintf(out, "    barrier of row %u: ", word / 2);
    } else {
        fprintf(out, "    %s of row %u, part %u, ", window == 1 ? "state" : "what was sent", state / c->parts,
                state % c->parts);
        if (at < SOFTMAX_STATE_HEAD)
            fprintf(out, "%s: ", at == 0 ? "greatest score" : at == 1 ? "sum of weights" : "padding");
        else
            fprintf(out, "dimension %u: ", at - SOFTMAX_STATE_HEAD);
    }
}

static float float_of(uint64_t unit)
{
    uint32_t word = (uint32_t)unit;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

enum rule softmax_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    struct difference_units words = difference_units(difference, 4);
    explain_place(test_case, difference->window, difference->at / 4, out);
    fprintf(out, "0x%08x (%.9g) expected, 0x%08x (%.9g) found\n", (uint32_t)words.expected,
            (double)float_of(words.expected), (uint32_t)words.found, (double)float_of(words.found));
    return difference->window == 3 ? RULE_MBARRIER_PHASE : RULE_CLUSTER_ACCESS;
}

const struct family family_softmax = {
    FAMILY_CASES("softmax", struct softmax_case, field, .illegal = illegal),
    .summary = "attention of one query, its keys split over CTAs that meet in distributed shared or global memory",
    .cost = 25,
    .windows = softmax_windows,
    .fill = softmax_fill,
    .run_model = softmax_model,
    .start = start_case,
    .kernels = "softmax",
    .explain = softmax_explain,
};
