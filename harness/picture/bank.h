// SPDX-License-Identifier: MIT
// How many trips to shared memory (wavefronts) one load or store of a warp takes. The rule: shared memory has 32 banks
// of 4 bytes, bank = address / 4 % 32; a wavefront delivers one 4-byte word of each bank. Accesses of 16 bytes are
// served a quarter warp at a time, of 8 bytes a half warp, of 4 bytes or less the whole warp. A word that several lanes
// read is delivered once (broadcast); different words of one bank wait for each other.
// This is the rule of the CUDA guides; wavefronts are not among what this project records.
#ifndef TMAREF_BANK_H
#define TMAREF_BANK_H

#include <stdint.h>

enum { BANKS = 32, BANK_BYTES = 4, WARP_LANES = 32, BANK_MAX_PHASES = 4 };

// Lanes served together. `words[b]` is how many different words they want of bank b, `lanes[b]` who wants them (bit l:
// lane l); the phase takes as many wavefronts as its busiest bank has words.
struct bank_phase {
    int first_lane, end_lane;
    int wavefronts;
    int words[BANKS];
    uint32_t lanes[BANKS];
};

// `ideal` is what the same accesses would take if no two lanes met in a bank: one wavefront for each phase.
struct bank_report {
    int wavefronts, ideal, phases;
    struct bank_phase phase[BANK_MAX_PHASES];
};

// Counts the wavefronts of one access of `bytes` bytes (1, 2, 4, 8, 16) by lanes 0 .. lanes - 1 (1..32).
//   address   absolute shared addresses, one for each lane, multiples of `bytes`
//   source    CUDA C++ Programming Guide 13, "Shared Memory" (#shared-memory-8-x): 32 banks, broadcast
void bank_count(const uint32_t *address, int lanes, uint32_t bytes, struct bank_report *report);

#endif
