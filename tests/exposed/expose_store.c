// SPDX-License-Identifier: MIT
// The slow stores, reductions and bulk operations on recorded cases: what the memory around all that is written holds,
// and of bulk operations the bytes that are signalled.
#include <string.h>

#include "arena.h"
#include "bulk_case.h"
#include "exposed.h"
#include "slow_store.h"
#include "store_case.h"

enum { MOST_WINDOW_BYTES = 16384 }; // a larger box costs the slow model much and tells no more

// --- Tiled stores ----------------------------------------------------------------------------------------------------

static int is_of_stores(int mutant)
{
    enum slow_subject subject = slow_mutant_row((enum slow_mutant)mutant)->subject;
    return subject == SLOW_OF_BOX || subject == SLOW_OF_STORE || subject == SLOW_OF_REDUCE;
}

static int store_by(const struct store_case *c, const struct slow_store *store, const uint8_t *cta, uint8_t *memory,
                    enum slow_mutant mutant)
{
    struct store_window window = store_window(c);
    store_fill_global(c, window.base, memory + (window.base - STORE_GLOBAL_BASE), window.size_bytes);
    return slow_store(store, memory, cta, mutant);
}

static void expose_tile(const void *test_case, int status, const char *pending, char *exposed)
{
    static uint8_t cta[STORE_SHARED_BYTES], right[STORE_GLOBAL_BYTES], wrong[STORE_GLOBAL_BYTES];
    const struct store_case *c = test_case;
    struct store_window window = store_window(c);
    uint64_t at = window.base - STORE_GLOBAL_BASE;
    uint32_t first, end;
    struct slow_store store = {.tile = {.dims = (int)c->dims,
                                        .shared = c->shared,
                                        .gmem_base = STORE_GLOBAL_BASE,
                                        .gmem_bytes = STORE_GLOBAL_BYTES,
                                        .smem_base = STORE_SHARED_START,
                                        .smem_bytes = STORE_SHARED_BYTES},
                               .is_reduction = c->operation != 0,
                               .op = (enum reduce_op)(c->operation - (c->operation != 0))};
    if (window.size_bytes > MOST_WINDOW_BYTES || !map_args_made(&c->map, &store.tile.map)) return;
    memcpy(store.tile.coord, c->coord, sizeof store.tile.coord);
    store_source(c, &store.tile.map, &first, &end);
    store_fill_shared(c, first, cta + (first - STORE_SHARED_START), end - first);
    int error = store_by(c, &store, cta, right, SLOW_NONE);
    if (error != status) return; // something else ended the case
    for (int m = 1; m < SLOW_COUNT; m++)
        if (pending[m])
            exposed[m] = store_by(c, &store, cta, wrong, (enum slow_mutant)m) != error ||
                         (error == 0 && memcmp(right + at, wrong + at, window.size_bytes) != 0);
}

const struct exposer expose_store = {
    "stores and reductions", {"store"}, SLOW_COUNT, exposed_slow_text, exposed_slow_rule, is_of_stores, expose_tile,
};

// --- Bulk operations -------------------------------------------------------------------------------------------------

static int is_of_bulk(int mutant)
{
    return slow_mutant_row((enum slow_mutant)mutant)->subject == SLOW_OF_BULK;
}

// The memories of a case and what one reading leaves.
struct world {
    int error;
    uint32_t transaction_bytes;
    uint8_t own[BULK_SHARED_BYTES], other[BULK_SHARED_BYTES], scratch[BULK_SHARED_BYTES + 8192], registers[16];
};

static uint8_t *destination_of(struct world *world, const struct bulk_case *c)
{
    if (bulk_is_to_global(c->form)) return world->scratch;
    return bulk_is_to_other(c->form) ? world->other : world->own;
}

static void bulk_by(const struct bulk_case *c, const struct slow_bulk *bulk, struct world *world,
                    enum slow_mutant mutant)
{
    struct bulk_region region = bulk_region(c);
    uint8_t *destination = destination_of(world, c), *source = world->own;
    uint32_t from = region.source - BULK_SHARED_START;
    if (region.source_end > region.source)
        bulk_fill(c, BULK_SALT_SOURCE, world->own + from, region.source_end - region.source);
    bulk_fill(c, BULK_SALT_SOURCE, world->registers, sizeof world->registers);
    uint8_t *window = destination + (bulk_is_to_global(c->form) ? 0 : region.window - BULK_SHARED_START);
    bulk_fill(c, BULK_SALT_DESTINATION, window, region.window_end - region.window);
    if (bulk_is_from_global(c->form)) source = arena()->bytes;
    if (c->form == BULK_REGISTERS_TO_OTHER) source = world->registers;
    world->transaction_bytes = 0;
    world->error = slow_bulk(bulk, source, destination, &world->transaction_bytes, mutant);
}

static struct slow_bulk bulk_of(const struct bulk_case *c)
{
    struct bulk_region region = bulk_region(c);
    struct slow_bulk bulk = {.form = (enum bulk_form)c->form,
                             .is_reduction = c->operation != BULK_COPY,
                             .from = c->from,
                             .to = c->to,
                             .size_bytes = c->size_bytes,
                             .source_base = BULK_SHARED_START,
                             .source_bytes = BULK_SHARED_BYTES,
                             .destination_base = BULK_SHARED_START,
                             .destination_bytes = BULK_SHARED_BYTES};
    if (bulk.is_reduction) {
        const struct bulk_reduction *row = bulk_reduction((enum bulk_reduction_id)c->operation);
        bulk.op = row->op;
        bulk.dtype = row->dtype;
    }
    if (bulk_is_from_global(c->form)) bulk.source_base = ARENA_BASE, bulk.source_bytes = ARENA_BYTES;
    if (c->form == BULK_REGISTERS_TO_OTHER) bulk.source_base = 0, bulk.source_bytes = 16;
    if (bulk_is_to_global(c->form)) bulk.destination_base = BULK_SCRATCH, bulk.destination_bytes = region.window_end;
    return bulk;
}

static void expose_bulk_case(const void *test_case, int status, const char *pending, char *exposed)
{
    static struct world right, wrong;
    const struct bulk_case *c = test_case;
    struct bulk_region region = bulk_region(c);
    struct slow_bulk bulk = bulk_of(c);
    uint32_t at = bulk_is_to_global(c->form) ? 0 : region.window - BULK_SHARED_START;
    bulk_by(c, &bulk, &right, SLOW_NONE);
    if (right.error != status) return;
    for (int m = 1; m < SLOW_COUNT; m++) {
        if (!pending[m]) continue;
        bulk_by(c, &bulk, &wrong, (enum slow_mutant)m);
        exposed[m] = right.error != wrong.error || right.transaction_bytes != wrong.transaction_bytes ||
                     (right.error == 0 && memcmp(destination_of(&right, c) + at, destination_of(&wrong, c) + at,
                                                 region.window_end - region.window) != 0);
    }
}

const struct exposer expose_bulk = {
    "bulk operations", {"bulk"}, SLOW_COUNT, exposed_slow_text, exposed_slow_rule, is_of_bulk, expose_bulk_case,
};
