// SPDX-License-Identifier: MIT
// The tensor maps of a core dump: those among the parameters of its kernels, those in constant memory, and the one in
// global memory that a kernel's parameter points to.
#ifndef TMAREF_CORE_MAPS_H
#define TMAREF_CORE_MAPS_H

#include "core_dump.h"
#include "tensormap.h"

enum core_map_place { CORE_MAP_PARAM, CORE_MAP_CONSTANT, CORE_MAP_GLOBAL };

//   at  byte of the parameters, or of the constant bank `bank`, or the address in global memory
struct core_map {
    enum core_map_place place;
    uint32_t grid, bank;
    uint64_t at;
    struct tensormap_image image;
    struct tensormap map;
};

struct core_maps {
    struct core_map *map;
    uint32_t maps;
};

// 128 bytes are taken for a map if they decode to one that the driver would have made, with an address.
// 0 if there is no memory.
bool core_maps_open(struct core_maps *maps, const struct core_dump *dump);
void core_maps_close(struct core_maps *maps);

#endif
