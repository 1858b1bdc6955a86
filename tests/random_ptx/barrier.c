// SPDX-License-Identifier: MIT
// Steps in which all threads of a CTA meet, and give one another words through shared memory.
#include <string.h>

#include "random_program.h"

// What another thread put down is read behind the barrier; behind a second one the words may change again.
static void exchange(struct program *program, const char *barrier)
{
    int from = program_register(program, 'r', -1), to = program_register(program, 'r', -1);
    program_say(program,
                "cvt.u32.u64 %%B0, %%exc;\nmad.lo.u32 %%B1, %%thread, 4, %%B0;\nst.shared.u32 [%%B1], %%r%d;\n%s"
                "add.u32 %%B2, %%thread, %d;\nrem.u32 %%B2, %%B2, %d;\nmad.lo.u32 %%B2, %%B2, 4, %%B0;\nld.shared.u32 "
                "%%r%d, [%%B2];\n"
                "bar.sync 0;\n",
                from, barrier, 1 + program_below(program, program->block - 1), program->block, to);
    program_wrote(program, 'r', to);
}

static void meet(struct program *program)
{
    static const char *const spellings[] = {"bar.sync",         "bar.cta.sync",
                                            "barrier.sync",     "barrier.sync.aligned",
                                            "barrier.cta.sync", "barrier.cta.sync.aligned"};
    char text[80];
    int count = program->block % 32 == 0 && program_chance(program, 50) ? program->block : 0;
    int used =
        snprintf(text, sizeof text, "%s %d", random_pick(&program->random, spellings), program_below(program, 16));
    if (count) used += snprintf(text + used, sizeof text - (size_t)used, ", %d", count);
    snprintf(text + used, sizeof text - (size_t)used, ";\n");
    exchange(program, text);
}

// Half of the warps arrive and go on, the others wait for them; then all meet.
static void arrive(struct program *program)
{
    static const char *const spellings[] = {"bar.%s", "bar.cta.%s", "barrier.%s.aligned", "barrier.cta.%s"};
    const char *spelling = random_pick(&program->random, spellings);
    int barrier = 1 + program_below(program, 15), label = program->labels++;
    char arrival[40], wait[40], text[400];
    snprintf(arrival, sizeof arrival, spelling, "arrive");
    snprintf(wait, sizeof wait, spelling, "sync");
    snprintf(text, sizeof text,
             "and.b32 %%B3, %%thread, 32;\nsetp.eq.u32 %%P0, %%B3, 0;\n@%%P0 bra WAIT%d;\n%s %d, %d;\nbra "
             "MET%d;\nWAIT%d:\n%s %d, %d;\n"
             "MET%d:\nbar.sync 0;\n",
             label, arrival, barrier, program->block, label, label, wait, barrier, program->block, label);
    exchange(program, text);
}

static void reduce(struct program *program)
{
    static const char *const spellings[] = {"bar.red", "bar.cta.red", "barrier.red", "barrier.cta.red",
                                            "barrier.red.aligned"};
    const char *spelling = random_pick(&program->random, spellings);
    int predicate = program_register(program, 'p', -1), to = program_register(program, 'p', -1);
    if (program_chance(program, 50)) {
        program_say(program, "%s.popc.u32 %%B6, %d, %s%%p%d;\n", spelling, program_below(program, 16),
                    program_chance(program, 50) ? "!" : "", predicate);
        program_wrote(program, 'B', 6);
    } else {
        program_say(program, "%s.%s.pred %%p%d, %d, %%p%d;\n", spelling, program_chance(program, 50) ? "and" : "or", to,
                    program_below(program, 16), predicate);
        program_wrote(program, 'p', to);
    }
}

void step_barrier(struct program *program)
{
    int what = program_below(program, 3);
    program_begin_step(program, "a barrier of the CTA");
    if (what == 0 && program->block % 64 == 0)
        arrive(program);
    else if (what == 1)
        reduce(program);
    else
        meet(program);
    program_end_step(program);
}
