// SPDX-License-Identifier: MIT
// What the pieces of the box say together: how far off in global memory the box is, and how far apart its rows are.
// Nothing is said of im2col boxes.
#include <stdlib.h>
#include <string.h>

#include "search.h"
#include "swizzle.h"
#include "tile.h"

enum { TALLY = 64, OFFSETS_KEPT = 4 };

// How often a number was seen; the first `used` different ones are counted.
struct tally {
    int64_t value[TALLY];
    uint32_t count[TALLY];
    int used;
};

static void count(struct tally *tally, int64_t value)
{
    int i = 0;
    while (i < tally->used && tally->value[i] != value) i++;
    if (i == TALLY) return;
    if (i == tally->used) tally->value[tally->used++] = value, tally->count[i] = 0;
    tally->count[i]++;
}

// The n-th most common one; 0 if there is none.
static bool pick(struct tally *tally, int n, int64_t *value)
{
    for (;; n--) {
        int best = -1;
        for (int i = 0; i < tally->used; i++)
            if (tally->count[i] > 0 && (best < 0 || tally->count[i] > tally->count[best])) best = i;
        if (best < 0) return false;
        *value = tally->value[best];
        tally->count[best] = 0;
        if (n == 0) return true;
    }
}

// The swizzle of `base` undone: bytes from the start of the box, past all samples if before it.
static uint64_t offset_of(const struct search *search, uint64_t shared)
{
    const struct hypothesis *base = &search->base;
    uint32_t address = swizzle_apply(base->undone, (uint32_t)shared) + base->shift;
    return (uint64_t)swizzle_apply(base->map.swizzle, address) - base->shift - base->shared;
}

void sample_fill(struct search *search)
{
    const struct diagnose *question = search->question;
    uint64_t skip = (0 - question->dump.base) % CHUNK_BYTES;
    memset(search->sample, 0, search->samples * sizeof *search->sample);
    if (question->map.mode == TENSORMAP_IM2COL) return;
    for (uint64_t n = 0; n < search->chunks; n++) {
        uint64_t found = search->origin[n].address, at = question->dump.base + skip + n * CHUNK_BYTES;
        if (found == 0) continue;
        uint64_t offset = offset_of(search, question->is_store ? found : at);
        if (offset / CHUNK_BYTES < search->samples)
            search->sample[offset / CHUNK_BYTES] = question->is_store ? at : found;
    }
}

// Bytes in shared memory from a step to the next along dimension i.
static uint64_t step_in_box(const struct search *search, const struct tile *tile, int i)
{
    uint64_t bytes = tile->pitch_bytes;
    for (int j = 1; j < i; j++) bytes *= search_steps(&search->base.map, j);
    return bytes;
}

uint64_t sample_meant(const struct search *search)
{
    const struct hypothesis *base = &search->base;
    uint64_t address = base->map.address;
    for (int i = 0; i < base->map.rank; i++) address += (uint64_t)(int64_t)base->coord[i] * base->map.stride[i];
    return address;
}

// How far from the first element of the box the piece at `offset` is in global memory; 0 if it is no piece of the box.
static bool distance_of(const struct search *search, const struct tile *tile, uint64_t offset, int64_t *distance)
{
    const struct diagnose *question = search->question;
    const struct tensormap *map = &search->base.map;
    uint64_t slice = offset / search_slice_bytes(question), within = offset % search_slice_bytes(question);
    uint64_t row = within / tile->pitch_bytes, column = within % tile->pitch_bytes;
    *distance = (int64_t)column;
    if (column >= tile->row_bytes || map->interleave != INTERLEAVE_NONE) return false;
    for (int i = 1; i < map->rank; i++) {
        uint32_t steps = search_steps(map, i);
        *distance += (int64_t)(row % steps * map->estride[i] * map->stride[i]);
        row /= steps;
    }
    *distance += (int64_t)slice * search_span(map, question->slice_dim) * (int64_t)map->stride[question->slice_dim];
    return row == 0;
}

bool sample_begin(const struct search *search, int n, uint64_t *begin)
{
    struct tile tile = tile_of(&search->base.map, search->base.coord);
    struct tally tally = {.used = 0};
    int64_t distance, value;
    if (n >= OFFSETS_KEPT || search->question->map.mode == TENSORMAP_IM2COL) return false;
    for (uint64_t i = 0; i < search->samples; i++)
        if (search->sample[i] != 0 && distance_of(search, &tile, i * CHUNK_BYTES, &distance))
            count(&tally, (int64_t)search->sample[i] - distance);
    if (!pick(&tally, n, &value)) return false;
    *begin = (uint64_t)value;
    return true;
}

bool sample_step(const struct search *search, int i, int64_t *step_bytes)
{
    const struct tensormap *map = &search->base.map;
    struct tile tile = tile_of(map, search->base.coord);
    struct tally tally = {.used = 0};
    if (search->question->map.mode == TENSORMAP_IM2COL || map->interleave != INTERLEAVE_NONE) return false;
    uint64_t by = step_in_box(search, &tile, i);
    for (uint64_t n = 0; by % CHUNK_BYTES == 0 && n + by / CHUNK_BYTES < search->samples; n++) {
        uint64_t here = search->sample[n], next = search->sample[n + by / CHUNK_BYTES];
        if (n * CHUNK_BYTES / by % search_steps(map, i) + 1 == search_steps(map, i)) continue;
        if (here != 0 && next != 0) count(&tally, (int64_t)(next - here));
    }
    return pick(&tally, 0, step_bytes);
}
