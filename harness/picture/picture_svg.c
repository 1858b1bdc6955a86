// SPDX-License-Identifier: MIT
// The picture as an SVG document: a bank ruler, a cell for each chunk coloured by the logical chunk it holds, the lanes
// that read it, a legend, the names elsewhere. No fonts, scripts or style sheets from outside; lengths are pixels.
#include "picture.h"

#include <stdarg.h>
#include <string.h>

enum {
    MARGIN = 36,
    GRID_LEFT = 132,
    CELL_WIDTH = 96,
    BANK_WIDTH = CELL_WIDTH / 4,
    GRID_WIDTH = LAYOUT_LINE_CHUNKS * CELL_WIDTH,
    WIDTH = GRID_LEFT + GRID_WIDTH + MARGIN,
    RULER_TOP = 112,
    GRID_TOP = 142,
    CELL_HEIGHT = 42,
    LEGEND_HEIGHT = 56,
    NAME_HEIGHT = 24,
    NAMES_HEIGHT = PICTURE_NAMES / 2 * NAME_HEIGHT + 44,
    ACCESS_HEIGHT = 104,
};

// Fill and border of a logical chunk: light, apart in hue, dark text is legible on each.
static const struct {
    const char *fill, *line;
} colours[LAYOUT_LINE_CHUNKS] = {
    {"#cfe3fa", "#5b93d3"}, {"#cdeed3", "#55a868"}, {"#fff0b8", "#c9a227"}, {"#fbd5c5", "#d9825b"},
    {"#f8cfe0", "#cf6f9a"}, {"#e0d5f7", "#8f74cf"}, {"#c8eeee", "#45a3a6"}, {"#e4e4da", "#98987f"},
};

static void print_escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
        }
}

// A line of text of class `class` whose anchor point is x, y (baseline).
__attribute__((format(printf, 5, 6))) static void print_text(FILE *out, int x, int y, const char *class,
                                                             const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, class);
    print_escaped(out, text);
    fputs("</text>\n", out);
}

static int grid_bottom(const struct layout *layout)
{
    return GRID_TOP + (int)layout_lines(layout) * CELL_HEIGHT;
}

static void print_style(FILE *out)
{
    fputs("<style>\n"
          "text { font-family: Helvetica, Arial, 'DejaVu Sans', sans-serif; fill: #1f2933; font-size: 13px }\n"
          ".title { font-size: 22px; font-weight: bold }\n"
          ".quiet { fill: #5f6c7b }\n"
          ".head { font-weight: bold; font-size: 14px }\n"
          ".bank { font-size: 11px; fill: #5f6c7b; text-anchor: middle }\n"
          ".address, .right { text-anchor: end }\n"
          ".cell { text-anchor: middle }\n"
          ".lane { text-anchor: middle; font-size: 10.5px; fill: #8a1c1c; font-weight: bold }\n"
          ".gap { text-anchor: middle; fill: #8895a3; font-size: 12px }\n"
          ".address, .cell, .lane, .code { font-family: 'DejaVu Sans Mono', Menlo, Consolas, monospace }\n"
          ".page { fill: #ffffff }\n"
          "@media (prefers-color-scheme: dark) {\n" // cells stay light, and their text dark
          ".page { fill: #0d1117 } text { fill: #e6edf3 } .quiet, .bank { fill: #9198a1 }\n"
          ".cell { fill: #1f2933 } .lane { fill: #8a1c1c } .gap { fill: #5f6c7b }\n"
          ".read { stroke: #ff5d5d; stroke-width: 4px }\n"
          "}\n"
          "</style>\n"
          "<defs><pattern id=\"hatch\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate(45)\"><rect width=\"7\" height=\"7\" fill=\"#f7f8f9\"/>"
          "<path d=\"M0 0V7\" stroke=\"#d5dae0\" stroke-width=\"2\"/></pattern></defs>\n",
          out);
}

static void print_title(const struct layout *layout, FILE *out)
{
    const struct swizzle_name *mode = swizzle_name(layout->mode);
    uint32_t lines = 1u << layout->mode, line = layout->base / LAYOUT_LINE_BYTES % lines;
    if (layout->mode == SWIZZLE_NONE)
        print_text(out, MARGIN, 42, "title", "A box in shared memory without swizzle");
    else
        print_text(out, MARGIN, 42, "title", "A box in shared memory with swizzle %s", mode->name);
    print_text(out, MARGIN, 66, "quiet", "%u rows of %u bytes, %u bytes apart, from shared address 0x%x%s",
               layout->rows, layout->row_bytes, layout_pitch_bytes(layout), layout->base,
               line == 0 ? "" : ": the pattern starts in its middle");
    print_text(out, MARGIN, 86, "quiet", "%s", rule_row(mode->rule)->sentence);
}

static void print_ruler(FILE *out)
{
    print_text(out, GRID_LEFT - 12, RULER_TOP + 12, "quiet address", "bank");
    fprintf(out, "<path d=\"M%d %dH%d", GRID_LEFT, GRID_TOP - 5, GRID_LEFT + GRID_WIDTH);
    for (int bank = 0; bank <= BANKS; bank++)
        fprintf(out, "M%d %dv%d", GRID_LEFT + bank * BANK_WIDTH, GRID_TOP - 5, bank % 4 == 0 ? -9 : -5);
    fputs("\" stroke=\"#9aa5b1\" fill=\"none\"/>\n", out);
    for (int bank = 0; bank < BANKS; bank++)
        print_text(out, GRID_LEFT + bank * BANK_WIDTH + BANK_WIDTH / 2, RULER_TOP + 12, "bank", "%d", bank);
}

static void print_cell_text(const struct picture *picture, struct cell cell, int x, int y, FILE *out)
{
    char label[LAYOUT_LABEL_BYTES], lanes[PICTURE_LANES_BYTES];
    uint32_t reads = picture_cell_lanes(picture, cell);
    layout_label(&picture->layout, cell, label);
    int middle = x + CELL_WIDTH / 2;
    bool fits = strlen(label) <= 11;
    fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"cell\"%s>%s</text>\n", middle, y + (reads == 0 ? 26 : 19),
            fits ? "" : " textLength=\"86\" lengthAdjust=\"spacingAndGlyphs\"", label);
    if (reads == 0) return;
    picture_lanes(reads, lanes);
    if (strlen(lanes) > 8)
        print_text(out, middle, y + 34, "lane", "%d lanes", __builtin_popcount(reads));
    else
        print_text(out, middle, y + 34, "lane", (reads & (reads - 1)) == 0 ? "lane %s" : "lanes %s", lanes);
}

static void print_cell(const struct picture *picture, uint32_t address, int x, int y, FILE *out)
{
    struct cell cell = layout_cell(&picture->layout, address);
    if (cell.kind == CELL_OUTSIDE) return;
    bool is_gap = cell.kind == CELL_GAP, is_read = picture_cell_lanes(picture, cell) != 0;
    uint32_t colour = cell.chunk % LAYOUT_LINE_CHUNKS;
    fprintf(out,
            "<rect x=\"%d.5\" y=\"%d.5\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"%s\" stroke=\"%s\" "
            "stroke-width=\"%s\"%s/>\n",
            x + 1, y + 1, CELL_WIDTH - 3, CELL_HEIGHT - 3, is_gap ? "url(#hatch)" : colours[colour].fill,
            is_gap    ? "#d5dae0"
            : is_read ? "#8a1c1c"
                      : colours[colour].line,
            is_read ? "2" : "1", is_read ? " class=\"read\"" : "");
    if (is_gap)
        print_text(out, x + CELL_WIDTH / 2, y + 26, "gap", "gap");
    else
        print_cell_text(picture, cell, x, y, out);
}

static void print_grid(const struct picture *picture, FILE *out)
{
    const struct layout *layout = &picture->layout;
    for (uint32_t line = 0; line < layout_lines(layout); line++) {
        uint32_t address = layout->base + line * LAYOUT_LINE_BYTES;
        int y = GRID_TOP + (int)line * CELL_HEIGHT;
        print_text(out, GRID_LEFT - 12, y + 26, "address", "0x%05x", address);
        for (uint32_t chunk = 0; chunk < LAYOUT_LINE_CHUNKS; chunk++)
            print_cell(picture, address + chunk * LAYOUT_CHUNK_BYTES, GRID_LEFT + (int)chunk * CELL_WIDTH, y, out);
    }
}

static void print_swatch(FILE *out, int x, int y, const char *fill, const char *line)
{
    fprintf(out, "<rect x=\"%d.5\" y=\"%d.5\" width=\"15\" height=\"15\" rx=\"3\" fill=\"%s\" stroke=\"%s\"/>\n", x, y,
            fill, line);
}

static void print_legend(const struct layout *layout, int top, FILE *out)
{
    uint32_t chunks = layout->row_bytes / LAYOUT_CHUNK_BYTES;
    int y = top + 24, x = GRID_LEFT;
    print_text(out, GRID_LEFT - 12, y + 13, "quiet address", chunks > LAYOUT_LINE_CHUNKS ? "chunk %% 8" : "chunk");
    for (uint32_t chunk = 0; chunk < chunks && chunk < LAYOUT_LINE_CHUNKS; chunk++, x += 58) {
        print_swatch(out, x, y, colours[chunk].fill, colours[chunk].line);
        print_text(out, x + 23, y + 13, "code", "%u", chunk);
    }
    if (layout->row_bytes < layout_pitch_bytes(layout)) {
        print_swatch(out, x, y, "url(#hatch)", "#d5dae0");
        print_text(out, x + 23, y + 13, "quiet", "gap: not touched");
    }
    print_text(out, WIDTH - MARGIN, y + 13, "quiet right",
               layout->element_bytes == 0 ? "r1 c2 = row 1, 16-byte chunk 2" : "r1 8-15 = row 1, elements 8 to 15");
}

static void print_panel(FILE *out, int top, int height, const char *title)
{
    fprintf(out, "<path d=\"M%d %d.5H%d\" stroke=\"#d5dae0\"/>\n", MARGIN, top, WIDTH - MARGIN);
    print_text(out, MARGIN, top + height, "head", "%s", title);
}

static void print_names(const struct layout *layout, int top, FILE *out)
{
    struct picture_name names[PICTURE_NAMES];
    picture_names(layout, names);
    print_panel(out, top, 26, "The same mode elsewhere");
    for (int i = 0; i < PICTURE_NAMES; i++) {
        int x = i < PICTURE_NAMES / 2 ? MARGIN : WIDTH / 2 + 8;
        int y = top + 52 + i % (PICTURE_NAMES / 2) * NAME_HEIGHT;
        print_text(out, x, y, "quiet", "%s", names[i].what);
        print_text(out, x + 130, y, "code", "%s", names[i].value);
    }
}

static void print_access(const struct picture *picture, int top, FILE *out)
{
    const struct access *access = picture->access;
    char wavefronts[64];
    print_panel(out, top, 26, "Bank conflicts of one access of a warp");
    print_text(out, MARGIN, top + 52, "code", "%.90s", access->pattern);
    snprintf(wavefronts, sizeof wavefronts, ", %d without swizzle", picture->unswizzled.wavefronts);
    print_text(out, MARGIN, top + 76, "", "%d lanes, %u bytes each: %d wavefront%s%s, %d at best.", access->lanes,
               access->bytes, picture->swizzled.wavefronts, picture->swizzled.wavefronts == 1 ? "" : "s",
               picture->layout.mode == SWIZZLE_NONE ? "" : wavefronts, picture->swizzled.ideal);
}

void picture_svg(const struct picture *picture, FILE *out)
{
    int legend = grid_bottom(&picture->layout), names = legend + LEGEND_HEIGHT, access = names + NAMES_HEIGHT + 8;
    int height = access + (picture->access == NULL ? 0 : ACCESS_HEIGHT);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n"
            "<title>Swizzle %s in shared memory</title>\n",
            WIDTH, height, WIDTH, height, swizzle_name(picture->layout.mode)->name);
    print_style(out);
    fputs("<rect width=\"100%\" height=\"100%\" class=\"page\"/>\n", out);
    print_title(&picture->layout, out);
    print_ruler(out);
    print_grid(picture, out);
    print_legend(&picture->layout, legend, out);
    print_names(&picture->layout, names, out);
    if (picture->access != NULL) print_access(picture, access, out);
    fputs("</svg>\n", out);
}
