// SPDX-License-Identifier: MIT
// The family "prefetch": an array in batches through a ring of stages in shared memory. Cases as JSON, and what they do
// on the model and on a GPU. The kernel and its terms are in kernels/prefetch.cu and prefetch_job.h.
#include "prefetch_case.h"

#include <inttypes.h>
#include <string.h>

#include "bulk_job.h"
#include "family.h"
#include "field.h"
#include "gpu_jobs.h"
#include "mbarrier.h"
#include "rules/bulk.h"

// --- JSON ------------------------------------------------------------------------------------------------------------

// NULL, or what makes a case illegal that an executor could not run.
static const char *illegal(const void *test_case)
{
    const struct prefetch_case *c = test_case;
    if (c->stores >= c->stages) return "\"stores\" is less than \"stages\"";
    if (prefetch_shared_bytes(c->batch_bytes, c->stages) > PREFETCH_SHARED_BYTES)
        return "\"stages\" of \"batch\" bytes do not fit into shared memory";
    return NULL;
}

// --- What is where ---------------------------------------------------------------------------------------------------

static uint32_t array_bytes(const struct prefetch_case *c)
{
    return 2 * PREFETCH_SURROUND_BYTES + (c->offset + c->count_bytes + 15) / 16 * 16;
}

// A result has no source window where source and destination are one.
struct places {
    struct window source, destination, barriers, shared;
};

static struct places places_of(const struct result *result)
{
    const struct window *last = &result->window[result->windows - 1];
    return (struct places){result->window[0], last[-2], last[-1], last[0]};
}

static void prefetch_windows(const void *test_case, struct result *result)
{
    const struct prefetch_case *c = test_case;
    if (!c->in_place) result_window(result, "source", PREFETCH_SOURCE, array_bytes(c));
    result_window(result, "destination", PREFETCH_DESTINATION, array_bytes(c));
    result_window(result, "barriers", 0, c->ctas * prefetch_words_bytes(c->stages));
    result_window(result, "stages", 0, c->ctas * prefetch_stages_bytes(c->batch_bytes, c->stages));
}

// The arrays with their surroundings, and the barriers' unused words, before.
static void prefetch_fill(const void *test_case, const struct result *result)
{
    const struct prefetch_case *c = test_case;
    struct places w = places_of(result);
    for (uint32_t at = 0; at < w.destination.size_bytes; at += 8) {
        uint64_t from = bulk_word(c->seed, BULK_CONTENT_DISTINCT, BULK_SALT_SOURCE, at);
        put_u64(w.destination.bytes + at, bulk_word(c->seed, BULK_CONTENT_DISTINCT, BULK_SALT_DESTINATION, at));
        memcpy(w.source.bytes + at, &from, sizeof from);
    }
    memset(w.barriers.bytes, 0, w.barriers.size_bytes);
}

// --- The model -------------------------------------------------------------------------------------------------------
// What must come out, by arithmetic alone. How the bytes move is the business of the PTX machine (the executor sim).

static void put_1_more(uint8_t *to, const uint8_t *from, uint32_t size_bytes)
{
    for (uint32_t at = 0; at < size_bytes; at += PREFETCH_WORD_BYTES) {
        uint32_t value;
        memcpy(&value, from + at, sizeof value);
        put_u32(to + at, value + 1);
    }
}

// Whole 16 bytes of a batch go by bulk copies; the first batch that begins at no multiple of 16 faults.
static bool faults(const struct prefetch_case *c, uint64_t at, uint32_t bytes)
{
    return bytes >= 16 && (c->offset + at) % 16 != 0;
}

// Batch after batch of a CTA: the destination is 1 more, a stage holds what went through it last, and its barrier has
// completed a phase for each batch.
static enum rule run_cta(const struct prefetch_case *c, const struct places *w, uint32_t rank)
{
    const uint32_t first = PREFETCH_SURROUND_BYTES + c->offset,
                   bytes = prefetch_stages_bytes(c->batch_bytes, c->stages);
    uint8_t *stages = w->shared.bytes + (size_t)rank * bytes;
    struct mbarrier_fields word[PREFETCH_MAX_STAGES];
    for (uint32_t at = 0; at < bytes; at += 4) put_u32(stages + at, prefetch_canary(at));
    for (uint32_t i = 0; i < c->stages; i++) word[i] = mbarrier_unpack(mbarrier_init(1));
    uint64_t at = (uint64_t)rank * c->batch_bytes;
    for (uint32_t turn = 0; at < c->count_bytes; turn++, at += (uint64_t)c->ctas * c->batch_bytes) {
        const uint64_t left = c->count_bytes - at;
        const uint32_t size = left < c->batch_bytes ? (uint32_t)left : c->batch_bytes, stage = turn % c->stages;
        if (faults(c, at, size)) return RULE_BULK_ALIGN;
        put_1_more(w->destination.bytes + first + at, w->source.bytes + first + at, size);
        memcpy(stages + PREFETCH_GUARD_BYTES + stage * prefetch_pitch(c->batch_bytes),
               w->destination.bytes + first + at, size / 16 * 16);
        word[stage].phase ^= 1;
    }
    for (uint32_t i = 0; i < c->stages; i++)
        put_u64(w->barriers.bytes + (size_t)rank * prefetch_words_bytes(c->stages) + 8 * i, mbarrier_pack(&word[i]));
    return RULE_OK;
}

static enum rule prefetch_run_model(const void *test_case, struct result *result)
{
    const struct prefetch_case *c = test_case;
    const struct places w = places_of(result);
    enum rule rule = RULE_OK;
    for (uint32_t rank = 0; rank < c->ctas && rule == RULE_OK; rank++) rule = run_cta(c, &w, rank);
    return rule;
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

// The job on arrays that begin at two addresses, and on windows that lie `shift` further than here.
static struct prefetch_job job_of(const struct prefetch_case *c, const struct places *w, uint64_t shift,
                                  uint64_t source, uint64_t destination)
{
    return (struct prefetch_job){.source = source + PREFETCH_SURROUND_BYTES + c->offset,
                                 .destination = destination + PREFETCH_SURROUND_BYTES + c->offset,
                                 .count_bytes = c->count_bytes,
                                 .barriers = (uint64_t)(uintptr_t)w->barriers.bytes + shift,
                                 .shared = (uint64_t)(uintptr_t)w->shared.bytes + shift,
                                 .batch_bytes = c->batch_bytes,
                                 .stages = c->stages,
                                 .stores = c->stores};
}

// Starts the pipeline over `job`, whose addresses are the device's. Returns 0 or the CUDA error; does not wait.
static int prefetch_start(struct gpu *gpu, uint32_t ctas, uint32_t threads, struct prefetch_job *job)
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

static int start_case(struct gpu *gpu, const void *test_case, struct result *result, uint64_t shift)
{
    const struct prefetch_case *c = test_case;
    struct places w = places_of(result);
    struct prefetch_job job = job_of(c, &w, shift, (uint64_t)(uintptr_t)w.source.bytes + shift,
                                     (uint64_t)(uintptr_t)w.destination.bytes + shift);
    return prefetch_start(gpu, c->ctas, c->threads, &job);
}

// --- Random cases: every number of stages and of stores in flight; arrays from one short batch to many turns of the ring,
// with a last batch of any length, fewer batches than CTAs among them, and now and then one that is not aligned.

enum { MOST_BYTES = 64 << 10, MOST_DUMP_BYTES = 128 << 10 };
static const int32_t some_threads[] = {32, 64, 128, 128, 256, 512};

static void draw_stores(struct random *random, void *test_case)
{
    struct prefetch_case *c = test_case;
    const uint32_t most = c->stages - 1 < PREFETCH_MAX_STORES ? c->stages - 1 : PREFETCH_MAX_STORES;
    c->stores = (uint32_t)random_range(random, 0, most);
}

static void draw_batch(struct random *random, void *test_case)
{
    struct prefetch_case *c = test_case;
    do
        c->batch_bytes =
            16 * (uint32_t)DRAW(random, {60, BETWEEN(1, 32)}, {30, BETWEEN(1, 128)}, {10, BETWEEN(1, 1024)});
    while (prefetch_shared_bytes(c->batch_bytes, c->stages) > MOST_DUMP_BYTES);
}

static void draw_ctas(struct random *random, void *test_case)
{
    struct prefetch_case *c = test_case;
    const uint32_t most = MOST_DUMP_BYTES / prefetch_shared_bytes(c->batch_bytes, c->stages);
    c->ctas = (uint32_t)random_range(random, 1, most < 12 ? most : 12);
}

// Of all CTAs: from less than one batch each to several turns of the ring.
static void draw_bytes(struct random *random, void *test_case)
{
    struct prefetch_case *c = test_case;
    const uint32_t turns = c->ctas * (3 * c->stages + 2), batch = c->batch_bytes;
    const uint32_t most = MOST_BYTES / batch < turns ? MOST_BYTES / batch : turns;
    const uint32_t whole = batch * (uint32_t)random_range(random, 1, most < 2 ? 2 : most);
    c->count_bytes =
        (uint32_t)DRAW(random, {20, JUST(whole)}, {10, JUST(whole - batch + PREFETCH_WORD_BYTES)},
                       {70, BETWEEN(whole - batch + PREFETCH_WORD_BYTES, whole), .unit = PREFETCH_WORD_BYTES});
}

#define CASE struct prefetch_case
static const struct field field[] = {
    FIELD_NUMBER("stages", stages, 1, PREFETCH_MAX_STAGES, "stages of the ring"),
    FIELD_NUMBER("stores", stores, 0, PREFETCH_MAX_STORES, "stores that may be in flight", .draw = draw_stores),
    FIELD_NUMBER("threads", threads, 32, PREFETCH_MAX_THREADS, "threads of a CTA", .multiple = 32,
                 DRAWN({1, ONE_OF(some_threads)})),
    FIELD_NUMBER("batch", batch_bytes, 4, PREFETCH_SHARED_BYTES, "bytes of a stage", .multiple = PREFETCH_WORD_BYTES,
                 .draw = draw_batch),
    FIELD_NUMBER("ctas", ctas, 1, PREFETCH_MAX_CTAS, "CTAs of the grid", .draw = draw_ctas),
    FIELD_NUMBER("bytes", count_bytes, 4, PREFETCH_MAX_BYTES, "how many bytes are copied",
                 .multiple = PREFETCH_WORD_BYTES, .draw = draw_bytes),
    FIELD_NUMBER("offset", offset, 0, PREFETCH_MAX_OFFSET, "bytes of both arrays past 128-byte alignment",
                 .multiple = PREFETCH_WORD_BYTES, DRAWN({98, BETWEEN(0, 127), .unit = 16}, {2, BETWEEN(4, 127)})),
    FIELD_NUMBER("in_place", in_place, 0, 1, "1: source and destination are one"),
    FIELD_SEED,
    FIELD_END,
};
#undef CASE

// --- In words --------------------------------------------------------------------------------------------------------

static void explain_array(const struct prefetch_case *c, const struct window *expected, const struct window *found,
                          uint32_t at, FILE *out)
{
    uint32_t start = PREFETCH_SURROUND_BYTES + c->offset, want, got;
    if (at < start || at >= start + c->count_bytes) {
        fprintf(out, "    %s: byte %" PRIu32 " of the window lies outside of the array and is never written\n",
                expected->name, at);
        return;
    }
    uint32_t index = (at - start) / PREFETCH_WORD_BYTES, batch = (at - start) / c->batch_bytes;
    memcpy(&want, expected->bytes + start + index * PREFETCH_WORD_BYTES, sizeof want);
    memcpy(&got, found->bytes + start + index * PREFETCH_WORD_BYTES, sizeof got);
    fprintf(out,
            "    %s: element %" PRIu32 ", batch %" PRIu32 " (CTA %" PRIu32 ", stage %" PRIu32 "): 0x%08" PRIx32
            " expected, 0x%08" PRIx32 " found\n",
            expected->name, index, batch, batch % c->ctas, batch / c->ctas % c->stages, want, got);
}

static void explain_stage(const struct prefetch_case *c, const struct window *expected, const struct window *found,
                          uint32_t at, FILE *out)
{
    uint32_t bytes = prefetch_stages_bytes(c->batch_bytes, c->stages), pitch = prefetch_pitch(c->batch_bytes);
    uint32_t cta = at / bytes, inside = at % bytes;
    if (inside < PREFETCH_GUARD_BYTES || inside >= bytes - PREFETCH_GUARD_BYTES)
        fprintf(out, "    stages: CTA %" PRIu32 ", around them, where nothing is written", cta);
    else
        fprintf(out, "    stages: CTA %" PRIu32 ", stage %" PRIu32 ", byte %" PRIu32, cta,
                (inside - PREFETCH_GUARD_BYTES) / pitch, (inside - PREFETCH_GUARD_BYTES) % pitch);
    fprintf(out, ": 0x%02x expected, 0x%02x found\n", expected->bytes[at], found->bytes[at]);
}

static void explain_barrier(const struct prefetch_case *c, const struct difference *difference, FILE *out)
{
    uint32_t words = prefetch_words_bytes(c->stages), at = difference->at;
    fprintf(out, "    barrier of CTA %" PRIu32 ", stage %" PRIu32 ": ", at / words, at % words / MBARRIER_BYTES);
    difference_print_barrier(difference, out);
}

enum rule prefetch_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct window *w = difference->expected, *f = difference->found;
    if (strcmp(w->name, "barriers") == 0) {
        explain_barrier(test_case, difference, out);
        return RULE_BULK_TX_BYTES;
    }
    if (strcmp(w->name, "stages") == 0)
        explain_stage(test_case, w, f, difference->at, out);
    else
        explain_array(test_case, w, f, difference->at, out);
    return RULE_BULK_SIZE;
}

const struct family family_prefetch = {
    FAMILY_CASES("prefetch", struct prefetch_case, field, .illegal = illegal),
    .summary = "the prefetch pipeline, 1 to 16 stages of bulk copies: both arrays, the stages and their barriers",
    .cost = 20,
    .windows = prefetch_windows,
    .fill = prefetch_fill,
    .run_model = prefetch_run_model,
    .start = start_case,
    .kernels = "prefetch",
    .explain = prefetch_explain,
};
