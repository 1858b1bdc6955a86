// SPDX-License-Identifier: MIT
#include "pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_ROUNDS = 99 };

static double seconds_of(struct pair_side side, void *context)
{
    struct timespec start, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    side.work(context);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double pair_measure(const char *what, struct pair_side ours, struct pair_side theirs, void *context, double units,
                    const char *unit, int rounds)
{
    double ratio[MAX_ROUNDS], our[MAX_ROUNDS], their[MAX_ROUNDS];
    ours.work(context);
    theirs.work(context);
    for (int i = 0; i < rounds; i++) {
        our[i] = seconds_of(ours, context);
        their[i] = seconds_of(theirs, context);
        ratio[i] = their[i] / our[i];
    }
    qsort(ratio, (size_t)rounds, sizeof *ratio, ascending);
    qsort(our, (size_t)rounds, sizeof *our, ascending);
    qsort(their, (size_t)rounds, sizeof *their, ascending);
    int middle = rounds / 2;
    printf("%-44s %s %.3g %s/s, %s %.3g %s/s: %.2fx (%.2f to %.2f)\n", what, ours.name, units / our[middle], unit,
           theirs.name, units / their[middle], unit, ratio[middle], ratio[0], ratio[rounds - 1]);
    return ratio[middle];
}
