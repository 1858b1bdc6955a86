// SPDX-License-Identifier: MIT
// Does the hardware say no to every named misreading? A misreading that a slow model can be told to follow is exposed
// by a recorded case if it leaves something else there than was recorded. The file of witnesses names ENOUGH cases for
// each:
//   model<TAB>misreading<TAB>trace:line,line,... trace:line,...
//   exposed WITNESSES FOLDER         are they there, and does each expose its misreading? Those that have too few
//                                    witnesses must stand in excused[], with the reason.
//   exposed --search MODEL TRACE...  prints the lines of one slow model (minutes; the small traces first)
//   exposed --find N WITNESSES       prints "family<TAB>case" of those of N random cases that would be further
//   witnesses
#include "exposed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exit_status.h"
#include "json.h"
#include "parse_number.h"
#include "trace.h"

enum { ENOUGH = 5, MOST_MUTANTS = 256, MOST_TRACES = 200, LINE_BYTES = 1024 };

// Misreadings that recordings cannot expose five times, and why; `of`: in one slow model alone.
static const struct {
    const char *id, *reason, *of;
} excused[] = {
    {"BULK_OTHER_FLOATS", "the assembler refuses the instruction", NULL},
    {"BULK_OTHER_64", "the assembler refuses the instruction", NULL},
    {"BULK_S64_ADD", "the assembler refuses the instruction", NULL},
    {"BULK_F32_MIN", "the assembler refuses the instruction", NULL},
    {"MODE_ANY", "the family load has tiled maps alone; im2col_fault shows LOAD_MODE", "loads"},
    {"OFFSET_32_BITS", "needs a row of more than 4 GiB, of which the arena maps a piece", NULL},
    {"SMEM_ALIGN_FIRST", "its cases fault, each in a process of its own, and few break two rules at once", NULL},
    {"SMEM_ALIGN_LAST", "its cases fault, each in a process of its own, and few break two rules at once", NULL},
    {"BASE_ALWAYS", "its cases fault, each in a process of its own, and few break two rules at once", NULL},
    {"BASE_ANY_OUTSIDE", "its cases fault, each in a process of its own, and few break two rules at once", NULL},
    {"STORE_BASE_TOUCHED", "its cases fault, each in a process of its own, and few break two rules at once", NULL},
    {"STORE_NEGATIVE_INTERLEAVE", "its cases fault, each in a process of its own", NULL},
    {"STORE_READS_ALL", "its cases fault, each in a process of its own, and few break two rules at once", NULL},
    {"LEGAL_S64_ADD", "its cases fault, each in a process of its own", NULL},
    {"LEGAL_S64_BITS", "its cases fault, each in a process of its own", NULL},
    {"LEGAL_F32_MIN", "its cases fault, each in a process of its own", NULL},
    {"LEGAL_S32_INC", "its cases fault, each in a process of its own", NULL},
    {"LEGAL_U16", "its cases fault, each in a process of its own", NULL},
    {"BULK_ALIGN_EMPTY", "random operations that move nothing are aligned, or break another rule too", NULL},
    {"BULK_LIMIT_227", "needs an operation that ends in the last KiB: bulk_limit has other launches", NULL},
    {"F16_BY_F32", "needs an f16 tie that a cut to f32 makes", NULL},
    {"FLOOR_132", "needs terms that all lie below 2^-133 and cancel to the last bit", NULL},
    {"FLOOR_134", "needs terms that all lie below 2^-133 and cancel to the last bit", NULL},
    {"TF32_CLASS_LOW", "needs an infinity with low bits alone, one of 262,144 random elements, and no NaN beside it",
     NULL},
};

static bool is_known(const struct exposer *exposer, int mutant)
{
    return exposer->is_of == NULL || exposer->is_of(mutant);
}

static bool is_read_by(const struct exposer *exposer, const struct family *family)
{
    for (int i = 0; i < 3 && exposer->families[i] != NULL; i++)
        if (strcmp(exposer->families[i], family->name) == 0) return true;
    return false;
}

// The misreading's id: its text up to the colon.
static void id_of(const struct exposer *exposer, int mutant, char id[64])
{
    const char *text = exposer->text(mutant);
    snprintf(id, 64, "%.*s", (int)strcspn(text, ":"), text);
}

static const char *excuse(const char *id, const char *of)
{
    for (size_t i = 0; i < sizeof excused / sizeof excused[0]; i++)
        if (strcmp(excused[i].id, id) == 0 && (excused[i].of == NULL || strcmp(excused[i].of, of) == 0))
            return excused[i].reason;
    return NULL;
}

// --- Search ----------------------------------------------------------------------------------------------------------

struct witness {
    int trace;
    uint64_t line;
};

// What one slow model has found.
struct found {
    int count[MOST_MUTANTS];
    struct witness witness[MOST_MUTANTS][ENOUGH];
};

struct search {
    char **path;
    int paths;
};

static void look(const struct exposer *exposer, const void *test_case, int status, struct witness witness,
                 struct found *found)
{
    char pending[MOST_MUTANTS] = {0}, exposed[MOST_MUTANTS] = {0};
    bool any = false;
    for (int m = 1; m < exposer->mutants; m++) any |= pending[m] = is_known(exposer, m) && found->count[m] < ENOUGH;
    if (any) exposer->expose(test_case, status, pending, exposed);
    for (int m = 1; m < exposer->mutants; m++)
        if (exposed[m]) found->witness[m][found->count[m]++] = witness;
}

static void search_trace(const struct exposer *exposer, const char *path, int index, struct found *found)
{
    struct trace_text trace;
    struct text why;
    if (!trace_open(path, &trace, &why)) return;
    const struct family *family = trace.header.family;
    void *test_case = calloc(1, family->case_bytes);
    for (char *line; is_read_by(exposer, family) && (line = lines_next(&trace.lines)) != NULL;) {
        struct trace_entry entry;
        if (!trace_read(family, line, test_case, &entry, &why)) break;
        look(exposer, test_case, entry.status, (struct witness){index, trace.lines.number}, found);
        json_decref(entry.json);
    }
    free(test_case);
    trace_close(&trace);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static void print_found(const struct exposer *exposer, const struct search *search, const struct found *found,
                        FILE *out)
{
    for (int m = 1; m < exposer->mutants; m++) {
        char id[64];
        if (!is_known(exposer, m)) continue;
        id_of(exposer, m, id);
        fprintf(out, "%s\t%s\t", exposer->name, id);
        for (int i = 0; i < found->count[m]; i++) {
            const struct witness *w = &found->witness[m][i];
            if (i > 0 && w[-1].trace == w->trace)
                fprintf(out, ",%" PRIu64, w->line);
            else
                fprintf(out, "%s%s:%" PRIu64, i > 0 ? " " : "", name_of(search->path[w->trace]), w->line);
        }
        fprintf(out, "\n");
    }
}

static int search_all(const struct exposer *exposer, const struct search *search)
{
    static struct found found;
    for (int i = 0; i < search->paths; i++) search_trace(exposer, search->path[i], i, &found);
    print_found(exposer, search, &found, stdout);
    return EXIT_AGREE;
}

// --- The file of witnesses -------------------------------------------------------------------------------------------

// One case that a line names, and what is to be exposed there.
struct claim {
    const struct exposer *exposer;
    int mutant;
    uint64_t line;
    struct claim *next; // of the same trace
};

struct claimed {
    char trace[MOST_TRACES][64];
    struct claim *claims[MOST_TRACES];
    int traces;
    int count[EXPOSERS][MOST_MUTANTS]; // witnesses of each misreading
};

static struct claim **claims_of(struct claimed *claimed, const char *name)
{
    int i = 0;
    while (i < claimed->traces && strcmp(claimed->trace[i], name) != 0) i++;
    if (i == MOST_TRACES) return NULL;
    if (i == claimed->traces) snprintf(claimed->trace[claimed->traces++], sizeof claimed->trace[i], "%s", name);
    return &claimed->claims[i];
}

// "trace:line,line": one claim for each line.
static bool read_cases(struct claimed *claimed, int exposer, int mutant, char *text)
{
    char *lines = strchr(text, ':');
    if (lines == NULL) return false;
    *lines++ = '\0';
    struct claim **list = claims_of(claimed, text);
    for (char *line; list != NULL && (line = strsep(&lines, ",")) != NULL;) {
        struct claim *claim = calloc(1, sizeof *claim);
        if (claim == NULL || !parse_u64(line, UINT64_MAX, &claim->line)) return false;
        claim->exposer = exposers[exposer];
        claim->mutant = mutant;
        claim->next = *list;
        *list = claim;
        claimed->count[exposer][mutant]++;
    }
    return list != NULL;
}

static bool read_claim(struct claimed *claimed, char *line)
{
    char *rest = line, *model = strsep(&rest, "\t"), *id = strsep(&rest, "\t");
    for (int e = 0; e < EXPOSERS && rest != NULL; e++) {
        for (int m = 1; strcmp(exposers[e]->name, model) == 0 && m < exposers[e]->mutants; m++) {
            char known[64];
            id_of(exposers[e], m, known);
            if (!is_known(exposers[e], m) || strcmp(known, id) != 0) continue;
            for (char *cases; (cases = strsep(&rest, " ")) != NULL;)
                if (*cases != '\0' && !read_cases(claimed, e, m, cases)) return false;
            return true;
        }
    }
    return false;
}

static bool read_claims(const char *path, struct claimed *claimed)
{
    char line[LINE_BYTES];
    FILE *file = fopen(path, "r");
    bool ok = file != NULL;
    while (ok && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#') continue;
        ok = read_claim(claimed, line);
        if (!ok) printf("%s: no line of witnesses: %s\n", path, line);
    }
    if (file == NULL) perror(path);
    if (file != NULL) fclose(file);
    return ok;
}

// --- The test --------------------------------------------------------------------------------------------------------

// Tells those claims on this case that do not hold; returns how many.
static int check_case(const struct claim *claims, const struct family *family, const void *test_case, int status,
                      const char *trace, uint64_t line)
{
    int failed = 0;
    for (; claims != NULL; claims = claims->next) {
        char pending[MOST_MUTANTS] = {0}, exposed[MOST_MUTANTS] = {0};
        if (claims->line != line) continue;
        pending[claims->mutant] = 1;
        if (is_read_by(claims->exposer, family)) claims->exposer->expose(test_case, status, pending, exposed);
        if (exposed[claims->mutant]) continue;
        printf("%s:%" PRIu64 ": does not expose %s\n", trace, line, claims->exposer->text(claims->mutant));
        failed++;
    }
    return failed;
}

static bool is_claimed(const struct claim *claims, uint64_t line)
{
    while (claims != NULL && claims->line != line) claims = claims->next;
    return claims != NULL;
}

static int check_trace(const char *folder, const char *name, const struct claim *claims)
{
    struct trace_text trace;
    struct text why;
    char path[4096];
    int failed = 0;
    uint64_t last = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int ok = trace_open(path, &trace, &why);
    const struct family *family = ok ? trace.header.family : NULL;
    void *test_case = ok ? calloc(1, family->case_bytes) : NULL;
    for (const struct claim *c = claims; c != NULL; c = c->next) last = c->line > last ? c->line : last;
    for (char *line; ok && trace.lines.number < last && (line = lines_next(&trace.lines)) != NULL;) {
        struct trace_entry entry;
        if (!is_claimed(claims, trace.lines.number)) continue;
        ok = trace_read(family, line, test_case, &entry, &why);
        if (ok) failed += check_case(claims, family, test_case, entry.status, name, trace.lines.number);
        if (ok) json_decref(entry.json);
    }
    if (ok && trace.lines.number < last) text_set(&why, "%s has no line %" PRIu64, name, last), ok = 0;
    if (!ok) printf("%s\n", why.at);
    free(test_case);
    if (family != NULL) trace_close(&trace);
    return failed + !ok;
}

// Tells the misreadings of one slow model with too few witnesses; returns how many are not excused.
static int report(const struct exposer *exposer, const int *count)
{
    int known = 0, enough = 0, failed = 0;
    for (int m = 1; m < exposer->mutants; m++) {
        char id[64];
        if (!is_known(exposer, m)) continue;
        id_of(exposer, m, id);
        const char *reason = excuse(id, exposer->name);
        bool is_enough = count[m] >= ENOUGH;
        known++;
        enough += is_enough;
        if (!is_enough)
            printf("  %s\n    %d cases; %s\n", exposer->text(m), count[m], reason != NULL ? reason : "TOO FEW");
        if (is_enough && reason != NULL) printf("  %s needs no excuse\n", id);
        failed += is_enough == (reason != NULL);
    }
    printf("%s: %d of %d misreadings are exposed by %d recorded cases\n", exposer->name, enough, known, ENOUGH);
    return failed;
}

static int check(const char *witnesses, const char *folder)
{
    static struct claimed claimed;
    int failed = 0;
    if (!read_claims(witnesses, &claimed)) return EXIT_USAGE;
    for (int i = 0; i < claimed.traces; i++) failed += check_trace(folder, claimed.trace[i], claimed.claims[i]);
    for (int e = 0; e < EXPOSERS; e++) failed += report(exposers[e], claimed.count[e]);
    return failed > 0 ? EXIT_MISMATCH : EXIT_AGREE;
}

// --- Random witnesses ------------------------------------------------------------------------------------------------

static void find(const struct exposer *exposer, const struct family *family, const int *count, uint64_t cases)
{
    void *test_case = calloc(1, family->case_bytes);
    static struct found found;
    memset(&found, 0, sizeof found);
    int wanted = 0;
    for (int m = 1; m < exposer->mutants; m++) {
        found.count[m] = count[m];
        wanted += is_known(exposer, m) && count[m] < ENOUGH;
    }
    if (wanted == 0) cases = 0;
    for (uint64_t i = 0; test_case != NULL && i < cases; i++) {
        struct random random = random_for(20261122, i);
        struct found before = found;
        family_generate(family, &random, test_case);
        uint8_t *bytes = malloc(family_result_bytes(family, test_case) + 64);
        struct result result = result_at(bytes);
        if (bytes != NULL) family_run_model(family, test_case, &result);
        look(exposer, test_case, result.status, (struct witness){0, i}, &found);
        free(bytes);
        if (memcmp(before.count, found.count, sizeof found.count) == 0) continue;
        json_t *json = family_write(family, test_case);
        char *text = json_dumps(json, JSON_COMPACT);
        printf("%s\t%s\n", family->name, text);
        free(text);
        json_decref(json);
    }
    free(test_case);
}

static int find_all(const char *witnesses, uint64_t cases)
{
    static struct claimed claimed;
    if (!read_claims(witnesses, &claimed)) return EXIT_USAGE;
    for (int e = 0; e < EXPOSERS; e++)
        find(exposers[e], family_find(exposers[e]->families[0]), claimed.count[e], cases);
    return EXIT_AGREE;
}

int main(int argc, char **argv)
{
    uint64_t cases;
    if (argc > 3 && strcmp(argv[1], "--search") == 0) {
        const struct search search = {argv + 3, argc - 3};
        for (int e = 0; e < EXPOSERS; e++)
            if (strcmp(exposers[e]->name, argv[2]) == 0) return search_all(exposers[e], &search);
    }
    if (argc == 4 && strcmp(argv[1], "--find") == 0 && parse_u64(argv[2], UINT64_MAX, &cases))
        return find_all(argv[3], cases);
    if (argc == 3) return check(argv[1], argv[2]);
    fprintf(stderr, "usage: exposed WITNESSES FOLDER | --search MODEL TRACE... | --find N WITNESSES\n");
    return EXIT_USAGE;
}
