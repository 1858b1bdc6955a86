// SPDX-License-Identifier: MIT
// Reads the file of `tmaref exec --write-sync` (model/look/sync_log.h): a program for each cluster, of which those that
// are alike are one.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "paths.h"
#include "paths_flags.h"

enum { LINE_BYTES = 8192, PLACES_MOST = 1 << 24, OPERATIONS_MOST = 1 << 26 };

// A program that is being read, and its arrays' rooms. issue: of each operation the step that begins it, plus 1;
// last_issue: the last of these
struct part {
    struct paths_program program;
    struct paths_flags *flags;
    uint32_t step_room, object_room, *issue, issues, last_issue;
};

// Texts of the set: numbers of the file, and where the text is that has one.
struct texts {
    uint32_t *of, numbers, number_room;
};

struct reading {
    struct paths_set *set;
    struct part *part;
    uint32_t parts, room, last;
    struct texts places, kernels;
    bool is_short;
};

// Room for one more in an array of `count`.
static void *grow(struct reading *reading, void *array, uint32_t *room, uint32_t count, size_t bytes)
{
    if (count < *room) return array;
    const uint32_t wanted = count < 16 ? 16 : count * 2;
    uint8_t *more = realloc(array, wanted * bytes);
    reading->is_short |= more == NULL;
    if (more == NULL) return NULL;
    memset(more + *room * bytes, 0, (wanted - *room) * bytes);
    *room = wanted;
    return more;
}

static uint32_t text_of(const struct texts *texts, uint64_t number)
{
    return number < texts->numbers ? texts->of[number] : UINT32_MAX;
}

static struct part *part_of(struct reading *reading, uint64_t launch, uint64_t cluster)
{
    for (uint32_t i = 0; i < reading->parts; i++) {
        const uint32_t at = (reading->last + reading->parts - i) % reading->parts;
        const struct paths_program *program = &reading->part[at].program;
        if (program->launch != launch || program->cluster != cluster) continue;
        reading->last = at;
        return &reading->part[at];
    }
    struct part *more = grow(reading, reading->part, &reading->room, reading->parts, sizeof *more);
    if (more == NULL) return NULL;
    reading->part = more;
    reading->last = reading->parts++;
    struct part *part = &reading->part[reading->last];
    *part = (struct part){
        .program = {.launch = launch, .cluster = cluster, .alike = 1, .kernel = text_of(&reading->kernels, launch)}};
    part->flags = paths_flags_open();
    reading->is_short |= part->flags == NULL;
    return part->flags != NULL ? part : NULL;
}

// --- Objects ---------------------------------------------------------------------------------------------------------

static uint32_t object_of(struct reading *reading, struct part *part, const struct paths_object *wanted)
{
    struct paths_program *program = &part->program;
    for (uint32_t i = 0; i < program->objects; i++) {
        const struct paths_object *at = &program->object[i];
        if (at->is_mbarrier == wanted->is_mbarrier && at->scope == wanted->scope && at->rank == wanted->rank &&
            at->warp == wanted->warp && at->address == wanted->address)
            return i;
    }
    struct paths_object *more =
        grow(reading, program->object, &part->object_room, program->objects, sizeof *program->object);
    if (more == NULL) return PATHS_NONE;
    program->object = more;
    program->object[program->objects] = *wanted;
    return program->objects++;
}

static uint32_t mbarrier_of(struct reading *reading, struct part *part, uint32_t rank, uint32_t address)
{
    struct paths_object wanted = {.is_mbarrier = true, .rank = rank, .address = address};
    snprintf(wanted.name, sizeof wanted.name, "at 0x%x", address);
    return object_of(reading, part, &wanted);
}

static uint32_t threads_of(struct reading *reading, struct part *part, const struct paths_step *step, uint32_t scope,
                           uint32_t number)
{
    struct paths_object wanted = {.scope = (int)scope, .rank = step->rank, .address = number};
    if (scope == 0) wanted.warp = step->warp;
    if (scope == 0)
        snprintf(wanted.name, sizeof wanted.name, "bar.warp.sync of warp %u", step->warp);
    else
        snprintf(wanted.name, sizeof wanted.name, "barrier %u of the CTA", number);
    return object_of(reading, part, &wanted);
}

// --- Steps -----------------------------------------------------------------------------------------------------------

static bool read_transaction(struct reading *reading, struct part *part, const char *text, struct paths_step *step)
{
    unsigned rank, address;
    unsigned long long arrivals, expected, completed;
    int drop;
    if (sscanf(text, "%u %u %20llu %20llu %20llu %d", &rank, &address, &arrivals, &expected, &completed, &drop) != 6 ||
        rank >= PATHS_MOST_CTAS)
        return false;
    step->kind = PATHS_TRANSACTION;
    step->object = mbarrier_of(reading, part, rank, address);
    step->moves = (struct mbarrier_transaction){arrivals, expected, completed, drop};
    return true;
}

static bool read_mbarrier(struct reading *reading, struct part *part, char kind, const char *text,
                          struct paths_step *step)
{
    unsigned rank, address, number = 0;
    if (kind == 't') return read_transaction(reading, part, text, step);
    if (sscanf(text, "%u %u %u", &rank, &address, &number) < (kind == 'v' || kind == 'e' ? 2 : 3) ||
        rank >= PATHS_MOST_CTAS)
        return false;
    if (kind == 'e') {
        part->program.has_error = 1;
        step->kind = PATHS_JOIN;
        return true;
    }
    step->kind = kind == 'i' ? PATHS_INIT : kind == 'v' ? PATHS_INVAL : PATHS_WAIT;
    step->object = mbarrier_of(reading, part, rank, address);
    step->count = number;
    step->parity = (int)number;
    if (kind == 'k') step->token = 0; // paths_finish() finds it
    return true;
}

static bool read_meeting(struct reading *reading, struct part *part, char kind, const char *text,
                         struct paths_step *step)
{
    unsigned scope, number, threads = 0, come = 0;
    const bool come_here = kind == 'A';
    if (sscanf(text, "%u %u %u %u", &scope, &number, &threads, &come) != (come_here ? 4 : 2)) return false;
    step->threads = threads;
    step->count = come;
    step->kind =
        scope == 2 ? (come_here ? PATHS_CLUSTER_COME : PATHS_CLUSTER_LEAVE) : (come_here ? PATHS_COME : PATHS_LEAVE);
    if (scope != 2) step->object = threads_of(reading, part, step, scope, number);
    return scope <= 2;
}

static bool read_flag(struct reading *reading, struct part *part, const char *text, uint32_t step)
{
    struct paths_flag flag = {.step = step};
    unsigned long long address, bytes;
    if (sscanf(text, "%c %u %u %20llu %20llu", &flag.what, &flag.space, &flag.rank, &address, &bytes) != 5)
        return false;
    flag.address = address;
    flag.bytes = bytes;
    reading->is_short |= !paths_flags_add(part->flags, &part->program, &flag);
    return true;
}

// Another access of the last step.
static bool read_more(struct reading *reading, const char *line)
{
    unsigned long long launch, cluster;
    int length = 0;
    if (sscanf(line, "g %20llu %20llu %n", &launch, &cluster, &length) != 2 || length == 0) return false;
    struct part *part = part_of(reading, launch, cluster);
    return part != NULL && part->program.steps > 0 && read_flag(reading, part, line + length, part->program.steps - 1);
}

static bool add_issue(struct reading *reading, struct part *part, unsigned long number, uint32_t step)
{
    if (number == 0 || number >= OPERATIONS_MOST) return false;
    while (part->issues <= number) {
        const uint32_t wanted = part->issues * 2 + 64;
        uint32_t *more = realloc(part->issue, wanted * sizeof *more);
        reading->is_short |= more == NULL;
        if (more == NULL) return false;
        memset(more + part->issues, 0, (wanted - part->issues) * sizeof *more);
        part->issue = more;
        part->issues = wanted;
    }
    part->issue[number] = step + 1;
    part->last_issue = step;
    return true;
}

// Another operation of the last step that began one.
static bool read_issue(struct reading *reading, const char *line)
{
    unsigned long long launch, cluster, number;
    if (sscanf(line, "h %20llu %20llu %20llu", &launch, &cluster, &number) != 3) return false;
    struct part *part = part_of(reading, launch, cluster);
    return part != NULL && add_issue(reading, part, number, part->last_issue);
}

// What an operation does is behind its issue.
static bool follow_issue(struct part *part, const struct paths_step *step)
{
    struct paths_program *program = &part->program;
    if (step->operation == 0 || step->operation >= part->issues || part->issue[step->operation] == 0) return true;
    program->step[part->issue[step->operation] - 1].count++;
    return paths_flags_hold(program, part->issue[step->operation] - 1, program->steps);
}

// What follows the place in the line of a step.
static bool read_kind(struct reading *reading, struct part *part, const char *text, struct paths_step *step)
{
    const char *rest = text + 1;
    switch (text[0]) {
    case 'A':
    case 'M':
        return read_meeting(reading, part, text[0], rest, step);
    case 'x':
        step->kind = PATHS_EXIT;
        return true;
    case 'S':
        step->kind = PATHS_ISSUE;
        return add_issue(reading, part, strtoul(rest, NULL, 10), part->program.steps);
    case 'J':
        step->kind = PATHS_JOIN;
        return true;
    case 'f':
        step->kind = PATHS_ACCESS;
        return read_flag(reading, part, rest + 1, part->program.steps);
    default:
        return strchr("ivtewk", text[0]) != NULL && read_mbarrier(reading, part, text[0], rest, step);
    }
}

static bool read_step(struct reading *reading, const char *line)
{
    unsigned long long launch, cluster, operation;
    int length = 0;
    struct paths_step step = {.object = PATHS_NONE, .token = PATHS_NONE};
    if (sscanf(line, "s %20llu %20llu %u %u %x %20llu %u %n", &launch, &cluster, &step.rank, &step.warp, &step.lanes,
               &operation, &step.place, &length) != 7 ||
        length == 0 || step.rank >= PATHS_MOST_CTAS || step.warp >= PATHS_MOST_WARPS || step.lanes == 0 ||
        operation >= OPERATIONS_MOST)
        return false;
    step.operation = operation;
    step.place = text_of(&reading->places, step.place);
    struct part *part = part_of(reading, launch, cluster);
    if (part == NULL || !read_kind(reading, part, line + length, &step)) return false;
    struct paths_program *program = &part->program;
    struct paths_step *more = grow(reading, program->step, &part->step_room, program->steps, sizeof step);
    if (more == NULL) return false;
    program->step = more;
    if (!follow_issue(part, &step)) return false;
    program->step[program->steps++] = step;
    reading->set->steps++;
    return true;
}

// --- The file --------------------------------------------------------------------------------------------------------

static bool read_cta(struct reading *reading, const char *line)
{
    unsigned long long launch, cluster;
    unsigned rank;
    struct paths_cta cta;
    if (sscanf(line, "C %20llu %20llu %u %u,%u,%u %u", &launch, &cluster, &rank, &cta.id[0], &cta.id[1], &cta.id[2],
               &cta.warps) != 7 ||
        rank >= PATHS_MOST_CTAS)
        return false;
    struct part *part = part_of(reading, launch, cluster);
    if (part == NULL) return false;
    part->program.cta[rank] = cta;
    if (rank >= part->program.ctas) part->program.ctas = rank + 1;
    return true;
}

static bool read_name(struct reading *reading, const char *line)
{
    unsigned long long launch, cluster;
    unsigned rank, address;
    int length = 0;
    if (sscanf(line, "B %20llu %20llu %u %u %n", &launch, &cluster, &rank, &address, &length) != 4 || length == 0)
        return false;
    struct part *part = part_of(reading, launch, cluster);
    const uint32_t object = part == NULL ? PATHS_NONE : mbarrier_of(reading, part, rank, address);
    if (object == PATHS_NONE) return false;
    snprintf(part->program.object[object].name, PATHS_NAME_BYTES, "%.*s", PATHS_NAME_BYTES - 1, line + length);
    return true;
}

static int add_text(struct reading *reading, struct paths_texts *list, const char *text)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->item[i], text) == 0) return (int)i;
    char **more = grow(reading, list->item, &list->room, list->count, sizeof *more);
    if (more == NULL) return -1;
    list->item = more;
    more[list->count] = strdup(text);
    return more[list->count] != NULL ? (int)list->count++ : -1;
}

// A text with a number. Texts that are the same are one.
static bool read_text(struct reading *reading, const char *line, struct texts *texts, struct paths_texts *list)
{
    char *rest;
    const unsigned long number = strtoul(line + 1, &rest, 10);
    if (*rest != ' ' || number > PLACES_MOST) return false;
    const int at = add_text(reading, list, rest + 1);
    while (at >= 0 && texts->numbers <= number) {
        uint32_t *more = grow(reading, texts->of, &texts->number_room, texts->numbers, sizeof *more);
        if (more == NULL) return false;
        texts->of = more;
        texts->of[texts->numbers++] = UINT32_MAX;
    }
    if (at >= 0) texts->of[number] = (uint32_t)at;
    return at >= 0;
}

static bool read_line(struct reading *reading, const char *line)
{
    struct paths_set *set = reading->set;
    switch (line[0]) {
    case 's':
        return read_step(reading, line);
    case 'g':
        return read_more(reading, line);
    case 'h':
        return read_issue(reading, line);
    case 'C':
        return read_cta(reading, line);
    case 'B':
        return read_name(reading, line);
    case 'P':
        return read_text(reading, line, &reading->places, &set->places);
    case 'L':
        return read_text(reading, line, &reading->kernels, &set->kernels);
    case 'f':
        set->is_full = true;
        return strcmp(line, "full") == 0;
    default:
        return false;
    }
}

static bool add_program(struct paths_set *set, struct paths_program *program)
{
    set->clusters++;
    for (uint32_t i = 0; i < set->programs; i++) {
        if (set->program[i].digest != program->digest || set->program[i].steps != program->steps) continue;
        set->program[i].alike++;
        paths_program_free(program);
        return true;
    }
    if (!ARRAY_ADD(set->program, set->programs, *program)) return false;
    *program = (struct paths_program){.steps = 0};
    return true;
}

static bool finish(struct reading *reading, struct text *why)
{
    bool ok = !reading->is_short;
    for (uint32_t i = 0; i < reading->parts; i++) {
        struct part *part = &reading->part[i];
        ok = ok && paths_finish(&part->program) && add_program(reading->set, &part->program);
        paths_program_free(&part->program);
        paths_flags_close(part->flags);
        free(part->issue);
    }
    free(reading->part);
    free(reading->places.of);
    free(reading->kernels.of);
    return ok || text_fail(why, "there is no memory for the steps of the run");
}

int paths_read(const char *path, struct paths_set *set, struct text *why)
{
    char line[LINE_BYTES];
    struct reading reading = {.set = set};
    uint32_t lines = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) return text_fail(why, "cannot read %.300s: %s", path, strerror(errno));
    bool ok = true;
    while (ok && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        ok = lines++ == 0 ? strncmp(line, "tmaref sync 1", strlen("tmaref sync 1")) == 0 : read_line(&reading, line);
    }
    fclose(file);
    if (!ok && !reading.is_short) text_set(why, "line %u of %.200s is '%.200s'", lines, path, line);
    const bool is_read = ok;
    struct text other;
    return finish(&reading, ok || reading.is_short ? why : &other) && is_read;
}

void paths_set_free(struct paths_set *set)
{
    for (uint32_t i = 0; i < set->programs; i++) paths_program_free(&set->program[i]);
    for (uint32_t i = 0; i < set->places.count; i++) free(set->places.item[i]);
    for (uint32_t i = 0; i < set->kernels.count; i++) free(set->kernels.item[i]);
    free(set->program);
    free(set->places.item);
    free(set->kernels.item);
    *set = (struct paths_set){.programs = 0};
}
