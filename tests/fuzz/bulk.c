// SPDX-License-Identifier: MIT
// Target `bulk`: memories, and one bulk copy, bulk reduction, cp.async and each single access on them. A check says
// what the operation does, and what is refused has written nothing.
#include "bulk.h"

#include "address_check.h"
#include "cp_async.h"
#include "fuzz.h"
#include "operand.h"
#include "prefetch.h"

enum { GLOBAL_BASE = 0x10000, SHARED_BASE = 1024, MOST_BYTES = 1 << 12 };

static struct memory copy_of(const struct memory *memory)
{
    struct memory copy = *memory;
    copy.bytes = malloc(memory->size_bytes + 1);
    memcpy(copy.bytes, memory->bytes, memory->size_bytes);
    return copy;
}

// Nothing of `memory` has changed since `before` was taken, which is freed.
static void require_same(const struct memory *memory, struct memory before)
{
    fuzz_require(memcmp(memory->bytes, before.bytes, before.size_bytes) == 0);
    free(before.bytes);
}

static void copy_bulk(struct fuzz_input *input, const struct bulk *bulk, uint32_t barrier)
{
    struct findings findings, done;
    uint32_t bytes;
    enum reduce_op op = (enum reduce_op)fuzz_take(input, 1);
    enum dtype dtype = (enum dtype)fuzz_take(input, 1);
    struct memory before = copy_of(bulk->destination);
    enum rule rule = bulk_check(bulk, &findings);
    fuzz_require(rule == findings_first_broken(&findings));
    fuzz_require(bulk_copy(bulk, &bytes, &done) == rule);
    fuzz_require_alike(&findings, &done);
    if (rule == RULE_OK)
        free(before.bytes);
    else
        require_same(bulk->destination, before);
    before = copy_of(bulk->destination);
    rule = bulk_reduce(bulk, op, dtype, &bytes, &done);
    fuzz_require(rule == findings_first_broken(&done));
    fuzz_require(rule != RULE_OK || bulk_reduce_is_legal(bulk->form, op, dtype));
    if (rule == RULE_OK)
        free(before.bytes);
    else
        require_same(bulk->destination, before);
    rule = bulk_check_barrier(bulk->form, barrier, bulk->destination, &findings);
    fuzz_require(rule == findings_first_broken(&findings));
}

static void copy_async(struct fuzz_input *input, const struct memory *global, const struct memory *shared)
{
    struct cp_async copy = {.global = global, .shared = shared};
    struct findings findings, done;
    copy.form = (enum cp_async_form)(fuzz_take(input, 1) % CP_ASYNC_FORMS);
    copy.size_bytes = 4u << fuzz_take(input, 1) % 3;
    copy.operand = (uint32_t)fuzz_take(input, 4);
    copy.from = fuzz_take(input, 8);
    copy.to = fuzz_take(input, 8);
    enum rule rule = cp_async_check(&copy, &findings);
    fuzz_require(rule == findings_first_broken(&findings));
    fuzz_require(cp_async_copy(&copy, &done) == rule);
    fuzz_require_alike(&findings, &done);
}

static void check_single(struct fuzz_input *input, const struct memory *global, const struct memory *shared)
{
    struct findings findings;
    uint64_t address = fuzz_take(input, 8);
    uint32_t bytes = 1u << fuzz_take(input, 1) % 5, own = (uint32_t)fuzz_take(input, 4);
    fuzz_require(shared_access_check(own, bytes, shared, &findings) == findings_first_broken(&findings));
    const struct region region = {*global, (int)bytes & 1};
    const struct global_memory regions = {&region, 1};
    const enum memory_use use = own & 1 ? MEMORY_WRITES : MEMORY_READS;
    fuzz_require(global_access_check(address, bytes, use, &regions, &findings) == findings_first_broken(&findings));
    fuzz_require(map_prefetch_check(address, &regions, &findings) == findings_first_broken(&findings));
    fuzz_require(map_acquire_check(address, &findings) == findings_first_broken(&findings));
    fuzz_require(cache_policy_check(address, &findings) == findings_first_broken(&findings));
    fuzz_require(bulk_prefetch_check(address, own, &findings) == findings_first_broken(&findings));
}

void fuzz_bulk(const uint8_t *bytes, size_t size_bytes)
{
    struct fuzz_input input = {bytes, size_bytes};
    struct memory global = fuzz_memory(&input, GLOBAL_BASE, MOST_BYTES);
    struct memory shared = fuzz_memory(&input, SHARED_BASE, MOST_BYTES);
    struct memory other = copy_of(&shared), registers = {malloc(16), 0, 16};
    struct bulk bulk = {.form = (enum bulk_form)(fuzz_take(&input, 1) % BULK_FORMS)};
    memset(registers.bytes, 1, 16);
    bulk.source = bulk_is_from_global(bulk.form)         ? &global
                  : bulk.form == BULK_REGISTERS_TO_OTHER ? &registers
                                                         : &shared;
    bulk.destination = bulk_is_to_global(bulk.form) ? &global : bulk_is_to_other(bulk.form) ? &other : &shared;
    bulk.from = bulk.form == BULK_REGISTERS_TO_OTHER ? 0 : fuzz_take(&input, 8);
    bulk.to = fuzz_take(&input, 8);
    bulk.size_bytes =
        bulk.form == BULK_REGISTERS_TO_OTHER ? 4u << fuzz_take(&input, 1) % 3 : (uint32_t)fuzz_take(&input, 4);
    copy_bulk(&input, &bulk, (uint32_t)fuzz_take(&input, 4));
    copy_async(&input, &global, &shared);
    check_single(&input, &global, &shared);
    free(registers.bytes);
    free(other.bytes);
    free(shared.bytes);
    free(global.bytes);
}
