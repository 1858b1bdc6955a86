// SPDX-License-Identifier: MIT
// How often `tmaref diagnose` names the true cause. Usage:
//   measure slow SEED CASES [TELL]      random wrong tiles, made by the slow model
//   measure clean SEED CASES [TELL]     the same tiles, loaded as they were meant
//   measure trace FILE [TELL [EVERY]]   wrong tiles of an H200; EVERY: only every so-many-th
// TELL is how many mistakes are printed. Each case is asked twice: knowing what was there before the load, and not. A
// dump is `alone` when the true cause is first and no other gives the same bytes, `shared` when others give them too
// and it is among those named, `hidden` when the plant changes nothing. Exits 1 when, the bytes before being known, the
// true cause is first in less than 95 % of those neither shared nor hidden, or when a clean dump is not called clean.
#include "measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "load_launch.h"
#include "trace.h"

enum { ENOUGH_PERCENT = 95 };

struct row {
    unsigned cases, alone, shared, shared_first, hidden, wrong;
};

struct tally {
    struct row row[2][CAUSES + 1]; // without and with the bytes before; the last is no cause at all
    double seconds, slowest;
    unsigned left_to_tell;
    unsigned pair[CAUSES][CAUSES]; // with the bytes before: the true cause, and another that gives the same bytes
};

static bool is_same_name(const struct diagnosis *diagnosis, uint32_t cause, int *place)
{
    for (*place = 0; *place < diagnosis->explanations; ++*place)
        if (diagnosis->explanation[*place].cause == (enum cause)cause) return true;
    return false;
}

// Does the dump show nothing: the very bytes that were meant, and a barrier that is content?
static bool is_hidden(const struct diagnosis *diagnosis)
{
    return diagnosis->rule == RULE_OK && diagnosis->wrong_bytes == 0;
}

static void tell(const struct measured *measured, const struct diagnosis *diagnosis, bool knows_before)
{
    json_t *json = family_write(family_find("diagnose"), &measured->test_case);
    char *line = json_dumps(json, JSON_COMPACT);
    printf("wrong (%s): %s\n    %u wrong bytes, rule %s\n", knows_before ? "before known" : "before not known", line,
           diagnosis->wrong_bytes, diagnosis->rule == RULE_OK ? "none" : rule_row(diagnosis->rule)->id);
    for (int i = 0; i < diagnosis->explanations; i++)
        printf("    %s%s: %s\n", cause_row(diagnosis->explanation[i].cause)->id,
               diagnosis->explanation[i].is_whole ? "" : " (in part)", diagnosis->explanation[i].what);
    free(line);
    json_decref(json);
}

static void count(const struct measured *measured, const struct diagnosis *diagnosis, bool knows_before,
                  struct tally *tally)
{
    uint32_t cause = measured->test_case.cause;
    struct row *row = &tally->row[knows_before][cause];
    int place;
    row->cases++;
    if (cause == CAUSES ? diagnosis_is_clean(diagnosis) : is_same_name(diagnosis, cause, &place)) {
        bool is_alone =
            cause == CAUSES || (place == 0 && (diagnosis->explanations == 1 || !diagnosis->explanation[1].is_whole));
        row->alone += (unsigned)is_alone;
        row->shared += (unsigned)!is_alone;
        for (int i = 0; knows_before && !is_alone && i < diagnosis->explanations; i++)
            tally->pair[cause][diagnosis->explanation[i].cause] += i != place;
        row->shared_first += (unsigned)(!is_alone && place == 0);
    } else if (cause != CAUSES && is_hidden(diagnosis)) {
        row->hidden++;
    } else {
        row->wrong++;
        if (tally->left_to_tell > 0) {
            tell(measured, diagnosis, knows_before);
            tally->left_to_tell--;
        }
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void ask(struct measured *measured, struct tally *tally)
{
    struct diagnose question;
    struct diagnosis diagnosis;
    load_canaries(measured->window.base, measured->before, measured->window.size_bytes);
    diagnose_read_back(&measured->test_case, measured->window, measured->bytes);
    for (int knows_before = 0; knows_before < 2; knows_before++) {
        const uint8_t *before = knows_before ? measured->before : NULL;
        if (!diagnose_question(&measured->test_case, measured->window, measured->bytes, before, measured->word,
                               &question))
            return;
        double start = now();
        if (!diagnose(&question, &diagnosis)) exit(2);
        double took = now() - start;
        tally->seconds += took;
        if (took > tally->slowest) tally->slowest = took;
        count(measured, &diagnosis, knows_before, tally);
    }
}

static void print_row(const char *name, const struct row *row)
{
    unsigned judged = row->alone + row->wrong;
    printf("%-16s %6u %6u %6u %6u %6u %6u  %5.1f %%\n", name, row->cases, row->hidden, row->shared, row->shared_first,
           row->alone, row->wrong, judged > 0 ? 100.0 * row->alone / judged : 100.0);
}

static bool print(const struct tally *tally)
{
    struct row all[2] = {{0}};
    for (int knows = 1; knows >= 0; knows--) {
        printf("\n%s what was there before the load\n", knows ? "knowing" : "not knowing");
        printf("%-16s %6s %6s %6s %6s %6s %6s  first\n", "cause", "cases", "hidden", "shared", "(1st)", "alone",
               "wrong");
        for (int cause = 0; cause < CAUSES; cause++) {
            const struct row *row = &tally->row[knows][cause];
            print_row(cause_row((enum cause)cause)->id, row);
            all[knows].cases += row->cases, all[knows].hidden += row->hidden, all[knows].shared += row->shared;
            all[knows].shared_first += row->shared_first, all[knows].alone += row->alone,
                all[knows].wrong += row->wrong;
        }
        print_row("all", &all[knows]);
        print_row("clean", &tally->row[knows][CAUSES]);
    }
    printf("\nthe same bytes (true cause, another, how often):\n");
    for (int cause = 0; cause < CAUSES; cause++)
        for (int other = 0; other < CAUSES; other++)
            if (tally->pair[cause][other] > 0)
                printf("  %-16s %-16s %4u\n", cause_row((enum cause)cause)->id, cause_row((enum cause)other)->id,
                       tally->pair[cause][other]);
    unsigned asked = 2 * (all[0].cases + tally->row[0][CAUSES].cases);
    printf("%.1f ms a diagnosis, the slowest %.1f ms\n", 1e3 * tally->seconds / (asked > 0 ? asked : 1),
           1e3 * tally->slowest);
    bool is_clean = tally->row[0][CAUSES].wrong + tally->row[1][CAUSES].wrong == 0;
    return is_clean && 100 * all[1].alone >= ENOUGH_PERCENT * (all[1].alone + all[1].wrong) && asked > 0;
}

static bool measure_trace(const char *path, uint64_t every, struct measured *measured, struct tally *tally)
{
    struct trace_text trace;
    struct text why;
    const struct family *family = family_find("diagnose");
    if (!trace_open(path, &trace, &why)) return fprintf(stderr, "%s\n", why.at), false;
    printf("%s: recorded on %s\n", path, trace.header.device);
    for (char *line; (line = lines_next(&trace.lines)) != NULL;) {
        static uint8_t bytes[LOAD_SHARED_BYTES + 16];
        struct trace_entry entry;
        struct result result = result_at(bytes);
        if (trace.lines.number % every != 0) continue;
        if (!trace_read(family, line, &measured->test_case, &entry, &why))
            return fprintf(stderr, "%s\n", why.at), false;
        measured->window = diagnose_window(&measured->test_case);
        if (entry.status != 0 || !family_restore(family, &measured->test_case, entry.text, &result))
            return fprintf(stderr, "%s: line %" PRIu64 " holds no dump\n", path, trace.lines.number), false;
        memcpy(measured->bytes, result.window[1].bytes, measured->window.size_bytes);
        memcpy(&measured->word, result.window[0].bytes, sizeof measured->word);
        json_decref(entry.json);
        ask(measured, tally);
    }
    trace_close(&trace);
    return true;
}

// `count` cases of `seed` by the slow model.
static void measure_seed(uint64_t seed, uint64_t count, bool is_clean, struct measured *measured, struct tally *tally)
{
    for (uint64_t i = 0; i < count; i++)
        if (measure_slow(seed, i, is_clean, measured)) ask(measured, tally);
}

int main(int argc, char **argv)
{
    static struct measured measured;
    static struct tally tally;
    const char *mode = argc >= 3 ? argv[1] : "";
    bool is_trace = strcmp(mode, "trace") == 0, is_clean = strcmp(mode, "clean") == 0;
    bool is_slow = argc >= 4 && (is_clean || strcmp(mode, "slow") == 0);
    if (!is_slow && !is_trace) {
        fprintf(stderr,
                "usage: measure slow SEED CASES [TELL] | clean SEED CASES [TELL] | trace FILE [TELL [EVERY]]\n");
        return 2;
    }
    if (argc > 3 + is_slow) tally.left_to_tell = (unsigned)strtoul(argv[3 + is_slow], NULL, 0);
    uint64_t every = is_trace && argc > 4 ? strtoull(argv[4], NULL, 0) : 1;
    if (is_trace && !measure_trace(argv[2], every > 0 ? every : 1, &measured, &tally)) return 2;
    if (is_slow) measure_seed(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0), is_clean, &measured, &tally);
    return !print(&tally);
}
