// SPDX-License-Identifier: MIT
// What the files of the stand-in GPU share; see standin_gpu.c.
#ifndef TMAREF_STANDIN_H
#define TMAREF_STANDIN_H

#include <stdint.h>

#include "memory.h"
#include "rule.h"

// Does to this process what STANDIN_TROUBLE wants of the case that holds `number`; nothing for any other.
void meet_trouble(uint64_t number);

// The memory that was mapped: the arena.
const struct memory *standin_mapped(void);

// The kernels that have a file of their own.
enum rule async_jobs(void **parameters);
enum rule bulk_jobs(void **parameters);
enum rule multicast_jobs(void **parameters);
enum rule diagnose_jobs(void **parameters);
enum rule store_jobs(void **parameters);

#endif
