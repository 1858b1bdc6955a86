// SPDX-License-Identifier: MIT
// The suite `ptx_torn`: PTX that is cut off anywhere, or has something strange in the place of any one token, is
// refused there. The text has each thing that the front end reads.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "lexer.h"
#include "ptx_test.h"

static const char whole[] =
    "// a comment\n.version 8.5\n.target sm_90a, debug\n.address_size 64\n.file 1 \"a.cu\", 12, 34\n.pragma "
    "\"nounroll\", \"x\";\n"
    "/* another\n   one */ .extern .func (.param .b32 r) outer (.param .b64 a, .param .align 8 .b8 b[16]) "
    ".abi_preserve 4;\n"
    ".visible .global .align 8 .u32 managed;\n.weak .const .b32 table[2][3] = {{1, 2, 3}, {4, (5 "
    "+ 1) * -2, 7 > 3 ? 8 : 9}};\n"
    ".global .f32 floats[3] = {1.5, 0f3F800000, -0.5e+1};\n.global .f64 doubles[2] = {1., 0d3FF0000000000000};\n"
    ".global .u64 places[3] = {table, generic(table) + 4, 0xff(managed)};\n.global .b8 half = 0x7;\n"
    ".shared .align 16 .v4 .f32 quads[4];\n.extern .shared .b8 dynamic[];\n"
    ".func (.reg .b32 r) inner (.reg .b32 a, .reg .pred p)\n{\n@!p add.s32 r, a, 1;\nret.uni;\n}\n.func (.reg .b32 r) "
    "same (.reg .b32 a, .reg .pred p);\n.alias same, inner;\n"
    ".visible .entry k (.param .u64 .ptr .global .align 16 out, .param .align 8 .b8 pack[32])\n"
    ".maxntid 128, 2, 1 .minnctapersm 2 .reqnctapercluster 2, 1, 1\n{\n"
    ".reg .pred %p<3>;\n.reg .b32 %r<9>, x;\n.reg .b64 %d<4>;\n.reg .v2 .f32 w;\n.local .align 4 .b8 "
    "stack[64];\n.shared .b32 s[4];\n"
    ".loc 1 7 3\n.loc 1 8 2, function_name $L__info0 + 4, inlined_at 1 7 3\n"
    "ld.param.u64 %d1, [out + 0];\nld.param.v2.b32 {%r1, %r2}, [pack+(4*2)];\nmov.u32 x, %tid.x;\nmov.b64 %d2, {%r1, "
    "%r2};\n"
    "mov.f32 w.x, 0f3F800000;\nsetp.lt.and.s32 %p1|%p2, %r1, -5, !%p0;\n@%p1 bra.uni NEXT;\n{\n.reg .b32 y;\nmov.b32 "
    "y, s;\n"
    "st.shared.v2.u32 [y+8], {%r1, x};\n}\nNEXT: mov.u64 %d3, s[2];\nld.global.u32 %r3, [%d1+-4];\natom.global.add.u32 "
    "_, [%d1], 1;\n"
    "lists: .branchtargets NEXT, LAST;\nbrx.idx %r1, lists;\nproto: .callprototype (.param .b32 _) _ (.param .b64 _, "
    ".param .align 8 .b8 _[16]) .noreturn;\n"
    "also: .calltargets inner, same;\n{\n.param .b32 r;\n.param .b64 a;\n.param .align 8 .b8 b[16];\ncall (r), %d3, "
    "(a, b), proto;\ncall.uni (r), outer, (a, b);\n}\n"
    "call (x), inner, (%r1, %p1);\n.pragma \"nounroll\";\nwgmma.wait_group.sync.aligned 0;\nmov.b32 %r4, 1 << 2 | 3 ^ "
    "4 & 5 == 6 && 7 != 8 || 9 >= 1 % 2;\nLAST: ret;\n}\n"
    ".section .debug_str {\n$L__info0: .b8 97, 98, 0\n.b32 0x12\n.b64 $L__info0\n}\n";

static struct ptx_errors read_all(const char *text, size_t length)
{
    struct ptx_errors errors;
    struct ptx_module *module = ptx_open(text, length, (struct ptx_limits){0}, &errors);
    ck_assert_ptr_nonnull(module);
    for (uint32_t i = 0; errors.count == 0 && i < ptx_program(module)->functions; i++)
        if (ptx_program(module)->function[i].has_body) ptx_decode(module, i, &errors);
    ptx_close(module);
    return errors;
}

TEST(the_whole_is_read)
{
    struct ptx_errors errors = read_all(whole, strlen(whole));
    ck_assert_msg(errors.count == 0, "%u:%u: %s", errors.item[0].line, errors.item[0].column, errors.item[0].message);
}

// Where a place in the text is: the column counts from 1.
static void find(const char *text, const char *at, uint32_t *line, uint32_t *column)
{
    *line = *column = 1;
    for (; text < at; text++) *column = *text == '\n' ? 1 : *column + 1, *line += *text == '\n';
}

TEST(what_is_cut_off_is_refused_within_what_is_left)
{
    uint32_t line, column, refused = 0;
    for (size_t length = 1; length < strlen(whole); length++) {
        char *text = malloc(length); // what is read behind it, a sanitizer sees
        ck_assert_ptr_nonnull(memcpy(text, whole, length));
        struct ptx_errors errors = read_all(text, length);
        free(text);
        find(whole, whole + length, &line, &column);
        refused += errors.count > 0;
        if (errors.count > 0)
            ck_assert_msg(errors.item[0].line <= line && errors.item[0].column >= 1, "%zu: %u:%u: %s", length,
                          errors.item[0].line, errors.item[0].column, errors.item[0].message);
    }
    ck_assert_uint_gt(refused, strlen(whole) * 4 / 5);
}

// Braces may miss their other one anywhere; what a section holds is read by nobody but who asks for it.
static bool is_loose(const struct ptx_token *token)
{
    return strchr("{}", *token->at) != NULL || token->at > strstr(whole, ".section");
}

// The error is at the token, or, where this is a part of the instruction, at its beginning.
TEST(a_strange_token_is_refused_where_it_stands)
{
    struct ptx_lexer lexer = {whole, whole + strlen(whole), 1};
    char text[sizeof whole];
    for (struct ptx_token token = ptx_lexer_next(&lexer); token.kind != TOKEN_END; token = ptx_lexer_next(&lexer)) {
        uint32_t line, column;
        memcpy(text, whole, sizeof text);
        memset(text + (token.at - whole), '`', token.length);
        struct ptx_errors errors = read_all(text, strlen(text));
        const struct ptx_error *error = &errors.item[0];
        if (is_loose(&token)) continue;
        find(whole, token.at, &line, &column);
        ck_assert_msg(errors.count > 0, "%u:%u: '%.*s' may be anything", line, column, (int)token.length, token.at);
        ck_assert_msg(error->line == line && error->column <= column && error->length > 0,
                      "%u:%u: '%.*s' is strange, and the error is at %u:%u: %s", line, column, (int)token.length,
                      token.at, error->line, error->column, error->message);
    }
}
