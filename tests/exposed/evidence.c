// SPDX-License-Identifier: MIT
// Which recorded cases show a rule? evidence WITNESSES TRACES prints, for docs/rules.md, one line for each rule and
// trace:
//   rule<TAB>trace<TAB>family<TAB>cases<TAB>"end so": the rule is the first that the case breaks, and the machine ended
//   it so rule<TAB>trace<TAB>family<TAB>cases<TAB>"expose a misreading": see exposed.c
// evidence --check FILE WITNESSES TRACES: is all true that FILE, such a list, says, and does the evidence that
// model/core/rules.def names for each rule that ends a case, or has a named misreading, hold such a case?
#include "exposed.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "trace_batch.h"
#include "trace_paths.h"
#include "workers.h"

enum { LINE_BYTES = 1024, ENDS = 0, EXPOSES = 1, WAYS };

static const char *const how[WAYS] = {"end so", "expose a misreading"};

// What one trace holds, in shared memory.
struct shown {
    char name[64];
    char family[32];
    uint32_t cases[WAYS][RULE_COUNT];
    struct text why; // it is damaged, or does not agree
};

struct shows {
    const struct trace_paths *paths;
    struct shown *of; // each path
};

static int ends_case(enum rule rule)
{
    enum outcome outcome = rule_row(rule)->sm_90a;
    return outcome == OUTCOME_INVALID || outcome == OUTCOME_FAULT || outcome == OUTCOME_CRASH;
}

static int count_case(const struct trace_batch *cases, int i, void *context)
{
    struct shown *shown = context;
    enum rule rule = cases->batch.results[i].rule;
    int agrees = cases->entry[i].status == cases->batch.results[i].status;
    shown->cases[ENDS][rule] += agrees && rule != RULE_OK && ends_case(rule);
    workers_progress(1);
    return 1;
}

static void count_trace(int job, void *context, FILE *out)
{
    struct shows *shows = context;
    struct shown *shown = &shows->of[job];
    struct trace_header header;
    const char *path = shows->paths->path[job], *slash = strrchr(path, '/');
    (void)out;
    snprintf(shown->name, sizeof shown->name, "%s", slash == NULL ? path : slash + 1);
    shown->name[strcspn(shown->name, ".")] = '\0';
    if (trace_run(path, &executor_model, 0, &header, count_case, shown, &shown->why))
        snprintf(shown->family, sizeof shown->family, "%s", header.family->name);
}

static enum rule rule_misread(const char *model, const char *id)
{
    for (int e = 0; e < EXPOSERS; e++)
        for (int m = 1; strcmp(exposers[e]->name, model) == 0 && m < exposers[e]->mutants; m++) {
            const char *text = exposers[e]->text(m);
            if (strncmp(text, id, strlen(id)) == 0 && text[strlen(id)] == ':') return exposers[e]->rule(m);
        }
    return RULE_OK;
}

// "trace.jsonl.zst:5,6 ...": how many cases of which trace.
static void add_witnesses(struct shows *shows, enum rule rule, char *cases)
{
    for (char *one; (one = strsep(&cases, " ")) != NULL;) {
        uint32_t count = 1;
        for (const char *at = one; *at != '\0'; at++) count += *at == ',';
        one[strcspn(one, ".")] = '\0';
        for (int i = 0; i < shows->paths->count; i++)
            if (strcmp(shows->of[i].name, one) == 0) shows->of[i].cases[EXPOSES][rule] += count;
    }
}

static int read_witnesses(struct shows *shows, const char *path)
{
    char line[LINE_BYTES];
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *rest = line, *model = strsep(&rest, "\t"), *id = strsep(&rest, "\t");
        enum rule rule = rest != NULL ? rule_misread(model, id) : RULE_OK;
        if (rule != RULE_OK && *rest != '\0') add_witnesses(shows, rule, rest);
    }
    fclose(file);
    return 1;
}

static void print_list(const struct shows *shows, FILE *out)
{
    for (enum rule rule = RULE_OK + 1; rule < RULE_COUNT; rule++)
        for (int i = 0; i < shows->paths->count; i++)
            for (int way = 0; way < WAYS; way++)
                if (shows->of[i].cases[way][rule] > 0)
                    fprintf(out, "%s\t%s\t%s\t%u\t%s\n", rule_row(rule)->id, shows->of[i].name, shows->of[i].family,
                            shows->of[i].cases[way][rule], how[way]);
}

// Rules that end a case and whose evidence, a trace or the traces of a family, has no case that does; how many.
static int check_rules(const struct shows *shows)
{
    int failed = 0;
    for (enum rule rule = RULE_OK + 1; rule < RULE_COUNT; rule++) {
        const char *evidence = rule_row(rule)->evidence;
        uint32_t cases = 0;
        for (int i = 0; i < shows->paths->count; i++)
            if (strcmp(shows->of[i].name, evidence) == 0 || strcmp(shows->of[i].family, evidence) == 0)
                cases += shows->of[i].cases[ENDS][rule] + shows->of[i].cases[EXPOSES][rule];
        if (cases > 0 || !ends_case(rule) || evidence[0] == '\0') continue; // none: meta.evidence says which may
        printf("%s: no case of traces/sm_90a/%s is ended by it\n", rule_row(rule)->id, evidence);
        failed++;
    }
    return failed;
}

// The lines of the list that say more than the traces show; how many.
static int check_file(const struct shows *shows, const char *path)
{
    char line[LINE_BYTES], id[64], trace[64], way[64];
    unsigned cases;
    int failed = 0, lines = 0;
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        int found = 0, is_line = sscanf(line, "%63[^\t]\t%63[^\t]\t%*[^\t]\t%u\t%63[^\n]", id, trace, &cases, way) == 4;
        for (int i = 0; is_line && rule_find(id) != RULE_COUNT && i < shows->paths->count; i++)
            if (strcmp(shows->of[i].name, trace) == 0)
                found = shows->of[i].cases[strcmp(way, how[ENDS]) == 0 ? ENDS : EXPOSES][rule_find(id)] >= cases;
        if (!found) printf("%s: the traces do not show this: %s", path, line);
        failed += !found;
        lines++;
    }
    if (file != NULL) fclose(file);
    if (failed > 0 || lines == 0) printf("the target evidence-list writes %s anew\n", path);
    return failed + (lines == 0);
}

static int count_all(struct shows *shows)
{
    const struct jobs jobs = {shows->paths->count, NULL, count_trace, shows, "evidence", 0};
    if (workers_run(&jobs, 0, stdout) != WORKERS_DONE) return 0;
    for (int i = 0; i < shows->paths->count; i++) {
        if (shows->of[i].why.at[0] == '\0') continue;
        fprintf(stderr, "%s\n", shows->of[i].why.at);
        return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    static struct trace_paths paths;
    struct text why = {"usage: evidence [--check FILE] WITNESSES TRACES"};
    int is_check = argc == 5 && strcmp(argv[1], "--check") == 0, first = is_check ? 3 : 1;
    int ok = (is_check || argc == 3) && trace_paths_add(&paths, argv[first + 1], &why);
    struct shows shows = {&paths, ok ? shared_memory((size_t)paths.count * sizeof *shows.of) : NULL};
    if (!ok || shows.of == NULL || !count_all(&shows) || !read_witnesses(&shows, argv[first])) {
        fprintf(stderr, "%s\n", why.at);
        return EXIT_USAGE;
    }
    if (!is_check) print_list(&shows, stdout);
    return is_check && check_rules(&shows) + check_file(&shows, argv[2]) > 0;
}
