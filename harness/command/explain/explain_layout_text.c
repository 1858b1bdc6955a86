// SPDX-License-Identifier: MIT
// The answer about a layout, for people.
#include <inttypes.h>
#include <stdio.h>

#include "answer.h"
#include "explain_layout.h"
#include "picture.h"

enum { PICTURE_ROWS = 8, LABEL_WIDTH = 21, CELL_WIDTH = 7 };

static const char text_of_box[] =
    "layout               {layout}\n"
    "elements             {size} = {shape*{}| x } in {cosize} places; rank {rank}, depth {depth}\n"
    "coalesced            {coalesced}\n"
    "{box?box                  {box.box*{}| x }: {box.box*{} of mode {^box.modes.@}|, }\n"
    "swizzle              {box.swizzle}\n"
    "copies               {box.copies}{box.loops?: }"
    "{box.loops*{count}{dimension=-1? stages,}{dimension=-1! along dimension {dimension}, {elements} elements and}"
    " {bytes} bytes apart|, times }\n"
    "shared memory        {box.bytes} bytes, at a multiple of {box.alignBytes}"
    "{box.offsetBytes?; the first copy goes {box.offsetBytes} bytes behind}\n}";
static const char text_of_operand[] =
    "{wgmma?wgmma                {wgmma.mnMajor?MN}{wgmma.mnMajor!K}-major, as tiles of {wgmma.atom}: {wgmma.rows} "
    "rows of M or N, {wgmma.starts#} step{wgmma.starts#=1!s} of k {wgmma.k}\n"
    "descriptor           0x{wgmma.descriptor:016x} + address / 16: leading offset {wgmma.leading}, stride offset "
    "{wgmma.stride}\n"
    "{wgmma.steps?steps along K        {wgmma.steps*+{}|, } bytes\n}}";
static const char text_of_places[] =
    "{element?element              ({element*{}|, }) lies at index {index}{byte=*?, byte {byte}}\n}"
    "{tiles?zipped_divide        {zippedDivide}\n"
    "tiled_divide         {tiledDivide}\n"
    "tiles                {allTiles} = {tiles*{}| x }, the first mode first\n}"
    "{corner?CTA                  {cta} begins at ({corner*{}|, }), index {cornerIndex}\n}";

// The layout again, with a caret under the stride that is to blame.
static void print_reason(const char *label, const struct layout_answer *a, const struct cute_error *error)
{
    printf("%-20s none: %s\n", label, error->why);
    if (error->column >= 0) printf("%*s%s\n%*s^\n", LABEL_WIDTH, "", a->text, LABEL_WIDTH + error->column, "");
}

// As wide as the widest index, and a blank.
static int table_width(const struct layout_answer *a)
{
    int width = CELL_WIDTH;
    for (uint64_t row = 0; row < layout_table_rows(a); row++)
        for (uint64_t column = 0; column < layout_table_columns(a); column++) {
            const int digits = snprintf(NULL, 0, "%" PRIu64, layout_table_index(a, row, column));
            if (width <= digits) width = digits + 1;
        }
    return width;
}

// Mode 0 goes down, mode 1 to the right, as in CuTe's print_layout().
static void print_table(const struct layout_answer *a)
{
    const int width = table_width(a);
    const uint64_t rows = layout_table_rows(a), columns = layout_table_columns(a);
    const char *more = a->rank > 1 && columns < a->size[1] ? " ..." : "";
    printf("\n      ");
    for (uint64_t column = 0; column < columns; column++) printf("%*" PRIu64, width, column);
    printf("%s\n", more);
    for (uint64_t row = 0; row < rows; row++) {
        printf("%6" PRIu64, row);
        for (uint64_t column = 0; column < columns; column++)
            printf("%*" PRIu64, width, layout_table_index(a, row, column));
        printf("%s\n", more);
    }
    if (rows < a->size[0]) printf("   ...\n");
}

// The first rows of a copy, as `tmaref swizzle` draws them.
static void print_picture(const struct layout_answer *a)
{
    const uint32_t bytes = dtype_row(a->dtype)->size_bytes, rows = a->box.rank > 1 ? a->box.box[1] : 1;
    const struct picture picture = {.layout = {a->box.swizzle, a->box.offset_bytes,
                                               rows < PICTURE_ROWS ? rows : PICTURE_ROWS, a->box.box[0] * bytes,
                                               bytes}};
    printf("\n");
    picture_text(&picture, false, stdout);
}

void layout_print(const struct layout_answer *a)
{
    json_t *json = layout_json(a);
    answer_text(json, text_of_box, stdout);
    if (a->has_dtype && !a->has_box) print_reason("box", a, &a->no_box);
    answer_text(json, text_of_operand, stdout);
    if (a->has_dtype && !a->has_operand) print_reason("wgmma", a, &a->no_operand);
    answer_print(json, text_of_places, 0);
    if (a->question->wants_table) print_table(a);
    if (a->has_box && !a->question->wants_table) print_picture(a);
}
