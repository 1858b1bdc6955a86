// SPDX-License-Identifier: MIT
// Steps of the rows of the ALU, and of those where lanes meet: a random spelling of a row, with operands as its rules
// want them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../alu/values.h"
#include "alu.h"
#include "operand_rule.h"
#include "random_program.h"

bool spell(struct program *program, int form, char *spelling, size_t bytes, struct ptx_choice *choice)
{
    struct ptx_spelling cut;
    int taken;
    size_t used = (size_t)snprintf(spelling, bytes, "%s", ptx_form_row(form)->opcode), length;
    for (int slot = 0; slot < ptx_form_slots(form); slot++) {
        int words = 0;
        if (ptx_form_slot_is_optional(form, slot) && program_chance(program, 50)) continue;
        while (ptx_form_slot_word(form, slot, words, &length) != NULL) words++;
        const char *word = ptx_form_slot_word(form, slot, program_below(program, words), &length);
        used += (size_t)snprintf(spelling + used, bytes - used, ".%.*s", (int)length, word);
    }
    return ptx_spelling_cut(spelling, used, &cut) && ptx_form_match(form, &cut, choice, &taken);
}

int row_of(const char *name)
{
    for (int form = 0; form < ptx_form_count(); form++)
        if (strcmp(ptx_form_row(form)->name, name) == 0) return form;
    fprintf(stderr, "random_ptx: forms.def has no row %s\n", name);
    abort();
}

static bool is_asked(const struct ptx_form *row, enum ptx_runs runs, const char *const *opcodes)
{
    if (row->runs != runs) return false;
    for (int i = 0; opcodes != NULL && opcodes[i] != NULL; i++)
        if (strcmp(opcodes[i], row->opcode) == 0) return true;
    return opcodes == NULL;
}

// Rows that are not asked for take no part, so a new one of them changes no program.
int draw_row(struct program *program, enum ptx_runs runs, const char *const *opcodes)
{
    int asked = 0, form = -1;
    for (int i = 0; i < ptx_form_count(); i++) asked += is_asked(ptx_form_row(i), runs, opcodes);
    for (int left = program_below(program, asked); left >= 0; left -= is_asked(ptx_form_row(form), runs, opcodes))
        form++;
    return form;
}

static bool is_named(const struct ptx_operand_rule *rule, const char *name)
{
    return rule->name_length == strlen(name) && memcmp(rule->name, name, rule->name_length) == 0;
}

static bool is_integer(enum ptx_type type)
{
    enum ptx_type_kind kind = ptx_type_row(type)->kind;
    return kind == PTX_KIND_BITS || kind == PTX_KIND_UNSIGNED || kind == PTX_KIND_SIGNED;
}

// The operands of a step: what comes before the instruction is said at once, the instruction itself is kept.
struct operands {
    struct program *program;
    const char *opcode;
    int parts;
    bool is_guarded;
    int last;          // last: the source before, of the same file
    bool negates_last; // of operands that may be negated with - the last, or others
    char last_file;
    int byte; // the register for which %C1 is written, or -1
    char text[512];
    size_t used;
};

static void put(struct operands *operands, const char *format, char file, int number)
{
    size_t room = sizeof operands->text - operands->used;
    operands->used += (size_t)snprintf(operands->text + operands->used, room, format, file, number);
}

static void put_text(struct operands *operands, const char *text)
{
    operands->used +=
        (size_t)snprintf(operands->text + operands->used, sizeof operands->text - operands->used, "%s", text);
}

// Not twice the same: the compiler knows what some instructions make of two equal operands, but for a NaN.
static void source(struct operands *operands, const struct ptx_operand_rule *rule, enum ptx_type type, char file)
{
    struct program *program = operands->program;
    int number = program_register(program, file, file == operands->last_file && file != 'q' ? operands->last : -1);
    if (program_chance(program, 50)) program_refresh(program, type, file, number);
    operands->last = number, operands->last_file = file;
    if (rule->may_negate && program_chance(program, 33)) put_text(operands, "!");
    put(operands, "%%%c%d", file, number);
}

static void destination(struct operands *operands, const struct ptx_operand_rule *rule, char file)
{
    int number = program_register(operands->program, file, -1);
    if (rule->may_sink && program_chance(operands->program, 15)) {
        put_text(operands, "_");
        return;
    }
    for (int i = 0; i < operands->program->writes; i++) // two destinations are not one register
        if (operands->program->written[i].file == file && operands->program->written[i].number == number) {
            destination(operands, rule, file);
            return;
        }
    program_wrote(operands->program, file, number);
    put(operands, "%%%c%d", file, number);
}

// Operands that are compared for some values alone, or that only mean something when small.
static bool tame(struct operands *operands, const struct ptx_operand_rule *rule)
{
    struct program *program = operands->program;
    int number = program_register(program, 'r', -1);
    const char *how = NULL;
    if (strcmp(operands->opcode, "fns") == 0 && !rule->is_written)
        how = is_named(rule, "base")     ? "and.b32 %%B4, %%r%d, 31;\n"
              : is_named(rule, "offset") ? "and.b32 %%B5, %%r%d, 31;\nsub.s32 %%B5, %%B5, 16;\n"
                                         : NULL;
    if (strcmp(operands->opcode, "shfl") == 0 && is_named(rule, "c")) how = "and.b32 %%B4, %%r%d, 0x1f1f;\n";
    if (is_named(rule, "mask") && strcmp(operands->opcode, "fns") != 0) {
        put(operands, "%%%c%d", 'm', program->depth);
        return true;
    }
    if (how == NULL) return false;
    program_say(program, how, number);
    put(operands, "%%%c%d", 'B', is_named(rule, "offset") ? 5 : 4);
    return true;
}

static void constant(struct operands *operands, const struct ptx_operand_rule *rule)
{
    char text[24];
    int most = rule->most > 255 || rule->most < rule->least ? 255 : rule->most,
        least = rule->least < 0 ? 0 : rule->least;
    snprintf(text, sizeof text, "%d",
             rule->ones ? rule->one[program_below(operands->program, rule->ones)]
                        : least + program_below(operands->program, most - least + 1));
    put_text(operands, text);
}

// Wider registers hold integers alone.
static char file_for(struct operands *operands, const struct ptx_operand_rule *rule, enum ptx_type type)
{
    int bits = (int)ptx_type_row(type)->bits;
    if (rule->is_wide && is_integer(type))
        while (bits < 64 && program_chance(operands->program, 25)) bits = bits < 16 ? 16 : bits * 2;
    return program_file(bits == 1 && type != PTX_TYPE_pred ? 16 : bits);
}

static void immediate(struct operands *operands, enum ptx_type type)
{
    char text[32];
    int bits = (int)ptx_type_row(type)->bits;
    uint64_t value = random_u64(&operands->program->random) >> program_below(operands->program, 64);
    snprintf(text, sizeof text, "%lld",
             (long long)(bits == 16   ? (int16_t)value
                         : bits == 32 ? (int32_t)value
                                      : (int64_t)value));
    put_text(operands, text);
}

// ptxas folds bfi and bfe of immediates wrongly.
static bool may_be_immediate(const struct operands *operands, const struct ptx_operand_rule *rule, enum ptx_type type)
{
    static const char *const but[] = {"bfi",  "bfe",   "mov",  "cvt",  "prmt",    "fns",
                                      "bmsk", "szext", "slct", "shfl", "cvt.pack"};
    for (size_t i = 0; i < sizeof but / sizeof *but; i++)
        if (strcmp(operands->opcode, but[i]) == 0) return false;
    if (rule[1].kind == PTX_RULE_SELECTOR) return false;
    return is_integer(type) && ptx_type_row(type)->bits >= 16 && ptx_type_row(type)->bits <= 64 &&
           !rule->register_only && operands->last_file != 0 && rule->limited == 0;
}

// A byte that no wider register may hold: in %C0, or %C1 for a result, which is made of a register of 16 bits, and that
// of it behind the instruction.
static void byte(struct operands *operands, const struct ptx_operand_rule *rule)
{
    struct program *program = operands->program;
    int number = program_register(program, 'h', -1);
    if (!rule->is_written && program_chance(program, 50)) program_refresh(program, PTX_TYPE_s16, 'h', number);
    program_say(program, "cvt.u8.u16 %%C%d, %%h%d;\n", rule->is_written, number);
    put(operands, "%%%c%d", 'C', rule->is_written);
    if (!rule->is_written) return;
    operands->byte = number;
    program_wrote(program, 'h', number);
}

static void value(struct operands *operands, const struct ptx_operand_rule *rule, enum ptx_type type)
{
    if (ptx_type_row(type)->bits == 8 && !rule->is_wide && !rule->may_pack) {
        byte(operands, rule);
        return;
    }
    char file = file_for(operands, rule, type);
    if (rule->is_written)
        destination(operands, rule, file);
    else if (may_be_immediate(operands, rule, type) && program_chance(operands->program, 6))
        immediate(operands, type);
    else
        source(operands, rule, type, file);
}

static void vector(struct operands *operands, const struct ptx_operand_rule *rule)
{
    static const enum ptx_type halves[] = {[16] = PTX_TYPE_b16, [32] = PTX_TYPE_b32, [64] = PTX_TYPE_b64};
    const int parts = rule->may_pack ? operands->parts : rule->vector;
    enum ptx_type type = (enum ptx_type)rule->type;
    if (rule->may_pack) type = halves[(int)ptx_type_row(type)->bits / parts];
    put_text(operands, "{");
    for (int part = 0; part < parts; part++) {
        put_text(operands, part ? ", " : "");
        value(operands, rule, type);
    }
    put_text(operands, "}");
}

// What the selectors behind operand `i` write in front of it, or behind it.
static void put_selectors(struct operands *operands, const struct ptx_operand_rule *rule, int rules, int i,
                          bool is_behind)
{
    char text[VALUES_SELECTOR_BYTES];
    while (++i < rules && rule[i].kind == PTX_RULE_SELECTOR) {
        const bool is_minus = rule[i].selector == PTX_SELECTOR_MINUS;
        if (is_behind == is_minus || (is_minus && (i == rules - 1) != operands->negates_last)) continue;
        value_of_selector((enum ptx_selector)rule[i].selector, random_u64(&operands->program->random), text);
        put_text(operands, text);
    }
}

static void put_operands(struct operands *operands, const struct ptx_operand_rule *rule, int rules)
{
    int said = 0;
    operands->negates_last = rule[rules - 1].selector == PTX_SELECTOR_MINUS && program_chance(operands->program, 50);
    for (int i = 0; i < rules; i++) {
        if (rule[i].kind == PTX_RULE_SELECTOR) continue;
        if (rule[i].is_optional && program_chance(operands->program, 50)) continue;
        put_text(operands, said++ == 0 ? " " : rule[i].is_joined ? "|" : ", ");
        put_selectors(operands, rule, rules, i, false);
        if (rule[i].kind == PTX_RULE_CONSTANT)
            constant(operands, &rule[i]);
        else if (rule[i].may_pack || rule[i].vector > 0)
            vector(operands, &rule[i]);
        else if (!tame(operands, &rule[i]))
            value(operands, &rule[i], (enum ptx_type)rule[i].type);
        put_selectors(operands, rule, rules, i, true);
    }
}

static int parts_for(struct program *program, const struct ptx_choice *choice)
{
    int bits = (int)ptx_type_row((enum ptx_type)choice->type[0])->bits;
    return bits == 128 ? 2 : bits == 32 ? 2 : bits == 64 && program_chance(program, 50) ? 4 : 2;
}

// ptxas 13.0 forgets the guard of testp, of vadd4 and vsub4 of bytes without sign that are added up, and of a part of
// what it makes of some set; of a guarded abs or neg it makes a choice that keeps the payload of a NaN.
static bool may_be_guarded(int form)
{
    static const char *const but[] = {"set", "testp", "abs", "neg"};
    if (form == row_of("VADD4_ADD") || form == row_of("VSUB4_ADD")) return false;
    for (size_t i = 0; i < sizeof but / sizeof *but; i++)
        if (strcmp(ptx_form_row(form)->opcode, but[i]) == 0) return false;
    return ptx_form_row(form)->runs == PTX_RUNS_ALU;
}

// Which of two NaNs of 64 bits a result is made of depends on the order that the compiler gives to factors and terms.
static void settle_nan(struct program *program, const struct ptx_choice *choice, int rules)
{
    if (choice->type[0] != PTX_TYPE_f64 || choice->types != 1 || rules < 3 || program->writes != 1 ||
        program->written[0].file != 'd')
        return;
    int number = program->written[0].number;
    program_say(program, "setp.nan.f64 %%P0, %%d%d, %%d%d;\n@%%P0 mov.b64 %%d%d, 0x7ff8000000000000;\n", number, number,
                number);
}

static void step_row(struct program *program, int form, const char *spelling, const struct ptx_choice *choice)
{
    struct ptx_operand_rule rule[PTX_MOST_OPERANDS + 1] = {{0}};
    struct operands operands = {.program = program, .opcode = ptx_form_row(form)->opcode, .byte = -1};
    int rules = ptx_operand_rules(choice, rule), guard = program_register(program, 'p', -1);
    bool has_carry = choice->word[PTX_CLASS_CARRY] != 0,
         reads_carry = strchr("acm", *spelling) && strstr(spelling, "c.") != NULL &&
                       (strncmp(spelling, "addc", 4) == 0 || strncmp(spelling, "madc", 4) == 0);
    bool is_difference = strncmp(spelling, "sub", 3) == 0, is_guarded = program_chance(program, 20);
    reads_carry |= strncmp(spelling, "subc", 4) == 0;
    program_begin_step(program, ptx_form_row(form)->name);
    operands.parts = parts_for(program, choice);
    put_operands(&operands, rule, rules);
    is_guarded = is_guarded && !has_carry && !reads_carry && may_be_guarded(form);
    if (has_carry || reads_carry)
        program_say(program, "%s.cc.u32 %%B6, %%r%d, %%r%d;\n", is_difference ? "sub" : "add",
                    program_register(program, 'r', -1), program_register(program, 'r', -1));
    if (is_guarded) program_say(program, "@%s%%p%d ", program_chance(program, 50) ? "!" : "", guard);
    program_say(program, "%s%s;\n", spelling, operands.text);
    if (operands.byte >= 0) program_say(program, "cvt.u16.u8 %%h%d, %%C1;\n", operands.byte);
    settle_nan(program, choice, rules);
    if (has_carry) {
        program_say(program, is_difference ? "subc.u32 %%B7, 0, 0;\n" : "addc.u32 %%B7, 0, 0;\n");
        program_wrote(program, 'B', 7);
    }
    program_end_step(program);
}

// Not compared: moves of 8 bits; and what a conversion of a type to itself makes of a NaN, which depends on the level.
static bool is_left_out(const struct program *program, int form, const struct ptx_choice *choice)
{
    if (form == row_of("MOV_PACK") || form == row_of("MOV_UNPACK")) return choice->type[0] == PTX_TYPE_b16;
    if (form == row_of("CVT_F32_F32") || form == row_of("CVT_F64_F64") || form == row_of("CVT_F16_F16") ||
        form == row_of("CVT_BF16_BF16"))
        return program->level == 0;
    return alu_find(choice) == NULL;
}

void step_value(struct program *program)
{
    char spelling[96];
    struct ptx_choice choice;
    int form;
    do form = draw_row(program, PTX_RUNS_ALU, NULL);
    while (!spell(program, form, spelling, sizeof spelling, &choice) || is_left_out(program, form, &choice));
    step_row(program, form, spelling, &choice);
}

void step_meeting(struct program *program)
{
    static const char *const opcodes[] = {"shfl", "vote", "match", "redux", "elect", "bar.warp.sync", NULL};
    char spelling[96];
    struct ptx_choice choice;
    int form;
    do form = draw_row(program, PTX_RUNS_MEETING, opcodes);
    while ((form == row_of("SHFL") && !program_has_whole_warps(program)) ||
           !spell(program, form, spelling, sizeof spelling, &choice));
    step_row(program, form, spelling, &choice);
}
