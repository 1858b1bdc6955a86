// SPDX-License-Identifier: MIT
// The suite `bulk`: what a bulk operation moves, which barrier bytes it counts, and its faults in the order of the
// hardware (716, 700, 719). Sizes are computed in the tables by hand; wrong formulas must be noticed by one of them.
#include <string.h>

#include "bulk.h"
#include "rules/bulk.h"
#include "vectors.h"

enum { SMEM_BASE = 0x400, SMEM_BYTES = 4096, SMEM_END = SMEM_BASE + SMEM_BYTES, GMEM_BYTES = 8192 };
#define GMEM_BASE ((uint64_t)1 << 40)
#define GMEM_END  (GMEM_BASE + GMEM_BYTES)
#define LONGEST   0xffff0

// --- what moves ------------------------------------------------------------------------------------------------------

static const struct {
    const char *why;
    uint32_t size_bytes, moved;
} sizes[] = {
    {"nothing", 0, 0},
    {"less than a unit", 1, 0},
    {"one short of a unit", 15, 0},
    {"a unit", 16, 16},
    {"a unit and a byte", 17, 16},
    {"one short of two", 31, 16},
    {"two", 32, 32},
    {"64 KiB", 65536, 65536},
    {"64 KiB and a unit", 65552, 65552},
    {"the longest", LONGEST, LONGEST},
    {"the longest, rounded down", LONGEST + 15, LONGEST},
    {"2^20 is nothing", 1 << 20, 0},
    {"2^20 + 15 is nothing", (1 << 20) + 15, 0},
    {"2^20 + 16", (1 << 20) + 16, 16},
    {"2^31 + 48", (1u << 31) + 48, 48},
    {"all bits", UINT32_MAX, LONGEST},
};

static uint32_t as_given(uint32_t size)
{
    return size;
}

static uint32_t rounded_down(uint32_t size)
{
    return size & ~15u;
}

static uint32_t rounded_up(uint32_t size)
{
    return (size + 15) & LONGEST;
}

static uint32_t masked_only(uint32_t size)
{
    return size & 0xfffff;
}

static uint32_t units_of_16_bits_bytes(uint32_t size)
{
    return size & 0xfff0;
}

static uint32_t saturated(uint32_t size)
{
    return size > LONGEST ? LONGEST : size & ~15u;
}

static uint32_t (*const size_mutants[])(uint32_t) = {as_given,    rounded_down,           rounded_up,
                                                     masked_only, units_of_16_bits_bytes, saturated};

static void check_size(int i)
{
    for (int form = 0; form < BULK_REGISTERS_TO_OTHER; form++)
        ck_assert_msg(bulk_moved_bytes((enum bulk_form)form, sizes[i].size_bytes) == sizes[i].moved, "%s",
                      sizes[i].why);
}

LOOP_TEST(bulk_size__is_rounded_down_to_16, 0, ROWS_OF(sizes))
{
    check_size(_i);
    ck_assert(rule_is_warning(RULE_BULK_SIZE));
}

LOOP_TEST(bulk_size_field__has_16_bits, 0, ROWS_OF(size_mutants))
{
    int noticed = 0;
    for (int i = 0; i < ROWS_OF(sizes); i++) noticed += size_mutants[_i](sizes[i].size_bytes) != sizes[i].moved;
    ck_assert_msg(noticed > 0, "no size tells mutant %d", _i);
    ck_assert(rule_is_warning(RULE_BULK_SIZE_FIELD));
}

// --- memories and a run ----------------------------------------------------------------------------------------------

// What a test may change of the operation: copies of 256 bytes from the middle of one memory to another's.
struct place {
    enum bulk_form form;
    uint64_t from, to;
    uint32_t size_bytes;
};

struct bench {
    uint8_t own[SMEM_BYTES], other[SMEM_BYTES], global[GMEM_BYTES], registers[16];
    struct memory own_memory, other_memory, global_memory, registers_memory;
    struct bulk bulk;
};

static void set_up(struct bench *bench, const struct place *place)
{
    for (int i = 0; i < SMEM_BYTES; i++) bench->own[i] = (uint8_t)(i * 7 + i / 256);
    for (int i = 0; i < 16; i++) bench->registers[i] = (uint8_t)(0xe0 + i);
    memset(bench->other, 0xa5, sizeof bench->other);
    for (int i = 0; i < GMEM_BYTES; i++) bench->global[i] = (uint8_t)(i * 5 + i / 256);
    bench->own_memory = (struct memory){bench->own, SMEM_BASE, SMEM_BYTES};
    bench->other_memory = (struct memory){bench->other, SMEM_BASE, SMEM_BYTES};
    bench->global_memory = (struct memory){bench->global, GMEM_BASE, GMEM_BYTES};
    bench->registers_memory = (struct memory){bench->registers, 0, sizeof bench->registers};
    bench->bulk =
        (struct bulk){place->form, &bench->own_memory, &bench->own_memory, place->from, place->to, place->size_bytes};
    if (bulk_is_from_global(place->form)) bench->bulk.source = &bench->global_memory;
    if (place->form == BULK_REGISTERS_TO_OTHER) bench->bulk.source = &bench->registers_memory;
    if (bulk_is_to_global(place->form)) bench->bulk.destination = &bench->global_memory;
    if (bulk_is_to_other(place->form)) bench->bulk.destination = &bench->other_memory;
}

// Copies; fails if anything but the destination's `moved` bytes changed, or if a fault wrote.
static enum rule copy(const struct place *place, uint32_t *transaction_bytes)
{
    static struct bench before, after;
    set_up(&before, place);
    set_up(&after, place);
    enum rule rule = bulk_copy(&after.bulk, transaction_bytes, NULL);
    uint32_t moved = rule == RULE_OK ? bulk_moved_bytes(place->form, place->size_bytes) : 0;
    if (moved > 0) {
        const struct bulk *bulk = &before.bulk;
        memcpy(bulk->destination->bytes + (bulk->to - bulk->destination->base),
               bulk->source->bytes + (bulk->from - bulk->source->base), moved);
    }
    ck_assert_mem_eq(before.own, after.own, sizeof before.own);
    ck_assert_mem_eq(before.other, after.other, sizeof before.other);
    ck_assert_mem_eq(before.global, after.global, sizeof before.global);
    return rule;
}

// --- transaction bytes -----------------------------------------------------------------------------------------------

static const struct {
    const char *why;
    struct place place;
    uint32_t transaction_bytes;
} copies[] = {
    {"a load", {BULK_GLOBAL_TO_SHARED, GMEM_BASE + 64, 0x500, 256}, 256},
    {"a load to another CTA", {BULK_GLOBAL_TO_OTHER, GMEM_BASE + 64, 0x500, 272}, 272},
    {"a load of 31 bytes", {BULK_GLOBAL_TO_SHARED, GMEM_BASE, SMEM_BASE, 31}, 16},
    {"a load of 2^20 + 16 bytes", {BULK_GLOBAL_TO_SHARED, GMEM_BASE, SMEM_BASE, (1 << 20) + 16}, 16},
    {"all of shared memory", {BULK_GLOBAL_TO_SHARED, GMEM_BASE + SMEM_BYTES, SMEM_BASE, SMEM_BYTES}, SMEM_BYTES},
    {"a store tells no barrier", {BULK_SHARED_TO_GLOBAL, SMEM_BASE, GMEM_BASE + 512, 512}, 0},
    {"a store at the end", {BULK_SHARED_TO_GLOBAL, SMEM_END - 16, GMEM_END - 16, 16}, 0},
    {"within a CTA", {BULK_SHARED_TO_OWN, 0x500, 0x700, 256}, 256},
    {"to another CTA", {BULK_SHARED_TO_OTHER, 0x500, 0x500, 47}, 32},
    {"nothing, from nowhere to nowhere", {BULK_SHARED_TO_OTHER, 1, 3, 15}, 0},
    {"2^20 bytes, which are nothing", {BULK_GLOBAL_TO_SHARED, 1, 3, 1 << 20}, 0},
    {"st.async of 4 bytes", {BULK_REGISTERS_TO_OTHER, 0, 0x404, 4}, 4},
    {"st.async of 8 bytes", {BULK_REGISTERS_TO_OTHER, 0, 0x408, 8}, 8},
    {"st.async of 16 bytes", {BULK_REGISTERS_TO_OTHER, 0, SMEM_END - 16, 16}, 16},
};

LOOP_TEST(bulk_tx_bytes__are_those_that_move, 0, ROWS_OF(copies))
{
    uint32_t transaction_bytes = 0xdeadbeef;
    ck_assert_msg(copy(&copies[_i].place, &transaction_bytes) == RULE_OK, "%s", copies[_i].why);
    ck_assert_msg(transaction_bytes == copies[_i].transaction_bytes, "%s: %u", copies[_i].why, transaction_bytes);
}

// --- faults ----------------------------------------------------------------------------------------------------------

// What is broken, in order; the numbers are those of the finding of `about`. `back` says which field takes the
// proposal, to make it right.
enum back { NOTHING, FROM, TO, SIZE };

static const struct vector {
    enum rule about;
    const char *why;
    struct place place;
    enum rule rules[4];
    uint64_t value, limit, nearest;
    enum back back;
} vectors[] = {
#define R(id) RULE_BULK_##id
#define G2S   BULK_GLOBAL_TO_SHARED
#define S2G   BULK_SHARED_TO_GLOBAL
#define S2S   BULK_SHARED_TO_OTHER
#define REG   BULK_REGISTERS_TO_OTHER
    // clang-format off
    {R(SIZE), "17 bytes", {G2S, GMEM_BASE, 0x500, 17}, {R(SIZE)}, 17, 16, 16, SIZE},
    {R(SIZE), "15 bytes are nothing", {G2S, 0, 0, 15}, {R(SIZE)}, 15, 16, 0, SIZE},
    {R(SIZE), "a warning before a fault", {S2G, 0x501, GMEM_BASE, 47}, {R(SIZE), R(ALIGN)}, 47, 16, 32, NOTHING},
    {R(SIZE), "32 bytes", {G2S, GMEM_BASE, 0x500, 32}, {RULE_OK}, 0, 0, 0, NOTHING},
    {R(SIZE_FIELD), "2^20", {G2S, GMEM_BASE, 0x500, 1 << 20}, {R(SIZE_FIELD)}, 1 << 20, LONGEST, 0, SIZE},
    {R(SIZE_FIELD), "2^24 + 33", {S2G, 0x500, GMEM_BASE, (1 << 24) + 33}, {R(SIZE), R(SIZE_FIELD)}, (1 << 24) + 33,
     LONGEST, 32, SIZE},
    {R(SIZE_FIELD), "the longest", {G2S, GMEM_BASE, 0x500, LONGEST}, {R(UNMAPPED), R(SMEM_BOUNDS)}, 0, 0, 0, NOTHING},
    {R(SIZE_FIELD), "not of st.async", {REG, 0, 0x500, 4}, {RULE_OK}, 0, 0, 0, NOTHING},
    {R(ALIGN), "source + 1", {G2S, GMEM_BASE + 1, 0x500, 64}, {R(ALIGN)}, GMEM_BASE + 1, 16, GMEM_BASE, FROM},
    {R(ALIGN), "source + 8", {S2S, 0x508, 0x500, 64}, {R(ALIGN)}, 0x508, 16, 0x500, FROM},
    {R(ALIGN), "destination + 2", {G2S, GMEM_BASE, 0x502, 64}, {R(ALIGN)}, 0x502, 16, 0x500, TO},
    {R(ALIGN), "destination + 4", {S2G, 0x500, GMEM_BASE + 4, 64}, {R(ALIGN)}, GMEM_BASE + 4, 16, GMEM_BASE, TO},
    {R(ALIGN), "within a CTA", {BULK_SHARED_TO_OWN, 0x500, 0x60f, 64}, {R(ALIGN)}, 0x60f, 16, 0x600, TO},
    {R(ALIGN), "both, before 700", {S2G, 0x50c, GMEM_END + 8, 64}, {R(ALIGN), R(ALIGN), R(UNMAPPED)}, 0x50c, 16, 0x500,
     NOTHING},
    {R(ALIGN), "both, before 719", {S2S, SMEM_END - 8, SMEM_END - 8, 16},
     {R(ALIGN), R(ALIGN), R(SMEM_BOUNDS), R(REMOTE_BOUNDS)}, SMEM_END - 8, 16, SMEM_END - 16, NOTHING},
    {R(ALIGN), "15 bytes look at nothing", {S2G, 0x501, GMEM_BASE + 1, 15}, {R(SIZE)}, 0, 0, 0, NOTHING},
    {R(ALIGN), "16 is enough", {G2S, GMEM_BASE + 16, 0x510, 64}, {RULE_OK}, 0, 0, 0, NOTHING},
    {R(ASYNC_ALIGN), "b32 + 2", {REG, 0, 0x502, 4}, {R(ASYNC_ALIGN)}, 0x502, 4, 0x500, TO},
    {R(ASYNC_ALIGN), "b64 + 4", {REG, 0, 0x504, 8}, {R(ASYNC_ALIGN)}, 0x504, 8, 0x500, TO},
    {R(ASYNC_ALIGN), "v4 + 8", {REG, 0, 0x508, 16}, {R(ASYNC_ALIGN)}, 0x508, 16, 0x500, TO},
    {R(ASYNC_ALIGN), "b32 + 4", {REG, 0, 0x504, 4}, {RULE_OK}, 0, 0, 0, NOTHING},
    {R(SMEM_BOUNDS), "the source's end", {S2G, SMEM_END - 32, GMEM_BASE, 48}, {R(SMEM_BOUNDS)}, SMEM_END - 32, SMEM_END,
     SMEM_END - 48, FROM},
    {R(SMEM_BOUNDS), "the source's start", {S2S, SMEM_BASE - 16, 0x500, 32}, {R(SMEM_BOUNDS)}, SMEM_BASE - 16, SMEM_END,
     SMEM_BASE, FROM},
    {R(SMEM_BOUNDS), "the destination's end", {G2S, GMEM_BASE, SMEM_END, 16}, {R(SMEM_BOUNDS)}, SMEM_END, SMEM_END,
     SMEM_END - 16, TO},
    {R(REMOTE_BOUNDS), "within a CTA", {BULK_SHARED_TO_OWN, 0x500, SMEM_END - 16, 32}, {R(REMOTE_BOUNDS)}, SMEM_END - 16,
     SMEM_END, SMEM_END - 32, TO},
    {R(SMEM_BOUNDS), "too long for it", {S2G, SMEM_BASE, GMEM_BASE, SMEM_BYTES + 16}, {R(SMEM_BOUNDS)}, SMEM_BASE,
     SMEM_END, SMEM_BASE, NOTHING},
    {R(SMEM_BOUNDS), "just fits", {S2G, SMEM_END - 48, GMEM_BASE, 63}, {R(SIZE)}, 0, 0, 0, NOTHING},
    {R(UNMAPPED), "the source's end", {G2S, GMEM_END - 16, 0x500, 32}, {R(UNMAPPED)}, GMEM_END - 16, GMEM_END,
     GMEM_END - 32, FROM},
    {R(UNMAPPED), "the source's start", {BULK_GLOBAL_TO_OTHER, GMEM_BASE - 16, 0x500, 32}, {R(UNMAPPED)},
     GMEM_BASE - 16, GMEM_END, GMEM_BASE, FROM},
    {R(UNMAPPED), "the destination's end", {S2G, 0x500, GMEM_END - 16, 32}, {R(UNMAPPED)}, GMEM_END - 16, GMEM_END,
     GMEM_END - 32, TO},
    {R(UNMAPPED), "over 2^64", {S2G, 0x500, UINT64_MAX - 15, 32}, {R(UNMAPPED)}, UINT64_MAX - 15, GMEM_END,
     GMEM_END - 32, TO},
    {R(UNMAPPED), "just fits", {S2G, 0x500, GMEM_END - 32, 32}, {RULE_OK}, 0, 0, 0, NOTHING},
    {R(REMOTE_BOUNDS), "the end", {S2S, 0x500, SMEM_END - 16, 32}, {R(REMOTE_BOUNDS)}, SMEM_END - 16, SMEM_END,
     SMEM_END - 32, TO},
    {R(REMOTE_BOUNDS), "a load", {BULK_GLOBAL_TO_OTHER, GMEM_BASE, SMEM_END, 16}, {R(REMOTE_BOUNDS)}, SMEM_END, SMEM_END,
     SMEM_END - 16, TO},
    {R(REMOTE_BOUNDS), "st.async", {REG, 0, SMEM_END, 8}, {R(REMOTE_BOUNDS)}, SMEM_END, SMEM_END, SMEM_END - 8, TO},
    {R(REMOTE_BOUNDS), "after 700", {S2S, SMEM_END, SMEM_END, 16}, {R(SMEM_BOUNDS), R(REMOTE_BOUNDS)}, SMEM_END,
     SMEM_END, SMEM_END - 16, NOTHING},
    {R(REMOTE_LIMIT), "past the SM", {S2S, 0x500, SM_SHARED_BYTES, 16}, {R(REMOTE_LIMIT)}, SM_SHARED_BYTES, SMEM_END,
     SMEM_END - 16, TO},
    {R(REMOTE_LIMIT), "over the end of the SM", {S2S, 0x500, SM_SHARED_BYTES - 16, 32}, {R(REMOTE_LIMIT)},
     SM_SHARED_BYTES - 16, SMEM_END, SMEM_END - 32, NOTHING},
    {R(REMOTE_LIMIT), "the last of the SM", {S2S, 0x500, SM_SHARED_BYTES - 16, 16}, {R(REMOTE_BOUNDS)},
     SM_SHARED_BYTES - 16, SMEM_END, SMEM_END - 16, NOTHING},
    {R(REMOTE_BOUNDS), "just fits", {S2S, 0x500, SMEM_END - 16, 16}, {RULE_OK}, 0, 0, 0, NOTHING},
// clang-format on
#undef R
#undef G2S
#undef S2G
#undef S2S
#undef REG
};

// The first rule that is no warning.
static enum rule first_of(const enum rule *rules)
{
    for (int i = 0; i < 4 && rules[i] != RULE_OK; i++)
        if (!rule_is_warning(rules[i])) return rules[i];
    return RULE_OK;
}

static void check_finding(const struct vector *vector, const struct findings *findings)
{
    const char *name = vector_name(vector->about, vector->why);
    int i = 0;
    while (i < findings->count && findings->item[i].rule != vector->about) i++;
    if (i == findings->count) return;
    const struct finding *finding = &findings->item[i];
    ck_assert_msg(finding->value == vector->value && finding->limit == vector->limit &&
                      finding->nearest == vector->nearest,
                  "%s: value %llx limit %llx nearest %llx", name, (unsigned long long)finding->value,
                  (unsigned long long)finding->limit, (unsigned long long)finding->nearest);
    if (vector->back == NOTHING) return;
    struct place place = vector->place;
    if (vector->back == FROM) place.from = finding->nearest;
    if (vector->back == TO) place.to = finding->nearest;
    if (vector->back == SIZE) place.size_bytes = (uint32_t)finding->nearest;
    uint32_t transaction_bytes;
    ck_assert_msg(copy(&place, &transaction_bytes) == RULE_OK, "%s: the proposal faults", name);
}

static void check_vector(const struct vector *vector)
{
    const char *name = vector_name(vector->about, vector->why);
    static struct bench bench;
    struct findings findings = {0};
    uint32_t transaction_bytes = 0xdeadbeef;
    set_up(&bench, &vector->place);
    enum rule rule = bulk_check(&bench.bulk, &findings);
    ck_assert_msg(rule == first_of(vector->rules), "%s: the check says %s, not %s", name, rule_row(rule)->id,
                  rule_row(first_of(vector->rules))->id);
    const enum rule same = copy(&vector->place, &transaction_bytes);
    ck_assert_msg(same == rule, "%s: the check says %s, the copy %s", name, rule_row(rule)->id, rule_row(same)->id);
    ck_assert_msg((transaction_bytes == 0xdeadbeef) == (rule != RULE_OK), "%s: %s, and its bytes are %u", name,
                  rule_row(rule)->id, transaction_bytes);
    int count = 0;
    while (count < 4 && vector->rules[count] != RULE_OK) count++;
    ck_assert_msg(findings.count == count, "%s: %d findings", name, findings.count);
    for (int i = 0; i < count; i++)
        ck_assert_msg(findings.item[i].rule == vector->rules[i], "%s: finding %d is %s", name, i,
                      rule_row(findings.item[i].rule)->id);
    check_finding(vector, &findings);
}

static void check_vectors(enum rule rule, int cuda_error)
{
    int broken = 0, kept = 0;
    ck_assert_int_eq(rule_cuda_error(rule), cuda_error);
    for (int i = 0; i < ROWS_OF(vectors); i++) {
        if (vectors[i].about != rule) continue;
        check_vector(&vectors[i]);
        int is_about = 0;
        for (int j = 0; j < 4; j++) is_about |= vectors[i].rules[j] == rule;
        broken += is_about, kept += !is_about;
    }
    vectors_are_of_both_sides(rule, "tests/unit/bulk_test.c", broken, kept);
}

TEST_CALL(bulk_size__is_a_warning, check_vectors(RULE_BULK_SIZE, 0))
TEST_CALL(bulk_size_field__is_a_warning, check_vectors(RULE_BULK_SIZE_FIELD, 0))
TEST_CALL(bulk_align__is_16_of_every_address_that_is_used, check_vectors(RULE_BULK_ALIGN, 716))
TEST_CALL(bulk_async_align__is_that_of_the_whole_vector, check_vectors(RULE_BULK_ASYNC_ALIGN, 716))
TEST_CALL(bulk_smem_bounds__are_exact, check_vectors(RULE_BULK_SMEM_BOUNDS, 700))
TEST_CALL(bulk_unmapped__counts_every_byte, check_vectors(RULE_BULK_UNMAPPED, 700))
TEST_CALL(bulk_remote_bounds__are_719, check_vectors(RULE_BULK_REMOTE_BOUNDS, 719))
TEST_CALL(bulk_remote_limit__is_700, check_vectors(RULE_BULK_REMOTE_LIMIT, 700))

// --- reductions ------------------------------------------------------------------------------------------------------

// Legal types of each operation, a bit each: in global memory, and in another CTA.
static const struct {
    uint32_t global, cluster;
} legal[REDUCE_OPS] = {
#define T(name) (1u << DTYPE_##name)
    [REDUCE_ADD] = {T(UINT32) | T(INT32) | T(UINT64) | T(FLOAT32) | T(FLOAT64) | T(FLOAT16) | T(BFLOAT16),
                    T(UINT32) | T(INT32) | T(UINT64)},
    [REDUCE_MIN] = {T(UINT32) | T(INT32) | T(UINT64) | T(INT64) | T(FLOAT16) | T(BFLOAT16), T(UINT32) | T(INT32)},
    [REDUCE_MAX] = {T(UINT32) | T(INT32) | T(UINT64) | T(INT64) | T(FLOAT16) | T(BFLOAT16), T(UINT32) | T(INT32)},
    [REDUCE_INC] = {T(UINT32), T(UINT32)},
    [REDUCE_DEC] = {T(UINT32), T(UINT32)},
    [REDUCE_AND] = {T(UINT32) | T(UINT64), T(UINT32)},
    [REDUCE_OR] = {T(UINT32) | T(UINT64), T(UINT32)},
    [REDUCE_XOR] = {T(UINT32) | T(UINT64), T(UINT32)},
#undef T
};

LOOP_TEST(bulk_reduce_type__depends_on_the_destination, 0, BULK_FORMS)
{
    const struct place place = {(enum bulk_form)_i, GMEM_BASE, 0x500, 8};
    static struct bench bench;
    struct findings findings;
    for (int op = 0; op < REDUCE_OPS; op++)
        for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
            uint32_t types = bulk_is_from_global((enum bulk_form)_i) ? 0
                             : _i == BULK_SHARED_TO_GLOBAL           ? legal[op].global
                                                                     : legal[op].cluster;
            int is_legal = types >> dtype & 1;
            uint32_t transaction_bytes;
            ck_assert_int_eq(bulk_reduce_is_legal((enum bulk_form)_i, (enum reduce_op)op, (enum dtype)dtype), is_legal);
            set_up(&bench, &place);
            if (is_legal) continue;
            ck_assert_int_eq(
                bulk_reduce(&bench.bulk, (enum reduce_op)op, (enum dtype)dtype, &transaction_bytes, &findings),
                RULE_BULK_REDUCE_TYPE);
            ck_assert_int_eq(findings.count, 1);
        }
}

// Every row of the list, 47 bytes of it: 32 are reduced as reduce_apply() does, the rest stays.
LOOP_TEST(bulk_reduce_changes_what_moves, 0, BULK_REDUCTIONS)
{
    const struct bulk_reduction *row = bulk_reduction((enum bulk_reduction_id)_i);
    const int is_global = row->is_global_only || _i % 2;
    const struct place place = {is_global ? BULK_SHARED_TO_GLOBAL : BULK_SHARED_TO_OTHER, 0x500,
                                is_global ? GMEM_BASE + 256 : 0x600, 47};
    static struct bench want, got;
    uint32_t transaction_bytes;
    set_up(&want, &place);
    set_up(&got, &place);
    uint8_t *to = is_global ? want.global + 256 : want.other + 0x200;
    ck_assert(reduce_apply(row->op, row->dtype, to, want.own + 0x100, 32 / dtype_row(row->dtype)->size_bytes));
    ck_assert_int_eq(bulk_reduce(&got.bulk, row->op, row->dtype, &transaction_bytes, NULL), RULE_OK);
    ck_assert_uint_eq(transaction_bytes, is_global ? 0 : 32);
    ck_assert_mem_eq(want.own, got.own, sizeof want.own);
    ck_assert_mem_eq(want.other, got.other, sizeof want.other);
    ck_assert_mem_eq(want.global, got.global, sizeof want.global);
    ck_assert_str_eq(row->op_ptx,
                     _i == BULK_ADD_FLOAT16 || _i == BULK_ADD_BFLOAT16 ? "add.noftz" : reduce_op_name(row->op));
}

TEST(bulk_reduce_of_nothing_and_of_faults_changes_nothing)
{
    static struct bench want, got;
    struct place place = {BULK_SHARED_TO_GLOBAL, 0x501, GMEM_BASE + 1, 15};
    uint32_t transaction_bytes = 7;
    set_up(&want, &place);
    set_up(&got, &place);
    ck_assert_int_eq(bulk_reduce(&got.bulk, REDUCE_ADD, DTYPE_UINT32, &transaction_bytes, NULL), RULE_OK);
    ck_assert_uint_eq(transaction_bytes, 0);
    got.bulk.size_bytes = 16;
    ck_assert_int_eq(bulk_reduce(&got.bulk, REDUCE_ADD, DTYPE_UINT32, &transaction_bytes, NULL), RULE_BULK_ALIGN);
    ck_assert_mem_eq(want.global, got.global, sizeof want.global);
}
