// SPDX-License-Identifier: MIT
// What the files of the machine share of a module. For callers from outside: machine.h.
#ifndef TMAREF_MACHINE_MODULE_H
#define TMAREF_MACHINE_MODULE_H

#include "code.h"

#pragma GCC visibility push(hidden)

// Who executes an op: either or both, or none.
struct machine_executor {
    machine_handler *handler;
    alu_function *alu;
};

//   block           global variables, constant variables; none of a kind: bytes is NULL. raw: as malloc() gave them
//   address         of each variable of the program; 0 of those that lie elsewhere
//   function_place  memory that is never used: its addresses stand for functions
//   kernel          of each function of the program; NULL until it is launched
//   executor        of the first `executors` ops of the program
//   is_needed, is_named, variable_offset  decode.c's, all 0 between two kernels: functions and variables that the kernel
//                   needs, and where it has variables of the module in shared and local memory
struct machine_module {
    struct ptx_module *front;
    char *text;
    struct memory block[2];
    void *raw[2];
    uint64_t text_bytes, code_bytes, read_bytes; // that the budget has of it; of the last, what the PTX's reader took
    uint64_t *address;
    uint8_t *function_place;
    struct machine_kernel **kernel;
    struct machine_executor *executor;
    uint32_t executors;
    uint8_t *is_needed, *is_named;
    uint64_t *variable_offset;
};

// The address of a function as a value; and back: 0 if there is none.
uint64_t machine_function_address(const struct machine_module *module, uint32_t function);
bool machine_function_at(const struct machine_module *module, uint64_t address, uint32_t *function);

// The kernel, decoded. NULL with errors, or with none where there is no memory.
struct machine_kernel *machine_module_decoded(struct machine_module *module, int kernel, struct ptx_errors *errors);

#pragma GCC visibility pop

#endif
