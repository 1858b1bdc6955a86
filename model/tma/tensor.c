// SPDX-License-Identifier: MIT
// Rows of a box, from global to shared memory or back. Rows whose like follow, all in one region, move together.
#include "tensor.h"

#include "copy.h"
#include "move.h"
#include "operation_part.h"
#include "tell.h"

enum { GATHER_BYTES = 1024 };
#define NOT_KNOWN UINT64_MAX // how much of a store is in bounds, before its walk is done

static bool is_store(enum operation_kind kind)
{
    return kind == OPERATION_TENSOR_STORE || kind == OPERATION_TENSOR_REDUCE;
}

// --- Rows ------------------------------------------------------------------------------------------------------------

static struct swizzled shared_of(const struct tensor_mover *m, uint32_t rank)
{
    const struct memory *cta = &m->cluster->cta[rank];
    return (struct swizzled){cta->bytes, (uint32_t)cta->base, m->map->swizzle};
}

// From one row to the end of the last.
static uint64_t span_bytes(const struct rows *rows)
{
    return (rows->count - 1) * rows->step_bytes + rows->bytes;
}

// Rows that do not lie in one region go by way of a buffer, a part of one at a time: `each` part is one row.
struct part {
    struct rows row;
    uint32_t shared;
    uint64_t address;
};

static bool next_part(const struct rows *rows, const struct tile_run *run, uint32_t shared, uint64_t *done,
                      struct part *part)
{
    uint64_t row = *done / rows->bytes, at = *done % rows->bytes;
    if (row == rows->count) return false;
    uint32_t left = rows->bytes - (uint32_t)at;
    part->row = (struct rows){1, left < GATHER_BYTES ? left : GATHER_BYTES, 0, 0};
    part->shared = shared + (uint32_t)(row * rows->pitch_bytes + at);
    part->address = run->address + row * rows->step_bytes + at;
    *done += part->row.bytes;
    return true;
}

static void gather(const struct tensor_mover *m, const struct swizzled *shared, const struct rows *rows,
                   const struct tile_run *run, uint32_t to)
{
    uint8_t bytes[GATHER_BYTES];
    struct part part;
    for (uint64_t done = 0; next_part(rows, run, to, &done, &part);) {
        global_read(m->global, part.address, bytes, part.row.bytes);
        put_rows(shared, &part.row, dtype_row(m->map->dtype)->is_tf32, part.shared, bytes);
    }
}

// Stores rows, or reduces them into what is there.
static void take(const struct tensor_mover *m, const struct swizzled *shared, const struct rows *rows, uint8_t *to,
                 uint32_t from)
{
    if (m->kind == OPERATION_TENSOR_STORE)
        take_rows(shared, rows, to, from);
    else
        reduce_rows(shared, rows, m->op, m->map->dtype, to, from);
}

static void scatter(const struct tensor_mover *m, const struct swizzled *shared, const struct rows *rows,
                    const struct tile_run *run, uint32_t from)
{
    uint8_t bytes[GATHER_BYTES];
    struct part part;
    for (uint64_t done = 0; next_part(rows, run, from, &done, &part);) {
        global_read(m->global, part.address, bytes, part.row.bytes);
        take(m, shared, &part.row, bytes, part.shared);
        global_write(m->global, part.address, bytes, part.row.bytes);
    }
}

static void load_rows(const struct tensor_mover *m, const struct rows *rows, const struct tile_run *run,
                      const uint8_t *from)
{
    uint32_t to = operation_place(m->shared) + run->offset;
    for (uint32_t rank = 0; m->targets >> rank != 0; rank++) {
        if (!(m->targets >> rank & 1)) continue;
        struct swizzled shared = shared_of(m, rank);
        if (run->is_fill)
            put_fill_rows(&shared, rows, oob_fill_pattern(m->map->oob_fill), to);
        else if (from != NULL)
            put_rows(&shared, rows, dtype_row(m->map->dtype)->is_tf32, to, from);
        else
            gather(m, &shared, rows, run, to);
    }
}

static void store_rows(const struct tensor_mover *m, const struct rows *rows, const struct tile_run *run, uint8_t *to)
{
    uint32_t from = operation_place(m->shared) + run->offset;
    struct swizzled shared = shared_of(m, m->issuer);
    if (to != NULL)
        take(m, &shared, rows, to, from);
    else
        scatter(m, &shared, rows, run, from);
}

static void move_rows(struct tensor_mover *m, const struct rows *rows, const struct tile_run *run)
{
    bool stores = is_store(m->kind);
    uint8_t *at = NULL;
    if (!run->is_fill) {
        m->hit = region_find(m->global, m->hit, run->address);
        at = region_at(m->hit, run->address, span_bytes(rows), stores ? MEMORY_WRITES : MEMORY_READS);
    }
    if (!stores)
        load_rows(m, rows, run, at);
    else if (!run->is_fill)
        store_rows(m, rows, run, at);
}

void tensor_move(struct tensor_mover *m, const struct box *box)
{
    struct rows rows = {0, 0, box_pitch_bytes(box), box_step_bytes(box)};
    struct tile_run run;
    for (struct box_walk walk = box_walk(box); (rows.count = box_next_rows(box, &walk, &run)) > 0;) {
        rows.bytes = run.bytes;
        move_rows(m, &rows, &run);
    }
}

// --- Flights ---------------------------------------------------------------------------------------------------------

void tensor_box(struct flight *f)
{
    const struct operation *o = &f->operation;
    if (is_store(o->kind))
        box_start_store(&f->box, o->mode, &o->map, o->coord);
    else
        box_start(&f->box, o->mode, &o->map, o->coord, o->offset);
}

void tensor_start(struct flight *f)
{
    box_walk_start(&f->walk, &f->box);
    f->rows = f->part_bytes = 0;
    f->all_bytes = f->operation.kind == OPERATION_TENSOR_LOAD ? box_transaction_bytes(&f->box) : NOT_KNOWN;
}

uint64_t tensor_reach_bytes(struct flight *f)
{
    box_relink(&f->box, &f->walk, &f->operation.map);
    return box_reach_bytes(&f->box);
}

static struct tensor_mover mover_of(const struct flight *f)
{
    const struct operation *o = &f->operation;
    return (struct tensor_mover){
        o->kind, o->op, o->issuer, f->targets, o->shared, &o->map, f->memories.global, f->memories.cluster, NULL};
}

// Has the walk a run to move? Stores and prefetches pass over what is out of bounds.
static bool has_rows(struct flight *f)
{
    while (f->rows == 0 && !f->is_walked) {
        f->part_bytes = 0;
        f->rows = box_next_rows(&f->box, &f->walk, &f->run);
        f->is_walked = f->rows == 0;
        if (f->run.is_fill && f->operation.kind != OPERATION_TENSOR_LOAD) f->rows = 0;
    }
    return f->rows > 0;
}

// A part of the next row, of the rows that are left of the run.
static void pass_part(struct flight *f, struct rows *rows, uint64_t most)
{
    rows->count = 1;
    if (rows->bytes > most) rows->bytes = (uint32_t)most;
    f->part_bytes += rows->bytes;
    if (f->part_bytes < f->run.bytes) return;
    f->part_bytes = 0;
    f->rows--;
    f->run.offset += rows->pitch_bytes;
    f->run.address += rows->step_bytes;
}

// The next rows that move together, at most `most` bytes: whole ones, or a part of one.
static struct rows next_rows(struct flight *f, uint64_t most, struct tile_run *run)
{
    struct rows rows = {f->rows, f->run.bytes - f->part_bytes, box_pitch_bytes(&f->box), box_step_bytes(&f->box)};
    run->offset = f->run.offset + f->part_bytes;
    run->bytes = f->run.bytes;
    run->address = f->run.address + f->part_bytes;
    run->is_fill = f->run.is_fill;
    if (f->part_bytes == 0 && (uint64_t)rows.count * rows.bytes <= most) {
        f->rows = 0;
    } else if (f->part_bytes > 0 || rows.bytes > most) {
        pass_part(f, &rows, most);
    } else {
        rows.count = (uint32_t)(most / rows.bytes);
        f->rows -= rows.count;
        f->run.offset += rows.count * rows.pitch_bytes;
        f->run.address += rows.count * rows.step_bytes;
    }
    return rows;
}

bool tensor_advance(struct flight *f, uint64_t most_bytes, uint64_t *bytes)
{
    struct tensor_mover mover = mover_of(f);
    struct telling telling;
    bool is_heard = f->teller.observer != NULL;
    bool moves = f->operation.kind != OPERATION_TENSOR_PREFETCH && f->memories.global != NULL;
    box_relink(&f->box, &f->walk, &f->operation.map);
    if (is_heard) telling = telling_of(f);
    if (is_heard && !f->has_begun) tell_map(f);
    f->has_begun = 1;
    while (*bytes < most_bytes && has_rows(f)) {
        struct tile_run run;
        struct rows rows = next_rows(f, most_bytes - *bytes, &run);
        if (moves) move_rows(&mover, &rows, &run);
        if (is_heard) tell_rows(&telling, f, &rows, &run);
        *bytes += (uint64_t)rows.count * rows.bytes;
        f->is_walked |= f->done_bytes + *bytes == f->all_bytes;
    }
    if (is_heard) tell_rest(&telling);
    return !has_rows(f);
}
