// SPDX-License-Identifier: MIT
// What one load or store of a warp in shared memory costs: its wavefronts, and the clocks that it keeps the data path
// of the SM busy. Shared memory has 32 banks of 4 bytes, bank = address / 4 % 32; a wavefront delivers one 4-byte word
// of each bank. A word that several lanes want is delivered once (broadcast); different words of one bank wait for each
// other. Which lanes are served together:
//   up to 4 bytes   the whole warp
//   8, 16 bytes     a half warp, a quarter warp
//   loads of these  twice as many, if of all lanes l and l ^ 1 that are both active the addresses agree, or of all l
//                   and l ^ 2
// A load keeps the data path busy for at least a clock for each such group, also for groups with no active lane.
#ifndef TMAREF_BANK_H
#define TMAREF_BANK_H

#include <stdint.h>

#include "rule.h"

enum { BANKS = 32, BANK_BYTES = 4, WARP_LANES = 32, BANK_MAX_PHASES = 4 };

enum bank_access { BANK_LOAD, BANK_STORE };

// Lanes served together. `words[b]` is how many different words they want of bank b, `lanes[b]` who wants them (bit l:
// lane l); the phase takes as many wavefronts as its busiest bank has words.
struct bank_phase {
    int first_lane, end_lane;
    int wavefronts;
    int words[BANKS];
    uint32_t lanes[BANKS];
};

// The phases are those with active lanes. `ideal` is what the same accesses would take if no two lanes met in a bank:
// one wavefront for each phase.
struct bank_report {
    int wavefronts, clocks, ideal, phases;
    struct bank_phase phase[BANK_MAX_PHASES];
};

// Counts one access of `bytes` bytes (1, 2, 4, 8, 16) by the lanes of the mask `active`.
//   address     absolute shared addresses, multiples of `bytes`: entry i is that of lane i, up to the last active lane;
//               only active ones are looked at
//   returns     RULE_OK; INSTRUCTION_FORM for other bytes, SHARED_ACCESS_ALIGN for other addresses: nothing is counted
//   source      CUDA C++ Programming Guide 13, "Shared Memory" (#shared-memory-8-x): banks, broadcast; the rest is
//               measured: traces/sm_90a/bank (clocks), Nsight Compute's l1tex__data_pipe_lsu_wavefronts_mem_shared
enum rule bank_count(enum bank_access access, const uint32_t *address, uint32_t active, uint32_t bytes,
                     struct bank_report *report);

#endif
