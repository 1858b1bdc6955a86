// SPDX-License-Identifier: MIT
// cuIpc*: memory and events of other processes of this user. What is recorded is done before the call returns, so that
// a process that hears of an event need not wait for it.
#define _GNU_SOURCE 1
#include "ipc.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda_api.h"
#include "turns.h"

enum { LAZY_PEER_ACCESS = 1, PAGE_BYTES = 4096 };

struct ipc_event {
    char mark[8];
    int64_t process;
    uint64_t event;
};
static const char memory_mark[8] = "tmarefM", event_mark[8] = "tmarefE";

// --- The process that has the memory ---------------------------------------------------------------------------------

// Pages that nobody has written are zero, and take no memory in the file either.
static bool write_pages(int file, const char *from, size_t bytes)
{
    static const char zeros[PAGE_BYTES];
    if (ftruncate(file, (off_t)bytes) != 0) return false;
    for (size_t at = 0; at < bytes; at += PAGE_BYTES)
        if (memcmp(from + at, zeros, PAGE_BYTES) != 0 && pwrite(file, from + at, PAGE_BYTES, (off_t)at) != PAGE_BYTES)
            return false;
    return true;
}

// Moves the bytes into a file, and maps that where they were.
static int move_to_file(struct allocation *allocation)
{
    const size_t bytes = (allocation->size_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    void *at = (void *)(uintptr_t)allocation->address;
    const int file = memfd_create("tmaref-ipc", MFD_CLOEXEC);
    if (file < 0) return -1;
    if (write_pages(file, at, bytes) &&
        mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED)
        return file;
    close(file);
    return -1;
}

enum cuda_result ipc_share(struct allocation *allocation, struct ipc_memory *told)
{
    struct stat facts;
    if (allocation->shared_file == 0) {
        const int file = move_to_file(allocation);
        if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
        allocation->shared_file = file + 1;
    }
    *told = (struct ipc_memory){
        .process = getpid(), .file = allocation->shared_file - 1, .size_bytes = allocation->size_bytes};
    told->inode = fstat((int)told->file, &facts) == 0 ? facts.st_ino : 0;
    return CUDA_SUCCESS;
}

// The handle is of the whole allocation, whichever address of it was named.
DRIVER_VISIBLE enum cuda_result cuIpcGetMemHandle(struct CUipcMemHandle_st *handle, unsigned long long address)
{
    DRIVER_USE_OR_RETURN(driver);
    struct ipc_memory told;
    if (handle == NULL) return CUDA_ERROR_INVALID_VALUE;
    turns_wait(driver, NULL);
    struct allocation *found = allocations_find(&driver->allocations, address);
    if (found == NULL || found->kind != ALLOCATION_DEVICE || found->pool != NULL) return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error = ipc_share(found, &told);
    if (error != CUDA_SUCCESS) return error;
    memcpy(told.mark, memory_mark, sizeof told.mark);
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &told, sizeof told);
    return CUDA_SUCCESS;
}

// --- The process that opens it ---------------------------------------------------------------------------------------

static int open_file(const struct ipc_memory *told)
{
    char path[64];
    struct stat facts;
    snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)told->process, (long long)told->file);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return -1;
    if (fstat(file, &facts) == 0 && facts.st_ino == told->inode && (uint64_t)facts.st_size >= told->size_bytes)
        return file;
    close(file);
    return -1;
}

// Memory that was opened before is opened once more, at its address.
static struct allocation *known(const struct driver *driver, const struct ipc_memory *told)
{
    for (uint32_t i = 0; i < driver->allocations.count; i++) {
        struct allocation *item = &driver->allocations.item[i];
        if (item->kind == ALLOCATION_IPC && item->shared_inode == told->inode) return item;
    }
    return NULL;
}

static struct allocation *map_file(struct driver *driver, const struct ipc_memory *told, enum allocation_kind kind)
{
    const int file = open_file(told);
    if (file < 0) return NULL;
    const uint64_t address = allocations_make(&driver->allocations, told->size_bytes, kind, 0, driver_context());
    struct allocation *made = address == 0 ? NULL : allocations_find(&driver->allocations, address);
    const size_t bytes = (told->size_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    if (made != NULL && mmap((void *)(uintptr_t)address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                             0) == MAP_FAILED) {
        allocations_remove(&driver->allocations, made);
        made = NULL;
    }
    close(file);
    if (made != NULL) made->shared_inode = told->inode;
    return made;
}

struct allocation *ipc_open(struct driver *driver, const char *call, const struct ipc_memory *told,
                            enum allocation_kind kind)
{
    struct allocation *made = map_file(driver, told, kind);
    if (made == NULL)
        driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call,
                      "process %lld has no such memory any more, or is another user's", (long long)told->process);
    return made;
}

DRIVER_VISIBLE enum cuda_result cuIpcOpenMemHandle_v2(unsigned long long *address, struct CUipcMemHandle_st handle,
                                                      unsigned flags)
{
    DRIVER_USE_OR_RETURN(driver);
    struct ipc_memory told;
    memcpy(&told, &handle, sizeof told);
    if (address == NULL || flags != LAZY_PEER_ACCESS || memcmp(told.mark, memory_mark, sizeof told.mark) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (told.process == getpid()) return CUDA_ERROR_INVALID_CONTEXT;
    struct allocation *there = known(driver, &told);
    if (there == NULL) there = ipc_open(driver, "cuIpcOpenMemHandle", &told, ALLOCATION_IPC);
    if (there == NULL) return CUDA_ERROR_INVALID_VALUE;
    there->holders++;
    *address = there->address;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuIpcCloseMemHandle(unsigned long long address)
{
    DRIVER_USE_OR_RETURN(driver);
    turns_wait(driver, NULL);
    struct allocation *found = allocations_find(&driver->allocations, address);
    if (found == NULL || found->kind != ALLOCATION_IPC) return CUDA_ERROR_INVALID_VALUE;
    if (--found->holders == 0) allocations_remove(&driver->allocations, found);
    return CUDA_SUCCESS;
}

// --- Events ----------------------------------------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuIpcGetEventHandle(struct CUipcEventHandle_st *handle, struct CUevent_st *event)
{
    DRIVER_USE_OR_RETURN(driver);
    if (handle == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(event, OBJECT_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
    if (!(event->flags & EVENT_INTERPROCESS)) return CUDA_ERROR_INVALID_HANDLE;
    struct ipc_event told = {.process = getpid(), .event = (uint64_t)(uintptr_t)event};
    memcpy(told.mark, event_mark, sizeof told.mark);
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &told, sizeof told);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuIpcOpenEventHandle(struct CUevent_st **event, struct CUipcEventHandle_st handle)
{
    DRIVER_USE_OR_RETURN(driver);
    struct ipc_event told;
    memcpy(&told, &handle, sizeof told);
    if (event == NULL || memcmp(told.mark, event_mark, sizeof told.mark) != 0) return CUDA_ERROR_INVALID_VALUE;
    if (told.process == getpid()) return CUDA_ERROR_INVALID_CONTEXT;
    return cuEventCreate(event, EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
}
