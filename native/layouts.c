// SPDX-License-Identifier: MIT
// CuTe layouts. Each call reads the text anew: that is cheaper than keeping layouts for other languages.
#include <stdio.h>
#include <string.h>

#include "boundary.h"
#include "cute_box.h"
#include "cute_operand.h"

_Static_assert(sizeof((struct native_layout *)NULL)->text == CUTE_TEXT_BYTES, "a layout's text");
_Static_assert(sizeof((struct native_layout *)NULL)->why == CUTE_ERROR_BYTES, "a sentence");
_Static_assert(sizeof((struct native_layout *)NULL)->mode == sizeof(uint64_t[CUTE_MAX_LEAVES]), "all modes");
_Static_assert(sizeof((struct native_filling *)NULL)->dim == sizeof(int32_t[CUTE_MAX_LOOPS]), "all loops");

static int refuse(struct native_layout *to, const struct cute_error *error)
{
    to->column = error->column;
    memcpy(to->why, error->why, sizeof to->why);
    return 0;
}

static int give(const struct cute_layout *layout, struct native_layout *to)
{
    cute_write(layout, to->text);
    to->size = cute_size(layout);
    to->cosize = cute_cosize(layout);
    to->offset = layout->offset;
    to->rank = cute_rank(layout);
    to->depth = cute_depth(layout);
    to->column = -1;
    for (int i = 0; i < to->rank; i++) to->mode[i] = cute_mode_size(layout, i);
    return 1;
}

int native_layout_read(const char *text, struct native_layout *to)
{
    struct cute_layout layout;
    struct cute_error error;
    return cute_read(text, &layout, &error) ? give(&layout, to) : refuse(to, &error);
}

static int make(enum native_make what, const struct cute_layout *layout, const struct cute_layout *other,
                struct cute_layout *made, struct cute_error *error)
{
    uint64_t tile[CUTE_MAX_LEAVES];
    for (int i = 0; i < other->leaves; i++) tile[i] = other->leaf[i].shape;
    if (what == NATIVE_COMPOSE) return cute_compose(layout, other, made, error);
    if (what == NATIVE_ZIPPED) return cute_zipped_divide(layout, tile, other->leaves, made, error);
    if (what == NATIVE_TILED) return cute_tiled_divide(layout, tile, other->leaves, made, error);
    cute_coalesce(layout, made);
    return 1;
}

int native_layout_make(enum native_make what, const char *text, const char *other, struct native_layout *to)
{
    struct cute_layout layout, second, made;
    struct cute_error error;
    if (!cute_read(text, &layout, &error) || !cute_read(other, &second, &error)) return refuse(to, &error);
    return make(what, &layout, &second, &made, &error) ? give(&made, to) : refuse(to, &error);
}

int native_layout_indices(const char *text, int64_t count, const uint64_t *number, uint64_t *index)
{
    struct cute_layout layout;
    struct cute_error error;
    if (!cute_read(text, &layout, &error)) return 0;
    for (int64_t i = 0; i < count; i++) index[i] = cute_index(&layout, number[i]);
    return 1;
}

int native_layout_box(const char *text, uint32_t dtype, int modes, struct native_filling *to, struct native_layout *why)
{
    struct cute_layout layout;
    struct cute_box box;
    struct cute_error error = {.why = "a tensor map has no such data type", .column = -1};
    if (dtype >= DTYPE_COUNT) return refuse(why, &error);
    if (!cute_read(text, &layout, &error) || !cute_box_of(&layout, (enum dtype)dtype, modes, &box, &error))
        return refuse(why, &error);
    *to = (struct native_filling){.rank = box.rank,
                                  .swizzle = (int32_t)box.swizzle,
                                  .loops = box.loops,
                                  .align_bytes = box.align_bytes,
                                  .offset_bytes = box.offset_bytes,
                                  .copies = box.copies};
    for (int i = 0; i < box.rank; i++) {
        to->mode[i] = box.mode[i];
        to->box[i] = box.box[i];
    }
    for (int i = 0; i < box.loops; i++) {
        to->count[i] = box.loop[i].count;
        to->step_elems[i] = box.loop[i].step_elems;
        to->step_bytes[i] = box.loop[i].step_bytes;
        to->dim[i] = box.loop[i].dim;
    }
    return 1;
}

int native_layout_operand(const char *text, uint32_t bytes, struct native_operand *to, struct native_layout *why)
{
    struct cute_layout layout;
    struct cute_operand operand;
    struct cute_error error;
    if (!cute_read(text, &layout, &error) || !cute_operand_of(&layout, bytes, &operand, &error))
        return refuse(why, &error);
    *to = (struct native_operand){.descriptor = wgmma_descriptor_pack(&operand.descriptor),
                                  .leading_bytes = operand.descriptor.leading_bytes,
                                  .stride_bytes = operand.descriptor.stride_bytes,
                                  .is_mn_major = operand.is_mn_major,
                                  .rows = operand.rows,
                                  .k = operand.k_elems,
                                  .steps = operand.steps};
    snprintf(to->atom, sizeof to->atom, "%s", cute_operand_atom(&operand));
    return 1;
}

uint32_t native_layout_start(const char *text, uint32_t bytes, int step)
{
    struct cute_layout layout;
    struct cute_operand operand;
    struct cute_error error;
    if (!cute_read(text, &layout, &error) || !cute_operand_of(&layout, bytes, &operand, &error)) return 0;
    return cute_operand_start(&layout, &operand, bytes, step);
}

int native_layout_of_box(const uint8_t *image, struct native_layout *to)
{
    struct tensormap map;
    struct cute_layout layout;
    if (!boundary_map(image, &map) || !cute_of_box(&map, &layout)) return 0;
    for (int i = 0, j = layout.leaves - 1; i < j; i++, j--) { // outermost first
        struct cute_leaf inner = layout.leaf[i], outer = layout.leaf[j];
        layout.leaf[i] = (struct cute_leaf){outer.shape, outer.stride, inner.opens, inner.closes};
        layout.leaf[j] = (struct cute_leaf){inner.shape, inner.stride, outer.opens, outer.closes};
    }
    return give(&layout, to);
}
