// SPDX-License-Identifier: MIT
// The arithmetic of reductions: vectors at the limits of every type, wrong formulas that the vectors must notice, and
// sums against a slow search for the nearest number.
#include <stdlib.h>
#include <string.h>

#include "float_environment.h"
#include "reduce_rows.h"
#include "reducer.h"

static uint64_t reduce_one(enum reduce_op op, enum dtype dtype, uint64_t memory, uint64_t source)
{
    ck_assert(reduce_apply(op, dtype, &memory, &source, 1));
    return memory;
}

static void check_vectors(enum reduce_op first, enum reduce_op last, uint32_t dtypes)
{
    int checked = 0;
    for (int i = 0; i < rows_count(REDUCE_ROWS, NULL); i++) {
        const struct reduce_row v = reduce_row_at(i);
        if (v.op < first || v.op > last || !(dtypes >> v.dtype & 1)) continue;
        uint64_t found = reduce_one(v.op, v.dtype, v.memory, v.source);
        ck_assert_msg(found == v.result, "%s: %s %s %lx, %lx: %lx, not %lx: %s", v.row->where, reduce_op_name(v.op),
                      dtype_row(v.dtype)->ptx, v.memory, v.source, found, v.result, v.row->field[5]);
        checked++;
    }
    ck_assert_int_gt(checked, 0);
}

enum {
    INTEGERS = 1 << DTYPE_UINT32 | 1 << DTYPE_INT32 | 1 << DTYPE_UINT64 | 1 << DTYPE_INT64,
    HALVES = 1 << DTYPE_FLOAT16 | 1 << DTYPE_BFLOAT16,
    FTZ = 1 << DTYPE_FLOAT32_FTZ | 1 << DTYPE_TFLOAT32_FTZ,
    SINGLES = 1 << DTYPE_FLOAT32 | 1 << DTYPE_TFLOAT32,
};

TEST_CALL(reduce_integer__wraps_compares_and_counts, check_vectors(REDUCE_ADD, REDUCE_XOR, INTEGERS))
TEST_CALL(reduce_float_add__rounds_once_and_keeps_subnormals,
          check_vectors(REDUCE_ADD, REDUCE_ADD, HALVES | SINGLES | 1 << DTYPE_FLOAT64))
TEST_CALL(reduce_ftz__flushes_operands_and_results, check_vectors(REDUCE_ADD, REDUCE_ADD, FTZ))
TEST_CALL(reduce_f64_nan__passes_as_it_is, check_vectors(REDUCE_ADD, REDUCE_ADD, 1 << DTYPE_FLOAT64))
TEST_CALL(reduce_half_min_max__orders_zeros_and_drops_one_nan, check_vectors(REDUCE_MIN, REDUCE_MAX, HALVES))

// --- a slow oracle for sums of halves: search the whole format for the nearest number --------------------------------

struct format {
    enum dtype dtype;
    int mantissa_bits, bias;
};
static const struct format formats[] = {{DTYPE_FLOAT16, 10, 15}, {DTYPE_BFLOAT16, 7, 127}};

// The value of a magnitude; infinity as the power of two past the greatest number, where rounding to it begins.
static __float128 value_of(const struct format *f, uint32_t magnitude)
{
    int exponent = (int)(magnitude >> f->mantissa_bits);
    __float128 value = (int)(magnitude & ((1u << f->mantissa_bits) - 1));
    if (exponent > 0) value += (int)(1u << f->mantissa_bits);
    for (int e = (exponent > 0 ? exponent : 1) - f->bias - f->mantissa_bits; e != 0; e += e < 0 ? 1 : -1)
        value = e < 0 ? value / 2 : value * 2;
    return value;
}

static __float128 values[0x8000];

static void fill_values(const struct format *f)
{
    uint32_t infinity = 0x7fffu >> f->mantissa_bits << f->mantissa_bits;
    for (uint32_t m = 0; m <= infinity; m++) values[m] = value_of(f, m);
}

static uint16_t slow_sum(const struct format *f, uint16_t a, uint16_t b)
{
    uint32_t infinity = 0x7fffu >> f->mantissa_bits << f->mantissa_bits, x = a & 0x7fff, y = b & 0x7fff;
    if (x > infinity || y > infinity || (x == infinity && y == infinity && a != b)) return 0x7fff;
    if (x == infinity) return a;
    if (y == infinity) return b;
    __float128 sum = (a & 0x8000 ? -values[x] : values[x]) + (b & 0x8000 ? -values[y] : values[y]);
    if (sum == 0) return a & b & 0x8000;
    uint16_t sign = sum < 0 ? 0x8000 : 0;
    if (sum < 0) sum = -sum;
    if (sum >= values[infinity]) return (uint16_t)(sign | infinity);
    uint32_t low = 0, high = infinity; // values[low] <= sum < values[high]
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (values[middle] <= sum)
            low = middle;
        else
            high = middle;
    }
    __float128 down = sum - values[low], up = values[high] - sum;
    return (uint16_t)(sign | (down < up ? low : up < down ? high : low % 2 == 0 ? low : high));
}

LOOP_TEST(reduce_float_add__of_halves_is_the_nearest_number, 0, 2)
{
    const struct format *f = &formats[_i];
    fill_values(f);
    for (uint32_t a = 0; a < 0x10000; a += 61)
        for (uint32_t b = a % 97; b < 0x10000; b += 211) {
            uint64_t found = reduce_one(REDUCE_ADD, f->dtype, a, b), want = slow_sum(f, (uint16_t)a, (uint16_t)b);
            if (found != want) ck_abort_msg("%x + %x: %lx, not %lx", a, b, found, want);
        }
}

// Neighbouring exponents with all mantissas: every tie there is near 1.
LOOP_TEST(reduce_float_add__of_halves_breaks_ties_to_even, 0, 2)
{
    const struct format *f = &formats[_i];
    uint32_t one = (uint32_t)f->bias << f->mantissa_bits, step = 1u << f->mantissa_bits;
    fill_values(f);
    for (uint32_t a = one; a < one + step; a += 7)
        for (uint32_t b = one - 3 * step; b < one; b++) {
            uint64_t found = reduce_one(REDUCE_ADD, f->dtype, a, b | 0x8000);
            ck_assert_uint_eq(found, slow_sum(f, (uint16_t)a, (uint16_t)(b | 0x8000)));
            ck_assert_uint_eq(reduce_one(REDUCE_ADD, f->dtype, a, b), slow_sum(f, (uint16_t)a, (uint16_t)b));
        }
}

// A float64 has more than 2 * 24 + 2 bits, so that rounding its sum again rounds the exact sum.
TEST(reduce_float_add__of_f32_is_the_rounded_f64_sum)
{
    uint64_t state = 1;
    for (int i = 0; i < 200000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint32_t a = (uint32_t)(state >> 32), b = (uint32_t)(state >> 7) ^ a << 9, want;
        if (i % 2) b = (a & 0xff800000) + (b & 0x03ffffff);
        float x, y, sum;
        memcpy(&x, &a, sizeof x);
        memcpy(&y, &b, sizeof y);
        struct float_environment caller = float_environment_set_default();
        sum = (float)((double)x + (double)y);
        memcpy(&want, &sum, sizeof want);
        if (sum != sum) want = 0x7fffffff;
        float_environment_put_back(&caller);
        ck_assert_uint_eq(reduce_one(REDUCE_ADD, DTYPE_FLOAT32, a, b), want);
    }
}

TEST(reduce_runs_are_elements_one_by_one)
{
    enum { MOST = 200, BYTES = (MOST + 1) * 8 + 1 };
    for (int d = 0; d < DTYPE_COUNT; d++)
        for (uint32_t count = 0; count <= MOST; count += 1 + count / 9) {
            static uint8_t memory[BYTES], want[BYTES], source[BYTES];
            uint32_t element = dtype_row((enum dtype)d)->size_bytes;
            enum reduce_op op = d == DTYPE_INT64 ? REDUCE_MAX : REDUCE_ADD;
            for (uint32_t i = 0; i < BYTES; i++) {
                memory[i] = want[i] = (uint8_t)(i * 29 + i / 7);
                source[i] = (uint8_t)(i * 83 + i / 5);
            }
            for (uint32_t i = 0; i < count && reduce_is_legal(op, (enum dtype)d); i++)
                reduce_apply(op, (enum dtype)d, want + 1 + i * element, source + 1 + i * element, 1);
            ck_assert_int_eq(reduce_apply(op, (enum dtype)d, memory + 1, source + 1, count),
                             reduce_is_legal(op, (enum dtype)d));
            ck_assert_mem_eq(memory, want, BYTES);
        }
}

TEST(reduce_names_go_both_ways)
{
    for (int op = 0; op < REDUCE_OPS; op++) ck_assert_int_eq(reduce_op_find(reduce_op_name((enum reduce_op)op)), op);
    ck_assert_int_eq(reduce_op_find("mul"), REDUCE_OPS);
    ck_assert_str_eq(reduce_op_name(REDUCE_OPS), "?");
    ck_assert(!reduce_is_legal(REDUCE_OPS, DTYPE_UINT32) && !reduce_is_legal(REDUCE_ADD, DTYPE_COUNT));
}

// --- wrong formulas: each changes the right result somewhere, and some vector must see it ----------------------------

static bool is_single(const struct reduce_row *v)
{
    return dtype_row(v->dtype)->is_float && dtype_row(v->dtype)->size_bytes == 4;
}

static uint64_t flush(uint64_t bits)
{
    return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

static uint64_t f32_flushes(const struct reduce_row *v)
{
    return is_single(v) ? reduce_one(REDUCE_ADD, DTYPE_FLOAT32_FTZ, v->memory, v->source) : v->result;
}

static uint64_t ftz_keeps_operands(const struct reduce_row *v)
{
    return is_single(v) ? flush(reduce_one(REDUCE_ADD, DTYPE_FLOAT32, v->memory, v->source)) : v->result;
}

static uint64_t ftz_keeps_results(const struct reduce_row *v)
{
    if (!is_single(v) || !(FTZ >> v->dtype & 1)) return v->result;
    return reduce_one(REDUCE_ADD, DTYPE_FLOAT32, flush(v->memory), flush(v->source));
}

static uint64_t ftz_loses_signs(const struct reduce_row *v)
{
    return FTZ >> v->dtype & 1 && (v->result & 0x7fffffff) == 0 ? 0 : v->result;
}

static uint64_t tf32_rounds(const struct reduce_row *v)
{
    return v->dtype == DTYPE_TFLOAT32 ? v->result & 0xffffe000 : v->result;
}

static uint64_t nan_is_quiet_only(const struct reduce_row *v)
{
    if (v->dtype == DTYPE_FLOAT32 && v->result == 0x7fffffff) return 0x7fc00000;
    return HALVES >> v->dtype & 1 && v->result == 0x7fff ? 0x7e00 : v->result;
}

static uint64_t f64_nan_is_quieted(const struct reduce_row *v)
{
    const uint64_t infinity = UINT64_C(0x7ff0000000000000), quiet = UINT64_C(0x0008000000000000);
    return v->dtype == DTYPE_FLOAT64 && (v->result & INT64_MAX) > infinity ? v->result | quiet : v->result;
}

static uint64_t f64_memory_wins(const struct reduce_row *v)
{
    return v->dtype == DTYPE_FLOAT64 ? reduce_one(v->op, v->dtype, v->source, v->memory) : v->result;
}

static uint64_t f64_new_nan_is_positive(const struct reduce_row *v)
{
    return v->result == UINT64_C(0xfff8000000000000) ? v->result & INT64_MAX : v->result;
}

static uint64_t halves_round_away(const struct reduce_row *v)
{
    uint64_t up = v->result + 1, sum = reduce_one(REDUCE_ADD, DTYPE_FLOAT32, v->memory << 16, v->source << 16);
    return v->op == REDUCE_ADD && v->dtype == DTYPE_BFLOAT16 && (sum & 0xffff) == 0x8000 && v->result == sum >> 16
               ? up
               : v->result;
}

static uint64_t bf16_truncates(const struct reduce_row *v)
{
    if (v->op != REDUCE_ADD || v->dtype != DTYPE_BFLOAT16 || v->result == 0x7fff) return v->result;
    return reduce_one(REDUCE_ADD, DTYPE_FLOAT32, v->memory << 16, v->source << 16) >> 16;
}

static uint64_t zeros_are_equal(const struct reduce_row *v)
{
    bool is_zero = (v->memory & 0x7fff) == 0 && (v->source & 0x7fff) == 0;
    return HALVES >> v->dtype & 1 && v->op != REDUCE_ADD && is_zero ? v->memory : v->result;
}

static uint64_t min_passes_nan(const struct reduce_row *v)
{
    uint64_t infinity = v->dtype == DTYPE_FLOAT16 ? 0x7c00 : 0x7f80;
    bool is_nan = (v->memory & 0x7fff) > infinity || (v->source & 0x7fff) > infinity;
    return HALVES >> v->dtype & 1 && is_nan ? 0x7fff : v->result;
}

static uint64_t one_order_for_all_signs(const struct reduce_row *v)
{
    if (v->dtype == DTYPE_INT32) return reduce_one(v->op, DTYPE_UINT32, v->memory, v->source);
    return v->dtype == DTYPE_INT64 ? reduce_one(v->op, DTYPE_UINT64, v->memory, v->source) : v->result;
}

static uint64_t integers_saturate(const struct reduce_row *v)
{
    if (v->op != REDUCE_ADD || v->dtype != DTYPE_UINT32) return v->result;
    return v->memory + v->source > UINT32_MAX ? UINT32_MAX : v->result;
}

static uint64_t inc_passes_the_limit(const struct reduce_row *v)
{
    return v->op == REDUCE_INC ? v->memory > v->source ? 0 : (uint32_t)(v->memory + 1) : v->result;
}

static uint64_t dec_keeps_above_the_limit(const struct reduce_row *v)
{
    return v->op == REDUCE_DEC ? v->memory == 0 ? v->source : v->memory - 1 : v->result;
}

static uint64_t counts_swap_operands(const struct reduce_row *v)
{
    bool counts = v->op == REDUCE_INC || v->op == REDUCE_DEC;
    return counts ? reduce_one(v->op, v->dtype, v->source, v->memory) : v->result;
}

static const struct {
    const char *name;
    uint64_t (*apply)(const struct reduce_row *vector);
} mutants[] = {
#define MUTANT(name)                                                                                                   \
    {                                                                                                                  \
#name, name                                                                                                    \
    }
    MUTANT(f32_flushes),
    MUTANT(ftz_keeps_operands),
    MUTANT(ftz_keeps_results),
    MUTANT(ftz_loses_signs),
    MUTANT(tf32_rounds),
    MUTANT(nan_is_quiet_only),
    MUTANT(f64_nan_is_quieted),
    MUTANT(f64_memory_wins),
    MUTANT(f64_new_nan_is_positive),
    MUTANT(halves_round_away),
    MUTANT(bf16_truncates),
    MUTANT(zeros_are_equal),
    MUTANT(min_passes_nan),
    MUTANT(one_order_for_all_signs),
    MUTANT(integers_saturate),
    MUTANT(inc_passes_the_limit),
    MUTANT(dec_keeps_above_the_limit),
    MUTANT(counts_swap_operands),
#undef MUTANT
};

LOOP_TEST(reduce_vectors_notice_wrong_formulas, 0, ROWS_OF(mutants))
{
    int noticed = 0;
    for (int i = 0; i < rows_count(REDUCE_ROWS, NULL); i++) {
        const struct reduce_row v = reduce_row_at(i);
        noticed += mutants[_i].apply(&v) != v.result;
    }
    ck_assert_msg(noticed > 0, "no vector notices %s", mutants[_i].name);
}

// Lanes of a warp at eight places, several at each, as atomics have them: one after the other, from the lowest; lanes
// that are off touch nothing, and what was there goes to `old`, which may be the operand.
enum { REDUCED_LANES = 32, PLACES = 8, WIDEST = 8 };

static void check_each(enum reduce_op op, enum dtype dtype, uint32_t lanes)
{
    const struct reducer reducer = reducer_begin(op, dtype);
    const uint32_t bytes = reducer.each_bytes, count = bytes / dtype_row(dtype)->size_bytes;
    uint8_t memory[PLACES * WIDEST], wanted[sizeof memory], operand[REDUCED_LANES * WIDEST], old[sizeof operand];
    uint8_t before[sizeof operand];
    int32_t offset[REDUCED_LANES];
    uint32_t random = (uint32_t)op * 77 + (uint32_t)dtype;
    for (size_t i = 0; i < sizeof memory; i++) memory[i] = (uint8_t)((random = random * 1664525 + 1013904223) >> 24);
    for (size_t i = 0; i < sizeof operand; i++) operand[i] = (uint8_t)((random = random * 1664525 + 1013904223) >> 24);
    for (uint32_t i = 0; i < REDUCED_LANES; i++) offset[i] = (int32_t)(i * i % PLACES * bytes);
    memcpy(wanted, memory, sizeof memory);
    memcpy(old, operand, sizeof old);
    memcpy(before, operand, sizeof before);
    const uint8_t first = memory[0];
    const bool has_changed = reducer.each(memory, offset, lanes, old, old);
    reducer_end(&reducer);
    for (uint32_t i = 0; i < REDUCED_LANES; i++) {
        if (!(lanes >> i & 1)) continue;
        memcpy(before + i * bytes, wanted + offset[i], bytes);
        ck_assert(reduce_apply(op, dtype, wanted + offset[i], operand + i * bytes, count));
    }
    ck_assert_mem_eq(memory, wanted, sizeof memory);
    ck_assert_mem_eq(old, before, sizeof old);
    if (lanes == 0) ck_assert(!has_changed && memory[0] == first);
}

TEST(reduce_each_lane_comes_after_the_one_before)
{
    int checked = 0;
    for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
        for (int op = 0; op < REDUCE_OPS; op++) {
            if (!reduce_is_legal((enum reduce_op)op, (enum dtype)dtype)) continue;
            check_each((enum reduce_op)op, (enum dtype)dtype, UINT32_MAX);
            check_each((enum reduce_op)op, (enum dtype)dtype, 0xa5a50f01);
            check_each((enum reduce_op)op, (enum dtype)dtype, 0);
            checked++;
        }
    ck_assert_int_gt(checked, 30);
}

TEST(reduce_each_tells_whether_memory_has_changed)
{
    const struct reducer reducer = reducer_begin(REDUCE_MAX, DTYPE_UINT32);
    uint32_t memory = 5, source[2] = {5, 6};
    const int32_t offset[2] = {0, 0};
    ck_assert(!reducer.each((uint8_t *)&memory, offset, 1, source, NULL));
    ck_assert(reducer.each((uint8_t *)&memory, offset, 3, source, NULL));
    ck_assert_uint_eq(memory, 6);
    reducer_end(&reducer);
}

// All lanes at one place, or each at its own: a sum changes memory where any lane adds something.
TEST(reduce_each_tells_whether_a_sum_of_all_lanes_has_changed_memory)
{
    const struct reducer reducer = reducer_begin(REDUCE_ADD, DTYPE_UINT32);
    for (int spread = 0; spread < 2; spread++)
        for (uint32_t adds = 0; adds <= REDUCED_LANES; adds++) {
            uint32_t memory[REDUCED_LANES] = {7}, source[REDUCED_LANES] = {0}, old[REDUCED_LANES];
            int32_t offset[REDUCED_LANES];
            for (int i = 0; i < REDUCED_LANES; i++) offset[i] = spread * i * (int)sizeof *memory;
            if (adds < REDUCED_LANES) source[adds] = 3;
            const int has_changed = reducer.each((uint8_t *)memory, offset, UINT32_MAX, source, adds % 2 ? old : NULL);
            const uint32_t place = spread ? adds % REDUCED_LANES : 0, added = adds < REDUCED_LANES ? 3 : 0;
            ck_assert_int_eq(has_changed, adds < REDUCED_LANES);
            ck_assert_uint_eq(memory[place], (place == 0 ? 7 : 0) + added);
            if (adds % 2) ck_assert_uint_eq(old[adds], place == 0 ? 7 : 0);
        }
    reducer_end(&reducer);
}
