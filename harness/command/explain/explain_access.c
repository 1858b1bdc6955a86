// SPDX-License-Identifier: MIT
// `tmaref explain --accesses`: what the operation reads and writes, by which proxy, as an observer of the model sees
// it.
#include <inttypes.h>
#include <stdio.h>

#include "answer.h"
#include "command.h"
#include "explain_command.h"
#include "flight.h"
#include "json.h"

struct listing {
    json_t *json;
    int most, told;
};

static bool is_map(const struct access *access)
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

static const char text[] = "  kind    proxy      order    scope  where\n"
                           "{*{proxy?  {kind:-6}  {proxy:-9}  {order:-7}  {scope:-5}  {space=map?the map            }"
                           "{space=map!{space} 0x{address:-10x}} {bytes:6} bytes\n}"
                           "{proxy!then the mbarrier: {kind} of {bytes} bytes\n}}";

static void list_access(struct listing *listing, const struct access *access)
{
    if (listing->told++ < listing->most) json_array_append_new(listing->json, access_json(access));
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
    const bool is_whole = question->all || question->json;
    struct listing listing = {json_array(), is_whole ? INT32_MAX : EXPLAIN_LIST_LINES, 0};
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
    const struct operation operation = operation_of(question);
    struct flight flight = operation_issue(&operation, NULL, &teller);
    struct piece all = flight_advance(&flight, UINT64_MAX);
    if (all.complete_bytes > 0) // which has release semantics at cluster scope
        json_array_append_new(listing.json,
                              json_pack("{s:s, s:s, s:s, s:I}", "kind", "complete_tx", "order",
                                        access_order_name(ORDER_RELEASE), "scope", access_scope_name(SCOPE_CLUSTER),
                                        "bytes", (json_int_t)all.complete_bytes));
    answer_print(listing.json, question->json ? NULL : text, JSON_INDENT(2));
    if (listing.told > listing.most) printf("... %d more accesses; --all prints them\n", listing.told - listing.most);
    return EXIT_AGREE;
}
