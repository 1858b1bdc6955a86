// SPDX-License-Identifier: MIT
// Which recorded cases show a rule? evidence SPEAKS MISREAD WITNESSES TRACES prints, for the page rules.md, one line
// for each rule and trace, rule<TAB>trace<TAB>family<TAB>cases<TAB>how:
//   end so               the rule is the first that the case breaks, and the machine ended it so
//   expose a misreading  see exposed.c and misread.h
//   speak of it          the case agrees, and has what the rule speaks of, by the patterns of the file SPEAKS
// evidence --check FILE SPEAKS MISREAD WITNESSES TRACES: is all true that FILE, such a list, says, and does the
// evidence that model/core/rules.def names for each rule hold a case that shows it in one of these ways?
#include "exposed.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "exit_status.h"
#include "files.h"
#include "misread.h"
#include "rule_most.h"
#include "trace_batch.h"
#include "trace_file.h"
#include "workers.h"

enum { LINE_BYTES = 1024, LIST_MAX_BYTES = 1 << 20, ENDS = 0, EXPOSES, SPEAKS, WAYS };

static const char *const how[WAYS] = {"end so", "expose a misreading", "speak of it"};

// What one trace holds, in shared memory.
struct shown {
    char name[64];
    char family[32];
    uint32_t cases[WAYS][RULE_MOST];
    struct text why; // it is damaged, or does not agree
};

struct shows {
    const struct trace_paths *paths;
    const char *list; // the file to check; NULL: every trace is run
    struct shown *of; // each path
};

// What the cases of a rule look like.
static struct {
    bool is_there;
    regex_t pattern;
} speaks[RULE_MOST];

static bool ends_case(enum rule rule)
{
    enum outcome outcome = rule_row(rule)->sm_90a;
    return outcome == OUTCOME_INVALID || outcome == OUTCOME_FAULT || outcome == OUTCOME_CRASH;
}

static bool is_evidence(const struct shown *shown, enum rule rule)
{
    const char *evidence = rule_row(rule)->evidence;
    return strcmp(shown->name, evidence) == 0 || strcmp(shown->family, evidence) == 0;
}

// Counts the case for the rules that speak of what it has.
static void count_spoken(const struct trace_batch *cases, int i, struct shown *shown)
{
    json_t *json = family_write(cases->batch.family, batch_case(&cases->batch, i));
    char *text = json_dumps(json, JSON_COMPACT), *line = NULL;
    if (text != NULL && asprintf(&line, "%d %s", cases->entry[i].status, text) < 0) line = NULL;
    for (enum rule rule = RULE_OK + 1; line != NULL && rule < rule_end(); rule++)
        shown->cases[SPEAKS][rule] +=
            speaks[rule].is_there && is_evidence(shown, rule) && regexec(&speaks[rule].pattern, line, 0, NULL, 0) == 0;
    if (text != NULL) misreadings_count(cases, i, text, shown->cases[EXPOSES]);
    free(line);
    free(text);
    json_decref(json);
}

static int count_case(const struct trace_batch *cases, int i, void *context)
{
    struct shown *shown = context;
    enum rule rule = cases->batch.results[i].rule;
    bool agrees = cases->entry[i].status == cases->batch.results[i].status;
    shown->cases[ENDS][rule] += agrees && rule != RULE_OK && ends_case(rule);
    if (agrees) count_spoken(cases, i, shown);
    workers_progress(1);
    return 1;
}

// Does the list or a rule name the trace? Others are replayed elsewhere.
static bool is_named(const struct shows *shows, const struct shown *shown)
{
    char column[sizeof shown->name + 3];
    snprintf(column, sizeof column, "\t%s\t", shown->name);
    bool named = shows->list == NULL || strstr(shows->list, column) != NULL;
    for (enum rule rule = RULE_OK + 1; !named && rule < rule_end(); rule++) named = is_evidence(shown, rule);
    return named;
}

static bool read_header(const char *path, struct shown *shown)
{
    struct trace_text trace;
    if (!trace_open(path, &trace, &shown->why)) return false;
    snprintf(shown->family, sizeof shown->family, "%s", trace.header.family->name);
    trace_close(&trace);
    return true;
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
    if (!read_header(path, shown) || !is_named(shows, shown)) return;
    const struct trace_run run = {.executor = &executor_model, .visit = count_case, .context = shown};
    trace_run(path, &run, &header, &shown->why);
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

static bool read_witnesses(struct shows *shows, const char *path)
{
    char line[LINE_BYTES];
    FILE *file = fopen(path, "r");
    if (file == NULL) return false;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *rest = line, *model = strsep(&rest, "\t"), *id = strsep(&rest, "\t");
        enum rule rule = rest != NULL ? rule_misread(model, id) : RULE_OK;
        if (rule != RULE_OK && *rest != '\0') add_witnesses(shows, rule, rest);
    }
    fclose(file);
    return true;
}

// The patterns of SPEAKS; 0 and told, if a line names no rule or is no pattern.
static bool read_speaks(const char *path)
{
    char line[LINE_BYTES];
    bool ok = true;
    FILE *file = fopen(path, "r");
    while (file != NULL && ok && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#') continue;
        char *why = line, *id = strsep(&why, "\t"), *pattern = strsep(&why, "\t");
        const enum rule rule = rule_find(id);
        ok = why != NULL && rule != RULE_NONE && regcomp(&speaks[rule].pattern, pattern, REG_EXTENDED) == 0;
        if (ok) speaks[rule].is_there = true;
        if (!ok) fprintf(stderr, "%s: no rule, its pattern and why: %s\n", path, line);
    }
    if (file == NULL) perror(path);
    if (file != NULL) fclose(file);
    return ok && file != NULL;
}

static void print_list(const struct shows *shows, FILE *out)
{
    for (enum rule rule = RULE_OK + 1; rule < rule_end(); rule++)
        for (int i = 0; i < shows->paths->count; i++)
            for (int way = 0; way < WAYS; way++)
                if (shows->of[i].cases[way][rule] > 0)
                    fprintf(out, "%s\t%s\t%s\t%u\t%s\n", rule_row(rule)->id, shows->of[i].name, shows->of[i].family,
                            shows->of[i].cases[way][rule], how[way]);
}

// Rules whose evidence, a trace or the traces of a family, has no case that shows them; how many. What the assembler
// refuses names no evidence.
static int check_rules(const struct shows *shows)
{
    int failed = 0;
    for (enum rule rule = RULE_OK + 1; rule < rule_end(); rule++) {
        uint32_t cases = 0;
        for (int i = 0; i < shows->paths->count; i++)
            for (int way = 0; way < WAYS && is_evidence(&shows->of[i], rule); way++)
                cases += shows->of[i].cases[way][rule];
        if (cases > 0 || rule_row(rule)->evidence[0] == '\0') continue;
        printf("%s: no case of traces/sm_90a/%s is ended by it, exposes a misreading of it, or matches its pattern. "
               "Record "
               "cases that break it, or, where it ends no case, give it a line in tests/exposed/speaks.tsv\n",
               rule_row(rule)->id, rule_row(rule)->evidence);
        failed++;
    }
    return failed;
}

static int way_of(const char *text)
{
    int way = 0;
    while (way < WAYS - 1 && strcmp(text, how[way]) != 0) way++;
    return way;
}

// The lines of the list that say more than the traces show; how many.
static int check_file(const struct shows *shows, const char *path)
{
    char line[LINE_BYTES], id[64], trace[64], way[64];
    unsigned cases;
    int failed = 0, lines = 0;
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        bool found = false,
             is_line = sscanf(line, "%63[^\t]\t%63[^\t]\t%*[^\t]\t%u\t%63[^\n]", id, trace, &cases, way) == 4;
        for (int i = 0; is_line && rule_find(id) != RULE_NONE && i < shows->paths->count; i++)
            if (strcmp(shows->of[i].name, trace) == 0) found = shows->of[i].cases[way_of(way)][rule_find(id)] >= cases;
        if (!found) printf("%s: the traces do not show this: %s", path, line);
        failed += !found;
        lines++;
    }
    if (file != NULL) fclose(file);
    if (failed > 0 || lines == 0) printf("the target evidence-list writes %s anew\n", path);
    return failed + (lines == 0);
}

static bool count_all(struct shows *shows)
{
    const struct jobs jobs = {.count = shows->paths->count, .run = count_trace, .context = shows, .label = "evidence"};
    if (workers_run(&jobs, 0, stdout) != WORKERS_DONE) return false;
    for (int i = 0; i < shows->paths->count; i++) {
        if (shows->of[i].why.at[0] == '\0') continue;
        fprintf(stderr, "%s\n", shows->of[i].why.at);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    static struct trace_paths paths;
    struct text why = {"usage: evidence [--check FILE] SPEAKS MISREAD WITNESSES TRACES"};
    bool is_check = argc == 7 && strcmp(argv[1], "--check") == 0;
    int first = is_check ? 3 : 1;
    bool ok = (is_check || argc == 5) && trace_paths_add(&paths, argv[first + 3], &why);
    size_t list_bytes;
    char *list = is_check ? read_file(argv[2], LIST_MAX_BYTES, &list_bytes, &why) : NULL;
    ok = ok && (list != NULL || !is_check);
    struct shows shows = {&paths, list, ok ? shared_memory((size_t)paths.count * sizeof *shows.of) : NULL};
    if (!ok || shows.of == NULL || !read_speaks(argv[first]) || !misreadings_read(argv[first + 1]) ||
        !count_all(&shows) || !read_witnesses(&shows, argv[first + 2])) {
        fprintf(stderr, "%s\n", why.at);
        return EXIT_USAGE;
    }
    if (!is_check) print_list(&shows, stdout);
    int failed = is_check && check_rules(&shows) + check_file(&shows, argv[2]) > 0;
    free(list);
    return failed;
}
