// SPDX-License-Identifier: MIT
// What a warp did before it last met is behind it. Of global memory each warp has a log of its latest accesses.
#include "sanitize_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "form_number.h"
#include "lane_atomics.h"
#include "lane_lines.h"
#include "lane_parts.h"
#include "lane_words.h"
#include "sanitize_table.h"

enum { WARPS = 32 };

// The counts up to which a lane of a warp has fenced, has released what it did to who reads a strong write, and was
// that released when one read a word by a strong access.
struct handed {
    uint64_t fenced, released, read;
};

// Accesses of which nobody has asked yet: of shared memory those to lines at which the warp has done nothing before
// that clashes with them, since it met; of global memory reads behind which it has written nothing, since it met.
// Access n of all is at n % WAITING; of global memory the latest stay. lines: of shared memory, since it met. begin,
// end: around all that waits of global memory; later: writes outside of that, which are in the log before them.
enum { WAITING = 1024 };
struct waiting {
    uint64_t count;
    struct lane_lines lines;
    struct lane_atomics atomics;
    uint64_t begin, end, later;
    struct lane_use use[WAITING];
};

// The counts at each warp's last meeting, write to global memory and step; stepped[1]: at the step before.
struct cta {
    struct sanitize_item item;
    uint64_t met[WARPS], wrote[WARPS], stepped[WARPS][2];
    struct handed handed[WARPS];
    struct lane_words words;
    struct waiting *waiting[2][WARPS]; // by space
    struct lane_log *log[WARPS];
    uint64_t from[WARPS];            // the count up to which each log is another warp's
    struct lane_parts *parts[WARPS]; // NULL: no such meeting yet
};

// count: of instructions, with the one of now. is_together: several lanes execute that one. log, waiting: those of CTAs
// that have ended. last: the CTA that was asked for
enum { LISTS = 2 * WARPS };
struct sanitize_lanes {
    uint64_t count;
    bool is_together;
    struct sanitize_table ctas;
    struct cta *last;
    uint32_t logs, lists;
    struct lane_log *log[WARPS];
    struct waiting *waiting[LISTS];
};

bool sanitize_lanes_meet(uint16_t form)
{
    return form >= PTX_FORM_ATOM_ADD && (form < PTX_FORM_BRA || form >= PTX_FORM_WMMA_LOAD_A_F16);
}

static bool is_fence(uint16_t form)
{
    return form == PTX_FORM_MEMBAR || (form >= PTX_FORM_FENCE && form <= PTX_FORM_FENCE_RESTRICT_RELEASE);
}

// UINT32_MAX: all. PTX says of no shuffle or vote that it orders accesses. Of bar.warp.sync an event says who has come.
static uint32_t gathered(uint16_t form, uint32_t lanes)
{
    if (form == PTX_FORM_BAR_WARP_SYNC) return (lanes & (lanes - 1)) == 0 ? 0 : lanes;
    if (form > PTX_FORM_ELECT && form <= PTX_FORM_BARRIER_CLUSTER_WAIT) return UINT32_MAX;
    return form >= PTX_FORM_LDMATRIX && (form < PTX_FORM_BRA || form >= PTX_FORM_WMMA_LOAD_A_F16) ? UINT32_MAX : 0;
}

// Of barriers of the CTA.
static bool is_aligned(const struct ptx_choice *choice)
{
    return (choice->form >= PTX_FORM_BAR_SYNC && choice->form <= PTX_FORM_BAR_CTA_RED) ||
           choice->word[PTX_CLASS_ALIGNED] != PTX_WORD_NONE;
}

void sanitize_lanes_gather(struct clock_order *order, const struct machine_step *step, bool releases)
{
    const struct ptx_choice *choice = step->code->choice;
    order->is_aligned = choice != NULL && is_aligned(choice);
    if (!releases) return;
    const uint32_t met = choice != NULL ? gathered(choice->form, step->lanes) : 0;
    order->live = step->warp->live;
    order->executing = step->lanes;
    if (met != 0) clock_order_meet(order, step->warp->cta->number, step->warp->index, met);
    if (choice != NULL && (is_fence(choice->form) || (choice->form >= PTX_FORM_SHFL && choice->form <= PTX_FORM_ELECT)))
        clock_order_step(order, step->warp->cta->number, step->warp->index, step->lanes);
}

static void free_pages(struct sanitize_item *item)
{
    struct cta *cta = (struct cta *)item;
    lane_words_free(&cta->words);
    for (int i = 0; i < WARPS; i++) free(cta->waiting[SPACE_SHARED][i]);
    for (int i = 0; i < WARPS; i++) free(cta->waiting[SPACE_GLOBAL][i]);
    for (int i = 0; i < WARPS; i++) free(cta->log[i]);
    for (int i = 0; i < WARPS; i++) free(cta->parts[i]);
}

// NULL without memory.
static __attribute__((noinline)) struct cta *find_cta(struct sanitize_lanes *lanes, uint64_t number)
{
    struct sanitize_item **at = sanitize_table_find(&lanes->ctas, number, 0);
    struct cta *cta = sanitize_table_make(at, number, 0, sizeof *cta);
    if (cta != NULL) lanes->last = cta;
    return cta;
}

static inline struct cta *cta_of(struct sanitize_lanes *lanes, uint64_t number)
{
    struct cta *const last = lanes->last;
    return last != NULL && last->item.cta == number ? last : find_cta(lanes, number);
}

static void meet_up_to(struct cta *cta, uint32_t warp, uint64_t count)
{
    if (count > cta->met[warp]) cta->met[warp] = count;
}

// A fence orders nothing by itself: a strong write behind it may be read.
static void note_fence(struct cta *cta, uint32_t warp, uint64_t count)
{
    cta->handed[warp].fenced = count;
    meet_up_to(cta, warp, cta->handed[warp].read);
}

// A strong access. Which word it is, and by which lane, is not asked.
static void note_strong(struct cta *cta, const struct access *access, uint32_t warp, uint64_t count)
{
    struct handed *handed = &cta->handed[warp];
    const bool is_both = access->order == ORDER_ACQ_REL || access->order == ORDER_SC;
    const uint64_t released = is_both || access->order == ORDER_RELEASE ? count : handed->fenced;
    if (access->kind != ACCESS_WRITE) handed->read = handed->released;
    if (is_both || access->order == ORDER_ACQUIRE) meet_up_to(cta, warp, handed->read);
    if (access->kind != ACCESS_READ && released > handed->released) handed->released = released;
}

static void forget_shared(struct waiting *waiting)
{
    if (waiting == NULL) return;
    waiting->count = waiting->atomics.count = 0;
    lane_lines_forget(&waiting->lines);
}

static void forget_global(struct waiting *waiting)
{
    waiting->count = waiting->later = waiting->end = 0;
    waiting->begin = UINT64_MAX;
}

static inline struct lane_use use_of(const struct sanitize_lanes *lanes, const struct event *event)
{
    const struct access *access = &event->access;
    return (struct lane_use){.begin = access->address,
                             .end = access->address + access->bytes,
                             .at = lanes->count,
                             .each = (uint32_t)(access->each != 0 ? access->each : access->bytes),
                             .lanes = event->origin->lanes,
                             .line = event->origin->line,
                             .rows = 1,
                             .writes = access->kind != ACCESS_READ,
                             .is_strong = access->order != ORDER_WEAK,
                             .reduces = access->kind == ACCESS_REDUCE};
}

// The list of a warp; NULL without memory.
static __attribute__((noinline)) struct waiting *open_waiting(struct sanitize_lanes *lanes, struct waiting **waiting)
{
    *waiting = lanes->lists > 0 ? lanes->waiting[--lanes->lists] : malloc(sizeof **waiting);
    if (*waiting != NULL) forget_shared(*waiting);
    if (*waiting != NULL) forget_global(*waiting);
    return *waiting;
}

static inline struct waiting *waiting_of(struct sanitize_lanes *lanes, struct cta *cta, enum access_space space,
                                         uint32_t warp)
{
    struct waiting **waiting = &cta->waiting[space][warp];
    return *waiting != NULL ? *waiting : open_waiting(lanes, waiting);
}

// The count at the latest step before the instruction of now.
static uint64_t stepped_at(const struct sanitize_lanes *lanes, const struct cta *cta, uint32_t warp)
{
    return cta->stepped[warp][cta->stepped[warp][0] == lanes->count];
}

static struct lane_by by_warp(const struct sanitize_lanes *lanes, const struct cta *cta, uint32_t warp)
{
    return (struct lane_by){warp, cta->met[warp], stepped_at(lanes, cta, warp), lanes->count, cta->parts[warp]};
}

// 0 without memory.
static bool use_waiting(struct cta *cta, struct waiting *waiting, const struct lane_by *by)
{
    struct sanitize_lane none[MACHINE_LANES];
    for (uint64_t i = 0; i < waiting->count; i++)
        if (lane_words_use(&cta->words, by, &waiting->use[i], none) < 0) return false;
    waiting->count = 0;
    return lane_atomics_use(&waiting->atomics, &cta->words, by);
}

// An atomic, or a fence of several lanes. By PTX it holds no lane back.
static void note_step(struct cta *cta, uint32_t warp, uint64_t count)
{
    cta->stepped[warp][1] = cta->stepped[warp][0];
    cta->stepped[warp][0] = count;
}

void sanitize_lanes_before(struct sanitize_lanes *lanes, const struct machine_step *step, uint64_t count)
{
    lanes->count = count;
    lanes->is_together = (step->lanes & (step->lanes - 1)) != 0;
    if (step->code->choice == NULL || !sanitize_lanes_meet(step->code->choice->form)) return;
    struct cta *cta = cta_of(lanes, step->warp->cta->number);
    const uint32_t warp = step->warp->index;
    const uint16_t form = step->code->choice->form;
    if (cta == NULL) return; // an access says so
    if (is_fence(form)) note_fence(cta, warp, count);
    if (form < PTX_FORM_SHFL || (is_fence(form) && lanes->is_together)) note_step(cta, warp, count);
    if (form < PTX_FORM_SHFL || is_fence(form)) return;
    if (lane_parts_meet(&cta->parts[warp], step, count)) return;
    cta->met[warp] = count;
    forget_shared(cta->waiting[SPACE_SHARED][warp]);
}

// Are all rows in shared memory?
static inline bool is_inside(const struct lane_use *use)
{
    const uint64_t behind = (use->rows - 1u) * (uint64_t)(int64_t)use->rise, most = LANE_WORDS_BYTES;
    return use->begin < use->end && use->end <= most && use->begin + behind < most && use->end + behind <= most;
}

static inline int hear_shared(struct sanitize_lanes *lanes, struct cta *cta, uint32_t warp,
                              const struct lane_use *newer, struct sanitize_lane *older)
{
    struct waiting *waiting = waiting_of(lanes, cta, SPACE_SHARED, warp);
    if (waiting == NULL || !is_inside(newer)) return -1;
    const bool asks = lane_lines_use(&waiting->lines, newer), is_full = !newer->reduces && waiting->count == WAITING;
    if (asks || is_full) {
        const struct lane_by by = by_warp(lanes, cta, warp);
        if (!use_waiting(cta, waiting, &by)) return -1;
        if (asks) return lane_words_use(&cta->words, &by, newer, older);
    }
    if (newer->reduces)
        lane_atomics_note(&waiting->atomics, newer);
    else
        waiting->use[waiting->count++] = *newer;
    return 0;
}

// --- Global memory ---------------------------------------------------------------------------------------------------

static struct lane_log *log_of(struct sanitize_lanes *lanes, struct cta *cta, uint32_t warp)
{
    if (cta->log[warp] != NULL) return cta->log[warp];
    cta->log[warp] = lanes->logs > 0 ? lanes->log[--lanes->logs] : lane_log_open();
    cta->from[warp] = lanes->count - 1;
    return cta->log[warp];
}

static void give_back_lists(struct sanitize_lanes *lanes, struct waiting **of)
{
    for (int i = 0; i < WARPS && lanes->lists < LISTS; i++) {
        if (of[i] == NULL) continue;
        lanes->waiting[lanes->lists++] = of[i];
        of[i] = NULL;
    }
}

static void give_back_logs(struct sanitize_lanes *lanes, struct cta *cta)
{
    give_back_lists(lanes, cta->waiting[SPACE_SHARED]);
    give_back_lists(lanes, cta->waiting[SPACE_GLOBAL]);
    for (int i = 0; i < WARPS && lanes->logs < WARPS; i++) {
        if (cta->log[i] == NULL) continue;
        lanes->log[lanes->logs++] = cta->log[i];
        cta->log[i] = NULL;
    }
}

// As many of the latest as there is room for, beside the writes that came later.
static void log_waiting(struct lane_log *log, struct waiting *waiting)
{
    const uint64_t room = waiting->later < WAITING ? WAITING - waiting->later : 0;
    for (uint64_t i = waiting->count < room ? 0 : waiting->count - room; i < waiting->count; i++)
        lane_log_add(log, &waiting->use[i % WAITING]);
    forget_global(waiting);
}

// A write to other bytes than all that waits may be in the log before it: it stays the latest of its own.
static bool is_apart(struct waiting *waiting, const struct lane_use *newer)
{
    const bool is = newer->writes && (newer->end <= waiting->begin || newer->begin >= waiting->end);
    waiting->later += is && waiting->count > 0;
    return is;
}

static void wait_for_global(struct waiting *waiting, const struct lane_use *use)
{
    waiting->use[waiting->count++ % WAITING] = *use;
    if (use->begin < waiting->begin) waiting->begin = use->begin;
    if (use->end > waiting->end) waiting->end = use->end;
}

// The count at which a warp last met, as far as it matters to global memory: there a part of it is taken for all.
static uint64_t met_at(const struct cta *cta, uint32_t warp)
{
    const uint64_t part = lane_parts_last(cta->parts[warp]);
    return part > cta->met[warp] ? part : cta->met[warp];
}

// 0: it is to be asked whether others clash with it.
static bool waits(struct sanitize_lanes *lanes, struct cta *cta, uint32_t warp, const struct lane_use *newer)
{
    struct waiting *waiting = waiting_of(lanes, cta, SPACE_GLOBAL, warp);
    const uint64_t met = met_at(cta, warp);
    const bool is_meeting = cta->met[warp] == newer->at;
    struct lane_log *log = cta->log[warp];
    if (waiting == NULL) return false;
    if (!is_meeting && waiting->count > 0 && waiting->use[(waiting->count - 1) % WAITING].at <= met)
        forget_global(waiting);
    if (newer->writes || is_meeting || cta->wrote[warp] > met) {
        if (is_meeting || !is_apart(waiting, newer)) log_waiting(log, waiting);
        return false;
    }
    wait_for_global(waiting, newer);
    return true;
}

// Of lanes side by side, each by itself. Returns how many clash.
static int ask_lanes(const struct lane_log *log, const struct lane_use *use, uint64_t met, struct sanitize_lane *older)
{
    struct lane_use one = *use;
    int found = 0;
    for (uint32_t left = use->lanes; left != 0; left &= left - 1, one.begin += use->each) {
        one.end = one.begin + use->each;
        one.lanes = left & -left;
        if (!lane_log_clashes(log, &one, met, &older[found])) continue;
        older[found].address = one.begin;
        older[found++].bytes = (uint32_t)use->each;
    }
    return found;
}

static int hear_global(struct sanitize_lanes *lanes, struct cta *cta, const struct event *event,
                       struct sanitize_lane *older)
{
    const uint32_t warp = event->origin->warp;
    struct lane_log *log = log_of(lanes, cta, warp);
    const struct lane_use newer = use_of(lanes, event);
    if (log == NULL) return -1;
    if (waits(lanes, cta, warp, &newer)) return 0;
    if (newer.writes) cta->wrote[warp] = lanes->count;
    const bool is_meeting = cta->met[warp] == lanes->count;
    const uint64_t met = met_at(cta, warp), since = met > cta->from[warp] ? met : cta->from[warp];
    int found = lane_log_clashes(log, &newer, since, older);
    if (found && newer.each < newer.end - newer.begin) found = ask_lanes(log, &newer, since, older);
    if (!is_meeting) lane_log_add(log, &newer);
    return found;
}

// --- What is heard ---------------------------------------------------------------------------------------------------

// In the generic proxy, by a thread: a strong access; a weak one to the own CTA's shared memory, or to
// global memory.
static bool is_followed(const struct event *event)
{
    const struct access *access = &event->access;
    const struct event_origin *who = event->origin;
    if (who->operation != 0 || who->warp >= WARPS || who->lanes == 0 || access->proxy != PROXY_GENERIC) return false;
    return access->space == SPACE_GLOBAL || access->order != ORDER_WEAK || access->rank == who->rank;
}

// The exchange of old code, by an instruction that lanes execute together. One that polls or sets a flag alone is
// another matter.
static bool is_exchange(const struct sanitize_lanes *lanes, const struct event *event)
{
    return event->access.order == ORDER_VOLATILE && event->access.rank == event->origin->rank && lanes->is_together;
}

// Of weak accesses and atomics; of volatile ones the exchange in shared memory.
static int hear_access(struct sanitize_lanes *lanes, struct cta *cta, const struct event *event,
                       struct sanitize_lane *older)
{
    const struct access *access = &event->access;
    const struct lane_use newer = use_of(lanes, event);
    int is_found = 0;
    if (access->order == ORDER_WEAK && access->space == SPACE_SHARED)
        return hear_shared(lanes, cta, event->origin->warp, &newer, older);
    if (access->order == ORDER_WEAK) return hear_global(lanes, cta, event, older);
    if (access->space == SPACE_GLOBAL && access->kind == ACCESS_REDUCE)
        is_found = hear_global(lanes, cta, event, older);
    if (access->space == SPACE_SHARED && is_exchange(lanes, event))
        is_found = hear_shared(lanes, cta, event->origin->warp, &newer, older);
    if (access->space == SPACE_SHARED && access->kind == ACCESS_REDUCE && access->rank == event->origin->rank)
        is_found = hear_shared(lanes, cta, event->origin->warp, &newer, older);
    note_strong(cta, access, event->origin->warp, lanes->count);
    return is_found;
}

// Behind which of them has the warp stepped?
static int step_behind(const struct sanitize_lanes *lanes, const struct cta *cta, uint32_t warp, int found,
                       struct sanitize_lane *older)
{
    for (int i = 0; i < found; i++) older[i].is_stepped = older[i].at <= stepped_at(lanes, cta, warp);
    return found;
}

static void forget_cta(struct sanitize_lanes *lanes, uint64_t number)
{
    struct sanitize_item **at = sanitize_table_find(&lanes->ctas, number, 0);
    lanes->last = NULL;
    if (*at != NULL) give_back_logs(lanes, (struct cta *)*at);
    sanitize_table_drop(at, free_pages);
}

int sanitize_lanes_hear(struct sanitize_lanes *lanes, const struct event *event, struct sanitize_lane *older)
{
    if (event->kind == EVENT_ACCESS) {
        if (!is_followed(event)) return 0;
        struct cta *cta = cta_of(lanes, event->origin->cta);
        if (cta == NULL) return -1;
        return step_behind(lanes, cta, event->origin->warp, hear_access(lanes, cta, event, older), older);
    }
    if (event->kind == EVENT_RUN && event->run == RUN_CTA_EXIT) forget_cta(lanes, event->origin->cta);
    return 0;
}

int sanitize_lanes_rows(struct sanitize_lanes *lanes, const struct event *event, uint32_t rows, uint64_t rise,
                        struct sanitize_lane *older)
{
    if (event->origin->warp >= WARPS) return 0;
    struct cta *cta = cta_of(lanes, event->origin->cta);
    struct lane_use newer = use_of(lanes, event);
    newer.rows = (uint8_t)rows;
    newer.rise = (int32_t)rise;
    if (cta == NULL) return -1;
    const int found = hear_shared(lanes, cta, event->origin->warp, &newer, older);
    return step_behind(lanes, cta, event->origin->warp, found, older);
}

static int hear_each(struct sanitize_lanes *lanes, struct cta *cta, uint32_t warp, struct lane_use newer,
                     const uint64_t *address, struct sanitize_lane *older)
{
    int found = 0, one = 0;
    for (uint32_t left = newer.lanes; left != 0 && one >= 0; left &= left - 1) {
        newer.begin = address[__builtin_ctz(left)];
        newer.end = newer.begin + newer.each;
        newer.lanes = left & -left;
        one = hear_shared(lanes, cta, warp, &newer, older + found);
        found += one;
    }
    return one < 0 ? -1 : found;
}

// Atomics that come to no line that matters to them are noted at once.
static bool are_noted(struct sanitize_lanes *lanes, struct cta *cta, uint32_t warp, const struct lane_use *newer,
                      const uint64_t *address)
{
    struct waiting *waiting = newer->reduces ? waiting_of(lanes, cta, SPACE_SHARED, warp) : NULL;
    if (waiting == NULL || lane_lines_add(&waiting->lines, newer, address)) return false;
    lane_atomics_add(&waiting->atomics, newer, address);
    return true;
}

int sanitize_lanes_apart(struct sanitize_lanes *lanes, const struct event *event, const uint64_t *address,
                         struct sanitize_lane *older)
{
    const uint32_t warp = event->origin->warp;
    struct cta *cta = warp < WARPS ? cta_of(lanes, event->origin->cta) : NULL;
    struct lane_use newer = use_of(lanes, event);
    if (cta == NULL) return warp < WARPS ? -1 : 0;
    if (are_noted(lanes, cta, warp, &newer, address)) return 0;
    return step_behind(lanes, cta, warp, hear_each(lanes, cta, warp, newer, address, older), older);
}

struct sanitize_lanes *sanitize_lanes_open(void)
{
    return calloc(1, sizeof(struct sanitize_lanes));
}

void sanitize_lanes_close(struct sanitize_lanes *lanes)
{
    sanitize_table_clear(&lanes->ctas, free_pages);
    while (lanes->logs > 0) free(lanes->log[--lanes->logs]);
    while (lanes->lists > 0) free(lanes->waiting[--lanes->lists]);
    free(lanes);
}
