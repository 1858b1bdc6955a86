// SPDX-License-Identifier: MIT
// The suite `lanes`: sums eight columns side by side (number/lanes.h) against the same sums one by one (wgmma_dot), of
// all types and of operands of every style: any bits, close numbers, far numbers, tiny ones, zeros (some and all), sums
// that cancel.
#include <stdio.h>
#include <string.h>

#include "chain.h"
#include "float_environment.h"
#include "lanes_way.h"

TEST_FILE(.seconds = 120);

enum { ROWS = 3, MAX_STEPS = 19, ROUNDS = 200 };
static const uint64_t SEED = 0x9a5eed;

static uint32_t next(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15;
    uint64_t x = (*state ^ *state >> 30) * 0xbf58476d1ce4e5b9;
    return (uint32_t)((x ^ x >> 27) * 0x94d049bb133111eb >> 32);
}

// --- Operands --------------------------------------------------------------------------------------------------------

// LEAST and MOST: products whose exponents are near the least and the greatest that are summed side by side.
enum style {
    ANY_BITS,
    CLOSE,
    FAR,
    TINY,
    GREAT,
    MANY_ZEROS,
    RARELY_SPECIAL,
    FULL,
    POWERS,
    ALL_ZEROS,
    LEAST,
    MOST,
    STYLES
};

// Bits of a format with an exponent as the style has it.
static uint32_t element(enum number_format format, enum style style, uint64_t *random)
{
    const struct number_format_row *row = number_format_row(format);
    uint32_t bits = next(random), top = (1u << row->exponent_bits) - 1, field = 0, mask = UINT32_MAX;
    if (format != NUMBER_B1) mask >>= 32 - row->size_bits;
    if (row->exponent_bits == 0 || style == ANY_BITS) return bits & mask;
    if (style == CLOSE) field = top / 2 - next(random) % 4;
    if (style == FAR || style == RARELY_SPECIAL || style == MANY_ZEROS) field = next(random) % top;
    if (style == TINY) field = next(random) % 3;
    if (style == GREAT) field = top - 1 - next(random) % 2;
    if (style == LEAST) field = row->exponent_bits < 8 ? next(random) % 2 : top / 2 - 54 + next(random) % 8;
    if (style == MOST) field = row->exponent_bits < 8 ? top - 1 - next(random) % 3 : top / 2 + 59 + next(random) % 6;
    if (style == RARELY_SPECIAL && next(random) % 200 == 0) field = top;
    int low = row->fraction_bits + row->ignored_bits;
    if (style == ALL_ZEROS || (style == MANY_ZEROS && next(random) % 3 != 0)) return bits & 1u << (row->size_bits - 1);
    if (style == POWERS) field = top / 2 > 13 && next(random) % 4 ? top / 2 - 11 - next(random) % 3 : top / 2;
    if (style == POWERS) bits &= 1u << (row->size_bits - 1);               // sums of them are often ties, or nearly
    if (style == FULL) return (top / 2 << low | ((1u << low) - 1)) & mask; // sums of them need more than 32 bits
    return ((bits & ~(top << low)) | field << low) & mask;
}

struct operands {
    enum wgmma_types types;
    int satfinite;
    bool has_picks;
    size_t steps;
    int negate[2];
    uint32_t a[ROWS][MAX_STEPS][NUMBER_MAX_TERMS], b[NUMBER_LANES][MAX_STEPS][2 * NUMBER_MAX_TERMS];
    uint8_t picks[ROWS * NUMBER_MAX_TERMS];
    uint32_t d[ROWS][NUMBER_LANES];
};

// Terms of B in each step: twice as many where rows pick.
static int terms_of_b(const struct operands *o)
{
    return wgmma_units(o->types) * (o->has_picks ? 2 : 1);
}

static void make_ab(struct operands *o, const enum style style[2], uint64_t *random)
{
    const struct wgmma_types_row *row = wgmma_types_row(o->types);
    for (size_t step = 0; step < o->steps; step++) {
        for (int i = 0; i < ROWS * wgmma_units(o->types); i++)
            o->a[i % ROWS][step][i / ROWS] = element(row->a, style[0], random);
        for (int i = 0; i < NUMBER_LANES * terms_of_b(o); i++)
            o->b[i % NUMBER_LANES][step][i / NUMBER_LANES] = element(row->b, style[1], random);
    }
}

static void make(struct operands *o, enum wgmma_types types, int round, uint64_t *random)
{
    enum style style[2] = {(enum style)(round % STYLES),
                           (enum style)(next(random) % 2 ? round : (int)next(random) % STYLES)};
    style[1] = (enum style)(style[1] % STYLES);
    memset(o, 0, sizeof *o);
    o->types = types;
    o->satfinite = wgmma_is_integer(types) && next(random) % 2;
    o->has_picks = next(random) % 3 == 0;
    o->steps = o->has_picks ? 1 : 1 + next(random) % MAX_STEPS;
    for (int i = 0; i < 2; i++) o->negate[i] = !wgmma_is_integer(types) && next(random) % 4 == 0;
    make_ab(o, style, random);
    for (int i = 0; i < ROWS * NUMBER_MAX_TERMS; i++) o->picks[i] = (uint8_t)(next(random) % (uint32_t)terms_of_b(o));
    const bool is_begun = next(random) % 4 != 0; // else all accumulators are zeros
    for (int i = 0; i < ROWS * NUMBER_LANES; i++)
        o->d[i / NUMBER_LANES][i % NUMBER_LANES] =
            !is_begun || next(random) % 2
                ? 0
                : element(wgmma_types_row(types)->d, (enum style)(next(random) % STYLES), random);
}

// --- Both ways -------------------------------------------------------------------------------------------------------

static uint32_t one_by_one(const struct operands *o, int row, int column)
{
    const struct wgmma_types_row *types = wgmma_types_row(o->types);
    uint32_t d = o->d[row][column];
    for (size_t step = 0; step < o->steps; step++) {
        uint32_t met[NUMBER_MAX_TERMS];
        struct number_terms a, b;
        int count = wgmma_units(o->types);
        for (int i = 0; i < count; i++)
            met[i] = o->b[column][step][o->has_picks ? o->picks[NUMBER_MAX_TERMS * row + i] : i];
        number_terms_read(types->a, count, o->a[row][step], o->negate[0], &a);
        number_terms_read(types->b, count, met, o->negate[1], &b);
        d = wgmma_dot(o->types, &a, &b, &d, o->satfinite);
    }
    return d;
}

enum { GROUPS = NUMBER_MAX_TERMS / NUMBER_LANES };

static void read_a(const struct operands *o, size_t groups, struct number_factors *a)
{
    for (int row = 0; row < ROWS; row++)
        for (size_t i = 0; i < o->steps * groups; i++)
            number_factors_read(wgmma_types_row(o->types)->a, &o->a[row][i / groups][i % groups * NUMBER_LANES],
                                o->negate[0], &a[(size_t)row * o->steps * groups + i]);
}

static void read_b(const struct operands *o, struct number_factors *b)
{
    size_t terms = (size_t)terms_of_b(o);
    for (size_t i = 0; i < o->steps * terms; i++) {
        uint32_t bits[NUMBER_LANES];
        for (int j = 0; j < NUMBER_LANES; j++) bits[j] = o->b[j][i / terms][i % terms];
        number_factors_read(wgmma_types_row(o->types)->b, bits, o->negate[1], &b[i]);
    }
}

typedef void multiply(const struct number_block *, uint32_t (*)[NUMBER_LANES]);

static void side_by_side(const struct operands *o, multiply *way, uint32_t d[ROWS][NUMBER_LANES])
{
    static struct number_factors a[ROWS * MAX_STEPS * GROUPS], b[MAX_STEPS * 2 * NUMBER_MAX_TERMS];
    size_t groups = (size_t)number_groups(wgmma_units(o->types));
    const struct number_block block = {.sum = wgmma_sum(o->types, o->satfinite),
                                       .rows = ROWS,
                                       .steps = o->steps,
                                       .a_row = o->steps * groups,
                                       .b_step = (size_t)terms_of_b(o),
                                       .a = a,
                                       .b = b,
                                       .picks = o->has_picks ? o->picks : NULL};
    const struct float_environment caller = float_environment_set_default();
    read_a(o, groups, a);
    read_b(o, b);
    float_environment_put_back(&caller);
    memcpy(d, o->d, sizeof o->d);
    way(&block, d);
}

static void compare(const struct operands *o, multiply *way, const char *what, int round)
{
    uint32_t d[ROWS][NUMBER_LANES];
    side_by_side(o, way, d);
    for (int i = 0; i < ROWS * NUMBER_LANES; i++) {
        int row = i / NUMBER_LANES, column = i % NUMBER_LANES;
        uint32_t expected = one_by_one(o, row, column);
        ck_assert_msg(d[row][column] == expected, "%s, %s, round %d, %zu steps: d[%d][%d] is %#x, expected %#x", what,
                      wgmma_types_row(o->types)->name, round, o->steps, row, column, d[row][column], expected);
    }
}

LOOP_TEST(lanes_give_what_single_sums_give, 0, WGMMA_TYPES_COUNT)
{
    static struct operands o;
    uint64_t random = SEED + (uint64_t)_i;
    for (int round = 0; round < ROUNDS; round++) {
        make(&o, (enum wgmma_types)_i, round, &random);
        compare(&o, number_multiply, "this processor's way", round);
        compare(&o, number_multiply_portable, "the portable way", round);
    }
}

// Zeros of either sign, on one side, times what is no number there: only the columns (or the row) of that are NaNs, and
// an accumulator of -0 becomes 0.
LOOP_TEST(zeros_times_infinities_are_no_skipped_zeros, 0, 6)
{
    static const uint32_t special[] = {0x7c00, 0xfc00, 0x7e00}; // f16: two infinities and a NaN
    static struct operands o;
    const bool is_of_a = _i % 2;
    memset(&o, 0, sizeof o);
    o.types = WGMMA_F32_F16_F16;
    o.steps = MAX_STEPS;
    for (int j = 0; j < NUMBER_LANES; j++) o.b[j][0][1] = 0x8000;
    for (int row = 0; row < ROWS; row++) o.d[row][6] = 0x80000000;
    if (is_of_a)
        o.a[1][MAX_STEPS - 1][2] = special[_i / 2];
    else
        o.b[3][MAX_STEPS - 1][2] = special[_i / 2];
    multiply *const ways[] = {number_multiply, number_multiply_portable};
    for (int way = 0; way < 2; way++) {
        uint32_t d[ROWS][NUMBER_LANES];
        side_by_side(&o, ways[way], d);
        for (int row = 0; row < ROWS; row++)
            for (int j = 0; j < NUMBER_LANES; j++)
                ck_assert_uint_eq(d[row][j], (is_of_a ? row == 1 : j == 3) ? 0x7fffffff : 0);
        compare(&o, ways[way], "zeros", _i);
    }
}

// --- Operands as bytes -----------------------------------------------------------------------------------------------

enum { TILE_ROWS = 16, TILE_BYTES = 64 };

// Units of a row of A and of a column of B.
static const struct {
    enum number_format format;
    enum number_reading reading;
    int of_row, of_column;
} tiles[] = {
    {NUMBER_F16, NUMBER_IN_ORDER, 16, 32},  {NUMBER_F16, NUMBER_IN_ORDER, 8, 8},
    {NUMBER_BF16, NUMBER_IN_ORDER, 16, 32}, {NUMBER_TF32, NUMBER_IN_ORDER, 8, 16},
    {NUMBER_TF32, NUMBER_IN_ORDER, 4, 4},   {NUMBER_E4M3, NUMBER_IN_ORDER, 32, 64},
    {NUMBER_E5M2, NUMBER_IN_ORDER, 32, 64}, {NUMBER_E4M3, NUMBER_AS_F16, 32, 64},
    {NUMBER_E5M2, NUMBER_AS_F16, 32, 64},   {NUMBER_E4M3, NUMBER_SPLIT, 32, 32},
    {NUMBER_E5M2, NUMBER_SPLIT, 16, 16},    {NUMBER_S8, NUMBER_IN_ORDER, 32, 64},
    {NUMBER_U8, NUMBER_IN_ORDER, 16, 32},   {NUMBER_S4, NUMBER_IN_ORDER, 64, 128},
    {NUMBER_U4, NUMBER_IN_ORDER, 32, 64},   {NUMBER_B1, NUMBER_IN_ORDER, 8, 8},
    {NUMBER_B1, NUMBER_IN_ORDER, 4, 4},     {NUMBER_S8, NUMBER_PAIRS, 32, 32},
    {NUMBER_U8, NUMBER_PAIRS, 16, 16},      {NUMBER_S4, NUMBER_PAIRS, 64, 64},
    {NUMBER_U4, NUMBER_PAIRS, 32, 32},
};

struct tile {
    uint8_t bytes[TILE_ROWS][TILE_BYTES];
    struct number_factors side_by_side[TILE_ROWS * 2 * NUMBER_LANES], plain[TILE_ROWS * 2 * NUMBER_LANES];
};

// In the first lanes of each group; of floats the values too, for a NaN has any sign.
static void compare_factors(const struct tile *tile, int count, bool is_float, int last_lanes)
{
    for (int i = 0; i < count * NUMBER_LANES; i++) {
        const struct number_factors *a = &tile->side_by_side[i / NUMBER_LANES], *b = &tile->plain[i / NUMBER_LANES];
        const int lane = i % NUMBER_LANES;
        if (lane >= last_lanes) continue;
        ck_assert_msg(a->whole[lane] == b->whole[lane], "factor %d, lane %d: %#x, expected %#x", i / NUMBER_LANES, lane,
                      (unsigned)a->whole[lane], (unsigned)b->whole[lane]);
        if (is_float && a->exponent[lane] != NUMBER_NAN_EXPONENT)
            ck_assert_msg(memcmp(&a->value[lane], &b->value[lane], sizeof(float)) == 0,
                          "factor %d, lane %d: %a, not %a", i / NUMBER_LANES, lane, (double)a->value[lane],
                          (double)b->value[lane]);
    }
}

LOOP_TEST(bytes_are_taken_apart_as_unit_by_unit, 0, ROWS_OF(tiles))
{
    static struct tile tile;
    uint64_t random = SEED + 99 + (uint64_t)_i;
    const int bits = tiles[_i].format == NUMBER_B1 ? 32 : number_format_row(tiles[_i].format)->size_bits;
    const bool is_float = number_format_row(tiles[_i].format)->exponent_bits != 0;
    const struct float_environment caller = float_environment_set_default();
    for (int round = 0; round < ROUNDS; round++) {
        memset(&tile, 0, sizeof tile);
        const int row_bytes = tiles[_i].of_row * bits / 8;
        for (int i = 0; i < TILE_ROWS * row_bytes; i++)
            tile.bytes[i / row_bytes][i % row_bytes] = (uint8_t)(next(&random) & (round % 2 ? 0xff : 0x87));
        struct number_bytes of = {tiles[_i].format,           tiles[_i].reading, tiles[_i].of_row,
                                  is_float && round % 3 == 0, &tile.bytes[0][0], TILE_BYTES};
        number_read_rows(&of, TILE_ROWS, tile.side_by_side);
        tiles_read_rows_plain(&of, TILE_ROWS, tile.plain);
        compare_factors(&tile, TILE_ROWS * number_row_groups(&of), is_float, of.units < 8 ? of.units : NUMBER_LANES);
        for (int i = 0; i < NUMBER_LANES * TILE_BYTES; i++)
            tile.bytes[i / TILE_BYTES][i % TILE_BYTES] = (uint8_t)next(&random);
        of.units = tiles[_i].of_column;
        number_read_columns(&of, tile.side_by_side);
        tiles_read_columns_plain(&of, tile.plain);
        compare_factors(&tile, of.reading == NUMBER_PAIRS ? of.units / 2 : of.units, is_float, NUMBER_LANES);
    }
    float_environment_put_back(&caller);
}

// Pairs against units one by one: s8 and u8 of any bits, and those that clamp.
LOOP_TEST(pairs_give_what_single_products_give, 0, 4)
{
    static struct tile a, b;
    uint64_t random = SEED + 999 + (uint64_t)_i;
    const int is_satfinite = _i % 2;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t c[TILE_ROWS][NUMBER_LANES], d[TILE_ROWS][NUMBER_LANES], plain[TILE_ROWS][NUMBER_LANES];
        struct number_bytes of_a = {_i < 2 ? NUMBER_S8 : NUMBER_U8, NUMBER_PAIRS, 32, 0, &a.bytes[0][0], TILE_BYTES},
                            of_b = {NUMBER_S8, NUMBER_PAIRS, 32, 0, &b.bytes[0][0], TILE_BYTES};
        for (int i = 0; i < TILE_ROWS * 32; i++) {
            a.bytes[i / 32][i % 32] = (uint8_t)next(&random);
            b.bytes[i / 32][i % 32] = (uint8_t)next(&random);
            if (i < TILE_ROWS * NUMBER_LANES)
                c[i / 8][i % 8] = round % 2 ? next(&random) : (next(&random) & 0x3ffff) - 0x80020000u;
        }
        number_read_rows(&of_a, TILE_ROWS, a.side_by_side);
        number_read_columns(&of_b, b.side_by_side);
        const struct number_block block = {.sum = {NUMBER_S32, of_a.format, NUMBER_S8, 16, 0, is_satfinite},
                                           .rows = TILE_ROWS,
                                           .steps = 1,
                                           .a_row = 2,
                                           .b_step = 16,
                                           .a = a.side_by_side,
                                           .b = b.side_by_side};
        memcpy(d, c, sizeof d);
        memcpy(plain, c, sizeof plain);
        number_multiply_pairs(&block, d);
        tiles_multiply_pairs_plain(&block, plain);
        for (int i = 0; i < TILE_ROWS * NUMBER_LANES; i++) {
            int64_t sum = (int32_t)c[i / 8][i % 8];
            for (int k = 0; k < 32; k++)
                sum += (_i < 2 ? (int8_t)a.bytes[i / 8][k] : a.bytes[i / 8][k]) * (int8_t)b.bytes[i % 8][k];
            ck_assert_uint_eq(d[i / 8][i % 8], number_result_integer(sum, is_satfinite));
            ck_assert_uint_eq(plain[i / 8][i % 8], number_result_integer(sum, is_satfinite));
        }
    }
}
