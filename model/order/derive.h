// SPDX-License-Identifier: MIT
// The relations of the memory consistency model, one function each, in the order in which one is made of the other. The
// names are those of PTX ISA 9.1, chapter "Memory Consistency Model"; what the text leaves open is in
// docs/memory-model.md, and the functions name the row.
#ifndef TMAREF_DERIVE_H
#define TMAREF_DERIVE_H

#include "execution.h"

// "Morally strong operations" (#morally-strong-operations): in one program order, or both strong with scopes that
// include each other's thread; by the same proxy; and if both access memory, by the same address.
void derive_morally_strong(struct execution *x);

// "Observation order" (#observation-order): from a write to a read of it, through atomics.
void derive_observation(struct execution *x);

// "Release and acquire patterns" (#release-and-acquire-patterns): from the first operation of a release pattern to its
// writes; from the reads of an acquire pattern to its last operation.
void derive_release_pattern(const struct execution *x, struct relation *pattern);
void derive_acquire_pattern(const struct execution *x, struct relation *pattern);

// What meetings synchronize: bar.sync, barrier.cluster, and the arrivals and waits of mbarriers with their order and
// scopes (#memory-synchronization, "mbarrier.arrive", "mbarrier.test_wait"). Adds to `x->meets`, which has the grids.
void derive_meets(struct execution *x);

// "Memory synchronization" (#memory-synchronization): the Fence-SC order, the meetings, and patterns that observe each
// other.
void derive_synchronizes(struct execution *x);

// "Base causality order" (#causality-order), and what asynchronous operations are ordered behind
// (#program-order-async-operations).
void derive_base(struct execution *x);

// "Proxy-preserved base causality order" (#causality-order): what of it holds between two accesses to memory.
void derive_preserved(struct execution *x);

// "Causality order" (#causality-order).
void derive_causality(struct execution *x);

// "Communication order" (#communication-order): a read comes before the writes that come, in coherence order, behind
// the one that it reads. Needs the closed coherence order.
void derive_from_reads(struct execution *x);

#endif
