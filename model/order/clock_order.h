// SPDX-License-Identifier: MIT
// Happens-before of one launch, built from its events (core/event.h) as they are told: which accesses to the same bytes
// no synchronisation orders, whatever the order was in which they were made. It knows no names and no lines of a
// source; who drives it (model/look/sanitize.c, or a test) tells what it finds.
//
// Actors are the warps, and the operations. An operation begins with the clock of its issuer: all its accesses are
// given at its issue. What was ordered after it is known by what it completes on: a phase of an mbarrier, a group of
// its thread, products of a warp. Each of these is a slot of the CTA, whose time is the number of the phase or the
// group.
#ifndef TMAREF_CLOCK_ORDER_H
#define TMAREF_CLOCK_ORDER_H

#include "clock.h"
#include "event.h"
#include "shadow.h"

#pragma GCC visibility push(hidden)

enum { ORDER_MOST_WARPS = 32, ORDER_MEETINGS = 16, ORDER_MOST_CTAS = 16, ORDER_NOTES = 64 };

// How far an order reaches that two threads make: within their CTA, within their cluster, everywhere.
enum order_reach { ORDER_REACH_CTA, ORDER_REACH_CLUSTER, ORDER_REACH_ALL, ORDER_REACHES };

// WARP: threads. OPERATION: a copy. PRODUCT: the products of a warpgroup, by their number. GRID: any of the launch in
// front.
enum order_kind { ORDER_WARP, ORDER_OPERATION, ORDER_PRODUCT, ORDER_GRID };

// How an operation completes. barrier: the slot of one, whose phase `time` it is, 0 until it has come; groups of bulk
// copies have a slot for sources that were read, and one for all.
struct order_actor {
    enum order_kind kind;
    enum async_kind async;
    uint32_t cta, cluster, warp; // whose slots are meant; cluster: its first CTA; number: of the CTA in the grid
    uint64_t number, operation;
    uint32_t rank, slot_cta, slot, read_slot, time, issued, next; // issued: the warp's time then
    uint32_t barrier; // its address in the CTA of rank `rank`, UINT32_MAX: none
    bool is_done;     // it has come to memory: for who tells what was found
};

// What a warp did that others can be ordered by, and where: the release that ended its time `time`, or an acquire.
enum order_edge {
    ORDER_EDGE_NONE,
    ORDER_EDGE_MBARRIER,
    ORDER_EDGE_CTA,
    ORDER_EDGE_CLUSTER,
    ORDER_EDGE_FENCE,
    ORDER_EDGE_PROXY,
    ORDER_EDGE_GROUP,
    ORDER_EDGE_MEMORY,
    ORDER_EDGE_ISSUE // of a copy that completes on an mbarrier: only reads before it are over then
};
struct order_note {
    enum order_edge edge;
    uint32_t line, time, number; // number: of the barrier, the address of the mbarrier
};

struct order_place;

// What a warp did at a barrier of the CTA, at an mbarrier or at setmaxnreg, when, and with which lanes; line 0:
// nothing.
struct order_came {
    uint32_t time, line, lanes;
};

// The warp's clocks. now: its own time in `clock`. has_published: it, or a warp that it met, has executed a fence that
// reaches everywhere; near: what a later one released that reaches only so far. learnt: what relaxed reads showed,
// which its next fence acquires if it reaches that far. issued: of ORDER_PRODUCTS products in flight, the clock at
// their issue; NULL: none was. group_end: how many products the groups up to one held; copies_end: the same of
// cp.async. set: its latest setmaxnreg; sets: of so many
enum { ORDER_PRODUCTS = 64, ORDER_SETS = 4 };
struct order_lanes;
struct order_warp {
    uint32_t actor, now, products, copies;
    struct order_lanes *lanes;     // what they did apart; NULL: nothing
    bool is_ahead;                 // some of that has the next time
    uint32_t meetings;             // how often lanes of it have met
    uint32_t fenced[CLOCK_SPACES]; // its time at its last fence of the async proxy, for each space
    struct clock clock, near, learnt[ORDER_REACHES];
    enum order_reach near_reach;
    int has_published;
    struct clock *issued;
    uint32_t group_end[ORDER_PRODUCTS], copies_end[ORDER_PRODUCTS];
    uint16_t bulk_slot[32];
    struct order_note release[ORDER_NOTES], acquire;
    uint64_t arriving; // the instruction that arrived at mbarriers last, and when it did first
    uint32_t arrived;
    uint32_t sets;
    struct order_came set[ORDER_SETS];
    const struct order_place *heard; // the place that it read last, in which version, and how
    uint64_t heard_version;
    int heard_acquires;
    enum order_reach heard_reach;
};

// An arrival at an mbarrier by a warp, and when its instruction made the first. Lanes of one instruction often arrive
// at several mbarriers, one of each CTA of a cluster: they arrive at the same time.
struct order_arrival {
    uint32_t cta, slot, time, actor, line;
};
enum { ORDER_ARRIVALS = 64 };

// The barrier of the cluster, where a finding has the number of one of the CTA.
#define ORDER_CLUSTER_BARRIER UINT32_MAX

// An mbarrier by its address. phases: that completed, over all its lives. pending: of the phase under way; done: of
// those that completed; far: of these what threads of other CTAs released. init: the warp, its time then, and the line;
// is_init_released: by a fence.mbarrier_init; used: by each warp of its CTA last.
struct order_barrier {
    struct order_barrier *next;
    uint32_t address, slot, phases, init_actor, init_time, init_line, init_lanes, init_meetings;
    bool is_live, is_init_released;
    uint64_t expected, brought;  // bytes that were announced, and that copies bring which were issued, since the init
    bool is_behind, has_brought; // is_behind: the first copy since the init was announced behind its issue
    uint32_t brought_actor, brought_line;         // the first copy since the announcements fell behind; 0: none
    struct shadow_entry arrival;                  // the last
    struct order_arrival came[2][ORDER_ARRIVALS]; // of the phase under way, and of the last; the first that came
    uint32_t arrivals[2];
    struct order_came used[ORDER_MOST_WARPS];
    struct shadow_entry inval; // the last, since the last init; line 0: none
    struct clock pending, done, pending_far, far;
};

// A barrier of the CTA or the cluster: the clocks of two phases, and which they are of, plus 1. What those who meet
// have learnt, the fences behind the barrier acquire. came: of each warp in both phases; NULL: nobody has come. first:
// of a barrier of the CTA, who came first, and for how many threads, 0: nobody.
struct order_meeting {
    uint64_t phase[2];
    struct order_came (*came)[ORDER_MOST_WARPS];
    struct shadow_entry first[2];
    uint32_t threads[2];
    struct clock clock[2], learnt[2];
    int has_published[2];
};

enum { ORDER_BARRIER_SLOTS = 64, ORDER_SHARED_PAGES = (1 << 18) / SHADOW_PAGE_BYTES };
struct order_cta {
    struct order_cta *next;
    uint64_t number;
    uint32_t index, rank, ctas, warps, slots, product_actor[ORDER_MOST_WARPS / 4];
    struct order_cta *peer[ORDER_MOST_CTAS];
    struct order_warp *warp;
    struct order_barrier *barrier[ORDER_BARRIER_SLOTS];
    uint32_t barriers_begin, barriers_end; // where mbarriers have been: addresses from the first to behind the last
    struct order_meeting meeting[ORDER_MEETINGS], cluster;
    bool has_exited;
    struct shadow_page *page[ORDER_SHARED_PAGES];
};

// What was found. RACE: two accesses that nothing orders; GRID_EARLY: the same, of which the launch in front made one;
// FENCE: they are ordered, and a fence of the async proxy is missing; MAP_FENCE: the same of the release or the acquire
// of a tensor map; EXIT: an access to the memory of a CTA that nothing orders before its exit; UNINITIALISED: an
// mbarrier that no init made, or not before this use; AGAIN: an init of one that is live; UNEXPECTED: of copies that
// brought more bytes to an mbarrier than were expected, when the CTA exits: `time` says how many more; UNWRITTEN: a
// thread's read of memory that nobody has written; OVER_ARRIVAL: an arrival that the end of the phase before is not
// ordered before; BARRIER_WRITTEN: a write over an mbarrier that is live, by no instruction of mbarriers; CONSTANT: an
// ld.global.nc of what the same launch has written, in another warp; MEETING: an arrival at the barrier `address` of
// the CTA that the phase before is not ordered before; INVAL: of an mbarrier behind a use; PARTLY: a race with a
// product of which one warp at least has waited; NARROW: one with what an operation wrote that is over, behind a
// release of too narrow a scope; DIVERGENT: lanes of a warp have arrived in one phase of the barrier `address` of the
// CTA by two instructions, the later of which is .aligned; COUNT: two arrivals in one phase of the barrier `address` of
// the CTA give different numbers of threads; REGISTERS: a setmaxnreg that another warp's before it, of the warpgroup
// whose first warp is `address`, is not ordered before; SIZES: two strong accesses of different sizes.
enum order_finding {
    ORDER_RACE,
    ORDER_GRID_EARLY,
    ORDER_FENCE,
    ORDER_MAP_FENCE,
    ORDER_EXIT,
    ORDER_UNINITIALISED,
    ORDER_UNORDERED_INIT,
    ORDER_AGAIN,
    ORDER_UNEXPECTED,
    ORDER_UNWRITTEN,
    ORDER_OVER_ARRIVAL,
    ORDER_BARRIER_WRITTEN,
    ORDER_CONSTANT,
    ORDER_MEETING,
    ORDER_INVAL,
    ORDER_PARTLY,
    ORDER_NARROW,
    ORDER_DIVERGENT,
    ORDER_COUNT,
    ORDER_REGISTERS,
    ORDER_SIZES
};
// PARTED: it would be ordered, had the lanes of a warp met: lanes that were apart; or those that executed the access
// together, of which some released or waited for all. FENCED, of an entry alone: the same, behind a fence of the async
// proxy.
enum order_parted { ORDER_NOT_PARTED, ORDER_PARTED, ORDER_TOGETHER, ORDER_FENCED };
struct order_found {
    enum order_finding kind;
    enum order_parted parted;
    enum access_space space;
    const struct order_cta *cta; // whose shared memory; NULL: global memory
    uint64_t address;
    uint16_t mask;
    struct shadow_entry older, newer;
};

enum { ORDER_HASH = 1024, ORDER_OPERATION_HASH = 1 << 16 };

// What writes and reductions have released, which reach so far: by which CTA, of which cluster. by: ORDER_BY_MANY
enum { ORDER_BY_NOBODY = UINT32_MAX, ORDER_BY_MANY = UINT32_MAX - 1 };
struct order_gift {
    uint32_t by, cluster;
    enum order_reach reach;
    struct clock clock;
};

// What memory releases to who reads it by strong accesses: what reaches everywhere, and what does not.
struct order_place {
    struct order_place *next;
    enum access_space space;
    uint32_t cta;              // of shared memory
    uint64_t address, version; // version: how often its clocks have changed
    struct order_gift all, near;
};

// Pages of global memory that were accessed, by their hash: at most ORDER_MOST_PAGES. recent: the last, by number
enum { ORDER_GLOBAL_HASH = 1 << 14, ORDER_MOST_PAGES = 1 << 17, ORDER_RECENT_PAGES = 64 };
struct order_global {
    struct shadow_page **page, *recent[ORDER_RECENT_PAGES]; // page: of ORDER_GLOBAL_HASH lists; NULL: none yet
    uint32_t pages;
    bool is_full, has_strong; // has_strong: a strong access
};

enum { ORDER_PLACES = 4096 };
struct order_apart;
struct order_between;
struct clock_order {
    void *context;
    void (*found)(void *context, const struct order_found *found);
    int (*is_untouched)(void *context, uint64_t address); // has nobody written that global memory yet? NULL: not known
    uint32_t warps;                                       // of a CTA
    struct order_cta *hash[ORDER_HASH];
    uint32_t ctas;
    struct order_actor *actor;
    uint32_t actors, actor_room;
    uint32_t operation[ORDER_OPERATION_HASH]; // the newest of each hash; `next` leads on
    struct shadow_pool pool;
    struct shadow_page *spare;
    bool is_short; // there was no memory for all: nothing more is heard
    struct order_place *place[ORDER_PLACES];
    bool has_places;
    struct order_global global;
    struct order_apart *apart;     // one cluster is followed by itself (apart.h); NULL: all are followed together
    struct order_between *between; // with it: who looks in place of clocks and cells (between.h); NULL: nobody
    uint64_t again;                // with it: accesses since the last one to bytes that its line had not accessed
    struct shadow_page *made;      // with it: the pages of global memory that the cluster has accessed
    struct clock_order *before;    // the launch in front, if it may not have ended; NULL: it has
    bool has_waited;               // griddepcontrol.wait has returned
    uint64_t instruction;          // how many the machine has begun; the owner counts
    bool is_aligned;               // the barrier instruction of now is .aligned; the owner knows
    uint32_t live, executing;      // lanes of its warp that have not exited, and that execute it; live 0: as one thread
    uint32_t lanes;                // of the access that waits
    uint64_t each;                 // the bytes of one of them
    bool is_uneven;                // they do not lie side by side, nor at one place
    enum order_parted repeats;     // the access was judged before, and is made to stand behind a release
    // An access of threads that is not judged yet: the lanes of a warp come one by one
    bool has_access;
    struct event access;
    struct event_origin access_origin;
    // The access that is judged: the clocks of who makes it, of which there is one, or of a product four
    const struct clock *by[4];
    uint32_t bys;
    const struct clock *met;  // what it would be, had the lanes met those that waited; NULL: the same
    enum order_parted parted; // how they are apart then
    const struct order_cta *at;
    enum access_space space;
    uint64_t address;
    bool is_wide; // masks say words
};

// warps: of each CTA
struct clock_order *clock_order_open(uint32_t warps, void *context,
                                     void (*found)(void *context, const struct order_found *found));
void clock_order_close(struct clock_order *order); // and those in front of it

// The launch in front may not have ended: takes it over. To be called before any event.
void clock_order_follow(struct clock_order *order, struct clock_order *before);

// The launch has ended: what only its own accesses need is freed. The launch in front of it is over too if it waited.
void clock_order_end(struct clock_order *order);

// A cluster begins: the numbers of its CTAs, by rank. To be called before any event of them; again changes nothing.
void clock_order_cluster(struct clock_order *order, const uint64_t *numbers, uint32_t ctas);

// An event. Accesses of operations are ignored: they are given at the issue.
void clock_order_hear(struct clock_order *order, const struct event *event);

// An instruction is over: the accesses of its lanes, which may wait for more of them, are judged.
void clock_order_settle(struct clock_order *order);

// The operation origin->operation is issued: of one lane, or a cp.async of the lanes of a warp. `group`: of its thread;
// barrier: the address in each target CTA, UINT32_MAX where it completes on none; targets: the ranks of those CTAs.
// Then its accesses come, all of them.
struct order_issue {
    enum async_kind async;
    uint32_t group, barrier, targets;
};
void clock_order_issue(struct clock_order *order, const struct event_origin *origin, const struct order_issue *issue);
void clock_order_access(struct clock_order *order, const struct event *event);

// How many bytes the operation brings to the CTA of that rank, on whose mbarrier it completes.
void clock_order_brings(struct clock_order *order, const struct event_origin *origin, uint32_t rank, uint64_t bytes);

// A cp.async.mbarrier.arrive is issued: the mbarrier will be released by the copies of the warp up to now, and tells
// nothing of what the warp wrote otherwise.
void clock_order_copies_arrive(struct clock_order *order, const struct event_origin *origin, uint32_t barrier);

// The first warp of a warpgroup has issued a product: its accesses are told as those of origin->operation.
void clock_order_product(struct clock_order *order, const struct event_origin *origin);

// Lanes of a warp meet before the instruction of now: those of `lanes`, UINT32_MAX: all.
void clock_order_meet(struct clock_order *order, uint64_t cta, uint32_t warp, uint32_t lanes);
// They execute an instruction together that holds no lane back: in step they would be behind what was before it.
void clock_order_step(struct clock_order *order, uint64_t cta, uint32_t warp, uint32_t lanes);

// The warp of an access, for who tells what was found; NULL if its CTA has ended.
const struct order_warp *clock_order_warp(const struct clock_order *order, const struct order_actor *actor);

// How many phases of the mbarrier of an operation the warp of another actor knows to be complete, now.
uint32_t clock_order_phases(const struct clock_order *order, const struct order_actor *operation,
                            const struct order_actor *of);

// Has every CTA of which something was heard exited?
bool clock_order_is_over(const struct clock_order *order);

// --- For the files of this folder --------------------------------------------------------------------------------------

struct order_cta *order_cta_of(const struct clock_order *order, uint64_t number);
struct order_cta *order_peer(const struct clock_order *order, const struct event_origin *who, uint32_t rank);
struct order_barrier *order_barrier_of(struct clock_order *order, struct order_cta *cta, uint32_t address);
uint32_t order_actor_new(struct clock_order *order, const struct order_actor *actor);
// The actor of an operation for the target of that rank, UINT32_MAX: any; 0: none.
uint32_t order_operation_find(struct clock_order *order, uint64_t cta, uint64_t operation, uint32_t rank);
uint32_t order_operation_new(struct clock_order *order, struct order_actor actor);
void order_access(struct clock_order *order, const struct event *event, uint32_t actor, uint32_t time);
void order_tick(struct order_cta *cta, struct order_warp *warp, enum order_edge edge, uint32_t line, uint32_t number);
void order_acquire(struct order_warp *warp, const struct clock *from, enum order_edge edge, uint32_t line,
                   uint32_t number);

struct order_warp *order_warp_of(const struct clock_order *order, const struct event_origin *who,
                                 struct order_cta **cta);

// clock_order.c: for cells: is the older access before the one that is judged? Tells what is wrong.
int order_is_before(void *context, const struct shadow_entry *older, const struct shadow_entry *newer);

// Of a cluster that is followed by itself and has ended: nobody is an actor.
void order_actors_forget(struct clock_order *order);

// clock_access.c: a page for cells, NULL without memory; an init has written the eight bytes of its mbarrier.
struct shadow_page *order_page_spare(struct clock_order *order);
void order_note_init(struct clock_order *order, struct order_cta *home, uint32_t address);

// clock_barrier.c: an event of an mbarrier (and clock_order_brings()); is its init ordered before this use; a
// fence.mbarrier_init.
void order_hear_barrier(struct clock_order *order, const struct event *event);
void order_check_init(struct clock_order *order, const struct order_cta *home, struct order_barrier *barrier,
                      const struct event *event, const struct order_warp *warp);
void order_release_inits(struct order_cta *cta, const struct order_warp *warp);
// Does an access that writes touch mbarriers that are live?
void order_check_written(struct clock_order *order, const struct order_cta *home, const struct access *access,
                         const struct shadow_entry *by);

// clock_place.c: what strong accesses and fences release and acquire.
static inline enum order_reach order_reach_of(enum access_scope scope)
{
    if (scope == SCOPE_CLUSTER) return ORDER_REACH_CLUSTER;
    return scope == SCOPE_GPU || scope == SCOPE_SYS ? ORDER_REACH_ALL : ORDER_REACH_CTA;
}
void order_release_relaxed(struct clock *to, const struct order_warp *warp, enum order_reach reach);
void order_fence(struct order_warp *warp, enum order_reach reach);
void order_fence_proxy(struct order_cta *cta, struct order_warp *warp, const struct event *event);
void order_by_memory(struct clock_order *order, const struct event *event, struct order_cta *cta,
                     struct order_warp *warp);
void order_places_free(struct clock_order *order);

// clock_global.c: the page of a byte of global memory; NULL if there is no room.
struct shadow_page *order_global_page(struct clock_order *order, uint64_t address);
void order_global_meet(struct clock_order *order, const struct access *access); // is about to happen
uint32_t order_pages_of_host(void);                                             // how many pages the host has as one
const struct shadow_page *order_global_find(const struct clock_order *order, uint64_t address); // NULL: no page
void order_global_free(struct order_global *global);

// clock_grid.c: asks an access to global memory of the launches in front.
void order_grid_access(struct clock_order *order, const struct shadow_entry *entry);
void order_grid_wait(struct clock_order *order, struct order_warp *warp);
void order_exit(struct clock_order *order, struct order_cta *cta);

// clock_lanes.c: lanes of a warp that have not met. A weak access of threads; a release by those that execute the
// instruction of now, of which what other lanes did is no part; an acquire by `lanes`, of which others know nothing;
// the clock of lanes, for all that none of those waited for; the end.
// PROXY: a fence of the async proxy, behind which nothing is released yet. EXPECT: an arrive of who fills a stage,
// which lets nobody overwrite what the warp did.
enum order_lanes_by { ORDER_LANES_RELEASE, ORDER_LANES_PROXY, ORDER_LANES_EXPECT };
void order_lanes_note(struct clock_order *order, struct order_warp *warp, const struct event *event);
void order_lanes_release(struct clock_order *order, struct order_cta *cta, struct order_warp *warp,
                         const struct event_origin *who, enum order_lanes_by by);
void order_lanes_acquire(const struct clock_order *order, struct order_warp *warp, uint32_t lanes);
// Lanes read what was released, by a relaxed access: they acquire it at a fence. And such a fence, of those that
// execute.
void order_lanes_hear(struct order_warp *warp, uint32_t lanes);
void order_lanes_fence(const struct clock_order *order, struct order_warp *warp);
void order_lanes_judge(struct clock_order *order, struct order_warp *warp, uint32_t lanes);
struct clock *order_lanes_before(struct order_warp *warp);               // NULL: nobody has waited
void order_lanes_settle(struct order_cta *cta, struct order_warp *warp); // nothing has the next time
void order_lanes_free(struct order_warp *warp);

// clock_registers.c: a setmaxnreg of the warp.
void order_set_registers(struct clock_order *order, const struct order_cta *cta, struct order_warp *warp,
                         const struct event *event);
void order_drop_ctas(struct clock_order *order);

#pragma GCC visibility pop

#endif
