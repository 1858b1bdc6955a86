// SPDX-License-Identifier: MIT
// Family "softmax": flash decoding, the keys of a query split over CTAs, whose states meet in distributed shared memory
// or in global memory. kernels/softmax.cu has the kernels.
#include <stdlib.h>
#include <string.h>

#include "cuda_abi.h"
#include "family.h"
#include "field.h"
#include "softmax_case.h"

#define NAME(id, name) name,
static const char *const variant_names[] = {SOFTMAX_VARIANTS(NAME) NULL};
static const char *const inputs_names[] = {SOFTMAX_INPUTS(NAME) NULL};
#undef NAME

// --- JSON ------------------------------------------------------------------------------------------------------------

static const char *illegal(const void *test_case)
{
    const struct softmax_case *c = test_case;
    if (c->parts == 0 || c->rows == 0 || c->count == 0) return "parts, rows and count are at least 1";
    if (c->dims != 64 && c->dims != SOFTMAX_MAX_DIMS) return "dims is 64 or 128";
    if (c->threads < SOFTMAX_MIN_THREADS || c->threads % 32 != 0) return "threads is a multiple of 32 from 64 to 512";
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

static int is_sent(const struct softmax_case *c)
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

static size_t softmax_bytes(const void *test_case)
{
    const struct softmax_case *c = test_case;
    return out_bytes(c) + (1 + (size_t)is_sent(c)) * states_bytes(c) + (is_sent(c) ? 8 * c->rows : 0);
}

static void add_window(struct result *result, const char *name, uint32_t size_bytes)
{
    memset(result_window(result, name, 0, size_bytes), 0xff, size_bytes);
}

uint8_t *softmax_windows(const struct softmax_case *c, struct result *result)
{
    uint8_t *bytes = result->free_bytes;
    add_window(result, "out", out_bytes(c));
    add_window(result, "states", states_bytes(c));
    if (is_sent(c)) add_window(result, "slots", states_bytes(c));
    if (is_sent(c)) add_window(result, "barriers", 8 * c->rows);
    return bytes;
}

// --- The GPU: all inputs of a range at once, one or two launches for each case ---------------------------------------

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

// `input` and `output` are where the inputs and the results' bytes lie in the device's memory.
static int launch_all(struct gpu *gpu, const struct softmax_case *cases, int count, const struct result *results,
                      unsigned long long input, unsigned long long output)
{
    int error = CUDA_SUCCESS;
    for (int i = 0; i < count && error == CUDA_SUCCESS; i++) {
        const struct softmax_case *c = &cases[i];
        uint64_t at = output + (uint64_t)(results[i].window[0].bytes - results[0].first_bytes),
                 states = at + out_bytes(c);
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
        for (int j = 0; j < launches && error == CUDA_SUCCESS; j++) error = gpu_start(gpu, &launch[j]);
        input += input_bytes(c);
    }
    return error;
}

static int softmax_run_gpu(struct gpu *gpu, const void *test_cases, int count, struct result *results)
{
    const struct softmax_case *cases = test_cases;
    uint64_t bytes = 0;
    for (int i = 0; i < count; i++) {
        bytes += input_bytes(&cases[i]);
        softmax_windows(&cases[i], &results[i]);
    }
    uint8_t *inputs = malloc(bytes), *to = results[0].first_bytes, *next = inputs;
    size_t output_bytes = (size_t)(results[count - 1].free_bytes - to);
    unsigned long long input = gpu_buffer(gpu, 0, bytes), output = gpu_buffer(gpu, 1, output_bytes);
    int error = inputs == NULL || input == 0 || output == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
    for (int i = 0; i < count && error == CUDA_SUCCESS; i++) {
        next = fill_input(&cases[i], SOFTMAX_QUERY, query_numbers(&cases[i]), next);
        next = fill_input(&cases[i], SOFTMAX_KEY, key_numbers(&cases[i]), next);
        next = fill_input(&cases[i], SOFTMAX_VALUE, key_numbers(&cases[i]), next);
    }
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuMemcpyHtoD_v2(input, inputs, bytes);
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuMemcpyHtoD_v2(output, to, output_bytes);
    if (error == CUDA_SUCCESS) error = launch_all(gpu, cases, count, results, input, output);
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuMemcpyDtoH_v2(to, output, output_bytes);
    free(inputs);
    return error;
}

#define CASE struct softmax_case
static const struct field field[] = {
    FIELD_ONE_OF("variant", variant, variant_names, "the kernel"),
    FIELD_NUMBER("parts", parts, 0, SOFTMAX_MAX_PARTS, "CTAs that share the keys"),
    FIELD_NUMBER("rows", rows, 0, SOFTMAX_MAX_ROWS, "queries"),
    FIELD_NUMBER("dims", dims, 0, SOFTMAX_MAX_DIMS, "length of a query, a key and a value"),
    FIELD_NUMBER("count", count, 0, SOFTMAX_MAX_COUNT, "keys"),
    FIELD_NUMBER("threads", threads, 0, SOFTMAX_MAX_THREADS, "threads of a CTA"),
    FIELD_ONE_OF("inputs", inputs, inputs_names, "how the inputs are spread"),
    FIELD_SEED,
    FIELD_END,
};
#undef CASE

static const struct fields fields = {
    .name = "softmax case", .field = field, .bytes = sizeof(struct softmax_case), .illegal = illegal};

const struct family family_softmax = {
    .name = "softmax",
    .summary = "attention of one query, its keys split over CTAs that meet in distributed shared or global memory",
    .case_bytes = sizeof(struct softmax_case),
    .cost = 25,
    .generate = softmax_generate,
    .fields = &fields,
    .result_bytes = softmax_bytes,
    .run_model = softmax_model,
    .run_gpu = softmax_run_gpu,
    .kernels = "softmax",
    .explain = softmax_explain,
    .rule = RULE_CLUSTER_ACCESS,
};
