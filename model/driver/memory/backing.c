// SPDX-License-Identifier: MIT
// cuMemCreate and what is done with its handles. cuMemMap is in virtual.c.
#define _GNU_SOURCE 1
#include "backing.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"

// CU_MEM_HANDLE_TYPE_*
enum { HANDLE_FILE = 1, HANDLE_WINDOWS = 2 | 4, HANDLE_FABRIC = 8 };
#define FILE_NAME "tmaref"

struct backing *backing_of(const struct driver *driver, uint64_t handle)
{
    for (struct object *object = driver->objects.live[OBJECT_BACKING]; object != NULL; object = object->next)
        if (((struct backing *)object)->id == handle) return (struct backing *)object;
    return NULL;
}

bool backing_is_on_host(const struct backing *backing)
{
    return backing->prop.location.type != CU_MEM_LOCATION_TYPE_DEVICE;
}

void backing_leave(struct driver *driver, struct backing *backing)
{
    if (backing->holders > 0 || backing->mappings > 0) return;
    driver->allocations.device_bytes -= backing->counted_bytes;
    close(backing->file);
    object_destroy(&driver->objects, backing);
}

bool backing_is_own(const struct backing *backing)
{
    return backing->mappings <= 1 && backing->prop.handle_types == 0;
}

uint64_t backing_used(const struct backing *backing)
{
    struct stat file;
    return fstat(backing->file, &file) == 0 ? (uint64_t)file.st_blocks * 512 : backing->size_bytes;
}

// Holes of the file stay holes.
bool backing_own(const struct allocation *allocation)
{
    uint8_t *to = mmap((void *)(uintptr_t)allocation->address, allocation->size_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    const int file = allocation->backing->file;
    const off_t first = (off_t)allocation->offset, last = first + (off_t)allocation->size_bytes;
    if (to == MAP_FAILED) return false;
    for (off_t at = lseek(file, first, SEEK_DATA); at >= 0 && at < last; at = lseek(file, at, SEEK_DATA)) {
        off_t end = lseek(file, at, SEEK_HOLE);
        if (end > last) end = last;
        for (; at < end;) {
            const ssize_t got = pread(file, to + (at - first), (size_t)(end - at), at);
            if (got <= 0) return false;
            at += got;
        }
    }
    return true;
}

// Is it memory of this process that comes back?
static bool is_known_file(const struct driver *driver, int file)
{
    struct stat facts, other;
    if (fstat(file, &facts) != 0) return false;
    for (struct object *object = driver->objects.live[OBJECT_BACKING]; object != NULL; object = object->next)
        if (fstat(((struct backing *)object)->file, &other) == 0 && other.st_ino == facts.st_ino &&
            other.st_dev == facts.st_dev)
            return true;
    return false;
}

// Takes the file, or closes it.
static struct backing *backing_new(struct driver *driver, int file, size_t bytes,
                                   const struct cuda_mem_allocation_prop *prop)
{
    static uint64_t handles;
    const bool is_known = is_known_file(driver, file);
    struct backing *backing = object_new(&driver->objects, OBJECT_BACKING, sizeof *backing);
    if (backing == NULL) {
        close(file);
        return NULL;
    }
    backing->file = file;
    backing->size_bytes = bytes;
    backing->holders = 1;
    backing->prop = *prop;
    backing->id = ++handles;
    if (!backing_is_on_host(backing) && !is_known) backing->counted_bytes = bytes;
    driver->allocations.device_bytes += backing->counted_bytes;
    return backing;
}

static enum cuda_result refuse_handle(struct driver *driver, const char *call, unsigned long long handle)
{
    return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call,
                         "%#llx is not a handle of cuMemCreate (already released?)", handle);
}

DRIVER_VISIBLE enum cuda_result cuMemCreate(unsigned long long *handle, size_t bytes,
                                            const struct cuda_mem_allocation_prop *prop, unsigned long long flags)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    if (handle == NULL || prop == NULL || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (bytes == 0 || bytes % BACKING_GRANULARITY != 0) return CUDA_ERROR_INVALID_VALUE;
    if (prop->type != CU_MEM_ALLOCATION_TYPE_PINNED || prop->handle_types & HANDLE_WINDOWS)
        return CUDA_ERROR_INVALID_VALUE;
    if (prop->handle_types & HANDLE_FABRIC) return CUDA_ERROR_NOT_PERMITTED;
    int is_on_host;
    const enum cuda_result error = location_check_new(prop->location, prop->handle_types, &is_on_host);
    if (error != CUDA_SUCCESS) return error;
    const uint64_t left = allocations_left(&driver->allocations, driver->device->memory_bytes);
    if (!is_on_host && bytes > left)
        return driver_refuse(driver, CUDA_ERROR_OUT_OF_MEMORY, "cuMemCreate", "%zu bytes asked for, %zu left of the %s",
                             bytes, (size_t)left, driver->device->name);
    const int file = memfd_create(FILE_NAME, MFD_CLOEXEC);
    if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    if (ftruncate(file, (off_t)bytes) != 0) {
        close(file);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    const struct backing *backing = backing_new(driver, file, bytes, prop);
    if (backing == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    *handle = backing->id;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemRelease(unsigned long long handle)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    struct backing *backing = backing_of(driver, handle);
    if (backing == NULL || backing->holders == 0) return refuse_handle(driver, "cuMemRelease", handle);
    backing->holders--;
    backing_leave(driver, backing);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemRetainAllocationHandle(unsigned long long *handle, void *address)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    const struct allocation *found = allocations_find(&driver->allocations, (uint64_t)(uintptr_t)address);
    if (handle == NULL || found == NULL || found->backing == NULL) return CUDA_ERROR_INVALID_VALUE;
    found->backing->holders++;
    *handle = found->backing->id;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemGetAllocationPropertiesFromHandle(struct cuda_mem_allocation_prop *prop,
                                                                       unsigned long long handle)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    const struct backing *backing = backing_of(driver, handle);
    if (backing == NULL || prop == NULL) return CUDA_ERROR_INVALID_VALUE;
    *prop = backing->prop;
    return CUDA_SUCCESS;
}

// --- Other processes -------------------------------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuMemExportToShareableHandle(void *to, unsigned long long handle, uint32_t type,
                                                             unsigned long long flags)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    const struct backing *backing = backing_of(driver, handle);
    if (to == NULL || flags != 0 || backing == NULL || type != HANDLE_FILE) return CUDA_ERROR_INVALID_VALUE;
    if (!(backing->prop.handle_types & HANDLE_FILE))
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "cuMemExportToShareableHandle",
                             "cuMemCreate made the handle without CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR in "
                             "requestedHandleTypes");
    const int file = dup(backing->file);
    if (file < 0) return CUDA_ERROR_OPERATING_SYSTEM;
    memcpy(to, &file, sizeof file);
    return CUDA_SUCCESS;
}

// Is it a file of cuMemCreate, of whatever process?
static bool is_ours(int file, struct stat *facts)
{
    static const char ours[] = "/memfd:" FILE_NAME " ";
    char link[64], name[sizeof ours - 1];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (readlink(link, name, sizeof name) != (ssize_t)sizeof name || memcmp(name, ours, sizeof name) != 0) return false;
    return fstat(file, facts) == 0 && facts->st_size > 0 && (size_t)facts->st_size % BACKING_GRANULARITY == 0;
}

DRIVER_VISIBLE enum cuda_result cuMemImportFromShareableHandle(unsigned long long *handle, void *shared, uint32_t type)
{
    DRIVER_ENTER(driver);
    static const struct cuda_mem_allocation_prop prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                         .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    const int given = (int)(intptr_t)shared;
    struct stat facts;
    if (!driver->is_initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (handle == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (type != HANDLE_FILE) return CUDA_ERROR_NOT_SUPPORTED;
    if (!is_ours(given, &facts))
        return driver_refuse(driver, CUDA_ERROR_UNKNOWN, "cuMemImportFromShareableHandle",
                             "%d is not a file of cuMemExportToShareableHandle", given);
    const int file = fcntl(given, F_DUPFD_CLOEXEC, 0);
    const struct backing *backing = file < 0 ? NULL : backing_new(driver, file, (size_t)facts.st_size, &prop);
    if (backing == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    *handle = backing->id;
    return CUDA_SUCCESS;
}
