// SPDX-License-Identifier: MIT
// Steps that read and write memory: each thread its own, or read-only one, or words that the threads of a CTA share and
// change by operations whose order cannot be seen.
#include <string.h>

#include "operand_rule.h"
#include "random_program.h"

// Memory that an access may have: `base` is a register with its address, or a variable where `is_name`.
struct place {
    const char *base, *space; // space: as a plain load of it has it
    int bytes;
    bool is_name, is_read_only;
};

static const struct place own_global = {"%own", ".global", PROGRAM_OWN_BYTES, false, false},
                          own_shared = {"%sh", ".shared", PROGRAM_SHARED_BYTES, false, false},
                          own_local = {"%lo", ".local", PROGRAM_OWN_BYTES, false, false},
                          generic_shared = {"%gsh", "", PROGRAM_SHARED_BYTES, false, false},
                          generic_local = {"%glo", "", PROGRAM_OWN_BYTES, false, false},
                          input = {"%in", ".global", PROGRAM_INPUTS * 8 * 32, false, true},
                          constants = {"ctab", ".const", 512, true, true},
                          parameter = {"blob", ".param", 64, true, true}, argument = {"c", ".param", 16, true, true};

// An access: its spelling and its choice, and how many bytes at which multiples.
struct access {
    int form, bytes, parts, part_bytes;
    const char *opcode;
    struct ptx_choice choice;
    char spelling[96], address[48], list[96];
};

static bool is(const struct access *access, const char *opcode)
{
    return strcmp(access->opcode, opcode) == 0;
}

static bool writes(const struct access *access)
{
    return !is(access, "ld") && !is(access, "ldu");
}

static const struct place *generic_place(struct program *program, const struct access *access)
{
    int order = access->choice.word[PTX_CLASS_ORDER], what = program_below(program, 3);
    if (what == 0 || (access->choice.word[PTX_CLASS_VECTOR] && !is(access, "ld") && !is(access, "st")))
        return &own_global;
    if (order == PTX_MMIO || strstr(access->spelling, "L2::") || strstr(access->spelling, "L1::")) return &own_global;
    if (what == 1 && (is(access, "ld") || is(access, "st")) && (order == 0 || order == PTX_WEAK)) return &generic_local;
    return &generic_shared;
}

static const struct place *place_of(struct program *program, const struct access *access)
{
    if (is(access, "ldu") || strstr(access->spelling, ".nc")) return &input;
    switch (access->choice.space[0]) {
    case PTX_GLOBAL:
        return &own_global;
    case PTX_SHARED:
    case PTX_SHARED_CTA:
    case PTX_SHARED_CLUSTER:
        return &own_shared;
    case PTX_LOCAL:
        return &own_local;
    case PTX_CONST:
        return &constants;
    case PTX_PARAM:
        return program->function < 0 ? &parameter : &argument;
    case PTX_PARAM_ENTRY:
        return program->function < 0 ? &parameter : NULL;
    case PTX_PARAM_FUNC:
        return program->function < 0 ? NULL : &argument;
    default:
        return generic_place(program, access);
    }
}

// An address in the place that is a multiple of the access's bytes: from a register, and with a displacement.
static void put_address(struct program *program, const struct place *place, struct access *access)
{
    int steps = place->bytes / access->bytes, displacement = program_below(program, steps) * access->bytes;
    if (access->choice.space[0] == PTX_PARAM ||
        (place->is_name && (place != &constants || program_chance(program, 50)))) {
        snprintf(access->address, sizeof access->address, "%s+%d", place->base, displacement);
        return;
    }
    // The bits of the two parts differ: their sum stays in the place.
    int mask = (place->bytes - 1) & ~(access->bytes - 1) & ~displacement;
    program_say(program, place->is_name ? "mov.u64 %%A3, %s;\n" : "and.b64 %%A3, %s, -16;\n", place->base);
    program_say(program, "and.b64 %%A2, %%d%d, %d;\nadd.u64 %%A3, %%A3, %%A2;\n", program_register(program, 'd', -1),
                mask);
    snprintf(access->address, sizeof access->address, "%%A3+%d", displacement);
}

// A register, or several in braces.
static void put_list(struct program *program, struct access *access, enum ptx_type type, bool is_written)
{
    enum ptx_type_kind kind = ptx_type_row(type)->kind;
    int bits = (int)ptx_type_row(type)->bits, used = 0;
    bool may_widen = (kind == PTX_KIND_UNSIGNED || kind == PTX_KIND_SIGNED || kind == PTX_KIND_BITS) &&
                     (is(access, "ld") || is(access, "ldu") || is(access, "st"));
    int wide = bits < 16 ? 16 : bits;
    while (may_widen && wide < 64 && program_chance(program, 20)) wide *= 2;
    char file = program_file(wide);
    used += snprintf(access->list, sizeof access->list, access->parts > 1 ? "{" : "");
    for (int part = 0; part < access->parts; part++) {
        int number = program_register(program, file, -1);
        bool is_twice = 0;
        for (int i = 0; i < program->writes && is_written; i++)
            is_twice |= program->written[i].file == file && program->written[i].number == number;
        if (is_twice) {
            part--;
            continue;
        }
        if (is_written) program_wrote(program, file, number);
        if (!is_written && program_chance(program, 50)) program_refresh(program, type, file, number);
        used += snprintf(access->list + used, sizeof access->list - (size_t)used, "%s%%%c%d", part ? ", " : "", file,
                         number);
    }
    if (access->parts > 1) snprintf(access->list + used, sizeof access->list - (size_t)used, "}");
}

// What is there behind a write.
static void read_back(struct program *program, const struct place *place, const struct access *access)
{
    static const char *const into[] = {"%B6", "%B6", "%B6", "%A4", "{%A4, %A5}"};
    static const char *const types[] = {".u8", ".u16", ".u32", ".u64", ".v2.u64"};
    int log = 0;
    while (1 << log < access->bytes) log++;
    program_say(program, "ld%s%s %s, [%s];\n", place->space, types[log], into[log], access->address);
    program_wrote(program, log < 3 ? 'B' : 'A', log < 3 ? 6 : 4);
    if (log == 4) program_wrote(program, 'A', 5);
}

// ptxas 13.0 crashes on atomics of halves whose result is not wanted.
static bool may_sink(const struct access *access, const struct ptx_operand_rule *rule)
{
    return rule->may_sink && access->choice.word[PTX_CLASS_FTZ] != PTX_NOFTZ;
}

static void say_access(struct program *program, const struct place *place, struct access *access)
{
    struct ptx_operand_rule rule[PTX_MOST_OPERANDS];
    int rules = ptx_operand_rules(&access->choice, rule), guard = program_register(program, 'p', -1), said = 0;
    char text[400];
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < rules; i++) {
        const char *with = access->list;
        if (rule[i].is_optional && !rule[i].is_hint) continue;
        if (rule[i].kind == PTX_RULE_ADDRESS)
            with = "[]";
        else if (rule[i].is_hint || rule[i].name_length == 6)
            with = "%pol";
        else if (rule[i].is_written && may_sink(access, &rule[i]) && program_chance(program, 15))
            with = "_";
        else
            put_list(program, access, (enum ptx_type)rule[i].type, rule[i].is_written);
        used += (size_t)snprintf(text + used, sizeof text - used, said++ ? ", " : " ");
        used += *with == '[' ? (size_t)snprintf(text + used, sizeof text - used, "[%s]", access->address)
                             : (size_t)snprintf(text + used, sizeof text - used, "%s", with);
    }
    if (program_chance(program, 20)) program_say(program, "@%s%%p%d ", program_chance(program, 50) ? "!" : "", guard);
    program_say(program, "%s%s;\n", access->spelling, text);
    if (!place->is_read_only && writes(access)) read_back(program, place, access);
}

// What ptxas refuses though the rows take it, and what depends on how ptxas builds a loop of compare-and-swap.
static bool is_left_out(const struct access *access, const struct place *place)
{
    bool is_float_sum = is(access, "atom") || is(access, "red");
    if (access->bytes > 16) return true;
    if (place == &argument && access->choice.type[0] == PTX_TYPE_b128) return true; // ptxas 13.0 drops the upper half
    if (access->choice.word[PTX_CLASS_ORDER] == PTX_MMIO)
        return true; // a plain load behind it may see what was there before
    return is_float_sum && access->choice.type[0] == PTX_TYPE_f64 && place != &own_global;
}

static bool draw_access(struct program *program, struct access *access)
{
    static const char *const opcodes[] = {"ld", "ldu", "st", "atom", "red", NULL};
    access->form = draw_row(program, PTX_RUNS_MEMORY, opcodes);
    if (!spell(program, access->form, access->spelling, sizeof access->spelling, &access->choice)) return false;
    access->opcode = ptx_form_row(access->form)->opcode;
    int vector = access->choice.word[PTX_CLASS_VECTOR];
    access->parts = vector == PTX_V2 ? 2 : vector == PTX_V4 ? 4 : vector == PTX_V8 ? 8 : 1;
    access->part_bytes = (int)ptx_type_row((enum ptx_type)access->choice.type[0])->bits / 8;
    access->bytes = access->parts * access->part_bytes;
    return access->form != row_of("ST_PARAM");
}

void step_memory(struct program *program)
{
    struct access access;
    const struct place *place;
    do
        while (!draw_access(program, &access)) continue;
    while ((place = place_of(program, &access)) == NULL || is_left_out(&access, place));
    program_begin_step(program, ptx_form_row(access.form)->name);
    put_address(program, place, &access);
    say_access(program, place, &access);
    program_end_step(program);
}

// --- Words that threads share ----------------------------------------------------------------------------------------

// Each operation on each type has four words of its own, in global and in shared memory.
void step_contended(struct program *program)
{
    static const struct {
        const char *operation;
        enum ptx_type type;
    } kinds[] = {{"add", PTX_TYPE_u32}, {"add", PTX_TYPE_s32}, {"add", PTX_TYPE_u64}, {"min", PTX_TYPE_u32},
                 {"min", PTX_TYPE_s32}, {"min", PTX_TYPE_u64}, {"min", PTX_TYPE_s64}, {"max", PTX_TYPE_u32},
                 {"max", PTX_TYPE_s32}, {"max", PTX_TYPE_u64}, {"max", PTX_TYPE_s64}, {"and", PTX_TYPE_b32},
                 {"and", PTX_TYPE_b64}, {"or", PTX_TYPE_b32},  {"or", PTX_TYPE_b64},  {"xor", PTX_TYPE_b32},
                 {"xor", PTX_TYPE_b64}};
    static const char *const scopes[] = {"", ".cta", ".cluster", ".gpu", ".sys"}, *const orders[] = {"", ".relaxed",
                                                                                                     ".release"};
    int kind = program_below(program, (int)(sizeof kinds / sizeof *kinds));
    bool is_shared = program_chance(program, 50);
    int order = program_below(program, 3), scope = program_below(program, 5);
    bool is_atom = program_chance(program, 50);
    char file = program_file((int)ptx_type_row(kinds[kind].type)->bits);
    program_begin_step(program, "words that threads share");
    program_say(program, "and.b64 %%A2, %%d%d, 24;\nadd.u64 %%A2, %%A2, %s;\n", program_register(program, 'd', -1),
                is_shared ? "%shc" : "%cta");
    if (program_chance(program, 30)) program_say(program, "@%%p%d ", program_register(program, 'p', -1));
    program_say(program, "%s%s%s%s.%s.%s %s[%%A2+%d], %%%c%d;\n", is_atom ? "atom" : "red", orders[order],
                order != 0 && scope == 0 ? ".gpu" : scopes[scope], is_shared ? ".shared" : ".global",
                kinds[kind].operation, ptx_type_row(kinds[kind].type)->name, is_atom ? "_, " : "", kind * 32, file,
                program_register(program, file, -1));
    program_end_step(program);
}

// --- Addresses -------------------------------------------------------------------------------------------------------

void step_address(struct program *program)
{
    static const struct {
        const char *space, *base; // a register with an address in the space
        bool form;
    } spaces[] = {{"global", "%own", false},
                  {"shared", "%sh", false},
                  {"shared::cta", "%sh", false},
                  {"shared::cluster", "%sh", false},
                  {"local", "%lo", false}};
    static const char *const asked[] = {"global", "shared", "shared::cta", "shared::cluster",
                                        "local",  "const",  "param",       "param::entry"};
    static const char *const addresses[] = {"%own", "%gsh", "%glo", "%in", "%zd"};
    int which = program_below(program, 5), number = program_register(program, 'p', -1);
    program_begin_step(program, "CVTA, ISSPACEP");
    program_say(program, "cvta.%s.u64 %%A4, %s;\ncvta.to.%s.u64 %%A4, %%A4;\nsub.u64 %%A4, %%A4, %s;\n",
                spaces[which].space, spaces[which].base, spaces[which].space, spaces[which].base);
    program_say(program, "isspacep.%s %%p%d, %s;\n", asked[program_below(program, 8)], number,
                addresses[program_below(program, 5)]);
    program_wrote(program, 'A', 4);
    program_wrote(program, 'p', number);
    program_end_step(program);
}
