// SPDX-License-Identifier: MIT
// `tmaref decode --descriptor`: what a matrix descriptor of wgmma means, and where it reads.
#ifndef TMAREF_DECODE_DESCRIPTOR_H
#define TMAREF_DECODE_DESCRIPTOR_H

#include <stdint.h>

#include "types.h"

// The descriptor, and the operand that it is for: `rows` of M or N, of these types, K-major or MN-major.
struct descriptor_question {
    uint64_t bits;
    enum wgmma_types types;
    int rows, is_mn_major;
};

// Prints the answer. Returns the command's exit status: a finding is a mismatch.
int descriptor_answer(const struct descriptor_question *question, int as_json);

#endif
