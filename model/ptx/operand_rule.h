// SPDX-License-Identifier: MIT
// What the operands of one spelling must be: the operands that its form has, read for the types that it says.
#ifndef TMAREF_PTX_OPERAND_RULE_H
#define TMAREF_PTX_OPERAND_RULE_H

#include "form.h"

enum ptx_rule_kind {
    PTX_RULE_VALUE,    // a register or a constant of `type`
    PTX_RULE_CONSTANT, // a constant of least .. most, or one of `one`; a multiple of `step`
    PTX_RULE_ADDRESS,  // in `space`
    PTX_RULE_LABEL,    // of a branch
    PTX_RULE_TARGETS,  // the label of a list of labels
    PTX_RULE_CALL,     // what a call has
    PTX_RULE_SELECTOR, // what is written at the operand before, as a number of its own
};

// What a selector may be, by its name in the table, and the number that it makes.
enum ptx_selector {
    PTX_SELECTOR_WHOLE, // .whole: none
    PTX_SELECTOR_PART,  // .part: none, b0 .. b3, h0, h1 are 0 to 6
    PTX_SELECTOR_MASK2, // .mask2: h0, h1, h10, a bit each; none is h10
    PTX_SELECTOR_MASK4, // .mask4: b0 .. b3210, a bit each; none is b3210
    PTX_SELECTOR_H10,   // .h10: two of the four halves of a and b, a digit of 4 bits each; none is h10
    PTX_SELECTOR_H32,   // .h32: the same; none is h32
    PTX_SELECTOR_B3210, // .b3210: four of their eight bytes; none is b3210
    PTX_SELECTOR_B7654, // .b7654: the same; none is b7654
    PTX_SELECTOR_MINUS, // .minus: 1 of -a
    PTX_SELECTORS
};

// What a constant must be where a register may stand too: the words of forms.def.
enum ptx_limit {
    PTX_LIMIT_NONE,
    PTX_LIMIT_BELOW_16,
    PTX_LIMIT_BELOW_256,
    PTX_LIMIT_BY_16,
    PTX_LIMIT_BY_32,
    PTX_LIMIT_BY_32_NOT_0,
    PTX_LIMIT_NOT_0,
    PTX_LIMIT_0_OR_1,
    PTX_LIMIT_POWER_OF_2,
    PTX_LIMIT_NOT_ABOVE_LAST,
};

struct ptx_operand_rule {
    const char *name; // in the row, to name_length
    uint8_t name_length, kind, type, space;
    uint8_t vector; // 0 a scalar, else how many parts
    uint8_t is_written, is_optional, is_joined, is_bracketed, is_wide, may_negate, may_sink, must_sink;
    uint8_t register_only, may_special, may_address, may_pack, step, is_fraction, not_parameter, no_float, only_shared,
        not_shared, is_vectorable, is_hint, only_bits, is_each, has_layer, no_offset;
    uint8_t limited;  // enum ptx_limit
    uint8_t selector; // enum ptx_selector
    uint8_t ones;     // how many of one[] there are
    int32_t least, most, one[3];
};

enum { PTX_MOST_OPERANDS = 12 };

// Reads the rules of choice->form; returns how many.
int ptx_operand_rules(const struct ptx_choice *choice, struct ptx_operand_rule rule[PTX_MOST_OPERANDS]);

// The number that the selector `text` (without its dot; length 0: none) makes, but for .minus; 0 if it is none of them.
int ptx_selector_read(enum ptx_selector selector, const char *text, size_t length, uint32_t *number);

#endif
