// SPDX-License-Identifier: MIT
// A load, an add and a store of one address, as an add that no other comes between.
#include <string.h>

#include "sanitize_edit.h"

// "ld.global.u32 %r2, [%rd4];", "add.s32 %r3, %r2, 1;" and "st.global.u32 [%rd4], %r3;": type is the "u32" of the
// store.
struct sum {
    uint32_t load, store;
    char loaded[PTX_STATEMENT_BYTES], stored[PTX_STATEMENT_BYTES], address[PTX_STATEMENT_BYTES];
    char space[16], type[8];
};

// The operand of this number, from 0 on; empty if there is none.
static void operand(const char *statement, int number, char *to)
{
    const char *at = ptx_statement_word(statement);
    for (at += strcspn(at, " \t"); number > 0 && at != NULL; number--) at = strchr(at + (*at == ','), ',');
    at = at != NULL ? at + strspn(at, ", \t") : "";
    const size_t length = strcspn(at, ",; \t");
    memcpy(to, at, length);
    to[length] = '\0';
}

// "st.global.u32": no qualifier between the space and the type.
static bool has_type(const char *word, struct sum *sum)
{
    static const char *const types[] = {"u32", "s32", "f32", "u64", "f64"};
    char given[8];
    if (sscanf(word, "st.%15[a-z].%7[a-z0-9]", sum->space, given) != 2) return false;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(given, types[i]) == 0) {
            strcpy(sum->type, given);
            return true;
        }
    return false;
}

static bool is_store(const struct sanitize_edits *edits, uint32_t line, struct sum *sum)
{
    char statement[PTX_STATEMENT_BYTES];
    if (line == 0 || !ptx_body_statement(&edits->body, line, statement)) return false;
    const char *word = ptx_statement_word(statement);
    if (!has_type(word, sum) || !ptx_statement_address(word, 0, sum->address, sizeof sum->address)) return false;
    operand(statement, 1, sum->stored);
    sum->store = line;
    return sum->stored[0] == '%';
}

// The line in front, in the same straight run, that gives the register: as `word` begins. 0: another gives it.
static uint32_t giver(const struct sanitize_edits *edits, uint32_t line, const char *name, const char *word,
                      char *statement)
{
    char to[PTX_STATEMENT_BYTES];
    for (uint32_t at = line - 1; at > edits->body.first && !ptx_body_parts(&edits->body, at); at--) {
        if (!ptx_body_statement(&edits->body, at, statement)) continue;
        operand(statement, 0, to);
        if (strcmp(to, name) == 0) return sanitize_edit_starts(ptx_statement_word(statement), word) ? at : 0;
    }
    return 0;
}

// How many statements of the function have this register?
static int uses(const struct sanitize_edits *edits, const char *name)
{
    char statement[PTX_STATEMENT_BYTES];
    int count = 0;
    for (uint32_t line = edits->body.first; line < edits->body.last; line++) {
        if (!ptx_body_statement(&edits->body, line, statement)) continue;
        const char *at = strstr(statement, name);
        count += at != NULL && strchr(",;] \t", at[strlen(name)]) != NULL;
    }
    return count;
}

// The load that the add takes, of the same address, which nothing else takes.
static bool find_load(const struct sanitize_edits *edits, struct sum *sum)
{
    char add[PTX_STATEMENT_BYTES], load[PTX_STATEMENT_BYTES], address[PTX_STATEMENT_BYTES];
    const uint32_t line = giver(edits, sum->store, sum->stored, "add.", add);
    if (line == 0) return false;
    for (int i = 1; i <= 2; i++) {
        operand(add, i, sum->loaded);
        sum->load = giver(edits, line, sum->loaded, "ld.", load);
        if (sum->load > 0 && ptx_statement_address(load, 0, address, sizeof address) &&
            strcmp(address, sum->address) == 0 && uses(edits, sum->loaded) == 2)
            return true;
    }
    return false;
}

static void add_sum(struct sanitize_edits *edits, uint32_t line)
{
    struct sum sum;
    if (!is_store(edits, line, &sum) || !find_load(edits, &sum)) return;
    const char *zero = strcmp(sum.type, "f32") == 0 ? "0f00000000" : "0";
    if (strcmp(sum.type, "f64") == 0) zero = "0d0000000000000000";
    struct remedy_edit *edit = sanitize_edit_add(edits);
    sanitize_edit_put(edit, REMEDY_INSTEAD, sum.load, "mov.%s %.60s, %s;", sum.type, sum.loaded, zero);
    sanitize_edit_put(edit, REMEDY_INSTEAD, sum.store, "red.%s.add.%s [%.100s], %.60s;", sum.space, sum.type,
                      sum.address, sum.stored);
}

void sanitize_edits_sum(struct sanitize_edits *edits)
{
    add_sum(edits, edits->older);
    if (edits->newer != edits->older) add_sum(edits, edits->newer);
}
