// SPDX-License-Identifier: MIT
// The slow tiled load: one element of the box after the other, and for every byte of every element where it comes
// from, what becomes of it and where it goes. Nothing is shared between elements and nothing is fast.
#include "slow_box.h"

// One load under way. `smem` is NULL while the faults are looked for.
struct work {
    struct slow_box box;
    enum slow_mutant mutant;
    const uint8_t *gmem;
    uint8_t *smem;
    uint32_t tx;
    int error;
};

static bool is_tf32(const struct tensormap *map)
{
    return map->dtype == DTYPE_TFLOAT32 || map->dtype == DTYPE_TFLOAT32_FTZ;
}

static void put(struct work *work, uint32_t row, uint32_t byte, uint8_t value)
{
    uint32_t shared = slow_box_shared(&work->box, row, byte);
    bool is_ours = slow_box_in_smem(&work->box, shared);
    if (!is_ours && work->mutant != SLOW_SMEM_CLIPPED) work->error = 700;
    if (is_ours && work->smem != NULL) work->smem[shared - work->box.tile->smem_base] = value;
}

static uint8_t fill_byte(const struct work *work, uint32_t byte)
{
    static const uint8_t nan[2] = {0xf7, 0x7f}, all_ones[2] = {0xff, 0x7f}, tf32[4] = {0x00, 0xe0, 0xff, 0x7f};
    uint32_t in_element = byte % work->box.element;
    if (work->box.tile->map.oob_fill == OOB_FILL_ZERO) return 0;
    if (work->mutant == SLOW_FILL_7FFF) return all_ones[byte % 2];
    if (work->mutant == SLOW_FILL_HIGH_HALF && in_element + 2 < work->box.element) return 0;
    if (work->mutant == SLOW_FILL_TF32 && is_tf32(&work->box.tile->map)) return tf32[in_element];
    return nan[byte % 2];
}

// The value of byte `byte` of the element or pixel at global address `address`; memory is mapped.
static uint8_t loaded_byte(const struct work *work, uint64_t address, uint32_t byte)
{
    const struct tensormap *map = &work->box.tile->map;
    const uint8_t *from = work->gmem + (address - work->box.tile->gmem_base);
    const uint8_t *word = from + byte / 4 * 4;
    uint32_t bits = 0;
    bool flush = work->mutant == SLOW_FLOAT32_FTZ_FLUSH && map->dtype == DTYPE_FLOAT32_FTZ;
    if (!is_tf32(map) && !flush) return from[byte];
    if (byte >= 4 && work->mutant == SLOW_TF32_FIRST_OF_PIXEL) return from[byte];
    for (int i = 0; i < 4; i++) bits += (uint32_t)word[i] << 8 * i;
    bool is_subnormal = (bits >> 23 & 255) == 0;
    if (map->dtype == DTYPE_TFLOAT32_FTZ && work->mutant == SLOW_TF32_FTZ_FLUSH) flush = true;
    if (is_tf32(map)) bits = slow_tf32(bits, work->mutant);
    if (flush && is_subnormal) bits = bits >> 31 << 31;
    return (uint8_t)(bits >> 8 * (byte % 4));
}

static void check_base(struct work *work, const uint32_t *k, bool inside)
{
    bool is_first = k[0] + k[1] + k[2] + k[3] + k[4] == 0;
    bool is_touched = is_first && !inside;
    if (work->mutant == SLOW_BASE_UNTOUCHED) is_touched = false;
    if (work->mutant == SLOW_BASE_ALWAYS) is_touched = true;
    if (work->mutant == SLOW_BASE_ANY_OUTSIDE) is_touched = !inside;
    if (is_touched && !slow_box_in_gmem(&work->box, work->box.tile->map.address)) work->error = 700;
}

// One element, or one pixel with interleave.
static void visit(struct work *work, const uint32_t *k)
{
    bool inside = slow_box_is_inside(&work->box, k);
    uint64_t address = slow_box_address(&work->box, k);
    uint32_t row = slow_box_row(&work->box, k);
    check_base(work, k, inside);
    for (uint32_t byte = 0; byte < work->box.unit; byte++) {
        bool mapped =
            slow_box_in_gmem(&work->box, address) && slow_box_in_gmem(&work->box, address + work->box.unit - 1);
        bool filled = !inside || (!mapped && work->mutant == SLOW_UNMAPPED_FILLED);
        if (!mapped && (!filled || work->mutant == SLOW_UNMAPPED_OUTSIDE)) work->error = 700;
        if (filled && work->mutant == SLOW_FILL_UNTOUCHED) continue;
        uint8_t value = filled || !mapped ? fill_byte(work, byte) : loaded_byte(work, address, byte);
        put(work, row, k[0] * work->box.unit + byte, value);
    }
    if (inside || work->mutant != SLOW_TX_IN_BOUNDS) {
        work->tx += work->mutant == SLOW_TX_INTERLEAVE_ELEMENTS ? work->box.element : work->box.unit;
    }
}

// The rest of a row up to the pitch belongs to nobody.
static void visit_gap(struct work *work, const uint32_t *k)
{
    for (uint32_t byte = work->box.steps[0] * work->box.unit; byte < work->box.pitch; byte++) {
        if (work->mutant == SLOW_PITCH_GAPS_FILLED) put(work, slow_box_row(&work->box, k), byte, fill_byte(work, byte));
        if (work->mutant == SLOW_TX_GAPS) work->tx++;
    }
}

static bool is_negative(const struct slow_tile *tile)
{
    for (int d = 0; d < tile->map.rank; d++) {
        if (tile->coord[d] < 0) return true;
    }
    return false;
}

static void visit_all(struct work *work)
{
    uint32_t k[5] = {0, 0, 0, 0, 0};
    work->tx = 0;
    do {
        visit(work, k);
        if (k[0] + 1 == work->box.steps[0]) visit_gap(work, k);
    } while (slow_box_next(&work->box, k));
}

static int fault_of(struct work *work)
{
    int fault = slow_box_fault(&work->box, work->mutant == SLOW_COORD_NEGATIVE && is_negative(work->box.tile));
    if (fault == 716 && work->mutant == SLOW_SMEM_ALIGN_LAST) {
        visit_all(work);
        return work->error != 0 ? work->error : 716;
    }
    if (fault != 0) return fault;
    visit_all(work);
    return work->error;
}

int slow_load(const struct slow_tile *tile, const uint8_t *gmem, uint8_t *smem, uint32_t *tx_bytes,
              enum slow_mutant mutant)
{
    struct work work = {.box = slow_box_of(tile, mutant), .mutant = mutant, .gmem = gmem};
    int error = fault_of(&work);
    if (error != 0) return error;
    work.smem = smem;
    visit_all(&work);
    *tx_bytes = work.tx;
    return 0;
}
