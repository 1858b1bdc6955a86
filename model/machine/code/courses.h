// SPDX-License-Identifier: MIT
// What the instructions of an entry are to a course (run/course.h).
#ifndef TMAREF_MACHINE_COURSES_H
#define TMAREF_MACHINE_COURSES_H

#include "code.h"

#pragma GCC visibility push(hidden)

// Fills in kernel->course, if all else is decoded. It stays NULL where the kernel has no ramps, has more predicates
// than a word has bits, or there is no memory. `spellings`: of the program.
void machine_courses_prepare(struct machine_kernel *kernel, uint32_t spellings);
void machine_courses_drop(struct machine_kernel *kernel);

#pragma GCC visibility pop

#endif
