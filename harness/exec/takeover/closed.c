// SPDX-License-Identifier: MIT
// cuDNN is machine code alone, and its own copy of the runtime needs a GPU's driver. XLA makes a handle of it before it
// compiles any program, so a handle is given. What would compute is refused by name.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "note.h"
#include "takeover.h"

enum {
    CUDNN_STATUS_SUCCESS = 0,
    CUDNN_STATUS_BAD_PARAM = 2000,
    CUDNN_STATUS_NOT_SUPPORTED = 3000
}; // of cudnn.h, version 9

struct cudnn_handle {
    void *stream;
};

static int create(struct cudnn_handle **handle)
{
    if (handle == NULL) return CUDNN_STATUS_BAD_PARAM;
    *handle = calloc(1, sizeof **handle);
    return *handle != NULL ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

static int destroy(struct cudnn_handle *handle)
{
    free(handle);
    return CUDNN_STATUS_SUCCESS;
}

static int set_stream(struct cudnn_handle *handle, void *stream)
{
    if (handle == NULL) return CUDNN_STATUS_BAD_PARAM;
    handle->stream = stream;
    return CUDNN_STATUS_SUCCESS;
}

static int get_stream(const struct cudnn_handle *handle, void **stream)
{
    if (handle == NULL || stream == NULL) return CUDNN_STATUS_BAD_PARAM;
    *stream = handle->stream;
    return CUDNN_STATUS_SUCCESS;
}

static const struct {
    const char *name;
    void *function; // NULL: cuDNN's own stays, which asks no GPU
} answers[] = {
    {"cudnnCreate", (void *)create},        {"cudnnDestroy", (void *)destroy}, {"cudnnSetStream", (void *)set_stream},
    {"cudnnGetStream", (void *)get_stream}, {"cudnnGetVersion", NULL},         {"cudnnGetCudartVersion", NULL},
    {"cudnnGetMaxDeviceVersion", NULL},     {"cudnnGetProperty", NULL},        {"cudnnGetErrorString", NULL},
    {"cudnnGetLastErrorString", NULL},
};
enum { ANSWERS = sizeof answers / sizeof answers[0] };

// Once for each call.
static bool is_new(const char *name)
{
    enum { MOST = 64 };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const char *told[MOST];
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < MOST && told[i] != NULL && told[i] != name) i++;
    const bool is_it = i < MOST && told[i] == NULL;
    if (is_it) told[i] = name;
    pthread_mutex_unlock(&lock);
    return is_it;
}

static int refuse(const char *name)
{
    static const char why[] = "cuDNN is machine code, which does not run without a GPU; it answers "
                              "CUDNN_STATUS_NOT_SUPPORTED (3000)";
    const char *quiet = getenv("TMAREF_QUIET");
    if (!is_new(name)) return CUDNN_STATUS_NOT_SUPPORTED;
    if (quiet == NULL || quiet[0] != '1') fprintf(stderr, "tmaref: %s: %s\n", name, why);
    note_add(note_path(), NOTE_REFUSED " 801 %s: %s", name, why);
    return CUDNN_STATUS_NOT_SUPPORTED;
}

// movabs $name, %rdi; movabs $refuse, %r11; jmp *%r11
static void write_refusal(const char *name, void *at, uint64_t bytes)
{
    uint8_t code[] = {0x48, 0xbf, 0, 0, 0, 0, 0, 0, 0, 0, 0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0xff, 0xe3};
    const char *kept = strdup(name);
    const uint64_t to = (uintptr_t)refuse, text = (uintptr_t)kept;
    memcpy(code + 2, &text, sizeof text);
    memcpy(code + 12, &to, sizeof to);
    if (kept != NULL) takeover_write(at, bytes, code, sizeof code);
}

void takeover_closed(const char *name, void *at, uint64_t bytes)
{
    for (int i = 0; i < ANSWERS; i++) {
        if (strcmp(answers[i].name, name) != 0) continue;
        if (answers[i].function != NULL) takeover_jump(at, bytes, answers[i].function);
        return;
    }
    if (strstr(name, "VersionCheck") == NULL) write_refusal(name, at, bytes);
}
