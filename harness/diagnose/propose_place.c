// SPDX-License-Identifier: MIT
// Causes in shared memory: swizzle, the place, a tile transposed, and the barrier's count.
#include <stdio.h>

#include "mbarrier.h"
#include "search.h"

static const char *const modes[] = {"SWIZZLE_NONE", "SWIZZLE_32B", "SWIZZLE_64B", "SWIZZLE_128B"};

void propose_swizzle_mode(struct search *search)
{
    const struct tensormap *meant = &search->base.map;
    for (uint32_t mode = SWIZZLE_NONE; mode <= SWIZZLE_128B; mode++) {
        struct hypothesis h = search->base;
        h.map.swizzle = (enum tensormap_swizzle)mode;
        if (mode == meant->swizzle) continue;
        search_try(search, &h, mode, "the bytes lie where %s puts them, not %s", modes[mode], modes[meant->swizzle]);
    }
}

void propose_swizzle_base(struct search *search)
{
    const struct tensormap *meant = &search->base.map;
    uint32_t pattern = tensormap_pattern_bytes(meant->swizzle), phase = search->base.shared % pattern;
    for (uint32_t shift = 128; shift < pattern; shift += 128) {
        struct hypothesis h = search->base;
        h.shift = shift;
        search_try(search, &h, shift, "the bytes lie as if the box began %u bytes into the %u-byte pattern, not %u",
                   (phase + shift) % pattern, pattern, phase);
    }
}

void propose_read_unswizzled(struct search *search)
{
    if (search->question->is_store) return;
    for (uint32_t mode = SWIZZLE_32B; mode <= SWIZZLE_128B; mode++) {
        struct hypothesis h = search->base;
        h.undone = (enum tensormap_swizzle)mode;
        search_try(search, &h, mode == h.map.swizzle ? 0 : 1, "%s has been undone between shared memory and the dump",
                   modes[mode]);
    }
}

void propose_shared_address(struct search *search)
{
    const struct diagnose *question = search->question;
    const struct memory *shared = question->is_store ? &search->base.source : &question->dump;
    uint32_t meant = search->base.shared;
    for (uint64_t at = (shared->base + 127) / 128 * 128; at < shared->base + shared->size_bytes; at += 128) {
        struct hypothesis h = search->base;
        h.shared = (uint32_t)at;
        if (at != meant)
            search_try(search, &h, h.shared > meant ? h.shared - meant : meant - h.shared,
                       "the tile lies at shared 0x%x, not 0x%x", h.shared, meant);
    }
}

void propose_transposed(struct search *search)
{
    struct hypothesis h = search->base;
    h.transposed = 1;
    search_try(search, &h, 0, "dimensions 0 and 1 of the box are exchanged in shared memory");
}

// --- the barrier -----------------------------------------------------------------------------------------------------

void propose_tx_count(struct search *search)
{
    const struct diagnose *question = search->question;
    struct explanation found = {search->cause, CAUSES, true, false, search->answer->wrong_bytes, 0, ""};
    int64_t brings = search->answer->tx_bytes, announced = question->expect;
    int32_t left = question->has_word ? mbarrier_unpack(question->word).tx : 0;
    bool is_bytes_meant = search->answer->wrong_bytes == 0 || damage_is_stale(search);
    if (search->pass == PASS_PART || search->built != NULL || !is_bytes_meant || search->question->is_store) return;
    if (question->has_expect && announced != brings)
        snprintf(found.what, sizeof found.what, "arrive.expect_tx announced %lld bytes, the copy brings %lld: %lld %s",
                 (long long)announced, (long long)brings,
                 (long long)(announced < brings ? brings - announced : announced - brings),
                 announced < brings ? "short" : "too many");
    else if (left > 0)
        snprintf(found.what, sizeof found.what,
                 "the barrier waits for %d bytes that have not come (the copy brings %lld)", left, (long long)brings);
    else if (left < 0)
        snprintf(found.what, sizeof found.what,
                 "the copy (%lld bytes) brought %d bytes more than the barrier was told of", (long long)brings, -left);
    else
        return;
    search_add(search, &found);
}
