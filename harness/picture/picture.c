// SPDX-License-Identifier: MIT
// What the three views share.
#include "picture.h"

#include <stdio.h>
#include <string.h>

static void name_set(struct picture_name *name, const char *what, const char *value)
{
    name->what = what;
    snprintf(name->value, sizeof name->value, "%s", value);
}

static void name_cute(struct picture_name *name, const char *what, struct swizzle_cute cute, uint32_t element_bytes)
{
    name->what = what;
    int length = snprintf(name->value, sizeof name->value, "Swizzle<%u,%u,%u>", cute.bits, cute.base, cute.shift);
    if (element_bytes != 0)
        snprintf(name->value + length, sizeof name->value - (size_t)length, "  (%u-byte elements)", element_bytes);
}

void picture_formula(enum tensormap_swizzle mode, char *formula, size_t formula_bytes)
{
    if (mode == SWIZZLE_NONE)
        snprintf(formula, formula_bytes, "address");
    else
        snprintf(formula, formula_bytes, "address ^ (address >> 7 & %d) << 4", (1 << mode) - 1);
}

void picture_names(const struct layout *layout, struct picture_name names[PICTURE_NAMES])
{
    const struct swizzle_name *mode = swizzle_name(layout->mode);
    uint32_t element_bytes = layout->element_bytes == 0 ? 2 : layout->element_bytes;
    uint32_t repeat_bytes = swizzle_repeat_bytes(layout->mode);
    char text[96];
    snprintf(text, sizeof text, "%s = %d", mode->driver, (int)layout->mode);
    name_set(&names[0], "tensor map", text);
    snprintf(text, sizeof text, "%d  (.swizzle_mode)", (int)layout->mode);
    name_set(&names[1], "tensormap.replace", text);
    snprintf(text, sizeof text, "%u  (bits 63..62)", mode->wgmma);
    name_set(&names[2], "wgmma descriptor", text);
    name_cute(&names[3], "CuTe, in bytes", swizzle_cute(layout->mode, 1), 0);
    name_cute(&names[4], "CuTe, in elements", swizzle_cute(layout->mode, element_bytes), element_bytes);
    picture_formula(layout->mode, text, sizeof text);
    name_set(&names[5], "lands at", text);
    snprintf(text, sizeof text, repeat_bytes == 0 ? "nothing to repeat" : "every %u bytes", repeat_bytes);
    name_set(&names[6], "pattern repeats", text);
    snprintf(text, sizeof text, "%u bytes%s", swizzle_align_bytes(layout->mode),
             repeat_bytes == 0 ? "" : "  (128 is the least)");
    name_set(&names[7], "align the box to", text);
}

void picture_lanes(uint32_t lanes, char *text)
{
    size_t length = 0;
    text[0] = '\0';
    for (int lane = 0; lane < WARP_LANES; lane++) {
        if ((lanes >> lane & 1) == 0) continue;
        int last = lane;
        while (last + 1 < WARP_LANES && (lanes >> (last + 1) & 1) != 0) last++;
        const char *comma = length == 0 ? "" : ", ";
        int added = last == lane ? snprintf(text + length, PICTURE_LANES_BYTES - length, "%s%d", comma, lane)
                                 : snprintf(text + length, PICTURE_LANES_BYTES - length, "%s%d-%d", comma, lane, last);
        length += (size_t)added;
        lane = last;
    }
}

uint32_t picture_cell_lanes(const struct picture *picture, struct cell cell)
{
    const struct access *access = picture->access;
    uint32_t lanes = 0;
    if (access == NULL || cell.kind != CELL_DATA) return 0;
    for (int lane = 0; lane < access->lanes; lane++)
        if (access->row[lane] == cell.row && access->byte[lane] / LAYOUT_CHUNK_BYTES == cell.chunk) lanes |= 1u << lane;
    return lanes;
}
