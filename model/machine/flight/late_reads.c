// SPDX-License-Identifier: MIT
#include "late_reads.h"

#include <stdlib.h>
#include <string.h>

#include "each.h"
#include "flights.h"
#include "handler.h"
#include "matrix.h"
#include "veil.h"

enum { MOST_READS = 16, MOST_TURNS = 4, MOST_BYTES = 16, MOST_CODES = 512 };

// A load of some lanes: `at` on the host, `bytes` of each, into `parts` registers of `data`. stamp: the veil's time
// when it was executed. seen: of its own CTA, what was there when the async proxy was about to write. has_rows: it is
// an ldmatrix, `lanes` are its rows, and `together` the lanes that executed it.
struct late_read {
    const struct machine_code *code;
    const struct machine_frame *frame;
    const struct machine_operand *data;
    uint32_t lanes, stamp, parts, bytes, together;
    bool is_own, has_rows;
    const uint8_t *at[MACHINE_LANES];
    uint8_t seen[MACHINE_LANES][MOST_BYTES];
};

// Those of a warp, in any order; the next one that is noted takes the place `next`. turns: others know that they may
// overwrite, and have so many turns to do it; 0: nobody knows.
struct machine_reads {
    uint32_t count, next, turns;
    struct late_read read[MOST_READS];
};

// --- What is under way -----------------------------------------------------------------------------------------------

// Room for a read; NULL if there is no memory: then it is early.
static struct late_read *new_read(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct machine_warp *warp = strand->warp;
    if (warp->reads == NULL) warp->reads = calloc(1, sizeof *warp->reads);
    struct machine_reads *reads = warp->reads;
    if (reads == NULL) return NULL;
    if (reads->count < MOST_READS) reads->next = reads->count++;
    struct late_read *read = &reads->read[reads->next];
    reads->next = (reads->next + 1) % MOST_READS;
    read->code = code;
    read->frame = strand->frame;
    read->lanes = lanes;
    read->stamp = machine_veil_now(warp->cta->cluster);
    read->together = strand->lanes;
    read->has_rows = false;
    return read;
}

static void fill(struct late_read *read, const struct machine_operand *data, uint32_t parts, uint32_t bytes)
{
    read->data = data;
    read->parts = parts;
    read->bytes = bytes;
}

void machine_reads_note(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                        const uint8_t *const at[MACHINE_LANES])
{
    if (strand->warp->cta->cluster->veil == NULL || lanes == 0) return;
    struct late_read *read = new_read(strand, code, lanes);
    if (read == NULL) return;
    fill(read, code->transfer->data, code->transfer->parts, code->transfer->whole_bytes);
    read->is_own = false;
    memcpy(read->at, at, sizeof read->at);
}

bool machine_reads_may_be_late(const struct machine_transfer *transfer)
{
    const enum ptx_word space = transfer->space;
    return transfer->use == MEMORY_READS && !transfer->is_strong && transfer->whole_bytes <= MOST_BYTES &&
           space != PTX_GLOBAL && space != PTX_PARAM && space != PTX_LOCAL && space != PTX_CONST;
}

// Where a lane reads in shared memory of its own CTA, or NULL.
static const uint8_t *own_place(const struct machine_strand *strand, const struct machine_transfer *transfer,
                                uint64_t address)
{
    const struct machine_cta *cta = strand->warp->cta;
    const struct memory *memory = &cta->cluster->memory[cta->rank];
    const struct machine_place place = machine_place(strand, transfer->space, address);
    const uint32_t rank = (uint32_t)(place.address >> SHARED_RANK_SHIFT);
    if (place.space != PTX_SHARED && place.space != PTX_SHARED_CTA && place.space != PTX_SHARED_CLUSTER) return NULL;
    if (rank != cta->rank && (rank != 0 || place.space == PTX_SHARED_CLUSTER)) return NULL;
    return memory_at(memory, cluster_mapa((uint32_t)place.address, 0), transfer->whole_bytes);
}

void machine_reads_note_own(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct machine_transfer *transfer = code->transfer;
    const uint8_t *at[MACHINE_LANES];
    uint64_t address[MACHINE_LANES];
    if (!machine_veil_has_writers(strand->warp->cta->cluster)) return;
    machine_addresses(strand, transfer->at, address);
    for (EACH_BIT(lane, lanes)) {
        at[lane] = own_place(strand, transfer, address[lane]);
        if (at[lane] == NULL) return; // elsewhere, or it faults
    }
    struct late_read *read = new_read(strand, code, lanes);
    if (read == NULL) return;
    fill(read, transfer->data, transfer->parts, transfer->whole_bytes);
    read->is_own = true;
    for (EACH_BIT(lane, lanes)) read->at[lane] = at[lane];
}

void machine_reads_note_rows(const struct machine_strand *strand, const struct machine_code *code, uint32_t rows,
                             const uint8_t *const at[MACHINE_LANES])
{
    const struct machine_cluster *cluster = strand->warp->cta->cluster;
    if (cluster->veil == NULL || !machine_veil_has_writers(cluster)) return;
    struct late_read *read = new_read(strand, code, (uint32_t)((UINT64_C(1) << rows) - 1));
    if (read == NULL) return;
    fill(read, code->operand, rows / MATRIX_ROWS, MATRIX_ROW_BYTES);
    read->is_own = read->has_rows = true;
    memcpy(read->at, at, sizeof read->at);
}

// --- What is over ----------------------------------------------------------------------------------------------------

static bool names(const struct machine_code *code, const struct late_read *read)
{
    for (uint32_t i = 0; i < code->operands; i++)
        for (uint32_t part = 0; part < read->parts; part++)
            if (code->operand[i].slot == read->data[part].slot) return true;
    return false;
}

// Does an instruction behind the load and in front of `end` name a register that was loaded? The warp has not gone back
// since. One that is long ago is over too.
static bool is_used(const struct late_read *read, const struct machine_code *end)
{
    if (end <= read->code || end - read->code > MOST_CODES) return true;
    for (const struct machine_code *code = read->code + 1; code < end; code++)
        if (names(code, read)) return true;
    return false;
}

// Keeps the reads for which `is_over` says 0.
static void keep(struct machine_reads *reads, const void *context,
                 int (*is_over)(const struct late_read *, const void *))
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < reads->count; i++) {
        if (is_over(&reads->read[i], context)) continue;
        if (kept != i) reads->read[kept] = reads->read[i];
        kept++;
    }
    reads->count = kept;
    reads->next = kept % MOST_READS;
}

struct told {
    const struct machine_frame *frame;
    const struct machine_code *behind;
};

static int is_over_when_told(const struct late_read *read, const void *context)
{
    const struct told *told = context;
    return read->frame != told->frame || is_used(read, told->behind);
}

enum machine_next machine_reads_told(const struct machine_strand *strand, const struct machine_code *code)
{
    struct machine_reads *reads = strand->warp->reads;
    if (reads == NULL || reads->count == 0) return MACHINE_NEXT;
    keep(reads, &(struct told){strand->frame, code + 1}, is_over_when_told);
    reads->turns = reads->count > 0 ? MOST_TURNS : 0;
    return reads->count > 0 ? MACHINE_REST : MACHINE_NEXT;
}

void machine_reads_end(struct machine_warp *warp)
{
    warp->reads->count = warp->reads->next = warp->reads->turns = 0;
}

static int is_known(const struct late_read *read, const void *warp)
{
    return machine_veil_knows(warp, read->stamp);
}

// A way out of the CTA that counts has a release by one of its own warps.
void machine_reads_release(const struct machine_warp *warp)
{
    for (uint32_t i = 0; i < warp->cta->warps; i++) {
        struct machine_warp *other = &warp->cta->warp[i];
        if (other->reads == NULL) continue;
        if (other == warp)
            machine_reads_end(other);
        else
            keep(other->reads, warp, is_known);
    }
}

static int is_remote(const struct late_read *read, const void *context)
{
    (void)context;
    return !read->is_own;
}

// --- What arrives ----------------------------------------------------------------------------------------------------

static void load_again(const struct machine_warp *warp, const struct late_read *read)
{
    for (uint32_t i = 0; i < warp->strands; i++) {
        const struct machine_strand *strand = &warp->strand[i];
        if (strand->frame != read->frame) continue;
        for (EACH_BIT(lane, read->lanes & strand->lanes)) {
            machine_load_lane(strand, read->code->transfer, read->at[lane], lane);
        }
    }
}

// What others have begun to copy over the bytes may be there too: that it takes long is no promise.
static void arrive(struct machine_warp *warp)
{
    const struct machine_reads *reads = warp->reads;
    machine_flights_force(warp->cta->cluster);
    for (uint32_t i = 0; i < reads->count; i++)
        if (!reads->read[i].is_own) load_again(warp, &reads->read[i]);
    machine_reads_end(warp);
}

bool machine_reads_arrive(struct machine_warp *warp)
{
    struct machine_reads *reads = warp->reads;
    if (reads->count == 0)
        reads->turns = 0;
    else if (reads->turns > 1)
        return reads->turns--, false;
    else if (reads->turns == 1)
        arrive(warp);
    else
        keep(reads, NULL, is_remote);
    return true;
}

// Calls `act` for each read of the CTA's own memory that is under way.
static void each_own(const struct machine_cta *cta, void (*act)(const struct machine_warp *, struct late_read *))
{
    for (uint32_t w = 0; w < cta->warps; w++) {
        const struct machine_warp *warp = &cta->warp[w];
        for (uint32_t i = 0; warp->reads != NULL && i < warp->reads->count; i++)
            if (warp->reads->read[i].is_own) act(warp, &warp->reads->read[i]);
    }
}

static void see(const struct machine_warp *warp, struct late_read *read)
{
    (void)warp;
    for (EACH_BIT(lane, read->lanes)) {
        memcpy(read->seen[lane], read->at[lane], read->bytes);
    }
}

static bool has_changed(const struct late_read *read, uint32_t lane)
{
    return memcmp(read->seen[lane], read->at[lane], read->bytes) != 0;
}

static void take_lanes(const struct machine_strand *strand, const struct late_read *read)
{
    for (EACH_BIT(lane, read->lanes & strand->lanes)) {
        if (has_changed(read, lane)) machine_load_lane(strand, read->code->transfer, read->at[lane], lane);
    }
}

// An ldmatrix is read again as a whole, by lanes that have stayed together.
static void take_rows(const struct machine_strand *strand, const struct late_read *read)
{
    bool has_new = false;
    for (EACH_BIT(lane, read->lanes)) has_new |= has_changed(read, lane);
    if (has_new && strand->lanes == read->together) machine_load_rows(strand, read->code, read->at);
}

// Lanes whose bytes have changed, and which have not used them, get the new ones, unless a proxy fence stands between.
static void take(const struct machine_warp *warp, struct late_read *read)
{
    if (machine_veil_is_fenced(warp, read->stamp)) return;
    for (uint32_t i = 0; i < warp->strands; i++) {
        const struct machine_strand *strand = &warp->strand[i];
        const struct machine_code *end = strand->frame->function->code + strand->pc;
        if (strand->frame != read->frame || is_used(read, end)) continue;
        if (read->has_rows)
            take_rows(strand, read);
        else
            take_lanes(strand, read);
    }
}

void machine_reads_before(const struct machine_cta *cta)
{
    each_own(cta, see);
}

void machine_reads_behind(const struct machine_cta *cta)
{
    each_own(cta, take);
}
