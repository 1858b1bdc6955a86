// SPDX-License-Identifier: MIT
// One instruction of a litmus test: its opcode by the table instructions.def, the words behind its dots, its operands.
#include <stdio.h>
#include <string.h>

#include "litmus_parts.h"

struct row {
    const char *opcode, *operands, *modifiers;
    struct litmus_step step;
};

#define INSTRUCTION(name, what, way, of, takes, words, ...)                                                            \
    {name, takes, words, {.kind = what, .proxy = way, .group = of, ##__VA_ARGS__}},
static const struct row rows[] = {
#include "instructions.def"
};
#undef INSTRUCTION
enum { ROWS = sizeof rows / sizeof rows[0] };

// A word behind a dot, and what it sets.
struct modifier {
    const char *word;
    char letter; // of the classes in instructions.def
    int value;
};

static const struct modifier modifiers[] = {
    {"weak", 'o', ORDER_WEAK},
    {"relaxed", 'o', ORDER_RELAXED},
    {"acquire", 'o', ORDER_ACQUIRE},
    {"release", 'o', ORDER_RELEASE},
    {"acq_rel", 'o', ORDER_ACQ_REL},
    {"sc", 'o', ORDER_SC},
    {"volatile", 'o', ORDER_VOLATILE},
    {"cta", 's', SCOPE_CTA},
    {"cluster", 's', SCOPE_CLUSTER},
    {"gpu", 's', SCOPE_GPU},
    {"gl", 's', SCOPE_GPU},
    {"sys", 's', SCOPE_SYS},
    {"add", 'e', DO_ADD},
    {"sub", 'e', DO_SUB},
    {"mul", 'e', DO_MUL},
    {"div", 'e', DO_DIV},
    {"and", 'e', DO_AND},
    {"or", 'e', DO_OR},
    {"xor", 'e', DO_XOR},
    {"min", 'e', DO_MIN},
    {"max", 'e', DO_MAX},
    {"exch", 'e', DO_EXCHANGE},
    {"cas", 'e', DO_COMPARE_SWAP},
    {"global", 'p', IN_GLOBAL},
    {"shared", 'p', IN_SHARED},
    {"shared::cta", 'p', IN_SHARED},
    {"shared::cluster", 'p', IN_SHARED},
    {"async", 'x', VIA_ASYNC},
    {"alias", 'x', VIA_ALIAS},
    {"texture", 'x', VIA_TEXTURE},
    {"surface", 'x', VIA_SURFACE},
    {"constant", 'x', VIA_CONSTANT},
    {"read", 'r', 1},
};

// Words of PTX that change nothing in a test.
static const char *const passed[] = {"u8",
                                     "u16",
                                     "u32",
                                     "u64",
                                     "s8",
                                     "s16",
                                     "s32",
                                     "s64",
                                     "b8",
                                     "b16",
                                     "b32",
                                     "b64",
                                     "b128",
                                     "b1024",
                                     "f16",
                                     "f32",
                                     "f64",
                                     "aligned",
                                     "sync",
                                     "parity",
                                     "noinc",
                                     "uni",
                                     "tile",
                                     "im2col",
                                     "1d",
                                     "2d",
                                     "3d",
                                     "4d",
                                     "5d",
                                     "bulk_group",
                                     "mbarrier::complete_tx::bytes",
                                     "async_group",
                                     "sync_restrict::shared::cluster",
                                     "sync_restrict::shared::cta",
                                     "tensormap::generic",
                                     "global_address",
                                     "m64n8k16",
                                     "m64n64k16",
                                     "cta_group::1"};

static bool same(const char *word, size_t bytes, const char *with)
{
    return strlen(with) == bytes && memcmp(word, with, bytes) == 0;
}

static bool opcode_fits(const struct scan_word *word, const char *opcode)
{
    size_t bytes = strlen(opcode);
    return word->bytes >= bytes && memcmp(word->at, opcode, bytes) == 0 &&
           (word->bytes == bytes || word->at[bytes] == '.');
}

static const struct row *find_row(const struct scan_word *word)
{
    const struct row *best = NULL;
    for (int i = 0; i < ROWS; i++)
        if (opcode_fits(word, rows[i].opcode) && (best == NULL || strlen(rows[i].opcode) > strlen(best->opcode)))
            best = &rows[i];
    return best;
}

static void set_modifier(struct litmus_step *step, const struct modifier *modifier)
{
    switch (modifier->letter) {
    case 'o':
        step->order = (enum access_order)modifier->value;
        break;
    case 's':
        step->scope = (enum access_scope)modifier->value;
        break;
    case 'e':
        step->operation = (enum litmus_operation)modifier->value;
        break;
    case 'p':
        step->space = (enum litmus_space)modifier->value;
        break;
    case 'x':
        step->proxy = (enum litmus_proxy)modifier->value;
        break;
    default:
        step->is_read = true;
    }
}

static bool take_modifier(const struct row *row, struct litmus_step *step, const char *word, size_t bytes)
{
    for (size_t i = 0; i < sizeof modifiers / sizeof modifiers[0]; i++) {
        if (!same(word, bytes, modifiers[i].word) || strchr(row->modifiers, modifiers[i].letter) == NULL) continue;
        set_modifier(step, &modifiers[i]);
        return true;
    }
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
        if (same(word, bytes, passed[i])) return true;
    return false;
}

// "::" is part of a word.
static const char *part_end(const char *at, const char *end)
{
    while (at < end && *at != '.') at++;
    return at;
}

static int read_modifiers(struct litmus_scan *scan, const struct row *row, struct litmus_step *step)
{
    const struct scan_word word = scan->word;
    const char *end = word.at + word.bytes;
    for (const char *at = word.at + strlen(row->opcode); at < end;) {
        const char *stop = part_end(at + 1, end);
        if (!take_modifier(row, step, at + 1, (size_t)(stop - at - 1)))
            return scan_fail_at(scan, word.line, word.column + (int)(at - word.at), "%s has no '%.*s'", row->opcode,
                                (int)(stop - at), at);
        at = stop;
    }
    return 1;
}

static bool is_strong(enum access_order order)
{
    return order != ORDER_WEAK;
}

// What PTX demands of the words together.
static int check_words(struct litmus_scan *scan, const struct row *row, struct litmus_step *step)
{
    if (step->order == ORDER_VOLATILE) { // PTX ISA "volatile Operation": relaxed, of the system
        step->order = ORDER_RELAXED;
        step->scope = SCOPE_SYS;
    }
    if (strchr(row->modifiers, 's') != NULL && is_strong(step->order) && step->scope == SCOPE_NONE)
        return scan_fail(scan, "%s of this order needs a scope: .cta, .cluster, .gpu or .sys", row->opcode);
    if (!is_strong(step->order)) step->scope = SCOPE_NONE;
    if (step->kind == LITMUS_FENCE && step->order < ORDER_ACQUIRE)
        return scan_fail(scan, "a fence is .sc, .acq_rel, .acquire or .release");
    if (step->kind == LITMUS_ONE_WAY_FENCE && step->order != ORDER_ACQUIRE && step->order != ORDER_RELEASE)
        return scan_fail(scan, "%s is .acquire or .release", row->opcode);
    if (step->kind == LITMUS_PROXY_FENCE && step->proxy == VIA_GENERIC)
        return scan_fail(scan, "fence.proxy names a proxy: .async, .alias, .texture, .surface or .constant");
    if (strchr(row->modifiers, 'e') != NULL && step->operation == DO_MOVE)
        return scan_fail(scan, "%s names an operation: .add, .exch, .cas, ...", row->opcode);
    return 1;
}

static int read_value(struct litmus_reader *reader, int thread, struct litmus_value *value)
{
    if (litmus_is_register(&reader->scan)) {
        value->is_register = true;
        value->number = litmus_read_register(reader, thread);
        return value->number >= 0;
    }
    return scan_need_number(&reader->scan, &value->number);
}

static int read_kind_of_place(struct litmus_reader *reader, bool wants_mbarrier, int *to)
{
    struct scan_word word = reader->scan.word;
    *to = litmus_read_place(reader);
    if (*to < 0) return 0;
    const struct litmus_place *place = &reader->test->place[*to];
    if (place->is_mbarrier == wants_mbarrier) return 1;
    return scan_fail_at(&reader->scan, word.line, word.column,
                        wants_mbarrier ? "'%s' is no mbarrier; declare it by 'mbarrier %s = 1;'"
                                       : "'%s' is an mbarrier, which plain accesses must leave alone",
                        place->name, place->name);
}

static int read_label(struct litmus_reader *reader, int thread)
{
    struct litmus_scan *scan = &reader->scan;
    struct litmus_labels *jumps = &reader->jumps[thread];
    if (scan->word.kind != SCAN_WORD) return scan_fail(scan, "a label is missing here");
    jumps->branch[jumps->branches++] = (struct litmus_label){.at = scan->word.at,
                                                             .bytes = scan->word.bytes,
                                                             .step = reader->test->thread[thread].steps,
                                                             .line = scan->word.line,
                                                             .column = scan->word.column};
    litmus_scan_next(scan);
    return 1;
}

static int read_result(struct litmus_reader *reader, int thread, struct litmus_step *step)
{
    if (scan_take(&reader->scan, "_")) return 1;
    step->to = litmus_read_register(reader, thread);
    return step->to >= 0;
}

static int read_operand(struct litmus_reader *reader, int thread, char letter, struct litmus_step *step)
{
    struct litmus_scan *scan = &reader->scan;
    int64_t ignored = 0;
    switch (letter) {
    case 'd':
        return read_result(reader, thread, step);
    case 'a':
        return read_kind_of_place(reader, false, &step->place);
    case 's':
        return read_kind_of_place(reader, false, &step->source);
    case 'm':
        return read_kind_of_place(reader, true, &step->mbarrier);
    case 'v':
        return read_value(reader, thread, &step->a);
    case 'w':
        step->has_b = true;
        return read_value(reader, thread, &step->b);
    case 'i':
        return scan_need_number(scan, &ignored) && (step->instance = (int)ignored, 1);
    case 'n':
        return scan_need_number(scan, &ignored);
    default:
        return read_label(reader, thread);
    }
}

static bool is_end_of_cell(const struct litmus_scan *scan)
{
    return scan_is(scan, "|") || scan_is(scan, ";") || scan->word.kind == SCAN_END;
}

// Is an operand of this kind at hand? For those that may be left out.
static bool is_there(const struct litmus_scan *scan, char letter)
{
    if (letter == 'n') return scan->word.kind == SCAN_NUMBER;
    if (letter == 'D') return litmus_is_register(scan) || scan_is(scan, "_");
    return true;
}

static bool read_operands(struct litmus_reader *reader, int thread, const struct row *row, struct litmus_step *step)
{
    struct litmus_scan *scan = &reader->scan;
    bool is_optional = 0;
    int read = 0;
    for (const char *letter = row->operands; *letter != '\0'; letter++) {
        if (*letter == '?') {
            is_optional = true;
            continue;
        }
        if (is_optional && is_end_of_cell(scan)) return true;
        if (read > 0 && !scan_is(scan, ",") && is_optional) break;
        if ((*letter == 'n' || *letter == 'D') && read > 0 && !scan_is(scan, ",")) continue;
        struct litmus_scan before = *scan;
        if (read > 0 && !scan_need(scan, ",")) return false;
        if (!is_there(scan, *letter)) {
            *scan = before;
            continue;
        }
        if (!read_operand(reader, thread, *letter == 'D' ? 'd' : *letter, step)) return false;
        read++;
    }
    return is_end_of_cell(scan) || scan_fail(scan, "%s ends in front of this", row->opcode);
}

// `ld r0, 1` gives a register a number.
static bool read_number_load(struct litmus_reader *reader, int thread, struct litmus_step *step)
{
    struct litmus_scan ahead = reader->scan;
    while (!is_end_of_cell(&ahead) && !scan_is(&ahead, ",")) litmus_scan_next(&ahead);
    litmus_scan_next(&ahead);
    if (step->kind != LITMUS_LOAD || ahead.word.kind != SCAN_NUMBER) return false;
    static const struct row move = {.opcode = "ld", .operands = "dv"};
    step->kind = LITMUS_COMPUTE;
    step->operation = DO_MOVE;
    return read_operands(reader, thread, &move, step);
}

// A copy without an mbarrier is in a bulk group, one with it is not; an arrive counts one if it does not say.
static void settle(struct litmus_step *step)
{
    if (step->group == GROUP_BULK && step->mbarrier >= 0) step->group = GROUP_NONE;
    if (step->kind == LITMUS_MBARRIER_ARRIVE && step->a.number == 0 && !step->a.is_register) step->a.number = 1;
}

int litmus_read_instruction(struct litmus_reader *reader, int thread)
{
    struct litmus_scan *scan = &reader->scan;
    struct litmus_thread *of = &reader->test->thread[thread];
    const struct row *row = find_row(&scan->word);
    char word[LITMUS_NAME_BYTES];
    scan_copy(scan, word, sizeof word);
    if (row == NULL) return scan_fail(scan, "no instruction of a litmus test begins with '%s'", word);
    if (of->steps == LITMUS_STEPS) return scan_fail(scan, "a thread has at most %d instructions", LITMUS_STEPS);
    struct litmus_step step = row->step;
    step.to = step.place = step.source = step.mbarrier = -1;
    step.line = scan->word.line;
    step.column = scan->word.column;
    if (step.kind == LITMUS_BARRIER) step.instance = -1;
    if (!read_modifiers(scan, row, &step) || !check_words(scan, row, &step)) return 0;
    litmus_scan_next(scan);
    if (!read_number_load(reader, thread, &step) && (scan->failed || !read_operands(reader, thread, row, &step)))
        return 0;
    settle(&step);
    of->step[of->steps++] = step;
    return 1;
}
