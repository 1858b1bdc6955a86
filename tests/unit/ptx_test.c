// SPDX-License-Identifier: MIT
// The suite `ptx`: what the front end makes of PTX, and what it says of mistakes. That it takes and refuses the
// instructions that ptxas does is the test unit.ptx-forms.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "ptx.h"

Suite *ptx_suite(void);

#define HEAD ".version 9.0\n.target sm_90a\n.address_size 64\n"

struct opened {
    struct ptx_module *module;
    const struct ptx_program *program;
    struct ptx_errors errors;
};

static struct opened open_text(const char *text)
{
    struct opened opened = {0};
    opened.module = ptx_open(text, strlen(text), (struct ptx_limits){0}, &opened.errors);
    ck_assert_ptr_nonnull(opened.module);
    opened.program = ptx_program(opened.module);
    return opened;
}

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

START_TEST(registers_are_numbered_within_their_file)
{
    struct opened opened;
    const struct ptx_function *k =
        decode_k(&opened, HEAD
                 ".entry k() { .reg .b32 %r<5>, x; .reg .f32 %f<3>; .reg .b64 %rd<2>; .reg .pred %p<2>; .reg .u16 h;\n"
                 "add.s32 %r4, x, 7; mul.f32 %f1, %f2, 0f3F800000; @!%p1 mov.b64 %rd1, -2; mov.u16 h, 65537; ret; }");
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
END_TEST

static const struct {
    const char *text;
    uint64_t bits;
} constants[] = {
    {"12", 12},
    {"0x1F", 31},
    {"0b101", 5},
    {"017", 15},
    {"12U", 12},
    {"-1", UINT64_MAX},
    {"1 + 2 * 3", 7},
    {"(1 + 2) * 3", 9},
    {"1 << 40", (uint64_t)1 << 40},
    {"-7 / 2", (uint64_t)-3},
    {"-7 % 4", (uint64_t)-3},
    {"7 > 3 ? 10 : 20", 10},
    {"~0", UINT64_MAX},
    {"!5", 0},
    {"0x10 | 1 ^ 3", 0x12},
    {"5 == 5 && 2 != 2", 0},
    {"WARP_SZ", 32},
    {"(.u64)-1 >> 60", 15},
    {"-1 >> 60", UINT64_MAX},
    {"0xffffffffffffffff", UINT64_MAX},
    {"1 ? 2 : 3 ? 4 : 5", 2},
};

START_TEST(constants_are_those_of_c)
{
    char text[256];
    struct opened opened;
    snprintf(text, sizeof text, HEAD ".entry k() { .reg .b64 a; mov.b64 a, %s; ret; }", constants[_i].text);
    const struct ptx_function *k = decode_k(&opened, text);
    ck_assert_msg(operand_of(k, 0, 1)->bits == constants[_i].bits, "%s: %llx", constants[_i].text,
                  (unsigned long long)operand_of(k, 0, 1)->bits);
    ptx_close(opened.module);
}
END_TEST

START_TEST(floating_point_constants_take_the_width_of_the_instruction)
{
    struct opened opened;
    const struct ptx_function *k = decode_k(
        &opened, HEAD ".entry k() { .reg .f32 f; .reg .f64 d; mov.f32 f, 1.5; mov.f64 d, 1.5; mov.f64 d, 0f3FC00000; "
                      "mov.f32 f, 0d3FF8000000000000; mov.f32 f, -1.5e0; mov.f32 f, 0f7fc00001; "
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
END_TEST

START_TEST(labels_belong_to_their_block)
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
END_TEST

START_TEST(branches_by_index_know_their_labels)
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
END_TEST

START_TEST(variables_have_sizes_and_first_values)
{
    struct opened opened = open_text(HEAD ".extern .shared .align 128 .b8 dyn[];\n"
                                          ".global .align 8 .u16 a[2][3] = {{1, 2, 3}, {0x10004}};\n"
                                          ".global .u64 p[3] = {a, generic(a) + 8, 5};\n"
                                          ".const .f32 f[] = {1.0, 0f40000000, -0.5};\n"
                                          ".global .b8 bytes[8] = {0xFF(a), 0xFF00(a), 7};\n"
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
END_TEST

START_TEST(calls_pass_what_the_function_takes)
{
    struct opened opened;
    const struct ptx_function *k =
        decode_k(&opened, HEAD
                 ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                 ".func (.reg .b32 r) twice(.reg .b32 a) { add.s32 r, a, a; ret; }\n"
                 ".entry k() { .reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
                 "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a+0], %rd0; st.param.b64 [b], %rd1;\n"
                 "call.uni (r), vprintf, (a, b); ld.param.b32 %r1, [r+0]; }\n"
                 "call (%r2), twice, (%r1);\n"
                 "P: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b64 _);\n"
                 "{ .param .b64 a; .param .b64 b; .param .b32 r; call (r), %rd1, (a, b), P; } ret; }");
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
END_TEST

START_TEST(addresses_of_parameters_and_vectors_of_one_are_values)
{
    struct opened opened;
    const struct ptx_function *k =
        decode_k(&opened, HEAD ".entry k(.param .align 64 .b8 map[128]) { .reg .b64 a; .reg .b32 r; mov.b64 a, map;\n"
                               "ld.global.b32 { r }, [ a + 0 ]; st.global.b32 [ a + 4 ], { r }; ret; }");
    ck_assert_int_eq(operand_of(k, 0, 1)->kind, PTX_OPERAND_VARIABLE);
    ck_assert_int_eq(operand_of(k, 1, 0)->kind, PTX_OPERAND_REGISTER);
    ck_assert_int_eq(operand_of(k, 2, 1)->kind, PTX_OPERAND_REGISTER);
    ptx_close(opened.module);
}
END_TEST

START_TEST(tuning_is_read)
{
    struct opened opened =
        open_text(HEAD ".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 64 .b8 map[128])\n"
                       ".maxntid 128, 2\n.minnctapersm 1\n.reqnctapercluster 2, 1, 1\n.explicitcluster\n"
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
END_TEST

START_TEST(locations_know_who_inlined_them)
{
    struct opened opened;
    const struct ptx_function *k = decode_k(
        &opened, HEAD ".entry k() {\n.loc 1 10 3\nmembar.gl;\n"
                      ".loc 2 20 5, function_name $L__info_string1, inlined_at 1 10 3\nmembar.gl;\n"
                      ".loc 1 11 3\nret; }\n.file 1 \"/a/k.cu\"\n.file 2 \"/a/h.cuh\", 5, 6\n"
                      ".section .debug_str {\n$L__info_string0:\n.b8 97,0\n$L__info_string1:\n.b8 98, 99\n.b8 0\n}\n");
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
END_TEST

START_TEST(a_spelling_makes_choices)
{
    struct opened opened;
    const struct ptx_function *k = decode_k(
        &opened, HEAD
        ".entry k() { .reg .f32 %f<4>; .reg .b64 a; .reg .u32 s; .reg .b32 %r<5>;\n"
        "ld.global.L1::no_allocate.v2.f32 {%f0, %f1}, [a+16]; ld .acquire .gpu.global.u32 s, [a];\n"
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [s], [a, {%r1, 2}], [s]; ret; }");
    const struct ptx_choice *first = &opened.program->op[k->instruction[0].op].choice;
    const struct ptx_choice *second = &opened.program->op[k->instruction[1].op].choice;
    ck_assert_int_eq(first->form, PTX_FORM_LD_EVICT);
    ck_assert_int_eq(first->word[PTX_CLASS_VECTOR], PTX_V2);
    ck_assert_int_eq(first->word[PTX_CLASS_L1], PTX_L1_NO_ALLOCATE);
    ck_assert_int_eq(first->type[0], PTX_TYPE_f32);
    ck_assert_int_eq(second->form, PTX_FORM_LD_RELAXED);
    ck_assert_int_eq(second->word[PTX_CLASS_ORDER], PTX_ACQUIRE);
    ck_assert_int_eq(second->word[PTX_CLASS_SCOPE], PTX_GPU);
    ck_assert_int_eq(operand_of(k, 0, 1)->kind, PTX_OPERAND_AT_REGISTER);
    ck_assert_uint_eq(operand_of(k, 0, 1)->bits, 16);
    ck_assert_int_eq(operand_of(k, 2, 2)->kind, PTX_OPERAND_VECTOR);
    ck_assert_uint_eq(k->operand[operand_of(k, 2, 2)->index + 1].bits, 2);
    ptx_close(opened.module);
}
END_TEST

// --- What is wrong ---------------------------------------------------------------------------------------------------

static const struct {
    const char *body;
    uint32_t column;
    const char *message, *advice;
} mistakes[] = {
    {"add.s32 r, r;", 1, "operand 'b' is missing", "d=T a:T b:T"},
    {"add.s32 r, r, f;", 15, "a value of .s32 is wanted", ""},
    {"ad.s32 r, r, r;", 1, "'ad' is no instruction of PTX; did you mean", ""},
    {"add.s23 r, r, r;", 4, "'.s23' is no modifier of PTX; did you mean '.s2", ""},
    {"add .s23 r, r, r;", 1, "'.s23' is no modifier of PTX", ""},
    {"add.volatile.s32 r, r, r;", 4, "'add' does not take '.volatile' here", "A form of it is"},
    {"add r, r, r;", 1, "lacks a modifier", "A form of it is"},
    {"mov.b32 r, %nosuch;", 12, "no register '%nosuch'", ".reg"},
    {"mov.b32 r, nosuch;", 12, "not declared", ""},
    {"bra NOWHERE;", 5, "no label 'NOWHERE'", "inner block"},
    {"ld.global.u32 r, [a-4];", 20, "an offset begins with +", "+-4"},
    {"ld.global.u32 r, [r];", 18, "an address of 64 bits", ""},
    {"ld.global.v2.u32 r, [a];", 18, "a vector in braces", ""},
    {"ld.shared.u32 r, [g];", 18, "the variable is in .global", ""},
    {"@r bra L;", 2, "no predicate register", ".reg .pred"},
    {"pmevent 16;", 9, "the constant here is 0 to 15", ""},
    {"call nofunction;", 6, "no function 'nofunction'", ".extern"},
    {"call fn, (r);", 6, "the function has 0 parameters, the call 1", ""},
    {"tex.2d.v4.f32.f32 {f,f,f,f}, [a, {f,f}];", 1, "textures and surfaces", ""},
    {"tcgen05.wait::ld.sync.aligned;", 1, "sm_100", "sm_90a"},
    {"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [r], r, r;", 67, "an address in brackets", ""},
    {"mov.b32 r, 1 / 0;", 14, "division by zero", ""},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f,f,f}, a, a, p, 1, 1, 0, 0;", 51, "wrong number of parts",
     ""},
    {".reg .b33 q;", 6, "a type is wanted here", ""},
    {".reg .b32 r;", 11, "'r' is declared twice", "block"},
    {".shared .align 3 .b32 q;", 16, "a power of two", ""},
    {"setmaxnreg.inc.sync.aligned.u32 100;", 33, "24 to 256, a multiple of 8", ""},
};

START_TEST(a_mistake_is_shown_where_it_is)
{
    char text[512];
    snprintf(text, sizeof text,
             HEAD
             ".global .u32 g;\n.func fn() { ret; }\n.entry k() { .reg .b32 r; .reg .f32 f; .reg .b64 a; .reg .pred "
             "p; L:\n%s\nret; }",
             mistakes[_i].body);
    struct opened opened = open_text(text);
    int k = ptx_function_find(opened.module, "k");
    ck_assert_uint_eq(opened.errors.count, 0);
    ck_assert(!ptx_decode(opened.module, (uint32_t)k, &opened.errors));
    const struct ptx_error *error = &opened.errors.item[0];
    ck_assert_msg(opened.errors.count == 1, "%s: %u errors", mistakes[_i].body, opened.errors.count);
    ck_assert_msg(error->line == 7 && error->column == mistakes[_i].column, "%s: %u:%u: %s", mistakes[_i].body,
                  error->line, error->column, error->message);
    ck_assert_msg(strstr(error->message, mistakes[_i].message) != NULL, "%s: %s", mistakes[_i].body, error->message);
    ck_assert_msg(strstr(error->advice, mistakes[_i].advice) != NULL, "%s: %s", mistakes[_i].body, error->advice);
    ptx_close(opened.module);
}
END_TEST

static const struct {
    const char *text, *message;
} modules[] = {
    {"", "PTX begins with .version"},
    {".version 10.0\n.target sm_90a\n", "newer than the versions"},
    {".version 8.0\n.target sm_100\n", "not for sm_100"},
    {".version 8.0\n.target sm_90a\n.address_size 32\n", "only .address_size 64"},
    {HEAD ".entry k() { ret;", "the body of 'k' does not end"},
    {HEAD ".entry k() { ret; } .entry k() { ret; }", "two bodies"},
    {HEAD ".global .u32 a = 1.5;", "a constant for .u32 is an integer"},
    {HEAD ".global .f32 a = 1;", "a constant for .f32 is a floating-point number"},
    {HEAD ".global .u32 a[2] = {1, 2, 3};", "3 values for 2 elements"},
    {HEAD ".global .u64 a = nosuch;", "there is no 'nosuch'"},
    {HEAD ".shared .u32 a = 1;", "only .global and .const"},
    {HEAD ".global .u32 a; .global .u32 a;", "declared twice"},
    {HEAD ".entry k() .maxntd 128 { ret; }", "no directive of a function"},
    {HEAD ".nosuch;", "no directive of a module"},
    {HEAD ".extern .func f(.param .b32 a); .func f(.param .b64 a) { ret; }", "takes or returns something else"},
};

START_TEST(a_module_that_is_wrong_is_refused)
{
    struct opened opened = open_text(modules[_i].text);
    ck_assert_msg(opened.errors.count > 0, "%s", modules[_i].text);
    ck_assert_msg(strstr(opened.errors.item[0].message, modules[_i].message) != NULL, "%s",
                  opened.errors.item[0].message);
    ptx_close(opened.module);
}
END_TEST

START_TEST(memory_has_a_limit)
{
    static const char text[] =
        HEAD ".global .b8 a[1000000] = {1,2,3};\n.entry k() { .reg .b32 r; add.s32 r, r, r; ret; }";
    struct ptx_errors errors;
    for (size_t bytes = 1; bytes < 400000; bytes += bytes / 3 + 1) {
        struct ptx_module *module = ptx_open(text, sizeof text - 1, (struct ptx_limits){bytes}, &errors);
        int k = ptx_function_find(module, "k");
        if (errors.count == 0 && k >= 0) ptx_decode(module, (uint32_t)k, &errors);
        if (errors.count > 0) ck_assert_ptr_nonnull(strstr(errors.item[0].message, "more memory than the limit"));
        ptx_close(module);
    }
}
END_TEST

// Each slot of each row names words that there are, and operands that make sense.
START_TEST(the_table_of_forms_is_sound)
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
END_TEST

Suite *ptx_suite(void)
{
    Suite *suite = suite_create("ptx");
    TCase *reads = tcase_create("reads"), *refuses = tcase_create("refuses");
    tcase_add_test(reads, registers_are_numbered_within_their_file);
    tcase_add_loop_test(reads, constants_are_those_of_c, 0, sizeof constants / sizeof constants[0]);
    tcase_add_test(reads, floating_point_constants_take_the_width_of_the_instruction);
    tcase_add_test(reads, labels_belong_to_their_block);
    tcase_add_test(reads, branches_by_index_know_their_labels);
    tcase_add_test(reads, variables_have_sizes_and_first_values);
    tcase_add_test(reads, calls_pass_what_the_function_takes);
    tcase_add_test(reads, addresses_of_parameters_and_vectors_of_one_are_values);
    tcase_add_test(reads, tuning_is_read);
    tcase_add_test(reads, locations_know_who_inlined_them);
    tcase_add_test(reads, a_spelling_makes_choices);
    tcase_add_loop_test(refuses, a_mistake_is_shown_where_it_is, 0, sizeof mistakes / sizeof mistakes[0]);
    tcase_add_loop_test(refuses, a_module_that_is_wrong_is_refused, 0, sizeof modules / sizeof modules[0]);
    tcase_add_test(refuses, memory_has_a_limit);
    tcase_add_loop_test(refuses, the_table_of_forms_is_sound, 0, PTX_FORMS);
    suite_add_tcase(suite, reads);
    suite_add_tcase(suite, refuses);
    return suite;
}
