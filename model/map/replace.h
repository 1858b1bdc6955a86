// SPDX-License-Identifier: MIT
// tensormap.replace: what a kernel's edit does to the 128 bytes of a map, bit for bit, whatever they hold. The
// hardware checks nothing. What the documents forbid is in the rules REPLACE_*.
#ifndef TMAREF_REPLACE_H
#define TMAREF_REPLACE_H

#include "replace_op.h"
#include "tensormap.h"

// "global_dim", as in tensormap.replace.tile.global_dim.
const char *replace_field_name(enum replace_field field);

// The field of that name, or REPLACE_FIELDS.
enum replace_field replace_field_find(const char *name);

// The number that elemtype has for a type: not the driver's, 9 is f64 here and bf16 there.
uint32_t replace_elemtype(enum dtype dtype);

// Does the assembler take the instruction? An ordinal is 0 to 4 (0 where there is none), an immediate is one of the
// field's values (elemtype 0 to 12), a register has 32 bits except for global_address and global_stride.
int replace_is_legal(const struct replace_op *op);

// The value that the field has after `op`, in the units of its operand: the low bits of the value, a stride rounded
// down to 16 bytes, a count of which one less is stored.
uint64_t replace_becomes(const struct replace_op *op);

// Applies one instruction to `image`; one that is not legal changes nothing (rule INSTRUCTION_FORM).
//   findings  NULL, or takes what the documents forbid or what is easily overlooked
//   returns   RULE_OK, or the first such rule: all others are warnings, the hardware does as told
//   source    PTX ISA 9.1 tensormap.replace; traces/sm_90a/replace
enum rule tensormap_replace(struct tensormap_image *image, const struct replace_op *op, struct findings *findings);

#endif
