// SPDX-License-Identifier: MIT
// Which of the operations under way moves on: at a turn, and when nobody can go on. Then they do until a phase
// completes that somebody waits for: between two reports to a barrier all warps would only ask again.
#include <string.h>

#include "cluster.h"
#include "each.h"
#include "flight_item.h"

enum { PIECE_BYTES = 16384, MOST_RANDOM_PIECE = 4096, TURNS_BETWEEN = 4 };

// What came of letting something move on: a report to a barrier lets nobody go on but those who wait for it.
enum moved { MOVED_NOTHING, MOVED_SOMETHING, MOVED_REPORT };

static enum moved moved_by(const struct machine_flight *item)
{
    if (item->kind == FLIGHT_ARRIVE) return MOVED_REPORT;
    if (item->kind != FLIGHT_OPERATION) return MOVED_SOMETHING;
    const struct flight_operation *operation = (const struct flight_operation *)item;
    return operation_has_barrier(operation->flight.operation.kind) ? MOVED_REPORT : MOVED_SOMETHING;
}

// The oldest that can move and is not late; of those that report to a barrier, it has to be `rounds` old.
static struct machine_flight *oldest_ready(const struct machine_flights *flights, uint64_t rounds)
{
    const uint64_t now = flights->cluster->rounds;
    for (struct machine_flight *item = flights->first; item != NULL; item = item->next)
        if (item->level == 0 && flight_is_ready(item) &&
            (moved_by(item) != MOVED_REPORT || now - item->round >= rounds))
            return item;
    return NULL;
}

static struct machine_flight *any_ready(const struct machine_flights *flights)
{
    const uint32_t from = (uint32_t)machine_random(flights->cluster);
    for (uint32_t i = 0; i < flights->items; i++) {
        struct machine_flight *item = flights->item[(from % flights->items + i) % flights->items];
        if (flight_is_ready(item)) return item;
    }
    return NULL;
}

// A store may have its sources read long before it writes.
static enum moved move_at_random(struct machine_flights *flights)
{
    struct machine_flight *item = any_ready(flights);
    uint64_t random = machine_random(flights->cluster);
    if (item == NULL) return MOVED_NOTHING;
    const enum moved moved = moved_by(item);
    if (item->async == ASYNC_BULK && !item->is_read && random >> 60 < 4 &&
        flight_read_source((struct flight_operation *)item))
        flights->cluster->progress++;
    else
        flight_move(item, random % 2 == 0 ? UINT64_MAX : random / 2 % MOST_RANDOM_PIECE);
    return moved;
}

static void turn(struct machine_cluster *cluster, uint64_t rounds)
{
    struct machine_flights *flights = cluster->flights;
    if (flights->first == NULL || flight_policy(cluster) == MACHINE_LATE) return;
    if (flight_policy(cluster) == MACHINE_SHUFFLED) {
        if (machine_random(cluster) % TURNS_BETWEEN == 0) move_at_random(flights);
        return;
    }
    struct machine_flight *item = oldest_ready(flights, rounds);
    if (item != NULL) flight_move(item, PIECE_BYTES);
}

// Each warp has a whole turn between the issue of a copy and its report. A copy of a GPU takes longer than a few
// instructions too, and so no warp that looks at its barriers misses a phase.
void machine_flights_turn(struct machine_cluster *cluster)
{
    turn(cluster, 2);
}

void machine_flights_meet(struct machine_cluster *cluster)
{
    turn(cluster, 0);
}

// Is it what a barrier that somebody waits for is told by?
static bool is_wanted(const struct machine_flights *flights, const struct machine_flight *item)
{
    const struct machine_cluster *cluster = flights->cluster;
    for (uint32_t i = 0; i < cluster->ctas * flights->warps_of_cta; i++) {
        const struct flight_warp *warp = &flights->warp[i];
        if (!warp->waits) continue;
        if (item->kind == FLIGHT_OPERATION) {
            const struct flight *flight = &((const struct flight_operation *)item)->flight;
            if (operation_has_barrier(flight->operation.kind) && (flight->targets >> warp->wait_rank & 1) &&
                cluster_mapa(flight->operation.barrier, 0) == warp->wait_address)
                return true;
        } else if (item->kind == FLIGHT_ARRIVE && item->warp->cta->rank == warp->wait_rank) {
            const struct flight_arrive *arrive = (const struct flight_arrive *)item;
            for (EACH_BIT(lane, item->lanes))
                if (arrive->address[lane] == warp->wait_address) return true;
        }
    }
    return false;
}

// As late as is legal: first what somebody waits for, and of that the youngest that does not hold up another.
static enum moved move_late(struct machine_flights *flights)
{
    for (struct machine_flight *item = flights->last; item != NULL; item = item->previous) {
        const enum moved moved = moved_by(item);
        if (is_wanted(flights, item) && flight_end(item)) return moved;
    }
    for (struct machine_flight *item = flights->first; item != NULL; item = item->next) {
        const enum moved moved = moved_by(item);
        if (flight_end(item)) return moved;
    }
    return MOVED_NOTHING;
}

// Warps that wait at a product for the others of their warpgroup go on. 0 if there are none.
static bool release(struct machine_flights *flights)
{
    bool is_released = false;
    for (struct machine_flight *item = flights->first; item != NULL; item = item->next) {
        struct flight_product *product = (struct flight_product *)item;
        if (item->kind != FLIGHT_PRODUCT || product->is_released) continue;
        product->is_released = is_released = true;
    }
    flights->cluster->progress += (uint64_t)is_released;
    return is_released;
}

// Of those that can move, the one with the smallest level; the oldest of several.
static struct machine_flight *least_late(const struct machine_flights *flights)
{
    struct machine_flight *least = NULL;
    for (struct machine_flight *item = flights->first; item != NULL; item = item->next)
        if ((least == NULL || item->level < least->level) && flight_is_ready(item)) least = item;
    return least;
}

uint64_t machine_flights_level(const struct machine_cluster *cluster)
{
    const struct machine_flight *item = least_late(cluster->flights);
    return item == NULL ? UINT64_MAX : item->level;
}

void machine_flights_move_late(struct machine_cluster *cluster)
{
    struct machine_flight *item = least_late(cluster->flights);
    if (item != NULL) flight_move(item, UINT64_MAX);
}

static uint32_t warp_of(const struct machine_flight *item)
{
    return item->warp->index * item->warp->cta->cluster->ctas + item->warp->cta->rank;
}

bool machine_flights_ready(const struct machine_cluster *cluster, uint32_t place, uint32_t *warp, uint32_t *number)
{
    for (const struct machine_flight *item = cluster->flights->first; item != NULL; item = item->next) {
        if (item->level == 0 || !flight_is_ready(item) || place-- > 0) continue;
        *warp = warp_of(item);
        *number = item->number;
        return true;
    }
    return false;
}

bool machine_flights_move_one(struct machine_cluster *cluster, uint32_t warp, uint32_t number)
{
    struct machine_flight *item = cluster->flights->first;
    while (item != NULL && (item->level == 0 || item->number != number || warp_of(item) != warp)) item = item->next;
    if (item == NULL || !flight_is_ready(item)) return false;
    while (!flight_move(item, UINT64_MAX)) continue;
    return true;
}

static enum moved move_soon(struct machine_flights *flights)
{
    struct machine_flight *item = oldest_ready(flights, 0);
    if (item == NULL) item = least_late(flights);
    if (item == NULL) return release(flights) ? MOVED_SOMETHING : MOVED_NOTHING;
    const enum moved moved = moved_by(item);
    flight_move(item, PIECE_BYTES);
    return moved;
}

static enum moved move_one(struct machine_flights *flights)
{
    const enum machine_policy policy = flight_policy(flights->cluster);
    return policy == MACHINE_LATE       ? move_late(flights)
           : policy == MACHINE_SHUFFLED ? move_at_random(flights)
                                        : move_soon(flights);
}

// Would the last wait of the warp that failed succeed now?
static bool is_met(const struct machine_flights *flights, const struct flight_warp *warp)
{
    int is_complete = 0;
    uint64_t word;
    if (!warp->waits) return false;
    const uint8_t *at = cluster_memory_at(flights->unit.cluster, warp->wait_rank, warp->wait_address, sizeof word);
    if (at == NULL) return false; // its CTA has exited
    memcpy(&word, at, sizeof word);
    const enum rule rule = warp->wait_is_parity ? mbarrier_test_parity(word, (uint32_t)warp->wait_operand, &is_complete)
                                                : mbarrier_test(word, warp->wait_operand, &is_complete);
    return is_complete || rule != RULE_OK;
}

static bool is_any_met(const struct machine_flights *flights)
{
    for (uint32_t i = 0; i < flights->cluster->ctas * flights->warps_of_cta; i++)
        if (is_met(flights, &flights->warp[i])) return true;
    return false;
}

// Does each warp wait at one place at most? Of one that polls at several it is not known for what.
static bool are_waits_known(const struct machine_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->ctas * cluster->cta[0].warps; i++) {
        const struct machine_warp *warp = &cluster->cta[i % cluster->ctas].warp[i / cluster->ctas];
        uint32_t polling = 0;
        for (uint32_t s = 0; s < warp->strands; s++) polling += warp->strand[s].waiting_at != cluster->progress;
        if (polling > 1) return false;
    }
    return true;
}

bool machine_flights_force(struct machine_cluster *cluster)
{
    const bool are_known = are_waits_known(cluster);
    const enum moved moved = move_one(cluster->flights);
    enum moved more = moved;
    while (are_known && more == MOVED_REPORT && !is_any_met(cluster->flights)) {
        if (cluster->delayed != NULL && machine_flights_level(cluster) > 0) break; // warps may come before them
        more = move_one(cluster->flights);
    }
    return moved != MOVED_NOTHING;
}
