// SPDX-License-Identifier: MIT
// The format: "\x93NUMPY", two bytes of version, the length of the head (2 bytes, from version 2 on 4), the head, which
// is a Python dictionary of descr, fortran_order and shape, and the elements. The file's string ends with a NUL, so the
// head can be looked through as text.
#include "npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC_BYTES = 6, PREFIX_BYTES = 10, MAX_HEAD_BYTES = 4096 };

int npy_is(const char *file, size_t size)
{
    return size >= MAGIC_BYTES && memcmp(file, "\x93NUMPY", MAGIC_BYTES) == 0;
}

// What follows a key of the dictionary; NULL if it is not there.
static const char *value_of(const char *head, const char *key)
{
    const char *at = strstr(head, key);
    if (at == NULL) return NULL;
    at = strchr(at, ':');
    return at == NULL ? NULL : at + 1 + strspn(at + 1, " ");
}

// descr is a string as '<f2': byte order, kind, bytes.
static bool read_type(const char *head, struct npy *npy)
{
    const char *at = value_of(head, "'descr'");
    char order, kind;
    unsigned bytes;
    if (at == NULL || sscanf(at, "'%c%c%u'", &order, &kind, &bytes) != 3 || bytes < 1 || bytes > 8) return false;
    snprintf(npy->descr, sizeof npy->descr, "%c%c%u", order, kind, bytes);
    npy->kind = kind;
    npy->item_bytes = bytes;
    npy->is_big = order == '>' && bytes > 1;
    return strchr("fiubV", kind) != NULL && strchr("<>|=", order) != NULL;
}

static bool read_shape(const char *head, struct npy *npy)
{
    const char *order = value_of(head, "'fortran_order'"), *at = value_of(head, "'shape'");
    if (order == NULL || at == NULL || *at != '(') return false;
    npy->is_fortran = strncmp(order, "True", 4) == 0;
    npy->data_bytes = npy->item_bytes;
    for (at++; *at != ')'; at += strspn(at, ", ")) {
        char *end;
        uint64_t dim = strtoull(at, &end, 10);
        if (end == at || npy->rank == NPY_MAX_RANK) return false;
        if (dim != 0 && npy->data_bytes > ((size_t)1 << 40) / dim) return false;
        npy->shape[npy->rank++] = dim;
        npy->data_bytes *= dim;
        at = end;
    }
    return true;
}

int npy_read(const char *file, size_t size, struct npy *npy, struct text *why)
{
    char head[MAX_HEAD_BYTES + 1] = "";
    const uint8_t *bytes = (const uint8_t *)file;
    *npy = (struct npy){0};
    size_t length = 0, prefix = PREFIX_BYTES;
    if (size >= PREFIX_BYTES + 2) {
        length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
        if (bytes[6] > 1) length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24, prefix += 2;
    }
    if (length == 0 || length > MAX_HEAD_BYTES || length > size - prefix) return text_fail(why, "is cut short");
    memcpy(head, file + prefix, length);
    if (!read_type(head, npy) || !read_shape(head, npy))
        return text_fail(why, "holds no plain array of numbers of 1 to 8 bytes");
    npy->data = prefix + length;
    if (size - npy->data >= npy->data_bytes) return 1;
    return text_fail(why, "has %zu bytes of elements, its shape needs %zu", size - npy->data, npy->data_bytes);
}

// Can elements of that kind be those of the map? Bits without a type can be anything.
static bool is_kind_right(const struct npy *npy, enum dtype dtype)
{
    if (npy->kind == 'V' || npy->item_bytes == 1) return true;
    if (dtype == DTYPE_BFLOAT16) return npy->kind != 'f'; // numpy has no bfloat16: it comes as bits
    return dtype_row(dtype)->is_float ? npy->kind == 'f' : npy->kind != 'f';
}

static uint64_t shape_of(const struct npy *npy, int i)
{
    return npy->shape[npy->is_fortran ? i : npy->rank - 1 - i]; // innermost first
}

int npy_check(const struct npy *npy, const struct tensormap *map, struct text *why)
{
    const struct dtype_row *type = dtype_row(map->dtype);
    uint64_t found[NPY_MAX_RANK];
    if (npy->is_big)
        return text_fail(why, "is big-endian (%s): a GPU is little-endian; save it as '<%s'", npy->descr,
                         npy->descr + 1);
    if (npy->item_bytes != type->size_bytes || !is_kind_right(npy, map->dtype))
        return text_fail(why, "holds %s, the tensor is of %s (%u bytes)", npy->descr, type->name,
                         (unsigned)type->size_bytes);
    bool is_same = npy->rank == map->rank;
    for (int i = 0; i < npy->rank; i++) found[i] = shape_of(npy, i);
    for (int i = 0; is_same && i < npy->rank; i++) is_same = found[i] == map->dim[i];
    if (is_same) return 1;
    return text_fail(why, "has the dimensions %.80s, innermost first%s; the map's are %.80s",
                     text_numbers(NUMBERS(found, npy->rank), ", ").at,
                     npy->is_fortran ? " (it is in Fortran order)" : "",
                     text_numbers(NUMBERS(map->dim, map->rank), ", ").at);
}

void npy_lay_out(const struct npy *npy, const char *file, const struct tensormap *map, uint8_t *to)
{
    uint64_t row = map->dim[0] * npy->item_bytes, index[TENSORMAP_MAX_RANK] = {0};
    for (const char *from = file + npy->data; from < file + npy->data + npy->data_bytes; from += row) {
        uint64_t offset = 0;
        for (int i = 1; i < map->rank; i++) offset += index[i] * map->stride[i];
        memcpy(to + offset, from, row);
        for (int i = 1; i < map->rank && ++index[i] == map->dim[i]; i++) index[i] = 0;
    }
}
