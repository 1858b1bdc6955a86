// SPDX-License-Identifier: MIT
// The 64-bit word of an mbarrier, bit for bit as an H200 writes it back, and the one rule that changes it. What the
// instructions do with it: mbarrier_operate.h.
//
//   bit 63      phase, flips when the phase completes
//   bits 62..43 -pending  mod 2^20   arrivals still missing in this phase
//   bit 42      error, set by a remote or asynchronous operation that broke a rule
//   bits 41..21 -tx       mod 2^21   bytes expected minus bytes completed, -(2^20 - 1) .. 2^20
//   bits 20..1  -expected mod 2^20   arrivals that the next phase starts with
//   bit 0       unused, kept as stored
#ifndef TMAREF_MBARRIER_H
#define TMAREF_MBARRIER_H

#include <stdint.h>

#include "event.h"
#include "rule.h"

enum { MBARRIER_BYTES = 8 };
enum { MBARRIER_COUNT_MAX = (1 << 20) - 1, MBARRIER_TX_MIN = -((1 << 20) - 1), MBARRIER_TX_MAX = 1 << 20 };
#define MBARRIER_PHASE_BIT (UINT64_C(1) << 63)
#define MBARRIER_ERROR_BIT (UINT64_C(1) << 42)

// The fields of a word, as numbers: pending and expected in arrivals, 0 .. 2^20 - 1; tx in bytes.
struct mbarrier_fields {
    int phase, error, unused;
    uint32_t pending, expected;
    int32_t tx;
};

// Word to fields and back; exact inverses for every 64-bit word. Rule MBARRIER_LAYOUT.
struct mbarrier_fields mbarrier_unpack(uint64_t word);
uint64_t mbarrier_pack(const struct mbarrier_fields *fields);

// The word that mbarrier.init stores. Any count is taken: outside 1 .. 2^20 - 1 it spills into other fields (rules
// MBARRIER_INIT, MBARRIER_INIT_COUNT).
uint64_t mbarrier_init(uint32_t count);

// The state token that an arrive on `word` (before the arrive) returns: its high 32 bits; the low 32 bits of a real
// token carry no state and are 0 here. Rule MBARRIER_TOKEN.
uint64_t mbarrier_token(uint64_t word);

// mbarrier.pending_count of any token: arithmetic only, 2^20 where the field is 0. Rule MBARRIER_PENDING_COUNT.
uint32_t mbarrier_pending_count(uint64_t token);

// One transaction by a thread of the barrier's own CTA, atomic, with the phase completion that may follow. Sums over
// the lanes do not wrap here: an H200 faults (719) for 2 lanes of 2^31, 4 of 2^30, 32 of 2^27 and 3 of 2^31, with
// arrive, arrive_drop, expect_tx, complete_tx and arrive.expect_tx: so either they do not wrap at 2^32 there, or an
// operand above 2^20 - 1 faults by itself.
//   returns  RULE_OK, or the rule broken: the kernel dies (719) and *word is as before
//   source   PTX ISA 9.1 "Phase of the mbarrier object" (#parallel-synchronization-and-communication-instructions-
//            mbarrier-phase); traces mbarrier, mbarrier_fault
enum rule mbarrier_transact(uint64_t *word, const struct mbarrier_transaction *transaction);

// The same from another CTA, or by an asynchronous operation: it never faults. A broken rule leaves the counts and
// sets the error bit; the rule is returned for whoever explains it. Rule MBARRIER_REMOTE_ERROR.
enum rule mbarrier_transact_remote(uint64_t *word, const struct mbarrier_transaction *transaction);

// Does what a copy of `bytes` bytes leaves on a barrier depend on the pieces in which it signals them? It may complete
// a phase that expects fewer, or break the limit of tx, part of the way; the model signals all bytes at once.
int mbarrier_depends_on_pieces(uint64_t word, uint32_t bytes);

// cp.async.mbarrier.arrive by `lanes` lanes of a warp: tx + 1 each when it is issued (an operation of the own CTA,
// which may fault), tx - 1 each when all earlier copies of the thread are there; the pending count is not touched. With
// .noinc nothing at issue, one arrival each at the end. The end is asynchronous: a violation sets the error bit.
// Rules CP_ASYNC_MBARRIER_ARRIVE, CP_ASYNC_MBARRIER_NOINC.
enum rule mbarrier_copies_issue(uint64_t *word, uint32_t lanes, int is_noinc);
enum rule mbarrier_copies_done(uint64_t *word, uint32_t lanes, int is_noinc);

// What such an end brings.
struct mbarrier_transaction mbarrier_copies_end(uint32_t lanes, int is_noinc);

// test_wait and try_wait by token, and by parity (only bit 0 of `parity` counts): *complete becomes 1 when the phase
// has completed. Returns RULE_MBARRIER_ERROR, and the kernel dies, when the word has its error bit set.
enum rule mbarrier_test(uint64_t word, uint64_t token, int *complete);
enum rule mbarrier_test_parity(uint64_t word, uint32_t parity, int *complete);

#endif
