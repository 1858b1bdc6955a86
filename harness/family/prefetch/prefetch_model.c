// SPDX-License-Identifier: MIT
// See prefetch_model.h.
#include "prefetch_model.h"
#include "result.h"

#include <assert.h>
#include <string.h>

#include "bulk.h"
#include "mbarrier.h"

// One CTA of `ctas` while it works.
struct cta {
    const struct prefetch_job *job;
    const struct memory *source, *destination;
    struct memory shared;
    uint32_t rank, ctas;
    uint64_t word[PREFETCH_MAX_STAGES];
};

// `at` counts from the start of the array; the bytes behind `bulk_bytes` go through registers.
struct batch {
    uint64_t at;
    uint32_t bytes, bulk_bytes, stage, shared;
};

// Batch `turn` of a CTA; no bytes past the end of the array.
static struct batch batch_of(const struct cta *cta, uint32_t turn)
{
    const struct prefetch_job *job = cta->job;
    uint64_t at = ((uint64_t)turn * cta->ctas + cta->rank) * job->batch_bytes;
    struct batch batch = {.at = at, .stage = turn % job->stages};
    batch.shared = PREFETCH_SHARED_START + PREFETCH_BARRIERS_BYTES + PREFETCH_GUARD_BYTES +
                   batch.stage * prefetch_pitch(job->batch_bytes);
    if (at >= job->count_bytes) return batch;
    uint64_t left = job->count_bytes - at;
    batch.bytes = left < job->batch_bytes ? (uint32_t)left : job->batch_bytes;
    batch.bulk_bytes = batch.bytes / 16 * 16;
    return batch;
}

static enum rule load(struct cta *cta, const struct batch *batch)
{
    const struct mbarrier_transaction arrive = {.arrivals = 1, .expect_bytes = batch->bulk_bytes};
    struct bulk bulk = {BULK_GLOBAL_TO_SHARED,        cta->source,   &cta->shared,
                        cta->job->source + batch->at, batch->shared, batch->bulk_bytes};
    uint64_t *word = &cta->word[batch->stage];
    uint32_t landed = 0;
    enum rule rule = mbarrier_transact(word, &arrive);
    if (rule == RULE_OK) rule = bulk_copy(&bulk, &landed, NULL);
    if (rule != RULE_OK || landed == 0) return rule;
    return mbarrier_transact_remote(word, &(struct mbarrier_transaction){.complete_bytes = landed});
}

static void add_1(uint8_t *bytes, const uint8_t *from, uint32_t size_bytes)
{
    for (uint32_t at = 0; at < size_bytes; at += PREFETCH_WORD_BYTES) {
        uint32_t value;
        memcpy(&value, from + at, sizeof value);
        value++;
        memcpy(bytes + at, &value, sizeof value);
    }
}

// Waits for the parity of this turn, which has come; adds; stores.
static enum rule compute_and_store(struct cta *cta, const struct batch *batch, uint32_t turn)
{
    const uint32_t parity = turn / cta->job->stages & 1, tail_bytes = batch->bytes - batch->bulk_bytes;
    const uint64_t to = cta->job->destination + batch->at, tail = batch->at + batch->bulk_bytes;
    struct bulk bulk = {BULK_SHARED_TO_GLOBAL, &cta->shared, cta->destination, batch->shared, to, batch->bulk_bytes};
    uint32_t ignored;
    int complete = 0;
    enum rule rule = mbarrier_test_parity(cta->word[batch->stage], parity, &complete);
    assert(complete || rule != RULE_OK);
    if (rule != RULE_OK) return rule;
    uint8_t *stage = memory_at(&cta->shared, batch->shared, batch->bulk_bytes);
    add_1(stage, stage, batch->bulk_bytes);
    add_1(memory_at(cta->destination, cta->job->destination + tail, tail_bytes),
          memory_at(cta->source, cta->job->source + tail, tail_bytes), tail_bytes);
    return bulk_copy(&bulk, &ignored, NULL);
}

// The kernel's order: `stages` loads ahead, then turn by turn; a stage is loaded again `stores` turns after its store.
static enum rule run(struct cta *cta)
{
    const struct prefetch_job *job = cta->job;
    enum rule rule = RULE_OK;
    for (uint32_t i = 0; i < job->stages; i++) cta->word[i] = mbarrier_init(1);
    for (uint32_t turn = 0; turn < job->stages && rule == RULE_OK; turn++) {
        struct batch batch = batch_of(cta, turn);
        if (batch.bytes > 0) rule = load(cta, &batch);
    }
    for (uint32_t turn = 0; rule == RULE_OK; turn++) {
        struct batch batch = batch_of(cta, turn);
        if (batch.bytes == 0) break;
        rule = compute_and_store(cta, &batch, turn);
        if (rule != RULE_OK || turn < job->stores) continue;
        struct batch next = batch_of(cta, turn - job->stores + job->stages);
        if (next.bytes > 0) rule = load(cta, &next);
    }
    return rule;
}

enum rule prefetch_model(uint32_t ctas, const struct prefetch_job *job, const struct memory *source,
                         const struct memory *destination)
{
    uint8_t shared[PREFETCH_SHARED_BYTES];
    const uint32_t bytes = prefetch_stages_bytes(job->batch_bytes, job->stages);
    const uint32_t words_bytes = prefetch_words_bytes(job->stages);
    uint8_t *to_stages = (uint8_t *)(uintptr_t)job->shared, *to_words = (uint8_t *)(uintptr_t)job->barriers;
    enum rule rule = RULE_OK;
    for (uint32_t rank = 0; rank < ctas && rule == RULE_OK; rank++) {
        struct cta cta = {.job = job, .source = source, .destination = destination, .rank = rank, .ctas = ctas};
        cta.shared =
            (struct memory){shared, PREFETCH_SHARED_START, prefetch_shared_bytes(job->batch_bytes, job->stages)};
        for (uint32_t at = 0; at < bytes; at += 4) put_u32(shared + PREFETCH_BARRIERS_BYTES + at, prefetch_canary(at));
        rule = run(&cta);
        memcpy(to_stages + (size_t)rank * bytes, shared + PREFETCH_BARRIERS_BYTES, bytes);
        memcpy(to_words + (size_t)rank * words_bytes, cta.word, job->stages * sizeof *cta.word);
    }
    return rule;
}
