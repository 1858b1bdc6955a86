// SPDX-License-Identifier: MIT
// How many registers are alive at once in a function of PTX (model/ptx/liveness.h).
#include "liveness.h"
#include "ptx_test.h"

#define ENTRY(body)                                                                                                    \
    HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %r<64>;\n"             \
         ".reg .b64 %rd<8>;\n.reg .f32 %f<16>;\n" body "}\n"

static const struct {
    const char *text;
    uint32_t words;
    const char *why;
} bodies[] = {
    {ENTRY("ret;\n"), 0, "nothing"},
    {ENTRY("mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;\nst.shared.u32 [%r2], %r1;\nret;\n"), 2, "two values at once"},
    {ENTRY("ld.param.u64 %rd1, [out];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, 7;\nst.shared.u32 [%rd2], "
           "%r1;\nret;\n"),
     0, "parameters and constants are read where they are"},
    {ENTRY("mov.u64 %rd1, %globaltimer;\nmov.u32 %r1, %tid.x;\nst.shared.u32 [%rd1], %r1;\nret;\n"), 3,
     "64 bits are two words"},
    {ENTRY("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nadd.u32 %r3, %r1, %r2;\nmov.u32 %r4, %tid.z;\n"
           "add.u32 %r5, %r3, %r4;\nst.shared.u32 [%r5], %r5;\nret;\n"),
     2, "a value that is not read any more makes room"},
    {ENTRY("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %tid.z;\nagain:\nadd.u32 %r1, %r1, %r2;\n"
           "setp.lt.u32 %p1, %r1, 9;\n@%p1 bra again;\nst.shared.u32 [%r3], %r1;\nret;\n"),
     3, "what a loop reads again is alive in all of it"},
    {ENTRY("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra other;\n"
           "mov.u32 %r3, %tid.z;\nadd.u32 %r2, %r2, %r3;\nst.shared.u32 [%r2], %r1;\nret;\n"
           "other:\nst.shared.u32 [%r1], %r1;\nret;\n"),
     3, "the more of two branches"},
    {ENTRY("mov.b64 %rd1, %globaltimer;\nmov.f32 %f0, 0f00000000;\nmov.f32 %f1, 0f00000000;\nmov.f32 %f2, 0f00000000;\n"
           "mov.f32 %f3, 0f00000000;\nwgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
           "{%f0, %f1, %f2, %f3}, %rd1, %rd1, 1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n"
           "wgmma.wait_group.sync.aligned 0;\nst.global.v4.f32 [%rd1], {%f0, %f1, %f2, %f3};\nret;\n"),
     6, "accumulators are read and written"},
    {ENTRY("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 mov.u32 %r2, 5;\n"
           "st.shared.u32 [%r2], %r1;\nret;\n"),
     2, "what is written under a guard"},
};

LOOP_TEST(values_that_are_read_later_are_counted, 0, ROWS_OF(bodies))
{
    struct opened opened = open_text(bodies[_i].text);
    ck_assert(ptx_decode(opened.module, 0, &opened.errors));
    const struct ptx_program *program = ptx_program(opened.module);
    ck_assert_msg(ptx_live_registers(program, &program->function[0], NULL, NULL) == bodies[_i].words, "%s: %u",
                  bodies[_i].why, ptx_live_registers(program, &program->function[0], NULL, NULL));
    ptx_close(opened.module);
}

static uint32_t ten(void *asked, uint32_t function)
{
    *(uint32_t *)asked = function;
    return 10;
}

TEST(a_call_needs_what_the_callee_needs_too)
{
    uint32_t asked = 9;
    struct opened opened = open_text(HEAD ".func (.reg .b32 %y) f(.reg .b32 %x)\n{\nadd.u32 %y, %x, 1;\nret;\n}\n"
                                          ".visible .entry k()\n{\n.reg .b32 %r<4>;\nmov.u32 %r1, %tid.x;\n"
                                          "mov.u32 %r2, %tid.y;\ncall (%r3), f, (%r2);\n"
                                          "st.shared.u32 [%r1], %r3;\nret;\n}\n");
    ck_assert(ptx_decode(opened.module, 1, &opened.errors));
    const struct ptx_program *program = ptx_program(opened.module);
    ck_assert_uint_eq(ptx_live_registers(program, &program->function[1], ten, &asked), 12);
    ck_assert_uint_eq(asked, 0);
    ptx_close(opened.module);
}
