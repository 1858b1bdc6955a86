// SPDX-License-Identifier: MIT
// A call with the arguments that a prototype asks for.
#include <ffi.h>
#include <pthread.h>
#include <string.h>

#include "calls.h"

// One thread reads the script at a time; each is at a place of its own, which it leaves for the time of a call.
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

void invoke_begin(void)
{
    pthread_mutex_lock(&reading);
}

static ffi_type *ffi_of(const struct type *type);

static ffi_type *const integers[2][9] = {
    {[1] = &ffi_type_uint8, [2] = &ffi_type_uint16, [4] = &ffi_type_uint32, [8] = &ffi_type_uint64},
    {[1] = &ffi_type_sint8, [2] = &ffi_type_sint16, [4] = &ffi_type_sint32, [8] = &ffi_type_sint64}};

// A struct that is passed by value. A union is passed as the words that it has.
static ffi_type *ffi_of_struct(const struct type *type)
{
    const bool is_union = type->count > 1 && type->members[1].offset == 0;
    ffi_type *made = keep(sizeof *made);
    made->type = FFI_TYPE_STRUCT;
    made->elements = keep((type->bytes + 1) * sizeof *made->elements);
    size_t count = 0;
    while (is_union && count < type->bytes / type->align) made->elements[count++] = integers[0][type->align];
    for (size_t i = 0; i < type->count && !is_union; i++) {
        const struct type *member = type->members[i].type;
        const size_t times = member->kind == KIND_ARRAY ? member->count : 1;
        for (size_t j = 0; j < times; j++)
            made->elements[count++] = ffi_of(member->kind == KIND_ARRAY ? member->of : member);
    }
    return made;
}

static ffi_type *ffi_of(const struct type *type)
{
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

// What a function gets that takes as many arguments as there are.
static struct type *promoted(struct type *type)
{
    if (type->kind == KIND_REAL) return &type_real;
    return type->kind == KIND_INTEGER ? &type_long : type_pointer(&type_void);
}

static void call_apart(ffi_cif *cif, void *function, void *result, void **places)
{
    const struct word own_word = word;
    struct frame *const own_frame = frame;
    const char *const file = where_file, *const text = where_text;
    const int line = where_line;
    pthread_mutex_unlock(&reading);
    ffi_call(cif, (void (*)(void))function, result, places);
    pthread_mutex_lock(&reading);
    word = own_word;
    frame = own_frame;
    where_file = file, where_text = text, where_line = line;
}

struct value invoke(const char *name, struct type *type, void *function, struct value *argument, int count)
{
    struct prepared prepared;
    ffi_cif cif;
    if (function == NULL) fail("the libraries have no %s", name);
    if ((size_t)count < type->count || ((size_t)count > type->count && !type->takes_more))
        fail("%s takes %zu arguments", name, type->count);
    for (int i = 0; i < count; i++)
        prepare(&prepared, i, (size_t)i < type->count ? type->members[i].type : promoted(argument[i].type),
                &argument[i]);
    const ffi_status status =
        type->takes_more ? ffi_prep_cif_var(&cif, FFI_DEFAULT_ABI, (unsigned)type->count, (unsigned)count,
                                            ffi_of(type->of), prepared.types)
                         : ffi_prep_cif(&cif, FFI_DEFAULT_ABI, (unsigned)count, ffi_of(type->of), prepared.types);
    if (status != FFI_OK) fail("%s cannot be called", name);
    void *returned = keep(type->of->bytes > sizeof(ffi_arg) ? type->of->bytes : sizeof(ffi_arg));
    call_apart(&cif, function, returned, prepared.places);
    struct value result = value_at(returned, type->of);
    if (type->of->kind != KIND_STRUCT) result.place = NULL;
    return result;
}

// --- Functions of the script that the API calls ---------------------------------------------------------------------

struct callback {
    struct definition *definition;
    const struct type *type;
    ffi_cif cif;
    void *code;
    struct callback *next;
};

static void call_back(ffi_cif *cif, void *result, void **given, void *of)
{
    const struct callback *callback = of;
    struct value argument[MOST_ARGUMENTS];
    (void)cif;
    pthread_mutex_lock(&reading);
    for (size_t i = 0; i < callback->type->count; i++)
        argument[i] = value_at(given[i], callback->type->members[i].type);
    const struct value value = definition_call(callback->definition, argument, (int)callback->type->count);
    if (callback->type->of->kind != KIND_VOID) *(ffi_arg *)result = (ffi_arg)value.number;
    pthread_mutex_unlock(&reading);
}

static struct callback *callback_make(struct definition *definition, const struct type *type)
{
    struct callback *made = keep(sizeof *made);
    ffi_type **types = keep(MOST_ARGUMENTS * sizeof *types);
    ffi_closure *closure = ffi_closure_alloc(sizeof *closure, &made->code);
    made->definition = definition;
    made->type = type;
    for (size_t i = 0; i < type->count; i++) types[i] = ffi_of(type->members[i].type);
    if (closure == NULL ||
        ffi_prep_cif(&made->cif, FFI_DEFAULT_ABI, (unsigned)type->count, ffi_of(type->of), types) != FFI_OK ||
        ffi_prep_closure_loc(closure, &made->cif, call_back, made, made->code) != FFI_OK)
        fail("the function cannot be called back");
    return made;
}

void *callback_of(struct definition *definition, const struct type *type)
{
    static struct callback *all;
    struct callback *one = all;
    while (one != NULL && (one->definition != definition || one->type != type)) one = one->next;
    if (one == NULL) {
        one = callback_make(definition, type);
        one->next = all;
        all = one;
    }
    return one->code;
}
