// SPDX-License-Identifier: MIT
// `tmaref explain --accesses`: what the operation reads and writes, by which proxy, as an observer of the model sees
// it.
#include <inttypes.h>
#include <stdio.h>

#include "command.h"
#include "explain_command.h"
#include "flight.h"
#include "json.h"

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

// complete_tx, which has release semantics at cluster scope.
static void list_complete(const struct listing *listing, uint32_t bytes)
{
    if (listing->json != NULL)
        json_array_append_new(listing->json, json_pack("{s:s, s:s, s:s, s:I}", "kind", "complete_tx", "order",
                                                       access_order_name(ORDER_RELEASE), "scope",
                                                       access_scope_name(SCOPE_CLUSTER), "bytes", (json_int_t)bytes));
    else
        printf("then the mbarrier: complete_tx of %" PRIu32 " bytes\n", bytes);
}

static void list_event(void *context, const struct event *event)
{
    if (event->kind == EVENT_ACCESS) list_access(context, &event->access);
}

static struct operation operation_of(const struct explain *question)
{
    static const enum operation_kind kinds[] = {[EXPLAIN_LOAD] = OPERATION_TENSOR_LOAD,
                                                [EXPLAIN_STORE] = OPERATION_TENSOR_STORE,
                                                [EXPLAIN_REDUCE] = OPERATION_TENSOR_REDUCE};
    struct operation operation = {.kind = kinds[question->operation],
                                  .mode = question->map.mode,
                                  .dims = question->map.rank,
                                  .map = question->map,
                                  .shared = question->shared};
    for (int i = 0; i < question->map.rank; i++) operation.coord[i] = question->coord[i];
    for (int i = 0; i < question->map.rank - 2; i++) operation.offset[i] = question->offset[i];
    return operation;
}

// There are no memories here: nothing moves, and the operation tells of it all the same.
int explain_accesses(const struct explain *question)
{
    struct listing listing = {question->json ? json_array() : NULL, question->all ? INT32_MAX : EXPLAIN_LIST_LINES, 0};
    const struct observer observer = {&listing, list_event};
    const struct teller teller = {&observer, {.operation = 1}};
    struct box box;
    box_start(&box, question->map.mode, &question->map, question->coord, question->offset);
    if (box_extent_bytes(&box) > SM_SHARED_BYTES) {
        json_decref(listing.json);
        printf("The box takes %" PRIu64 " bytes of shared memory, an SM has %d: it cannot be copied.\n",
               box_extent_bytes(&box), SM_SHARED_BYTES);
        return EXIT_MISMATCH;
    }
    if (listing.json == NULL) puts("  kind    proxy      order    scope  where");
    const struct operation operation = operation_of(question);
    struct flight flight = operation_issue(&operation, NULL, &teller);
    struct piece all = flight_advance(&flight, UINT64_MAX);
    if (all.complete_bytes > 0) list_complete(&listing, all.complete_bytes);
    if (listing.told > listing.most) printf("... %d more accesses; --all prints them\n", listing.told - listing.most);
    if (listing.json != NULL) json_print(listing.json, JSON_INDENT(2));
    return EXIT_AGREE;
}
