// SPDX-License-Identifier: MIT
#include "image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cubin.h"
#include "debug_ptx.h"
#include "device_runtime.h"
#include "fatbin.h"
#include "linking.h"
#include "ptx.h"
#include "readable.h"
#include "units.h"

#define MOST_FILE_BYTES ((long)1 << 30)

// What __fatBinC_Wrapper_t of nvcc's objects holds, and what cuModuleLoadData takes as well.
static const char wrapper_magic[] = "\xb1\x43\x62\x46";
enum {
    WRAPPER_LINKED = 2
}; // version: nvlink made `data`; `parts` are the fat binaries of the objects, NULL at the end
struct fatbin_wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *parts;
};

static const char elf_magic[] = "\x7f\x45\x4c\x46";

// --- Files -----------------------------------------------------------------------------------------------------------

// Why a file cannot be loaded, 0 if it can.
static int file_error(const struct stat *facts)
{
    if (S_ISDIR(facts->st_mode)) return EISDIR;
    if (!S_ISREG(facts->st_mode)) return ESPIPE;
    return facts->st_size < MOST_FILE_BYTES ? 0 : EFBIG;
}

static char *read_file(FILE *file, size_t *size_bytes)
{
    struct stat facts;
    if (fstat(fileno(file), &facts) != 0) return NULL;
    errno = file_error(&facts);
    if (errno != 0) return NULL;
    *size_bytes = (size_t)facts.st_size;
    char *bytes = calloc(*size_bytes + IMAGE_ZEROS, 1);
    if (bytes == NULL || fread(bytes, 1, *size_bytes, file) == *size_bytes) return bytes;
    if (errno == 0) errno = EIO; // it is shorter than it was
    free(bytes);
    return NULL;
}

void *image_file(const char *path, size_t *size_bytes)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    char *bytes = read_file(file, size_bytes);
    const int error = errno;
    fclose(file);
    errno = error;
    return bytes;
}

// --- Programs of several units ---------------------------------------------------------------------------------------

// A part that cannot be read is a damaged one.
static size_t part_bytes(const void *part)
{
    const size_t room = readable_bytes(part);
    return room < FATBIN_HEADER_BYTES ? 0 : fatbin_bytes(part, room);
}

static enum cuda_result add_part(struct driver *driver, const char *call, struct units *units, const void *part,
                                 unsigned number, int *is_left_out)
{
    struct fatbin_contents contents;
    char *text, name[32];
    size_t bytes;
    const enum fatbin_result result = fatbin_ptx(part, part_bytes(part), &text, &bytes, &contents);
    snprintf(name, sizeof name, "part %u", number);
    *is_left_out |= fatbin_is_for_others(result);
    if (fatbin_is_for_others(result)) return CUDA_SUCCESS;
    if (result != FATBIN_OK)
        return driver_refuse(driver, CUDA_ERROR_NO_BINARY_FOR_GPU, call, "%s of a program of -rdc=true: %s", name,
                             fatbin_advice(result));
    const bool is_added = units_add(units, name, text, bytes);
    free(text);
    return is_added ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static enum cuda_result text_of_parts(struct driver *driver, const char *call, const void *const *parts, char **text,
                                      size_t *bytes)
{
    struct units units = {0};
    enum cuda_result error = CUDA_SUCCESS;
    int is_left_out = 0;
    const size_t room = readable_bytes(parts) / sizeof parts[0];
    for (unsigned i = 0; i < room && parts[i] != NULL && error == CUDA_SUCCESS; i++)
        error = add_part(driver, call, &units, parts[i], i + 1, &is_left_out);
    if (error == CUDA_SUCCESS && units.text == NULL)
        error = driver_refuse(driver, CUDA_ERROR_NO_BINARY_FOR_GPU, call, "%s", fatbin_advice(FATBIN_TOO_NEW));
    if (error == CUDA_SUCCESS && is_left_out && !device_runtime_add(&units)) error = CUDA_ERROR_OUT_OF_MEMORY;
    if (error != CUDA_SUCCESS) free(units.text);
    if (error != CUDA_SUCCESS) return error;
    *text = units.text;
    *bytes = units.bytes;
    return CUDA_SUCCESS;
}

// --- Images ----------------------------------------------------------------------------------------------------------

// PTX for a later GPU, with the word before it that lets the front end read it.
static enum fatbin_result newer_text(const void *image, size_t image_bytes, char **text, size_t *bytes)
{
    const size_t head_bytes = sizeof PTX_FOR_LATER - 1;
    const enum fatbin_result result = fatbin_newer_ptx(image, image_bytes, text, bytes);
    if (result != FATBIN_OK) return result;
    char *longer = realloc(*text, *bytes + head_bytes + 1);
    if (longer == NULL) {
        free(*text);
        *text = NULL;
        return FATBIN_NO_MEMORY;
    }
    memmove(longer + head_bytes, longer, *bytes);
    memcpy(longer, PTX_FOR_LATER, head_bytes);
    *bytes += head_bytes;
    longer[*bytes] = '\0';
    *text = longer;
    return FATBIN_OK;
}

static enum cuda_result text_of_fatbin(struct driver *driver, const char *call, const void *image, size_t size_bytes,
                                       char **text, size_t *bytes)
{
    struct fatbin_contents contents;
    const size_t image_bytes = fatbin_bytes(image, size_bytes);
    enum fatbin_result result = fatbin_ptx(image, image_bytes, text, bytes, &contents);
    if (result == FATBIN_TOO_NEW) result = newer_text(image, image_bytes, text, bytes);
    if (result == FATBIN_OK) return CUDA_SUCCESS;
    return driver_refuse(driver, CUDA_ERROR_NO_BINARY_FOR_GPU, call, "%s", fatbin_advice(result));
}

// No byte of the magic numbers is 0, so text may be shorter than they are.
static bool begins_with(const void *image, size_t size_bytes, const char *magic)
{
    return size_bytes >= strlen(magic) && strncmp(image, magic, strlen(magic)) == 0;
}

// The PTX that ptxas kept in machine code: of the one unit, or of all that nvlink linked.
static enum cuda_result text_of_debug(struct driver *driver, const char *call, const void *image, size_t size_bytes,
                                      char **text, size_t *bytes)
{
    struct units units = {0};
    size_t part_bytes;
    char *part, name[32];
    *text = debug_ptx(image, size_bytes, 0, bytes);
    if (*text == NULL)
        return driver_refuse(driver, CUDA_ERROR_NO_BINARY_FOR_GPU, call,
                             "the image is machine code (a cubin), without the PTX that it was made of: tmaref exec "
                             "runs PTX; make the cubin with -lineinfo (nvcc, ptxas), which keeps its PTX, or load the "
                             "PTX instead (nvrtcGetPTX, nvcc -ptx)");
    for (unsigned i = 1; (part = debug_ptx(image, size_bytes, i, &part_bytes)) != NULL; i++) {
        snprintf(name, sizeof name, "unit %u", i + 1);
        bool ok = units.text != NULL || units_add(&units, "unit 1", *text, *bytes);
        ok = ok && units_add(&units, name, part, part_bytes);
        free(part);
        if (ok) continue;
        free(units.text);
        free(*text);
        *text = NULL;
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (units.text == NULL) return CUDA_SUCCESS;
    free(*text);
    *text = units.text;
    *bytes = units.bytes;
    return CUDA_SUCCESS;
}

static enum cuda_result refuse_gpu(struct driver *driver, const char *call, unsigned gpu)
{
    if (gpu == 0)
        return driver_refuse(driver, CUDA_ERROR_NO_BINARY_FOR_GPU, call,
                             "the image is an ELF file whose header names no GPU: it is damaged, or no cubin");
    return driver_refuse(driver, CUDA_ERROR_NO_BINARY_FOR_GPU, call,
                         "the cubin is for sm_%u: an H200 loads those for sm_90 and sm_90a", gpu);
}

// Machine code runs on GPUs of its own number, and of later minor ones.
static enum cuda_result text_of_inputs(struct driver *driver, const char *call, const void *image, size_t size_bytes,
                                       char **text, size_t *bytes)
{
    enum { OUR_GPU = 90 };
    struct cubin_input first, second;
    size_t at = 0;
    if (cubin_is(image, size_bytes) && cubin_gpu(image) != OUR_GPU) return refuse_gpu(driver, call, cubin_gpu(image));
    if (!cubin_next(image, size_bytes, &at, &first)) return text_of_debug(driver, call, image, size_bytes, text, bytes);
    if (first.kind == INPUT_PTX && !cubin_next(image, size_bytes, &at, &second))
        return image_text(driver, call, first.data, first.bytes, text, bytes);
    return link_inputs(driver, call, image, size_bytes, text, bytes);
}

// A cubin may be among the inputs of another. What links make is never so deep; a damaged file may be.
static enum cuda_result text_of_cubin(struct driver *driver, const char *call, const void *image, size_t size_bytes,
                                      char **text, size_t *bytes)
{
    enum { DEEPEST = 64 };
    static _Thread_local int depth;
    if (depth == DEEPEST)
        return driver_refuse(driver, CUDA_ERROR_INVALID_IMAGE, call, "more than %d cubins lie within each other",
                             DEEPEST);
    depth++;
    const enum cuda_result error = text_of_inputs(driver, call, image, size_bytes, text, bytes);
    depth--;
    return error;
}

// A wrapper holds addresses, so that a file is none.
static bool is_wrapper(const void *image, size_t size_bytes, struct fatbin_wrapper *wrapper)
{
    if (size_bytes < sizeof *wrapper || !begins_with(image, size_bytes, wrapper_magic)) return false;
    memcpy(wrapper, image, sizeof *wrapper);
    return true;
}

enum cuda_result image_text(struct driver *driver, const char *call, const void *image, size_t size_bytes, char **text,
                            size_t *bytes)
{
    struct fatbin_wrapper wrapper;
    const bool is_in_memory = size_bytes == SIZE_MAX;
    if (image == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (is_in_memory) size_bytes = readable_bytes(image);
    if (is_in_memory && is_wrapper(image, size_bytes, &wrapper)) {
        if (wrapper.version == WRAPPER_LINKED && wrapper.parts != NULL)
            return text_of_parts(driver, call, wrapper.parts, text, bytes);
        image = wrapper.data;
        size_bytes = readable_bytes(image);
    }
    if (image == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (is_in_memory && size_bytes == 0)
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call, "the image is at %p, which is no readable memory",
                             image);
    if (size_bytes >= FATBIN_HEADER_BYTES && fatbin_is(image))
        return text_of_fatbin(driver, call, image, size_bytes, text, bytes);
    if (begins_with(image, size_bytes, elf_magic)) return text_of_cubin(driver, call, image, size_bytes, text, bytes);
    *bytes = strnlen(image, size_bytes);
    *text = strndup(image, *bytes);
    return *text == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
