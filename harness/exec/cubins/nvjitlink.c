// SPDX-License-Identifier: MIT
// nvJitLink forgets what it linked, so that each link's inputs are kept here. The driver links their PTX as cuLink*
// does. LTO-IR has no PTX: the same link with -ptx makes it (13.0 takes -ptx with -lto alone, and no input without
// LTO-IR).
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cubin.h"
#include "cubins.h"

enum { NVJITLINK_ERROR_INVALID_INPUT = 3, NVJITLINK_ERROR_INTERNAL = 6 };

// Kinds of input, as nvJitLink.h numbers them; of "any" the library looks what it is.
enum { LINK_CUBIN = 1, LINK_PTX, LINK_LTO, LINK_FATBIN, LINK_OBJECT, LINK_LIBRARY, LINK_KINDS, LINK_ANY = 10 };

struct link {
    void *handle;
    char **option;
    uint32_t options;
    struct cubin_input *input;
    unsigned inputs;
    char *whole; // the cubin with the inputs in it, once somebody asked
    size_t whole_bytes;
    struct link *next;
};

static struct link *links;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// --- What is kept of a link ------------------------------------------------------------------------------------------

static struct link *find(void *handle)
{
    pthread_mutex_lock(&lock);
    struct link *link = links;
    while (link != NULL && link->handle != handle) link = link->next;
    pthread_mutex_unlock(&lock);
    return link;
}

static void free_link(struct link *link)
{
    if (link == NULL) return;
    for (uint32_t i = 0; link->option != NULL && i < link->options; i++) free(link->option[i]);
    for (unsigned i = 0; i < link->inputs; i++) {
        free((void *)link->input[i].name);
        free((void *)link->input[i].data);
    }
    free(link->option);
    free(link->input);
    free(link->whole);
    free(link);
}

static struct link *take_out(void *handle)
{
    pthread_mutex_lock(&lock);
    struct link **at = &links, *link;
    while (*at != NULL && (*at)->handle != handle) at = &(*at)->next;
    link = *at;
    if (link != NULL) *at = link->next;
    pthread_mutex_unlock(&lock);
    return link;
}

static int keep_link(void *handle, uint32_t options, const char **option)
{
    struct link *link = calloc(1, sizeof *link);
    bool is_whole = link != NULL && (link->option = calloc(options + 1, sizeof *link->option)) != NULL;
    for (uint32_t i = 0; is_whole && i < options; i++, link->options++)
        is_whole = (link->option[i] = strdup(option[i])) != NULL;
    if (!is_whole) {
        free_link(link);
        return NVJITLINK_ERROR_INTERNAL;
    }
    link->handle = handle;
    pthread_mutex_lock(&lock);
    link->next = links;
    links = link;
    pthread_mutex_unlock(&lock);
    return CUBINS_SUCCESS;
}

static bool begins_with(const void *data, size_t bytes, const char *magic)
{
    return bytes >= strlen(magic) && memcmp(data, magic, strlen(magic)) == 0;
}

// As cuLinkAddData numbers them.
static uint32_t kind_of(int kind, const void *data, size_t bytes)
{
    static const uint32_t kinds[LINK_KINDS] = {
        [LINK_CUBIN] = INPUT_CUBIN,   [LINK_PTX] = INPUT_PTX,       [LINK_LTO] = INPUT_NVVM,
        [LINK_FATBIN] = INPUT_FATBIN, [LINK_OBJECT] = INPUT_OBJECT, [LINK_LIBRARY] = INPUT_LIBRARY,
    };
    if (kind > 0 && kind < LINK_KINDS) return kinds[kind];
    if (cubin_is(data, bytes)) return INPUT_CUBIN;
    if (begins_with(data, bytes, "\177ELF")) return INPUT_OBJECT;
    if (begins_with(data, bytes, "!<arch>\n")) return INPUT_LIBRARY;
    if (begins_with(data, bytes, "\x50\xed\x55\xba")) return INPUT_FATBIN;
    return begins_with(data, bytes, "\xed\x43\x4e\x7f") ? INPUT_NVVM : INPUT_PTX;
}

// `data` is the link's from now on.
static int keep_input(struct link *link, int kind, void *data, size_t bytes, const char *name)
{
    char *own_name = strdup(name == NULL ? "" : name);
    if (data != NULL && own_name != NULL &&
        ARRAY_ADD(link->input, link->inputs, ((struct cubin_input){kind_of(kind, data, bytes), own_name, data, bytes})))
        return CUBINS_SUCCESS;
    free(own_name);
    free(data);
    return NVJITLINK_ERROR_INTERNAL;
}

// --- LTO-IR ----------------------------------------------------------------------------------------------------------

typedef int (*complete_fn)(void *link);

static bool is_lto(const struct link *link)
{
    for (uint32_t i = 0; i < link->options; i++)
        if (strcmp(link->option[i], "-lto") == 0) return true;
    return false;
}

// Which inputs the LTO-IR is looked for in: what may have some, or what is nothing else.
enum lto_inputs { MAY_HAVE_LTO, ARE_LTO };

static bool is_one(const struct cubin_input *input, enum lto_inputs which)
{
    return which == ARE_LTO ? input->kind == INPUT_NVVM : input->kind != INPUT_PTX && input->kind != INPUT_CUBIN;
}

// As nvJitLink numbers them.
static int link_kind(uint32_t kind)
{
    static const int kinds[INPUTS] = {LINK_CUBIN, LINK_PTX, LINK_FATBIN, LINK_OBJECT, LINK_LIBRARY, LINK_LTO};
    return kinds[kind];
}

static int add_lto(const struct link *link, enum lto_inputs which, void *again)
{
    int result = CUBINS_SUCCESS;
    for (unsigned i = 0; i < link->inputs && result == CUBINS_SUCCESS; i++) {
        const struct cubin_input *input = &link->input[i];
        if (is_one(input, which))
            result =
                CUBINS_REAL(nvJitLinkAddData)(again, link_kind(input->kind), input->data, input->bytes, input->name);
    }
    return result;
}

// The PTX of a complete link, NULL if it has none; the caller frees it.
static char *linked_ptx(void *again, size_t *bytes)
{
    void *real = cubins_real(CUBINS_nvJitLinkGetLinkedCubin);
    const nvJitLinkGetLinkedCubinSize_fn ask =
        (nvJitLinkGetLinkedCubinSize_fn)interpose_beside(real, "nvJitLinkGetLinkedPtxSize");
    const nvJitLinkGetLinkedCubin_fn get = (nvJitLinkGetLinkedCubin_fn)interpose_beside(real, "nvJitLinkGetLinkedPtx");
    char *ptx = ask == NULL || get == NULL || ask(again, bytes) != CUBINS_SUCCESS ? NULL : malloc(*bytes);
    if (ptx != NULL && get(again, ptx) == CUBINS_SUCCESS) return ptx;
    free(ptx);
    return NULL;
}

// The PTX of the LTO-IR of a link, NULL if it cannot be had.
static char *ptx_of_lto(const struct link *link, enum lto_inputs which, size_t *bytes)
{
    const char *option[link->options + 1];
    void *again;
    char *ptx = NULL;
    const complete_fn complete =
        (complete_fn)interpose_beside(cubins_real(CUBINS_nvJitLinkCreate), "nvJitLinkComplete");
    for (uint32_t i = 0; i < link->options; i++) option[i] = link->option[i];
    option[link->options] = "-ptx";
    if (complete == NULL || CUBINS_REAL(nvJitLinkCreate)(&again, link->options + 1, option) != CUBINS_SUCCESS)
        return NULL;
    if (add_lto(link, which, again) == CUBINS_SUCCESS && complete(again) == CUBINS_SUCCESS)
        ptx = linked_ptx(again, bytes);
    CUBINS_REAL(nvJitLinkDestroy)(&again);
    return ptx;
}

// --- What comes out --------------------------------------------------------------------------------------------------

// Where LTO-IR made no PTX, it stays among the inputs, and the driver says what is wrong with it.
static char *with_inputs(const struct link *link, const void *cubin, size_t cubin_bytes, size_t *bytes)
{
    struct cubin_input input[link->inputs + 1], made = {INPUT_PTX, "the PTX of the LTO-IR", NULL, 0};
    unsigned inputs = 0;
    enum lto_inputs which = MAY_HAVE_LTO;
    char *ptx = is_lto(link) ? ptx_of_lto(link, which, &made.bytes) : NULL;
    if (is_lto(link) && ptx == NULL) ptx = ptx_of_lto(link, which = ARE_LTO, &made.bytes);
    made.data = ptx;
    if (ptx != NULL) input[inputs++] = made;
    for (unsigned i = 0; i < link->inputs; i++)
        if (ptx == NULL || !is_one(&link->input[i], which)) input[inputs++] = link->input[i];
    char *whole = cubin_with(cubin, cubin_bytes, input, inputs, bytes);
    free(ptx);
    return whole;
}

static int make_whole(struct link *link)
{
    size_t bytes;
    if (link->whole != NULL) return CUBINS_SUCCESS;
    int result = CUBINS_REAL(nvJitLinkGetLinkedCubinSize)(link->handle, &bytes);
    if (result != CUBINS_SUCCESS) return result;
    char *cubin = malloc(bytes);
    result = cubin == NULL ? NVJITLINK_ERROR_INTERNAL : CUBINS_REAL(nvJitLinkGetLinkedCubin)(link->handle, cubin);
    if (result == CUBINS_SUCCESS) link->whole = with_inputs(link, cubin, bytes, &link->whole_bytes);
    if (result == CUBINS_SUCCESS && link->whole == NULL) result = NVJITLINK_ERROR_INTERNAL;
    free(cubin);
    return result;
}

int nvJitLinkCreate(void **handle, uint32_t options, const char **option)
{
    const nvJitLinkCreate_fn real = CUBINS_REAL(nvJitLinkCreate);
    const int result = real == NULL ? NVJITLINK_ERROR_INVALID_INPUT : real(handle, options, option);
    return result == CUBINS_SUCCESS ? keep_link(*handle, options, option) : result;
}

int nvJitLinkDestroy(void **handle)
{
    const nvJitLinkDestroy_fn real = CUBINS_REAL(nvJitLinkDestroy);
    if (real == NULL) return NVJITLINK_ERROR_INVALID_INPUT;
    if (handle != NULL) free_link(take_out(*handle));
    return real(handle);
}

int nvJitLinkAddData(void *handle, int kind, const void *data, size_t bytes, const char *name)
{
    const nvJitLinkAddData_fn real = CUBINS_REAL(nvJitLinkAddData);
    struct link *link = find(handle);
    const int result = real == NULL ? NVJITLINK_ERROR_INVALID_INPUT : real(handle, kind, data, bytes, name);
    if (result != CUBINS_SUCCESS || link == NULL) return result;
    void *copy = malloc(bytes + 1);
    if (copy != NULL) memcpy(copy, data, bytes);
    return keep_input(link, kind, copy, bytes, name);
}

static void *read_whole(FILE *file, size_t *bytes)
{
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) return NULL;
    const long end = ftell(file);
    char *content = end < 0 ? NULL : malloc((size_t)end + 1);
    rewind(file);
    if (content != NULL) *bytes = fread(content, 1, (size_t)end, file);
    return content;
}

int nvJitLinkAddFile(void *handle, int kind, const char *path)
{
    const nvJitLinkAddFile_fn real = CUBINS_REAL(nvJitLinkAddFile);
    struct link *link = find(handle);
    const int result = real == NULL ? NVJITLINK_ERROR_INVALID_INPUT : real(handle, kind, path);
    if (result != CUBINS_SUCCESS || link == NULL) return result;
    size_t bytes = 0;
    FILE *file = fopen(path, "rb");
    void *content = read_whole(file, &bytes);
    if (file != NULL) fclose(file);
    return keep_input(link, kind, content, bytes, path);
}

int nvJitLinkGetLinkedCubinSize(void *handle, size_t *bytes)
{
    const nvJitLinkGetLinkedCubinSize_fn real = CUBINS_REAL(nvJitLinkGetLinkedCubinSize);
    struct link *link = find(handle);
    int result = real == NULL ? NVJITLINK_ERROR_INVALID_INPUT : real(handle, bytes);
    if (result == CUBINS_SUCCESS && link != NULL) result = make_whole(link);
    if (result == CUBINS_SUCCESS && link != NULL) *bytes = link->whole_bytes;
    return result;
}

int nvJitLinkGetLinkedCubin(void *handle, void *cubin)
{
    const nvJitLinkGetLinkedCubin_fn real = CUBINS_REAL(nvJitLinkGetLinkedCubin);
    struct link *link = find(handle);
    if (real == NULL) return NVJITLINK_ERROR_INVALID_INPUT;
    if (link == NULL || cubin == NULL) return real(handle, cubin);
    const int result = make_whole(link);
    if (result == CUBINS_SUCCESS) memcpy(cubin, link->whole, link->whole_bytes);
    return result;
}

// --- The names that nvJitLink.h calls --------------------------------------------------------------------------------

// Each release has its own, for the same functions.
#define VISIBLE __attribute__((visibility("default")))
#define NAMES_OF(version)                                                                                              \
    VISIBLE int __nvJitLinkCreate_##version(void **, uint32_t, const char **)                                          \
        __attribute__((alias("nvJitLinkCreate")));                                                                     \
    VISIBLE int __nvJitLinkDestroy_##version(void **) __attribute__((alias("nvJitLinkDestroy")));                      \
    VISIBLE int __nvJitLinkAddData_##version(void *, int, const void *, size_t, const char *)                          \
        __attribute__((alias("nvJitLinkAddData")));                                                                    \
    VISIBLE int __nvJitLinkAddFile_##version(void *, int, const char *) __attribute__((alias("nvJitLinkAddFile")));    \
    VISIBLE int __nvJitLinkGetLinkedCubinSize_##version(void *, size_t *)                                              \
        __attribute__((alias("nvJitLinkGetLinkedCubinSize")));                                                         \
    VISIBLE int __nvJitLinkGetLinkedCubin_##version(void *, void *) __attribute__((alias("nvJitLinkGetLinkedCubin")));
NAMES_OF(12_0)
NAMES_OF(12_1)
NAMES_OF(12_2)
NAMES_OF(12_3)
NAMES_OF(12_4)
NAMES_OF(12_5)
NAMES_OF(12_6)
NAMES_OF(12_7)
NAMES_OF(12_8)
NAMES_OF(12_9)
NAMES_OF(13_0)
NAMES_OF(13_1)
NAMES_OF(13_2)
NAMES_OF(13_3)
NAMES_OF(13_4)
NAMES_OF(13_5)
