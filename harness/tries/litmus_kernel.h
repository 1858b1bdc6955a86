// SPDX-License-Identifier: MIT
// A litmus test as a kernel: PTX that any CUDA driver loads. A group of CTAs runs 32 tries a round, one for each lane:
// it sets the places to their values, meets, waits a little, runs the threads of the test, meets, and writes what was
// seen.
#ifndef TMAREF_LITMUS_KERNEL_H
#define TMAREF_LITMUS_KERNEL_H

#include "litmus_layout.h"

// The parameters of `litmus`, in this order.
//   memory   places in global memory: (place * groups + group) * 32 + lane, each `pitch` << `far` bytes; shared memory:
//            place * 32 + lane, each `pitch` bytes, a power of two of at least LITMUS_LEAST_PITCH
//   scratch  32 bits for each register: ((thread * LITMUS_SLOTS + register) * groups + group) * 32 + lane
//   keys     64 bits for each try: (round * groups + group) * 32 + lane. LITMUS_SEEN_BITS for each value seen, the first
//            lowest; bit 63: a wait or a loop was given up
//   meetings LITMUS_MEETING_BYTES for each group, 0 at first
//   noise    LITMUS_NOISE_BYTES that CTAs of no group read and write, `noise_rounds` times each
//   warm     thread t first reads place p in global memory if bit 4 * t + p is set (p below 4)
//   burst    thread t first makes accesses of LITMUS_BURST_* whose bit b is set as bit 4 * t + b: eight of each lane, so
//            that those of the test wait behind them; stores to the helpers' bytes, with bank conflicts, and to `noise`
//   near     0, or the number of a place + 1: the CTAs of no group add to the bytes behind that place; `pitch` is 32 or
//            more
//   helpers  warps of each CTA behind those of the test, which write shared memory with bank conflicts, their own and
//            that of the next CTA of the cluster, and read global memory, until the last round is over. They have
//            LITMUS_HELPER_BYTES behind the places; with `far` they read places of other tries too
//   delay    a thread waits a number of clocks below delay + 1, a power of two less 1, that its round gives
struct litmus_parameters {
    uint64_t memory, scratch, keys, meetings, noise;
    uint32_t groups, rounds, pitch, delay, warm, noise_rounds, helpers, near, far, burst;
};
enum { LITMUS_BURST_SHARED, LITMUS_BURST_CLUSTER, LITMUS_BURST_GLOBAL, LITMUS_BURST_LOADS };
#define LITMUS_GAVE_UP ((uint64_t)1 << 63)
enum {
    LITMUS_NOISE_BYTES = 1 << 23,
    LITMUS_LEAST_PITCH = 16,
    LITMUS_MEETING_BYTES = 8,
    LITMUS_SLOTS = LITMUS_REGISTERS + 1
};
enum { LITMUS_HELPERS = 8, LITMUS_HELPER_BYTES = 4096 };

// The text, which the caller frees; NULL if there is no memory.
char *litmus_kernel(const struct litmus *test, const struct litmus_layout *layout);

#endif
