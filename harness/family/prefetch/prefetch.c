// SPDX-License-Identifier: MIT
// The family "prefetch": an array in batches through a ring of stages in shared memory. Cases as JSON, and what they do
// on the model and on a GPU. The kernel and its terms are in kernels/prefetch.cu and prefetch_job.h.
#include "prefetch_case.h"

#include <string.h>

#include "bulk_job.h"
#include "family.h"
#include "field.h"

// --- JSON ------------------------------------------------------------------------------------------------------------

// NULL, or what makes a case illegal that an executor could not run.
static const char *illegal(const void *test_case)
{
    const struct prefetch_case *c = test_case;
    if (c->stages == 0) return "\"stages\" is 1 to 16";
    if (c->stores >= c->stages) return "\"stores\" is less than \"stages\"";
    if (c->ctas == 0) return "\"ctas\" is 1 to 64";
    if (c->threads == 0 || c->threads % 32 != 0) return "\"threads\" is 32, 64, ... 512";
    if (c->count_bytes == 0 || c->count_bytes % PREFETCH_WORD_BYTES != 0) return "\"bytes\" is a multiple of 4, not 0";
    if (c->batch_bytes == 0 || c->batch_bytes % PREFETCH_WORD_BYTES != 0) return "\"batch\" is a multiple of 4, not 0";
    if (c->offset % PREFETCH_WORD_BYTES != 0) return "\"offset\" is a multiple of 4";
    if (prefetch_shared_bytes(c->batch_bytes, c->stages) > PREFETCH_SHARED_BYTES)
        return "\"stages\" of \"batch\" bytes do not fit into shared memory";
    return NULL;
}

// --- What is where ---------------------------------------------------------------------------------------------------

static uint32_t array_bytes(const struct prefetch_case *c)
{
    return 2 * PREFETCH_SURROUND_BYTES + (c->offset + c->count_bytes + 15) / 16 * 16;
}

static size_t prefetch_result_bytes(const void *test_case)
{
    const struct prefetch_case *c = test_case;
    size_t cta = prefetch_words_bytes(c->stages) + prefetch_stages_bytes(c->batch_bytes, c->stages);
    return (c->in_place ? 1u : 2u) * (size_t)array_bytes(c) + c->ctas * cta;
}

// A result has no source window where source and destination are one.
struct windows {
    struct window source, destination, barriers, shared;
};

static struct windows windows_of(const struct result *result)
{
    const struct window *last = &result->window[result->windows - 1];
    return (struct windows){result->window[0], last[-2], last[-1], last[0]};
}

static struct windows lay_out(const struct prefetch_case *c, struct result *result)
{
    if (!c->in_place) result_window(result, "source", PREFETCH_SOURCE, array_bytes(c));
    result_window(result, "destination", PREFETCH_DESTINATION, array_bytes(c));
    result_window(result, "barriers", 0, c->ctas * prefetch_words_bytes(c->stages));
    result_window(result, "stages", 0, c->ctas * prefetch_stages_bytes(c->batch_bytes, c->stages));
    return windows_of(result);
}

// The arrays with their surroundings, and the barriers' unused words, before.
static void fill(const struct prefetch_case *c, const struct windows *w)
{
    for (uint32_t at = 0; at < w->destination.size_bytes; at += 8) {
        uint64_t from = bulk_word(c->seed, BULK_CONTENT_DISTINCT, BULK_SALT_SOURCE, at);
        uint64_t to = bulk_word(c->seed, BULK_CONTENT_DISTINCT, BULK_SALT_DESTINATION, at);
        memcpy(w->destination.bytes + at, &to, sizeof to);
        memcpy(w->source.bytes + at, &from, sizeof from);
    }
    memset(w->barriers.bytes, 0, w->barriers.size_bytes);
}

// --- The model -------------------------------------------------------------------------------------------------------

static void prefetch_run_model(const void *test_case, struct result *result)
{
    const struct prefetch_case *c = test_case;
    struct windows w = lay_out(c, result);
    const struct memory source = {w.source.bytes, w.source.base, w.source.size_bytes};
    const struct memory destination = {w.destination.bytes, w.destination.base, w.destination.size_bytes};
    struct prefetch_job job = {.source = source.base + PREFETCH_SURROUND_BYTES + c->offset,
                               .destination = destination.base + PREFETCH_SURROUND_BYTES + c->offset,
                               .count_bytes = c->count_bytes,
                               .barriers = (uint64_t)(uintptr_t)w.barriers.bytes,
                               .shared = (uint64_t)(uintptr_t)w.shared.bytes,
                               .batch_bytes = c->batch_bytes,
                               .stages = c->stages,
                               .stores = c->stores};
    fill(c, &w);
    enum rule rule = prefetch_model(c->ctas, &job, &source, &destination);
    if (rule != RULE_OK) *result = result_at(result->first_bytes);
    result->rule = rule;
    result->status = rule_cuda_error(rule);
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

int prefetch_start(struct gpu *gpu, uint32_t ctas, uint32_t threads, struct prefetch_job *job)
{
    void *arguments[] = {job};
    struct gpu_launch launch = {.module = "prefetch",
                                .kernel = "prefetch",
                                .grid = ctas,
                                .block = threads,
                                .shared_bytes = prefetch_shared_bytes(job->batch_bytes, job->stages),
                                .arguments = arguments};
    return gpu_start(gpu, &launch);
}

int prefetch_start_fast(struct gpu *gpu, unsigned long long destination, unsigned long long source,
                        uint64_t count_bytes)
{
    struct prefetch_job job = {.source = source,
                               .destination = destination,
                               .count_bytes = count_bytes,
                               .batch_bytes = 2048,
                               .stages = 16,
                               .stores = 6};
    return prefetch_start(gpu, 4 * (uint32_t)gpu->processors, 96, &job);
}

// `shift` is what the device's addresses are more than the host's.
static int start_case(struct gpu *gpu, const struct prefetch_case *c, const struct windows *w, uint64_t shift)
{
    uint64_t first = shift + PREFETCH_SURROUND_BYTES + c->offset;
    struct prefetch_job job = {.source = (uint64_t)(uintptr_t)w->source.bytes + first,
                               .destination = (uint64_t)(uintptr_t)w->destination.bytes + first,
                               .count_bytes = c->count_bytes,
                               .barriers = (uint64_t)(uintptr_t)w->barriers.bytes + shift,
                               .shared = (uint64_t)(uintptr_t)w->shared.bytes + shift,
                               .batch_bytes = c->batch_bytes,
                               .stages = c->stages,
                               .stores = c->stores};
    return prefetch_start(gpu, c->ctas, c->threads, &job);
}

// All arrays go to the device in one copy, one launch works on each, and all windows come back in one copy.
static int prefetch_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    const struct prefetch_case *c = cases;
    uint8_t *bytes = results[0].first_bytes;
    for (int i = 0; i < count; i++) {
        struct windows w = lay_out(&c[i], &results[i]);
        fill(&c[i], &w);
    }
    size_t all_bytes = (size_t)(results[count - 1].free_bytes - bytes);
    unsigned long long device = gpu_buffer(gpu, 0, all_bytes);
    if (device == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    int error = (int)gpu->driver.cuMemcpyHtoD_v2(device, bytes, all_bytes);
    for (int i = 0; i < count && error == CUDA_SUCCESS; i++) {
        struct windows w = windows_of(&results[i]);
        error = start_case(gpu, &c[i], &w, device - (uint64_t)(uintptr_t)bytes);
    }
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuCtxSynchronize();
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuMemcpyDtoH_v2(bytes, device, all_bytes);
    return error;
}

#define CASE struct prefetch_case
static const struct field field[] = {
    FIELD_NUMBER("stages", stages, 0, PREFETCH_MAX_STAGES, "stages of the ring"),
    FIELD_NUMBER("stores", stores, 0, PREFETCH_MAX_STORES, "stores that may be in flight"),
    FIELD_NUMBER("ctas", ctas, 0, PREFETCH_MAX_CTAS, "CTAs of the grid"),
    FIELD_NUMBER("threads", threads, 0, PREFETCH_MAX_THREADS, "threads of a CTA"),
    FIELD_NUMBER("bytes", count_bytes, 0, PREFETCH_MAX_BYTES, "how many bytes are copied"),
    FIELD_NUMBER("batch", batch_bytes, 0, PREFETCH_SHARED_BYTES, "bytes of a stage"),
    FIELD_NUMBER("offset", offset, 0, PREFETCH_MAX_OFFSET, "bytes of both arrays past 128-byte alignment"),
    FIELD_NUMBER("in_place", in_place, 0, 1, "1: source and destination are one"),
    FIELD_SEED,
    FIELD_END,
};
#undef CASE

static const struct fields fields = {
    .name = "prefetch case", .field = field, .bytes = sizeof(struct prefetch_case), .illegal = illegal};

const struct family family_prefetch = {
    .name = "prefetch",
    .summary = "the prefetch pipeline, 1 to 16 stages of bulk copies: both arrays, the stages and their barriers",
    .case_bytes = sizeof(struct prefetch_case),
    .cost = 20,
    .generate = prefetch_generate,
    .fields = &fields,
    .result_bytes = prefetch_result_bytes,
    .run_model = prefetch_run_model,
    .run_gpu = prefetch_run_gpu,
    .kernels = "prefetch",
    .explain = prefetch_explain,
    .rule = RULE_BULK_TX_BYTES,
};
