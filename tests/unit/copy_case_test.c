// SPDX-License-Identifier: MIT
// The family "copy": its generator, and the kernels of the TMA tutorial on the model.
#include <string.h>

#include "arena.h"
#include "copy_case.h"
#include "cuda_abi.h"
#include "family.h"
#include "family_checks.h"

TEST_FILE(.seconds = 120);

enum { CASES = 4000, RESULT_BYTES = 4 << 20, ARTICLE = 16 };
static uint8_t bytes[2][RESULT_BYTES];

static const struct family *family(void)
{
    return family_find("copy");
}

static struct copy_case random_case(uint64_t i)
{
    struct random random = random_for(5, i);
    struct copy_case c;
    copy_generate(&random, &c);
    return c;
}

static struct copy_case case_of(const char *text)
{
    struct copy_case c;
    family_takes("copy", text, &c);
    return c;
}

static struct result result_of(const struct copy_case *c, int slot)
{
    struct result result = result_at(bytes[slot]);
    ck_assert_uint_ge(RESULT_BYTES, family_result_bytes(family(), c));
    family_run_model(family(), c, &result);
    return result;
}

// --- JSON ------------------------------------------------------------------------------------------------------------

#define MAP(address, columns, rows, box_rows)                                                                          \
    "{\"function\":\"cuTensorMapEncodeTiled\",\"globalAddress\":" address ",\"tensorDataType\":3,\"tensorRank\":2,"    \
    "\"globalDim\":[" columns "," rows "],\"globalStrides\":[64],\"elementStrides\":[1,1],\"boxDim\":[16," box_rows    \
    "]}"
#define SOURCE "17592186044416"
#define LOAD(columns, rows, shared)                                                                                    \
    "{\"op\":\"load\",\"map\":" MAP(SOURCE, columns, rows, "16") ",\"shared\":" shared "}"
#define SHARED(op, cut, cluster, along, slice)                                                                         \
    "{\"op\":\"" op "\",\"map\":" MAP(SOURCE, "16", "16", "8") ",\"shared\":2048,\"cut\":" cut ",\"cluster\":" cluster \
                                                               ",\"along\":" along slice "}"
#define STORE(op, address, rows, fill, parts)                                                                          \
    "{\"op\":\"" op "\",\"map\":" MAP(address, "16", rows, "8") ",\"shared\":2048,\"fill\":\"" fill                    \
                                                                "\",\"parts\":" parts ",\"wait\":0,\"seed\":1}"
#define BYTES(from, to, size, chunk)                                                                                   \
    "{\"op\":\"bytes\",\"from\":" from ",\"to\":" to ",\"size\":" size ",\"chunk\":" chunk ",\"seed\":1}"
#define RING(ctas, stages)                                                                                             \
    "{\"op\":\"ring\",\"map\":" MAP(SOURCE, "16", "100",                                                               \
                                    "8") ",\"shared\":2048,\"to\":70368744178944,\"to_strides\":[80],"                 \
                                         "\"ctas\":" ctas ",\"stages\":" stages ",\"seed\":1}"

#define FLOATS                                                                                                         \
    "{\"function\":\"cuTensorMapEncodeTiled\",\"globalAddress\":17592202821632,\"tensorDataType\":7,"                  \
    "\"tensorRank\":2,\"globalDim\":[16,100],\"globalStrides\":[64],\"elementStrides\":[1,1],\"boxDim\":[16,8]}"
#define ADD(op, ring)                                                                                                  \
    "{\"op\":\"" op "\",\"map\":" FLOATS ",\"shared\":2048,\"to\":70368744178688,\"to_strides\":[64]," ring            \
    "\"reduce\":\"add\",\"seed\":1}"

// --- random cases ----------------------------------------------------------------------------------------------------

TEST(random_cases_reach_what_there_is)
{
    int operations[COPY_OPERATIONS] = {0}, sizes[COPY_GROUP + 1] = {0}, ranks[4] = {0}, swizzles[4] = {0};
    int remainders[COPY_MAX_RANK] = {0}, parts = 0, deep = 0, faults = 0, refusals = 0;
    for (uint64_t i = 0; i < CASES; i++) {
        struct copy_case c = random_case(i);
        struct result result = result_of(&c, 0);
        struct copy_plan plan;
        ck_assert(result.free_bytes <= bytes[0] + family_result_bytes(family(), &c));
        operations[c.operation]++;
        faults += result.status > CUDA_ERROR_INVALID_VALUE;
        refusals += result.status == CUDA_ERROR_INVALID_VALUE;
        if (!copy_is(&c, COPY_TENSORS) || copy_plan_of(&c, &plan) != RULE_OK) continue;
        ranks[c.map.rank]++, swizzles[c.map.swizzle]++;
        if (copy_is(&c, COPY_SHARED)) sizes[c.cluster[0] * c.cluster[1] * c.cluster[2]]++;
        for (uint32_t k = 0; k < c.map.rank; k++)
            remainders[k] += c.map.dim[k] % (plan.job.box[k] * plan.job.cut[k]) > 0;
        parts += c.parts > 1;
        deep += c.operation == COPY_RING && plan.job.count > c.ctas * c.stages;
    }
    for (int i = 0; i < COPY_OPERATIONS; i++)
        ck_assert_msg(operations[i] > 100, "%s", copy_operation_name((uint32_t)i));
    for (int i = 1; i <= COPY_GROUP; i++) ck_assert_msg(sizes[i] > 0 || i == 11 || i == 13, "no cluster of %d", i);
    for (int i = 0; i < 4; i++) ck_assert_int_gt(swizzles[i], CASES / 8);
    for (int i = 0; i < COPY_MAX_RANK; i++)
        ck_assert_msg(remainders[i] > CASES / 40, "%d in dimension %d", remainders[i], i);
    ck_assert(ranks[2] > CASES / 3 && ranks[3] > CASES / 3);
    ck_assert(parts > 50 && deep > 50);
    ck_assert(faults > 5 && faults < CASES / 50 && refusals > 5 && refusals < CASES / 50);
}

// --- the tutorial ----------------------------------------------------------------------------------------------------

// Element (column, row) of the tutorial's source, 64 bytes a row.
static uint32_t source_word(uint32_t column, uint32_t row)
{
    uint32_t word;
    memcpy(&word, arena()->bytes + 64 * row + 4 * column, sizeof word);
    return word;
}

static uint32_t word_at(const struct window *window, uint32_t at)
{
    uint32_t word;
    memcpy(&word, window->bytes + at, sizeof word);
    return word;
}

// CTA 2 of a column of tiles of 16 x 16 has the rows from 32 on; what is out of bounds is 0.
TEST(tile_address__cta_loads_its_tile)
{
    struct copy_case c = case_of(LOAD("16", "40", "2048"));
    struct result result = result_of(&c, 0);
    const struct window *tiles = &result.window[1];
    uint32_t dump = 16 * 64 + 128;
    ck_assert_str_eq(tiles->name, "tiles");
    ck_assert_uint_eq(tiles->size_bytes, 3 * dump);
    for (uint32_t row = 0; row < 16; row++)
        for (uint32_t column = 0; column < 16; column++) {
            uint32_t word = row < 8 ? source_word(column, 32 + row) : 0;
            ck_assert_uint_eq(word_at(tiles, 2 * dump + 64 * row + 4 * column), word);
        }
    ck_assert_uint_eq(word_at(tiles, 2 * dump + 1024), copy_canary(2, 2048 + 1024));
}

// Row r of each tile holds r, and the last tile is clipped: what lies behind keeps what it held.
TEST(store_bounds__rows_hold_their_number)
{
    struct copy_case c = case_of(STORE("store", "70368744178688", "20", "rows", "1"));
    struct result result = result_of(&c, 0);
    const struct window *tensor = &result.window[0];
    uint32_t first = (uint32_t)(c.map.address - tensor->base);
    for (uint32_t row = 0; row < 20; row++)
        for (uint32_t column = 0; column < 16; column++)
            ck_assert_uint_eq(word_at(tensor, first + 64 * row + 4 * column), row % 8);
    struct copy_plan plan;
    ck_assert_int_eq(copy_plan_of(&c, &plan), RULE_OK);
    copy_fill_tensor(&c, &plan, bytes[1]);
    uint32_t end = first + 64 * 20;
    ck_assert_mem_eq(tensor->bytes + end, bytes[1] + end, tensor->size_bytes - end);
}

// Three CTAs add their rows to a tensor of small numbers.
TEST(reduce_integer__parts_of_a_sum_meet)
{
    struct copy_case c = case_of(STORE("add", "70368744178688", "16", "rows", "3"));
    struct result result = result_of(&c, 0);
    struct copy_plan plan;
    ck_assert_int_eq(copy_plan_of(&c, &plan), RULE_OK);
    copy_fill_tensor(&c, &plan, bytes[1]);
    uint32_t first = (uint32_t)(c.map.address - plan.base);
    for (uint32_t row = 0; row < 16; row++) {
        uint32_t before;
        memcpy(&before, bytes[1] + first + 64 * row, sizeof before);
        ck_assert_uint_eq(word_at(&result.window[0], first + 64 * row), before + 3 * (row % 8));
    }
}

// The halves of a 16 x 16 tile: `slice` as the tutorial gives it to the two CTAs, and the half that no CTA loads.
static const struct {
    const char *slice;
    int missing; // -1: none
} halves[] = {{",\"slice\":[0,0]", 1}, {",\"slice\":[1,1]", 0}, {",\"slice\":[0,1]", -1}, {",\"slice\":[1,0]", -1}};

LOOP_TEST(multicast_slice__half_that_nobody_loads_keeps_what_it_held, 0, 4)
{
    char text[512];
    snprintf(text, sizeof text, SHARED("multicast", "[1,2,1]", "[1,1,2]", "4", "%s"), halves[_i].slice);
    struct copy_case c = case_of(text);
    struct result result = result_of(&c, 0);
    uint32_t dump = ARTICLE * 64 + 128;
    ck_assert_uint_eq(result.window[1].size_bytes, 2 * dump);
    for (uint32_t cta = 0; cta < 2; cta++)
        for (uint32_t at = 0; at < ARTICLE * 64; at += 4) {
            uint32_t loaded = source_word(at % 64 / 4, at / 64);
            uint32_t want = (int)(at / 512) == halves[_i].missing ? copy_canary(cta, 2048 + at) : loaded;
            ck_assert_uint_eq(word_at(&result.window[1], cta * dump + at), want);
        }
    ck_assert_uint_eq(word_at(&result.window[0], 4) >> 31, 1); // the barrier's phase is over in all four
}

TEST(multicast_targets__separate_loads_leave_the_same_tiles)
{
    struct copy_case c = case_of(SHARED("multicast", "[1,2,1]", "[1,2,1]", "2", ",\"slice\":[0,1]"));
    struct result multicast = result_of(&c, 0);
    c.operation = COPY_SEPARATE;
    struct result separate = result_of(&c, 1);
    ck_assert_int_eq(multicast.windows, 2);
    for (int i = 0; i < 2; i++)
        ck_assert_mem_eq(multicast.window[i].bytes, separate.window[i].bytes, multicast.window[i].size_bytes);
}

// However many CTAs and stages, all of the source arrives, at another stride.
LOOP_TEST(tile_address__ring_copies_the_tensor, 0, 4)
{
    static const char *const texts[] = {RING("1", "1"), RING("3", "2"), RING("5", "3"), RING("2", "16")};
    struct copy_case c = case_of(texts[_i]);
    struct result result = result_of(&c, 0);
    uint32_t first = (uint32_t)(c.to - result.window[0].base);
    for (uint32_t row = 0; row < 100; row++)
        ck_assert_mem_eq(result.window[0].bytes + first + 80 * row, arena()->bytes + 64 * row, 64);
}

TEST(bulk_size__odd_bytes_are_copied_too)
{
    struct copy_case c = case_of(BYTES(SOURCE, "70368744178688", "1003", "64"));
    struct result result = result_of(&c, 0);
    uint32_t first = (uint32_t)(c.to - result.window[0].base);
    ck_assert_mem_eq(result.window[0].bytes + first, arena()->bytes, 1003);
    uint8_t behind = result.window[0].bytes[first + 1003];
    struct copy_plan plan;
    ck_assert_int_eq(copy_plan_of(&c, &plan), RULE_OK);
    copy_fill_tensor(&c, &plan, bytes[1]);
    ck_assert_uint_eq(behind, bytes[1][first + 1003]);
}

// A sum of floats by tensor reductions, by a ring of them, and in three steps through registers.
LOOP_TEST(reduce_float_add__one_step_adds_as_three_do, 0, 2)
{
    struct copy_case steps = case_of("{\"op\":\"vector_add\",\"from\":17592202821632,\"to\":70368744178688,"
                                     "\"size\":6400,\"seed\":1}");
    struct copy_case one = case_of(_i == 0 ? ADD("tiles", "") : ADD("ring", "\"ctas\":3,\"stages\":2,"));
    struct result expected = result_of(&steps, 0), found = result_of(&one, 1);
    struct copy_plan plan;
    ck_assert_uint_eq(expected.window[0].size_bytes, found.window[0].size_bytes);
    ck_assert_mem_eq(expected.window[0].bytes, found.window[0].bytes, expected.window[0].size_bytes);
    ck_assert_int_eq(copy_plan_of(&one, &plan), RULE_OK);
    copy_fill_tensor(&one, &plan, bytes[1]);
    ck_assert_mem_ne(expected.window[0].bytes + 256, bytes[1] + 256, 6400);
}

// Numbers as elements of every type: the bits that C's own conversions make, where C has the type.
TEST(copy_numbers_are_exact)
{
    for (uint32_t value = 0; value < 2048; value++) {
        float single = (float)value;
        double wide = value;
        uint32_t bits;
        uint64_t wide_bits, found = copy_numbers(DTYPE_FLOAT32, value);
        memcpy(&bits, &single, sizeof bits);
        memcpy(&wide_bits, &wide, sizeof wide_bits);
        ck_assert_uint_eq(found, bits | (uint64_t)bits << 32);
        ck_assert_uint_eq(copy_numbers(DTYPE_FLOAT64, value), wide_bits);
        ck_assert_uint_eq(copy_numbers(DTYPE_BFLOAT16, value) & 0xffff, bits >> 16);
        ck_assert_uint_eq(copy_numbers(DTYPE_UINT16, value) >> 48, value);
        ck_assert_uint_eq(copy_numbers(DTYPE_UINT8, value) & 0xff, value & 0xff);
        uint64_t half = copy_numbers(DTYPE_FLOAT16, value) >> 48;
        ck_assert_uint_eq(half, value == 0 ? 0 : (bits >> 13) - ((127 - 15) << 10));
    }
}
