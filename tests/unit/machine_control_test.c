// SPDX-License-Identifier: MIT
// The suite `machine_control`: branches, strands, calls and ends of programs.
#include "machine_test.h"

// Where a loop changes memory the cluster runs on and on; the limit is kept to a warp's turn all the same.
TEST(the_limit_is_kept_closely)
{
    struct ran *ran = run_text(ENTRY "L: st.global.u32 [%rd0], %r1;\nbra L;\n}\n",
                               (struct launch_of){.grid = 4, .block = 64, .limits = {.instructions = 20000}});
    ck_assert_int_eq(ran->outcome.kind, MACHINE_LIMITED);
    ck_assert_uint_ge(ran->outcome.instructions, 20000);
    ck_assert_uint_le(ran->outcome.instructions, 25000);
}

TEST(each_thread_stores_its_number)
{
    struct ran *ran = run_well(ENTRY THREAD "st.global.u32 [%rd1], %r0;\nret;\n}\n", (struct launch_of){.block = 100});
    for (uint32_t i = 0; i < 4096; i++) ck_assert_uint_eq(ran->out[i], i < 100 ? i : 0);
}

// Threads loop as often as their number says; then each stores how often it did.
TEST(threads_of_a_warp_loop_differently_often)
{
    struct ran *ran = run_well(ENTRY THREAD "mov.u32 %r1, 0;\n"
                                            "LOOP: setp.ge.u32 %p0, %r1, %r0;\n@%p0 bra DONE;\n"
                                            "add.u32 %r1, %r1, 1;\nbra LOOP;\n"
                                            "DONE: add.u32 %r1, %r1, 1000;\nst.global.u32 [%rd1], %r1;\nret;\n}\n",
                               (struct launch_of){.block = 64});
    for (uint32_t i = 0; i < 64; i++) ck_assert_uint_eq(ran->out[i], 1000 + i);
    ck_assert_uint_lt(ran->outcome.instructions, 2 * 64 * 6);
}

// Lane 0 spins until lane 31 of the same warp has stored.
TEST(a_lane_spins_for_its_sibling)
{
    struct ran *ran = run_well(ENTRY THREAD "setp.eq.u32 %p0, %r0, 31;\n@%p0 bra SETS;\n"
                                            "SPIN: ld.volatile.global.u32 %r2, [%rd0+512];\n"
                                            "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra SPIN;\n"
                                            "bra DONE;\n"
                                            "SETS: mov.u32 %r2, 7;\nst.volatile.global.u32 [%rd0+512], %r2;\n"
                                            "DONE: st.global.u32 [%rd1], %r2;\nret;\n}\n",
                               (struct launch_of){.block = 32});
    for (uint32_t i = 0; i < 32; i++) ck_assert_uint_eq(ran->out[i], 7);
}

TEST(brx_picks_a_target_for_each_lane)
{
    struct ran *ran = run_well(ENTRY THREAD "and.b32 %r1, %r0, 3;\n"
                                            "T: .branchtargets A, B, C, D;\nbrx.idx %r1, T;\n"
                                            "A: mov.u32 %r2, 10;\nbra E;\nB: mov.u32 %r2, 11;\nbra E;\n"
                                            "C: mov.u32 %r2, 12;\nbra E;\nD: mov.u32 %r2, 13;\n"
                                            "E: st.global.u32 [%rd1], %r2;\nret;\n}\n",
                               (struct launch_of){.block = 32});
    for (uint32_t i = 0; i < 32; i++) ck_assert_uint_eq(ran->out[i], 10 + i % 4);
}

// A factorial, recursive, of each lane's number modulo 8, through .param.
static const char factorial[] =
    HEAD ".func (.param .b32 result) fact(.param .b32 n)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<8>;\n"
         "ld.param.u32 %r0, [n];\nsetp.lt.u32 %p0, %r0, 2;\n@%p0 bra ONE;\nsub.u32 %r1, %r0, 1;\n"
         "{\n.param .b32 p0;\n.param .b32 r0;\nst.param.b32 [p0], %r1;\ncall (r0), fact, (p0);\n"
         "ld.param.b32 %r2, [r0];\n}\nmul.lo.u32 %r3, %r2, %r0;\nst.param.b32 [result], %r3;\nret;\n"
         "ONE: st.param.b32 [result], 1;\nret;\n}\n"
         ".visible .entry k(.param .u64 out)\n{\n" REGISTERS THREAD "and.b32 %r1, %r0, 7;\n"
         "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r1;\ncall (b), fact, (a);\nld.param.b32 %r2, [b];\n}\n"
         "st.global.u32 [%rd1], %r2;\nret;\n}\n";

TEST(recursion_returns_lane_by_lane)
{
    static const uint32_t wanted[] = {1, 1, 2, 6, 24, 120, 720, 5040};
    struct ran *ran = run_well(factorial, (struct launch_of){.block = 40});
    for (uint32_t i = 0; i < 40; i++) ck_assert_uint_eq(ran->out[i], wanted[i % 8]);
}

TEST(a_recursion_without_end_fills_the_stack)
{
    struct ran *ran = run_text(HEAD ".file 1 \"deep.cu\"\n.func f()\n{\n.loc 1 7 0\ncall f;\nret;\n}\n"
                                    ".visible .entry k(.param .u64 out)\n{\n.loc 1 9 0\ncall f;\nret;\n}\n",
                               (struct launch_of){.block = 32});
    ck_assert_int_eq(ran->outcome.kind, MACHINE_FAULTED);
    ck_assert_int_eq(ran->outcome.cuda_error, 700);
    ck_assert_ptr_nonnull(strstr(ran->outcome.message, "stack"));
    ck_assert_ptr_nonnull(
        strstr(ran->outcome.message, "called, from the inside out, at deep.cu:7 (15 times), ..., deep.cu:9"));
}

// Odd lanes call one function by its address, even ones another; values go in registers.
TEST(an_indirect_call_goes_where_each_lane_says)
{
    struct ran *ran =
        run_well(HEAD ".func (.reg .b32 r) twice(.reg .b32 a)\n{\nadd.u32 r, a, a;\nret;\n}\n"
                      ".func (.reg .b32 r) square(.reg .b32 a)\n{\nmul.lo.u32 r, a, a;\nret;\n}\n"
                      ".visible .entry k(.param .u64 out)\n{\n" REGISTERS THREAD "and.b32 %r1, %r0, 1;\n"
                      "setp.eq.u32 %p0, %r1, 0;\nmov.u64 %rd2, twice;\nmov.u64 %rd3, square;\n"
                      "selp.b64 %rd4, %rd2, %rd3, %p0;\nP: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"
                      "call (%r2), %rd4, (%r0), P;\nst.global.u32 [%rd1], %r2;\nret;\n}\n",
                 (struct launch_of){.block = 32});
    for (uint32_t i = 0; i < 32; i++) ck_assert_uint_eq(ran->out[i], i % 2 ? i * i : 2 * i);
}

TEST(a_call_of_no_function_is_718)
{
    struct ran *ran = run_text(ENTRY "mov.u64 %rd2, 64;\nP: .callprototype _ ();\ncall %rd2, (), P;\nret;\n}\n",
                               (struct launch_of){0});
    ck_assert_int_eq(ran->outcome.kind, MACHINE_FAULTED);
    ck_assert_int_eq(ran->outcome.cuda_error, 718);
}

TEST(guards_let_lanes_pass)
{
    struct ran *ran = run_well(ENTRY THREAD "setp.lt.u32 %p0, %r0, 10;\nmov.u32 %r1, 1;\n@%p0 mov.u32 %r1, 2;\n"
                                            "@!%p0 st.global.u32 [%rd1], %r1;\n@%p0 exit;\n"
                                            "add.u32 %r1, %r1, 5;\nst.global.u32 [%rd1+512], %r1;\nret;\n}\n",
                               (struct launch_of){.block = 32});
    for (uint32_t i = 0; i < 32; i++) {
        ck_assert_uint_eq(ran->out[i], i < 10 ? 0 : 1);
        ck_assert_uint_eq(ran->out[i + 128], i < 10 ? 0 : 6);
    }
}

TEST(trap_ends_the_launch_and_says_where)
{
    struct ran *ran =
        run_text(ENTRY THREAD "setp.eq.u32 %p0, %r0, 37;\n@%p0 trap;\nret;\n}\n", (struct launch_of){.block = 64});
    ck_assert_int_eq(ran->outcome.kind, MACHINE_TRAPPED);
    ck_assert_uint_eq(ran->outcome.where.thread[0], 37);
    ck_assert_ptr_nonnull(strstr(ran->outcome.message, "@%p0 trap;"));
    ck_assert_ptr_null(strstr(ran->outcome.message, "cooperative"));
}

TEST(trap_of_a_grid_that_cannot_meet_names_the_launch_it_needs)
{
    struct ran *ran = run_text(ENTRY "mov.b32 %r1, %envreg2;\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 trap;\nret;\n}\n",
                               (struct launch_of){0});
    ck_assert_int_eq(ran->outcome.kind, MACHINE_TRAPPED);
    ck_assert_ptr_nonnull(strstr(ran->outcome.message, "The launch is not cooperative. If grid.sync() trapped"));
}

TEST(an_endless_loop_meets_the_limit)
{
    static const char counts[] = ENTRY "L: add.u32 %r0, %r0, 1;\nbra L;\n}\n";
    struct ran *ran = run_text(counts, (struct launch_of){.block = 32, .limits = {.instructions = 100000}});
    ck_assert_int_eq(ran->outcome.kind, MACHINE_LIMITED);
    ran = run_text(counts, (struct launch_of){.block = 32, .limits = {.seconds = 0.05}});
    ck_assert_int_eq(ran->outcome.kind, MACHINE_LIMITED);
}

// Of 67 instructions, and so at another one of them at the end of each turn.
TEST(a_loop_that_comes_back_to_its_state_hangs)
{
    static const char loop[] = ENTRY "L: mov.u32 %r0, 0;\nM: add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 22;\n"
                                     "@%p0 bra M;\nbra L;\n}\n";
    struct ran *ran = run_text(loop, (struct launch_of){.block = 96});
    ck_assert_int_eq(ran->outcome.kind, MACHINE_HUNG);
    ran = run_text(ENTRY "L: bra L;\n}\n", (struct launch_of){.block = 32});
    ck_assert_int_eq(ran->outcome.kind, MACHINE_HUNG);
}

// One lane reads a clock every 15 clocks, 7.5 ns; nanosleep sleeps as long as it says; and where shared memory ends. As
// an H200 (clock64 about every 15 clocks, 0x120, and 1172 for 40 static and 100 dynamic bytes).
TEST(clocks_and_ends_are_those_of_an_h200)
{
    struct ran *ran = run_well(
        ENTRY ".shared .align 8 .b8 fixed[40];\nmov.b32 %r9, fixed;\nmov.u32 %r0, 0;\nmov.u64 %rd1, %clock64;\n"
              "READ: mov.u64 %rd2, %clock64;\nadd.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, 1000;\n@%p0 bra READ;\n"
              "sub.u64 %rd2, %rd2, %rd1;\nst.global.u32 [%rd0], %rd2;\n"
              "mov.u64 %rd3, %globaltimer;\nnanosleep.u32 100000;\nmov.u64 %rd4, %globaltimer;\n"
              "sub.u64 %rd4, %rd4, %rd3;\nst.global.u32 [%rd0+4], %rd4;\nmov.u32 %r1, %aggr_smem_size;\n"
              "mov.u32 %r2, %reserved_smem_offset_end;\nst.global.u32 [%rd0+8], %r1;\nst.global.u32 [%rd0+12], "
              "%r2;\nret;\n}\n",
        (struct launch_of){.dynamic = 100});
    ck_assert_uint_eq(ran->out[0], 15000);
    ck_assert_uint_eq(ran->out[1], 100000);
    ck_assert_uint_eq(ran->out[2], 1172);
    ck_assert_uint_eq(ran->out[3], 0x120);
}
