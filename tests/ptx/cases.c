// SPDX-License-Identifier: MIT
#include "cases.h"

#include <stdio.h>
#include <string.h>

#include "operand_rule.h"

const char cases_head[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".global .align 16 .b32 gvar[4];\n.shared .align 16 .b8 svar[1024];\n.const .align 16 .b32 cvar[4];\n"
    ".func (.reg .b32 r) f(.reg .b32 a) { mov.b32 r, a; ret; }\n"
    ".visible .entry k(.param .u32 p0, .param .align 64 .b8 pmap[128]) {\n"
    ".reg .b8 %c<140>; .reg .b16 %h<140>; .reg .u16 %uh<140>; .reg .s16 %sh<140>; .reg .f16 %fh<140>; .reg .b32 "
    "%b<140>;\n"
    ".reg .u32 %u<140>; .reg .s32 %s<140>; .reg .f32 %f<140>; .reg .f16x2 %fx<140>; .reg .b64 %bd<140>; .reg .u64 "
    "%ud<140>;\n"
    ".reg .s64 %sd<140>; .reg .f64 %d<140>; .reg .b128 %q<140>; .reg .pred %p<140>;\n"
    ".reg .v2 .f32 %vf<2>; .reg .v4 .u32 %vu<2>; .reg .v2 .b32 %vb<2>; .reg .v2 .u64 %vd<2>; .reg .v4 .b16 %vh<2>;\n"
    ".local .align 16 .b32 lvar[4];\n.param .align 16 .b8 pl[64];\nTAB: .branchtargets L0;\nL0:\n";
const char cases_tail[] = "ret;\n}\n";

enum {
    MOST_TEXT = 2048,
    MOST_SLOTS = 16,
    MOST_PICKS = PTX_MOST_WORDS,
    RANDOM_SPELLINGS = 12,
    SHARE = 5,
    LEFT_OUT = -1
};

// A row with one word of each slot picked, LEFT_OUT for none; which words come in what order; and the operands.
struct sample {
    int form, slots, pick[MOST_SLOTS];
    const char *extra; // a word more, or NULL
    int doubled;
    bool is_reversed;
    int operand;
    bool has_more;       // the operand to change, and what for; one operand more
    const char *instead; // "" leaves it out
};

struct telling {
    void (*tell)(void *to, const char *instruction);
    void *to;
    char text[MOST_TEXT];
    size_t used;
};

static void put(struct telling *telling, const char *at, size_t length)
{
    if (telling->used + length + 1 > MOST_TEXT) return;
    memcpy(telling->text + telling->used, at, length);
    telling->used += length;
    telling->text[telling->used] = '\0';
}

static void put_text(struct telling *telling, const char *text)
{
    put(telling, text, strlen(text));
}

// --- Spellings -------------------------------------------------------------------------------------------------------

// m64n*k16 is spelled with an n that is everywhere legal.
static void put_word(struct telling *telling, const char *word, size_t length)
{
    const char *star = memchr(word, '*', length);
    put_text(telling, ".");
    if (star == NULL) {
        put(telling, word, length);
        return;
    }
    size_t before = (size_t)(star - word);
    put(telling, word, star[-1] == 'i' ? before - 1 : before);
    put_text(telling, star[-1] == 'i' ? "n16" : "16");
    put(telling, star + 1, length - before - 1);
}

static void put_slot(struct telling *telling, const struct sample *sample, int slot)
{
    size_t length;
    if (sample->pick[slot] == LEFT_OUT) return;
    const char *word = ptx_form_slot_word(sample->form, slot, sample->pick[slot], &length);
    for (int i = 0; i < 1 + (sample->doubled == slot); i++) put_word(telling, word, length);
}

static void put_spelling(struct telling *telling, const struct sample *sample)
{
    put_text(telling, ptx_form_row(sample->form)->opcode);
    for (int i = 0; i < sample->slots; i++) put_slot(telling, sample, sample->is_reversed ? sample->slots - 1 - i : i);
    if (sample->extra != NULL) put_word(telling, sample->extra, strlen(sample->extra));
}

// --- Operands --------------------------------------------------------------------------------------------------------

// The register that is declared for a type.
static const char *stem_of(enum ptx_type type)
{
    static const char *const stems[PTX_TYPES] = {
        [PTX_TYPE_u16] = "uh", [PTX_TYPE_s16] = "sh", [PTX_TYPE_f16] = "fh", [PTX_TYPE_u32] = "u",
        [PTX_TYPE_s32] = "s",  [PTX_TYPE_f32] = "f",  [PTX_TYPE_f64] = "d",  [PTX_TYPE_f16x2] = "fx",
        [PTX_TYPE_u64] = "ud", [PTX_TYPE_s64] = "sd", [PTX_TYPE_pred] = "p", [PTX_TYPE_u8] = "uh",
        [PTX_TYPE_s8] = "sh"};
    uint32_t bits = ptx_type_row(type)->bits;
    if (stems[type] != NULL) return stems[type];
    return bits <= 16 ? "h" : bits == 32 ? "b" : bits == 64 ? "bd" : "q";
}

static const char *address_of(int space)
{
    switch (space) {
    case PTX_SHARED:
    case PTX_SHARED_CTA:
    case PTX_SHARED_CLUSTER:
        return "[%u1]";
    case PTX_PARAM:
    case PTX_PARAM_ENTRY:
        return "[p0]";
    case PTX_CONST:
        return "[cvar]";
    default:
        return "[%ud1]";
    }
}

static void put_register(struct telling *telling, const struct ptx_operand_rule *rule, int number)
{
    char name[32];
    snprintf(name, sizeof name, "%%%s%d", stem_of((enum ptx_type)rule->type), number);
    put_text(telling, rule->must_sink ? "_" : name);
}

static void put_vector(struct telling *telling, const struct ptx_operand_rule *rule)
{
    static const struct ptx_operand_rule half = {.type = PTX_TYPE_b32};
    int parts = rule->may_pack ? 2 : rule->vector;
    put_text(telling, "{");
    for (int i = 0; i < parts; i++) {
        struct ptx_operand_rule part = rule->may_pack ? half : *rule;
        uint32_t bits = ptx_type_row((enum ptx_type)rule->type)->bits / 2;
        if (rule->may_pack)
            part.type = bits == 64 ? PTX_TYPE_b64 : bits == 32 ? PTX_TYPE_b32 : bits == 16 ? PTX_TYPE_b16 : PTX_TYPE_b8;
        put_text(telling, i > 0 ? "," : "");
        if (part.type == PTX_TYPE_b8) {
            char name[16];
            snprintf(name, sizeof name, "%%c%d", i + 1);
            put_text(telling, name);
        } else {
            put_register(telling, &part, i + 1);
        }
    }
    put_text(telling, "}");
}

static void put_operand(struct telling *telling, const struct ptx_operand_rule *rule, int number)
{
    char text[32];
    snprintf(text, sizeof text, "%d", rule->ones > 0 ? rule->one[0] : rule->least);
    if (rule->kind == PTX_RULE_CONSTANT)
        put_text(telling, text);
    else if (rule->kind == PTX_RULE_ADDRESS)
        put_text(telling, rule->not_parameter ? "[pl]" : address_of(rule->space));
    else if (rule->kind == PTX_RULE_LABEL)
        put_text(telling, "L0");
    else if (rule->kind == PTX_RULE_TARGETS)
        put_text(telling, "TAB");
    else if (rule->vector > 0 || rule->may_pack)
        put_vector(telling, rule);
    else
        put_register(telling, rule, number);
}

// What stands before operand `i`; one in brackets moves into those of the operand before.
static void put_before(struct telling *telling, const struct ptx_operand_rule *rule, bool is_first)
{
    if (rule->is_bracketed && telling->text[telling->used - 1] == ']') telling->used--;
    put_text(telling, rule->is_joined ? "|" : is_first ? " " : ", ");
}

// What is written at the operand before: a sign in front of it, or a part behind it.
static void put_selector(struct telling *telling, const char *text, size_t operand_at)
{
    if (*text != '-') {
        put_text(telling, text);
        return;
    }
    put_text(telling, "-");
    memmove(telling->text + operand_at + 1, telling->text + operand_at, telling->used - 1 - operand_at);
    telling->text[operand_at] = '-';
}

static void put_operands(struct telling *telling, const struct sample *sample, const struct ptx_choice *choice)
{
    struct ptx_operand_rule rule[PTX_MOST_OPERANDS];
    int rules = ptx_operand_rules(choice, rule);
    bool is_first = 1;
    size_t operand_at = 0;
    for (int i = 0; i < rules; i++) {
        bool is_changed = sample->operand == i;
        if (is_changed && rule[i].kind == PTX_RULE_SELECTOR) put_selector(telling, sample->instead, operand_at);
        if (rule[i].kind == PTX_RULE_SELECTOR || (is_changed && sample->instead[0] == '\0')) continue;
        put_before(telling, &rule[i], is_first);
        operand_at = telling->used;
        if (is_changed)
            put_text(telling, sample->instead);
        else
            put_operand(telling, &rule[i], i + 1);
        if (rule[i].is_bracketed) put_text(telling, "]");
        is_first = false;
    }
    if (sample->has_more) put_text(telling, is_first ? " %u9" : ", %u9");
    put_text(telling, ";");
}

// The operands are those of the row's own spelling, whatever is said besides.
static void tell(struct telling *telling, const struct sample *sample)
{
    struct ptx_spelling spelling;
    struct ptx_choice choice;
    struct sample plain = *sample;
    int taken;
    plain.extra = NULL;
    plain.doubled = -1;
    telling->used = 0;
    put_spelling(telling, &plain);
    if (!ptx_spelling_cut(telling->text, telling->used, &spelling)) return;
    if (!ptx_form_match(sample->form, &spelling, &choice, &taken)) {
        struct sample whole = plain; // a word is left out: the operands of the first spelling
        for (int i = 0; i < whole.slots; i++)
            if (whole.pick[i] == LEFT_OUT && !ptx_form_slot_is_optional(whole.form, i)) whole.pick[i] = 0;
        telling->used = 0;
        whole.is_reversed = false;
        put_spelling(telling, &whole);
        ptx_spelling_cut(telling->text, telling->used, &spelling);
        if (!ptx_form_match(sample->form, &spelling, &choice, &taken)) return;
    }
    telling->used = 0;
    put_spelling(telling, sample);
    put_operands(telling, sample, &choice);
    telling->tell(telling->to, telling->text);
}

// --- Samples ---------------------------------------------------------------------------------------------------------

// The shortest spelling of a row.
static struct sample first_sample(int form)
{
    struct sample sample = {.form = form, .slots = ptx_form_slots(form), .doubled = -1, .operand = -1};
    for (int i = 0; i < sample.slots; i++) sample.pick[i] = ptx_form_slot_is_optional(form, i) ? LEFT_OUT : 0;
    return sample;
}

static int words_in(int form, int slot)
{
    size_t length;
    int count = 0;
    while (ptx_form_slot_word(form, slot, count, &length) != NULL) count++;
    return count;
}

// What a row's random picks begin with: FNV-1a over its name, so that another row anywhere in the table changes none of
// them.
static uint32_t seed_of(int form)
{
    uint32_t seed = 2166136261u;
    for (const char *at = ptx_form_row(form)->name; *at != '\0'; at++) seed = (seed ^ (unsigned char)*at) * 16777619u;
    return seed;
}

// Every word of every slot, then a few of all slots at once.
static void tell_legal(struct telling *telling, int form)
{
    struct sample first = first_sample(form);
    uint32_t random = seed_of(form);
    tell(telling, &first);
    for (int i = 0; i < first.slots; i++)
        for (int n = 0, words = words_in(form, i); n < words; n++) {
            struct sample sample = first;
            sample.pick[i] = n;
            if (n != first.pick[i]) tell(telling, &sample);
        }
    for (int n = 0; n < RANDOM_SPELLINGS && first.slots > 1; n++) {
        struct sample sample = first;
        for (int i = 0; i < first.slots; i++) {
            int least = ptx_form_slot_is_optional(form, i) ? LEFT_OUT : 0;
            random = random * 1664525u + 1013904223u;
            sample.pick[i] = least + (int)((random >> 8) % (uint32_t)(words_in(form, i) - least));
        }
        tell(telling, &sample);
    }
}

// The first row of an opcode is tried with every word of PTX behind it, the others with a share of them.
static bool is_first_row(int form)
{
    return form == 0 || strcmp(ptx_form_row(form - 1)->opcode, ptx_form_row(form)->opcode) != 0;
}

static void tell_misspelled(struct telling *telling, int form)
{
    struct sample first = first_sample(form), sample = first;
    const char *word;
    const int share = (int)(seed_of(form) % SHARE);
    for (int i = 0; i < first.slots; i++) {
        sample = first;
        sample.pick[i] = LEFT_OUT;
        if (first.pick[i] != LEFT_OUT) tell(telling, &sample);
        sample = first;
        sample.pick[i] = sample.pick[i] == LEFT_OUT ? 0 : sample.pick[i];
        sample.doubled = i;
        tell(telling, &sample);
    }
    sample = first;
    sample.is_reversed = true;
    if (first.slots > 1) tell(telling, &sample);
    for (int i = 0; (word = ptx_near_word(i)) != NULL; i++) {
        if (!is_first_row(form) && i % SHARE != share) continue;
        sample = first;
        sample.extra = word;
        tell(telling, &sample);
    }
}

// A type in place of the one that the row has.
static void tell_retyped(struct telling *telling, int form)
{
    struct sample first = first_sample(form);
    for (int i = 0; i < first.slots; i++) {
        size_t length;
        const char *word = first.pick[i] == LEFT_OUT ? NULL : ptx_form_slot_word(form, i, first.pick[i], &length);
        if (word == NULL || ptx_type_find(word, length) == PTX_TYPE_NONE) continue;
        for (int type = 1; type < PTX_TYPES; type++) {
            struct sample sample = first;
            sample.extra = ptx_type_row((enum ptx_type)type)->name;
            sample.pick[i] = LEFT_OUT;
            tell(telling, &sample);
        }
    }
}

// What stands in place of each operand.
static const char *const others[] = {"",
                                     "%c1",
                                     "%h1",
                                     "%uh1",
                                     "%sh1",
                                     "%fh1",
                                     "%b1",
                                     "%u1",
                                     "%s1",
                                     "%f1",
                                     "%fx1",
                                     "%bd1",
                                     "%ud1",
                                     "%sd1",
                                     "%d1",
                                     "%q1",
                                     "%p1",
                                     "!%p1",
                                     "_",
                                     "0",
                                     "1",
                                     "5",
                                     "-1",
                                     "16",
                                     "300",
                                     "1.5",
                                     "gvar",
                                     "svar",
                                     "%tid.x",
                                     "%clock64",
                                     "[%u1]",
                                     "[%ud1]",
                                     "[gvar]",
                                     "[svar]",
                                     "[4]",
                                     "0f3F800000",
                                     "0d3FF0000000000000",
                                     "[p0]",
                                     "L0",
                                     "{%b1}",
                                     "{%b1,%b2}",
                                     "{%b1,%b2,%b3}",
                                     "{%b1,%b2,%b3,%b4}",
                                     "{%f1,%f2}",
                                     "{%h1,%h2}",
                                     "{%ud1,%ud2}",
                                     "{%s1,%s2,%s3}",
                                     "{%f1,%u2}",
                                     "{%f1,%b2}",
                                     "{%b1,%u2}",
                                     "{%s1,%u2}",
                                     "{%fx1,%u2}",
                                     "{%h1,%b2}",
                                     "{%b1,%f2,%b3,%u4}",
                                     "{%b1,%b2,%f3,%u4}",
                                     "{%b1,_}",
                                     "{_,_}",
                                     "{%u1,5}",
                                     "{%f1,5}",
                                     "{%b1,1.5}",
                                     "{%tid.x,%u2}",
                                     "{%vu1.x,%u2}",
                                     "{%vu1.x,5}",
                                     "%vf1",
                                     "%vb1",
                                     "%vu1",
                                     "%vd1",
                                     "%vh1",
                                     "%vf1.x",
                                     "%vu1.w",
                                     "%vd1.y",
                                     "%tid",
                                     "f",
                                     "WARP_SZ",
                                     "0x1ffffffff",
                                     "-0x80000001",
                                     "gvar+4",
                                     "gvar[1]",
                                     "[gvar+4]",
                                     "[%ud1+4]",
                                     "[%ud1+-4]",
                                     "[%ud1-4]",
                                     "[%ud1+0x80000000]",
                                     "[gvar[1]]",
                                     "[%vd1.x]"};

// What is written at an operand besides its name.
static const char *const parts[] = {"-",    ".b0",  ".b3",  ".b4",   ".h0",    ".h1",    ".h2",    ".h10",   ".h01",
                                    ".h33", ".h44", ".b10", ".b310", ".b3210", ".b7654", ".b0123", ".b8000", ".x"};

static void tell_parts(struct telling *telling, const struct sample *first, int operand)
{
    for (size_t n = 0; n < sizeof parts / sizeof parts[0]; n++) {
        struct sample sample = *first;
        sample.operand = operand;
        sample.instead = parts[n];
        tell(telling, &sample);
    }
}

static void tell_operands(struct telling *telling, int form)
{
    struct sample first = first_sample(form), sample;
    struct ptx_operand_rule rule[PTX_MOST_OPERANDS];
    struct ptx_choice choice;
    struct ptx_spelling spelling;
    int taken;
    telling->used = 0;
    put_spelling(telling, &first);
    ptx_spelling_cut(telling->text, telling->used, &spelling);
    if (!ptx_form_match(form, &spelling, &choice, &taken)) return;
    int rules = ptx_operand_rules(&choice, rule);
    for (int i = 0; i < rules; i++)
        if (rule[i].kind == PTX_RULE_SELECTOR) tell_parts(telling, &first, i);
    for (int i = 0; i < rules; i++)
        for (size_t n = 0; n < (rule[i].kind == PTX_RULE_SELECTOR ? 0 : sizeof others / sizeof others[0]); n++) {
            bool is_value = others[n][0] == '%' || others[n][0] == '!' || others[n][0] == '{';
            if (rule[i].kind == PTX_RULE_ADDRESS && is_value && n % 6 != 1) continue; // ptxas may take forever
            sample = first;
            sample.operand = i;
            sample.instead = others[n];
            tell(telling, &sample);
        }
    sample = first;
    sample.has_more = true;
    tell(telling, &sample);
}

// A call needs functions around it: unit.ptx has those.
bool cases_are_told(int form)
{
    const struct ptx_form *row = ptx_form_row(form);
    return row->support == PTX_ACCEPTED && strcmp(row->opcode, "call") != 0;
}

void cases_tell(int form, void (*tell_one)(void *to, const char *instruction), void *to)
{
    struct telling telling = {.tell = tell_one, .to = to};
    if (!cases_are_told(form)) return;
    tell_legal(&telling, form);
    tell_misspelled(&telling, form);
    tell_retyped(&telling, form);
    tell_operands(&telling, form);
}
