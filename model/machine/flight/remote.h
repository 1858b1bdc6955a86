// SPDX-License-Identifier: MIT
// Weak stores to shared memory of other CTAs, which are under way for a while under LATE and SHUFFLED: the other CTA
// sees the bytes from before. They land in the order in which they were made: at the latest when the thread, or one
// that has learnt of it (veil.h), executes a fence or a release of a scope wider than the CTA. Threads of the own CTA
// see them at once.
#ifndef TMAREF_MACHINE_REMOTE_H
#define TMAREF_MACHINE_REMOTE_H

#include "flight_item.h"

#pragma GCC visibility push(hidden)

// What `lanes` of the strand store, each at most FLIGHT_STORE_BYTES bytes; NULL: stores land at once, or there is no
// memory. Fill in `to` and `data` of each lane, and pass it on: with no lanes it is dropped.
struct flight_stores *machine_remote_begin(const struct machine_strand *strand, uint32_t bytes);
void machine_remote_issue(struct flight_stores *stores, uint32_t lanes);

// A thread of the CTA is about to access `bytes` bytes at `at` on the host, of another CTA: its CTA's stores there
// land.
void machine_remote_land(const struct machine_cta *cta, const uint8_t *at, uint64_t bytes);

// The warp executes a release: what it, or one that it has learnt of, has stored, lands.
void machine_remote_release(const struct machine_warp *warp);

// What comes behind an instruction by which others may learn that they can go on: while stores of the CTA are under
// way, these others run first, and so see what is not there yet.
enum machine_next machine_remote_told(const struct machine_warp *warp);

#pragma GCC visibility pop

#endif
