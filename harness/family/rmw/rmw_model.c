// SPDX-License-Identifier: MIT
// See rmw_model.h. The steps are those of the guide, numbered as there.
#include "rmw_model.h"
#include "result.h"

#include <string.h>

#include "bulk.h"
#include "cp_async.h"
#include "mbarrier.h"
#include "reduce.h"

uint32_t rmw_element_bytes(enum rmw_type type)
{
#define BYTES(id, name, ctype, bytes) bytes,
    static const uint32_t rows[] = {RMW_TYPES_LIST(BYTES)};
#undef BYTES
    return rows[type];
}

static int asks_for_bulk(enum rmw_form form)
{
#define IS_BULK(id, name, is_bulk) is_bulk,
    static const int rows[] = {RMW_FORMS_LIST(IS_BULK)};
#undef IS_BULK
    return rows[form];
}

enum rmw_path rmw_path(enum rmw_form form, enum rmw_type type)
{
    uint32_t align = rmw_element_bytes(type);
    if (asks_for_bulk(form) || align >= 16) return RMW_BULK;
    return align >= 4 ? RMW_CP_ASYNC : RMW_PLAIN;
}

static void add_integer(uint8_t *element, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, element, bytes);
    value++;
    memcpy(element, &value, bytes);
}

// A NaN stays the one that it is, made quiet; of the other float types it becomes the canonical one.
static void add_double(uint8_t *element)
{
    const uint64_t magnitude_bits = UINT64_MAX >> 1, infinity = UINT64_C(0x7ff) << 52, quiet_bit = UINT64_C(1) << 51;
    const uint64_t double_1 = UINT64_C(1023) << 52;
    uint64_t bits;
    reduce_apply(REDUCE_ADD, DTYPE_FLOAT64, element, &double_1, 1);
    memcpy(&bits, element, sizeof bits);
    if ((bits & magnitude_bits) > infinity) bits |= quiet_bit;
    memcpy(element, &bits, sizeof bits);
}

void rmw_add_1(enum rmw_type type, uint8_t *element)
{
    static const uint16_t half_1 = 0x3c00;
    static const float float_1 = 1;
    if (type == RMW_F16)
        reduce_apply(REDUCE_ADD, DTYPE_FLOAT16, element, &half_1, 1);
    else if (type == RMW_F32)
        reduce_apply(REDUCE_ADD, DTYPE_FLOAT32, element, &float_1, 1);
    else if (type == RMW_F64)
        add_double(element);
    else if (type == RMW_U32X4)
        for (int i = 0; i < 4; i++) add_integer(element + 4 * i, 4);
    else
        add_integer(element, rmw_element_bytes(type));
}

// One CTA while it works: its memories, where its elements are in both, and what it logs.
struct cta {
    enum rmw_form form;
    enum rmw_type type;
    uint32_t threads;
    const struct memory *global;
    struct memory shared;
    uint64_t from;
    uint32_t to, bytes, bulk_bytes;
    struct rmw_log log;
};

// By registers, from byte `first` on.
static void plain(struct cta *cta, uint32_t first, int to_global)
{
    uint32_t bytes = cta->bytes - first;
    uint8_t *shared = memory_at(&cta->shared, cta->to + first, bytes);
    uint8_t *global = memory_at(cta->global, cta->from + first, bytes);
    memcpy(to_global ? global : shared, to_global ? shared : global, bytes);
}

static enum rule load_bulk(struct cta *cta)
{
    struct bulk bulk = {BULK_GLOBAL_TO_SHARED, cta->global, &cta->shared, cta->from, cta->to, cta->bulk_bytes};
    const struct mbarrier_transaction expect = {.expect_bytes = cta->bulk_bytes};
    uint32_t landed = 0;
    enum rule rule = mbarrier_transact(&cta->log.word, &expect);
    cta->log.bulk_bytes = (uint32_t)mbarrier_unpack(cta->log.word).tx;
    if (rule == RULE_OK) rule = bulk_copy(&bulk, &landed, NULL);
    if (rule != RULE_OK || landed == 0) return rule;
    return mbarrier_transact_remote(&cta->log.word, &(struct mbarrier_transaction){.complete_bytes = landed});
}

static enum rule load_cp_async(struct cta *cta, uint32_t lanes)
{
    uint32_t size = rmw_element_bytes(cta->type);
    struct cp_async copy = {cta->global, &cta->shared, CP_ASYNC_WHOLE, size, size, cta->from, cta->to};
    enum rule rule = RULE_OK;
    for (uint32_t at = 0; at < cta->bytes && rule == RULE_OK; at += size) {
        rule = cp_async_copy(&copy, NULL);
        copy.from += size;
        copy.to += size;
    }
    if (rule == RULE_OK) rule = mbarrier_copies_issue(&cta->log.word, lanes, 0);
    return rule != RULE_OK ? rule : mbarrier_copies_done(&cta->log.word, lanes, 0);
}

// Steps 1 to 3: the barrier, the copy, and the arrival of all threads.
static enum rule load(struct cta *cta)
{
    int is_group = cta->form == RMW_MEMCPY_ASYNC_GROUP;
    enum rule rule = RULE_OK;
    cta->log = (struct rmw_log){.word = mbarrier_init(cta->threads), .fulfilled = RMW_FULFILLED_ASYNC};
    switch (rmw_path(cta->form, cta->type)) {
    case RMW_BULK:
        rule = load_bulk(cta);
        plain(cta, cta->bulk_bytes, 0);
        break;
    case RMW_CP_ASYNC:
        rule = load_cp_async(cta, is_group ? cta->threads : 1);
        break;
    case RMW_PLAIN:
        plain(cta, 0, 0);
        cta->log.fulfilled = RMW_FULFILLED_NONE;
        break;
    }
    if (cta->form == RMW_CP_ASYNC_BULK) cta->log.fulfilled = RMW_FULFILLED_UNTOLD;
    if (is_group) cta->log.bulk_bytes = 0;
    if (rule != RULE_OK) return rule;
    return mbarrier_transact(&cta->log.word, &(struct mbarrier_transaction){.arrivals = cta->threads});
}

// Steps 4 to 7: what a bulk store does not carry, the threads store.
static enum rule modify(struct cta *cta)
{
    uint32_t size = rmw_element_bytes(cta->type), ignored;
    for (uint32_t at = 0; at < cta->bytes; at += size)
        rmw_add_1(cta->type, memory_at(&cta->shared, cta->to + at, size));
    plain(cta, cta->bulk_bytes, 1);
    struct bulk bulk = {BULK_SHARED_TO_GLOBAL, &cta->shared, cta->global, cta->to, cta->from, cta->bulk_bytes};
    return bulk_copy(&bulk, &ignored, NULL);
}

// A CTA's part of a dump.
static void dump(uint64_t output, uint32_t index, const void *from, uint32_t bytes)
{
    memcpy((uint8_t *)(uintptr_t)output + (size_t)index * bytes, from, bytes);
}

static enum rule run(struct cta *cta, const struct rmw_job *job, uint32_t index, uint32_t guarded)
{
    uint8_t *start = cta->shared.bytes + RMW_BARRIER_BYTES;
    for (uint32_t at = 0; at < guarded; at += 4) put_u32(start + at, rmw_canary(at));
    enum rule rule = load(cta);
    dump(job->before, index, start, guarded);
    if (rule == RULE_OK) rule = modify(cta);
    dump(job->after, index, start, guarded);
    dump(job->log, index, &cta->log, sizeof cta->log);
    return rule;
}

enum rule rmw_model(enum rmw_form form, enum rmw_type type, uint32_t threads, const struct rmw_job *job,
                    const struct memory *global)
{
    uint8_t shared[RMW_SHARED_BYTES];
    const uint32_t size = rmw_element_bytes(type), tile_bytes = job->tile * size;
    enum rule rule = RULE_OK;
    for (uint64_t start = 0; start < job->count && rule == RULE_OK; start += job->tile) {
        uint64_t left = job->count - start;
        struct cta cta = {.form = form,
                          .type = type,
                          .threads = threads,
                          .global = global,
                          .shared = {shared, RMW_SHARED_START, rmw_shared_bytes(tile_bytes)},
                          .from = job->data + start * size,
                          .to = RMW_SHARED_START + RMW_BARRIER_BYTES + RMW_GUARD_BYTES,
                          .bytes = (left < job->tile ? (uint32_t)left : job->tile) * size};
        if (asks_for_bulk(form) || cta.from % 16 == 0) cta.bulk_bytes = cta.bytes / 16 * 16;
        rule = run(&cta, job, (uint32_t)(start / job->tile), rmw_guarded_bytes(tile_bytes));
    }
    return rule;
}
