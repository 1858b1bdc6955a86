// SPDX-License-Identifier: MIT
// Target `object`: any bytes as a host's object or a library of them. Each fat binary that is found lies in the input,
// and the name of its member ends. And as a cubin: so do its inputs, and their names.
#include "object.h"
#include "cubin.h"
#include "fatbin.h"
#include "fuzz.h"

struct input {
    const uint8_t *bytes;
    size_t size_bytes, found;
};

static int take(void *of, const char *name, const void *fatbin, size_t bytes)
{
    struct input *input = of;
    if (fatbin == NULL) {
        fuzz_require(name != NULL && strlen(name) <= 16 && bytes == 0); // a damaged member
        return 0;
    }
    const size_t at = (size_t)((const uint8_t *)fatbin - input->bytes);
    fuzz_require(at <= input->size_bytes && bytes > 0 && bytes <= input->size_bytes - at && fatbin_is(fatbin));
    fuzz_require(name == NULL || strlen(name) <= 16);
    return ++input->found == 1000; // ends the walk
}

static bool is_inside(const struct input *input, const void *at, size_t bytes)
{
    const size_t from = (size_t)((const uint8_t *)at - input->bytes);
    return from <= input->size_bytes && bytes <= input->size_bytes - from;
}

static void read_cubin(const struct input *input)
{
    struct cubin_input part;
    for (size_t at = 0, before = 0; cubin_next(input->bytes, input->size_bytes, &at, &part); before = at)
        fuzz_require(at > before && is_inside(input, part.data, part.bytes) &&
                     is_inside(input, part.name, strlen(part.name) + 1));
}

void fuzz_object(const uint8_t *bytes, size_t size_bytes)
{
    struct input input = {bytes, size_bytes, 0};
    read_cubin(&input);
    const int result = object_fatbins(bytes, size_bytes, take, &input);
    fuzz_require(result == 0 || result == OBJECT_DAMAGED || (result == 1 && input.found == 1000));
}
