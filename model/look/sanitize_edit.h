// SPDX-License-Identifier: MIT
// What the makers of edits share (sanitize_edits.c), and the makers themselves: each adds what it has for the finding.
#ifndef TMAREF_LOOK_SANITIZE_EDIT_H
#define TMAREF_LOOK_SANITIZE_EDIT_H

#include "sanitize_edits.h"

#pragma GCC visibility push(hidden)

// How far from an access others are looked for.
enum { SANITIZE_EDIT_WINDOW = 40 };

// A new edit; what is behind the last is lost.
struct remedy_edit *sanitize_edit_add(struct sanitize_edits *edits);

// One more piece of it.
__attribute__((format(printf, 4, 5))) void sanitize_edit_put(struct remedy_edit *edit, enum remedy_where where,
                                                             uint32_t line, const char *format, ...);
void sanitize_edit_replace(struct remedy_edit *edit, uint32_t line, const char *from, const char *to);

bool sanitize_edit_starts(const char *text, const char *with);
bool sanitize_edit_is_wait(const char *word);

// The last line in front of `line`, at most a window away, that its threads come to together: what branches or is a
// label between is gone back over. `line` itself if there is none.
uint32_t sanitize_edit_before_branch(const struct sanitize_edits *edits, uint32_t line);

// A name as people are told it, as an operand: "full", "full + 8", "shared address 0x400". 0: it is none.
bool sanitize_edit_operand(const char *name, char *operand, size_t bytes);

// The mbarrier of the copy: its name, if that is one of the PTX, else its address.
void sanitize_edit_barrier(const struct sanitize_edits *edits, char *operand, size_t bytes);

// A loop that waits for the mbarrier.
void sanitize_edit_wait_text(char *text, const char *barrier, const char *parity);

void sanitize_edits_wait(struct sanitize_edits *edits);        // before the access, for the mbarrier of the copy
void sanitize_edits_alter_waits(struct sanitize_edits *edits); // that are there
void sanitize_edits_again(struct sanitize_edits *edits);       // waits and arrivals from what is there of them
void sanitize_edits_move(struct sanitize_edits *edits);        // what orders, past the access
void sanitize_edits_fence(struct sanitize_edits *edits);       // a release and an acquire
void sanitize_edits_sum(struct sanitize_edits *edits);         // a load, an add and a store, as a red
void sanitize_edits_scope(struct sanitize_edits *edits);
void sanitize_edits_map(struct sanitize_edits *edits);
void sanitize_edits_products(struct sanitize_edits *edits); // behind the last of a run of products
void sanitize_edits_end(struct sanitize_edits *edits);      // before the CTA ends
void sanitize_edits_expect(struct sanitize_edits *edits);   // bytes that nobody announced
void sanitize_edits_count(struct sanitize_edits *edits);    // of arrivals
void sanitize_edits_init(struct sanitize_edits *edits);
void sanitize_edits_inval(struct sanitize_edits *edits);
void sanitize_edits_drop(struct sanitize_edits *edits);   // the second init
void sanitize_edits_part(struct sanitize_edits *edits);   // a barrier for lanes that part
void sanitize_edits_number(struct sanitize_edits *edits); // of threads at a barrier

// A barrier of the CTA or the cluster where all threads come by. _written: with the fence of the async proxy behind the
// write; _global: and in front of the operation.
void sanitize_edits_meet(struct sanitize_edits *edits); // where threads meet already, or their branches do
void sanitize_edits_barrier(struct sanitize_edits *edits);
void sanitize_edits_barrier_written(struct sanitize_edits *edits);
void sanitize_edits_barrier_global(struct sanitize_edits *edits);

#pragma GCC visibility pop

#endif
