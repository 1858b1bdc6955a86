// SPDX-License-Identifier: MIT
#include "look_apart.h"

#include <stdlib.h>
#include <string.h>

#include "apart.h"
#include "between.h"
#include "looker.h"
#include "module.h"
#include "sanitize_state.h"
#include "stamps.h"
#include "undo.h"

// Of one thread of the host.
struct part {
    struct look_apart *of;
    struct machine_view view;
    struct machine_looker looker;
    struct observer observer;
    struct look_sanitize *sanitize;
    struct look_tally tally;
    uint64_t again, watches; // the order's when it was last asked; how often it was more since it had new bytes
};

struct look_apart {
    struct machine_views views;
    struct look_sanitize *whole;
    const struct machine_launch *launch;
    const struct look_options *options;
    const int *is_closed;
    struct order_apart *order;
    struct undo *undo;
    struct part *part[MACHINE_HOST_THREADS];
};

// --- Memory ----------------------------------------------------------------------------------------------------------

// What is kept of a page, NULL without memory.
static void **kept_of(struct clock_order *order, uint64_t number, bool *is_fresh)
{
    if (order->between != NULL) return order_stamps_kept(order_between_stamps(order->between), number, is_fresh);
    struct shadow_page *page = order_global_page(order, number * SHADOW_PAGE_BYTES);
    *is_fresh = page != NULL && page->is_fresh;
    return page != NULL ? &page->kept : NULL;
}

// Of a page that nobody had touched before the launch nothing is kept: it will be so again.
static void note_page(struct look_sanitize *sanitize, uint64_t at, uint32_t bytes)
{
    const uint64_t number = at / SHADOW_PAGE_BYTES;
    bool is_fresh;
    void **kept = kept_of(sanitize->order, number, &is_fresh);
    if (is_fresh) return;
    struct undo_page *before = kept != NULL ? *kept : NULL;
    if (before == NULL) before = undo_page(sanitize->undo, sanitize->global, number);
    if (kept != NULL) *kept = before;
    if (before != NULL) undo_note(before, (uint32_t)(at % SHADOW_PAGE_BYTES), bytes);
}

void sanitize_undo_note(struct look_sanitize *sanitize, const struct access *access)
{
    const uint64_t end = access->address + access->bytes;
    for (uint64_t at = access->address, step; at < end; at += step) {
        const uint64_t left = SHADOW_PAGE_BYTES - at % SHADOW_PAGE_BYTES;
        step = left < end - at ? left : end - at;
        note_page(sanitize, at, (uint32_t)step);
    }
}

static void save_page(void *context, uint64_t number)
{
    const struct look_sanitize *sanitize = context;
    undo_page(sanitize->undo, sanitize->global, number);
}

// What the stamps know was written.
static void note_written(void *context, uint64_t address, uint32_t bytes)
{
    const struct look_sanitize *sanitize = context;
    struct undo_page *page = undo_page(sanitize->undo, sanitize->global, address / SHADOW_PAGE_BYTES);
    if (page != NULL) undo_note(page, (uint32_t)(address % SHADOW_PAGE_BYTES), bytes);
}

// --- What the machine tells a thread's part --------------------------------------------------------------------------

static bool is_closed(const struct part *part)
{
    return __atomic_load_n(part->of->is_closed, __ATOMIC_RELAXED);
}

static void before(void *context, const struct machine_step *step)
{
    const struct part *part = context;
    if (!is_closed(part)) look_sanitize_before(part->sanitize, step);
}

static void after(void *context, const struct machine_step *step, enum machine_next next)
{
    struct part *part = context;
    if (next != MACHINE_WAIT && !is_closed(part)) look_tally_step(&part->tally, step);
}

static void flight(void *context, const struct machine_flight *flight, int begins)
{
    const struct part *part = context;
    if (!is_closed(part)) (begins ? look_sanitize_issue : look_sanitize_done)(part->sanitize, flight);
}

static void hear(void *context, const struct event *event)
{
    const struct part *part = context;
    if (!is_closed(part)) look_sanitize_hear(part->sanitize, event);
}

static void rows(void *context, const struct event *event, const struct machine_rows *rows)
{
    const struct part *part = context;
    if (!is_closed(part)) look_sanitize_rows(part->sanitize, event, rows);
}

static void lanes(void *context, const struct event *event, const uint64_t *address)
{
    const struct part *part = context;
    if (!is_closed(part)) look_sanitize_lanes(part->sanitize, event, address);
}

static void ended(void *context, const struct machine_strand *strand, const struct machine_code *code, uint32_t lane)
{
    (void)context, (void)strand, (void)code, (void)lane;
}

// --- Threads ---------------------------------------------------------------------------------------------------------

static void close_part(struct part *part)
{
    if (part == NULL) return;
    if (part->sanitize != NULL) look_sanitize_close(part->sanitize);
    look_tally_clear(&part->tally);
    free(part);
}

static uint64_t clusters_of(const struct machine_launch *launch, const struct machine_kernel *kernel)
{
    uint64_t clusters = 1;
    for (int i = 0; i < 3; i++) {
        const uint32_t asked = launch->cluster[i] != 0 ? launch->cluster[i] : kernel->facts.reqnctapercluster[i];
        clusters *= launch->grid[i] / (asked != 0 ? asked : 1);
    }
    return clusters;
}

// Are barriers of all threads the only order of shared memory, and each cluster one CTA?
static bool has_no_cells(const struct look_sanitize *whole, const struct machine_launch *launch)
{
    const uint64_t ctas = launch->grid[0] * (uint64_t)launch->grid[1] * launch->grid[2];
    return !whole->needs.cells && clusters_of(launch, launch->module->kernel[launch->kernel]) == ctas;
}

static struct part *open_part(struct look_apart *apart)
{
    struct part *part = calloc(1, sizeof *part);
    if (part == NULL) return NULL;
    *part = (struct part){
        .of = apart,
        .looker = {part, look_sanitize_skips_plain(apart->whole), before, after, flight, NULL, NULL, ended},
        .observer = {part, hear},
        .view = {&part->looker, &part->observer}};
    part->sanitize = look_sanitize_open(apart->whole->found.kernel, apart->launch, apart->options, NULL);
    if (part->sanitize == NULL) {
        close_part(part);
        return NULL;
    }
    part->sanitize->order->apart = apart->order;
    if (has_no_cells(apart->whole, apart->launch))
        part->sanitize->order->between = order_between_open(part->sanitize->order->warps, apart->order);
    if (part->sanitize->order->between != NULL) part->looker.rows = rows;
    if (part->sanitize->order->between != NULL) part->looker.lanes = lanes;
    part->sanitize->undo = apart->undo;
    if (part->sanitize->order->between != NULL)
        order_stamps_watch(order_between_stamps(part->sanitize->order->between), part->sanitize, save_page);
    return part;
}

static const struct machine_view *view(void *context, uint32_t thread)
{
    struct look_apart *apart = context;
    if (apart->part[thread] == NULL) apart->part[thread] = open_part(apart);
    return apart->part[thread] != NULL ? &apart->part[thread]->view : NULL;
}

static bool has_found(const struct look_sanitize *sanitize)
{
    return sanitize->found.count + sanitize->found.lost + sanitize->values.count > 0 || sanitize->order->is_short ||
           sanitize->order->global.is_full;
}

// One that looks at the same bytes again and again may wait for a cluster that has not begun.
enum { MOST_WATCHES = 64 };
static bool is_watching(struct part *part, bool has_ended)
{
    const struct clock_order *order = part->sanitize->order;
    const uint64_t again =
        order->between != NULL ? order_stamps_again(order_between_stamps(order->between)) : order->again;
    const bool is_again = !has_ended && again > part->again;
    part->again = again;
    part->watches = is_again ? part->watches + 1 : 0;
    return part->watches > MOST_WATCHES;
}

// Between two instructions of the thread.
static int goes_on(void *context, uint32_t thread, int has_ended)
{
    const struct look_apart *apart = context;
    const struct look_sanitize *sanitize = apart->part[thread]->sanitize;
    if (is_closed(apart->part[thread])) return 1;
    if (has_found(sanitize) || is_watching(apart->part[thread], has_ended)) order_apart_end(apart->order);
    if (has_ended) {
        order_apart_take(apart->order, sanitize->order);
        clock_order_again(sanitize->order);
    }
    return !order_apart_is_over(apart->order);
}

// --- Open and close --------------------------------------------------------------------------------------------------

static uint32_t untouched(void *context, uint64_t address, uint32_t pages)
{
    const struct machine_launch *launch = context;
    if (launch->untouched == NULL || launch->untouch == NULL) return 0;
    return launch->untouched(launch->describe_context, address, pages);
}

static bool may_be_apart(const struct look_sanitize *whole, const struct machine_launch *launch)
{
    const struct machine_kernel *kernel = launch->module->kernel[launch->kernel];
    if (whole->is_quick || kernel == NULL || whole->needs.together) return false;
    if (!kernel->commutes && !(kernel->adds && has_no_cells(whole, launch))) return false;
    if (launch->schedule.policy != MACHINE_DEFAULT || launch->delays != NULL || launch->limits.instructions > 0)
        return false;
    if (launch->written != NULL || launch->before != NULL || launch->follows != 0 || launch->delayed != NULL)
        return false;
    return !machine_module_depends(launch->module) && clusters_of(launch, kernel) > 1;
}

struct look_apart *look_apart_open(struct look_sanitize *whole, const struct machine_launch *launch,
                                   const struct look_options *options, const int *is_closed)
{
    if (!may_be_apart(whole, launch)) return NULL;
    struct look_apart *apart = calloc(1, sizeof *apart);
    if (apart == NULL) return NULL;
    *apart = (struct look_apart){.views = {apart, view, goes_on},
                                 .whole = whole,
                                 .launch = launch,
                                 .options = options,
                                 .is_closed = is_closed,
                                 .order = order_apart_open((void *)(uintptr_t)launch, untouched),
                                 .undo = undo_open()};
    whole->is_cut = apart->order != NULL && apart->undo != NULL;
    if (whole->is_cut) return apart;
    look_apart_close(apart);
    return NULL;
}

const struct machine_views *look_apart_views(const struct look_apart *apart)
{
    return &apart->views;
}

void look_apart_close(struct look_apart *apart)
{
    if (apart == NULL) return;
    for (int i = 0; i < MACHINE_HOST_THREADS; i++) close_part(apart->part[i]);
    order_apart_close(apart->order);
    undo_close(apart->undo);
    free(apart);
}

struct order_apart *look_apart_release(struct look_apart *apart)
{
    struct order_apart *order = apart != NULL ? apart->order : NULL;
    if (apart != NULL) apart->order = NULL;
    return order;
}

// --- The end ---------------------------------------------------------------------------------------------------------

// Also of a cluster that was stopped.
static void take_accesses(const struct look_apart *apart)
{
    for (int i = 0; i < MACHINE_HOST_THREADS; i++) {
        const struct clock_order *order = apart->part[i] != NULL ? apart->part[i]->sanitize->order : NULL;
        if (order == NULL) continue;
        order_apart_take(apart->order, order);
        if (order->between != NULL) order_between_give(order->between);
    }
}

// What the threads have seen is the launch's.
static void join_parts(const struct look_apart *apart, const struct machine_outcome *outcome, struct look_tally *tally)
{
    struct look_sanitize *whole = apart->whole;
    whole->is_cut = outcome->kind != MACHINE_DONE;
    for (int i = 0; i < MACHINE_HOST_THREADS; i++) {
        const struct part *part = apart->part[i];
        if (part == NULL) continue;
        look_tally_join(tally, &part->tally);
        whole->ran.rows |= part->sanitize->ran.rows;
        whole->has_spoken |= part->sanitize->has_spoken;
    }
    whole->apart = apart->order;
}

static void untouch_all(const struct look_apart *apart)
{
    const struct machine_launch *launch = apart->launch;
    for (int i = 0; i < APART_HASH; i++)
        for (const struct apart_page *page = apart->order->page[i]; page != NULL; page = page->next)
            if (page->is_fresh) launch->untouch(launch->describe_context, page->number * (uint64_t)SHADOW_PAGE_BYTES);
}

static void undo(const struct look_apart *apart)
{
    const struct global_memory *global = NULL;
    for (int i = 0; i < MACHINE_HOST_THREADS && global == NULL; i++)
        if (apart->part[i] != NULL) global = apart->part[i]->sanitize->global;
    if (global == NULL) return; // nothing ran
    for (int i = 0; i < MACHINE_HOST_THREADS; i++) {
        struct look_sanitize *sanitize = apart->part[i] != NULL ? apart->part[i]->sanitize : NULL;
        if (sanitize != NULL && sanitize->order->between != NULL)
            order_stamps_written(order_between_stamps(sanitize->order->between), sanitize, note_written);
    }
    undo_all(apart->undo, global);
    untouch_all(apart);
}

static bool is_stopped(enum machine_kind kind)
{
    return kind == MACHINE_DONE || kind == MACHINE_LIMITED || kind == MACHINE_INTERRUPTED;
}

bool look_apart_counts(struct look_apart *apart, bool is_over, struct machine_outcome *outcome,
                       struct look_tally *tally)
{
    static const char message[] = "no memory for what undoes the launch, so that --sanitize can look at it again";
    if (!order_apart_is_over(apart->order)) take_accesses(apart);
    bool has_any = order_apart_is_over(apart->order);
    for (int i = 0; i < MACHINE_HOST_THREADS; i++)
        has_any |= apart->part[i] != NULL && has_found(apart->part[i]->sanitize);
    if (is_over && !has_any && is_stopped(outcome->kind)) {
        join_parts(apart, outcome, tally);
        return true;
    }
    if (apart->undo->is_short) {
        *outcome = (struct machine_outcome){.kind = MACHINE_NO_MEMORY};
        memcpy(outcome->message, message, sizeof message);
        return true;
    }
    undo(apart);
    apart->whole->is_cut = false;
    return false;
}
