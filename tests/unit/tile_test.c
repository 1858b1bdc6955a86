// SPDX-License-Identifier: MIT
// The suite `tile`: the walk of a box, compared with an oracle that asks every element where it lies. The oracle can
// be told to misread a rule; the vectors must notice each misreading. What is copied is tested in copy_test.c.
#include "chunks.h"
#include "tile.h"

#include <stdlib.h>
#include <string.h>

#include "slow_vectors.h"

TEST_FILE(.seconds = 120);

#define TWO(n) ((uint64_t)1 << (n))
enum { ELEMENTS_MAX = 1 << 17, CHUNKS = 4, CASES_PER_CHUNK = 1500 };
static const uint64_t SEED = 0x711e;

// --- Vectors ---------------------------------------------------------------------------------------------------------

// `stride` is globalStrides; the expected sizes are in bytes.
static const struct vector {
    const char *why;
    enum dtype dtype;
    int rank, interleave, swizzle;
    uint64_t dim[5], stride[4];
    uint32_t box[5], estride[5];
    int32_t coord[5];
    uint64_t rows, pitch, row_bytes;
} vectors[] = {
    // clang-format off
    {"one row", DTYPE_UINT8, 1, 0, 0, {100}, {0}, {64}, {1}, {16}, 1, 64, 64},
    {"rows that touch, all in bounds",
     DTYPE_UINT32, 2, 0, 0, {16, 40}, {64}, {16, 8}, {1, 1}, {0, 4}, 8, 64, 64},
    {"rows that touch, past the last row",
     DTYPE_UINT32, 2, 0, 0, {16, 10}, {64}, {16, 8}, {1, 1}, {0, 4}, 8, 64, 64},
    {"rows that touch, before the first row",
     DTYPE_UINT32, 3, 0, 0, {16, 3, 9}, {64, 512}, {16, 8, 2}, {1, 1, 1}, {0, -2, 1}, 16, 64, 64},
    {"rows that touch, cut on the right",
     DTYPE_UINT32, 2, 0, 0, {15, 40}, {64}, {16, 8}, {1, 1}, {0, 4}, 8, 64, 64},
    {"rows that touch, wholly to the left",
     DTYPE_UINT32, 2, 0, 0, {16, 40}, {64}, {16, 8}, {1, 1}, {-16, 4}, 8, 64, 64},
    {"every second row; they touch",
     DTYPE_UINT16, 3, 0, 0, {64, 40, 3}, {32, 128}, {32, 7, 3}, {1, 2, 2}, {8, -1, 0}, 8, 64, 64},
    {"stride 2 of dimension 1, rows do not touch",
     DTYPE_UINT16, 2, 0, 0, {64, 40}, {64}, {32, 8}, {1, 2}, {8, 2}, 4, 64, 64},
    {"7 by steps of 3 are 3", DTYPE_UINT16, 2, 0, 0, {64, 8}, {128}, {16, 7}, {1, 3}, {0, 2}, 3, 32, 32},
    {"element stride 3 of dimension 0 is nothing without pixels",
     DTYPE_UINT16, 2, 0, 0, {64, 8}, {128}, {16, 2}, {3, 1}, {8, 2}, 2, 32, 32},
    {"a short row in a span of 128",
     DTYPE_UINT8, 2, 0, 3, {48, 9}, {48}, {48, 4}, {1, 1}, {0, 1}, 4, 128, 48},
    {"a full row of a span of 32", DTYPE_FLOAT64, 2, 0, 1, {4, 9}, {32}, {4, 4}, {1, 1}, {0, 1}, 4, 32, 32},
    {"no swizzle, no span", DTYPE_UINT8, 2, 0, 0, {48, 9}, {48}, {48, 4}, {1, 1}, {16, 1}, 4, 48, 48},
    {"overlapping and zero strides",
     DTYPE_UINT32, 3, 0, 0, {16, 8, 8}, {0, 16}, {16, 3, 3}, {1, 1, 1}, {0, 2, 1}, 9, 64, 64},
    {"rank 5, falling strides, out on every side",
     DTYPE_UINT8, 5, 0, 0, {40, 3, 4, 3, 5}, {80000, 8000, 800, 80}, {32, 4, 5, 2, 3}, {1, 2, 2, 1, 1},
     {16, -1, 2, 2, -1}, 36, 32, 32},
    {"stride of 40 bits, dimension of 2^31",
     DTYPE_FLOAT32, 2, 0, 0, {TWO(31), TWO(31)}, {TWO(40) - 16}, {4, 4}, {1, 8}, {0x7ffffffc, 0x7ffffff0}, 1, 16, 16},
    {"the greatest coordinates", DTYPE_UINT8, 2, 0, 0, {TWO(31), TWO(32)}, {128}, {64, 9}, {1, 8},
     {0x7ffffff0, INT32_MAX}, 2, 64, 64},
    {"the least coordinates", DTYPE_UINT8, 2, 0, 0, {TWO(32), TWO(32)}, {128}, {64, 9}, {1, 8},
     {INT32_MIN, INT32_MIN}, 2, 64, 64},
    {"pixels of 16, the slice's box of 3 is one",
     DTYPE_UINT16, 3, 1, 0, {12, 6, 5}, {256, 2048}, {8, 3, 2}, {1, 2, 1}, {3, 2, 1}, 2, 128, 128},
    {"every third pixel, some to the left",
     DTYPE_UINT8, 3, 1, 3, {12, 6, 5}, {256, 2048}, {16, 1, 2}, {3, 1, 1}, {-4, 2, 1}, 2, 96, 96},
    {"pixels of 32 in a span of 128 are packed",
     DTYPE_FLOAT32, 5, 2, 3, {6, 4, 3, 5, 2}, {192, 1024, 4096, 20480}, {4, 3, 2, 4, 2}, {1, 1, 1, 4, 1},
     {-2, 1, 1, 2, 0}, 12, 128, 128},
    {"a slice out of bounds", DTYPE_UINT8, 3, 2, 1, {6, 5, 8}, {256, 2048}, {16, 1, 2}, {1, 1, 1}, {0, 5, 6}, 2, 512,
     512},
    // clang-format on
};
enum { VECTORS = ROWS_OF(vectors) };

static struct tensormap map_of(const struct vector *vector)
{
    struct tensormap map = {.rank = vector->rank,
                            .dtype = vector->dtype,
                            .interleave = (enum tensormap_interleave)vector->interleave,
                            .swizzle = (enum tensormap_swizzle)vector->swizzle,
                            .address = 0x700000000};
    memcpy(map.dim, vector->dim, sizeof map.dim);
    memcpy(map.box, vector->box, sizeof map.box);
    memcpy(map.estride, vector->estride, sizeof map.estride);
    map.stride[0] = tensormap_step_bytes(&map);
    for (int i = 1; i < map.rank; i++) map.stride[i] = vector->stride[i - 1];
    return map;
}

// --- The oracle: element by element ----------------------------------------------------------------------------------

struct element {
    bool is_fill;
    uint32_t offset;
    uint64_t address;
};

enum mutant {
    RIGHT,
    STEPS_ROUNDED_DOWN,
    STEPS_ARE_THE_BOX,
    STEP_IS_ONE_ELEMENT,
    INNER_STRIDE_PICKS_ELEMENTS,
    PIXEL_STRIDE_IGNORED,
    SLICE_HAS_A_BOX,
    SLICE_IS_THE_LAST_DIMENSION,
    SLICE_IS_NEVER_OUT,
    PIXEL_IS_AN_ELEMENT,
    BOUND_IS_INCLUSIVE,
    NEGATIVE_IS_IN_BOUNDS,
    BOUND_OF_32_BITS,
    INDEX_OF_32_BITS,
    FIRST_ELEMENT_DECIDES,
    ONLY_INNER_IS_BOUNDED,
    STRIDE_OF_32_BITS,
    STRIDE_OF_DIMENSION_BELOW,
    ZERO_STRIDE_IS_PACKED,
    PITCH_IS_THE_ROW,
    PITCH_IS_128,
    PIXELS_HAVE_SPANS,
    MUTANTS
};

static uint32_t oracle_element_bytes(enum mutant mutant, const struct tensormap *map)
{
    static const uint32_t bytes[DTYPE_COUNT] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    if (map->interleave == INTERLEAVE_NONE || mutant == PIXEL_IS_AN_ELEMENT) return bytes[map->dtype];
    return map->interleave == INTERLEAVE_16B ? 16 : 32;
}

// What one step along dimension i adds to the index.
static uint32_t oracle_stride(enum mutant mutant, const struct tensormap *map, int i)
{
    bool is_pixel = map->interleave != INTERLEAVE_NONE;
    if (mutant == STEP_IS_ONE_ELEMENT && i > 0) return 1;
    if (i == 0 && !is_pixel) return mutant == INNER_STRIDE_PICKS_ELEMENTS ? map->estride[0] : 1;
    return i == 0 && mutant == PIXEL_STRIDE_IGNORED ? 1 : map->estride[i];
}

static uint32_t oracle_steps(enum mutant mutant, const struct tensormap *map, int i)
{
    uint32_t by = oracle_stride(mutant, map, i), steps = 0;
    int slice = mutant == SLICE_IS_THE_LAST_DIMENSION ? map->rank - 1 : map->rank - 2;
    if (map->interleave != INTERLEAVE_NONE && i == slice && mutant != SLICE_HAS_A_BOX) return 1;
    if (mutant == STEPS_ROUNDED_DOWN) return map->box[i] / by > 0 ? map->box[i] / by : 1;
    if (mutant == STEPS_ARE_THE_BOX) return map->box[i];
    for (uint32_t at = 0; at < map->box[i]; at += by) steps++;
    return steps;
}

static bool oracle_is_out(enum mutant mutant, const struct tensormap *map, int i, int64_t index)
{
    int64_t dim = (int64_t)map->dim[i];
    if (mutant == SLICE_IS_NEVER_OUT && map->interleave != INTERLEAVE_NONE && i == map->rank - 2) return false;
    if (mutant == ONLY_INNER_IS_BOUNDED && i > 0) return false;
    if (mutant == BOUND_IS_INCLUSIVE) return index < 0 || index > dim;
    if (mutant == NEGATIVE_IS_IN_BOUNDS) return index >= dim;
    if (mutant == BOUND_OF_32_BITS) return index < 0 || index >= (int32_t)dim;
    if (mutant == INDEX_OF_32_BITS) return (int32_t)index < 0 || (int32_t)index >= dim;
    return index < 0 || index >= dim;
}

static uint64_t oracle_stride_bytes(enum mutant mutant, const struct tensormap *map, int i)
{
    if (i > 0 && mutant == STRIDE_OF_32_BITS) return (uint32_t)map->stride[i];
    if (i > 0 && mutant == STRIDE_OF_DIMENSION_BELOW) return map->stride[i - 1];
    if (mutant == ZERO_STRIDE_IS_PACKED && map->stride[i] == 0) return map->stride[i - 1] * map->dim[i - 1];
    return map->stride[i];
}

static uint32_t oracle_pitch(enum mutant mutant, const struct tensormap *map, uint32_t row_bytes)
{
    uint32_t span = map->swizzle == SWIZZLE_NONE ? 0 : 16u << map->swizzle;
    if (map->interleave != INTERLEAVE_NONE && mutant != PIXELS_HAVE_SPANS) span = 0;
    if (mutant == PITCH_IS_THE_ROW) span = 0;
    if (mutant == PITCH_IS_128) span = 128;
    return row_bytes < span ? span : row_bytes;
}

// All elements of the box, in the order of shared memory; returns how many.
static uint32_t oracle(enum mutant mutant, const struct tensormap *map, const int32_t *coord, struct element *elements)
{
    uint32_t steps[5] = {1, 1, 1, 1, 1}, step[5] = {0}, count = 1;
    for (int i = 0; i < map->rank; i++) count *= steps[i] = oracle_steps(mutant, map, i);
    if (count > ELEMENTS_MAX) return 0;
    uint32_t bytes = oracle_element_bytes(mutant, map), pitch = oracle_pitch(mutant, map, steps[0] * bytes);
    for (uint32_t n = 0; n < count; n++) {
        struct element *element = &elements[n];
        *element = (struct element){false, n / steps[0] * pitch + n % steps[0] * bytes, map->address};
        for (int i = 0; i < map->rank; i++) {
            int64_t index = coord[i] + (int64_t)step[i] * oracle_stride(mutant, map, i);
            if (mutant == FIRST_ELEMENT_DECIDES && i == 0) index = coord[0];
            element->is_fill |= oracle_is_out(mutant, map, i, index);
            element->address += (uint64_t)index * oracle_stride_bytes(mutant, map, i);
        }
        for (int i = 0; i < map->rank && ++step[i] == steps[i]; i++) step[i] = 0;
    }
    return count;
}

// --- The walk against the oracle -------------------------------------------------------------------------------------

// The runs of `tile` as elements of `bytes` bytes; fails unless they rise, do not overlap and do not leave the rows.
static uint32_t walked(const struct tile *tile, uint32_t bytes, struct element *elements)
{
    struct tile_walk walk = tile_walk(tile);
    uint32_t count = 0, past = 0;
    for (struct tile_run run; tile_next(&walk, &run);) {
        if (run.offset < past || run.bytes == 0 || run.bytes % bytes != 0)
            ck_abort_msg("a run of %u bytes at %u after one that ends at %u", run.bytes, run.offset, past);
        if (run.bytes > tile->row_bytes) ck_assert_uint_eq(tile->pitch_bytes, tile->row_bytes);
        past = run.offset + run.bytes;
        for (uint32_t at = 0; at < run.bytes && count < ELEMENTS_MAX; at += bytes)
            elements[count++] = (struct element){run.is_fill, run.offset + at, run.address + at};
    }
    struct tile_run run;
    ck_assert_int_eq(tile_next(&walk, &run), 0);
    ck_assert_uint_le(past, tile_extent_bytes(tile));
    return count;
}

// The same in bigger steps.
static uint32_t walked_rows(const struct tile *tile, uint32_t bytes, struct element *elements)
{
    struct tile_walk walk = tile_walk(tile);
    struct tile_run run;
    uint32_t count = 0;
    for (uint32_t rows; (rows = tile_next_rows(&walk, &run)) > 0;)
        for (uint32_t row = 0; row < rows; row++)
            for (uint32_t at = 0; at < run.bytes && count < ELEMENTS_MAX; at += bytes)
                elements[count++] = (struct element){run.is_fill, run.offset + row * tile->pitch_bytes + at,
                                                     run.address + row * tile->row_step_bytes + at};
    return count;
}

// From the row of an element on, the walk is the rest of the whole walk.
static void require_rest(const char *why, const struct tile *tile, const struct element *element)
{
    struct tile_walk walk = tile_walk_from(tile, element->offset / tile->pitch_bytes);
    struct tile_run run;
    do ck_assert_msg(tile_next(&walk, &run), "%s: no run at %u", why, element->offset);
    while (run.offset + run.bytes <= element->offset);
    ck_assert_msg(run.offset <= element->offset && run.is_fill == element->is_fill, "%s: %u", why, run.offset);
    if (!run.is_fill) ck_assert_uint_eq(run.address + (element->offset - run.offset), element->address);
}

static bool is_same(const struct element *a, const struct element *b)
{
    return a->is_fill == b->is_fill && a->offset == b->offset && (a->is_fill || a->address == b->address);
}

static void require_same(const char *why, const struct element *a, uint32_t a_count, const struct element *b,
                         uint32_t b_count)
{
    ck_assert_msg(a_count == b_count, "%s: %u elements, not %u", why, a_count, b_count);
    uint32_t i = 0;
    while (i < a_count && is_same(&a[i], &b[i])) i++;
    if (i == a_count) return;
    ck_abort_msg("%s: element %u: fill %d offset %u address %llx, not %d %u %llx", why, i, a[i].is_fill, a[i].offset,
                 (unsigned long long)a[i].address, b[i].is_fill, b[i].offset, (unsigned long long)b[i].address);
}

static struct element expected[ELEMENTS_MAX], found[ELEMENTS_MAX], unjoined[ELEMENTS_MAX];

// Returns 1 if rows were joined.
static int compare(const char *why, const struct tensormap *map, const int32_t *coord)
{
    uint32_t bytes = oracle_element_bytes(RIGHT, map), count = oracle(RIGHT, map, coord, expected);
    struct tile tile = tile_of(map, coord), apart = tile;
    if (count == 0) return 0;
    require_same(why, found, walked(&tile, bytes, found), expected, count);
    apart.rows_touch = 0;
    require_same(why, unjoined, walked(&apart, bytes, unjoined), found, count);
    require_same(why, unjoined, walked_rows(&tile, bytes, unjoined), found, count);
    require_same(why, unjoined, walked_rows(&apart, bytes, unjoined), found, count);
    for (uint32_t i = 0; i < count; i += count / 3 + 1) require_rest(why, &apart, &expected[i]);
    ck_assert_uint_eq(tile_transaction_bytes(&tile), (uint64_t)count * bytes);
    ck_assert_uint_eq(tile_extent_bytes(&tile), expected[count - 1].offset + bytes);
    return tile.rows_touch;
}

LOOP_TEST(tile_address__vectors_lie_where_each_element_does, 0, VECTORS)
{
    const struct tensormap map = map_of(&vectors[_i]);
    compare(vectors[_i].why, &map, vectors[_i].coord);
}

LOOP_TEST(tile_bounds__random_boxes_lie_where_each_element_does, 0, chunks_of(CHUNKS))
{
    struct slow_random random = {SEED + (uint64_t)_i};
    int joined = 0, joined_out = 0;
    for (int i = 0; i < CASES_PER_CHUNK; i++) {
        struct slow_tile load;
        slow_generate_load(&random, &load);
        if (slow_chance(&random, 30) && load.map.rank > 1 && load.map.interleave == INTERLEAVE_NONE) {
            load.map.swizzle = SWIZZLE_NONE; // rows that touch
            load.map.stride[1] = load.map.box[0] * load.map.stride[0], load.map.estride[1] = 1;
        }
        int is_joined = compare("random", &load.map, load.coord);
        joined += is_joined, joined_out += is_joined && (load.coord[1] < 0 || load.coord[0] < 0);
    }
    ck_assert_msg(joined > CASES_PER_CHUNK / 50 && joined_out > 0, "seed %llx chunk %d: %d boxes with rows that touch",
                  (unsigned long long)SEED, _i, joined);
}

LOOP_TEST(tile_vectors_notice_each_misread_rule, 1, MUTANTS)
{
    for (int i = 0; i < VECTORS; i++) {
        const struct tensormap map = map_of(&vectors[i]);
        uint32_t right = oracle(RIGHT, &map, vectors[i].coord, expected);
        uint32_t wrong = oracle((enum mutant)_i, &map, vectors[i].coord, found);
        if (right != wrong) return;
        for (uint32_t n = 0; n < right; n++)
            if (!is_same(&expected[n], &found[n])) return;
    }
    ck_abort_msg("no vector notices misreading %d", _i);
}

// --- Sizes -----------------------------------------------------------------------------------------------------------

LOOP_TEST(tile_pitch__is_the_row_or_the_span, 0, VECTORS)
{
    const struct tensormap map = map_of(&vectors[_i]);
    const struct tile tile = tile_of(&map, vectors[_i].coord);
    ck_assert_msg(tile.pitch_bytes == vectors[_i].pitch, "%s: %u", vectors[_i].why, tile.pitch_bytes);
    ck_assert_msg(tile.row_bytes == vectors[_i].row_bytes, "%s: %u", vectors[_i].why, tile.row_bytes);
}

LOOP_TEST(tile_steps__are_rounded_up, 0, VECTORS)
{
    const struct tensormap map = map_of(&vectors[_i]);
    const struct tile tile = tile_of(&map, vectors[_i].coord);
    ck_assert_msg(tile.rows == vectors[_i].rows, "%s: %llu rows", vectors[_i].why, (unsigned long long)tile.rows);
    for (int i = 0; i < map.rank; i++) ck_assert_uint_eq(tile.steps[i], oracle_steps(RIGHT, &map, i));
}

LOOP_TEST(tile_tx_bytes__counts_the_box_and_no_gaps, 0, VECTORS)
{
    const struct tensormap map = map_of(&vectors[_i]);
    const struct tile tile = tile_of(&map, vectors[_i].coord);
    uint64_t expected_bytes = vectors[_i].rows * vectors[_i].row_bytes;
    ck_assert_msg(tile_transaction_bytes(&tile) == expected_bytes, "%s", vectors[_i].why);
}

TEST(tile_tx_bytes__of_2_32_rows_does_not_wrap)
{
    const struct tensormap map = {.rank = 5,
                                  .dtype = DTYPE_FLOAT32,
                                  .dim = {4, 256, 256, 256, 256},
                                  .stride = {4, 16, 16, 16, 16},
                                  .box = {4, 256, 256, 256, 256},
                                  .estride = {8, 1, 1, 1, 1}};
    const int32_t coord[5] = {0};
    const struct tile tile = tile_of(&map, coord);
    ck_assert_uint_eq(tile.rows, TWO(32));
    ck_assert_uint_eq(tile_transaction_bytes(&tile), TWO(36));
    ck_assert_uint_eq(tile_extent_bytes(&tile), TWO(36));
}

// How many steps a walk takes, and how many of its runs are rows, or parts of rows, in bounds.
static uint64_t steps_of_walk(const struct tile *tile, uint64_t *inside)
{
    struct tile_walk walk = tile_walk(tile);
    struct tile_run run;
    uint64_t steps = 0, bytes = 0;
    *inside = 0;
    for (uint32_t alike; (alike = tile_next_rows(&walk, &run)) > 0; steps++) {
        if (!run.is_fill) *inside += alike;
        bytes += (uint64_t)alike * run.bytes;
        ck_assert_uint_lt(steps, 100000);
    }
    ck_assert_uint_eq(bytes, tile_transaction_bytes(tile));
    return steps;
}

// Boxes of up to 2^32 rows that are out of bounds but for a few: the work is that of the few, and of 2 GiB at a time.
TEST(tile_bounds__rows_outside_are_passed_in_bulk)
{
    static const int32_t starts[] = {0, -255, -7, 1 << 30, 2, -1000};
    static const uint32_t strides[] = {1, 8, 3};
    const uint64_t inner[] = {2, 1, 2}, lines = TWO(36) / INT32_MAX + 1;
    uint64_t most = 0;
    for (int i = 0; i < 6 * 6 * 6 * 3 * 4; i++) {
        struct tensormap map = {.rank = 5, .dtype = DTYPE_FLOAT64, .box = {2, 256, 256, 256, 256}};
        int32_t coord[5] = {i % 5 == 0 ? -2 : 0, starts[i % 6], starts[i / 6 % 6], starts[i / 36 % 6], 0};
        for (int k = 0; k < 5; k++) {
            map.dim[k] = k == 0 ? inner[i % 3] : 1 + (uint64_t)(i / 648) % 4;
            map.stride[k] = k == 0 ? 8 : 16;
            map.estride[k] = strides[i / 216 % 3];
        }
        uint64_t inside;
        const struct tile tile = tile_of(&map, coord);
        uint64_t steps = steps_of_walk(&tile, &inside);
        ck_assert_msg(steps <= 8 * inside + 4 * lines, "case %d: %llu steps for %llu rows", i,
                      (unsigned long long)steps, (unsigned long long)inside);
        if (inside > most) most = inside;
    }
    ck_assert_uint_ge(most, 64);
}

LOOP_TEST(tile_inner_stride__counts_in_pixels_only, 1, 9)
{
    struct tensormap map = {.rank = 3,
                            .dtype = DTYPE_UINT16,
                            .dim = {64, 64, 64},
                            .stride = {2, 128, 8192},
                            .box = {16, 1, 1},
                            .estride = {(uint32_t)_i, 1, 1}};
    const int32_t coord[5] = {0};
    ck_assert_uint_eq(tile_of(&map, coord).row_bytes, 32);
    map.interleave = INTERLEAVE_16B;
    ck_assert_uint_eq(tile_of(&map, coord).row_bytes, 16 * ((16 + (uint32_t)_i - 1) / (uint32_t)_i));
    map.interleave = INTERLEAVE_32B;
    ck_assert_uint_eq(tile_of(&map, coord).row_bytes, 32 * ((16 + (uint32_t)_i - 1) / (uint32_t)_i));
}

LOOP_TEST(tile_interleave__takes_one_slice, 3, 6)
{
    struct tensormap map = {.rank = _i,
                            .interleave = INTERLEAVE_16B,
                            .dim = {64, 64, 64, 64, 64},
                            .stride = {16, 1024, 4096, 4096, 4096},
                            .box = {4, 8, 8, 8, 8},
                            .estride = {1, 2, 2, 2, 2}};
    const int32_t coord[5] = {0};
    const struct tile tile = tile_of(&map, coord);
    for (int i = 1; i < _i; i++) ck_assert_uint_eq(tile.steps[i], i == _i - 2 ? 1 : 4);
}
