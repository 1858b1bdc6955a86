// SPDX-License-Identifier: MIT
// bar and barrier: threads of a CTA that meet at one of its sixteen barriers. Each lane arrives for itself; when all
// live lanes of a warp have come, the warp counts as its 32 threads, those that have exited included.
#include "barrier.h"

#include "form_number.h"
#include "handler.h"
#include "late_reads.h"
#include "report.h"
#include "veil.h"

static machine_handler run_barrier;

// --- Who has come ----------------------------------------------------------------------------------------------------

static bool is_whole(const struct machine_warp *warp, const struct machine_barrier *barrier)
{
    return (warp->live & ~barrier->arrived[warp->index]) == 0;
}

// How many threads count as come.
static uint32_t count_arrived(const struct machine_cta *cta, const struct machine_barrier *barrier)
{
    uint32_t count = barrier->extra;
    for (uint32_t i = 0; i < cta->warps; i++) {
        uint32_t arrived = barrier->arrived[i];
        if (arrived == 0) continue;
        count += is_whole(&cta->warp[i], barrier) ? MACHINE_LANES : (uint32_t)__builtin_popcount(arrived);
    }
    return count;
}

// The warp that was awaited last is asked first.
static bool is_complete(const struct machine_cta *cta, struct machine_barrier *barrier)
{
    uint32_t come = 0;
    if (barrier->expected > 0) return count_arrived(cta, barrier) >= barrier->expected;
    for (uint32_t i = 0, warp = barrier->awaited; i < cta->warps; i++) {
        if (!is_whole(&cta->warp[warp], barrier)) {
            barrier->awaited = warp;
            return false;
        }
        come |= barrier->arrived[warp];
        warp = warp + 1 == cta->warps ? 0 : warp + 1;
    }
    return come != 0;
}

enum { ANSWER_ANY = 1, ANSWER_ALL = 2, ANSWER_POPC_SHIFT = 2 };

// What a phase answers is the only thing in which a barrier tells one warp of another. An answer that is not the one
// that this warp had last time at the same instruction is a change; one that is tells it nothing new.
static void hear_answer(struct machine_warp *warp, const struct machine_code *code, uint32_t answer)
{
    int at = 0;
    while (at < MACHINE_ANSWERS && warp->heard[at].code != code) at++;
    if (at < MACHINE_ANSWERS && warp->heard[at].answer == answer) return;
    if (at == MACHINE_ANSWERS) at = (int)(warp->hears++ % MACHINE_ANSWERS);
    warp->heard[at].code = code;
    warp->heard[at].answer = answer;
    warp->cta->cluster->progress++;
}

static void give_answers(const struct machine_cta *cta, const struct machine_barrier *barrier)
{
    uint32_t answer =
        barrier->popc << ANSWER_POPC_SHIFT | (barrier->not_all ? 0 : ANSWER_ALL) | (barrier->popc > 0 ? ANSWER_ANY : 0);
    for (uint32_t i = 0; i < cta->warps; i++)
        for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
            if (barrier->waiting[i] >> lane & 1) cta->warp[i].answer[lane] = answer;
}

static void complete(struct machine_cta *cta, struct machine_barrier *barrier)
{
    uint32_t came = 0;
    for (uint32_t i = 0; i < cta->warps; i++) came |= (uint32_t)(barrier->arrived[i] != 0) << i;
    if (barrier->is_asked) give_answers(cta, barrier);
    *barrier = (struct machine_barrier){.phase = barrier->phase + 1, .before = barrier->expected, .came_before = came};
    cta->cluster->progress++;
    cta->cluster->vain++; // whoever waited goes on, and has learned nothing, unless it was asked
}

void machine_barriers_look(struct machine_cta *cta)
{
    for (uint32_t left = cta->used; left != 0; left &= left - 1) {
        struct machine_barrier *barrier = &cta->barrier[__builtin_ctz(left)];
        if (is_complete(cta, barrier)) complete(cta, barrier);
    }
}

// --- The instructions ------------------------------------------------------------------------------------------------

static bool is_arrive(const struct ptx_choice *choice)
{
    return choice->form == PTX_FORM_BAR_ARRIVE || choice->form == PTX_FORM_BAR_CTA_ARRIVE ||
           choice->form == PTX_FORM_BARRIER_ARRIVE || choice->form == PTX_FORM_BARRIER_CTA_ARRIVE;
}

static bool is_popc(const struct ptx_choice *choice)
{
    return choice->form == PTX_FORM_BAR_RED_POPC || choice->form == PTX_FORM_BAR_CTA_RED_POPC ||
           choice->form == PTX_FORM_BARRIER_RED_POPC || choice->form == PTX_FORM_BARRIER_CTA_RED_POPC;
}

static bool is_red(const struct ptx_choice *choice)
{
    return is_popc(choice) || choice->form == PTX_FORM_BAR_RED || choice->form == PTX_FORM_BAR_CTA_RED ||
           choice->form == PTX_FORM_BARRIER_RED || choice->form == PTX_FORM_BARRIER_CTA_RED;
}

// The barrier and the number of threads are behind what a reduction writes.
static uint32_t first_operand(const struct machine_code *code)
{
    return is_red(code->choice) ? 1 : 0;
}

static uint32_t threads_of(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane)
{
    const struct machine_operand *operand = &code->operand[first_operand(code) + 1];
    return operand->slot == MACHINE_LEFT_OUT ? 0 : (uint32_t)machine_value(strand, operand, lane);
}

static void tell(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                 enum meeting_step step, uint32_t number, uint64_t phase)
{
    struct teller room;
    if (lanes == 0 || !machine_is_heard(strand)) return;
    const struct event_meeting meeting = {.kind = MEETING_CTA,
                                          .step = step,
                                          .order = step == MEETING_ARRIVE ? ORDER_RELEASE : ORDER_ACQUIRE,
                                          .number = number,
                                          .threads = threads_of(strand, code, (uint32_t)__builtin_ctz(lanes)),
                                          .phase = phase};
    event_tell(machine_teller(strand, code, lanes, &room), (struct event){.kind = EVENT_MEETING, .meeting = meeting});
}

static void mark(struct machine_warp *warp, uint32_t lanes, uint64_t phase)
{
    for (uint32_t left = lanes == UINT32_MAX ? 0 : lanes; left != 0; left &= left - 1)
        warp->mark[__builtin_ctz(left)] = phase;
    for (int lane = 0; lanes == UINT32_MAX && lane < MACHINE_LANES; lane++) warp->mark[lane] = phase;
}

static void note_meeting(struct machine_warp *warp, const struct machine_code *code, uint32_t number)
{
    warp->met[warp->meets++ % MACHINE_MET] = (struct machine_met){code, number};
}

static void arrive(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes, uint32_t number)
{
    struct machine_warp *warp = strand->warp;
    struct machine_barrier *barrier = &warp->cta->barrier[number];
    uint32_t *arrived = &barrier->arrived[warp->index];
    if (*arrived == 0) note_meeting(warp, code, number);
    tell(strand, code, lanes, MEETING_ARRIVE, number, barrier->phase);
    const uint32_t threads = threads_of(strand, code, (uint32_t)__builtin_ctz(lanes));
    if (barrier->expected != threads && count_arrived(warp->cta, barrier) > 0) barrier->other = barrier->expected + 1;
    warp->cta->used |= 1u << number;
    barrier->expected = threads;
    barrier->extra += (uint32_t)__builtin_popcount(*arrived & lanes);
    *arrived |= lanes;
    if (is_red(code->choice)) {
        uint32_t holds = *(const uint32_t *)machine_lanes(strand, code, first_operand(code) + 2);
        barrier->popc += (uint32_t)__builtin_popcount(holds & lanes);
        barrier->not_all |= (lanes & ~holds) != 0;
        barrier->is_asked = true;
    }
    if (!is_arrive(code->choice)) {
        barrier->waiting[warp->index] |= lanes;
        warp->begun |= lanes;
        mark(warp, lanes, barrier->phase);
    }
    if (is_complete(warp->cta, barrier)) complete(warp->cta, barrier);
}

static void give_answer(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    bool is_and = code->choice->word[PTX_CLASS_OPERATION] == PTX_AND;
    if (!is_red(code->choice) || lanes == 0) return;
    hear_answer(strand->warp, code, strand->warp->answer[__builtin_ctz(lanes)]);
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        uint32_t answer = strand->warp->answer[lane];
        uint64_t value =
            is_popc(code->choice) ? answer >> ANSWER_POPC_SHIFT : (answer & (is_and ? ANSWER_ALL : ANSWER_ANY)) != 0;
        if (lanes >> lane & 1) machine_set_value(strand, &code->operand[0], lane, value);
    }
}

// Of `lanes`, those at the barrier of the first.
static uint32_t same_barrier(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                             uint32_t *number)
{
    const struct machine_operand *operand = &code->operand[first_operand(code)];
    uint32_t same = 0;
    *number = (uint32_t)machine_value(strand, operand, (uint32_t)__builtin_ctz(lanes));
    if (operand->is_uniform) return lanes;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        if (lanes >> lane & 1 && machine_value(strand, operand, lane) == *number) same |= 1u << lane;
    return same;
}

// Lanes that have begun and whose phase is over.
static uint32_t released(const struct machine_warp *warp, const struct machine_barrier *barrier, uint32_t lanes)
{
    return lanes & warp->begun & ~barrier->waiting[warp->index];
}

// Others have been told: where loads are still under way, they run first.
static enum machine_next leave(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                               uint32_t done)
{
    struct machine_warp *warp = strand->warp;
    if (done == lanes && warp->reads == NULL) { // most often
        warp->begun &= ~done;
        return MACHINE_NEXT;
    }
    const enum machine_next next = machine_leave(strand, lanes, done);
    return next == MACHINE_NEXT ? machine_reads_told(strand, code) : next;
}

// The lanes are the first of their warp to come to a barrier of all threads, and wait there. Nobody hears of the phase.
static void arrive_first(struct machine_warp *warp, struct machine_barrier *barrier, uint32_t lanes)
{
    barrier->arrived[warp->index] = lanes;
    barrier->waiting[warp->index] = lanes;
    warp->begun |= lanes;
    if (is_complete(warp->cta, barrier)) complete(warp->cta, barrier);
}

// bar.sync of all threads with a constant number, as __syncthreads() is: what most barriers are. 0: it is another, or
// somebody hears of it, or part of the lanes has come. What comes of it is in *next.
static bool run_sync(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                     enum machine_next *next)
{
    struct machine_warp *warp = strand->warp;
    const struct machine_operand *operand = code->operand;
    if (code->choice->form != PTX_FORM_BAR_SYNC && code->choice->form != PTX_FORM_BARRIER_SYNC) return false;
    if (!operand[0].is_uniform || operand[0].file != PTX_FILE_32 || operand[1].slot != MACHINE_LEFT_OUT) return false;
    const uint32_t number = *(const uint32_t *)machine_slot(strand, operand[0].slot), begun = lanes & warp->begun;
    if (number >= MACHINE_BARRIERS || machine_is_heard(strand) || (begun != 0 && begun != lanes)) return false;
    struct machine_barrier *barrier = &warp->cta->barrier[number];
    if (begun == 0 && (barrier->expected != 0 || barrier->arrived[warp->index] != 0)) return false;
    warp->cta->used |= 1u << number;
    if (begun == 0) {
        note_meeting(warp, code, number);
        arrive_first(warp, barrier, lanes);
    }
    const uint32_t done = released(warp, barrier, lanes);
    if (done == 0) {
        *next = MACHINE_WAIT;
        return true;
    }
    if (warp->cta->cluster->veil != NULL) machine_veil_learn(warp);
    *next = leave(strand, code, lanes, done);
    return true;
}

bool machine_barrier_is_of_all(const struct machine_code *code)
{
    return !is_arrive(code->choice) && code->operand[first_operand(code) + 1].slot == MACHINE_LEFT_OUT;
}

bool machine_barrier_is_plain(const struct machine_function *function, const struct machine_code *code)
{
    const struct machine_operand *operand = code->operand;
    if (code->handler != run_barrier || code->guarded != MACHINE_ALL) return false;
    if (code->choice->form != PTX_FORM_BAR_SYNC && code->choice->form != PTX_FORM_BARRIER_SYNC) return false;
    if (operand[0].slot % MACHINE_BASES != MACHINE_IN_CONSTANTS || operand[0].file != PTX_FILE_32) return false;
    const void *number = function->constants + operand[0].slot - MACHINE_IN_CONSTANTS;
    return *(const uint32_t *)number < MACHINE_BARRIERS && machine_barrier_is_of_all(code);
}

void machine_barrier_come_all(struct machine_warp *warp, const struct machine_code *code)
{
    const uint32_t number = machine_barrier_number(&warp->strand[0], code);
    struct machine_barrier *const barrier = &warp->cta->barrier[number];
    barrier->arrived[warp->index] = barrier->waiting[warp->index] = warp->begun = UINT32_MAX;
}

void machine_barrier_met(struct machine_warp *warp, const struct machine_code *code)
{
    note_meeting(warp, code, machine_barrier_number(&warp->strand[0], code));
}

uint32_t machine_barrier_number(const struct machine_strand *strand, const struct machine_code *code)
{
    return *(const uint32_t *)machine_slot(strand, code->operand[0].slot);
}

void machine_barrier_resume(struct machine_cta *cta, uint32_t number, uint64_t phase)
{
    const uint32_t all = cta->warps == MACHINE_MOST_WARPS ? UINT32_MAX : (1u << cta->warps) - 1;
    cta->used |= 1u << number;
    cta->barrier[number] = (struct machine_barrier){.phase = phase, .came_before = phase > 0 ? all : 0};
}

// Not inline: what is rare here would slow down what is not.
__attribute__((noinline)) static enum machine_next run_any(struct machine_strand *strand,
                                                           const struct machine_code *code, uint32_t lanes)
{
    struct machine_warp *warp = strand->warp;
    uint32_t done = 0;
    for (uint32_t left = lanes, group, number; left != 0; left &= ~group) {
        group = same_barrier(strand, code, left, &number);
        uint32_t lane = (uint32_t)__builtin_ctz(group), threads = threads_of(strand, code, lane);
        if (number >= MACHINE_BARRIERS)
            return machine_stop(strand, code, lane, MACHINE_FAULTED, CUDA_ILLEGAL_INSTRUCTION,
                                "barrier %u: there are barriers 0 to %d", number, MACHINE_BARRIERS - 1);
        if (threads % MACHINE_LANES != 0)
            return machine_stop(strand, code, lane, MACHINE_FAULTED, CUDA_ILLEGAL_INSTRUCTION,
                                "barrier %u of %u threads: their number must be a multiple of 32", number, threads);
        if ((group & ~warp->begun) != 0) arrive(strand, code, group & ~warp->begun, number);
        done |= is_arrive(code->choice) ? group : released(warp, &warp->cta->barrier[number], group);
        if (!is_arrive(code->choice)) tell(strand, code, group & done, MEETING_WAIT, number, warp->mark[lane]);
    }
    give_answer(strand, code, done);
    if (done != 0 && !is_arrive(code->choice)) machine_veil_learn(warp);
    return leave(strand, code, lanes, done);
}

static enum machine_next run_barrier(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    enum machine_next next;
    return run_sync(strand, code, lanes, &next) ? next : run_any(strand, code, lanes);
}

machine_handler *machine_barrier_find(const struct ptx_choice *choice)
{
    return choice->form >= PTX_FORM_BAR_SYNC && choice->form <= PTX_FORM_BARRIER_CTA_RED ? run_barrier : NULL;
}

bool machine_barrier_waits(const struct machine_strand *strand, uint32_t *number)
{
    const struct machine_code *code = &strand->frame->function->code[strand->pc];
    if (code->handler != run_barrier || is_arrive(code->choice)) return false;
    *number =
        (uint32_t)machine_value(strand, &code->operand[first_operand(code)], (uint32_t)__builtin_ctz(strand->lanes)) %
        MACHINE_BARRIERS;
    return true;
}

uint32_t machine_barrier_come(const struct machine_cta *cta, uint32_t number)
{
    return count_arrived(cta, &cta->barrier[number]);
}

uint32_t machine_barrier_wanted(const struct machine_cta *cta, uint32_t number)
{
    const struct machine_barrier *barrier = &cta->barrier[number];
    return barrier->expected > 0 ? barrier->expected : cta->live_warps * MACHINE_LANES;
}
