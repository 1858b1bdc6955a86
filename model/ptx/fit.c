// SPDX-License-Identifier: MIT
// Which row of a spelling takes the operands as they are written, and the instruction that it makes.
#include <stdio.h>
#include <string.h>

#include "fit.h"

enum { MOST_VECTOR_BITS = 128, MOST_BARRIER = 15, WARP = 32, BULK_STEP = 16 };

static int refuse(struct trial *trial, const struct written *written, const char *format, const char *name)
{
    trial->blamed = written;
    snprintf(trial->why, sizeof trial->why, format, name);
    return 0;
}

// --- Types -----------------------------------------------------------------------------------------------------------

static bool is_integer(enum ptx_type_kind kind)
{
    return kind == PTX_KIND_BITS || kind == PTX_KIND_UNSIGNED || kind == PTX_KIND_SIGNED;
}

// Does a register declared as `have` hold a value that an instruction takes as `want`?
static bool type_fits(enum ptx_type want, enum ptx_type have, bool is_wide)
{
    const struct ptx_type_row *a = ptx_type_row(want), *b = ptx_type_row(have);
    if (want == have) return true;
    if (have == PTX_TYPE_f16x2) return want == PTX_TYPE_b32;
    if (a->kind == PTX_KIND_PREDICATE || b->kind == PTX_KIND_PREDICATE) return false;
    bool is_packed = a->kind == PTX_KIND_PACKED;
    if (is_wide && !is_packed ? b->bits < a->bits : b->bits != a->bits) return false;
    if (b->kind == PTX_KIND_BITS) return true;
    if (a->kind == PTX_KIND_BITS) return !is_wide || b->kind != PTX_KIND_FLOAT || b->bits >= a->bits;
    return is_integer(a->kind) && is_integer(b->kind);
}

static bool constant_fits(enum ptx_type want, const struct ptx_number *number)
{
    const struct ptx_type_row *row = ptx_type_row(want);
    if (number->is_pattern && row->kind == PTX_KIND_BITS && row->bits == (number->is_single ? 32 : 64)) return true;
    if (number->is_float) return want == PTX_TYPE_f32 || want == PTX_TYPE_f64;
    return row->kind == PTX_KIND_PREDICATE || (is_integer(row->kind) && row->bits <= 64);
}

// What a row says of constants where a register may stand too.
static bool in_range(const struct ptx_operand_rule *rule, const struct ptx_number *number)
{
    double value;
    switch (rule->limited) {
    case PTX_LIMIT_BELOW_256:
        return number->bits <= UINT8_MAX;
    case PTX_LIMIT_BELOW_16:
        return number->bits <= MOST_BARRIER;
    case PTX_LIMIT_BY_32:
        return number->bits % WARP == 0;
    case PTX_LIMIT_BY_32_NOT_0:
        return number->bits % WARP == 0 && number->bits != 0;
    case PTX_LIMIT_0_OR_1:
        return number->bits <= 1;
    case PTX_LIMIT_BY_16:
        return number->bits % BULK_STEP == 0;
    case PTX_LIMIT_NOT_0:
        return (int64_t)number->bits > 0;
    default:
        break;
    }
    if (!rule->is_fraction || !number->is_float || number->is_single) return true;
    memcpy(&value, &number->bits, sizeof value);
    return value > 0 && value <= 1;
}

static bool special_fits(enum ptx_type want, enum ptx_type have)
{
    const struct ptx_type_row *a = ptx_type_row(want), *b = ptx_type_row(have);
    if (a->kind == PTX_KIND_PREDICATE || b->kind == PTX_KIND_PREDICATE) return a->kind == b->kind;
    return is_integer(a->kind) && (a->bits == b->bits || (a->bits == 16 && b->bits == 32));
}

static bool is_shared(int space)
{
    return space == PTX_SHARED || space == PTX_SHARED_CTA || space == PTX_SHARED_CLUSTER;
}

static bool is_param(int space)
{
    return space == PTX_PARAM || space == PTX_PARAM_ENTRY || space == PTX_PARAM_FUNC;
}

// The address of a variable as a value: 32 bits hold one of shared memory and the like.
static bool address_fits(enum ptx_type want, int space)
{
    const struct ptx_type_row *row = ptx_type_row(want);
    if (!is_integer(row->kind)) return false;
    return row->bits == 64 || (row->bits == 32 && (is_shared(space) || is_param(space) || space == PTX_LOCAL));
}

static bool space_fits(int want, int have)
{
    if (want == have || (want == PTX_WORD_NONE && !is_param(have))) return true;
    return (is_shared(want) && is_shared(have)) || (is_param(want) && is_param(have));
}

// --- One operand -----------------------------------------------------------------------------------------------------

static int value_fits(struct trial *trial, const struct ptx_operand_rule *rule, const struct written *written);

// What a part of a vector may stand beside. The sink says nothing, and so do registers of bits but for their width.
struct beside {
    uint32_t bits; // 0: of any width
    enum ptx_type type;
    bool is_float, is_integer, is_constant;
    int is_member;
};

static struct beside beside_of(const struct written *part)
{
    const struct ptx_type_row *row = ptx_type_row((enum ptx_type)part->type);
    if (part->kind == PTX_OPERAND_CONSTANT)
        return (struct beside){
            .is_constant = true, .is_float = part->number.is_float, .is_integer = !part->number.is_float};
    if (part->kind != PTX_OPERAND_REGISTER && part->kind != PTX_OPERAND_SPECIAL) return (struct beside){0};
    return (struct beside){row->bits,
                           (enum ptx_type)part->type,
                           row->kind == PTX_KIND_FLOAT,
                           is_integer(row->kind) && row->kind != PTX_KIND_BITS,
                           false,
                           part->is_member};
}

static bool may_stand_beside(const struct beside *a, const struct beside *b)
{
    if (a->bits != 0 && b->bits != 0 && a->bits != b->bits) return false;
    if (a->is_float && b->is_float && !a->is_constant && !b->is_constant) return a->type == b->type;
    if (a->type == PTX_TYPE_f16x2 || b->type == PTX_TYPE_f16x2)
        return !a->is_constant && !b->is_constant && !a->is_integer && !b->is_integer;
    return !(a->is_float && b->is_integer) && !(a->is_integer && b->is_float);
}

// Each part of {a, b, ...} is held against the one before it, as ptxas does. *has_bits: one is a register of
// bits, or two are of two types.
static int parts_agree(struct trial *trial, const struct written *written, int *has_bits)
{
    const struct written *part = &trial->operands->at[written->first];
    int sinks = 0, constants = 0, members = 0;
    *has_bits = 0;
    for (uint32_t i = 0; i < written->count; i++) {
        const struct beside here = beside_of(&part[i]), before = i > 0 ? beside_of(&part[i - 1]) : here;
        sinks += part[i].kind == PTX_OPERAND_SINK;
        constants += here.is_constant;
        members += here.is_member;
        *has_bits |= (here.bits != 0 && !here.is_float && !here.is_integer) || here.type != before.type;
        if (!may_stand_beside(&before, &here))
            return refuse(trial, &part[i], "the parts of a vector are of %s", "one type; give it registers of bits");
    }
    if (constants > 0 && members > 0)
        return refuse(trial, written, "a constant cannot stand beside a part of a vector register%s", "");
    return sinks < (int)written->count || sinks == 0 || refuse(trial, written, "the vector has only the sink _%s", "");
}

// The parts of a vector that begins with a brace: with one of bits beside them, all count as bits.
static int parts_fit(struct trial *trial, const struct ptx_operand_rule *rule, const struct written *written)
{
    static const enum ptx_type of_bits[] = {PTX_TYPE_b8, PTX_TYPE_b16, PTX_TYPE_b32, PTX_TYPE_b64, PTX_TYPE_b128};
    struct ptx_operand_rule part = *rule;
    int has_bits;
    if (!parts_agree(trial, written, &has_bits)) return 0;
    has_bits &= !rule->is_each;
    part.may_special |= !rule->is_written && *written->token.at == '{';
    part.may_address = 0;
    for (uint32_t i = 0; i < written->count; i++) {
        struct written as = trial->operands->at[written->first + i];
        for (int n = 0; n < 5 && has_bits && as.kind == PTX_OPERAND_REGISTER; n++)
            if (ptx_type_row(of_bits[n])->bits == ptx_type_row((enum ptx_type)as.type)->bits)
                as.type = (uint8_t)of_bits[n];
        if (value_fits(trial, &part, &as)) continue;
        trial->blamed = &trial->operands->at[written->first + i];
        return 0;
    }
    return 1;
}

// The parts that name a texel: a layer, and coordinates of one type.
static int place_fits(struct trial *trial, const struct ptx_operand_rule *rule, const struct written *written)
{
    const struct written *part = &trial->operands->at[written->first];
    int constants = 0, members = 0;
    for (uint32_t i = 0; i < written->count; i++) {
        struct ptx_operand_rule of = {.name = rule->name, .name_length = rule->name_length, .type = rule->type};
        if (i == 0) of.type = PTX_TYPE_u32;
        constants += part[i].kind == PTX_OPERAND_CONSTANT;
        members += part[i].is_member;
        if (value_fits(trial, &of, &part[i])) continue;
        trial->blamed = &part[i];
        return 0;
    }
    return constants == 0 || members == 0 ||
           refuse(trial, written, "a constant cannot stand beside a part of a vector register%s", "");
}

static int vector_fits(struct trial *trial, const struct ptx_operand_rule *rule, const struct written *written)
{
    struct ptx_operand_rule part = *rule;
    part.vector = 0;
    part.may_sink = rule->is_written && rule->is_vectorable && !rule->may_sink;
    if (rule->is_vectorable && rule->vector * ptx_type_row((enum ptx_type)rule->type)->bits > MOST_VECTOR_BITS)
        return refuse(trial, written, "vectors of more than 128 bits need %s", "sm_100");
    if (written->count != rule->vector)
        return refuse(trial, written, "this vector has the wrong number of parts%s", "");
    return rule->has_layer ? place_fits(trial, rule, written) : parts_fit(trial, &part, written);
}

// mov.b64 %rd, {%r0, %r1}: equal parts that make up the whole.
static int pack_fits(struct trial *trial, const struct ptx_operand_rule *rule, const struct written *written)
{
    static const enum ptx_type halves[] = {PTX_TYPE_b8, PTX_TYPE_b16, PTX_TYPE_b32, PTX_TYPE_b64};
    struct ptx_operand_rule part = *rule;
    uint32_t bits = ptx_type_row((enum ptx_type)rule->type)->bits;
    if (written->count != 2 && written->count != 4)
        return refuse(trial, written, "this vector has %s parts", "neither 2 nor 4");
    part.may_pack = 0;
    part.may_sink = rule->is_written;
    part.type = PTX_TYPE_NONE;
    for (int i = 0; i < 4; i++)
        if (ptx_type_row(halves[i])->bits * written->count == bits) part.type = (uint8_t)halves[i];
    if (part.type == PTX_TYPE_NONE)
        return refuse(trial, written, "this number of parts does not make up the %s", "whole");
    return parts_fit(trial, &part, written);
}

static bool scalar_fits(const struct ptx_operand_rule *rule, const struct written *written)
{
    enum ptx_type want = (enum ptx_type)rule->type;
    switch (written->kind) {
    case PTX_OPERAND_REGISTER:
        if (rule->no_float && ptx_type_row((enum ptx_type)written->type)->kind == PTX_KIND_FLOAT) return false;
        if (rule->only_bits && ptx_type_row((enum ptx_type)written->type)->kind != PTX_KIND_BITS) return false;
        return type_fits(want, (enum ptx_type)written->type, rule->is_wide);
    case PTX_OPERAND_CONSTANT:
        if (rule->no_float && written->number.is_float) return false;
        return !rule->is_written && !rule->register_only && constant_fits(want, &written->number) &&
               in_range(rule, &written->number);
    case PTX_OPERAND_SPECIAL:
        return rule->may_special && special_fits(want, (enum ptx_type)written->type);
    case PTX_OPERAND_VARIABLE:
        return rule->may_address && address_fits(want, written->space) &&
               (rule->space == PTX_WORD_NONE || space_fits(rule->space, written->space));
    case PTX_OPERAND_FUNCTION:
        return rule->may_address && rule->space == PTX_WORD_NONE && address_fits(want, PTX_WORD_NONE);
    default:
        return false;
    }
}

static int value_fits(struct trial *trial, const struct ptx_operand_rule *rule, const struct written *written)
{
    const char *type = ptx_type_row((enum ptx_type)rule->type)->name;
    if (written->is_negated && !rule->may_negate)
        return refuse(trial, written, "this operand cannot be negated with !%s", "");
    if (written->kind == PTX_OPERAND_SINK && rule->may_sink) return 1;
    if (rule->must_sink)
        return refuse(trial, written, "expected the sink _: nothing comes back from another CTA%s", "");
    if (written->kind == PTX_OPERAND_VECTOR && written->count == 1 && rule->vector == 0 && rule->is_vectorable)
        return value_fits(trial, rule, &trial->operands->at[written->first]);
    if (written->kind == PTX_OPERAND_VECTOR && rule->vector > 0) return vector_fits(trial, rule, written);
    if (rule->vector > 0) return refuse(trial, written, "expected a vector of .%s in braces { }", type);
    if (rule->may_pack) {
        if (written->kind == PTX_OPERAND_VECTOR) return pack_fits(trial, rule, written);
        return refuse(trial, written, "expected a vector in braces { }%s", "");
    }
    if (written->kind == PTX_OPERAND_VECTOR)
        return refuse(trial, written, "expected one register; for a vector, name a part, as in v%s", ".x");
    if (written->kind == PTX_OPERAND_LABEL) return refuse(trial, written, "this name is not declared%s", "");
    if (scalar_fits(rule, written)) return 1;
    if (rule->is_written) return refuse(trial, written, "expected a register of type .%s", type);
    return refuse(trial, written, "expected a value of type .%s", type);
}

static bool is_one_of(const struct ptx_operand_rule *rule, int64_t value)
{
    for (int i = 0; i < rule->ones; i++)
        if (value == rule->one[i]) return true;
    return false;
}

static int number_fits(struct trial *trial, const struct ptx_operand_rule *rule, const struct written *written)
{
    int64_t value = (int64_t)written->number.bits;
    char range[80];
    if (written->kind != PTX_OPERAND_CONSTANT || written->number.is_float)
        return refuse(trial, written, "expected a constant%s", "");
    if (rule->limited == PTX_LIMIT_POWER_OF_2 && (value & (value - 1)) != 0)
        return refuse(trial, written, "the constant here is a power of %s", "two");
    if (rule->ones > 0 ? is_one_of(rule, value)
                       : value >= rule->least && value <= rule->most && (rule->step == 0 || value % rule->step == 0))
        return 1;
    if (rule->ones > 0)
        snprintf(range, sizeof range, rule->ones == 3 ? "%d, %d or %d" : "%d or %d", rule->one[0], rule->one[1],
                 rule->one[2]);
    else
        snprintf(range, sizeof range, "%d to %d%s", rule->least, rule->most, rule->step > 1 ? ", a multiple of 8" : "");
    return refuse(trial, written, "the constant here is %s", range);
}

// ld.global.u32 %r1, g[2]: plain loads and stores take an element of an array as an address.
static bool is_place(const struct trial *trial, const struct written *written)
{
    const char *opcode = ptx_form_row(trial->row->choice.form)->opcode;
    return written->is_element &&
           (strcmp(opcode, "ld") == 0 || strcmp(opcode, "ldu") == 0 || strcmp(opcode, "st") == 0);
}

static int at_fits(struct trial *trial, const struct ptx_operand_rule *rule, const struct written *written)
{
    const struct ptx_type_row *type = ptx_type_row((enum ptx_type)written->type);
    bool is_long = rule->space == PTX_WORD_NONE || rule->space == PTX_GLOBAL || rule->space == PTX_CONST;
    if (rule->no_offset && written->offset != 0) return refuse(trial, written, "a handle has no offset%s", "");
    switch (is_place(trial, written) ? PTX_OPERAND_AT_VARIABLE : written->kind) {
    case PTX_OPERAND_AT_REGISTER:
        if (!is_integer(type->kind) || type->bits > 64)
            return refuse(trial, written, "a register of .%s cannot hold an address", type->name);
        if (is_long && type->bits != 64)
            return refuse(trial, written, "expected an address of 64 bits, not of .%s", type->name);
        return 1;
    case PTX_OPERAND_AT_VARIABLE:
        if (rule->only_shared && !is_shared(written->space))
            return refuse(trial, written, "expected a variable in shared memory%s", "");
        if (rule->not_shared && written->space != PTX_GLOBAL && written->space != PTX_CONST)
            return refuse(trial, written, "a tensor map lies in %s memory", "global or constant");
        if (rule->only_shared && !is_shared(written->space))
            return refuse(trial, written, "expected a variable in shared memory%s", "");
        if (rule->register_only) return refuse(trial, written, "expected a generic address in a register%s", "");
        if (rule->not_parameter && written->is_parameter)
            return refuse(trial, written, "a function cannot write its parameters%s", "");
        if (rule->not_shared || space_fits(rule->space, written->space)) return 1;
        return refuse(trial, written, "the variable is in .%s", ptx_word_spelling((enum ptx_word)written->space));
    case PTX_OPERAND_AT_CONSTANT:
        if (rule->space == PTX_LOCAL) return 1;
        return refuse(trial, written, "only .local takes a number as an address%s", "");
    default:
        return refuse(trial, written, "expected an address in brackets [ ]%s", "");
    }
}

static int operand_fits(struct trial *trial, const struct ptx_operand_rule *rule, const struct written *written)
{
    if (written->is_joined != rule->is_joined)
        return refuse(trial, written,
                      rule->is_joined ? "expected a predicate after |%s" : "no | may stand before this%s", "");
    if (written->is_bracketed != rule->is_bracketed)
        return refuse(trial, written, "this operand goes %s the brackets", rule->is_bracketed ? "inside" : "outside");
    switch (rule->kind) {
    case PTX_RULE_CONSTANT:
        return number_fits(trial, rule, written);
    case PTX_RULE_ADDRESS:
        return at_fits(trial, rule, written);
    case PTX_RULE_LABEL:
    case PTX_RULE_TARGETS:
        return written->kind == PTX_OPERAND_LABEL || refuse(trial, written, "expected a label%s", "");
    default:
        return value_fits(trial, rule, written);
    }
}

// --- Selectors and signs ---------------------------------------------------------------------------------------------

// vmad negates the product a * b, or c.
static bool minus_fits(struct trial *trial, int i, const struct written *written)
{
    int negated = written->is_minus;
    if (i + 1 < trial->row->rules || !written->is_minus) return true;
    for (int k = 0; k < i; k++)
        if (trial->row->rule[k].kind == PTX_RULE_SELECTOR && trial->row->rule[k].selector == PTX_SELECTOR_MINUS)
            negated += trial->chosen[k]->is_minus;
    return negated % 2 != 0 || refuse(trial, written, "the product or the sum may be negated, not %s", "both");
}

// What is written at operand `i` besides its name is what the rules behind it take.
static int selectors_fit(struct trial *trial, int i, const struct written *written)
{
    bool takes_selector = false, takes_minus = false;
    uint32_t number;
    if (written->is_member && trial->row->rule[1].kind == PTX_RULE_SELECTOR)
        return refuse(trial, written, "no video instruction takes a part of a vector register%s", "");
    for (int k = i + 1; k < trial->row->rules && trial->row->rule[k].kind == PTX_RULE_SELECTOR; k++) {
        const enum ptx_selector selector = (enum ptx_selector)trial->row->rule[k].selector;
        trial->chosen[k] = written;
        if (selector == PTX_SELECTOR_MINUS) {
            takes_minus = true;
            if (!minus_fits(trial, k, written)) return 0;
            continue;
        }
        takes_selector = selector != PTX_SELECTOR_WHOLE;
        if (!ptx_selector_read(selector, written->selector, written->selector_length, &number) && takes_selector)
            return refuse(trial, written, "this operand has no such part%s", "");
    }
    if (written->is_minus && !takes_minus) return refuse(trial, written, "this operand cannot be negated with -%s", "");
    return written->selector_length == 0 || takes_selector ||
           refuse(trial, written, "no part of this operand can be chosen%s", "");
}

// --- A row -----------------------------------------------------------------------------------------------------------

// cp.async copies no more bytes than it writes.
static int below_last(struct trial *trial, int i, const struct written *written)
{
    if (trial->row->rule[i].limited != PTX_LIMIT_NOT_ABOVE_LAST || written->kind != PTX_OPERAND_CONSTANT) return 1;
    if (written->number.bits <= trial->chosen[i - 1]->number.bits) return 1;
    return refuse(trial, written, "this is more than the previous operand%s", "");
}

// Tries the rules in their order; an operand that may be left out is, where the next one written is not it. Returns how
// many were taken, or -1 if all were.
static int try_row(struct trial *trial)
{
    const struct operands *operands = trial->operands;
    uint32_t at = 0;
    for (int i = 0; i < trial->row->rules; i++) {
        const struct ptx_operand_rule *rule = &trial->row->rule[i];
        const struct written *written = at < operands->count ? &operands->at[at] : NULL;
        if (rule->kind == PTX_RULE_SELECTOR) continue;
        trial->chosen[i] = NULL;
        if (rule->is_optional && (written == NULL || (rule->is_joined && !written->is_joined))) continue;
        if (written == NULL) {
            trial->blamed = NULL;
            snprintf(trial->why, sizeof trial->why, "the operand '%.*s' is missing", rule->name_length, rule->name);
            return i;
        }
        if (!operand_fits(trial, rule, written) || !below_last(trial, i, written) ||
            !selectors_fit(trial, i, written)) {
            if (rule->is_optional && trial->row->rules > i + 1 &&
                operands->count - at < (uint32_t)(trial->row->rules - i))
                continue;
            return i;
        }
        trial->chosen[i] = written;
        at++;
    }
    if (at == operands->count) return -1;
    refuse(trial, &operands->at[at], "one operand too many%s", "");
    return (int)at;
}

struct known_row *ptx_fit_row(struct parser *parser, const struct known_spelling *spelling,
                              const struct ptx_token *opcode, struct trial *trial)
{
    struct known_row *rows = (struct known_row *)parser->module->rows.item + spelling->first_row;
    struct trial best = {0};
    int most = -1;
    for (uint32_t i = 0; i < spelling->rows; i++) {
        trial->row = &rows[i];
        int taken = try_row(trial);
        if (taken < 0) return &rows[i];
        if (taken > most) most = taken, best = *trial;
    }
    char advice[PTX_MESSAGE_BYTES];
    snprintf(advice, sizeof advice, "Operands of this form of '%s': %.200s",
             ptx_form_row(best.row->choice.form)->opcode,
             best.row->rules == 0 ? "none" : ptx_form_row(best.row->choice.form)->operands);
    ptx_parser_fail(parser, best.blamed == NULL ? opcode : &best.blamed->token, advice, "%s", best.why);
    return NULL;
}
