// SPDX-License-Identifier: MIT
// The search over the orders of a program's steps, against all interleavings one by one: small random programs have the
// same verdict with and without reduction. What it takes for open pairs (paths_trace.c) is what these tests are about.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "paths.h"
#include "rules/mbarrier.h"

enum { TEXT_BYTES_MOST = 1 << 14, STATES = 1 << 17, RANDOM_PROGRAMS = 400, BLOCKS = 8 };

// --- Programs --------------------------------------------------------------------------------------------------------

// A program of the lines `steps`, which begin behind the place.
static void read_program(const char *text, struct paths_set *set)
{
    char path[] = "/tmp/paths_test_XXXXXX";
    struct text why = {""};
    const int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, strlen(text)), (int)strlen(text));
    close(file);
    *set = (struct paths_set){.programs = 0};
    const int ok = paths_read(path, set, &why);
    unlink(path);
    ck_assert_msg(ok, "%s\n%s", why.at, text);
    ck_assert_uint_eq(set->programs, 1);
}

static const char head[] = "tmaref sync 1 r\nL 1 kernel\nP 1 a.cu:1\nC 1 0 0 0,0,0";

struct writing {
    char text[TEXT_BYTES_MOST];
    size_t used;
};

// lanes: 0: all
struct who {
    uint32_t rank, warp, lanes, operation;
};

__attribute__((format(printf, 3, 4))) static void put(struct writing *to, struct who who, const char *format, ...)
{
    va_list list;
    to->used += (size_t)snprintf(to->text + to->used, sizeof to->text - to->used, "s 1 0 %u %u %x %u 1 ", who.rank,
                                 who.warp, who.lanes != 0 ? who.lanes : UINT32_MAX, who.operation);
    va_start(list, format);
    to->used += (size_t)vsnprintf(to->text + to->used, sizeof to->text - to->used, format, list);
    va_end(list);
    to->used += (size_t)snprintf(to->text + to->used, sizeof to->text - to->used, "\n");
}

// --- All interleavings -----------------------------------------------------------------------------------------------

// held: steps that may come before a strong access that they came behind in the run, a byte for each
struct all {
    const struct paths_program *program, *run;
    uint64_t *seen, states;
    unsigned ends; // a bit for each finding
    uint8_t *held;
};

static uint64_t digest(const struct paths_state *state)
{
    const struct paths_program *program = state->program;
    uint64_t sum = XXH64(state->at, program->actors * sizeof *state->at, 1);
    sum = XXH64(state->done, program->steps, sum);
    sum = XXH64(state->phase, program->steps * sizeof *state->phase, sum);
    sum = XXH64(state->barrier, program->objects * sizeof *state->barrier, sum);
    return XXH64(&state->cluster, sizeof state->cluster, sum) | 1;
}

static bool is_new(struct all *all, uint64_t sum)
{
    uint64_t at = sum % STATES;
    while (all->seen[at] != 0 && all->seen[at] != sum) at = (at + 1) % STATES;
    if (all->seen[at] == sum) return false;
    all->seen[at] = sum;
    ck_assert_uint_lt(++all->states, STATES / 2);
    return true;
}

static void copy_state(const struct paths_state *from, struct paths_state *to)
{
    const struct paths_program *program = from->program;
    ck_assert(paths_state_open(program, to));
    memcpy(to->at, from->at, program->actors * sizeof *to->at);
    memcpy(to->done, from->done, program->steps);
    memcpy(to->phase, from->phase, program->steps * sizeof *to->phase);
    memcpy(to->barrier, from->barrier, program->objects * sizeof *to->barrier);
    to->cluster = from->cluster;
    memcpy(to->exited, from->exited, sizeof to->exited);
    to->left = from->left;
}

static void note_held(struct all *all, const struct paths_state *state, uint32_t step)
{
    if (all->run == NULL) return;
    const struct paths_step *of = &all->run->step[step];
    for (uint32_t i = 0; i < of->afters; i++) {
        const uint32_t after = all->run->after[of->first_after + i];
        all->held[step] |= all->run->step[after].kind == PATHS_ACCESS && !state->done[after];
    }
}

static void try_from(struct all *all, const struct paths_state *state)
{
    bool can = false;
    if (!is_new(all, digest(state))) return;
    for (uint32_t i = 0; i < all->program->steps; i++) {
        struct paths_state next;
        if (!paths_is_next(state, i)) continue;
        copy_state(state, &next);
        const enum paths_end end = paths_make(&next, i);
        can |= end != PATHS_WAITS;
        if (end > PATHS_WAITS) all->ends |= 1u << end;
        if (end == PATHS_DONE) note_held(all, state, i);
        if (end == PATHS_DONE) try_from(all, &next);
        paths_state_close(&next);
    }
    if (!can && state->left > 0) all->ends |= 1u << PATHS_DEADLOCK;
}

static unsigned all_ends(const struct paths_program *program)
{
    struct all all = {.program = program, .seen = calloc(STATES, sizeof *all.seen)};
    struct paths_state state;
    ck_assert_ptr_nonnull(all.seen);
    ck_assert(paths_state_open(program, &state));
    try_from(&all, &state);
    paths_state_close(&state);
    free(all.seen);
    return all.ends;
}

// The program in which strong accesses hold nothing.
static struct paths_program without_held(const struct paths_program *program)
{
    struct paths_program apart = *program;
    apart.step = malloc((program->steps + 1u) * sizeof *apart.step);
    apart.after = malloc((program->afters + 1u) * sizeof *apart.after);
    ck_assert(apart.step != NULL && apart.after != NULL);
    memcpy(apart.step, program->step, program->steps * sizeof *apart.step);
    for (uint32_t i = 0; i < program->steps; i++) {
        const struct paths_step *of = &program->step[i];
        apart.step[i].afters = 0;
        for (uint32_t k = of->first_after; k < of->first_after + of->afters; k++)
            if (program->step[program->after[k]].kind != PATHS_ACCESS)
                apart.after[of->first_after + apart.step[i].afters++] = program->after[k];
    }
    return apart;
}

// How many steps may come before a strong access that they came behind in the run, if nothing holds them; *ends: what
// is found then.
static uint32_t all_held(const struct paths_program *program, unsigned *ends)
{
    struct paths_program apart = without_held(program);
    struct all all = {.program = &apart, .run = program, .seen = calloc(STATES, sizeof *all.seen)};
    struct paths_state state;
    uint32_t held = 0;
    all.held = calloc(program->steps + 1u, 1);
    ck_assert(all.seen != NULL && all.held != NULL && paths_state_open(&apart, &state));
    try_from(&all, &state);
    for (uint32_t i = 0; i < program->steps; i++) held += all.held[i];
    *ends = all.ends;
    paths_state_close(&state);
    free(apart.step);
    free(apart.after);
    free(all.held);
    free(all.seen);
    return held;
}

// --- What is found ---------------------------------------------------------------------------------------------------

// The order that is told does end so.
static void check_order(const struct paths_program *program, const struct paths_found *found, const char *text)
{
    struct paths_state state;
    ck_assert(paths_state_open(program, &state));
    for (uint32_t i = 0; i < found->steps; i++) {
        ck_assert_msg(paths_is_next(&state, found->order[i]), "%s", text);
        ck_assert_msg(paths_make(&state, found->order[i]) == PATHS_DONE, "%s", text);
    }
    if (found->step != PATHS_NONE)
        ck_assert_msg(paths_make(&state, found->step) == found->end, "%s", text);
    else
        for (uint32_t i = 0; i < program->steps; i++)
            ck_assert_msg(!paths_is_next(&state, i) || !paths_can(&state, i), "%s", text);
    paths_state_close(&state);
}

// Where no strong access is held any more, none may come otherwise, and nothing is found. proven: how often it was so.
static int proven;

static void check_held(const struct paths_program *program, uint32_t held_in_run, const char *text)
{
    unsigned ends;
    if (program->held > 0 || held_in_run == 0) return;
    ck_assert_msg(all_held(program, &ends) == 0 && ends == 0, "may come otherwise:\n%s", text);
    proven++;
}

static enum paths_end verdict(const char *text, uint64_t *tried)
{
    struct paths_set set;
    struct paths_found found;
    struct text why;
    read_program(text, &set);
    const uint32_t held_in_run = set.program[0].held;
    ck_assert(paths_search(&set.program[0], UINT64_C(20000000), 0, &found, &why));
    const unsigned ends = all_ends(&set.program[0]);
    const enum paths_end end = found.end;
    ck_assert_msg(end == PATHS_DONE ? ends == 0 : (ends >> end & 1), "found %s, all: %x\n%s", paths_end_name[end], ends,
                  text);
    ck_assert_msg(end != PATHS_DONE || found.is_whole, "not whole:\n%s", text);
    ck_assert_msg(end != PATHS_WAITS, "does not repeat the run:\n%s", text);
    if (end != PATHS_DONE) {
        check_order(&set.program[0], &found, text);
        paths_shorten(&set.program[0], &found);
        check_order(&set.program[0], &found, text);
    }
    if (end == PATHS_DONE) check_held(&set.program[0], held_in_run, text);
    if (tried != NULL) *tried = found.tried;
    free(found.order);
    paths_set_free(&set);
    return end;
}

// --- Mistakes, and the same without them -----------------------------------------------------------------------------

static const struct {
    const char *why, *steps;
    enum paths_end end;
} rows[] = {
    {"a wait behind the only arrival",
     "0 0 i 0 8 1;0 0 A 1 0 0 32;1 0 A 1 0 0 32;0 0 M 1 0;1 0 M 1 0;0 0 t 0 8 1 0 0 0;1 0 w 0 8 0", PATHS_DONE},
    {"made behind the barrier of the CTA",
     "0 0 A 1 0 0 32;1 0 A 1 0 0 32;0 0 M 1 0;1 0 M 1 0;0 0 i 0 8 1;0 0 t 0 8 1 0 0 0;1 0 w 0 8 0", PATHS_LIFE},
    {"the second phase may end before the wait for the first",
     "0 0 i 0 8 1;0 0 A 1 0 0 32;1 0 A 1 0 0 32;0 0 M 1 0;1 0 M 1 0;0 0 t 0 8 1 0 0 0;1 0 w 0 8 0;0 0 t 0 8 1 0 0 0",
     PATHS_DEADLOCK},
    {"and the third: the wait goes on behind it",
     "0 0 i 0 8 1;0 0 A 1 0 0 32;1 0 A 1 0 0 32;0 0 M 1 0;1 0 M 1 0;0 0 t 0 8 1 0 0 0;1 0 w 0 8 0;0 0 t 0 8 1 0 0 0;0 "
     "0 t 0 8 1 0 0 0",
     PATHS_LAP},
    {"a wait with the parity of a phase that is two behind",
     "0 0 i 0 8 1;0 0 A 1 0 0 32;1 0 A 1 0 0 32;0 0 M 1 0;1 0 M 1 0;0 0 t 0 8 1 0 0 0;1 0 w 0 8 0;1 0 t 0 8 1 0 0 0;1 "
     "0 w 0 8 1",
     PATHS_DONE},
    {"a wait for the phase before the first, too late",
     "0 0 i 0 8 1;0 0 A 1 0 0 32;1 0 A 1 0 0 32;0 0 M 1 0;1 0 M 1 0;1 0 w 0 8 1;0 0 t 0 8 1 0 0 0", PATHS_DEADLOCK},
    {"an arrival too many while bytes are missing",
     "0 0 i 0 8 1;0 0 A 1 0 0 32;1 0 A 1 0 0 32;0 0 M 1 0;1 0 M 1 0;0 0 t 0 8 1 64 0 0;0 0 t 0 8 0 0 64 0;1 0 t 0 8 1 "
     "0 0 0",
     PATHS_OVER},
    {"bytes that are expected behind the arrival of another",
     "0 0 i 0 8 1;0 0 A 1 0 0 32;1 0 A 1 0 0 32;0 0 M 1 0;1 0 M 1 0;0 0 t 0 8 0 64 0 0;1 0 t 0 8 1 0 0 0;0 0 t 0 8 0 0 "
     "64 0;1 0 w 0 8 0",
     PATHS_PHASE},
    {"producers that come twice before a consumer does",
     "0 0 A 1 1 64 32;1 0 A 1 1 64 32;1 0 M 1 1;0 0 A 1 1 64 32;1 0 A 1 1 64 32;1 0 M 1 1", PATHS_PHASE},
    {"the same, with a barrier between",
     "0 0 A 1 1 64 32;1 0 A 1 1 64 32;1 0 M 1 1;1 0 A 1 2 64 32;0 0 A 1 2 64 32;0 0 M 1 2;1 0 M 1 2;"
     "0 0 A 1 1 64 32;1 0 A 1 1 64 32;1 0 M 1 1",
     PATHS_DONE},
    {"an operation whose bytes come late", "0 0 i 0 8 1;0 0 t 0 8 1 64 0 0;0 0 S 1;0 1 t 0 8 0 0 64 0;0 0 w 0 8 0",
     PATHS_DONE},
    {"bytes beyond the range in another order",
     "0 0 i 0 8 1;0 0 A 1 0 0 32;1 0 A 1 0 0 32;0 0 M 1 0;1 0 M 1 0;0 0 t 0 8 0 1000000 0 0;1 0 t 0 8 0 0 1000000 0;0 "
     "0 t 0 8 0 1000000 0 0;"
     "1 0 t 0 8 0 0 1000000 0;0 0 t 0 8 1 0 0 0",
     PATHS_BYTES},
    {"dropped while another may still arrive",
     "0 0 i 0 8 1;0 0 A 1 0 0 32;1 0 A 1 0 0 32;0 0 M 1 0;1 0 M 1 0;1 0 t 0 8 1 0 0 0;0 0 v 0 8", PATHS_LIFE},
    {"a warp that exits is not awaited", "0 0 A 2 0 0 32;1 0 x;2 0 A 2 0 0 32;0 0 M 2 0;2 0 M 2 0;0 0 x;2 0 x",
     PATHS_DONE},
    {"dropped while another may still wait",
     "0 0 i 0 8 1;0 0 A 1 0 0 32;1 0 A 1 0 0 32;0 0 M 1 0;1 0 M 1 0;0 0 t 0 8 1 0 0 0;1 0 w 0 8 0;0 0 v 0 8",
     PATHS_LIFE},
    {"two that come with different counts, of which the last decides", "0 0 A 1 1 96 32;1 0 A 1 1 64 32;1 0 M 1 1",
     PATHS_DEADLOCK},
    {"who has exited had arrived before those that met without it",
     "0 0 i 0 8 1;0 0 A 1 0 0 32;1 0 A 1 0 0 32;0 0 M 1 0;1 0 M 1 0;1 0 t 0 8 1 0 0 0;1 0 x;0 0 A 2 0 0 32;0 0 M 2 0;0 "
     "0 v 0 8",
     PATHS_DONE},
    {"an order that is seen behind another one alone, whose arrivals nobody waits for",
     "0 0 i 0 0 2;0 0 i 0 8 2;0 0 A 1 0 96 32;1 0 A 1 0 96 32;2 0 A 1 0 96 32;0 0 M 1 0;1 0 M 1 0;2 0 M 1 0;0 0 t 0 8 "
     "1 0 0 0;"
     "2 0 t 0 0 1 0 0 0;1 0 t 0 0 1 0 0 0;1 0 t 0 8 1 0 0 0;2 0 t 0 8 1 0 0 0;0 0 w 0 0 0;1 0 w 0 0 0;0 0 t 0 0 1 0 0 "
     "0;"
     "1 0 t 0 0 1 0 0 0;1 0 w 0 0 1;1 0 w 0 0 1;2 0 w 0 0 1",
     PATHS_LAP},
};

LOOP_TEST(mistakes, 0, ROWS_OF(rows))
{
    struct writing to = {.used = 0};
    char steps[2048], *rest, *part;
    to.used = (size_t)snprintf(to.text, sizeof to.text, "%s 2\n", head);
    snprintf(steps, sizeof steps, "%s", rows[_i].steps);
    for (part = strtok_r(steps, ";", &rest); part != NULL; part = strtok_r(NULL, ";", &rest)) {
        unsigned warp, operation;
        int length;
        ck_assert_int_eq(sscanf(part, "%u %u %n", &warp, &operation, &length), 2);
        put(&to, (struct who){.warp = warp, .operation = operation}, "%s", part + length);
    }
    uint64_t tried;
    const enum paths_end end = verdict(to.text, &tried);
    ck_assert_msg(end != PATHS_DONE || tried == 1, "%s: in %llu orders", rows[_i].why, (unsigned long long)tried);
    ck_assert_msg(end == rows[_i].end, "%s: %s, not %s", rows[_i].why, paths_end_name[end],
                  paths_end_name[rows[_i].end]);
}

// --- Random programs -------------------------------------------------------------------------------------------------

enum { WARPS = 3, BARRIERS = 2, MOST_DRAWN = 9 };

// What the run has made so far, so that each step that is drawn can be made. Warp 2 is the first of another CTA.
//   token   of the arrival of all lanes of a warp that was last, plus 1; 0: there was none
//   came    of barrier 1 of the CTA: threads; is_waiting: the warp waits there; has_exited
// accesses: strong accesses to memory, and threads that meet, in place of mbarriers
struct drawing {
    struct writing to;
    bool accesses;
    uint64_t word[BARRIERS];
    uint32_t operations, came, is_waiting[WARPS], has_exited[WARPS];
    uint64_t token[WARPS][BARRIERS], seed;
};

static uint32_t draw(struct drawing *drawing, uint32_t most)
{
    drawing->seed = drawing->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(drawing->seed >> 33) % most;
}

static struct who who_of(uint32_t warp, uint32_t lanes)
{
    return (struct who){.rank = warp / 2, .warp = warp % 2, .lanes = lanes};
}

// All lanes three times out of four, else one of them or the others.
static uint32_t draw_lanes(struct drawing *drawing)
{
    static const uint32_t lanes[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, 1, ~1u};
    return lanes[draw(drawing, 8)];
}

static int draw_transaction(struct drawing *drawing, uint32_t warp, uint32_t barrier)
{
    const uint32_t kind = draw(drawing, 8), lanes = draw_lanes(drawing);
    struct mbarrier_transaction moves = {.arrivals = kind < 5 || kind == 7};
    const uint64_t before = drawing->word[barrier];
    if (kind >= 4 && kind <= 5) moves.expect_bytes = 16;
    if (kind == 6) moves.complete_bytes = 16;
    moves.drop = kind == 7 && draw(drawing, 4) == 0;
    if (mbarrier_transact(&drawing->word[barrier], &moves) != RULE_OK) return 0;
    struct who who = who_of(warp, lanes);
    if (kind == 6) put(&drawing->to, who, "S %u", ++drawing->operations);
    if (kind == 6) who.operation = drawing->operations;
    if (moves.arrivals > 0 && lanes == UINT32_MAX) drawing->token[warp][barrier] = (before >> 63) + 1;
    put(&drawing->to, who, "t 0 %u %u %u %u %d", barrier * 8, (unsigned)moves.arrivals, (unsigned)moves.expect_bytes,
        (unsigned)moves.complete_bytes, moves.drop);
    return 1;
}

// Barrier 1 of CTA 0, to which 64 threads must come; some of them wait there.
static int draw_meeting(struct drawing *drawing, uint32_t warp)
{
    if (warp == 2) return 0;
    put(&drawing->to, who_of(warp, 0), "A 1 1 64 32");
    drawing->is_waiting[warp] = draw(drawing, 2);
    drawing->came += 32;
    for (uint32_t i = 0; i < 2 && drawing->came == 64; i++) {
        if (drawing->is_waiting[i]) put(&drawing->to, who_of(i, 0), "M 1 1");
        drawing->is_waiting[i] = 0;
    }
    drawing->came %= 64;
    return 1;
}

// All that live meet at the barrier of the cluster, if nobody waits elsewhere.
static int draw_cluster(struct drawing *drawing)
{
    for (uint32_t i = 0; i < WARPS; i++)
        if (drawing->is_waiting[i]) return 0;
    for (uint32_t i = 0; i < WARPS; i++)
        if (!drawing->has_exited[i]) put(&drawing->to, who_of(i, 0), "A 2 0 0 32");
    for (uint32_t i = 0; i < WARPS; i++)
        if (!drawing->has_exited[i]) put(&drawing->to, who_of(i, 0), "M 2 0");
    return 1;
}

static int draw_wait(struct drawing *drawing, uint32_t warp, uint32_t barrier)
{
    const uint64_t phase = drawing->word[barrier] >> 63;
    if (draw(drawing, 3) > 0) {
        put(&drawing->to, who_of(warp, draw_lanes(drawing)), "w 0 %u %d", barrier * 8, phase == 0);
        return 1;
    }
    if (drawing->token[warp][barrier] == 0 || drawing->token[warp][barrier] == phase + 1) return 0;
    put(&drawing->to, who_of(warp, 0), "k 0 %u %d", barrier * 8, phase == 0);
    return 1;
}

// A strong access to one of two words.
static int draw_access(struct drawing *drawing, uint32_t warp)
{
    put(&drawing->to, who_of(warp, 0), "f %c 0 0 %u 4", "RWUA"[draw(drawing, 4)], 64 + 4 * draw(drawing, 2));
    return 1;
}

static int draw_step(struct drawing *drawing)
{
    const uint32_t warp = draw(drawing, WARPS), barrier = draw(drawing, BARRIERS), kind = draw(drawing, 32);
    if (drawing->is_waiting[warp] || drawing->has_exited[warp]) return 0;
    if (drawing->accesses && kind < 20) return draw_access(drawing, warp);
    if (drawing->accesses && kind < 31) return kind < 28 ? draw_cluster(drawing) : draw_meeting(drawing, warp);
    if (kind < 16) return draw_transaction(drawing, warp, barrier);
    if (kind < 28) return draw_wait(drawing, warp, barrier);
    if (kind < 30) return draw_meeting(drawing, warp);
    if (kind == 30) return draw_cluster(drawing);
    put(&drawing->to, who_of(warp, 0), "x");
    return drawing->has_exited[warp] = 1;
}

static void draw_program(struct drawing *drawing, uint64_t seed, bool accesses)
{
    *drawing = (struct drawing){.accesses = accesses, .seed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    drawing->to.used = (size_t)snprintf(drawing->to.text, sizeof drawing->to.text, "%s 2\nC 1 0 1 1,0,0 1\n", head);
    for (uint32_t i = 0; i < BARRIERS; i++) {
        const uint32_t count = 1 + draw(drawing, 2);
        drawing->word[i] = mbarrier_init(count);
        put(&drawing->to, who_of(0, 0), "i 0 %u %u", i * 8, count);
    }
    if (draw(drawing, 8) > 0) draw_cluster(drawing); // else they may be used before they are made
    const uint32_t steps = 2 + draw(drawing, MOST_DRAWN - 1);
    for (uint32_t i = 0, tries = 0; i < steps && tries < 200; tries++) i += (uint32_t)draw_step(drawing);
}

LOOP_TEST(random_programs_have_the_verdict_of_all_interleavings, 0, BLOCKS)
{
    int right = 0;
    for (int i = 0; i < RANDOM_PROGRAMS; i++) {
        struct drawing drawing;
        draw_program(&drawing, (uint64_t)(_i * RANDOM_PROGRAMS + i), false);
        right += verdict(drawing.to.text, NULL) == PATHS_DONE;
    }
    ck_assert_int_gt(right, RANDOM_PROGRAMS / 50);
}

LOOP_TEST(accesses_that_barriers_order_have_one_order_in_all_interleavings, 0, BLOCKS)
{
    proven = 0;
    for (int i = 0; i < RANDOM_PROGRAMS; i++) {
        struct drawing drawing;
        draw_program(&drawing, (uint64_t)(_i * RANDOM_PROGRAMS + i), true);
        verdict(drawing.to.text, NULL);
    }
    ck_assert_int_gt(proven, RANDOM_PROGRAMS / 50);
}
