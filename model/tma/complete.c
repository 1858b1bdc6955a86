// SPDX-License-Identifier: MIT
// An operation from its check to its barriers.
#include "complete.h"

#include "each.h"
#include "operation_part.h"

// The barrier lies at one offset in each CTA.
static enum rule land(const struct operation *operation, const struct mbarrier_unit *unit, const struct piece *piece,
                      const struct teller *teller, struct findings *findings)
{
    const struct mbarrier_transaction transaction = {.complete_bytes = piece->complete_bytes};
    enum rule first = RULE_OK;
    for (EACH_BIT(rank, piece->complete_bytes != 0 ? piece->targets : 0)) {
        struct findings own;
        enum rule rule = mbarrier_land(unit, rank, operation_place(operation->barrier), &transaction, teller, &own);
        for (int i = 0; i < own.count; i++) finding_add(findings, own.item[i]);
        if (first == RULE_OK) first = rule;
    }
    return first;
}

enum rule operation_complete(const struct operation *operation, const struct memories *memories,
                             struct ledger_book *ledgers, const struct teller *teller, struct piece *piece,
                             struct findings *findings)
{
    const struct mbarrier_unit unit = {memories->cluster, ledgers};
    struct piece all = {0};
    enum rule rule = operation_run(operation, memories, teller, &all, findings);
    if (piece != NULL) *piece = all;
    return rule != RULE_OK ? rule : land(operation, &unit, &all, teller, findings);
}
