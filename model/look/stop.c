// SPDX-License-Identifier: MIT
// Where a run is looked into: at the first, or the n-th, warp that comes to a line, and where a kernel fails. The run
// goes on behind a break.
#include "stop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "plain.h"
#include "report.h"

//   is_of_name   the break's name is that of a function and the line one of the PTX; else a file and a line of it
//   nearest      the line with code that is nearest to the one that was asked for, of that file; 0: none was seen
struct look_stop {
    char *name;
    uint32_t line, nearest;
    uint64_t hit, hits;
    struct look_triple cta, thread;
    unsigned what_at_break, what_at_end;
    bool was_seen, is_short; // is_short: there was no memory to look
};

// --- Options ---------------------------------------------------------------------------------------------------------

bool look_break_read(const char *text, size_t *name_length, uint32_t *line)
{
    const char *colon = strrchr(text, ':');
    char *end;
    if (colon == NULL || colon == text || colon[1] < '1' || colon[1] > '9') return false;
    unsigned long number = strtoul(colon + 1, &end, 10);
    if (*end != '\0' || number > INT32_MAX) return false;
    *name_length = (size_t)(colon - text);
    *line = (uint32_t)number;
    return true;
}

bool look_triple_read(const char *text, struct look_triple *triple)
{
    *triple = (struct look_triple){0};
    for (int i = 0; i < 3; i++) {
        char *end;
        if (*text < '0' || *text > '9') return false;
        unsigned long number = strtoul(text, &end, 10);
        if (number > INT32_MAX) return false;
        triple->value[i] = (uint32_t)number;
        triple->is_given = true;
        if (*end == '\0') return true;
        if (*end != ',') return false;
        text = end + 1;
    }
    return false;
}

bool look_what_read(const char *text, unsigned *what)
{
    static const struct {
        const char *word;
        unsigned what;
    } words[] = {{"registers", LOOK_SHOWS_THREAD},
                 {"warp", LOOK_SHOWS_WARP},
                 {"shared", LOOK_SHOWS_SHARED},
                 {"barriers", LOOK_SHOWS_BARRIERS},
                 {"all", LOOK_SHOWS_THREAD | LOOK_SHOWS_SHARED | LOOK_SHOWS_BARRIERS}};
    *what = 0;
    for (;; text++) {
        size_t length = strcspn(text, ",");
        unsigned found = 0;
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            if (strlen(words[i].word) == length && memcmp(words[i].word, text, length) == 0) found = words[i].what;
        if (found == 0) return false;
        *what |= found;
        text += length;
        if (*text == '\0') return true;
    }
}

struct look_stop *look_stop_open(const struct look_options *options)
{
    struct look_stop *stop = calloc(1, sizeof *stop);
    size_t length = 0;
    if (stop == NULL) return NULL;
    if (look_break_read(options->break_at, &length, &stop->line)) {
        stop->name = look_string(options->break_at, length);
        stop->what_at_break = LOOK_SHOWS_THREAD | LOOK_SHOWS_BARRIERS;
        stop->hit = options->hit > 0 ? options->hit : 1;
    }
    look_triple_read(options->cta, &stop->cta);
    look_triple_read(options->thread, &stop->thread);
    if (look_what_read(options->dump, &stop->what_at_end)) stop->what_at_break = stop->what_at_end;
    if (length == 0 || stop->name != NULL) return stop;
    free(stop);
    return NULL;
}

// --- Which instructions ----------------------------------------------------------------------------------------------

bool look_is_function(const char *name, const struct ptx_name *function)
{
    const size_t length = strlen(name);
    char mangled[24];
    if (function->length == length && memcmp(function->at, name, length) == 0) return true;
    const int digits = snprintf(mangled, sizeof mangled, "%zu", length);
    for (uint32_t i = 0; i + (uint32_t)digits + length <= function->length && function->at[0] == '_'; i++)
        if (memcmp(function->at + i, mangled, (size_t)digits) == 0 &&
            memcmp(function->at + i + digits, name, length) == 0 &&
            (function->at[i - (i > 0)] < '0' || function->at[i - (i > 0)] > '9'))
            return true;
    return false;
}

// The whole path, or the end of it behind a slash.
static bool is_file(const char *name, struct ptx_name file)
{
    const size_t length = strlen(name);
    if (file.length < length || memcmp(file.at + file.length - length, name, length) != 0) return false;
    return file.length == length || file.at[file.length - length - 1] == '/';
}

static void note_line(struct look_stop *stop, uint32_t line)
{
    uint32_t far = line > stop->line ? line - stop->line : stop->line - line;
    uint32_t was = stop->nearest > stop->line ? stop->nearest - stop->line : stop->line - stop->nearest;
    if (line > 0 && (stop->nearest == 0 || far < was)) stop->nearest = line;
}

// Is the instruction at the line, or in what was inlined there?
static bool is_at(struct look_stop *stop, struct machine_module *module, const struct ptx_function *source,
                  const struct ptx_instruction *instruction, bool is_named)
{
    uint32_t location = instruction->location;
    bool is_there = is_named && instruction->line == stop->line;
    if (is_named) note_line(stop, instruction->line);
    for (uint32_t depth = 0; !is_named && location != 0 && depth <= source->locations; depth++) {
        const struct ptx_location *at = &source->location[location];
        if (is_file(stop->name, ptx_file_name(machine_module_front(module), at->file))) {
            note_line(stop, at->line);
            is_there |= at->line == stop->line;
        }
        location = at->inlined_at;
    }
    return is_there;
}

// Marks the codes of a function that are at the break.
static bool mark(struct look_stop *stop, struct machine_module *module, struct look_function *of)
{
    const struct machine_function *function = of->function;
    const struct ptx_function *source = function->source;
    const bool is_named = look_is_function(stop->name, &source->name);
    of->is_break = calloc(function->codes + 1u, 1);
    if (of->is_break == NULL) return false;
    for (uint32_t i = 0; i < function->codes; i++) {
        uint32_t number = function->code[i].instruction;
        if (number < source->instructions)
            of->is_break[i] = is_at(stop, module, source, &source->instruction[number], is_named) != 0;
        stop->was_seen |= of->is_break[i];
    }
    return true;
}

// --- Hits ------------------------------------------------------------------------------------------------------------

// The lanes of the warp that the filters leave.
static uint32_t wanted_lanes(const struct look_stop *stop, const struct machine_warp *warp)
{
    const struct machine_cta *cta = warp->cta;
    const uint32_t *block = cta->cluster->machine->launch->block, *thread = stop->thread.value;
    if (stop->cta.is_given && memcmp(cta->ctaid, stop->cta.value, sizeof cta->ctaid) != 0) return 0;
    if (!stop->thread.is_given) return UINT32_MAX;
    if (thread[0] >= block[0] || thread[1] >= block[1] || thread[2] >= block[2]) return 0;
    uint32_t number = thread[0] + block[0] * (thread[1] + block[1] * thread[2]);
    return number / MACHINE_LANES == warp->index ? UINT32_C(1) << number % MACHINE_LANES : 0;
}

static void show_break(const struct look_stop *stop, const struct look_ran *ran, const struct machine_step *step,
                       uint32_t lane)
{
    char place[1024], kernel[DEMANGLED_BYTES];
    demangle_function(ran->kernel, strlen(ran->kernel), kernel, sizeof kernel);
    machine_place_text(step->strand, step->code, lane, place, sizeof place);
    fflush(stdout);
    plain_printf(stderr, "tmaref: kernel %s reached %s:%u (hit %llu)\n  at %s\n", kernel, stop->name, stop->line,
                 (unsigned long long)stop->hits, place);
    look_show(&ran->tally, step->strand, lane, stop->what_at_break);
}

bool look_stop_before(struct look_stop *stop, struct look_ran *ran, const struct machine_step *step)
{
    struct machine_warp *warp = step->strand->warp;
    if (stop->name == NULL || stop->hits >= stop->hit) return false;
    struct look_function *of = look_tally_function(&ran->tally, step->function);
    stop->is_short |= of == NULL || (of->is_break == NULL && !mark(stop, ran->module, of));
    if (of == NULL || of->is_break == NULL) return false;
    uint32_t fresh = step->lanes & ~warp->looked & wanted_lanes(stop, warp);
    if (!of->is_break[step->code - step->function->code]) {
        warp->looked &= ~step->lanes;
        return false;
    }
    warp->looked |= step->lanes;
    if (fresh == 0 || ++stop->hits != stop->hit) return false;
    show_break(stop, ran, step, (uint32_t)__builtin_ctz(fresh));
    return true;
}

void look_stop_ended(const struct look_stop *stop, const struct look_ran *ran, const struct machine_strand *strand,
                     const struct machine_code *code, uint32_t lane)
{
    char place[1024], kernel[DEMANGLED_BYTES];
    if (stop->what_at_end == 0) return;
    demangle_function(ran->kernel, strlen(ran->kernel), kernel, sizeof kernel);
    machine_place_text(strand, code, lane, place, sizeof place);
    fflush(stdout);
    plain_printf(stderr, "tmaref: kernel %s ended early\n  at %s\n", kernel, place);
    look_show(&ran->tally, strand, lane, stop->what_at_end);
}

void look_stop_close(struct look_stop *stop)
{
    if (stop->name != NULL && stop->hits < stop->hit) {
        fprintf(stderr, "tmaref: the break at %s:%u was not shown: ", stop->name, stop->line);
        if (stop->is_short)
            fprintf(stderr, "there was not enough memory to look for it\n");
        else if (stop->was_seen)
            fprintf(stderr, "it was hit %llu times, not %llu\n", (unsigned long long)stop->hits,
                    (unsigned long long)stop->hit);
        else if (stop->nearest > 0)
            fprintf(stderr, "no instruction is there; the nearest is at line %u\n", stop->nearest);
        else
            fprintf(stderr, "no kernel that ran has code with that name\n");
    }
    free(stop->name);
    free(stop);
}
