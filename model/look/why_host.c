// SPDX-License-Identifier: MIT
// What --why hears of the host: memory that it makes, and what its calls write.
#include "why_host.h"

#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "module.h"
#include "parts.h"
#include "why.h"

const struct why_area *why_area_of(const struct look_why *why, uint64_t address)
{
    for (uint32_t i = why->areas; i-- > 0;)
        if (!why->area[i].is_gone && address >= why->area[i].address &&
            address - why->area[i].address < why->area[i].bytes)
            return &why->area[i];
    return NULL;
}

void why_watch_global(struct look_why *why, uint64_t address)
{
    why->global.is_on = true;
    why->global.address = address;
    why->global.bytes = why->place.bytes;
}

// The memory is there: what it holds is its value from now on, if the place is in it.
static void look_into(struct look_why *why, const struct why_area *area)
{
    const struct why_watch *watch = &why->global;
    if (!watch->is_on || watch->address < area->address || watch->address - area->address >= area->bytes) return;
    if (area->bytes - (watch->address - area->address) < watch->bytes) return;
    why_watch_see(&why->global, (const uint8_t *)(uintptr_t)watch->address);
}

static struct why_area *add_area(struct look_why *why, uint64_t address, uint64_t bytes)
{
    struct why_area *more = look_grow(why->area, &why->areas_room, why->areas + 1, sizeof *more);
    if (more == NULL) {
        why->keep.is_short = true;
        return NULL;
    }
    why->area = more;
    for (uint32_t i = 0; i < why->areas; i++)
        more[i].is_gone |= address < more[i].address + more[i].bytes && more[i].address < address + bytes;
    more[why->areas] = (struct why_area){.address = address, .bytes = bytes};
    why_fill(&why->keep, address, bytes, WHY_NOBODY);
    return &more[why->areas++];
}

void why_allocate(struct look_why *why, uint64_t address, uint64_t bytes)
{
    struct why_area *area = add_area(why, address, bytes);
    const uint64_t number = ++why->allocations;
    if (area == NULL) return;
    area->number = number;
    snprintf(area->name, sizeof area->name, "alloc:%llu", (unsigned long long)number);
    if (why->place.kind == WHY_ALLOCATION && why->place.number == number && !why_is_outside(why, area->name, bytes))
        why_watch_global(why, address + why->place.offset);
    look_into(why, area);
}

void why_module(struct look_why *why, const struct machine_module *module)
{
    const struct ptx_program *program = machine_module_program(module);
    for (uint32_t i = 0; i < program->variables; i++) {
        const struct ptx_variable *variable = &program->variable[i];
        if (module->address[i] == 0 || variable->bytes == 0) continue;
        struct why_area *area = add_area(why, module->address[i], variable->bytes);
        if (area == NULL) return;
        demangle_variable(variable->name.at, variable->name.length, area->name, sizeof area->name);
        if (why->place.kind == WHY_NAME && why->place.kernel[0] == '\0' && !why->global.is_on &&
            strcmp(area->name, why->place.name) == 0 && !why_is_outside(why, area->name, area->bytes))
            why_watch_global(why, area->address + why->place.offset);
        look_into(why, area);
    }
}

void why_begin_call(struct look_why *why, const char *who)
{
    static char none[] = "";
    char *copy = look_string(who, strlen(who));
    const struct why_site site = {copy != NULL ? copy : none, none, none, 0, 0};
    why->who = why_add_site(&why->keep, &site);
    why->calls++;
    why->steps++;
    why_make_room(why);
    free(copy);
}

static void copy_chunks(struct look_why *why, const struct why_writer *like, uint64_t to, uint64_t from, uint64_t bytes)
{
    for (uint32_t part; bytes > 0; bytes -= part, to += part, from += part) {
        uint32_t source[WHY_CHUNK], writer[WHY_CHUNK];
        part = bytes < WHY_CHUNK ? (uint32_t)bytes : WHY_CHUNK;
        why_get(&why->keep, (struct why_bytes){NULL, from}, part, source);
        for (uint32_t i = 0; i < part; i++) {
            struct why_writer new = *like;
            new.source = source[i];
            writer[i] = i > 0 && source[i] == source[i - 1] ? writer[i - 1] : why_add_writer(&why->keep, &new);
        }
        why_set(&why->keep, (struct why_bytes){NULL, to}, part, writer);
    }
}

// Page by page of the destination: most have one writer.
static void copy_writers(struct look_why *why, struct why_writer like, uint64_t to, uint64_t from, uint64_t bytes)
{
    uint32_t writer = WHY_NOBODY, source;
    for (uint64_t part; bytes > 0; bytes -= part, to += part, from += part) {
        part = WHY_PAGE_BYTES - to % WHY_PAGE_BYTES;
        if (part > bytes) part = bytes;
        if (!why_is_even(&why->keep, from, part, &source)) {
            copy_chunks(why, &like, to, from, part);
            continue;
        }
        if (writer == WHY_NOBODY || source != like.source) {
            like.source = source;
            writer = why_add_writer(&why->keep, &like);
        }
        why_fill(&why->keep, to, part, writer);
    }
}

void why_write(struct look_why *why, uint64_t to, uint64_t from, uint64_t bytes)
{
    const struct why_call call = {.who = why->who, .number = why->calls, .to = to, .from = from, .bytes = bytes};
    struct why_writer like = {.kind = WHY_CALL};
    struct why_watch *watch = &why->global;
    if (bytes == 0 || why->who == UINT32_MAX || (like.site = why_add_call(&why->keep, &call)) == UINT32_MAX) return;
    if (from == 0 || from == LOOK_WHY_OWN)
        why_fill(&why->keep, to, bytes, why_add_writer(&why->keep, &like));
    else
        copy_writers(why, like, to, from, bytes);
    if (!why_watch_meets(watch, SPACE_GLOBAL, to, bytes)) return;
    struct why_entry entry = {.first = (uint32_t)(to > watch->address ? to - watch->address : 0), .step = why->steps};
    why_get(&why->keep, (struct why_bytes){NULL, watch->address + entry.first}, 1, &entry.writer);
    why_watch_add(watch, &entry,
                  to <= watch->address && watch->address + watch->bytes <= to + bytes
                      ? (const uint8_t *)(uintptr_t)watch->address
                      : NULL);
}
