// SPDX-License-Identifier: MIT
// The functions that every GPU has: vprintf, __assertfail, malloc, free, cudaGraphSetConditional; and those of the
// device runtime with which kernels launch kernels (children.c).
#ifndef TMAREF_MACHINE_DEVICE_CALL_H
#define TMAREF_MACHINE_DEVICE_CALL_H

#include "code.h"

#pragma GCC visibility push(hidden)

// A call of a function without a body: code->target of the program.
machine_handler machine_device_call;

int machine_is_device_call(struct ptx_name name);

// Value `i` of what is passed: a register, or what lies in a variable of the caller; and value 0, which comes back.
void machine_passed(const struct machine_strand *strand, const struct machine_code *code, uint32_t i, uint32_t lane,
                    void *to, uint32_t bytes);
void machine_give(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane, uint64_t value,
                  uint32_t bytes);

machine_handler machine_child_parameters, machine_child_launch, machine_child_take_error, machine_child_see_error,
    machine_child_copy, machine_child_set, machine_child_take, machine_child_free, machine_child_error_text,
    machine_child_stream, machine_child_event, machine_child_nothing;

#pragma GCC visibility pop

#endif
