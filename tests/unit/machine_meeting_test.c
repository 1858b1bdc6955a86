// SPDX-License-Identifier: MIT
// The suite `machine_meeting`: lanes and threads that wait for each other, clusters, special registers, hangs.
#include "machine_test.h"
#include "rules/setmaxnreg.h"

// The two arms of a branch meet at shuffles, votes and reductions of different places, with registers of their own.
// An H200 does so (driver 580.159.04).
TEST(lanes_meet_at_instructions_of_one_kind)
{
    static const enum machine_policy policies[] = {MACHINE_DEFAULT, MACHINE_LATE, MACHINE_SHUFFLED};
    for (uint32_t i = 0; i < 3; i++) {
        struct ran *ran =
            run_well(ENTRY THREAD "setp.lt.u32 %p0, %r0, 16;\n@%p0 bra LOW;\nadd.u32 %r1, %r0, 100;\n"
                                  "shfl.sync.down.b32 %r2, %r1, 1, 31, -1;\nredux.sync.add.u32 %r1, 2, -1;\n"
                                  "vote.sync.ballot.b32 %r3, 1, -1;\nbra DONE;\n"
                                  "LOW: shfl.sync.down.b32 %r0|%p1, %r0, 1, 31, -1;\nmov.u32 %r2, %r0;\n"
                                  "redux.sync.add.u32 %r1, 3, -1;\nvote.sync.ballot.b32 %r3, 0, -1;\n"
                                  "DONE: mad.lo.u32 %r2, %r2, 1000, %r1;\nxor.b32 %r2, %r2, %r3;\n"
                                  "st.global.u32 [%rd1], %r2;\nret;\n}\n",
                     (struct launch_of){.block = 32, .schedule = {.policy = policies[i], .seed = 1}});
        for (uint32_t k = 0; k < 32; k++) {
            const uint32_t next = k < 31 ? k + 1 : k;
            ck_assert_uint_eq(ran->out[k], (((next < 16 ? next : next + 100) * 1000 + 80) ^ 0xffff0000));
        }
    }
}

// A producer warp and a consumer warp hand 20 numbers over through one word and two named barriers.
TEST(named_barriers_hand_over)
{
    static const uint32_t seeds[] = {1, 2, 3, 4};
    for (uint32_t i = 0; i < 4; i++) {
        struct ran *ran = run_well(
            HEAD ".shared .align 4 .b32 s;\n.visible .entry k(.param .u64 out)\n{\n" REGISTERS THREAD
                 "mov.u32 %r1, 0;\nmov.u32 %r5, 0;\nsetp.ge.u32 %p0, %r0, 32;\n@%p0 bra TAKE;\n"
                 "GIVE: st.shared.u32 [s], %r1;\nbar.arrive 1, 64;\nbar.sync 2, 64;\nadd.u32 %r1, %r1, 1;\n"
                 "setp.lt.u32 %p1, %r1, 20;\n@%p1 bra GIVE;\nret;\n"
                 "TAKE: bar.sync 1, 64;\nld.shared.u32 %r2, [s];\nmad.lo.u32 %r5, %r5, 3, %r2;\nbar.arrive 2, 64;\n"
                 "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 20;\n@%p1 bra TAKE;\n"
                 "st.global.u32 [%rd1], %r5;\nret;\n}\n",
            (struct launch_of){.block = 64, .schedule = {.policy = MACHINE_SHUFFLED, .seed = seeds[i]}});
        uint32_t wanted = 0;
        for (uint32_t k = 0; k < 20; k++) wanted = wanted * 3 + k;
        for (uint32_t k = 32; k < 64; k++) ck_assert_uint_eq(ran->out[k], wanted);
    }
}

// --- The grid --------------------------------------------------------------------------------------------------------

// A barrier of the whole grid, built of an atomic and a spin: CTAs that wait let others begin.
TEST(ctas_wait_for_each_other)
{
    static const uint32_t threads[] = {1, 3};
    for (uint32_t i = 0; i < 2; i++) {
        struct ran *ran = run_well(
            ENTRY "mov.u32 %r0, %ctaid.x;\nmul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd0, %rd1;\n"
                  "atom.global.add.u32 %r1, [%rd0+8192], 1;\n"
                  "SPIN: ld.acquire.gpu.global.u32 %r2, [%rd0+8192];\nsetp.lt.u32 %p0, %r2, 50;\n@%p0 bra SPIN;\n"
                  "st.global.u32 [%rd1], %r2;\nret;\n}\n",
            (struct launch_of){.grid = 50, .block = 1, .schedule = {.threads = threads[i]}});
        for (uint32_t k = 0; k < 50; k++) ck_assert_uint_eq(ran->out[k], 50);
    }
}

TEST(the_seed_makes_the_run)
{
    uint32_t first[64];
    for (uint32_t i = 0; i < 3; i++) {
        struct ran *ran =
            run_well(ENTRY THREAD "atom.global.add.u32 %r1, [%rd0+8192], 1;\n"
                                  "atom.global.add.u32 %r2, [%rd0+8192], 1;\n"
                                  "mad.lo.u32 %r1, %r1, 1000, %r2;\nst.global.u32 [%rd1], %r1;\nret;\n}\n",
                     (struct launch_of){.block = 64, .schedule = {MACHINE_SHUFFLED, 5, i}});
        if (i == 0) memcpy(first, ran->out, sizeof first);
        ck_assert_mem_eq(first, ran->out, sizeof first);
    }
}

#define BOUNDED(bounds) HEAD ".visible .entry k(.param .u64 out)\n" bounds "\n{\n" REGISTERS

// The first warpgroup gives registers back, for which the second waits.
TEST(setmaxnreg_waits_for_the_pool)
{
    struct ran *ran = run_well(BOUNDED(".maxntid 256\n.maxnreg 168") THREAD
                               "griddepcontrol.wait;\nsetp.ge.u32 %p0, %r0, 128;\n@%p0 bra MORE;\n"
                               "setmaxnreg.dec.sync.aligned.u32 40;\nbra DONE;\n"
                               "MORE: setmaxnreg.inc.sync.aligned.u32 248;\n"
                               "DONE: st.global.u32 [%rd1], 1;\ngriddepcontrol.launch_dependents;\nret;\n}\n",
                               (struct launch_of){.block = 256});
    for (uint32_t i = 0; i < 256; i++) ck_assert_uint_eq(ran->out[i], 1);
    ran = run_text(BOUNDED(".maxnreg 128") "setmaxnreg.inc.sync.aligned.u32 64;\n"
                                           "setmaxnreg.inc.sync.aligned.u32 40;\nret;\n}\n",
                   (struct launch_of){.block = 128});
    ck_assert_int_eq(ran->outcome.rule, RULE_SETMAXNREG_INC_BELOW);
}

// What nvcc 13.0 makes of launch bounds: it says of the first four, and of a .minnctapersm that no SM has, that it
// ignores setmaxnreg (C7508). The others start with the least of what the bounds leave and of what the kernel asks for.
static const struct {
    const char *text;
    enum rule rule;
} bounds[] = {
#define ASKS(bounds, asked) BOUNDED(bounds) asked "ret;\n}\n"
#define INC(count)          "setmaxnreg.inc.sync.aligned.u32 " #count ";\n"
#define DEC(count)          "setmaxnreg.dec.sync.aligned.u32 " #count ";\n"
    {ASKS("", INC(40) INC(24)), RULE_OK},
    {ASKS(".maxntid 256", INC(40) INC(24)), RULE_OK},
    {ASKS(".reqntid 256", INC(40) INC(24)), RULE_OK},
    {ASKS(".minnctapersm 1", INC(40) INC(24)), RULE_OK},
    {ASKS(".maxntid 256\n.minnctapersm 1", INC(232)), RULE_OK},
    {ASKS(".maxntid 256\n.minnctapersm 1", INC(232) INC(224)), RULE_SETMAXNREG_INC_BELOW},
    {ASKS(".reqntid 256\n.minnctapersm 1", INC(208) DEC(216)), RULE_SETMAXNREG_DEC_ABOVE},
    {ASKS(".maxntid 256\n.minnctapersm 1", DEC(248) DEC(40)), RULE_OK},
    {ASKS(".maxntid 512\n.minnctapersm 1", DEC(136)), RULE_SETMAXNREG_DEC_ABOVE},
    {ASKS(".maxnreg 168", DEC(176)), RULE_SETMAXNREG_DEC_ABOVE},
    {ASKS(".maxnreg 168", DEC(168)), RULE_OK},
    {ASKS(".maxnreg 236", INC(240) INC(232)), RULE_SETMAXNREG_INC_BELOW},
    {ASKS(".maxnreg 255", INC(256)), RULE_OK},
    {ASKS(".maxnreg 256", INC(256) DEC(256)), RULE_OK},
    {ASKS(".maxntid 1024\n.minnctapersm 40", INC(40) INC(24)), RULE_OK},
    {ASKS(".maxntid 1024\n.minnctapersm 3", INC(40) INC(24)), RULE_OK},
    {ASKS(".maxntid 256\n.minnctapersm 8", DEC(40)), RULE_SETMAXNREG_DEC_ABOVE},
    {ASKS(".maxntid 1024\n.minnctapersm 40\n.maxnreg 64", DEC(72)), RULE_SETMAXNREG_DEC_ABOVE},
    {ASKS(".maxnreg 4", DEC(32)), RULE_SETMAXNREG_DEC_ABOVE},
    {ASKS(".maxnreg 4", DEC(24)), RULE_OK},
};

LOOP_TEST(setmaxnreg_is_as_ptxas_takes_it, 0, ROWS_OF(bounds))
{
    struct ran *ran = run_text(bounds[_i].text, (struct launch_of){.block = 256});
    ck_assert_msg(ran->outcome.rule == bounds[_i].rule, "%s%s", bounds[_i].text, ran->outcome.message);
}

// Lane 0 comes long after the others: the warp counts once, when all have come.
TEST(setmaxnreg_waits_for_all_lanes)
{
    struct ran *ran = run_text(
        BOUNDED(
            ".maxnreg 128") "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra ALL;\nmov.u32 %r2, 3000;\n"
                            "LATE: sub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p2, %r2, 0;\n@%p2 bra LATE;\n"
                            "ALL: setmaxnreg.dec.sync.aligned.u32 48;\nsetmaxnreg.dec.sync.aligned.u32 40;\nret;\n}\n",
        (struct launch_of){.block = 128});
    ck_assert_msg(ran->outcome.kind == MACHINE_DONE, "%s", ran->outcome.message);
}

// --- Hangs -----------------------------------------------------------------------------------------------------------

TEST(a_barrier_that_nobody_completes_hangs)
{
    struct ran *ran = run_text(ENTRY THREAD "setp.ge.u32 %p0, %r0, 32;\n@%p0 bar.sync 3, 64;\n"
                                            "bar.sync 4, 96;\nret;\n}\n",
                               (struct launch_of){.block = 64});
    ck_assert_int_eq(ran->outcome.kind, MACHINE_HUNG);
    ck_assert_msg(strstr(ran->outcome.message, "barrier 3: 32 of 64 threads have come") != NULL, "%s",
                  ran->outcome.message);
    ck_assert_ptr_nonnull(strstr(ran->outcome.message, "barrier 4: 32 of 96 threads have come"));
}

TEST(a_lane_that_never_comes_to_a_shuffle_hangs)
{
    struct ran *ran = run_text(ENTRY THREAD "setp.eq.u32 %p0, %r0, 7;\n@%p0 bra AWAY;\n"
                                            "shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;\nret;\n"
                                            "AWAY: bar.sync 0;\nret;\n}\n",
                               (struct launch_of){.block = 32});
    ck_assert_int_eq(ran->outcome.kind, MACHINE_HUNG);
    ck_assert_ptr_nonnull(strstr(ran->outcome.message, "shfl.sync"));
}

// A try_wait or test_wait of phase 0 of a barrier that nobody comes to, or a nanosleep: how often, and what then.
#define POLLS(poll, tries, behind)                                                                                     \
    HEAD ".shared .align 8 .b64 b;\n.visible .entry k(.param .u64 out)\n{\n" REGISTERS THREAD                          \
         "mov.u32 %r2, 0;\nsetp.ne.u32 %p0, %r0, 0;\n@!%p0 mbarrier.init.shared.b64 [b], 1;\nbar.sync 0;\n"            \
         "L: " poll "@%p1 bra OUT;\n" tries "OUT: " behind "ret;\n}\n"
#define COUNTED(number) "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, " #number ";\n@%p2 bra L;\n"
#define TEST_WAIT       "mbarrier.test_wait.parity.shared.b64 %p1, [b], 0;\n"
#define TRY_WAIT        "mbarrier.try_wait.parity.shared.b64 %p1, [b], 0;\n"
#define SLEEP           "setp.eq.u32 %p1, %r2, 1000;\nnanosleep.u32 100;\n"
#define CLOCK           "mov.u64 %rd2, %globaltimer;\n"
#define STORE           "st.global.u32 [%rd1], %r2;\n"

// Whoever counts its tries gets to their end, alone or beside one who waits for ever.
static const struct {
    const char *text, *why;
    enum machine_kind kind;
} polls[] = {
    {POLLS(SLEEP, COUNTED(100), STORE), "100 times nanosleep", MACHINE_DONE},
    {POLLS(TEST_WAIT, COUNTED(1000), STORE), "1000 times test_wait", MACHINE_DONE},
    {POLLS(TRY_WAIT, COUNTED(131072), "trap;\n"), "2^17 times try_wait, then trap", MACHINE_TRAPPED},
    {POLLS(TRY_WAIT, "setp.lt.u32 %p3, %r0, 32;\n@%p3 bra L;\n" COUNTED(5000), "trap;\n"),
     "one warp tries for ever, the other 5000 times", MACHINE_TRAPPED},
    {POLLS(TRY_WAIT, "bra L;\n", ""), "for ever", MACHINE_HUNG},
    {POLLS("setp.lt.u32 %p3, %r0, 8;\n@%p3 shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;\n" TRY_WAIT, "bra L;\n", ""),
     "for ever, while lanes of the warp wait for the others", MACHINE_HUNG},
    {POLLS(TEST_WAIT, "nanosleep.u32 20;\nbra L;\n", ""), "for ever with a nanosleep", MACHINE_HUNG},
    {POLLS(TRY_WAIT, CLOCK "nanosleep.u32 1000;\nbra L;\n", ""), "for ever, with a look at the clock", MACHINE_HUNG},
    {POLLS(TRY_WAIT, CLOCK "setp.lt.u64 %p2, %rd2, 120000000000;\n@%p2 bra L;\n", "trap;\n"),
     "two minutes by the clock, then trap", MACHINE_TRAPPED},
    {POLLS(TRY_WAIT, "setp.ge.u32 %p3, %r0, 32;\n@%p3 bra ODD;\n" CLOCK "bra L;\nODD: " COUNTED(5000), "trap;\n"),
     "one warp looks at the clock for ever, the other tries 5000 times", MACHINE_TRAPPED},
    {POLLS(TEST_WAIT, "add.u32 %r2, %r2, 1;\nand.b32 %r2, %r2, 7;\nbra L;\n", ""), "for ever, in eight states",
     MACHINE_HUNG},
};

LOOP_TEST(only_polls_without_an_end_hang, 0, ROWS_OF(polls))
{
    struct ran *ran = run_text(polls[_i].text, (struct launch_of){.block = 64});
    ck_assert_msg(ran->outcome.kind == polls[_i].kind, "%s: %s: %s", polls[_i].why,
                  machine_kind_name(ran->outcome.kind), ran->outcome.message);
    if (polls[_i].kind == MACHINE_HUNG)
        ck_assert_msg(strstr(ran->outcome.message, "its arrival is missing") != NULL, "%s", ran->outcome.message);
}

// What a thread of an H200 reads, in clocks or nanoseconds: about 15 clocks from one read to the next; a nap as long as
// it says, alone or in 132 CTAs, also a thousand of them; 7.8 thousand for a try_wait in vain, and 8.8 with a hint.
#define SINCE(body)                                                                                                    \
    HEAD                                                                                                               \
        ".shared .align 8 .b64 b;\n.visible .entry k(.param .u64 out)\n{\n" REGISTERS THREAD                           \
        "mbarrier.init.shared.b64 [b], 1;\nmov.u32 %r2, 0;\nmov.u64 %rd1, %clock64;\n" body                            \
        "mov.u64 %rd2, %clock64;\nsub.u64 %rd3, %rd2, %rd1;\nld.param.u64 %rd0, [out];\nst.global.u64 [%rd0], %rd3;\n" \
        "ret;\n}\n"
#define TIMES(number) "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, " #number ";\n@%p2 bra L;\n"

static const struct {
    const char *text, *why;
    uint32_t ctas;
    uint64_t least, most;
} times[] = {
    {SINCE("L: mov.u64 %rd2, %clock64;\n" TIMES(2000)), "2,000 reads", 1, 25000, 35000},
    {SINCE("L: mov.u64 %rd2, %globaltimer;\n" TIMES(2000)), "2,000 reads of the timer", 1, 25000, 35000},
    {SINCE("nanosleep.u32 100000;\n"), "a nap", 1, 200000, 210000},
    {SINCE("nanosleep.u32 100000;\n"), "a nap in 132 CTAs", 132, 200000, 210000},
    {SINCE("L: nanosleep.u32 100000;\n" TIMES(1000)), "1,000 naps", 132, 200000000, 210000000},
    {SINCE("mbarrier.try_wait.parity.shared.b64 %p1, [b], 0;\n"), "a try", 1, 7000, 8800},
    {SINCE("mbarrier.try_wait.parity.shared.b64 %p1, [b], 0, 20000;\n"), "a try of 20 us", 1, 8800, 60000},
};

LOOP_TEST(times_are_those_of_an_h200, 0, ROWS_OF(times))
{
    struct ran *ran = run_well(times[_i].text, (struct launch_of){.grid = times[_i].ctas, .block = 32});
    const uint64_t got = ran->out[0] | (uint64_t)ran->out[1] << 32;
    ck_assert_msg(got >= times[_i].least && got <= times[_i].most, "%s: %llu clocks", times[_i].why,
                  (unsigned long long)got);
}

// Two CTAs hand a number back and forth; who waits sleeps in between. Both write, then poll, in one turn.
LOOP_TEST(ctas_that_sleep_hear_of_each_other, 0, 2)
{
    struct ran *ran =
        run_well(ENTRY "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %r0;\n"
                       "L: ld.acquire.gpu.global.u32 %r2, [%rd0];\nsetp.eq.u32 %p0, %r2, %r1;\n@%p0 bra MINE;\n"
                       "nanosleep.u32 50;\nbra L;\n"
                       "MINE: add.u32 %r2, %r2, 1;\nst.release.gpu.global.u32 [%rd0], %r2;\n"
                       "add.u32 %r1, %r1, 2;\nsetp.lt.u32 %p1, %r1, 400;\n@%p1 bra L;\nret;\n}\n",
                 (struct launch_of){.grid = 2, .block = 1, .schedule = {.threads = _i == 0 ? 1 : 2}});
    ck_assert_uint_eq(ran->out[0], 400);
}
