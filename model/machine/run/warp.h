// SPDX-License-Identifier: MIT
// One warp: its strands, the frames of its calls, and how it runs for a while.
#ifndef TMAREF_MACHINE_WARP_H
#define TMAREF_MACHINE_WARP_H

#include "state.h"

#pragma GCC visibility push(hidden)

//   BLOCKED  every strand waits: nothing can change before the cluster's progress does
//   POLLED   it let others run
//   ENDED    no lane is left
//   STOPPED  the launch is over (a fault)
enum machine_ran { MACHINE_RAN_ON, MACHINE_BLOCKED, MACHINE_POLLED, MACHINE_ENDED, MACHINE_STOPPED };

// Runs at most about `budget` instructions, in the environment of alu.h.
enum machine_ran machine_warp_run(struct machine_warp *warp, uint32_t budget);

// A warp of `lanes` at the entry of the kernel; 0 if there is no memory. Its slots and special registers are not set:
// the bytes are 0 of a new one, or it has been one of that index before, and ended. Memory that it took stays until
// free.
bool machine_warp_start(struct machine_warp *warp, struct machine_cta *cta, uint32_t index, uint32_t lanes);
void machine_warp_end(struct machine_warp *warp);
void machine_warp_free(struct machine_warp *warp);

// A frame for a call by `lanes` of the strand, at local memory `local_base`; NULL if there is no memory. When what is
// passed is in its slots, the lanes enter it at its first instruction; the others of the strand stay at the call.
struct machine_frame *machine_frame_open(const struct machine_strand *strand, const struct machine_function *function,
                                         const struct machine_code *call, uint32_t lanes, uint32_t local_base);
void machine_frame_enter(struct machine_strand *strand, struct machine_frame *frame);

// `lanes` of the strand go back to the instruction behind the call; the frame is given back with the last of them.
void machine_frame_pop(struct machine_strand *strand, uint32_t lanes);

// `lanes` of the strand are no more.
void machine_lanes_exit(struct machine_strand *strand, uint32_t lanes);

// Makes room for `bytes` of local memory of each lane; 0 if there is none.
bool machine_local_grow(struct machine_warp *warp, uint64_t bytes);

#pragma GCC visibility pop

#endif
