// SPDX-License-Identifier: MIT
#include "sanitize_works.h"

#include <stdlib.h>
#include <string.h>

#include "apart.h"
#include "check_found.h"
#include "demangle.h"
#include "json_text.h"
#include "note.h"
#include "plain.h"
#include "suppress.h"
#include "where_text.h"

// A pair that was told: of which works, at which lines.
enum { TOLD_MOST = 64 };
struct pair {
    uint64_t older, newer;
    uint32_t older_line, newer_line;
};

//   launch, tally, module  of the launch that is judged now; NULL: none
//   count                  what was told of it
struct sanitize_works {
    struct history *history;
    struct look_works_names names;
    const struct suppressions *suppressions;
    const char *notes;
    struct json_lines lines;
    const struct look_sanitize *launch;
    const struct look_tally *tally;
    const struct machine_module *module;
    uint32_t count, told;
    struct pair pair[TOLD_MOST];
};

struct history *sanitize_works_history(struct sanitize_works *works)
{
    return works->history;
}

// --- What is told ----------------------------------------------------------------------------------------------------

// One side: the work (NULL: the host), and its line where it is a kernel.
struct side {
    const struct look_work *work;
    uint32_t line, flags;
    struct machine_where place;
};

static struct side side_of(const struct sanitize_works *works, const struct history_access *access, bool is_newer)
{
    struct side side = {.line = access->line, .flags = access->flags};
    if (access->work != 0) side.work = works->history->work[access->work].owner;
    if (access->line == 0) return side;
    const struct sanitize_front *front = side.work != NULL ? side.work->launch : NULL;
    if (is_newer && works->launch != NULL)
        side.place = look_where_of(works->tally, works->module, access->line);
    else if (front != NULL)
        side.place = look_where_of(&front->tally, front->module, access->line);
    return side;
}

static enum sanitize_kind kind_of(const struct side *older, const struct side *newer)
{
    if (newer->work == NULL) return SANITIZE_HOST;
    if (newer->work->kind == LOOK_WORK_FREES) return SANITIZE_STREAM_FREED; // in front of the other here, or behind it
    return older->work->kind == LOOK_WORK_ALLOCATES ? SANITIZE_STREAM_NEW : SANITIZE_STREAMS;
}

// The line of the source, or else of the PTX.
static uint32_t line_of(const struct side *side)
{
    return side->place.source_line != 0 ? side->place.source_line : side->line;
}

static uint64_t hash_of(const struct look_work *work)
{
    uint64_t hash = 1;
    for (const char *at = work != NULL ? work->what : ""; *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    return work != NULL ? hash * 31 + work->stream : 0;
}

// 1 if the pair is new.
static bool note_pair(struct sanitize_works *works, const struct side *older, const struct side *newer)
{
    const struct pair pair = {hash_of(older->work), hash_of(newer->work), line_of(older), line_of(newer)};
    for (uint32_t i = 0; i < works->told; i++) {
        const struct pair *one = &works->pair[i];
        if (one->older == pair.older && one->newer == pair.newer && one->older_line == pair.older_line &&
            one->newer_line == pair.newer_line)
            return false;
    }
    if (works->told == TOLD_MOST) return false;
    works->pair[works->told++] = pair;
    return true;
}

static void submitted(const struct sanitize_works *works, const struct look_work *work, char *text, size_t bytes)
{
    text[0] = '\0';
    if (work == NULL || work->where != NULL) works->names.where(works->names.context, work, text, bytes);
}

// "produce.cu:12, kernel f, on stream 3, by cudaLaunchKernel (called in main of a.out, at 0x1234), a write"
static void print_side(const struct sanitize_works *works, const char *role, const struct side *side)
{
    const struct machine_caller inner = {side->place.source_file, side->place.source_line};
    char text[512];
    fprintf(stderr, "    %s: ", role);
    if (side->line != 0 && inner.line != 0) plain_printf(stderr, "%s, ", where_place(&inner, false, text, sizeof text));
    if (side->line != 0 && inner.line == 0) fprintf(stderr, "PTX line %u, ", side->line);
    if (side->work == NULL) {
        submitted(works, NULL, text, sizeof text);
        plain_printf(stderr, "%s, a %s\n", text, side->flags & SHADOW_WRITES ? "write" : "read");
        return;
    }
    plain_printf(stderr, "%s", side->work->what);
    if (side->work->stream == 0)
        fprintf(stderr, ", on the default stream");
    else
        fprintf(stderr, ", on stream %llu", (unsigned long long)side->work->stream);
    submitted(works, side->work, text, sizeof text);
    if (text[0] != '\0') plain_printf(stderr, ", by %s", text);
    if (side->work->kind < LOOK_WORK_ALLOCATES)
        fprintf(stderr, ", a %s", side->flags & SHADOW_WRITES ? "write" : "read");
    fputc('\n', stderr);
}

static void print_text(const struct sanitize_works *works, enum sanitize_kind kind, const struct history_found *found,
                       const struct side side[2])
{
    const struct sanitize_text *said = sanitize_text(kind);
    const struct side *main = side[0].line != 0 ? &side[0] : &side[1];
    const struct machine_caller own = machine_where_own(&main->place);
    char memory[512];
    const size_t known = works->names.memory(works->names.context, found->address, memory, sizeof memory);
    if (own.line != 0)
        plain_printf(stderr, "%.*s:%u: error: ", (int)own.file.length, own.file.at, own.line);
    else
        fprintf(stderr, "tmaref: error: ");
    plain_printf(stderr, "sanitize: %s%s%s: ", side[0].work != NULL ? side[0].work->what : "",
                 side[0].work != NULL ? ": " : "", said->sentence);
    fprintf(stderr, "global address 0x%llx", (unsigned long long)found->address);
    if (known > 0) plain_printf(stderr, ", %s", memory);
    fputc('\n', stderr);
    print_side(works, said->newer, &side[0]);
    print_side(works, said->older, &side[1]);
    fprintf(stderr, "    missing: %s\n    %s\n", said->missing, said->advice);
}

static void print_json_side(FILE *out, const struct sanitize_works *works, const char *before, const char *role,
                            const struct side *side)
{
    char text[512], key[64];
    if (side->line != 0)
        look_print_json_place(out, role, &side->place, before);
    else {
        snprintf(key, sizeof key, "%srole", before);
        look_print_key(out, key, role, strlen(role));
    }
    submitted(works, side->work, text, sizeof text);
    snprintf(key, sizeof key, "%swork", before);
    look_print_key(out, key, side->work != NULL ? side->work->what : "host",
                   strlen(side->work != NULL ? side->work->what : "host"));
    if (side->work != NULL) fprintf(out, ", \"%sstream\": %llu", before, (unsigned long long)side->work->stream);
    snprintf(key, sizeof key, "%ssubmitted", before);
    if (text[0] != '\0') look_print_key(out, key, text, strlen(text));
    fprintf(out, ", \"%saccess\": \"%s\"", before, side->flags & SHADOW_WRITES ? "write" : "read");
}

static void print_json(FILE *out, const struct sanitize_works *works, enum sanitize_kind kind,
                       const struct history_found *found, const struct side side[2])
{
    const struct sanitize_text *said = sanitize_text(kind);
    char memory[512];
    const size_t known = works->names.memory(works->names.context, found->address, memory, sizeof memory);
    fprintf(out, "{\"sanitize\": \"%s\"", said->id);
    look_print_key(out, "message", said->sentence, strlen(said->sentence));
    print_json_side(out, works, "", said->newer, &side[0]);
    print_json_side(out, works, "other_", said->older, &side[1]);
    look_print_key(out, "name", memory, known);
    fprintf(out, ", \"address\": \"0x%llx\", \"bytes\": %u, \"space\": \"global\"", (unsigned long long)found->address,
            found->bytes);
    look_print_key(out, "missing", said->missing, strlen(said->missing));
    look_print_key(out, "advice", said->advice, strlen(said->advice));
    fprintf(out, ", \"level\": \"error\"}");
}

// The kernel's name, where it is one.
static bool is_suppressed(const struct sanitize_works *works, const struct side *older, const struct side *newer)
{
    static const char mark[] = "kernel ";
    const struct machine_where *const place[2] = {&newer->place, &older->place};
    const char *rule = sanitize_text(kind_of(older, newer))->id;
    const struct side *sides[2] = {newer, older};
    for (int i = 0; i < 2; i++) {
        const char *what = sides[i]->work != NULL ? sides[i]->work->what : "";
        const size_t skipped = strncmp(what, mark, sizeof mark - 1) == 0 ? sizeof mark - 1 : 0;
        if (suppressions_have(works->suppressions, rule, what + skipped, place)) return true;
    }
    return false;
}

static void take_found(void *context, const struct history_found *found)
{
    struct sanitize_works *works = context;
    const struct side newer = side_of(works, found->newer, true), older = side_of(works, found->older, false);
    const bool is_free_first = older.work->kind == LOOK_WORK_FREES;
    struct json_line line;
    const struct side side[2] = {is_free_first ? older : newer, is_free_first ? newer : older};
    if (!note_pair(works, &older, &newer) || is_suppressed(works, &older, &newer)) return;
    if (newer.work != NULL) fflush(stdout); // of the host the access may be printf()'s
    const enum sanitize_kind kind = kind_of(&side[1], &side[0]);
    if (json_line_begin(&line, &works->lines)) {
        print_json(line.out, works, kind, found, side);
        json_line_tell(&line, &works->lines);
    }
    if (!works->lines.is_json) print_text(works, kind, found, side);
    works->count++;
    note_add(works->notes, NOTE_ERROR);
}

// --- Works -----------------------------------------------------------------------------------------------------------

static void free_work(void *context, void *owner)
{
    struct look_work *work = owner;
    (void)context;
    if (work == NULL) return;
    if (work->launch != NULL) free(work->launch->tally.item);
    free(work->launch);
    free(work->where);
    free(work);
}

struct sanitize_works *sanitize_works_open(const struct look_options *options, const struct look_works_names *names,
                                           const struct suppressions *suppressions)
{
    struct sanitize_works *works = calloc(1, sizeof *works);
    if (works == NULL) return NULL;
    works->history = history_open();
    if (works->history == NULL) {
        free(works);
        return NULL;
    }
    works->names = *names;
    works->suppressions = suppressions;
    works->notes = options->notes;
    works->lines = options->lines;
    works->history->context = works;
    works->history->found = take_found;
    works->history->over = free_work;
    return works;
}

void sanitize_works_close(struct sanitize_works *works)
{
    if (works == NULL) return;
    history_close(works->history);
    free(works);
}

// --- Launches --------------------------------------------------------------------------------------------------------

static void add_entry(void *context, uint64_t address, uint64_t bytes, const struct shadow_entry *entry)
{
    const uint32_t kept = SHADOW_WRITES | SHADOW_STRONG | SHADOW_REDUCES;
    history_add(context, entry->line, entry->flags & kept, address, bytes);
}

// A fence of the whole system stands for a strong access: the host may know by it.
static void tell_page(struct sanitize_works *works, const struct look_sanitize *sanitize, const struct history_set *set)
{
    uint32_t flags = sanitize->has_spoken ? SHADOW_STRONG : 0;
    for (uint32_t i = 0; i < set->count; i++) flags |= set->access[i].flags;
    works->names.touched(works->names.context, set->page * SHADOW_PAGE_BYTES, SHADOW_PAGE_BYTES, flags);
}

static void give_page(struct sanitize_works *works, uint32_t work, const struct look_sanitize *sanitize,
                      const struct shadow_page *page,
                      void (*give)(struct history *history, uint32_t work, const struct history_set *set))
{
    struct history_set set;
    set.page = page->number;
    set.count = 0;
    shadow_each(&sanitize->order->pool, page, add_entry, &set);
    for (uint32_t i = 0; i < set.count; i++) set.access[i].work = work;
    give(works->history, work, &set);
    if (give == history_take) tell_page(works, sanitize, &set);
}

// Of a launch whose clusters threads have seen.
static void give_apart(struct sanitize_works *works, uint32_t work, const struct look_sanitize *sanitize,
                       const struct apart_page *page,
                       void (*give)(struct history *history, uint32_t work, const struct history_set *set))
{
    struct shadow_way way[APART_MOST_WAYS];
    struct history_set set; // most of it is never set
    set.page = page->number;
    set.count = order_apart_ways(page, way);
    _Static_assert((int)APART_MOST_WAYS <= (int)HISTORY_WAYS, "a set holds all");
    for (uint32_t i = 0; i < set.count; i++) {
        set.access[i] = (struct history_access){.work = work, .line = way[i].line, .flags = way[i].flags};
        memcpy(set.access[i].bytes, way[i].bytes, sizeof set.access[i].bytes);
    }
    give(works->history, work, &set);
    if (give == history_take) tell_page(works, sanitize, &set);
}

static void give_all_apart(struct sanitize_works *works, uint32_t work, const struct look_sanitize *sanitize)
{
    uint32_t count;
    struct apart_item *item = order_apart_pages(sanitize->apart, &count);
    if (item == NULL) works->history->is_short = true;
    for (uint32_t i = 0; sanitize->apart->has_atomics && i < count; i++)
        give_apart(works, work, sanitize, item[i].page, history_meet);
    for (uint32_t i = 0; i < count; i++) give_apart(works, work, sanitize, item[i].page, history_take);
    free(item);
}

static void give_pages(struct sanitize_works *works, uint32_t work, const struct look_sanitize *sanitize,
                       void (*give)(struct history *history, uint32_t work, const struct history_set *set))
{
    const struct order_global *global = &sanitize->order->global;
    for (int i = 0; global->page != NULL && i < ORDER_GLOBAL_HASH; i++)
        for (const struct shadow_page *page = global->page[i]; page != NULL; page = page->next)
            give_page(works, work, sanitize, page, give);
}

// What is told of the launch later needs the functions that ran.
static void keep_launch(struct look_work *work, const struct look_sanitize *sanitize, const struct look_tally *tally,
                        const struct machine_module *module)
{
    work->launch = calloc(1, sizeof *work->launch);
    if (work->launch == NULL) return;
    work->launch->module = module;
    memcpy(work->launch->grid, sanitize->found.grid, sizeof work->launch->grid);
    memcpy(work->launch->block, sanitize->found.block, sizeof work->launch->block);
    sanitize_keep_functions(&work->launch->tally, tally);
}

uint32_t sanitize_works_launch(struct sanitize_works *works, uint32_t work, const struct look_sanitize *sanitize,
                               const struct look_tally *tally, const struct machine_module *module)
{
    if (works == NULL || work == 0 || work > works->history->works) return 0;
    works->launch = sanitize;
    works->tally = tally;
    works->module = module;
    works->count = 0;
    if (sanitize->order->global.has_strong) give_pages(works, work, sanitize, history_meet);
    if (sanitize->apart != NULL)
        give_all_apart(works, work, sanitize);
    else
        give_pages(works, work, sanitize, history_take);
    keep_launch(works->history->work[work].owner, sanitize, tally, module);
    works->launch = NULL;
    return works->count;
}
