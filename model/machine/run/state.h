// SPDX-License-Identifier: MIT
// What a launch is while it runs: a grid of clusters, of CTAs, of warps, of strands. Read code.h first.
#ifndef TMAREF_MACHINE_STATE_H
#define TMAREF_MACHINE_STATE_H

#include "cluster.h"
#include "cluster_memory.h"
#include "code.h"
#include "register_pool.h"

#pragma GCC visibility push(hidden)

enum {
    MACHINE_BARRIERS = 16,
    MACHINE_MOST_WARPS = 32,
    MACHINE_HITS = 8,
    MACHINE_SPANS = 32,
    MACHINE_GROUPS = 8,
    MACHINE_SPARE_FRAMES = 16,
    MACHINE_HOST_THREADS = 64 // that run clusters, at most
};

// Generic addresses of shared memory (bits 31..24: the rank) and of local memory: where no host address can be.
#define MACHINE_SHARED_WINDOW UINT64_C(0x0001000000000000)
#define MACHINE_LOCAL_WINDOW  UINT64_C(0x0001000100000000)
#define MACHINE_WINDOW_BYTES  UINT64_C(0x100000000)
enum { MACHINE_CLOCKS_OF_NS = 2 }; // of a cluster's time
#define MACHINE_HOUR (UINT64_C(3600000000000) * MACHINE_CLOCKS_OF_NS)
enum { MACHINE_LOCAL_GRANULE = 16 }; // bytes of a lane's local memory that lie beside those of the next
enum { MACHINE_ANSWERS = 4 };        // as many bar.red in a loop are known one by one
enum { MACHINE_SHARED_BASE = 1024 }; // where a CTA's shared memory begins: what is below is reserved

// The registers of one call, for the lanes that called together. It lives until all of them have returned.
struct machine_frame {
    struct machine_frame *caller; // NULL: the entry's
    const struct machine_function *function;
    uint32_t depth, lanes, return_pc;
    const struct machine_code *call; // NULL: the entry's
    uint32_t local_base;
    uint8_t *slots;
};

// Lanes of a warp that are at one instruction of one call.
//   registers   where the slots are
//   round       how often it let its siblings pass: those of a lower round run first
//   waiting_at  the cluster's progress when the instruction at pc said WAIT; 0: it did not
struct machine_strand {
    struct alu_registers registers;
    struct machine_warp *warp;
    struct machine_frame *frame;
    uint32_t lanes, pc, round;
    uint64_t waiting_at;
};

// A barrier to which a warp has come: at which instruction, and which of the sixteen.
enum { MACHINE_MET = 32 };
struct machine_met {
    const struct machine_code *code;
    uint32_t number;
};

//   live       lanes that have not exited
//   begun      of them, those that have begun the waiting instruction at which they are: a mark for its handler, which
//              finds it at its next try. Cleared by the machine when the lane goes on
//   syncing, synced  of them, those at bar.warp.sync; and those whose whole mask has come, there or at shuffles and their
//              like of several places
//   mark       what the handler noted of each such lane (a phase, a token)
//   answer     what another gave to the lane while it waited
//   blocked_at the cluster's progress when all strands were found waiting; 0: they were not
//   clock_reads  how often it has read a clock
//   polled_place, polled_state, polled_reads, polled_looks, repeats  polling.c's: where it was, in what state, its
//             clock_reads then, how often its state is yet to be looked at, and whether it has come back to that
//   entry      the frame of the kernel's entry; is_again: it holds what the last warp has left there (code.h's again)
//   ramps      the kernel's; ramp: of each its value (even.h); NULL: there are none. late: those whose lanes are not written
//              yet; width: of their rows; last_column, last_row: of the last lane; are_ramps: what the warp has from the beginning is ramps; is_known: ramps hold
//              what `again` leaves out; is_even: all lanes have gone together up to now; are_specials_late: the
//              lanes of special registers are those of the last CTA
//   reads      loads whose values may still change, of late_reads.h
//   reached    of loads and stores by one ramp (code/ramps.c), by group: where its first lane is; NULL: nobody has looked
//   span       how the lanes of ramps lay in memory last, by the ramp
//   hit        regions that instructions found last; row: where the rows of lanes lay that they moved last
//   looking_in, looking_at, looked_for  the last strong read or atomic: where, and of which address; by which lanes, and
//             in which round of the cluster: looking_lanes, looked_in_round
//   heard      the last answers of bar.red, by instruction; hears: how many instructions were new
//   looked     a looker's own, 0 in the beginning
//   local      the local memory of all lanes, 16 bytes of a lane beside those of the next; stack_top: used of it
//   met    the barriers of the CTA to which it has come, the last MACHINE_MET of `meets`
struct machine_warp {
    struct machine_cta *cta;
    uint8_t *slots, *local;
    uint32_t local_bytes, index;
    bool is_heard; // somebody hears of what it does
    struct machine_frame *entry;
    struct machine_reads *reads; // late_reads.h's; NULL: it has none
    const struct region *hit[MACHINE_HITS];
    uintptr_t row[MACHINE_HITS];
    uint8_t *reached[MACHINE_GROUPS];
    struct machine_span {
        int64_t step, rise, least;
        uint64_t bytes, extent;
    } span[MACHINE_SPANS];
    const struct machine_ramps *ramps;
    struct machine_ramp *ramp;
    uint64_t late;
    uint32_t width;
    int32_t last_column, last_row;
    bool are_ramps, is_known, is_even, are_specials_late; // all up to here stay when the warp is used again
    uint32_t strands, live, begun, syncing, synced, carry;
    bool is_again;
    const struct machine_function *looking_in;
    const struct machine_code *looking_at;
    uint64_t looked_for, looked_in_round, looked_from, looked_to;
    uint32_t looking_lanes;
    struct {
        const struct machine_code *code;
        uint32_t answer;
    } heard[MACHINE_ANSWERS];
    uint32_t hears;
    uint64_t blocked_at, clock_reads, polled_place, polled_state, polled_reads;
    uint32_t polled_looks, meets;
    bool repeats;
    uint32_t looked; // all up to here is 0 when the warp begins
    uint32_t stack_top[MACHINE_LANES];
    struct machine_strand strand[MACHINE_LANES];
    uint64_t mark[MACHINE_LANES];
    uint32_t answer[MACHINE_LANES];
    struct machine_met met[MACHINE_MET];
};

// bar.sync and its like: threads that have come in this phase. `extra` are second arrivals of one thread. came_before:
// bit w, warp w had come in the phase before. differs: another number of threads that somebody has named in this phase.
struct machine_barrier {
    uint64_t phase;
    uint32_t arrived[MACHINE_MOST_WARPS], waiting[MACHINE_MOST_WARPS];
    uint32_t expected, extra; // expected: 0, all threads
    uint32_t other, before;   // what an arrival of this phase gave that differs, plus 1; what the last phase had
    uint32_t came_before;     // the warps that came in the last phase
    uint32_t awaited;         // a warp that had not come when somebody looked last
    uint32_t popc; // threads whose predicate holds; not_all: there was one whose does not; is_asked: a bar.red
    bool not_all, is_asked;
};

//   used  bit b: somebody has come to barrier b; those of the others are as they were made
struct machine_cta {
    struct machine_cluster *cluster;
    uint32_t rank, ctaid[3], warps, live_warps, used;
    uint64_t number;
    struct machine_warp *warp;
    struct machine_barrier barrier[MACHINE_BARRIERS];
    struct register_pool registers;
};

// Warps `first` on of the CTA `rank` that get no turns in the rounds behind `from`, up to `until` (hold.h).
struct machine_hold {
    uint64_t from, until;
    uint32_t rank, first, warps;
};

//   memory    of each CTA, by rank; `shared` is the same for the model's calls
//   progress  goes up when memory, a barrier or an asynchronous operation changes something that others may wait for
//   rounds    in which each warp had a turn; first: the warp whose turn comes first
//   executed  instructions of its warps
//   time      its clock when the round began, which goes on while all wait, too; ahead: instructions of this turn so
//             far, if somebody looks on
//   clock     the latest time that a thread has read; reads_of_turn: how often the warp whose turn it is has read it
//   polling, idle, unchanged  rounds up to now in which all only polled, those in which nobody got on by a clock either,
//             and those in which progress stayed; polled_from: the time when the first began; looks: of them, how many polling.c is yet to look at
//   slept     the longest nanosleep of this round, in nanoseconds; suspended: the longest time for which a wait on an mbarrier
//             that failed has held its thread, in clocks; held_at: progress at the first of either
//   stared    clocks for which nobody did more than read them; stares: rounds of them
//   vain      atomics and stores that left memory as it was, and meetings in which nobody learned anything new: all
//             count in progress too
//   looks_of_turn  strong reads and atomics of the warp whose turn it is; looked_in: the round of the last one; ground: those
//             at an address above or below all that the warp had looked at before, so it does not poll
//   watched   rounds up to now in which memory stayed as it was, and who ran looked at it; outside: looks at global
//             memory in them, which others than the launch may write; still: of them, those in which nobody read a
//             clock
//   calm      rounds up to now in which memory stayed as it was and nobody read a clock, whatever ran; is_fixed: the
//             warps have come back to states of them, so that nothing but what others write gets them out
//   flights   the asynchronous engine's (flights.h); veil: what it does not see yet (veil.h), NULL: nothing
//   course    course.h's, NULL: it has none; to_start: warps that are on it, a bit each
//   delayed   what is late (delay.h); NULL: the schedule delays nothing
//   spare_frame  frames of calls that have ended, for the next calls: a list has those of one function
struct machine_cluster {
    struct machine *machine;
    struct machine_cluster *next_spare;
    struct machine_cta *cta;
    struct memory memory[CLUSTER_MEMORY_MAX_CTAS];
    struct cluster_memory shared;
    uint8_t *shared_bytes;
    struct machine_flights *flights;
    struct machine_veil *veil;
    struct machine_delayed *delayed;
    struct machine_frame *spare_frame[MACHINE_SPARE_FRAMES];
    struct machine_course *course;
    const struct machine_looker *looker; // the launch's, or those of the thread; NULL: nobody
    const struct observer *observer;
    uint32_t ctas, is_used; // all up to here stays when the cluster is used again
    uint64_t number, progress, rounds, time, ahead, clock, clock_reads, reads_of_turn, executed, thread_instructions,
        random;
    uint64_t polling, polled_from, idle, unchanged, slept, suspended, held_at, stared, stares, vain, looks_of_turn,
        looked_in, ground, watched, outside, still, calm;
    uint32_t looks, live_ctas, first, to_start;
    bool is_fixed;
    struct machine_hold hold;
};

// The launch.
//   note   who has written what others may poll (noted.h); NULL: nobody has; begun: how many clusters have
//   turns  step_turns.h's: the observer of a launch whose steps are chosen; NULL: they are not
struct machine_note;
struct machine_turns;
struct machine {
    const struct machine_launch *launch;
    const struct machine_kernel *kernel;
    struct machine_map *map;     // prepare.c's
    struct global_memory global; // what the launch names, the module's variables and the parameters
    struct cluster_launch shape;
    struct cluster_registers first; // those of the first CTA
    // Clusters that have ended, for the next ones of the same thread of the host, whose caches have them; the lock of
    // the grid's.
    struct machine_cluster *spare[MACHINE_HOST_THREADS];
    uint8_t *parameters;
    struct machine_note *note;
    struct machine_turns *turns;
    uint64_t begun;
    uint32_t ctas; // of a cluster
    uint64_t shared_bytes, instructions, thread_instructions;
    bool is_weak;         // what machine_is_weak() says
    int is_stopped;       // read by all threads
    int child_error;      // the last of a launch that a kernel asked for; read by all threads
    bool is_alone;        // nobody else can write global memory now
    bool is_spoken;       // unseen.h: clusters may speak to each other, and do not see all stores of others at once
    int is_before_hidden; // written.h: what the launch in front has written is not there yet; read by all threads
    struct machine_outcome *outcome;
    void *lock;          // of the outcome
    void *combined_lock; // of global memory, for who reads, combines and writes there; NULL: one host thread runs
};

// What generic addresses of the kernel's parameters have over those of their space, which begin at 0.
static inline uint64_t machine_parameter_window(const struct machine *machine)
{
    return (uint64_t)(uintptr_t)machine->parameters;
}

// Are all lanes of the warp that live at the instruction, as .aligned wants it?
static inline bool machine_is_converged(const struct machine_strand *strand, uint32_t lanes)
{
    return lanes == strand->warp->live;
}

// Is the schedule out to show what goes wrong? Then what threads write is not always there at once.
static inline bool machine_is_weak(const struct machine *machine)
{
    return machine->is_weak;
}

static inline bool machine_is_stopped(const struct machine *machine)
{
    return __atomic_load_n(&machine->is_stopped, __ATOMIC_RELAXED);
}

// Does the warp look where it has not been? Who scans the same flags again and again stays between two addresses.
static inline bool machine_is_new_ground(struct machine_warp *warp, uint64_t address)
{
    const bool is_first = warp->looked_from == 0 && warp->looked_to == 0;
    if (!is_first && address >= warp->looked_from && address <= warp->looked_to) return false;
    if (is_first || address < warp->looked_from) warp->looked_from = address;
    if (address > warp->looked_to) warp->looked_to = address;
    return true;
}

// A strong read or an atomic, from where somebody may learn that it is time to go on.
static inline void machine_look(const struct machine_strand *strand, const struct machine_code *code,
                                enum ptx_word space, uint64_t address)
{
    struct machine_warp *warp = strand->warp;
    struct machine_cluster *cluster = warp->cta->cluster;
    cluster->looks_of_turn++;
    cluster->looked_in = cluster->rounds;
    cluster->ground += (uint64_t)machine_is_new_ground(warp, address);
    cluster->outside += space == PTX_GLOBAL;
    warp->looking_in = strand->frame->function;
    warp->looking_at = code;
    warp->looked_for = address;
    warp->looking_lanes = strand->lanes;
    warp->looked_in_round = cluster->rounds;
}

// Taken around what reads global memory, combines and writes it: clusters of other host threads do the same.
void machine_combine_lock(const struct machine *machine);
void machine_combine_unlock(const struct machine *machine);

// The next number of a random sequence (SplitMix64), and of the cluster's.
uint64_t machine_draw(uint64_t *state);
static inline uint64_t machine_random(struct machine_cluster *cluster)
{
    return machine_draw(&cluster->random);
}

#pragma GCC visibility pop

#endif
