// SPDX-License-Identifier: MIT
// Expressions of C over values. What is read is done at once; behind ?, && and || it may be skipped.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"

int skipping;

static struct value unary(void);

// --- Initialisers ---------------------------------------------------------------------------------------------------

static const struct member *member_of(const struct type *type, const char *name, size_t *offset)
{
    for (size_t i = 0; i < type->count; i++) {
        const struct member *member = &type->members[i];
        *offset = member->offset;
        if (member->name != NULL && strcmp(member->name, name) == 0) return member;
        if (member->name != NULL || member->type->kind != KIND_STRUCT) continue;
        const struct member *inner = member_of(member->type, name, offset);
        if (inner != NULL) return *offset += member->offset, inner;
    }
    return NULL;
}

// A designator: its place, and its type. `next` is the member or element behind it.
static struct type *designated(struct type *type, unsigned char **place, size_t *next)
{
    while (lex_is(".") || lex_is("[")) {
        size_t offset;
        if (lex_take("[")) {
            *next = (size_t)expression().number;
            lex_need("]");
            offset = *next * type->of->bytes;
            type = type->of;
        } else {
            lex_need(".");
            const struct member *member = member_of(type, lex_name(), &offset);
            if (member == NULL) fail("no such member");
            *next = (size_t)(member - type->members);
            type = member->type;
        }
        *place += offset;
    }
    lex_need("=");
    ++*next;
    return type;
}

static void initialise_parts(struct type *type, unsigned char *place)
{
    size_t next = 0;
    while (!lex_take("}")) {
        unsigned char *to = place;
        struct type *part;
        if (lex_is(".") || lex_is("[")) {
            part = designated(type, &to, &next);
        } else {
            if (next >= type->count) fail("too many values");
            part = type->kind == KIND_ARRAY ? type->of : type->members[next].type;
            to += type->kind == KIND_ARRAY ? next * part->bytes : type->members[next].offset;
            next++;
        }
        initialise(part, to);
        if (!lex_is("}")) lex_need(",");
    }
}

void initialise(struct type *type, void *place)
{
    if (lex_take("{")) {
        if (type->kind == KIND_STRUCT || type->kind == KIND_ARRAY) {
            initialise_parts(type, place);
            return;
        }
        value_store(place, type, expression());
        lex_need("}");
    } else if (type->kind == KIND_ARRAY && word.kind == WORD_TEXT) {
        snprintf(place, type->bytes, "%s", word.text);
        lex_next();
    } else {
        value_store(place, type, expression_assignment());
    }
}

// --- Operands -------------------------------------------------------------------------------------------------------

// Literals and constants of text that stand side by side are one text.
static struct value text(const char *first)
{
    char *all = keep_text(first, strlen(first));
    for (;;) {
        const char *more = NULL;
        const struct variable *variable = NULL;
        if (word.kind == WORD_TEXT) {
            more = word.text;
        } else if (word.kind == WORD_NAME) {
            variable = variable_find(keep_text(word.from, word.length), false);
            if (variable != NULL && type_is_text(variable->type)) memcpy(&more, variable->place, sizeof more);
        }
        if (more == NULL) break;
        char *both = keep(strlen(all) + strlen(more));
        strcpy(both, all);
        all = strcat(both, more);
        lex_next();
    }
    return value_number((int64_t)(uintptr_t)all, &type_text);
}

static struct value of_variable(struct variable *variable)
{
    if (type_is_text(variable->type) && (word.kind == WORD_TEXT || word.kind == WORD_NAME)) {
        const char *first;
        memcpy(&first, variable->place, sizeof first);
        return text(first);
    }
    if (variable->type->kind == KIND_FUNCTION && variable->place == NULL && variable->function == NULL)
        variable->place = dlsym(RTLD_DEFAULT, variable->name);
    struct value value = value_at(variable->place, variable->type);
    if (variable->function != NULL || variable->type->is_unset) value.of = variable;
    return value;
}

static int arguments_of(struct value *argument)
{
    int count = 0;
    while (!lex_take(")")) {
        if (count == MOST_ARGUMENTS) fail("too many arguments");
        argument[count++] = expression_assignment();
        if (!lex_is(")")) lex_need(",");
    }
    return count;
}

static struct value call(struct value function, const char *name)
{
    struct value argument[MOST_ARGUMENTS], result;
    struct type *type = function.type;
    const int count = arguments_of(argument);
    if (function.of != NULL && function.of->function != NULL)
        return skipping ? value_number(0, &type_long) : definition_call(function.of->function, argument, count);
    if (type->kind == KIND_POINTER) type = type->of;
    if (type->kind != KIND_FUNCTION) fail("%s is no function", name);
    if (skipping == 0) return invoke(name, type, (void *)(uintptr_t)function.number, argument, count);
    result = value_number(0, type->of);
    return result;
}

// No variable: a function of the host, or what is skipped.
static struct value unknown(const char *name)
{
    struct value argument[MOST_ARGUMENTS], result = value_number(0, &type_long);
    const bool is_call = lex_take("(");
    const int count = is_call ? arguments_of(argument) : 0;
    if (skipping == 0 && !(is_call && host_call(name, argument, count, &result))) fail("there is no %s", name);
    return result;
}

static struct value named(void)
{
    const char *name = lex_name();
    struct variable *variable = variable_find(name, lex_is("("));
    if (variable == NULL) return unknown(name);
    const struct value value = of_variable(variable);
    return lex_take("(") ? call(value, name) : value;
}

static struct value cast(void)
{
    struct type *type = type_name();
    lex_need(")");
    if (!lex_is("{")) return value_convert(unary(), type);
    void *place;
    if (type->kind == KIND_ARRAY && type->count == 0) type = type_array(type->of, elements());
    place = keep(type->bytes);
    initialise(type, place);
    return value_at(place, type);
}

static struct value size_of(void)
{
    struct type *type;
    const bool is_enclosed = lex_take("(");
    skipping++;
    if (is_enclosed && type_starts())
        type = type_name();
    else
        type = is_enclosed ? expression().type : unary().type;
    skipping--;
    if (is_enclosed) lex_need(")");
    return value_number((int64_t)type->bytes, &type_long);
}

// offsetof(struct box, corner.x)
static struct value offset_of(void)
{
    size_t offset, all = 0;
    lex_need("(");
    const struct type *type = type_name();
    lex_need(",");
    do {
        const struct member *member = member_of(type, lex_name(), &offset);
        if (member == NULL) fail("no such member");
        type = member->type;
        all += offset;
    } while (lex_take("."));
    lex_need(")");
    return value_number((int64_t)all, &type_long);
}

static struct type *type_of_number(void)
{
    const int64_t cut = word.is_unsigned ? (int64_t)(uint32_t)word.number : (int64_t)(int32_t)word.number;
    const bool is_long = word.is_long || word.number != cut;
    if (word.is_unsigned) return is_long ? &type_unsigned_long : &type_unsigned;
    return is_long ? &type_long : &type_int;
}

static struct value primary(void)
{
    struct value value;
    if (word.kind == WORD_TEXT) return text("");
    if (word.kind == WORD_NUMBER) {
        value = value_number(word.number, type_of_number());
        return lex_next(), value;
    }
    if (word.kind == WORD_REAL) {
        value = (struct value){.type = &type_real, .real = word.real};
        return lex_next(), value;
    }
    if (lex_take("sizeof")) return size_of();
    if (lex_take("offsetof")) return offset_of();
    if (lex_take("NULL")) return value_number(0, type_pointer(&type_void));
    if (!lex_take("(")) return named();
    if (type_starts()) return cast();
    value = expression();
    lex_need(")");
    return value;
}

static struct value element(struct value of, int64_t index)
{
    struct type *type = of.type->of;
    if (type == NULL || of.type->kind == KIND_FUNCTION) fail("this has no elements");
    return value_at((unsigned char *)(uintptr_t)of.number + index * (int64_t)type->bytes, type);
}

static bool points_to_struct(struct value value)
{
    return value.type->kind == KIND_POINTER && value.type->of->kind == KIND_STRUCT;
}

static struct value postfix(void)
{
    struct value value = primary();
    for (;;) {
        size_t offset;
        if (lex_take("[")) {
            value = element(value, expression().number);
            lex_need("]");
        } else if (lex_is(".") || (lex_is("->") && points_to_struct(value))) {
            if (lex_is("->")) value = element(value, 0);
            lex_next();
            const struct member *member = member_of(value.type, lex_name(), &offset);
            if (member == NULL) fail("no such member");
            value = value_at((unsigned char *)value.place + offset, member->type);
        } else {
            return value;
        }
    }
}

static struct value address(void)
{
    if (lex_is_name() && variable_find(keep_text(word.from, word.length), false) == NULL)
        variable_make(keep_text(word.from, word.length), &type_unset);
    struct value value = unary();
    if (value.type->kind == KIND_FUNCTION) return value;
    if (value.place == NULL && skipping == 0) fail("this has no address");
    struct value result = value_number((int64_t)(uintptr_t)value.place, type_pointer(value.type));
    result.of = value.type->is_unset ? value.of : NULL;
    return result;
}

static struct value unary(void)
{
    if (lex_take("&")) return address();
    if (lex_take("*")) return element(unary(), 0);
    if (lex_take("!")) return value_number(!value_is_true(unary()), &type_int);
    if (lex_take("~")) {
        const struct value value = unary();
        return value_convert(value_number(~value.number, value.type), value.type);
    }
    if (!lex_take("-")) return postfix();
    struct value value = unary();
    value = (struct value){.type = value.type, .number = -value.number, .real = -value.real};
    return value_convert(value, value.type);
}

// --- Operators ------------------------------------------------------------------------------------------------------

static struct type *common(struct value a, struct value b)
{
    if (a.type->kind == KIND_REAL || b.type->kind == KIND_REAL) return &type_real;
    if (a.type->kind != KIND_INTEGER) return a.type;
    if (b.type->kind != KIND_INTEGER) return b.type;
    struct type *wide =
        a.type->bytes > b.type->bytes || (a.type->bytes == b.type->bytes && !a.type->is_signed) ? a.type : b.type;
    return wide->bytes < 4 ? &type_int : wide;
}

static struct value points_on(struct value a, struct value b, int sign)
{
    struct type *type = a.type->kind == KIND_ARRAY ? type_pointer(a.type->of) : a.type;
    if (b.type->kind == KIND_POINTER || b.type->kind == KIND_ARRAY)
        return value_number((a.number - b.number) / (int64_t)type->of->bytes, &type_long);
    return value_number(a.number + sign * b.number * (int64_t)type->of->bytes, type);
}

static int64_t divide(int64_t a, int64_t b, bool is_rest, bool is_signed)
{
    if (b == 0 && skipping == 0) fail("a division by 0");
    if (b == 0) return 0;
    if (!is_signed) return (int64_t)(is_rest ? (uint64_t)a % (uint64_t)b : (uint64_t)a / (uint64_t)b);
    return is_rest ? a % b : a / b;
}

struct value compared[2];

static struct value compare(char first, bool has_equal, struct value a, struct value b)
{
    const bool is_wide_unsigned = common(a, b)->bytes == 8 && !common(a, b)->is_signed;
    const bool is_real_one = common(a, b)->kind == KIND_REAL;
    const bool less = is_real_one        ? a.real < b.real
                      : is_wide_unsigned ? (uint64_t)a.number < (uint64_t)b.number
                                         : a.number < b.number;
    const bool same = is_real_one ? a.real == b.real : a.number == b.number;
    if (skipping == 0) compared[0] = a, compared[1] = b;
    const bool is = first == '=' ? same : first == '!' ? !same : first == '<' ? less : !less && !same;
    return value_number(is || ((first == '<' || first == '>') && has_equal && same), &type_int);
}

static int64_t arithmetic(char sign, int64_t a, int64_t b, bool is_signed)
{
    if (sign == '+') return (int64_t)((uint64_t)a + (uint64_t)b);
    if (sign == '-') return (int64_t)((uint64_t)a - (uint64_t)b);
    if (sign == '*') return (int64_t)((uint64_t)a * (uint64_t)b);
    if (sign == '&') return a & b;
    if (sign == '|') return a | b;
    if (sign == '^') return a ^ b;
    return divide(a, b, sign == '%', is_signed);
}

static int64_t shifted(bool is_left, int64_t number, int64_t by, bool is_signed)
{
    if (is_left) return (int64_t)((uint64_t)number << by);
    return is_signed ? number >> by : (int64_t)((uint64_t)number >> by);
}

static struct value integer(const char *sign, struct value a, struct value b)
{
    const bool is_shift = sign[0] == '<' || sign[0] == '>';
    struct type *type = common(a, is_shift ? value_number(0, &type_int) : b);
    const int64_t n = is_shift ? shifted(sign[0] == '<', a.number, b.number, type->is_signed)
                               : arithmetic(sign[0], a.number, b.number, type->is_signed);
    return value_convert(value_number(n, &type_long), type);
}

static struct value real(char sign, double a, double b)
{
    const double result = sign == '+' ? a + b : sign == '-' ? a - b : sign == '*' ? a * b : a / b;
    return (struct value){.type = &type_real, .real = result};
}

static struct value binary(const char *sign, struct value a, struct value b)
{
    const bool is_comparison =
        (strchr("<>=!", sign[0]) != NULL) && strncmp(sign, "<<", 2) != 0 && strncmp(sign, ">>", 2) != 0;
    if (is_comparison) return compare(sign[0], sign[1] == '=', a, b);
    if ((a.type->kind == KIND_POINTER || a.type->kind == KIND_ARRAY) && (sign[0] == '+' || sign[0] == '-'))
        return points_on(a, b, sign[0] == '+' ? 1 : -1);
    if (common(a, b)->kind == KIND_REAL) return real(sign[0], a.real, b.real);
    return integer(sign, a, b);
}

// From the strongest on; those of one row are read from left to right.
static const char *const levels[][5] = {{"*", "/", "%"}, {"+", "-"}, {"<<", ">>"}, {"<=", ">=", "<", ">"},
                                        {"==", "!="},    {"&"},      {"^"},        {"|"}};

static const char *take_operator(size_t level)
{
    for (const char *const *sign = levels[level]; *sign != NULL; sign++)
        if (lex_take(*sign)) return *sign;
    return NULL;
}

static struct value chain(int level)
{
    if (level < 0) return unary();
    struct value value = chain(level - 1);
    const char *sign;
    while ((sign = take_operator((size_t)level)) != NULL) value = binary(sign, value, chain(level - 1));
    return value;
}

struct value expression_sum(void)
{
    return chain(1);
}

static struct value both(void)
{
    struct value value = chain((int)(sizeof levels / sizeof levels[0]) - 1);
    while (lex_take("&&")) {
        const bool is = value_is_true(value);
        skipping += !is;
        const struct value right = chain((int)(sizeof levels / sizeof levels[0]) - 1);
        skipping -= !is;
        value = value_number(is && value_is_true(right), &type_int);
    }
    return value;
}

static struct value either(void)
{
    struct value value = both();
    while (lex_take("||")) {
        const bool is = value_is_true(value);
        skipping += is;
        const struct value right = both();
        skipping -= is;
        value = value_number(is || value_is_true(right), &type_int);
    }
    return value;
}

struct value expression(void)
{
    const struct value condition = either();
    if (!lex_take("?")) return condition;
    const bool is = value_is_true(condition);
    skipping += !is;
    const struct value yes = expression();
    skipping -= !is;
    lex_need(":");
    skipping += is;
    const struct value no = expression();
    skipping -= is;
    return is ? yes : no;
}

// A name without a value becomes a variable, and one of a function may name another.
static bool is_new_variable(void)
{
    if (!lex_is_name()) return false;
    const struct word was = word;
    const struct variable *variable = variable_find(lex_name(), false);
    const bool is = lex_is("=") && (variable == NULL || variable->type->kind == KIND_FUNCTION);
    word = was;
    return is;
}

static struct value assign_new(void)
{
    const char *name = lex_name();
    lex_need("=");
    struct value value = expression_assignment();
    if (value.type->kind == KIND_INTEGER && value.type->results == NULL) value.type = &type_unset;
    if (value.type->kind == KIND_ARRAY || value.type->kind == KIND_FUNCTION)
        value = value_number(value.number, type_pointer(value.type->kind == KIND_ARRAY ? value.type->of : value.type));
    struct variable *variable = variable_make(name, value.type);
    value_store(variable->place, variable->type, value);
    return value_at(variable->place, variable->type);
}

struct value expression_assignment(void)
{
    static const char *const changes[] = {"+=", "-=", "*=", "|=", "&=", "<<=", ">>="};
    if (is_new_variable()) return assign_new();
    struct value to = expression(), from;
    if (lex_take("=")) {
        if (lex_is("{")) return initialise(to.type, to.place), to;
        from = expression_assignment();
    } else if (lex_is("++") || lex_is("--")) {
        from = binary(lex_is("++") ? "+" : "-", to, value_number(1, &type_int));
        lex_next();
    } else {
        size_t i = 0;
        while (i < sizeof changes / sizeof changes[0] && !lex_take(changes[i])) i++;
        if (i == sizeof changes / sizeof changes[0]) return to;
        from = binary(changes[i], to, expression());
    }
    if (to.place == NULL && skipping == 0) fail("nothing can be assigned to this");
    value_store(to.place, to.type, from);
    return value_at(to.place, to.type);
}
