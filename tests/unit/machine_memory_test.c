// SPDX-License-Identifier: MIT
// The suite `machine_memory`: loads, stores, atomics, spaces and faults of the PTX machine.
#include "machine_test.h"
#include "rules/cluster.h"
#include "rules/global.h"
#include "rules/shared.h"

// Each thread puts its number into shared memory, and takes that of another from there.
TEST(shared_memory_is_the_ctas)
{
    struct ran *ran = run_well(HEAD ".shared .align 4 .b8 pad[12];\n.shared .align 4 .b32 s[64];\n"
                                    ".visible .entry k(.param .u64 out)\n{\n" REGISTERS THREAD
                                    "mov.u32 %r1, s;\nshl.b32 %r2, %r0, 2;\nadd.u32 %r3, %r1, %r2;\n"
                                    "add.u32 %r4, %r0, 100;\nst.shared.u32 [%r3], %r4;\nbar.sync 0;\n"
                                    "xor.b32 %r2, %r2, 252;\nadd.u32 %r3, %r1, %r2;\nld.shared.u32 %r5, [%r3];\n"
                                    "st.global.u32 [%rd1], %r5;\nret;\n}\n",
                               (struct launch_of){.block = 64});
    for (uint32_t i = 0; i < 64; i++) ck_assert_uint_eq(ran->out[i], 100 + (i ^ 63));
}

TEST(generic_addresses_reach_all_spaces)
{
    struct ran *ran =
        run_well(HEAD ".global .align 4 .b32 g[2] = {5, 6};\n.const .align 4 .b32 c = 9;\n.shared .align 4 .b32 s;\n"
                      ".visible .entry k(.param .u64 out)\n{\n.local .align 4 .b32 l;\n" REGISTERS THREAD
                      "mov.u64 %rd2, s;\ncvta.shared.u64 %rd2, %rd2;\nst.u32 [%rd2], 11;\nld.shared.u32 %r1, [s];\n"
                      "mov.u64 %rd3, l;\ncvta.local.u64 %rd3, %rd3;\nadd.u32 %r2, %r0, 20;\nst.u32 [%rd3], %r2;\n"
                      "ld.local.u32 %r2, [l];\n"
                      "mov.u64 %rd4, g;\ncvta.global.u64 %rd4, %rd4;\nld.u32 %r3, [%rd4+4];\n"
                      "mov.u64 %rd5, c;\ncvta.const.u64 %rd5, %rd5;\nld.u32 %r4, [%rd5];\n"
                      "mov.u64 %rd6, out;\ncvta.param.u64 %rd6, %rd6;\nld.u64 %rd7, [%rd6];\n"
                      "st.global.u32 [%rd7], %r1;\nst.global.u32 [%rd7+4], %r2;\nst.global.u32 [%rd7+8], %r3;\n"
                      "st.global.u32 [%rd7+12], %r4;\n"
                      "isspacep.shared %p0, %rd2;\nisspacep.local %p1, %rd3;\nisspacep.global %p2, %rd4;\n"
                      "isspacep.global %p3, %rd2;\nselp.u32 %r5, 1, 0, %p0;\nselp.u32 %r6, 2, 0, %p1;\n"
                      "selp.u32 %r7, 4, 0, %p2;\nselp.u32 %r8, 8, 0, %p3;\nor.b32 %r5, %r5, %r6;\n"
                      "or.b32 %r5, %r5, %r7;\nor.b32 %r5, %r5, %r8;\nst.global.u32 [%rd7+16], %r5;\nret;\n}\n",
                 (struct launch_of){.block = 1});
    static const uint32_t wanted[] = {11, 20, 6, 9, 7};
    for (uint32_t i = 0; i < 5; i++) ck_assert_uint_eq(ran->out[i], wanted[i]);
}

// Triton takes the address of a tensor map among the parameters in 32 bits.
TEST(addresses_of_parameters_fit_32_bits)
{
    struct ran *ran =
        run_well(HEAD ".visible .entry k(.param .u64 out)\n{\n" REGISTERS THREAD
                      "mov.b32 %r1, out;\ncvt.u64.u32 %rd2, %r1;\ncvta.param.u64 %rd3, %rd2;\nld.u64 %rd4, [%rd3];\n"
                      "ld.param.u64 %rd5, [%rd2];\ncvta.to.param.u64 %rd6, %rd3;\nld.param.u64 %rd6, [%rd6];\n"
                      "isspacep.param %p0, %rd3;\nisspacep.param %p1, %rd0;\nselp.u32 %r2, 1, 0, %p0;\n"
                      "@%p1 mov.u32 %r2, 2;\nst.global.u32 [%rd4], %r2;\nsub.u64 %rd5, %rd5, %rd0;\n"
                      "sub.u64 %rd6, %rd6, %rd0;\nst.global.u64 [%rd0+8], %rd5;\nst.global.u64 [%rd0+16], %rd6;\n"
                      "mov.b32 %r3, out+4;\nsub.u32 %r3, %r3, %r1;\nst.global.u32 [%rd0+4], %r3;\nret;\n}\n",
                 (struct launch_of){.block = 1});
    static const uint32_t wanted[] = {1, 4, 0, 0, 0, 0};
    for (uint32_t i = 0; i < 6; i++) ck_assert_uint_eq(ran->out[i], wanted[i]);
}

// Where ptxas 13.0 put them: a program may rest on an alignment that its source does not ask for.
TEST(variables_lie_where_ptxas_places_them)
{
    static const char text[] =
        HEAD ".global .align 4 .b8 b1[20];\n.global .align 4 .b8 b2[8];\n.global .align 4 .b8 set1[20] = {1};\n"
             ".global .align 1 .b8 c[3];\n.global .align 16 .b8 q[4];\n.global .align 8 .b64 set2 = 5;\n"
             ".const .align 4 .b8 k1[20] = {1};\n.const .align 8 .b8 k2[8];\n";
    static const struct {
        const char *name, *first;
        uint64_t offset;
    } placed[] = {{"b2", "q", 4},      {"b1", "q", 12},     {"c", "q", 32},
                  {"set2", "set2", 0}, {"set1", "set2", 8}, {"k2", "k1", 24}};
    struct ptx_errors errors;
    struct machine_module *module = machine_module_open(text, sizeof text - 1, &errors);
    ck_assert_ptr_nonnull(module);
    for (int i = 0; i < ROWS_OF(placed); i++) {
        uint64_t at = 0, first = 0, bytes;
        ck_assert(machine_module_variable(module, placed[i].name, &at, &bytes));
        ck_assert(machine_module_variable(module, placed[i].first, &first, &bytes));
        ck_assert_uint_eq(first % 256, 0);
        ck_assert_msg(at - first == placed[i].offset, "%s lies at %llu", placed[i].name,
                      (unsigned long long)(at - first));
    }
    machine_module_close(module);
}

// Widths, signs and vectors: what is read is put together again as it was written.
TEST(every_width_and_vector_is_moved_whole)
{
    struct ran *ran =
        run_well(ENTRY THREAD "mov.u32 %r1, 0x8182F3F4;\nst.global.u32 [%rd1], %r1;\n"
                              "ld.global.s8 %r2, [%rd1];\nld.global.u8 %r3, [%rd1+1];\nld.global.s16 %r4, [%rd1+2];\n"
                              "ld.global.s8 %rd2, [%rd1+3];\nld.global.u16 %h0, [%rd1];\n"
                              "mul.wide.u32 %rd3, %r0, 32;\nadd.u64 %rd3, %rd0, %rd3;\n"
                              "st.global.v4.u32 [%rd3+1024], {%r2, %r3, %r4, %r0};\n"
                              "st.global.v2.u64 [%rd3+1040], {%rd2, 77};\n"
                              "ld.global.v2.u64 {%rd4, %rd5}, [%rd3+1040];\nadd.u64 %rd5, %rd4, %rd5;\n"
                              "ld.global.v4.u32 {%r5, _, %r6, %r7}, [%rd3+1024];\nadd.u32 %r5, %r5, %r7;\n"
                              "st.global.u64 [%rd3+1040], %rd5;\nst.global.v2.u32 [%rd3+1048], {%r5, %r6};\n"
                              "st.global.u16 [%rd1+2], %h0;\nret;\n}\n",
                 (struct launch_of){.block = 32});
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t *row = &ran->out[256 + 8 * i];
        ck_assert_uint_eq(ran->out[i], 0xF3F4F3F4);
        ck_assert_uint_eq(row[0], 0xFFFFFFF4);
        ck_assert_uint_eq(row[1], 0xF3);
        ck_assert_uint_eq(row[2], 0xFFFF8182);
        ck_assert_uint_eq(row[3], i);
        ck_assert_uint_eq(row[4], 0xFFFFFF81u + 77);
        ck_assert_uint_eq(row[5], UINT32_MAX);
        ck_assert_uint_eq(row[6], 0xFFFFFFF4 + i);
        ck_assert_uint_eq(row[7], 0xFFFF8182);
    }
}

TEST(dynamic_shared_memory_lies_behind_the_static)
{
    struct ran *ran = run_well(HEAD ".extern .shared .align 16 .b8 d[];\n.shared .align 4 .b32 s[3];\n"
                                    ".visible .entry k(.param .u64 out)\n{\n" REGISTERS
                                    "mov.u32 %r0, s;\nmov.u32 %r1, d;\nsub.u32 %r1, %r1, %r0;\n"
                                    "st.global.u32 [%rd0], %r1;\nst.shared.u32 [d+252], 3;\n"
                                    "ld.shared.u32 %r2, [d+252];\nst.global.u32 [%rd0+4], %r2;\n"
                                    "mov.u32 %r3, %dynamic_smem_size;\nst.global.u32 [%rd0+8], %r3;\nret;\n}\n",
                               (struct launch_of){.dynamic = 256});
    ck_assert_uint_eq(ran->out[0], 16);
    ck_assert_uint_eq(ran->out[1], 3);
    ck_assert_uint_eq(ran->out[2], 256);
}

TEST(atomics_of_all_lanes_add_up)
{
    struct ran *ran = run_well(HEAD ".shared .align 8 .b64 s;\n.visible .entry k(.param .u64 out)\n{\n" REGISTERS THREAD
                                    "red.global.add.u32 [%rd0+512], 1;\natom.global.max.s32 %r1, [%rd0+516], %r0;\n"
                                    "atom.global.add.u32 %r2, [%rd0+520], 1;\nst.global.u32 [%rd1], %r2;\n"
                                    "atom.shared.add.u64 %rd2, [s], 2;\nbar.sync 0;\nld.shared.u64 %rd3, [s];\n"
                                    "st.global.u64 [%rd0+528], %rd3;\natom.global.cas.b32 %r3, [%rd0+536], 0, %r0;\n"
                                    "mov.f32 %f0, 0f3F000000;\nred.global.add.f32 [%rd0+540], %f0;\n"
                                    "atom.global.inc.u32 %r4, [%rd0+544], 9;\nret;\n}\n",
                               (struct launch_of){.block = 64});
    uint64_t seen = 0;
    for (uint32_t i = 0; i < 64; i++) seen |= (uint64_t)1 << ran->out[i];
    ck_assert_uint_eq(seen, UINT64_MAX);
    ck_assert_uint_eq(ran->out[128], 64);
    ck_assert_uint_eq(ran->out[129], 63);
    ck_assert_uint_eq(ran->out[132], 128);
    ck_assert_uint_ne(ran->out[134], 0);
    ck_assert_uint_eq(ran->out[135], 0x42000000);
    ck_assert_uint_eq(ran->out[136], 4);
}

// The same sum, of many CTAs on several threads of the host.
TEST(atomics_add_up_over_host_threads)
{
    struct ran *ran = run_well(ENTRY THREAD "mov.u32 %r1, 0;\nL: red.global.add.u32 [%rd0+512], 1;\n"
                                            "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, 20;\n@%p0 bra L;\nret;\n}\n",
                               (struct launch_of){.block = 64, .grid = 40, .schedule = {.threads = 4}});
    ck_assert_uint_eq(ran->out[128], 64 * 40 * 20);
}

// Bulk reductions and red, all into one word.
TEST(reductions_of_the_copy_engine_add_up_over_host_threads)
{
    struct ran *ran =
        run_well(HEAD ".shared .align 16 .b32 s[64];\n.visible .entry k(.param .u64 out)\n{\n" REGISTERS THREAD
                      "mov.u32 %r1, 0;\nmov.u32 %r2, s;\nshl.b32 %r3, %r0, 2;\nadd.u32 %r3, %r2, %r3;\n"
                      "st.shared.u32 [%r3], 1;\nst.shared.u32 [%r3+128], 1;\nbar.sync 0;\nsetp.eq.u32 %p1, %r0, 0;\n"
                      "L: red.global.add.u32 [%rd1], 1;\n"
                      "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0], [s], 256;\n"
                      "@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;\n"
                      "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, 200;\n@%p0 bra L;\nret;\n}\n",
                 (struct launch_of){.block = 32, .grid = 40, .schedule = {.threads = 4}});
    for (uint32_t i = 0; i < 64; i++) ck_assert_uint_eq(ran->out[i], (i < 32 ? 2 : 1) * 40 * 200);
}

// Each CTA waits for the flag of its own, a byte, and adds to a vector before it sets the next CTA's flag. Under the
// thread sanitizer no access races.
TEST(strong_bytes_and_vectors_are_seen_by_other_host_threads)
{
    struct ran *ran =
        run_well(ENTRY "mov.u32 %r0, %ctaid.x;\ncvt.u64.u32 %rd2, %r0;\nadd.u64 %rd2, %rd0, %rd2;\n"
                       "setp.eq.u32 %p0, %r0, 0;\n@%p0 bra GO;\n"
                       "SPIN: ld.acquire.gpu.global.u8 %r1, [%rd2+8192];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra SPIN;\n"
                       "GO: ld.volatile.global.v2.u32 {%r2, %r3}, [%rd0];\nadd.u32 %r2, %r2, 1;\nadd.u32 %r3, %r3, 3;\n"
                       "st.volatile.global.v2.u32 [%rd0], {%r2, %r3};\nmov.u32 %r1, 1;\n"
                       "st.release.gpu.global.u8 [%rd2+8193], %r1;\nret;\n}\n",
                 (struct launch_of){.grid = 40, .block = 1, .schedule = {.threads = 4}});
    ck_assert_uint_eq(ran->out[0], 40);
    ck_assert_uint_eq(ran->out[1], 120);
}

// Both halves of 16 bytes go up together, by cas in a loop.
TEST(cas_of_16_bytes_is_atomic_over_host_threads)
{
    struct ran *ran = run_well(
        ENTRY ".reg .b128 %q<4>;\nmov.u32 %r1, 0;\nmov.u64 %rd2, 0;\nmov.u64 %rd3, 0;\n"
              "L: mov.b128 %q0, {%rd2, %rd3};\nadd.u64 %rd4, %rd2, 1;\nadd.u64 %rd5, %rd3, 3;\n"
              "mov.b128 %q1, {%rd4, %rd5};\natom.global.cas.b128 %q2, [%rd0+1024], %q0, %q1;\n"
              "mov.b128 {%rd6, %rd7}, %q2;\nsetp.eq.u64 %p0, %rd6, %rd2;\nsetp.eq.and.u64 %p0, %rd7, %rd3, %p0;\n"
              "mov.u64 %rd2, %rd6;\nmov.u64 %rd3, %rd7;\n@!%p0 bra L;\n"
              "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 200;\n@%p1 bra L;\nret;\n}\n",
        (struct launch_of){.grid = 40, .block = 1, .schedule = {.threads = 4}});
    ck_assert_uint_eq(ran->out[256], 40 * 200);
    ck_assert_uint_eq(ran->out[258], 3 * 40 * 200);
}

// What was in memory goes to the registers of the other part: both are read before.
TEST(vectors_of_atomics_are_read_before_they_are_written)
{
    struct ran *ran = run_well(ENTRY "mov.f32 %f0, 0f3F800000;\nmov.f32 %f1, 0f40000000;\n"
                                     "st.global.f32 [%rd0], 0f41200000;\nst.global.f32 [%rd0+4], 0f41A00000;\n"
                                     "atom.global.v2.f32.add {%f1, %f0}, [%rd0], {%f0, %f1};\n"
                                     "st.global.f32 [%rd0+8], %f0;\nst.global.f32 [%rd0+12], %f1;\nret;\n}\n",
                               (struct launch_of){.block = 1});
    static const float wanted[] = {11, 22, 20, 10};
    ck_assert_mem_eq(ran->out, wanted, sizeof wanted);
}

// Each lane takes as many bytes of the stack as its number says, and finds what it wrote after a call took more.
TEST(alloca_takes_from_the_stack_of_each_lane)
{
    struct ran *ran = run_well(
        HEAD ".func f(.reg .b32 n)\n{\n.reg .b64 %rd<2>;\nalloca.u64 %rd0, 64;\nst.local.u32 [%rd0], n;\nret;\n}\n"
             ".visible .entry k(.param .u64 out)\n{\n" REGISTERS THREAD
             "stacksave.u64 %rd5;\nmul.wide.u32 %rd2, %r0, 4;\nadd.u64 %rd2, %rd2, 8;\nalloca.u64 %rd3, %rd2, 32;\n"
             "add.u32 %r1, %r0, 7;\nst.local.u32 [%rd3+4], %r1;\ncall f, (%r0);\nld.local.u32 %r2, [%rd3+4];\n"
             "stackrestore.u64 %rd5;\nstacksave.u64 %rd6;\nsub.u64 %rd6, %rd6, %rd5;\ncvt.u32.u64 %r3, %rd6;\n"
             "cvt.u32.u64 %r4, %rd3;\nand.b32 %r4, %r4, 31;\nadd.u32 %r2, %r2, %r3;\nadd.u32 %r2, %r2, %r4;\n"
             "st.global.u32 [%rd1], %r2;\nret;\n}\n",
        (struct launch_of){.block = 32});
    for (uint32_t i = 0; i < 32; i++) ck_assert_uint_eq(ran->out[i], i + 7);
}

TEST(hints_change_nothing)
{
    struct ran *ran =
        run_well(ENTRY "createpolicy.fractional.L2::evict_first.b64 %rd2, 1.0;\n"
                       "ld.global.L2::cache_hint.u32 %r1, [%rd0], %rd2;\nprefetch.global.L2 [%rd0];\n"
                       "applypriority.global.L2::evict_normal [%rd0], 128;\ndiscard.global.L2 [%rd0], 128;\n"
                       "st.global.u64 [%rd0+8], %rd2;\nret;\n}\n",
                 (struct launch_of){0});
    ck_assert_uint_eq(ran->out[0], 0);
    ck_assert_uint_eq(ran->out[3], 0x12f00000);
}

TEST(policies_of_all_operands)
{
    struct ran *ran =
        run_well(ENTRY "mov.f32 %f1, 0f3F000000;\ncreatepolicy.fractional.L2::evict_last.b64 %rd2, %f1;\n"
                       "st.global.u64 [%rd0], %rd2;\ncreatepolicy.fractional.L2::evict_unchanged"
                       ".L2::evict_first.b64 %rd2;\nst.global.u64 [%rd0+8], %rd2;\nmov.u32 %r1, 4096;\n"
                       "mov.u64 %rd3, 8192;\ncreatepolicy.range.global.L2::evict_first"
                       ".L2::evict_unchanged.b64 %rd2, [%rd3], %r1, %r1;\nst.global.u64 [%rd0+16], %rd2;\n"
                       "createpolicy.cvt.L2.b64 %rd3, %rd2;\nst.global.u64 [%rd0+24], %rd3;\nret;\n}\n",
                 (struct launch_of){0});
    ck_assert_uint_eq(ran->out[1], 0x14700000);
    ck_assert_uint_eq(ran->out[3], 0x11f00000);
    ck_assert_uint_eq(ran->out[5], 0x1a002020);
    ck_assert_uint_eq(ran->out[7], 0x1a002020);
}

// --- Faults ----------------------------------------------------------------------------------------------------------

static const struct {
    const char *body;
    enum rule rule;
    int cuda_error;
} faults[] = {
    {"ld.global.u32 %r1, [%rd0+16384];", RULE_GLOBAL_ACCESS_UNMAPPED, 700},
    {"st.global.u32 [%rd0+-4], 1;", RULE_GLOBAL_ACCESS_UNMAPPED, 700},
    {"mov.u64 %rd2, 0;\nld.u8 %r1, [%rd2];", RULE_GLOBAL_ACCESS_UNMAPPED, 700},
    {"ld.global.u32 %r1, [%rd0+2];", RULE_GLOBAL_ACCESS_ALIGN, 716},
    {"ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0+8];", RULE_GLOBAL_ACCESS_ALIGN, 716},
    {"atom.global.add.u32 %r1, [%rd0+1], 1;", RULE_GLOBAL_ACCESS_ALIGN, 716},
    {"mov.u32 %r1, 0x20000;\nld.shared.u32 %r2, [%r1];", RULE_SHARED_ACCESS_BOUNDS, 700},
    {"mov.u32 %r1, 1026;\nst.shared.u32 [%r1], 1;", RULE_SHARED_ACCESS_ALIGN, 716},
    {"mov.u32 %r1, 0x5000400;\nst.shared.u32 [%r1], 1;", RULE_SHARED_ACCESS_WINDOW, 715},
    {"mov.u32 %r1, 0x1000400;\nst.shared::cluster.u32 [%r1], 1;", RULE_CLUSTER_NONE, 715},
    {"mov.u64 %rd2, out;\nst.u32 [%rd2], 1;", RULE_GLOBAL_ACCESS_UNMAPPED, 700},
    {"mov.u32 %r1, 0x1000000;\nld.local.u32 %r2, [%r1];", RULE_OK, 700},
    {"mov.u32 %r1, 64;\nst.local.u32 [%r1], %r2;", RULE_OK, 700},
};

// A starts at 0x400, where shared memory is, and B at 0x3fff0, where none is: the fault's address is where B was to
// start.
TEST(a_fault_of_wgmma_names_the_address_of_b)
{
    struct ran *ran = run_text(ENTRY "mov.u64 %rd6, 0x1000080040;\nmov.u64 %rd7, 0x1000083fff;\n"
                                     "setp.ne.u32 %p3, 1, 0;\nwgmma.fence.sync.aligned;\n"
                                     "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd6, "
                                     "%rd7, %p3, 1, 1, 0, 0;\nret;\n}\n",
                               (struct launch_of){.block = 128, .dynamic = 4096});
    ck_assert_int_eq(ran->outcome.kind, MACHINE_FAULTED);
    ck_assert_msg(ran->outcome.address == 0x3fff0, "%#llx: %s", (unsigned long long)ran->outcome.address,
                  ran->outcome.message);
}

LOOP_TEST(faults_name_rule_and_thread, 0, ROWS_OF(faults))
{
    char text[2048];
    strcpy(text, ENTRY "mov.u32 %r0, %tid.x;\nsetp.ne.u32 %p0, %r0, 33;\n@%p0 exit;\n");
    strcat(text, faults[_i].body);
    strcat(text, "\nret;\n}\n");
    struct ran *ran = run_text(text, (struct launch_of){.block = 64, .dynamic = 128});
    ck_assert_msg(ran->outcome.kind == MACHINE_FAULTED, "%s: %s", faults[_i].body, ran->outcome.message);
    ck_assert_msg(ran->outcome.rule == faults[_i].rule, "%s: %s", faults[_i].body, ran->outcome.message);
    ck_assert_int_eq(ran->outcome.cuda_error, faults[_i].cuda_error);
    ck_assert_uint_eq(ran->outcome.where.thread[0], 33);
}

static const struct {
    const char *body, *says;
} addresses[] = {
    {"ld.global.u32 %r1, [%rd0+16384];", "; it lies right behind the 16384 bytes at 0x"},
    {"ld.global.u32 %r1, [%rd0+16400];", "; it lies 16 bytes past the end of the 16384 bytes at 0x"},
    {"ld.global.u32 %r1, [%rd0+-16];", "; it lies 16 bytes before the 16384 bytes at 0x"},
    {"mov.u64 %rd2, -8;\nld.u8 %r1, [%rd2];", "it is 8 bytes before a null pointer\n"},
    {".local .b8 l[32];\nmov.u32 %r2, l;\nld.local.u32 %r1, [%r2+64];",
     "address 0x40 of local memory: 4 bytes; the thread has 32 bytes of local memory\n"},
    {"mov.u64 %rd2, 0;\nld.u8 %r1, [%rd2];", "1 bytes of global memory; it is a null pointer\n"},
    {"mov.u64 %rd2, 65535;\nld.u8 %r1, [%rd2];", "it is 65535 bytes past a null pointer\n"},
    {"mov.u64 %rd2, 65536;\nld.u8 %r1, [%rd2];", "; no allocation is within 1 GiB of it"},
    {"mov.u32 %r1, 0x20000;\nld.shared.u32 %r2, [%r1];",
     "this launch has 128 bytes from 0x400 on, 100 of them dynamic\n"},
};

LOOP_TEST(faults_say_what_the_address_is, 0, ROWS_OF(addresses))
{
    char text[2048] = ENTRY;
    strcat(text, addresses[_i].body);
    strcat(text, "\nret;\n}\n");
    struct ran *ran = run_text(text, (struct launch_of){.dynamic = 100});
    ck_assert_msg(strstr(ran->outcome.message, addresses[_i].says) != NULL, "%s", ran->outcome.message);
}

TEST(faults_say_that_the_host_has_memory_there)
{
    uint32_t of_host;
    char text[2048];
    sprintf(text, "%smov.u64 %%rd2, %llu;\nst.global.u32 [%%rd2], 1;\nret;\n}\n", ENTRY,
            (unsigned long long)(uintptr_t)&of_host);
    struct ran *ran = run_text(text, (struct launch_of){0});
    ck_assert_msg(strstr(ran->outcome.message, "; host memory is there") != NULL, "%s", ran->outcome.message);
}

// A line of a header that 20 calls were inlined around: the innermost and the outermost are beside the instruction.
TEST(faults_name_the_lines_that_they_were_inlined_at)
{
    enum { CALLS = 20 };
    char text[4096];
    int length = sprintf(text, "%s", ENTRY ".loc 1 100 0\nmov.u64 %rd2, 4;\n");
    for (int i = 1; i <= CALLS; i++)
        length += sprintf(text + length, ".loc 2 %d 0, function_name $L__name, inlined_at %d %d 0\nmov.u64 %%rd2, 4;\n",
                          100 - i, i == 1 ? 1 : 2, 101 - i);
    strcpy(text + length, "st.global.u32 [%rd2], 1;\nret;\n}\n.file 1 \"k.cu\"\n.file 2 \"lib.h\"\n"
                          ".section .debug_str\n{\n$L__name:\n.b8 102, 0\n}\n");
    struct ran *ran = run_text(text, (struct launch_of){0});
    const char *message = ran->outcome.message;
    ck_assert_msg(strstr(message, "(lib.h:80, inlined at k.cu:100), CTA") != NULL, "%s", message);
    ck_assert_msg(strstr(message, "\n  inlined, from the inside out, at lib.h:81, lib.h:82,") != NULL, "%s", message);
    ck_assert_msg(strstr(message, "lib.h:95, ..., k.cu:100\n") != NULL, "%s", message);
    ck_assert_uint_eq(ran->outcome.where.callers, MACHINE_CALLERS);
}

// The machine code of ptxas 13.0 has I2F.U64 or F2I ... TRUNC before these stores, and an H200 ran the first.
static const struct {
    const char *before, *store;
    uint32_t wanted;
} other_sizes[] = {
    {"mov.b64 %rd2, 16777217;", "st.global.f32 [%rd0], %rd2;", 0x4b800000},
    {"mov.b64 %rd2, 0xffffffffffffffff;", "st.global.f32 [%rd0], %rd2;", 0x5f800000},
    {"mov.b64 %rd2, 3;", "st.volatile.global.v2.f32 [%rd0], {%rd2, %rd2};", 0x40400000},
    {"mov.f32 %f1, 300.5;", "st.global.b8 [%rd0], %f1;", 255},
    {"mov.f32 %f1, 7.9;", "st.global.b8 [%rd0], %f1;", 7},
    {"mov.f32 %f1, -2.0;", "st.global.b16 [%rd0], %f1;", 0},
    {"mov.f32 %f1, 0f7fc00000;", "st.global.b16 [%rd0], %f1;", 0},
    {"mov.f32 %f1, 65535.5;", "st.global.v2.b16 [%rd0], {%f1, %f1};", 0xffffffff},
    {"mov.f64 %d1, 4294967294.75;", "st.global.b32 [%rd0], %d1;", 0xfffffffe},
    {"mov.f64 %d1, 0d7ff8000000000000;", "st.global.b32 [%rd0], %d1;", 0x80000000},
    {"mov.f64 %d1, 1e30;", "st.global.b8 [%rd0], %d1;", 255},
    {"mov.b64 %rd2, 0x123456789;", "st.global.b32 [%rd0], %rd2;", 0x23456789},
    {"mov.b64 %rd2, 0x123456789; mov.b128 %q, {%rd2, %rd2};", "st.global.f32 [%rd0], %q;", 0x23456789},
    {"mov.f32 %f1, 1.0;", "st.global.b32 [%rd0], %f1;", 0x3f800000},
};

LOOP_TEST(a_store_of_another_size_converts_as_ptxas_does, 0, ROWS_OF(other_sizes))
{
    char text[800];
    snprintf(text, sizeof text, "%s.reg .f64 %%d<4>;\n.reg .b128 %%q;\n%s\n%s\nret;\n}\n", ENTRY,
             other_sizes[_i].before, other_sizes[_i].store);
    struct ran *ran = run_well(text, (struct launch_of){.block = 1});
    ck_assert_msg(ran->out[0] == other_sizes[_i].wanted, "%s %s stores %08x, not %08x", other_sizes[_i].before,
                  other_sizes[_i].store, ran->out[0], other_sizes[_i].wanted);
}
