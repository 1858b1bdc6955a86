// SPDX-License-Identifier: MIT
// How often `tmaref diagnose` names mistakes that its table was not written from (mistakes.c). Usage:
//   strangers one SEED CASES [TELL]    so many tiles for each mistake, in loads and in stores
//   strangers two SEED CASES [TELL]    so many tiles with two mistakes each
//   strangers clean SEED CASES [TELL]  so many tiles without one
// TELL: how many that were missed are printed. Each is asked twice: knowing what was there before, and not. Counted is
// whether the true cause is named first; or not first but as one that gives the same bytes; or not; and, of the last,
// whether another one is named for every byte (`wrong`). Exits 1 where docs/diagnose.md promises more.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "diagnose.h"
#include "mistakes.h"
#include "tally.h"

enum { MAX_ROWS = 64, TRIES = 400 };

struct run {
    uint64_t seed, tell;
    struct tally row[MAX_ROWS], all[2]; // of loads, of stores
    double seconds, slowest;
    unsigned asked, alarms;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool make_map(const struct field *field, struct tensormap *map)
{
    static const enum dtype types[] = {DTYPE_UINT8, DTYPE_FLOAT16, DTYPE_BFLOAT16, DTYPE_FLOAT32, DTYPE_FLOAT64};
    struct tensormap_image image;
    uint64_t dim[FIELD_DIMS], strides[FIELD_DIMS];
    uint32_t box[FIELD_DIMS], estride[FIELD_DIMS], swizzle = 0;
    for (int i = 0; i < field->dims; i++) {
        dim[i] = (uint64_t)field->extent[i];
        if (i > 0) strides[i - 1] = (uint64_t)field->pitch[i];
        box[i] = (uint32_t)field->box[i];
        estride[i] = (uint32_t)field->every[i];
    }
    while (swizzle < 3 && 16 << swizzle < field->span) swizzle++;
    if (tensormap_encode_tiled(&image, types[field->type], (uint32_t)field->dims, field->address, dim, strides, box,
                               estride, INTERLEAVE_NONE, field->span == 0 ? SWIZZLE_NONE : swizzle, 0,
                               (uint32_t)field->nan_fill, NULL) != RULE_OK)
        return false;
    tensormap_decode(&image, map, NULL);
    return true;
}

static struct memory memory_of(const struct bytes *bytes)
{
    return (struct memory){bytes->at, bytes->first, bytes->count};
}

// The question that the user would ask.
static bool ask(const struct trial *trial, bool knows, struct diagnose *question)
{
    *question = (struct diagnose){.is_store = trial->is_store, .shared = trial->meant.shared};
    question->slices = (uint32_t)trial->slices;
    question->slice_dim = trial->slice_dim;
    for (int i = 0; i < trial->meant.dims; i++) question->coord[i] = (int32_t)trial->meant.at[i];
    question->source = memory_of(trial->is_store ? &trial->shared : &trial->file);
    question->dump = memory_of(trial->is_store ? &trial->global : &trial->window);
    if (knows) question->before = trial->before.at + (question->dump.base - trial->before.first);
    if (trial->other_kind != OTHER_NONE) {
        question->others = 1;
        question->other[0] = memory_of(&trial->other);
    }
    if (trial->other_kind == OTHER_STAGE) {
        question->other[0].bytes += trial->window.first - trial->shared.first;
        question->other[0].size_bytes = trial->window.count;
    }
    return make_map(&trial->meant, &question->map);
}

static void tell(const struct trial *t, uint64_t seed, bool knows, const struct mistake *first,
                 const struct mistake *second, const struct diagnosis *answer, int verdict)
{
    const struct field *f = &t->meant;
    printf("%s: %s%s%s, seed %llu, before %s: %s, type %d, dims %d, %lld x %lld, pitch %lld, box %d x %d x %d at %lld "
           "%lld "
           "%lld,"
           " span %d, %d slices; %u wrong, %u foreign\n",
           verdict == WRONG ? "wrong" : "missed", first->name, second != NULL ? " AND " : "",
           second != NULL ? second->name : "", (unsigned long long)seed, knows ? "known" : "not known",
           t->is_store ? "store" : "load", (int)f->type, f->dims, (long long)f->extent[0], (long long)f->extent[1],
           (long long)f->pitch[1], f->box[0], f->box[1], f->box[2], (long long)f->at[0], (long long)f->at[1],
           (long long)f->at[2], f->span, t->slices, answer->wrong_bytes, answer->foreign_bytes);
    tally_explain(answer);
}

static void judge(struct run *run, struct tally *row, struct trial *trial, uint64_t seed, const struct mistake *first,
                  const struct mistake *second)
{
    for (int knows = 0; knows < 2; knows++) {
        static struct diagnosis answer;
        struct diagnose question;
        if (!ask(trial, knows, &question)) return;
        double start = now();
        if (!diagnose(&question, &answer)) exit(2);
        double took = now() - start;
        run->seconds += took;
        run->asked++;
        if (took > run->slowest) run->slowest = took;
        if (first == NULL) {
            run->alarms += !diagnosis_is_clean(&answer);
            continue;
        }
        if (!knows && answer.wrong_bytes == 0) continue; // it wrote too much, where nobody knows what was
        int verdict = tally_verdict(&answer, first->says, second != NULL ? second->says : NULL);
        row->count[knows][verdict]++;
        run->all[trial->is_store].count[knows][verdict]++;
        if ((verdict == MISSED || verdict == WRONG) && run->tell > 0) {
            run->tell--;
            tell(trial, seed, knows, first, second, &answer, verdict);
        }
    }
}

// A sum of what the user finds, to see whether a mistake shows.
static uint64_t sum_of(const struct trial *trial)
{
    const struct bytes *found = trial->is_store ? &trial->global : &trial->window;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < found->count; i++) sum = sum * 0x100000001b3 + found->at[i] + 1;
    return sum;
}

// Draws until the mistakes show, together and each alone. 0 if they never do.
static bool make(struct trial *trial, uint64_t *seed, bool is_store, const struct mistake *first,
                 const struct mistake *second)
{
    for (int i = 0; i < TRIES; i++) {
        uint64_t right, one = 0, other = 0;
        *seed += 0x9e3779b9;
        trial_draw(trial, *seed, is_store);
        if (!trial_do(trial, *seed, NULL, NULL)) continue;
        right = sum_of(trial);
        if (second != NULL) {
            if (!trial_do(trial, *seed, first, NULL)) continue;
            one = sum_of(trial);
            if (!trial_do(trial, *seed, NULL, second)) continue;
            other = sum_of(trial);
        }
        if (!trial_do(trial, *seed, first, second)) continue;
        uint64_t both = sum_of(trial);
        if (first != NULL && both == right) continue;
        if (second != NULL && (one == right || other == right || both == one || both == other)) continue;
        struct diagnose question;
        if (ask(trial, false, &question)) return true;
    }
    return false;
}

static void sum_up(const struct run *run, struct tally *all)
{
    for (int knows = 0; knows < 2; knows++)
        for (int v = 0; v < VERDICTS; v++)
            all->count[knows][v] = run->all[0].count[knows][v] + run->all[1].count[knows][v];
}

static void one(struct run *run, uint64_t cases)
{
    static struct trial trial;
    for (int m = 0; m < mistakes_count; m++)
        for (uint64_t n = 0; n < cases; n++) {
            bool is_store = !mistakes[m].in_loads || (mistakes[m].in_stores && n % 3 == 2);
            uint64_t seed = run->seed * 1000003 + (uint64_t)m * 8191 + n * 131;
            if (make(&trial, &seed, is_store, &mistakes[m], NULL))
                judge(run, &run->row[m], &trial, seed, &mistakes[m], NULL);
        }
    tally_head();
    for (int m = 0; m < mistakes_count; m++) tally_print(mistakes[m].name, &run->row[m]);
}

static void two(struct run *run, uint64_t cases)
{
    static struct trial trial;
    struct dice dice = {run->seed};
    for (uint64_t n = 0; n < cases; n++) {
        const struct mistake *a = &mistakes[dice_below(&dice, (uint64_t)mistakes_count)];
        const struct mistake *b = &mistakes[dice_below(&dice, (uint64_t)mistakes_count)];
        bool is_store = dice_below(&dice, 4) == 0;
        uint64_t seed = run->seed * 1000003 + n * 131;
        bool is_possible = is_store ? a->in_stores && b->in_stores : a->in_loads && b->in_loads;
        if (!is_possible || strcmp(a->says, b->says) == 0 || strchr(a->says, '?') || strchr(b->says, '?')) {
            n--;
            continue;
        }
        if (make(&trial, &seed, is_store, a, b)) judge(run, &run->row[a - mistakes], &trial, seed, a, b);
    }
    tally_head();
    for (int m = 0; m < mistakes_count; m++) tally_print(mistakes[m].name, &run->row[m]);
}

static void clean(struct run *run, uint64_t cases)
{
    static struct trial trial;
    for (uint64_t n = 0; n < cases; n++) {
        uint64_t seed = run->seed * 1000003 + n * 131;
        if (make(&trial, &seed, n % 3 == 2, NULL, NULL)) judge(run, NULL, &trial, seed, NULL, NULL);
    }
    printf("%u questions about right tiles, %u alarms\n", run->asked, run->alarms);
}

int main(int argc, char **argv)
{
    static struct run run;
    struct tally all;
    const char *mode = argc >= 4 ? argv[1] : "";
    bool is_two = strcmp(mode, "two") == 0, is_clean = strcmp(mode, "clean") == 0;
    if (!is_two && !is_clean && strcmp(mode, "one") != 0)
        return fprintf(stderr, "usage: strangers one|two|clean SEED CASES [TELL]\n"), 2;
    run.seed = strtoull(argv[2], NULL, 0);
    run.tell = argc > 4 ? strtoull(argv[4], NULL, 0) : 0;
    (is_two ? two : is_clean ? clean : one)(&run, strtoull(argv[3], NULL, 0));
    printf("%.1f ms a diagnosis, the slowest %.1f ms\n", 1e3 * run.seconds / (run.asked + !run.asked),
           1e3 * run.slowest);
    if (is_clean) return run.asked == 0 || run.alarms > 0;
    tally_print("all loads", &run.all[0]);
    tally_print("all stores", &run.all[1]);
    sum_up(&run, &all);
    bool is_good = tally_is_kept(&all, is_two);
    return run.asked == 0 || !is_good;
}
