// SPDX-License-Identifier: MIT
// The slow im2col load. Dimension names instead of indices: whatever a map calls dimension 0, this file asks for W, H,
// D, C and N.
#include "slow_im2col.h"

#include <inttypes.h>
#include <stdio.h>

enum name { W, H, D, C, N };

struct work {
    const struct slow_im2col *load;
    enum slow_im2col_mutant mutant;
    int spatials;
    bool interleaved;
    int64_t element, pixel, pitch;
    int64_t position[3], batch, offset[3];
    uint8_t *smem;
    uint32_t tx;
    int error;
};

// Which dimension of the map has this name: C W H D N, or with interleave W H D C N.
static int dimension(const struct work *work, enum name name)
{
    int rank = work->load->map.rank;
    if (name == N) return rank - 1;
    if (work->interleaved) return name == C ? rank - 2 : (int)name;
    return name == C ? 0 : (int)name + 1;
}

static int64_t extent(const struct work *work, enum name name)
{
    return (int64_t)work->load->map.dim[dimension(work, name)];
}

static int64_t step(const struct work *work, enum name name)
{
    if (work->mutant == IM2COL_STEPS_OF_ONE) return 1;
    return work->load->map.estride[dimension(work, name)];
}

static int corner(const struct work *work, int spatial)
{
    return work->mutant == IM2COL_CORNERS_REVERSED ? work->spatials - 1 - spatial : spatial;
}

static int64_t box_begin(const struct work *work, int spatial)
{
    return work->load->map.lower[corner(work, spatial)];
}

static int64_t box_end(const struct work *work, int spatial)
{
    int64_t upper = work->load->map.upper[corner(work, spatial)];
    if (work->mutant == IM2COL_UPPER_ABSOLUTE) return upper;
    return extent(work, (enum name)spatial) - 1 + upper - (work->mutant == IM2COL_UPPER_EXCLUSIVE);
}

// The offsets as the instruction of this rank packs them.
static void read_offsets(struct work *work)
{
    const uint16_t *given = work->load->offset;
    uint32_t sum = given[0] + 32u * given[1] + 1024u * given[2];
    for (int k = 0; k < work->spatials; k++) {
        int64_t value = given[work->mutant == IM2COL_OFFSETS_REVERSED ? work->spatials - 1 - k : k];
        int bits = work->spatials == 1 ? 16 : work->spatials == 2 ? 8 : 5;
        if (work->spatials == 2 && work->mutant != IM2COL_OFFSETS_16_BITS) value %= 256;
        if (work->spatials == 3 && work->mutant == IM2COL_OFFSETS_MASKED) value %= 32;
        if (work->spatials == 3 && work->mutant != IM2COL_OFFSETS_MASKED && work->mutant != IM2COL_OFFSETS_16_BITS &&
            work->mutant != IM2COL_OFFSETS_REVERSED) {
            uint32_t bits_15 = work->mutant == IM2COL_OFFSETS_BIT_15 ? sum % 65536 : sum % 32768;
            value = k == 0 ? bits_15 % 32 : k == 1 ? bits_15 / 32 % 32 : bits_15 / 1024;
        }
        if (work->mutant == IM2COL_OFFSETS_SIGNED && value >= (1 << (bits - 1))) value -= 1 << bits;
        work->offset[k] = value;
    }
}

static void begin(struct work *work)
{
    static const int64_t element[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4}, span[] = {0, 32, 64, 128};
    const struct tensormap *map = &work->load->map;
    work->interleaved = map->interleave != INTERLEAVE_NONE;
    work->spatials = map->rank - 2;
    work->element = element[map->dtype];
    work->pixel = map->box[0] * work->element;
    work->pitch =
        map->swizzle == SWIZZLE_NONE || work->mutant == IM2COL_PITCH_PACKED ? work->pixel : span[map->swizzle];
    if (work->interleaved && work->mutant != IM2COL_INTERLEAVE_CHANNELS) {
        work->pixel = map->interleave == INTERLEAVE_16B ? 16 : 32;
        if (work->mutant != IM2COL_INTERLEAVE_PADDED || work->pitch < work->pixel) work->pitch = work->pixel;
    }
    read_offsets(work);
    work->batch = work->load->coord[dimension(work, N)];
    for (int k = 0; k < work->spatials; k++) work->position[k] = work->load->coord[dimension(work, (enum name)k)];
}

// The next pixel: one dimension of the box after the other.
static void advance(struct work *work)
{
    static const int h_first[3] = {1, 0, 2};
    for (int i = 0; i < work->spatials; i++) {
        int k = work->mutant == IM2COL_H_FIRST && work->spatials > 1 ? h_first[i] : i;
        int64_t seen = work->mutant == IM2COL_WRAP_WITH_OFFSET ? work->offset[k] : 0;
        work->position[k] += step(work, (enum name)k);
        if (work->position[k] + seen <= box_end(work, k)) return;
        if (work->mutant == IM2COL_WRAP_KEEPS_REST) {
            work->position[k] -= box_end(work, k) - box_begin(work, k) + 1;
        } else {
            work->position[k] = box_begin(work, k);
        }
        if (work->mutant == IM2COL_WRAP_TO_ZERO) work->position[k] = 0;
        if (work->mutant == IM2COL_WRAP_TO_START) work->position[k] = work->load->coord[dimension(work, (enum name)k)];
    }
    if (work->mutant == IM2COL_BATCH_STAYS) return;
    work->batch += work->mutant == IM2COL_BATCH_BY_ONE ? 1 : step(work, N);
}

// The channel, or slice, that byte `byte` of a pixel belongs to.
static int64_t channel(const struct work *work, int64_t byte)
{
    int64_t start = work->load->coord[dimension(work, C)],
            slice = work->interleaved ? 16 * work->load->map.interleave : 0;
    if (work->interleaved && work->mutant == IM2COL_INTERLEAVE_ELEMENTS) return start / (slice / work->element);
    if (work->interleaved) return start;
    if (work->mutant == IM2COL_CHANNEL_STRIDE) return start + byte / work->element * work->load->map.estride[0];
    return start + byte / work->element;
}

static bool is_channel_inside(const struct work *work, int64_t byte)
{
    int64_t index = channel(work, byte);
    if (work->mutant == IM2COL_BOUNDS_CHANNEL) return true;
    if (work->mutant == IM2COL_BOUNDS_PIECE) index = channel(work, byte / 16 * 16);
    return index >= 0 && index < extent(work, C);
}

static bool is_inside(const struct work *work, int64_t byte)
{
    if (!is_channel_inside(work, byte)) return false;
    if (work->mutant != IM2COL_BOUNDS_BATCH && (work->batch < 0 || work->batch >= extent(work, N))) return false;
    for (int k = 0; k < work->spatials; k++) {
        int64_t index = work->position[k] + (work->mutant == IM2COL_BOUNDS_POSITION ? 0 : work->offset[k]);
        if (index < 0 || index >= extent(work, (enum name)k)) return false;
    }
    return true;
}

// The global address of byte `byte` of the pixel.
static uint64_t address_of(const struct work *work, int64_t byte)
{
    const struct tensormap *map = &work->load->map;
    uint64_t address = map->address + (uint64_t)work->batch * map->stride[dimension(work, N)];
    for (int k = 0; k < work->spatials; k++)
        address += (uint64_t)(work->position[k] + work->offset[k]) * map->stride[dimension(work, (enum name)k)];
    if (work->interleaved) return address + (uint64_t)channel(work, byte) * map->stride[map->rank - 2] + (uint64_t)byte;
    return address + (uint64_t)(channel(work, byte) * work->element + byte % work->element);
}

static bool is_mapped(const struct slow_im2col *load, uint64_t address)
{
    return address >= load->gmem_base && address < load->gmem_base + load->gmem_bytes;
}

// The byte at `address` as the data type delivers it.
static uint8_t loaded(const struct work *work, uint64_t address)
{
    const struct slow_im2col *load = work->load;
    uint64_t in_word = address % 4, at = address - in_word - load->gmem_base;
    uint32_t bits = 0;
    if (load->map.dtype != DTYPE_TFLOAT32 && load->map.dtype != DTYPE_TFLOAT32_FTZ)
        return load->gmem[address - load->gmem_base];
    for (int i = 0; i < 4; i++) bits += (uint32_t)load->gmem[at + (uint64_t)i] << 8 * i;
    return (uint8_t)(slow_tf32(bits, SLOW_NONE) >> 8 * in_word);
}

static uint8_t fill(const struct work *work, int64_t byte)
{
    if (work->load->map.oob_fill == OOB_FILL_ZERO) return 0;
    return byte % 2 == 0 ? 0xf7 : 0x7f;
}

static void put(struct work *work, int64_t offset, uint8_t value)
{
    const struct slow_im2col *load = work->load;
    uint32_t flat = load->destination + (uint32_t)offset;
    uint32_t address = slow_swizzle((int)load->map.swizzle, flat, SLOW_NONE);
    bool is_ours = address >= load->smem_base && address < load->smem_base + load->smem_bytes;
    if (!is_ours) work->error = 700;
    if (is_ours && work->smem != NULL) work->smem[address - load->smem_base] = value;
}

static void visit_pixel(struct work *work, int64_t at)
{
    for (int64_t byte = 0; byte < work->pixel; byte++) {
        uint64_t address = address_of(work, byte);
        bool inside = is_inside(work, byte);
        if (at == 0 && byte == 0 && !inside && !is_mapped(work->load, work->load->map.address)) work->error = 700;
        if (inside && !is_mapped(work->load, address)) work->error = 700;
        if (inside && !is_mapped(work->load, address)) continue;
        put(work, at + byte, inside ? loaded(work, address) : fill(work, byte));
        work->tx += inside || work->mutant != IM2COL_TX_IN_BOUNDS;
    }
    for (int64_t byte = work->pixel; byte < work->pitch; byte++) {
        if (work->mutant == IM2COL_GAP_FILLED) put(work, at + byte, fill(work, byte));
        work->tx += work->mutant == IM2COL_TX_GAPS;
    }
}

static void visit_all(struct work *work)
{
    const struct tensormap *map = &work->load->map;
    int64_t pixels = map->pixels;
    begin(work);
    work->tx = 0;
    if (work->mutant == IM2COL_PIXELS_OVER_STRIDE) pixels = (pixels + step(work, W) - 1) / step(work, W);
    for (int64_t p = 0; p < pixels; p++) {
        visit_pixel(work, p * work->pitch);
        advance(work);
    }
    if (work->mutant == IM2COL_TX_CHANNELS) work->tx = (uint32_t)(pixels * map->box[0] * work->element);
}

static bool is_illegal(struct work *work)
{
    const struct slow_im2col *load = work->load;
    if (load->map.mode != TENSORMAP_IM2COL || load->dims != load->map.rank) return true;
    begin(work);
    for (int d = 0; d < load->map.rank; d++)
        if (load->map.dim[d] > (uint64_t)1 << 31) return true;
    for (int k = 0; k < work->spatials; k++) {
        int64_t at = work->position[k];
        if (work->mutant == IM2COL_START_WITH_OFFSET) at += work->offset[k];
        if (work->mutant == IM2COL_START_UNCHECKED || (work->mutant == IM2COL_START_ONLY_W && k > 0)) continue;
        if (work->mutant == IM2COL_START_IN_TENSOR && (at < 0 || at >= extent(work, (enum name)k))) return true;
        if (at < box_begin(work, k) || at > box_end(work, k)) return true;
    }
    return !work->interleaved && load->coord[0] * work->element % 16 != 0;
}

int slow_im2col(const struct slow_im2col *load, uint8_t *smem, uint32_t *tx_bytes, enum slow_im2col_mutant mutant)
{
    struct work work = {.load = load, .mutant = mutant};
    if (is_illegal(&work)) return 715;
    if (load->destination % 128 != 0) return 716;
    visit_all(&work);
    if (work.error != 0) return work.error;
    work.smem = smem;
    visit_all(&work);
    *tx_bytes = work.tx;
    return 0;
}

void slow_im2col_text(const struct slow_im2col *load, char *text, size_t capacity)
{
    const struct tensormap *map = &load->map;
    size_t at = (size_t)snprintf(
        text, capacity,
        "rank %d (.%dd) dtype %d interleave %d swizzle %d fill %d address 0x%" PRIx64 " gmem 0x%" PRIx64 "+%" PRIu64
        " smem +%" PRIu64 " destination 0x%x channels %u pixels %u",
        map->rank, load->dims, (int)map->dtype, (int)map->interleave, (int)map->swizzle, (int)map->oob_fill,
        map->address, load->gmem_base, load->gmem_bytes, load->smem_bytes, load->destination, map->box[0], map->pixels);
    for (int d = 0; d < map->rank && at < capacity; d++)
        at +=
            (size_t)snprintf(text + at, capacity - at, "; [%d] dim %" PRIu64 " stride %" PRIu64 " estride %u coord %d",
                             d, map->dim[d], map->stride[d], map->estride[d], load->coord[d]);
    for (int k = 0; k < map->rank - 2 && at < capacity; k++)
        at += (size_t)snprintf(text + at, capacity - at, "; corners %d %d offset %u", map->lower[k], map->upper[k],
                               load->offset[k]);
}
