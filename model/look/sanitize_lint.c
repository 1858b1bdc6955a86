// SPDX-License-Identifier: MIT
#include "sanitize_lint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "check_found.h"
#include "demangle.h"
#include "module.h"
#include "plain.h"

// Launches of one kernel that are tried, and the most that is kept of a text.
enum { MOST_LAUNCHES = 3, TEXT_BYTES = 256, NAME_BYTES = 512 };

// UNTRIED: its line holds more than one statement, or the launch cannot be done without it (the text is refused).
enum need { UNTRIED, IDLE, NEEDED };

// What one line of the source has of one word: an unrolled loop has it at several lines of the PTX, of which this is
// the first. NEEDED: at one of them at least.
struct instruction {
    uint32_t line, source_line;
    int order;
    enum need need;
    char file[TEXT_BYTES], text[TEXT_BYTES];
};

struct kernel {
    struct kernel *next;
    char name[NAME_BYTES];
    uint32_t launches, count, room, grid[3], block[3];
    struct instruction *item;
};

struct sanitize_lint {
    struct json_lines lines;
    struct kernel *kernel;
    bool is_short;
};

// --- The text --------------------------------------------------------------------------------------------------------

static const char *const orders[] = {
    "bar.sync",         "bar.cta.sync",      "barrier.sync",       "barrier.cta.sync", "fence.",
    "membar.",          "mbarrier.try_wait", "mbarrier.test_wait", "cp.async.wait_",   "cp.async.bulk.wait_group",
    "wgmma.wait_group", "wgmma.fence",       "griddepcontrol.wait"};
enum { ORDERS = sizeof orders / sizeof orders[0], FIRST_FENCE = 4 };

// Which of these the statement is; ORDERS: none.
static int order_of(const char *statement)
{
    int i = 0;
    while (i < ORDERS && strncmp(statement, orders[i], strlen(orders[i])) != 0) i++;
    return i;
}

// The line without blanks around it. 0 if it is not one statement.
static bool statement_at(const char *text, uint32_t line, char statement[TEXT_BYTES])
{
    for (; line > 1 && text != NULL; line--) text = (text = strchr(text, '\n')) != NULL ? text + 1 : NULL;
    if (text == NULL) return false;
    while (*text == ' ' || *text == '\t') text++;
    const size_t line_length = strcspn(text, "\r\n");
    if (line_length >= TEXT_BYTES) return false;
    memcpy(statement, text, line_length);
    statement[line_length] = '\0';
    statement[strcspn(statement, "/")] = '\0'; // a comment
    size_t length = strlen(statement);
    while (length > 0 && isspace((unsigned char)statement[length - 1])) statement[--length] = '\0';
    if (length == 0 || statement[length - 1] != ';') return false;
    return strchr(statement, ';') == &statement[length - 1] && strpbrk(statement, "{:") != statement;
}

static const char *behind_guard(const char *statement)
{
    if (statement[0] != '@') return statement;
    statement += strcspn(statement, " \t");
    return statement + strspn(statement, " \t");
}

// What stands for it: nothing, but for a wait that gives a predicate, which is true at once.
static bool replacement(const char *statement, char *text, size_t bytes)
{
    const char *word = behind_guard(statement), *predicate = word + strcspn(word, " \t");
    text[0] = '\0';
    if (strncmp(word, "mbarrier.", 9) != 0) return true;
    predicate += strspn(predicate, " \t");
    const int length = snprintf(text, bytes, "%.*ssetp.eq.u32 %.*s, 0, 0;", (int)(word - statement), statement,
                                (int)strcspn(predicate, ", \t"), predicate);
    return length > 0 && (size_t)length < bytes;
}

// --- Tries -----------------------------------------------------------------------------------------------------------

static struct kernel *kernel_of(struct sanitize_lint *lint, const char *name)
{
    struct kernel *kernel = lint->kernel;
    while (kernel != NULL && strncmp(kernel->name, name, NAME_BYTES - 1) != 0) kernel = kernel->next;
    if (kernel != NULL) return kernel;
    kernel = calloc(1, sizeof *kernel);
    if (kernel == NULL) return NULL;
    snprintf(kernel->name, sizeof kernel->name, "%s", name);
    kernel->next = lint->kernel;
    return lint->kernel = kernel;
}

static bool is_at(const struct instruction *item, const struct machine_where *where, int order)
{
    const struct machine_caller own = machine_where_own(where);
    if (own.line == 0) return item->line == where->ptx_line;
    return item->order == order && item->source_line == own.line && own.file.length < TEXT_BYTES &&
           strncmp(item->file, own.file.at, own.file.length) == 0 && item->file[own.file.length] == '\0';
}

static struct instruction *instruction_of(struct kernel *kernel, const struct machine_where *where, int order,
                                          const char *text)
{
    for (uint32_t i = 0; i < kernel->count; i++)
        if (is_at(&kernel->item[i], where, order)) return &kernel->item[i];
    struct instruction *grown = look_grow(kernel->item, &kernel->room, kernel->count + 1, sizeof *grown);
    if (grown == NULL) return NULL;
    kernel->item = grown;
    struct instruction *item = &kernel->item[kernel->count++];
    const struct machine_caller own = machine_where_own(where);
    *item = (struct instruction){.line = where->ptx_line, .source_line = own.line, .order = order};
    snprintf(item->file, sizeof item->file, "%.*s", (int)own.file.length, own.file.at);
    snprintf(item->text, sizeof item->text, "%s", text);
    return item;
}

// NEEDED: without it the launch does not end, is not seen whole, or something is found.
static enum need try_without(const struct remedy_trier *trier, uint32_t line, const char *statement, uint32_t advice)
{
    static const struct remedy_aim nothing;
    struct remedy_edit edit = {.count = 1, .piece[0] = {.where = REMEDY_INSTEAD, .line = line}};
    struct remedy_result result;
    if (!replacement(statement, edit.piece[0].text, sizeof edit.piece[0].text)) return UNTRIED;
    if (!trier->try(trier->context, &edit, &nothing, NULL, &result)) return UNTRIED;
    return result.is_over && result.errors == 0 && result.advice <= advice ? IDLE : NEEDED;
}

static void judge(struct sanitize_lint *lint, struct kernel *kernel, const struct sanitize_found *found,
                  const struct machine_where *where, const char *text, uint32_t advice)
{
    char statement[TEXT_BYTES];
    if (!statement_at(text, where->ptx_line, statement)) return;
    const int order = order_of(behind_guard(statement));
    const bool is_one_warp = found->block[0] * found->block[1] * found->block[2] <= MACHINE_LANES;
    if (order == ORDERS || (order < FIRST_FENCE && is_one_warp)) return;
    struct instruction *item = instruction_of(kernel, where, order, statement);
    lint->is_short |= item == NULL;
    if (item == NULL || item->need == NEEDED) return;
    const enum need need = try_without(found->trier, where->ptx_line, statement, advice);
    if (need > item->need) item->need = need;
}

void sanitize_lint_launch(struct sanitize_lint *lint, const struct sanitize_found *found,
                          const struct look_tally *tally, const struct machine_module *module,
                          const struct sanitize_lint_seen *seen)
{
    struct kernel *kernel = kernel_of(lint, found->kernel);
    lint->is_short |= kernel == NULL;
    if (kernel == NULL || found->trier == NULL) return;
    if (!seen->is_clean || kernel->launches == MOST_LAUNCHES) return;
    kernel->launches++;
    memcpy(kernel->grid, found->grid, sizeof kernel->grid);
    memcpy(kernel->block, found->block, sizeof kernel->block);
    for (uint32_t f = 0; f < tally->count; f++) {
        const struct ptx_function *source = tally->item[f].function->source;
        const struct machine_code *main;
        for (uint32_t i = 0, code = 0; i < source->instructions; i++) {
            if (look_instruction_count(&tally->item[f], i, &code, &main).threads == 0) continue;
            const struct machine_where where = look_where_of(tally, module, source->instruction[i].line);
            judge(lint, kernel, found, &where, machine_module_text(module), seen->advice);
        }
    }
}

// --- What is told ----------------------------------------------------------------------------------------------------

static void tell_idle(const struct sanitize_lint *lint, const struct kernel *kernel, const char *name,
                      const struct instruction *item)
{
    struct json_line line;
    if (json_line_begin(&line, &lint->lines)) {
        fprintf(line.out, "{\"lint\": \"UNNEEDED\"");
        look_print_key(line.out, "kernel", kernel->name, strlen(kernel->name));
        look_print_key(line.out, "file", item->file, strlen(item->file));
        fprintf(line.out, ", \"line\": %u, \"ptx_line\": %u, \"launches\": %u", item->source_line, item->line,
                kernel->launches);
        look_print_key(line.out, "text", item->text, strlen(item->text));
        fprintf(line.out, "}");
        json_line_tell(&line, &lint->lines);
    }
    if (lint->lines.is_json) return;
    if (item->source_line != 0)
        plain_printf(stderr, "%s:%u: ", item->file, item->source_line);
    else
        fprintf(stderr, "tmaref: ");
    plain_printf(stderr, "note: lint-sync: kernel %s: no access needs this: %s (PTX line %u)\n", name, item->text,
                 item->line);
}

static void tell_kernel(const struct sanitize_lint *lint, const struct kernel *kernel)
{
    char name[DEMANGLED_BYTES];
    uint32_t count[NEEDED + 1] = {0};
    demangle_function(kernel->name, strlen(kernel->name), name, sizeof name);
    for (uint32_t i = 0; i < kernel->count; i++) {
        count[kernel->item[i].need]++;
        if (kernel->item[i].need == IDLE) tell_idle(lint, kernel, name, &kernel->item[i]);
    }
    if (lint->lines.is_json) return;
    plain_printf(stderr, "tmaref: lint-sync: kernel %s: ", name);
    if (kernel->launches == 0) {
        fprintf(stderr, "not tried: no launch of it was clean\n");
        return;
    }
    fprintf(stderr, "of %u fences, waits and barriers, %u needed, %u not, %u not tried; ", kernel->count, count[NEEDED],
            count[IDLE], count[UNTRIED]);
    fprintf(stderr, "launches: %u, the last of grid (%u,%u,%u), block (%u,%u,%u)\n", kernel->launches, kernel->grid[0],
            kernel->grid[1], kernel->grid[2], kernel->block[0], kernel->block[1], kernel->block[2]);
}

struct sanitize_lint *sanitize_lint_open(const struct json_lines *lines)
{
    struct sanitize_lint *lint = calloc(1, sizeof *lint);
    if (lint != NULL) lint->lines = *lines;
    return lint;
}

void sanitize_lint_close(struct sanitize_lint *lint)
{
    while (lint != NULL && lint->kernel != NULL) {
        struct kernel *kernel = lint->kernel;
        tell_kernel(lint, kernel);
        lint->kernel = kernel->next;
        free(kernel->item);
        free(kernel);
    }
    if (lint != NULL && lint->is_short) fprintf(stderr, "tmaref: lint-sync: there was not enough memory for all\n");
    free(lint);
}
