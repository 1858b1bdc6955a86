// SPDX-License-Identifier: MIT
// The list of what is under way in a cluster, and what waits for it. What moves when is in flight_turns.c.
#include "flights.h"

#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "delay.h"
#include "each.h"
#include "flight_item.h"
#include "grid.h"
#include "late_reads.h"
#include "looker.h"
#include "veil.h"

enum { FIRST_PAGES = 16, FEW_ITEMS = 64, LATEST_CLOCKS = 2000, LONGEST_CLOCKS = 1 << 18 };

// --- Open and close --------------------------------------------------------------------------------------------------

static uint32_t threads_of(const struct machine_cluster *cluster)
{
    return cluster->ctas * cluster->cta[0].warps * MACHINE_LANES;
}

static bool make(struct machine_cluster *cluster)
{
    struct machine_flights *flights = calloc(1, sizeof *flights);
    if (flights == NULL) return false;
    cluster->flights = flights;
    flights->cluster = cluster;
    flights->warps_of_cta = cluster->cta[0].warps;
    flights->memories = (struct memories){&cluster->machine->global, &cluster->shared};
    flights->unit = (struct mbarrier_unit){&cluster->shared, &flights->ledgers};
    flights->pages = malloc(FIRST_PAGES * sizeof *flights->pages);
    flights->item = malloc(FEW_ITEMS * sizeof(struct machine_flight *));
    flights->most_items = FEW_ITEMS;
    flights->ledgers.capacity = FIRST_PAGES;
    flights->warp = malloc((size_t)cluster->ctas * flights->warps_of_cta * sizeof *flights->warp);
    flights->meeting.release = malloc(threads_of(cluster) * sizeof *flights->meeting.release);
    flights->is_used = true;
    return flights->pages != NULL && flights->item != NULL && flights->warp != NULL && flights->meeting.release != NULL;
}

static void clear(struct machine_flights *flights)
{
    const uint32_t threads = threads_of(flights->cluster);
    memset(flights->warp, 0, threads / MACHINE_LANES * sizeof *flights->warp);
    for (uint32_t i = 0; i < threads; i++) flights->warp[i / MACHINE_LANES].lane[i % MACHINE_LANES].thread = i;
    memset(flights->meeting.release, 0, threads * sizeof *flights->meeting.release);
    flights->meeting.phases = 0;
    flights->meeting.awaited = flights->meeting.unarrived = NULL;
    flights->operations = flights->age = 0;
    ledger_book_start(&flights->ledgers, flights->pages, flights->ledgers.capacity);
    for (int i = 0; i < FLIGHT_MAPS; i++) flights->map[i].is_there = flights->seen_map[i].is_there = false;
    flights->is_used = false;
}

bool machine_flights_open(struct machine_cluster *cluster)
{
    if (cluster->flights == NULL && !make(cluster)) return false;
    if (cluster->flights->is_used) clear(cluster->flights);
    return true;
}

void flight_free(struct machine_flight *item)
{
    struct machine_flight **spare = &flights_of(item->warp)->spare[item->kind];
    if (item->kind == FLIGHT_OPERATION) free(((struct flight_operation *)item)->own);
    if (item->kind == FLIGHT_OPERATION) free(((struct flight_operation *)item)->own_global);
    item->next = *spare;
    *spare = item;
}

static void free_spares(struct machine_flights *flights)
{
    for (int kind = 0; kind < FLIGHT_KINDS; kind++)
        for (struct machine_flight *item = flights->spare[kind], *next; item != NULL; item = next) {
            next = item->next;
            free(item);
        }
}

static void tell(const struct machine_flight *item, int begins)
{
    const struct machine_looker *looker = machine_looker(item->warp->cta->cluster);
    if (looker != NULL && item->kind != FLIGHT_STORES) looker->flight(looker->context, item, begins);
}

uint32_t machine_flight_line(const struct machine_flight *flight)
{
    const struct flight_operation *operation = (const struct flight_operation *)flight;
    return flight->kind == FLIGHT_OPERATION ? operation->flight.teller.origin.line : flight->teller.origin.line;
}

static void drop(struct machine_flight *item)
{
    struct machine_flights *flights = flights_of(item->warp);
    tell(item, 0);
    machine_delay_ends(item->warp, item->number);
    *(item->previous != NULL ? &item->previous->next : &flights->first) = item->next;
    *(item->next != NULL ? &item->next->previous : &flights->last) = item->previous;
    flights->item[item->place] = flights->item[--flights->items];
    flights->item[item->place]->place = item->place;
    flight_free(item);
}

void machine_flights_end(struct machine_cluster *cluster)
{
    while (cluster->flights->first != NULL) drop(cluster->flights->first);
}

void machine_flights_close(struct machine_cluster *cluster)
{
    struct machine_flights *flights = cluster->flights;
    if (flights == NULL) return;
    machine_flights_end(cluster);
    free_spares(flights);
    free(flights->pages);
    free(flights->item);
    free(flights->warp);
    free(flights->meeting.release);
    free(flights);
    cluster->flights = NULL;
}

struct flight_warp *flight_warp_of(const struct machine_warp *warp)
{
    struct machine_flights *flights = flights_of(warp);
    flights->is_used = true;
    return &flights->warp[warp->cta->rank * flights->warps_of_cta + warp->index];
}

// One that polls lets others run at each try: what it has not tried for some rounds it has left.
const struct flight_wait *flight_wait_of(const struct machine_strand *strand)
{
    enum { ROUNDS_OF_A_TRY = 16 };
    const struct flight_warp *warp = flight_warp_of(strand->warp);
    for (int i = 0; i < FLIGHT_WAITS; i++) {
        const struct flight_wait *wait = &warp->wait[i];
        if ((wait->lanes & strand->lanes) != 0 && wait->function == strand->frame->function &&
            strand->round - wait->round <= ROUNDS_OF_A_TRY)
            return wait;
    }
    return NULL;
}

// Barriers without a page have no ledger: the book grows before they come.
const struct mbarrier_unit *flight_unit(struct machine_flights *flights)
{
    struct ledger_book *book = &flights->ledgers;
    flights->is_used = true;
    if (book->capacity - book->used >= MACHINE_LANES && book->used * 2 < book->capacity) return &flights->unit;
    uint32_t capacity = (book->capacity + MACHINE_LANES) * 2;
    struct ledger *pages = malloc(capacity * sizeof *pages);
    if (pages == NULL) return &flights->unit;
    ledger_book_move(book, pages, capacity);
    free(flights->pages);
    flights->pages = pages;
    return &flights->unit;
}

// --- Issue -----------------------------------------------------------------------------------------------------------

static bool has_place(struct machine_flights *flights)
{
    if (flights->items < flights->most_items) return true;
    struct machine_flight **item = realloc(flights->item, 2 * (size_t)flights->most_items * sizeof *item);
    if (item == NULL) return false;
    flights->item = item;
    flights->most_items *= 2;
    return true;
}

void *flight_new(struct machine_warp *warp, enum flight_kind kind, uint32_t lanes, size_t bytes)
{
    struct machine_flights *flights = flights_of(warp);
    struct machine_flight *item = flights->spare[kind];
    if (!has_place(flights)) return NULL;
    if (item != NULL)
        flights->spare[kind] = item->next;
    else if ((item = malloc(bytes)) == NULL)
        return NULL;
    *item = (struct machine_flight){.kind = kind, .warp = warp, .lanes = lanes};
    return item;
}

void flight_issue(struct machine_flight *item)
{
    struct machine_flights *flights = flights_of(item->warp);
    if (item->async < ASYNC_KINDS) item->whole = flight_warp_of(item->warp)->whole.kind[item->async].committed;
    item->issued = flights->age;
    item->begun = flights->cluster->time;
    item->round = flights->cluster->rounds;
    item->previous = flights->last;
    *(flights->last != NULL ? &flights->last->next : &flights->first) = item;
    flights->last = item;
    item->place = flights->items++;
    flights->item[item->place] = item;
    item->level =
        item->kind == FLIGHT_STORES ? 0 : machine_delay_issue(item->warp, machine_flight_line(item), &item->number);
    tell(item, 1);
    flight_start(item);
}

bool flight_is_soon(const struct machine_warp *warp)
{
    return !machine_is_weak(warp->cta->cluster->machine);
}

void flight_commit(struct machine_warp *warp, uint32_t lanes)
{
    for (struct machine_flight *item = flights_of(warp)->first, *next; item != NULL; item = next) {
        next = item->next;
        const bool is_it = item->warp == warp && item->async == ASYNC_BULK && (item->lanes & lanes) != 0;
        if (is_it && flight_is_by_default(item)) flight_end(item);
    }
}

// An H200 has a product there before anybody can look, wait or not.
void flight_start(struct machine_flight *item)
{
    enum machine_policy policy = flight_policy(item->warp->cta->cluster);
    bool is_now = policy == MACHINE_EARLY || (item->kind == FLIGHT_PRODUCT && flight_is_by_default(item));
    if (is_now && flight_is_ready(item)) flight_move(item, UINT64_MAX);
}

// --- Moving on -------------------------------------------------------------------------------------------------------

void flight_land(struct machine_flights *flights, uint32_t rank, uint32_t address,
                 const struct mbarrier_transaction *transaction, const struct teller *teller)
{
    const uint32_t at = cluster_mapa(address, 0);
    if (mbarrier_land(flight_unit(flights), rank, at, transaction, teller, NULL) != RULE_OK)
        ledger_break(&flights->ledgers, rank, at, &teller->origin);
}

static bool is_store(enum operation_kind kind)
{
    return kind == OPERATION_TENSOR_STORE || kind == OPERATION_TENSOR_REDUCE || kind == OPERATION_BULK_STORE ||
           kind == OPERATION_BULK_STORE_REDUCE;
}

static bool is_combined(enum operation_kind kind)
{
    return kind == OPERATION_TENSOR_REDUCE || kind == OPERATION_BULK_STORE_REDUCE;
}

static struct piece advance(struct flight_operation *operation, uint64_t most_bytes)
{
    const struct machine *machine = operation->head.warp->cta->cluster->machine;
    if (!is_combined(operation->flight.operation.kind)) return flight_advance(&operation->flight, most_bytes);
    machine_combine_lock(machine);
    struct piece piece = flight_advance(&operation->flight, most_bytes);
    machine_combine_unlock(machine);
    return piece;
}

// What the engine itself writes to shared memory it sees.
static void lift_destination(const struct flight_operation *operation)
{
    enum { SWIZZLED = 128 };
    const struct flight *flight = &operation->flight;
    const struct machine_cluster *cluster = operation->head.warp->cta->cluster;
    const bool is_tensor = flight->operation.kind == OPERATION_TENSOR_LOAD;
    const uint32_t place = cluster_mapa(is_tensor ? flight->operation.shared : (uint32_t)flight->operation.to, 0);
    for (EACH_BIT(rank, cluster->veil != NULL ? flight->targets : 0)) {
        const uint8_t *at = cluster_memory_at(&cluster->shared, rank, place, 1);
        if (at != NULL) machine_veil_lift(cluster, at, (flight->all_bytes + SWIZZLED - 1) / SWIZZLED * SWIZZLED);
    }
}

// It advances; reads of the memory that it writes may be under way.
static struct piece advance_over_reads(struct flight_operation *operation, uint64_t most_bytes)
{
    const struct machine_cluster *cluster = operation->head.warp->cta->cluster;
    const bool is_seen = cluster->veil != NULL && operation_has_barrier(operation->flight.operation.kind);
    const uint32_t targets = is_seen ? operation->flight.targets : 0;
    for (EACH_BIT(rank, targets)) machine_reads_before(&cluster->cta[rank]);
    const struct piece piece = advance(operation, most_bytes);
    for (EACH_BIT(rank, targets)) machine_reads_behind(&cluster->cta[rank]);
    return piece;
}

static bool move_operation(struct flight_operation *operation, uint64_t most_bytes)
{
    if (operation_has_barrier(operation->flight.operation.kind)) lift_destination(operation);
    if (is_store(operation->flight.operation.kind))
        machine_veil_lift_global(operation->head.warp->cta->cluster, &operation->flight.operation);
    const struct piece piece = advance_over_reads(operation, most_bytes);
    const struct mbarrier_transaction landed = {.complete_bytes = piece.complete_bytes};
    for (EACH_BIT(rank, piece.complete_bytes != 0 ? piece.targets : 0))
        flight_land(flights_of(operation->head.warp), rank, operation->flight.operation.barrier, &landed,
                    &operation->flight.teller);
    return piece.is_last;
}

bool flight_move(struct machine_flight *item, uint64_t most_bytes)
{
    bool is_done = true;
    item->warp->cta->cluster->progress++;
    if (item->kind == FLIGHT_OPERATION) is_done = move_operation((struct flight_operation *)item, most_bytes);
    if (item->kind == FLIGHT_COPIES) is_done = flight_copies_end((struct flight_copies *)item);
    if (item->kind == FLIGHT_ARRIVE) is_done = flight_arrive_end((struct flight_arrive *)item);
    if (item->kind == FLIGHT_PRODUCT) is_done = flight_product_end((struct flight_product *)item);
    if (item->kind == FLIGHT_STORES) is_done = flight_stores_end((struct flight_stores *)item);
    if (is_done) drop(item);
    return is_done;
}

// Is `other` one of those that `item` comes behind? The end of cp.async.mbarrier.arrive: copies of its threads;
// products of a warpgroup: each other. Stores to other CTAs come behind all that were made before.
static bool is_behind(const struct machine_flight *item, const struct machine_flight *other)
{
    if (item->kind == FLIGHT_STORES) return other->kind == FLIGHT_STORES;
    if (other->warp != item->warp) return false;
    if (item->kind == FLIGHT_ARRIVE) return other->kind == FLIGHT_COPIES && (other->lanes & item->lanes) != 0;
    return item->kind == FLIGHT_PRODUCT && other->kind == FLIGHT_PRODUCT;
}

static struct machine_flight *one_before(const struct machine_flight *item)
{
    if (item->kind == FLIGHT_OPERATION || item->kind == FLIGHT_COPIES) return NULL;
    for (struct machine_flight *other = item->previous; other != NULL; other = other->previous)
        if (is_behind(item, other)) return other;
    return NULL;
}

static bool is_whole(const struct machine_flight *item)
{
    const struct flight_product *product = (const struct flight_product *)item;
    if (item->kind != FLIGHT_PRODUCT) return true;
    return product->has[0] && product->has[1] && product->has[2] && product->has[3];
}

bool flight_is_ready(const struct machine_flight *item)
{
    return is_whole(item) && one_before(item) == NULL;
}

bool flight_end(struct machine_flight *item)
{
    if (!is_whole(item)) return false;
    for (struct machine_flight *before; (before = one_before(item)) != NULL;)
        if (!flight_end(before)) return false;
    while (!flight_move(item, UINT64_MAX)) continue;
    return true;
}

// --- Waits -----------------------------------------------------------------------------------------------------------

static uint32_t oldest_open(const struct async_groups *groups, enum async_kind async, uint32_t newest)
{
    uint32_t committed = groups->kind[async].committed;
    return committed > newest ? committed - newest : 0;
}

// An H200 has one count for all lanes of a warp and for both kinds of copies, and waits for writes where PTX has it
// wait for reads (rules ASYNC_GROUP_THREAD, ASYNC_GROUP_KINDS, ASYNC_GROUP_READ). So do the schedules that are not out
// to show what goes wrong; LATE and SHUFFLED wait for no more than PTX promises.
static bool is_of_warp(const struct machine_flight *item, const struct machine_warp *warp, const uint32_t *open)
{
    return item->warp == warp && (item->async == ASYNC_COPY || item->async == ASYNC_BULK) &&
           item->whole < open[item->async];
}

// What is in none of the newest groups of the warp's own count, by kind.
static void open_of_warp(const struct machine_warp *warp, uint32_t newest, uint32_t open[ASYNC_KINDS])
{
    const struct async_groups *whole = &flight_warp_of(warp)->whole;
    open[ASYNC_COPY] = oldest_open(whole, ASYNC_COPY, newest);
    open[ASYNC_BULK] = oldest_open(whole, ASYNC_BULK, newest);
}

// The lanes of `lanes` of the warp that wait for `item`.
static uint32_t waiting_for(const struct machine_flight *item, const struct machine_warp *warp, uint32_t lanes,
                            enum async_kind async, uint32_t newest)
{
    const struct flight_warp *groups = flight_warp_of(warp);
    uint32_t waiting = 0, open[ASYNC_KINDS];
    if (item->kind != FLIGHT_PRODUCT && async != ASYNC_WGMMA && flight_is_soon(warp)) {
        open_of_warp(warp, newest, open);
        return is_of_warp(item, warp, open) ? lanes : 0;
    }
    if (item->async != async) return 0;
    if (item->kind == FLIGHT_PRODUCT) {
        const struct flight_product *product = (const struct flight_product *)item;
        uint32_t part = warp->index - item->warp->index;
        if (item->warp->cta != warp->cta || part >= FLIGHT_WARPS || !product->has[part]) return 0;
        return product->group[part] < oldest_open(&groups->products, async, newest) ? lanes : 0;
    }
    if (item->warp != warp) return 0;
    for (EACH_BIT(lane, item->lanes & lanes)) {
        uint32_t group = item->kind == FLIGHT_COPIES ? ((const struct flight_copies *)item)->group[lane]
                                                     : ((const struct flight_operation *)item)->group;
        if (group < oldest_open(&groups->lane[lane], async, newest)) waiting |= 1u << lane;
    }
    return waiting;
}

static bool is_warp_pending(const struct machine_warp *warp, uint32_t newest, bool reads)
{
    uint32_t open[ASYNC_KINDS];
    open_of_warp(warp, newest, open);
    for (const struct machine_flight *item = flights_of(warp)->first; item != NULL; item = item->next)
        if (is_of_warp(item, warp, open) && !(reads && item->is_read)) return true;
    return false;
}

// The lanes among `lanes` of whose operations something is under way in groups older than the newest `newest` committed
// ones; with `reads`, only where its sources have not been read.
static uint32_t flight_pending(const struct machine_warp *warp, uint32_t lanes, enum async_kind async, uint32_t newest,
                               bool reads)
{
    uint32_t pending = 0;
    if (async != ASYNC_WGMMA && flight_is_soon(warp)) return is_warp_pending(warp, newest, reads) ? lanes : 0;
    for (const struct machine_flight *item = flights_of(warp)->first; item != NULL; item = item->next)
        if (!(reads && item->is_read)) pending |= waiting_for(item, warp, lanes, async, newest);
    return pending;
}

static void demand(struct machine_warp *warp, uint32_t lanes, enum async_kind async, uint32_t newest, bool reads)
{
    struct machine_flights *flights = flights_of(warp);
    for (struct machine_flight *item = flights->first, *next; item != NULL; item = next) {
        next = item->next;
        if ((reads && item->is_read) || waiting_for(item, warp, lanes, async, newest) == 0) continue;
        if (reads && flight_read_source((struct flight_operation *)item)) continue;
        if (flight_end(item)) next = flights->first;
    }
}

enum machine_next flight_wait(struct machine_warp *warp, uint32_t lanes, enum async_kind async, uint32_t newest,
                              bool reads)
{
    if (flight_is_soon(warp)) reads = false;
    if (flight_pending(warp, lanes, async, newest, reads) == 0) return MACHINE_NEXT;
    const struct machine_cluster *cluster = warp->cta->cluster;
    if (flight_policy(cluster) != MACHINE_LATE && (cluster->delayed == NULL || !reads)) return MACHINE_WAIT;
    demand(warp, lanes, async, newest, reads);
    return flight_pending(warp, lanes, async, newest, reads) == 0 ? MACHINE_NEXT : MACHINE_WAIT;
}

// --- The end ------------------------------------------------------------------------------------------------------------

// The list is in the order of issue.
void machine_flights_age(struct machine_cluster *cluster, uint64_t clocks)
{
    struct machine_flights *flights = cluster->flights;
    flights->age += clocks;
    if (cluster->machine->turns != NULL) return;
    const uint64_t now = cluster->time;
    for (struct machine_flight *item = flights->first, *next; item != NULL; item = next) {
        if (flights->age - item->issued < LATEST_CLOCKS && now - item->begun < LONGEST_CLOCKS) return;
        next = flight_end(item) ? flights->first : item->next;
    }
}

void machine_flights_finish(struct machine_cluster *cluster)
{
    for (struct machine_flight *item = cluster->flights->first, *next; item != NULL; item = next)
        next = flight_end(item) ? cluster->flights->first : item->next;
}

// The registers of a warp go away before the others have come: nobody sees what becomes of them.
static void forget(struct flight_product *product, const struct machine_frame *frame)
{
    for (int w = 0; w < FLIGHT_WARPS; w++) {
        if (product->frame[w] != frame) continue;
        for (int r = 0; r < FLIGHT_MOST_D; r++) product->d[r][w] = product->gone;
        for (int r = 0; r < 4; r++) product->a[w][r] = product->gone;
        product->is_apart = false;
        product->frame[w] = NULL;
    }
}

void machine_flights_leave(struct machine_warp *warp, const struct machine_frame *frame)
{
    struct machine_flights *flights = flights_of(warp);
    for (struct machine_flight *item = flights->first, *next; item != NULL; item = next) {
        const struct flight_product *product = (const struct flight_product *)item;
        bool is_of_frame = false;
        next = item->next;
        for (int w = 0; item->kind == FLIGHT_PRODUCT && w < FLIGHT_WARPS; w++)
            is_of_frame |= product->frame[w] == frame;
        if (!is_of_frame) continue;
        if (flight_end(item))
            next = flights->first;
        else
            forget((struct flight_product *)item, frame);
    }
}
