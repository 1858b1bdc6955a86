// SPDX-License-Identifier: MIT
// The suite `ptx`: what the front end makes of PTX, and what it says of
// mistakes. That it takes and refuses the instructions that ptxas does is the
// test unit.ptx-forms.
#include <stdio.h>

#include "ptx_test.h"
#include "rows.h"

// The one function `k` of the text, decoded without errors.
static const struct ptx_function *decode_k(struct opened *opened, const char *text)
{
    *opened = open_text(text);
    ck_assert_msg(opened->errors.count == 0, "%u: %s", opened->errors.item[0].line, opened->errors.item[0].message);
    int k = ptx_function_find(opened->module, "k");
    ck_assert_int_ge(k, 0);
    ck_assert_msg(ptx_decode(opened->module, (uint32_t)k, &opened->errors), "%u:%u: %s", opened->errors.item[0].line,
                  opened->errors.item[0].column, opened->errors.item[0].message);
    opened->program = ptx_program(opened->module);
    return &opened->program->function[k];
}

// Operand `i` of instruction `n`.
static const struct ptx_operand *operand_of(const struct ptx_function *function, uint32_t n, uint32_t i)
{
    ck_assert_uint_lt(n, function->instructions);
    ck_assert_uint_lt(i, function->instruction[n].operands);
    return &function->operand[function->instruction[n].first + i];
}

TEST(registers_are_numbered_within_their_file)
{
    struct opened opened;
    const struct ptx_function *k = decode_k(&opened, HEAD ".entry k() { .reg .b32 %r<5>, x; .reg .f32 %f<3>; .reg "
                                                          ".b64 %rd<2>; .reg .pred %p<2>; .reg .u16 h;\n"
                                                          "add.s32 %r4, x, 7; mul.f32 %f1, %f2, 0f3F800000; @!%p1 "
                                                          "mov.b64 %rd1, -2; mov.u16 h, 65537; ret; }");
    ck_assert_uint_eq(k->registers[PTX_FILE_32], 9);
    ck_assert_uint_eq(k->registers[PTX_FILE_64], 2);
    ck_assert_uint_eq(k->registers[PTX_FILE_PRED], 2);
    ck_assert_uint_eq(operand_of(k, 0, 0)->index, 4);
    ck_assert_uint_eq(operand_of(k, 0, 1)->index, 5);
    ck_assert_uint_eq(operand_of(k, 0, 2)->bits, 7);
    ck_assert_uint_eq(operand_of(k, 1, 0)->index, 7);
    ck_assert_uint_eq(operand_of(k, 1, 2)->bits, 0x3f800000);
    ck_assert_uint_eq(operand_of(k, 2, 1)->bits, (uint64_t)-2);
    ck_assert_uint_eq(operand_of(k, 3, 1)->bits, 1);
    ck_assert_int_eq(k->instruction[2].is_guarded && k->instruction[2].guard_is_negated, 1);
    ck_assert_uint_eq(k->instruction[2].guard, 1);
    ptx_close(opened.module);
}

// As inline assembly has it: "mov.u32%0,%laneid;".
TEST(a_register_needs_no_space_before_it)
{
    struct opened opened;
    const struct ptx_function *k =
        decode_k(&opened, HEAD ".entry k() { .reg .u32 %r<3>; mov.u32%r1,%laneid; add.u32%r2,%r1,%r1; ret; }");
    ck_assert_uint_eq(k->instructions, 3);
    ck_assert_uint_eq(operand_of(k, 0, 0)->index, 1);
    ck_assert_uint_eq(operand_of(k, 1, 0)->index, 2);
    ptx_close(opened.module);
}

#define EXPRESSIONS "ptx_expressions.tsv" // text, value

static const struct {
    const char *text;
    double value;
} doubles[] = {{"1.5 + 2.5", 4}, {"1.5 - 2.0", -0.5},
               {"1.5 * 2.0", 3}, {"3.0 / 2.0", 1.5},
               {"-1e3", -1000},  {"1.5 + 0d3FF0000000000000", 2.5},
               {"2.0 * 3.0", 6}, {"-(0d3FF0000000000000)", -1}};

LOOP_TEST(constants_are_doubles_too, 0, ROWS_OF(doubles))
{
    char text[256];
    double value;
    struct opened opened;
    snprintf(text, sizeof text, HEAD ".entry k() { .reg .f64 a; mov.f64 a, %s; ret; }", doubles[_i].text);
    const struct ptx_function *k = decode_k(&opened, text);
    memcpy(&value, &operand_of(k, 0, 1)->bits, sizeof value);
    ck_assert_msg(value == doubles[_i].value, "%s: %g", doubles[_i].text, value);
    ptx_close(opened.module);
}

static const struct {
    const char *name, *type;
    enum ptx_special special;
    uint64_t part;
} specials[] = {
    {"%tid.x", "u32", PTX_SPECIAL_TID, 0},
    {"%ctaid.z", "u32", PTX_SPECIAL_CTAID, 2},
    {"%ntid.w", "u16", PTX_SPECIAL_NTID, 3},
    {"%envreg31", "b32", PTX_SPECIAL_ENVREG, 31},
    {"%pm7", "u32", PTX_SPECIAL_PM, 7},
    {"%pm3_64", "u64", PTX_SPECIAL_PM64, 3},
    {"%clock64", "u64", PTX_SPECIAL_CLOCK64, 0},
    {"%lanemask_lt", "u32", PTX_SPECIAL_LANEMASK_LT, 0},
    {"%cluster_ctaid.y", "b32", PTX_SPECIAL_CLUSTER_CTAID, 1},
};

LOOP_TEST(special_registers_have_names_and_parts, 0, ROWS_OF(specials))
{
    char text[256];
    struct opened opened;
    snprintf(text, sizeof text, HEAD ".entry k() { .reg .%s a; mov.%s a, %s; ret; }", specials[_i].type,
             specials[_i].type, specials[_i].name);
    const struct ptx_function *k = decode_k(&opened, text);
    ck_assert_int_eq(operand_of(k, 0, 1)->kind, PTX_OPERAND_SPECIAL);
    ck_assert_uint_eq(operand_of(k, 0, 1)->index, specials[_i].special);
    ck_assert_uint_eq(operand_of(k, 0, 1)->bits, specials[_i].part);
    ptx_close(opened.module);
}

TEST(vectors_are_moved_part_by_part)
{
    struct opened opened;
    const struct ptx_function *k =
        decode_k(&opened, HEAD ".entry k() { .reg .v2 .f32 %v<2>; .reg .v4 .u32 t; .reg .f32 f; .reg .b32 r;\n"
                               "mov.v2.f32 %v1, {f, 1.5}; mov.v2.b32 {r, _}, %v1; mov.v4.u32 t, %tid;\n"
                               "mov.v2.u32 {t.y, t.r}, {%laneid, r}; st.local.v2.u32 [0], {r, f}; ret; }");
    ck_assert_uint_eq(k->operand[operand_of(k, 0, 0)->index + 1].index, 3);
    ck_assert_int_eq(k->operand[operand_of(k, 0, 1)->index + 1].kind, PTX_OPERAND_CONSTANT);
    ck_assert_int_eq(k->operand[operand_of(k, 1, 0)->index + 1].kind, PTX_OPERAND_SINK);
    const struct ptx_operand *y = k->operand + operand_of(k, 3, 0)->index;
    ck_assert(operand_of(k, 2, 1)->bits == 4 && y[0].index == 1 + y[1].index);
    for (uint32_t i = 0, id = operand_of(k, 2, 1)->index; i < 4; i++)
        ck_assert(k->operand[id + i].index == PTX_SPECIAL_TID && k->operand[id + i].bits == i);
    ptx_close(opened.module);
}

TEST(vector_registers_are_read_whole_and_in_parts)
{
    struct opened opened;
    const struct ptx_function *k =
        decode_k(&opened, HEAD ".entry k() { .reg .v4 .f32 %v<2>; .reg .b64 a; .reg .b32 r, s; .reg "
                               ".b16 h<4>;\n"
                               "ld.global.v4.f32 %v1, [a]; mov.f32 %v0.y, %v1.w; mov.b64 {r, s}, a;\n"
                               "mov.b32 r, {h0, h1}; mov.b64 a, {h0, h1, h2, 5}; ret; }");
    ck_assert_int_eq(operand_of(k, 0, 0)->kind, PTX_OPERAND_VECTOR);
    ck_assert_uint_eq(k->operand[operand_of(k, 0, 0)->index + 3].index, 7);
    ck_assert_uint_eq(operand_of(k, 1, 0)->index, 1);
    ck_assert_uint_eq(operand_of(k, 1, 1)->index, 7);
    ck_assert_uint_eq(operand_of(k, 4, 1)->bits, 4);
    ck_assert_uint_eq(k->operand[operand_of(k, 4, 1)->index + 3].bits, 5);
    ptx_close(opened.module);
}

TEST(what_a_module_may_hold_besides)
{
    struct opened opened = open_text(HEAD ".pragma \"a\", \"b\";\n/* a comment\n */ // another\n"
                                          ".weak .func one() .noreturn { trap; }\n.func two();\n.alias two, one;\n"
                                          ".common .global .u32 shared_by_all;\n.extern .global .u32 "
                                          "later;\n.visible .global .u32 later = 3;\n"
                                          ".global .attribute(.managed) .u32 m;\n"
                                          ".entry k() .reqntid 8, 4, 2 .maxnreg 64 .reqnctapercluster "
                                          "4 .blocksareclusters .language 7 { ret; }\n"
                                          ".nv_intermediate_source_section { .code_block { .ir_name: \"tile }\"\n"
                                          "%0 = f {a} : tile<?xf32>\n} }\n.global .u32 behind;");
    ck_assert_msg(opened.errors.count == 0, "%u: %s", opened.errors.item[0].line, opened.errors.item[0].message);
    ck_assert_uint_eq(opened.program->variables, 4);
    ck_assert_uint_eq(opened.program->variable[1].init[0], 3);
    ck_assert(opened.program->variable[2].is_managed);
    ck_assert(opened.program->function[0].tuning.is_noreturn && opened.program->function[1].has_body);
    const struct ptx_tuning *tuning = &opened.program->function[2].tuning;
    ck_assert(tuning->reqntid[1] == 4 && tuning->maxnreg == 64 && tuning->reqnctapercluster[0] == 4 &&
              tuning->blocks_are_clusters);
    ptx_close(opened.module);
}

LOOP_TEST(constants_are_those_of_c, 0, rows_count(EXPRESSIONS, NULL))
{
    const struct row *row = rows_at(EXPRESSIONS, NULL, _i);
    char text[256];
    struct opened opened;
    snprintf(text, sizeof text, HEAD ".entry k() { .reg .b64 a; mov.b64 a, %s; ret; }", row->field[0]);
    const struct ptx_function *k = decode_k(&opened, text);
    ck_assert_msg(operand_of(k, 0, 1)->bits == row_number(row, 1), "%s: %s: %llx, not %s", row->where, row->field[0],
                  (unsigned long long)operand_of(k, 0, 1)->bits, row->field[1]);
    ptx_close(opened.module);
}

TEST(floating_point_constants_take_the_width_of_the_instruction)
{
    struct opened opened;
    const struct ptx_function *k =
        decode_k(&opened, HEAD ".entry k() { .reg .f32 f; .reg .f64 d; mov.f32 f, 1.5; mov.f64 "
                               "d, 1.5; mov.f64 d, 0f3FC00000; "
                               "mov.f32 f, 0d3FF8000000000000; mov.f32 f, -1.5e0; mov.f32 f, "
                               "0f7fc00001; "
                               "mov.b32 f, 0f3F800000; mov.b64 d, 0d3FF0000000000000; ret; }");
    ck_assert_uint_eq(operand_of(k, 0, 1)->bits, 0x3fc00000);
    for (uint32_t i = 1; i < 3; i++) ck_assert_uint_eq(operand_of(k, i, 1)->bits, 0x3ff8000000000000);
    ck_assert_uint_eq(operand_of(k, 3, 1)->bits, 0x3fc00000);
    ck_assert_uint_eq(operand_of(k, 4, 1)->bits, 0xbfc00000);
    ck_assert_uint_eq(operand_of(k, 5, 1)->bits, 0x7fc00001);
    ck_assert_uint_eq(operand_of(k, 6, 1)->bits, 0x3f800000);
    ck_assert_uint_eq(operand_of(k, 7, 1)->bits, 0x3ff0000000000000);
    ptx_close(opened.module);
}

// As ptxas 13.0 reads it: the innermost declaration that has the number, whether it is of a range or of one register.
TEST(ranges_of_a_block_hide_the_numbers_that_they_have)
{
    static const uint32_t places[] = {2, 22, 3, 23, 31, 19, 7};
    struct opened opened;
    const struct ptx_function *k = decode_k(&opened, HEAD ".entry k() { .reg .b32 %r<20>; mov.u32 %r2, 0;\n"
                                                          "{ .reg .b32 %r<3>, %r7; mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
                                                          "mov.u32 %r7, 0; { .reg .b32 %r<9>; mov.u32 %r7, 0;\n"
                                                          "mov.u32 %r19, 0; } }\nmov.u32 %r7, 0; ret; }");
    for (uint32_t i = 0; i < ROWS_OF(places); i++) ck_assert_uint_eq(operand_of(k, i, 0)->index, places[i]);
    ptx_close(opened.module);
}

// So does ptxas 13.0: inline assembly without braces declares %p beside the compiler's %p<2>.
TEST(a_range_is_another_name_than_the_register_that_is_called_as_it)
{
    static const uint32_t places[] = {5, 2, 0, 1};
    struct opened opened;
    const struct ptx_function *k =
        decode_k(&opened, HEAD ".entry k() { .reg .b32 %r, %r<2>; .reg .b32 %p<2>, %p, %s;\n"
                               "mov.u32 %p, 0; mov.u32 %r1, 0; mov.u32 %r, 0; mov.u32 %r0, 0; ret; }");
    for (uint32_t i = 0; i < ROWS_OF(places); i++) ck_assert_uint_eq(operand_of(k, i, 0)->index, places[i]);
    ptx_close(opened.module);
}

TEST(labels_belong_to_their_block)
{
    struct opened opened;
    const struct ptx_function *k = decode_k(&opened, HEAD ".entry k() { .reg .pred p;\n"
                                                          "{ bra DONE; WAIT: @p bra WAIT; DONE: }\n"
                                                          "{ .reg .pred p; WAIT: @p bra WAIT; bra END; DONE: }\n"
                                                          "END: ret; }");
    ck_assert_uint_eq(operand_of(k, 0, 0)->index, 2);
    ck_assert_uint_eq(operand_of(k, 1, 0)->index, 1);
    ck_assert_uint_eq(operand_of(k, 2, 0)->index, 2);
    ck_assert_uint_eq(operand_of(k, 3, 0)->index, 4);
    ck_assert_uint_eq(k->instruction[1].guard, 0);
    ck_assert_uint_eq(k->instruction[2].guard, 1);
    ptx_close(opened.module);
}

TEST(branches_by_index_know_their_labels)
{
    struct opened opened;
    const struct ptx_function *k =
        decode_k(&opened, HEAD ".entry k() { .reg .u32 i; brx.idx i, LIST; LIST: .branchtargets A, B;\n"
                               "A: trap; B: ret; }");
    ck_assert_int_eq(operand_of(k, 0, 1)->kind, PTX_OPERAND_TARGETS);
    const struct ptx_targets *targets = &k->targets[operand_of(k, 0, 1)->index];
    ck_assert_uint_eq(targets->count, 2);
    ck_assert_uint_eq(targets->index[0], 1);
    ck_assert_uint_eq(targets->index[1], 2);
    ptx_close(opened.module);
}

TEST(variables_have_sizes_and_first_values)
{
    struct opened opened = open_text(HEAD ".extern .shared .align 128 .b8 dyn[];\n"
                                          ".global .align 8 .u16 a[2][3] = {{1, 2, 3}, {0x10004}};\n"
                                          ".global .u64 p[3] = {a, generic(a) + 8, 5};\n"
                                          ".const .f32 f[] = {1.0, 0f40000000, -0.5};\n"
                                          ".global .u8 bytes[8] = {0xFF(a), 0xFF00(a), 7};\n"
                                          ".visible .global .v2 .f32 v;");
    const struct ptx_variable *variable = opened.program->variable;
    ck_assert_uint_eq(opened.errors.count, 0);
    ck_assert_uint_eq(opened.program->variables, 6);
    ck_assert(variable[0].is_unsized && variable[0].align == 128 && variable[0].linkage == PTX_LINK_EXTERN);
    ck_assert_uint_eq(variable[1].bytes, 12);
    ck_assert_mem_eq(variable[1].init, "\x01\0\x02\0\x03\0\x04\0", 8);
    ck_assert_uint_eq(variable[1].init_bytes, 8);
    ck_assert_uint_eq(variable[2].relocations, 2);
    ck_assert(variable[2].relocation[1].is_generic && variable[2].relocation[1].add == 8 &&
              variable[2].relocation[1].offset == 8);
    ck_assert_uint_eq(variable[3].bytes, 12);
    ck_assert_mem_eq(variable[3].init, "\0\0\x80\x3f\0\0\0\x40\0\0\0\xbf", 12);
    ck_assert_uint_eq(variable[4].relocation[1].shift, 8);
    ck_assert_uint_eq(variable[4].relocation[1].bytes, 1);
    ck_assert_uint_eq(variable[5].bytes, 8);
    ptx_close(opened.module);
}

TEST(calls_pass_what_the_function_takes)
{
    struct opened opened;
    const struct ptx_function *k =
        decode_k(&opened, HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                               ".func (.reg .b32 r) twice(.reg .b32 a) { add.s32 r, a, a; ret; }\n"
                               ".entry k() { .reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
                               "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a+0], "
                               "%rd0; st.param.b64 [b], %rd1;\n"
                               "call.uni (r), vprintf, (a, b); ld.param.b32 %r1, [r+0]; }\n"
                               "call (%r2), twice, (%r1);\n"
                               "P: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b64 _);\n"
                               "{ .param .b64 a; .param .b64 b; .param .b32 r; call (r), %rd1, (a, b), "
                               "P; } ret; }");
    ck_assert_int_eq(operand_of(k, 2, 0)->kind, PTX_OPERAND_FUNCTION);
    ck_assert_uint_eq(operand_of(k, 2, 1)->bits, 1);
    ck_assert_uint_eq(operand_of(k, 2, 2)->bits, 2);
    const struct ptx_operand *argument = &k->operand[operand_of(k, 2, 2)->index];
    ck_assert_int_eq(argument->kind, PTX_OPERAND_VARIABLE);
    ck_assert_uint_eq(argument->index, 0 | PTX_OF_FUNCTION);
    ck_assert_int_eq(operand_of(k, 5, 3)->kind, PTX_OPERAND_TARGETS);
    ck_assert_uint_eq(k->targets[operand_of(k, 5, 3)->index].parameters, 2);
    ptx_close(opened.module);
}

TEST(addresses_of_parameters_and_vectors_of_one_are_values)
{
    struct opened opened;
    const struct ptx_function *k =
        decode_k(&opened, HEAD ".entry k(.param .align 64 .b8 map[128]) { .reg .b64 a; .reg .b32 r; "
                               "mov.b64 a, map;\n"
                               "ld.global.b32 { r }, [ a + 0 ]; st.global.b32 [ a + 4 ], { r }; ret; }");
    ck_assert_int_eq(operand_of(k, 0, 1)->kind, PTX_OPERAND_VARIABLE);
    ck_assert_int_eq(operand_of(k, 1, 0)->kind, PTX_OPERAND_REGISTER);
    ck_assert_int_eq(operand_of(k, 2, 1)->kind, PTX_OPERAND_REGISTER);
    ptx_close(opened.module);
}

TEST(elements_of_arrays_are_places)
{
    struct opened opened;
    const struct ptx_function *k =
        decode_k(&opened, HEAD ".global .u64 g[2][4]; .entry k() { .shared .align 8 .v2 .b32 s[8]; .reg .b64 a;\n"
                               "mov.u64 a, s[3]; ld.global.u64 a, g[5]; st.global.u64 g[-1+2], a;\n"
                               "cvta.global.u64 a, g[0x2]; ret; }");
    const struct ptx_operand *shared = operand_of(k, 0, 1), *load = operand_of(k, 1, 1), *store = operand_of(k, 2, 0);
    ck_assert(shared->kind == PTX_OPERAND_VARIABLE && shared->bits == 12);
    ck_assert(load->kind == PTX_OPERAND_AT_VARIABLE && load->index == 0 && load->bits == 40);
    ck_assert(store->kind == PTX_OPERAND_AT_VARIABLE && store->bits == 8);
    ck_assert(operand_of(k, 3, 1)->kind == PTX_OPERAND_VARIABLE && operand_of(k, 3, 1)->bits == 16);
    ptx_close(opened.module);
}

TEST(tuning_is_read)
{
    struct opened opened = open_text(HEAD ".visible .entry k(.param .u64 .ptr .global .align 16 p, "
                                          ".param .align 64 .b8 map[128])\n"
                                          ".maxntid 128, 2\n.minnctapersm 1\n.reqnctapercluster 2, "
                                          "1, 1\n.explicitcluster\n"
                                          ".pragma \"used_bytes_mask 0xff\";\n{ ret; }");
    const struct ptx_function *k = opened.program->function;
    ck_assert_uint_eq(opened.errors.count, 0);
    ck_assert(k->is_entry && k->linkage == PTX_LINK_VISIBLE && k->parameters == 2 && k->variable[0].is_pointer);
    ck_assert_uint_eq(k->variable[1].bytes, 128);
    ck_assert_uint_eq(k->variable[1].align, 64);
    ck_assert_uint_eq(k->tuning.maxntid[1], 2);
    ck_assert_uint_eq(k->tuning.maxntid[2], 1);
    ck_assert_uint_eq(k->tuning.reqnctapercluster[0], 2);
    ck_assert(k->tuning.is_explicit_cluster);
    ptx_close(opened.module);
}

TEST(locations_know_who_inlined_them)
{
    struct opened opened;
    const struct ptx_function *k =
        decode_k(&opened, HEAD ".entry k() {\n.loc 1 10 3\nmembar.gl;\n"
                               ".loc 2 20 5, function_name $L__info_string1, inlined_at 1 10 "
                               "3\nmembar.gl;\n"
                               ".loc 1 11 3\nret; }\n.file 1 \"/a/k.cu\"\n.file 2 \"/a/h.cuh\", 5, 6\n"
                               ".section .debug_str {\n$L__info_string0:\n.b8 "
                               "97,0\n$L__info_string1:\n.b8 98, 99\n.b8 0\n}\n");
    char name[32];
    const struct ptx_location *inner = &k->location[k->instruction[1].location];
    ck_assert_uint_eq(k->location[k->instruction[0].location].line, 10);
    ck_assert_uint_eq(inner->file, 2);
    ck_assert_uint_eq(inner->inlined_at, k->instruction[0].location);
    ck_assert_str_eq(ptx_location_function(opened.module, inner, name, sizeof name).at, "bc");
    ck_assert_int_eq(strncmp(ptx_file_name(opened.module, 2).at, "/a/h.cuh\"", 9), 0);
    ck_assert_uint_eq(ptx_file_name(opened.module, 3).length, 0);
    ptx_close(opened.module);
}

TEST(a_spelling_makes_choices)
{
    struct opened opened;
    const struct ptx_function *k = decode_k(&opened, HEAD ".entry k() { .reg .f32 %f<4>; .reg .b64 a; .reg .u32 s; "
                                                          ".reg .b32 %r<5>;\n"
                                                          "ld.global.L1::no_allocate.v2.f32 {%f0, %f1}, [a+16]; ld "
                                                          ".acquire .gpu.global.u32 s, [a];\n"
                                                          "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
                                                          "complete_tx::bytes [s], [a, {%r1, 2}], [s]; ret; }");
    const struct ptx_choice *first = &opened.program->op[k->instruction[0].op].choice;
    const struct ptx_choice *second = &opened.program->op[k->instruction[1].op].choice;
    ck_assert_str_eq(ptx_form_row(first->form)->name, "LD_EVICT");
    ck_assert_int_eq(first->word[PTX_CLASS_VECTOR], PTX_V2);
    ck_assert_int_eq(first->word[PTX_CLASS_L1], PTX_L1_NO_ALLOCATE);
    ck_assert_int_eq(first->type[0], PTX_TYPE_f32);
    ck_assert_str_eq(ptx_form_row(second->form)->name, "LD_RELAXED");
    ck_assert_int_eq(second->word[PTX_CLASS_ORDER], PTX_ACQUIRE);
    ck_assert_int_eq(second->word[PTX_CLASS_SCOPE], PTX_GPU);
    ck_assert_int_eq(operand_of(k, 0, 1)->kind, PTX_OPERAND_AT_REGISTER);
    ck_assert_uint_eq(operand_of(k, 0, 1)->bits, 16);
    ck_assert_int_eq(operand_of(k, 2, 2)->kind, PTX_OPERAND_VECTOR);
    ck_assert_uint_eq(k->operand[operand_of(k, 2, 2)->index + 1].bits, 2);
    ptx_close(opened.module);
}
