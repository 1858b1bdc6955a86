// SPDX-License-Identifier: MIT
#include "mbarrier_address.h"

#include "broken.h"
#include "cluster.h"
#include "cluster_access.h"
#include "hopper.h"
#include "mbarrier.h"
#include "mbarrier_form.h"
#include "rules/mbarrier.h"

// In the own CTA's window, whose upper 8 bits are 0.
static enum rule check_own(const struct memory *own, uint32_t address, struct findings *findings)
{
    enum rule first = RULE_OK;
    if (address >= SHARED_WINDOW_BYTES)
        finding_broken(findings, &first,
                       FINDING(RULE_MBARRIER_ADDRESS_WINDOW, "a", .value = address, .limit = SHARED_WINDOW_BYTES,
                               .nearest = address % SHARED_WINDOW_BYTES));
    if (address % MBARRIER_BYTES != 0)
        finding_broken(findings, &first, finding_of_align(RULE_MBARRIER_ADDRESS_ALIGN, "a", address, MBARRIER_BYTES));
    if (!memory_holds(own, address, MBARRIER_BYTES))
        finding_broken(findings, &first,
                       finding_of_bounds(RULE_MBARRIER_ADDRESS_BOUNDS, "a", own, address, MBARRIER_BYTES));
    return first;
}

int mbarrier_reads_cluster_address(const struct cluster_memory *cluster, uint32_t opcode, enum mbarrier_space space)
{
    return space == MBARRIER_SHARED_CLUSTER || (opcode == MBARRIER_OP_EXPECT_TX && cluster->is_cluster);
}

enum rule mbarrier_address_check(const struct cluster_memory *cluster, uint32_t opcode, enum mbarrier_space space,
                                 uint32_t rank, uint32_t address, struct findings *findings)
{
    findings_clear(findings);
    if (mbarrier_reads_cluster_address(cluster, opcode, space))
        return cluster_access_check(cluster, CLUSTER_BARRIER_OPERATION, rank, address, MBARRIER_BYTES, findings);
    return check_own(&cluster->cta[rank], address, findings);
}
