// SPDX-License-Identifier: MIT
#include "remote.h"

#include <string.h>

#include "each.h"
#include "veil.h"

enum { MOST_STORES = 256 };

struct flight_stores *machine_remote_begin(const struct machine_strand *strand, uint32_t bytes)
{
    if (strand->warp->cta->cluster->veil == NULL || bytes > FLIGHT_STORE_BYTES) return NULL;
    struct flight_stores *stores = flight_new(strand->warp, FLIGHT_STORES, 0, sizeof *stores);
    if (stores == NULL) return NULL;
    stores->head.async = ASYNC_ALONE;
    stores->bytes = bytes;
    stores->stamp = machine_veil_now(strand->warp->cta->cluster);
    return stores;
}

// The network of an SM holds only so many.
static void make_room(struct machine_flights *flights)
{
    struct machine_flight *oldest = flights->first;
    while (flights->stores >= MOST_STORES) {
        while (oldest->kind != FLIGHT_STORES) oldest = oldest->next;
        struct machine_flight *next = oldest->next;
        flight_move(oldest, UINT64_MAX);
        oldest = next;
    }
}

void machine_remote_issue(struct flight_stores *stores, uint32_t lanes)
{
    struct machine_flights *flights = flights_of(stores->head.warp);
    stores->head.lanes = lanes;
    if (lanes == 0) {
        flight_free(&stores->head);
        return;
    }
    make_room(flights);
    flights->stores++;
    flight_issue(&stores->head);
}

int flight_stores_end(struct flight_stores *stores)
{
    for (EACH_BIT(lane, stores->head.lanes)) {
        memcpy(stores->to[lane], stores->data[lane], stores->bytes);
    }
    flights_of(stores->head.warp)->stores--;
    return 1;
}

static bool overlaps(const struct flight_stores *stores, const uint8_t *at, uint64_t bytes)
{
    for (EACH_BIT(lane, stores->head.lanes)) {
        const uint8_t *to = stores->to[lane];
        if (to < at + bytes && at < to + stores->bytes) return true;
    }
    return false;
}

void machine_remote_land(const struct machine_cta *cta, const uint8_t *at, uint64_t bytes)
{
    struct machine_flights *flights = cta->cluster->flights;
    for (struct machine_flight *item = flights->stores > 0 ? flights->last : NULL; item != NULL;
         item = item->previous) {
        if (item->kind != FLIGHT_STORES || item->warp->cta != cta) continue;
        if (!overlaps((struct flight_stores *)item, at, bytes)) continue;
        flight_end(item); // and all before it
        return;
    }
}

void machine_remote_release(const struct machine_warp *warp)
{
    struct machine_flights *flights = flights_of(warp);
    for (struct machine_flight *item = flights->stores > 0 ? flights->first : NULL, *next; item != NULL; item = next) {
        next = item->next;
        if (item->kind != FLIGHT_STORES) continue;
        if (item->warp == warp || machine_veil_knows(warp, ((struct flight_stores *)item)->stamp))
            flight_move(item, UINT64_MAX);
    }
}

enum machine_next machine_remote_told(const struct machine_warp *warp)
{
    const struct machine_flights *flights = flights_of(warp);
    for (const struct machine_flight *item = flights->stores > 0 ? flights->first : NULL; item != NULL;
         item = item->next)
        if (item->kind == FLIGHT_STORES && item->warp->cta == warp->cta) return MACHINE_REST;
    return MACHINE_NEXT;
}
