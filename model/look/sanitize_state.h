// SPDX-License-Identifier: MIT
// What --sanitize keeps of a launch: sanitize.c hears the machine, sanitize_launch.c begins, ends and tells.
#ifndef TMAREF_LOOK_SANITIZE_STATE_H
#define TMAREF_LOOK_SANITIZE_STATE_H

#include "sanitize_guess.h"
#include "sanitize_known.h"
#include "sanitize_lanes.h"
#include "sanitize_layout.h"
#include "sanitize_needs.h"
#include "sanitize_registers.h"
#include "sanitize_value.h"

#pragma GCC visibility push(hidden)

struct sanitize_works;
struct order_apart;
struct undo;

// cluster: whose instruction is executed now; first: the number of its first CTA; is_quick: only what check_found.h
// tells is looked for: nothing of global memory, of registers, of lanes
struct look_sanitize {
    struct clock_order *order;
    struct sanitize_registers *registers;
    struct sanitize_lanes *lanes;
    struct sanitize_layouts *layouts;
    struct look_sanitize_kept *before; // the launch in front, if it may not have ended
    const struct machine_cluster *cluster;
    uint64_t first;
    bool is_quick;
    struct sanitize_needs needs;
    struct observer ghost;
    uint64_t brought[ORDER_MOST_CTAS]; // by the operation that is issued now, to each CTA of the cluster
    const struct global_memory *global;
    uint64_t parameters, parameter_bytes; // where those of the launch are
    struct sanitize_bytes lay;            // what lay where the instruction of now writes
    struct sanitize_ran ran;
    struct sanitize_guesses guesses;
    bool has_spoken; // a fence of the whole system
    bool checks;     // the instruction of now is an atomic that checks what a plain read guessed
    struct sanitize_values values;
    struct sanitize_works *works; // NULL: the launch is no work of a stream
    uint32_t work;
    struct undo *undo;               // of one thread's clusters (look_apart.h), before they write; NULL: all clusters
    const struct order_apart *apart; // of all clusters, where threads have seen them and found nothing; else NULL
    bool is_cut;                     // threads see them, and have not seen all of them to the end
    char incomplete[1024];
    struct sanitize_found found;
};

// A launch that has ended, for a programmatic one behind it.
struct look_sanitize_kept {
    uint64_t number;
    struct clock_order *order; // NULL: that of the launch behind it has taken it over
    struct sanitize_front front;
    struct look_sanitize_kept *before;
    struct order_apart *apart; // has its accesses, where threads have seen them; else NULL
};

// For order->found, for what sanitize_layout.h finds, and for the observer of flights that move nothing: `context` is
// the struct.
void sanitize_take(void *context, const struct order_found *found);
void sanitize_take_layout(void *context, struct sanitize_finding *finding);
void sanitize_hear_ghost(void *context, const struct event *event);

// Where in the CTA's shared memory it is, for people.
void sanitize_name_of(const struct look_sanitize *sanitize, uint32_t address, char name[SANITIZE_NAME_BYTES]);

// Of one with an `undo`, before a write to global memory. Whether nobody had touched the page is asked before it is
// read.
void sanitize_undo_note(struct look_sanitize *sanitize, const struct access *access);

// Which functions ran, for the lines of what is told later.
void sanitize_keep_functions(struct look_tally *to, const struct look_tally *tally);

#pragma GCC visibility pop

#endif
