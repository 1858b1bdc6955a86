// SPDX-License-Identifier: MIT
// The types of C, and declarations: those of a script, and those of the API's headers after the preprocessor.
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "calls.h"

struct type type_void = {.kind = KIND_VOID, .bytes = 1, .align = 1};
struct type type_int = {.kind = KIND_INTEGER, .bytes = 4, .align = 4, .is_signed = true};
struct type type_unsigned = {.kind = KIND_INTEGER, .bytes = 4, .align = 4};
struct type type_unsigned_long = {.kind = KIND_INTEGER, .bytes = 8, .align = 8};
struct type type_long = {.kind = KIND_INTEGER, .bytes = 8, .align = 8, .is_signed = true};
struct type type_unset = {.kind = KIND_INTEGER, .bytes = 8, .align = 8, .is_signed = true, .is_unset = true};
struct type type_real = {.kind = KIND_REAL, .bytes = 8, .align = 8};
static struct type type_float = {.kind = KIND_REAL, .bytes = 4, .align = 4};
static struct type type_char = {.kind = KIND_INTEGER, .bytes = 1, .align = 1, .is_signed = true};
struct type type_text = {.kind = KIND_POINTER, .bytes = 8, .align = 8, .of = &type_char};

// Names of types, with their tag before them: "struct dim3", "size_t".
static struct named {
    const char *name;
    struct type *type;
} * names;
static size_t name_count;

static struct type *find(const char *name)
{
    for (size_t i = name_count; i-- > 0;)
        if (strcmp(names[i].name, name) == 0) return names[i].type;
    return NULL;
}

static void add(const char *name, struct type *type)
{
    if (!ARRAY_ADD(names, name_count, ((struct named){name, type}))) fail("no memory");
}

static struct type *make(struct type like)
{
    struct type *type = keep(sizeof *type);
    *type = like;
    return type;
}

bool type_is_text(const struct type *type)
{
    return type->kind == KIND_POINTER && type->of == type_text.of;
}

struct type *type_pointer(struct type *to)
{
    return make((struct type){.kind = KIND_POINTER, .bytes = 8, .align = 8, .of = to});
}

struct type *type_array(struct type *of, size_t count)
{
    return make(
        (struct type){.kind = KIND_ARRAY, .bytes = of->bytes * count, .align = of->align, .of = of, .count = count});
}

static bool is_qualifier(void)
{
    static const char *const names_of[] = {"const",  "volatile", "static",     "extern",
                                           "inline", "register", "__restrict", "restrict"};
    for (size_t i = 0; i < sizeof names_of / sizeof names_of[0]; i++)
        if (lex_is(names_of[i])) return true;
    return false;
}

static bool is_basic(void)
{
    static const char *const words[] = {"void",   "char",     "short", "int",    "long",
                                        "signed", "unsigned", "float", "double", "_Bool"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (lex_is(words[i])) return true;
    return false;
}

static bool is_tag(void)
{
    return lex_is("struct") || lex_is("union") || lex_is("enum");
}

bool type_starts(void)
{
    if (word.kind != WORD_NAME) return false;
    return is_qualifier() || is_basic() || is_tag() || find(keep_text(word.from, word.length)) != NULL;
}

static struct type *basic(void)
{
    int longs = 0, bytes = 4;
    bool is_signed = true, is_char = false, is_unsigned = false, is_short = false;
    for (; is_basic() || is_qualifier(); lex_next()) {
        if (lex_is("void")) return lex_next(), &type_void;
        if (lex_is("float")) return lex_next(), &type_float;
        if (lex_is("double")) return lex_next(), &type_real;
        longs += lex_is("long");
        is_char |= lex_is("char") || lex_is("_Bool");
        is_short |= lex_is("short");
        is_unsigned |= lex_is("unsigned") || lex_is("_Bool");
    }
    is_signed = !is_unsigned;
    if (is_char && is_signed) return &type_char;
    bytes = is_char ? 1 : is_short ? 2 : longs > 0 ? 8 : 4;
    return make(
        (struct type){.kind = KIND_INTEGER, .bytes = (size_t)bytes, .align = (size_t)bytes, .is_signed = is_signed});
}

static size_t align_up(size_t bytes, size_t align)
{
    return (bytes + align - 1) / align * align;
}

static void add_member(struct type *type, struct member member, bool is_union)
{
    member.offset = is_union ? 0 : align_up(type->bytes, member.type->align);
    const size_t end = member.offset + member.type->bytes;
    if (end > type->bytes) type->bytes = end;
    if (member.type->align > type->align) type->align = member.type->align;
    if (!ARRAY_ADD(type->members, type->count, member)) fail("no memory");
}

static void pass_parentheses(void)
{
    int depth = 0;
    do {
        depth += lex_is("(") - lex_is(")");
        lex_next();
    } while (depth > 0);
}

static void pass_attributes(void)
{
    while (lex_take("__attribute__") || lex_take("__asm__") || lex_take("_Alignas")) pass_parentheses();
    while (lex_take("__extension__")) {
    }
}

// What a header defines beside its declarations: the body of a function, the value of a constant.
static void pass_braces(void)
{
    int depth = 0;
    do {
        depth += lex_is("{") - lex_is("}");
        lex_next();
    } while (depth > 0);
}

static void members(struct type *type, bool is_union)
{
    type->align = 1;
    while (!lex_take("}")) {
        pass_attributes();
        struct type *base = type_base();
        if (lex_is(";")) add_member(type, (struct member){.type = base}, is_union);
        while (!lex_take(";")) {
            add_member(type, type_declarator(base), is_union);
            pass_attributes();
            lex_take(",");
        }
    }
    type->bytes = align_up(type->bytes, type->align);
}

static void enumerators(struct type *type)
{
    int64_t next = 0;
    while (!lex_take("}")) {
        const char *name = lex_name();
        if (lex_take("=")) next = expression().number;
        struct variable *variable = variable_make(name, &type_int);
        value_store(variable->place, type, value_number(next++, &type_int));
        lex_take(",");
    }
}

// What the names of the results begin with that this enum has; NULL if it has none.
static const char *results_of(const char *tag)
{
    if (strcmp(tag, "cublas_status") == 0) return "CUBLAS_STATUS_";
    if (strcmp(tag, "cufft_result") == 0) return "CUFFT_";
    if (strcmp(tag, "rule") == 0) return "RULE_";
    return strcmp(tag, "cuda_result") == 0 || strcmp(tag, "cudaError") == 0 ? "CUDA_ERROR_" : NULL;
}

// A struct, union or enum: its members once, and elsewhere only its tag.
static struct type *tagged(void)
{
    const bool is_enum = lex_is("enum"), is_union = lex_is("union");
    char name[256];
    lex_next();
    pass_attributes();
    const char *tag = lex_is_name() ? lex_name() : "";
    snprintf(name, sizeof name, "%s %s", is_enum ? "enum" : "struct", tag);
    struct type *type = tag[0] == '\0' ? NULL : find(name);
    if (type == NULL) {
        type = make(is_enum ? type_int : (struct type){.kind = KIND_STRUCT, .align = 1});
        if (tag[0] != '\0') add(keep_text(name, strlen(name)), type);
        if (is_enum) type->results = results_of(tag);
    }
    if (!lex_take("{")) return type;
    if (is_enum)
        enumerators(type);
    else
        members(type, is_union);
    pass_attributes();
    return type;
}

struct type *type_base(void)
{
    struct type *type;
    pass_attributes();
    while (is_qualifier()) lex_next();
    if (is_tag())
        type = tagged();
    else if (is_basic())
        type = basic();
    else if ((type = find(keep_text(word.from, word.length))) == NULL)
        fail("a type should be here");
    else
        lex_next();
    while (is_qualifier()) lex_next();
    return type;
}

static struct type *parameters(struct type *result)
{
    struct type *type = make((struct type){.kind = KIND_FUNCTION, .bytes = 1, .align = 1, .of = result});
    while (!lex_take(")")) {
        if (lex_take("...")) {
            type->takes_more = true;
        } else {
            struct member member = type_declarator(type_base());
            if (member.type->kind == KIND_ARRAY) member.type = type_pointer(member.type->of);
            if (member.type->kind == KIND_FUNCTION) member.type = type_pointer(member.type);
            pass_attributes();
            if (member.type->kind != KIND_VOID && !ARRAY_ADD(type->members, type->count, member)) fail("no memory");
        }
        lex_take(",");
    }
    return type;
}

static struct type *array_of(struct type *type)
{
    size_t count = 0;
    if (!lex_is("]")) count = (size_t)expression().number;
    lex_need("]");
    if (lex_take("[")) type = array_of(type);
    return type_array(type, count);
}

// A name, or none, with what stands around it: *name, name[4], (*name)[4], (*name)(parameters).
struct member type_declarator(struct type *base)
{
    struct member member = {.type = base};
    while (lex_take("*")) {
        member.type = type_pointer(member.type);
        while (is_qualifier()) lex_next();
    }
    if (lex_take("(")) {
        lex_need("*");
        while (is_qualifier()) lex_next();
        if (lex_is_name()) member.name = lex_name();
        lex_need(")");
        const bool is_of_array = lex_take("[");
        if (!is_of_array) lex_need("(");
        member.type = type_pointer(is_of_array ? array_of(member.type) : parameters(member.type));
        return member;
    }
    if (lex_is_name() && !lex_is("__attribute__")) member.name = lex_name();
    if (lex_take("[")) member.type = array_of(member.type);
    if (lex_take("(")) member.type = parameters(member.type);
    return member;
}

struct type *type_name(void)
{
    return type_declarator(type_base()).type;
}

static void pass_value(void)
{
    while (!lex_take(";")) {
        if (lex_is("{"))
            pass_braces();
        else
            lex_next();
    }
}

static void declaration(void)
{
    if (lex_take("_Static_assert")) return pass_parentheses();
    const bool is_typedef = lex_take("typedef");
    struct type *base = type_base();
    while (!lex_take(";")) {
        struct member member = type_declarator(base);
        pass_attributes();
        if (lex_take("=")) return pass_value();
        if (is_typedef && find(member.name) == NULL)
            add(member.name, member.type);
        else if (member.type->kind == KIND_FUNCTION)
            variable_make(member.name, member.type)->place = NULL;
        if (lex_is("{")) return pass_braces();
        lex_take(",");
    }
}

void type_read_headers(const char *text)
{
    where_file = "the headers of the API", where_text = "";
    for (lex_from(text); word.kind != WORD_END;) {
        where_line++;
        if (!lex_take(";")) declaration();
    }
}
