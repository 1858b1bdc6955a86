// SPDX-License-Identifier: MIT
// The lines of a script: what it declares, its functions and sections, and what a section does.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "calls.h"

struct line {
    const char *text, *file;
    int indent, number;
};
static struct line *lines;
static size_t line_count;

struct definition {
    const char *name;
    const char **parameters;
    size_t count, body;
    bool takes_more; // behind them
};

enum flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN };
static struct value returned;
bool is_real, is_telling;

static enum flow run_block(size_t first);

// --- Reading --------------------------------------------------------------------------------------------------------

// How many brackets of the line are open at its end; 1000 more for """.
static int open_at_end(const char *text)
{
    int depth = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (strncmp(at, "\"\"\"", 3) == 0) {
            at = strstr(at + 3, "\"\"\"");
            if (at == NULL) return depth + 1000;
            at += 2;
        } else if (*at == '"') {
            for (at++; *at != '"' && *at != '\0'; at++) at += *at == '\\';
        } else {
            if (strncmp(at, "//", 2) == 0 || *at == '#') break;
            depth += (strchr("([{", *at) != NULL) - (strchr(")]}", *at) != NULL);
        }
        if (*at == '\0') break;
    }
    return depth;
}

// Without the comment at its end, behind which the next line would be lost.
static void cut_comment(char *line)
{
    for (char *at = line; *at != '\0'; at++) {
        if (*at == '"')
            for (at++; *at != '"'; at++) at += *at == '\\';
        else if (*at == '#' || strncmp(at, "//", 2) == 0)
            *at-- = '\0';
    }
}

static char *join(char *line, const char *next)
{
    const bool is_raw = open_at_end(line) >= 1000;
    if (!is_raw) cut_comment(line);
    while (!is_raw && *next == ' ') next++;
    char *both = keep(strlen(line) + strlen(next) + 1);
    strcpy(both, line);
    strcat(both, is_raw ? "\n" : line[strlen(line) - 1] == '(' ? "" : " ");
    return strcat(both, next);
}

static void split_lines(const char *path, char *text)
{
    int number = 0;
    char *line;
    while ((line = strsep(&text, "\n")) != NULL) {
        const int first = ++number;
        for (; open_at_end(line) > 0 && text != NULL; number++) line = join(line, strsep(&text, "\n"));
        const size_t indent = strspn(line, " ");
        if (line[indent] == '\0' || line[indent] == '#' || strncmp(line + indent, "//", 2) == 0) continue;
        if (!ARRAY_ADD(lines, line_count, ((struct line){line + indent, path, (int)indent, first}))) fail("no memory");
    }
}

static void begin_line(size_t i)
{
    where_file = lines[i].file;
    where_text = lines[i].text;
    where_line = lines[i].number;
    lex_from(where_text);
}

static bool is_in(size_t i, int indent)
{
    return i < line_count && lines[i].indent > indent;
}

static size_t behind_block(size_t i)
{
    const int indent = lines[i++].indent;
    while (is_in(i, indent)) i++;
    return i;
}

static void define(size_t i)
{
    struct definition *made = keep(sizeof *made);
    *made = (struct definition){.name = lex_name(), .body = i + 1};
    lex_need("(");
    while (!lex_take(")")) {
        made->takes_more = lex_take("...");
        if (!made->takes_more && !ARRAY_ADD(made->parameters, made->count, lex_name())) fail("no memory");
        lex_take(",");
    }
    variable_make(made->name, &type_long)->function = made;
}

bool script_listens(void)
{
    size_t i = 0;
    while (i < line_count && strncmp(lines[i].text, "says ", 5) != 0) i++;
    return i < line_count;
}

static bool is_section(size_t i)
{
    return strncmp(lines[i].text, "section ", 8) == 0;
}

// --- Statements -----------------------------------------------------------------------------------------------------

static void end_line(void)
{
    if (word.kind != WORD_END) fail("nothing more should be here");
}

static size_t count_items(void)
{
    const struct word was = word;
    size_t items = 0;
    int depth = 0;
    bool is_full = false;
    do {
        depth += (lex_is("{") || lex_is("(") || lex_is("[")) - (lex_is("}") || lex_is(")") || lex_is("]"));
        if (depth == 1 && lex_is(","))
            is_full = false;
        else if (depth >= 1 && !is_full && !lex_is("{"))
            items += is_full = true;
        else if (depth > 1 && !is_full)
            items += is_full = true;
        lex_next();
    } while (depth > 0 && word.kind != WORD_END);
    word = was;
    return items;
}

size_t elements(void)
{
    return word.kind == WORD_TEXT ? strlen(word.text) + 1 : count_items();
}

static void declare(void)
{
    struct type *base = type_base();
    while (word.kind != WORD_END) {
        struct member member = type_declarator(base);
        if (member.type->kind == KIND_STRUCT && member.type->bytes == 0) fail("this struct has no members here");
        if (member.type->kind == KIND_FUNCTION) {
            variable_make(member.name, member.type)->place = NULL;
        } else {
            const bool has_value = lex_take("=");
            if (has_value && member.type->kind == KIND_ARRAY && member.type->count == 0)
                member.type = type_array(member.type->of, elements());
            struct variable *variable = variable_make(member.name, member.type);
            if (has_value) initialise(variable->type, variable->place);
        }
        if (word.kind != WORD_END) lex_need(",");
    }
}

// Without what all names of these results begin with.
static const char *result_name(const char *results, int64_t result)
{
    const size_t length = strlen(results);
    if (result == 0) return "SUCCESS";
    for (const struct variable *one = globals.variables; one != NULL; one = one->next)
        if (strncmp(one->name, results, length) == 0 && one->type == &type_int && *(int *)one->place == result)
            return one->name + length;
    return "an unknown error";
}

// What fails is told with the items of the loops that are run.
struct loop {
    const char *name;
    const struct variable *item;
    int64_t number; // of an element
    struct loop *outer;
};

// The first text that a struct has, or none.
static const char *text_of(const struct type *type, const char *place)
{
    const char *text = "";
    for (size_t i = 0; i < type->count && *text == '\0'; i++)
        if (type_is_text(type->members[i].type)) memcpy(&text, place + type->members[i].offset, sizeof text);
    return text;
}

// An element by its number and its text, another item by its value.
static void print_loops(const struct loop *loop)
{
    for (; loop != NULL; loop = loop->outer) {
        const struct type *type = loop->item->type;
        const struct value item = value_at(loop->item->place, loop->item->type);
        if (type->kind == KIND_POINTER)
            printf("    %s is element %lld: %s\n", loop->name, (long long)loop->number,
                   text_of(type->of, (const char *)(uintptr_t)item.number));
        else
            printf("    %s is %lld\n", loop->name, (long long)item.number);
    }
}

void print_callers(void)
{
    for (const struct frame *of = frame; of != NULL; of = of->caller) {
        print_loops(of->loops);
        if (of->caller != NULL) printf("    called at %s:%d: %s\n", of->file, of->line, of->text);
    }
}

static void failed(void)
{
    print_callers();
    if (is_real) return;
    fflush(NULL);
    _Exit(EXIT_FAILURE);
}

// The name of a result without CUDA_ERROR_ or the like, or a value in brackets.
static int64_t expected_result(const char *results)
{
    char name[128];
    if (lex_is("(")) return expression().number;
    snprintf(name, sizeof name, "%s%s", results, lex_name());
    const struct variable *variable = variable_find(name, false);
    if (variable == NULL) fail("there is no %s", name);
    return *(int *)variable->place;
}

static void expect_result(struct value value)
{
    const char *results = value.type->results != NULL ? value.type->results : "CUDA_ERROR_";
    const int64_t got = value.number, expected = lex_take("->") ? expected_result(results) : 0;
    if (is_telling) printf("%s = %lld\n", where_text, (long long)got);
    if (got == expected) return;
    printf("%s:%d: %s returned %s (%lld), not %s (%lld)\n", where_file, where_line, where_text,
           result_name(results, got), (long long)got, result_name(results, expected), (long long)expected);
    failed();
}

static void print_compared(void)
{
    for (int i = 0; i < 2; i++) {
        printf(i == 0 ? "    it compared " : " and ");
        if (compared[i].type->kind == KIND_REAL)
            printf("%.17g", compared[i].real);
        else
            printf("%lld", (long long)compared[i].number);
    }
    printf("\n");
}

static void require(void)
{
    compared[0].type = NULL;
    if (value_is_true(expression())) return;
    printf("%s:%d: not true: %s\n", where_file, where_line, where_text);
    if (compared[0].type != NULL) print_compared();
    failed();
}

static void says(void)
{
    const char *text = NULL;
    if (!lex_take("nothing")) text = (const char *)(uintptr_t)expression().number;
    if (is_real || said(text)) return;
    printf("%s:%d: not said: %s\n", where_file, where_line, where_text);
    failed();
}

// ? call            prints the call and what it answers
// ? "name" value    prints a value
static void show(void)
{
    const char *from = word.from;
    if (word.kind != WORD_TEXT) {
        const int64_t answer = expression().number;
        printf("  %s = %d\n", from, (int)answer);
        return;
    }
    const char *name = word.text;
    lex_next();
    printf("    %s %lld\n", name, (long long)expression().number);
}

static void statement(void)
{
    if (lex_take("?")) {
        show();
    } else if (lex_take("says")) {
        says();
    } else if (lex_take("require")) {
        require();
    } else if (type_starts()) {
        declare();
    } else {
        struct value value = expression_assignment();
        while (lex_take(",")) value = expression_assignment();
        if (lex_is("->") || (value.type->results != NULL && value.place == NULL)) expect_result(value);
    }
    end_line();
}

static bool condition(void)
{
    const bool is = value_is_true(expression());
    end_line();
    return is;
}

static enum flow run_once(size_t body, bool *is_over)
{
    const enum flow flow = run_block(body);
    *is_over = flow == FLOW_BREAK || flow == FLOW_RETURN;
    return flow == FLOW_RETURN ? flow : FLOW_ON;
}

// for NAME in ARRAY: it points to each element.
static enum flow run_for_elements(size_t i, struct variable *variable, struct value array)
{
    struct loop loop = {variable->name, variable, 0, frame->loops}, **const running = &frame->loops;
    bool is_over = false;
    enum flow flow = FLOW_ON;
    end_line();
    variable->type = type_pointer(array.type->of);
    for (*running = &loop; loop.number < (int64_t)array.type->count && !is_over; loop.number++) {
        const int64_t at = array.number + loop.number * (int64_t)array.type->of->bytes;
        value_store(variable->place, variable->type, value_number(at, variable->type));
        flow = run_once(i + 1, &is_over);
    }
    *running = loop.outer;
    return flow;
}

// for NAME in ITEM, FIRST..LAST, ...
static enum flow run_for(size_t i)
{
    const char *name = lex_name();
    struct variable *variable = variable_make(name, &type_long);
    struct loop loop = {name, variable, 0, frame->loops}, **const running = &frame->loops;
    bool is_over = false;
    enum flow flow = FLOW_ON;
    lex_need("in");
    do {
        const struct value first = expression_sum();
        if (first.type->kind == KIND_ARRAY) return run_for_elements(i, variable, first);
        *running = &loop;
        const int64_t last = lex_take("..") ? expression_sum().number : first.number;
        const struct word was = word;
        for (int64_t item = first.number; item <= last && !is_over; item++) {
            if (first.type->kind != KIND_INTEGER) variable->type = first.type;
            value_store(variable->place, variable->type, value_number(item, variable->type));
            flow = run_once(i + 1, &is_over);
        }
        begin_line(i);
        word = was;
    } while (lex_take(","));
    *running = loop.outer;
    end_line();
    return flow;
}

static enum flow run_while(size_t i)
{
    bool is_over = false;
    enum flow flow = FLOW_ON;
    while (!is_over) {
        begin_line(i);
        lex_need("while");
        if (!condition()) break;
        flow = run_once(i + 1, &is_over);
    }
    return flow;
}

// The lines of an if and of its else; `next` is the line behind both.
static enum flow run_if(size_t i, size_t *next)
{
    const bool is = condition();
    const size_t other = *next;
    const bool has_else =
        other < line_count && lines[other].indent == lines[i].indent && strncmp(lines[other].text, "else", 4) == 0;
    if (has_else) *next = behind_block(other);
    if (is) return run_block(i + 1);
    return has_else ? run_block(other + 1) : FLOW_ON;
}

static enum flow run_line(size_t i, size_t *next)
{
    begin_line(i);
    *next = behind_block(i);
    if (lex_take("if")) return run_if(i, next);
    if (lex_take("for")) return run_for(i);
    if (lex_is("while")) return run_while(i);
    if (lex_take("break")) return FLOW_BREAK;
    if (lex_take("continue")) return FLOW_CONTINUE;
    if (lex_take("return")) {
        returned = word.kind == WORD_END ? value_number(0, &type_long) : expression();
        end_line();
        return FLOW_RETURN;
    }
    statement();
    return FLOW_ON;
}

static enum flow run_block(size_t first)
{
    const int indent = lines[first - 1].indent;
    enum flow flow = FLOW_ON;
    for (size_t i = first; flow == FLOW_ON && is_in(i, indent);) flow = run_line(i, &i);
    return flow;
}

// The reader goes on behind the call, where it was.
struct value definition_call(struct definition *definition, struct value *argument, int count)
{
    struct frame *const was = frame, own = {NULL, NULL, was, where_file, where_text, where_line};
    const struct word word_was = word;
    if ((size_t)count < definition->count || ((size_t)count > definition->count && !definition->takes_more))
        fail("%s takes %zu arguments", definition->name, definition->count);
    frame = &own;
    for (size_t i = 0; i < definition->count; i++) {
        struct type *type = argument[i].type;
        if (type->kind == KIND_ARRAY) type = type_pointer(type->of);
        if (type->kind == KIND_FUNCTION) type = type_pointer(type);
        if (type->kind == KIND_INTEGER && type->bytes < 8) type = type->is_signed ? &type_int : type;
        struct variable *variable = variable_make(definition->parameters[i], type);
        if (argument[i].of != NULL) variable->function = argument[i].of->function;
        value_store(variable->place, type, argument[i]);
    }
    if (run_block(definition->body) != FLOW_RETURN) returned = value_number(0, &type_long);
    frame = was;
    word = word_was;
    where_file = own.file, where_text = own.text, where_line = own.line;
    return returned;
}

void script_read(const char *path)
{
    size_t i = line_count, next;
    where_file = path;
    split_lines(path, file_text(path));
    for (; i < line_count; i = next) {
        begin_line(i);
        next = behind_block(i);
        if (lex_take("def"))
            define(i);
        else if (!is_section(i))
            run_line(i, &next);
    }
}

const char *script_section(size_t number)
{
    for (size_t i = 0; i < line_count; i++)
        if (is_section(i) && number-- == 0) return lines[i].text + strlen("section ");
    return NULL;
}

bool script_run(const char *section)
{
    static struct frame own;
    size_t i = 0;
    while (i < line_count && !(is_section(i) && strcmp(lines[i].text + 8, section) == 0)) i++;
    if (i == line_count) return false;
    frame = &own;
    run_block(i + 1);
    return true;
}
