// SPDX-License-Identifier: MIT
// The faults of a tiled load: which rule, all of them in the order of the hardware (715, 716, 700), what the finding
// says, and that nothing was written. Vectors are changes of one load that works; wrong checks must be noticed.
#include <string.h>

#include "copy.h"
#include "rules/load.h"
#include "vectors.h"

TEST_FILE(.suite = "copy");

#define TWO(n)   ((uint64_t)1 << (n))
#define MINUS(n) (-(uint64_t)(n))
enum { GMEM_BYTES = 8192, SMEM_BYTES = 2048, SMEM_BASE = 0x400, GMEM_BASE = 0x10000 };

struct load {
    struct tensormap map;
    int dims;
    int32_t coord[5];
    uint64_t gmem_base, gmem_bytes, smem_bytes;
    uint32_t shared;
};

// 64 x 32 floats that fill global memory; the box is 16 x 8 of them, 512 bytes in shared memory.
static struct load base_load(void)
{
    return (struct load){.map = {.rank = 2,
                                 .dtype = DTYPE_FLOAT32,
                                 .swizzle = SWIZZLE_64B,
                                 .address = GMEM_BASE,
                                 .dim = {64, 32, 4, 3, 2},
                                 .stride = {4, 256, 0, 0, 0},
                                 .box = {16, 8, 1, 1, 1},
                                 .estride = {1, 1, 1, 1, 1}},
                         .dims = 2,
                         .coord = {16, 8, 0, 0, 0},
                         .gmem_base = GMEM_BASE,
                         .gmem_bytes = GMEM_BYTES,
                         .smem_bytes = SMEM_BYTES,
                         .shared = SMEM_BASE};
}

enum field {
    END,
    MODE,
    RANK,
    DTYPE,
    IL,
    SWIZZLE,
    DIMS,
    SHARED,
    BASE,
    GMEM,
    SMEM,
    DIM,
    BOX = DIM + 5,
    ESTRIDE = BOX + 5
};
enum { COORD = ESTRIDE + 5 };

struct change {
    int field; // enum field, an index added for arrays
    uint64_t value;
};

static void make(struct load *load, int field, uint64_t value)
{
    switch (field) {
    case MODE:
        load->map.mode = (enum tensormap_mode)value;
        return;
    case RANK:
        load->map.rank = load->dims = (int)value;
        return;
    case DTYPE:
        load->map.dtype = (enum dtype)value;
        load->map.stride[0] = value < DTYPE_COUNT ? dtype_row((enum dtype)value)->size_bytes : 4;
        return;
    case IL:
        load->map.interleave = (enum tensormap_interleave)value;
        load->map.stride[0] = 16 * value;
        return;
    case SWIZZLE:
        load->map.swizzle = (enum tensormap_swizzle)value;
        return;
    case DIMS:
        load->dims = (int)value;
        return;
    case SHARED:
        load->shared = (uint32_t)value;
        return;
    case BASE:
        load->gmem_base = value;
        return;
    case GMEM:
        load->gmem_bytes = value;
        return;
    case SMEM:
        load->smem_bytes = value;
        return;
    default:
        break;
    }
    if (field >= COORD)
        load->coord[field - COORD] = (int32_t)(int64_t)value;
    else if (field >= ESTRIDE)
        load->map.estride[field - ESTRIDE] = (uint32_t)value;
    else if (field >= BOX)
        load->map.box[field - BOX] = (uint32_t)value;
    else
        load->map.dim[field - DIM] = value;
}

// What is broken, in order; the numbers are those of the finding of `about`, and `back` is the field that takes the
// proposal (END: nothing does).
static const struct vector {
    enum rule about;
    const char *why;
    struct change change[6];
    enum rule rules[6];
    uint64_t value, limit, nearest;
    int back;
} vectors[] = {
#define R(id) RULE_LOAD_##id
    // clang-format off
    {R(MAP_FORMAT), "rank 0", {{RANK, 0}}, {R(MAP_FORMAT)}, 0, 0, 0, END},
    {R(MAP_FORMAT), "rank 6", {{RANK, 6}}, {R(MAP_FORMAT)}, 0, 0, 0, END},
    {R(MAP_FORMAT), "no such type", {{DTYPE, DTYPE_COUNT}}, {R(MAP_FORMAT)}, 0, 0, 0, END},
    {R(MAP_FORMAT), "interleave 3", {{RANK, 3}, {IL, 3}}, {R(MAP_FORMAT)}, 0, 0, 0, END},
    {R(MAP_FORMAT), "pixels in rank 2", {{IL, 1}}, {R(MAP_FORMAT)}, 0, 0, 0, END},
    {R(MAP_FORMAT), "rows of 60 bytes", {{BOX, 15}}, {R(MAP_FORMAT)}, 0, 0, 0, END},
    {R(MAP_FORMAT), "nothing else is looked at", {{BOX, 15}, {DIMS, 1}, {SHARED, 1}}, {R(MAP_FORMAT)}, 0, 0, 0, END},
    {R(MAP_FORMAT), "pixels in rank 3", {{RANK, 3}, {IL, 1}, {BOX + 1, 1}, {COORD, 0}, {COORD + 1, 0}}, {RULE_OK},
     0, 0, 0, END},
    {R(MODE), "an im2col map", {{MODE, 1}}, {R(MODE)}, 1, 0, 0, MODE},
    {R(MODE), "no place is looked at", {{MODE, 1}, {SHARED, 0x440}, {GMEM, 0}}, {R(MODE), R(SMEM_ALIGN)}, 1, 0, 0, END},
    {R(MODE), "a tiled map", {{MODE, 0}}, {RULE_OK}, 0, 0, 0, END},
    {R(RANK), ".1d", {{DIMS, 1}}, {R(RANK)}, 1, 2, 2, DIMS},
    {R(RANK), ".3d", {{DIMS, 3}}, {R(RANK)}, 3, 2, 2, DIMS},
    {R(RANK), ".2d", {{DIMS, 2}}, {RULE_OK}, 0, 0, 0, END},
    {R(DIM_LIMIT), "2^31 + 1", {{DIM + 1, TWO(31) + 1}}, {R(DIM_LIMIT)}, TWO(31) + 1, TWO(31), TWO(31), DIM + 1},
    {R(DIM_LIMIT), "2^32", {{DIM, TWO(32)}}, {R(DIM_LIMIT)}, TWO(32), TWO(31), TWO(31), DIM},
    {R(DIM_LIMIT), "2^31", {{DIM, TWO(31)}}, {RULE_OK}, 0, 0, 0, END},
    {R(COORD_ALIGN), "17", {{COORD, 17}}, {R(COORD_ALIGN)}, 17, 4, 16, COORD},
    {R(COORD_ALIGN), "8 bytes", {{COORD, 18}}, {R(COORD_ALIGN)}, 18, 4, 16, COORD},
    {R(COORD_ALIGN), "-5", {{COORD, MINUS(5)}}, {R(COORD_ALIGN)}, MINUS(5), 4, MINUS(4), COORD},
    {R(COORD_ALIGN), "far outside", {{COORD, INT32_MAX}}, {R(COORD_ALIGN)}, INT32_MAX, 4, INT32_MAX - 3, COORD},
    {R(COORD_ALIGN), "8 of u8", {{DTYPE, 0}, {COORD, 8}}, {R(COORD_ALIGN)}, 8, 16, 0, COORD},
    {R(COORD_ALIGN), "20", {{COORD, 20}}, {RULE_OK}, 0, 0, 0, END},
    {R(COORD_ALIGN), "the least", {{COORD, MINUS(TWO(31))}}, {RULE_OK}, 0, 0, 0, END},
    {R(COORD_ALIGN), "pixel 3", {{RANK, 3}, {IL, 1}, {BOX + 1, 1}, {COORD, 3}, {COORD + 1, 0}}, {RULE_OK}, 0, 0, 0, END},
    {R(COORD_ALIGN), "17, a .3d and a huge dimension", {{COORD, 17}, {DIMS, 3}, {DIM, TWO(32)}},
     {R(RANK), R(DIM_LIMIT), R(COORD_ALIGN)}, 17, 4, 16, END},
    {R(SMEM_ALIGN), "64", {{SHARED, 0x440}}, {R(SMEM_ALIGN)}, 0x440, 128, 0x480, SHARED},
    {R(SMEM_ALIGN), "16", {{SHARED, 0x410}}, {R(SMEM_ALIGN)}, 0x410, 128, 0x480, SHARED},
    {R(SMEM_ALIGN), "without a swizzle", {{SHARED, 0x47f}, {SWIZZLE, 0}}, {R(SMEM_ALIGN)}, 0x47f, 128, 0x480, SHARED},
    {R(SMEM_ALIGN), "128", {{SHARED, 0x480}}, {RULE_OK}, 0, 0, 0, END},
    {R(SMEM_ALIGN), "after 715, before 700", {{SHARED, 0xb40}, {COORD, 17}, {GMEM, 64}},
     {R(COORD_ALIGN), R(SMEM_ALIGN), R(SMEM_BOUNDS), R(UNMAPPED)}, 0xb40, 128, 0xa00, END},
    {R(SMEM_BOUNDS), "the end", {{SHARED, 0xa80}}, {R(SMEM_BOUNDS)}, 0xa80, 0xa00, 0xa00, SHARED},
    {R(SMEM_BOUNDS), "the start", {{SHARED, 0x380}}, {R(SMEM_BOUNDS)}, 0x380, 0x400, 0x400, SHARED},
    {R(SMEM_BOUNDS), "just fits", {{SHARED, 0xa00}}, {RULE_OK}, 0, 0, 0, END},
    {R(SMEM_BOUNDS), "too large for all of it", {{SMEM, 384}}, {R(SMEM_BOUNDS)}, 0x200, 0x180, 0x180, END},
    {R(SMEM_BOUNDS), "384 bytes just fit", {{SWIZZLE, 0}, {BOX + 1, 6}, {SHARED, 0xa80}}, {RULE_OK}, 0, 0, 0, END},
    {R(SMEM_BOUNDS), "448 bytes do not", {{SWIZZLE, 0}, {BOX + 1, 7}, {SHARED, 0xa80}}, {R(SMEM_BOUNDS)}, 0xa80, 0xa00,
     0xa00, SHARED},
    {R(SMEM_BOUNDS), "gaps count", {{SWIZZLE, 3}, {BOX + 1, 5}, {SHARED, 0xa00}}, {R(SMEM_BOUNDS)}, 0xa00, 0x980, 0x980,
     SHARED},
    {R(SMEM_BOUNDS), "but not the last", {{SWIZZLE, 3}, {BOX + 1, 4}, {SHARED, 0xa00}}, {RULE_OK}, 0, 0, 0, END},
    {R(SMEM_BOUNDS), "a swizzle moves in whole lines", {{BOX + 1, 5}, {SMEM, SMEM_BYTES - 64}, {SHARED, 0xa80}},
     {R(SMEM_BOUNDS)}, 0xa80, 0xa00, 0xa00, SHARED},
    {R(SMEM_BOUNDS), "nothing moves", {{SWIZZLE, 0}, {BOX + 1, 5}, {SMEM, SMEM_BYTES - 64}, {SHARED, 0xa80}}, {RULE_OK},
     0, 0, 0, END},
    {R(SMEM_BOUNDS), "the highest place", {{SHARED, 0x3ff80}}, {R(SMEM_BOUNDS)}, 0x3ff80, 0xa00, 0xa00, SHARED},
    {R(SMEM_BOUNDS), "before the source", {{SHARED, 0xa80}, {GMEM, 0}}, {R(SMEM_BOUNDS), R(UNMAPPED)}, 0xa80, 0xa00,
     0xa00, END},
    {R(UNMAPPED), "the last element", {{COORD, 48}, {COORD + 1, 24}, {GMEM, GMEM_BYTES - 1}}, {R(UNMAPPED)},
     GMEM_BASE + 8191, GMEM_BASE + 8191, GMEM_BASE, END},
    {R(UNMAPPED), "just mapped", {{COORD, 48}, {COORD + 1, 24}}, {RULE_OK}, 0, 0, 0, END},
    {R(UNMAPPED), "the first element", {{BASE, GMEM_BASE + 2116}}, {R(UNMAPPED)}, GMEM_BASE + 2112,
     GMEM_BASE + 2116 + GMEM_BYTES, GMEM_BASE + 2116, END},
    {R(UNMAPPED), "mapped from it on", {{BASE, GMEM_BASE + 2112}}, {RULE_OK}, 0, 0, 0, END},
    {R(UNMAPPED), "what is out of bounds need not be", {{COORD, 56}, {COORD + 1, 28}}, {RULE_OK}, 0, 0, 0, END},
    {R(UNMAPPED), "by steps of 3", {{ESTRIDE + 1, 3}, {COORD + 1, 26}, {COORD, 48}, {GMEM, 7680}}, {RULE_OK}, 0, 0, 0,
     END},
    {R(UNMAPPED), "steps of 3 in bounds", {{ESTRIDE + 1, 3}, {COORD + 1, 25}, {COORD, 48}, {GMEM, 7680}},
     {R(UNMAPPED)}, GMEM_BASE + 8128, GMEM_BASE + 7680, GMEM_BASE, END},
    {R(UNMAPPED), "a dimension of 2^31 from -2^31 on", {{DIM, TWO(31)}, {COORD, MINUS(TWO(31))}}, {RULE_OK}, 0, 0, 0,
     END},
    {R(BASE_UNMAPPED), "to the left", {{COORD, MINUS(16)}, {BASE, GMEM_BASE + 16}}, {R(BASE_UNMAPPED)}, GMEM_BASE,
     GMEM_BASE + 16 + GMEM_BYTES, GMEM_BASE + 16, END},
    {R(BASE_UNMAPPED), "past the last row", {{COORD + 1, 32}, {GMEM, 0}}, {R(BASE_UNMAPPED)}, GMEM_BASE, GMEM_BASE,
     GMEM_BASE, END},
    {R(BASE_UNMAPPED), "both", {{COORD, MINUS(8)}, {BASE, GMEM_BASE + 4096}}, {R(BASE_UNMAPPED), R(UNMAPPED)}, GMEM_BASE,
     GMEM_BASE + 4096 + GMEM_BYTES, GMEM_BASE + 4096, END},
    {R(BASE_UNMAPPED), "wholly outside", {{COORD, 64}, {GMEM, 1}}, {RULE_OK}, 0, 0, 0, END},
    {R(BASE_UNMAPPED), "only the tail is outside", {{COORD + 1, 28}, {BASE, GMEM_BASE + 28 * 256}}, {RULE_OK}, 0, 0, 0,
     END},
    {R(SMEM_BOUNDS), "2^32 rows of a box that counts 0 bytes",
     {{RANK, 5}, {BOX, 4}, {BOX + 1, 256}, {BOX + 2, 256}, {BOX + 3, 256}, {BOX + 4, 256}}, {R(SMEM_BOUNDS)},
     TWO(38), SMEM_BYTES, SMEM_BYTES, END},
// clang-format on
#undef R
};
enum { VECTORS = ROWS_OF(vectors) };

static struct load load_of(const struct vector *vector)
{
    struct load load = base_load();
    for (int i = 0; i < 6 && vector->change[i].field != END; i++)
        make(&load, vector->change[i].field, vector->change[i].value);
    return load;
}

// Loads, and fails if a fault wrote something or if the rule is another without findings.
static enum rule run(const char *name, const struct load *load, struct findings *findings)
{
    static uint8_t gmem[GMEM_BYTES], smem[SMEM_BYTES];
    const struct memory global_memory = {gmem, load->gmem_base, load->gmem_bytes};
    const struct memory shared_memory = {smem, SMEM_BASE, load->smem_bytes};
    uint32_t bytes = 0xdeadbeef;
    memset(smem, 0xa5, sizeof smem);
    enum rule rule =
        tile_load_check(&load->map, load->dims, load->coord, &global_memory, &shared_memory, load->shared, findings);
    enum rule same =
        tile_load(&load->map, load->dims, load->coord, &global_memory, &shared_memory, load->shared, &bytes, NULL);
    ck_assert_msg(rule == same, "%s: tile_load_check() says %s, tile_load() %s", name, rule_row(rule)->id,
                  rule_row(same)->id);
    ck_assert_msg((bytes != 0xdeadbeef) == (rule == RULE_OK), "%s: %s, and its bytes are %u", name, rule_row(rule)->id,
                  bytes);
    for (int i = 0; i < SMEM_BYTES && rule != RULE_OK; i++)
        ck_assert_msg(smem[i] == 0xa5, "%s: %s, and byte 0x%x is written", name, rule_row(rule)->id, i);
    return rule;
}

static const struct finding *find(const struct findings *findings, enum rule rule)
{
    for (int i = 0; i < findings->count; i++)
        if (findings->item[i].rule == rule) return &findings->item[i];
    return NULL;
}

static void check_vector(const struct vector *vector)
{
    const char *name = vector_name(vector->about, vector->why);
    struct load load = load_of(vector);
    struct findings findings = {0};
    enum rule rule = run(name, &load, &findings);
    ck_assert_msg(rule == vector->rules[0], "%s: the check says %s, not %s", name, rule_row(rule)->id,
                  rule_row(vector->rules[0])->id);
    int count = 0;
    while (count < 6 && vector->rules[count] != RULE_OK) count++;
    ck_assert_msg(findings.count == count, "%s: %d findings", name, findings.count);
    for (int i = 0; i < count; i++)
        ck_assert_msg(findings.item[i].rule == vector->rules[i], "%s: finding %d is %s", name, i,
                      rule_row(findings.item[i].rule)->id);
    if (count == 0) return;
    const struct finding *finding = find(&findings, vector->about);
    ck_assert_msg(finding != NULL, "%s: no finding of the rule", name);
    ck_assert_msg(finding->value == vector->value && finding->limit == vector->limit &&
                      finding->nearest == vector->nearest,
                  "%s: value %llx limit %llx nearest %llx", name, (unsigned long long)finding->value,
                  (unsigned long long)finding->limit, (unsigned long long)finding->nearest);
    ck_assert_int_eq(finding->is_signed, vector->about == RULE_LOAD_COORD_ALIGN || vector->about == RULE_LOAD_RANK);
    if (vector->back == END) return;
    make(&load, vector->back, finding->nearest);
    ck_assert_msg(run(name, &load, NULL) == RULE_OK, "%s: the proposal faults", name);
}

static void check_vectors(enum rule rule)
{
    int broken = 0, kept = 0;
    for (int i = 0; i < VECTORS; i++) {
        if (vectors[i].about != rule) continue;
        check_vector(&vectors[i]);
        broken += vectors[i].rules[0] != RULE_OK, kept += vectors[i].rules[0] == RULE_OK;
    }
    vectors_are_of_both_sides(rule, "tests/unit/load_fault_test.c", broken, kept);
}

TEST_CALL(load_map_format__is_no_map, check_vectors(RULE_LOAD_MAP_FORMAT))
TEST_CALL(load_mode__is_tiled, check_vectors(RULE_LOAD_MODE))
TEST_CALL(load_rank__is_that_of_the_map, check_vectors(RULE_LOAD_RANK))
TEST_CALL(load_dim_limit__is_2_31, check_vectors(RULE_LOAD_DIM_LIMIT))
TEST_CALL(load_coord_align__is_16_bytes_in_and_out_of_bounds, check_vectors(RULE_LOAD_COORD_ALIGN))
TEST_CALL(load_smem_align__is_128_after_715_before_700, check_vectors(RULE_LOAD_SMEM_ALIGN))
TEST_CALL(load_smem_bounds__are_exact, check_vectors(RULE_LOAD_SMEM_BOUNDS))
TEST_CALL(load_unmapped__faults_where_an_element_is_in_bounds, check_vectors(RULE_LOAD_UNMAPPED))
TEST_CALL(load_base_unmapped__faults_when_the_first_element_is_outside, check_vectors(RULE_LOAD_BASE_UNMAPPED))

// Of every vector all findings but those about global memory.
LOOP_TEST(load_check_without_global_memory_asks_all_else, 0, VECTORS)
{
    const char *name = vector_name(vectors[_i].about, vectors[_i].why);
    struct load load = load_of(&vectors[_i]);
    const struct memory shared_memory = {NULL, SMEM_BASE, load.smem_bytes};
    struct findings all, left;
    int kept = 0;
    run(name, &load, &all);
    tile_load_check(&load.map, load.dims, load.coord, NULL, &shared_memory, load.shared, &left);
    for (int i = 0; i < all.count; i++) {
        if (all.item[i].rule == RULE_LOAD_UNMAPPED || all.item[i].rule == RULE_LOAD_BASE_UNMAPPED) continue;
        ck_assert_int_lt(kept, left.count);
        ck_assert_int_eq(left.item[kept++].rule, all.item[i].rule);
    }
    ck_assert_msg(left.count == kept, "%s: also %s", name, rule_row(left.item[kept].rule)->id);
}

// 2^25 rows of 2^39 bytes are 2^64: row 2^25 + y lies where row y does.
TEST(tile_address__wraps_at_2_64)
{
    struct load load = base_load();
    struct findings findings = {0};
    load.map.dim[1] = TWO(31), load.map.stride[1] = TWO(39), load.map.box[1] = 1;
    load.coord[1] = (int32_t)TWO(25);
    ck_assert_int_eq(run("2^25 rows of 2^39 bytes", &load, &findings), RULE_OK);
    ck_assert_int_eq(findings.count, 0);
    load.map.box[1] = 2; // the next row is not mapped
    ck_assert_int_eq(run("one row more", &load, &findings), RULE_LOAD_UNMAPPED);
    ck_assert_uint_eq(findings.item[0].value, GMEM_BASE + 64 + TWO(39));
}

LOOP_TEST(load_faults_come_in_the_order_of_the_hardware, 0, VECTORS)
{
    static const int errors[] = {715, 716, 700};
    const char *name = vector_name(vectors[_i].about, vectors[_i].why);
    struct load load = load_of(&vectors[_i]);
    struct findings findings = {0};
    enum rule rule = run(name, &load, &findings);
    int at = 0;
    for (int i = 0; i < findings.count; i++) {
        while (at < 3 && errors[at] != rule_cuda_error(findings.item[i].rule)) at++;
        ck_assert_msg(at < 3, "%s: finding %d is out of order", name, i);
    }
    ck_assert_int_eq(rule, findings_first_broken(&findings));
}

// --- Wrong checks; a vector of the rule must notice each -------------------------------------------------------------

static uint64_t row_bytes(const struct load *l)
{
    return l->map.box[0] * l->map.stride[0];
}

static uint64_t last_byte(const struct load *l)
{
    return l->map.address + (uint64_t)(l->coord[1] + (int64_t)l->map.box[1] - 1) * l->map.stride[1] +
           ((uint64_t)l->coord[0] + l->map.box[0]) * l->map.stride[0];
}

#define MUTANT(name, formula)                                                                                          \
    static int name(const struct load *l)                                                                              \
    {                                                                                                                  \
        return formula;                                                                                                \
    }
MUTANT(any, l != NULL)
MUTANT(type_only, l->map.dtype < DTYPE_COUNT)
MUTANT(rank_up_to_8, l->map.rank >= 1 && l->map.dtype < DTYPE_COUNT)
MUTANT(dims_at_most_rank, l->dims <= l->map.rank)
MUTANT(dims_at_least_rank, l->dims >= l->map.rank)
MUTANT(dim_below_2_31, l->map.dim[0] < TWO(31) && l->map.dim[1] < TWO(31))
MUTANT(dim_0_only, l->map.dim[0] <= TWO(31))
MUTANT(dim_below_2_32, l->map.dim[0] < TWO(32) && l->map.dim[1] < TWO(32))
MUTANT(coord_of_16_elements, l->coord[0] % 16 == 0)
MUTANT(coord_of_4_elements, l->coord[0] % 4 == 0)
MUTANT(coord_of_8_bytes, l->coord[0] * (int64_t)l->map.stride[0] % 8 == 0)
MUTANT(coord_inside_only, l->coord[0] < 0 || l->coord[0] >= 64 || l->coord[0] % 4 == 0)
MUTANT(coord_not_negative, l->coord[0] >= 0 && l->coord[0] % 4 == 0)
MUTANT(smem_multiple_of_16, l->shared % 16 == 0)
MUTANT(smem_multiple_of_64, l->shared % 64 == 0)
MUTANT(smem_multiple_of_256, l->shared % 256 == 0)
MUTANT(smem_free_without_swizzle, l->map.swizzle == SWIZZLE_NONE || l->shared % 128 == 0)
MUTANT(smem_end_exclusive, l->shared + row_bytes(l) * l->map.box[1] < SMEM_BASE + l->smem_bytes)
MUTANT(smem_without_gaps, l->shared + row_bytes(l) * l->map.box[1] <= SMEM_BASE + l->smem_bytes)
MUTANT(smem_of_32_bits, (uint32_t)(l->shared + row_bytes(l) * l->map.box[1]) <= SMEM_BASE + l->smem_bytes)
MUTANT(smem_start_only, l->shared >= SMEM_BASE && l->shared < SMEM_BASE + l->smem_bytes)
MUTANT(source_of_whole_box, l->gmem_base <= l->map.address && last_byte(l) <= l->gmem_base + l->gmem_bytes)
MUTANT(source_start_only, l->gmem_base <= l->map.address + (uint64_t)l->coord[1] * 256 + (uint64_t)l->coord[0] * 4)
MUTANT(source_below_end, last_byte(l) < l->gmem_base + l->gmem_bytes)
MUTANT(base_always, l->gmem_base <= l->map.address && l->gmem_bytes > 0)
MUTANT(base_when_negative, l->gmem_base <= l->map.address || (l->coord[0] >= 0 && l->coord[1] >= 0))

static const struct {
    enum rule rule;
    const char *name;
    int (*accepts)(const struct load *load);
} mutants[] = {
#define ROW(rule, name)                                                                                                \
    {                                                                                                                  \
        RULE_LOAD_##rule, #name, name                                                                                  \
    }
    ROW(MAP_FORMAT, type_only),
    ROW(MAP_FORMAT, rank_up_to_8),
    ROW(MODE, any),
    ROW(RANK, dims_at_most_rank),
    ROW(RANK, dims_at_least_rank),
    ROW(DIM_LIMIT, dim_below_2_31),
    ROW(DIM_LIMIT, dim_0_only),
    ROW(DIM_LIMIT, dim_below_2_32),
    ROW(COORD_ALIGN, coord_of_16_elements),
    ROW(COORD_ALIGN, coord_of_4_elements),
    ROW(COORD_ALIGN, coord_of_8_bytes),
    ROW(COORD_ALIGN, coord_inside_only),
    ROW(COORD_ALIGN, coord_not_negative),
    ROW(SMEM_ALIGN, smem_multiple_of_16),
    ROW(SMEM_ALIGN, smem_multiple_of_64),
    ROW(SMEM_ALIGN, smem_multiple_of_256),
    ROW(SMEM_ALIGN, smem_free_without_swizzle),
    ROW(SMEM_BOUNDS, smem_end_exclusive),
    ROW(SMEM_BOUNDS, smem_without_gaps),
    ROW(SMEM_BOUNDS, smem_of_32_bits),
    ROW(SMEM_BOUNDS, smem_start_only),
    ROW(UNMAPPED, source_of_whole_box),
    ROW(UNMAPPED, source_start_only),
    ROW(UNMAPPED, source_below_end),
    ROW(BASE_UNMAPPED, any),
    ROW(BASE_UNMAPPED, base_always),
    ROW(BASE_UNMAPPED, base_when_negative)
#undef ROW
};

LOOP_TEST(load_vectors_notice_each_wrong_check, 0, ROWS_OF(mutants))
{
    for (int i = 0; i < VECTORS; i++) {
        if (vectors[i].about != mutants[_i].rule) continue;
        const struct load load = load_of(&vectors[i]);
        if (mutants[_i].accepts(&load) != (vectors[i].rules[0] == RULE_OK)) return;
    }
    ck_abort_msg("%s passes", mutants[_i].name);
}
