// SPDX-License-Identifier: MIT
// The suite `ptx_link`: PTX of several units, one behind the other, is put together as nvlink of CUDA 13.0 does it. The
// rows of `pairs` are what it said of the same two parts.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ptx_test.h"

#define UNIT(name) ".tmaref_unit \"" name "\";\n" HEAD
#define F_OF(type) " .func (.param " type " r) f(.param " type " a) { ret; }\n"
#define USES_F(type)                                                                                                   \
    ".extern .func (.param " type " r) f(.param " type " a);\n.entry uses() { .param " type " x; .param " type " y; "  \
    "call (y), f, (x); ret; }\n"
#define V(how, what) how " .global " what ";\n"

static int is_given(struct ptx_name name)
{
    return name.length == 6 && memcmp(name.at, "malloc", 6) == 0;
}

static struct opened link_text(const char *text)
{
    struct opened opened = open_text(text);
    ck_assert_msg(opened.errors.count == 0, "%s", opened.errors.item[0].message);
    ck_assert_int_eq(ptx_link(opened.module, is_given, &opened.errors), opened.errors.count == 0);
    return opened;
}

static const struct {
    const char *first, *second, *message; // NULL: they go together
} pairs[] = {
    {".visible" F_OF(".b32"), ".visible" F_OF(".b32"), "'f' is defined a second time in b; the first is in a"},
    {".visible" F_OF(".b32"), ".weak" F_OF(".b32"), NULL},
    {".weak" F_OF(".b32"), ".visible" F_OF(".b32"), NULL},
    {".weak" F_OF(".b32"), ".weak" F_OF(".b32"), NULL},
    {".visible" F_OF(".b32"), F_OF(".b32"), NULL},
    {F_OF(".b32"), F_OF(".b64"), NULL},
    {".visible" F_OF(".b32"), ".weak" F_OF(".b64"), "'f' has other parameters or results in b; the first is in a"},
    {USES_F(".b32"), ".visible" F_OF(".s32"), NULL},
    {USES_F(".b32"), ".visible" F_OF(".f32"), "'f' has other parameters or results"},
    {USES_F(".b32"), ".visible" F_OF(".b64"), "'f' has other parameters or results"},
    {USES_F(".b32"), ".visible .func f() { ret; }\n", "'f' has other parameters or results"},
    {USES_F(".b32"), V(".visible", ".b32 f"), "'f' is a function in only one unit; the other is b; the first is in a"},
    {USES_F(".b32"), F_OF(".b32"), "'f' is used in a, but nothing defines it"},
    {".func f();\n.entry k() { call f; ret; }\n", "", "'f' is used in a, but nothing defines it"},
    {".extern .func f();\n", "", NULL}, // not used
    {".extern .func f();\n", ".visible" F_OF(".b32"), NULL},
    {".extern .func f();\n", V(".visible", ".b32 f"), NULL},
    {".extern .func f();\n.visible .global .u64 at = f;\n", "", "'f' is used in a, but nothing defines it"},
    {".extern .func malloc();\n.entry k() { call malloc; ret; }\n", "", NULL},
    {".visible .entry k() { ret; }\n", ".visible .entry k() { ret; }\n", "'k' is defined a second time"},
    {".visible .entry k() { ret; }\n", ".weak .entry k(.param .u64 p) { ret; }\n", NULL},
    {".visible .entry k() { ret; }\n", ".entry k() { ret; }\n", NULL},
    {".visible .entry k() { ret; }\n", ".weak .func k() { ret; }\n", "'k' is a kernel in only one unit"},
    {V(".visible", ".b32 v = 1"), V(".visible", ".b32 v = 1"), "'v' is defined a second time"},
    {V(".visible", ".b32 v = 1"), V(".weak", ".b32 v = 2"), NULL},
    {V(".visible", ".b32 v = 1"), V("", ".b64 v = 2"), NULL},
    {V(".visible", ".b32 v = 1"), V(".weak", ".b64 v = 2"), "'v' has another size in b"},
    {V(".extern", ".b32 v"), V(".visible", ".b8 v[4]"), NULL},
    {V(".extern", ".b32 v"), V(".visible", ".align 16 .b32 v"), NULL},
    {V(".extern", ".b8 v[]"), V(".visible", ".b32 v"), NULL},
    {V(".extern", ".b32 v"), V(".visible", ".b64 v"), "'v' has another size"},
    {V(".extern", ".b32 v"), V(".extern", ".b64 v"), "'v' has another size"},
    {V(".extern", ".b32 v"), "", "'v' is used in a, but nothing defines it"},
    {V(".extern", ".b32 v"), V("", ".b32 v"), "'v' is used in a, but nothing defines it"},
    {V(".extern", ".b32 v"), ".visible .const .b32 v = 1;\n", "'v' is in another memory space in b"},
    {V(".extern", ".b32 v"), V(".visible", ".attribute(.managed) .b32 v"), "'v' is managed in only one unit"},
    {V(".common", ".b32 v"), V(".common", ".b8 v[32]"), NULL},
    {V(".common", ".b8 v[32]"), V(".common", ".b32 v"), NULL},
    {V(".common", ".b32 v"), V(".visible", ".b32 v = 1"), NULL},
    {V(".common", ".b8 v[32]"), V(".visible", ".b32 v = 1"), "'v' has another size"},
    {V(".visible", ".b32 v = 1"), V(".common", ".b8 v[32]"), "'v' has another size"},
    {V(".common", ".b8 v[32]"), V(".weak", ".b32 v = 1"), "'v' has another size"},
    {".extern .shared .b32 s;\n", "", "'s' is used in a"},
    {".extern .shared .b32 s;\n", ".visible .shared .b32 s;\n", NULL},
    {".extern .shared .b8 s[];\n", ".extern .shared .b64 s[];\n", NULL},
};

LOOP_TEST(two_parts_go_together_or_not, 0, ROWS_OF(pairs))
{
    char text[2048];
    snprintf(text, sizeof text, UNIT("a") "%s" UNIT("b") "%s", pairs[_i].first, pairs[_i].second);
    struct opened opened = link_text(text);
    const char *message = opened.errors.count > 0 ? opened.errors.item[0].message : "";
    if (pairs[_i].message == NULL)
        ck_assert_msg(opened.errors.count == 0, "%s: %s", text, message);
    else
        ck_assert_msg(strstr(message, pairs[_i].message) != NULL, "%s: '%s'", text, message);
    ptx_close(opened.module);
}

// The variable of module-wide number `index` has this name and begins with this byte.
static void expect_variable(const struct opened *opened, uint32_t index, const char *name, uint8_t value)
{
    const struct ptx_variable *variable = &opened->program->variable[index];
    ck_assert_int_eq(variable->name.length, strlen(name));
    ck_assert_int_eq(memcmp(variable->name.at, name, strlen(name)), 0);
    ck_assert_uint_eq(variable->init[0], value);
}

// What `entry` loads is the variable `name` that begins with `value`; what it calls returns into nothing.
static void expect_load(struct opened *opened, const char *entry, const char *name, uint8_t value)
{
    const int number = ptx_function_find(opened->module, entry);
    ck_assert_int_ge(number, 0);
    ck_assert_int_eq(ptx_decode(opened->module, (uint32_t)number, &opened->errors), 1);
    const struct ptx_function *function = &opened->program->function[number];
    const struct ptx_operand *address = &function->operand[function->instruction[0].first + 1];
    ck_assert_int_eq(address->kind, PTX_OPERAND_AT_VARIABLE);
    expect_variable(opened, address->index, name, value);
}

#define LOADS(entry, name) ".visible .entry " entry "() { .reg .b32 %r1; ld.global.b32 %r1, [" name "]; ret; }\n"

TEST(names_stand_for_what_another_unit_defines)
{
    struct opened opened = link_text(
        UNIT("a") ".extern .global .b32 v;\n.global .b32 own = 1;\n" LOADS("a_v", "v") LOADS("a_own", "own")
            UNIT("b") ".weak .global .b32 v = 2;\n.global .b32 own = 3;\n" LOADS("b_v", "v") LOADS("b_own", "own")
                UNIT("c") ".visible .global .b32 v = 4;\n.visible .global .u64 at = v;\n");
    ck_assert_msg(opened.errors.count == 0, "%s", opened.errors.item[0].message);
    expect_load(&opened, "a_v", "v", 4);
    expect_load(&opened, "b_v", "v", 4);
    expect_load(&opened, "a_own", "own", 1);
    expect_load(&opened, "b_own", "own", 3);
    ptx_close(opened.module);
}

TEST(values_hold_what_another_unit_defines)
{
    struct opened opened =
        link_text(UNIT("a") ".extern .global .b32 v;\n.extern .func f();\n.visible .global .u64 at[2] = {v, f};\n" UNIT(
            "b") ".visible .global .b32 v = 5;\n.visible .func g() { ret; }\n.visible .func f() { ret; }\n");
    const struct ptx_relocation *relocation = opened.program->variable[1].relocation;
    ck_assert_uint_eq(opened.program->variable[1].relocations, 2);
    expect_variable(&opened, relocation[0].index, "v", 5);
    ck_assert_int_eq((int)relocation[1].index, ptx_function_find(opened.module, "f"));
    ck_assert_int_eq(opened.program->function[relocation[1].index].has_body, 1);
    ptx_close(opened.module);
}

TEST(of_two_definitions_one_has_a_body)
{
    struct opened opened = link_text(UNIT("a") ".weak .entry k() { ret; }\n.entry mine() { ret; }\n" UNIT(
        "b") ".visible .entry k() { exit; }\n.visible .entry mine() { exit; }\n");
    const struct ptx_function *function = opened.program->function;
    const int k = ptx_function_find(opened.module, "k"), mine = ptx_function_find(opened.module, "mine");
    uint32_t bodies = 0;
    for (uint32_t i = 0; i < opened.program->functions; i++) bodies += function[i].has_body;
    ck_assert_uint_eq(bodies, 3);
    ck_assert_ptr_nonnull(strstr(function[k].body, "exit"));
    ck_assert_int_eq(strncmp(function[mine].body, " exit", 5), 0); // not the one of `a` alone
    ptx_close(opened.module);
}

#define PLACED(label, letter)                                                                                          \
    ".file 1 \"" label ".cu\"\n.visible .entry " label "()\n{\n.loc 1 7 3, function_name $L0, inlined_at 1 9 1\n"      \
    "exit;\n}\n.section .debug_str\n{\n$L0:\n.b8 " letter "\n.b8 0\n}\n"

// Each unit numbers its files, and labels its strings, from the beginning.
TEST(places_are_those_of_the_unit)
{
    struct opened opened = link_text(UNIT("a") PLACED("first", "65") UNIT("b") PLACED("second", "66"));
    static const char *const names[] = {"first", "second"};
    for (int i = 0; i < 2; i++) {
        char called[8];
        const int number = ptx_function_find(opened.module, names[i]);
        ck_assert_int_eq(ptx_decode(opened.module, (uint32_t)number, &opened.errors), 1);
        const struct ptx_function *function = &opened.program->function[number];
        const struct ptx_location *location = &function->location[function->instruction[0].location];
        const struct ptx_name file = ptx_file_name(opened.module, location->file);
        ck_assert_uint_eq(location->line, 7);
        ck_assert_int_eq(memcmp(file.at, names[i], strlen(names[i])), 0);
        ptx_location_function(opened.module, location, called, sizeof called);
        ck_assert_str_eq(called, i == 0 ? "A" : "B");
    }
    ptx_close(opened.module);
}

// Without units PTX is a whole program: what ptxas of CUDA 13.0 says of each.
static const struct {
    const char *text, *message; // NULL: it stands alone
} wholes[] = {
    {".extern .global .b32 v;\n", NULL},
    {".extern .shared .b32 v;\n", NULL},
    {".extern .shared .b32 v[];\n", NULL},
    {".extern .global .b32 v[];\n", "'v' is used, but nothing defines it"},
    {".extern .const .b32 v[];\n", "'v' is used, but nothing defines it"},
    {".extern .func f();\n", NULL},
    {".extern .func malloc();\n.entry k() { call malloc; ret; }\n", NULL},
    {".extern .func f();\n.func k() { call f; ret; }\n", "'f' is used, but nothing defines it"},
    {".func f();\n.entry k() { call f; ret; }\n", "'f' is used, but nothing defines it"},
    {".visible .func f();\n.entry k() { call f; ret; }\n", "'f' is used, but nothing defines it"},
};

LOOP_TEST(a_whole_program_needs_no_other, 0, ROWS_OF(wholes))
{
    char text[512];
    snprintf(text, sizeof text, HEAD "%s", wholes[_i].text);
    struct opened opened = link_text(text);
    const char *message = opened.errors.count > 0 ? opened.errors.item[0].message : "";
    ck_assert_str_eq(message, wholes[_i].message == NULL ? "" : wholes[_i].message);
    if (opened.errors.count == 0 && opened.program->variables > 0 && !opened.program->variable[0].is_unsized)
        ck_assert_int_eq(opened.program->variable[0].linkage, PTX_LINK_VISIBLE); // its own
    ptx_close(opened.module);
}

static const struct {
    const char *text, *message;
} wrong[] = {
    {HEAD ".tmaref_unit \"a\";\n" HEAD, "a linked module begins with .tmaref_unit"},
    {".tmaref_unit a;\n" HEAD, "a string"},
    {".tmaref_unit \"a\"\n" HEAD, "expected ';'"},
    {".tmaref_unit \"a\";\n.target sm_90a\n", "PTX begins with .version"},
    {HEAD ".version 9.0\n", "a second .version"},
    {HEAD ".target sm_90a\n", "a second .target"},
    {HEAD ".address_size 64\n", "a second .address_size"},
};

LOOP_TEST(units_that_are_wrong_are_refused, 0, ROWS_OF(wrong))
{
    struct opened opened = open_text(wrong[_i].text);
    ck_assert_uint_gt(opened.errors.count, 0);
    ck_assert_msg(strstr(opened.errors.item[0].message, wrong[_i].message) != NULL, "%s",
                  opened.errors.item[0].message);
    ptx_close(opened.module);
}

// Some limits let the text be read and not be linked.
TEST(memory_has_a_limit)
{
    enum { VARIABLES = 2000, ROOM = 100000, MOST = 2000000 };
    static char text[ROOM] = UNIT("a");
    size_t used = strlen(text);
    int linked = 0, refused = 0;
    for (int i = 0; i < VARIABLES; i++)
        used += (size_t)snprintf(text + used, ROOM - used, ".visible .global .b32 v%d;\n", i);
    for (size_t bytes = 1000; bytes < MOST; bytes += bytes / 8) {
        struct ptx_errors errors;
        struct ptx_module *module = ptx_open(text, used, (struct ptx_limits){bytes}, &errors);
        const bool is_open = errors.count == 0;
        if (is_open) linked += ptx_link(module, is_given, &errors);
        if (errors.count > 0) ck_assert_ptr_nonnull(strstr(errors.item[0].message, "more memory than the limit"));
        refused += is_open && errors.count > 0;
        ptx_close(module);
    }
    ck_assert_int_gt(linked, 0);
    ck_assert_int_gt(refused, 0);
}
