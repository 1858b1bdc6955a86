// SPDX-License-Identifier: MIT
// What could go wrong in how a kernel uses memory, though it did not in this run: model/order says which accesses no
// synchronisation orders, and this file gives it what the machine does. Operations give all their accesses at their
// issue, from a flight of their own that moves nothing. Which mistake it is, sanitize_found.c tells.
#include <stdlib.h>
#include <string.h>

#include "apart.h"
#include "between.h"
#include "check_found.h"
#include "each.h"
#include "form_number.h"
#include "module.h"
#include "report.h"
#include "sanitize_shuffle.h"
#include "sanitize_state.h"

// --- Which mistake it is ---------------------------------------------------------------------------------------------

void sanitize_name_of(const struct look_sanitize *sanitize, uint32_t address, char name[SANITIZE_NAME_BYTES])
{
    if (machine_shared_name(sanitize->cluster->machine, address, name, SANITIZE_NAME_BYTES) == 0)
        snprintf(name, SANITIZE_NAME_BYTES, "shared address 0x%x", address);
}

static void global_name_of(const struct look_sanitize *sanitize, uint64_t address, char name[SANITIZE_NAME_BYTES])
{
    const struct machine_launch *launch = sanitize->cluster->machine->launch;
    const int length = snprintf(name, SANITIZE_NAME_BYTES, "global address 0x%llx, ", (unsigned long long)address);
    size_t more = 0;
    if (launch->describe != NULL)
        more = launch->describe(launch->describe_context, address, name + length, SANITIZE_NAME_BYTES - (size_t)length);
    if (more == 0) name[length - 2] = '\0';
}

static struct sanitize_side side_of(const struct look_sanitize *sanitize, const struct shadow_entry *entry)
{
    const struct order_actor *actor = &sanitize->order->actor[entry->actor];
    return (struct sanitize_side){.line = entry->line,
                                  .rank = actor->rank,
                                  .warp = actor->warp,
                                  .lane = entry->lane & 31u,
                                  .cta = actor->number,
                                  .flags = entry->flags,
                                  .is_operation = actor->kind == ORDER_OPERATION,
                                  .is_product = actor->kind == ORDER_PRODUCT,
                                  .is_before = actor->kind == ORDER_GRID ? (int)actor->issued : 0};
}

// What the side's thread released next, or acquired last.
static void add_note(const struct look_sanitize *sanitize, const struct shadow_entry *entry, bool is_newer,
                     struct sanitize_side *side)
{
    const struct order_actor *actor = &sanitize->order->actor[entry->actor];
    const struct order_warp *warp = clock_order_warp(sanitize->order, actor);
    if (side->is_before || warp == NULL || actor->kind == ORDER_PRODUCT) return;
    uint32_t time = actor->kind == ORDER_WARP ? entry->time : actor->issued;
    const struct order_note *notes = warp->release;
    while (notes[time % ORDER_NOTES].time == time && notes[time % ORDER_NOTES].edge == ORDER_EDGE_ISSUE) time++;
    side->note = is_newer ? warp->acquire : notes[time % ORDER_NOTES];
    if (!is_newer && side->note.time != time) side->note = (struct order_note){0};
    if (side->note.edge == ORDER_EDGE_MBARRIER) sanitize_name_of(sanitize, side->note.number, side->note_name);
}

static bool is_copy(const struct sanitize_side *side)
{
    return side->is_operation && (side->flags & SHADOW_WRITES);
}

static enum sanitize_kind global_race_of(const struct sanitize_side *older, const struct sanitize_side *newer)
{
    if (newer->flags & SHADOW_MAP) return SANITIZE_MAP_RACE;
    if (older->flags & SHADOW_MAP) return SANITIZE_MAP_EDITED;
    if (older->flags & newer->flags & SHADOW_STRONG) return SANITIZE_SCOPE;
    if (is_copy(older)) return SANITIZE_GLOBAL_STORE;
    if (older->is_operation) return SANITIZE_GLOBAL_LOAD;
    return newer->is_operation && !(newer->flags & SHADOW_WRITES) ? SANITIZE_GLOBAL_SOURCE : SANITIZE_GLOBAL_RACE;
}

static enum sanitize_kind race_of(const struct look_sanitize *sanitize, const struct order_found *found,
                                  const struct sanitize_finding *finding)
{
    const struct sanitize_side *older = &finding->older, *newer = &finding->newer;
    const struct order_actor *actor = &sanitize->order->actor[found->older.actor];
    const bool is_async = newer->is_operation || newer->is_product, writes = (newer->flags & SHADOW_WRITES) != 0;
    if (found->space == SPACE_GLOBAL) return global_race_of(older, newer);
    if (older->is_product) return SANITIZE_PRODUCT_OVERWRITTEN;
    if (actor->kind == ORDER_OPERATION && actor->async == ASYNC_COPY) return SANITIZE_SMALL_COPY;
    if (is_copy(older) && is_copy(newer)) return SANITIZE_COPIES;
    if (is_copy(older))
        return is_async ? SANITIZE_OPERATION_BEFORE_COPY
               : writes ? SANITIZE_WRITE_BEFORE_COPY
                        : SANITIZE_READ_BEFORE_COPY;
    if (older->is_operation) return SANITIZE_SOURCE_OVERWRITTEN;
    if (is_async && writes) return SANITIZE_REFILL;
    return is_async ? SANITIZE_OPERATION_BEFORE_WRITE : SANITIZE_RACE;
}

static enum sanitize_kind kind_of(const struct look_sanitize *sanitize, const struct order_found *found,
                                  const struct sanitize_finding *finding)
{
    static const enum sanitize_kind alone[] = {[ORDER_MAP_FENCE] = SANITIZE_MAP_FENCE,
                                               [ORDER_EXIT] = SANITIZE_EXIT,
                                               [ORDER_UNINITIALISED] = SANITIZE_UNINITIALISED,
                                               [ORDER_UNORDERED_INIT] = SANITIZE_UNORDERED_INIT,
                                               [ORDER_AGAIN] = SANITIZE_AGAIN,
                                               [ORDER_UNEXPECTED] = SANITIZE_UNEXPECTED,
                                               [ORDER_OVER_ARRIVAL] = SANITIZE_OVER_ARRIVAL,
                                               [ORDER_BARRIER_WRITTEN] = SANITIZE_BARRIER_WRITTEN,
                                               [ORDER_CONSTANT] = SANITIZE_CONSTANT,
                                               [ORDER_MEETING] = SANITIZE_MEETING,
                                               [ORDER_INVAL] = SANITIZE_INVAL,
                                               [ORDER_PARTLY] = SANITIZE_PRODUCT_WARPS,
                                               [ORDER_DIVERGENT] = SANITIZE_DIVERGENT,
                                               [ORDER_COUNT] = SANITIZE_COUNT,
                                               [ORDER_REGISTERS] = SANITIZE_SETMAXNREG,
                                               [ORDER_SIZES] = SANITIZE_SIZES};
    if (found->parted == ORDER_TOGETHER) return SANITIZE_IN_STEP;
    switch (found->kind) {
    case ORDER_GRID_EARLY:
        return finding->older.flags & SHADOW_WRITES ? SANITIZE_GRID_EARLY : SANITIZE_GRID_OVERWRITES;
    case ORDER_FENCE:
        if (found->space == SPACE_GLOBAL) return SANITIZE_GLOBAL_FENCE;
        return finding->older.is_operation ? SANITIZE_SMALL_COPY_FENCE : SANITIZE_FENCE;
    case ORDER_UNWRITTEN:
        return found->space == SPACE_GLOBAL ? SANITIZE_GLOBAL_UNWRITTEN : SANITIZE_UNWRITTEN;
    case ORDER_NARROW:
        return found->space == SPACE_GLOBAL ? SANITIZE_GLOBAL_RACE : SANITIZE_RACE;
    case ORDER_RACE:
        return race_of(sanitize, found, finding);
    default:
        return alone[found->kind];
    }
}

// The mbarrier that the operation tells; NULL: none of that CTA.
static const struct order_barrier *told_barrier(const struct order_cta *home, const struct order_actor *operation)
{
    if (home == NULL || operation->kind != ORDER_OPERATION || operation->barrier == UINT32_MAX) return NULL;
    const struct order_barrier *at = home->barrier[operation->barrier / 8 % ORDER_BARRIER_SLOTS];
    while (at != NULL && at->address != operation->barrier) at = at->next;
    return at;
}

// The bytes that copies to the mbarrier of the older one have brought and nobody has announced.
static uint32_t unannounced(const struct look_sanitize *sanitize, const struct order_found *found)
{
    if (found->kind == ORDER_UNEXPECTED) return found->newer.time;
    const struct order_barrier *at = told_barrier(found->cta, &sanitize->order->actor[found->older.actor]);
    return at != NULL && at->brought > at->expected ? (uint32_t)(at->brought - at->expected) : 0;
}

// Of an access before a copy over the same bytes: had its warp waited for the phase before that of the copy? Then the
// copy came too soon. Else the access did not wait, and only this run had it first.
static bool is_refill(const struct look_sanitize *sanitize, const struct order_found *found)
{
    const struct order_actor *copy = &sanitize->order->actor[found->newer.actor];
    const struct order_actor *user = &sanitize->order->actor[found->older.actor];
    const struct order_barrier *at = told_barrier(found->cta, copy);
    if (found->cta == NULL || copy->kind != ORDER_OPERATION || copy->barrier == UINT32_MAX ||
        user->kind == ORDER_OPERATION)
        return true;
    return at != NULL && at->phases > 0 && clock_order_phases(sanitize->order, copy, user) == at->phases;
}

// Two weak writes, which are judged by their values? In shared memory by threads alone.
static bool is_watched(const struct look_sanitize *sanitize, const struct order_found *found)
{
    const int both = found->older.flags & found->newer.flags, any = found->older.flags | found->newer.flags;
    const struct order_actor *actor = sanitize->order->actor;
    const bool are_threads =
        actor[found->older.actor].kind == ORDER_WARP && actor[found->newer.actor].kind == ORDER_WARP;
    return found->kind == ORDER_RACE && found->parted != ORDER_TOGETHER &&
           (found->space == SPACE_GLOBAL || are_threads) && (both & SHADOW_WRITES) &&
           !(any & (SHADOW_STRONG | SHADOW_REDUCES));
}

// 0: they cannot be.
static bool watch_values(struct look_sanitize *sanitize, const struct order_found *found,
                         const struct sanitize_finding *finding)
{
    const struct order_actor *older = &sanitize->order->actor[found->older.actor];
    struct sanitize_watch watch = {.finding = *finding, .older = found->older.actor, .newer = found->newer.actor};
    const bool is_thread = sanitize->order->actor[watch.newer].kind == ORDER_WARP;
    if (older->kind == ORDER_OPERATION && !older->is_done) return sanitize_values_watch(&sanitize->values, &watch);
    watch.is_thread = is_thread;
    if (is_thread ? !sanitize_bytes_take(&sanitize->lay, &watch) : !sanitize_watch_take(&watch, sanitize->global))
        return false;
    return sanitize_values_watch(&sanitize->values, &watch);
}

// Where it is, for people.
static void add_names(const struct look_sanitize *sanitize, const struct order_found *found,
                      struct sanitize_finding *finding)
{
    const struct order_actor *actor = &sanitize->order->actor[found->older.actor];
    add_note(sanitize, &found->older, false, &finding->older);
    add_note(sanitize, &found->newer, true, &finding->newer);
    if (found->kind == ORDER_DIVERGENT && found->address == ORDER_CLUSTER_BARRIER)
        snprintf(finding->name, sizeof finding->name, "the barrier of the cluster");
    else if (found->kind == ORDER_MEETING || found->kind == ORDER_DIVERGENT || found->kind == ORDER_COUNT)
        snprintf(finding->name, sizeof finding->name, "barrier %llu of the CTA", (unsigned long long)found->address);
    else if (found->kind == ORDER_REGISTERS)
        snprintf(finding->name, sizeof finding->name, "registers of the four warps from %u on",
                 (uint32_t)found->address);
    else if (found->space == SPACE_GLOBAL)
        global_name_of(sanitize, finding->address, finding->name);
    else
        sanitize_name_of(sanitize, (uint32_t)finding->address, finding->name);
    if (actor->kind != ORDER_OPERATION || actor->barrier == UINT32_MAX) return;
    sanitize_name_of(sanitize, actor->barrier, finding->barrier);
    finding->barrier_at = actor->barrier;
}

void sanitize_take(void *context, const struct order_found *raw)
{
    struct look_sanitize *sanitize = context;
    struct order_found found = *raw;
    const bool is_copy_last = found.kind == ORDER_RACE && (found.newer.flags & SHADOW_WRITES) &&
                              sanitize->order->actor[found.newer.actor].kind == ORDER_OPERATION;
    if (is_copy_last && !is_refill(sanitize, raw)) {
        found.older = raw->newer;
        found.newer = raw->older;
    }
    struct sanitize_finding finding = {.space = found.space,
                                       .cta = found.cta != NULL ? found.cta->number : 0,
                                       .address =
                                           found.address + (found.mask ? (uint64_t)__builtin_ctz(found.mask) : 0),
                                       .bytes = (uint32_t)__builtin_popcount(found.mask),
                                       .unexpected = unannounced(sanitize, &found),
                                       .is_parted = found.parted == ORDER_PARTED,
                                       .older = side_of(sanitize, &found.older),
                                       .newer = side_of(sanitize, &found.newer)};
    finding.kind = kind_of(sanitize, &found, &finding);
    if (sanitize->is_quick && !check_tells(&finding)) return;
    const bool is_watch = is_watched(sanitize, &found);
    if (is_watch ? sanitize_values_know(&sanitize->values, &sanitize->found, &finding)
                 : sanitize_found_again(&sanitize->found, &finding))
        return;
    add_names(sanitize, &found, &finding);
    if (!is_watch || !watch_values(sanitize, &found, &finding)) sanitize_found_add(&sanitize->found, &finding);
}

void sanitize_take_layout(void *context, struct sanitize_finding *finding)
{
    struct look_sanitize *sanitize = context;
    if (sanitize_found_again(&sanitize->found, finding)) return;
    sanitize_name_of(sanitize, (uint32_t)finding->address, finding->name);
    sanitize_found_add(&sanitize->found, finding);
}

// --- What the machine does -------------------------------------------------------------------------------------------

void look_sanitize_launches(struct look_sanitize *sanitize)
{
    sanitize->ran.has_launched = true;
}

// Does what is guessed from an old value not matter? A swap compares it, and a minimum or maximum is one of both.
static bool checks_guess(uint16_t form)
{
    return form == PTX_FORM_ATOM_CAS || form == PTX_FORM_ATOM_MINMAX || form == PTX_FORM_ATOM_MINMAX_HINT ||
           form == PTX_FORM_RED_MINMAX || form == PTX_FORM_RED_MINMAX_HINT;
}

static bool has_membermask(uint16_t form)
{
    return (form >= PTX_FORM_SHFL && form <= PTX_FORM_ELECT && form != PTX_FORM_ACTIVEMASK) ||
           form == PTX_FORM_BAR_WARP_SYNC;
}

// What else than the order is asked of an instruction.
static void before_others(struct look_sanitize *sanitize, const struct machine_step *step)
{
    const struct ptx_choice *choice = step->code->choice;
    sanitize_lanes_before(sanitize->lanes, step, sanitize->order->instruction);
    if (sanitize->needs.tensors && !sanitize_layouts_settle(sanitize->layouts)) sanitize->order->is_short = true;
    sanitize->lay.bytes = sanitize->lay.pieces = 0;
    if (choice != NULL && has_membermask(choice->form)) sanitize_shuffle_before(step, &sanitize->found);
    sanitize->checks = choice != NULL && checks_guess(choice->form);
    if (choice != NULL) sanitize_ran_note(&sanitize->ran, choice->form);
    if (sanitize->needs.products && !sanitize_registers_before(sanitize->registers, step, &sanitize->found))
        sanitize->order->is_short = true;
}

void look_sanitize_before(struct look_sanitize *sanitize, const struct machine_step *step)
{
    if (sanitize->values.count > sanitize->values.waiting)
        sanitize_values_settle(&sanitize->values, sanitize->global, &sanitize->found);
    sanitize->order->instruction++;
    if (sanitize->order->has_access) clock_order_settle(sanitize->order);
    sanitize_lanes_gather(sanitize->order, step, sanitize->needs.releases);
    const struct machine_cluster *cluster = step->warp->cta->cluster;
    uint64_t number[ORDER_MOST_CTAS];
    if (!sanitize->is_quick) before_others(sanitize, step);
    if (sanitize->cluster == cluster && sanitize->first == cluster->cta[0].number) return;
    sanitize->cluster = cluster;
    sanitize->global = &cluster->machine->global;
    sanitize->parameters = machine_parameter_window(cluster->machine);
    sanitize->parameter_bytes = cluster->machine->kernel->facts.parameter_bytes;
    sanitize->first = cluster->cta[0].number;
    for (uint32_t rank = 0; rank < cluster->ctas && rank < ORDER_MOST_CTAS; rank++)
        number[rank] = cluster->cta[rank].number;
    clock_order_cluster(sanitize->order, number, cluster->ctas);
}

// Two writes of lanes are judged by their values. 0: they cannot be.
static bool watch_lanes(struct look_sanitize *sanitize, const struct sanitize_finding *finding)
{
    struct sanitize_watch watch = {.finding = *finding, .is_thread = true};
    if (sanitize_values_know(&sanitize->values, &sanitize->found, finding)) return true;
    return sanitize_bytes_take(&sanitize->lay, &watch) && sanitize_values_watch(&sanitize->values, &watch);
}

static enum sanitize_kind kind_of_lanes(const struct access *access, const struct sanitize_lane *before)
{
    if (access->order == ORDER_VOLATILE) return SANITIZE_VOLATILE;
    if (before->is_stepped) return SANITIZE_IN_STEP;
    return before->is_update ? SANITIZE_UPDATE : SANITIZE_LANES;
}

static void take_lane(struct look_sanitize *sanitize, const struct event *event, const struct sanitize_lane *before)
{
    const struct event_origin *who = event->origin;
    const struct access *access = &event->access;
    struct sanitize_side side = {.line = who->line, .rank = who->rank, .warp = who->warp, .cta = who->cta};
    struct sanitize_finding finding = {.kind = kind_of_lanes(access, before),
                                       .space = access->space,
                                       .cta = who->cta,
                                       .address = before->bytes != 0 ? before->address : access->address,
                                       .bytes = before->bytes != 0 ? before->bytes : (uint32_t)access->bytes,
                                       .older = side,
                                       .newer = side};
    finding.newer.lane = before->newer_lane;
    finding.newer.flags =
        (access->kind != ACCESS_READ ? SHADOW_WRITES : 0) | (access->order != ORDER_WEAK ? SHADOW_STRONG : 0);
    finding.older.line = before->line;
    finding.older.lane = before->lane;
    finding.older.flags = (before->writes ? SHADOW_WRITES : 0) | (before->is_strong ? SHADOW_STRONG : 0);
    if (sanitize_found_again(&sanitize->found, &finding)) return;
    if (access->space == SPACE_GLOBAL)
        global_name_of(sanitize, finding.address, finding.name);
    else
        sanitize_name_of(sanitize, (uint32_t)finding.address, finding.name);
    const bool are_writes = access->kind != ACCESS_READ && before->writes;
    if (!are_writes || !watch_lanes(sanitize, &finding)) sanitize_found_add(&sanitize->found, &finding);
}

static void take_lanes(struct look_sanitize *sanitize, const struct event *event, int found,
                       const struct sanitize_lane *before)
{
    if (found < 0) sanitize->order->is_short = true;
    for (int i = 0; i < found; i++) take_lane(sanitize, event, &before[i]);
}

static void hear_lanes(struct look_sanitize *sanitize, const struct event *event)
{
    struct sanitize_lane before[MACHINE_LANES];
    const int found = sanitize_lanes_hear(sanitize->lanes, event, before);
    if (found != 0) take_lanes(sanitize, event, found, before);
}

// By a thread that sees its own clusters, whose launch may be undone.
static bool is_undoable(const struct look_sanitize *sanitize, const struct event *event)
{
    return sanitize->undo != NULL && event->kind == EVENT_ACCESS && event->access.space == SPACE_GLOBAL &&
           event->access.kind != ACCESS_READ;
}

static void hear_rows(struct look_sanitize *sanitize, const struct event *event, uint32_t rows, uint64_t rise)
{
    struct sanitize_lane before[MACHINE_LANES];
    const int found = sanitize_lanes_rows(sanitize->lanes, event, rows, rise, before);
    if (found != 0) take_lanes(sanitize, event, found, before);
}

static void hear_apart(struct look_sanitize *sanitize, const struct event *event, const uint64_t *address)
{
    struct sanitize_lane before[MACHINE_LANES];
    const int found = sanitize_lanes_apart(sanitize->lanes, event, address, before);
    if (found != 0) take_lanes(sanitize, event, found, before);
}

// Writes that the stamps keep are noted only where those may have missed them, behind which the launch is over.
static bool is_noted_first(const struct look_sanitize *sanitize, const struct event *event)
{
    const bool has_stamps = sanitize->order->between != NULL && sanitize->cluster != NULL;
    return is_undoable(sanitize, event) && !(has_stamps && event->access.kind == ACCESS_WRITE);
}

static bool is_noted_last(const struct look_sanitize *sanitize, const struct event *event)
{
    return is_undoable(sanitize, event) && !is_noted_first(sanitize, event) &&
           (order_apart_is_over(sanitize->order->apart) || sanitize->order->is_short);
}

static void undo_rows(struct look_sanitize *sanitize, struct access access, const struct machine_rows *rows)
{
    const uint64_t begin = access.address;
    for (uint32_t warp = 0; warp < rows->warps; warp++)
        for (uint32_t row = 0; row < rows->rows; row++) {
            access.address = begin + warp * rows->warp_rise + row * rows->rise;
            sanitize_undo_note(sanitize, &access);
        }
}

void look_sanitize_rows(struct look_sanitize *sanitize, const struct event *event, const struct machine_rows *rows)
{
    if (event->access.space == SPACE_SHARED) hear_rows(sanitize, event, rows->rows, rows->rise);
    if (is_noted_first(sanitize, event)) undo_rows(sanitize, event->access, rows);
    if (rows->warps == 1)
        order_between_rows(sanitize->order, event, rows->rows, rows->rise);
    else
        order_between_warps(sanitize->order, event, rows->rows, rows->rise, rows->warps, rows->warp_rise);
    if (is_noted_last(sanitize, event)) undo_rows(sanitize, event->access, rows);
}

// What lies where a thread writes.
static void note_bytes(struct look_sanitize *sanitize, const struct event *event)
{
    const struct access *access = &event->access;
    const bool is_shared = access->space == SPACE_SHARED;
    if (event->origin->operation != 0 || access->kind != ACCESS_WRITE) return;
    if (is_shared && access->rank >= sanitize->cluster->ctas) return;
    sanitize_bytes_note(&sanitize->lay, sanitize->global, is_shared ? &sanitize->cluster->memory[access->rank] : NULL,
                        access);
}

static void undo_lanes(struct look_sanitize *sanitize, const struct event *event, const uint64_t *address)
{
    struct access one = event->access;
    for (EACH_BIT(lane, event->origin->lanes)) {
        one.address = address[lane];
        sanitize_undo_note(sanitize, &one);
    }
}

void look_sanitize_lanes(struct look_sanitize *sanitize, const struct event *event, const uint64_t *address)
{
    if (is_noted_first(sanitize, event)) undo_lanes(sanitize, event, address);
    if (event->access.space == SPACE_SHARED) hear_apart(sanitize, event, address);
    order_between_lanes(sanitize->order, event, address);
    if (is_noted_last(sanitize, event)) undo_lanes(sanitize, event, address);
}

// What else than lanes there is of one that writes, or whose value is checked.
static void hear_access(struct look_sanitize *sanitize, const struct event *event)
{
    if (event->access.kind != ACCESS_READ) note_bytes(sanitize, event);
    if (event->access.space == SPACE_GLOBAL && sanitize->checks)
        sanitize_guess_note(&sanitize->guesses, sanitize->order, event);
}

static void hear_others(struct look_sanitize *sanitize, const struct event *event)
{
    const bool is_access = event->kind == EVENT_ACCESS;
    if (!is_access) {
        sanitize_registers_hear(sanitize->registers, event);
        sanitize->has_spoken |= event->kind == EVENT_FENCE && event->fence.scope == SCOPE_SYS;
    }
    if (sanitize->cluster == NULL) return;
    if (is_access && (event->access.kind != ACCESS_READ || sanitize->checks)) hear_access(sanitize, event);
    hear_lanes(sanitize, event);
    if (sanitize->needs.tensors) sanitize_layouts_hear(sanitize->layouts, event);
}

// Strong accesses to global memory order others.
static bool is_left_out(const struct look_sanitize *sanitize, const struct event *event)
{
    return sanitize->is_quick && event->kind == EVENT_ACCESS && event->access.space == SPACE_GLOBAL &&
           event->access.order == ORDER_WEAK;
}

void look_sanitize_hear(struct look_sanitize *sanitize, const struct event *event)
{
    const bool is_thread = event->origin->operation == 0;
    if (is_thread && is_noted_first(sanitize, event)) sanitize_undo_note(sanitize, &event->access);
    if (!sanitize->is_quick) hear_others(sanitize, event);
    if (sanitize->cluster != NULL && !is_left_out(sanitize, event)) clock_order_hear(sanitize->order, event);
    if (is_thread && is_noted_last(sanitize, event)) sanitize_undo_note(sanitize, &event->access);
}

void sanitize_hear_ghost(void *context, const struct event *event)
{
    struct look_sanitize *sanitize = context;
    const struct access *access = &event->access;
    if (event->kind != EVENT_ACCESS || is_left_out(sanitize, event)) return;
    if (is_undoable(sanitize, event)) sanitize_undo_note(sanitize, access);
    clock_order_access(sanitize->order, event);
    if (access->space != SPACE_SHARED || access->kind == ACCESS_READ || access->rank >= sanitize->cluster->ctas) return;
    sanitize->brought[access->rank] += access->bytes;
    if (sanitize->is_quick) return;
    sanitize_layouts_forget(sanitize->layouts, sanitize->cluster->cta[access->rank].number, access->address,
                            access->bytes);
}
