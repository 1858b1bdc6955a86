// SPDX-License-Identifier: MIT
// The answer about a layout, for people.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "explain_layout.h"
#include "picture.h"
#include "swizzle_names.h"

enum { PICTURE_ROWS = 8, LABEL_WIDTH = 21, CELL_WIDTH = 7 };

static void print_label(const char *label)
{
    printf("%-20s ", label);
}

static void print_layout_line(const char *label, const struct cute_layout *layout)
{
    char text[CUTE_TEXT_BYTES];
    cute_write(layout, text);
    print_label(label);
    printf("%s\n", text);
}

static void print_meaning(const struct layout_answer *a)
{
    print_label("layout");
    printf("%s\n", a->text);
    print_label("elements");
    printf("%" PRIu64 " = %s in %" PRIu64 " places; rank %d, depth %d\n", cute_size(&a->layout),
           text_numbers(NUMBERS(a->size, a->rank), " x ").at, cute_cosize(&a->layout), a->rank, cute_depth(&a->layout));
    print_layout_line("coalesced", &a->coalesced);
}

// The layout again, with a caret under the stride that is to blame.
static void print_reason(const char *label, const struct layout_answer *a, const struct cute_error *error)
{
    print_label(label);
    printf("none: %s\n", error->why);
    if (error->column >= 0) printf("%*s%s\n%*s^\n", LABEL_WIDTH, "", a->text, LABEL_WIDTH + error->column, "");
}

static void print_copies(const struct cute_box *box)
{
    print_label("copies");
    printf("%" PRIu64, box->copies);
    for (int i = 0; i < box->loops; i++) {
        const struct cute_loop *loop = &box->loop[i];
        printf("%s%" PRIu64, i == 0 ? ": " : ", times ", loop->count);
        if (loop->dim >= 0)
            printf(" along dimension %d, %" PRIu64 " elements and", loop->dim, loop->step_elems);
        else
            printf(" stages,");
        printf(" %" PRIu64 " bytes apart", loop->step_bytes);
    }
    printf("\n");
}

static void print_box(const struct layout_answer *a)
{
    const struct cute_box *box = &a->box;
    print_label("box");
    printf("%s: ", text_numbers(NUMBERS(box->box, box->rank), " x ").at);
    for (int i = 0; i < box->rank; i++)
        printf("%s%" PRIu64 " of mode %d", i == 0 ? "" : ", ", (uint64_t)box->box[i], box->mode[i]);
    printf("\n");
    print_label("swizzle");
    printf("%s\n", swizzle_plain_name(box->swizzle));
    print_copies(box);
    print_label("shared memory");
    printf("%" PRIu64 " bytes, at a multiple of %" PRIu32,
           (a->layout.offset + cute_cosize(&a->layout)) * dtype_row(a->dtype)->size_bytes, box->align_bytes);
    if (box->offset_bytes != 0) printf("; the first copy goes %" PRIu32 " bytes behind", box->offset_bytes);
    printf("\n");
}

static void print_operand(const struct layout_answer *a)
{
    const struct cute_operand *operand = &a->operand;
    print_label("wgmma");
    printf("%s, as tiles of %s: %d rows of M or N, %d step%s of k %d\n", operand->is_mn_major ? "MN-major" : "K-major",
           cute_operand_atom(operand), operand->rows, operand->steps, operand->steps == 1 ? "" : "s", operand->k_elems);
    print_label("descriptor");
    printf("0x%016" PRIx64 " + address / 16: leading offset %" PRIu32 ", stride offset %" PRIu32 "\n",
           layout_descriptor(a), operand->descriptor.leading_bytes, operand->descriptor.stride_bytes);
    if (operand->steps < 2) return;
    print_label("steps along K");
    for (int step = 1; step < operand->steps; step++)
        printf("%s+%" PRIu32, step == 1 ? "" : ", ",
               cute_operand_start(&a->layout, operand, dtype_row(a->dtype)->size_bytes, step) -
                   operand->descriptor.start_bytes);
    printf(" bytes\n");
}

static void print_element(const struct layout_answer *a)
{
    const uint64_t index = cute_index_at(&a->layout, a->element);
    print_label("element");
    printf("(%s) lies at index %" PRIu64, text_numbers(NUMBERS(a->element, a->rank), ", ").at, index);
    if (a->has_dtype) printf(", byte %" PRIu64, index * dtype_row(a->dtype)->size_bytes);
    printf("\n");
}

static void print_tiles(const struct layout_answer *a)
{
    print_layout_line("zipped_divide", &a->zipped);
    print_layout_line("tiled_divide", &a->tiled);
    print_label("tiles");
    printf("%" PRIu64 " = %s, the first mode first\n", a->all_tiles,
           text_numbers(NUMBERS(a->tiles, a->rank), " x ").at);
    if (!a->question->has_cta) return;
    print_label("CTA");
    printf("%" PRIu64 " begins at (%s), index %" PRIu64 "\n", a->question->cta,
           text_numbers(NUMBERS(a->corner, a->rank), ", ").at, cute_plain_at(&a->layout, a->corner));
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
    picture_text(&picture, 0, stdout);
}

void layout_print(const struct layout_answer *a)
{
    print_meaning(a);
    if (a->has_box) print_box(a);
    if (a->has_dtype && !a->has_box) print_reason("box", a, &a->no_box);
    if (a->has_operand) print_operand(a);
    if (a->has_dtype && !a->has_operand) print_reason("wgmma", a, &a->no_operand);
    if (a->has_element) print_element(a);
    if (a->has_tile) print_tiles(a);
    if (a->question->wants_table) print_table(a);
    if (a->has_box && !a->question->wants_table) print_picture(a);
}
