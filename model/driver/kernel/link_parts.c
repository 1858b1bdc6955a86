// SPDX-License-Identifier: MIT
#define _GNU_SOURCE 1
#include "link_parts.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

struct part_of_name {
    char *name;
    uint32_t part;
};

static int order(const void *a, const void *b)
{
    return strcmp(((const struct part_of_name *)a)->name, ((const struct part_of_name *)b)->name);
}

static void free_name(void *node)
{
    free(((struct part_of_name *)node)->name);
    free(node);
}

void link_parts_free(struct link_parts *parts)
{
    tdestroy(parts->names, free_name);
    free(parts->start);
}

// --- Which parts are looked at ---------------------------------------------------------------------------------------

// Parts, and the text that they are put together to; the new one begins at `last`.
struct chosen {
    struct link_parts *parts;
    uint8_t *is_chosen;
    size_t last;
    struct units text;
    bool is_short; // there was no memory
};

static void choose(void *context, struct ptx_name name)
{
    struct chosen *chosen = context;
    struct part_of_name asked = {strndup(name.at, name.length), 0};
    chosen->is_short |= asked.name == NULL;
    if (asked.name == NULL) return;
    struct part_of_name **found = tfind(&asked, &chosen->parts->names, order);
    if (found != NULL) chosen->is_chosen[(*found)->part] = 1;
    free(asked.name);
}

static size_t end_of(const struct link_parts *parts, const struct units *units, uint32_t part)
{
    return part + 1 < parts->count ? parts->start[part + 1] : units->bytes;
}

static void put_together(struct chosen *chosen, const struct units *units)
{
    const struct link_parts *parts = chosen->parts;
    for (uint32_t i = 0; i < parts->count; i++) {
        chosen->last = chosen->text.bytes;
        if (!chosen->is_chosen[i]) continue;
        const size_t bytes = end_of(parts, units, i) - parts->start[i];
        char *more = realloc(chosen->text.text, chosen->text.bytes + bytes + 1);
        chosen->is_short |= more == NULL;
        if (more == NULL) return;
        memcpy(more + chosen->text.bytes, units->text + parts->start[i], bytes);
        more[chosen->text.bytes + bytes] = '\0';
        chosen->text = (struct units){more, chosen->text.bytes + bytes};
    }
}

// Of names that the new part does not have others may be left out here that count more.
static void keep(void *context, struct ptx_name name)
{
    struct chosen *chosen = context;
    if (name.at < chosen->text.text + chosen->last) return;
    struct part_of_name *own = malloc(sizeof *own);
    if (own != NULL) own->name = strndup(name.at, name.length);
    void **node = own == NULL || own->name == NULL ? NULL : tsearch(own, &chosen->parts->names, order);
    chosen->is_short |= node == NULL;
    if (node != NULL) (*(struct part_of_name **)node)->part = chosen->parts->count - 1;
    if (node != NULL && *node == own) return;
    if (own != NULL) free(own->name);
    free(own);
}

// --- Looking at them -------------------------------------------------------------------------------------------------

static enum link_fit look(struct chosen *chosen, struct ptx_errors *errors)
{
    struct ptx_module *module =
        chosen->is_short ? NULL : ptx_open(chosen->text.text, chosen->text.bytes, (struct ptx_limits){0}, errors);
    if (module == NULL) return LINK_NO_MEMORY;
    const bool fits = errors->count == 0 && ptx_link(module, NULL, errors);
    if (fits) ptx_each_symbol(module, keep, chosen);
    ptx_close(module);
    if (chosen->is_short) return LINK_NO_MEMORY;
    return fits ? LINK_FITS : LINK_MAY_NOT;
}

static enum link_fit look_at_last(struct link_parts *parts, const struct units *units, struct ptx_errors *errors)
{
    struct chosen chosen = {.parts = parts};
    const size_t start = parts->start[parts->count - 1];
    struct ptx_module *last = ptx_open(units->text + start, units->bytes - start, (struct ptx_limits){0}, errors);
    chosen.is_chosen = calloc(parts->count, 1);
    chosen.is_short = last == NULL || chosen.is_chosen == NULL;
    enum link_fit fit = chosen.is_short ? LINK_NO_MEMORY : LINK_FITS;
    if (fit == LINK_FITS) {
        chosen.is_chosen[parts->count - 1] = 1;
        ptx_each_name(last, choose, &chosen);
        put_together(&chosen, units);
        fit = errors->count == 0 ? look(&chosen, errors) : LINK_MAY_NOT;
    }
    ptx_close(last);
    free(chosen.is_chosen);
    free(chosen.text.text);
    return fit;
}

enum link_fit link_parts_add(struct link_parts *parts, const struct units *units, size_t start)
{
    struct ptx_errors *errors = calloc(1, sizeof *errors);
    enum link_fit fit = LINK_NO_MEMORY;
    if (errors != NULL && ARRAY_ADD(parts->start, parts->count, start)) fit = look_at_last(parts, units, errors);
    free(errors);
    return fit;
}
