// SPDX-License-Identifier: MIT
// A GPU core dump: which CTAs had an exception, and which. The driver writes one when a kernel faults, if the process
// asked for it before it opened the driver: an ELF file whose sections are tables. One launch so tells of as many
// faults as there are CTAs on the device, where the CUDA error tells of one. Source: cudacoredump.h and cudadebugger.h
// of the CUDA 13.0 toolkit.
#ifndef TMAREF_GPU_CORE_H
#define TMAREF_GPU_CORE_H

#include "gpu.h"

// Asks for a dump in `path`, with tables alone. Call it before cuInit.
void gpu_core_ask(const char *path);

// One warp that was on the device: its SM, x of its CTA, and its CUDBGException_t (0: none). An exception without a
// place (`has_place` 0) is the SM's: all of its warps have it.
struct gpu_core_warp {
    uint32_t sm, block, exception, has_place;
};

// Calls `tell` for every warp of the dump. Returns 0 if the file is none.
bool gpu_core_read(const char *path, void (*tell)(void *to, const struct gpu_core_warp *warp), void *to);

// The CUDA error of an exception, 0 if unknown. Two exceptions stand for two errors each, and `other` takes the second:
// 715 and the 719 of a barrier are one, 700 and the 719 of a CTA that is not there another. `other` is 0 for the rest.
int gpu_core_error(uint32_t exception, int *other);

// After the last launch of a batch of `count` cases faulted: gives every case whose CTAs had an exception, and one kind
// of it only, its status; all others get 0. Returns how many have one.
int gpu_told(const struct gpu *gpu, int count, struct result *results);

#endif
