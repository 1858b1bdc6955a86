// SPDX-License-Identifier: MIT
// Random im2col loads for the comparison with the slow walk: small images that columns wrap through, starts at the
// edges of the box, some faults. Maps are what an encoder accepts.
#include <string.h>

#include "slow_im2col.h"

static const uint32_t element[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

static void choose_format(struct slow_random *random, struct tensormap *map)
{
    map->mode = TENSORMAP_IM2COL;
    map->rank = (int)slow_between(random, 3, 5);
    map->dtype = (enum dtype)slow_between(random, 0, DTYPE_COUNT - 1);
    if (slow_chance(random, 35)) map->interleave = slow_chance(random, 50) ? INTERLEAVE_16B : INTERLEAVE_32B;
    map->swizzle = (enum tensormap_swizzle)slow_between(random, 0, 3);
    if (map->dtype >= DTYPE_FLOAT16 && slow_chance(random, 50)) map->oob_fill = OOB_FILL_NAN_REQUEST_ZERO_FMA;
    int64_t most = map->interleave == INTERLEAVE_NONE && map->swizzle != SWIZZLE_NONE ? 1 << map->swizzle : 12;
    map->box[0] = (uint32_t)(16 / element[map->dtype] * (uint32_t)slow_between(random, 1, most));
    if (map->box[0] > 256) map->box[0] = 256;
    map->pixels = (uint32_t)slow_between(random, 1, slow_chance(random, 80) ? 40 : 200);
    for (int d = 0; d < map->rank; d++)
        map->estride[d] = slow_chance(random, 60) ? 1 : (uint32_t)slow_between(random, 1, 8);
}

static void choose_sizes(struct slow_random *random, struct tensormap *map)
{
    static const int limits[] = {32768, 128, 16};
    bool interleaved = map->interleave != INTERLEAVE_NONE;
    int limit = limits[map->rank - 3];
    uint64_t align = map->interleave == INTERLEAVE_32B ? 32 : 16, extent;
    for (int d = 0; d < map->rank; d++) map->dim[d] = (uint64_t)slow_between(random, 1, 7);
    if (!interleaved) map->dim[0] = (uint64_t)slow_between(random, 1, 2 * map->box[0]);
    if (slow_chance(random, 8))
        map->dim[slow_between(random, 0, map->rank - 1)] = ((uint64_t)1 << 31) - (uint64_t)slow_between(random, 0, 1);
    map->stride[0] = extent = interleaved ? 16u * map->interleave : element[map->dtype];
    for (int d = 1; d < map->rank; d++) {
        extent = map->dim[d - 1] > 70000 ? align : extent * map->dim[d - 1];
        map->stride[d] = extent = (extent + align - 1) / align * align;
        if (slow_chance(random, 5)) map->stride[d] = align * (uint64_t)slow_between(random, 0, 9);
    }
    for (int k = 0; k < map->rank - 2; k++) {
        int64_t dim = (int64_t)map->dim[interleaved ? k : k + 1], reach = slow_chance(random, 90) ? 4 : limit - 1;
        map->lower[k] = (int32_t)slow_between(random, -reach, reach);
        map->upper[k] = (int32_t)slow_between(random, -reach, reach);
        if (dim > 70000 && map->upper[k] >= 0) map->upper[k] = -1;
        if (dim + map->upper[k] <= map->lower[k]) map->lower[k] = map->upper[k] = dim > 70000 ? -1 : 0;
    }
}

static int32_t choose_index(struct slow_random *random, uint64_t dim)
{
    if (slow_chance(random, 4)) return slow_chance(random, 50) ? INT32_MIN : INT32_MAX;
    if (slow_chance(random, 20)) return (int32_t)-slow_between(random, 1, 4);
    return (int32_t)slow_between(random, 0, (int64_t)dim > 9 ? 9 : (int64_t)dim);
}

static void choose_place(struct slow_random *random, struct slow_im2col *load)
{
    struct tensormap *map = &load->map;
    bool interleaved = map->interleave != INTERLEAVE_NONE;
    int inner = interleaved ? map->rank - 2 : 0;
    for (int k = 0; k < map->rank - 2; k++) {
        int d = interleaved ? k : k + 1;
        int64_t low = map->lower[k], high = (int64_t)map->dim[d] - 1 + map->upper[k];
        int64_t at = slow_chance(random, 30) ? high : slow_chance(random, 30) ? low : slow_between(random, low, high);
        load->coord[d] = (int32_t)at;
        load->offset[k] = (uint16_t)slow_between(random, 0, slow_chance(random, 80) ? 3 : 40);
        if (slow_chance(random, 6)) load->offset[k] = (uint16_t)slow_between(random, 0, 65535);
    }
    load->coord[map->rank - 1] = choose_index(random, map->dim[map->rank - 1]);
    load->coord[inner] = choose_index(random, map->dim[inner]);
    if (interleaved) return;
    int64_t piece = 16 / (int64_t)element[map->dtype];
    load->coord[0] = (int32_t)((load->coord[0] & ~(int64_t)(piece - 1)));
    if (slow_chance(random, 30)) load->coord[0] = (int32_t)(piece * slow_between(random, -2, 2));
}

// One cause of a fault, or none.
static void spoil(struct slow_random *random, struct slow_im2col *load)
{
    struct tensormap *map = &load->map;
    int k = (int)slow_between(random, 0, map->rank - 3), d = map->interleave == INTERLEAVE_NONE ? k + 1 : k;
    if (slow_chance(random, 2)) load->coord[d] = map->lower[k] - 1;
    if (slow_chance(random, 2) && map->dim[d] < 70000) load->coord[d] = (int32_t)map->dim[d] + map->upper[k];
    if (slow_chance(random, 2)) load->coord[0] += 1;
    if (slow_chance(random, 1)) map->dim[d] = ((uint64_t)1 << 31) + 1;
    if (slow_chance(random, 1)) load->dims = (int)slow_between(random, 3, 5);
    if (slow_chance(random, 1)) map->mode = TENSORMAP_TILED;
    if (slow_chance(random, 2)) load->destination += 16 * (uint32_t)slow_between(random, 1, 7);
    if (slow_chance(random, 2)) load->destination = (uint32_t)(load->smem_base + load->smem_bytes) - 128;
    if (slow_chance(random, 2)) load->destination = (uint32_t)load->smem_base - 128;
}

void slow_generate_im2col(struct slow_random *random, const uint8_t *gmem, struct slow_im2col *load)
{
    struct tensormap *map = &load->map;
    memset(load, 0, sizeof *load);
    load->gmem = gmem;
    load->gmem_base = SLOW_GMEM_BASE;
    load->gmem_bytes = slow_chance(random, 5) ? (uint64_t)slow_between(random, 1, SLOW_GMEM_BYTES) : SLOW_GMEM_BYTES;
    load->smem_base = SLOW_SMEM_BASE;
    load->smem_bytes = SLOW_SMEM_BYTES;
    choose_format(random, map);
    choose_sizes(random, map);
    choose_place(random, load);
    load->dims = map->rank;
    load->destination = SLOW_SMEM_BASE + 128 * (uint32_t)slow_between(random, 0, 24);
    map->address = SLOW_GMEM_BASE + (uint64_t)slow_between(random, 0, 128) * 32;
    for (int d = 0; d < map->rank; d++)
        if (load->coord[d] > 20000 || slow_chance(random, 3))
            map->address -= (uint64_t)(int64_t)load->coord[d] * map->stride[d] / 32 * 32;
    map->address %= (uint64_t)1 << 57;
    spoil(random, load);
}
