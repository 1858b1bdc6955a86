// SPDX-License-Identifier: MIT
// Compares whole sparse instructions of model/wgmma with the slow second model, on random metadata of every style, and
// on vectors that show where each index of the metadata lies and what it picks.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "chunks.h"
#include "descriptor.h"
#include "rule.h"
#include "rules/wgmma.h"
#include "slow_sparse.h"
#include "slow_test.h"
#include "slow_vectors.h"
#include "wgmma.h"

TEST_FILE(.suite = "slow", .seconds = 120);

enum { CHUNKS = 4, INSTRUCTIONS_PER_CHUNK = 40, COLUMNS = 8, TEXT_BYTES = 4096 };
enum { BASE = 1024, ROW_BYTES = 16, STEP_BYTES = 128, SHARED_BYTES = 512 };
static const uint64_t SEED = 0x5ba25e;

// An instruction of N 8, A in registers, B K-major: as matrices of units, and as the model wants it.
struct instruction {
    struct wgmma wgmma;
    uint32_t metadata[WGMMA_THREADS], a[WGMMA_M][32], b[COLUMNS][64], c[WGMMA_M][COLUMNS];
    int has_c;
};

static int unit_bytes(enum wgmma_types types)
{
    return number_format_row(wgmma_types_row(types)->a)->size_bits / 8;
}

// --- The model -------------------------------------------------------------------------------------------------------

// Register `i` of thread `t` of A is four bytes of a row of 32.
static void put_a(const struct instruction *n, uint32_t registers[WGMMA_THREADS][4])
{
    int size = unit_bytes(n->wgmma.types), parts = 4 / size;
    memset(registers, 0, WGMMA_THREADS * sizeof registers[0]);
    for (int t = 0; t < WGMMA_THREADS; t++) {
        for (int i = 0; i < 4; i++) {
            int row = t / 32 * 16 + t % 32 / 4 + 8 * (i % 2), first = (t % 4 + i / 2 * 4) * parts;
            for (int part = 0; part < parts; part++) registers[t][i] |= n->a[row][first + part] << 8 * size * part;
        }
    }
}

static void put_b(const struct instruction *n, uint8_t *shared)
{
    int size = unit_bytes(n->wgmma.types);
    for (int column = 0; column < COLUMNS; column++)
        for (int at = 0; at < 64; at++)
            shared[column * ROW_BYTES + at / 16 * STEP_BYTES + at % 16] =
                (uint8_t)(n->b[column][at / size] >> 8 * (at % size));
}

// Where D[row][column] is: the word of d[], and how far to shift it.
static int place_of_d(bool is_f16, int row, int column, int *shift)
{
    int thread = row / 16 * 32 + row % 8 * 4 + column / 2, is_lower = row % 16 / 8;
    *shift = is_f16 ? 16 * (column % 2) : 0;
    return (is_f16 ? is_lower : 2 * is_lower + column % 2) * WGMMA_THREADS + thread;
}

static void run_model(const struct instruction *n, uint32_t found[WGMMA_M][COLUMNS])
{
    static uint32_t a[WGMMA_THREADS][4], d[4 * WGMMA_THREADS];
    static uint8_t bytes[SHARED_BYTES];
    const struct memory shared = {bytes, BASE, SHARED_BYTES};
    const struct wgmma_descriptor b = {BASE, STEP_BYTES, 0, 0, WGMMA_SWIZZLE_NONE};
    const struct wgmma_operands operands = {
        {0, wgmma_descriptor_pack(&b)}, (const uint32_t(*)[4])a, &shared, n->has_c, n->metadata};
    bool is_f16 = wgmma_types_row(n->wgmma.types)->d == NUMBER_F16;
    int shift;
    put_a(n, a);
    put_b(n, bytes);
    memset(d, 0, sizeof d);
    for (int i = 0; i < WGMMA_M * COLUMNS; i++) {
        int at = place_of_d(is_f16, i / COLUMNS, i % COLUMNS, &shift);
        d[at] |= n->c[i / COLUMNS][i % COLUMNS] << shift;
    }
    ck_assert_int_eq(wgmma_execute(&n->wgmma, &operands, d, NULL), RULE_OK);
    for (int i = 0; i < WGMMA_M * COLUMNS; i++) {
        int at = place_of_d(is_f16, i / COLUMNS, i % COLUMNS, &shift);
        found[i / COLUMNS][i % COLUMNS] = is_f16 ? d[at] >> shift & 0xffff : d[at];
    }
}

static struct slow_sparse element_of(const struct instruction *n, int row, int column)
{
    struct slow_sparse e = {.types = n->wgmma.types, .row = row, .selector = n->wgmma.selector, .has_c = n->has_c};
    memcpy(e.metadata, n->metadata, sizeof e.metadata);
    memcpy(e.a, n->a[row], sizeof e.a);
    memcpy(e.column, n->b[column], sizeof e.column);
    e.c = n->c[row][column];
    e.negate = n->wgmma.negate[0] != n->wgmma.negate[1];
    e.satfinite = n->wgmma.satfinite;
    return e;
}

// --- Random instructions ---------------------------------------------------------------------------------------------

static uint32_t random_unit(struct slow_random *random, enum number_format format, bool is_tame)
{
    const struct number_format_row *row = number_format_row(format);
    uint32_t bits = (uint32_t)(slow_random(random) >> 20) & UINT32_MAX >> (32 - row->size_bits);
    if (is_tame && row->exponent_bits != 0) bits &= ~(1u << (row->size_bits - 2)); // the highest bit of the exponent
    return bits;
}

// Metadata that PTX defines, or any bits.
static uint32_t random_metadata(struct slow_random *random, enum wgmma_types types, bool is_legal)
{
    static const uint32_t pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
    uint32_t metadata = (uint32_t)(slow_random(random) >> 20);
    for (int at = 0; is_legal && at < 32; at += 4) {
        uint32_t legal = pairs[slow_between(random, 0, 5)];
        if (unit_bytes(types) == 4) legal = slow_chance(random, 50) ? 0x4 : 0xe;
        metadata = (metadata & ~(0xfu << at)) | legal << at;
    }
    return metadata;
}

static void random_instruction(struct slow_random *random, struct instruction *n)
{
    enum wgmma_types types = (enum wgmma_types)slow_between(random, 0, WGMMA_S32_B1_B1 - 1);
    const struct wgmma_types_row *row = wgmma_types_row(types);
    bool is_tame = slow_chance(random, 80), is_legal = slow_chance(random, 50);
    *n = (struct instruction){.wgmma = {.types = types, .n = COLUMNS, .a_in_registers = 1, .is_sparse = 1}};
    n->has_c = slow_chance(random, 80);
    if (unit_bytes(types) != 1) n->wgmma.selector = slow_chance(random, 50);
    if (wgmma_is_integer(types)) n->wgmma.satfinite = slow_chance(random, 50);
    for (int i = 0; i < 2 && !wgmma_is_integer(types); i++) n->wgmma.negate[i] = slow_chance(random, 30);
    for (int t = 0; t < WGMMA_THREADS; t++) n->metadata[t] = random_metadata(random, types, is_legal);
    for (int i = 0; i < WGMMA_M * 32; i++) n->a[i / 32][i % 32] = random_unit(random, row->a, is_tame);
    for (int i = 0; i < COLUMNS * 64; i++) n->b[i / 64][i % 64] = random_unit(random, row->b, is_tame);
    for (int i = 0; i < WGMMA_M * COLUMNS; i++) n->c[i / COLUMNS][i % COLUMNS] = random_unit(random, row->d, true);
}

// One chunk of random instructions; `_i` is the chunk.
LOOP_TEST(slow_sparse_agrees, 0, chunks_of(CHUNKS))
{
    static struct instruction n;
    struct slow_random random = {SEED + (uint64_t)_i};
    int numbers = 0, specials = 0;
    for (int i = 0; i < INSTRUCTIONS_PER_CHUNK; i++) {
        uint32_t found[WGMMA_M][COLUMNS];
        random_instruction(&random, &n);
        const struct wgmma_types_row *row = wgmma_types_row(n.wgmma.types);
        run_model(&n, found);
        for (int at = 0; at < WGMMA_M * COLUMNS; at++) {
            struct slow_sparse e = element_of(&n, at / COLUMNS, at % COLUMNS);
            uint32_t expected = slow_sparse(&e, SLOW_SPARSE_RIGHT), is = found[at / COLUMNS][at % COLUMNS];
            ck_assert_msg(expected == is, "seed 0x%" PRIx64 " chunk %d instruction %d: %s D[%d][%d]: 0x%x, not 0x%x",
                          SEED, _i, i, row->name, at / COLUMNS, at % COLUMNS, is, expected);
            bool is_number = wgmma_is_integer(n.wgmma.types) || (expected & 0x7c00) != 0x7c00;
            *(is_number ? &numbers : &specials) += 1;
        }
    }
    printf("slow sparse: seed 0x%" PRIx64 " chunk %d: %d numbers, %d others\n", SEED, _i, numbers, specials);
    ck_assert_int_gt(numbers, INSTRUCTIONS_PER_CHUNK * WGMMA_M * COLUMNS / 2);
    ck_assert_int_gt(specials, INSTRUCTIONS_PER_CHUNK * WGMMA_M * COLUMNS / 50);
}

// --- Vectors ---------------------------------------------------------------------------------------------------------

// Element `k` of every column is k + 1, with a low half of 0x8000 if it is tf32 and k is odd. The threads have the
// metadata 0x44444444 (elements 0 and 1 of each chunk; tf32: the first) but for `thread`. `kept` units of A are 1.
static const struct vector {
    enum rule rule;
    const char *why;
    uint32_t expected;
    enum wgmma_types types;
    int selector, row, thread;
    uint32_t word;
    int kept[2], nan_at; // -1: none
} vectors[] = {
    // clang-format off
    {RULE_WGMMA_SPARSE_PLACE, "row 0, the low bits of thread 0", 0x40800000, WGMMA_F32_F16_F16, 0, 0, 0, 0x44444447,
     {0, -1}, -1},
    {RULE_WGMMA_SPARSE_PLACE, "row 8, the high bits of thread 0", 0x40800000, WGMMA_F32_F16_F16, 0, 8, 0, 0x44474444,
     {0, -1}, -1},
    {RULE_WGMMA_SPARSE_PLACE, "not those of row 0", 0x3f800000, WGMMA_F32_F16_F16, 0, 0, 0, 0x44474444, {0, -1}, -1},
    {RULE_WGMMA_SPARSE_PLACE, "row 19, the second half of K: thread 45", 0x41a00000, WGMMA_F32_BF16_BF16, 0, 19, 45,
     0x44444447, {8, -1}, -1},
    {RULE_WGMMA_SPARSE_PLACE, "selector 1: thread 2", 0x40800000, WGMMA_F32_F16_F16, 1, 0, 2, 0x44444447, {0, -1}, -1},
    {RULE_WGMMA_SPARSE_PLACE, "selector 1: thread 0 is ignored", 0x3f800000, WGMMA_F32_F16_F16, 1, 0, 0, 0x44444447,
     {0, -1}, -1},
    {RULE_WGMMA_SPARSE_PLACE, "tf32, selector 1: thread 3 has kept elements 4 to 7", 0x41808000, WGMMA_F32_TF32_TF32, 1,
     0, 3, 0x4444e444, {7, -1}, -1},
    {RULE_WGMMA_SPARSE_PLACE, "s8: thread 0 has 16 kept elements of row 0", 32, WGMMA_S32_S8_S8, 0, 0, 0, 0xd4444444,
     {15, -1}, -1},
    {RULE_WGMMA_SPARSE_PLACE, "s8: thread 1 those of row 8", 32, WGMMA_S32_S8_S8, 0, 8, 1, 0xd4444444, {15, -1}, -1},
    {RULE_WGMMA_SPARSE_PLACE, "s8: thread 2 the other 16 of row 0", 36, WGMMA_S32_U8_S8, 0, 0, 2, 0x44444447, {16, -1},
     -1},
    {RULE_WGMMA_SPARSE_ORDER, "indices 2, 1", 0x40400000, WGMMA_F32_F16_F16, 0, 0, 0, 0x44444446, {0, -1}, -1},
    {RULE_WGMMA_SPARSE_ORDER, "indices 2, 1: the second", 0x40000000, WGMMA_F32_F16_F16, 0, 0, 0, 0x44444446, {1, -1},
     -1},
    {RULE_WGMMA_SPARSE_METADATA, "indices 1, 1: both count", 0x40800000, WGMMA_F32_F16_F16, 0, 0, 0, 0x44444445, {0, 1},
     -1},
    {RULE_WGMMA_SPARSE_METADATA, "tf32 0b1110: the second element", 0x40008000, WGMMA_F32_TF32_TF32, 0, 0, 0,
     0x4444444e, {0, -1}, -1},
    {RULE_WGMMA_SPARSE_METADATA, "tf32 0b0110: the first's high half, the second's low half", 0x3f808000,
     WGMMA_F32_TF32_TF32, 0, 0, 0, 0x44444446, {0, -1}, -1},
    {RULE_WGMMA_SPARSE_METADATA, "tf32 0b1100: the other way round", 0x40000000, WGMMA_F32_TF32_TF32, 0, 0, 0,
     0x4444444c, {0, -1}, -1},
    {RULE_WGMMA_SPARSE_METADATA, "tf32 0b0101: the high half twice", 0x3f802000, WGMMA_F32_TF32_TF32, 0, 0, 0,
     0x44444445, {0, -1}, -1},
    {RULE_WGMMA_SPARSE_SUM, "a NaN of B that A leaves out", 0x3f800000, WGMMA_F32_F16_F16, 0, 0, 0, 0x44444444, {0, -1},
     2},
    {RULE_WGMMA_SPARSE_SUM, "a NaN of B that a zero of A meets", 0x7fffffff, WGMMA_F32_F16_F16, 0, 0, 0, 0x44444444,
     {0, -1}, 5},
    // clang-format on
};

// `number` (up to 64) in a format.
static uint32_t whole(enum number_format format, int number)
{
    const struct number_format_row *row = number_format_row(format);
    int fraction = row->fraction_bits + row->ignored_bits, top = 0;
    if (row->exponent_bits == 0) return (uint32_t)number;
    while (number >> (top + 1) != 0) top++;
    uint32_t bias = (1u << (row->exponent_bits - 1)) - 1, low = (uint32_t)number ^ 1u << top;
    return (bias + (uint32_t)top) << fraction | low << (fraction - top);
}

static void make_vector(const struct vector *v, struct instruction *n)
{
    const struct wgmma_types_row *row = wgmma_types_row(v->types);
    *n = (struct instruction){.wgmma = {.types = v->types, .n = COLUMNS, .a_in_registers = 1, .is_sparse = 1}};
    n->wgmma.selector = v->selector;
    for (int t = 0; t < WGMMA_THREADS; t++) n->metadata[t] = t == v->thread ? v->word : 0x44444444;
    for (int i = 0; i < 2; i++)
        if (v->kept[i] >= 0) n->a[v->row][v->kept[i]] = whole(row->a, 1);
    for (int i = 0; i < COLUMNS * 2 * wgmma_units(v->types); i++) {
        int column = i % COLUMNS, k = i / COLUMNS;
        n->b[column][k] = whole(row->b, k + 1) | (row->b == NUMBER_TF32 && k % 2 ? 0x8000 : 0);
        if (k == v->nan_at) n->b[column][k] = 0x7e00;
    }
}

static void require_vectors(enum rule rule)
{
    static struct instruction n;
    int count = 0;
    for (int i = 0; i < ROWS_OF(vectors); i++) {
        uint32_t found[WGMMA_M][COLUMNS];
        const struct vector *v = &vectors[i];
        if (v->rule != rule) continue;
        make_vector(v, &n);
        struct slow_sparse e = element_of(&n, v->row, 3);
        uint32_t slow = slow_sparse(&e, SLOW_SPARSE_RIGHT);
        run_model(&n, found);
        ck_assert_msg(found[v->row][3] == v->expected, "%s: 0x%x, not 0x%x", v->why, found[v->row][3], v->expected);
        ck_assert_msg(slow == v->expected, "%s: slow 0x%x, not 0x%x", v->why, slow, v->expected);
        count++;
    }
    ck_assert_int_gt(count, 1);
}

TEST_CALL(wgmma_sparse_place__names_thread_and_bits, require_vectors(RULE_WGMMA_SPARSE_PLACE))
TEST_CALL(wgmma_sparse_order__does_not_matter, require_vectors(RULE_WGMMA_SPARSE_ORDER))
TEST_CALL(wgmma_sparse_metadata__picks_what_each_index_names, require_vectors(RULE_WGMMA_SPARSE_METADATA))
TEST_CALL(wgmma_sparse_sum__leaves_out_what_is_not_met, require_vectors(RULE_WGMMA_SPARSE_SUM))

TEST(slow_sparse_vectors_notice_each_misread_rule)
{
    static struct instruction n;
    char text[TEXT_BYTES] = "";
    for (int m = 1; m < SLOW_SPARSE_COUNT; m++) {
        bool noticed = false;
        for (int i = 0; i < ROWS_OF(vectors); i++) {
            make_vector(&vectors[i], &n);
            struct slow_sparse e = element_of(&n, vectors[i].row, 3);
            noticed |= slow_sparse(&e, (enum slow_sparse_mutant)m) != vectors[i].expected;
        }
        size_t at = strlen(text);
        if (!noticed)
            snprintf(text + at, sizeof text - at, "\n%s", slow_sparse_mutant_text((enum slow_sparse_mutant)m));
    }
    ck_assert_msg(text[0] == 0, "no vector notices%s", text);
}
