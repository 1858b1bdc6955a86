// SPDX-License-Identifier: MIT
// Is this tensor map legal? If not: why, and what would be? The call of the driver API, with the reason for a refusal.
#include <stdio.h>
#include <tmaref.h>

int main(void)
{
    // float16, 64 rows of 128 columns. A box of 128 columns has rows of 256 bytes: too wide for the swizzle.
    const uint64_t dim[] = {128, 64}, stride_bytes[] = {256};
    const uint32_t estride[] = {1, 1};
    uint32_t box[] = {128, 8};
    struct tmaref_tensormap_image image; // a CUtensorMap, bit for bit
    struct tmaref_findings findings;

    while (tmaref_tensormap_encode_tiled(&image, TMAREF_DTYPE_FLOAT16, 2, 0x10000, dim, stride_bytes, box, estride,
                                         TMAREF_INTERLEAVE_NONE, TMAREF_SWIZZLE_128B, TMAREF_L2_PROMOTION_NONE,
                                         TMAREF_OOB_FILL_ZERO, &findings) != TMAREF_RULE_OK) {
        const struct tmaref_finding *finding = &findings.item[0];
        const struct tmaref_rule_row *rule = tmaref_rule_row(finding->rule);
        printf("refused, %s: %s[%d] is %d, legal is %d\n", rule->id, finding->argument, finding->index,
               (int)finding->value, (int)finding->nearest);
        printf("    %s\n", rule->sentence);
        box[finding->index] = (uint32_t)finding->nearest;
    }

    struct tmaref_tensormap map; // the way back: any 128 bytes have a meaning
    if (tmaref_tensormap_decode(&image, &map, NULL) != TMAREF_RULE_OK) return 1;
    printf("accepted: boxes of %u x %u, %u bytes each\n", map.box[0], map.box[1], map.box_bytes);
    return map.box[0] == 64 && map.box_bytes == 1024 ? 0 : 1;
}
