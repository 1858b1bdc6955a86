// SPDX-License-Identifier: MIT
// A core dump in words, in the manner of the reports of `tmaref exec`: the faults or the roots of the hang first, with
// what is known of each, then who follows; and as JSON.
#ifndef TMAREF_CORE_TELL_H
#define TMAREF_CORE_TELL_H

#include <jansson.h>
#include <stdio.h>

#include "core_barriers.h"
#include "core_group.h"
#include "core_maps.h"

// What a report is made of.
struct core_report {
    const struct core_dump *dump;
    const struct core_state *state;
    const struct core_groups *groups;
    const struct core_maps *maps;
    const struct core_barriers *barriers;
};

// `is_whole`: every group, mbarrier and map; else few, and the last line says what was left out.
void core_tell(FILE *out, const struct core_report *report, bool is_whole);

// docs/json.md says which keys there are.
json_t *core_json(const struct core_report *report);

// --- Its parts -------------------------------------------------------------------------------------------------------

// How many threads stand at the named barrier of a strand, and how many it counts.
uint64_t core_threads_at(const struct core_report *report, const struct core_strand *strand);
uint32_t core_threads_wanted(const struct core_report *report, const struct core_strand *strand);

// "empty[3]", "bytes + 8208", or "at 0x2410" where no variable is known: of what is at an address of a CTA's shared
// memory, and of the mbarrier of a strand.
struct text core_shared_name(const struct core_report *report, const struct core_cta *cta, uint32_t address);
struct text core_barrier_name(const struct core_report *report, const struct core_strand *strand);

// "float32 tiled ..." of a map, and "parameter bytes 112 to 239 of ring_kernel" where it lies.
struct text core_map_text(const struct core_map *map);
struct text core_map_place(const struct core_report *report, const struct core_map *map);

// The mistake that explains the first strand of a group (core_likely.c); "" where nothing does.
struct text core_likely(const struct core_report *report, const struct core_strand *strand);

// Lines at which threads arrive at the barrier of a strand: "ring.cu:39, ring.cu:31"; "" where none is known.
struct text core_arrival_lines(const struct core_report *report, const struct core_strand *strand);

// "ring.cu:39" of a place without folders; "PTX line 12"; "+0x1d0" where only the instruction is known.
struct text core_place(const struct core_report *report, const struct core_function *function, uint64_t offset);

// What a fault's instruction was about: the copy, the barrier; and the mistake. "" where it is not known
// (core_fault.c).
struct text core_fault_text(const struct core_report *report, const struct core_strand *strand);
struct text core_fault_likely(const struct core_strand *strand);

#endif
