// SPDX-License-Identifier: MIT
// The suite `mbarrier`: the barrier word and one transaction on it; programs are in mbarrier_step.calls. Numbers are
// what an H200 was seen to do; the mutants are the wrong formulas that the vectors must tell from the right one.
#include <stdbool.h>
#include <string.h>

#include "mbarrier.h"
#include "rows.h"
#include "rules/mbarrier.h"

enum { MAX = MBARRIER_COUNT_MAX };

// --- Transactions: vectors and mutants -------------------------------------------------------------------------------

#define VECTORS "mbarrier_transactions.tsv"

struct vector {
    const struct row *row;
    struct mbarrier_fields before;
    struct mbarrier_transaction transaction;
    enum rule rule;
    struct mbarrier_fields after;
};

static struct mbarrier_fields fields_of(const struct row *row, int field)
{
    uint64_t of[6];
    row_numbers(row, field, of, 6);
    return (struct mbarrier_fields){(int)of[0],      (int)of[1],      (int)of[2],
                                    (uint32_t)of[3], (uint32_t)of[4], (int32_t)of[5]};
}

static struct vector vector_at(int i)
{
    const struct row *row = rows_at(VECTORS, NULL, i);
    uint64_t of[4];
    row_numbers(row, 2, of, 4);
    struct vector vector = {.row = row,
                            .before = fields_of(row, 1),
                            .transaction.arrivals = of[0],
                            .transaction.drop = (int)of[1],
                            .transaction.expect_bytes = of[2],
                            .transaction.complete_bytes = of[3],
                            .rule = rule_find(row->field[3]),
                            .after = fields_of(row, 4)};
    ck_assert_msg(vector.rule != RULE_NONE, "%s: there is no rule %s", row->where, row->field[3]);
    return vector;
}

static void check_transaction(const struct vector *vector, enum rule rule, uint64_t word, uint64_t after)
{
    ck_assert_msg(rule == vector->rule, "%s: %s: %s, not %s", vector->row->where, vector->row->field[0],
                  rule_row(rule)->id, vector->row->field[3]);
    ck_assert_msg(word == after, "%s: %s: %016llx, not %016llx", vector->row->where, vector->row->field[0],
                  (unsigned long long)word, (unsigned long long)after);
}

LOOP_TEST(mbarrier_phase__vectors, 0, rows_count(VECTORS, NULL))
{
    const struct vector vector = vector_at(_i);
    uint64_t before = mbarrier_pack(&vector.before), word = before;
    enum rule rule = mbarrier_transact(&word, &vector.transaction);
    uint64_t after = rule == RULE_OK ? mbarrier_pack(&vector.after) : before;
    check_transaction(&vector, rule, word, after);
}

// Wrong formulas. Each is the slow model below with one thing wrong; at least one vector must notice.
enum mutant {
    RIGHT,
    TX_LOOKED_AT_ONLY_BY_ARRIVALS,
    ARRIVALS_ALONE_COMPLETE,
    ONLY_ARRIVALS_AND_COMPLETE_TX_COMPLETE,
    DROP_FOR_THE_PHASE_AFTER_THE_NEXT,
    DROP_NEVER_LOWERS_EXPECTED,
    DROP_LIMIT_NOT_CHECKED,
    ARRIVALS_PAST_PENDING_START_THE_NEXT_PHASE,
    TX_MAX_AS_DOCUMENTED,
    TX_MIN_ONE_LOWER,
    OPERAND_LIMIT_NOT_CHECKED,
    OPERAND_WRAPS_TO_32_BITS,
    ERROR_BIT_IGNORED,
    PHASE_ONLY_SET,
    PENDING_RESTARTS_FROM_OLD_PENDING,
    COUNT_ZERO_IS_NO_OPERATION,
    BIT_0_CLEARED,
    TX_KEPT_POSITIVE,
    MUTANTS
};

static bool slow_refuses(enum mutant mutant, const struct mbarrier_fields *f, const struct mbarrier_transaction *t)
{
    int64_t n = (int64_t)t->arrivals, x = (int64_t)t->expect_bytes, c = (int64_t)t->complete_bytes;
    int64_t highest = mutant == TX_MAX_AS_DOCUMENTED ? MAX : MAX + 1,
            lowest = mutant == TX_MIN_ONE_LOWER ? -MAX - 1 : -MAX;
    if (mutant == OPERAND_WRAPS_TO_32_BITS) n = (uint32_t)n;
    if (f->error && mutant != ERROR_BIT_IGNORED) return true;
    if (mutant != OPERAND_LIMIT_NOT_CHECKED && (n > MAX || x > MAX || c > MAX)) return true;
    if (n > f->pending && mutant != ARRIVALS_PAST_PENDING_START_THE_NEXT_PHASE) return true;
    if (t->drop && n > f->expected && mutant != DROP_LIMIT_NOT_CHECKED) return true;
    return f->tx + x - c < lowest || f->tx + x - c > highest;
}

static bool slow_completes(enum mutant mutant, const struct mbarrier_fields *f, const struct mbarrier_transaction *t)
{
    if (mutant == ARRIVALS_ALONE_COMPLETE) return f->pending == 0;
    if (mutant == TX_LOOKED_AT_ONLY_BY_ARRIVALS && t->arrivals == 0) return false;
    if (mutant == ONLY_ARRIVALS_AND_COMPLETE_TX_COMPLETE && t->arrivals == 0 && t->complete_bytes == 0) return false;
    if (mutant == COUNT_ZERO_IS_NO_OPERATION && t->arrivals + t->expect_bytes + t->complete_bytes == 0) return false;
    return f->pending == 0 && f->tx == 0;
}

// An independent transaction, field by field. Returns 0 for a refusal.
static bool slow_transact(enum mutant mutant, struct mbarrier_fields *f, const struct mbarrier_transaction *t)
{
    if (slow_refuses(mutant, f, t)) return false;
    uint32_t n = (uint32_t)t->arrivals, old_pending = f->pending, old_expected = f->expected;
    if (mutant == ARRIVALS_PAST_PENDING_START_THE_NEXT_PHASE && n > f->pending) n = f->pending;
    f->pending -= n;
    f->tx += (int32_t)t->expect_bytes - (int32_t)t->complete_bytes;
    if (mutant == TX_KEPT_POSITIVE && f->tx < 0) f->tx = 0;
    if (t->drop && mutant != DROP_NEVER_LOWERS_EXPECTED) f->expected = n > f->expected ? 0 : f->expected - n;
    if (mutant == BIT_0_CLEARED) f->unused = 0;
    if (!slow_completes(mutant, f, t)) return true;
    f->phase = mutant == PHASE_ONLY_SET ? 1 : !f->phase;
    f->pending = mutant == DROP_FOR_THE_PHASE_AFTER_THE_NEXT ? old_expected : f->expected;
    if (mutant == PENDING_RESTARTS_FROM_OLD_PENDING) f->pending = old_pending;
    return true;
}

static bool vector_agrees(enum mutant mutant, int i)
{
    const struct vector vector = vector_at(i);
    struct mbarrier_fields fields = vector.before;
    bool accepted = slow_transact(mutant, &fields, &vector.transaction);
    if (accepted != (vector.rule == RULE_OK)) return false;
    return !accepted || memcmp(&fields, &vector.after, sizeof fields) == 0;
}

LOOP_TEST(mbarrier_phase__vectors_catch_every_mutant, RIGHT, MUTANTS)
{
    int caught = 0;
    for (int i = 0; i < rows_count(VECTORS, NULL); i++) caught += !vector_agrees((enum mutant)_i, i);
    if (_i == RIGHT)
        ck_assert_int_eq(caught, 0);
    else
        ck_assert_msg(caught > 0, "no vector catches mutant %d", _i);
}

// --- The word --------------------------------------------------------------------------------------------------------

static const struct {
    const char *why;
    uint64_t word;
    struct mbarrier_fields fields;
} words[] = {
    {"zero", 0, {0}},
    {"init(1)", 0x7ffff800001ffffe, {.pending = 1, .expected = 1}},
    {"init(2^20-1)", 0x0000080000000002, {.pending = MAX, .expected = MAX}},
    {"phase", 0x8000000000000000, {.phase = 1}},
    {"error", 0x0000040000000000, {.error = 1}},
    {"unused", 1, {.unused = 1}},
    {"tx 1 is all ones", 0x000003ffffe00000, {.tx = 1}},
    {"tx -1", 0x0000000000200000, {.tx = -1}},
    {"tx -(2^20-1)", 0x000001ffffe00000, {.tx = -MAX}},
    {"tx +2^20", 0x0000020000000000, {.tx = MBARRIER_TX_MAX}},
};

// A copy signals in pieces: only where it cannot complete a phase or break the limit part of the way is all known.
TEST(mbarrier_tx_range__may_depend_on_the_pieces)
{
    struct mbarrier_fields fields = {.pending = 0, .expected = 1, .tx = 64};
    ck_assert(mbarrier_depends_on_pieces(mbarrier_pack(&fields), 128));
    ck_assert(!mbarrier_depends_on_pieces(mbarrier_pack(&fields), 64));
    fields.pending = 1;
    ck_assert(!mbarrier_depends_on_pieces(mbarrier_pack(&fields), 128));
    fields.tx = MBARRIER_TX_MIN + 128;
    ck_assert(!mbarrier_depends_on_pieces(mbarrier_pack(&fields), 128));
    fields.tx--;
    ck_assert(mbarrier_depends_on_pieces(mbarrier_pack(&fields), 128));
}

LOOP_TEST(mbarrier_layout__fields_of_a_word, 0, ROWS_OF(words))
{
    struct mbarrier_fields fields = mbarrier_unpack(words[_i].word);
    ck_assert_msg(memcmp(&fields, &words[_i].fields, sizeof fields) == 0, "%s", words[_i].why);
    ck_assert_msg(mbarrier_pack(&fields) == words[_i].word, "%s", words[_i].why);
}

TEST(mbarrier_layout__every_word_survives_unpack_and_pack)
{
    uint64_t word = 0x9e3779b97f4a7c15;
    for (int i = 0; i < 10000; i++) {
        struct mbarrier_fields fields = mbarrier_unpack(word);
        ck_assert_uint_eq(mbarrier_pack(&fields), word);
        word = word * 6364136223846793005u + 1442695040888963407u;
    }
}

TEST(mbarrier_unused_bit__is_kept_by_a_transaction)
{
    uint64_t word = mbarrier_init(1) | 1;
    ck_assert_int_eq(mbarrier_transact(&word, &(struct mbarrier_transaction){.arrivals = 1}), RULE_OK);
    ck_assert_uint_eq(word, mbarrier_init(1) | MBARRIER_PHASE_BIT | 1);
}

// What an H200 was seen to store.
static const struct {
    uint32_t count;
    uint64_t word;
} inits[] = {
    {1, 0x7ffff800001ffffe},
    {2, 0x7ffff000001ffffc},
    {MAX, 0x0000080000000002},
    {0, 0x8000000000200000},
    {1 << 20, 0},
    {(1 << 20) + 1, 0xfffff800fffffffe},
    {0xffffffff, 0x8000080000200002},
    {0x80000000, 0x8000000000200000},
};

LOOP_TEST(mbarrier_init__words, 0, ROWS_OF(inits))
{
    ck_assert_uint_eq(mbarrier_init(inits[_i].count), inits[_i].word);
}

TEST(mbarrier_init__is_pending_and_expected_in_phase_0)
{
    struct mbarrier_fields fields = mbarrier_unpack(mbarrier_init(100));
    struct mbarrier_fields wanted = {.pending = 100, .expected = 100};
    ck_assert_mem_eq(&fields, &wanted, sizeof fields);
}

TEST(mbarrier_token__is_the_high_half)
{
    ck_assert_uint_eq(mbarrier_token(0x123456789abcdef1), 0x1234567800000000);
}

static const struct {
    const char *why;
    uint64_t token;
    uint32_t count;
} counts[] = {
    {"one", UINT64_C(0xfffff) << 43, 1},
    {"the most", UINT64_C(1) << 43, MAX},
    {"an empty field is 2^20, not 0", 0, 1 << 20},
    {"phase, error and tx do not matter", 0x800007ffffffffff, 1 << 20},
};

LOOP_TEST(mbarrier_pending_count__of_any_token, 0, ROWS_OF(counts))
{
    ck_assert_msg(mbarrier_pending_count(counts[_i].token) == counts[_i].count, "%s", counts[_i].why);
}

TEST(mbarrier_wait_phase__only_bit_63_matters)
{
    const uint64_t any[] = {0, 0x7ffffbffffffffff, 0x8000000000000000, 0xfffffbffffffffff};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            int complete = -1;
            ck_assert_int_eq(mbarrier_test(any[i], any[j], &complete), RULE_OK);
            ck_assert_int_eq(complete, i / 2 != j / 2);
        }
    }
}

TEST(mbarrier_wait_parity__is_true_for_the_other_parity)
{
    int complete = -1;
    ck_assert_int_eq(mbarrier_test_parity(mbarrier_init(1), 0, &complete), RULE_OK);
    ck_assert_int_eq(complete, 0);
    ck_assert_int_eq(mbarrier_test_parity(mbarrier_init(1), 1, &complete), RULE_OK);
    ck_assert_int_eq(complete, 1);
}

TEST(mbarrier_error__stops_waits)
{
    int complete = -1;
    ck_assert_int_eq(mbarrier_test(MBARRIER_ERROR_BIT, 0, &complete), RULE_MBARRIER_ERROR);
    ck_assert_int_eq(mbarrier_test_parity(MBARRIER_ERROR_BIT, 1, &complete), RULE_MBARRIER_ERROR);
    ck_assert_int_eq(complete, -1);
}

// A remote transaction is the same where it is legal, and else the error bit alone.
LOOP_TEST(mbarrier_remote_error__vectors, 0, rows_count(VECTORS, NULL))
{
    const struct vector vector = vector_at(_i);
    uint64_t before = mbarrier_pack(&vector.before), word = before;
    enum rule rule = mbarrier_transact_remote(&word, &vector.transaction);
    uint64_t after = vector.rule == RULE_OK ? mbarrier_pack(&vector.after) : before | MBARRIER_ERROR_BIT;
    check_transaction(&vector, rule, word, after);
}
