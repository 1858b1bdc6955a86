// SPDX-License-Identifier: MIT
// The 64 bits that createpolicy makes.
#ifndef TMAREF_MACHINE_POLICY_H
#define TMAREF_MACHINE_POLICY_H

#include <stdint.h>

#include "form.h"

// What the policy says to lines in it, and to the others; PTX_WORD_NONE of the others is evict_unchanged.
struct l2_policy {
    enum ptx_word primary, secondary;
};

// For 1/16 to 16/16 of the lines of an access. `fraction` has the bits of a float.
uint64_t machine_policy_fraction(struct l2_policy policy, uint32_t fraction);

// For the first primary_bytes behind `address`, in blocks whose size follows from total_bytes.
uint64_t machine_policy_range(struct l2_policy policy, uint64_t address, uint32_t primary_bytes, uint32_t total_bytes);

#endif
