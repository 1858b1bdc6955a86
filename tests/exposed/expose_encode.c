// SPDX-License-Identifier: MIT
// The slow encoder on recorded calls: accepted or refused, and the 128 bytes.
#include <string.h>

#include "exposed.h"
#include "map_args.h"
#include "slow.h"

static int is_of_encodes(int mutant)
{
    return slow_mutant_row((enum slow_mutant)mutant)->subject == SLOW_OF_ENCODE;
}

static struct slow_encode arguments_of(const struct map_args *c)
{
    struct slow_encode a = {.call = (enum slow_call)c->function,
                            .dtype = c->data_type,
                            .rank = c->rank,
                            .address = c->address,
                            .pixels = c->pixels,
                            .interleave = c->interleave,
                            .swizzle = c->swizzle,
                            .l2_promotion = c->l2_promotion,
                            .oob_fill = c->oob_fill,
                            .mode = c->mode};
    memcpy(a.dim, c->dim, sizeof a.dim);
    memcpy(a.stride, c->strides, sizeof a.stride);
    memcpy(a.box, c->box, sizeof a.box);
    memcpy(a.estride, c->estride, sizeof a.estride);
    memcpy(a.lower, c->lower, sizeof a.lower);
    memcpy(a.upper, c->upper, sizeof a.upper);
    if (c->function != MAP_TILED) a.box[0] = c->channels;
    return a;
}

// Returns whether it is accepted; the slow model has no refusal by a NULL pointer.
static bool encode_by(const struct map_args *c, uint8_t bytes[TENSORMAP_BYTES], enum slow_mutant mutant)
{
    memset(bytes, 0xa5, TENSORMAP_BYTES);
    if (c->function != MAP_REPLACE_ADDRESS) {
        struct slow_encode arguments = arguments_of(c);
        return slow_encode(&arguments, bytes, mutant);
    }
    memcpy(bytes, c->replaced, TENSORMAP_BYTES);
    return slow_replace(bytes, c->address, mutant);
}

static void expose_call(const void *test_case, int status, const char *pending, char *exposed)
{
    uint8_t right[TENSORMAP_BYTES], wrong[TENSORMAP_BYTES];
    const struct map_args *c = test_case;
    if (c->null != 0 || status < 0) return;
    bool is_accepted = encode_by(c, right, SLOW_NONE);
    if (is_accepted != (status == 0)) return;
    for (int m = 1; m < SLOW_COUNT; m++)
        if (pending[m])
            exposed[m] = encode_by(c, wrong, (enum slow_mutant)m) != is_accepted ||
                         (is_accepted && memcmp(right, wrong, TENSORMAP_BYTES) != 0);
}

const struct exposer expose_encode = {
    "encodes", {"encode"}, SLOW_COUNT, exposed_slow_text, exposed_slow_rule, is_of_encodes, expose_call,
};
