// SPDX-License-Identifier: MIT
// An instance as PTX: a kernel that loads each operand from memory, out of the compiler's sight, and stores each
// result.
#ifndef TMAREF_TESTS_ALU_KERNEL_H
#define TMAREF_TESTS_ALU_KERNEL_H

#include <stdio.h>

#include "instance.h"

extern const char kernel_head[];

// The kernel `name`(in, out, tuples), one thread a tuple, blocks of 256 threads. Word w of an operand is in[w * tuples
// + tuple], in the order of the registers that are read, of 128 bits two, then the carry flag, then whether the lane
// executes; results as instance_compute() has them.
void kernel_print(const struct instance *instance, const char *name, FILE *to);

// How many words `in` has, and writes them for all tuples.
int kernel_operands(const struct instance *instance, uint64_t *in);

#endif
