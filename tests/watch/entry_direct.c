// SPDX-License-Identifier: MIT
// Linked with libcuda.so.1: the loader binds the calls. "call" goes through a function of this program, "pointer"
// through the address in static data, which is a relocation of another kind; "default" and "self" ask for a symbol of
// the whole program.
#define _GNU_SOURCE 1
#include "entry.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "cuda_calls.h"

#define MAP(name, since, streams, parameters) extern enum cuda_result name parameters;
#include "made_calls.def"

static enum cuda_result call_tiled(struct tensormap_image *map, uint32_t data_type, uint32_t rank, void *address,
                                   const uint64_t *dim, const uint64_t *stride, const uint32_t *box,
                                   const uint32_t *estride, uint32_t interleave, uint32_t swizzle,
                                   uint32_t l2_promotion, uint32_t oob_fill)
{
    return cuTensorMapEncodeTiled(map, data_type, rank, address, dim, stride, box, estride, interleave, swizzle,
                                  l2_promotion, oob_fill);
}

static const struct {
    const char *name;
    void *function;
} rows[] = {
#define MAP(name, ...) {#name, (void *)name},
#include "made_calls.def"
};

void *entry_find(const char *way, const char *name)
{
    if (strcmp(way, "call") == 0) return strcmp(name, "cuTensorMapEncodeTiled") == 0 ? (void *)call_tiled : NULL;
    if (strcmp(way, "default") == 0) return dlsym(RTLD_DEFAULT, name);
    if (strcmp(way, "self") == 0) return dlsym(dlopen(NULL, RTLD_NOW), name);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(way, "pointer") == 0 && strcmp(rows[i].name, name) == 0) return rows[i].function;
    return NULL;
}
