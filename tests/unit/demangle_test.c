// SPDX-License-Identifier: MIT
// How reports spell names of PTX (model/machine/run/demangle.h), and how text of a user's files reaches a terminal
// (model/core/plain.h).
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "plain.h"
#include "rows.h"

#define NAMES "demangled.tsv"

static bool has_library(void)
{
    return dlopen("libstdc++.so.6", RTLD_LAZY) != NULL;
}

LOOP_TEST(demangle_function_tells_the_name_in_the_source, 0, rows_count(NAMES, "FUNCTION"))
{
    const struct row *row = rows_at(NAMES, "FUNCTION", _i);
    char text[DEMANGLED_BYTES];
    if (!has_library()) {
        printf("skipped: there is no libstdc++.so.6 here\n");
        return;
    }
    const size_t length = demangle_function(row->field[1], strlen(row->field[1]), text, sizeof text);
    ck_assert_uint_eq(length, strlen(text));
    ck_assert_msg(row->field[2][0] != '\0' && strncmp(text, row->field[2], strlen(row->field[2])) == 0, "%s: %s: %s",
                  row->where, row->field[3], text);
}

LOOP_TEST(demangle_variable_is_its_name_in_the_function, 0, rows_count(NAMES, "VARIABLE"))
{
    const struct row *row = rows_at(NAMES, "VARIABLE", _i);
    char text[DEMANGLED_BYTES];
    demangle_variable(row->field[1], strlen(row->field[1]), text, sizeof text);
    ck_assert_msg(strcmp(text, row->field[2]) == 0, "%s: %s: %s", row->where, row->field[3], text);
}

TEST(demangle_line_replaces_each_name)
{
    static const char line[] = "mov.u32 %r1, _ZZ1k14CUtensorMap_stPjE4tile+16; // x_ZZ1kvE1s";
    char text[DEMANGLED_BYTES], small[8];
    demangle_line(line, sizeof line - 1, text, sizeof text);
    ck_assert_str_eq(text, "mov.u32 %r1, tile+16; // x_ZZ1kvE1s");
    ck_assert_uint_eq(demangle_line(line, sizeof line - 1, small, sizeof small), 7);
    ck_assert_str_eq(small, "mov....");
}

TEST(plain_writes_control_characters_out)
{
    char *text = NULL, wide[3000];
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    memset(wide, 'a', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    plain_printf(out, "a\x1b[31m\a\tb\x7f\n%s",
                 "\xc2\x9b"
                 "1m \xc3\xa9\r");
    fclose(out);
    ck_assert_str_eq(text, "a\\x1b[31m\\x07\tb\\x7f\n\\u009b1m \xc3\xa9\\x0d");
    free(text);
    out = open_memstream(&text, &bytes);
    plain_printf(out, "%s", wide);
    fclose(out);
    ck_assert_str_eq(text, wide);
    free(text);
}
