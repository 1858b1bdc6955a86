// SPDX-License-Identifier: MIT
// What synchronises in each launch, step by step, as a file from which harness/explore/paths_read.c makes programs. A
// line is one of these; numbers are decimal but for lanes, which are hexadecimal:
//
//   tmaref sync 1 RUN                           the first line
//   L launch KERNEL                             a launch begins
//   P place TEXT                                a place in the source
//   C launch cluster rank x,y,z warps           a CTA; a cluster is named by the number of its first CTA
//   B launch cluster rank address NAME          an mbarrier
//   s launch cluster rank warp lanes operation place KIND...   a step of lanes of a warp, or of its operation, in the
//                                               order of the run
//   full                                        more was not written
//
//   i rank address count                        mbarrier.init
//   v rank address                              mbarrier.inval
//   t rank address arrivals expect complete drop   a transaction; e rank address: one that breaks a rule
//   w rank address phase, k rank address phase  a wait that succeeds, by parity and by a token
//   A object number threads come, M object number   came to a barrier of threads, and left it. object: 0 the warp's lanes
//                                               (number: their mask), 1 the CTA's, 2 the cluster's. come: how many threads
//                                               that counts as, of `threads`, or of all if that is 0
//   x                                           the lanes exit
//   S number                                    an operation begins
//   h launch cluster number                     another, of the cluster's last S: a line of its own
//   J                                           the lanes meet, and nobody else can see it
//   f WHAT space rank address bytes             a strong access of threads: R reads, W writes, U both, A adds blindly
//   g launch cluster WHAT space rank address bytes   another of the cluster's last step: a line of its own
#ifndef TMAREF_LOOK_SYNC_LOG_H
#define TMAREF_LOOK_SYNC_LOG_H

#include "parts.h"

#pragma GCC visibility push(hidden)

struct sync_log;
struct sync_log_launch;

// NULL if the file cannot be written, or there is no memory.
struct sync_log *sync_log_open(const char *path, const char *run);
struct sync_log_launch *sync_log_begin(struct sync_log *log, const char *kernel, uint64_t number);
void sync_log_before(struct sync_log_launch *launch, const struct machine_step *step);
void sync_log_flight(struct sync_log_launch *launch, const struct machine_flight *flight, int begins);
void sync_log_hear(struct sync_log_launch *launch, const struct event *event);
void sync_log_end(struct sync_log_launch *launch);
bool sync_log_close(struct sync_log *log, char *why, size_t why_bytes);

#pragma GCC visibility pop

#endif
