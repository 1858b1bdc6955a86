// SPDX-License-Identifier: MIT
#include "core_maps.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

enum { MAP_STEP = 64, USER_BANK = 3 };

static bool is_map(const uint8_t *bytes, struct core_map *map)
{
    struct findings findings = {0};
    memcpy(&map->image, bytes, sizeof map->image);
    return tensormap_decode(&map->image, &map->map, &findings) == RULE_OK && map->map.address != 0 &&
           map->map.box_bytes != 0;
}

static int add(struct core_maps *maps, const struct core_map *map)
{
    return ARRAY_ADD(maps->map, maps->maps, *map);
}

static bool is_known(const struct core_maps *maps, const struct core_map *map)
{
    for (uint32_t i = 0; i < maps->maps; i++)
        if (maps->map[i].place == map->place && maps->map[i].at == map->at && maps->map[i].grid == map->grid)
            return true;
    return false;
}

// Constant bank 0 begins at a multiple of 64, so that a map's place among the parameters follows from theirs in it.
static bool add_params(struct core_maps *maps, const struct core_dump *dump, uint32_t number)
{
    const struct core_grid *grid = &dump->grid[number];
    const uint64_t first = (MAP_STEP - grid->params_at % MAP_STEP) % MAP_STEP;
    if (grid->params.at == NULL) return true;
    for (uint64_t at = first; at + TENSORMAP_BYTES <= grid->params.bytes; at += MAP_STEP) {
        struct core_map map = {.place = CORE_MAP_PARAM, .grid = number, .at = at};
        if (is_map(grid->params.at + at, &map) && !add(maps, &map)) return false;
    }
    return true;
}

// What a parameter points to.
static bool add_pointed(struct core_maps *maps, const struct core_dump *dump, uint32_t number)
{
    const struct core_grid *grid = &dump->grid[number];
    for (uint64_t at = 0; grid->params.at != NULL && at + 8 <= grid->params.bytes; at += 8) {
        struct core_map map = {.place = CORE_MAP_GLOBAL, .grid = number};
        memcpy(&map.at, grid->params.at + at, sizeof map.at);
        const uint8_t *bytes = map.at % MAP_STEP == 0 ? core_global(dump, map.at, TENSORMAP_BYTES) : NULL;
        if (bytes != NULL && is_map(bytes, &map) && !is_known(maps, &map) && !add(maps, &map)) return false;
    }
    return true;
}

// __constant__ variables are in bank 3.
static bool add_constants(struct core_maps *maps, const struct core_dump *dump, const struct core_bank *bank)
{
    if (bank->number != USER_BANK) return true;
    for (uint64_t at = 0; at + TENSORMAP_BYTES <= bank->bytes; at += MAP_STEP) {
        struct core_map map = {.place = CORE_MAP_CONSTANT, .grid = bank->grid, .bank = bank->number, .at = at};
        const uint8_t *bytes = core_global(dump, bank->address + at, TENSORMAP_BYTES);
        if (bytes != NULL && is_map(bytes, &map) && !is_known(maps, &map) && !add(maps, &map)) return false;
    }
    return true;
}

bool core_maps_open(struct core_maps *maps, const struct core_dump *dump)
{
    *maps = (struct core_maps){0};
    for (uint32_t i = 0; i < dump->grids; i++)
        if (!add_params(maps, dump, i) || !add_pointed(maps, dump, i)) return false;
    for (uint32_t i = 0; i < dump->banks; i++)
        if (!add_constants(maps, dump, &dump->bank[i])) return false;
    return true;
}

void core_maps_close(struct core_maps *maps)
{
    free(maps->map);
    *maps = (struct core_maps){0};
}
