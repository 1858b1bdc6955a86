// SPDX-License-Identifier: MIT
#define _GNU_SOURCE 1
#include "loaded.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "image.h"
#include "units.h"
#include "why_host.h"

enum { JIT_INFO_LOG = 3, JIT_INFO_LOG_BYTES, JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES };
enum { MOST_OPTIONS = 64 }; // more than there are: the count is no count
// --- What is wrong with the PTX --------------------------------------------------------------------------------------

static size_t room_of(void *const *value)
{
    return value == NULL ? 0 : (size_t)(uint32_t)(uintptr_t)*value;
}

bool loaded_are_options(unsigned count, const uint32_t *option, void *const *value)
{
    return count <= MOST_OPTIONS && (count == 0 || (option != NULL && value != NULL));
}

bool loaded_log_open(struct loaded_log *log, unsigned count, const uint32_t *option, void **value)
{
    char *info = NULL;
    *log = (struct loaded_log){0};
    if (!loaded_are_options(count, option, value)) return false;
    for (unsigned i = 0; i < count; i++) {
        if (option[i] == JIT_INFO_LOG) info = value[i];
        if (option[i] == JIT_INFO_LOG_BYTES) log->info_length = &value[i];
        if (option[i] == JIT_ERROR_LOG) log->text = value[i];
        if (option[i] == JIT_ERROR_LOG_BYTES) log->length = &value[i];
    }
    log->text_bytes = log->text != NULL ? room_of(log->length) : 0;
    if (log->text_bytes > 0) log->text[0] = '\0';
    if (info != NULL && room_of(log->info_length) > 0) info[0] = '\0';
    return true;
}

void loaded_log_length(const struct loaded_log *log)
{
    if (log->length != NULL) *log->length = (void *)(log->text_bytes > 0 ? strlen(log->text) : 0);
    if (log->info_length != NULL) *log->info_length = NULL;
}

// Line `number` of a text, without its end.
static const char *line_of(const char *text, size_t bytes, uint32_t number, int *length)
{
    const char *end = text + bytes, *at = text;
    for (uint32_t line = 1; line < number && at != NULL && at < end; line++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at == NULL ? end : at + 1;
    }
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    *length = (int)((stop == NULL ? end : stop) - at);
    return at;
}

static void tell_error(struct driver *driver, const char *call, const char *text, size_t bytes,
                       const struct ptx_error *error)
{
    int length;
    const char *line = line_of(text, bytes, error->line, &length);
    driver_refuse(driver, CUDA_ERROR_INVALID_PTX, call, "PTX line %u, column %u: %s%s%s\n    %.*s", error->line,
                  error->column, error->message, error->advice[0] != '\0' ? ". " : "", error->advice,
                  length < 200 ? length : 200, line);
}

static void tell_errors(struct driver *driver, const char *call, const char *text, size_t bytes,
                        const struct ptx_errors *errors, struct loaded_log *log)
{
    for (uint32_t i = 0; i < errors->count && i < PTX_MOST_ERRORS; i++)
        tell_error(driver, call, text, bytes, &errors->item[i]);
    if (log == NULL || log->text_bytes == 0 || errors->count == 0) return;
    const size_t used = strlen(log->text); // by another input of a link
    snprintf(log->text + used, log->text_bytes - used, "line %u, column %u: %s\n", errors->item[0].line,
             errors->item[0].column, errors->item[0].message);
}

enum cuda_result loaded_check(struct driver *driver, const char *call, const char *text, size_t bytes,
                              struct loaded_log *log)
{
    struct ptx_errors *errors = calloc(1, sizeof *errors);
    struct ptx_module *front = errors == NULL ? NULL : ptx_open(text, bytes, (struct ptx_limits){0}, errors);
    for (uint32_t i = 0; front != NULL && errors->count == 0 && i < ptx_program(front)->functions; i++)
        ptx_decode(front, i, errors);
    const enum cuda_result error = front == NULL        ? CUDA_ERROR_OUT_OF_MEMORY
                                   : errors->count == 0 ? CUDA_SUCCESS
                                                        : CUDA_ERROR_INVALID_PTX;
    if (front != NULL) tell_errors(driver, call, text, bytes, errors, log);
    ptx_close(front);
    free(errors);
    return error;
}

// --- Loading ---------------------------------------------------------------------------------------------------------

static bool add_regions(struct driver *driver, struct CUmod_st *module)
{
    struct region region[MACHINE_MODULE_REGIONS];
    const uint32_t regions = machine_module_regions(module->machine, region);
    for (uint32_t i = 0; i < regions; i++) {
        const struct allocation allocation = {.address = region[i].memory.base,
                                              .size_bytes = region[i].memory.size_bytes,
                                              .kind = ALLOCATION_MODULE,
                                              .is_read_only = region[i].is_read_only,
                                              .owner = module};
        if (!allocations_add(&driver->allocations, &allocation)) return false;
    }
    look_why_module(driver->look, module->machine);
    return true;
}

// The first byte of text that is no blank and in no comment.
static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end) {
        const bool is_line = end - at > 1 && at[0] == '/' && at[1] == '/';
        const bool is_block = end - at > 1 && at[0] == '/' && at[1] == '*';
        if (!is_line && !is_block && !isspace((unsigned char)*at)) return at;
        if (is_line) at = memchr(at, '\n', (size_t)(end - at));
        if (is_block) at = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
        if (at == NULL) return end;
        at += is_block ? 2 : 1;
    }
    return end;
}

// What wrong PTX is refused with: text that does not begin with .version is none; one after 9.0 is not known yet.
static enum cuda_result error_of(const char *text, size_t bytes)
{
    static const char word[] = ".version";
    enum { NEWEST_MAJOR = 9, NEWEST_MINOR = 0 };
    char head[64];
    int major = 0, minor = 0;
    const char *at = skip_blanks(text, text + bytes);
    const size_t left = (size_t)(text + bytes - at);
    snprintf(head, sizeof head, "%.*s", (int)(left < sizeof head ? left : sizeof head - 1), at);
    if (units_is(text)) return CUDA_ERROR_INVALID_PTX; // parts that were linked
    if (strncmp(head, word, sizeof word - 1) != 0) return CUDA_ERROR_INVALID_IMAGE;
    sscanf(head + sizeof word - 1, "%d.%d", &major, &minor);
    const bool is_newer = major > NEWEST_MAJOR || (major == NEWEST_MAJOR && minor > NEWEST_MINOR);
    return is_newer ? CUDA_ERROR_UNSUPPORTED_PTX_VERSION : CUDA_ERROR_INVALID_PTX;
}

static void free_text(char **text)
{
    free(*text);
}

// Frees the text, if no module has it.
static enum cuda_result load_text(struct driver *driver, const char *call, char *text, size_t bytes,
                                  struct loaded_log *log, struct CUmod_st **result)
{
    struct ptx_errors *errors = calloc(1, sizeof *errors);
    struct machine_module *machine = errors == NULL ? NULL : machine_module_adopt(text, bytes, errors);
    char *left __attribute__((cleanup(free_text))) = machine == NULL ? text : NULL;
    (void)left; // clang takes it for unused
    if (errors == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    tell_errors(driver, call, text, bytes, errors, log);
    const bool is_bad = errors->count > 0;
    free(errors);
    if (machine == NULL && !is_bad)
        return driver_refuse(driver, CUDA_ERROR_OUT_OF_MEMORY, call,
                             "the host has not enough memory for the variables of the module (.global, .const)");
    if (machine == NULL) return error_of(text, bytes);
    struct CUmod_st *module = object_new(&driver->objects, OBJECT_MODULE, sizeof *module);
    if (module == NULL) {
        machine_module_close(machine);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    module->function_of = calloc(machine_module_program(machine)->functions + 1u, sizeof *module->function_of);
    module->object.owner = module->context = driver_context();
    module->machine = machine;
    *result = module;
    if (module->function_of != NULL && add_regions(driver, module)) return CUDA_SUCCESS;
    loaded_close(driver, module);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

enum cuda_result loaded_open(struct driver *driver, const char *call, const void *image, size_t size_bytes,
                             struct loaded_log *log, struct CUmod_st **module)
{
    char *text;
    size_t bytes;
    if (module == NULL) return CUDA_ERROR_INVALID_VALUE;
    enum cuda_result error = image_text(driver, call, image, size_bytes, &text, &bytes);
    if (error != CUDA_SUCCESS) return error;
    return load_text(driver, call, text, bytes, log, module);
}

// As an H200's driver does, which reads a library's PTX when something of it is first asked for.
static enum cuda_result wrong_library(struct driver *driver, enum cuda_result error, struct CUmod_st **module)
{
    *module = object_new(&driver->objects, OBJECT_MODULE, sizeof **module);
    if (*module == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    (*module)->error = error;
    return CUDA_SUCCESS;
}

enum cuda_result loaded_open_library(struct driver *driver, const char *call, const void *image, size_t size_bytes,
                                     struct loaded_log *log, struct CUmod_st **module)
{
    char *text;
    size_t bytes;
    if (module == NULL) return CUDA_ERROR_INVALID_VALUE;
    enum cuda_result error = image_text(driver, call, image, size_bytes, &text, &bytes);
    if (error != CUDA_SUCCESS) return error;
    error = load_text(driver, call, text, bytes, log, module);
    if (error != CUDA_SUCCESS) return error == CUDA_ERROR_OUT_OF_MEMORY ? error : wrong_library(driver, error, module);
    (*module)->object.owner = (*module)->context = NULL;
    return CUDA_SUCCESS;
}

static bool refresh(struct driver *driver, struct CUmod_st *module)
{
    struct ptx_errors *errors = calloc(1, sizeof *errors);
    const char *text = machine_module_text(module->machine);
    struct machine_module *machine = errors == NULL ? NULL : machine_module_open(text, strlen(text), errors);
    bool ok = machine != NULL;
    if (ok) {
        allocations_remove_owned(&driver->allocations, module);
        machine_module_close(module->machine);
        module->machine = machine;
        ok = add_regions(driver, module);
    }
    for (struct CUfunc_st *function = module->functions; function != NULL && ok; function = function->next)
        ok = machine_module_facts(module->machine, function->kernel, &function->facts, errors);
    free(errors);
    return ok;
}

void loaded_refresh_libraries(struct driver *driver)
{
    for (struct object *object = driver->objects.live[OBJECT_MODULE], *next; object != NULL; object = next) {
        struct CUmod_st *module = (struct CUmod_st *)object;
        next = object->next;
        if (module->machine != NULL && module->context == NULL && !refresh(driver, module))
            loaded_close(driver, module); // there is no memory
    }
}

void loaded_close(struct driver *driver, struct CUmod_st *module)
{
    for (struct CUfunc_st *function = module->functions, *next; function != NULL; function = next) {
        next = function->next;
        free(function->name);
        free(function->old);
        object_destroy(&driver->objects, function);
    }
    allocations_remove_owned(&driver->allocations, module);
    machine_module_close(module->machine);
    free(module->function_of);
    object_destroy(&driver->objects, module);
}

void loaded_close_all(struct driver *driver, const struct CUctx_st *context)
{
    for (struct object *object = driver->objects.live[OBJECT_MODULE], *next; object != NULL; object = next) {
        next = object->next;
        if (object->owner == context) loaded_close(driver, (struct CUmod_st *)object);
    }
}

// --- Functions -------------------------------------------------------------------------------------------------------

// What is wrong in a body is told once.
static bool has_bad_function(const struct CUmod_st *module)
{
    const struct ptx_program *program = machine_module_program(module->machine);
    for (uint32_t i = 0; i < program->functions; i++)
        if (program->function[i].is_bad) return true;
    return false;
}

static enum cuda_result decode(struct driver *driver, const char *call, struct CUmod_st *module,
                               struct CUfunc_st *function)
{
    struct ptx_errors *errors = calloc(1, sizeof *errors);
    if (errors == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    const bool ok = machine_module_facts(module->machine, function->kernel, &function->facts, errors);
    for (uint32_t i = 0; i < errors->count && i < PTX_MOST_ERRORS; i++)
        driver_refuse(driver, CUDA_ERROR_INVALID_PTX, call, "%s, PTX line %u, column %u: %s", function->name,
                      errors->item[i].line, errors->item[i].column, errors->item[i].message);
    const bool is_bad = !ok && (errors->count > 0 || has_bad_function(module));
    free(errors);
    if (ok) return CUDA_SUCCESS;
    if (is_bad) return CUDA_ERROR_INVALID_PTX;
    return driver_refuse(
        driver, CUDA_ERROR_OUT_OF_MEMORY, call,
        "%s: the host has not enough memory for the kernel, or its .local, .shared or .param variables "
        "are larger than a thread, a CTA or a launch can have",
        function->name);
}

static struct CUfunc_st *function_new(struct driver *driver, struct CUmod_st *module, int kernel)
{
    const struct ptx_name name = machine_module_program(module->machine)->function[kernel].name;
    struct CUfunc_st *function = object_new(&driver->objects, OBJECT_FUNCTION, sizeof *function);
    if (function == NULL) return NULL;
    function->module = module;
    function->kernel = kernel;
    function->name = strndup(name.at, name.length);
    function->carveout = -1;
    if (function->name != NULL) return function;
    object_destroy(&driver->objects, function);
    return NULL;
}

enum cuda_result loaded_kernel(struct driver *driver, const char *call, struct CUmod_st *module, int kernel,
                               struct CUfunc_st **result)
{
    *result = module->function_of[kernel];
    if (*result != NULL) return CUDA_SUCCESS;
    struct CUfunc_st *function = function_new(driver, module, kernel);
    if (function == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    const enum cuda_result error = decode(driver, call, module, function);
    if (function->facts.static_shared_bytes < LAUNCH_DEFAULT_SHARED_BYTES)
        function->max_dynamic_bytes = LAUNCH_DEFAULT_SHARED_BYTES - (int)function->facts.static_shared_bytes;
    if (error != CUDA_SUCCESS) {
        free(function->name);
        object_destroy(&driver->objects, function);
        return error;
    }
    function->next = module->functions;
    module->functions = module->function_of[kernel] = function;
    *result = function;
    return CUDA_SUCCESS;
}

enum cuda_result loaded_function(struct driver *driver, const char *call, struct CUmod_st *module, const char *name,
                                 struct CUfunc_st **result)
{
    const int kernel = machine_module_kernel(module->machine, name);
    return kernel < 0 ? CUDA_ERROR_NOT_FOUND : loaded_kernel(driver, call, module, kernel, result);
}
