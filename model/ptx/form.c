// SPDX-License-Identifier: MIT
// The tables as data, and how a spelling finds its row.
#include "form.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "flow.h"
#include "form_number.h"

static const struct ptx_type_row types[PTX_TYPES] = {
    [PTX_TYPE_NONE] = {"", PTX_KIND_BITS, 0},
#define TYPE(name, kind, bits) [PTX_TYPE_##name] = {#name, PTX_KIND_##kind, bits},
#include "types.def"
};

static const struct {
    const char *spelling;
    enum ptx_class class;
} words[PTX_WORDS] = {
    [PTX_WORD_NONE] = {"", PTX_CLASSES},
#define WORD(class, name, spelling) [PTX_##name] = {spelling, PTX_CLASS_##class},
#include "words.def"
};

static const struct {
    const char *name, *words;
} sets[] = {
#define SET(name, words) {#name, words},
#include "sets.def"
};
enum { SETS = sizeof sets / sizeof sets[0], MOST_SLOTS = 16 };

static const struct ptx_form forms[PTX_FORMS] = {
#define FORM(name, opcode, modifiers, operands, since, support, runs, note)                                            \
    {#name, opcode, modifiers, operands, since, PTX_##support, PTX_RUNS_##runs, note},
#include "forms.def"
};

const struct ptx_type_row *ptx_type_row(enum ptx_type type)
{
    assert((unsigned)type < PTX_TYPES);
    return &types[type];
}

const struct ptx_form *ptx_form_row(int number)
{
    assert((unsigned)number < PTX_FORMS);
    return &forms[number];
}

int ptx_form_count(void)
{
    return PTX_FORMS;
}

const char *ptx_word_spelling(enum ptx_word word)
{
    assert((unsigned)word < PTX_WORDS);
    return words[word].spelling;
}

static bool is_name(const char *name, const char *at, size_t length)
{
    return length > 0 && *name == *at && strncmp(name, at, length) == 0 && name[length] == '\0';
}

enum ptx_type ptx_type_find(const char *name, size_t length)
{
    for (int i = 1; i < PTX_TYPES; i++)
        if (is_name(types[i].name, name, length)) return (enum ptx_type)i;
    return PTX_TYPE_NONE;
}

static enum ptx_word word_find(const char *at, size_t length)
{
    for (int i = 1; i < PTX_WORDS; i++)
        if (is_name(words[i].spelling, at, length)) return (enum ptx_word)i;
    return PTX_WORD_NONE;
}

// --- Shapes: m16n8k16, m8n8, m64n*k16 --------------------------------------------------------------------------------

// A number, or * (0), behind `letter`; NULL if there is none.
static const char *shape_part(const char *at, const char *end, char letter, uint16_t *part)
{
    if (at == NULL || at >= end || *at != letter) return NULL;
    const char *digits = ++at;
    for (*part = 0; at < end && *at >= '0' && *at <= '9' && at - digits < 4; at++)
        *part = (uint16_t)(*part * 10 + (*at - '0'));
    if (at == digits && at < end && *at == '*') return at + 1;
    return at == digits ? NULL : at;
}

static bool shape_read(const char *at, size_t length, uint16_t shape[3])
{
    const char *end = at + length;
    shape[0] = shape[1] = shape[2] = 0;
    at = shape_part(at, end, 'm', &shape[0]);
    at = shape_part(at, end, at != NULL && at < end && *at == 'i' ? 'i' : 'n', &shape[1]);
    if (at == NULL || at == end) return at != NULL;
    return shape_part(at, end, 'k', &shape[2]) == end;
}

// The n that wgmma has: multiples of 8, for integers 8, 24 and multiples of 16.
static bool shape_n(uint16_t n, bool is_integer)
{
    if (n == 0 || n > 256 || n % 8 != 0) return false;
    return !is_integer || n == 8 || n == 24 || n % 16 == 0;
}

static bool shape_fits(const char *pattern, size_t length, const uint16_t shape[3])
{
    uint16_t wanted[3];
    if (!shape_read(pattern, length, wanted)) return false;
    if (wanted[0] != shape[0] || wanted[2] != shape[2]) return false;
    return wanted[1] != 0 ? wanted[1] == shape[1] : shape_n(shape[1], memchr(pattern, 'i', length) != NULL);
}

// --- Words and slots -------------------------------------------------------------------------------------------------

static struct ptx_spelled word_read(const char *at, size_t length)
{
    struct ptx_spelled word = {.at = at, .length = (uint32_t)length, .type = ptx_type_find(at, length)};
    if (word.type != PTX_TYPE_NONE)
        word.kind = PTX_CLASS_TYPE;
    else if (length > 2 && at[0] == 'm' && at[1] <= '9' && shape_read(at, length, word.shape))
        word.kind = PTX_CLASS_SHAPE;
    else
        word.kind = words[word.word = word_find(at, length)].class;
    return word;
}

struct slot {
    const char *at;
    size_t length;
    bool is_optional, is_filled;
};

static size_t part_length(const char *at, size_t length)
{
    const char *bar = memchr(at, '|', length);
    return bar == NULL ? length : (size_t)(bar - at);
}

// The words of the set @name.
static const char *set_words(const char *name, size_t length)
{
    for (int i = 0; i < SETS; i++)
        if (is_name(sets[i].name, name + 1, length - 1)) return sets[i].words;
    assert(0 && "a set of sets.def");
    return "";
}

// The slots of a row.
static int slots_read(const char *text, struct slot slot[MOST_SLOTS])
{
    int count = 0;
    for (; *text != '\0'; text += *text == ' ') {
        size_t length = strcspn(text, " ");
        assert(count < MOST_SLOTS);
        struct slot *to = &slot[count++];
        *to = (struct slot){text, length, text[length - 1] == '?', false};
        to->length -= (size_t)to->is_optional;
        text += length;
    }
    return count;
}

// The class of its first word.
static enum ptx_class slot_class(const struct slot *slot)
{
    size_t length = part_length(slot->at, slot->length);
    const char *word = *slot->at == '@' ? set_words(slot->at, length) : slot->at;
    return word_read(word, *slot->at == '@' ? part_length(word, strlen(word)) : length).kind;
}

// Is the word one of those of `text`, parted by |?
static bool holds(const char *text, size_t length, const struct ptx_spelled *word)
{
    for (size_t at = 0, part; at < length; at += part + 1) {
        part = part_length(text + at, length - at);
        if (text[at] == '@') {
            const char *set = set_words(text + at, part);
            if (holds(set, strlen(set), word)) return true;
        } else if (word->kind == PTX_CLASS_SHAPE) {
            if (shape_fits(text + at, part, word->shape)) return true;
        } else if (part == word->length && memcmp(text + at, word->at, part) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_ordered(enum ptx_class class)
{
    return class == PTX_CLASS_TYPE || class == PTX_CLASS_SPACE || class == PTX_CLASS_LAYOUT || class == PTX_CLASS_L2;
}

// The first free slot that takes the word. An ordered class goes on to the next slot only past one that may be empty.
static struct slot *slot_take(struct slot *slot, int slots, const struct ptx_spelled *word)
{
    for (int i = 0; i < slots; i++) {
        if (slot[i].is_filled) continue;
        if (holds(slot[i].at, slot[i].length, word)) return &slot[i];
        if (is_ordered(word->kind) && !slot[i].is_optional && slot_class(&slot[i]) == word->kind) return NULL;
    }
    return NULL;
}

// 1 if the choice has it already and saying it again is harmless.
static bool is_repeated(const struct ptx_choice *choice, const struct ptx_spelled *word)
{
    return (word->kind == PTX_CLASS_SAT || word->kind == PTX_CLASS_RELU) && choice->word[word->kind] == word->word;
}

static void choose(struct ptx_choice *choice, const struct ptx_spelled *word)
{
    if (word->kind == PTX_CLASS_TYPE && choice->types < PTX_MOST_TYPES)
        choice->type[choice->types++] = (uint8_t)word->type;
    else if (word->kind == PTX_CLASS_SPACE && choice->spaces < PTX_MOST_SPACES)
        choice->space[choice->spaces++] = (uint8_t)word->word;
    else if (choice->word[word->kind] != 0)
        choice->second = (uint8_t)word->word;
    else
        choice->word[word->kind] = (uint8_t)(word->kind == PTX_CLASS_SHAPE ? 1 : word->word);
    if (word->kind == PTX_CLASS_SHAPE) memcpy(choice->shape, word->shape, sizeof choice->shape);
}

int ptx_form_match(int form, const struct ptx_spelling *spelling, struct ptx_choice *choice, int *taken)
{
    struct slot slot[MOST_SLOTS];
    int slots = slots_read(forms[form].modifiers, slot);
    *choice = (struct ptx_choice){.form = (uint16_t)form};
    for (*taken = 0; *taken < spelling->words; ++*taken) {
        const struct ptx_spelled *word = &spelling->word[*taken];
        if (word->kind == PTX_CLASSES) return 0;
        if (is_repeated(choice, word)) continue;
        struct slot *to = slot_take(slot, slots, word);
        if (to == NULL) return 0;
        to->is_filled = true;
        choose(choice, word);
    }
    for (int i = 0; i < slots; i++)
        if (!slot[i].is_filled && !slot[i].is_optional) return 0;
    return 1;
}

// --- For who makes spellings -----------------------------------------------------------------------------------------

int ptx_form_slots(int form)
{
    struct slot slot[MOST_SLOTS];
    return slots_read(forms[form].modifiers, slot);
}

int ptx_form_slot_is_optional(int form, int i)
{
    struct slot slot[MOST_SLOTS];
    return i < slots_read(forms[form].modifiers, slot) && slot[i].is_optional;
}

// Word *n of the text, with *n counted down by those that came before.
static const char *nth_word(const char *text, size_t length, int *n, size_t *word_length)
{
    for (size_t at = 0, part; at < length; at += part + 1) {
        part = part_length(text + at, length - at);
        const char *set = text[at] == '@' ? set_words(text + at, part) : NULL;
        const char *word = set == NULL ? NULL : nth_word(set, strlen(set), n, word_length);
        if (word != NULL) return word;
        if (set != NULL || (*n)-- != 0) continue;
        *word_length = part;
        return text + at;
    }
    return NULL;
}

const char *ptx_form_slot_word(int form, int i, int n, size_t *length)
{
    struct slot slot[MOST_SLOTS];
    if (i >= slots_read(forms[form].modifiers, slot)) return NULL;
    return nth_word(slot[i].at, slot[i].length, &n, length);
}

// --- Opcodes ---------------------------------------------------------------------------------------------------------

// Does `text` begin with the opcode, up to its end or a dot?
static bool begins_with(const char *text, size_t length, const char *opcode)
{
    if (length == 0 || *text != *opcode) return false;
    size_t opcode_length = strlen(opcode);
    return opcode_length <= length && memcmp(text, opcode, opcode_length) == 0 &&
           (opcode_length == length || text[opcode_length] == '.');
}

// The rows of the longest opcode that the text begins with. All rows of an opcode are looked at: they need not be
// neighbours.
static const char *opcode_find(const char *text, size_t length)
{
    const char *best = NULL;
    for (int i = 0; i < PTX_FORMS; i++)
        if (begins_with(text, length, forms[i].opcode) && (best == NULL || strlen(forms[i].opcode) > strlen(best)))
            best = forms[i].opcode;
    return best;
}

int ptx_spelling_cut(const char *text, size_t length, struct ptx_spelling *spelling)
{
    *spelling = (struct ptx_spelling){.opcode = opcode_find(text, length)};
    if (spelling->opcode == NULL) return 0;
    for (size_t at = strlen(spelling->opcode); at < length;) {
        const char *word = text + at + 1;
        const char *dot = memchr(word, '.', length - at - 1);
        size_t word_length = dot == NULL ? length - at - 1 : (size_t)(dot - word);
        if (spelling->words == PTX_MOST_WORDS) return 0;
        spelling->word[spelling->words++] = word_read(word, word_length);
        at += word_length + 1;
    }
    return 1;
}

int ptx_form_next(const struct ptx_spelling *spelling, int form)
{
    for (; form < PTX_FORMS; form++)
        if (*forms[form].opcode == *spelling->opcode && strcmp(forms[form].opcode, spelling->opcode) == 0) return form;
    return -1;
}

enum ptx_flow ptx_flow_of(const struct ptx_choice *choice)
{
    switch ((enum ptx_form_number)choice->form) {
    case PTX_FORM_BRA:
        return PTX_FLOW_BRANCH;
    case PTX_FORM_BRX_IDX:
        return PTX_FLOW_BRANCH_LIST;
    case PTX_FORM_CALL:
        return PTX_FLOW_CALL;
    case PTX_FORM_RET:
    case PTX_FORM_EXIT:
    case PTX_FORM_TRAP:
        return PTX_FLOW_END;
    default:
        return PTX_FLOW_ON;
    }
}
