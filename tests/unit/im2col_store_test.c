// SPDX-License-Identifier: MIT
// The suite `im2col_store`: im2col stores and reductions against an oracle that goes pixel by pixel and piece by piece,
// over random maps; oracles with one rule misread, which must differ somewhere; a column worked out by hand. The faults
// are in im2col_store_fault_test.c.
#include <string.h>

#include "im2col_store.h"
#include "store_cases.h"

enum { PIECE_BYTES = 16 };

// How an oracle may misread the rules.
enum misread {
    MISREAD_CHANNELS_BY_ELEMENT = 1,
    MISREAD_CHANNELS_UNBOUNDED,
    MISREAD_PIXELS_PACKED,
    MISREAD_SWIZZLE_IGNORED,
    MISREAD_SWIZZLE_OF_THE_COLUMN,
    MISREAD_WRAP_TO_ZERO,
    MISREAD_WRAP_TO_START,
    MISREAD_UPPER_IGNORED,
    MISREAD_CORNERS_REVERSED,
    MISREAD_STEPS_OF_ONE,
    MISREAD_BATCH_BY_ONE,
    MISREAD_IMAGES_REPEAT,
    MISREAD_SLICES_UNBOUNDED,
    MISREAD_STORE_ROUNDS_TF32,
    MISREADS
};

static bool is_interleaved(const struct tensormap *map)
{
    return map->interleave != INTERLEAVE_NONE;
}

// Corners that leave a box, and a start in it.
static void pick_box(struct test_store *t, uint64_t *state)
{
    struct tensormap *map = &t->map;
    for (int k = 0; k < map->rank - 2; k++) {
        int i = k + !is_interleaved(map);
        map->lower[k] = (int16_t)next(state, 2) * (int16_t)next(state, map->dim[i]);
        map->upper[k] = (int16_t)-next(state, map->dim[i] - (uint64_t)map->lower[k]);
        t->coord[i] = map->lower[k] + (int32_t)next(state, map->dim[i] - (uint64_t)(map->lower[k] - map->upper[k]));
    }
}

// A packed tensor with now and then a gap; the caller asks again if it is too big.
static bool pick_store(struct test_store *t, uint64_t *state)
{
    struct tensormap *map = &t->map;
    memset(map, 0, sizeof *map);
    map->mode = TENSORMAP_IM2COL;
    map->rank = 3 + (int)next(state, 3);
    map->dtype = (enum dtype)next(state, DTYPE_COUNT);
    map->interleave = (enum tensormap_interleave)(next(state, 2) * next(state, 3));
    map->swizzle = (enum tensormap_swizzle)next(state, 4);
    uint32_t element = dtype_row(map->dtype)->size_bytes, pieces = map->swizzle ? spans[map->swizzle] / 16 : 6;
    map->box[0] = (1 + (uint32_t)next(state, pieces)) * 16 / element;
    map->pixels = 1 + (uint32_t)next(state, 50);
    map->address = GMEM_BASE + 512 + 32 * next(state, 16);
    map->stride[0] = tensormap_step_bytes(map);
    uint64_t extent = map->stride[0];
    for (int i = 0; i < map->rank; i++) {
        map->estride[i] = 1 + (uint32_t)next(state, 3) * (uint32_t)next(state, 2);
        map->dim[i] = 1 + next(state, i + 1 == map->rank ? 4 : 6);
        if (i == 0 && !is_interleaved(map)) map->dim[0] = 1 + next(state, 2 * map->box[0]);
        if (i > 0) map->stride[i] = (extent + 31) / 32 * 32 + 32 * next(state, 2);
        extent = map->stride[i] * map->dim[i];
    }
    int inner = is_interleaved(map) ? map->rank - 2 : 0, last = map->rank - 1;
    memset(t->coord, 0, sizeof t->coord);
    pick_box(t, state);
    t->coord[inner] = (int32_t)next(state, map->dim[inner] + 1);
    if (inner == 0) t->coord[0] -= t->coord[0] % (PIECE_BYTES / (int32_t)element);
    t->coord[last] = (int32_t)next(state, map->dim[last] + 1);
    pick_operation(t, state);
    return extent + 2048 < GMEM_BYTES;
}

static struct test_store *store_of(uint64_t seed)
{
    static struct test_store t;
    uint64_t state = seed * 977 + 5;
    while (!pick_store(&t, &state)) {
    }
    fill_memory(&t, &state);
    return &t;
}

// A pixel's place: W, H, D, N.
struct position {
    int64_t at[4];
};

static int64_t upper_of(const struct tensormap *map, int k, int misread)
{
    int spatials = map->rank - 2, from = misread == MISREAD_CORNERS_REVERSED ? spatials - 1 - k : k;
    int64_t dim = (int64_t)map->dim[k + !is_interleaved(map)];
    return dim - 1 + (misread == MISREAD_UPPER_IGNORED ? 0 : map->upper[from]);
}

static void step(const struct test_store *t, int misread, struct position *position)
{
    const struct tensormap *map = &t->map;
    int first = !is_interleaved(map), spatials = map->rank - 2;
    for (int k = 0; k < spatials; k++) {
        int from = misread == MISREAD_CORNERS_REVERSED ? spatials - 1 - k : k;
        position->at[k] += misread == MISREAD_STEPS_OF_ONE ? 1 : map->estride[first + k];
        if (position->at[k] <= upper_of(map, k, misread)) return;
        position->at[k] = misread == MISREAD_WRAP_TO_ZERO    ? 0
                          : misread == MISREAD_WRAP_TO_START ? t->coord[first + k]
                                                             : map->lower[from];
    }
    position->at[3] += misread == MISREAD_BATCH_BY_ONE ? 1 : map->estride[map->rank - 1];
}

// Where the first byte of a pixel lies in global memory; 0 if the pixel is out of bounds.
static bool place_of(const struct test_store *t, int misread, const struct position *position, uint64_t *offset)
{
    const struct tensormap *map = &t->map;
    int first = !is_interleaved(map), inner = first ? 0 : map->rank - 2, last = map->rank - 1;
    int64_t n = position->at[3], images = (int64_t)map->dim[last];
    if (misread == MISREAD_IMAGES_REPEAT) n %= images;
    if (n >= images) return false;
    if (!first && t->coord[inner] >= (int64_t)map->dim[inner] && misread != MISREAD_SLICES_UNBOUNDED) return false;
    *offset =
        map->address - GMEM_BASE + (uint64_t)t->coord[inner] * map->stride[inner] + (uint64_t)n * map->stride[last];
    for (int k = 0; k < map->rank - 2; k++) {
        if (position->at[k] >= (int64_t)map->dim[first + k]) return false;
        *offset += (uint64_t)position->at[k] * map->stride[first + k];
    }
    return true;
}

static uint32_t shared_of(const struct test_store *t, int misread, uint32_t offset)
{
    uint32_t at = t->shared + offset, pattern = misread == MISREAD_SWIZZLE_OF_THE_COLUMN ? offset : at;
    uint32_t swizzle = t->map.swizzle, mask = swizzle == SWIZZLE_NONE ? 0 : spans[swizzle] / 16 - 1;
    return misread == MISREAD_SWIZZLE_IGNORED ? at : at ^ ((pattern >> 7 & mask) << 4);
}

static void put(const struct test_store *t, int misread, uint8_t *to, uint32_t from, uint32_t bytes)
{
    const struct tensormap *map = &t->map;
    const uint8_t *source = t->source + (from - SMEM_BASE);
    if (t->op >= 0) {
        reduce_apply((enum reduce_op)t->op, map->dtype, to, source, bytes / dtype_row(map->dtype)->size_bytes);
        return;
    }
    memcpy(to, source, bytes);
    for (uint32_t i = 1; i < bytes && misread == MISREAD_STORE_ROUNDS_TF32 && dtype_row(map->dtype)->is_tf32; i += 4)
        to[i] &= 0xe0;
}

static void put_pixel(const struct test_store *t, int misread, uint8_t *to, uint32_t offset, uint32_t bytes)
{
    const struct tensormap *map = &t->map;
    uint32_t element = dtype_row(map->dtype)->size_bytes;
    int64_t left = ((int64_t)map->dim[0] - t->coord[0]) * element;
    for (uint32_t at = 0; at < bytes; at += PIECE_BYTES) {
        int64_t in = is_interleaved(map) || misread == MISREAD_CHANNELS_UNBOUNDED ? PIECE_BYTES : left - at;
        if (in <= 0) continue;
        if (in > PIECE_BYTES || misread != MISREAD_CHANNELS_BY_ELEMENT) in = PIECE_BYTES;
        put(t, misread, to + at, shared_of(t, misread, offset + at), (uint32_t)in);
    }
}

static void oracle(const struct test_store *t, int misread, uint8_t *memory)
{
    const struct tensormap *map = &t->map;
    int first = !is_interleaved(map);
    uint32_t bytes = first ? map->box[0] * dtype_row(map->dtype)->size_bytes : 16u * map->interleave, pitch = bytes;
    if (first && map->swizzle != SWIZZLE_NONE && misread != MISREAD_PIXELS_PACKED) pitch = spans[map->swizzle];
    struct position position = {.at = {[3] = t->coord[map->rank - 1]}};
    for (int k = 0; k < map->rank - 2; k++) position.at[k] = t->coord[first + k];
    for (uint32_t p = 0; p < map->pixels; p++) {
        uint64_t offset;
        if (place_of(t, misread, &position, &offset) && offset < GMEM_BYTES - 256)
            put_pixel(t, misread, memory + offset, p * pitch, bytes);
        step(t, misread, &position);
    }
}

static enum rule run_model(const struct test_store *t, uint8_t *memory)
{
    const struct memory global = {memory, GMEM_BASE, GMEM_BYTES};
    const struct memory shared = {(uint8_t *)t->source, SMEM_BASE, SMEM_BYTES};
    if (t->op < 0) return im2col_store(&t->map, t->map.rank, t->coord, &global, &shared, t->shared, NULL);
    return im2col_reduce((enum reduce_op)t->op, &t->map, t->map.rank, t->coord, &global, &shared, t->shared, NULL);
}

static int has_tail(const struct test_store *t)
{
    return !is_interleaved(&t->map) && t->map.dim[0] * t->map.stride[0] % PIECE_BYTES != 0;
}

static int has_slices(const struct test_store *t)
{
    return is_interleaved(&t->map);
}

TEST(im2col_store_walk__is_that_of_a_load)
{
    compare(is_store);
    compare(is_reduction);
    compare(has_slices);
}

TEST(store_granule__of_channels)
{
    compare(has_tail);
}

// 3 x 2 pixels of 5 floats, the last column cut off by the upper corner: from (1, 0) on the column visits (1, 0), (0,
// 1), (1, 1), then the next image, which is the last.
TEST(im2col_store_walk__worked_example)
{
    static const uint64_t offsets[] = {32, 96, 128, 192, 224, 288, 320};
    static uint8_t memory[GMEM_BYTES], expected[GMEM_BYTES];
    struct test_store *t = store_of(0);
    t->map = (struct tensormap){.mode = TENSORMAP_IM2COL,
                                .rank = 4,
                                .dtype = DTYPE_FLOAT32,
                                .swizzle = SWIZZLE_64B,
                                .address = GMEM_BASE,
                                .dim = {5, 3, 2, 2},
                                .stride = {4, 32, 96, 192},
                                .box = {12},
                                .pixels = 12,
                                .upper = {-1, 0},
                                .estride = {1, 1, 1, 1}};
    memcpy(t->coord, (int32_t[]){0, 1, 0, 0}, 4 * sizeof t->coord[0]);
    t->op = -1, t->shared = SMEM_BASE;
    memcpy(memory, t->before, GMEM_BYTES);
    memcpy(expected, t->before, GMEM_BYTES);
    for (uint32_t p = 0; p < 7; p++) // two pieces a pixel, pixels 64 bytes apart, bits 5..4 ^= bits 8..7
        for (uint32_t piece = 0; piece < 2; piece++)
            memcpy(expected + offsets[p] + 16 * piece, t->source + ((64 * p + 16 * piece) ^ (p / 2 % 4 * 16)), 16);
    ck_assert_int_eq(run_model(t, memory), RULE_OK);
    ck_assert_mem_eq(memory, expected, GMEM_BYTES);
}

LOOP_TEST(im2col_store_cases_notice_misread_rules, 1, MISREADS)
{
    check_notices(_i);
}
