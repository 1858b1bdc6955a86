// SPDX-License-Identifier: MIT
// The suite `operation`: the check of an operation as a whole. Holes and read-only regions fault like memory that is
// not mapped, the barrier's and the cache hint's faults are among the others in the hardware's order, and CTAs that are
// not there are not reached.
#include "flight.h"
#include "rules/all.h"

enum { PIECE = 4096, SMEM_BASE = 1024, SMEM_BYTES = 8192, CTAS = 2, BARRIER = SMEM_BASE };
#define BASE ((uint64_t)1 << 40)

// Two regions that touch, a hole of one piece, and a region that is read-only.
static uint8_t bytes[3][PIECE];
_Alignas(128) static uint8_t smem[CTAS][SMEM_BYTES];
static const struct region regions[] = {
    {{bytes[0], BASE, PIECE}, 0}, {{bytes[1], BASE + PIECE, PIECE}, 0}, {{bytes[2], BASE + 3 * PIECE, PIECE}, 1}};
static const struct global_memory global = {regions, 3};
static const struct memory ctas[] = {{smem[0], SMEM_BASE, SMEM_BYTES}, {smem[1], SMEM_BASE, SMEM_BYTES}};
static const struct cluster_memory pair = {ctas, CTAS, 1, 0}, alone = {ctas, 1, 0, 0}, left = {ctas, CTAS, 1, 2};

// Rows of 64 bytes, 64 of them to a piece; the box is two rows.
static struct operation tensor(enum operation_kind kind, int32_t row)
{
    return (struct operation){.kind = kind,
                              .dims = 2,
                              .map = {.rank = 2,
                                      .dtype = DTYPE_UINT32,
                                      .address = BASE,
                                      .dim = {16, 256},
                                      .stride = {4, 64},
                                      .box = {16, 2},
                                      .estride = {1, 1}},
                              .coord = {0, row},
                              .shared = SMEM_BASE + 128,
                              .barrier = BARRIER};
}

static struct operation linear(enum operation_kind kind, uint64_t from, uint64_t to)
{
    return (struct operation){.kind = kind, .from = from, .to = to, .size_bytes = 16, .barrier = BARRIER};
}

enum { SHARED = SMEM_BASE + 256, OTHER = 1 << 24 | SHARED, READ_ONLY_ROW = 192, HOLE_ROW = 128 };
#define R(id)     RULE_##id
#define HOLE      (BASE + 2 * PIECE)
#define READ_ONLY (BASE + 3 * PIECE)

// Where operations meet global memory.
static const struct {
    enum operation_kind kind;
    int32_t row; // of tensor operations
    uint64_t from, to;
    enum rule rule;
    uint64_t value; // the first byte that is wrong
    const char *why;
} places[] = {
    {OPERATION_TENSOR_LOAD, 63, 0, 0, RULE_OK, 0, "a load goes on over the border of regions that touch"},
    {OPERATION_TENSOR_LOAD, 127, 0, 0, R(LOAD_UNMAPPED), HOLE, "a load ends in a hole"},
    {OPERATION_TENSOR_LOAD, 191, 0, 0, R(LOAD_UNMAPPED), HOLE + PIECE - 64, "a load begins in a hole"},
    {OPERATION_TENSOR_LOAD, READ_ONLY_ROW, 0, 0, RULE_OK, 0, "a load may read what is read-only"},
    {OPERATION_TENSOR_STORE, 63, 0, 0, RULE_OK, 0, "a store goes on over the border"},
    {OPERATION_TENSOR_STORE, HOLE_ROW, 0, 0, R(STORE_UNMAPPED), HOLE, "a store to a hole"},
    {OPERATION_TENSOR_STORE, READ_ONLY_ROW, 0, 0, R(STORE_UNMAPPED), READ_ONLY, "a store to what is read-only"},
    {OPERATION_TENSOR_REDUCE, 191, 0, 0, R(STORE_UNMAPPED), HOLE + PIECE - 64, "a reduction in a hole"},
    {OPERATION_TENSOR_PREFETCH, HOLE_ROW, 0, 0, RULE_OK, 0, "a prefetch looks at no data"},
    {OPERATION_BULK_LOAD, 0, BASE + PIECE - 16, SHARED, RULE_OK, 0, "up to the border"},
    {OPERATION_BULK_LOAD, 0, HOLE, SHARED, R(BULK_UNMAPPED), HOLE, "a bulk load from a hole"},
    {OPERATION_BULK_LOAD, 0, READ_ONLY, SHARED, RULE_OK, 0, "a bulk load from what is read-only"},
    {OPERATION_BULK_STORE, 0, SHARED, READ_ONLY, R(BULK_UNMAPPED), READ_ONLY, "a bulk store to what is read-only"},
    {OPERATION_BULK_STORE_REDUCE, 0, SHARED, HOLE, R(BULK_UNMAPPED), HOLE, "a bulk reduction in a hole"},
    {OPERATION_CP_ASYNC, 0, HOLE, SHARED, R(CP_ASYNC_UNMAPPED), HOLE, "cp.async from a hole"},
    {OPERATION_CP_ASYNC, 0, READ_ONLY, SHARED, RULE_OK, 0, "cp.async from what is read-only"},
};

LOOP_TEST(load_unmapped__holes_and_read_only_regions_fault, 0, ROWS_OF(places))
{
    const struct memories memories = {&global, &alone};
    struct findings findings;
    int is_tensor = places[_i].kind <= OPERATION_TENSOR_PREFETCH;
    struct operation o =
        is_tensor ? tensor(places[_i].kind, places[_i].row) : linear(places[_i].kind, places[_i].from, places[_i].to);
    o.op = REDUCE_ADD, o.dtype = DTYPE_UINT32;
    ck_assert_msg(operation_check(&o, &memories, &findings) == places[_i].rule, "%s: %s", places[_i].why,
                  rule_row(findings_first_broken(&findings))->id);
    findings.count = -1; // emptied by the call
    ck_assert_int_eq(operation_run(&o, &memories, NULL, NULL, &findings), places[_i].rule);
    ck_assert_int_eq(findings_first_broken(&findings), places[_i].rule);
    if (places[_i].rule == RULE_OK) return;
    ck_assert_msg(findings.item[0].value == places[_i].value, "%s: 0x%llx", places[_i].why,
                  (unsigned long long)findings.item[0].value);
    if (places[_i].value == READ_ONLY) ck_assert_str_eq(findings.item[0].argument, "address, mapped read-only");
}

// Operations on shared memory and barriers, what they break first and then.
static const struct {
    struct operation operation;
    const struct cluster_memory *cluster;
    enum rule rules[3];
    const char *why;
} orders[] = {
    {{.kind = OPERATION_BULK_LOAD, .from = HOLE, .to = SHARED, .size_bytes = 16, .barrier = BARRIER + 4},
     &alone,
     {R(MBARRIER_ADDRESS_ALIGN), R(BULK_UNMAPPED)},
     "the barrier's 716 before the source's 700"},
    {{.kind = OPERATION_BULK_LOAD,
      .from = BASE + 4,
      .to = SHARED,
      .size_bytes = 16,
      .has_policy = 1,
      .policy = 1ull << 59},
     &alone,
     {R(CACHE_POLICY), R(BULK_ALIGN), R(OPERAND_BARRIER_BOUNDS)},
     "the cache hint's 715 before 716 before the barrier's 700"},
    {{.kind = OPERATION_BULK_LOAD,
      .from = HOLE,
      .to = 5 << 24 | SHARED,
      .size_bytes = 16,
      .barrier = 5 << 24 | BARRIER},
     &pair,
     {R(LOAD_OTHER_RANK), R(BULK_UNMAPPED)},
     "of a load to another CTA the missing one (719) before the source (700)"},
    {{.kind = OPERATION_BULK_LOAD, .from = BASE, .to = SHARED, .size_bytes = 0, .barrier = 3},
     &alone,
     {RULE_OK},
     "no bytes"},
    {{.kind = OPERATION_BULK_STORE, .from = SHARED, .to = BASE, .has_policy = 1, .policy = 1ull << 59},
     &alone,
     {RULE_OK},
     "no bytes, any cache hint"},
    {{.kind = OPERATION_BULK_SEND,
      .from = SHARED,
      .to = 33u << 24 | OTHER,
      .size_bytes = 16,
      .barrier = 1 << 24 | BARRIER},
     &pair,
     {RULE_OK},
     "a copy between CTAs takes the rank modulo 32"},
    {{.kind = OPERATION_BULK_LOAD, .issuer = 2, .from = BASE, .to = SHARED, .size_bytes = 16, .barrier = BARRIER},
     &pair,
     {R(INSTRUCTION_FORM)},
     "an issuer that is not there"},
    {{.kind = OPERATION_RED_ASYNC,
      .to = 1 << 24 | SHARED,
      .size_bytes = 8,
      .op = REDUCE_ADD,
      .dtype = DTYPE_UINT32,
      .barrier = 1 << 24 | BARRIER},
     &pair,
     {R(INSTRUCTION_FORM)},
     "red.async of a size that its type has not"},
    {{.kind = OPERATION_CP_ASYNC,
      .form = CP_ASYNC_WHOLE,
      .from = BASE + 2,
      .to = 1 << 24 | SHARED,
      .size_bytes = 4,
      .source_operand = 4},
     &alone,
     {R(CP_ASYNC_SRC_ALIGN), R(CP_ASYNC_WINDOW)},
     "cp.async: the source's 716 before the window's 715"},
    {{.kind = OPERATION_CP_ASYNC,
      .form = CP_ASYNC_WHOLE,
      .from = BASE,
      .to = SM_SHARED_BYTES + 2,
      .size_bytes = 4,
      .source_operand = 4},
     &alone,
     {R(CP_ASYNC_SMEM_BOUNDS), R(CP_ASYNC_ALIGN)},
     "cp.async: the end of shared memory (700) before the destination's 716"},
    {{.kind = OPERATION_BULK_SEND, .from = SHARED, .to = OTHER, .size_bytes = 16, .barrier = 1 << 24 | BARRIER},
     &pair,
     {RULE_OK},
     "a copy between CTAs"},
    {{.kind = OPERATION_BULK_SEND, .issuer = 1, .from = OTHER, .to = SHARED, .size_bytes = 16, .barrier = BARRIER},
     &pair,
     {RULE_OK},
     "the own rank may stand in the source"},
    {{.kind = OPERATION_BULK_SEND, .from = OTHER, .to = OTHER, .size_bytes = 16, .barrier = 1 << 24 | BARRIER},
     &pair,
     {R(OPERAND_RANK)},
     "another's may not"},
    {{.kind = OPERATION_BULK_SEND, .from = SHARED, .to = SHARED, .size_bytes = 16, .barrier = BARRIER},
     &alone,
     {R(CLUSTER_NONE)},
     "no cluster"},
    {{.kind = OPERATION_ST_ASYNC, .to = 1 << 24 | (SHARED + 4), .size_bytes = 8, .barrier = 1 << 24 | BARRIER},
     &left,
     {R(BULK_ASYNC_ALIGN), R(CLUSTER_EXITED)},
     "716 before the CTA that has exited"},
    {{.kind = OPERATION_ST_ASYNC, .to = 40u << 24 | SHARED, .size_bytes = 8, .barrier = BARRIER},
     &pair,
     {R(CLUSTER_RANK_LIMIT)},
     "a rank that no cluster has"},
    {{.kind = OPERATION_RED_ASYNC,
      .to = OTHER,
      .size_bytes = 4,
      .op = REDUCE_ADD,
      .dtype = DTYPE_FLOAT32,
      .barrier = BARRIER},
     &pair,
     {R(BULK_REDUCE_TYPE)},
     "a type that only global memory has"},
    {{.kind = OPERATION_KINDS}, &pair, {R(INSTRUCTION_FORM)}, "no instruction"},
};

LOOP_TEST(mbarrier_address_align__is_in_the_hardwares_order, 0, ROWS_OF(orders))
{
    const struct memories memories = {&global, orders[_i].cluster};
    struct findings findings;
    enum rule rule = operation_check(&orders[_i].operation, &memories, &findings);
    ck_assert_msg(rule == orders[_i].rules[0], "%s: %s", orders[_i].why, rule_row(rule)->id);
    ck_assert_int_eq(operation_check(&orders[_i].operation, &memories, NULL), rule);
    for (int i = 0; i < 3 && orders[_i].rules[i] != RULE_OK; i++)
        ck_assert_msg(i < findings.count && findings.item[i].rule == orders[_i].rules[i], "%s: finding %d is %s",
                      orders[_i].why, i, i < findings.count ? rule_row(findings.item[i].rule)->id : "missing");
}

// Operands that name no place, and a multicast to nobody: done at once, without a byte, an event or a complete_tx.
TEST(operand_nowhere__is_done_at_once)
{
    const struct memories memories = {&global, &pair};
    struct operation idle[] = {linear(OPERATION_BULK_LOAD, BASE, SHARED | 1 << 18),
                               linear(OPERATION_BULK_LOAD, BASE, SHARED),
                               linear(OPERATION_BULK_STORE, SHARED | 1 << 18, BASE), tensor(OPERATION_TENSOR_LOAD, 0)};
    idle[1].barrier |= 1 << 18;
    idle[3].is_multicast = 1;
    for (int i = 0; i < 4; i++) {
        struct flight flight = operation_issue(&idle[i], &memories, NULL);
        struct piece piece = flight_advance(&flight, 64);
        ck_assert_int_eq(operation_check(&idle[i], &memories, NULL), RULE_OK);
        ck_assert(piece.is_last && piece.bytes == 0 && piece.complete_bytes == 0);
    }
}
