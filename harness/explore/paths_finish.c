// SPDX-License-Identifier: MIT
// Who makes the steps of a program: lanes of a warp that make all of theirs together are one, and each thing that an
// operation does to a barrier is done by one of its own, because these come in any order.
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "paths.h"

// classes: of each warp of each CTA, masks of lanes, which are apart.
struct classes {
    uint32_t mask[PATHS_WARP_LANES], masks, first; // first: the actor of mask 0
};

struct finishing {
    struct paths_program *program;
    struct classes *of;
};

static struct classes *classes_of(const struct finishing *finishing, const struct paths_step *step)
{
    return &finishing->of[step->rank * PATHS_MOST_WARPS + step->warp];
}

// Parts each mask into the lanes that make the step and those that do not.
static void split(struct classes *classes, uint32_t lanes)
{
    uint32_t all = 0;
    const uint32_t masks = classes->masks;
    for (uint32_t i = 0; i < masks; i++) {
        const uint32_t mask = classes->mask[i], in = mask & lanes;
        all |= mask;
        if (in == 0 || in == mask) continue;
        classes->mask[i] = in;
        classes->mask[classes->masks++] = mask & ~in;
    }
    if ((lanes & ~all) != 0) classes->mask[classes->masks++] = lanes & ~all;
}

static void add_lanes(struct finishing *finishing)
{
    struct paths_program *program = finishing->program;
    for (uint32_t i = 0; i < program->steps; i++)
        if (program->step[i].operation == 0) split(classes_of(finishing, &program->step[i]), program->step[i].lanes);
    for (uint32_t i = 0; i < PATHS_MOST_CTAS * PATHS_MOST_WARPS; i++) {
        struct classes *classes = &finishing->of[i];
        classes->first = program->actors;
        for (uint32_t j = 0; j < classes->masks; j++)
            program->actor[program->actors++] = (struct paths_actor){
                .rank = i / PATHS_MOST_WARPS, .warp = i % PATHS_MOST_WARPS, .lanes = classes->mask[j]};
    }
    program->lanes_actors = program->actors;
}

// How many entries actor_of needs, and how many actors there may be.
static uint64_t count_actors(const struct finishing *finishing, uint64_t *makers)
{
    const struct paths_program *program = finishing->program;
    uint64_t actors = (uint64_t)PATHS_MOST_CTAS * PATHS_MOST_WARPS * PATHS_WARP_LANES;
    *makers = 0;
    for (uint32_t i = 0; i < program->steps; i++) {
        actors += program->step[i].operation != 0;
        *makers += program->step[i].operation != 0 ? 1 : PATHS_WARP_LANES;
    }
    return actors;
}

static void add_makers(struct finishing *finishing, struct paths_step *step)
{
    struct paths_program *program = finishing->program;
    uint32_t *to = &program->actor_of[step->first_actor];
    if (step->operation != 0) {
        program->actor[program->actors] = (struct paths_actor){
            .rank = step->rank, .warp = step->warp, .lanes = step->lanes, .operation = step->operation};
        to[step->actors++] = program->actors++;
        return;
    }
    const struct classes *classes = classes_of(finishing, step);
    for (uint32_t i = 0; i < classes->masks; i++)
        if (classes->mask[i] & step->lanes) to[step->actors++] = classes->first + i;
}

static bool add_actors(struct finishing *finishing)
{
    struct paths_program *program = finishing->program;
    uint64_t makers;
    const uint64_t most = count_actors(finishing, &makers);
    program->actor = calloc(most + 1, sizeof *program->actor);
    program->actor_of = malloc((makers + 1) * sizeof *program->actor_of);
    program->step_of = malloc((makers + 1) * sizeof *program->step_of);
    if (program->actor == NULL || program->actor_of == NULL || program->step_of == NULL) return false;
    add_lanes(finishing);
    uint32_t used = 0;
    for (uint32_t i = 0; i < program->steps; i++) {
        struct paths_step *step = &program->step[i];
        step->first_actor = used;
        add_makers(finishing, step);
        used += step->actors;
        for (uint32_t j = 0; j < step->actors; j++) program->actor[program->actor_of[step->first_actor + j]].steps++;
    }
    return true;
}

// The steps of each actor, in the order of the run.
static void list_steps(struct paths_program *program)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < program->actors; i++) {
        program->actor[i].first_step = used;
        used += program->actor[i].steps;
        program->actor[i].steps = 0;
    }
    for (uint32_t i = 0; i < program->steps; i++)
        for (uint32_t j = 0; j < program->step[i].actors; j++) {
            struct paths_actor *actor = &program->actor[program->actor_of[program->step[i].first_actor + j]];
            if (j == 0) program->step[i].at = actor->steps;
            program->step_of[actor->first_step + actor->steps++] = i;
        }
}

// A token is that of the last arrival of the same lanes at the barrier; without one the wait is by parity.
static void find_tokens(struct paths_program *program)
{
    for (uint32_t i = 0; i < program->steps; i++) {
        struct paths_step *step = &program->step[i];
        if (step->kind != PATHS_WAIT || step->token == PATHS_NONE) continue;
        step->token = PATHS_NONE;
        for (uint32_t j = i; j-- > 0 && step->token == PATHS_NONE;) {
            const struct paths_step *other = &program->step[j];
            if (other->kind == PATHS_TRANSACTION && other->object == step->object && other->moves.arrivals > 0 &&
                other->operation == 0 && other->rank == step->rank && other->warp == step->warp &&
                (step->lanes & ~other->lanes) == 0)
                step->token = j;
        }
    }
}

// --- What comes before what ------------------------------------------------------------------------------------------

struct pair {
    uint32_t before, behind;
};

static int by_behind(const void *one, const void *other)
{
    const struct pair *a = one, *b = other;
    return a->behind != b->behind ? (a->behind > b->behind) - (a->behind < b->behind)
                                  : (a->before > b->before) - (a->before < b->before);
}

static bool link_pairs(struct paths_program *program, struct pair *pair, uint32_t pairs)
{
    uint32_t *after = malloc((pairs + 1u) * sizeof *after);
    if (after == NULL) return false;
    qsort(pair, pairs, sizeof *pair, by_behind);
    free(program->after);
    program->after = after;
    program->afters = 0;
    for (uint32_t i = 0; i < pairs; i++) {
        struct paths_step *step = &program->step[pair[i].behind];
        if (i > 0 && by_behind(&pair[i - 1], &pair[i]) == 0) continue;
        if (step->afters++ == 0) step->first_after = program->afters;
        after[program->afters++] = pair[i].before;
    }
    return true;
}

// Steps that come behind strong accesses of others.
static uint32_t count_held(const struct paths_program *program, const struct pair *pair, uint32_t pairs)
{
    uint32_t held = 0, last = PATHS_NONE;
    for (uint32_t i = 0; i < pairs; i++) {
        const struct paths_step *a = &program->step[pair[i].before], *b = &program->step[pair[i].behind];
        if (a->kind != PATHS_ACCESS || pair[i].behind == last ||
            (a->rank == b->rank && a->warp == b->warp && a->lanes == b->lanes))
            continue;
        last = pair[i].behind;
        held++;
    }
    return held;
}

static bool add_afters(struct paths_program *program)
{
    const uint32_t pairs = program->afters / 2;
    struct pair *pair = malloc((pairs + 1u) * sizeof *pair);
    if (pair == NULL) return false;
    if (pairs > 0) memcpy(pair, program->after, pairs * sizeof *pair);
    const bool ok = link_pairs(program, pair, pairs);
    program->held = count_held(program, pair, pairs);
    free(pair);
    return ok;
}

// Leaves out local steps that nothing else comes before or behind.
static bool leave_out(struct paths_program *program)
{
    uint32_t *to = calloc(program->steps + 1u, sizeof *to), steps = 0;
    if (to == NULL) return false;
    for (uint32_t i = 0; i < program->afters; i++) to[program->after[i]] = 1;
    for (uint32_t i = 0; i < program->steps; i++) {
        const enum paths_kind kind = program->step[i].kind;
        if (to[i] == 0 && (kind == PATHS_ISSUE || kind == PATHS_ACCESS)) continue;
        program->step[steps] = program->step[i];
        to[i] = steps++;
    }
    for (uint32_t i = 0; i < program->afters; i++) program->after[i] = to[program->after[i]];
    program->steps = steps;
    free(to);
    return true;
}

// --- What it is, whatever the order of the run -----------------------------------------------------------------------

static uint64_t digest_of_actor(const struct paths_program *program, uint32_t step)
{
    const struct paths_step *of = &program->step[step];
    const uint32_t word[] = {of->rank, of->warp, of->lanes, of->operation == 0 ? of->at : UINT32_MAX};
    return XXH64(word, sizeof word, 2);
}

static uint64_t digest_of_step(const struct paths_program *program, uint32_t step)
{
    const struct paths_step *of = &program->step[step];
    const struct mbarrier_transaction *moves = &of->moves;
    static const struct paths_object none;
    const struct paths_object *object = of->object == PATHS_NONE ? &none : &program->object[of->object];
    uint64_t sum = digest_of_actor(program, step);
    for (uint32_t i = 0; i < of->afters; i++) sum += 3 * digest_of_actor(program, program->after[of->first_after + i]);
    if (of->token != PATHS_NONE) sum += 5 * digest_of_actor(program, of->token);
    const uint64_t word[] = {of->kind,
                             of->place,
                             object->scope,
                             object->rank,
                             object->warp,
                             object->address,
                             of->count,
                             of->threads,
                             (uint64_t)of->parity,
                             moves->arrivals,
                             moves->expect_bytes,
                             moves->complete_bytes,
                             (uint64_t)moves->drop};
    return XXH64(word, sizeof word, sum);
}

static uint64_t digest_of(const struct paths_program *program)
{
    uint64_t sum = program->kernel;
    for (uint32_t i = 0; i < program->steps; i++) sum += digest_of_step(program, i);
    return sum;
}

bool paths_finish(struct paths_program *program)
{
    struct finishing finishing = {program, calloc(PATHS_MOST_CTAS * PATHS_MOST_WARPS, sizeof *finishing.of)};
    const bool ok = finishing.of != NULL && leave_out(program) && add_actors(&finishing);
    free(finishing.of);
    if (!ok) return false;
    list_steps(program);
    find_tokens(program);
    if (!add_afters(program)) return false;
    program->digest = digest_of(program);
    return true;
}

int paths_check(const struct paths_program *program, struct text *why)
{
    if (program->lanes_actors > PATHS_MOST_MEMBERS)
        return text_fail(why, "its threads part into %u groups, and at most %d are searched", program->lanes_actors,
                         PATHS_MOST_MEMBERS);
    return !program->has_error || text_fail(why, "the run itself breaks a rule of an mbarrier");
}

void paths_program_free(struct paths_program *program)
{
    free(program->step);
    free(program->actor);
    free(program->object);
    free(program->actor_of);
    free(program->step_of);
    free(program->after);
    *program = (struct paths_program){.steps = 0};
}
