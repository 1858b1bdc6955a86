// SPDX-License-Identifier: MIT
// Target `edit`: 128 bytes and a program of tensormap.replace on them. Any bytes decode, and what was decoded is packed
// whatever it is; an edit changes nothing but its field, and the same edit again nothing at all.
#include "fuzz.h"
#include "location.h"
#include "replace.h"
#include "tensormap.h"

enum { MOST_EDITS = 8 };

static void check_decoding(const struct tensormap_image *image)
{
    struct tensormap map, again;
    struct tensormap_image packed;
    struct findings findings;
    enum rule rule = tensormap_decode(image, &map, &findings);
    fuzz_require(rule == findings_first_broken(&findings));
    fuzz_require(tensormap_decode(image, &again, NULL) == rule);
    tensormap_pack(&map, &packed);
    if (rule == RULE_OK) fuzz_require(memcmp(image, &packed, sizeof packed) == 0);
}

static void edit(struct tensormap_image *image, const struct replace_op *op)
{
    struct findings findings;
    if (!replace_is_legal(op)) return;
    enum rule rule = tensormap_replace(image, op, &findings);
    fuzz_require(rule == RULE_OK || findings.count > 0);
    struct tensormap_image before = *image;
    fuzz_require(tensormap_replace(image, op, NULL) == rule);
    fuzz_require(memcmp(&before, image, sizeof before) == 0);
}

void fuzz_edit(const uint8_t *bytes, size_t size_bytes)
{
    struct fuzz_input input = {bytes, size_bytes};
    struct tensormap_image image;
    struct findings findings;
    for (int i = 0; i < TENSORMAP_BYTES / 8; i++) image.word[i] = fuzz_take(&input, 8);
    check_decoding(&image);
    for (int i = 0; i < MOST_EDITS && input.left > 0; i++) {
        struct replace_op op = {(uint32_t)fuzz_take(&input, 1), (uint32_t)fuzz_take(&input, 1), fuzz_take(&input, 8)};
        edit(&image, &op);
        check_decoding(&image);
    }
    enum map_location location = (enum map_location)(fuzz_take(&input, 1) % MAP_UNMAPPED);
    fuzz_require(map_location_check(location, fuzz_take(&input, 8), NULL, &findings) ==
                 findings_first_broken(&findings));
}
