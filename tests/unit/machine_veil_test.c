// SPDX-License-Identifier: MIT
// What the async proxy sees of shared memory that threads have written: nothing before fence.proxy.async, where the
// schedule is out to show what goes wrong. An H200 had stale bytes in up to 100 % of tries without the fence, and in
// none with it.
#include "machine_test.h"

enum { SEEDS = 64, MOST = SEEDS * 3 / 4, THREADS = 128 };

// In how many of the seeds is a word of the first `words` not `right`?
static int count_bad(const char *text, struct launch_of of, enum machine_policy policy, uint32_t words, uint32_t right)
{
    int bad = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        of.schedule = (struct machine_schedule){.policy = policy, .seed = seed};
        struct ran *ran = run_well(text, of);
        bool is_bad = false;
        for (uint32_t i = 0; i < words; i++) is_bad |= ran->out[i] != right;
        bad += is_bad;
    }
    return bad;
}

static void check_right(const char *text, struct launch_of of, uint32_t words, uint32_t right)
{
    for (int policy = MACHINE_DEFAULT; policy <= MACHINE_SHUFFLED; policy++)
        ck_assert_msg(count_bad(text, of, (enum machine_policy)policy, words, right) == 0, "policy %d", policy);
}

static void check_wrong(const char *text, struct launch_of of, uint32_t words, uint32_t right)
{
    ck_assert_int_eq(count_bad(text, of, MACHINE_DEFAULT, words, right), 0);
    ck_assert_int_eq(count_bad(text, of, MACHINE_EARLY, words, right), 0);
    ck_assert_int_ge(count_bad(text, of, MACHINE_LATE, words, right), MOST);
    ck_assert_int_ge(count_bad(text, of, MACHINE_SHUFFLED, words, right), MOST);
}

// --- Stores ----------------------------------------------------------------------------------------------------------

#define FENCE           "fence.proxy.async.shared::cta;\n"
#define RELEASE_GENERIC "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;\n"
#define ACQUIRE_GENERIC "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;\n"
// Each thread writes a 7 to its word of the tile; %p1: it is not the first one.
#define WRITE                                                                                                          \
    ENTRY THREAD ".shared .align 128 .b8 tile[512];\nmov.u32 %r1, tile;\nmov.u32 %r2, 7;\n"                            \
                 "mad.lo.u32 %r3, %r0, 4, %r1;\nsetp.ne.u32 %p1, %r0, 0;\nst.shared.u32 [%r3], %r2;\n"
#define MEET  "bar.sync 0;\n"
#define LEAVE "@%p1 bra done;\n"
#define COPY                                                                                                           \
    "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r1], 512;\ncp.async.bulk.commit_group;\n"                   \
    "cp.async.bulk.wait_group 0;\ndone:\nret;\n}\n"

static const struct launch_of one_cta = {.block = THREADS};

TEST_CALL(FENCE_PROXY_ASYNC__a_store_without_a_fence_has_old_bytes,
          check_wrong(WRITE MEET LEAVE COPY, one_cta, THREADS, 7))
TEST_CALL(FENCE_PROXY_ASYNC__a_fence_of_the_first_thread_before_the_barrier_is_not_enough,
          check_wrong(WRITE "@!%p1 " FENCE MEET LEAVE COPY, one_cta, THREADS, 7))
TEST_CALL(FENCE_PROXY_ASYNC__a_fence_of_global_memory_is_none_of_shared_memory,
          check_wrong(WRITE "fence.proxy.async.global;\n" MEET LEAVE COPY, one_cta, THREADS, 7))

TEST(FENCE_PROXY_ASYNC__all_writers_may_fence_before_the_barrier)
{
    check_right(WRITE FENCE MEET LEAVE COPY, one_cta, THREADS, 7);
    check_right(WRITE "fence.proxy.async;\n" MEET LEAVE COPY, one_cta, THREADS, 7);
    check_right(WRITE RELEASE_GENERIC MEET LEAVE COPY, one_cta, THREADS, 7);
}

TEST_CALL(FENCE_PROXY_ASYNC__an_acquire_of_the_generic_proxy_hands_over_no_store,
          check_wrong(WRITE ACQUIRE_GENERIC MEET LEAVE ACQUIRE_GENERIC COPY, one_cta, THREADS, 7))

TEST_CALL(FENCE_PROXY_ASYNC__the_storing_thread_may_fence_behind_the_barrier,
          check_right(WRITE MEET LEAVE FENCE COPY, one_cta, THREADS, 7))

TEST(FENCE_PROXY_ASYNC__one_thread_that_writes_and_stores_needs_it_too)
{
    const struct launch_of one_thread = {.block = 1};
    check_wrong(WRITE COPY, one_thread, 1, 7);
    check_right(WRITE FENCE COPY, one_thread, 1, 7);
}

// A barrier of threads that arrive and one that waits.
#define ARRIVE                                                                                                         \
    ".shared .align 8 .b64 bar;\nmov.u32 %r4, bar;\n@!%p1 mbarrier.init.shared::cta.b64 [%r4], 128;\n"                 \
    "bar.sync 0;\nmov.u32 %r2, 9;\nst.shared.u32 [%r3], %r2;\n"
#define ARRIVED                                                                                                        \
    "mbarrier.arrive.shared::cta.b64 _, [%r4];\n" LEAVE                                                                \
    "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0;\n@!%p2 bra again;\n"

TEST(FENCE_PROXY_ASYNC__goes_with_an_mbarrier_as_with_a_barrier)
{
    check_wrong(WRITE ARRIVE ARRIVED COPY, one_cta, THREADS, 9);
    check_right(WRITE ARRIVE FENCE ARRIVED COPY, one_cta, THREADS, 9);
    check_right(WRITE ARRIVE ARRIVED FENCE COPY, one_cta, THREADS, 9);
}

// Both CTAs write, and the tile of the first is copied into the second, which stores it.
#define SEND(fence)                                                                                                    \
    WRITE ".shared .align 128 .b8 got[512];\n.shared .align 8 .b64 bar;\nmov.u32 %r5, %cluster_ctarank;\n"             \
          "mov.u32 %r4, bar;\nmov.u32 %r6, got;\nmapa.shared::cluster.u32 %r7, %r6, 1;\n"                              \
          "mapa.shared::cluster.u32 %r8, %r4, 1;\n@!%p1 mbarrier.init.shared::cta.b64 [%r4], 1;\n"                     \
          "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 512;\n" fence                                     \
          "barrier.cluster.arrive;\nbarrier.cluster.wait;\nsetp.ne.u32 %p3, %r5, 0;\n@%p3 bra second;\n"               \
          "@!%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r7], [%r1], 512, [%r8];\n"   \
          "bra end;\n"                                                                                                 \
          "second:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0;\n@!%p2 bra second;\n"                      \
          "mad.lo.u32 %r9, %r0, 4, %r6;\nld.shared.u32 %r10, [%r9];\nst.global.u32 [%rd1], %r10;\n"                    \
          "end:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n}\n"

TEST(FENCE_PROXY_ASYNC__a_copy_to_another_cta_needs_it)
{
    const struct launch_of two_ctas = {.grid = 2, .cluster = 2, .block = THREADS};
    check_wrong(SEND(""), two_ctas, THREADS, 7);
    check_right(SEND(FENCE), two_ctas, THREADS, 7);
}

// --- wgmma -----------------------------------------------------------------------------------------------------------

// 2048 bytes of A and 256 of B, all 1.0: each of D is 16.
#define PRODUCT(fence)                                                                                                 \
    ENTRY THREAD ".shared .align 1024 .b8 tile[2304];\n.reg .b32 %i;\nmov.u32 %r1, tile;\n"                            \
                 "mov.u32 %r2, 0x3f803f80;\nmov.u32 %i, %r0;\n"                                                        \
                 "fill:\nmad.lo.u32 %r3, %i, 4, %r1;\nst.shared.u32 [%r3], %r2;\nadd.u32 %i, %i, 128;\n"               \
                 "setp.lt.u32 %p1, %i, 576;\n@%p1 bra fill;\n" fence "bar.sync 0;\n"                                   \
                 "shr.u32 %r5, %r1, 4;\ncvt.u64.u32 %rd5, %r5;\nadd.u64 %rd6, %rd5, 0x1000080000;\n"                   \
                 "add.u64 %rd7, %rd6, 128;\nmov.f32 %f1, 0f00000000;\nmov.f32 %f2, %f1;\nmov.f32 %f3, %f1;\n"          \
                 "mov.f32 %f4, %f1;\nsetp.ne.u32 %p3, 1, 0;\nwgmma.fence.sync.aligned;\n"                              \
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd6, %rd7, %p3, 1, 1, "   \
                 "0, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"                         \
                 "st.global.f32 [%rd1], %f1;\nret;\n}\n"

TEST(FENCE_PROXY_ASYNC__a_product_of_what_threads_wrote_needs_it)
{
    check_wrong(PRODUCT(""), one_cta, THREADS, 0x41800000);
    check_right(PRODUCT(FENCE), one_cta, THREADS, 0x41800000);
}

// What a copy has brought is seen, whatever stood there before.
TEST(FENCE_PROXY_ASYNC__what_a_copy_brings_needs_none)
{
    const char *text = WRITE MEET LEAVE
        ".shared .align 8 .b64 bar;\nmov.u32 %r4, bar;\nmbarrier.init.shared::cta.b64 [%r4], 1;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 512;\nadd.u64 %rd2, %rd0, 1024;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2], 512, [%r4];\n"
        "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0;\n@!%p2 bra again;\n"
        "st.global.u32 [%rd0], %r2;\n" COPY;
    check_right(text, one_cta, THREADS, 0);
}

// --- Global memory ---------------------------------------------------------------------------------------------------

// Each thread writes a 7 to global memory, the first one copies all of it to shared memory, and each reads it there.
#define GLOBAL(before, behind)                                                                                         \
    ENTRY THREAD ".shared .align 128 .b8 tile[512];\n.shared .align 8 .b64 bar;\nmov.u32 %r1, tile;\n"                 \
                 "mov.u32 %r4, bar;\nmov.u32 %r2, 7;\nsetp.ne.u32 %p1, %r0, 0;\nadd.u64 %rd2, %rd0, 1024;\n"           \
                 "@!%p1 mbarrier.init.shared::cta.b64 [%r4], 1;\nst.global.u32 [%rd1+1024], %r2;\n" before             \
                 "bar.sync 0;\n@%p1 bra got;\n" behind "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 512;\n"    \
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2], 512, [%r4];\n"      \
                 "got:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0;\n@!%p2 bra got;\n"                     \
                 "mad.lo.u32 %r3, %r0, 4, %r1;\nld.shared.u32 %r5, [%r3];\nst.global.u32 [%rd1], %r5;\nret;\n}\n"

TEST(FENCE_PROXY_ASYNC__a_load_of_what_threads_just_wrote_needs_a_fence)
{
    check_wrong(GLOBAL("", ""), one_cta, THREADS, 7);
    check_wrong(GLOBAL("fence.acq_rel.cta;\n", ""), one_cta, THREADS, 7);
    check_wrong(GLOBAL("fence.proxy.async.shared::cta;\n", ""), one_cta, THREADS, 7);
    check_wrong(GLOBAL("@!%p1 fence.proxy.async;\n", ""), one_cta, THREADS, 7);
}

// An H200 has no old bytes with a fence of memory alone: it waits for the stores.
TEST(FENCE_PROXY_ASYNC__a_load_sees_what_a_fence_has_published)
{
    check_right(GLOBAL("fence.proxy.async;\n", ""), one_cta, THREADS, 7);
    check_right(GLOBAL("fence.proxy.async.global;\n", ""), one_cta, THREADS, 7);
    check_right(GLOBAL("membar.gl;\n", ""), one_cta, THREADS, 7);
    check_right(GLOBAL("fence.acq_rel.gpu;\n", ""), one_cta, THREADS, 7);
    check_right(GLOBAL("", "fence.proxy.async;\n"), one_cta, THREADS, 7);
    check_right(GLOBAL("", "fence.acq_rel.cluster;\n"), one_cta, THREADS, 7);
    check_right(GLOBAL("", "red.release.global.add.u32 [%rd0+8192], 1;\n"), one_cta, THREADS, 7);
}

// Atomics go past the caches: nothing hides them.
TEST_CALL(FENCE_PROXY_ASYNC__a_load_sees_atomics,
          check_right(GLOBAL("atom.global.exch.b32 %r6, [%rd1+1024], 7;\n", ""), one_cta, THREADS, 7))

// --- Tensor maps -----------------------------------------------------------------------------------------------------

// A map of 32 words from `out` + 1024 is made, acquired and used; then it is moved to `out` + 2048, where 7s are.
#define SET "tensormap.replace.tile."
#define OF  ".global.b1024."
#define BEGIN                                                                                                          \
    ENTRY THREAD ".shared .align 128 .b8 tile[128];\n.shared .align 8 .b64 bar;\nmov.u32 %r1, tile;\n"                 \
                 "mov.u32 %r4, bar;\nmov.u32 %r2, 7;\nsetp.ne.u32 %p1, %r0, 0;\nst.global.u32 [%rd1+2048], %r2;\n"     \
                 "add.u64 %rd2, %rd0, 4223;\nand.b64 %rd2, %rd2, -128;\nadd.u64 %rd3, %rd0, 1024;\n"                   \
                 "add.u64 %rd4, %rd0, 2048;\nmov.u32 %r6, 0;\n@!%p1 mbarrier.init.shared::cta.b64 [%r4], 1;\n"         \
                 "fence.proxy.async;\nbar.sync 0;\n"
#define MAKE                                                                                                           \
    "@%p1 bra made;\n" SET "global_address" OF "b64 [%rd2], %rd3;\n" SET "rank" OF "b32 [%rd2], 0;\n" SET "box_dim" OF \
    "b32 [%rd2], 0, 32;\n" SET "global_dim" OF "b32 [%rd2], 0, 32;\n" SET "element_stride" OF                          \
    "b32 [%rd2], 0, 1;\n" SET "elemtype" OF "b32 [%rd2], 2;\n" SET "interleave_layout" OF "b32 [%rd2], 0;\n" SET       \
    "swizzle_mode" OF "b32 [%rd2], 0;\n" SET "fill_mode" OF "b32 [%rd2], 0;\n" RELEASE ACQUIRE "made:\n"
#define RELEASE    "fence.proxy.tensormap::generic.release.gpu;\n"
#define ACQUIRE    "fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;\n"
#define MOVE       "bar.sync 0;\n@%p1 bra moved;\n" SET "global_address" OF "b64 [%rd2], %rd4;\n" RELEASE
#define MOVED      "moved:\n"
#define LOAD(part) "@%p1 bra got" part ";\n" LOAD_OF_ONE "got" part ":\n" WAIT_FOR part ";\n@!%p2 bra got" part ";\n"
#define LOAD_OF_ONE                                                                                                    \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 128;\n"                                                       \
    "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd2, {%r6}], [%r4];\n"
#define WAIT_FOR "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], "
#define GIVE     "mad.lo.u32 %r3, %r0, 4, %r1;\nld.shared.u32 %r5, [%r3];\nst.global.u32 [%rd1], %r5;\nret;\n}\n"

TEST(an_edited_map_is_seen_behind_its_acquire)
{
    const struct launch_of one_warp = {.block = 32};
    const char *text = BEGIN MAKE LOAD("0") MOVE MOVED LOAD("1") GIVE;
    ck_assert_int_eq(count_bad(text, one_warp, MACHINE_DEFAULT, 32, 7), 0);
    ck_assert_int_eq(count_bad(text, one_warp, MACHINE_LATE, 32, 7), SEEDS);
    ck_assert_int_ge(count_bad(text, one_warp, MACHINE_SHUFFLED, 32, 7), SEEDS / 4);
    check_right(BEGIN MAKE LOAD("0") MOVE ACQUIRE MOVED LOAD("1") GIVE, one_warp, 32, 7);
}
