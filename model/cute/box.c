// SPDX-License-Identifier: MIT
// From a layout to the boxes that fill it. A box's rows lie one behind the other, so its dimensions are those numbers
// of the layout whose strides continue each other and which step through the tensor one by one; all others are more
// copies.
#include <inttypes.h>
#include <stdbool.h>

#include "cute_box.h"
#include "refuse.h"
#include "tile.h"

enum { ROW_GRANULE_BYTES = 16, PLACE_GRANULE_BYTES = 128, PATTERN_BASE = 4, PATTERN_SHIFT = 3 };
enum { CTA_SHARED_BYTES = SM_SHARED_BYTES - 1024 };

// A number of the layout with the elements of its mode that one step of it goes. Neighbours that continue each other
// are one.
struct part {
    uint64_t shape, stride, step;
    int mode, leaf;
};

struct search {
    const struct cute_layout *layout;
    struct cute_error *error;
    struct cute_box *box;
    uint32_t bytes; // of an element
    int modes, parts;
    struct part part[CUTE_MAX_LEAVES];
};

// Where the stride of a part stands.
static int column_of(const struct search *s, const struct part *part)
{
    return cute_stride_column(s->layout, part->leaf);
}

// --- The swizzle -----------------------------------------------------------------------------------------------------

int cute_swizzle_mode(const struct cute_layout *layout, uint32_t bytes, enum tensormap_swizzle *mode,
                      struct cute_error *error)
{
    struct cute_swizzle swizzle = cute_swizzle_of(layout);
    const bool is_pointers = layout->pointer_bits == 0 && swizzle.base == PATTERN_BASE && bytes > 1;
    for (; bytes > 1; bytes /= 2) swizzle.base++;
    *mode = SWIZZLE_NONE;
    if (!layout->is_swizzled || swizzle.bits == 0) return 1;
    if (swizzle.bits > SWIZZLE_128B || swizzle.base != PATTERN_BASE || swizzle.shift != PATTERN_SHIFT)
        return cute_refuse(
            error, -1, "in bytes the swizzle is Sw<%d,%d,%d>; the hardware has Sw<1,4,3>, Sw<2,4,3> and Sw<3,4,3>%s",
            swizzle.bits, swizzle.base, swizzle.shift,
            is_pointers ? ". If it is a pointer's, as in CuTe's Python, it counts bytes: write "
                          "smem_ptr[16b](unset), with the bits of an element, in place of the number"
                        : "");
    *mode = (enum tensormap_swizzle)swizzle.bits;
    return 1;
}

// --- The numbers of the layout ---------------------------------------------------------------------------------------

static void add_part(struct search *s, struct part part)
{
    struct part *before = s->parts > 0 ? &s->part[s->parts - 1] : NULL;
    if (part.shape == 1) return;
    if (before != NULL && before->mode == part.mode && before->shape * before->stride == part.stride)
        before->shape *= part.shape;
    else
        s->part[s->parts++] = part;
}

static void find_parts(struct search *s)
{
    for (int mode = 0; mode < cute_rank(s->layout); mode++) {
        struct cute_layout alone;
        int from = cute_mode(s->layout, mode, &alone);
        uint64_t step = 1;
        for (int i = 0; i < alone.leaves; i++) {
            add_part(s, (struct part){alone.leaf[i].shape, alone.leaf[i].stride, step, mode, from + i});
            step *= alone.leaf[i].shape;
        }
    }
}

// Every element has a place of its own in the shared memory of a CTA.
static int check_places(const struct search *s)
{
    uint64_t taken[CTA_SHARED_BYTES / 64 + 1] = {0}, size = cute_size(s->layout);
    uint64_t places = s->layout->offset + cute_cosize(s->layout);
    for (int i = 0; i < s->parts; i++)
        if (s->part[i].stride == 0)
            return cute_refuse(s->error, column_of(s, &s->part[i]),
                               "stride 0: %" PRIu64 " elements would lie at one place", s->part[i].shape);
    if (places > CTA_SHARED_BYTES / s->bytes)
        return cute_refuse(s->error, -1,
                           "the layout reaches over %" PRIu64 " bytes; a CTA has at most %d of shared memory",
                           places * s->bytes, CTA_SHARED_BYTES);
    for (uint64_t i = 0; i < size; i++) {
        uint64_t at = 0, rest = i;
        for (int p = 0; p < s->parts; p++) {
            at += rest % s->part[p].shape * s->part[p].stride;
            rest /= s->part[p].shape;
        }
        if ((taken[at / 64] >> at % 64 & 1) != 0)
            return cute_refuse(s->error, -1, "element %" PRIu64 " and one before it would lie at one place, %" PRIu64,
                               i, at);
        taken[at / 64] |= (uint64_t)1 << at % 64;
    }
    return 1;
}

// --- The box ---------------------------------------------------------------------------------------------------------

// The most elements of a part, up to `most`, such that copies of the rest begin at legal addresses; 0: none.
static uint64_t share_of(const struct search *s, const struct part *part, uint64_t most)
{
    for (uint64_t share = part->shape < most ? part->shape : most; share > 0; share--)
        if (part->shape % share == 0 &&
            (share == part->shape || share * part->stride * s->bytes % PLACE_GRANULE_BYTES == 0))
            return share;
    return 0;
}

// What is left of a part is copies.
static void add_loop(struct search *s, const struct part *part, uint64_t share)
{
    struct cute_box *box = s->box;
    if (share == part->shape) return;
    struct cute_loop *loop = &box->loop[box->loops++];
    *loop = (struct cute_loop){part->shape / share, share * part->step, share * part->stride * s->bytes, -1};
    box->copies *= loop->count;
    for (int i = 0; i < box->rank; i++)
        if (box->mode[i] == part->mode) loop->dim = i;
}

static int refuse_place(const struct search *s, const struct part *part)
{
    return cute_refuse(
        s->error, column_of(s, part),
        "stride %" PRIu64 " is %" PRIu64 " bytes: a copy begins at a multiple of %d bytes, and the rows of a box "
        "lie %u bytes apart",
        part->stride, part->stride * s->bytes, PLACE_GRANULE_BYTES,
        s->box->swizzle == SWIZZLE_NONE ? s->box->box[0] * s->bytes : tensormap_span_bytes(s->box->swizzle));
}

// The part that runs through shared memory and through the tensor element by element.
static struct part *find_inner(struct search *s)
{
    struct part *nearest = NULL;
    for (int i = 0; i < s->parts; i++) {
        struct part *part = &s->part[i];
        if (part->stride == 1 && part->step == 1 && part->mode < s->modes) return part;
        if (nearest == NULL || part->stride < nearest->stride) nearest = part;
    }
    if (nearest == NULL)
        cute_refuse(s->error, -1, "one element alone is no box: a row has a multiple of %d bytes", ROW_GRANULE_BYTES);
    else if (nearest->stride != 1)
        cute_refuse(s->error, column_of(s, nearest), "no stride is 1: a box has neighbours side by side");
    else if (nearest->mode >= s->modes)
        cute_refuse(s->error, column_of(s, nearest), "stride 1 is in mode %d, which is no dimension of the tensor",
                    nearest->mode);
    else
        cute_refuse(s->error, column_of(s, nearest),
                    "neighbours in shared memory are %" PRIu64
                    " elements of mode %d apart; a box takes neighbours of the tensor",
                    nearest->step, nearest->mode);
    return NULL;
}

// Dimension 0: as many elements as a row of the pattern holds, in whole pieces of 16 bytes.
static int take_inner(struct search *s, struct part *inner)
{
    uint32_t span = tensormap_span_bytes(s->box->swizzle);
    uint64_t most = span == 0 ? TENSORMAP_MAX_BOX : span / s->bytes, share = share_of(s, inner, most);
    if (share * s->bytes % ROW_GRANULE_BYTES != 0 || share == 0)
        return cute_refuse(s->error, column_of(s, inner),
                           "a row of %" PRIu64 " bytes: a box has rows of a multiple of %d bytes, at most %" PRIu64
                           ", and takes a longer one in parts of a multiple of %d",
                           inner->shape * s->bytes, ROW_GRANULE_BYTES, most * s->bytes, PLACE_GRANULE_BYTES);
    s->box->rank = 1;
    s->box->mode[0] = inner->mode;
    s->box->box[0] = (uint32_t)share;
    add_loop(s, inner, share);
    inner->shape /= share;
    return 1;
}

// The part with which the box goes on at `place`, or NULL.
static struct part *part_at(struct search *s, uint64_t place)
{
    for (int i = 0; i < s->parts; i++) {
        struct part *part = &s->part[i];
        bool is_used = false;
        for (int d = 0; d < s->box->rank; d++) is_used |= s->box->mode[d] == part->mode;
        if (part->stride == place && part->step == 1 && part->mode < s->modes && !is_used) return part;
    }
    return NULL;
}

// More dimensions, as long as nothing is left of the last one.
static void take_outer(struct search *s)
{
    uint32_t row = s->box->box[0] * s->bytes, span = tensormap_span_bytes(s->box->swizzle);
    uint64_t place = (span > row ? span : row) / s->bytes;
    struct part *part;
    while (s->box->loops == 0 && (part = part_at(s, place)) != NULL) {
        uint64_t share = share_of(s, part, TENSORMAP_MAX_BOX);
        if (share == 0) return;
        s->box->mode[s->box->rank] = part->mode;
        s->box->box[s->box->rank++] = (uint32_t)share;
        add_loop(s, part, share);
        place *= part->shape;
        part->shape = 1;
    }
}

// Modes that no box goes along are dimensions too.
static void take_others(struct search *s)
{
    for (int mode = 0; mode < s->modes; mode++) {
        bool is_used = false;
        for (int d = 0; d < s->box->rank; d++) is_used |= s->box->mode[d] == mode;
        if (is_used) continue;
        s->box->mode[s->box->rank] = mode;
        s->box->box[s->box->rank++] = 1;
    }
    for (int d = 0; d < s->box->rank; d++) s->box->extent[d] = cute_mode_size(s->layout, s->box->mode[d]);
}

static int take_copies(struct search *s, const struct part *inner)
{
    for (int i = 0; i < s->parts; i++) {
        const struct part *part = &s->part[i];
        if (part == inner || part->shape == 1) continue;
        if (part->stride * s->bytes % PLACE_GRANULE_BYTES != 0) return refuse_place(s, part);
        add_loop(s, part, 1);
    }
    return 1;
}

int cute_box_of(const struct cute_layout *layout, enum dtype dtype, int modes, struct cute_box *box,
                struct cute_error *error)
{
    struct search s = {
        .layout = layout, .error = error, .box = box, .bytes = dtype_row(dtype)->size_bytes, .modes = modes};
    struct part *inner;
    *box = (struct cute_box){.copies = 1};
    if (modes < 1 || modes > TENSORMAP_MAX_RANK || modes > cute_rank(layout))
        return cute_refuse(error, -1,
                           "%d modes are to be dimensions of the tensor: the layout has %d, and a tensor map 1 to %d",
                           modes, cute_rank(layout), TENSORMAP_MAX_RANK);
    if (!cute_check_bits(layout, s.bytes, error)) return 0;
    find_parts(&s);
    if (!cute_swizzle_mode(layout, s.bytes, &box->swizzle, error) || !check_places(&s) ||
        (inner = find_inner(&s)) == NULL || !take_inner(&s, inner))
        return 0;
    take_outer(&s);
    take_others(&s);
    box->align_bytes = box->swizzle == SWIZZLE_NONE ? PLACE_GRANULE_BYTES : tensormap_pattern_bytes(box->swizzle);
    box->offset_bytes = (uint32_t)(layout->offset * s.bytes);
    if (box->offset_bytes % PLACE_GRANULE_BYTES != 0)
        return cute_refuse(error, -1, "the offset is %u bytes: a copy begins at a multiple of %d bytes",
                           box->offset_bytes, PLACE_GRANULE_BYTES);
    return take_copies(&s, inner);
}

// --- And back --------------------------------------------------------------------------------------------------------

int cute_of_box(const struct tensormap *map, struct cute_layout *layout)
{
    static const int32_t coord[TENSORMAP_MAX_RANK];
    *layout = (struct cute_layout){0};
    if (map->mode != TENSORMAP_TILED || map->interleave != INTERLEAVE_NONE) return 0;
    const struct tile tile = tile_of(map, coord);
    const uint32_t bytes = tensormap_step_bytes(map);
    if (tile.pitch_bytes % bytes != 0) return 0;
    uint64_t stride = tile.pitch_bytes / bytes;
    for (int i = 0; i < map->rank; i++) {
        if (tile.steps[i] == 0) return 0;
        layout->leaf[layout->leaves++] = (struct cute_leaf){tile.steps[i], i == 0 ? 1 : stride, 0, 0};
        if (i > 0) stride *= tile.steps[i];
    }
    layout->leaf[0].opens = layout->leaf[map->rank - 1].closes = 1;
    if (map->swizzle == SWIZZLE_NONE) return 1;
    layout->is_swizzled = 1;
    layout->swizzle = (struct cute_swizzle){(int)map->swizzle, PATTERN_BASE, PATTERN_SHIFT};
    layout->pointer_bits = (int)(8 * bytes);
    return 1;
}
