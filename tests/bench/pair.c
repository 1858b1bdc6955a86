// SPDX-License-Identifier: MIT
#include "pair.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_ROUNDS = 99, SIDES = 1 + PAIR_OPPONENTS };

static json_t *report; // NULL: text

void pair_open(int *argc, char **argv)
{
    if (*argc < 2 || strcmp(argv[1], "--json") != 0) return;
    if ((report = json_array()) == NULL) exit(2);
    memmove(argv + 1, argv + 2, sizeof *argv * (size_t)(*argc - 1)); // the NULL behind the last one too
    (*argc)--;
}

static double seconds_of(const struct pair_side *side, void *context)
{
    struct timespec start, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    side->work(context);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sorts them, and returns the one in the middle.
static double median_of(double *value, int count)
{
    qsort(value, (size_t)count, sizeof *value, ascending);
    return value[count / 2];
}

// In percent of the mean.
static double variation_of(const double *value, int count)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < count; i++) sum += value[i];
    const double mean = sum / count;
    for (int i = 0; i < count; i++) squares += (value[i] - mean) * (value[i] - mean);
    return 100 * sqrt(squares / count) / mean;
}

// What a side took, and how many times as long as ours.
struct told {
    const char *name;
    double seconds, variation, ratio, least, most;
};

static void tell_json(const struct pair *pair, const struct told *told, int sides)
{
    json_t *theirs = json_array();
    for (int i = 1; i < sides; i++)
        json_array_append_new(theirs, json_pack("{s:s, s:f, s:f, s:f, s:f, s:f}", "name", told[i].name, "seconds",
                                                told[i].seconds, "variation_percent", told[i].variation, "ratio",
                                                told[i].ratio, "least", told[i].least, "most", told[i].most));
    json_array_append_new(report, json_pack("{s:s, s:s, s:f, s:f, s:f, s:i, s:{s:s, s:f, s:f}, s:o}", "what",
                                            pair->what, "unit", pair->unit, "units", pair->units, "bytes", pair->bytes,
                                            "thread_instructions", pair->instructions, "rounds", pair->rounds, "ours",
                                            "name", told->name, "seconds", told->seconds, "variation_percent",
                                            told->variation, "theirs", theirs));
}

static void tell_text(const struct pair *pair, const struct told *told, int sides)
{
    printf("%-44s %s %.3g %s/s (+-%.0f %%)", pair->what, told->name, pair->units / told->seconds, pair->unit,
           told->variation);
    if (pair->bytes > 0) printf(", %.3g GB/s", 1e-9 * pair->bytes / told->seconds);
    if (pair->instructions > 0) printf(", %.3g G instructions of threads/s", 1e-9 * pair->instructions / told->seconds);
    for (int i = 1; i < sides; i++)
        printf("\n%44s %s %.3g (+-%.0f %%): %.2fx (%.2f to %.2f)", "", told[i].name, pair->units / told[i].seconds,
               told[i].variation, told[i].ratio, told[i].least, told[i].most);
    printf("\n");
}

double pair_measure(const struct pair *pair)
{
    double seconds[SIDES][MAX_ROUNDS], ratio[MAX_ROUNDS];
    const struct pair_side *side[SIDES] = {&pair->ours};
    struct told told[SIDES];
    int sides = 1;
    while (sides < SIDES && pair->theirs[sides - 1].work != NULL) side[sides] = &pair->theirs[sides - 1], sides++;
    for (int s = 0; s < sides; s++) side[s]->work(pair->context);
    for (int i = 0; i < pair->rounds; i++)
        for (int s = 0; s < sides; s++) {
            const int at = i % 2 ? sides - 1 - s : s;
            seconds[at][i] = seconds_of(side[at], pair->context);
        }
    for (int s = sides - 1; s >= 0; s--) { // ours last, as the ratios need its rounds in their order
        for (int i = 0; i < pair->rounds; i++) ratio[i] = seconds[s][i] / seconds[0][i];
        const double middle = median_of(ratio, pair->rounds), variation = variation_of(seconds[s], pair->rounds);
        told[s] = (struct told){
            side[s]->name, median_of(seconds[s], pair->rounds), variation, middle, ratio[0], ratio[pair->rounds - 1]};
    }
    (report != NULL ? tell_json : tell_text)(pair, told, sides);
    return told[1].ratio;
}

void pair_tell_alone(const char *what, const char *unit, double ns)
{
    if (report == NULL)
        printf(ns < 1e5 ? "%-44s %.0f ns a %s\n" : "%-44s %.2e ns a %s\n", what, ns, unit);
    else
        json_array_append_new(report, json_pack("{s:s, s:s, s:f}", "what", what, "unit", unit, "ns", ns));
}

void pair_tell_scaling(const char *what, unsigned threads, double faster, double cpu)
{
    if (report == NULL)
        printf("%-12s %2u threads against one   %.2fx in wall time, for %.2fx the CPU time\n", what, threads, faster,
               cpu);
    else
        json_array_append_new(report, json_pack("{s:s, s:i, s:f, s:f}", "what", what, "threads", (int)threads, "faster",
                                                faster, "cpu", cpu));
}

void pair_close(void)
{
    if (report == NULL) return;
    json_dumpf(report, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(report);
    report = NULL;
}
