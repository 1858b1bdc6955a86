// SPDX-License-Identifier: MIT
// The barrier word: fields, tokens, waits, and mbarrier_transact(), the only code that moves counts.
#include "mbarrier.h"
#include "rules/mbarrier.h"

enum { PENDING_SHIFT = 43, TX_SHIFT = 21, EXPECTED_SHIFT = 1, TX_FIELD = (1 << 21) - 1 };

// Counts are stored negated, so that the hardware counts up to zero.
static uint32_t count_of_field(uint64_t field)
{
    return (uint32_t)(0 - field) & MBARRIER_COUNT_MAX;
}

static uint64_t field_of_count(uint32_t count)
{
    return (uint64_t)((0 - count) & MBARRIER_COUNT_MAX);
}

static int32_t tx_of_field(uint64_t field)
{
    int32_t tx = -(int32_t)(field & TX_FIELD);
    return tx < MBARRIER_TX_MIN ? tx + TX_FIELD + 1 : tx;
}

struct mbarrier_fields mbarrier_unpack(uint64_t word)
{
    return (struct mbarrier_fields){
        .phase = (int)(word >> 63),
        .error = (word & MBARRIER_ERROR_BIT) != 0,
        .unused = (int)(word & 1),
        .pending = count_of_field(word >> PENDING_SHIFT),
        .expected = count_of_field(word >> EXPECTED_SHIFT),
        .tx = tx_of_field(word >> TX_SHIFT),
    };
}

uint64_t mbarrier_pack(const struct mbarrier_fields *fields)
{
    return (fields->phase ? MBARRIER_PHASE_BIT : 0) | field_of_count(fields->pending) << PENDING_SHIFT |
           (fields->error ? MBARRIER_ERROR_BIT : 0) | ((uint64_t)-fields->tx & TX_FIELD) << TX_SHIFT |
           field_of_count(fields->expected) << EXPECTED_SHIFT | (uint64_t)(fields->unused != 0);
}

uint64_t mbarrier_init(uint32_t count)
{
    uint32_t negated = (UINT32_C(1) << 20) - count; // wraps: a count out of range spills into its neighbours
    return (uint64_t)(negated << 11) << 32 | negated << 1;
}

uint64_t mbarrier_token(uint64_t word)
{
    return word & ~UINT64_C(0xffffffff);
}

uint32_t mbarrier_pending_count(uint64_t token)
{
    return (UINT32_C(1) << 20) - (uint32_t)(token >> PENDING_SHIFT & MBARRIER_COUNT_MAX);
}

// The rules of a transaction, in the order of MBARRIER_ rows; all are one CUDA error, so the order is ours.
static enum rule transaction_rule(const struct mbarrier_fields *now, const struct mbarrier_transaction *transaction)
{
    if (now->error) return RULE_MBARRIER_ERROR;
    if (transaction->arrivals > MBARRIER_COUNT_MAX) return RULE_MBARRIER_COUNT_LIMIT;
    if (transaction->expect_bytes > MBARRIER_COUNT_MAX) return RULE_MBARRIER_TX_LIMIT;
    if (transaction->complete_bytes > MBARRIER_COUNT_MAX) return RULE_MBARRIER_TX_LIMIT;
    if (transaction->arrivals > now->pending) return RULE_MBARRIER_ARRIVALS;
    int64_t tx = now->tx + (int64_t)transaction->expect_bytes - (int64_t)transaction->complete_bytes;
    if (tx < MBARRIER_TX_MIN || tx > MBARRIER_TX_MAX) return RULE_MBARRIER_TX_RANGE;
    if (transaction->drop && transaction->arrivals > now->expected) return RULE_MBARRIER_DROP_LIMIT;
    return RULE_OK;
}

enum rule mbarrier_transact(uint64_t *word, const struct mbarrier_transaction *transaction)
{
    struct mbarrier_fields fields = mbarrier_unpack(*word);
    enum rule rule = transaction_rule(&fields, transaction);
    if (rule != RULE_OK) return rule;

    fields.pending -= (uint32_t)transaction->arrivals;
    fields.tx += (int32_t)transaction->expect_bytes - (int32_t)transaction->complete_bytes;
    if (transaction->drop) fields.expected -= (uint32_t)transaction->arrivals;
    if (fields.pending == 0 && fields.tx == 0) {
        fields.phase = !fields.phase;
        fields.pending = fields.expected;
    }
    *word = mbarrier_pack(&fields);
    return RULE_OK;
}

enum rule mbarrier_transact_remote(uint64_t *word, const struct mbarrier_transaction *transaction)
{
    enum rule rule = mbarrier_transact(word, transaction);
    if (rule != RULE_OK) *word |= MBARRIER_ERROR_BIT;
    return rule;
}

int mbarrier_depends_on_pieces(uint64_t word, uint32_t bytes)
{
    struct mbarrier_fields fields = mbarrier_unpack(word);
    int64_t left = (int64_t)fields.tx - bytes;
    return left < MBARRIER_TX_MIN || (fields.pending == 0 && fields.tx > 0 && left < 0);
}

enum rule mbarrier_copies_issue(uint64_t *word, uint32_t lanes, int is_noinc)
{
    return is_noinc ? RULE_OK : mbarrier_transact(word, &(struct mbarrier_transaction){.expect_bytes = lanes});
}

struct mbarrier_transaction mbarrier_copies_end(uint32_t lanes, int is_noinc)
{
    return (struct mbarrier_transaction){.arrivals = is_noinc ? lanes : 0, .complete_bytes = is_noinc ? 0 : lanes};
}

enum rule mbarrier_copies_done(uint64_t *word, uint32_t lanes, int is_noinc)
{
    const struct mbarrier_transaction end = mbarrier_copies_end(lanes, is_noinc);
    return mbarrier_transact_remote(word, &end);
}

enum rule mbarrier_test(uint64_t word, uint64_t token, int *complete)
{
    if (word & MBARRIER_ERROR_BIT) return RULE_MBARRIER_ERROR;
    *complete = word >> 63 != token >> 63;
    return RULE_OK;
}

enum rule mbarrier_test_parity(uint64_t word, uint32_t parity, int *complete)
{
    return mbarrier_test(word, (uint64_t)parity << 63, complete);
}
