// SPDX-License-Identifier: MIT
// A call with the arguments that a prototype asks for.
#include <ffi.h>
#include <string.h>

#include "calls.h"

static ffi_type *ffi_of(const struct type *type);

// A struct that is passed by value. A union is passed as its first member: the API has none by value.
static ffi_type *ffi_of_struct(const struct type *type)
{
    ffi_type *made = keep(sizeof *made);
    made->type = FFI_TYPE_STRUCT;
    made->elements = keep((type->bytes + 1) * sizeof *made->elements);
    size_t count = 0;
    for (size_t i = 0; i < type->count; i++) {
        const struct type *member = type->members[i].type;
        const size_t times = member->kind == KIND_ARRAY ? member->count : 1;
        for (size_t j = 0; j < times; j++)
            made->elements[count++] = ffi_of(member->kind == KIND_ARRAY ? member->of : member);
    }
    return made;
}

static ffi_type *ffi_of(const struct type *type)
{
    static ffi_type *const integers[2][9] = {
        {[1] = &ffi_type_uint8, [2] = &ffi_type_uint16, [4] = &ffi_type_uint32, [8] = &ffi_type_uint64},
        {[1] = &ffi_type_sint8, [2] = &ffi_type_sint16, [4] = &ffi_type_sint32, [8] = &ffi_type_sint64}};
    switch (type->kind) {
    case KIND_VOID:
        return &ffi_type_void;
    case KIND_REAL:
        return type->bytes == 4 ? &ffi_type_float : &ffi_type_double;
    case KIND_STRUCT:
        return ffi_of_struct(type);
    case KIND_INTEGER:
        return integers[type->is_signed][type->bytes];
    default:
        return &ffi_type_pointer;
    }
}

// A variable that no line declared has now the type of which the call wants the address.
static void settle(struct value *argument, const struct type *parameter)
{
    struct variable *variable = argument->of;
    if (variable == NULL || parameter->kind != KIND_POINTER || parameter->of->kind == KIND_VOID) return;
    if (!variable->type->is_unset || parameter->of->kind == KIND_FUNCTION) return;
    variable->type = parameter->of;
    if (variable->type->bytes <= 8) return;
    variable->place = keep(variable->type->bytes);
    argument->number = (int64_t)(uintptr_t)variable->place;
}

struct prepared {
    ffi_type *types[MOST_ARGUMENTS];
    void *places[MOST_ARGUMENTS];
    uint64_t room[MOST_ARGUMENTS];
};

static void prepare(struct prepared *to, int i, struct type *parameter, struct value *argument)
{
    to->types[i] = ffi_of(parameter);
    settle(argument, parameter);
    if (parameter->kind == KIND_STRUCT) {
        to->places[i] = value_convert(*argument, parameter).place;
    } else {
        to->places[i] = &to->room[i];
        value_store(to->places[i], parameter, *argument);
    }
}

struct value invoke(const char *name, struct type *type, void *function, struct value *argument, int count)
{
    struct prepared prepared;
    ffi_cif cif;
    if (function == NULL) fail("the libraries have no %s", name);
    if ((size_t)count != type->count) fail("%s takes %zu arguments", name, type->count);
    for (int i = 0; i < count; i++) prepare(&prepared, i, type->members[i].type, &argument[i]);
    if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, (unsigned)count, ffi_of(type->of), prepared.types) != FFI_OK)
        fail("%s cannot be called", name);
    void *returned = keep(type->of->bytes > sizeof(ffi_arg) ? type->of->bytes : sizeof(ffi_arg));
    ffi_call(&cif, (void (*)(void))function, returned, prepared.places);
    struct value result = value_at(returned, type->of);
    if (type->of->kind != KIND_STRUCT) result.place = NULL;
    return result;
}
