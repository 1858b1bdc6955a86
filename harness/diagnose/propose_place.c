// SPDX-License-Identifier: MIT
// Causes in shared memory: swizzle, the place, what was never written, what was written over, and the barrier's count.
#include <stdio.h>
#include <string.h>

#include "copy.h"
#include "mbarrier.h"
#include "search.h"

static const char *const modes[] = {"SWIZZLE_NONE", "SWIZZLE_32B", "SWIZZLE_64B", "SWIZZLE_128B"};

void propose_swizzle_mode(struct search *search)
{
    const struct tensormap *meant = &search->meant.map;
    for (uint32_t mode = SWIZZLE_NONE; mode <= SWIZZLE_128B; mode++) {
        struct hypothesis h = search->meant;
        h.map.swizzle = (enum tensormap_swizzle)mode;
        if (mode == meant->swizzle) continue;
        search_try(search, &h, mode, "the bytes lie where %s puts them, not %s", modes[mode], modes[meant->swizzle]);
    }
}

void propose_swizzle_base(struct search *search)
{
    const struct tensormap *meant = &search->meant.map;
    uint32_t pattern = tensormap_pattern_bytes(meant->swizzle), phase = search->meant.shared % pattern;
    for (uint32_t shift = 128; shift < pattern; shift += 128) {
        struct hypothesis h = search->meant;
        h.shift = shift;
        search_try(search, &h, shift, "the bytes lie as if the box began %u bytes into the %u-byte pattern, not %u",
                   (phase + shift) % pattern, pattern, phase);
    }
}

void propose_read_unswizzled(struct search *search)
{
    for (uint32_t mode = SWIZZLE_32B; mode <= SWIZZLE_128B; mode++) {
        struct hypothesis h = search->meant;
        h.undone = (enum tensormap_swizzle)mode;
        search_try(search, &h, mode == h.map.swizzle ? 0 : 1, "%s has been undone between shared memory and the dump",
                   modes[mode]);
    }
}

void propose_shared_address(struct search *search)
{
    const struct memory *dump = &search->question->dump;
    uint32_t meant = search->meant.shared;
    for (uint64_t at = (dump->base + 127) / 128 * 128; at < dump->base + dump->size_bytes; at += 128) {
        struct hypothesis h = search->meant;
        h.shared = (uint32_t)at;
        if (at != meant)
            search_try(search, &h, h.shared > meant ? h.shared - meant : meant - h.shared,
                       "the tile lies at shared 0x%x, not 0x%x", h.shared, meant);
    }
}

void propose_transposed(struct search *search)
{
    struct hypothesis h = search->meant;
    h.transposed = 1;
    search_try(search, &h, 0, "dimensions 0 and 1 of the box are exchanged in shared memory");
}

// --- what was there before ---------------------------------------------------------------------------------------

// Are all wrong bytes what was there before?
static int is_stale(const struct search *search)
{
    const struct diagnose *question = search->question;
    if (question->before == NULL) return 0;
    for (uint64_t i = 0; i < question->dump.size_bytes; i++)
        if (search->wrong[i] && question->dump.bytes[i] != question->before[i]) return 0;
    return 1;
}

void propose_tx_count(struct search *search)
{
    const struct diagnose *question = search->question;
    struct explanation found = {search->cause, 1, search->answer->wrong_bytes, 0, ""};
    int64_t brings = search->answer->tx_bytes, announced = question->expect;
    int32_t left = question->has_word ? mbarrier_unpack(question->word).tx : 0;
    int is_bytes_meant = search->answer->wrong_bytes == 0 || is_stale(search);
    if (search->is_partial || !is_bytes_meant) return;
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

// The wrong bytes in runs: how many, and whether they begin with the first byte of the box or end with the last.
static uint32_t runs_of(const struct search *search)
{
    uint32_t runs = 0;
    for (uint64_t i = 0; i < search->question->dump.size_bytes; i++)
        runs += search->wrong[i] && (i == 0 || !search->wrong[i - 1]);
    return runs;
}

static int is_fill(const struct search *search, const uint8_t *bytes)
{
    uint16_t fill = oob_fill_pattern(search->meant.map.oob_fill);
    for (int i = 0; i < 16; i += 2)
        if (memcmp(bytes + i, &fill, sizeof fill) != 0) return 0;
    return 1;
}

// Most of the wrong bytes are somewhere in the tensor, or out-of-bounds fill beside such. Looks at a few places, far
// from each other.
static int is_of_tensor(const struct search *search)
{
    const struct memory *dump = &search->question->dump;
    uint64_t step = search->answer->wrong_bytes / 8 / 16 * 16 + 16, seen = 0;
    int found = search->question->before != NULL, fills = 0, looked = 0;
    for (uint64_t i = 0; i + 16 <= dump->size_bytes; i += 16) {
        if (memchr(search->wrong + i, 0, 16) != NULL || seen++ * 16 % step != 0) continue;
        looked++;
        fills += is_fill(search, dump->bytes + i);
        found += diagnose_origin(search->question, dump->bytes + i) != 0;
    }
    return looked > 0 && found > 0 && 2 * (found + fills) > looked;
}

void propose_stale(struct search *search)
{
    const struct diagnose *question = search->question;
    uint32_t wrong = search->answer->wrong_bytes, runs = runs_of(search);
    struct explanation found = {search->cause, 1, wrong, 0, ""};
    if (question->before != NULL && !search->is_partial && is_stale(search)) {
        snprintf(found.what, sizeof found.what, "%u bytes of the tile's %u, in %u piece%s, are what was there before",
                 wrong, search->answer->tx_bytes, runs, runs == 1 ? "" : "s");
        search_add(search, &found);
    } else if (question->before == NULL && search->is_partial && !is_of_tensor(search)) {
        found.is_whole = 0;
        snprintf(found.what, sizeof found.what,
                 "%u bytes in %u piece%s are nowhere in the tensor: likely never written", wrong, runs,
                 runs == 1 ? "" : "s");
        search_add(search, &found);
    }
}

// Whole 128-byte lines of the box are right, or all of it and the wrong bytes lie beside it; the wrong ones lie
// together, and are of the tensor. A load that gives the very bytes says more, but of bytes beside the box.
void propose_overwritten(struct search *search)
{
    const struct diagnose *question = search->question;
    const struct memory *dump = &question->dump;
    struct explanation found = {search->cause, 1, search->answer->wrong_bytes, 0, ""};
    uint64_t first = 0, last = 0;
    while (first < dump->size_bytes && !search->wrong[first]) first++;
    for (uint64_t i = first; i < dump->size_bytes; i++)
        if (search->wrong[i]) last = i;
    uint64_t begin = question->shared - dump->base, end = begin + search_box_bytes(question) * question->slices;
    int is_part = first / 128 > begin / 128 || last / 128 < (end - 1) / 128, is_beside = first >= end || last < begin;
    if (search->is_partial || !is_part || (!is_beside && search->answer->explanations > 0)) return;
    if (!is_of_tensor(search)) return;
    snprintf(found.what, sizeof found.what, "from shared 0x%llx to 0x%llx lie other bytes of the tensor; %s",
             (unsigned long long)(dump->base + first), (unsigned long long)(dump->base + last),
             is_beside ? "the tile is right" : "the rest is right");
    search_add(search, &found);
}
