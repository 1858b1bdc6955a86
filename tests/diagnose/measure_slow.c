// SPDX-License-Identifier: MIT
// Wrong tiles by the slow second model: slow_load() and slow_im2col() write every byte.
#include <string.h>

#include "arena.h"
#include "load_launch.h"
#include "mbarrier.h"
#include "measure.h"
#include "slow.h"
#include "slow_im2col.h"

static int load_tiled(const struct diagnose_load *load, const struct tensormap *map, uint8_t *smem, uint32_t *tx_bytes)
{
    struct slow_tile slow = {.map = *map,
                             .dims = map->rank,
                             .shared = load->shared,
                             .gmem_base = arena()->base,
                             .gmem_bytes = arena()->size_bytes,
                             .smem_base = LOAD_SHARED_START,
                             .smem_bytes = LOAD_SHARED_BYTES};
    memcpy(slow.coord, load->coord, sizeof slow.coord);
    return slow_load(&slow, arena()->bytes, smem, tx_bytes, SLOW_NONE);
}

static int load_im2col(const struct diagnose_load *load, const struct tensormap *map, uint8_t *smem, uint32_t *tx_bytes)
{
    struct slow_im2col slow = {.map = *map,
                               .dims = map->rank,
                               .destination = load->shared,
                               .gmem = arena()->bytes,
                               .gmem_base = arena()->base,
                               .gmem_bytes = arena()->size_bytes,
                               .smem_base = LOAD_SHARED_START,
                               .smem_bytes = LOAD_SHARED_BYTES};
    memcpy(slow.coord, load->coord, sizeof slow.coord);
    memcpy(slow.offset, load->offset, sizeof slow.offset);
    return slow_im2col(&slow, smem, tx_bytes, IM2COL_RIGHT);
}

static bool load(const struct diagnose_load *load, uint8_t *smem, uint64_t *word)
{
    struct tensormap map;
    uint32_t tx_bytes;
    if (!map_args_made(&load->map, &map)) return false;
    int error = map.mode == TENSORMAP_IM2COL ? load_im2col(load, &map, smem, &tx_bytes)
                                             : load_tiled(load, &map, smem, &tx_bytes);
    if (error != 0) return false;
    mbarrier_transact_remote(word, &(struct mbarrier_transaction){.complete_bytes = tx_bytes});
    return true;
}

// A copy that is seen early: whole 32-byte pieces of it are there, more of those with low addresses.
static void cut(struct random *random, const uint8_t *earlier, uint8_t *bytes, uint32_t size_bytes)
{
    uint32_t kind = (uint32_t)random_below(random, 4), at = (uint32_t)random_below(random, size_bytes / 32) * 32;
    for (uint32_t piece = 0; piece + 32 <= size_bytes; piece += 32) {
        bool is_there = kind == 0 ? false : kind == 1 ? piece < at : random_chance(random, piece < at ? 90 : 10);
        if (!is_there) memcpy(bytes + piece, earlier + piece, 32);
    }
}

// The tile that is meant, and nothing else.
static void mend(struct diagnose_case *c)
{
    struct diagnose_load meant = c->meant;
    *c = (struct diagnose_case){.meant = meant, .cause = CAUSES, .slices = 1, .loads = 1, .announce = 1, .clocks = -1};
    c->load[0] = meant;
    diagnose_load_bytes(&meant, &c->expect);
}

bool measure_slow(uint64_t seed, uint64_t index, bool is_clean, struct measured *measured)
{
    static uint8_t smem[LOAD_SHARED_BYTES], earlier[LOAD_SHARED_BYTES];
    struct random random = random_for(seed, index);
    struct diagnose_case *c = &measured->test_case;
    uint64_t unused = mbarrier_init(1);
    diagnose_generate(&random, c);
    if (is_clean) mend(c);
    measured->window = diagnose_window(c);
    uint8_t *window = smem + (measured->window.base - LOAD_SHARED_START);
    load_canaries(measured->window.base, window, measured->window.size_bytes);
    measured->word = mbarrier_init(1);
    if (c->announce)
        mbarrier_transact(&measured->word, &(struct mbarrier_transaction){.arrivals = 1, .expect_bytes = c->expect});
    for (uint32_t i = 0; i < c->loads; i++) {
        if (i == c->earlier) memcpy(earlier, window, measured->window.size_bytes);
        if (!load(&c->load[i], smem, i < c->earlier ? &unused : &measured->word)) return false;
    }
    if (c->clocks >= 0) cut(&random, earlier, window, measured->window.size_bytes);
    memcpy(measured->bytes, window, measured->window.size_bytes);
    return true;
}
