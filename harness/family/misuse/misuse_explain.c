// SPDX-License-Identifier: MIT
// A mismatch of the family "misuse" in words: the operands, then the status or the first word that differs.
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "misuse_case.h"
#include "operand.h"

// What the word at `at` of the window "state" is.
static const char *state_name(uint32_t at)
{
    if (at < offsetof(struct misuse_output, sum)) return "word of barrier";
    if (at < offsetof(struct misuse_output, value)) return "sum over the shared memory of CTA";
    return "register";
}

static enum rule rule_of(const struct misuse_case *c)
{
    static const enum rule rules[MISUSE_COUNT] = {
        [MISUSE_TILE_LOAD] = RULE_TILE_ADDRESS,
        [MISUSE_TILE_STORE] = RULE_STORE_LAYOUT,
        [MISUSE_TILE_REDUCE] = RULE_REDUCE_INTEGER,
        [MISUSE_BULK_LOAD] = RULE_BULK_SIZE,
        [MISUSE_BULK_STORE] = RULE_BULK_SIZE,
        [MISUSE_BULK_REDUCE] = RULE_BULK_SIZE,
        [MISUSE_BULK_SHARED] = RULE_BULK_SIZE,
        [MISUSE_PREFETCH_BULK] = RULE_PREFETCH_NO_EFFECT,
        [MISUSE_PREFETCH_TILE] = RULE_PREFETCH_NO_EFFECT,
        [MISUSE_PREFETCH_IM2COL] = RULE_PREFETCH_NO_EFFECT,
        [MISUSE_PREFETCH_MAP] = RULE_PREFETCH_NO_EFFECT,
        [MISUSE_ACQUIRE_MAP] = RULE_MAP_LOCATION_WAYS,
        [MISUSE_COPY_MAP] = RULE_MAP_LOCATION_WAYS,
        [MISUSE_LOAD_SHARED] = RULE_SHARED_ACCESS_WINDOW,
        [MISUSE_STORE_SHARED] = RULE_SHARED_ACCESS_WINDOW,
        [MISUSE_ATOMIC_SHARED] = RULE_SHARED_ACCESS_WINDOW,
        [MISUSE_ARRIVE_SHARED] = RULE_MBARRIER_PHASE,
        [MISUSE_INIT_SHARED] = RULE_MBARRIER_INIT,
        [MISUSE_TEST_SHARED] = RULE_MBARRIER_WAIT_PARITY,
        [MISUSE_EXPECT_SHARED] = RULE_MBARRIER_PHASE,
        [MISUSE_ARRIVE_GENERIC] = RULE_MBARRIER_GENERIC_SPACE,
        [MISUSE_LOAD_GLOBAL] = RULE_GLOBAL_ACCESS_ALIGN,
        [MISUSE_STORE_GLOBAL] = RULE_GLOBAL_ACCESS_ALIGN,
    };
    const unsigned operands = misuse_operands(c->operation);
    const int is_copy = c->operation <= MISUSE_BULK_SHARED;
    if (is_copy && (operands & MISUSE_BARRIER) != 0 && operand_is_nowhere(c->barrier))
        return RULE_OPERAND_BARRIER_NOWHERE;
    return is_copy && operand_is_nowhere(c->shared) ? RULE_OPERAND_NOWHERE : rules[c->operation];
}

enum rule misuse_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct misuse_case *c = test_case;
    struct difference_units words = difference_units(difference, 8);
    uint32_t at = difference->at / 8 * 8;
    if (strcmp(difference->expected->name, "state") != 0)
        fprintf(out, "    %s 0x%" PRIx64 ":", difference->expected->name, difference->expected->base + at);
    else if (at >= offsetof(struct misuse_output, value))
        fprintf(out, "    %s:", state_name(at));
    else
        fprintf(out, "    %s %u:", state_name(at), at / 8 % MISUSE_BARRIERS % (at < 32 ? 4 : 2));
    fprintf(out, " 0x%016" PRIx64 " expected, 0x%016" PRIx64 " found\n", words.expected, words.found);
    fprintf(out, "    %s, shared 0x%x, barrier 0x%x, global 0x%" PRIx64 "\n", misuse_operation_names[c->operation],
            c->shared, c->barrier, c->global);
    return rule_of(c);
}
