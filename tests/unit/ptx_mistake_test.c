// SPDX-License-Identifier: MIT
// The suite `ptx_mistake`: what the front end of PTX says of mistakes, and where; its limit of memory; the table of
// forms.
#include <stdbool.h>
#include <stdio.h>

#include "ptx_test.h"
#include "rows.h"

// --- What is wrong ---------------------------------------------------------------------------------------------------

#define MISTAKES "ptx_mistakes.tsv" // column, body, message, advice

// What a kernel `k` of this body is told, of line 7.
static struct opened decode_body(const char *body)
{
    static const char names[] = ".global .u32 g;\n.func fn() { ret; } .func (.reg .b32 o) fv(.reg .b32 i) { ret; }\n"
                                ".entry k() { .reg .b32 r; .reg .f32 f; .reg .b64 a; .reg .pred p; L:\n";
    char text[512];
    snprintf(text, sizeof text, HEAD "%s%s\nret; }", names, body);
    struct opened opened = open_text(text);
    ck_assert_uint_eq(opened.errors.count, 0);
    ck_assert(!ptx_decode(opened.module, (uint32_t)ptx_function_find(opened.module, "k"), &opened.errors));
    return opened;
}

LOOP_TEST(a_mistake_is_shown_where_it_is, 0, rows_count(MISTAKES, NULL))
{
    const struct row *row = rows_at(MISTAKES, NULL, _i);
    struct opened opened = decode_body(row->field[1]);
    const struct ptx_error *error = &opened.errors.item[0];
    ck_assert_msg(opened.errors.count == 1, "%s: %u errors", row->where, opened.errors.count);
    ck_assert_msg(error->line == 7 && error->column == row_number(row, 0), "%s: %s: %u:%u: %s", row->where,
                  row->field[1], error->line, error->column, error->message);
    ck_assert_msg(row->field[2][0] != '\0' && strstr(error->message, row->field[2]) != NULL, "%s: %s: %s", row->where,
                  row->field[1], error->message);
    ck_assert_msg(strstr(error->advice, row->field[3]) != NULL, "%s: %s: %s", row->where, row->field[1], error->advice);
    ptx_close(opened.module);
}

#define MODULES "ptx_modules.tsv" // `behind` HEAD or `whole`, text, message

LOOP_TEST(a_module_that_is_wrong_is_refused, 0, rows_count(MODULES, NULL))
{
    const struct row *row = rows_at(MODULES, NULL, _i);
    const bool is_whole = strcmp(row->field[0], "whole") == 0;
    char text[512];
    ck_assert_msg(is_whole || strcmp(row->field[0], "behind") == 0, "%s", row->where);
    snprintf(text, sizeof text, "%s%s", is_whole ? "" : HEAD, row->field[1]);
    struct opened opened = open_text(text);
    ck_assert_msg(opened.errors.count > 0, "%s: %s", row->where, text);
    ck_assert_msg(row->field[2][0] != '\0' && strstr(opened.errors.item[0].message, row->field[2]) != NULL, "%s: %s",
                  row->where, opened.errors.item[0].message);
    ptx_close(opened.module);
}

// As ptxas counts it: the entry's own variables, and those of the module that it names. ptxas counts in 32 bits, so
// that it takes the last one.
static const struct {
    const char *variables, *own;
    unsigned long long bytes;
} shared_rows[] = {
    {".shared .b8 a[232448]; .shared .b8 b[9];", "mov.b32 r, a; mov.b32 r, a;", 0},
    {".shared .b8 a[232449];", "mov.b32 r, a;", 232449},
    {".shared .b8 a[5]; .shared .align 8 .b8 b[232444];", "mov.b32 r, a; st.shared.b32 [b], r;", 232452},
    {"", ".shared .b8 a[300000];", 300000},
    {".shared .b8 a[4294967295];", "mov.b32 r, a;", 4294967295},
};

LOOP_TEST(shared_memory_is_at_most_that_of_a_cta, 0, ROWS_OF(shared_rows))
{
    char text[512], message[256];
    snprintf(text, sizeof text, HEAD "%s\n.entry k() { .reg .b32 r; %s ret; }", shared_rows[_i].variables,
             shared_rows[_i].own);
    struct opened opened = open_text(text);
    ck_assert_uint_eq(opened.errors.count, 0);
    ck_assert_int_eq(ptx_decode(opened.module, 0, &opened.errors), shared_rows[_i].bytes == 0);
    snprintf(message, sizeof message, "'k': its shared memory has %llu bytes, limit 232448 (227 KiB",
             shared_rows[_i].bytes);
    if (shared_rows[_i].bytes > 0)
        ck_assert_msg(strstr(opened.errors.item[0].message, message) != NULL, "%s", opened.errors.item[0].message);
    ck_assert_int_eq(ptx_decode(opened.module, 0, &opened.errors), shared_rows[_i].bytes == 0);
    ptx_close(opened.module);
}

TEST(memory_has_a_limit)
{
    static const char text[] = HEAD ".global .b8 a[1000000] = {1,2,3};\n.entry "
                                    "k() { .reg .b32 r; add.s32 r, r, r; ret; }";
    struct ptx_errors errors;
    for (size_t bytes = 1; bytes < 400000; bytes += bytes / 3 + 1) {
        struct ptx_module *module = ptx_open(text, sizeof text - 1, (struct ptx_limits){bytes}, &errors);
        int k = ptx_function_find(module, "k");
        if (errors.count == 0 && k >= 0) ptx_decode(module, (uint32_t)k, &errors);
        if (errors.count > 0) ck_assert_ptr_nonnull(strstr(errors.item[0].message, "more memory than the limit"));
        ptx_close(module);
    }
}

// Each slot of each row names words that there are, and operands that make
// sense.
LOOP_TEST(the_table_of_forms_is_sound, 0, ptx_form_count())
{
    struct ptx_choice choice;
    struct ptx_spelling spelling;
    size_t length;
    int taken;
    for (int slot = 0, n; slot < ptx_form_slots(_i); slot++)
        for (n = 0; ptx_form_slot_word(_i, slot, n, &length) != NULL; n++) {
            char text[128];
            const char *word = ptx_form_slot_word(_i, slot, n, &length);
            snprintf(text, sizeof text, "%s.%.*s", ptx_form_row(_i)->opcode, (int)length, word);
            ck_assert(ptx_spelling_cut(text, strlen(text), &spelling));
            ck_assert_msg(memchr(word, '*', length) != NULL || ptx_near(word, length, ptx_near_word) != NULL ||
                              word[0] == 'm',
                          "%s", text);
            ptx_form_match(_i, &spelling, &choice, &taken);
        }
}
