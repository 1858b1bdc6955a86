// SPDX-License-Identifier: MIT
// From the PTX program to code that runs: a kernel with every function that it may call.
#ifndef TMAREF_MACHINE_DECODE_H
#define TMAREF_MACHINE_DECODE_H

#include "module.h"

#pragma GCC visibility push(hidden)

// NULL with errors, or with none where there is no memory.
struct machine_kernel *machine_decode(struct machine_module *module, uint32_t entry, struct ptx_errors *errors);
uint64_t machine_kernel_bytes(const struct machine_kernel *kernel);
void machine_kernel_free(struct machine_kernel *kernel);

// The registers of each thread with which ptxas has an entry start whose bounds are `threads` threads, for its
// setmaxnreg; 0: it leaves setmaxnreg out.
uint32_t machine_start_registers(const struct ptx_program *program, const struct ptx_function *entry, uint32_t threads);

#pragma GCC visibility pop

#endif
