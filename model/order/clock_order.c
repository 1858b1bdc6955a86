// SPDX-License-Identifier: MIT
// Who there is, and which of two accesses is ordered before the other.
#include "between.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ACTORS = 1024 };

// --- CTAs ------------------------------------------------------------------------------------------------------------

struct order_cta *order_cta_of(const struct clock_order *order, uint64_t number)
{
    struct order_cta *cta = order->hash[number % ORDER_HASH];
    while (cta != NULL && cta->number != number) cta = cta->next;
    return cta;
}

struct order_cta *order_peer(const struct clock_order *order, const struct event_origin *who, uint32_t rank)
{
    struct order_cta *cta = order_cta_of(order, who->cta);
    return cta != NULL && rank < cta->ctas ? cta->peer[rank] : NULL;
}

static bool open_warps(struct clock_order *order, struct order_cta *cta)
{
    cta->warp = calloc(cta->warps, sizeof *cta->warp);
    if (cta->warp == NULL) return false;
    for (uint32_t w = 0; w < cta->warps; w++) {
        const struct order_actor actor = {.kind = ORDER_WARP, .cta = cta->index, .warp = w, .number = cta->number};
        cta->warp[w].actor = order_actor_new(order, &actor);
        struct clock_time *time = clock_at(&cta->warp[w].clock, cta->index, w);
        if (time == NULL) return false;
        cta->warp[w].now = time->seen = time->written = 1;
    }
    for (uint32_t w = 0; w < cta->warps; w += 4) {
        const struct order_actor actor = {.kind = ORDER_PRODUCT, .cta = cta->index, .warp = w, .number = cta->number};
        cta->product_actor[w / 4] = order_actor_new(order, &actor);
    }
    return true;
}

static struct order_cta *new_cta(struct clock_order *order, uint64_t number, uint32_t rank)
{
    struct order_cta *cta = calloc(1, sizeof *cta);
    if (cta == NULL) return NULL;
    cta->number = number;
    cta->index = order->ctas++;
    cta->rank = rank;
    cta->warps = order->warps;
    cta->slots = 3 * order->warps; // of warps, their products, their copies
    cta->next = order->hash[number % ORDER_HASH];
    order->hash[number % ORDER_HASH] = cta;
    return open_warps(order, cta) ? cta : NULL;
}

void clock_order_cluster(struct clock_order *order, const uint64_t *numbers, uint32_t ctas)
{
    struct order_cta *peer[ORDER_MOST_CTAS];
    if (order->between != NULL || order_cta_of(order, numbers[0]) != NULL || ctas > ORDER_MOST_CTAS) return;
    for (uint32_t rank = 0; rank < ctas; rank++)
        if ((peer[rank] = new_cta(order, numbers[rank], rank)) == NULL) {
            order->is_short = true;
            return;
        }
    for (uint32_t rank = 0; rank < ctas; rank++) {
        peer[rank]->ctas = ctas;
        memcpy(peer[rank]->peer, peer, ctas * sizeof peer[0]);
        for (uint32_t w = 0; w < peer[rank]->warps; w++)
            order->actor[peer[rank]->warp[w].actor].cluster = peer[0]->index;
    }
}

struct order_barrier *order_barrier_of(struct clock_order *order, struct order_cta *cta, uint32_t address)
{
    struct order_barrier **first = &cta->barrier[address / 8 % ORDER_BARRIER_SLOTS], *barrier = *first;
    while (barrier != NULL && barrier->address != address) barrier = barrier->next;
    if (barrier != NULL) return barrier;
    if ((barrier = calloc(1, sizeof *barrier)) == NULL) {
        order->is_short = true;
        return NULL;
    }
    *barrier = (struct order_barrier){.next = *first, .address = address, .slot = cta->slots++};
    if (cta->barriers_end == 0 || address < cta->barriers_begin) cta->barriers_begin = address;
    if (address + 8 > cta->barriers_end) cta->barriers_end = address + 8;
    return *first = barrier;
}

const struct order_warp *clock_order_warp(const struct clock_order *order, const struct order_actor *actor)
{
    const struct order_cta *cta = order_cta_of(order, actor->number);
    return cta != NULL && cta->warp != NULL && actor->warp < cta->warps ? &cta->warp[actor->warp] : NULL;
}

uint32_t clock_order_phases(const struct clock_order *order, const struct order_actor *operation,
                            const struct order_actor *of)
{
    const struct order_warp *warp = clock_order_warp(order, of);
    return warp != NULL ? clock_time(&warp->clock, operation->slot_cta, operation->slot).seen : 0;
}

// --- Actors ----------------------------------------------------------------------------------------------------------

uint32_t order_actor_new(struct clock_order *order, const struct order_actor *actor)
{
    if (order->actors == order->actor_room) {
        const uint32_t room = order->actor_room == 0 ? FIRST_ACTORS : order->actor_room * 2;
        struct order_actor *grown = realloc(order->actor, room * sizeof *grown);
        if (grown == NULL) {
            order->is_short = true;
            return 0;
        }
        order->actor = grown;
        order->actor_room = room;
    }
    order->actor[order->actors] = *actor;
    return order->actors++;
}

static uint32_t *hash_of(struct clock_order *order, uint64_t cta, uint64_t operation)
{
    return &order->operation[(cta * 40503 + operation) % ORDER_OPERATION_HASH];
}

uint32_t order_operation_find(struct clock_order *order, uint64_t cta, uint64_t operation, uint32_t rank)
{
    for (uint32_t i = *hash_of(order, cta, operation); i != 0; i = order->actor[i].next) {
        const struct order_actor *actor = &order->actor[i];
        if (actor->number == cta && actor->operation == operation && (actor->rank == rank || rank == UINT32_MAX))
            return i;
    }
    return 0;
}

uint32_t order_operation_new(struct clock_order *order, struct order_actor actor)
{
    uint32_t *first = hash_of(order, actor.number, actor.operation);
    actor.next = *first;
    return *first = order_actor_new(order, &actor);
}

void order_actors_forget(struct clock_order *order)
{
    for (uint32_t i = 1; i < order->actors; i++)
        if (order->actor[i].kind != ORDER_WARP) *hash_of(order, order->actor[i].number, order->actor[i].operation) = 0;
    order->actors = 1;
}

// --- The order of two accesses ---------------------------------------------------------------------------------------

// NARROW: an operation is over, but who says so has a scope that does not reach the other. PARTLY: the products of one
// warp of the four at least are over.
enum { APART, NARROW, PARTLY, UNFENCED, BEFORE };

// Where they are ordered, but not past the proxies: which fence is missing.
static bool is_fenced(const struct clock_order *order, struct clock_time time, const struct shadow_entry *older,
                      const struct shadow_entry *newer)
{
    if (!(older->flags & SHADOW_WRITES) || (older->flags & SHADOW_ASYNC)) return true;
    if (newer->flags & SHADOW_MAP) return time.fenced[CLOCK_MAP_ACQUIRED] >= older->time;
    return !(newer->flags & SHADOW_ASYNC) || time.fenced[order->space] >= older->time;
}

// An operation that completes on several mbarriers has an actor for each; its source is read when one has completed.
static bool is_operation_over(const struct clock_order *order, const struct order_actor *actor, int writes,
                              const struct clock *clock)
{
    const uint32_t slot = writes ? actor->slot : actor->read_slot;
    if (actor->time != 0 && clock_time(clock, actor->slot_cta, slot).seen >= actor->time) return true;
    if (writes || actor->next == 0) return false;
    const struct order_actor *next = &order->actor[actor->next];
    const bool is_same = next->number == actor->number && next->operation == actor->operation;
    return is_same && is_operation_over(order, next, writes, clock);
}

// Does a release of wide enough scope have to stand behind what an operation wrote? A copy or an st.async over it needs
// none: the rings of multicast pipelines have an arrive of the CTA's scope there, kernels/gemm/split.cuh a relaxed one.
static bool is_handed_over(const struct clock_order *order, const struct shadow_entry *older,
                           const struct shadow_entry *newer)
{
    const bool is_over_it = (newer->flags & SHADOW_WRITES) && order->actor[newer->actor].kind == ORDER_OPERATION;
    return older->actor != newer->actor && (older->flags & SHADOW_WRITES) && !is_over_it;
}

// Does a release of wide enough scope have to stand behind it? Behind a write; and behind a read of another CTA's
// memory before bytes are overwritten, because an H200 may do it after an arrive of a narrower one.
static bool is_released(const struct clock_order *order, const struct shadow_entry *older,
                        const struct shadow_entry *newer)
{
    const bool is_exit = older->actor == newer->actor;
    return (older->flags & SHADOW_WRITES) || (order->space == SPACE_SHARED && order->at != NULL && !is_exit &&
                                              order->actor[older->actor].cta != order->at->index);
}

static int is_before_clock(const struct clock_order *order, const struct shadow_entry *older,
                           const struct shadow_entry *newer, const struct clock *clock)
{
    const struct order_actor *actor = &order->actor[older->actor];
    if (actor->kind == ORDER_PRODUCT) {
        int over = 0;
        for (uint32_t w = 0; w < 4; w++)
            over += clock_time(clock, actor->cta, order->warps + actor->warp + w).seen >= older->time;
        return over == 4 ? BEFORE : over > 0 ? PARTLY : APART;
    }
    if (actor->kind == ORDER_OPERATION) {
        if (!is_operation_over(order, actor, older->flags & SHADOW_WRITES, clock)) return APART;
        const struct clock_time done = clock_time(clock, actor->slot_cta, actor->slot);
        struct shadow_entry end = *older;
        end.time = actor->time;
        if (done.written < end.time && is_handed_over(order, older, newer)) return NARROW;
        return is_fenced(order, done, &end, newer) ? BEFORE : UNFENCED;
    }
    const struct clock_time time = clock_time(clock, actor->cta, actor->warp);
    if ((is_released(order, older, newer) ? time.written : time.seen) < older->time) return APART;
    return is_fenced(order, time, older, newer) ? BEFORE : UNFENCED;
}

// Does an access reach the other's thread?
static bool reaches(const struct clock_order *order, const struct shadow_entry *entry, const struct shadow_entry *other)
{
    const struct order_actor *one = &order->actor[entry->actor], *two = &order->actor[other->actor];
    const enum order_reach reach = (enum order_reach)(entry->flags >> SHADOW_REACH_SHIFT & 3);
    return reach == ORDER_REACH_ALL || one->cta == two->cta ||
           (reach == ORDER_REACH_CLUSTER && one->cluster == two->cluster);
}

// Two strong accesses are no race if both reach the other.
static bool may_clash(const struct clock_order *order, const struct shadow_entry *older,
                      const struct shadow_entry *newer)
{
    if (shadow_may_clash(older, newer)) return true;
    return ((older->flags | newer->flags) & SHADOW_WRITES) && (older->flags & newer->flags & SHADOW_STRONG) &&
           !(reaches(order, older, newer) && reaches(order, newer, older));
}

// Would they be ordered, had the lanes of their warps met?
static enum order_parted parted_of(const struct clock_order *order, const struct shadow_entry *older,
                                   const struct shadow_entry *newer)
{
    const bool is_owned = !(older->flags & SHADOW_STRONG) || (older->flags & SHADOW_OWNED) == SHADOW_OWNED;
    enum order_parted how = is_owned ? (enum order_parted)(older->lane >> SHADOW_SIZE_SHIFT & 3) : ORDER_NOT_PARTED;
    struct shadow_entry was = *older;
    was.time -= how != ORDER_NOT_PARTED;
    const int enough = how == ORDER_FENCED ? UNFENCED : BEFORE;
    if (order->met != NULL && order->parted > how) how = order->parted;
    if (how == ORDER_NOT_PARTED) return how;
    const struct clock *by = order->met != NULL ? order->met : order->by[0];
    bool is_before = is_before_clock(order, &was, newer, by) >= enough;
    for (uint32_t i = 1; i < order->bys; i++) is_before &= is_before_clock(order, &was, newer, order->by[i]) >= enough;
    if (!is_before) return ORDER_NOT_PARTED;
    return how == ORDER_FENCED ? ORDER_TOGETHER : how;
}

// A finding is of one cell of 16 bytes at a time.
static void tell(struct clock_order *order, enum order_finding kind, const struct shadow_entry *older,
                 const struct shadow_entry *newer)
{
    const uint32_t both = older->mask & newer->mask;
    struct order_found found = {.kind = kind,
                                .parted = kind <= ORDER_FENCE || kind == ORDER_NARROW || kind == ORDER_PARTLY
                                              ? parted_of(order, older, newer)
                                              : ORDER_NOT_PARTED,
                                .space = order->space,
                                .cta = order->at,
                                .address = order->address,
                                .mask = (uint16_t)both,
                                .older = *older,
                                .newer = *newer};
    uint64_t left = shadow_bytes_of(both);
    if (!order->is_wide) {
        order->found(order->context, &found);
        return;
    }
    for (; left != 0; left >>= SHADOW_CELL_BYTES, found.address += SHADOW_CELL_BYTES) {
        found.mask = (uint16_t)left;
        if (found.mask != 0) order->found(order->context, &found);
    }
}

// Does an atomic of a thread read what a strong write wrote, so that the write is before what comes behind the atomic?
// What the machine did before is taken to be read, whatever plain write came between.
static bool observes(const struct clock_order *order, const struct shadow_entry *newer,
                     const struct shadow_entry *older)
{
    const int both = newer->flags & older->flags, any = newer->flags | older->flags;
    return (both & SHADOW_STRONG) && (both & SHADOW_WRITES) && (newer->flags & SHADOW_REDUCES) &&
           !(any & (SHADOW_ASYNC | SHADOW_MAP)) && !shadow_sizes_differ(older, newer) && reaches(order, older, newer) &&
           reaches(order, newer, older);
}

int order_is_before(void *context, const struct shadow_entry *older, const struct shadow_entry *newer)
{
    struct clock_order *order = context;
    int result = BEFORE;
    if (order->repeats != ORDER_NOT_PARTED) return older->actor == newer->actor;
    if (older->actor == newer->actor) {
        if ((newer->flags & SHADOW_CONSTANT) && (older->flags & SHADOW_WRITES))
            tell(order, ORDER_CONSTANT, older, newer);
        return 1;
    }
    for (uint32_t i = 0; i < order->bys && result != APART; i++) {
        const int one = is_before_clock(order, older, newer, order->by[i]);
        if (one < result) result = one;
    }
    static const enum order_finding of[] = {ORDER_RACE, ORDER_NARROW, ORDER_PARTLY, ORDER_FENCE};
    const int writes = (older->flags | newer->flags) & SHADOW_WRITES;
    if (result != BEFORE && may_clash(order, older, newer)) {
        tell(order, result == UNFENCED && newer->flags & SHADOW_MAP ? ORDER_MAP_FENCE : of[result], older, newer);
    } else if (result != BEFORE && writes && shadow_sizes_differ(older, newer)) {
        tell(order, ORDER_SIZES, older, newer);
    } else if ((newer->flags & SHADOW_CONSTANT) && (older->flags & SHADOW_WRITES)) {
        tell(order, ORDER_CONSTANT, older, newer);
    }
    return result > NARROW || observes(order, newer, older);
}

// --- The end of a CTA ------------------------------------------------------------------------------------------------

// Is an access to the CTA's memory known to be over when its last thread exits?
static void judge_exit(void *context, uint64_t address, uint64_t bytes, const struct shadow_entry *entry)
{
    struct clock_order *order = context;
    const struct shadow_entry exit = {.actor = entry->actor, .flags = SHADOW_WRITES};
    if (is_before_clock(order, entry, &exit, order->by[0]) != APART) return;
    struct order_found found = {ORDER_EXIT, ORDER_NOT_PARTED, SPACE_SHARED, order->at, address, 0, *entry, exit};
    for (; bytes != 0; bytes >>= SHADOW_CELL_BYTES, found.address += SHADOW_CELL_BYTES) {
        found.mask = found.older.mask = (uint16_t)bytes;
        if (found.mask != 0) order->found(order->context, &found);
    }
}

// Does another CTA arrive at an mbarrier of the CTA, in its last two phases, and nobody of it knows that?
static void judge_arrivals(struct clock_order *order, const struct order_cta *cta, const struct order_barrier *barrier)
{
    for (uint32_t i = 0; i < 2 * ORDER_ARRIVALS; i++) {
        const uint32_t phase = i / ORDER_ARRIVALS, number = i % ORDER_ARRIVALS;
        const struct order_arrival *came = &barrier->came[phase][number];
        if (number >= barrier->arrivals[phase] || came->cta == cta->index) continue;
        if (clock_time(order->by[0], came->cta, came->slot).seen >= came->time) continue;
        const struct shadow_entry use = {.actor = came->actor, .time = came->time, .line = came->line},
                                  exit = {.actor = came->actor, .flags = SHADOW_WRITES};
        const struct order_found found = {ORDER_EXIT, ORDER_NOT_PARTED, SPACE_SHARED, cta, barrier->address, 0xff, use,
                                          exit};
        order->found(order->context, &found);
        return;
    }
}

static void judge_barriers(struct clock_order *order, const struct order_cta *cta)
{
    for (int i = 0; i < ORDER_BARRIER_SLOTS; i++)
        for (const struct order_barrier *barrier = cta->barrier[i]; barrier != NULL; barrier = barrier->next) {
            const struct shadow_entry copy = {.actor = barrier->brought_actor,
                                              .time = (uint32_t)(barrier->brought - barrier->expected),
                                              .line = barrier->brought_line};
            const struct order_found found = {
                ORDER_UNEXPECTED, ORDER_NOT_PARTED, SPACE_SHARED, cta, barrier->address, 0xff, copy, copy};
            if (barrier->is_live && barrier->brought > barrier->expected && barrier->brought_actor != 0)
                order->found(order->context, &found);
            if (barrier->is_live) judge_arrivals(order, cta, barrier);
        }
}

static void free_meeting(struct order_meeting *meeting)
{
    free(meeting->came);
    for (int phase = 0; phase < 2; phase++) {
        clock_free(&meeting->clock[phase]);
        clock_free(&meeting->learnt[phase]);
    }
}

static void free_cta(struct clock_order *order, struct order_cta *cta)
{
    for (uint32_t i = 0; i < ORDER_SHARED_PAGES; i++) {
        struct shadow_page *page = cta->page[i];
        cta->page[i] = NULL;
        if (page == NULL) continue;
        shadow_drop(&order->pool, page);
        page->next = order->spare;
        order->spare = page;
    }
    for (uint32_t w = 0; cta->warp != NULL && w < cta->warps; w++) {
        struct order_warp *warp = &cta->warp[w];
        clock_free(&warp->clock);
        clock_free(&warp->near);
        for (int i = 0; i < ORDER_REACHES; i++) clock_free(&warp->learnt[i]);
        for (int i = 0; warp->issued != NULL && i < ORDER_PRODUCTS; i++) clock_free(&warp->issued[i]);
        free(warp->issued);
        order_lanes_free(warp);
    }
    free(cta->warp);
    cta->warp = NULL;
    for (int i = 0; i < ORDER_MEETINGS; i++) free_meeting(&cta->meeting[i]);
    free_meeting(&cta->cluster);
    for (int i = 0; i < ORDER_BARRIER_SLOTS; i++)
        for (struct order_barrier *barrier = cta->barrier[i], *next; barrier != NULL; barrier = next) {
            next = barrier->next;
            clock_free(&barrier->pending);
            clock_free(&barrier->done);
            clock_free(&barrier->pending_far);
            clock_free(&barrier->far);
            free(barrier);
        }
}

static void drop_cta(struct clock_order *order, struct order_cta *cta)
{
    struct order_cta **at = &order->hash[cta->number % ORDER_HASH];
    while (*at != cta) at = &(*at)->next;
    *at = cta->next;
    free_cta(order, cta);
    free(cta);
}

// What belongs to the cluster goes when its last CTA has exited: others may use the barriers of one until then.
void order_exit(struct clock_order *order, struct order_cta *cta)
{
    struct clock exits = {0, 0, false, NULL};
    for (uint32_t w = 0; w < cta->warps; w++) order_lanes_settle(cta, &cta->warp[w]);
    for (uint32_t w = 0; w < cta->warps; w++) clock_join(&exits, &cta->warp[w].clock);
    order->by[0] = &exits;
    order->bys = 1;
    order->at = cta;
    order->space = SPACE_SHARED;
    for (uint32_t i = 0; i < ORDER_SHARED_PAGES; i++)
        if (cta->page[i] != NULL) shadow_each(&order->pool, cta->page[i], judge_exit, order);
    judge_barriers(order, cta);
    clock_free(&exits);
    cta->has_exited = true;
    struct order_cta *peer[ORDER_MOST_CTAS];
    const uint32_t ctas = cta->ctas;
    memcpy(peer, cta->peer, sizeof peer);
    for (uint32_t rank = 0; rank < ctas; rank++)
        if (!peer[rank]->has_exited) return;
    for (uint32_t rank = 0; rank < ctas; rank++) drop_cta(order, peer[rank]);
}

bool clock_order_is_over(const struct clock_order *order)
{
    for (int i = 0; i < ORDER_HASH; i++)
        for (const struct order_cta *cta = order->hash[i]; cta != NULL; cta = cta->next)
            if (!cta->has_exited) return false;
    return true;
}

// --- Open and close --------------------------------------------------------------------------------------------------

struct clock_order *clock_order_open(uint32_t warps, void *context,
                                     void (*found)(void *context, const struct order_found *found))
{
    static const struct order_actor nobody;
    struct clock_order *order = calloc(1, sizeof *order);
    if (order == NULL) return NULL;
    order->warps = warps;
    order->context = context;
    order->found = found;
    order_actor_new(order, &nobody); // number 0
    return order;
}

void order_drop_ctas(struct clock_order *order)
{
    for (int i = 0; i < ORDER_HASH; i++)
        while (order->hash[i] != NULL) drop_cta(order, order->hash[i]);
    while (order->spare != NULL) {
        struct shadow_page *next = order->spare->next;
        free(order->spare->ways.way);
        free(order->spare);
        order->spare = next;
    }
    order_places_free(order);
}

void clock_order_close(struct clock_order *order)
{
    while (order != NULL) {
        struct clock_order *before = order->before;
        order_drop_ctas(order);
        order_between_close(order->between);
        order_global_free(&order->global);
        free(order->pool.chunk);
        free(order->actor);
        free(order);
        order = before;
    }
}
