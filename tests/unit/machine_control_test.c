// SPDX-License-Identifier: MIT
// The suite `machine_control`: branches, limits and ends of programs. Programs whose results alone say whether they ran
// as they should are in tests/machine/programs.calls, here and in the other suites of the machine.
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

TEST(a_call_of_no_function_is_718)
{
    struct ran *ran = run_text(ENTRY "mov.u64 %rd2, 64;\nP: .callprototype _ ();\ncall %rd2, (), P;\nret;\n}\n",
                               (struct launch_of){0});
    ck_assert_int_eq(ran->outcome.kind, MACHINE_FAULTED);
    ck_assert_int_eq(ran->outcome.cuda_error, 718);
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
