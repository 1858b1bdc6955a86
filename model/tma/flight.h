// SPDX-License-Identifier: MIT
// An operation under way. The caller issues it, moves its bytes in pieces when it likes, and so decides when data
// arrives. Each piece also tells the observer which bytes moved, and says what complete_tx the mbarrier gets. Call
// operation_check() first, because nothing is checked here. Read operation.h.
#ifndef TMAREF_FLIGHT_H
#define TMAREF_FLIGHT_H

#include "box.h"
#include "event.h"
#include "operation.h"

// Plain data without allocations: it may be copied and moved. The memories and the observer that it points to belong
// to the caller. Thousands may be under way at once.
//   operation   a copy; the map is the one that was read when the operation was issued
//   memories    global NULL: there are none, nothing moves and the observer is told all the same
//   teller      .observer NULL: there is no observer
//   targets     the CTAs whose shared memory is written, as operation_targets(). Where there are several, an owner may
//               make one flight of each, to let the data arrive at different times
//   done_bytes  moved so far, of all_bytes. How many a store or a prefetch moves is known only at its end
//   the others  are internal to the walk
struct flight {
    struct operation operation;
    struct memories memories;
    struct teller teller;
    uint32_t targets;
    uint64_t done_bytes, all_bytes;
    struct box box;
    struct box_walk walk;
    struct tile_run run;
    uint32_t rows, part_bytes;
    int is_idle, has_begun, is_walked;
};

// What one call moved.
//   bytes           of a load, all bytes that it writes, fill included; of a store, those in bounds. Bytes that several
//                   CTAs get count once
//   complete_bytes  what complete_tx subtracts now from the barrier of each of `targets`, at the offset of the barrier
//                   operand: the caller's to do (sync/mbarrier.h). 0 where there is no barrier to tell
//   is_last         nothing is left
struct piece {
    uint64_t bytes;
    uint32_t complete_bytes, targets;
    int is_last;
};

// Issues an operation that passed its check. `teller` is NULL or who listens, with the origin of the instruction.
struct flight operation_issue(const struct operation *operation, const struct memories *memories,
                              const struct teller *teller);

// Check and issue of the operation that stands in `flight`, where it is: flight_begin() goes on from a check that said
// RULE_OK. `teller` may stand there already too.
enum rule flight_check(struct flight *flight, const struct memories *memories, struct findings *findings);
void flight_begin(struct flight *flight, const struct memories *memories, const struct teller *teller);

// Moves on by at most `most_bytes`, in the units of hopper.h (PIECE_UNIT_BYTES; less than one counts as one). Any split
// of an operation leaves the same bytes and completes as many. The first piece tells of the read of the map.
struct piece flight_advance(struct flight *flight, uint64_t most_bytes);

// How many bytes of shared memory a store or reduction reads at most, from its operand on; a swizzle moves bytes within
// their lines of 128, which count whole.
uint64_t flight_reach_bytes(struct flight *flight);

// Check, issue and advance to the end at once.
//   piece     NULL, or takes all as one piece
//   findings  NULL, or takes every rule broken, and the warnings
//   returns   as operation_check(); on a fault nothing is changed
enum rule operation_run(const struct operation *operation, const struct memories *memories, const struct teller *teller,
                        struct piece *piece, struct findings *findings);

#endif
