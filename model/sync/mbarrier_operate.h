// SPDX-License-Identifier: MIT
// One warp instruction on mbarriers, of any form, with an address for each lane. A barrier is any 8 aligned bytes of
// shared memory, which hold the word that mbarrier.inval writes back. An H200 keeps a live barrier in a unit of the SM,
// so plain accesses to its bytes see old values there. PTX forbids them (rule MBARRIER_PLAIN_ACCESS). In the model they
// read and change the word itself.
// The word and its one transaction: mbarrier.h. The forms: mbarrier_form.h.
#ifndef TMAREF_MBARRIER_OPERATE_H
#define TMAREF_MBARRIER_OPERATE_H

#include "cluster_memory.h"
#include "finding.h"
#include "ledger.h"
#include "mbarrier.h"
#include "mbarrier_address.h"
#include "mbarrier_form.h"

// What the barriers of a cluster are: bytes in its shared memories, and a ledger of who came. Without one (NULL)
// nothing changes but that warnings which need it are not given: MBARRIER_INIT_LIVE, _NO_OBJECT, _UNOBSERVED.
struct mbarrier_unit {
    const struct cluster_memory *cluster;
    struct ledger_book *ledgers;
};

//   rank            of the CTA that executes it
//   lanes           of the warp, together at the instruction; not 0
//   address         of the barrier of each lane; not looked at by pending_count
//   operand         count, bytes, parity or token of each lane; an arrive without a count has 1
//   order, scope    .sem and .scope, for events alone; 0: as PTX has it where nothing is said, .release, .relaxed or
//                   .acquire by the form, and .cta, also on a barrier of another CTA
struct mbarrier_instruction {
    uint32_t opcode;
    enum mbarrier_space space;
    uint32_t rank, lanes;
    enum access_order order;
    enum access_scope scope;
    uint32_t address[MBARRIER_LANES];
    uint64_t operand[MBARRIER_LANES];
};

// An instruction without a state space: makes its `address` and `space` of generic addresses. If a lane names another
// CTA the instruction is one on shared::cluster, else one on shared::cta.
//   instruction  its opcode, rank and lanes are set
//   offset       of each lane: how far its address lies behind the start of the shared window, modulo 2^64; of a
//                MBARRIER_OP_PENDING_COUNT not looked at
//   findings     NULL, or takes a finding for each address outside the window, `index` the lane
//   returns      RULE_OK or MBARRIER_GENERIC_SPACE (715)
//   source       PTX ISA 9.1 "Generic Addressing"; trace misuse_fault
enum rule mbarrier_set_generic(const struct cluster_memory *cluster, struct mbarrier_instruction *instruction,
                               const uint64_t offset[MBARRIER_LANES], struct findings *findings);

// What the lanes get: a token or a count each, 0 for all others; the lanes whose wait says true.
struct mbarrier_answer {
    uint64_t value[MBARRIER_LANES];
    uint32_t ballot;
};

// Executes it. Lanes on one barrier are one transaction with the sum of their operands, and get one token. init and the
// .noComplete forms are one for each distinct operand, lowest lane first; .noComplete goes through the operands of the
// whole warp, whatever their barriers. Else barriers go by their lowest lanes. Of several lanes whose addresses break a
// rule the lowest decides. An
// operation through shared::cluster on another CTA never faults by the barrier: it sets the error bit.
//   findings  NULL, or takes the fault, and every use that PTX leaves undefined though an H200 has an answer
//   returns   RULE_OK, or the rule whose fault ends the kernel: then the barrier that broke it is as before. Addresses
//             come first: no barrier has changed. INSTRUCTION_FORM where PTX has no such instruction
//   source    PTX ISA 9.1 "mbarrier" (#parallel-synchronization-and-communication-instructions-mbarrier); traces
//             mbarrier, mbarrier_fault, cluster, misuse_fault
enum rule mbarrier_operate(const struct mbarrier_unit *unit, const struct mbarrier_instruction *instruction,
                           const struct teller *teller, struct mbarrier_answer *answer, struct findings *findings);

// What executing it would break, now: nothing changes, no ledger is written, nobody hears of it.
//   findings, returns  as mbarrier_operate() would
enum rule mbarrier_check(const struct mbarrier_unit *unit, const struct mbarrier_instruction *instruction,
                         struct findings *findings);

// What an asynchronous operation brings to the barrier at offset `address` of CTA `rank` when it lands: complete_tx of
// a copy, or the end of cp.async.mbarrier.arrive. It never faults: a broken rule sets the error bit, and is returned.
// It has release semantics at cluster scope. Where the barrier's bytes are not there nothing happens: the operands were
// checked at the issue.
enum rule mbarrier_land(const struct mbarrier_unit *unit, uint32_t rank, uint32_t address,
                        const struct mbarrier_transaction *transaction, const struct teller *teller,
                        struct findings *findings);

#endif
