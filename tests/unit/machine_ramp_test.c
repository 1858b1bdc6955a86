// SPDX-License-Identifier: MIT
// The suite `machine_ramp`: what a warp computes with ramps is what it computes lane by lane, as it does where somebody
// hears of it. Random programs run both ways, with blocks of many shapes.
#include "machine_test.h"
#include "random_text.h"

enum { SEEDS = 120, KEPT = 12, OUT_WORDS = 1 << 16, TABLE_WORDS = 4096, SHARED_BYTES = 16384 };

// --- Programs --------------------------------------------------------------------------------------------------------

// An operand: a register of 32 bits, or a number at which something wraps.
static const char *word(struct random *random, char room[16])
{
    static const char *const numbers[] = {"0",   "1",  "4",  "7",          "16",        "31",
                                          "132", "-1", "-4", "0x7fffffff", "0x80000000"};
    if (draw(random, 3) == 0) return numbers[draw(random, ROWS_OF(numbers))];
    snprintf(room, 16, "%%r%u", draw(random, KEPT));
    return room;
}

// %r12..: for the moment. An address of the table, or of shared memory, that is aligned.
static void add_address(struct text *text, struct random *random, uint32_t bytes)
{
    const uint32_t times[] = {1, 4, 8, 132, 64};
    add(text, "mul.lo.u32 %%r12, %%r%u, %u;\nadd.u32 %%r12, %%r12, %u;\n", draw(random, 4), times[draw(random, 5)] * 4,
        4 * draw(random, 40));
    if (draw(random, 3) == 0) add(text, "and.b32 %%r12, %%r12, 0x%x;\n", bytes - 4);
    add(text, "min.u32 %%r13, %%r12, %u;\nsetp.lt.u32 %%p1, %%r12, %u;\n", bytes - 4, bytes);
    if (draw(random, 2)) add(text, "mov.u32 %%r12, %%r13;\n"); // no ramp
}

static void add_memory(struct text *text, struct random *random)
{
    const uint32_t to = draw(random, KEPT), from = draw(random, KEPT), label = (uint32_t)text->labels++;
    if (draw(random, 2)) {
        add_address(text, random, TABLE_WORDS * 4);
        add(text,
            "@!%%p1 bra $M%u;\ncvt.u64.u32 %%rd7, %%r12;\nadd.u64 %%rd7, %%rd7, %%rd1;\nld.global.u32 %%r%u, "
            "[%%rd7];\n$M%u:\n",
            label, to, label);
        return;
    }
    add_address(text, random, SHARED_BYTES);
    add(text,
        "mov.u32 %%r14, s;\nadd.u32 %%r14, %%r14, %%r12;\n@!%%p1 bra $M%u;\nst.shared.u32 [%%r14], %%r%u;\n"
        "$M%u:\nbar.warp.sync -1;\n@!%%p1 bra $N%u;\nld.shared.u32 %%r%u, [%%r14];\n$N%u:\n",
        label, from, label, label, to, label);
}

// Loads and stores by two addresses, in turn, of which one may move on in between.
static void add_group(struct text *text, struct random *random)
{
    static const char *const specials[] = {"tid.x", "tid.x", "tid.y", "ctaid.x", "laneid"};
    static const char *const at[2][2] = {{"%rd7", "%rd8"}, {"%r20", "%r21"}};
    const uint32_t is_shared = draw(random, 2), all = 2 + draw(random, 8);
    for (uint32_t i = 0; i < 2; i++)
        add(text, "mov.u32 %%r%u, %%%s;\nmul.lo.u32 %%r%u, %%r%u, %u;\ncvt.u64.u32 %%rd%u, %%r%u;\n", 20 + i,
            specials[draw(random, 5)], 20 + i, 20 + i, 8u << draw(random, 3), 7 + i, 20 + i);
    add(text, "add.u64 %%rd7, %%rd7, %%rd1;\nadd.u64 %%rd8, %%rd8, %%rd1;\nmov.u32 %%r14, s;\n"
              "add.u32 %%r20, %%r20, %%r14;\nadd.u32 %%r21, %%r21, %%r14;\n");
    for (uint32_t i = 0; i < all; i++) {
        const uint32_t data = draw(random, KEPT), add_to = 8 * draw(random, 500), kind = draw(random, 4);
        const char *const space = is_shared ? "shared" : "global", *const from = at[is_shared][draw(random, 2)];
        if (kind == 0)
            add(text, "st.%s.u32 [%s+%u], %%r%u;\n", space, from, add_to, data);
        else if (kind == 1)
            add(text, "ld.%s.v2.u32 {%%r%u, %%r12}, [%s+%u];\n", space, data, from, add_to);
        else
            add(text, "ld.%s.u32 %%r%u, [%s+%u];\n", space, data, from, add_to);
        if (draw(random, 6) == 0) add(text, "add.u32 %%r20, %%r20, 8;\nadd.u64 %%rd7, %%rd7, 8;\n");
    }
}

static void add_branch(struct text *text, struct random *random)
{
    static const char *const compares[] = {"eq.s32", "ne.u32", "lt.s32", "le.u32",
                                           "gt.u32", "ge.s32", "lo.u32", "hs.u32"};
    char a[16], b[16];
    const int label = text->labels++;
    add(text, "setp.%s %%p2, %s, %s;\n", compares[draw(random, 8)], word(random, a), word(random, b));
    if (draw(random, 3))
        add(text, "selp.u32 %%r%u, %s, %s, %%p2;\n", draw(random, KEPT), word(random, a), word(random, b));
    else
        add(text, "@%%p2 bra $B%d;\nadd.u32 %%r%u, %s, %s;\n$B%d:\n", label, draw(random, KEPT), word(random, a),
            word(random, b), label);
}

static void add_instruction(struct text *text, struct random *random)
{
    static const char *const two[] = {"add.u32", "add.s32", "sub.u32", "mul.lo.u32", "mul.lo.s32", "xor.b32"};
    static const uint32_t masks[] = {15, 31, 60, 63, 252, 1020};
    static const char *const wide[] = {"mul.wide.u32", "mul.wide.s32"};
    char a[16], b[16], c[16];
    const uint32_t to = draw(random, KEPT), pair = draw(random, 4);
    word(random, a), word(random, b), word(random, c);
    switch (draw(random, 15)) {
    case 0:
        add(text, "mad.lo.s32 %%r%u, %%r%u, %s, %s;\n", to, draw(random, KEPT), word(random, b), word(random, c));
        return;
    case 1:
        add(text, "shl.b32 %%r%u, %%r%u, %u;\n", to, draw(random, KEPT), draw(random, 34));
        return;
    case 2:
        add(text, "shr.u32 %%r%u, %%r%u, %u;\n", to, draw(random, KEPT), draw(random, 2) ? 4 : 5);
        return;
    case 3:
        add(text, "and.b32 %%r%u, %%r%u, %u;\n", to, draw(random, KEPT), masks[draw(random, 6)]);
        return;
    case 4:
        add(text, "%s %%rd%u, %%r%u, %s;\n", wide[draw(random, 2)], 2 + pair, draw(random, KEPT), word(random, b));
        return;
    case 5:
        add(text, "cvt.u64.u32 %%rd%u, %%r%u;\n", 2 + pair, draw(random, KEPT));
        return;
    case 6:
        add(text, "cvt.s64.s32 %%rd%u, %%r%u;\nadd.s64 %%rd%u, %%rd%u, %%rd2;\n", 2 + pair, draw(random, KEPT),
            2 + pair, 2 + pair);
        return;
    case 7:
        add(text, "shr.u64 %%rd%u, %%rd%u, 4;\ncvt.u32.u64 %%r%u, %%rd%u;\n", 2 + pair, 2 + draw(random, 4), to,
            2 + pair);
        return;
    case 8:
        add(text, "mad.wide.u32 %%rd%u, %%r%u, %s, %%rd3;\nsub.s64 %%rd%u, %%rd%u, %%rd2;\n", 2 + pair,
            draw(random, KEPT), word(random, b), 2 + draw(random, 4), 2 + pair);
        return;
    case 9:
        add(text, "neg.s32 %%r%u, %%r%u;\n", to, draw(random, KEPT));
        return;
    case 10:
        add_branch(text, random);
        return;
    case 11:
        add_memory(text, random);
        return;
    case 12:
        add_group(text, random);
        return;
    default:
        add(text, "%s %%r%u, %%r%u, %s;\n", two[draw(random, 6)], to, draw(random, KEPT), word(random, b));
    }
}

static void write_program(struct text *text, struct random *random)
{
    *text = (struct text){.used = 0};
    add(text,
        HEAD ".visible .entry k(.param .u64 out, .param .u64 table, .param .u32 number)\n{\n.reg .pred %%p<4>;\n"
             ".reg .b32 %%r<24>;\n.reg .b64 %%rd<10>;\n.shared .align 16 .b8 s[%d];\n",
        SHARED_BYTES);
    add(text, "ld.param.u64 %%rd0, [out];\nld.param.u64 %%rd1, [table];\nld.param.u32 %%r4, [number];\n"
              "mov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, %%tid.y;\nmov.u32 %%r2, %%ctaid.x;\nmov.u32 %%r3, %%ntid.x;\n"
              "mov.u32 %%r5, %%laneid;\nmov.u32 %%r15, 0;\n");
    const bool has_loop = draw(random, 2) == 0;
    for (uint32_t i = draw(random, 12); i > 0; i--) add_instruction(text, random);
    if (has_loop) add(text, "$L:\n");
    for (uint32_t i = 4 + draw(random, 20); i > 0; i--) add_instruction(text, random);
    if (has_loop) add(text, "add.u32 %%r15, %%r15, 1;\nsetp.lt.u32 %%p3, %%r15, 3;\n@%%p3 bra $L;\n");
    add(text,
        "mov.u32 %%r16, %%tid.z;\nmov.u32 %%r17, %%ntid.y;\nmov.u32 %%r18, %%tid.y;\nmad.lo.u32 %%r16, %%r16, %%r17, "
        "%%r18;\nmov.u32 %%r17, %%ntid.x;\nmov.u32 %%r18, %%tid.x;\nmad.lo.u32 %%r16, %%r16, %%r17, %%r18;\n"
        "mov.u32 %%r17, %%ctaid.x;\nshl.b32 %%r17, %%r17, 8;\nadd.u32 %%r16, %%r16, %%r17;\n"
        "mul.wide.u32 %%rd8, %%r16, 64;\nadd.u64 %%rd8, %%rd8, %%rd0;\n");
    for (int i = 0; i < KEPT; i++) add(text, "st.global.u32 [%%rd8+%d], %%r%d;\n", 4 * i, i);
    add(text, "xor.b64 %%rd2, %%rd2, %%rd3;\nxor.b64 %%rd4, %%rd4, %%rd5;\nst.global.u64 [%%rd8+48], %%rd2;\n"
              "st.global.u64 [%%rd8+56], %%rd4;\nret;\n}\n");
}

// --- Running ---------------------------------------------------------------------------------------------------------

static void hear_nothing(void *context, const struct event *event)
{
    (void)context, (void)event;
}

struct memory_of {
    _Alignas(256) uint32_t out[OUT_WORDS], table[TABLE_WORDS];
};

static void launch(const char *text, const uint32_t block[3], uint32_t ctas, const struct observer *observer,
                   struct memory_of *memory, struct machine_outcome *outcome)
{
    struct ptx_errors errors;
    struct machine_module *module = machine_module_open(text, strlen(text), &errors);
    ck_assert_msg(module != NULL, "%u: %s\n%s", errors.item[0].line, errors.item[0].message, text);
    const uint64_t parameters[3] = {(uintptr_t)memory->out, (uintptr_t)memory->table, 12345};
    const struct region region = {{(uint8_t *)memory, (uintptr_t)memory, sizeof *memory}, 0};
    const struct global_memory global = {&region, 1};
    memset(memory, 0, sizeof *memory);
    for (uint32_t i = 0; i < TABLE_WORDS; i++) memory->table[i] = i * UINT32_C(2654435761);
    const struct machine_launch what = {.module = module,
                                        .kernel = machine_module_kernel(module, "k"),
                                        .grid = {ctas, 1, 1},
                                        .block = {block[0], block[1], block[2]},
                                        .parameters = parameters,
                                        .global = &global,
                                        .schedule = {.threads = 1},
                                        .observer = observer};
    machine_run(&what, outcome);
    machine_module_close(module);
}

static void run(const char *text, const uint32_t block[3], uint32_t ctas, const struct observer *observer,
                struct memory_of *memory, struct machine_outcome *outcome)
{
    launch(text, block, ctas, observer, memory, outcome);
    ck_assert_msg(outcome->kind == MACHINE_DONE, "%s\n%s", outcome->message, text);
}

LOOP_TEST(machine_ramp_computes_what_lanes_compute, 0, SEEDS)
{
    static const uint32_t blocks[][3] = {{32, 1, 1}, {256, 1, 1}, {16, 16, 1}, {32, 8, 1}, {8, 8, 4},
                                         {4, 64, 1}, {100, 1, 1}, {5, 13, 2},  {64, 3, 1}, {2, 32, 1}};
    static struct memory_of even, by_lanes;
    static struct text text;
    struct machine_outcome outcome, heard;
    struct random random = {(uint64_t)_i * 977 + 5};
    const struct observer observer = {.hear = hear_nothing};
    const uint32_t *block = blocks[_i % 10];
    write_program(&text, &random);
    run(text.at, block, 9, NULL, &even, &outcome);
    run(text.at, block, 9, &observer, &by_lanes, &heard);
    for (uint32_t i = 0; i < OUT_WORDS; i++)
        ck_assert_msg(even.out[i] == by_lanes.out[i],
                      "register %u of thread %u of CTA %u, block %u x %u x %u: 0x%x with ramps, 0x%x with lanes\n%s",
                      i % 16, i / 16 % 256, i / 4096, block[0], block[1], block[2], even.out[i], by_lanes.out[i],
                      text.at);
    ck_assert_uint_eq(outcome.instructions, heard.instructions);
    ck_assert_uint_eq(outcome.thread_instructions, heard.thread_instructions);
}

// Of stores by one ramp that are looked for together, those in front of one that may not be are done.
LOOP_TEST(machine_ramp_a_store_of_several_is_wrong, 0, 2)
{
    const int wrong[] = {4 * TABLE_WORDS - 124, 6}; // outside; at no multiple of its size
    static struct memory_of memory, left;
    static struct text text;
    struct machine_outcome outcome[2];
    const struct observer observer = {.hear = hear_nothing};
    text = (struct text){.used = 0};
    add(&text,
        HEAD ".visible .entry k(.param .u64 out, .param .u64 table, .param .u32 number)\n{\n.reg .b32 %%r<8>;\n"
             ".reg .b64 %%rd<8>;\nld.param.u64 %%rd0, [table];\nmov.u32 %%r0, %%tid.x;\n"
             "mul.wide.u32 %%rd1, %%r0, 4;\nadd.u64 %%rd1, %%rd1, %%rd0;\nst.global.u32 [%%rd1+4], %%r0;\n"
             "st.global.u32 [%%rd1+8], %%r0;\nst.global.u32 [%%rd1+%d], %%r0;\n"
             "st.global.u32 [%%rd1+16], %%r0;\nret;\n}\n",
        wrong[_i]);
    launch(text.at, (uint32_t[]){32, 1, 1}, 1, NULL, &memory, &outcome[0]);
    left = memory;
    launch(text.at, (uint32_t[]){32, 1, 1}, 1, &observer, &memory, &outcome[1]);
    ck_assert_int_eq(outcome[0].kind, MACHINE_FAULTED);
    ck_assert_str_eq(outcome[0].message, outcome[1].message);
    ck_assert_mem_eq(&memory, &left, sizeof memory);
    ck_assert_uint_eq(memory.table[2 + 31], 31);
}

// What is no ramp stops the first warp of a row in front of what the next one leaves out: it has no ramps of that.
TEST(machine_ramp_a_warp_begins_where_another_has_stopped)
{
    static const uint32_t block[3] = {32, 1, 1};
    static struct memory_of memory;
    static struct text text;
    struct machine_outcome outcome;
    text = (struct text){.used = 0};
    add(&text, HEAD ".visible .entry k(.param .u64 out, .param .u64 table, .param .u32 number)\n{\n.reg .b32 %%r<8>;\n"
                    ".reg .b64 %%rd<8>;\nld.param.u64 %%rd0, [out];\nmov.u32 %%r0, %%tid.x;\nadd.u32 %%r1, %%r0, -1;\n"
                    "mul.wide.u32 %%rd1, %%r1, 1;\nadd.u32 %%r2, %%r0, 5;\nmul.lo.u32 %%r3, %%r2, 3;\n"
                    "mov.u32 %%r4, %%ctaid.x;\nmad.lo.u32 %%r5, %%r4, 32, %%r0;\nmul.wide.u32 %%rd2, %%r5, 8;\n"
                    "add.u64 %%rd3, %%rd0, %%rd2;\ncvt.u64.u32 %%rd4, %%r3;\nadd.u64 %%rd4, %%rd4, %%rd1;\n"
                    "st.global.u64 [%%rd3], %%rd4;\nret;\n}\n");
    run(text.at, block, 9, NULL, &memory, &outcome);
    for (uint32_t i = 0; i < 9 * 32; i++) {
        uint64_t found;
        memcpy(&found, &memory.out[2 * i], sizeof found);
        ck_assert_uint_eq(found, (uint64_t)(uint32_t)(i % 32 - 1) + 3 * (i % 32 + 5));
    }
}
