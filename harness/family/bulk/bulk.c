// SPDX-License-Identifier: MIT
// Family "bulk": one bulk copy or reduction without a map, or one st.async or red.async. The result is the destination
// around the bytes that move, and the word of the destination CTA's barrier where there is one.
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "bulk_case.h"
#include "family.h"
#include "field.h"
#include "gpu_jobs.h"
#include "mbarrier.h"
#include "rules/bulk.h"
#include "rules/reduce.h"

enum {
    GUARD_BYTES = 256,
    WORD_BYTES = 8,
    LEAD_BYTES = 16,
    BULK_REGISTER_BYTES = 16,
    SCRATCH_BYTES = BULK_SCRATCH_OFFSETS + BULK_SHARED_BYTES
};

const char *const bulk_form_names[] = {"global_to_shared",
                                       "global_to_other",
                                       "shared_to_global",
                                       "shared_to_own",
                                       "shared_to_other",
                                       "registers_to_other",
                                       NULL};
const char *const bulk_operation_names[] = {
#define NAME(op, op_ptx, dtype, type_ptx) op_ptx "." type_ptx,
    BULK_REDUCTIONS_ANYWHERE(NAME) BULK_REDUCTIONS_GLOBAL(NAME)
#undef NAME
        "copy",
    NULL};

// --- JSON ------------------------------------------------------------------------------------------------------------

static bool is_shared(uint64_t address)
{
    return address >= BULK_WINDOW_START && address < BULK_SHARED_ADDRESSES;
}

// NULL, or what makes a case illegal that an executor could not run.
static const char *illegal(const void *test_case)
{
    const struct bulk_case *c = test_case;
    bool is_registers = c->form == BULK_REGISTERS_TO_OTHER, is_copy = c->operation == BULK_COPY;
    const struct bulk_reduction *row = is_copy ? NULL : bulk_reduction((enum bulk_reduction_id)c->operation);
    uint64_t end = ARENA_BASE + ARENA_BYTES, moved = bulk_moved_bytes(c->form, c->size_bytes);
    if (!is_copy && !bulk_reduce_is_legal(c->form, row->op, row->dtype))
        return "\"operation\" is none that PTX has for this \"form\"";
    if (is_registers && is_copy && c->size_bytes != 4 && c->size_bytes != 8 && c->size_bytes != 16)
        return "\"size\" of registers is 4, 8 or 16";
    if (is_registers && !is_copy && c->size_bytes != dtype_row(row->dtype)->size_bytes)
        return "\"size\" of a reduction from registers is that of its type";
    if (bulk_is_from_global(c->form) &&
        (c->from < ARENA_BASE - BULK_ARENA_MARGIN_BYTES || c->from > end + BULK_ARENA_MARGIN_BYTES))
        return "\"from\" is within 2^30 bytes of the arena (2^44 to 2^44 + 2^25)";
    if (!bulk_is_from_global(c->form) && !is_registers && !is_shared(c->from))
        return "\"from\" is a shared address, 2048 to 262143";
    if (!bulk_is_to_global(c->form) && !is_shared(c->to)) return "\"to\" is a shared address, 2048 to 262143";
    if (bulk_is_to_global(c->form) && (c->to < BULK_SCRATCH || c->to >= BULK_SCRATCH + BULK_SCRATCH_OFFSETS) &&
        (c->to < end || c->to > end + BULK_ARENA_MARGIN_BYTES))
        return "\"to\" is 2^45 to 2^45 + 4095, or up to 2^30 bytes past the arena's end (2^44 + 2^25)";
    if (c->form == BULK_SHARED_TO_OWN && c->from < c->to + moved && c->to < c->from + moved)
        return "what is read and what is written overlap";
    return NULL;
}

// --- What is where ---------------------------------------------------------------------------------------------------

// `bytes` bytes at a shared address with `guard` bytes around them, as far as they are in the CTA's memory.
static void around(uint64_t address, uint64_t bytes, uint64_t guard, uint32_t *start, uint32_t *end)
{
    uint64_t low = address / 16 * 16 - guard, high = (address + bytes + 15) / 16 * 16 + guard;
    if (low < BULK_WINDOW_START) low = BULK_WINDOW_START;
    if (low > BULK_SHARED_END) low = BULK_SHARED_END;
    if (high > BULK_SHARED_END) high = BULK_SHARED_END;
    *start = (uint32_t)low;
    *end = high < low ? *start : (uint32_t)high;
}

struct bulk_region bulk_region(const struct bulk_case *c)
{
    struct bulk_region region = {0};
    uint64_t moved = bulk_moved_bytes(c->form, c->size_bytes);
    if (!bulk_is_from_global(c->form) && c->form != BULK_REGISTERS_TO_OTHER)
        around(c->from, moved, 0, &region.source, &region.source_end);
    if (!bulk_is_to_global(c->form))
        around(c->to, moved, GUARD_BYTES, &region.window, &region.window_end);
    else if (c->to >= BULK_SCRATCH && moved <= BULK_SHARED_BYTES - GUARD_BYTES - 16)
        region.window_end = (uint32_t)((c->to - BULK_SCRATCH + moved + 15) / 16 * 16 + GUARD_BYTES);
    return region;
}

// The model's view of a case; the memories are the caller's.
static struct bulk bulk_of_case(const struct bulk_case *c, const struct memory *source,
                                const struct memory *destination)
{
    return (struct bulk){c->form, source, destination, c->from, c->to, c->size_bytes};
}

// What memory holds before, and `size_bytes` of it (a multiple of 8).
static enum bulk_content bulk_content_of(const struct bulk_case *c)
{
    if (c->operation == BULK_COPY) return BULK_CONTENT_DISTINCT;
    switch (bulk_reduction((enum bulk_reduction_id)c->operation)->dtype) {
    case DTYPE_UINT64:
    case DTYPE_INT64:
        return BULK_CONTENT_INT64;
    case DTYPE_FLOAT16:
        return BULK_CONTENT_F16;
    case DTYPE_BFLOAT16:
        return BULK_CONTENT_BF16;
    case DTYPE_FLOAT32:
        return BULK_CONTENT_F32;
    case DTYPE_FLOAT64:
        return BULK_CONTENT_F64;
    default:
        return BULK_CONTENT_INT32;
    }
}

void bulk_fill(const struct bulk_case *c, uint32_t salt, uint8_t *bytes, uint32_t size_bytes)
{
    enum bulk_content content = bulk_content_of(c);
    for (uint32_t at = 0; at < size_bytes; at += 8) put_u64(bytes + at, bulk_word(c->seed, content, salt, at));
}

// The word in the second half of the first 16 bytes, which are there in any case, then the destination.
static void bulk_windows(const void *test_case, struct result *result)
{
    const struct bulk_case *c = test_case;
    struct bulk_region region = bulk_region(c);
    bool is_global = bulk_is_to_global(c->form);
    result->free_bytes += LEAD_BYTES - WORD_BYTES;
    if (!is_global)
        result_window(result, "mbarrier", BULK_BARRIER, WORD_BYTES);
    else
        result->free_bytes += WORD_BYTES;
    result_window(result, is_global ? "global" : "shared", is_global ? BULK_SCRATCH : region.window,
                  region.window_end - region.window);
}

static void bulk_before(const void *test_case, struct result *result)
{
    const struct bulk_case *c = test_case;
    const struct bulk_region region = bulk_region(c);
    const bool is_global = bulk_is_to_global(c->form), is_registers = c->form == BULK_REGISTERS_TO_OTHER;
    const uint32_t bytes = region.window_end - region.window;
    const uint32_t source_bytes = is_registers ? BULK_REGISTER_BYTES : region.source_end - region.source;
    bulk_fill(c, BULK_SALT_DESTINATION,
              result_window(result, is_global ? "global" : "shared", is_global ? BULK_SCRATCH : region.window, bytes),
              bytes);
    if (source_bytes > 0)
        bulk_fill(c, BULK_SALT_SOURCE, result_window(result, "source", region.source, source_bytes), source_bytes);
}

// --- The model -------------------------------------------------------------------------------------------------------

// The kernel's order: arrive.expect_tx, the operation, its complete_tx. Returns the first rule broken.
static enum rule run_bulk(const struct bulk_case *c, const struct memory *source, const struct memory *destination,
                          uint64_t *word)
{
    const struct mbarrier_transaction announce = {.arrivals = 1, .expect_bytes = c->expect_bytes};
    struct bulk bulk = bulk_of_case(c, source, destination);
    uint32_t transaction_bytes;
    enum rule rule;
    *word = mbarrier_init(1);
    if (!bulk_is_to_global(c->form) && (rule = mbarrier_transact(word, &announce)) != RULE_OK) return rule;
    if (c->operation == BULK_COPY) {
        rule = bulk_copy(&bulk, &transaction_bytes, NULL);
    } else {
        const struct bulk_reduction *row = bulk_reduction((enum bulk_reduction_id)c->operation);
        rule = bulk_reduce(&bulk, row->op, row->dtype, &transaction_bytes, NULL);
    }
    if (rule == RULE_OK && transaction_bytes > 0)
        mbarrier_transact_remote(word, &(struct mbarrier_transaction){.complete_bytes = transaction_bytes});
    return rule;
}

static enum rule bulk_run_model(const void *test_case, struct result *result)
{
    const struct bulk_case *c = test_case;
    struct bulk_region region = bulk_region(c);
    uint8_t cta[2][BULK_SHARED_BYTES], scratch[SCRATCH_BYTES];
    uint8_t registers[BULK_REGISTER_BYTES], *own = cta[0], *other = cta[bulk_is_to_other(c->form)];
    uint8_t *window = bulk_is_to_global(c->form) ? scratch : other + (region.window - BULK_SHARED_START);
    const struct window *last = &result->window[result->windows - 1];
    uint64_t word;
    struct memory source = {own, BULK_SHARED_START, BULK_SHARED_BYTES};
    struct memory destination = {other, BULK_SHARED_START, BULK_SHARED_BYTES};
    if (region.source_end > region.source)
        bulk_fill(c, BULK_SALT_SOURCE, own + (region.source - BULK_SHARED_START), region.source_end - region.source);
    bulk_fill(c, BULK_SALT_SOURCE, registers, sizeof registers);
    bulk_fill(c, BULK_SALT_DESTINATION, window, region.window_end - region.window);
    if (bulk_is_from_global(c->form)) source = *arena();
    if (c->form == BULK_REGISTERS_TO_OTHER) source = (struct memory){registers, 0, sizeof registers};
    if (bulk_is_to_global(c->form)) destination = (struct memory){scratch, BULK_SCRATCH, region.window_end};
    enum rule rule = run_bulk(c, &source, &destination, &word);
    if (!bulk_is_to_global(c->form)) memcpy(result->window[0].bytes, &word, WORD_BYTES);
    memcpy(last->bytes, window, last->size_bytes);
    return rule;
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

static int make_job(const struct gpu_place *place, void *to)
{
    const struct bulk_case *c = place->test_case;
    struct bulk_region region = bulk_region(c);
    uint64_t output = place->offset + LEAD_BYTES, arena_shift = gpu_arena(place->gpu) - ARENA_BASE;
    struct bulk_job job = {.from = c->from,
                           .to = c->to,
                           .output = output,
                           .form = c->form,
                           .operation = c->operation,
                           .content = bulk_content_of(c),
                           .seed = c->seed,
                           .size_bytes = c->size_bytes,
                           .expect_bytes = c->expect_bytes,
                           .settle = c->expect_bytes != bulk_moved_bytes(c->form, c->size_bytes),
                           .source = region.source,
                           .source_end = region.source_end,
                           .window = region.window,
                           .window_end = region.window_end,
                           .rank = (uint32_t)bulk_is_to_other(c->form)};
    if (bulk_is_from_global(c->form)) job.from += arena_shift;
    if (bulk_is_to_global(c->form))
        job.to = c->to >= BULK_SCRATCH ? place->output + output + (c->to - BULK_SCRATCH) : c->to + arena_shift;
    *(struct bulk_job *)to = job;
    return CUDA_SUCCESS;
}

// The jobs that need a cluster have a launch of their own.
static uint32_t group_of(const void *test_case)
{
    const struct bulk_case *c = test_case;
    return c->form != BULK_GLOBAL_TO_SHARED && c->form != BULK_SHARED_TO_GLOBAL ? 2 : 0;
}

static const struct gpu_jobs jobs = {GPU_JOBS_OF("bulk", struct bulk_case, struct bulk_job),
                                     .block = BULK_THREADS,
                                     .shared_bytes = BULK_SHARED_BYTES,
                                     .make = make_job,
                                     .groups = 3,
                                     .group = group_of,
                                     .are_clusters = true};

static int form_of(const void *test_case)
{
    return 1 << ((const struct bulk_case *)test_case)->form;
}

#define CASE struct bulk_case
static const struct field field[] = {
    FIELD_ONE_OF("form", form, bulk_form_names, "from where to where"),
    FIELD_ONE_OF("operation", operation, bulk_operation_names, "copy, or the reduction"),
    FIELD_NUMBER("from", from, 0, UINT64_MAX, "address of the source", .is_there = form_of,
                 .only = ~(1 << BULK_REGISTERS_TO_OTHER), .where = "every form but registers_to_other"),
    FIELD_NUMBER("to", to, 0, UINT64_MAX, "address of the destination"),
    FIELD_NUMBER("size", size_bytes, 0, UINT32_MAX, "bytes"),
    FIELD_NUMBER("expect", expect_bytes, 0, UINT32_MAX, "bytes that the barrier expects", .is_there = form_of,
                 .only = ~(1 << BULK_SHARED_TO_GLOBAL), .where = "forms to shared memory"),
    FIELD_SEED,
    FIELD_END,
};
#undef CASE

// --- In words --------------------------------------------------------------------------------------------------------

// Little-endian bytes as a number.
static uint64_t element(const uint8_t *bytes, uint32_t size_bytes)
{
    uint64_t value = 0;
    memcpy(&value, bytes, size_bytes);
    return value;
}

// The 8 bytes of the source that go `offset` bytes (a multiple of 8) behind its start.
static uint64_t source_word(const struct bulk_case *c, uint64_t offset)
{
    struct bulk_region region = bulk_region(c);
    uint64_t word = 0;
    if (!bulk_is_from_global(c->form)) {
        uint64_t start = c->form == BULK_REGISTERS_TO_OTHER ? 0 : c->from - region.source;
        return bulk_word(c->seed, bulk_content_of(c), BULK_SALT_SOURCE, start + offset);
    }
    const uint8_t *bytes = memory_at(arena(), c->from + offset, sizeof word);
    if (bytes != NULL) memcpy(&word, bytes, sizeof word);
    return word;
}

static enum rule rule_of_reduction(const struct bulk_case *c)
{
    const struct bulk_reduction *reduction = bulk_reduction((enum bulk_reduction_id)c->operation);
    if (!dtype_row(reduction->dtype)->is_float) return RULE_REDUCE_INTEGER;
    return reduction->op == REDUCE_ADD ? RULE_REDUCE_FLOAT_ADD : RULE_REDUCE_HALF_MIN_MAX;
}

static enum rule explain_element(const struct bulk_case *c, const struct difference *difference, FILE *out)
{
    const struct window *expected = difference->expected, *found = difference->found;
    uint32_t at = difference->at;
    uint64_t address = expected->base + at, moved = bulk_moved_bytes(c->form, c->size_bytes);
    uint32_t size = 8;
    if (c->operation != BULK_COPY)
        size = dtype_row(bulk_reduction((enum bulk_reduction_id)c->operation)->dtype)->size_bytes;
    uint32_t in_word = at % 8 / size * size;
    at -= at % 8;
    uint64_t before = bulk_word(c->seed, bulk_content_of(c), BULK_SALT_DESTINATION, at);
    uint64_t base = expected->base + at;
    int digits = (int)(2 * size);
    bool is_inside = address >= c->to && address < c->to + moved;
    fprintf(out, "    %s of %" PRIu64 " bytes to 0x%" PRIx64 ", %s: address 0x%" PRIx64 " (%s)\n",
            bulk_form_names[c->form], moved, c->to, bulk_operation_names[c->operation], base + in_word,
            is_inside ? "inside" : "outside: never written");
    fprintf(out, "    before 0x%0*" PRIx64, digits, element((const uint8_t *)&before + in_word, size));
    if (is_inside && base >= c->to) {
        uint64_t source = source_word(c, base - c->to);
        fprintf(out, ", source 0x%0*" PRIx64, digits, element((const uint8_t *)&source + in_word, size));
    }
    fprintf(out, ": 0x%0*" PRIx64 " expected, 0x%0*" PRIx64 " found\n", digits,
            element(expected->bytes + at + in_word, size), digits, element(found->bytes + at + in_word, size));
    return is_inside && c->operation != BULK_COPY ? rule_of_reduction(c) : RULE_BULK_SIZE;
}

enum rule bulk_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    if (strcmp(difference->expected->name, "mbarrier") != 0) return explain_element(test_case, difference, out);
    return difference_explain_barrier(difference, RULE_BULK_TX_BYTES, out);
}

const struct family family_bulk = {
    FAMILY_CASES("bulk", struct bulk_case, field, .illegal = illegal),
    .summary = "cp.async.bulk, cp.reduce.async.bulk, st.async, red.async: the destination, and its barrier's word",
    .generate = bulk_generate,
    .windows = bulk_windows,
    .before = bulk_before,
    .run_model = bulk_run_model,
    .jobs = &jobs,
    .kernels = "bulk",
    .explain = bulk_explain,
};
