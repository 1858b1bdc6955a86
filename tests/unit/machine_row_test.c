// SPDX-License-Identifier: MIT
// The suite `machine_row`: rows of the PTX machine one by one, against C: special registers, atomics, narrow registers,
// initial values with addresses, predicates as arguments, and how rows end a launch.
#include "machine_test.h"

enum { LANES = 32, CTAS = 4, THREADS = 64, TEXT_BYTES = 4096, DYNAMIC_BYTES = 512 };

#define MIX UINT64_C(0x9E3779B97F4A7C15)

// --- Special registers -----------------------------------------------------------------------------------------------

enum kind { SAME, LANE_BIT, LANE_BELOW, LANE_UP_TO, LANE_FROM, LANE_ABOVE, CTA, CTA_IN_CLUSTER, CLUSTER, WARP };

static const struct {
    const char *name;
    enum kind kind;
    uint32_t same;
} specials[] = {
    {"%lanemask_eq", LANE_BIT, 0},
    {"%lanemask_lt", LANE_BELOW, 0},
    {"%lanemask_le", LANE_UP_TO, 0},
    {"%lanemask_ge", LANE_FROM, 0},
    {"%lanemask_gt", LANE_ABOVE, 0},
    {"%ctaid.x", CTA, 0},
    {"%smid", CTA, 0},
    {"%warpid", WARP, 0},
    {"%clusterid.x", CLUSTER, 0},
    {"%cluster_ctaid.x", CTA_IN_CLUSTER, 0},
    {"%cluster_ctarank", CTA_IN_CLUSTER, 0},
    {"%clusterid.y", SAME, 0},
    {"%nclusterid.x", SAME, CTAS / 2},
    {"%nclusterid.z", SAME, 1},
    {"%cluster_nctaid.x", SAME, 2},
    {"%cluster_nctaid.y", SAME, 1},
    {"%cluster_nctarank", SAME, 2},
    {"%ntid.x", SAME, THREADS},
    {"%ntid.y", SAME, 1},
    {"%nctaid.x", SAME, CTAS},
    {"%nctaid.z", SAME, 1},
    {"%nwarpid", SAME, 64},
    {"%nsmid", SAME, 132},
    {"%dynamic_smem_size", SAME, DYNAMIC_BYTES},
    {"%total_smem_size", SAME, DYNAMIC_BYTES},
    {"%aggr_smem_size", SAME, 1024 + DYNAMIC_BYTES},
    {"%reserved_smem_offset_begin", SAME, 0},
    {"%reserved_smem_offset_end", SAME, 0x120},
    {"%reserved_smem_offset_cap", SAME, 1024},
    {"%envreg0", SAME, 0},
    {"%envreg1", SAME, 0},
    {"%envreg2", SAME, 0},
    {"%pm0", SAME, 0},
    {"%clock_hi", SAME, 0},
    {"%globaltimer_hi", SAME, 0},
};

static uint32_t special_of(int i, uint32_t cta, uint32_t thread)
{
    uint32_t bit = 1u << thread % LANES;
    switch (specials[i].kind) {
    case LANE_BIT:
        return bit;
    case LANE_BELOW:
        return bit - 1;
    case LANE_UP_TO:
        return bit | (bit - 1);
    case LANE_FROM:
        return ~(bit - 1);
    case LANE_ABOVE:
        return ~(bit | (bit - 1));
    case CTA:
        return cta;
    case CTA_IN_CLUSTER:
        return cta % 2;
    case CLUSTER:
        return cta / 2;
    case WARP:
        return thread / LANES;
    default:
        return specials[i].same;
    }
}

// %r3: the number of the thread in the grid; %rd1: the address of its 4 bytes.
#define THREAD_OF_GRID                                                                                                 \
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r3, %r1, %r2, %r3;\n"            \
    "mul.wide.u32 %rd1, %r3, 4;\nadd.u64 %rd1, %rd0, %rd1;\n"

LOOP_TEST(special_registers_say_where_a_thread_is, 0, ROWS_OF(specials))
{
    char text[TEXT_BYTES];
    snprintf(text, sizeof text,
             "%s.reg .pred %%c;\nmov.u32 %%r4, %s;\nmov.pred %%c, %%is_explicit_cluster;\n"
             "@!%%c mov.u32 %%r4, 77;\nst.global.u32 [%%rd1], %%r4;\nret;\n}\n",
             ENTRY THREAD_OF_GRID, specials[_i].name);
    struct ran *ran =
        run_well(text, (struct launch_of){.grid = CTAS, .block = THREADS, .cluster = 2, .dynamic = DYNAMIC_BYTES});
    for (uint32_t i = 0; i < CTAS * THREADS; i++)
        ck_assert_msg(ran->out[i] == special_of(_i, i / THREADS, i % THREADS), "%s of thread %u is %u, not %u",
                      specials[_i].name, i, ran->out[i], special_of(_i, i / THREADS, i % THREADS));
}

// --- Atomics ---------------------------------------------------------------------------------------------------------

enum { ADD, MIN, MAX, AND, OR, XOR, INC, DEC, EXCH };

static const struct {
    const char *row;
    int op;
    uint32_t bits;
    bool is_signed;
} atomics[] = {
    {"add.u32", ADD, 32, false}, {"add.s32", ADD, 32, true},    {"add.u64", ADD, 64, false},
    {"min.u32", MIN, 32, false}, {"min.s32", MIN, 32, true},    {"min.u64", MIN, 64, false},
    {"min.s64", MIN, 64, true},  {"max.u32", MAX, 32, false},   {"max.s32", MAX, 32, true},
    {"max.u64", MAX, 64, false}, {"max.s64", MAX, 64, true},    {"and.b32", AND, 32, false},
    {"and.b64", AND, 64, false}, {"or.b32", OR, 32, false},     {"or.b64", OR, 64, false},
    {"xor.b32", XOR, 32, false}, {"xor.b64", XOR, 64, false},   {"inc.u32", INC, 32, false},
    {"dec.u32", DEC, 32, false}, {"exch.b32", EXCH, 32, false}, {"exch.b64", EXCH, 64, false},
};

static uint64_t cut(uint64_t value, uint32_t bits)
{
    return bits == 64 ? value : value & UINT32_MAX;
}

static bool is_less(uint64_t a, uint64_t b, uint32_t bits, bool is_signed)
{
    if (!is_signed) return a < b;
    return bits == 32 ? (int32_t)(uint32_t)a < (int32_t)(uint32_t)b : (int64_t)a < (int64_t)b;
}

static uint64_t atomic_of(int i, uint64_t a, uint64_t b)
{
    uint32_t bits = atomics[i].bits;
    switch (atomics[i].op) {
    case ADD:
        return cut(a + b, bits);
    case MIN:
        return is_less(b, a, bits, atomics[i].is_signed) ? b : a;
    case MAX:
        return is_less(a, b, bits, atomics[i].is_signed) ? b : a;
    case AND:
        return a & b;
    case OR:
        return a | b;
    case XOR:
        return a ^ b;
    case INC:
        return a >= b ? 0 : a + 1;
    case DEC:
        return a == 0 || a > b ? b : a - 1;
    default:
        return b;
    }
}

// Each lane has 16 bytes: what the operation left, and what was there. `atom` and `red` in global and shared memory.
LOOP_TEST(atomics_make_of_two_numbers_what_c_makes, 0, ROWS_OF(atomics))
{
    char text[TEXT_BYTES];
    const char *r = atomics[_i].bits == 64 ? "rd" : "r";
    uint32_t bits = atomics[_i].bits;
    bool has_red = atomics[_i].op != EXCH;
    snprintf(text, sizeof text,
             "%s.shared .align 8 .b64 s[32];\n.visible .entry k(.param .u64 out)\n{\n%s"
             "mov.u32 %%r0, %%laneid;\ncvt.u64.u32 %%rd2, %%r0;\nmul.lo.u64 %%rd3, %%rd2, %llu;\n"
             "mul.lo.u64 %%rd4, %%rd3, %%rd3;\ncvt.u32.u64 %%r3, %%rd3;\ncvt.u32.u64 %%r4, %%rd4;\n"
             "mul.wide.u32 %%rd1, %%r0, 16;\nadd.u64 %%rd1, %%rd0, %%rd1;\nst.global.b%u [%%rd1], %%%s3;\n"
             "mov.u64 %%rd6, s;\nmad.lo.u64 %%rd6, %%rd2, 8, %%rd6;\nst.shared.b%u [%%rd6], %%%s3;\n"
             "atom.global.%s %%%s5, [%%rd1], %%%s4;\nst.global.b%u [%%rd1+8], %%%s5;\n"
             "%s.shared.%s %s[%%rd6], %%%s4;\nld.shared.b%u %%%s7, [%%rd6];\n"
             "st.global.b%u [%%rd1+512], %%%s7;\nret;\n}\n",
             HEAD, REGISTERS, (unsigned long long)MIX, bits, r, bits, r, atomics[_i].row, r, r, bits, r,
             has_red ? "red" : "atom", atomics[_i].row,
             has_red      ? ""
             : bits == 64 ? "%rd8, "
                          : "%r8, ",
             r, bits, r, bits, r);
    struct ran *ran = run_well(text, (struct launch_of){.block = LANES});
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint64_t a = lane * MIX, b = a * a, left[2], shared;
        memcpy(left, &ran->out[4 * lane], sizeof left);
        memcpy(&shared, &ran->out[128 + 4 * lane], sizeof shared);
        a = cut(a, bits), b = cut(b, bits);
        ck_assert_msg(left[0] == atomic_of(_i, a, b) && left[1] == a && shared == left[0],
                      "%s of %llx and %llx in lane %u: %llx left, %llx returned, %llx left in shared memory, not %llx",
                      atomics[_i].row, (unsigned long long)a, (unsigned long long)b, lane, (unsigned long long)left[0],
                      (unsigned long long)left[1], (unsigned long long)shared, (unsigned long long)atomic_of(_i, a, b));
    }
}

// Sums that every format holds exactly.
static const struct {
    const char *row, *file;
    uint32_t bits;
    uint64_t a, b, sum;
} floats[] = {
    {"add.f32", "r", 32, 0x3fc00000, 0x40100000, 0x40700000},                          // 1.5 + 2.25
    {"add.f64", "rd", 64, 0x3ff8000000000000, 0x4002000000000000, 0x400e000000000000}, // the same
    {"add.noftz.f16", "h", 16, 0x3e00, 0x4080, 0x4380},                                // the same
    {"add.noftz.bf16", "h", 16, 0x3fc0, 0x4010, 0x4070},                               // the same
    {"add.noftz.f16x2", "r", 32, 0x3c003e00, 0x40004080, 0x42004380},                  // 1 + 2, 1.5 + 2.25
    {"add.noftz.bf16x2", "r", 32, 0x3f803fc0, 0x40004010, 0x40404070},
};

LOOP_TEST(atomics_add_floats, 0, ROWS_OF(floats))
{
    char text[TEXT_BYTES];
    const char *file = floats[_i].file;
    uint32_t bits = floats[_i].bits;
    uint64_t left[2];
    snprintf(text, sizeof text,
             "%smov.b%u %%%s1, 0x%llx;\nmov.b%u %%%s2, 0x%llx;\nst.global.b%u [%%rd0], %%%s1;\n"
             "atom.global.%s %%%s3, [%%rd0], %%%s2;\nst.global.b%u [%%rd0+8], %%%s3;\nret;\n}\n",
             ENTRY, bits, file, (unsigned long long)floats[_i].a, bits, file, (unsigned long long)floats[_i].b, bits,
             file, floats[_i].row, file, file, bits, file);
    struct ran *ran = run_well(text, (struct launch_of){.block = 1});
    memcpy(left, ran->out, sizeof left);
    ck_assert_msg(left[0] == floats[_i].sum && left[1] == floats[_i].a, "%s: %llx left, %llx returned", floats[_i].row,
                  (unsigned long long)left[0], (unsigned long long)left[1]);
}

// --- Registers, addresses, arguments ---------------------------------------------------------------------------------

// A row of lanes around address 0: what would come after it ends where addresses end.
TEST(a_row_of_lanes_around_address_0_faults)
{
    struct ran *ran = run_text(ENTRY "mov.u32 %r0, %tid.x;\nmul.wide.u32 %rd2, %r0, 4;\nadd.u64 %rd2, %rd2, -32;\n"
                                     "ld.global.u32 %r1, [%rd2];\nret;\n}\n",
                               (struct launch_of){.block = 32});
    ck_assert_msg(ran->outcome.kind == MACHINE_FAULTED, "%s", ran->outcome.message);
    ck_assert_uint_eq(ran->outcome.where.thread[0], 0);
}

// --- How rows end a launch -------------------------------------------------------------------------------------------

#define TEXT_OF(name, a, b, c) ".global .align 1 .b8 " name "[4] = {" #a ", " #b ", " #c ", 0};\n"

#define SHARED ".shared .align 1024 .b8 s[4096];\n"
#define WAIT   "W: mbarrier.try_wait.parity.shared.b64 %p0, [s], 0;\n@!%p0 bra W;\n"
#define WGMMA  "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%d0, %d1, %d2, %d3}, %rd1, %rd1, 1, 1, 1, 0, 0;\n"

static const struct {
    const char *why, *before, *body;
    uint32_t block;
    enum machine_kind kind;
    int cuda_error;
    const char *message;
} ends[] = {
    {"a breakpoint", "", "brkpt;\n", 1, MACHINE_TRAPPED, 719, "brkpt"},
    {"pmevent does nothing", "", "pmevent 3;\n", 1, MACHINE_DONE, 0, ""},
    {"a target that the list has not", "",
     "mov.u32 %r1, 5;\nT: .branchtargets A, B;\nbrx.idx %r1, T;\nA: ret;\nB: ret;\n", 1, MACHINE_FAULTED, 719,
     "target 5 of a list of 2"},
    {"a function of the GPU that gives nothing back", ".extern .func malloc(.param .b64 n);\n", "call malloc, (8);\n",
     1, MACHINE_UNSUPPORTED, 0, "'malloc' is not called as"},
    {"a function of the GPU, by its address", ".extern .func free(.param .b64 p);\n",
     "mov.u64 %rd1, free;\nP: .callprototype _ ();\ncall %rd1, (), P;\n", 1, MACHINE_FAULTED, 718,
     "where no function is"},
    {"a block of too many threads", "", "", 2000, MACHINE_REFUSED, 1, "A block must have 1 to 1024"},
    {"a body that cannot be read", "", "add.s32 %r1, %r2;\n", 1, MACHINE_REFUSED, 1, "operand 'b' is missing"},
    {"an assertion",
     ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);\n" TEXT_OF(
         "m", 120, 62, 48) TEXT_OF("f", 97, 46, 99) TEXT_OF("n", 102, 102, 102),
     "mov.u64 %rd1, m;\ncvta.global.u64 %rd1, %rd1;\nmov.u64 %rd2, f;\ncvta.global.u64 %rd2, %rd2;\nmov.u64 %rd3, n;\n"
     "cvta.global.u64 %rd3, %rd3;\nmov.u64 %rd4, 1;\nmov.u32 %r1, 42;\n"
     "call __assertfail, (%rd1, %rd2, %r1, %rd3, %rd4);\n",
     40, MACHINE_TRAPPED, 710, "the assertion `x>0` failed for 32 threads of warp 0"},
    {"a barrier that there is not", "", "mov.u32 %r1, 16;\nbarrier.sync %r1;\n", 32, MACHINE_FAULTED, 715,
     "barrier 16: there are barriers 0 to 15"},
    {"a barrier of a part of a warp", "", "mov.u32 %r1, 33;\nbarrier.sync 1, %r1;\n", 64, MACHINE_FAULTED, 715,
     "barrier 1 of 33 threads"},
    {"a stack that nobody has", "", "alloca.u64 %rd1, 600000;\n", 1, MACHINE_FAULTED, 719,
     "alloca of 600000 bytes: a thread has at most 524288"},
    {"a stack that is used up", "", "alloca.u64 %rd1, 300000;\nalloca.u64 %rd1, 300000;\n", 1, MACHINE_FAULTED, 719,
     "alloca of 300000 bytes"},
    {"memory that was never given", ".extern .func free(.param .b64 p);\n", "mov.u64 %rd1, 64;\ncall free, (%rd1);\n",
     1, MACHINE_FAULTED, 719, "free(0x40): malloc() of a kernel gave no such memory"},
    {"no memory is given back", ".extern .func free(.param .b64 p);\n", "mov.u64 %rd1, 0;\ncall free, (%rd1);\n", 3,
     MACHINE_DONE, 0, ""},
    {"a copy to no multiple of its size", SHARED, "cp.async.ca.shared.global [s+2], [%rd0], 4;\n", 1, MACHINE_FAULTED,
     716, "cp.async"},
    {"a matrix at no multiple of 16", SHARED,
     "mov.u32 %r1, s;\nadd.u32 %r1, %r1, 4;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];\n", 32,
     MACHINE_FAULTED, 716, "ldmatrix"},
    {"local memory at no multiple of the size", "", "st.local.u32 [2], %r1;\n", 1, MACHINE_FAULTED, 716, "st.local"},
    {"local memory that there is not", "", "mov.u32 %r1, 1000000;\nld.local.u32 %r2, [%r1];\n", 32, MACHINE_FAULTED,
     700, "ld.local"},
    {"a barrier that nobody made", SHARED, WAIT, 1, MACHINE_HUNG, 0, "no mbarrier.init has created it"},
    {"a barrier that was dropped", SHARED,
     "mbarrier.init.shared.b64 [s], 1;\nmbarrier.inval.shared.b64 [s];\nst.shared.u64 [s], 0;\n" WAIT, 1, MACHINE_HUNG,
     0, "mbarrier.inval has invalidated it"},
    {"a barrier to which too much came", SHARED,
     "mbarrier.init.shared.b64 [s], 1;\nmov.u32 %r1, s;\n"
     "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r1], 64;\n" WAIT,
     1, MACHINE_HUNG, 0, "no expect_tx has announced them on this mbarrier"},
    {"wgmma that is another in another warp", SHARED,
     ".reg .f32 %d<4>;\nmov.u32 %r0, %tid.x;\nsetp.lt.u32 %p0, %r0, 32;\n"
     "mov.u32 %r1, s;\nshr.u32 %r1, %r1, 4;\ncvt.u64.u32 %rd1, %r1;\n@%p0 bra A;\n" WGMMA "ret;\nA:\n" WGMMA,
     128, MACHINE_FAULTED, 719, "The warps of a warpgroup must execute the same wgmma"},
};

LOOP_TEST(a_row_ends_the_launch_and_says_why, 0, ROWS_OF(ends))
{
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "%s%s.visible .entry k(.param .u64 out)\n{\n%s%sret;\n}\n", HEAD, ends[_i].before,
             REGISTERS, ends[_i].body);
    struct ran *ran = run_text(text, (struct launch_of){.block = ends[_i].block});
    ck_assert_msg(ran->outcome.kind == ends[_i].kind && ran->outcome.cuda_error == ends[_i].cuda_error &&
                      strstr(ran->outcome.message, ends[_i].message) != NULL,
                  "%s: %s, CUDA error %d: %s", ends[_i].why, machine_kind_name(ran->outcome.kind),
                  ran->outcome.cuda_error, ran->outcome.message);
}
