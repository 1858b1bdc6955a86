// SPDX-License-Identifier: MIT
// cuLink*: the image that comes out is the PTX that went in, which is what modules are loaded from here. One input
// makes a program; parts that call each other are not put together.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loaded.h"

struct CUlinkState_st {
    struct object object;
    struct loaded_log log;
    char *text; // of the input, ends in 0; NULL before there is one
    size_t bytes;
    int is_complete;
};

enum { INPUT_CUBIN, INPUT_PTX, INPUT_FATBIN, INPUT_OBJECT, INPUT_LIBRARY, INPUT_NVVM, INPUTS };

DRIVER_VISIBLE enum cuda_result cuLinkCreate_v2(unsigned count, uint32_t *option, void **value,
                                                struct CUlinkState_st **link)
{
    DRIVER_USE(driver);
    struct loaded_log log;
    if (link == NULL || !loaded_log_open(&log, count, option, value)) return CUDA_ERROR_INVALID_VALUE;
    *link = object_new(&driver->objects, OBJECT_LINK, sizeof **link);
    if (*link == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    (*link)->log = log;
    return CUDA_SUCCESS;
}

// Is it PTX that can be loaded? What is wrong with it is told now, as when it is loaded.
static enum cuda_result check(struct driver *driver, const char *call, const void *image, size_t bytes,
                              struct loaded_log *log)
{
    struct CUmod_st *module;
    const enum cuda_result error = loaded_open(driver, call, image, bytes, log, &module);
    if (error == CUDA_SUCCESS) loaded_close(driver, module);
    return error;
}

static enum cuda_result check_input(struct driver *driver, const char *call, const struct CUlinkState_st *link,
                                    uint32_t type)
{
    if (!object_is(link, OBJECT_LINK)) return CUDA_ERROR_INVALID_HANDLE;
    if (link->is_complete || type >= INPUTS) return CUDA_ERROR_INVALID_VALUE;
    if (type >= INPUT_OBJECT)
        return driver_refuse(driver, CUDA_ERROR_NOT_SUPPORTED, call,
                             "the input is %s: tmaref links PTX or a fat binary with PTX",
                             type == INPUT_NVVM ? "NVVM code (LTO-IR)" : "an object or a library");
    if (link->text == NULL) return CUDA_SUCCESS;
    return driver_refuse(
        driver, CUDA_ERROR_NOT_SUPPORTED, call,
        "this is a second input, and tmaref does not put parts together: give all device code as one PTX");
}

// `image` has the zeros behind it that loaded_file() puts there. The lengths of the logs are told from now on: their
// room is read when the link is made.
static enum cuda_result add(struct driver *driver, const char *call, struct CUlinkState_st *link, const void *image,
                            size_t bytes)
{
    const enum cuda_result error = check(driver, call, image, bytes, &link->log);
    loaded_log_length(&link->log);
    return error == CUDA_SUCCESS ? loaded_text(driver, call, image, bytes, &link->text, &link->bytes) : error;
}

DRIVER_VISIBLE enum cuda_result cuLinkAddData_v2(struct CUlinkState_st *link, uint32_t type, void *data, size_t bytes,
                                                 const char *name, unsigned count, uint32_t *option, void **value)
{
    DRIVER_USE(driver);
    (void)name;
    if (data == NULL || bytes == 0 || !loaded_are_options(count, option, value)) return CUDA_ERROR_INVALID_VALUE;
    enum cuda_result error = check_input(driver, "cuLinkAddData", link, type);
    if (error != CUDA_SUCCESS) return error;
    size_t room;
    char *image = __builtin_add_overflow(bytes, LOADED_ZEROS, &room) ? NULL : calloc(room, 1);
    if (image == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(image, data, bytes);
    error = add(driver, "cuLinkAddData", link, image, bytes);
    free(image);
    return error;
}

DRIVER_VISIBLE enum cuda_result cuLinkAddFile_v2(struct CUlinkState_st *link, uint32_t type, const char *path,
                                                 unsigned count, uint32_t *option, void **value)
{
    DRIVER_USE(driver);
    size_t bytes;
    if (path == NULL || !loaded_are_options(count, option, value)) return CUDA_ERROR_INVALID_VALUE;
    enum cuda_result error = check_input(driver, "cuLinkAddFile", link, type);
    if (error != CUDA_SUCCESS) return error;
    void *image = loaded_file(path, &bytes);
    if (image == NULL)
        return driver_refuse(driver, CUDA_ERROR_FILE_NOT_FOUND, "cuLinkAddFile", "%s: %s", path, strerror(errno));
    error = add(driver, "cuLinkAddFile", link, image, bytes);
    free(image);
    return error;
}

// The image is the link's, until it is destroyed. The 0 behind the text is of it: who copies it may load the copy.
DRIVER_VISIBLE enum cuda_result cuLinkComplete(struct CUlinkState_st *link, void **image, size_t *bytes)
{
    DRIVER_USE(driver);
    if (!object_is(link, OBJECT_LINK)) return CUDA_ERROR_INVALID_HANDLE;
    if (image == NULL || link->text == NULL) return CUDA_ERROR_INVALID_VALUE;
    link->is_complete = 1;
    loaded_log_length(&link->log);
    *image = link->text;
    if (bytes != NULL) *bytes = link->bytes + 1;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuLinkDestroy(struct CUlinkState_st *link)
{
    DRIVER_ENTER(driver);
    if (!object_is(link, OBJECT_LINK)) return CUDA_ERROR_INVALID_HANDLE;
    free(link->text);
    object_destroy(&driver->objects, link);
    return CUDA_SUCCESS;
}
