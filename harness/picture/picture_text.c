// SPDX-License-Identifier: MIT
// The picture for a terminal: 128-byte lines down, banks across, in each cell the row and chunk that lies there.
#include "picture.h"

#include <string.h>

#include "rules/swizzle.h"

enum { SCREEN_COLUMNS = 80 };

// One colour for each logical chunk, of the 256-colour palette: light, for dark letters.
static const int colours[LAYOUT_LINE_CHUNKS] = {153, 157, 229, 223, 217, 183, 159, 250};

static int label_width(const struct layout *layout)
{
    char label[LAYOUT_LABEL_BYTES];
    uint32_t last_chunk = layout->row_bytes / LAYOUT_CHUNK_BYTES - 1;
    layout_label(layout, (struct cell){CELL_DATA, layout->rows - 1, last_chunk}, label);
    size_t width = strlen(label);
    return width < 5 ? 5 : (int)width; // "28-31" stands above it
}

// Hexadecimal digits of the addresses: five for a CTA's own memory.
static int address_digits(const struct layout *layout)
{
    return layout->base + layout_lines(layout) * LAYOUT_LINE_BYTES <= 0x100000 ? 5 : 8;
}

static void print_cell(const struct layout *layout, struct cell cell, int width, bool colour, FILE *out)
{
    char label[LAYOUT_LABEL_BYTES];
    layout_label(layout, cell, label);
    if (colour && cell.kind == CELL_DATA)
        fprintf(out, " \033[30;48;5;%dm%-*s\033[0m", colours[cell.chunk % LAYOUT_LINE_CHUNKS], width, label);
    else if (colour)
        fprintf(out, " \033[2m%-*s\033[0m", width, label);
    else
        fprintf(out, " %-*s", width, label);
}

static void print_grid(const struct layout *layout, bool colour, FILE *out)
{
    int width = label_width(layout);
    fprintf(out, "%-*s", 2 + address_digits(layout), "banks");
    for (int chunk = 0; chunk < LAYOUT_LINE_CHUNKS; chunk++) {
        char banks[16];
        snprintf(banks, sizeof banks, "%d-%d", 4 * chunk, 4 * chunk + 3);
        fprintf(out, " %-*s", chunk == LAYOUT_LINE_CHUNKS - 1 ? 0 : width, banks);
    }
    fprintf(out, "\n");
    for (uint32_t line = 0; line < layout_lines(layout); line++) {
        uint32_t address = layout->base + line * LAYOUT_LINE_BYTES;
        fprintf(out, "0x%0*x", address_digits(layout), address);
        for (uint32_t chunk = 0; chunk < LAYOUT_LINE_CHUNKS; chunk++)
            print_cell(layout, layout_cell(layout, address + chunk * LAYOUT_CHUNK_BYTES),
                       colour || chunk < LAYOUT_LINE_CHUNKS - 1 ? width : 0, colour, out);
        fprintf(out, "\n");
    }
}

static void print_anchor(const struct layout *layout, FILE *out)
{
    uint32_t lines = 1u << layout->mode, line = layout->base / LAYOUT_LINE_BYTES % lines;
    if (layout->mode == SWIZZLE_NONE) return;
    if (line != 0)
        fprintf(out, "The box starts in line %u of the pattern's %u (SWIZZLE_ABSOLUTE).\n", line, lines);
    else
        fprintf(out, "The box starts where the pattern starts (SWIZZLE_ABSOLUTE).\n");
    fprintf(out, "%s\n", rule_row(RULE_SWIZZLE_ABSOLUTE)->sentence);
}

static void print_collisions(const char *where, const struct bank_report *report, FILE *out)
{
    char lanes[PICTURE_LANES_BYTES];
    for (int i = 0; i < report->phases; i++) {
        const struct bank_phase *phase = &report->phase[i];
        if (phase->wavefronts < 2) continue;
        fprintf(out, "  %s, lanes %d-%d: %d wavefronts\n", where, phase->first_lane, phase->end_lane - 1,
                phase->wavefronts);
        for (int bank = 0, end; bank < BANKS; bank = end) {
            end = bank + 1;
            while (end < BANKS && phase->lanes[end] == phase->lanes[bank] && phase->words[end] == phase->words[bank])
                end++;
            if (phase->words[bank] < 2) continue;
            picture_lanes(phase->lanes[bank], lanes);
            fprintf(out, "    banks %d-%d: %d different words, wanted by lanes %s\n", bank, end - 1, phase->words[bank],
                    lanes);
        }
    }
}

static void print_count(const char *what, int wavefronts, FILE *out)
{
    fprintf(out, "  %-5s %3d wavefront%s\n", what, wavefronts, wavefronts == 1 ? "" : "s");
}

static void print_access(const struct picture *picture, FILE *out)
{
    const struct access *access = picture->access;
    const char *name = swizzle_name(picture->layout.mode)->name;
    fprintf(out, "\n%s: %d lanes read %u bytes each\n", access->pattern, access->lanes, access->bytes);
    print_count(name, picture->swizzled.wavefronts, out);
    if (picture->layout.mode != SWIZZLE_NONE) print_count("none", picture->unswizzled.wavefronts, out);
    print_count("ideal", picture->swizzled.ideal, out);
    fprintf(out, "Collisions:%s\n",
            picture->swizzled.wavefronts == picture->swizzled.ideal &&
                    picture->unswizzled.wavefronts == picture->unswizzled.ideal
                ? " none"
                : "");
    print_collisions(picture->layout.mode == SWIZZLE_NONE ? "without swizzle" : "with swizzle", &picture->swizzled,
                     out);
    if (picture->layout.mode != SWIZZLE_NONE) print_collisions("without swizzle", &picture->unswizzled, out);
}

void picture_text(const struct picture *picture, bool colour, FILE *out)
{
    const struct layout *layout = &picture->layout;
    const struct swizzle_name *mode = swizzle_name(layout->mode);
    fprintf(out, "Swizzle %s: %u rows of %u bytes, %u bytes apart, from shared address 0x%x\n", mode->name,
            layout->rows, layout->row_bytes, layout_pitch_bytes(layout), layout->base);
    fprintf(out, "r = row of the box, %s.\n%s\n\n",
            layout->element_bytes == 0 ? "c = 16-byte chunk of the row" : "then the elements of the row",
            rule_row(mode->rule)->sentence);
    print_grid(layout, colour, out);
    int columns = 2 + address_digits(layout) + LAYOUT_LINE_CHUNKS * (1 + label_width(layout));
    if (columns > SCREEN_COLUMNS)
        fprintf(out, "(%d columns: chunks without --dtype fit %d, --svg=FILE draws it all)\n", columns, SCREEN_COLUMNS);
    fprintf(out, "\n");
    print_anchor(layout, out);
    if (layout->row_bytes < layout_pitch_bytes(layout))
        fprintf(out, "gap = between a row's end and the span: not written, not read (TILE_PITCH)\n");

    struct picture_name names[PICTURE_NAMES];
    picture_names(layout, names);
    fprintf(out, "\n");
    for (int i = 0; i < PICTURE_NAMES; i++) fprintf(out, "%-18s %s\n", names[i].what, names[i].value);
    if (picture->access != NULL) print_access(picture, out);
}
