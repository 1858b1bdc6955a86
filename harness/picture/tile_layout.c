// SPDX-License-Identifier: MIT
#include "tile_layout.h"

#include <stdio.h>

#include "swizzle.h"

uint32_t layout_pitch_bytes(const struct layout *layout)
{
    return layout->mode == SWIZZLE_NONE ? layout->row_bytes : tensormap_span_bytes(layout->mode);
}

uint32_t layout_lines(const struct layout *layout)
{
    return (layout->rows * layout_pitch_bytes(layout) + LAYOUT_LINE_BYTES - 1) / LAYOUT_LINE_BYTES;
}

uint32_t layout_address(const struct layout *layout, uint32_t row, uint32_t byte)
{
    return swizzle_apply(layout->mode, layout->base + row * layout_pitch_bytes(layout) + byte);
}

struct cell layout_cell(const struct layout *layout, uint32_t address)
{
    uint32_t pitch_bytes = layout_pitch_bytes(layout);
    uint32_t logical = swizzle_apply(layout->mode, address); // its own inverse
    uint32_t offset = logical - layout->base;
    if (logical < layout->base || offset >= layout->rows * pitch_bytes) return (struct cell){CELL_OUTSIDE, 0, 0};

    uint32_t byte = offset % pitch_bytes;
    enum cell_kind kind = byte < layout->row_bytes ? CELL_DATA : CELL_GAP;
    return (struct cell){kind, offset / pitch_bytes, byte / LAYOUT_CHUNK_BYTES};
}

void layout_label(const struct layout *layout, struct cell cell, char *label)
{
    uint32_t elements = layout->element_bytes == 0 ? 0 : LAYOUT_CHUNK_BYTES / layout->element_bytes;
    uint32_t first = cell.chunk * elements;
    if (cell.kind == CELL_OUTSIDE)
        snprintf(label, LAYOUT_LABEL_BYTES, ".");
    else if (cell.kind == CELL_GAP)
        snprintf(label, LAYOUT_LABEL_BYTES, "gap");
    else if (elements == 0)
        snprintf(label, LAYOUT_LABEL_BYTES, "r%u c%u", cell.row, cell.chunk);
    else if (elements == 1)
        snprintf(label, LAYOUT_LABEL_BYTES, "r%u %u", cell.row, first);
    else
        snprintf(label, LAYOUT_LABEL_BYTES, "r%u %u-%u", cell.row, first, first + elements - 1);
}
