// SPDX-License-Identifier: MIT
// The suite `copy`: the bytes that a tiled load writes, and those around them that it leaves alone: swizzles, gaps,
// fills, TF32. Where elements lie is tested in tile_test.c, faults in load_fault_test.c.
#include "copy.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "swizzle.h"

enum { GMEM_BYTES = 16384, SMEM_BYTES = 8192, SMEM_BASE = 0x400, UNTOUCHED = 0xa5 };
#define GMEM_BASE 0x500000000u

static uint8_t gmem[GMEM_BYTES], smem[SMEM_BYTES];

// Bytes that tell where they come from, and are never UNTOUCHED.
static void fill_gmem(void)
{
    for (uint32_t i = 0; i < GMEM_BYTES; i++) {
        gmem[i] = (uint8_t)((i ^ i >> 8) * 37 + (i >> 4));
        if (gmem[i] == UNTOUCHED) gmem[i] = 0x5a;
    }
}

// A tensor of 2 dimensions that fills global memory, in rows of `row` bytes.
static struct tensormap map_of(enum dtype dtype, uint64_t row, enum tensormap_swizzle swizzle)
{
    uint32_t bytes = dtype_row(dtype)->size_bytes;
    return (struct tensormap){.rank = 2,
                              .dtype = dtype,
                              .swizzle = swizzle,
                              .address = GMEM_BASE,
                              .dim = {row / bytes, GMEM_BYTES / row},
                              .stride = {bytes, row},
                              .box = {16 / bytes, 1},
                              .estride = {1, 1}};
}

// Loads into untouched shared memory; `shared` is an address, the box ends before the end of it.
static uint32_t load(const struct tensormap *map, int32_t x, int32_t y, uint32_t shared)
{
    const struct memory global_memory = {gmem, GMEM_BASE, GMEM_BYTES}, shared_memory = {smem, SMEM_BASE, SMEM_BYTES};
    const int32_t coord[2] = {x, y};
    uint32_t bytes = 0;
    memset(smem, UNTOUCHED, sizeof smem);
    ck_assert_int_eq(tile_load(map, map->rank, coord, &global_memory, &shared_memory, shared, &bytes, NULL), RULE_OK);
    return bytes;
}

// --- Swizzles --------------------------------------------------------------------------------------------------------

// The chunk of 16 bytes that chunk 0 of a 128-byte line goes to, line by line; chunk c goes to c XOR it.
static const uint32_t chunks[][8] = {
    [SWIZZLE_NONE] = {0, 0, 0, 0, 0, 0, 0, 0},
    [SWIZZLE_32B] = {0, 1, 0, 1, 0, 1, 0, 1},
    [SWIZZLE_64B] = {0, 1, 2, 3, 0, 1, 2, 3},
    [SWIZZLE_128B] = {0, 1, 2, 3, 4, 5, 6, 7},
};

static uint32_t swizzled(enum tensormap_swizzle swizzle, uint32_t address)
{
    uint32_t line = address / 128, chunk = address / 16 % 8 ^ chunks[swizzle][line % 8];
    return line * 128 + chunk * 16 + address % 16;
}

// A load of `rows` rows of `row_bytes` to `shared`, byte by byte, and nothing else is touched.
static void check_load(enum tensormap_swizzle swizzle, uint32_t row_bytes, uint32_t rows, uint32_t shared)
{
    static uint8_t expected[SMEM_BYTES];
    struct tensormap map = map_of(DTYPE_UINT8, 256, swizzle);
    map.box[0] = row_bytes, map.box[1] = rows;
    uint32_t span = swizzle == SWIZZLE_NONE ? 0 : 16u << swizzle, pitch = row_bytes > span ? row_bytes : span;
    memset(expected, UNTOUCHED, sizeof expected);
    for (uint32_t y = 0; y < rows; y++)
        for (uint32_t x = 0; x < row_bytes; x++)
            expected[swizzled(swizzle, shared + y * pitch + x) - SMEM_BASE] = gmem[(y + 3) * 256 + x + 16];
    ck_assert_uint_eq(load(&map, 16, 3, shared), rows * row_bytes);
    uint32_t i = 0;
    while (i < SMEM_BYTES && smem[i] == expected[i]) i++;
    if (i == SMEM_BYTES) return;
    ck_abort_msg("swizzle %d, rows of %u to %x: byte %x is %02x, not %02x", (int)swizzle, row_bytes, shared,
                 SMEM_BASE + i, smem[i], expected[i]);
}

// All row lengths, some numbers of rows (lines are cut anywhere), from every line of the pattern on.
static void check_swizzle(enum tensormap_swizzle swizzle)
{
    uint32_t most = swizzle == SWIZZLE_NONE ? 240 : 16u << swizzle;
    for (uint32_t address = 0; address < 8192; address++)
        ck_assert_uint_eq(swizzle_apply(swizzle, address), swizzled(swizzle, address));
    fill_gmem();
    for (uint32_t line = 0; line < 8; line++)
        for (uint32_t row_bytes = 16; row_bytes <= most; row_bytes += 16) {
            check_load(swizzle, row_bytes, 1, SMEM_BASE + line * 128);
            check_load(swizzle, row_bytes, 11, SMEM_BASE + line * 128);
        }
}

TEST_CALL(swizzle_none__leaves_addresses, check_swizzle(SWIZZLE_NONE))
TEST_CALL(swizzle_32b__moves_bit_7, check_swizzle(SWIZZLE_32B))
TEST_CALL(swizzle_64b__moves_bits_8_and_7, check_swizzle(SWIZZLE_64B))
TEST_CALL(swizzle_128b__moves_bits_9_to_7, check_swizzle(SWIZZLE_128B))

TEST(swizzle_absolute__a_box_may_start_in_mid_pattern)
{
    struct tensormap map = map_of(DTYPE_UINT8, 256, SWIZZLE_128B);
    map.box[0] = 128;
    fill_gmem();
    for (uint32_t line = 0; line < 8; line++) {
        load(&map, 0, 0, SMEM_BASE + line * 128);
        ck_assert_mem_eq(smem + line * 128 + line * 16, gmem, 16); // SMEM_BASE is a multiple of 1024
    }
}

static uint32_t xor_of_box(int mode, uint32_t address)
{
    return address ^ ((address - 0x480) >> 7 & ((1u << mode) - 1)) << 4;
}

static uint32_t xor_of_one_bit_more(int mode, uint32_t address)
{
    return address ^ (address >> 7 & ((2u << mode) - 1)) << 4;
}

static uint32_t xor_of_bit_8_on(int mode, uint32_t address)
{
    return address ^ (address >> 8 & ((1u << mode) - 1)) << 4;
}

static uint32_t xor_onto_bit_5(int mode, uint32_t address)
{
    return address ^ (address >> 7 & ((1u << mode) - 1)) << 5;
}

static uint32_t rotated(int mode, uint32_t address)
{
    uint32_t chunk = (address / 16 + (address >> 7 & ((1u << mode) - 1))) % 8;
    return address / 128 * 128 + chunk * 16 + address % 16;
}

static uint32_t (*const wrong_swizzles[])(int mode, uint32_t address) = {xor_of_box, xor_of_one_bit_more,
                                                                         xor_of_bit_8_on, xor_onto_bit_5, rotated};

LOOP_TEST(swizzle_tables_notice_each_wrong_formula, 0, 5)
{
    for (int mode = SWIZZLE_32B; mode <= SWIZZLE_128B; mode++) {
        bool noticed = false;
        for (uint32_t address = SMEM_BASE; address < SMEM_BASE + 2048; address += 16)
            noticed |= wrong_swizzles[_i](mode, address) != swizzled((enum tensormap_swizzle)mode, address);
        ck_assert_msg(noticed, "formula %d passes for mode %d", _i, mode);
    }
}

// --- Fills -----------------------------------------------------------------------------------------------------------

LOOP_TEST(tile_fill_zero__replaces_each_element_out_of_bounds, 0, DTYPE_COUNT)
{
    const enum dtype dtype = (enum dtype)_i;
    struct tensormap map = map_of(dtype, 256, SWIZZLE_64B);
    uint32_t bytes = dtype_row(dtype)->size_bytes, inside = 32 / bytes + 3;
    fill_gmem();
    memset(gmem, 0x3f, 1024); // of which TF32 keeps some bits: its elements are tested below
    map.box[0] = 64 / bytes, map.box[1] = 4;
    map.dim[0] = inside, map.dim[1] = 3;
    ck_assert_uint_eq(load(&map, 0, 0, SMEM_BASE), 256);
    for (uint32_t i = 0; i < 256; i++) {
        uint8_t got = smem[swizzled(SWIZZLE_64B, SMEM_BASE + i) - SMEM_BASE];
        bool is_inside = i % 64 < inside * bytes && i / 64 < 3;
        if (!is_inside || !dtype_row(dtype)->is_tf32) ck_assert_uint_eq(got, is_inside ? 0x3f : 0);
    }
    ck_assert_uint_eq(smem[256], UNTOUCHED);
    ck_assert_uint_eq(oob_fill_pattern(OOB_FILL_ZERO), 0);
}

// As little-endian bytes, over 8 bytes: the pattern has 16 bits whatever the type.
static const struct {
    enum dtype dtype;
    uint64_t element;
} nans[] = {
    {DTYPE_FLOAT16, 0x7ff7},
    {DTYPE_BFLOAT16, 0x7ff7},
    {DTYPE_FLOAT32, 0x7ff77ff7},
    {DTYPE_TFLOAT32, 0x7ff77ff7},
    {DTYPE_TFLOAT32_FTZ, 0x7ff77ff7},
    {DTYPE_FLOAT32_FTZ, 0x7ff77ff7},
    {DTYPE_FLOAT64, 0x7ff77ff77ff77ff7},
};

LOOP_TEST(tile_fill_nan__is_7ff7_in_every_16_bits, 0, 7)
{
    struct tensormap map = map_of(nans[_i].dtype, 256, SWIZZLE_NONE);
    uint32_t bytes = dtype_row(nans[_i].dtype)->size_bytes;
    map.oob_fill = OOB_FILL_NAN_REQUEST_ZERO_FMA;
    map.box[0] = 240 / bytes, map.box[1] = 2;
    fill_gmem();
    load(&map, -(int32_t)(240 / bytes), 0, SMEM_BASE);
    for (uint32_t i = 0; i < 480; i += bytes) ck_assert_mem_eq(smem + i, &nans[_i].element, bytes);
    ck_assert_uint_eq(smem[480], UNTOUCHED);
    load(&map, 16 / (int32_t)bytes, -1, SMEM_BASE); // a row of fill, then one of data
    for (uint32_t i = 0; i < 240; i += bytes) ck_assert_mem_eq(smem + i, &nans[_i].element, bytes);
    if (!dtype_row(nans[_i].dtype)->is_tf32) ck_assert_mem_eq(smem + 240, gmem + 16, 240);
    ck_assert_uint_eq(oob_fill_pattern(OOB_FILL_NAN_REQUEST_ZERO_FMA), 0x7ff7);
}

// --- TF32 ------------------------------------------------------------------------------------------------------------

static const struct {
    const char *why;
    uint32_t bits, rounded;
} floats[] = {
    {"zero", 0x00000000, 0x00000000},
    {"minus zero", 0x80000000, 0x80000000},
    {"one", 0x3f800000, 0x3f800000},
    {"below a tie", 0x3f800fff, 0x3f800000},
    {"a tie to even below", 0x3f801000, 0x3f800000},
    {"above a tie", 0x3f801001, 0x3f802000},
    {"exact, odd", 0x3f802000, 0x3f802000},
    {"a tie to even above", 0x3f803000, 0x3f804000},
    {"below that tie", 0x3f802fff, 0x3f802000},
    {"negative, a tie to even below", 0xbf801000, 0xbf800000},
    {"negative, a tie to even above", 0xbf803000, 0xbf804000},
    {"into the next exponent", 0x3fffffff, 0x40000000},
    {"the least subnormal", 0x00000001, 0x00000000},
    {"a subnormal tie to zero", 0x00001000, 0x00000000},
    {"a subnormal above it", 0x00001001, 0x00002000},
    {"a subnormal tie above", 0x00003000, 0x00004000},
    {"the greatest subnormal", 0x807fffff, 0x80800000},
    {"a subnormal that stays", 0x00400000, 0x00400000},
    {"the greatest that stays finite", 0x7f7fefff, 0x7f7fe000},
    {"a tie to infinity", 0x7f7ff000, 0x7f800000},
    {"the greatest finite", 0xff7fffff, 0xff800000},
    {"infinity", 0x7f800000, 0x7f800000},
    {"minus infinity", 0xff800000, 0xff800000},
    {"the least signalling NaN", 0x7f800001, 0x7fffe000},
    {"a quiet NaN", 0x7fc00000, 0x7fffe000},
    {"a negative NaN", 0xffc12345, 0x7fffe000},
    {"the last NaN", 0xffffffff, 0x7fffe000},
};
enum { FLOATS = ROWS_OF(floats) };

LOOP_TEST(tile_tf32__rounds_to_nearest_even, 0, FLOATS)
{
    ck_assert_msg(tf32_round(floats[_i].bits) == floats[_i].rounded, "%s: %08x", floats[_i].why,
                  tf32_round(floats[_i].bits));
    ck_assert_uint_eq(tf32_round(floats[_i].rounded), floats[_i].rounded);
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

static uint32_t right(uint32_t bits)
{
    if (is_nan(bits)) return 0x7fffe000;
    return (bits & 0x7f800000) == 0x7f800000 ? bits : (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000;
}

#define MUTANT(name, formula)                                                                                          \
    static uint32_t name(uint32_t bits)                                                                                \
    {                                                                                                                  \
        return formula;                                                                                                \
    }
MUTANT(bits_copied, bits)
MUTANT(low_bits_cut, is_nan(bits) ? 0x7fffe000 : bits & 0xffffe000)
MUTANT(ties_away, is_nan(bits) ? 0x7fffe000 : (bits + 0x1000) & 0xffffe000)
MUTANT(ties_down, is_nan(bits) ? 0x7fffe000 : (bits + 0xfff) & 0xffffe000)
MUTANT(ties_odd, is_nan(bits) ? 0x7fffe000 : (bits + 0xfff + (~bits >> 13 & 1)) & 0xffffe000)
MUTANT(rounded_up, is_nan(bits) ? 0x7fffe000 : (bits + 0x1fff) & 0xffffe000)
MUTANT(eleven_bits, is_nan(bits) ? 0x7fffe000 : (bits + 0x7ff + (bits >> 12 & 1)) & 0xfffff000)
MUTANT(subnormals_flushed, bits & 0x7f800000 ? right(bits) : bits & 0x80000000)
MUTANT(overflow_saturates, right(bits) == 0x7f800000 && bits != 0x7f800000 ? 0x7f7fe000 : right(bits))
MUTANT(nan_keeps_its_sign, is_nan(bits) ? 0x7fffe000 | (bits & 0x80000000) : right(bits))
MUTANT(nan_keeps_its_bits, is_nan(bits) ? bits : right(bits))
MUTANT(nan_is_7fffffff, is_nan(bits) ? 0x7fffffff : right(bits))
MUTANT(nan_is_rounded, (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000)
MUTANT(infinity_is_nan, (bits & 0x7f800000) == 0x7f800000 ? 0x7fffe000 : right(bits))
MUTANT(minus_zero_is_zero, bits == 0x80000000 ? 0 : right(bits))

static uint32_t (*const wrong_floats[])(uint32_t bits) = {
    bits_copied,        low_bits_cut,    ties_away,          ties_down,          ties_odd,
    rounded_up,         eleven_bits,     subnormals_flushed, overflow_saturates, nan_keeps_its_sign,
    nan_keeps_its_bits, nan_is_7fffffff, nan_is_rounded,     infinity_is_nan,    minus_zero_is_zero};

LOOP_TEST(tf32_table_notices_each_wrong_formula, 0, ROWS_OF(wrong_floats))
{
    bool noticed = false;
    for (int i = 0; i < FLOATS; i++) {
        noticed |= wrong_floats[_i](floats[i].bits) != floats[i].rounded;
        ck_assert_uint_eq(right(floats[i].bits), floats[i].rounded);
    }
    ck_assert_msg(noticed, "formula %d passes", _i);
}

// The table as a tensor: one row of all of it, and elements of every lane of a line, for the types that round and not.
LOOP_TEST(tile_tf32__load_rounds_two_types_and_no_other, 0, 24)
{
    static const enum dtype dtypes[] = {DTYPE_TFLOAT32,    DTYPE_TFLOAT32_FTZ, DTYPE_FLOAT32,
                                        DTYPE_FLOAT32_FTZ, DTYPE_UINT32,       DTYPE_INT32};
    const enum dtype dtype = dtypes[_i % 6];
    const uint32_t shift = (uint32_t)_i / 6;
    struct tensormap map = map_of(dtype, 4096, SWIZZLE_NONE);
    map.box[0] = 252;
    for (uint32_t i = 0; i < GMEM_BYTES / 4; i++) memcpy(gmem + 4 * i, &floats[(i + shift) % FLOATS].bits, 4);
    load(&map, 8, 1, SMEM_BASE);
    for (uint32_t i = 0; i < 252; i++) {
        uint32_t got, from = (1024 + 8 + i + shift) % FLOATS;
        memcpy(&got, smem + 4 * i, 4);
        ck_assert_uint_eq(got, dtype_row(dtype)->is_tf32 ? floats[from].rounded : floats[from].bits);
    }
    ck_assert_uint_eq(smem[252 * 4], UNTOUCHED);
}
