// SPDX-License-Identifier: MIT
// The address of an mbarrier instruction: whose barrier it names, and what faults before the barrier is looked at.
#ifndef TMAREF_MBARRIER_ADDRESS_H
#define TMAREF_MBARRIER_ADDRESS_H

#include "cluster_memory.h"
#include "finding.h"

// .shared::cta (and .shared), or .shared::cluster. What a generic address is, mbarrier_set_generic() says.
enum mbarrier_space { MBARRIER_SHARED_CTA, MBARRIER_SHARED_CLUSTER };

// Are addresses of this form shared::cluster addresses? In a cluster those of expect_tx on shared::cta are, too.
int mbarrier_reads_cluster_address(const struct cluster_memory *cluster, uint32_t opcode, enum mbarrier_space space);

// The check of one address: 715 before 716 before 700 before 719. shared::cta: MBARRIER_ADDRESS_WINDOW, _ALIGN,
// _BOUNDS. shared::cluster: as cluster_access_check().
//   rank      of the CTA that executes it
//   findings  NULL, or takes every rule broken
enum rule mbarrier_address_check(const struct cluster_memory *cluster, uint32_t opcode, enum mbarrier_space space,
                                 uint32_t rank, uint32_t address, struct findings *findings);

#endif
