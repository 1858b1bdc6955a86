// SPDX-License-Identifier: MIT
// Bulk copies, which need no tensor map: 256 bytes from global memory to CTA 0 of a cluster, on to CTA 1, and back to
// global memory. Then one with three mistakes: what is found, in the order in which an H200 would fault.
#include <stdio.h>
#include <string.h>
#include <tmaref.h>

enum { BYTES = 256, BARRIER = 1024, CTA_1 = 1 << TMAREF_SHARED_RANK_SHIFT };

int main(void)
{
    static uint8_t from[BYTES], to[BYTES], shared[2][2048];
    const struct tmaref_region regions[] = {{{from, 0x10000, BYTES}, 0}, {{to, 0x20000, BYTES}, 0}};
    const struct tmaref_memory ctas[] = {{shared[0], 0, sizeof shared[0]}, {shared[1], 0, sizeof shared[1]}};
    const struct tmaref_global_memory global = {regions, 2};
    const struct tmaref_cluster_memory cluster = {ctas, 2, 1, 0};
    const struct tmaref_memories memories = {&global, &cluster};
    for (int i = 0; i < BYTES; i++) from[i] = (uint8_t)i;

    const struct tmaref_operation hops[] = {
        {.kind = TMAREF_OPERATION_BULK_LOAD, .from = 0x10000, .to = 0, .size_bytes = BYTES, .barrier = BARRIER},
        {.kind = TMAREF_OPERATION_BULK_SEND, .from = 0, .to = CTA_1, .size_bytes = BYTES, .barrier = CTA_1 + BARRIER},
        {.kind = TMAREF_OPERATION_BULK_STORE, .issuer = 1, .from = CTA_1, .to = 0x20000, .size_bytes = BYTES},
    };
    struct tmaref_findings findings;
    struct tmaref_piece piece;
    for (int i = 0; i < 3; i++) {
        if (tmaref_operation_run(&hops[i], &memories, NULL, &piece, &findings) != TMAREF_RULE_OK) return 1;
        printf("%d bytes moved, complete_tx of %u on the CTAs in mask %u\n", (int)piece.bytes, piece.complete_bytes,
               piece.targets);
    }

    struct tmaref_operation wrong = hops[0];
    wrong.from += 4, wrong.to = 2040, wrong.barrier = BARRIER + 1;
    enum tmaref_rule first = tmaref_operation_check(&wrong, &memories, &findings);
    for (int i = 0; i < findings.count; i++) {
        const struct tmaref_finding *finding = &findings.item[i];
        const struct tmaref_rule_row *rule = tmaref_rule_row(finding->rule);
        printf("error %d, %s: %s is 0x%llx, legal is 0x%llx\n", rule->cuda_error, rule->id, finding->argument,
               (unsigned long long)finding->value, (unsigned long long)finding->nearest);
    }
    return memcmp(from, to, BYTES) == 0 && tmaref_rule_cuda_error(first) == 716 && findings.count >= 3 ? 0 : 1;
}
