// SPDX-License-Identifier: MIT
// How a launch ends before its time: the first who says so is heard.
#ifndef TMAREF_MACHINE_REPORT_H
#define TMAREF_MACHINE_REPORT_H

#include "state.h"

#pragma GCC visibility push(hidden)

// A text that grows up to its room; what does not fit is cut.
struct machine_text {
    char *at;
    size_t used, room;
};
void machine_text_add(struct machine_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Where lane `lane` of the strand is, at `code` (NULL: at its pc).
struct machine_where machine_where(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane);

// What an instruction says of its place: the lines, and the instruction itself.
void machine_where_source(struct machine_where *where, const struct machine_module *module,
                          const struct ptx_function *function, const struct ptx_instruction *instruction);

// "kernel, PTX line 25 (tile.cu:8), CTA (0,0,0), thread (0,0,0): mbarrier.init ..."
void machine_place_text(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane, char *text,
                        size_t bytes);

// The name of what lies at an address of the CTA's shared memory: "full", "buffer + 16", or "" if nothing with a name
// does. Of a variable of a C++ function it is the name in the source. Returns its length.
size_t machine_shared_name(const struct machine *machine, uint32_t address, char *text, size_t bytes);

// Where line `line` of the PTX comes from: "tile.cu:8 (PTX line 25)", or the latter alone; "" of line 0. `called_at`:
// the line of the kernel's call of the function that it is in, 0 if there is none. Returns its length.
size_t machine_line_place(const struct machine *machine, uint32_t line, uint32_t called_at, char *text, size_t bytes);

// What a finding says, of an operation of `bytes` bytes there; of global memory what lies near.
struct finding;
void machine_finding_add(struct machine_text *text, const struct machine *machine, const struct finding *finding,
                         uint32_t bytes);

// Ends it where the lane is, as `outcome` and its message say, which `text` goes on to write: the place, the operands.
void machine_end_at(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                    struct machine_outcome *outcome, struct machine_text *text);

// The line of the PTX at which the kernel called what led to this frame; 0: it is the kernel's own.
uint32_t machine_called_at(const struct machine_frame *frame);

// The same as an instruction there has it, without a thread; only ptx_line, if nothing is known of the line.
struct machine_where machine_line_where(const struct machine *machine, uint32_t line, uint32_t called_at);

// Ends the launch as `outcome` says (kind, rule, where, message), if nobody has.
void machine_end(struct machine *machine, const struct machine_outcome *outcome);

// Ends it as hung, or limited: where each warp of the clusters is, and what it waits for.
void machine_end_everywhere(struct machine *machine, enum machine_kind kind, const char *why,
                            struct machine_cluster *const *cluster, uint32_t clusters);

#pragma GCC visibility pop

#endif
