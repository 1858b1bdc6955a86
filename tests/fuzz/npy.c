// SPDX-License-Identifier: MIT
// Target `npy`: a byte for the padding of rows, then a .npy file as `tmaref diagnose` reads it. What is taken lies in
// the file; laid out with the strides of a map of that shape, element for element, nothing lies elsewhere.
#include "npy.h"

#include "fuzz.h"

enum { MOST_BYTES = 1 << 16 };

// The map whose tensor the file is; 0 if it is none, or too large to be laid out here.
static bool map_of(const struct npy *npy, uint32_t padding, struct tensormap *map, uint64_t *tensor_bytes)
{
    *map = (struct tensormap){.rank = npy->rank, .dtype = DTYPE_UINT8};
    while (map->dtype < DTYPE_COUNT && dtype_row(map->dtype)->size_bytes != npy->item_bytes) map->dtype++;
    if (npy->rank < 1 || npy->rank > TENSORMAP_MAX_RANK || map->dtype == DTYPE_COUNT) return false;
    *tensor_bytes = map->stride[0] = npy->item_bytes;
    for (int i = 0; i < npy->rank; i++) {
        map->dim[i] = npy->shape[npy->is_fortran ? i : npy->rank - 1 - i];
        if (map->dim[i] < 1 || map->dim[i] > MOST_BYTES) return false;
        if (i > 0) map->stride[i] = map->dim[i - 1] * map->stride[i - 1] + 16 * padding;
        *tensor_bytes += (map->dim[i] - 1) * map->stride[i];
        if (*tensor_bytes > MOST_BYTES) return false;
    }
    return true;
}

static void lay_out(const struct npy *npy, const char *file, uint32_t padding)
{
    struct tensormap map;
    struct text why;
    uint64_t bytes;
    if (!map_of(npy, padding, &map, &bytes) || !npy_check(npy, &map, &why)) return;
    uint8_t *tensor = calloc(bytes, 1);
    npy_lay_out(npy, file, &map, tensor);
    uint64_t sum = 0;
    for (size_t i = 0; i < npy->data_bytes; i++) sum += (uint8_t)file[npy->data + i];
    for (uint64_t i = 0; i < bytes; i++) sum -= tensor[i];
    fuzz_require(sum == 0); // each element once, the padding as it was
    size_t last = npy->data + npy->data_bytes - npy->item_bytes;
    fuzz_require(memcmp(tensor, file + npy->data, npy->item_bytes) == 0);
    fuzz_require(memcmp(tensor + bytes - npy->item_bytes, file + last, npy->item_bytes) == 0);
    free(tensor);
}

void fuzz_npy(const uint8_t *bytes, size_t size_bytes)
{
    static const struct tensormap nothing; // of no rank: no file is of it
    struct fuzz_input input = {bytes, size_bytes};
    uint32_t padding = (uint32_t)fuzz_take(&input, 1) % 5;
    struct npy npy;
    struct text why = {""};
    char *file = malloc(input.left + 1); // as read_file() gives it
    memcpy(file, input.bytes, input.left);
    file[input.left] = '\0';
    bool ok = npy_is(file, input.left) && npy_read(file, input.left, &npy, &why);
    if (ok) {
        fuzz_require(npy.rank <= NPY_MAX_RANK && npy.item_bytes >= 1 && npy.item_bytes <= 8);
        fuzz_require(npy.data <= input.left && npy.data_bytes <= input.left - npy.data);
        fuzz_require(npy.rank == 0 || !npy_check(&npy, &nothing, &why));
        lay_out(&npy, file, padding);
    } else
        fuzz_require(!npy_is(file, input.left) || why.at[0] != '\0');
    free(file);
}
