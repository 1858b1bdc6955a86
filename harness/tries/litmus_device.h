// SPDX-License-Identifier: MIT
// Tries of a litmus test on a device, a real GPU or the simulated one: how often it ended how, under some stress.
#ifndef TMAREF_LITMUS_DEVICE_H
#define TMAREF_LITMUS_DEVICE_H

#include "gpu.h"
#include "litmus_kernel.h"

enum { LITMUS_COUNTS = 512 };

// What a launch does beside the test (litmus_kernel.h). `noise`: CTAs that disturb; `helpers`: warps of each CTA that
// do. `is_turned`: shared data lies where it is written, where that is another place. `is_together`: the CTAs of a try
// are a cluster, so they lie in one GPC, also where the test names no cluster.
struct litmus_stress {
    uint32_t groups, rounds, pitch, delay, warm, noise, noise_rounds, helpers, near, far, burst;
    bool is_turned, is_together;
};

// How often which end was seen, by its key; the most frequent do not come first. A try that gave up a loop or a wait
// has no end.
struct litmus_counts {
    uint64_t tries, given_up;
    int counts;
    struct litmus_count {
        uint64_t key, tries;
    } count[LITMUS_COUNTS];
};

// The test, loaded; `gpu` stays the caller's. Memory grows as launches need it.
struct litmus_device {
    struct gpu *gpu;
    const struct litmus *test;
    int layouts; // 2: shared data may lie elsewhere too
    struct litmus_layout layout[2];
    struct CUmod_st *module[2];
    struct CUfunc_st *function[2];
    uint64_t *keys;
    size_t keys_bytes;
};

// 0 with a sentence in `why`: no device runs such a test (litmus_layout_of()), or the driver refuses it.
int litmus_device_open(struct litmus_device *device, struct gpu *gpu, const struct litmus *test, struct text *why);

// Runs groups * rounds * 32 tries and adds what they ended with. Where something may land late, the round is the only
// one of its launch, so that it lands in no other try. 0 with `why`: the device is of no more use.
bool litmus_device_try(struct litmus_device *device, const struct litmus_stress *stress, struct litmus_counts *counts,
                       struct text *why);

// Does a launch under this stress fit on the device?
bool litmus_device_fits(const struct litmus_device *device, const struct litmus_stress *stress);

void litmus_device_close(struct litmus_device *device);

// Adds `tries` ends of this key; 0 if there are too many different ends.
bool litmus_counts_add(struct litmus_counts *counts, uint64_t key, uint64_t tries);

#endif
