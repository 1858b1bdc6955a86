// SPDX-License-Identifier: MIT
// Pools of other processes of this user. What a process hands on of a pool is a file in memory that is empty: its inode
// says which pool it is. Of the pool's memory it tells what cuIpc* tell of theirs (ipc.h). CUDA's documents say what
// each call does; no H200 was asked which error it gives for what.
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ipc.h"
#include "turns.h"

enum { HANDLE_FILE = 1 };
#define FILE_NAME "tmaref-pool"
static const char pointer_mark[8] = "tmarefP";

static uint64_t inode_of(int file)
{
    struct stat facts;
    return fstat(file, &facts) == 0 ? facts.st_ino : 0;
}

// --- The process that has the pool -----------------------------------------------------------------------------------

static bool make_file(struct CUmemPoolHandle_st *pool)
{
    if (pool->file != 0) return true;
    const int file = memfd_create(FILE_NAME, MFD_CLOEXEC);
    if (file >= 0) pool->file = file + 1;
    return file >= 0;
}

static enum cuda_result check_shared(struct driver *driver, const char *call, const struct CUmemPoolHandle_st *pool)
{
    if (pool->is_imported) return CUDA_ERROR_INVALID_VALUE;
    if (!(pool->handle_types & HANDLE_FILE))
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call,
                             "cuMemPoolCreate made the pool without CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR in "
                             "handleTypes");
    if (!pool->is_on_host) return CUDA_SUCCESS;
    return driver_refuse(driver, CUDA_ERROR_NOT_SUPPORTED, call, "tmaref exec shares pools of the device alone");
}

DRIVER_VISIBLE enum cuda_result cuMemPoolExportToShareableHandle(void *handle, struct CUmemPoolHandle_st *pool,
                                                                 uint32_t type, unsigned long long flags)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (handle == NULL || flags != 0 || type != HANDLE_FILE || !object_is(pool, OBJECT_POOL))
        return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error = check_shared(driver, "cuMemPoolExportToShareableHandle", pool);
    if (error != CUDA_SUCCESS) return error;
    const int file = make_file(pool) ? dup(pool->file - 1) : -1;
    if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(handle, &file, sizeof file);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemPoolExportPointer(struct CUmemPoolPtrExportData_st *to, unsigned long long address)
{
    static const char call[] = "cuMemPoolExportPointer";
    DRIVER_USE_BARE_OR_RETURN(driver);
    struct ipc_memory told;
    turns_wait(driver, NULL); // its bytes move
    struct allocation *found = allocations_find(&driver->allocations, address);
    if (to == NULL || found == NULL || found->address != address || found->pool == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    enum cuda_result error = check_shared(driver, call, found->pool);
    if (error == CUDA_SUCCESS && !make_file(found->pool)) error = CUDA_ERROR_OUT_OF_MEMORY;
    if (error == CUDA_SUCCESS) error = ipc_share(found, &told);
    if (error != CUDA_SUCCESS) return error;
    memcpy(told.mark, pointer_mark, sizeof told.mark);
    told.pool = inode_of(found->pool->file - 1);
    memset(to, 0, sizeof *to);
    memcpy(to, &told, sizeof told);
    return CUDA_SUCCESS;
}

// --- The process that imports it -------------------------------------------------------------------------------------

// Is it a file of a pool, of whatever process?
static bool is_of_pool(int file)
{
    static const char ours[] = "/memfd:" FILE_NAME " ";
    char link[64], name[sizeof ours - 1];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    return readlink(link, name, sizeof name) == (ssize_t)sizeof name && memcmp(name, ours, sizeof name) == 0;
}

DRIVER_VISIBLE enum cuda_result cuMemPoolImportFromShareableHandle(struct CUmemPoolHandle_st **pool, void *handle,
                                                                   uint32_t type, unsigned long long flags)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    const int given = (int)(intptr_t)handle;
    if (pool == NULL || flags != 0 || type != HANDLE_FILE) return CUDA_ERROR_INVALID_VALUE;
    if (!is_of_pool(given))
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "cuMemPoolImportFromShareableHandle",
                             "%d is not a file of cuMemPoolExportToShareableHandle", given);
    const int file = fcntl(given, F_DUPFD_CLOEXEC, 0);
    struct CUmemPoolHandle_st *made = file < 0 ? NULL : object_new(&driver->objects, OBJECT_POOL, sizeof *made);
    if (made == NULL) {
        if (file >= 0) close(file);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->file = file + 1;
    made->is_imported = true;
    *pool = made;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemPoolImportPointer(unsigned long long *address, struct CUmemPoolHandle_st *pool,
                                                       struct CUmemPoolPtrExportData_st *from)
{
    static const char call[] = "cuMemPoolImportPointer";
    DRIVER_USE_BARE_OR_RETURN(driver);
    struct ipc_memory told;
    if (address == NULL || from == NULL || !object_is(pool, OBJECT_POOL) || pool->file == 0)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&told, from, sizeof told);
    if (memcmp(told.mark, pointer_mark, sizeof told.mark) != 0) return CUDA_ERROR_INVALID_VALUE;
    if (told.pool != inode_of(pool->file - 1))
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call, "the memory is of another pool");
    struct allocation *made = ipc_open(driver, call, &told, ALLOCATION_POOL_IPC);
    if (made == NULL) return CUDA_ERROR_INVALID_VALUE;
    allocation_join(made, pool);
    *address = made->address;
    return CUDA_SUCCESS;
}
