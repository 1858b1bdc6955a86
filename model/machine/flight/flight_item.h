// SPDX-License-Identifier: MIT
// For the handlers of asynchronous instructions: how one issues into the engine of a cluster, commits and waits.
// Read flights.h first.
#ifndef TMAREF_FLIGHT_ITEM_H
#define TMAREF_FLIGHT_ITEM_H

#include "async_group.h"
#include "flight.h"
#include "flights.h"
#include "handler.h"
#include "mbarrier_operate.h"
#include "wgmma.h"

#pragma GCC visibility push(hidden)

// OPERATION: of one lane, moved by model/tma. COPIES: one cp.async of the lanes of a warp. ARRIVE: the end of a
// cp.async.mbarrier.arrive, behind the copies before it. PRODUCT: a wgmma of the four warps of a warpgroup. STORES:
// weak stores of the lanes of a warp to other CTAs (remote.h).
enum flight_kind { FLIGHT_OPERATION, FLIGHT_COPIES, FLIGHT_ARRIVE, FLIGHT_PRODUCT, FLIGHT_STORES, FLIGHT_KINDS };

// One of them, in the cluster's list in the order of issue. `lanes`: of its warp (of a product: of its first warp) and
// `group` that of each; `async` ASYNC_ALONE where it is in none. `whole`: its group in the warp's own count. is_read:
// its sources are read. `issued`: how old the engine was then;
// `begun`: the cluster's time; `round`: its round. `place`: where it is among all items. level, number: delay.h's.
struct machine_flight {
    struct machine_flight *next, *previous;
    uint32_t place;
    enum flight_kind kind;
    enum async_kind async;
    struct machine_warp *warp;
    uint32_t lanes, whole;
    bool is_read;
    uint64_t issued, begun, round, level;
    uint32_t number;
    struct teller teller;
};

// `own`: NULL, or a copy of the source that was read before its destination is written. own_global: NULL, or global
// memory as a load sees it.
struct flight_operation {
    struct machine_flight head;
    uint32_t group;
    struct flight flight;
    uint8_t *own;
    struct memory own_memory[CLUSTER_MEMORY_MAX_CTAS];
    struct cluster_memory own_cluster;
    struct global_memory *own_global;
};

// Where each lane's bytes go from and to, on the host; the first `read` of `bytes` are copied, the others are zeros.
// is_row: all 32 lanes are side by side, there and here, and of all but `group` the first lane's is set alone. The
// addresses are for those who hear of it.
struct flight_copies {
    struct machine_flight head;
    bool is_row;
    uint32_t bytes, group[MACHINE_LANES];
    uint8_t read[MACHINE_LANES];
    const uint8_t *from[MACHINE_LANES];
    uint8_t *to[MACHINE_LANES];
    uint64_t from_address[MACHINE_LANES];
    uint32_t to_address[MACHINE_LANES];
};

struct flight_arrive {
    struct machine_flight head;
    bool is_noinc;
    uint32_t address[MACHINE_LANES]; // in the CTA
};

// Where the bytes of each lane go to on the host. stamp: the veil's time when they were stored.
enum { FLIGHT_STORE_BYTES = 16 };
struct flight_stores {
    struct machine_flight head;
    uint32_t bytes, stamp;
    uint8_t *to[MACHINE_LANES];
    uint8_t data[MACHINE_LANES][FLIGHT_STORE_BYTES];
};

// `d` and `a`: the lanes of each register of each warp, in its frame; has[w]: warp w has come. `is_apart`: no register
// is named twice in D, as far as their order tells. `is_released`: those that have come do not wait for the others.
enum { FLIGHT_WARPS = WGMMA_PARTS, FLIGHT_MOST_D = WGMMA_MAX_D };
struct flight_product {
    struct machine_flight head;
    const struct machine_code *code;
    struct wgmma wgmma;
    uint64_t descriptor[2];
    int scale_d;
    int has[FLIGHT_WARPS];
    bool is_apart, is_released;
    uint32_t group[FLIGHT_WARPS];
    int d_registers;
    const struct machine_frame *frame[FLIGHT_WARPS];
    uint32_t *d[FLIGHT_MOST_D][FLIGHT_WARPS];
    const uint32_t *a[FLIGHT_WARPS][4];
    uint32_t metadata[FLIGHT_WARPS][MACHINE_LANES];
    uint32_t gone[MACHINE_LANES]; // stands for registers that are no more
};

// The last wait of some lanes of a warp for an mbarrier that failed: where, and in which round of their strand. They
// may have gone on since without its barrier. lanes: 0, there is none.
enum { FLIGHT_WAITS = 4, FLIGHT_SEEN = 16 };
struct flight_wait {
    uint32_t lanes, round, rank, address;
    uint64_t operand;
    bool is_parity;
    const struct machine_function *function;
    const struct machine_code *code;
    uint32_t called_at; // the line of the PTX at which the kernel called what waits; 0: it waits itself
};

// The last wait of the warp for a barrier that succeeded: `phases` of it had completed since its init. Where it is, as
// in an event's origin. was_early: the warp's first wait for it had parity 1, before any phase had completed.
// stales: how often a wait returned although no phase had completed since the one before it of these lanes; when it did
// last, the line and how many phases had completed. since: how many phases completed between its last two waits,
// if is_again.
struct flight_seen {
    bool is_used, is_parity, was_early, is_again;
    uint32_t rank, address, line, called_at, lanes, stales, stale_line, stale_called_at;
    uint64_t operand, inits, phases, since, stale_phases;
};

// The groups of each thread of a warp, those of the warp as an H200 counts them, and its waits: the last that failed,
// those of parts of the warp (reports depend on them alone), and the last that succeeded of some barriers.
struct flight_warp {
    struct async_groups lane[MACHINE_LANES], whole;
    struct async_groups products; // wgmma-groups are a warp's
    bool waits;
    uint32_t wait_rank, wait_address;
    uint64_t wait_operand;
    bool wait_is_parity;
    struct flight_wait wait[FLIGHT_WAITS];
    struct flight_seen seen[FLIGHT_SEEN];
    struct flight_wait last; // that succeeded
};

// barrier.cluster: how often it has completed; release[i] is what `phases` must reach for thread i of the cluster that
// has arrived, 0 where it has not.
// `awaited`: the warp that had not arrived when somebody looked last. `unarrived`: a warp whose wait returned at once,
// as it had never arrived, and the line of that wait.
struct flight_meeting {
    uint64_t phases;
    uint64_t *release;
    const struct machine_warp *awaited, *unarrived;
    uint32_t line, called_at;
};

// A tensor map as it was read last, and what it says.
enum { FLIGHT_MAPS = 8 };
struct flight_map {
    bool is_there;
    struct tensormap_image image;
    struct tensormap map;
};

// A tensor map of global memory as a cluster has read it (late_maps.c).
struct flight_seen_map {
    bool is_there;
    uint64_t address;
    struct tensormap_image image;
};

// `item`: all of the list, in any order, to pick one of them; there is room for more. `spare`: of each kind those that
// have ended, for the next. `map`: by address. `stores`: how many of the list are of that kind.
struct machine_flights {
    struct machine_cluster *cluster;
    struct flight_meeting meeting;
    struct machine_flight *first, *last, **item, *spare[FLIGHT_KINDS];
    uint32_t items, most_items, warps_of_cta, stores;
    uint64_t operations; // how many were issued
    uint64_t age;        // clocks that passed on purpose
    struct memories memories;
    struct mbarrier_unit unit;
    struct ledger_book ledgers;
    struct ledger *pages;
    bool is_used;             // something is not as it was when it was opened
    struct flight_warp *warp; // of all CTAs, by rank
    struct flight_map map[FLIGHT_MAPS];
    struct flight_seen_map seen_map[FLIGHT_MAPS];
};

static inline struct machine_flights *flights_of(const struct machine_warp *warp)
{
    return warp->cta->cluster->flights;
}

static inline enum machine_policy flight_policy(const struct machine_cluster *cluster)
{
    return cluster->machine->launch->schedule.policy;
}

struct flight_warp *flight_warp_of(const struct machine_warp *warp);

// Where the last wait of the warp for a barrier that succeeded is kept, or that of another barrier.
static inline struct flight_seen *flight_seen_of(struct flight_warp *warp, uint32_t rank, uint32_t address)
{
    return &warp->seen[(address / MBARRIER_BYTES + rank * 5) % FLIGHT_SEEN];
}

// The wait for an mbarrier that the strand tries again and again; NULL if it does not.
const struct flight_wait *flight_wait_of(const struct machine_strand *strand);

// Room for an item of `bytes` bytes, as many for each of a kind; NULL if there is none. Its head is 0 but for kind,
// warp and lanes, and what is behind it is anything. It is not in the list yet.
void *flight_new(struct machine_warp *warp, enum flight_kind kind, uint32_t lanes, size_t bytes);

// Drops one that is not in the list.
void flight_free(struct machine_flight *item);

// Puts it into the list, behind all others, and runs it at once where the schedule says EARLY.
void flight_issue(struct machine_flight *item);

// Does the item move as under DEFAULT?
static inline bool flight_is_by_default(const struct machine_flight *item)
{
    const struct machine_cluster *cluster = item->warp->cta->cluster;
    const bool is_default = flight_policy(cluster) == MACHINE_DEFAULT || cluster->delayed != NULL;
    return is_default && item->level == 0 && !machine_is_weak(cluster->machine);
}

// Does the schedule show what an H200 does most often, DEFAULT or EARLY? There products are computed as soon as all
// warps have come, which wait for each other as long as somebody can go on.
bool flight_is_soon(const struct machine_warp *warp);

// What comes behind an instruction that takes a GPU long: fence.proxy.async, a wait for products. Other warps get on
// meanwhile. Under DEFAULT they do here, so a warp finds what the others had time to do, even if no barrier says so.
static inline enum machine_next flight_takes_long(const struct machine_warp *warp)
{
    const struct machine_cluster *cluster = warp->cta->cluster;
    const bool is_default = flight_policy(cluster) == MACHINE_DEFAULT || cluster->delayed != NULL;
    return is_default && !machine_is_weak(cluster->machine) ? MACHINE_REST : MACHINE_NEXT;
}

// Ends the bulk operations that the lanes of the warp commit, where the schedule is DEFAULT: an H200 reads the sources
// of a store within a few instructions.
void flight_commit(struct machine_warp *warp, uint32_t lanes);

// Runs an item of the list at once where the schedule says so and it is ready.
void flight_start(struct machine_flight *item);

// A wait for the same: MACHINE_NEXT where nothing is pending, else MACHINE_WAIT; where the schedule says LATE it ends
// now, or has its sources read.
enum machine_next flight_wait(struct machine_warp *warp, uint32_t lanes, enum async_kind async, uint32_t newest,
                              bool reads);

// Moves one item on by at most `most_bytes`; 1 if it has gone.
bool flight_move(struct machine_flight *item, uint64_t most_bytes);

// Ends an item with all that it comes behind; 0 if it cannot end yet.
bool flight_end(struct machine_flight *item);

// Can it move now, as far as those before it are concerned?
bool flight_is_ready(const struct machine_flight *item);

// Each kind's own (flight_kinds.c): moves on and returns whether nothing is left.
bool flight_copies_end(struct flight_copies *copies);
int flight_arrive_end(struct flight_arrive *arrive);
int flight_product_end(struct flight_product *product);
int flight_stores_end(struct flight_stores *stores);

// Takes the bytes that a store is still to read into a copy of its own; 0 if there is no memory.
bool flight_read_source(struct flight_operation *operation);

// At the issue of a store or a copy to another CTA: if the veil hides any of its source, it is read now, as the veil
// shows it. Later fences come too late for it.
void flight_veil_source(struct flight_operation *operation);

// At the issue of a load: if the veil hides any of what it may read, it sees global memory so, and is to end at once.
bool flight_veil_global(struct flight_operation *operation);

// complete_tx or the end of an arrive, at shared address `address` of CTA `rank`.
void flight_land(struct machine_flights *flights, uint32_t rank, uint32_t address,
                 const struct mbarrier_transaction *transaction, const struct teller *teller);

// A copy has found the map: what it is to the tensormap proxy. A fence acquires it.
void flight_map_read(const struct machine_warp *warp, uint64_t address, struct tensormap_image *image);
void flight_map_acquire(const struct machine_warp *warp, uint64_t address);

// The unit for mbarrier instructions; its ledgers have room for one more barrier of each lane.
const struct mbarrier_unit *flight_unit(struct machine_flights *flights);

#pragma GCC visibility pop

#endif
