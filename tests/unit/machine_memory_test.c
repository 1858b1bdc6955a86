// SPDX-License-Identifier: MIT
// The suite `machine_memory`: loads, stores, atomics, spaces and faults of the PTX machine.
#include "machine_test.h"
#include "rules/cluster.h"
#include "rules/global.h"
#include "rules/shared.h"

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
