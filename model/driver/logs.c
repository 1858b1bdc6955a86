// SPDX-License-Identifier: MIT
#include "logs.h"

#include <stdlib.h>
#include <string.h>

enum { LOGS_MOST = 128, LOG_BYTES = 1024, LEVEL_ERROR = 0 };

// The last messages; number n is at n % LOGS_MOST.
static char *message[LOGS_MOST];
static unsigned messages;

typedef void logs_hear(void *user, uint32_t level, char *text, size_t bytes);
struct CUlogsCallbackEntry_st {
    struct object object;
    logs_hear *hear;
    void *user;
};

// A function may take itself or others out, and add some, which are not told yet.
static void tell_all(const struct driver *driver, char *text)
{
    size_t count = 0;
    for (const struct object *object = driver->objects.live[OBJECT_LOG_CALL]; object != NULL; object = object->next)
        count++;
    struct CUlogsCallbackEntry_st **entry = malloc((count + 1) * sizeof *entry);
    if (entry == NULL) return;
    count = 0;
    for (struct object *object = driver->objects.live[OBJECT_LOG_CALL]; object != NULL; object = object->next)
        entry[count++] = (struct CUlogsCallbackEntry_st *)object;
    for (size_t i = 0; i < count; i++)
        if (object_is(entry[i], OBJECT_LOG_CALL)) entry[i]->hear(entry[i]->user, LEVEL_ERROR, text, strlen(text));
    free(entry);
}

__attribute__((format(printf, 3, 0))) static void put_text(char text[LOG_BYTES], const char *call, const char *format,
                                                           va_list arguments)
{
    const int head = snprintf(text, LOG_BYTES, "[tmaref][%s] ", call);
    vsnprintf(text + head, (size_t)(LOG_BYTES - head), format, arguments);
}

// The lock is this thread's all the time: the function may call the driver, and other threads wait.
static void add_text(struct driver *driver, char *text)
{
    tell_all(driver, text);
    char **slot = &message[messages % LOGS_MOST];
    free(*slot);
    *slot = strdup(text);
    messages++;
}

void logs_add(struct driver *driver, const char *call, const char *format, va_list arguments)
{
    char text[LOG_BYTES];
    put_text(text, call, format, arguments);
    add_text(driver, text);
}

// --- Messages of threads that have no lock ---------------------------------------------------------------------------

static struct {
    pthread_mutex_t lock;
    char *text[LOGS_MOST];
    unsigned count;
} deferred = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Those that are too many are printed, as all are, and not kept.
void logs_defer(const char *call, const char *format, va_list arguments)
{
    char text[LOG_BYTES];
    put_text(text, call, format, arguments);
    pthread_mutex_lock(&deferred.lock);
    char *own = deferred.count < LOGS_MOST ? strdup(text) : NULL;
    if (own != NULL) deferred.text[deferred.count++] = own;
    pthread_mutex_unlock(&deferred.lock);
}

void logs_tell_deferred(struct driver *driver)
{
    char *text[LOGS_MOST];
    pthread_mutex_lock(&deferred.lock);
    const unsigned count = deferred.count;
    memcpy(text, deferred.text, count * sizeof *text);
    deferred.count = 0;
    pthread_mutex_unlock(&deferred.lock);
    for (unsigned i = 0; i < count; i++) {
        add_text(driver, text[i]);
        free(text[i]);
    }
}

// --- Functions that hear of each message -----------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuLogsRegisterCallback(logs_hear *hear, void *user,
                                                       struct CUlogsCallbackEntry_st **callback)
{
    DRIVER_ENTER(driver);
    if (hear == NULL) return CUDA_ERROR_INVALID_VALUE;
    struct CUlogsCallbackEntry_st *entry = object_new(&driver->objects, OBJECT_LOG_CALL, sizeof *entry);
    if (entry == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    entry->hear = hear;
    entry->user = user;
    if (callback != NULL) *callback = entry;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuLogsUnregisterCallback(struct CUlogsCallbackEntry_st *callback)
{
    DRIVER_ENTER(driver);
    if (!object_is(callback, OBJECT_LOG_CALL)) return CUDA_ERROR_INVALID_VALUE;
    object_destroy(&driver->objects, callback);
    return CUDA_SUCCESS;
}

// --- The messages ----------------------------------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuLogsCurrent(unsigned *iterator, unsigned flags)
{
    DRIVER_ENTER(driver);
    if (iterator == NULL || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    *iterator = messages;
    return CUDA_SUCCESS;
}

// Stands before messages of which the first are not there any more, or have no room.
static const char left_out[] = "[tmaref] messages before these are left out\n";
enum { LEFT_OUT_BYTES = sizeof left_out - 1 };

// The first message that is there, from that of the iterator on.
static unsigned first_of(const unsigned *iterator, int *is_cut)
{
    const unsigned oldest = messages > LOGS_MOST ? messages - LOGS_MOST : 0;
    const unsigned wanted = iterator == NULL ? 0 : *iterator;
    *is_cut = wanted < oldest;
    return *is_cut ? oldest : wanted;
}

static const char *text_of(unsigned number)
{
    const char *text = message[number % LOGS_MOST];
    return text != NULL ? text : "";
}

DRIVER_VISIBLE enum cuda_result cuLogsDumpToFile(unsigned *iterator, const char *path, unsigned flags)
{
    DRIVER_ENTER(driver);
    int is_cut;
    if (path == NULL || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    FILE *file = fopen(path, "w");
    if (file == NULL) return CUDA_ERROR_INVALID_VALUE;
    unsigned i = first_of(iterator, &is_cut);
    if (is_cut) fputs(left_out, file);
    for (; i < messages; i++) fprintf(file, "%s\n", text_of(i));
    fclose(file);
    if (iterator != NULL) *iterator = messages;
    return CUDA_SUCCESS;
}

// The first of as many of the last messages as there is room for, and the zero behind them.
static unsigned first_that_fits(unsigned oldest, size_t room)
{
    unsigned first = messages;
    for (size_t used = 1; first > oldest; first--) {
        used += strlen(text_of(first - 1)) + 1;
        if (used > room) break;
    }
    return first;
}

DRIVER_VISIBLE enum cuda_result cuLogsDumpToMemory(unsigned *iterator, char *to, size_t *bytes, unsigned flags)
{
    DRIVER_ENTER(driver);
    int is_cut;
    if (to == NULL || bytes == NULL || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    const unsigned oldest = first_of(iterator, &is_cut);
    const size_t room = *bytes;
    unsigned first = first_that_fits(oldest, room);
    if (first > oldest) is_cut = 1;
    if (is_cut) first = first_that_fits(oldest, room > LEFT_OUT_BYTES ? room - LEFT_OUT_BYTES : 0);
    *bytes = 0;
    if (first == messages && oldest < messages) return CUDA_ERROR_INVALID_VALUE;
    if (room == 0) return CUDA_SUCCESS;
    char *at = to + sprintf(to, "%s", is_cut ? left_out : "");
    for (unsigned i = first; i < messages; i++) at += sprintf(at, "%s\n", text_of(i));
    *bytes = (size_t)(at - to);
    if (iterator != NULL) *iterator = messages;
    return CUDA_SUCCESS;
}
