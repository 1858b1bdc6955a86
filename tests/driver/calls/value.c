// SPDX-License-Identifier: MIT
// Values, and the variables that have them. A variable that no line declares has 8 bytes, and the type that the first
// call asks for which takes its address.
#include <stdio.h>
#include <string.h>

#include "calls.h"

struct frame globals, *frame = &globals;

static bool can_be_called(const struct variable *variable)
{
    const struct type *type = variable->type;
    return variable->function != NULL || type->kind == KIND_FUNCTION ||
           (type->kind == KIND_POINTER && type->of->kind == KIND_FUNCTION);
}

static struct variable *find_in(const struct frame *in, const char *name, bool is_called)
{
    struct variable *variable = in->variables;
    while (variable != NULL && (strcmp(variable->name, name) != 0 || (is_called && !can_be_called(variable))))
        variable = variable->next;
    return variable;
}

struct variable *variable_find(const char *name, bool is_called)
{
    struct variable *variable = find_in(frame, name, is_called);
    return variable != NULL ? variable : find_in(&globals, name, is_called);
}

enum { MOST_ALIGNED = 64 }; // a tensor map

// A second declaration of a name is a new variable: a pointer to the first one stays good.
struct variable *variable_make(const char *name, struct type *type)
{
    struct variable *variable = keep(sizeof *variable);
    *variable = (struct variable){.name = name, .type = type, .next = frame->variables};
    uint8_t *const room = keep((type->bytes > 8 ? type->bytes : 8) + MOST_ALIGNED - 1);
    variable->place = room + (MOST_ALIGNED - (uintptr_t)room % MOST_ALIGNED) % MOST_ALIGNED;
    frame->variables = variable;
    return variable;
}

struct value value_number(int64_t number, struct type *type)
{
    return (struct value){.type = type, .number = number, .real = (double)number};
}

static int64_t cut(int64_t number, const struct type *type)
{
    if (type->kind != KIND_INTEGER || type->bytes == 8) return number;
    const int bits = 64 - 8 * (int)type->bytes;
    const uint64_t high = (uint64_t)number << bits;
    return type->is_signed ? (int64_t)high >> bits : (int64_t)(high >> bits);
}

struct value value_at(void *place, struct type *type)
{
    struct value value = {.type = type, .place = place};
    if (place == NULL || skipping > 0) return value;
    if (type->kind == KIND_INTEGER || type->kind == KIND_POINTER) {
        memcpy(&value.number, place, type->bytes);
        value.number = cut(value.number, type);
        value.real = (double)value.number;
    } else if (type->kind == KIND_REAL && type->bytes == 4) {
        float real;
        memcpy(&real, place, sizeof real);
        value.real = (double)real;
    } else if (type->kind == KIND_REAL) {
        memcpy(&value.real, place, sizeof value.real);
    } else {
        value.number = (int64_t)(uintptr_t)place;
    }
    return value;
}

// An array is the address of its first element, and a function its own.
struct value value_convert(struct value value, struct type *type)
{
    if (type->kind == KIND_STRUCT || type->kind == KIND_ARRAY) {
        if (value.type->bytes != type->bytes || value.type->kind != type->kind) fail("a value of another type");
        return value;
    }
    if (value.of != NULL && value.of->function != NULL && type->kind == KIND_POINTER && type->of->kind == KIND_FUNCTION)
        return value_number((int64_t)(uintptr_t)callback_of(value.of->function, type->of), type);
    if (value.type->kind == KIND_REAL && type->kind != KIND_REAL) value.number = (int64_t)value.real;
    if (value.type->kind != KIND_REAL) value.real = (double)value.number;
    if (type->kind == KIND_REAL && type->bytes == sizeof(float)) value.real = (double)(float)value.real;
    value.number = cut(value.number, type);
    value.type = type;
    return value;
}

void value_store(void *place, struct type *type, struct value value)
{
    if (skipping > 0) return;
    value = value_convert(value, type);
    const float narrow = (float)value.real;
    const bool is_real_one = type->kind == KIND_REAL, has_place = type->kind == KIND_STRUCT || type->kind == KIND_ARRAY;
    const void *from = is_real_one ? (type->bytes == 4 ? (const void *)&narrow : &value.real) : &value.number;
    memmove(place, has_place ? value.place : from, type->bytes);
}

bool value_is_true(struct value value)
{
    return value.type->kind == KIND_REAL ? value.real != 0 : value.number != 0;
}
