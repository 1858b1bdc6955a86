// SPDX-License-Identifier: MIT
// cuLink*: the image that comes out is the PTX that went in, unit by unit (units.h), which is what modules are loaded
// from here. What one unit leaves open and another defines is found when all are there.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "cubin.h"
#include "device_runtime.h"
#include "fatbin.h"
#include "image.h"
#include "link_parts.h"
#include "linking.h"
#include "loaded.h"
#include "object.h"
#include "units.h"

struct CUlinkState_st {
    struct object object;
    struct loaded_log log;
    struct units units;
    struct link_parts parts;
    enum cuda_result error; // which every later call gives too
    bool is_complete;
};

// What is added, and by which call.
struct input {
    struct driver *driver;
    const char *call, *name;
    struct CUlinkState_st *link;
    size_t found; // fat binaries of an object
    enum cuda_result error;
};

DRIVER_VISIBLE enum cuda_result cuLinkCreate_v2(unsigned count, uint32_t *option, void **value,
                                                struct CUlinkState_st **link)
{
    DRIVER_USE_OR_RETURN(driver);
    struct loaded_log log;
    if (link == NULL || !loaded_log_open(&log, count, option, value)) return CUDA_ERROR_INVALID_VALUE;
    *link = object_new(&driver->objects, OBJECT_LINK, sizeof **link);
    if (*link == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    (*link)->log = log;
    return CUDA_SUCCESS;
}

static enum cuda_result check_input(struct driver *driver, const char *call, const struct CUlinkState_st *link,
                                    uint32_t type)
{
    if (link->is_complete || type >= INPUTS) return CUDA_ERROR_INVALID_VALUE;
    if (link->error != CUDA_SUCCESS || type != INPUT_NVVM) return link->error;
    return driver_refuse(driver, CUDA_ERROR_NOT_SUPPORTED, call,
                         "the input is NVVM code (LTO-IR): tmaref links PTX; compile with code=compute_90a");
}

// What is wrong between units: the lines are those of all units' text, so they help nobody.
static enum cuda_result tell(struct input *input, const struct ptx_errors *errors)
{
    const struct loaded_log *log = &input->link->log;
    for (uint32_t i = 0; i < errors->count && i < PTX_MOST_ERRORS; i++) {
        const struct ptx_error *error = &errors->item[i];
        const size_t used = log->text_bytes == 0 ? 0 : strlen(log->text);
        driver_refuse(input->driver, CUDA_ERROR_INVALID_SOURCE, input->call, "%s%s%s", error->message,
                      error->advice[0] != '\0' ? ". " : "", error->advice);
        if (log->text_bytes > 0) snprintf(log->text + used, log->text_bytes - used, "%s\n", error->message);
    }
    return errors->count == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_SOURCE;
}

// Do the units so far contradict each other? Those from `start` on are new.
static enum cuda_result check_units(struct input *input, size_t start)
{
    const struct units *units = &input->link->units;
    const enum link_fit fit = link_parts_add(&input->link->parts, units, start);
    if (fit != LINK_MAY_NOT) return fit == LINK_FITS ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    struct ptx_errors *errors = calloc(1, sizeof *errors);
    struct ptx_module *front =
        errors == NULL ? NULL : ptx_open(units->text, units->bytes, (struct ptx_limits){0}, errors);
    if (front != NULL && errors->count == 0) ptx_link(front, NULL, errors);
    const enum cuda_result error = front == NULL ? CUDA_ERROR_OUT_OF_MEMORY : tell(input, errors);
    ptx_close(front);
    free(errors);
    return error;
}

// What is wrong with the PTX is told now, and does not end the link.
static enum cuda_result add_image(struct input *input, const char *name, const void *image, size_t bytes)
{
    char *text;
    size_t text_bytes;
    enum cuda_result error = image_text(input->driver, input->call, image, bytes, &text, &text_bytes);
    if (error != CUDA_SUCCESS) return error;
    error = loaded_check(input->driver, input->call, text, text_bytes, &input->link->log);
    if (error == CUDA_SUCCESS && !units_add(&input->link->units, name, text, text_bytes))
        error = CUDA_ERROR_OUT_OF_MEMORY;
    free(text);
    return error;
}

static bool is_for_others(const void *fatbin, size_t bytes)
{
    struct fatbin_contents contents;
    char *text;
    size_t text_bytes;
    const enum fatbin_result result = fatbin_ptx(fatbin, bytes, &text, &text_bytes, &contents);
    free(text);
    return fatbin_is_for_others(result);
}

// Members of a library have names.
static int take_fatbin(void *of, const char *name, const void *fatbin, size_t bytes)
{
    struct input *input = of;
    if (fatbin == NULL) {
        driver_refuse(input->driver, CUDA_SUCCESS, input->call, "the member %s of %s is damaged, and is left out", name,
                      input->name);
        return 0;
    }
    input->found++;
    if (name != NULL && is_for_others(fatbin, bytes))
        input->error = device_runtime_add(&input->link->units) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    else
        input->error = add_image(input, name == NULL ? input->name : name, fatbin, bytes);
    return input->error != CUDA_SUCCESS;
}

static bool is_elf(const void *image)
{
    static const char magic[] = "\177ELF";
    return strncmp(image, magic, sizeof magic - 1) == 0;
}

// The errors are those of an H200's driver.
static enum cuda_result add_object(struct input *input, uint32_t type, const void *image, size_t bytes)
{
    const bool is_wanted = (type == INPUT_OBJECT) == is_elf(image);
    if (!is_wanted || object_fatbins(image, bytes, take_fatbin, input) == OBJECT_DAMAGED)
        return driver_refuse(input->driver,
                             is_wanted && type == INPUT_OBJECT ? CUDA_ERROR_INVALID_IMAGE : CUDA_ERROR_UNKNOWN,
                             input->call, "%s is no %s", input->name,
                             type == INPUT_OBJECT ? "object (ELF of 64 bits), or is damaged" : "library of objects");
    if (input->error != CUDA_SUCCESS || input->found > 0) return input->error;
    return driver_refuse(input->driver, CUDA_ERROR_INVALID_IMAGE, input->call, "%s has no device code", input->name);
}

// What a link made. Of machine code it is said what to do; anything else ends the link.
static enum cuda_result add_cubin(struct input *input, const void *image, size_t bytes)
{
    if (units_is(image) || is_elf(image)) return add_image(input, input->name, image, bytes);
    return input->link->error = CUDA_ERROR_INVALID_IMAGE;
}

static enum cuda_result add_any(struct input *input, uint32_t type, const void *image, size_t bytes)
{
    if (type == INPUT_CUBIN) return add_cubin(input, image, bytes);
    if (type == INPUT_OBJECT || type == INPUT_LIBRARY) return add_object(input, type, image, bytes);
    return add_image(input, input->name, image, bytes);
}

// `image` has the zeros behind it that image_file() puts there. The lengths of the logs are told from now on: their
// room is read when the link is made. Whether the units go together is asked once, of all that a library has.
static enum cuda_result add(struct input *input, uint32_t type, const void *image, size_t bytes)
{
    struct CUlinkState_st *link = input->link;
    const size_t before = link->units.bytes;
    enum cuda_result error = add_any(input, type, image, bytes);
    if (link->units.bytes != before) link->error = check_units(input, before);
    if (error == CUDA_SUCCESS) error = link->error;
    loaded_log_length(&link->log);
    return error;
}

enum cuda_result link_inputs(struct driver *driver, const char *call, const void *cubin, size_t size_bytes, char **text,
                             size_t *bytes)
{
    struct CUlinkState_st link = {0};
    struct cubin_input part;
    size_t at = 0;
    enum cuda_result error = CUDA_SUCCESS;
    while (error == CUDA_SUCCESS && cubin_next(cubin, size_bytes, &at, &part)) {
        struct input input = {.driver = driver, .call = call, .name = part.name, .link = &link};
        error = check_input(driver, call, &link, part.kind);
        if (error == CUDA_SUCCESS) error = add_any(&input, part.kind, part.data, part.bytes);
    }
    if (error == CUDA_SUCCESS && link.units.text == NULL) error = CUDA_ERROR_INVALID_IMAGE;
    if (error != CUDA_SUCCESS) free(link.units.text);
    if (error != CUDA_SUCCESS) return error;
    *text = link.units.text;
    *bytes = link.units.bytes;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuLinkAddData_v2(struct CUlinkState_st *link, uint32_t type, void *data, size_t bytes,
                                                 const char *name, unsigned count, uint32_t *option, void **value)
{
    DRIVER_USE_OR_RETURN(driver);
    if (data == NULL || bytes == 0 || !loaded_are_options(count, option, value)) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(link, OBJECT_LINK)) return CUDA_ERROR_INVALID_HANDLE;
    enum cuda_result error = check_input(driver, "cuLinkAddData", link, type);
    if (error != CUDA_SUCCESS) return error;
    size_t room;
    char *image = __builtin_add_overflow(bytes, IMAGE_ZEROS, &room) ? NULL : calloc(room, 1);
    if (image == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(image, data, bytes);
    struct input input = {.driver = driver, .call = "cuLinkAddData", .name = name == NULL ? "" : name, .link = link};
    error = add(&input, type, image, bytes);
    free(image);
    return error;
}

DRIVER_VISIBLE enum cuda_result cuLinkAddFile_v2(struct CUlinkState_st *link, uint32_t type, const char *path,
                                                 unsigned count, uint32_t *option, void **value)
{
    DRIVER_USE_OR_RETURN(driver);
    size_t bytes;
    if (path == NULL || !loaded_are_options(count, option, value)) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(link, OBJECT_LINK)) return CUDA_ERROR_INVALID_HANDLE;
    enum cuda_result error = check_input(driver, "cuLinkAddFile", link, type);
    if (error != CUDA_SUCCESS) return error;
    void *image = image_file(path, &bytes);
    if (image == NULL)
        return driver_refuse(driver, CUDA_ERROR_FILE_NOT_FOUND, "cuLinkAddFile", "%s: %s", path, strerror(errno));
    struct input input = {.driver = driver, .call = "cuLinkAddFile", .name = path, .link = link};
    error = add(&input, type, image, bytes);
    free(image);
    return error;
}

// What no unit defines is seen by loading them.
static enum cuda_result check_whole(struct input *input)
{
    const struct units *units = &input->link->units;
    struct ptx_errors *errors = calloc(1, sizeof *errors);
    struct machine_module *module = errors == NULL ? NULL : machine_module_open(units->text, units->bytes, errors);
    enum cuda_result error = errors == NULL ? CUDA_ERROR_OUT_OF_MEMORY : tell(input, errors);
    if (module == NULL && error == CUDA_SUCCESS) error = CUDA_ERROR_OUT_OF_MEMORY;
    machine_module_close(module);
    free(errors);
    loaded_log_length(&input->link->log);
    return error;
}

// The image is the link's, until it is destroyed. The 0 behind the text is of it: who copies it may load the copy.
DRIVER_VISIBLE enum cuda_result cuLinkComplete(struct CUlinkState_st *link, void **image, size_t *bytes)
{
    DRIVER_USE_OR_RETURN(driver);
    static const char nothing[] = ".version 8.0\n.target sm_90a\n.address_size 64\n";
    struct input input = {.driver = driver, .call = "cuLinkComplete", .link = link};
    if (!object_is(link, OBJECT_LINK)) return CUDA_ERROR_INVALID_HANDLE;
    if (image == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (link->is_complete) return CUDA_ERROR_INVALID_HANDLE;
    if (link->error != CUDA_SUCCESS) return link->error;
    if (link->units.text == NULL && !units_add(&link->units, "", nothing, sizeof nothing - 1))
        return CUDA_ERROR_OUT_OF_MEMORY;
    link->error = check_whole(&input);
    if (link->error != CUDA_SUCCESS) return link->error;
    link->is_complete = true;
    *image = link->units.text;
    if (bytes != NULL) *bytes = link->units.bytes + 1;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuLinkDestroy(struct CUlinkState_st *link)
{
    DRIVER_ENTER(driver);
    if (!object_is(link, OBJECT_LINK)) return CUDA_ERROR_INVALID_HANDLE;
    free(link->units.text);
    link_parts_free(&link->parts);
    object_destroy(&driver->objects, link);
    return CUDA_SUCCESS;
}
