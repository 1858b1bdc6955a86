// SPDX-License-Identifier: MIT
// One asynchronous operation from its check to its barriers, in one call. To decide when data arrives, use flight.h and
// call mbarrier_land() for each barrier.
#ifndef TMAREF_COMPLETE_H
#define TMAREF_COMPLETE_H

#include "flight.h"
#include "mbarrier_operate.h"

// Runs it to its end. The barrier of each CTA that receives bytes gets complete_tx of them.
//   ledgers   NULL, or takes what the barriers were told, for reports
//   teller    NULL, or hears of every access and of the barriers
//   piece     NULL, or takes what was moved, and which CTAs were told
//   findings  NULL, or takes every rule broken, and the warnings
//   returns   RULE_OK; or the first rule that the operation breaks, as operation_check(): then nothing has changed; or,
//             where all bytes were moved, the rule that complete_tx breaks at a barrier, whose error bit is set now
enum rule operation_complete(const struct operation *operation, const struct memories *memories,
                             struct ledger_book *ledgers, const struct teller *teller, struct piece *piece,
                             struct findings *findings);

#endif
