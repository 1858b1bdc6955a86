// SPDX-License-Identifier: MIT
// `tmaref explain --accesses`: what the operation reads and writes, by which proxy, as an observer of the model sees
// it.
#include <inttypes.h>
#include <stdio.h>

#include "command.h"
#include "explain.h"
#include "observe.h"

struct listing {
    json_t *json; // NULL: lines are printed
    int most, told;
};

static int is_map(const struct access *access)
{
    return access->proxy == PROXY_TENSORMAP;
}

static json_t *access_json(const struct access *access)
{
    json_t *row =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:I}", "kind", access_kind_name(access->kind), "proxy",
                  access_proxy_name(access->proxy), "order", access_order_name(access->order), "scope",
                  access_scope_name(access->scope), "space", is_map(access) ? "map" : access_space_name(access->space),
                  "bytes", (json_int_t)access->bytes);
    if (!is_map(access)) json_object_set_new(row, "address", json_integer((json_int_t)access->address));
    return row;
}

static void list_access(struct listing *listing, const struct access *access)
{
    if (listing->json != NULL) json_array_append_new(listing->json, access_json(access));
    if (listing->json != NULL || listing->told++ >= listing->most) return;
    printf("  %-6s  %-9s  %-7s  %-5s  ", access_kind_name(access->kind), access_proxy_name(access->proxy),
           access_order_name(access->order), access_scope_name(access->scope));
    if (is_map(access))
        printf("the map%12s %6" PRIu64 " bytes\n", "", access->bytes);
    else
        printf("%s 0x%-10" PRIx64 " %6" PRIu64 " bytes\n", access_space_name(access->space), access->address,
               access->bytes);
}

static void list_barrier(const struct listing *listing, const struct event_barrier *barrier)
{
    uint64_t bytes = barrier->transaction.complete_bytes;
    if (listing->json != NULL)
        json_array_append_new(listing->json, json_pack("{s:s, s:s, s:s, s:I}", "kind", "complete_tx", "order",
                                                       access_order_name(barrier->order), "scope",
                                                       access_scope_name(barrier->scope), "bytes", (json_int_t)bytes));
    else
        printf("then the mbarrier: complete_tx of %" PRIu64 " bytes\n", bytes);
}

static void list_event(void *context, const struct event *event)
{
    if (event->kind == EVENT_ACCESS) list_access(context, &event->access);
    if (event->kind == EVENT_BARRIER) list_barrier(context, &event->barrier);
}

int explain_accesses(const struct explain *question)
{
    static const enum tensor_kind kinds[] = {
        [EXPLAIN_LOAD] = TENSOR_LOAD, [EXPLAIN_STORE] = TENSOR_STORE, [EXPLAIN_REDUCE] = TENSOR_REDUCE};
    const struct tensormap *map = &question->map;
    struct listing listing = {question->json ? json_array() : NULL, question->all ? INT32_MAX : EXPLAIN_LIST_LINES, 0};
    const struct observer observer = {&listing, list_event};
    const struct teller teller = {&observer, {.operation = 1}};
    const struct tensor_operation operation = {.kind = kinds[question->operation],
                                               .map = map,
                                               .coord = question->coord,
                                               .offset = question->offset,
                                               .shared = question->shared,
                                               .ctas = 1};
    uint64_t extent;
    if (map->mode == TENSORMAP_IM2COL) {
        struct im2col column = im2col_of(map, question->coord, question->offset);
        extent = im2col_extent_bytes(&column);
    } else {
        struct tile tile = tile_of(map, question->coord);
        extent = tile_extent_bytes(&tile);
    }
    if (extent > SM_SHARED_BYTES) {
        json_decref(listing.json);
        printf("The box takes %" PRIu64 " bytes of shared memory, an SM has %d: it cannot be copied.\n", extent,
               SM_SHARED_BYTES);
        return EXIT_MISMATCH;
    }
    if (listing.json == NULL) puts("  kind    proxy      order    scope  where");
    tensor_observe(&operation, &teller);
    if (listing.told > listing.most) printf("... %d more accesses; --all prints them\n", listing.told - listing.most);
    if (listing.json != NULL) explain_print_json(listing.json);
    return EXIT_AGREE;
}
