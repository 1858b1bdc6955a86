// SPDX-License-Identifier: MIT
// Which lines ran, as a file that lcov and genhtml read. A line of the source is one that .loc names, and each line
// that called it where it was inlined. Code without any .loc has the lines of its PTX, which is written beside the
// file. A line counts as often as warps executed its busiest instruction.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"
#include "parts.h"

struct line {
    uint32_t file, line;
    uint64_t count;
};

// An entry or a function that it calls: where it begins, and how many warps came.
struct begin {
    uint32_t file, line;
    uint64_t count;
    char *name;
};

// `added`: lines of the launch that is taken; `line`: of all so far, in rising order of file and line.
struct look_coverage {
    char *path;
    const char *run;
    char **file;
    struct line *line, *added;
    struct begin *begin;
    uint32_t files, file_room, lines, line_room, adds, add_room, begins, begin_room;
    bool is_short; // there was no memory for all
    int error;     // of a file of PTX that could not be written
};

struct look_coverage *look_coverage_open(const char *path, const char *run)
{
    struct look_coverage *coverage = calloc(1, sizeof *coverage);
    if (coverage == NULL) return NULL;
    coverage->path = look_string(path, strlen(path));
    coverage->run = run;
    if (coverage->path != NULL) return coverage;
    free(coverage);
    return NULL;
}

// --- Files -----------------------------------------------------------------------------------------------------------

static uint32_t file_number(struct look_coverage *coverage, const char *at, size_t length)
{
    for (uint32_t i = 0; i < coverage->files; i++)
        if (strlen(coverage->file[i]) == length && memcmp(coverage->file[i], at, length) == 0) return i;
    char **more = look_grow(coverage->file, &coverage->file_room, coverage->files + 1, sizeof *more);
    if (more != NULL) coverage->file = more;
    char *name = more == NULL ? NULL : look_string(at, length);
    if (name == NULL) {
        coverage->is_short = true;
        return 0;
    }
    coverage->file[coverage->files] = name;
    return coverage->files++;
}

static bool write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) return false;
    const bool is_written = fputs(text, file) >= 0;
    return fclose(file) == 0 && is_written;
}

// The module's text as a file beside the coverage, named by what it holds.
static uint32_t ptx_file(struct look_coverage *coverage, const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *at = text; *at != '\0'; at++) hash = (hash ^ (uint8_t)*at) * UINT64_C(0x100000001b3);
    char *name = malloc(strlen(coverage->path) + 32);
    if (name == NULL) {
        coverage->is_short = true;
        return 0;
    }
    sprintf(name, "%s.%08x.ptx", coverage->path, (unsigned)(hash ^ hash >> 32));
    uint32_t files = coverage->files, number = file_number(coverage, name, strlen(name));
    if (coverage->files > files && !write_text(name, text)) coverage->error = errno;
    free(name);
    return number;
}

// --- Lines -----------------------------------------------------------------------------------------------------------

static void add_line(struct look_coverage *coverage, uint32_t file, uint32_t line, uint64_t count)
{
    struct line *more = look_grow(coverage->added, &coverage->add_room, coverage->adds + 1, sizeof *more);
    if (more == NULL) {
        coverage->is_short = true;
        return;
    }
    coverage->added = more;
    coverage->added[coverage->adds++] = (struct line){file, line, count};
}

static void add_begin(struct look_coverage *coverage, const struct ptx_name *name, uint32_t file, uint32_t line,
                      uint64_t count)
{
    for (uint32_t i = 0; i < coverage->begins; i++) {
        struct begin *begin = &coverage->begin[i];
        if (strlen(begin->name) != name->length || memcmp(begin->name, name->at, name->length) != 0) continue;
        begin->count += count;
        return;
    }
    struct begin *more = look_grow(coverage->begin, &coverage->begin_room, coverage->begins + 1, sizeof *more);
    if (more != NULL) coverage->begin = more;
    char *own = more == NULL ? NULL : look_string(name->at, name->length);
    if (own == NULL)
        coverage->is_short = true;
    else
        coverage->begin[coverage->begins++] = (struct begin){file, line, count, own};
}

// The instruction's own line, and those that it was inlined at.
static void add_locations(struct look_coverage *coverage, struct ptx_module *front, const struct ptx_function *source,
                          uint32_t location, uint64_t count)
{
    for (uint32_t depth = 0; location != 0 && depth <= source->locations; depth++) {
        const struct ptx_location *at = &source->location[location];
        struct ptx_name name = ptx_file_name(front, at->file);
        if (at->line > 0) add_line(coverage, file_number(coverage, name.at, name.length), at->line, count);
        location = at->inlined_at;
    }
}

static void add_function(struct look_coverage *coverage, const struct machine_module *module,
                         const struct look_function *of)
{
    const struct ptx_function *source = of->function->source;
    uint32_t code = 0, file = UINT32_MAX, first = 0;
    if (source->locations == 0) file = ptx_file(coverage, module->text);
    for (uint32_t i = 0; i < source->instructions; i++) {
        const struct ptx_instruction *instruction = &source->instruction[i];
        const struct machine_code *main;
        struct look_count count = look_instruction_count(of, i, &code, &main);
        uint32_t adds = coverage->adds;
        if (source->locations == 0)
            add_line(coverage, file, instruction->line, count.warps);
        else
            add_locations(coverage, module->front, source, instruction->location, count.warps);
        if (first == 0 && coverage->adds > adds) {
            file = coverage->added[coverage->adds - 1].file; // where it was inlined, if it was
            first = coverage->added[coverage->adds - 1].line;
        }
    }
    if (first > 0) add_begin(coverage, &source->name, file, first, of->count[0].warps);
}

static int compare_lines(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    if (a->file != b->file) return a->file < b->file ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

// One of each line, with the largest count (`sums` 0) or with the sum.
static uint32_t unite(struct line *line, uint32_t lines, bool sums)
{
    uint32_t kept = 0;
    qsort(line, lines, sizeof *line, compare_lines);
    for (uint32_t i = 0; i < lines; i++) {
        struct line *last = kept > 0 ? &line[kept - 1] : NULL;
        if (last == NULL || compare_lines(last, &line[i]) != 0)
            line[kept++] = line[i];
        else if (sums)
            last->count += line[i].count;
        else if (line[i].count > last->count)
            last->count = line[i].count;
    }
    return kept;
}

void look_coverage_take(struct look_coverage *coverage, const struct look_tally *tally, struct machine_module *module)
{
    coverage->adds = 0;
    coverage->is_short |= tally->is_short;
    for (uint32_t i = 0; i < tally->count; i++) add_function(coverage, module, &tally->item[i]);
    if (coverage->adds == 0) return;
    coverage->adds = unite(coverage->added, coverage->adds, false);
    struct line *more = look_grow(coverage->line, &coverage->line_room, coverage->lines + coverage->adds, sizeof *more);
    if (more == NULL) {
        coverage->is_short = true;
        return;
    }
    coverage->line = more;
    memcpy(more + coverage->lines, coverage->added, coverage->adds * sizeof *more);
    coverage->lines = unite(more, coverage->lines + coverage->adds, true);
}

// --- The file --------------------------------------------------------------------------------------------------------

static void write_functions(const struct look_coverage *coverage, uint32_t file, FILE *out)
{
    uint32_t found = 0, hit = 0;
    for (uint32_t i = 0; i < coverage->begins; i++)
        if (coverage->begin[i].file == file)
            fprintf(out, "FN:%u,%s\n", coverage->begin[i].line, coverage->begin[i].name);
    for (uint32_t i = 0; i < coverage->begins; i++) {
        if (coverage->begin[i].file != file) continue;
        fprintf(out, "FNDA:%llu,%s\n", (unsigned long long)coverage->begin[i].count, coverage->begin[i].name);
        found++;
        hit += coverage->begin[i].count > 0;
    }
    fprintf(out, "FNF:%u\nFNH:%u\n", found, hit);
}

static void write_file(const struct look_coverage *coverage, uint32_t file, FILE *out)
{
    uint32_t found = 0, hit = 0;
    fprintf(out, "TN:%s\nSF:%s\n", coverage->run, coverage->file[file]);
    write_functions(coverage, file, out);
    for (uint32_t i = 0; i < coverage->lines; i++) {
        const struct line *line = &coverage->line[i];
        if (line->file != file) continue;
        fprintf(out, "DA:%u,%llu\n", line->line, (unsigned long long)line->count);
        found++;
        hit += line->count > 0;
    }
    fprintf(out, "LF:%u\nLH:%u\nend_of_record\n", found, hit);
}

static bool write_all(struct look_coverage *coverage, char *why, size_t why_bytes)
{
    FILE *out = look_file_open(&coverage->path, coverage->run);
    int error = 0;
    for (uint32_t i = 0; out != NULL && i < coverage->files; i++) {
        errno = 0;
        write_file(coverage, i, out);
        if (ferror(out) && error == 0) error = errno != 0 ? errno : EIO;
    }
    const bool is_written = out != NULL && look_file_close(out, coverage->path, error);
    if (!is_written)
        snprintf(why, why_bytes, "the coverage %s could not be written%s: %s", coverage->path,
                 out != NULL ? ", and was removed" : "", look_file_error());
    if (is_written && coverage->is_short)
        snprintf(why, why_bytes, "the coverage %s: there was no memory for all of it", coverage->path);
    if (is_written && coverage->error != 0)
        snprintf(why, why_bytes, "the PTX beside the coverage %s: %s", coverage->path, strerror(coverage->error));
    return is_written && !coverage->is_short && coverage->error == 0;
}

void look_coverage_drop(struct look_coverage *coverage)
{
    for (uint32_t i = 0; i < coverage->files; i++) free(coverage->file[i]);
    for (uint32_t i = 0; i < coverage->begins; i++) free(coverage->begin[i].name);
    free(coverage->file);
    free(coverage->begin);
    free(coverage->line);
    free(coverage->added);
    free(coverage->path);
    free(coverage);
}

bool look_coverage_close(struct look_coverage *coverage, char *why, size_t why_bytes)
{
    const bool is_written = write_all(coverage, why, why_bytes);
    look_coverage_drop(coverage);
    return is_written;
}
