// SPDX-License-Identifier: MIT
// The suite `ptx_mistake`: what the front end of PTX says of mistakes, and where; its limit of memory; the table of
// forms.
#include <stdio.h>

#include "ptx_test.h"

// --- What is wrong ---------------------------------------------------------------------------------------------------

static const struct {
    const char *body;
    uint32_t column;
    const char *message, *advice;
} mistakes[] = {
    {"add.s32 r, r;", 1, "operand 'b' is missing", "d=T a:T b:T"},
    {"add.s32 r, r, f;", 15, "expected a value of type .s32", ""},
    {"ad.s32 r, r, r;", 1, "'ad' is not a PTX instruction; did you mean", ""},
    {"add.s23 r, r, r;", 4, "'.s23' is not a PTX modifier; did you mean '.s2", ""},
    {"add .s23 r, r, r;", 1, "'.s23' is not a PTX modifier", ""},
    {"add.volatile.s32 r, r, r;", 4, "'add' does not take '.volatile' here", "A form of it is"},
    {"add r, r, r;", 1, "lacks a modifier", "A form of it is"},
    {"mov.b32 r, %nosuch;", 12, "no register '%nosuch'", ".reg"},
    {".reg .b32 %q1<20>; mov.b32 r, %q12;", 31, "no register '%q12'", ".reg"},
    {"mov.b32 r, nosuch;", 12, "not declared", ""},
    {"bra NOWHERE;", 5, "no label 'NOWHERE'", "inner block"},
    {"ld.global.u32 r, [a-4];", 20, "an offset begins with +", "+-4"},
    {"ld.global.u32 r, [r];", 19, "an address of 64 bits", ""},
    {"ld.global.v2.u32 r, [a];", 18, "expected a vector", ""},
    {"ld.shared.u32 r, [g];", 19, "the variable is in .global", ""},
    {"@r bra L;", 2, "not a predicate register", ".reg .pred"},
    {"pmevent 16;", 9, "the constant here is 0 to 15", ""},
    {"call nofunction;", 6, "no function 'nofunction'", ".extern"},
    {"call fn, (r);", 6, "the function has 0 parameters, the call 1", ""},
    {"tex.base.2d.v4.f32.f32 {f,f,f,f}, [a, {f,f}];", 1, "textures and surfaces", ""},
    {"tcgen05.wait::ld.sync.aligned;", 1, "sm_100", "sm_90a"},
    {"vadd.u32.u32.u32 r, r.b4, r;", 21, "no such part", ""},
    {"vadd.u32.u32.u32 r.b0, r, r;", 1, "the operand 'c' is missing", ""},
    {"vadd.u32.u32.u32.add r.b0, r, r, r;", 22, "no part of this operand", ""},
    {"vadd.u32.u32.u32 r, -r, r;", 21, "cannot be negated with -", ""},
    {"vadd4.u32.u32.u32 r, r.b3, r, r;", 22, "no such part", ""},
    {"vadd4.u32.u32.u32 r, r.b1024, r, r;", 22, "no such part", ""},
    {"vadd2.u32.u32.u32 r.h01, r, r, r;", 19, "no such part", ""},
    {"vmad.s32.s32.s32 r, -r, r, -r;", 28, "not both", ""},
    {"add.s32 r, r.h1, r;", 12, "no part of this operand", ""},
    {"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [r], r, r;", 67, "an address in brackets", ""},
    {"mov.b32 r, 1 / 0;", 14, "division by zero", ""},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f,f,f}, a, a, p, 1, "
     "1, 0, 0;",
     51, "wrong number of parts", ""},
    {"cvta.global.u64 a, k;", 20, "a value of type .u64", ""},
    {".reg .u32 u<2>; mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {f,f,f,f}, {u0,u1}, {r}, {f,f,f,f};", 80,
     "a value of type .b32", ""},
    {".reg .u32 u; mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32 {f,f,f,f}, {r,r}, {r}, {r,f,r,u};", 96,
     "a value of type .f32", ""},
    {"mov.b32 r, 1.5 % 2.0;", 16, "not an operator of floating-point", ""},
    {"mov.b32 r, (.u32)5;", 13, "a cast is", ""},
    {"mov.b32 r, 0b12;", 12, "expected a constant", ""},
    {"mov.b32 r, %tid;", 12, "expected one register", ""},
    {"mov.b32 r, %tid.x.y;", 18, "expected ';'", ""},
    {".reg .v2 .f32 w; mov.f32 w.z, f;", 26, "has 2 parts", ""},
    {".reg .v2 .f32 w; mov.f32 w, f;", 26, "expected one register", ""},
    {".reg .v2 .f32 w; mov.v2.f32 w, f;", 32, "expected a vector", ""},
    {".reg .v2 .f32 w; mov.v2.f32 w, {f};", 32, "the wrong number of parts", ""},
    {".reg .v2 .f32 w; mov.v2.f32 {_, _}, w;", 29, "only the sink _", ""},
    {".reg .v2 .u64 w; ld.global.u32 r, [w.x];", 36, "not an address", ""},
    {".reg .v2 .u32 w; st.global.v2.u32 [a], {w.x, 5};", 40, "beside a part", ""},
    {".reg .v2 .u32 w; vadd.u32.u32.u32 r, w.x, r;", 38, "no video instruction", ""},
    {".reg .v2 .u32 w; shfl.sync.idx.b32 w.x|p, r, 0, 31, -1;", 36, "cannot stand here", "of its own"},
    {".reg .v2 .pred w;", 6, "no vectors of predicates", ""},
    {".reg .v4 .b64 w;", 6, "at most 128 bits, this one 256", ""},
    {".reg .u32 u; st.global.v2.b32 [a], {f, u};", 40, "of one type", ""},
    {".reg .b16 h; ld.global.v2.u16 {h, r}, [a];", 35, "of one type", ""},
    {"cp.async.bulk.prefetch.tensor.1d.L2.global.tile [a+64, {r}];", 51, "a map has no offset", ""},
    {".extern .shared .b8 s[];", 1, "not a directive of a function's body", ""},
    {".shared .b8 s[2+2];", 16, "expected ']'", ""},
    {".param .v2 .b32 p2;", 17, "cannot be a vector", ""},
    {"mov.b64 a, {r, {r, r}};", 16, "expected a constant", ""},
    {"ld.global.u32 r, [LBL];", 19, "no variable 'LBL'", ""},
    {"ld.global.u32 r, [!p];", 19, "this is not an address", ""},
    {"ld.global.u32 r, [a+1.5];", 19, "an offset is an integer", ""},
    {"call k;", 6, ".entry cannot be called", ""},
    {"call r, P;", 6, "64 bits", ""},
    {"call a;", 6, "names a .callprototype", ""},
    {"call (r), fv, (fn);", 16, "this does not fit into parameters 1", ""},
    {"call (r), fv, (%tid.x);", 16, "this does not fit into parameters 1", ""},
    {"call (r), fv, (L);", 16, "this does not fit into parameters 1", ""},
    {"call L9;", 6, "no function 'L9'", ""},
    {"brx.idx r, NOLIST;", 12, "no list or prototype 'NOLIST'", ""},
    {"L: ret;", 1, "is defined twice", "block"},
    {".shared .b32 q = 5;", 16, "only .global and .const", ""},
    {".local .b32 q[99999999999999];", 15, "too many elements", ""},
    {".shared .b32 s; mov.b64 a, s[1];", 29, "only an array takes an index", ""},
    {".shared .b32 s[4]; mov.b64 a, s[%r1];", 33, "an array index must be a constant", "[%rd1]"},
    {".shared .b32 s[4]; mov.b64 a, s[1.0];", 31, "an index is an integer", ""},
    {".shared .b32 s[4]; ld.shared.b32 r, [s[1]];", 38, "this is not an address", ""},
    {".shared .b32 s[4]; atom.shared.add.u32 r, s[1], 1;", 43, "an address in brackets", ""},
    {".shared .b32 s[4]; add.u64 a, a, s[1];", 34, "a value of type .u64", ""},
    {".nosuch;", 1, "not a directive of a function's body", ""},
    {"@p 5;", 4, "expected an instruction", ""},
    {".reg .b32 x<99999999>;", 11, "registers", ""},
    {"trap r;", 6, "one operand too many", ""},
    {"not.pred p, !p|p;", 16, "too many", ""},
    {".reg .b33 q;", 6, "expected a type", ""},
    {".reg .b32 r;", 11, "'r' is declared twice", "block"},
    {".shared .align 3 .b32 q;", 16, "a power of two", ""},
    {"setmaxnreg.inc.sync.aligned.u32 100;", 33, "24 to 256, a multiple of 8", ""},
};

LOOP_TEST(a_mistake_is_shown_where_it_is, 0, ROWS_OF(mistakes))
{
    char text[512];
    snprintf(
        text, sizeof text,
        HEAD
        ".global .u32 g;\n.func fn() { ret; } .func (.reg .b32 o) fv(.reg .b32 i) { ret; }\n.entry k() { .reg .b32 "
        "r; .reg .f32 f; .reg .b64 a; .reg .pred "
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

static const struct {
    const char *text, *message;
} modules[] = {
    {"", "PTX begins with .version"},
    {".version 8\n", "a version such as 8.0"},
    {HEAD ".file x", "the number of a file"},
    {HEAD ".file 1 x", "expected a string, found 'x'"},
    {HEAD ".section .debug_str x", "expected '{'"},
    {HEAD ".section .debug_str { .b8 1", "the section does not end"},
    {HEAD ".alias a, b;", ".alias takes two functions"},
    {HEAD ".func k(.local .b32 a);", "expected .param or .reg"},
    {HEAD ".entry (.param .b32 r) k() { ret; }", "an .entry returns nothing"},
    {HEAD ".entry k() .reqntid 32, 0 { ret; }", "at least 1"},
    {HEAD ".entry k() .maxntid 0 { ret; }", "at least 1"},
    {HEAD ".entry k() .maxnreg 0 { ret; }", "at least 1"},
    {HEAD ".global .u32 k; .entry k() { ret; }", "declared twice"},
    {HEAD ".global .u32 a<4>;", "only registers are declared by number"},
    {HEAD ".global .u32 a = {{{1};", "expected a constant, found '{'"},
    {HEAD ".pragma x;", "expected a string"},
    {HEAD ".global .align 8 .align x", "an alignment"},
    {".version 10.0\n.target sm_90a\n", "newer than the versions"},
    {".version 8.0\n.target sm_100\n", "not for sm_100"},
    {".tmaref_later .version 9.0\n.target sm_100a\n", "not for sm_100a"},
    {".version 9.0\n.tmaref_later .target sm_100\n", "'.tmaref_later' is not a directive"},
    {".version 8.0\n.target sm_90a\n.address_size 32\n", "only .address_size 64"},
    {HEAD ".entry k() { ret;", "the body of 'k' does not end"},
    {HEAD ".entry k() { ret; } .entry k() { ret; }", "already has a body"},
    {HEAD ".global .u32 a = 1.5;", "a constant for .u32 is an integer"},
    {HEAD ".global .f32 a = 1;", "a constant for .f32 is a floating-point number"},
    {HEAD ".global .u32 a[2] = {1, 2, 3};", "3 values for 2 elements"},
    {HEAD ".global .u64 a = nosuch;", "there is no 'nosuch'"},
    {HEAD ".shared .u32 a = 1;", "only .global and .const"},
    {HEAD ".global .u32 a; .global .u32 a;", "declared twice"},
    {HEAD ".entry k() .maxntd 128 { ret; }", "not a directive of an .entry"},
    {HEAD ".nosuch;", "not a directive of a module"},
    {HEAD ".extern .func f(.param .b32 a); .func f(.param .b64 a) { ret; }", "has other parameters or results"},
    {HEAD ".extern .func f(.param .b32 a); .func f() { ret; }", "has other parameters or results"},
    {HEAD ".extern .func f(); .func (.param .b32 r) f() { ret; }", "has other parameters or results"},
    {HEAD ".func f() { ret; } .alias f, nosuch;", ".alias takes two functions"},
    {HEAD ".global .u32 g; .func f() { ret; } .alias f, g;", ".alias takes two functions"},
    {HEAD ".global .u32 g; .func f() { ret; } .alias g, f;", ".alias takes two functions"},
    {HEAD ".global .align 0 .b32 a;", "a power of two"},
    {HEAD ".func f(); .func g() { ret; } .alias g, f;", "declared without a body"},
    {HEAD ".func f(); .entry k() { ret; } .alias f, k;", "with a body above"},
    {HEAD ".func f(.param .b32 a); .func g() { ret; } .alias f, g;", "the parameters and results"},
    {HEAD ".file 1 \"a\"\n.file 1 \"b\"\n", "two files have this number"},
    {HEAD ".local .b32 a;", "a variable of a module is not in .local"},
    {HEAD ".common .const .b32 a;", "only .global variables are .common"},
    {HEAD ".const .attribute(.managed) .b32 a;", "only .global variables are managed"},
    {HEAD ".global .b32 a[];", "'a' has no size"},
    {HEAD ".global .b32 a[2][];", "only the first size"},
    {HEAD ".global .b32 a[1][1][1][1][1][1][1][1][1];", "more than 8 dimensions"},
    {HEAD ".extern .global .u32 a; .visible .global .b32 a;", "differs from its first declaration"},
    {HEAD ".extern .global .u32 a; .global .u32 a;", "not visible outside the module"},
    {HEAD ".extern .global .u32 a = 1;", "no initial value"},
    {HEAD ".global .f16 a = 1.0;", "has no initial value"},
    {HEAD ".global .u32 a[2] = 1;", "expected '{'"},
    {HEAD ".global .u32 a = {1};", "expected a constant"},
    {HEAD ".global .u32 a[2][2] = {1, 2};", "expected '{'"},
    {HEAD ".global .u32 a[2] = {1, };", "expected a constant"},
    {HEAD ".global .u32 a[] = {};", "the array has no elements"},
    {HEAD ".global .v2 .u32 a = {1};", "expected ','"},
    {HEAD ".global .u32 g; .global .b64 a = g;", "cannot hold an address"},
    {HEAD ".global .u32 g; .global .u8 a = g;", "cannot hold an address"},
    {HEAD ".global .u32 g; .global .u8 a = 0x1ff(g);", "a mask is one byte"},
    {HEAD ".shared .u32 s; .global .u64 a = s;", "only the address of a .global or .const variable"},
    {HEAD ".func f() { ret; } .global .u64 a = generic(f);", "not a function"},
    {HEAD ".func f() { ret; } .global .u64 a = f+4;", "an offset cannot be added"},
    {HEAD ".global .u32 g; .global .u64 a = g+1.0;", "only an integer may be added"},
    {HEAD ".global .u32 g; .global .u64 a = g-4;", "expected ';'"},
    {HEAD ".entry k(.reg .b32 a) { ret; }", "a parameter of an .entry is in .param"},
    {HEAD ".entry k(.param .v2 .f32 a) { ret; }", "a parameter cannot be a vector"},
    {HEAD ".func f(.param .u64 .ptr a) { ret; }", "may be .ptr"},
    {HEAD ".func (.param .b32 a, .param .b32 b) f() { ret; }", "each is in .reg"},
    {HEAD ".func f(.param .b8 a[], .param .b32 b) { ret; }", "only the last parameter"},
    {HEAD ".func f(.reg .b32 a[2]) { ret; }", "cannot be an array"},
    {HEAD ".func f(.param .b8 a[2][2]) { ret; }", "at most one dimension"},
    {HEAD ".func f() .maxntid 32 { ret; }", "not a directive of a .func"},
    {HEAD ".entry k() .noreturn { ret; }", "not a directive of an .entry"},
    {HEAD ".entry k() .maxntid 32;", "a kernel declared without a body"},
    {HEAD ".entry k() .maxntid 32 .reqntid 32 { ret; }", ".maxntid or .reqntid, not both"},
    {HEAD ".entry k() .maxclusterrank 2 .reqnctapercluster 2 { ret; }", ".reqnctapercluster, not both"},
    {HEAD ".entry k() .blocksareclusters { ret; }", "needs .reqntid"},
    {HEAD ".entry k() .maxnctapersm 1 { ret; }", "ended with PTX 2.0"},
    {HEAD ".func (.reg .b32 r) f() .noreturn { trap; }", "has no results"},
    {HEAD ".extern .func f() { ret; }", "has no body here"},
    {HEAD ".extern .func f(); .visible .func f() { ret; }", "another linkage"},
    {HEAD ".func f() { ret; } .func f();", "already has a body"},
    {HEAD ".global .b32 a[1.5];", "a plain number"},
    {".version 8.0\n.target sm_1a0\n", "not for sm_1a0"},
    {".version 800.0\n", "a version such as 8.0"},
    {".version x\n", "a version such as 8.0"},
    {HEAD ".const .b8 a[65537];", "'a': constant data with it has 65537 bytes, limit 65536"},
    {HEAD ".const .b8 a[40000]; .const .align 4 .b8 b[25533];\n.const .b8 c[4];",
     "'c': constant data with it has 65537 bytes, limit 65536"},
};

LOOP_TEST(a_module_that_is_wrong_is_refused, 0, ROWS_OF(modules))
{
    struct opened opened = open_text(modules[_i].text);
    ck_assert_msg(opened.errors.count > 0, "%s", modules[_i].text);
    ck_assert_msg(strstr(opened.errors.item[0].message, modules[_i].message) != NULL, "%s",
                  opened.errors.item[0].message);
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
