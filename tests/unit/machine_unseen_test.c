// SPDX-License-Identifier: MIT
// Weak stores to global memory as other CTAs of the grid see them: without a release, or a fence of a scope wider than
// the CTA, a message shows old words; with one it never does.
#include "machine_test.h"

enum { SEEDS = 32, FEW = 4, THREADS = 64, SEEN = 2048 };

// In how many of the seeds is a word of the answers not 7?
static int count_bad(const char *text, enum machine_policy policy)
{
    const uint64_t seeds = policy == MACHINE_DEFAULT || policy == MACHINE_EARLY ? FEW : SEEDS;
    int bad = 0;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        const struct launch_of of = {.grid = 2, .block = THREADS, .schedule = {policy, seed, 0}};
        struct ran *ran = run_well(text, of);
        bool is_bad = false;
        for (int i = 0; i < THREADS; i++) is_bad |= ran->out[SEEN / 4 + i] != 7;
        bad += is_bad;
    }
    return bad;
}

static void check_right(const char *text)
{
    for (int policy = MACHINE_DEFAULT; policy <= MACHINE_SHUFFLED; policy++)
        ck_assert_msg(count_bad(text, (enum machine_policy)policy) == 0, "policy %d", policy);
}

static void check_wrong(const char *text)
{
    ck_assert_int_eq(count_bad(text, MACHINE_DEFAULT), 0);
    ck_assert_int_eq(count_bad(text, MACHINE_EARLY), 0);
    ck_assert_int_ge(count_bad(text, MACHINE_LATE), SEEDS / 2);
    ck_assert_int_ge(count_bad(text, MACHINE_SHUFFLED), SEEDS / 4);
}

// The threads of CTA 1 store a 7 each and tell CTA 0, whose threads wait and read.
#define MESSAGE(tell, ask)                                                                                             \
    ENTRY THREAD "mov.u32 %r5, %ctaid.x;\nsetp.eq.u32 %p3, %r5, 0;\nsetp.ne.u32 %p1, %r0, 0;\nmov.u32 %r2, 7;\n"       \
                 "@%p3 bra reader;\nst.global.u32 [%rd1], %r2;\n" tell "ret;\n"                                        \
                 "reader:\n" ask ".global.u32 %r6, [%rd0+4096];\nsetp.lt.u32 %p2, %r6, 1;\n@%p2 bra reader;\n"         \
                 "bar.sync 0;\nld.global.u32 %r7, [%rd1];\nst.global.u32 [%rd1+2048], %r7;\nret;\n}\n"
#define ONE "mov.u32 %r3, 1;\nbar.sync 0;\n"

TEST(UNSEEN__a_flag_without_a_release_shows_old_words)
{
    check_wrong(MESSAGE(ONE "@!%p1 st.relaxed.gpu.global.u32 [%rd0+4096], %r3;\n", "ld.acquire.gpu"));
    check_wrong(MESSAGE(ONE "@!%p1 st.volatile.global.u32 [%rd0+4096], %r3;\n", "ld.volatile"));
    check_wrong(MESSAGE(ONE "@!%p1 red.relaxed.gpu.global.add.u32 [%rd0+4096], 1;\n", "ld.acquire.gpu"));
    check_wrong(MESSAGE("@!%p1 membar.gl;\n" ONE "@!%p1 st.volatile.global.u32 [%rd0+4096], %r3;\n", "ld.volatile"));
    check_wrong(
        MESSAGE(ONE "fence.acq_rel.cta;\n@!%p1 st.relaxed.gpu.global.u32 [%rd0+4096], %r3;\n", "ld.acquire.gpu"));
}

TEST(UNSEEN__a_release_or_a_fence_is_enough)
{
    check_right(MESSAGE(ONE "@!%p1 st.release.gpu.global.u32 [%rd0+4096], %r3;\n", "ld.acquire.gpu"));
    check_right(MESSAGE("membar.gl;\n" ONE "@!%p1 st.volatile.global.u32 [%rd0+4096], %r3;\n", "ld.volatile"));
    check_right(
        MESSAGE(ONE "@!%p1 fence.acq_rel.gpu;\n@!%p1 st.relaxed.gpu.global.u32 [%rd0+4096], %r3;\n", "ld.acquire.gpu"));
    check_right(MESSAGE(ONE "@!%p1 red.release.gpu.global.add.u32 [%rd0+4096], 1;\n", "ld.acquire.gpu"));
    check_right(MESSAGE(ONE "@!%p1 atom.acq_rel.gpu.global.add.u32 %r4, [%rd0+4096], 1;\n", "ld.acquire.gpu"));
}

TEST(UNSEEN__strong_stores_are_seen)
{
    check_right(MESSAGE("st.relaxed.gpu.global.u32 [%rd1], %r2;\n" ONE
                        "@!%p1 st.relaxed.gpu.global.u32 [%rd0+4096], %r3;\n",
                        "ld.acquire.gpu"));
    check_right(MESSAGE("atom.global.exch.b32 %r4, [%rd1], 7;\n" ONE
                        "@!%p1 st.relaxed.gpu.global.u32 [%rd0+4096], %r3;\n",
                        "ld.acquire.gpu"));
}

// A flag that is itself a weak store comes in the end, though its CTA stays and waits for an answer.
TEST(UNSEEN__weak_stores_come_in_the_end)
{
    const char *text = ENTRY THREAD
        "mov.u32 %r5, %ctaid.x;\nsetp.eq.u32 %p3, %r5, 0;\nsetp.ne.u32 %p1, %r0, 0;\nmov.u32 %r3, 1;\n"
        "mov.u32 %r2, 7;\n@%p3 bra reader;\n@!%p1 st.global.u32 [%rd0+4096], %r3;\n"
        "again:\nld.volatile.global.u32 %r6, [%rd0+4224];\nsetp.lt.u32 %p2, %r6, 1;\n@%p2 bra again;\n"
        "st.global.u32 [%rd1+2048], %r2;\nret;\n"
        "reader:\nld.volatile.global.u32 %r6, [%rd0+4096];\nsetp.lt.u32 %p2, %r6, 1;\n@%p2 bra reader;\n"
        "st.global.u32 [%rd0+4224], %r3;\n"
        "last:\nld.volatile.global.u32 %r6, [%rd0+2048];\nsetp.lt.u32 %p2, %r6, 1;\n@%p2 bra last;\nret;\n}\n";
    check_right(text);
}

// Of two weak stores either may be seen alone.
static bool has_order(enum machine_policy policy, uint32_t first, uint32_t second)
{
    const char *text = ENTRY THREAD
        "mov.u32 %r5, %ctaid.x;\nsetp.eq.u32 %p3, %r5, 0;\nmov.u32 %r2, 1;\nmov.u32 %r9, 0;\n@%p3 bra reader;\n"
        "st.global.u32 [%rd0+1024], %r2;\nst.global.u32 [%rd0+2048], %r2;\nret;\n"
        "reader:\nld.volatile.global.u32 %r6, [%rd0+1024];\nld.volatile.global.u32 %r7, [%rd0+2048];\n"
        "add.u32 %r9, %r9, 1;\nsetp.ne.u32 %p1, %r6, %r7;\n@%p1 bra found;\nsetp.lt.u32 %p2, %r9, 20000;\n"
        "@%p2 bra reader;\nfound:\nst.global.u32 [%rd0], %r6;\nst.global.u32 [%rd0+4], %r7;\nret;\n}\n";
    bool found = false;
    for (uint64_t seed = 0; seed < SEEDS && !found; seed++) {
        struct ran *ran = run_well(text, (struct launch_of){.grid = 2, .block = 1, .schedule = {policy, seed, 0}});
        found |= ran->out[0] == first && ran->out[1] == second;
    }
    return found;
}

TEST(UNSEEN__two_weak_stores_may_come_in_either_order)
{
    ck_assert_int_eq(has_order(MACHINE_SHUFFLED, 1, 0), 1);
    ck_assert_int_eq(has_order(MACHINE_SHUFFLED, 0, 1), 1);
}

// The same seed is the same run, for any number of threads of the host.
TEST(UNSEEN__the_seed_says_what_happens)
{
    const char *text = MESSAGE(ONE "@!%p1 st.relaxed.gpu.global.u32 [%rd0+4096], %r3;\n", "ld.acquire.gpu");
    for (uint64_t seed = 0; seed < 2 * FEW; seed++) {
        struct launch_of of = {.grid = 2, .block = THREADS, .schedule = {MACHINE_SHUFFLED, seed, 1}};
        struct ran *one = run_well(text, of);
        of.schedule.threads = 4;
        struct ran *four = run_well(text, of);
        ck_assert_mem_eq(one->out, four->out, sizeof one->out);
    }
}
