// SPDX-License-Identifier: MIT
// What --why is told of the host (model/driver): which memory there is, and what calls write into it.
#ifndef TMAREF_LOOK_WHY_HOST_H
#define TMAREF_LOOK_WHY_HOST_H

#include <stdbool.h>

#include "machine.h"

#pragma GCC visibility push(hidden)

struct look;

// Is anything asked for? Else nobody need tell anything.
bool look_why_is_asked(const struct look *look);

// New memory of the device, of the N-th call that makes any. What lay there before is gone. Or a module's variables.
void look_why_allocate(struct look *look, uint64_t address, uint64_t bytes);
void look_why_module(struct look *look, const struct machine_module *module);

// A call that copies or sets bytes: "cudaMemcpy (called in main of a.out, at 0x1234)". Then each stretch that it has
// written, from 0 where it sets bytes, and from OWN where they come from memory of the program that the driver does not
// know.
#define LOOK_WHY_OWN UINT64_MAX
void look_why_call(struct look *look, const char *who);
void look_why_write(struct look *look, uint64_t to, uint64_t from, uint64_t bytes);

#pragma GCC visibility pop

#endif
