// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <string.h>

#include "copy_report.h"
#include "core_tell.h"
#include "demangle.h"
#include "report.h"

struct text core_map_text(const struct core_map *map)
{
    struct text text = {""};
    struct machine_text to = {text.at, 0, sizeof text.at};
    machine_map_explain(&map->map, &to);
    return text;
}

struct text core_map_place(const struct core_report *report, const struct core_map *map)
{
    const struct core_kernel *kernel = &report->state->kernel[map->grid];
    char name[DEMANGLED_BYTES] = "the kernel";
    struct text text;
    if (kernel->function != NULL)
        demangle_function(kernel->function->name, strlen(kernel->function->name), name, sizeof name);
    switch (map->place) {
    case CORE_MAP_PARAM:
        text_set(&text, "the parameters of %s, at byte %" PRIu64, name, map->at);
        break;
    case CORE_MAP_CONSTANT:
        text_set(&text, "constant memory, at byte %" PRIu64 " of bank %u", map->at, map->bank);
        break;
    case CORE_MAP_GLOBAL:
        text_set(&text, "global memory, at 0x%" PRIx64, map->at);
        break;
    }
    return text;
}
