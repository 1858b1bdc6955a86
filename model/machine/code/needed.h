// SPDX-License-Identifier: MIT
// Functions or variables of the program that one kernel needs. Kernels are many: none looks at all that the program
// has.
#ifndef TMAREF_MACHINE_NEEDED_H
#define TMAREF_MACHINE_NEEDED_H

#include "decoder.h"

#pragma GCC visibility push(hidden)

// Their numbers, once each. `is_in` is the module's: 1 for those of the list, until it is dropped. `no_memory`: where a
// list that cannot grow jumps to.
struct machine_needed {
    struct machine_array list;
    uint8_t *is_in;
    jmp_buf *no_memory;
};

void machine_need(struct machine_needed *needed, uint32_t number);
uint32_t machine_needed_at(const struct machine_needed *needed, uint32_t i);
void machine_needed_sort(struct machine_needed *needed); // in the order of the program
void machine_needed_drop(struct machine_needed *needed);

// The entry and all that it may call, in the order of the program, and their bodies. 0 with errors, or with none where
// there is no memory.
bool machine_needed_functions(struct machine_module *module, uint32_t entry, struct machine_needed *functions,
                              struct ptx_errors *errors);

#pragma GCC visibility pop

#endif
