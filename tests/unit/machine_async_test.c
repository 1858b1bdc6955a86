// SPDX-License-Identifier: MIT
// Asynchronous instructions on the PTX machine: right kernels give right bytes under every schedule, and a missing wait
// shows where operations are as late as they may be.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

enum { BYTES = 4096, WORDS = BYTES / 4, SEEDS = 16 };

#define HEAD ".version 8.6\n.target sm_90a\n.address_size 64\n"

static uint32_t memory[3 * WORDS] __attribute__((aligned(128)));

// One launch: a kernel `k` of parameters (from, to), 64-bit addresses in `memory`.
struct run {
    struct machine_outcome outcome;
    const uint32_t *to;
};

// Decodes a kernel, if the module has one of that name.
static void decode(struct machine_module *module, const char *name)
{
    struct machine_kernel_facts facts;
    struct ptx_errors errors;
    int kernel = machine_module_kernel(module, name);
    if (kernel >= 0) ck_assert(machine_module_facts(module, kernel, &facts, &errors));
}

static struct run run_kernel(const char *ptx, uint32_t threads, uint32_t ctas, enum machine_policy policy,
                             uint64_t seed)
{
    static struct run run;
    struct ptx_errors errors;
    struct machine_module *module = machine_module_open(ptx, strlen(ptx), &errors);
    ck_assert_msg(module != NULL, "%s", errors.count > 0 ? errors.item[0].message : "no memory");
    for (uint32_t i = 0; i < 3 * WORDS; i++) memory[i] = i < WORDS ? i * 2654435761u : 0;
    const struct region region = {{(uint8_t *)memory, (uint64_t)(uintptr_t)memory, sizeof memory}, 0};
    const struct global_memory global = {&region, 1};
    const uint64_t parameters[] = {(uint64_t)(uintptr_t)memory, (uint64_t)(uintptr_t)(memory + WORDS)};
    const struct machine_launch launch = {
        .module = module,
        .kernel = machine_module_kernel(module, "k"),
        .grid = {ctas, 1, 1},
        .block = {threads, 1, 1},
        .cluster = {ctas > 1 ? ctas : 0, ctas > 1, ctas > 1},
        .parameters = parameters,
        .global = &global,
        .schedule = {policy, seed, 1},
        .limits = {.instructions = 10000000},
    };
    decode(module, "k");
    decode(module, "other");
    machine_run(&launch, &run.outcome);
    run.to = memory + WORDS;
    machine_module_close(module);
    return run;
}

static bool is_copied(const struct run *run, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        if (run->to[i] != i * 2654435761u) return false;
    return true;
}

// The kernel copies `words` words under every schedule, whatever the seed.
static void check_always(const char *ptx, uint32_t threads, uint32_t ctas, uint32_t words)
{
    for (int policy = MACHINE_DEFAULT; policy <= MACHINE_SHUFFLED; policy++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct run run = run_kernel(ptx, threads, ctas, (enum machine_policy)policy, seed);
            ck_assert_msg(run.outcome.kind == MACHINE_DONE, "policy %d seed %d: %s", policy, (int)seed,
                          run.outcome.message);
            ck_assert_msg(is_copied(&run, words), "policy %d seed %d: wrong bytes", policy, (int)seed);
        }
}

// Without its wait the kernel leaves stale bytes where operations are late, and right ones where they are early.
static void check_stale(const char *ptx, uint32_t threads, uint32_t words)
{
    struct run late = run_kernel(ptx, threads, 1, MACHINE_LATE, 0);
    ck_assert_msg(late.outcome.kind == MACHINE_DONE, "%s", late.outcome.message);
    ck_assert(!is_copied(&late, words));
    struct run early = run_kernel(ptx, threads, 1, MACHINE_EARLY, 0);
    ck_assert(early.outcome.kind == MACHINE_DONE);
    ck_assert(is_copied(&early, words));
}

// --- cp.async.bulk and an mbarrier -----------------------------------------------------------------------------------

#define KERNEL(registers, shared)                                                                                      \
    HEAD ".visible .entry k(.param .u64 from, .param .u64 to)\n{\n"                                                    \
         ".reg .pred %p<4>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n" registers shared                                 \
         "ld.param.u64 %rd1, [from];\nld.param.u64 %rd2, [to];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\n"
#define BARRIER ".shared .align 128 .b8 tile[1024];\n.shared .align 8 .b64 bar;\n"
#define LOAD                                                                                                           \
    "mov.u32 %r3, bar;\n"                                                                                              \
    "mbarrier.init.shared::cta.b64 [%r3], 1;\nfence.proxy.async.shared::cta;\n"                                        \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 1024;\n"                                                      \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 1024, [%r3];\n"
#define WAIT "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n@!%p2 bra again;\n"
// One thread copies the tile out, word by word.
#define STORE_WORDS                                                                                                    \
    "mov.u32 %r4, 0;\nword:\nadd.u32 %r5, %r2, %r4;\nld.shared.u32 %r6, [%r5];\ncvt.u64.u32 %rd3, %r4;\n"              \
    "add.u64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r6;\nadd.u32 %r4, %r4, 4;\nsetp.lt.u32 %p3, %r4, 1024;\n"       \
    "@%p3 bra word;\nret;\n}\n"

TEST(ASYNC_GROUP_ORDER__bulk_load_needs_its_wait)
{
    check_always(KERNEL("", BARRIER) LOAD WAIT STORE_WORDS, 1, 1, 256);
    check_stale(KERNEL("", BARRIER) LOAD STORE_WORDS, 1, 256);
}

TEST(ASYNC_GROUP_ORDER__a_wait_for_bytes_that_never_come_hangs_and_names_the_barrier)
{
    struct run run =
        run_kernel(KERNEL("", BARRIER) "mov.u32 %r3, bar;\nmbarrier.init.shared::cta.b64 [%r3], 1;\n"
                                       "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 64;\n" WAIT STORE_WORDS,
                   1, 1, MACHINE_DEFAULT, 0);
    ck_assert_int_eq(run.outcome.kind, MACHINE_HUNG);
    ck_assert_msg(strstr(run.outcome.message, "64 of 64 expected bytes have not come") != NULL, "%s",
                  run.outcome.message);
    ck_assert_msg(strstr(run.outcome.message, ", 1 arrival, 64 bytes expected") != NULL, "%s", run.outcome.message);
}

// The body of another kernel has spellings that the module has not seen: they may move all it has.
#define OTHER                                                                                                          \
    ".visible .entry other()\n{\n.reg .b32 %a<4>;\n.reg .b64 %l<4>;\n.reg .f32 %f<4>;\n.reg .f64 %d<4>;\n"             \
    "mul.lo.s32 %a0, %a1, %a2;\nmad.lo.s32 %a0, %a1, %a2, %a3;\nmul.wide.u32 %l0, %a1, %a2;\nand.b32 %a0, %a1, 3;\n"   \
    "or.b32 %a0, %a1, 3;\nxor.b32 %a0, %a1, 3;\nshr.s32 %a0, %a1, 3;\nshr.u64 %l0, %l1, 3;\nshl.b64 %l0, %l1, 3;\n"    \
    "add.f32 %f0, %f1, %f2;\nmul.f32 %f0, %f1, %f2;\nfma.rn.f32 %f0, %f1, %f2, %f3;\nadd.f64 %d0, %d1, %d2;\n"         \
    "mul.f64 %d0, %d1, %d2;\nfma.rn.f64 %d0, %d1, %d2, %d3;\nneg.s32 %a0, %a1;\nabs.s32 %a0, %a1;\nnot.b32 %a0, "      \
    "%a1;\n"                                                                                                           \
    "popc.b32 %a0, %a1;\nclz.b32 %a0, %a1;\nbrev.b32 %a0, %a1;\nmin.s32 %a0, %a1, %a2;\nmax.u32 %a0, %a1, %a2;\n"      \
    "sub.s32 %a0, %a1, %a2;\nsub.f32 %f0, %f1, %f2;\nmin.f32 %f0, %f1, %f2;\nmax.f32 %f0, %f1, %f2;\nneg.f32 %f0, "    \
    "%f1;\n"                                                                                                           \
    "abs.f32 %f0, %f1;\ncvt.rn.f32.s32 %f0, %a0;\ncvt.f64.f32 %d0, %f0;\ncvt.s64.s32 %l0, %a0;\nret;\n}\n"

TEST(MACHINE__a_kernel_runs_as_before_when_another_was_decoded)
{
    struct run run = run_kernel(KERNEL("", BARRIER) LOAD WAIT STORE_WORDS OTHER, 1, 1, MACHINE_DEFAULT, 0);
    ck_assert_msg(run.outcome.kind == MACHINE_DONE && is_copied(&run, 256), "%s", run.outcome.message);
}

// --- Stores and their groups -----------------------------------------------------------------------------------------

// Words 0 .. 255 of `from` go to the tile by plain loads and stores, and from there out by a bulk store; then the tile
// is written over.
#define FILL(label, value)                                                                                             \
    "mov.u32 %r4, 0;\n" label ":\nadd.u32 %r5, %r2, %r4;\ncvt.u64.u32 %rd3, %r4;\nadd.u64 %rd4, %rd1, %rd3;\n" value   \
    "st.shared.u32 [%r5], %r6;\nadd.u32 %r4, %r4, 4;\nsetp.lt.u32 %p3, %r4, 1024;\n@%p3 bra " label ";\n"
#define OUT                                                                                                            \
    FILL("fill", "ld.global.u32 %r6, [%rd4];\n")                                                                       \
    "fence.proxy.async.shared::cta;\ncp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 1024;\n"               \
    "cp.async.bulk.commit_group;\n"
#define SCRIBBLE FILL("scribble", "mov.u32 %r6, 7;\n")

TEST(ASYNC_GROUP_READ__a_tile_may_be_written_over_when_it_is_read)
{
    check_always(KERNEL("", BARRIER) OUT "cp.async.bulk.wait_group.read 0;\n" SCRIBBLE "ret;\n}\n", 1, 1, 256);
    check_stale(KERNEL("", BARRIER) OUT SCRIBBLE "ret;\n}\n", 1, 256);
}

TEST(MACHINE__by_default_a_committed_store_has_read_its_tile)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct run run = run_kernel(KERNEL("", BARRIER) OUT SCRIBBLE "ret;\n}\n", 1, 1, MACHINE_DEFAULT, seed);
        ck_assert_msg(run.outcome.kind == MACHINE_DONE && is_copied(&run, 256), "seed %d", (int)seed);
    }
}

// Each thread fills 16 bytes of the tile, and thread 0 stores it without waiting for the others. A GPU's fence takes
// long enough for them; schedules that are not its own show the missing barrier.
#define HASTY                                                                                                          \
    KERNEL("", BARRIER)                                                                                                \
    "setp.ne.u32 %p0, %r1, 0;\nshl.b32 %r4, %r1, 4;\nadd.u32 %r5, %r2, %r4;\ncvt.u64.u32 %rd3, %r4;\n"                 \
    "add.u64 %rd4, %rd1, %rd3;\nld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd4];\n"                                      \
    "st.shared.v4.u32 [%r5], {%r6, %r7, %r8, %r9};\nfence.proxy.async.shared::cta;\n@%p0 ret;\n"                       \
    "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 1024;\ncp.async.bulk.commit_group;\n"                  \
    "cp.async.bulk.wait_group 0;\nret;\n}\n"

TEST(MACHINE__by_default_other_warps_get_on_while_one_fences)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct run run = run_kernel(HASTY, 64, 1, MACHINE_DEFAULT, seed);
        ck_assert_msg(run.outcome.kind == MACHINE_DONE && is_copied(&run, 256), "seed %d", (int)seed);
    }
    int stale = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct run run = run_kernel(HASTY, 64, 1, MACHINE_EARLY, seed);
        stale += run.outcome.kind == MACHINE_DONE && !is_copied(&run, 256);
    }
    ck_assert_int_gt(stale, 0);
}

// The same thread loads what it has stored: .read is not enough.
#define COPY_ON                                                                                                        \
    "mov.u32 %r4, 0;\nagain:\ncvt.u64.u32 %rd3, %r4;\nadd.u64 %rd4, %rd2, %rd3;\nld.global.u32 %r6, [%rd4];\n"         \
    "st.global.u32 [%rd4+4096], %r6;\nadd.u32 %r4, %r4, 4;\nsetp.lt.u32 %p3, %r4, 1024;\n@%p3 bra again;\nret;\n}\n"

static bool is_copied_on(const struct run *run)
{
    return memcmp(run->to, run->to + WORDS, 1024) == 0;
}

TEST(ASYNC_GROUP_READ__says_nothing_of_the_writes)
{
    for (int policy = MACHINE_DEFAULT; policy <= MACHINE_SHUFFLED; policy++) {
        struct run run = run_kernel(KERNEL("", BARRIER) OUT "cp.async.bulk.wait_group 0;\n" COPY_ON, 1, 1,
                                    (enum machine_policy)policy, 3);
        ck_assert_msg(run.outcome.kind == MACHINE_DONE && is_copied_on(&run), "%s", run.outcome.message);
    }
    struct run run =
        run_kernel(KERNEL("", BARRIER) OUT "cp.async.bulk.wait_group.read 0;\n" COPY_ON, 1, 1, MACHINE_LATE, 0);
    ck_assert(run.outcome.kind == MACHINE_DONE && is_copied(&run, 256) && !is_copied_on(&run));
}

// --- cp.async --------------------------------------------------------------------------------------------------------

#define SMALL                                                                                                          \
    "mov.u32 %r4, 0;\ncopy:\nadd.u32 %r5, %r2, %r4;\ncvt.u64.u32 %rd3, %r4;\nadd.u64 %rd4, %rd1, %rd3;\n"              \
    "cp.async.ca.shared.global [%r5], [%rd4], 16;\nadd.u32 %r4, %r4, 16;\nsetp.lt.u32 %p3, %r4, 1024;\n"               \
    "@%p3 bra copy;\ncp.async.commit_group;\n"

TEST(ASYNC_GROUP_ORDER__cp_async_needs_its_wait)
{
    check_always(KERNEL("", BARRIER) SMALL "cp.async.wait_group 0;\n" STORE_WORDS, 1, 1, 256);
    check_always(KERNEL("", BARRIER) SMALL "cp.async.wait_all;\n" STORE_WORDS, 1, 1, 256);
    check_stale(KERNEL("", BARRIER) SMALL STORE_WORDS, 1, 256);
    check_stale(KERNEL("", BARRIER) SMALL "cp.async.wait_group 1;\n" STORE_WORDS, 1, 256);
}

// A warp copies: %p0 holds for odd lanes, lane l has its bytes at l * 16 of %r4 and %rd4, or at l * 4 of %r9 and %rd5.
#define OF_LANES                                                                                                       \
    "and.b32 %r7, %r1, 1;\nsetp.ne.u32 %p0, %r7, 0;\nshl.b32 %r3, %r1, 4;\nadd.u32 %r4, %r2, %r3;\n"                   \
    "cvt.u64.u32 %rd3, %r3;\nadd.u64 %rd4, %rd1, %rd3;\nxor.b32 %r3, %r3, 0x1a0;\nadd.u32 %r5, %r2, %r3;\n"            \
    "cvt.u64.u32 %rd3, %r3;\nadd.u64 %rd6, %rd1, %rd3;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r9, %r2, %r3;\n"                \
    "cvt.u64.u32 %rd3, %r3;\nadd.u64 %rd5, %rd1, %rd3;\nmov.u32 %r8, 16;\n@%p0 mov.u32 %r8, 16;\n"
#define TWICE(copy, to, from, size)                                                                                    \
    copy " [" to "], [" from "], " size ";\n" copy " [" to "+512], [" from "+512], " size ";\n"
#define WORD(at) "cp.async.ca.shared.global [%r9+" at "], [%rd5+" at "], 4;\n"

static const char *const ways_of_lanes[] = {
    TWICE("cp.async.cg.shared.global", "%r4", "%rd4", "16"),      // side by side
    TWICE("cp.async.cg.shared.global", "%r5", "%rd6", "16"),      // here and there
    TWICE("cp.async.cg.shared.global", "%r4", "%rd4", "16, %r8"), // sizes in a register
    TWICE("@%p0 cp.async.ca.shared.global", "%r4", "%rd4", "16")  // half of them, then the others
    TWICE("@!%p0 cp.async.ca.shared.global", "%r4", "%rd4", "16"),
    WORD("0") WORD("128") WORD("256") WORD("384") WORD("512") WORD("640") WORD("768") WORD("896"),
};

LOOP_TEST(ASYNC_GROUP_ORDER__cp_async_of_a_warp_needs_its_wait, 0, ROWS_OF(ways_of_lanes))
{
    static char text[1 << 13];
    snprintf(text, sizeof text, "%s%s%s", KERNEL("", BARRIER) OF_LANES, ways_of_lanes[_i],
             "cp.async.wait_all;\nbar.sync 0;\n" STORE_WORDS);
    check_always(text, 32, 1, 256);
    snprintf(text, sizeof text, "%s%s%s", KERNEL("", BARRIER) OF_LANES, ways_of_lanes[_i], STORE_WORDS);
    check_stale(text, 32, 256);
}

// Lanes whose source is of no bytes, or of some, get zeros for the rest, whatever the others do.
TEST(CP_ASYNC_SRC_SIZE__lanes_with_less_get_zeros)
{
    struct run run =
        run_kernel(KERNEL("", BARRIER) OF_LANES
                   "mov.u32 %r8, 16;\nsetp.eq.u32 %p1, %r1, 3;\n"
                   "@%p1 mov.u32 %r8, 0;\nsetp.eq.u32 %p1, %r1, 30;\n"
                   "@%p1 mov.u32 %r8, 4;\n" TWICE("cp.async.cg.shared.global", "%r4", "%rd4",
                                                  "16, %r8") "cp.async.wait_all;\nbar.sync 0;\n" STORE_WORDS,
                   32, 1, MACHINE_DEFAULT, 0);
    ck_assert_msg(run.outcome.kind == MACHINE_DONE, "%s", run.outcome.message);
    for (uint32_t i = 0; i < 256; i++) {
        const uint32_t lane = i / 4 % 32, words = lane == 3 ? 0 : lane == 30 ? 1 : 4;
        ck_assert_uint_eq(run.to[i], i % 4 < words ? i * 2654435761u : 0);
    }
}

TEST(CP_ASYNC_MBARRIER_ARRIVE__comes_behind_the_copies)
{
    check_always(KERNEL("", BARRIER) "mov.u32 %r3, bar;\nmbarrier.init.shared.b64 [%r3], 1;\n" SMALL
                                     "cp.async.mbarrier.arrive.noinc.shared.b64 [%r3];\n" WAIT STORE_WORDS,
                 1, 1, 256);
    check_stale(KERNEL("", BARRIER) "mov.u32 %r3, bar;\nmbarrier.init.shared.b64 [%r3], 1;\n" SMALL
                                    "cp.async.mbarrier.arrive.noinc.shared.b64 [%r3];\n" STORE_WORDS,
                1, 256);
}

// --- Clusters --------------------------------------------------------------------------------------------------------

// Rank 1 is asked for its tile: rank 0 sends it there by st.async, four words at a time, on the barrier of rank 1.
#define MEET "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
#define SEND                                                                                                           \
    "mov.u32 %r3, bar;\nmbarrier.init.shared::cta.b64 [%r3], 1;\n"                                                     \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 1024;\nfence.mbarrier_init.release.cluster;\n" MEET           \
    "mov.u32 %r7, %cluster_ctarank;\nsetp.ne.u32 %p0, %r7, 0;\n@%p0 bra receive;\n"                                    \
    "mapa.shared::cluster.u32 %r8, %r2, 1;\nmapa.shared::cluster.u32 %r9, %r3, 1;\nmov.u32 %r4, 0;\n"                  \
    "send:\nadd.u32 %r5, %r8, %r4;\ncvt.u64.u32 %rd3, %r4;\nadd.u64 %rd4, %rd1, %rd3;\n"                               \
    "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd4];\n"                                                             \
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r5], {%r10, %r11, %r12, %r13}, [%r9];\n"           \
    "add.u32 %r4, %r4, 16;\nsetp.lt.u32 %p3, %r4, 1024;\n@%p3 bra send;\n" MEET "ret;\nreceive:\n"

TEST_CALL(CLUSTER_BARRIER__st_async_reaches_the_other_cta,
          check_always(KERNEL("", BARRIER) SEND WAIT MEET STORE_WORDS, 1, 2, 256))

// The 128 threads of each CTA send 4 KiB to their own CTA, four bytes at a time, and wait for them.
#define MANY                                                                                                           \
    KERNEL("", ".shared .align 128 .b8 tile[4096];\n.shared .align 8 .b64 bar;\n")                                     \
    "mov.u32 %r3, bar;\nsetp.ne.u32 %p0, %r1, 0;\n@%p0 bra ready;\nmbarrier.init.shared::cta.b64 [%r3], 1;\n"          \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 4096;\nready:\nbar.sync 0;\nshl.b32 %r4, %r1, 2;\nsend:\n"    \
    "add.u32 %r5, %r2, %r4;\ncvt.u64.u32 %rd3, %r4;\nadd.u64 %rd4, %rd1, %rd3;\nld.global.u32 %r6, [%rd4];\n"          \
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r5], %r6, [%r3];\nadd.u32 %r4, %r4, 512;\n"           \
    "setp.lt.u32 %p3, %r4, 4096;\n@%p3 bra send;\n" WAIT                                                               \
    "shl.b32 %r4, %r1, 2;\nword:\nadd.u32 %r5, %r2, %r4;\nld.shared.u32 %r6, [%r5];\ncvt.u64.u32 %rd3, %r4;\n"         \
    "add.u64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r6;\nadd.u32 %r4, %r4, 512;\nsetp.lt.u32 %p3, %r4, 4096;\n"     \
    "@%p3 bra word;\nret;\n}\n"

// Where operations are late those who wait do not ask again for each of a thousand.
TEST(MACHINE__who_waits_for_many_operations_asks_seldom)
{
    enum { SEEN = 2, TIMES = 3 };
    check_always(MANY, 128, 2, WORDS);
    const uint64_t early = run_kernel(MANY, 128, 2, MACHINE_EARLY, 0).outcome.instructions;
    for (int policy = MACHINE_LATE; policy <= MACHINE_SHUFFLED; policy++)
        for (uint64_t seed = 0; seed < SEEN; seed++) {
            const uint64_t some = run_kernel(MANY, 128, 2, (enum machine_policy)policy, seed).outcome.instructions;
            ck_assert_msg(some < TIMES * early, "policy %d: %d instructions, %d where all is early", policy, (int)some,
                          (int)early);
        }
}

// A ring of one stage, 64 times around: thread 0 loads, warp 1 reads and frees the stage, warp 2 only reads.
#define RING                                                                                                           \
    "mov.u32 %r3, bar;\nadd.u32 %r8, %r3, 8;\nsetp.ne.u32 %p0, %r1, 0;\nshr.u32 %r9, %r1, 5;\nmov.u32 %r10, 0;\n"      \
    "@%p0 bra ready;\nmbarrier.init.shared::cta.b64 [%r3], 1;\nmbarrier.init.shared::cta.b64 [%r8], 1;\n"              \
    "fence.proxy.async.shared::cta;\nready:\nbar.sync 0;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra read;\n@%p0 bra end;\n"   \
    "load:\nxor.b32 %r11, %r10, 1;\nand.b32 %r11, %r11, 1;\n"                                                          \
    "free:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r8], %r11;\n@!%p2 bra free;\n"                             \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 1024;\n"                                                      \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 1024, [%r3];\n"                  \
    "add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p3, %r10, 64;\n@%p3 bra load;\nend:\nret;\n"                                 \
    "read:\nand.b32 %r11, %r10, 1;\n"                                                                                  \
    "full:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], %r11;\n@!%p2 bra full;\n"                             \
    "setp.eq.u32 %p0, %r1, 32;\n@%p0 mbarrier.arrive.shared::cta.b64 _, [%r8];\n"                                      \
    "add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p3, %r10, 64;\n@%p3 bra read;\nsetp.ne.u32 %p0, %r1, 64;\n@%p0 bra end;\n"

TEST(MACHINE__by_default_no_warp_falls_two_phases_behind)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct run run = run_kernel(KERNEL("", ".shared .align 128 .b8 tile[1024];\n.shared .align 8 .b64 bar[2];\n")
                                        RING STORE_WORDS,
                                    96, 1, MACHINE_DEFAULT, seed);
        ck_assert_msg(run.outcome.kind == MACHINE_DONE, "seed %d: %s", (int)seed, run.outcome.message);
        ck_assert_msg(is_copied(&run, 256), "seed %d: wrong bytes", (int)seed);
    }
}

// Rank 0 loads one tile into both CTAs; rank 1 writes it out.
#define MULTICAST                                                                                                      \
    "mov.u32 %r3, bar;\nmbarrier.init.shared::cta.b64 [%r3], 1;\n"                                                     \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 1024;\nfence.mbarrier_init.release.cluster;\n" MEET           \
    "mov.u32 %r7, %cluster_ctarank;\nsetp.ne.u32 %p0, %r7, 0;\n@%p0 bra receive;\nmov.u16 %h1, 3;\n"                   \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r2], [%rd1], 1024, "       \
    "[%r3], %h1;\nown:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n@!%p2 bra own;\n" MEET                \
    "ret;\nreceive:\n"

TEST_CALL(MULTICAST_TARGETS__each_cta_waits_on_its_own_barrier,
          check_always(KERNEL(".reg .b16 %h<4>;\n", BARRIER) MULTICAST WAIT MEET STORE_WORDS, 1, 2, 256))

// Each CTA loads a tile of its own, and CTA 1 writes it out: both addresses with the rank of the CTA or without it.
#define OWN_TILE(mask)                                                                                                 \
    "and.b32 %r2, %r2, " mask ";\nmov.u32 %r3, bar;\nand.b32 %r3, %r3, " mask ";\n"                                    \
    "mbarrier.init.shared::cta.b64 [%r3], 1;\nfence.proxy.async.shared::cta;\n"                                        \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 1024;\n"                                                      \
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 1024, [%r3];\n" WAIT                 \
    "mov.u32 %r7, %cluster_ctarank;\nsetp.eq.u32 %p0, %r7, 0;\n@%p0 exit;\n"
#define BULK_OUT                                                                                                       \
    "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r2], 1024;\ncp.async.bulk.commit_group;\n"                  \
    "cp.async.bulk.wait_group 0;\nret;\n}\n"

TEST(MACHINE__a_shared_cta_address_is_the_own_one_with_and_without_the_rank)
{
    check_always(KERNEL("", BARRIER) OWN_TILE("0xffffff") STORE_WORDS, 1, 2, 256);
    check_always(KERNEL("", BARRIER) OWN_TILE("0xffffffff") STORE_WORDS, 1, 2, 256);
    check_always(KERNEL("", BARRIER) OWN_TILE("0xffffff") BULK_OUT, 1, 2, 256);
    check_always(KERNEL("", BARRIER) OWN_TILE("0xffffffff") BULK_OUT, 1, 2, 256);
}

// --- Time ------------------------------------------------------------------------------------------------------------

#define LOOK_AT_CLOCK                                                                                                  \
    "mov.u64 %rd5, %clock64;\nlook:\nmov.u64 %rd6, %clock64;\nsub.u64 %rd6, %rd6, %rd5;\n"                             \
    "setp.lt.u64 %p1, %rd6, 4000;\n@%p1 bra look;\n"
#define SLEEP                                                                                                          \
    "mov.u32 %r7, 4;\nrest:\nnanosleep.u32 1000;\nsub.u32 %r7, %r7, 1;\nsetp.ne.u32 %p1, %r7, 0;\n@%p1 bra rest;\n"
#define COUNT "mov.u32 %r7, 1000;\nrest:\nsub.u32 %r7, %r7, 1;\nsetp.ne.u32 %p1, %r7, 0;\n@%p1 bra rest;\n"

TEST(MACHINE__who_lets_time_pass_sees_what_is_done_by_then)
{
    check_always(KERNEL("", BARRIER) LOAD LOOK_AT_CLOCK STORE_WORDS, 1, 1, 256);
    check_always(KERNEL("", BARRIER) LOAD SLEEP STORE_WORDS, 1, 1, 256);
    check_stale(KERNEL("", BARRIER) LOAD COUNT STORE_WORDS, 1, 256);
}

// Loops that poll the last word by atomics, or write memory each time: no loop holds an operation up for ever.
#define POLL(body) "mov.u64 %rd7, 0;\nrest:\n" body "setp.eq.u32 %p1, %r6, 0;\n@%p1 bra rest;\n"

TEST(MACHINE__a_loop_that_polls_by_any_means_sees_the_end)
{
    check_always(KERNEL("", BARRIER) LOAD POLL("atom.shared.add.u32 %r6, [%r2 + 1020], 0;\n") STORE_WORDS, 1, 1, 256);
    check_always(KERNEL("", BARRIER) LOAD POLL("add.u64 %rd7, %rd7, 1;\nst.volatile.global.u64 [%rd2 + 2048], %rd7;\n"
                                               "ld.volatile.shared.u32 %r6, [%r2 + 1020];\n") STORE_WORDS,
                 1, 1, 256);
}

// How many clocks the first of `threads` threads needs for 3,000 instructions.
static uint32_t clocks_of(uint32_t threads)
{
    struct run run = run_kernel(KERNEL("", BARRIER) "mov.u64 %rd5, %clock64;\n" COUNT
                                                    "mov.u64 %rd6, %clock64;\nsub.u64 %rd6, %rd6, %rd5;\n"
                                                    "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra end;\n"
                                                    "st.global.u32 [%rd2], %rd6;\nend:\nret;\n}\n",
                                threads, 1, MACHINE_DEFAULT, 0);
    ck_assert_msg(run.outcome.kind == MACHINE_DONE, "%s", run.outcome.message);
    return run.to[0];
}

TEST(MACHINE__warps_run_side_by_side_for_the_clock)
{
    uint32_t one = clocks_of(32), all = clocks_of(1024);
    ck_assert_msg(one >= 2000 && one <= 6000, "%u clocks", one);
    ck_assert_msg(all <= 2 * one, "%u clocks for one warp, %u for 32", one, all);
}

TEST(MACHINE__a_long_wait_by_the_clock_takes_few_instructions)
{
    struct run run = run_kernel(KERNEL("", BARRIER) "mov.u64 %rd5, %clock64;\nlook:\nmov.u64 %rd6, %clock64;\n"
                                                    "sub.u64 %rd6, %rd6, %rd5;\nsetp.lt.u64 %p1, %rd6, 2000000000;\n"
                                                    "@%p1 bra look;\nret;\n}\n",
                                1024, 1, MACHINE_DEFAULT, 0);
    ck_assert_msg(run.outcome.kind == MACHINE_DONE, "%s", run.outcome.message);
}
