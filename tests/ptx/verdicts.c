// SPDX-License-Identifier: MIT
// What the front end says of every case, and whether ptxas says the same. Alone, a line for each case: "+" or "-", the
// row, the instruction; with --head and --tail the text around them. With --compare FILE, against what ptxas said: a
// line for each row, its name, how many cases it has, a digest of their text, how many of those that ptxas takes the
// front end refuses, and the verdicts as runs: 3+12-1?5- are 3 taken, 12 refused, 1 that ptxas gave no verdict on, 5
// refused.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "ptx.h"

enum { TOGETHER = PTX_MOST_ERRORS, MOST_LINE = 2048, MOST_ROW = 1 << 16, MOST_TOLD = 20 };

// The cases of one row, a few at a time, and what was recorded of it.
struct row {
    int form, count;
    bool is_compared;
    char line[TOGETHER][MOST_LINE];
    uint64_t digest;
    uint32_t cases, stricter, looser;
    const char *runs;
    uint32_t left; // of the run
};

static uint32_t lines_in(const char *text)
{
    uint32_t lines = 0;
    for (; *text != '\0'; text++) lines += *text == '\n';
    return lines;
}

// The next recorded verdict, or 0 behind the last.
static char next_verdict(struct row *row)
{
    char *end;
    while (row->left == 0 && *row->runs != '\0') {
        row->left = (uint32_t)strtoul(row->runs, &end, 10);
        if (row->left == 0) return 0;
        row->runs = end + 1;
    }
    if (row->left == 0) return 0;
    row->left--;
    return row->runs[-1];
}

static void compare(struct row *row, const char *instruction, bool is_refused)
{
    static int told;
    char verdict = next_verdict(row);
    row->stricter += verdict == '+' && is_refused;
    if (verdict != '-' || is_refused) return;
    row->looser++;
    if (told++ < MOST_TOLD)
        printf("%s: ptxas refuses, the front end does not: %s\n", ptx_form_row(row->form)->name, instruction);
}

// As many cases as there may be complaints, a line each.
static void judge(struct row *row)
{
    static char text[TOGETHER * MOST_LINE + 8192];
    struct ptx_errors errors;
    int is_refused[TOGETHER] = {0};
    size_t used = (size_t)sprintf(text, "%s", cases_head);
    for (int i = 0; i < row->count; i++) used += (size_t)sprintf(text + used, "%s\n", row->line[i]);
    used += (size_t)sprintf(text + used, "%s", cases_tail);
    struct ptx_module *module = ptx_open(text, used, (struct ptx_limits){0}, &errors);
    if (module == NULL || errors.count > 0) abort();
    ptx_decode(module, (uint32_t)ptx_function_find(module, "k"), &errors);
    for (uint32_t i = 0; i < errors.count && i < TOGETHER; i++) {
        uint32_t line = errors.item[i].line - lines_in(cases_head) - 1;
        if (line < (uint32_t)row->count) is_refused[line] = 1;
    }
    for (int i = 0; i < row->count; i++) {
        if (row->is_compared)
            compare(row, row->line[i], is_refused[i]);
        else
            printf("%c %s %s\n", is_refused[i] ? '-' : '+', ptx_form_row(row->form)->name, row->line[i]);
    }
    ptx_close(module);
    row->count = 0;
}

// FNV-1a over the instruction and a line's end.
static void take(void *to, const char *instruction)
{
    struct row *row = to;
    for (const char *at = instruction; *at != '\0'; at++)
        row->digest = (row->digest ^ (unsigned char)*at) * 1099511628211u;
    row->digest = (row->digest ^ '\n') * 1099511628211u;
    row->cases++;
    snprintf(row->line[row->count++], MOST_LINE, "%s", instruction);
    if (row->count == TOGETHER) judge(row);
}

static void judge_row(struct row *row, int form)
{
    row->form = form;
    row->count = 0;
    row->digest = 14695981039346656037u;
    row->cases = row->stricter = row->looser = row->left = 0;
    cases_tell(form, take, row);
    if (row->count > 0) judge(row);
}

// Is `line` of the record that of the row? It begins with the row's name.
static bool is_of(const char *line, int form)
{
    const char *name = ptx_form_row(form)->name;
    return strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ' ';
}

// What to type about a row that the record lacks; the lines of tests/ptx/verdicts.tsv have the order of the rows.
#define ASK "python3 tests/ptx/ask_ptxas.py build/default/tests/ptx/ptx_verdicts --rows "

// One row with its line of the record; 1 if all is as it is recorded.
static bool compare_row(struct row *row, int form, const char *line)
{
    uint32_t cases, stricter;
    uint64_t digest;
    int at = 0;
    const char *is = ptx_form_row(form)->name;
    if (!is_of(line, form) || sscanf(line, "%*s %u %" SCNx64 " %u %n", &cases, &digest, &stricter, &at) < 3)
        return printf("%s: tests/ptx/verdicts.tsv has no line of it; " ASK "%s prints it\n", is, is) < 0;
    row->runs = line + at;
    judge_row(row, form);
    if (row->cases != cases || row->digest != digest)
        return printf("%s: its cases are not those that were recorded; " ASK "%s prints its line\n", is, is) < 0;
    if (row->stricter != stricter)
        printf("%s: of what ptxas takes the front end refuses %u, not %u\n", is, row->stricter, stricter);
    return row->looser == 0 && row->stricter == stricter;
}

// The next line of the record, "" behind its end.
static void next_line(FILE *file, char line[MOST_ROW])
{
    if (fgets(line, MOST_ROW, file) == NULL) line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
}

// The record has the rows in their order. A row that it lacks leaves the line to the next one.
static int compare_all(struct row *row, const char *path)
{
    static char line[MOST_ROW];
    FILE *file = fopen(path, "r");
    uint32_t cases = 0, stricter = 0, rows = 0;
    bool ok = true;
    if (file == NULL) return perror(path), 2;
    row->is_compared = true;
    next_line(file, line);
    for (int form = 0; form < ptx_form_count(); form++) {
        if (!cases_are_told(form)) continue;
        ok &= compare_row(row, form, line);
        if (is_of(line, form)) next_line(file, line);
        cases += row->cases;
        stricter += row->stricter;
        rows++;
    }
    if (line[0] != '\0')
        ok = printf("%.63s: recorded, and no row comes here; take the line out, or put it at its row's place\n", line) <
             0;
    fclose(file);
    printf("%u rows, %u cases; of those that ptxas takes %u are refused%s\n", rows, cases, stricter,
           ok ? "" : "; NOT as recorded");
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    static struct row row;
    if (argc > 1 && strcmp(argv[1], "--head") == 0) return printf("%s", cases_head) < 0;
    if (argc > 1 && strcmp(argv[1], "--tail") == 0) return printf("%s", cases_tail) < 0;
    if (argc > 2 && strcmp(argv[1], "--compare") == 0) return compare_all(&row, argv[2]);
    for (int form = 0; form < ptx_form_count(); form++) judge_row(&row, form);
    return 0;
}
