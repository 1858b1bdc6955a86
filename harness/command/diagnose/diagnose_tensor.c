// SPDX-License-Identifier: MIT
// A tensor's bytes out of a file.
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "diagnose_command.h"
#include "npy.h"

#define TENSOR_MAX_BYTES ((size_t)1 << 30)

uint64_t diagnose_tensor_bytes(const struct tensormap *map)
{
    unsigned __int128 bytes = map->stride[0];
    for (int i = 0; i < map->rank; i++) bytes += (unsigned __int128)(map->dim[i] - 1) * map->stride[i];
    return bytes > TENSOR_MAX_BYTES ? 0 : (uint64_t)bytes;
}

// The elements as they are.
static char *take_raw(const char *file, const struct npy *npy, size_t *size)
{
    char *to = malloc(npy->data_bytes + 1);
    if (to != NULL) memcpy(to, file + npy->data, npy->data_bytes);
    *size = npy->data_bytes;
    return to;
}

// The elements of a .npy file with the strides of the map, in memory of their own.
static char *lay_out(const char *file, size_t file_bytes, const struct tensormap *map, size_t raw_bytes, size_t *size,
                     struct text *why)
{
    struct npy npy;
    uint64_t bytes = diagnose_tensor_bytes(map);
    if (!npy_read(file, file_bytes, &npy, why)) return NULL;
    if (raw_bytes > 0 && npy.data_bytes == raw_bytes) return take_raw(file, &npy, size);
    if (map->interleave != INTERLEAVE_NONE) return text_set(why, "cannot be laid out for an interleaved map"), NULL;
    if (!npy_check(&npy, map, why)) return NULL;
    char *to = bytes > 0 ? calloc(bytes, 1) : NULL;
    if (to == NULL) return text_set(why, "does not fit into memory with the strides of the map"), NULL;
    npy_lay_out(&npy, file, map, (uint8_t *)to);
    *size = bytes;
    return to;
}

char *diagnose_read_tensor(const char *option, const char *path, const struct tensormap *map, size_t raw_bytes,
                           size_t *size)
{
    struct text why;
    char *file = read_file(path, TENSOR_MAX_BYTES, size, &why);
    if (file == NULL) command_usage("diagnose", "--%s: %s", option, why.at);
    if (file == NULL || !npy_is(file, *size)) return file;
    char *bytes = lay_out(file, *size, map, raw_bytes, size, &why);
    if (bytes == NULL) command_usage("diagnose", "--%s: %s %s", option, path, why.at);
    free(file);
    return bytes;
}
