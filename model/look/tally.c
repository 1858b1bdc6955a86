// SPDX-License-Identifier: MIT
// How often each instruction of a launch was executed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"
#include "parts.h"

void *look_grow(void *array, uint32_t *room, uint32_t count, size_t each_bytes)
{
    if (count <= *room) return array;
    uint32_t wanted = *room < 16 ? 16 : *room;
    while (wanted < count && wanted < UINT32_MAX / 2) wanted *= 2;
    uint8_t *more = wanted < count ? NULL : realloc(array, wanted * each_bytes);
    if (more == NULL) return NULL;
    memset(more + *room * each_bytes, 0, (wanted - *room) * each_bytes);
    *room = wanted;
    return more;
}

char *look_string(const char *at, size_t length)
{
    char *to = malloc(length + 1);
    if (to == NULL) return NULL;
    if (length > 0) memcpy(to, at, length);
    to[length] = '\0';
    return to;
}

struct look_function *look_tally_function(struct look_tally *tally, const struct machine_function *function)
{
    if (tally->last < tally->count && tally->item[tally->last].function == function) return &tally->item[tally->last];
    for (tally->last = 0; tally->last < tally->count; tally->last++)
        if (tally->item[tally->last].function == function) return &tally->item[tally->last];
    struct look_function *more = look_grow(tally->item, &tally->room, tally->count + 1, sizeof *more);
    struct look_count *count = more == NULL ? NULL : calloc(function->codes + 1u, sizeof *count);
    if (more != NULL) tally->item = more;
    tally->is_short |= count == NULL;
    if (count == NULL) return NULL;
    more[tally->count] = (struct look_function){function, count, NULL};
    return &more[tally->count++];
}

struct look_count *look_tally_step(struct look_tally *tally, const struct machine_step *step)
{
    struct look_function *of = look_tally_function(tally, step->function);
    if (of == NULL) return NULL;
    struct look_count *count = &of->count[step->code - step->function->code];
    count->warps++;
    count->threads += (uint32_t)__builtin_popcount(step->lanes);
    return count;
}

static void add_count(struct look_count *to, const struct look_count *from)
{
    to->warps += from->warps;
    to->threads += from->threads;
    to->accesses += from->accesses;
    to->wavefronts += from->wavefronts;
    to->ideal += from->ideal;
    if (from->worst > to->worst) to->worst = from->worst;
}

void look_tally_join(struct look_tally *tally, const struct look_tally *other)
{
    tally->is_short |= other->is_short;
    for (uint32_t i = 0; i < other->count; i++) {
        const struct look_function *of = look_tally_function(tally, other->item[i].function);
        for (uint32_t code = 0; of != NULL && code < of->function->codes; code++)
            add_count(&of->count[code], &other->item[i].count[code]);
    }
}

void look_tally_complete(struct look_tally *tally, const struct machine_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->functions; i++) look_tally_function(tally, kernel->function[i]);
}

void look_tally_clear(struct look_tally *tally)
{
    for (uint32_t i = 0; i < tally->count; i++) {
        free(tally->item[i].count);
        free(tally->item[i].is_break);
    }
    free(tally->item);
    *tally = (struct look_tally){0};
}

struct look_count look_instruction_count(const struct look_function *of, uint32_t instruction, uint32_t *code,
                                         const struct machine_code **main)
{
    const struct machine_function *function = of->function;
    struct look_count found = {0};
    *main = NULL;
    for (; *code < function->codes && function->code[*code].instruction <= instruction; ++*code) {
        const struct machine_code *at = &function->code[*code];
        if (at->instruction != instruction || (*main != NULL && at->choice == NULL)) continue;
        *main = at;
        found = of->count[*code];
    }
    return found;
}

void look_place(const struct machine_module *module, const struct ptx_function *source,
                const struct ptx_instruction *instruction, char *place, size_t bytes)
{
    const struct ptx_location *at = &source->location[instruction->location];
    if (instruction->location == 0) {
        snprintf(place, bytes, "PTX line %u", instruction->line);
        return;
    }
    struct ptx_name name = ptx_file_name(module->front, at->file);
    snprintf(place, bytes, "%.*s:%u", (int)(name.length > 400 ? 400 : name.length), name.at, at->line);
}
