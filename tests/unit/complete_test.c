// SPDX-License-Identifier: MIT
// The suite `complete`: an operation from its check to its barriers in one call, the place of its map, and the check of
// barrier instructions, which changes nothing.
#include <string.h>

#include "complete.h"
#include "rules/all.h"
#include "version.h"

enum { ROWS = 64, COLUMNS = 32, SMEM_BYTES = 8192, CTAS = 2, BARRIER = 4096, BOX_BYTES = 8 * COLUMNS };
#define BASE      ((uint64_t)0x10000)
#define PARAMETER ((uint64_t)0x7fff00000000)

static uint8_t tensor[ROWS * COLUMNS], smem[CTAS][SMEM_BYTES];
static const struct region region = {{tensor, BASE, sizeof tensor}, 0};
static const struct global_memory global = {&region, 1};
static const struct memory ctas[] = {{smem[0], 0, SMEM_BYTES}, {smem[1], 0, SMEM_BYTES}};
static const struct cluster_memory alone = {ctas, 1, 0, 0}, pair = {ctas, CTAS, 1, 0};
static const struct memories memories = {&global, &alone}, both = {&global, &pair};

static struct operation load(void)
{
    return (struct operation){.kind = OPERATION_TENSOR_LOAD,
                              .dims = 2,
                              .map = {.rank = 2,
                                      .dtype = DTYPE_UINT32,
                                      .address = BASE,
                                      .dim = {COLUMNS / 4, ROWS},
                                      .stride = {4, COLUMNS},
                                      .box = {COLUMNS / 4, 8},
                                      .estride = {1, 1},
                                      .box_bytes = BOX_BYTES},
                              .barrier = BARRIER};
}

static uint64_t word_of(int cta)
{
    uint64_t word;
    memcpy(&word, smem[cta] + BARRIER, sizeof word);
    return word;
}

// One arrival, and `bytes` expected.
static void expect(int cta, uint32_t bytes)
{
    uint64_t word = mbarrier_init(1);
    const struct mbarrier_transaction announce = {.arrivals = 1, .expect_bytes = bytes};
    ck_assert_int_eq(mbarrier_transact(&word, &announce), RULE_OK);
    memcpy(smem[cta] + BARRIER, &word, sizeof word);
}

static void reset(void)
{
    for (int i = 0; i < ROWS * COLUMNS; i++) tensor[i] = (uint8_t)(i * 7);
    memset(smem, 0xee, sizeof smem);
    expect(0, BOX_BYTES);
    expect(1, BOX_BYTES);
}

// --- The place of the map --------------------------------------------------------------------------------------------

static const struct {
    uint64_t address;
    enum map_location location;
    enum rule rule;
    int error;
    const char *why;
} maps[] = {
    {0, MAP_IN_GLOBAL, RULE_OK, 0, "no place is given"},
    {BASE + 64, MAP_IN_GLOBAL, RULE_OK, 0, "a map in global memory"},
    {0x10004, MAP_IN_GLOBAL, RULE_MAP_LOCATION_ALIGN, 716, "a map that is not aligned"},
    {PARAMETER, MAP_IN_GLOBAL, RULE_MAP_LOCATION_UNMAPPED, 700, "a map in a hole"},
    {BASE + sizeof tensor - 64, MAP_IN_GLOBAL, RULE_MAP_LOCATION_UNMAPPED, 700, "a map whose end is not mapped"},
    {PARAMETER, MAP_IN_PARAM, RULE_OK, 0, "a parameter is no global memory"},
    {PARAMETER + 4, MAP_IN_PARAM, RULE_MAP_LOCATION_ALIGN, 716, "a parameter that is not aligned"},
    {0x400, MAP_IN_SHARED, RULE_MAP_LOCATION_SPACE, 0, "a map in shared memory"},
    {BASE, MAP_UNMAPPED, RULE_MAP_LOCATION_UNMAPPED, 700, "nothing is there"},
    {BASE, MAP_LOCATIONS, RULE_INSTRUCTION_FORM, 0, "no state space"},
};

LOOP_TEST(map_location_unmapped__is_checked_with_the_operation, 0, ROWS_OF(maps))
{
    static const enum operation_kind kinds[] = {OPERATION_TENSOR_LOAD, OPERATION_TENSOR_STORE, OPERATION_TENSOR_REDUCE,
                                                OPERATION_TENSOR_PREFETCH};
    for (int i = 0; i < 4; i++) {
        struct findings findings;
        struct operation o = load();
        reset();
        o.kind = kinds[i];
        o.map_address = maps[_i].address;
        o.map_location = maps[_i].location;
        enum rule rule = operation_check(&o, &memories, &findings);
        ck_assert_msg(rule == maps[_i].rule, "%s: %s", maps[_i].why, rule_row(rule)->id);
        ck_assert_int_eq(operation_check(&o, &memories, NULL), rule);
        if (maps[_i].error != 0) ck_assert_int_eq(rule_cuda_error(rule), maps[_i].error);
        ck_assert_int_eq(operation_run(&o, &memories, NULL, NULL, NULL), rule);
    }
}

// Whatever else is wrong: the map is read first.
TEST(map_location_align__comes_before_all_else)
{
    struct findings findings;
    struct operation o = load();
    o.map_address = PARAMETER; // 700
    o.shared = 4;              // 716
    ck_assert_int_eq(operation_check(&o, &memories, &findings), RULE_MAP_LOCATION_UNMAPPED);
    ck_assert_int_eq(findings.count, 2);
    ck_assert_int_eq(findings.item[1].rule, RULE_LOAD_SMEM_ALIGN);
    o.is_multicast = 1; // to nobody: nothing is looked at
    ck_assert_int_eq(operation_check(&o, &memories, NULL), RULE_OK);
}

// --- In one call -----------------------------------------------------------------------------------------------------

TEST(complete_ends_at_the_barrier)
{
    struct piece piece;
    struct findings findings;
    const struct operation o = load();
    reset();
    ck_assert_int_eq(operation_complete(&o, &memories, NULL, NULL, &piece, &findings), RULE_OK);
    ck_assert_int_eq(findings.count, 0);
    ck_assert_uint_eq(piece.complete_bytes, BOX_BYTES);
    ck_assert_mem_eq(smem[0], tensor, BOX_BYTES);
    ck_assert_int_eq(mbarrier_unpack(word_of(0)).phase, 1);
}

TEST(complete_tells_every_cta_of_a_multicast)
{
    struct operation o = load();
    reset();
    o.is_multicast = 1;
    o.mask = 3;
    ck_assert_int_eq(operation_complete(&o, &both, NULL, NULL, NULL, NULL), RULE_OK);
    for (int cta = 0; cta < CTAS; cta++) {
        ck_assert_mem_eq(smem[cta], tensor, BOX_BYTES);
        ck_assert_int_eq(mbarrier_unpack(word_of(cta)).phase, 1);
    }
}

TEST(complete_changes_nothing_where_the_operation_is_refused)
{
    struct operation o = load();
    struct piece piece;
    reset();
    o.map_address = 0x10004;
    const uint64_t before = word_of(0);
    ck_assert_int_eq(operation_complete(&o, &memories, NULL, NULL, &piece, NULL), RULE_MAP_LOCATION_ALIGN);
    ck_assert_uint_eq(piece.bytes, 0);
    ck_assert_uint_eq(word_of(0), before);
    ck_assert_uint_eq(smem[0][0], 0xee);
}

// The bytes are there; the barrier has its error bit.
TEST(complete_returns_what_the_barrier_breaks)
{
    const struct operation o = load();
    const struct mbarrier_fields full = {.pending = 1, .expected = 1, .tx = MBARRIER_TX_MIN};
    const uint64_t word = mbarrier_pack(&full);
    struct findings findings;
    reset();
    memcpy(smem[0] + BARRIER, &word, sizeof word);
    ck_assert_int_eq(operation_complete(&o, &memories, NULL, NULL, NULL, &findings), RULE_MBARRIER_TX_RANGE);
    ck_assert_int_eq(findings.count, 1);
    ck_assert_int_eq(mbarrier_unpack(word_of(0)).error, 1);
    ck_assert_mem_eq(smem[0], tensor, BOX_BYTES);
}

// A store tells no barrier, and a ledger hears of a load's.
TEST(complete_writes_the_ledger)
{
    struct ledger pages[2];
    struct ledger_book book;
    struct operation o = load();
    reset();
    ledger_book_start(&book, pages, 2);
    ck_assert_int_eq(operation_complete(&o, &memories, &book, NULL, NULL, NULL), RULE_OK);
    ck_assert_uint_eq(ledger_find(&book, 0, BARRIER)->phases, 1);
    o.kind = OPERATION_TENSOR_STORE;
    ck_assert_int_eq(operation_complete(&o, &memories, &book, NULL, NULL, NULL), RULE_OK);
    ck_assert_uint_eq(ledger_find(&book, 0, BARRIER)->phases, 1);
}

// --- The check of barrier instructions -------------------------------------------------------------------------------

static void hear(void *context, const struct event *event)
{
    (void)event;
    ++*(int *)context;
}

// Every operation, on words of every kind: the check says what the execution says, and changes nothing.
TEST(check_of_a_barrier_says_what_operate_says)
{
    static const uint64_t operands[] = {0, 1, 2, 1u << 20, UINT32_MAX};
    const struct mbarrier_fields fields[] = {{.pending = 2, .expected = 2},
                                             {.pending = 1, .expected = 40, .tx = 16},
                                             {.pending = 3, .expected = 3, .tx = MBARRIER_TX_MIN},
                                             {.pending = 1, .expected = 1, .error = 1}};
    int refused = 0, heard = 0;
    const struct observer observer = {.hear = hear, .context = &heard};
    const struct teller teller = {.observer = &observer};
    for (uint32_t opcode = 1; opcode < MBARRIER_OPS; opcode++)
        for (int n = 0; n < 4 * 5 * 3; n++) {
            struct ledger pages[2], pages_before[2];
            struct ledger_book book;
            const struct mbarrier_unit unit = {&pair, &book};
            struct mbarrier_instruction in = {.opcode = opcode, .lanes = n / 20 == 0 ? 1 : 0x8000000f};
            struct findings checked, operated;
            struct mbarrier_answer answer;
            static uint8_t before[CTAS][SMEM_BYTES];
            const uint64_t word = mbarrier_pack(&fields[n % 4]);
            reset();
            memset(pages, 0, sizeof pages);
            ledger_book_start(&book, pages, 2);
            memcpy(pages_before, pages, sizeof pages);
            for (int lane = 0; lane < MBARRIER_LANES; lane++) {
                in.address[lane] = n / 20 == 2 && lane == 2 ? BARRIER + 8 : BARRIER;
                in.operand[lane] = operands[n / 4 % 5] + (n / 20 == 2 ? (uint64_t)lane : 0);
            }
            memcpy(smem[0] + BARRIER, &word, sizeof word);
            memcpy(before, smem, sizeof smem);
            const enum rule rule = mbarrier_check(&unit, &in, &checked);
            ck_assert_mem_eq(before, smem, sizeof smem);
            ck_assert_mem_eq(pages_before, pages, sizeof pages);
            ck_assert_int_eq(heard, 0);
            ck_assert_int_eq(mbarrier_operate(&unit, &in, &teller, &answer, &operated), rule);
            ck_assert_int_eq(checked.count, operated.count);
            for (int i = 0; i < checked.count && i < FINDINGS_MAX; i++)
                ck_assert_int_eq(checked.item[i].rule, operated.item[i].rule);
            refused += rule != RULE_OK;
            heard = 0;
        }
    ck_assert_int_gt(refused, 100);
}

// --- Verdicts and version --------------------------------------------------------------------------------------------

static const struct {
    enum rule rule;
    enum verdict verdict;
} verdicts[] = {
    {RULE_OK, VERDICT_WORKS},
    {RULE_LOAD_OTHER_BARRIER, VERDICT_WARNS},
    {RULE_BULK_REDUCE_TYPE, VERDICT_ASSEMBLER_REFUSES},
    {RULE_INSTRUCTION_FORM, VERDICT_ASSEMBLER_REFUSES},
    {RULE_MAP_STRIDE_ALIGN, VERDICT_CALL_REFUSES},
    {RULE_CLUSTER_SIZE, VERDICT_LAUNCH_REFUSES},
    {RULE_LOAD_SMEM_ALIGN, VERDICT_FAULTS},
    {RULE_MAP_NULL_CORNER, VERDICT_CRASHES},
    {RULE_ASYNC_GROUP_ORDER, VERDICT_UNDEFINED},
};

LOOP_TEST(verdict_says_who_refuses, 0, ROWS_OF(verdicts))
{
    ck_assert_int_eq(rule_verdict(verdicts[_i].rule), verdicts[_i].verdict);
    ck_assert_int_eq(rule_is_refusal(verdicts[_i].rule), verdicts[_i].verdict > VERDICT_WARNS);
}

// A refusal without an error is the assembler's or undefined; all others have one.
TEST(verdict_agrees_with_the_error)
{
    for (int place = 0; place < rule_count(); place++) {
        const enum rule rule = rule_at(place);
        const enum verdict verdict = rule_verdict(rule);
        const int has_error = verdict >= VERDICT_CALL_REFUSES && verdict <= VERDICT_CRASHES;
        ck_assert_msg((rule_cuda_error(rule) != 0) == has_error, "%s %s, with error %d", rule_row(rule)->id,
                      verdict_name(verdict), rule_cuda_error(rule));
        ck_assert_int_eq(rule_is_warning(rule), verdict == VERDICT_WARNS);
    }
}

// A reduction that PTX does not have was refused without an error, and nothing said so.
TEST(verdict_of_a_refused_operation_is_a_refusal)
{
    const struct operation o = {
        .kind = OPERATION_BULK_STORE_REDUCE, .to = BASE, .size_bytes = 16, .op = REDUCE_MIN, .dtype = DTYPE_FLOAT32};
    const enum rule rule = operation_check(&o, &memories, NULL);
    ck_assert_int_eq(rule, RULE_BULK_REDUCE_TYPE);
    ck_assert(rule_is_refusal(rule));
    ck_assert_int_eq(version(), TMAREF_VERSION);
}
