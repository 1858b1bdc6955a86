// SPDX-License-Identifier: MIT
// The suite `machine_course`: what warps do of a course is what each of them does for itself, as it does where somebody
// hears of it. Random programs that load, compute and store run both ways, and some that leave a course.
#include "machine_test.h"
#include "random_text.h"

enum { SEEDS = 96, CTAS = 13, KEPT = 10, THREADS = 256, TABLE_WORDS = 1 << 14 };

struct memory_of {
    _Alignas(256) uint32_t out[CTAS * THREADS * 16], table[TABLE_WORDS];
};

// --- Programs --------------------------------------------------------------------------------------------------------

#define BEGIN                                                                                                          \
    HEAD ".visible .entry k(.param .u64 out, .param .u64 table, .param .u32 number)\n{\n.reg .pred %%p<8>;\n"          \
         ".reg .b32 %%r<32>;\n.reg .b64 %%rd<12>;\n.shared .align 16 .b8 s[4096];\nld.param.u64 %%rd0, [out];\n"       \
         "ld.param.u64 %%rd1, [table];\nld.param.u32 %%r4, [number];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, "          \
         "%%tid.y;\nmov.u32 %%r2, %%ctaid.x;\nmov.u32 %%r3, %%ntid.x;\nmad.lo.u32 %%r20, %%r1, %%r3, %%r0;\n"          \
         "mad.lo.u32 %%r21, %%r2, 256, %%r20;\nmul.wide.u32 %%rd8, %%r21, 64;\nadd.u64 %%rd8, %%rd8, %%rd0;\n"         \
         "mul.wide.u32 %%rd9, %%r20, 4;\nadd.u64 %%rd9, %%rd9, %%rd1;\nmov.u32 %%r5, 77;\nmov.u32 %%r15, 0;\n"

static const char *const sides[] = {"[%rd9]", "[%rd9+4]", "[%rd9+132]", "[%rd1+40]", "[%rd9+1024]"};

static void add_compute(struct text *text, struct random *random)
{
    static const char *const two[] = {"add.u32", "sub.u32", "mul.lo.u32", "xor.b32", "min.u32", "add.s32"};
    const uint32_t to = 6 + draw(random, 4), a = draw(random, KEPT), b = draw(random, KEPT);
    switch (draw(random, 6)) {
    case 0:
        add(text, "ld.global.u32 %%r%u, %s;\n", to, sides[draw(random, 5)]);
        return;
    case 1: // lanes here and there
        add(text,
            "and.b32 %%r22, %%r%u, 8191;\nmul.wide.u32 %%rd10, %%r22, 4;\nadd.u64 %%rd10, %%rd10, %%rd1;\n"
            "ld.global.u32 %%r%u, [%%rd10];\n",
            a, to);
        return;
    case 2: // of ramps, or of what was loaded
        add(text, "setp.lt.u32 %%p1, %%r%u, %%r%u;\nselp.u32 %%r%u, %%r%u, %%r%u, %%p1;\n", a, b, to, a, b);
        return;
    case 3:
        add(text, "shl.b32 %%r%u, %%r%u, %u;\n", draw(random, 2) ? 5 : to, draw(random, 4), draw(random, 9));
        return;
    default:
        add(text, "%s %%r%u, %%r%u, %%r%u;\n", two[draw(random, 6)], to, a, b);
    }
}

// A branch that all threads of most CTAs take, or none.
static void add_branch(struct text *text, struct random *random)
{
    const int label = text->labels++;
    add(text,
        "setp.ge.u32 %%p2, %%r21, %u;\nsetp.eq.u32 %%p3, %%r2, %u;\nor.pred %%p4, %%p2, %%p3;\n%s%%p4 bra $B%d;\n",
        draw(random, CTAS * THREADS), draw(random, CTAS), draw(random, 2) ? "@" : "@!", label);
    for (uint32_t i = draw(random, 5); i > 0; i--) add_compute(text, random);
    add(text, "$B%d:\n", label);
}

// Lanes at a border leave, and the others go on.
static void add_border(struct text *text, struct random *random)
{
    static const char *const places[] = {"0", "1", "2", "0", "20"}; // of %tid.x, %tid.y, %ctaid.x, the thread
    add(text, "setp.eq.u32 %%p6, %%r%s, %u;\nsetp.ge.u32 %%p7, %%r%s, %u;\nor.pred %%p6, %%p6, %%p7;\n%s%%p6 bra $E;\n",
        places[draw(random, 5)], draw(random, 12), places[draw(random, 5)], draw(random, 40),
        draw(random, 5) ? "@" : "@!");
}

static void add_shared(struct text *text)
{
    add(text, "mov.u32 %%r23, s;\nmad.lo.u32 %%r23, %%r20, 4, %%r23;\nst.shared.u32 [%%r23], %%r7;\n"
              "ld.shared.u32 %%r8, [%%r23];\n");
}

// is_alone: no CTA stores where another one loads or stores.
static void write_program(struct text *text, struct random *random, bool is_alone)
{
    *text = (struct text){.used = 0};
    add(text, BEGIN);
    for (int i = 6; i < KEPT; i++) add(text, "ld.global.u32 %%r%d, %s;\n", i, sides[i % 5]);
    const bool has_loop = draw(random, 2) == 0;
    for (uint32_t i = draw(random, 10); i > 0; i--) add_compute(text, random);
    for (uint32_t i = draw(random, 3); i > 0; i--) add_border(text, random);
    if (draw(random, 2)) add_branch(text, random);
    if (has_loop) add(text, "$L:\n");
    for (uint32_t i = 2 + draw(random, 10); i > 0; i--) add_compute(text, random);
    if (has_loop) add(text, "add.u32 %%r15, %%r15, 1;\nsetp.lt.u32 %%p5, %%r15, 3;\n@%%p5 bra $L;\n");
    if (draw(random, 3) == 0) add_branch(text, random);
    if (draw(random, 3) == 0) add_shared(text);
    for (int i = 0; i < KEPT; i++) add(text, "st.global.u32 [%%rd8+%d], %%r%d;\n", 4 * i, i);
    // What a warp has stored others may load.
    if (!is_alone && draw(random, 2)) add(text, "st.global.u32 [%%rd9+%u], %%r6;\n", 4 * draw(random, 300));
    add(text, "$E:\nret;\n}\n");
}

// --- Running ---------------------------------------------------------------------------------------------------------

static void hear_nothing(void *context, const struct event *event)
{
    (void)context, (void)event;
}

static const struct observer observer = {.hear = hear_nothing};

static uint64_t limit; // of instructions; 0: there is none

static void launch(const char *text, const uint32_t block[3], const struct observer *heard_by,
                   struct machine_schedule schedule, struct memory_of *memory, struct machine_outcome *outcome)
{
    struct ptx_errors errors;
    struct machine_module *module = machine_module_open(text, strlen(text), &errors);
    ck_assert_msg(module != NULL, "%u: %s\n%s", errors.item[0].line, errors.item[0].message, text);
    const uint64_t parameters[3] = {(uintptr_t)memory->out, (uintptr_t)memory->table, 12345};
    const struct region region[] = {{{(uint8_t *)memory->out, parameters[0], sizeof memory->out}, 0},
                                    {{(uint8_t *)memory->table, parameters[1], sizeof memory->table}, 0}};
    const struct global_memory global = {region, 2};
    memset(memory, 0, sizeof *memory);
    for (uint32_t i = 0; i < TABLE_WORDS; i++) memory->table[i] = i * UINT32_C(2654435761);
    const struct machine_launch what = {.module = module,
                                        .kernel = machine_module_kernel(module, "k"),
                                        .grid = {CTAS, 1, 1},
                                        .block = {block[0], block[1], block[2]},
                                        .parameters = parameters,
                                        .global = &global,
                                        .schedule = schedule,
                                        .limits = {.instructions = limit},
                                        .observer = heard_by};
    machine_run(&what, outcome);
    machine_module_close(module);
}

// Up to the operands, among which is what was in the register that a load writes.
static void cut(struct machine_outcome *outcome)
{
    char *operands = strstr(outcome->message, "operands:");
    if (operands != NULL) *operands = 0;
}

// The same memory, counts and message, both ways.
static void check_both(const char *text, const uint32_t block[3], uint64_t seed, struct machine_outcome *outcome)
{
    static struct memory_of course, alone;
    struct machine_outcome heard;
    const struct machine_schedule schedule = {.threads = 1, .seed = seed};
    launch(text, block, NULL, schedule, &alone, outcome);
    course = alone;
    launch(text, block, &observer, schedule, &alone, &heard);
    cut(outcome), cut(&heard);
    ck_assert_int_eq(outcome->kind, heard.kind);
    ck_assert_str_eq(outcome->message, heard.message);
    for (uint32_t i = 0; i < sizeof course.out / sizeof *course.out; i++)
        ck_assert_msg(course.out[i] == alone.out[i],
                      "word %u of thread %u of CTA %u, block %u x %u x %u: 0x%x on a course, 0x%x alone\n%s", i % 16,
                      i / 16 % THREADS, i / (16 * THREADS), block[0], block[1], block[2], course.out[i], alone.out[i],
                      text);
    ck_assert_mem_eq(course.table, alone.table, sizeof course.table);
    if (outcome->kind != MACHINE_DONE) return;
    ck_assert_uint_eq(outcome->instructions, heard.instructions);
    ck_assert_uint_eq(outcome->thread_instructions, heard.thread_instructions);
}

LOOP_TEST(machine_course_does_what_each_warp_does, 0, SEEDS)
{
    static const uint32_t blocks[][3] = {{256, 1, 1}, {32, 8, 1}, {16, 16, 1}, {64, 4, 1},
                                         {8, 32, 1},  {96, 1, 1}, {32, 2, 1},  {100, 1, 1}};
    static struct text text;
    struct machine_outcome outcome;
    struct random random = {(uint64_t)_i * 911 + 3};
    write_program(&text, &random, false);
    check_both(text.at, blocks[_i % 8], (uint64_t)_i, &outcome);
    ck_assert_msg(outcome.kind == MACHINE_DONE, "%s\n%s", outcome.message, text.at);
}

// Each host thread has CTAs that go a course, and its first one, which does not.
LOOP_TEST(machine_course_on_many_host_threads, 0, 12)
{
    static const uint32_t block[3] = {32, 8, 1};
    static struct memory_of one, many;
    static struct text text;
    struct machine_outcome outcome[2];
    struct random random = {(uint64_t)_i * 577 + 11};
    write_program(&text, &random, true);
    launch(text.at, block, NULL, (struct machine_schedule){.threads = 1}, &many, &outcome[0]);
    one = many;
    launch(text.at, block, NULL, (struct machine_schedule){.threads = _i % 2 ? 3 : 16}, &many, &outcome[1]);
    ck_assert_int_eq(outcome[0].kind, MACHINE_DONE);
    ck_assert_int_eq(outcome[1].kind, MACHINE_DONE);
    ck_assert_mem_eq(one.out, many.out, sizeof one.out);
    ck_assert_uint_eq(outcome[0].instructions, outcome[1].instructions);
    ck_assert_uint_eq(outcome[0].thread_instructions, outcome[1].thread_instructions);
}

// A warp in the middle of a CTA loads from where no memory is, or from where memory is that others never load: the
// warps in front of it have stored, and those behind it have not.
LOOP_TEST(machine_course_of_which_one_warp_leaves, 0, 4)
{
    static struct text text;
    static const uint32_t block[3] = {256, 1, 1};
    struct machine_outcome outcome;
    const uint32_t thread = 5 * THREADS + 100;
    text = (struct text){.used = 0};
    add(&text, BEGIN);
    add(&text,
        "ld.global.u32 %%r6, [%%rd9];\nsetp.eq.u32 %%p1, %%r21, %u;\nselp.u32 %%r7, %u, %%r20, %%p1;\n"
        "mul.wide.s32 %%rd10, %%r7, %u;\nadd.u64 %%rd10, %%rd10, %%rd1;\nld.global.u32 %%r8, [%%rd10];\n"
        "st.global.u32 [%%rd8], %%r6;\nst.global.u32 [%%rd8+4], %%r8;\nret;\n}\n",
        thread, _i % 2 ? 1u << 30 : 0u - 3u, _i / 2 ? 4u : 8u);
    check_both(text.at, block, (uint64_t)_i, &outcome);
    ck_assert_int_eq(outcome.kind, _i % 2 ? MACHINE_FAULTED : MACHINE_DONE);
}

// A store outside of memory, by the last warp alone, and one behind it.
TEST(machine_course_that_ends_outside)
{
    static struct text text;
    static const uint32_t block[3] = {256, 1, 1};
    struct machine_outcome outcome;
    text = (struct text){.used = 0};
    add(&text, BEGIN);
    add(&text,
        "sub.u32 %%r6, %u, %%r21;\nmul.wide.s32 %%rd10, %%r6, 64;\nadd.u64 %%rd10, %%rd10, %%rd0;\n"
        "st.global.u32 [%%rd8+8], %%r21;\nst.global.u32 [%%rd10+4], %%r6;\nret;\n}\n",
        11u * THREADS + 40);
    check_both(text.at, block, 0, &outcome);
    ck_assert_int_eq(outcome.kind, MACHINE_FAULTED);
}

// Lanes exit in front of what the others do: an exit has no target.
TEST(machine_course_whose_lanes_exit)
{
    static struct text text;
    static const uint32_t block[3] = {64, 1, 1};
    struct machine_outcome outcome;
    text = (struct text){.used = 0};
    add(&text, BEGIN);
    add(&text, "and.b32 %%r6, %%r20, 31;\nsetp.lt.u32 %%p1, %%r6, 16;\n@%%p1 exit;\n"
               "st.global.u32 [%%rd8], %%r20;\nret;\n}\n");
    check_both(text.at, block, 0, &outcome);
    ck_assert_int_eq(outcome.kind, MACHINE_DONE);
}

// More loads and stores by lanes of one part than places are kept.
TEST(machine_course_that_goes_to_many_places)
{
    static struct text text;
    static const uint32_t block[3] = {64, 1, 1};
    struct machine_outcome outcome;
    text = (struct text){.used = 0};
    add(&text, BEGIN);
    add(&text, "mov.u32 %%r23, s;\nand.b32 %%r6, %%r20, 31;\nsetp.lt.u32 %%p1, %%r6, 7;\nmov.u32 %%r7, %%r20;\n"
               "@%%p1 bra $J;\nadd.u32 %%r7, %%r7, 3;\n$J:\nmad.lo.u32 %%r7, %%r7, 4, %%r23;\n"
               "mad.lo.u32 %%r8, %%r20, 4, %%r23;\nst.shared.u32 [%%r8], %%r20;\nbar.sync 0;\n");
    for (uint32_t i = 0; i < 20; i++)
        add(&text, "ld.shared.u32 %%r9, [%%r7+%u];\nst.global.u32 [%%rd8+%u], %%r9;\n", 4 * i, i % 16 * 4);
    add(&text, "ret;\n}\n");
    check_both(text.at, block, 0, &outcome);
    ck_assert_int_eq(outcome.kind, MACHINE_DONE);
}

// --- Barriers --------------------------------------------------------------------------------------------------------

// %r24: the thread's own word of shared memory; %r25: another one's, which is a ramp in most warps only; %r26: one
// that depends on what was loaded.
static void add_own_shared(struct text *text, struct random *random)
{
    static const char *const masks[] = {"1020", "1020", "508", "2044", "1016"};
    add(text,
        "mov.u32 %%r23, s;\nshl.b32 %%r24, %%r20, 2;\nadd.u32 %%r25, %%r24, %u;\nand.b32 %%r25, %%r25, %s;\n"
        "add.u32 %%r25, %%r25, %%r23;\nadd.u32 %%r24, %%r24, %%r23;\n",
        4 * draw(random, 70), masks[draw(random, 5)]);
}

static void add_shared_access(struct text *text, struct random *random)
{
    const uint32_t reg = 6 + draw(random, 4);
    switch (draw(random, 8)) {
    case 0:
        add(text, "ld.shared.u32 %%r%u, [%%r25];\n", reg);
        return;
    case 1:
        add(text, "st.shared.u32 [%%r25+%u], %%r%u;\n", 4 * draw(random, 2), reg);
        return;
    case 2:
        add(text,
            "and.b32 %%r26, %%r%u, 1020;\nadd.u32 %%r26, %%r26, %%r23;\n"
            "ld.shared.u32 %%r%u, [%%r26];\n",
            6 + draw(random, 4), reg);
        return;
    case 3:
        add(text, "ld.shared.v2.u32 {%%r%u, %%r10}, [%%r23+%u];\n", reg, 8 * draw(random, 9));
        return;
    case 4:
        add(text, "ld.shared.u32 %%r%u, [%%r24+%u];\n", reg, 4 * draw(random, 200));
        return;
    default:
        add(text, "st.shared.u32 [%%r24], %%r%u;\n", reg);
    }
}

// What lives over a barrier: a carry, a predicate that is the same in all lanes, and one that is not.
static void add_kept(struct text *text, struct random *random, bool is_behind)
{
    static const char *const front[] = {"add.cc.u32 %r12, %r6, %r7;\n", "setp.lt.u32 %p1, %r6, %r7;\n",
                                        "setp.lt.u32 %p4, %r15, 1;\n"};
    static const char *const behind[] = {"addc.u32 %r6, %r8, 0;\n", "selp.u32 %r7, %r8, %r9, %p1;\n",
                                         "selp.u32 %r8, %r7, %r9, %p4;\n"};
    add(text, "%s", is_behind ? behind[draw(random, 3)] : front[draw(random, 3)]);
}

static void add_shuffle(struct text *text, struct random *random)
{
    static const char *const how[] = {"bfly", "down", "idx"}, *const masks[] = {"%r11", "-1", "%r11", "0x0000ffff"};
    add(text, "mov.u32 %%r11, -1;\nshfl.sync.%s.b32 %%r%u|%%p5, %%r%u, %u, 31, %s;\n", how[draw(random, 3)],
        6 + draw(random, 4), 6 + draw(random, 4), draw(random, 20), masks[draw(random, 20) ? draw(random, 3) : 3]);
}

// Some go over it: warps, lanes, those that a value sends there, or nobody.
static void add_parting(struct text *text, struct random *random)
{
    static const char *const who[] = {"setp.lt.u32 %p6, %r20, 64", "setp.eq.u32 %p6, %r0, 3",
                                      "and.b32 %r13, %r20, 31;\nsetp.ne.u32 %p6, %r13, 0",
                                      "setp.lt.u32 %p6, %r6, 1000000", "setp.eq.u32 %p6, %r2, 5"};
    const int label = text->labels++;
    add(text, "%s;\n%s%%p6 bra $P%d;\n", who[draw(random, 5)], draw(random, 2) ? "@" : "@!", label);
    for (uint32_t i = draw(random, 4); i > 0; i--) add_shared_access(text, random);
    if (draw(random, 3) == 0)
        add(text, "shr.u32 %%r14, %%r20, 3;\nand.b32 %%r14, %%r14, 1020;\n"
                  "add.u32 %%r14, %%r14, %%r23;\nst.shared.u32 [%%r14], %%r6;\n");
    if (draw(random, 30) == 0) add(text, draw(random, 2) ? "bar.sync 3;\n" : "ret;\n");
    add(text, "$P%d:\n", label);
}

static void add_rare(struct text *text, struct random *random)
{
    switch (draw(random, 11)) {
    case 0:
        add(text, "atom.shared.add.u32 %%r6, [%%r25], %%r7;\n");
        return;
    case 1: // one warp is elsewhere
    case 5:
    case 6:
        add(text,
            "setp.eq.u32 %%p1, %%r21, %u;\nselp.u32 %%r7, %d, %%r20, %%p1;\nmul.wide.s32 %%rd10, %%r7, 4;\n"
            "add.u64 %%rd10, %%rd10, %%rd1;\nld.global.u32 %%r8, [%%rd10];\n",
            draw(random, CTAS * THREADS), draw(random, 3) ? -3 : 1 << 30);
        return;
    case 2: // a turn is over on the way
        add(text,
            "mov.u32 %%r16, 0;\n$W%d:\nadd.u32 %%r7, %%r7, %%r16;\nxor.b32 %%r7, %%r7, %%r6;\n"
            "add.u32 %%r16, %%r16, 1;\nsetp.lt.u32 %%p2, %%r16, %u;\n@%%p2 bra $W%d;\n",
            text->labels, 60 + draw(random, 400), text->labels);
        text->labels++;
        return;
    case 3:
        add(text, "setp.eq.u32 %%p6, %%r20, %u;\n@%%p6 bra $E;\n", 32 * draw(random, 8));
        return;
    case 4:
        add(text, "bar.warp.sync -1;\n");
        return;
    case 7: // lanes at a border leave
        add(text, "setp.eq.u32 %%p6, %%r0, %u;\n@%%p6 bra $E;\n", draw(random, 4));
        return;
    default:
        add(text, "ld.global.u32 %%r%u, %s;\n", 6 + draw(random, 4), sides[draw(random, 5)]);
    }
}

static void add_part(struct text *text, struct random *random, uint32_t wild)
{
    for (uint32_t i = draw(random, 4); i > 0; i--) add_shared_access(text, random);
    for (uint32_t i = draw(random, 4); i > 0; i--) add_compute(text, random);
    if (draw(random, 3) == 0) add_kept(text, random, draw(random, 2));
    if (draw(random, 4) == 0) add_shuffle(text, random);
    if (draw(random, wild) == 0) add_parting(text, random);
    if (draw(random, wild) == 0) add_rare(text, random);
    if (draw(random, 5)) add(text, draw(random, 4) ? "bar.sync 0;\n" : "barrier.sync.aligned 1;\n");
}

static void write_meetings(struct text *text, struct random *random)
{
    *text = (struct text){.used = 0};
    add(text, BEGIN);
    const uint32_t wild = 4 + draw(random, 2) * 60;
    add_own_shared(text, random);
    for (int i = 6; i < KEPT; i++) add(text, "ld.global.u32 %%r%d, %s;\n", i, sides[i % 5]);
    for (uint32_t i = draw(random, 3); i > 0; i--) add_part(text, random, wild);
    const uint32_t rounds = draw(random, 3) ? 1 + draw(random, 9) : 90;
    add(text, "$L:\n");
    for (uint32_t i = 1 + draw(random, 5); i > 0; i--) add_part(text, random, wild);
    add(text, "add.u32 %%r15, %%r15, 1;\nsetp.lt.u32 %%p5, %%r15, %u;\n@%%p5 bra $L;\n", rounds);
    for (uint32_t i = draw(random, 4); i > 0; i--) add_part(text, random, wild);
    for (int i = 0; i < KEPT; i++) add(text, "st.global.u32 [%%rd8+%d], %%r%d;\n", 4 * i, i);
    if (draw(random, 2)) add(text, "mov.u32 %%r17, %%clock;\nst.global.u32 [%%rd8+60], %%r17;\n");
    add(text, "$E:\nret;\n}\n");
}

LOOP_TEST(machine_course_over_barriers, 0, SEEDS * 3)
{
    static const uint32_t blocks[][3] = {{256, 1, 1}, {64, 1, 1}, {16, 16, 1}, {32, 4, 1}, {96, 1, 1}, {8, 32, 1}};
    static struct text text;
    struct machine_outcome outcome;
    struct random random = {(uint64_t)_i * 1201 + 7};
    write_meetings(&text, &random);
    // A limit makes clusters begin one by one, as where somebody hears of them.
    limit = _i % 4 == 3 ? 500 + draw(&random, 40000) : UINT64_C(1) << 40;
    check_both(text.at, blocks[_i % 6], (uint64_t)_i, &outcome);
    limit = 0;
}
