// SPDX-License-Identifier: MIT
// In which layout tensor copies and threads have laid the lines of 128 bytes of shared memory, and who reads them in
// another: a wgmma by its descriptor, a tensor store by its map, the lanes of a warp by their addresses.
#ifndef TMAREF_LOOK_SANITIZE_LAYOUT_H
#define TMAREF_LOOK_SANITIZE_LAYOUT_H

#include "flight_item.h"
#include "sanitize_found.h"

#pragma GCC visibility push(hidden)

// Of all CTAs of a launch. `found` takes findings without the name of the buffer. NULL without memory.
struct sanitize_layouts;
struct sanitize_layouts *sanitize_layouts_open(void *context,
                                               void (*found)(void *context, struct sanitize_finding *finding));
void sanitize_layouts_close(struct sanitize_layouts *layouts);

// An operation is issued, or a wgmma. They tell 0 without memory, as those below.
bool sanitize_layouts_issue(struct sanitize_layouts *layouts, const struct flight *flight,
                            const struct machine_cluster *cluster);
bool sanitize_layouts_product(struct sanitize_layouts *layouts, const struct flight_product *product);

// A write by an operation: what lay there is gone. An access of a thread, and the end of the instruction that made
// such; the end of a CTA.
void sanitize_layouts_forget(struct sanitize_layouts *layouts, uint64_t cta, uint64_t address, uint64_t bytes);
void sanitize_layouts_hear(struct sanitize_layouts *layouts, const struct event *event);
bool sanitize_layouts_settle(struct sanitize_layouts *layouts);

#pragma GCC visibility pop

#endif
