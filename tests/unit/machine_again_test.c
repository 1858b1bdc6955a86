// SPDX-License-Identifier: MIT
// The suite `machine_again`: a warp that begins where one of the CTA before has ended computes what the first did, and
// finds no trace of it. Each program runs with many CTAs, one after the other.
#include "machine_test.h"

enum { CTAS = 7, THREADS = 40, WORDS = CTAS * THREADS, TEXT_BYTES = 4096 };

// %r3: the number of the thread in the grid; %rd1: the address of its 4 bytes. All but what %ctaid makes is the same.
#define THREAD_OF_GRID                                                                                                 \
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r4, %tid.x;\nmad.lo.u32 %r3, %r1, %r2, %r4;\n"            \
    "mul.wide.u32 %rd1, %r3, 4;\nadd.u64 %rd1, %rd0, %rd1;\n"

static uint32_t thread_and_cta(uint32_t cta, uint32_t thread)
{
    return 3 * thread + 5 * cta + 7;
}

static uint32_t nothing(uint32_t cta, uint32_t thread)
{
    (void)cta, (void)thread;
    return 0;
}

static uint32_t odd_threads(uint32_t cta, uint32_t thread)
{
    return thread % 2 == 1 ? 100 + cta : 0;
}

static uint32_t from_first_cta(uint32_t cta, uint32_t thread)
{
    return cta == 0 ? 1000 + thread : 0;
}

static uint32_t counted(uint32_t cta, uint32_t thread)
{
    return cta + 10 * (thread + 1);
}

static uint32_t carried(uint32_t cta, uint32_t thread)
{
    return cta + (thread > 0);
}

static uint32_t parity(uint32_t cta, uint32_t thread)
{
    return (cta + thread) % 2 == 1 ? 55 : 0;
}

// `body` leaves a number in %r9; what it is of a thread of the grid.
static const struct {
    const char *what, *body;
    uint32_t (*number)(uint32_t cta, uint32_t thread);
} programs[] = {
    {"numbers of the thread, of the CTA, and of both",
     "mul.lo.u32 %r5, %r4, 3;\nmul.lo.u32 %r6, %r1, 5;\nadd.u32 %r7, %r5, 7;\nadd.u32 %r9, %r7, %r6;\n",
     thread_and_cta},
    {"a register that is read before it is written", "mov.u32 %r9, %r8;\nadd.u32 %r8, %r1, 1;\n", nothing},
    {"one that a guard writes in some lanes",
     "and.b32 %r5, %r4, 1;\nsetp.eq.u32 %p1, %r5, 1;\nadd.u32 %r6, %r1, 100;\n@%p1 mov.u32 %r8, %r6;\n"
     "mov.u32 %r9, %r8;\n",
     odd_threads},
    {"one that is written behind a branch that the first CTA alone takes",
     "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra $B;\nbra $E;\n$B:\nadd.u32 %r8, %r4, 1000;\n$E:\nmov.u32 %r9, %r8;\n",
     from_first_cta},
    {"one that a loop reads first, and writes behind it",
     "mov.u32 %r9, %r1;\nmov.u32 %r10, 0;\n$L:\nadd.u32 %r9, %r9, %r8;\nmov.u32 %r8, 10;\n"
     "setp.le.u32 %p1, %r10, %r4;\nadd.u32 %r10, %r10, 1;\n@%p1 bra $L;\n",
     counted},
    {"one that a jump into a loop leaves out",
     "setp.eq.u32 %p1, %r1, 0;\nmov.u32 %r10, 0;\n@%p1 bra $A;\nbra $M;\n$A:\nadd.u32 %r8, %r4, 1000;\n$L:\n"
     "mov.u32 %r9, %r8;\nbra $E;\n$M:\nadd.u32 %r10, %r10, 1;\nbra $L;\n$E:\n",
     from_first_cta},
    {"the carry flag that the same instruction sets",
     "add.cc.u32 %r5, %r4, 0xffffffff;\naddc.u32 %r9, %r1, 0;\nadd.u32 %r6, %r5, 1;\n", carried},
    {"a predicate that is the same, and one that is not",
     "and.b32 %r5, %r4, 1;\nsetp.eq.u32 %p1, %r5, 1;\nand.b32 %r6, %r1, 1;\nsetp.eq.u32 %p2, %r6, 1;\n"
     "xor.pred %p3, %p1, %p2;\nselp.u32 %r9, 55, 0, %p3;\n",
     parity},
    {"what a shuffle takes of a lane that has never been written",
     "mov.u32 %r5, 31;\nsetp.ge.u32 %p1, %r4, 32;\nadd.u32 %r6, %r1, 9;\nsetp.eq.u32 %p2, %r1, 0;\n"
     "@%p2 mov.u32 %r8, %r6;\nsetp.ne.u32 %p3, %r1, 0;\nmov.u32 %r9, 0;\n"
     "@%p3 shfl.sync.idx.b32 %r9, %r8, %r5, 31, 0xffffffff;\n",
     nothing},
};

static void count(void *context, const struct machine_step *step)
{
    if (step->code->kind == MACHINE_PLAIN) ++*(uint64_t *)context;
}

static void pass(void *context, const struct machine_step *step, enum machine_next next)
{
    (void)context, (void)step, (void)next;
}

static void hear(void *context, const struct event *event)
{
    (void)context, (void)event;
}

static const struct observer observer = {NULL, hear};

static const struct machine_schedule schedules[] = {
    {.threads = 1}, {.seed = 3, .threads = 1}, {.policy = MACHINE_SHUFFLED, .seed = 5, .threads = 1}, {.threads = 3}};

static void begin_as_first(int p, struct launch_of of)
{
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "%s%sst.global.u32 [%%rd1], %%r9;\nret;\n}\n", ENTRY THREAD_OF_GRID, programs[p].body);
    struct ran *ran = run_well(text, of);
    for (uint32_t i = 0; i < WORDS; i++) {
        const uint32_t wanted = programs[p].number(i / THREADS, i % THREADS);
        ck_assert_msg(ran->out[i] == wanted, "%s: thread %u of CTA %u has %u, not %u", programs[p].what, i % THREADS,
                      i / THREADS, ran->out[i], wanted);
    }
}

LOOP_TEST(machine_again_a_warp_begins_as_the_first_did, 0, ROWS_OF(programs) * ROWS_OF(schedules))
{
    const struct machine_schedule *schedule = &schedules[_i % ROWS_OF(schedules)];
    begin_as_first(_i / ROWS_OF(schedules), (struct launch_of){CTAS, THREADS, .schedule = *schedule});
}

// So does one whose looker skips what only computes.
LOOP_TEST(machine_again_a_warp_that_is_looked_at_begins_as_the_first_did, 0, ROWS_OF(programs) * ROWS_OF(schedules))
{
    uint64_t plain = 0;
    const struct machine_looker looker = {.context = &plain, .skips_plain = true, .before = count, .after = pass};
    struct launch_of of = {CTAS, THREADS, .observer = &observer, .looker = &looker};
    of.schedule = schedules[_i % ROWS_OF(schedules)];
    begin_as_first(_i / ROWS_OF(schedules), of);
}

// Nothing is left out where a looker wants to see what only computes.
TEST(machine_again_shows_all_to_a_looker_that_skips_nothing)
{
    char text[TEXT_BYTES];
    uint64_t plain[2] = {0};
    snprintf(text, sizeof text, "%s%sst.global.u32 [%%rd1], %%r9;\nret;\n}\n", ENTRY THREAD_OF_GRID, programs[0].body);
    for (uint32_t i = 0; i < 2; i++) {
        const struct machine_looker looker = {.context = &plain[i], .before = count, .after = pass};
        run_well(text, (struct launch_of){i == 0 ? 1 : CTAS, THREADS, .observer = &observer, .looker = &looker});
    }
    ck_assert_uint_gt(plain[0], 0);
    ck_assert_uint_eq(plain[1], CTAS * plain[0]);
}

// Whether instructions are left out or not, all are counted.
TEST(machine_again_counts_what_it_leaves_out)
{
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "%s%sst.global.u32 [%%rd1], %%r9;\nret;\n}\n", ENTRY THREAD_OF_GRID, programs[0].body);
    struct ran *one = run_well(text, (struct launch_of){1, THREADS, .schedule = {.threads = 1}});
    struct ran *all = run_well(text, (struct launch_of){CTAS, THREADS, .schedule = {.threads = 1}});
    ck_assert_uint_eq(all->outcome.instructions, CTAS * one->outcome.instructions);
    ck_assert_uint_eq(all->outcome.thread_instructions, CTAS * one->outcome.thread_instructions);
}
