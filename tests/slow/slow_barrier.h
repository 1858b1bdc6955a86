// SPDX-License-Identifier: MIT
// The slow second model of barriers: a program of the family "mbarrier", step by step, on barriers that are numbers
// and not words, written from the rules' sentences and PTX's text alone. It shares the language of steps with the
// harness, and no code with the model; it can be told to misread a rule.
#ifndef TMAREF_SLOW_BARRIER_H
#define TMAREF_SLOW_BARRIER_H

#include "../../kernels/mbarrier_program.h"
#include "rule.h"

// MUTANT(id, rule it violates, what the misreading says): the only list of them. The vectors must notice each.
#define SLOW_BARRIER_MUTANTS(MUTANT)                                                                                   \
    MUTANT(PENDING_PLAIN, LAYOUT, "the word holds the pending count, not its negative")                                \
    MUTANT(TX_20_BITS, LAYOUT, "tx has 20 bits")                                                                       \
    MUTANT(UNUSED_CLEARED, UNUSED_BIT, "a transaction clears bit 0")                                                   \
    MUTANT(INIT_KEEPS_PHASE, INIT, "init keeps the phase")                                                             \
    MUTANT(INIT_PENDING_ONE, INIT, "init makes the barrier wait for one arrival")                                      \
    MUTANT(TOKEN_AFTER, TOKEN, "the token is the state after the arrival")                                             \
    MUTANT(TX_NOT_WAITED, PHASE, "a phase completes with the last arrival, whatever tx is")                            \
    MUTANT(PENDING_STAYS, PHASE, "the next phase starts with no arrival pending")                                      \
    MUTANT(EXPECT_WAITS, EXPECT_COMPLETES, "expect_tx never completes a phase")                                        \
    MUTANT(TX_FROM_ZERO, NEGATIVE_TX, "bytes that nobody expects are not counted")                                     \
    MUTANT(TWO_STEPS, ONE_STEP, "arrive.expect_tx arrives, and then expects")                                          \
    MUTANT(LANE_BY_LANE, WARP_SUM, "each lane is a transaction of its own")                                            \
    MUTANT(TOKEN_OF_LANE, WARP_SUM, "a token counts the lower lanes as arrived, also without .noComplete")             \
    MUTANT(INIT_FIRST_LANE, LANE_GROUPS, "of several counts of init that of the lowest lane stays")                    \
    MUTANT(NOCOMPLETE_SUM, LANE_GROUPS, "the lanes of .noComplete are one transaction, whatever their counts")         \
    MUTANT(NOCOMPLETE_PLAIN, NOCOMPLETE_TOKEN, "a token of .noComplete does not count the lower lanes")                \
    MUTANT(DROP_LATER, DROP, "arrive_drop counts from the phase after the next one on")                                \
    MUTANT(DROP_NOT_HERE, DROP, "arrive_drop does not arrive in this phase")                                           \
    MUTANT(PENDING_ZERO, PENDING_COUNT, "pending_count of a field that is 0 is 0")                                     \
    MUTANT(WAIT_ANY_BIT, WAIT_PHASE, "a wait by token is true when any bit of the state has changed")                  \
    MUTANT(PARITY_CURRENT, WAIT_PARITY, "a wait by parity is true when the parity is that of the current phase")       \
    MUTANT(TRY_TRUE, TRY_WAIT, "try_wait ends when the phase completes, so it is always true")                         \
    MUTANT(INVAL_CLEARS, INVAL, "inval makes the word 0")                                                              \
    MUTANT(INIT_CUT, INIT_COUNT, "the count of init is taken modulo 2^20")                                             \
    MUTANT(INIT_ONCE, INIT_LIVE, "init of a live barrier does nothing")                                                \
    MUTANT(DEAD_IGNORED, NO_OBJECT, "an operation on what is no barrier does nothing")                                 \
    MUTANT(STORE_LOST, PLAIN_ACCESS, "a plain store to a live barrier is lost, after inval too")                       \
    MUTANT(ZERO_NOTHING, COUNT_ZERO, "an arrive with count 0 does nothing")                                            \
    MUTANT(NOCOMPLETE_HOLDS, NOCOMPLETE, ".noComplete leaves the phase open")                                          \
    MUTANT(UNSEEN_IGNORED, UNOBSERVED, "an arrive is not counted while nobody has seen the phase before complete")     \
    MUTANT(DROPPED_STOPS, DROP_ALL, "with no arrival expected no phase completes any more")                            \
    MUTANT(TX_MAX_FAULTS, TX_MAX, "tx of 2^20 faults")                                                                 \
    MUTANT(OLD_TRUE, TOKEN_OLD, "a token of an older phase says true")                                                 \
    MUTANT(FOREIGN_FALSE, TOKEN_FOREIGN, "a token of another barrier, or of none, says false")                         \
    MUTANT(COUNT_OF_ANY, PENDING_COUNT_TOKEN, "pending_count of a token that is not of .noComplete is 0")              \
    MUTANT(PARITY_NOT_ZERO, PARITY_BITS, "a parity is 1 when it is not 0")                                             \
    MUTANT(REMOTE_FAULTS, REMOTE_ERROR, "an operation from the other CTA faults where an own one does")                \
    MUTANT(REMOTE_SILENT, REMOTE_ERROR, "an operation from the other CTA that breaks a rule leaves no trace")          \
    MUTANT(ERROR_IGNORED, ERROR, "a wait does not look at the error bit")                                              \
    MUTANT(LIMIT_PER_LANE, TX_LIMIT, "the limit of a sum is that of each lane")                                        \
    MUTANT(ARRIVALS_WRAP, ARRIVALS, "arrivals beyond the pending count begin the next phase")                          \
    MUTANT(DROP_BELOW, DROP_LIMIT, "arrive_drop takes the expected count to 0 at the least")

enum slow_barrier_mutant {
    SLOW_BARRIER_RIGHT,
#define MUTANT(id, rule, sentence) SLOW_BARRIER_##id,
    SLOW_BARRIER_MUTANTS(MUTANT)
#undef MUTANT
        SLOW_BARRIER_COUNT
};

// What a program leaves: a CUDA error; without one the log of its steps, and the words at the end.
struct slow_barrier_outcome {
    int status;
    struct mbarrier_log log;
};

void slow_barrier(const struct mbarrier_op *op, int count, enum slow_barrier_mutant mutant,
                  struct slow_barrier_outcome *outcome);

// "TX_20_BITS: tx has ...", and the rule that is misread.
const char *slow_barrier_mutant_text(int mutant);
enum rule slow_barrier_mutant_rule(int mutant);

#endif
