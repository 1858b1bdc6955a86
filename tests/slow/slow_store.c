// SPDX-License-Identifier: MIT
// The slow tiled store and reduction: one element after the other; first all faults are looked for, then bytes change.
#include "slow_store.h"

#include "slow_box.h"

// One store under way. `gmem` is NULL while the faults are looked for; `is_in`: is the piece of this step stored?
struct work {
    const struct slow_store *store;
    struct slow_box box;
    enum slow_mutant mutant;
    uint8_t *gmem;
    const uint8_t *smem;
    bool is_in;
    int error;
};

// How many steps of dimension 0 are stored or left out together.
static uint32_t granule_steps(const struct work *work)
{
    if (work->mutant == SLOW_GRANULE_ROW) return work->box.steps[0];
    if (work->box.tile->map.interleave != INTERLEAVE_NONE || work->mutant == SLOW_GRANULE_ELEMENT) return 1;
    return (work->mutant == SLOW_GRANULE_32 ? 32 : 16) / work->box.element;
}

// One element in bounds is enough for the granule that begins at `k`.
static bool is_granule_in(const struct work *work, const uint32_t *k)
{
    uint32_t at[5] = {k[0], k[1], k[2], k[3], k[4]};
    uint32_t inside = 0, steps = granule_steps(work);
    for (uint32_t i = 0; i < steps && k[0] + i < work->box.steps[0]; i++) {
        at[0] = k[0] + i;
        inside += (uint32_t)slow_box_is_inside(&work->box, at);
    }
    return work->mutant == SLOW_GRANULE_SHORT ? inside == steps : inside > 0;
}

static uint8_t get(struct work *work, uint32_t row, uint32_t byte)
{
    uint32_t shared = slow_box_shared(&work->box, row, byte);
    if (work->mutant == SLOW_STORE_UNSWIZZLED) shared = work->box.tile->shared + row * work->box.pitch + byte;
    if (slow_box_in_smem(&work->box, shared)) return work->smem[shared - work->box.tile->smem_base];
    if (work->mutant != SLOW_SMEM_CLIPPED) work->error = 700;
    return 0;
}

static bool is_writable(struct work *work, uint64_t address, uint32_t count_bytes)
{
    bool mapped = slow_box_in_gmem(&work->box, address) && slow_box_in_gmem(&work->box, address + count_bytes - 1);
    if (!mapped && work->mutant != SLOW_STORE_DROPS) work->error = 700;
    return mapped && work->gmem != NULL;
}

// The bits that a copy of float32 `bits` should not change, misread.
static uint32_t misread(const struct work *work, uint32_t bits)
{
    enum dtype dtype = work->box.tile->map.dtype;
    if (work->mutant == SLOW_STORE_TF32 && dtype == DTYPE_TFLOAT32) return slow_tf32(bits, SLOW_NONE);
    bool is_subnormal = (bits >> 23 & 255) == 0;
    if (work->mutant == SLOW_STORE_FLUSHES && dtype == DTYPE_FLOAT32_FTZ && is_subnormal) return bits >> 31 << 31;
    return bits;
}

static void write_element(struct work *work, uint64_t address, uint8_t *value)
{
    uint32_t element = work->box.element, bits = 0;
    if (!is_writable(work, address, element)) return;
    uint8_t *to = work->gmem + (address - work->box.tile->gmem_base);
    if (work->store->is_reduction) {
        slow_reduce_bytes(work->store->op, work->box.tile->map.dtype, to, value, element, work->mutant);
        return;
    }
    for (int i = 0; i < 4; i++) bits += (uint32_t)value[i] << 8 * i;
    bits = misread(work, bits);
    for (int i = 0; i < 4; i++) value[i] = (uint8_t)(bits >> 8 * i);
    for (uint32_t i = 0; i < element; i++) to[i] = value[i];
}

// One element, or the elements of one pixel with interleave.
static void visit(struct work *work, const uint32_t *k)
{
    uint64_t address = slow_box_address(&work->box, k);
    uint32_t row = slow_box_row(&work->box, k), element = work->box.element;
    if (!work->is_in && work->mutant == SLOW_UNMAPPED_OUTSIDE) is_writable(work, address, work->box.unit);
    if (!work->is_in && work->mutant != SLOW_STORE_READS_ALL && work->mutant != SLOW_STORE_FILLED) return;
    for (uint32_t at = 0; at < work->box.unit; at += element) {
        uint8_t value[8] = {0};
        for (uint32_t i = 0; i < element; i++) value[i] = get(work, row, k[0] * work->box.unit + at + i);
        for (uint32_t i = 0; i < element && !work->is_in; i++) value[i] = 0;
        if (work->is_in || work->mutant == SLOW_STORE_FILLED) write_element(work, address + at, value);
    }
}

// The rest of a row up to the pitch belongs to nobody.
static void visit_gap(struct work *work, const uint32_t *k)
{
    uint64_t address = slow_box_address(&work->box, k) + work->box.unit;
    uint32_t row_bytes = work->box.steps[0] * work->box.unit;
    for (uint32_t byte = row_bytes; byte < work->box.pitch && work->mutant == SLOW_STORE_GAPS; byte++) {
        uint64_t to = address + (byte - row_bytes);
        uint8_t value = get(work, slow_box_row(&work->box, k), byte);
        if (is_writable(work, to, 1)) work->gmem[to - work->box.tile->gmem_base] = value;
    }
}

static void visit_all(struct work *work)
{
    uint32_t k[5] = {0, 0, 0, 0, 0}, granule = granule_steps(work);
    do {
        if (k[0] % granule == 0) work->is_in = is_granule_in(work, k);
        if (k[0] + k[1] + k[2] + k[3] + k[4] == 0 && !work->is_in && work->mutant == SLOW_STORE_BASE_TOUCHED) {
            is_writable(work, work->box.tile->map.address, 1);
        }
        visit(work, k);
        if (k[0] + 1 == work->box.steps[0]) visit_gap(work, k);
    } while (slow_box_next(&work->box, k));
}

static bool is_all_outside(const struct work *work)
{
    uint32_t k[5] = {0, 0, 0, 0, 0};
    do {
        if (slow_box_is_inside(&work->box, k)) return false;
    } while (slow_box_next(&work->box, k));
    return true;
}

static bool is_illegal(const struct work *work)
{
    const struct slow_store *store = work->store;
    bool negative = false;
    for (int d = 0; d < store->tile.map.rank; d++) {
        if (store->tile.coord[d] < 0 && (d == 0 || work->mutant != SLOW_STORE_NEGATIVE_INNER)) negative = true;
    }
    if (work->mutant == SLOW_STORE_NEGATIVE) negative = false;
    if (work->mutant == SLOW_STORE_NEGATIVE_OUTSIDE && is_all_outside(work)) negative = false;
    if (work->mutant == SLOW_STORE_NEGATIVE_INTERLEAVE && store->tile.map.interleave != INTERLEAVE_NONE)
        negative = false;
    return negative || (store->is_reduction && !slow_reduce_is_legal(store->op, store->tile.map.dtype, work->mutant));
}

static int fault_of(struct work *work)
{
    int fault = slow_box_fault(&work->box, is_illegal(work));
    if (fault == 715 || (fault == 716 && work->mutant != SLOW_SMEM_ALIGN_LAST)) return fault;
    visit_all(work);
    return work->error != 0 ? work->error : fault;
}

int slow_store(const struct slow_store *store, uint8_t *gmem, const uint8_t *smem, enum slow_mutant mutant)
{
    struct work work = {.store = store, .box = slow_box_of(&store->tile, mutant), .mutant = mutant, .smem = smem};
    int error = fault_of(&work);
    if (error != 0) return error;
    work.gmem = gmem;
    visit_all(&work);
    return 0;
}
