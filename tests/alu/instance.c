// SPDX-License-Identifier: MIT
#include "instance.h"

#include <stdio.h>
#include <string.h>

#include "values.h"

// --- Spellings -------------------------------------------------------------------------------------------------------

struct telling {
    uint64_t seed;
    void (*tell)(void *to, struct instance *instance);
    void *to;
    struct instance instance;
};

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text != '\0'; text++) hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return value_mix(hash);
}

static bool has_constant(const struct registers *registers)
{
    for (int i = 0; i < registers->rules; i++)
        if (registers->rule[i].kind == PTX_RULE_CONSTANT) return true;
    return false;
}

static bool has_selector(const struct registers *registers)
{
    for (int i = 0; i < registers->rules; i++)
        if (registers->rule[i].kind == PTX_RULE_SELECTOR) return true;
    return false;
}

static bool has_parts(const struct registers *registers)
{
    for (int i = 0; i < registers->rules; i++)
        if (registers->rule[i].may_pack) return true;
    return false;
}

static const struct ptx_operand_rule *rule_of(const struct registers *registers, int slot)
{
    int at = 0;
    for (int i = 0; i < registers->rules; i++) {
        at += registers_parts(registers, &registers->rule[i]);
        if (slot < at) return &registers->rule[i];
    }
    return &registers->rule[0];
}

uint32_t instance_selector(const struct instance *instance, int rule, char text[VALUES_SELECTOR_BYTES])
{
    const enum ptx_selector selector = (enum ptx_selector)instance->registers.rule[rule].selector;
    const bool is_last = rule == instance->registers.rules - 1; // of a product or c only one is negated
    if (selector == PTX_SELECTOR_MINUS && is_last == (int)(instance->seed & 1))
        return value_of_selector(PTX_SELECTOR_WHOLE, 0, text);
    return value_of_selector(selector, value_mix(instance->seed + (uint64_t)rule), text);
}

static bool is_named(const struct ptx_operand_rule *rule, const char *name)
{
    return rule->name_length == strlen(name) && memcmp(rule->name, name, rule->name_length) == 0;
}

// All of them where the source is one register of at most 16 bits.
static int tuples_of(const struct registers *registers)
{
    int sources = 0, bits = 0;
    for (int slot = 0; slot < registers->slots; slot++)
        if (!registers->is_written[slot]) sources++, bits = registers->bits[slot];
    return sources == 1 && bits <= 16 && bits > 1 ? INSTANCE_MOST_TUPLES : INSTANCE_TUPLES;
}

static void describe(struct instance *instance)
{
    struct registers *registers = &instance->registers;
    const struct ptx_form *form = ptx_form_row(instance->form);
    instance->tuples = tuples_of(registers);
    instance->is_meeting = form->runs == PTX_RUNS_MEETING;
    instance->has_carry = registers->choice.word[PTX_CLASS_CARRY] != PTX_WORD_NONE ||
                          strncmp(form->opcode, "addc", 4) == 0 || strncmp(form->opcode, "subc", 4) == 0 ||
                          strncmp(form->opcode, "madc", 4) == 0;
    instance->is_difference = strncmp(form->opcode, "sub", 3) == 0;
    instance->mask = -1;
    for (int slot = 0; slot < registers->slots; slot++)
        if (is_named(rule_of(registers, slot), "mask") && instance->is_meeting) instance->mask = slot;
    snprintf(instance->key, sizeof instance->key, "%s %s %d", form->name, instance->spelling, instance->variant);
    instance->seed = hash_of(instance->key);
    instance->constant = (uint32_t)instance->seed & 255;
}

static void tell_variant(struct telling *telling, int variant, int parts)
{
    struct instance *instance = &telling->instance;
    instance->variant = variant;
    instance->parts = parts;
    if (!registers_open(&instance->registers, instance->form, instance->spelling, parts)) return;
    describe(instance);
    instance->seed += value_mix(telling->seed);
    telling->tell(telling->to, instance);
}

static void tell_spelling(struct telling *telling)
{
    struct instance *instance = &telling->instance;
    if (!registers_open(&instance->registers, instance->form, instance->spelling, 1)) return;
    if (has_parts(&instance->registers)) {
        int bits = (int)ptx_type_row((enum ptx_type)instance->registers.choice.type[0])->bits;
        for (int parts = 2; bits / parts >= 16 && parts <= 4; parts *= 2) tell_variant(telling, parts, parts);
    } else if (has_constant(&instance->registers)) {
        for (int variant = 0; variant < 8; variant++) tell_variant(telling, variant, 1);
    } else if (has_selector(&instance->registers)) {
        for (int variant = 0; variant < 3; variant++) tell_variant(telling, variant, 1);
    } else {
        tell_variant(telling, 0, 1);
    }
}

static void tell_slots(struct telling *telling, int slot)
{
    struct instance *instance = &telling->instance;
    size_t used = strlen(instance->spelling), length;
    if (slot == ptx_form_slots(instance->form)) {
        tell_spelling(telling);
        return;
    }
    if (ptx_form_slot_is_optional(instance->form, slot)) tell_slots(telling, slot + 1);
    for (int n = 0;; n++) {
        const char *word = ptx_form_slot_word(instance->form, slot, n, &length);
        if (word == NULL) return;
        snprintf(instance->spelling + used, sizeof instance->spelling - used, ".%.*s", (int)length, word);
        tell_slots(telling, slot + 1);
        instance->spelling[used] = '\0';
    }
}

void instance_each(uint64_t seed, void (*tell)(void *to, struct instance *instance), void *to)
{
    static struct telling telling;
    telling.seed = seed;
    telling.tell = tell;
    telling.to = to;
    for (int form = 0; form < ptx_form_count(); form++) {
        const struct ptx_form *row = ptx_form_row(form);
        if (row->runs != PTX_RUNS_ALU && row->runs != PTX_RUNS_MEETING) continue;
        telling.instance.form = form;
        snprintf(telling.instance.spelling, sizeof telling.instance.spelling, "%s", row->opcode);
        tell_slots(&telling, 0);
    }
}

// --- Operands --------------------------------------------------------------------------------------------------------

// Positions, counts and the like are small most of the time.
static bool is_count(const struct instance *instance, const struct ptx_operand_rule *rule)
{
    const char *opcode = ptx_form_row(instance->form)->opcode;
    if (is_named(rule, "pos") || is_named(rule, "length") || is_named(rule, "offset")) return true;
    if (strncmp(opcode, "shl", 3) == 0 || strncmp(opcode, "shr", 3) == 0 || strcmp(opcode, "szext") == 0)
        return is_named(rule, "b");
    if (strncmp(opcode, "shf.", 4) == 0) return is_named(rule, "c");
    return strcmp(opcode, "bmsk") == 0;
}

static uint64_t special(const struct instance *instance, const struct ptx_operand_rule *rule, uint64_t kind,
                        uint64_t random)
{
    const char *opcode = ptx_form_row(instance->form)->opcode;
    if (is_named(rule, "base")) return random % 32;
    if (is_named(rule, "offset")) return random % 41 - 20;
    if (strcmp(opcode, "match") == 0) return random % 3 == 0 ? 7 : random % 5 * 0x100000001u;
    if (strcmp(opcode, "shfl") == 0 && is_named(rule, "c")) return random & 0x1f1f;
    if (strcmp(opcode, "shfl") == 0 && is_named(rule, "b")) return random % 40;
    return kind % 8 < 5 ? random % 72 : kind % 8 < 7 ? random % 300 : random >> random % 33 & 0xffffffff;
}

static bool is_special(const struct instance *instance, const struct ptx_operand_rule *rule)
{
    const char *opcode = ptx_form_row(instance->form)->opcode;
    return is_count(instance, rule) || is_named(rule, "base") ||
           (strcmp(opcode, "match") == 0 && is_named(rule, "a")) ||
           (strcmp(opcode, "shfl") == 0 && (is_named(rule, "b") || is_named(rule, "c")));
}

// The same for all lanes where match is to find all equal.
static bool shared_by_warp(const struct instance *instance, int tuple)
{
    return strcmp(ptx_form_row(instance->form)->opcode, "match") == 0 && tuple / 32 % 3 == 1;
}

uint64_t instance_operand(const struct instance *instance, int slot, int word, int tuple)
{
    const struct registers *registers = &instance->registers;
    uint64_t seed = instance->seed + (uint64_t)(slot * 2 + word) * 0x9e3779b97f4a7c15u;
    int at = shared_by_warp(instance, tuple) ? tuple / 32 : tuple;
    uint64_t kind = value_mix(seed + (uint64_t)at * 2 + 1), random = value_mix(kind + seed);
    if (slot == registers->slots || registers->bits[slot] == 1) return random & 1;
    const struct ptx_operand_rule *rule = rule_of(registers, slot);
    char text[VALUES_SELECTOR_BYTES];
    if (rule->kind == PTX_RULE_CONSTANT) return instance->constant;
    if (rule->kind == PTX_RULE_SELECTOR) return instance_selector(instance, slot, text);
    if (instance->tuples == INSTANCE_MOST_TUPLES && !registers->is_written[slot]) return (uint64_t)tuple;
    if (slot == instance->mask) return instance_lanes(instance, tuple / 32);
    if (is_special(instance, rule)) return special(instance, rule, kind >> 20, random);
    // At times an operand is near the one before.
    if (kind >> 61 == 0 && slot > 1 && registers->bits[slot - 1] == registers->bits[slot] &&
        !registers->is_written[slot - 1])
        return (instance_operand(instance, slot - 1, word, tuple) + (random & 3) - 1) ^
               (random & 4 ? (uint64_t)1 << (registers->bits[slot] - 1) % 64 : 0);
    return value_of_type((enum ptx_type)rule->type, kind >> 20, random);
}

uint32_t instance_lanes(const struct instance *instance, int warp)
{
    uint32_t lanes = (uint32_t)value_mix(instance->seed + (uint64_t)warp * 77);
    bool is_shuffle = strcmp(ptx_form_row(instance->form)->opcode, "shfl") == 0;
    if (!instance->is_meeting || is_shuffle || warp % 4 == 0 || lanes == 0) return UINT32_MAX;
    return warp % 4 == 1 ? lanes & (0 - lanes) : lanes;
}

// --- Results ---------------------------------------------------------------------------------------------------------

// Tuples and results have 1 where a difference borrows: the flag is 0 then.
static uint32_t flag_of(const struct instance *instance, uint64_t carry)
{
    return (uint32_t)carry ^ (uint32_t)instance->is_difference;
}

static void load_warp(struct instance *instance, int first)
{
    struct registers *registers = &instance->registers;
    registers->carry = 0;
    for (int lane = 0; lane < 32; lane++) {
        if (instance->has_carry)
            registers->carry |= flag_of(instance, instance_operand(instance, registers->slots, 0, first + lane))
                                << lane;
        for (int slot = 0; slot < registers->slots; slot++)
            for (int word = 0; word < 1 + (registers->bits[slot] == 128); word++)
                registers_set(registers, slot, lane, word,
                              registers->is_written[slot] ? INSTANCE_BEFORE
                                                          : instance_operand(instance, slot, word, first + lane));
    }
}

static int store_warp(const struct instance *instance, int first, uint64_t *results)
{
    const struct registers *registers = &instance->registers;
    int words = 0;
    for (int slot = 0; slot < registers->slots; slot++) {
        if (!registers->is_written[slot]) continue;
        for (int word = 0; word < 1 + (registers->bits[slot] == 128); word++, words++)
            for (int lane = 0; lane < 32; lane++)
                results[(size_t)words * (size_t)instance->tuples + (size_t)(first + lane)] =
                    registers_get(registers, slot, lane, word);
    }
    if (!instance->has_carry) return words;
    for (int lane = 0; lane < 32; lane++)
        results[(size_t)words * (size_t)instance->tuples + (size_t)(first + lane)] =
            flag_of(instance, registers->carry >> lane & 1);
    return words + 1;
}

int instance_compute(struct instance *instance, alu_function *function, uint64_t *results)
{
    int words = 0;
    for (int first = 0; first < instance->tuples; first += 32) {
        load_warp(instance, first);
        registers_run(&instance->registers, function, instance_lanes(instance, first / 32));
        words = store_warp(instance, first, results);
    }
    return words;
}

uint64_t instance_digest(const uint64_t *results, size_t count)
{
    uint64_t digest = 0;
    for (size_t i = 0; i < count; i++) digest = value_mix(digest + results[i] + i * 0x9e3779b97f4a7c15u);
    return digest;
}
