// SPDX-License-Identifier: MIT
// The frames of calls: one that ends is kept for the next call of its function in the cluster.
#ifndef TMAREF_MACHINE_FRAMES_H
#define TMAREF_MACHINE_FRAMES_H

#include "state.h"

#pragma GCC visibility push(hidden)

// A frame whose registers are 0, at local memory `local_base`; NULL if there is no memory.
struct machine_frame *machine_frame_new(struct machine_cluster *cluster, const struct machine_function *function,
                                        uint32_t local_base);

// The frame of the entry of a warp that begins, for the first time or anew; NULL if there is no memory. It is the
// warp's until that is freed. Where somebody looks at all instructions, all registers are 0.
struct machine_frame *machine_frame_of_entry(struct machine_warp *warp);
void machine_frame_free(struct machine_frame *frame);

// The call has ended: keeps the frame. A list holds those of one function, so others in its place are given back.
void machine_frame_keep(struct machine_cluster *cluster, struct machine_frame *frame);

// Gives back all that are kept.
void machine_frames_free(struct machine_cluster *cluster);

#pragma GCC visibility pop

#endif
