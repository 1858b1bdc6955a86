// SPDX-License-Identifier: MIT
#include "operand_rule.h"

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static enum ptx_type twice(enum ptx_type type)
{
    static const enum ptx_type wide[PTX_TYPES] = {
        [PTX_TYPE_u16] = PTX_TYPE_u32,
        [PTX_TYPE_s16] = PTX_TYPE_s32,
        [PTX_TYPE_u32] = PTX_TYPE_u64,
        [PTX_TYPE_s32] = PTX_TYPE_s64,
    };
    return wide[type];
}

// What holds the sums of a product: for dp4a signed if a factor is, for wgmma the first type, halves two by two.
static enum ptx_type accumulator(const struct ptx_choice *choice)
{
    if (!choice->word[PTX_CLASS_SHAPE]) {
        bool is_signed = choice->type[0] == PTX_TYPE_s32 || choice->type[1] == PTX_TYPE_s32;
        return is_signed ? PTX_TYPE_s32 : PTX_TYPE_u32;
    }
    return choice->type[0] == PTX_TYPE_f16 ? PTX_TYPE_f16x2 : (enum ptx_type)choice->type[0];
}

static enum ptx_type type_of(const struct ptx_choice *choice, const char *at, size_t length)
{
    if (length > 1) return ptx_type_find(at, length);
    switch (*at) {
    case 'T':
        return (enum ptx_type)choice->type[0];
    case 'U':
        return (enum ptx_type)choice->type[1];
    case 'D':
        return twice((enum ptx_type)choice->type[0]);
    default:
        return accumulator(choice);
    }
}

// {4}, {x}, {d}, {d-2}, {w}
static uint8_t vector_of(const struct ptx_choice *choice, const char *at)
{
    int dims = choice->word[PTX_CLASS_DIM] - PTX_D1 + 1;
    switch (*at) {
    case 'x':
        return (uint8_t)(1 << (choice->word[PTX_CLASS_COUNT] - PTX_X1));
    case 'd':
        return (uint8_t)(at[1] == '-' ? dims - 2 : dims);
    case 'w':
        return (uint8_t)(choice->type[0] == PTX_TYPE_f16 ? choice->shape[1] / 4 : choice->shape[1] / 2);
    default:
        return (uint8_t)atoi(at);
    }
}

static uint8_t space_of(const struct ptx_choice *choice, const char *at)
{
    static const struct {
        const char *name;
        enum ptx_word word;
    } spaces[] = {{"generic]", PTX_WORD_NONE},
                  {"global]", PTX_GLOBAL},
                  {"shared]", PTX_SHARED},
                  {"shared::cluster]", PTX_SHARED_CLUSTER}};
    if (*at == '0' || *at == '1') return choice->space[*at - '0'];
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (strncmp(at, spaces[i].name, strlen(spaces[i].name)) == 0) return (uint8_t)spaces[i].word;
    assert(0 && "a space of forms.def");
    return 0;
}

// #0..255, #-1|1, #0.. (no greatest), #24..256/8
static const char *read_constant(const char *at, struct ptx_operand_rule *rule)
{
    char *end;
    rule->kind = PTX_RULE_CONSTANT;
    rule->type = PTX_TYPE_s32;
    rule->least = rule->one[0] = (int32_t)strtol(at, &end, 10);
    for (rule->ones = 1; *end == '|' && rule->ones < 3; rule->ones++)
        rule->one[rule->ones] = (int32_t)strtol(end + 1, &end, 10);
    if (*end != '.') return end;
    rule->ones = 0;
    rule->most = INT_MAX;
    end += 2;
    if (*end != '\0' && *end != ' ' && *end != '/') rule->most = (int32_t)strtol(end, &end, 10);
    return end;
}

// What each word behind a slash sets.
#define SETS(word, member, value)                                                                                      \
    {                                                                                                                  \
        word, offsetof(struct ptx_operand_rule, member), value                                                         \
    }
static const struct {
    const char *word;
    size_t member;
    uint8_t value;
} flags[] = {
    SETS("optional", is_optional, 1),
    SETS("joined", is_joined, 1),
    SETS("bracketed", is_bracketed, 1),
    SETS("wide", is_wide, 1),
    SETS("negated", may_negate, 1),
    SETS("sinkable", may_sink, 1),
    SETS("sink", must_sink, 1),
    SETS("register", register_only, 1),
    SETS("special", may_special, 1),
    SETS("variable", may_address, 1),
    SETS("packed", may_pack, 1),
    SETS("vector", is_vectorable, 1),
    SETS("fraction", is_fraction, 1),
    SETS("no-float", no_float, 1),
    SETS("no-parameter", not_parameter, 1),
    SETS("only-shared", only_shared, 1),
    SETS("not-shared", not_shared, 1),
    SETS("hint", is_hint, 1),
    SETS("bits", only_bits, 1),
    SETS("each", is_each, 1),
    SETS("layer", has_layer, 1),
    SETS("no-offset", no_offset, 1),
    SETS("by-8", step, 8),
    SETS("below-256", limited, PTX_LIMIT_BELOW_256),
    SETS("below-16", limited, PTX_LIMIT_BELOW_16),
    SETS("by-32", limited, PTX_LIMIT_BY_32),
    SETS("by-32-not-0", limited, PTX_LIMIT_BY_32_NOT_0),
    SETS("not-0", limited, PTX_LIMIT_NOT_0),
    SETS("power-of-2", limited, PTX_LIMIT_POWER_OF_2),
    SETS("not-above-last", limited, PTX_LIMIT_NOT_ABOVE_LAST),
    SETS("0-or-1", limited, PTX_LIMIT_0_OR_1),
    SETS("by-16", limited, PTX_LIMIT_BY_16),
};
#undef SETS
enum { FLAGS = sizeof flags / sizeof flags[0] };

static bool is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

static void read_flag(const char *at, size_t length, struct ptx_operand_rule *rule)
{
    int i = 0;
    while (i < FLAGS && !is_word(at, length, flags[i].word)) i++;
    assert(i < FLAGS && "a word of forms.def");
    *((uint8_t *)rule + flags[i].member) = flags[i].value;
}

static void read_flags(const char *at, const struct ptx_choice *choice, struct ptx_operand_rule *rule)
{
    int vector = choice->word[PTX_CLASS_VECTOR];
    for (size_t length; *at == '/'; at += 1 + length) {
        length = strcspn(at + 1, "/ ");
        read_flag(at + 1, length, rule);
    }
    rule->may_sink |= rule->must_sink;
    rule->may_address |= rule->may_special;
    if (rule->may_address && !rule->may_special) rule->space = choice->space[0];
    if (rule->is_vectorable && vector != 0) rule->vector = (uint8_t)(2 << (vector - PTX_V2));
}

static void read_kind(const char *at, size_t length, const struct ptx_choice *choice, struct ptx_operand_rule *rule)
{
    if (*at == '[') {
        rule->kind = PTX_RULE_ADDRESS;
        rule->space = space_of(choice, at + 1);
    } else if (length == 5 && strncmp(at, "label", length) == 0) {
        rule->kind = PTX_RULE_LABEL;
    } else if (length == 7 && strncmp(at, "targets", length) == 0) {
        rule->kind = PTX_RULE_TARGETS;
    } else if (length == 4 && strncmp(at, "call", length) == 0) {
        rule->kind = PTX_RULE_CALL;
    } else {
        rule->type = (uint8_t)type_of(choice, at, length);
    }
}

// .part, .h10, ...: its name stands for it.
static void read_selector(const char *at, struct ptx_operand_rule *rule)
{
    static const char *const names[PTX_SELECTORS] = {"whole", "part",  "mask2", "mask4", "h10",
                                                     "h32",   "b3210", "b7654", "minus"};
    size_t length = strcspn(at, " ");
    *rule = (struct ptx_operand_rule){
        .name = at, .name_length = (uint8_t)length, .kind = PTX_RULE_SELECTOR, .type = PTX_TYPE_b32};
    while (rule->selector < PTX_SELECTORS &&
           (strlen(names[rule->selector]) != length - 1 || memcmp(names[rule->selector], at + 1, length - 1) != 0))
        rule->selector++;
    assert(rule->selector < PTX_SELECTORS && "a selector of forms.def");
}

static void read_rule(const char *at, const struct ptx_choice *choice, struct ptx_operand_rule *rule)
{
    size_t name = strcspn(at, "=:");
    if (*at == '.') {
        read_selector(at, rule);
        return;
    }
    *rule = (struct ptx_operand_rule){.name = at, .name_length = (uint8_t)name, .is_written = at[name] == '='};
    at += name + 1;
    if (*at == '#') {
        at = read_constant(at + 1, rule);
    } else {
        size_t length = strcspn(at, "{/ ");
        read_kind(at, length, choice, rule);
        at += length;
        if (*at == '{') rule->vector = vector_of(choice, at + 1);
        at += *at == '{' ? strcspn(at, "}") + 1 : 0;
    }
    read_flags(at, choice, rule);
}

// Is it the operand of a word that was not said?
static bool is_left_out(const char *at, size_t length, const struct ptx_choice *choice)
{
    const size_t hint = strlen("/hint");
    return length > hint && memcmp(at + length - hint, "/hint", hint) == 0 && !choice->word[PTX_CLASS_CACHE_HINT];
}

int ptx_operand_rules(const struct ptx_choice *choice, struct ptx_operand_rule rule[PTX_MOST_OPERANDS])
{
    const char *text = ptx_form_row(choice->form)->operands;
    int count = 0;
    for (size_t length; *text != '\0'; text += length + (text[length] == ' ')) {
        length = strcspn(text, " ");
        if (is_left_out(text, length, choice)) continue;
        assert(count < PTX_MOST_OPERANDS);
        read_rule(text, choice, &rule[count++]);
    }
    return count;
}

// --- Selectors -------------------------------------------------------------------------------------------------------

static const struct {
    char letter;
    int digits, limit; // most digits of a mask; of others how many there are; what they are below
    uint32_t unsaid;
} selectors[PTX_SELECTORS] = {
    [PTX_SELECTOR_MASK2] = {'h', 2, 2, 3},      [PTX_SELECTOR_MASK4] = {'b', 4, 4, 15},
    [PTX_SELECTOR_H10] = {'h', 2, 4, 0x10},     [PTX_SELECTOR_H32] = {'h', 2, 4, 0x32},
    [PTX_SELECTOR_B3210] = {'b', 4, 8, 0x3210}, [PTX_SELECTOR_B7654] = {'b', 4, 8, 0x7654},
};

static int read_part(const char *text, size_t length, uint32_t *number)
{
    static const char parts[] = "b0b1b2b3h0h1";
    *number = 0;
    for (uint32_t i = 0; i < sizeof parts / 2; i++)
        if (length == 2 && memcmp(text, parts + 2 * i, 2) == 0) *number = i + 1;
    return *number != 0;
}

int ptx_selector_read(enum ptx_selector selector, const char *text, size_t length, uint32_t *number)
{
    const bool is_mask = selector == PTX_SELECTOR_MASK2 || selector == PTX_SELECTOR_MASK4;
    int last = selectors[selector].limit;
    *number = selectors[selector].unsaid;
    if (length == 0) return 1;
    if (selector == PTX_SELECTOR_PART) return read_part(text, length, number);
    if (length == 5 && memcmp(text, "b1024", length) == 0) return 0; // a type of PTX, which ptxas takes it for
    const size_t most = (size_t)selectors[selector].digits + 1;
    if (most == 1 || *text != selectors[selector].letter || length < 2 || length > most) return 0;
    if (!is_mask && length != most) return 0;
    *number = 0;
    for (size_t i = 1; i < length; i++) {
        const int digit = text[i] - '0';
        if (digit < 0 || digit >= (is_mask ? last : selectors[selector].limit)) return 0;
        *number = is_mask ? *number | 1u << digit : *number << 4 | (uint32_t)digit;
        last = digit;
    }
    return 1;
}
