// SPDX-License-Identifier: MIT
// One access of a warp to shared memory as data, and what it costs.
#ifndef TMAREF_BANK_CASE_H
#define TMAREF_BANK_CASE_H

#include "bank.h"
#include "family.h"
#include "result.h"

// Lanes of the mask `active` load or store `bytes` bytes at `address`, multiples of `bytes` below BANK_SHARED_BYTES.
// Addresses of other lanes are 0.
struct bank_case {
    uint32_t is_store, bytes, active;
    uint32_t address[WARP_LANES];
};

#endif
