// SPDX-License-Identifier: MIT
// barrier.cluster, and addresses of other CTAs: mapa and getctarank.
#include "cluster.h"
#include "each.h"
#include "flight_item.h"
#include "form_number.h"
#include "meeting.h"
#include "remote.h"
#include "report.h"
#include "veil.h"

// --- barrier.cluster -------------------------------------------------------------------------------------------------

static uint64_t *release_of(const struct machine_warp *warp)
{
    struct machine_flights *flights = flights_of(warp);
    flights->is_used = true;
    return flights->meeting.release + (size_t)(warp->cta->rank * flights->warps_of_cta + warp->index) * MACHINE_LANES;
}

// Have all threads of the warp that live arrived in the phase under way?
static bool has_come(const struct machine_warp *warp)
{
    const uint64_t *release = release_of(warp), next = flights_of(warp)->meeting.phases + 1;
    for (EACH_BIT(lane, warp->live))
        if (release[lane] != next) return false;
    return true;
}

// Have all threads that live? Many ask while one warp is late.
static bool is_complete(const struct machine_cluster *cluster)
{
    struct flight_meeting *meeting = &cluster->flights->meeting;
    uint32_t live = 0;
    if (meeting->awaited != NULL && !has_come(meeting->awaited)) return false;
    for (uint32_t r = 0; r < cluster->ctas; r++)
        for (uint32_t w = 0; w < cluster->cta[r].warps; w++) {
            meeting->awaited = &cluster->cta[r].warp[w];
            if (!has_come(meeting->awaited)) return false;
            live |= meeting->awaited->live;
        }
    meeting->awaited = NULL;
    return live != 0;
}

static void complete(struct machine_cluster *cluster)
{
    if (!is_complete(cluster)) return;
    cluster->flights->meeting.phases++;
    cluster->progress++;
    cluster->vain++; // who has met learns of nothing by that
}

static void tell(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                 enum meeting_step step, enum access_order order, uint64_t phase)
{
    struct teller room;
    const struct event_meeting meeting = {MEETING_CLUSTER, step, order, 0, 0, phase};
    if (!machine_is_heard(strand)) return;
    event_tell(machine_teller(strand, code, lanes, &room), (struct event){.kind = EVENT_MEETING, .meeting = meeting});
}

// The lanes of `lanes` that have arrived in a phase that has not completed.
static uint32_t held(const struct machine_strand *strand, uint32_t lanes)
{
    const uint64_t *release = release_of(strand->warp), phases = flights_of(strand->warp)->meeting.phases;
    uint32_t waiting = 0;
    for (EACH_BIT(lane, lanes))
        if (release[lane] > phases) waiting |= 1u << lane;
    return waiting;
}

// A second arrive waits until the phase of the first has completed.
static enum machine_next arrive(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct machine_cluster *cluster = strand->warp->cta->cluster;
    uint64_t *release = release_of(strand->warp);
    bool is_relaxed = code->choice->word[PTX_CLASS_ORDER] == PTX_RELAXED;
    complete(cluster);
    if (held(strand, lanes) != 0) return MACHINE_WAIT;
    if (!is_relaxed) machine_release(strand->warp);
    const uint64_t phases = cluster->flights->meeting.phases;
    tell(strand, code, lanes, MEETING_ARRIVE, is_relaxed ? ORDER_RELAXED : ORDER_RELEASE, phases);
    for (EACH_BIT(lane, lanes)) release[lane] = phases + 1;
    cluster->progress++;
    cluster->vain++;
    complete(cluster);
    return MACHINE_NEXT;
}

// Only reports depend on it.
static void note_unarrived(const struct machine_strand *strand, const struct machine_code *code)
{
    struct flight_meeting *meeting = &flights_of(strand->warp)->meeting;
    const struct ptx_function *source = strand->frame->function->source;
    if (meeting->unarrived != NULL || code->instruction >= source->instructions) return;
    meeting->unarrived = strand->warp;
    meeting->line = source->instruction[code->instruction].line;
    meeting->called_at = machine_called_at(strand->frame);
}

// A thread that has not arrived does not wait.
static enum machine_next wait(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const uint64_t *release = release_of(strand->warp);
    complete(strand->warp->cta->cluster);
    if (held(strand, lanes) != 0) return MACHINE_WAIT;
    uint64_t phase = release[__builtin_ctz(lanes)];
    machine_flights_meet(strand->warp->cta->cluster);
    machine_veil_learn(strand->warp);
    if (phase != 0)
        tell(strand, code, lanes, MEETING_WAIT, ORDER_ACQUIRE, phase - 1);
    else
        note_unarrived(strand, code);
    return machine_remote_told(strand->warp);
}

bool machine_cluster_waits(const struct machine_strand *strand)
{
    const struct machine_code *code = &strand->frame->function->code[strand->pc];
    return (code->handler == arrive || code->handler == wait) && held(strand, strand->lanes) != 0;
}

bool machine_cluster_has_come(const struct machine_warp *warp)
{
    return has_come(warp);
}

// --- mapa and getctarank ---------------------------------------------------------------------------------------------

static enum machine_next mapa(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    bool is_wide = ptx_type_row(code->choice->type[0])->bits == 64;
    uint64_t address[MACHINE_LANES];
    machine_addresses(strand, &code->operand[1], address);
    for (EACH_BIT(lane, lanes)) {
        uint32_t rank = (uint32_t)machine_value(strand, &code->operand[2], lane);
        uint64_t mapped =
            is_wide ? cluster_mapa_generic(address[lane], rank) : cluster_mapa((uint32_t)address[lane], rank);
        machine_set_value(strand, &code->operand[0], lane, mapped);
    }
    return MACHINE_NEXT;
}

static enum machine_next getctarank(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    uint64_t address[MACHINE_LANES];
    machine_addresses(strand, &code->operand[1], address);
    for (EACH_BIT(lane, lanes)) {
        machine_set_value(strand, &code->operand[0], lane, cluster_generic_rank(address[lane]));
    }
    return MACHINE_NEXT;
}

machine_handler *machine_clusters_find(const struct ptx_choice *choice)
{
    switch (choice->form) {
    case PTX_FORM_BARRIER_CLUSTER_ARRIVE:
        return arrive;
    case PTX_FORM_BARRIER_CLUSTER_WAIT:
        return wait;
    case PTX_FORM_MAPA:
        return mapa;
    case PTX_FORM_GETCTARANK:
        return getctarank;
    default:
        return NULL;
    }
}
