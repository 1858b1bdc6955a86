// SPDX-License-Identifier: MIT
// Memory, events and pools of two processes. Each begins before cuInit, and ends by itself, so that what it reaches is
// counted.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api.h"
#include "tied_fork.h"

enum { BYTES = 5000, POSIX_FILE = 1, INTERPROCESS = 2 | 4, LAZY_PEER_ACCESS = 1 };

// What the parent tells its child.
struct told {
    pid_t process;
    int file;
    struct CUipcMemHandle_st memory;
    struct CUipcEventHandle_st event;
    struct CUmemPoolPtrExportData_st pointer, other;
};

static int to_child[2], to_parent[2];

static void put(const int pipe[2], const void *from, size_t bytes)
{
    REQUIRE(write(pipe[1], from, bytes) == (ssize_t)bytes);
}

static void get(const int pipe[2], void *to, size_t bytes)
{
    REQUIRE(read(pipe[0], to, bytes) == (ssize_t)bytes);
}

static pid_t start(void (*run)(void))
{
    REQUIRE(pipe(to_child) == 0 && pipe(to_parent) == 0);
    const pid_t process = tied_fork();
    REQUIRE(process >= 0);
    close(process == 0 ? to_child[1] : to_child[0]); // so that the end of one ends what the other reads
    close(process == 0 ? to_parent[0] : to_parent[1]);
    if (process != 0) return process;
    run();
    exit(EXIT_SUCCESS);
}

static void end(pid_t process)
{
    int status;
    REQUIRE(waitpid(process, &status, 0) == process && status == 0);
}

// --- cuIpc* ----------------------------------------------------------------------------------------------------------

static void open_memory(void)
{
    struct told told;
    struct CUipcMemHandle_st own;
    unsigned long long at, again;
    struct CUevent_st *event;
    get(to_child, &told, sizeof told);
    api_ready();
    WORKS(cuIpcOpenMemHandle_v2(&at, told.memory, LAZY_PEER_ACCESS));
    WORKS(cuIpcOpenMemHandle_v2(&again, told.memory, LAZY_PEER_ACCESS));
    REQUIRE(at == again && api_byte(at) == 3 && api_byte(at + BYTES - 1) == 3);
    REFUSES(ERROR_INVALID_VALUE, cuMemFree_v2(at));
    WORKS(cuIpcOpenEventHandle(&event, told.event));
    WORKS(cuEventSynchronize(event));
    WORKS(cuMemsetD8_v2(at, 4, BYTES));
    WORKS(cuIpcCloseMemHandle(at));
    WORKS(cuIpcCloseMemHandle(again));
    REFUSES(ERROR_INVALID_VALUE, cuIpcCloseMemHandle(at));
    WORKS(cuIpcGetMemHandle(&own, api_memory(BYTES, 5))); // it goes with this process
    put(to_parent, &own, sizeof own);
}

SECTION(ipc_memory)
{
    const pid_t child = start(open_memory);
    struct told told = {0};
    struct CUipcMemHandle_st nobody = {{0}}, theirs;
    struct CUevent_st *event, *plain;
    unsigned long long other;
    api_ready();
    const unsigned long long at = api_memory(BYTES, 3);
    REFUSES(ERROR_INVALID_VALUE, cuIpcGetMemHandle(NULL, at));
    REFUSES(ERROR_INVALID_VALUE, cuIpcGetMemHandle(&told.memory, 16));
    WORKS(cuIpcGetMemHandle(&told.memory, at + 5));
    REFUSES(ERROR_INVALID_CONTEXT, cuIpcOpenMemHandle_v2(&other, told.memory, LAZY_PEER_ACCESS));
    REFUSES(ERROR_INVALID_VALUE, cuIpcOpenMemHandle_v2(NULL, told.memory, LAZY_PEER_ACCESS));
    REFUSES(ERROR_INVALID_VALUE, cuIpcOpenMemHandle_v2(&other, told.memory, 0));
    REFUSES(ERROR_INVALID_VALUE, cuIpcOpenMemHandle_v2(&other, nobody, LAZY_PEER_ACCESS));
    WORKS(cuEventCreate(&plain, 0));
    WORKS(cuEventCreate(&event, INTERPROCESS));
    REFUSES(ERROR_INVALID_VALUE, cuIpcGetEventHandle(NULL, event));
    REFUSES(ERROR_INVALID_HANDLE, cuIpcGetEventHandle(&told.event, NULL));
    REFUSES(ERROR_INVALID_HANDLE, cuIpcGetEventHandle(&told.event, plain));
    WORKS(cuIpcGetEventHandle(&told.event, event));
    REFUSES(ERROR_INVALID_VALUE, cuIpcOpenEventHandle(NULL, told.event));
    REFUSES(ERROR_INVALID_CONTEXT, cuIpcOpenEventHandle(&plain, told.event));
    put(to_child, &told, sizeof told);
    get(to_parent, &theirs, sizeof theirs);
    end(child);
    REQUIRE(api_byte(at) == 4 && api_byte(at + BYTES - 1) == 4);
    REFUSES(ERROR_INVALID_VALUE, cuIpcOpenMemHandle_v2(&other, theirs, LAZY_PEER_ACCESS));
    SAYS("has no such memory any more");
}

// --- Pools -----------------------------------------------------------------------------------------------------------

static struct CUmemPoolHandle_st *pool_new(uint32_t place, uint32_t handle_types)
{
    const struct CUmemPoolProps_st props = {.allocType = 1, .handleTypes = handle_types, .location = {place, 0}};
    struct CUmemPoolHandle_st *pool;
    WORKS(cuMemPoolCreate(&pool, &props));
    return pool;
}

static unsigned long long of_pool(struct CUmemPoolHandle_st *pool, unsigned char value)
{
    unsigned long long at;
    WORKS(cuMemAllocFromPoolAsync(&at, BYTES, pool, NULL));
    if (value != 0) WORKS(cuMemsetD8_v2(at, value, BYTES));
    return at;
}

// As a message of a socket hands it on.
static int file_of(const struct told *told)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/fd/%d", (long long)told->process, told->file);
    return open(path, O_RDWR);
}

static void import_pool(void)
{
    struct told told;
    struct CUmemPoolHandle_st *pool, *of;
    unsigned long long at, again;
    get(to_child, &told, sizeof told);
    api_ready();
    const int file = file_of(&told);
    WORKS(cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)file, POSIX_FILE, 0));
    REQUIRE(close(file) == 0); // the pool has its own
    WORKS(cuMemPoolImportPointer(&at, pool, &told.pointer));
    WORKS(cudaMemPoolImportPointer((void **)&again, pool, &told.pointer));
    REQUIRE(at != again && api_byte(at) == 3 && api_byte(again + BYTES - 1) == 3);
    WORKS(cuPointerGetAttribute(&of, 17, at));
    REQUIRE(of == pool);
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolImportPointer(&at, pool, &told.other)); // of another pool
    REFUSES(ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(&at, 64, pool, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuDeviceSetMemPool(0, pool));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolExportToShareableHandle(&told.file, pool, POSIX_FILE, 0));
    REFUSES(ERROR_INVALID_VALUE, cuIpcCloseMemHandle(at));
    WORKS(cuMemsetD8Async(at, 4, BYTES, NULL));
    WORKS(cuMemFreeAsync(at, NULL));
    REQUIRE(api_byte(again) == 4);
    WORKS(cuMemFree_v2(again));
    REFUSES(ERROR_INVALID_VALUE, cuMemFree_v2(again));
    WORKS(cuMemPoolDestroy(pool));
    put(to_parent, &told, sizeof told);
    get(to_child, &told, sizeof told); // the memory is gone
    WORKS(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)file_of(&told), POSIX_FILE, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolImportPointer(&at, pool, &told.pointer));
}

static void refuse_exports(struct CUmemPoolHandle_st *pool, unsigned long long at)
{
    struct CUmemPoolPtrExportData_st told;
    struct CUmemPoolHandle_st *plain = pool_new(1, 0), *host = pool_new(3, POSIX_FILE);
    int file;
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolExportToShareableHandle(NULL, pool, POSIX_FILE, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolExportToShareableHandle(&file, NULL, POSIX_FILE, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolExportToShareableHandle(&file, pool, POSIX_FILE, 1));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolExportToShareableHandle(&file, pool, 2, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolExportToShareableHandle(&file, plain, POSIX_FILE, 0));
    SAYS("cuMemPoolCreate made the pool without CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR");
    REFUSES(ERROR_NOT_SUPPORTED, cuMemPoolExportToShareableHandle(&file, host, POSIX_FILE, 0));
    SAYS("pools of the device alone");
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolExportPointer(NULL, at));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolExportPointer(&told, at + 8));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolExportPointer(&told, api_memory(64, 0)));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolExportPointer(&told, of_pool(plain, 0)));
    WORKS(cuMemPoolDestroy(plain));
    WORKS(cuMemPoolDestroy(host));
}

static void refuse_imports(struct CUmemPoolHandle_st *pool, const struct told *told)
{
    struct CUmemPoolPtrExportData_st nothing = {{0}};
    struct CUmemPoolHandle_st *made, *plain = pool_new(1, 0);
    unsigned long long at;
    void *file = (void *)(intptr_t)told->file;
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolImportFromShareableHandle(NULL, file, POSIX_FILE, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolImportFromShareableHandle(&made, file, 2, 0));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolImportFromShareableHandle(&made, file, POSIX_FILE, 1));
    REFUSES(ERROR_INVALID_VALUE,
            cuMemPoolImportFromShareableHandle(&made, (void *)(intptr_t)STDOUT_FILENO, POSIX_FILE, 0));
    SAYS("is not a file of cuMemPoolExportToShareableHandle");
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolImportPointer(&at, pool, &nothing));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolImportPointer(&at, pool, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolImportPointer(NULL, pool, &nothing));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolImportPointer(&at, NULL, &nothing));
    REFUSES(ERROR_INVALID_VALUE, cuMemPoolImportPointer(&at, plain, &nothing));
}

SECTION(ipc_pools)
{
    const pid_t child = start(import_pool);
    struct told told = {.process = getpid()};
    api_ready();
    struct CUmemPoolHandle_st *pool = pool_new(1, POSIX_FILE), *other = pool_new(1, POSIX_FILE);
    const unsigned long long at = of_pool(pool, 3), of_other = of_pool(other, 0);
    WORKS(cuMemPoolExportToShareableHandle(&told.file, pool, POSIX_FILE, 0));
    WORKS(cuMemPoolExportPointer(&told.pointer, at));
    WORKS(cudaMemPoolExportPointer(&told.other, (void *)(uintptr_t)of_other));
    refuse_exports(pool, at);
    refuse_imports(pool, &told);
    put(to_child, &told, sizeof told);
    get(to_parent, &told, sizeof told);
    REQUIRE(api_byte(at) == 4 && api_byte(at + BYTES - 1) == 4);
    WORKS(cuMemFreeAsync(at, NULL));
    WORKS(cudaMemPoolExportToShareableHandle(&told.file, pool, POSIX_FILE, 0));
    put(to_child, &told, sizeof told);
    end(child);
    WORKS(cuMemPoolDestroy(pool));
}

// --- Tests that fail -------------------------------------------------------------------------------------------------

static void fail_at_once(void)
{
    api_fail();
}

static void wait_for_word(void)
{
    char word;
    get(to_child, &word, 1);
}

static void wait_for_child(void)
{
    char word;
    start(fail_at_once);
    get(to_parent, &word, 1);
}

static void fail_with_child(void)
{
    start(wait_for_word);
    api_fail();
}

// A side that fails ends the other: neither waits for ever. Both hold `life`, whose end says that both are gone.
static void both_end(void (*run)(void))
{
    int life[2];
    char byte;
    REQUIRE(pipe(life) == 0);
    const pid_t process = tied_fork();
    if (process == 0) {
        if (freopen("/dev/null", "w", stdout) != NULL) run(); // what it prints is no failure of this test
        exit(EXIT_SUCCESS);
    }
    close(life[1]);
    REQUIRE(read(life[0], &byte, 1) == 0);
    int status;
    REQUIRE(waitpid(process, &status, 0) == process && WEXITSTATUS(status) == EXIT_FAILURE);
}

SECTION(failing_processes)
{
    alarm(20);
    both_end(wait_for_child);
    both_end(fail_with_child);
}

// --- Pages -----------------------------------------------------------------------------------------------------------

// How much of the one file of cuIpcGetMemHandle is there.
static long long bytes_of_file(void)
{
    enum { MOST_FILES = 64, BLOCK = 512 };
    for (int file = 0; file < MOST_FILES; file++) {
        char path[32], name[64] = "";
        struct stat facts;
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        if (readlink(path, name, sizeof name - 1) < 0 || strstr(name, "tmaref-ipc") == NULL) continue;
        REQUIRE(fstat(file, &facts) == 0);
        return (long long)facts.st_blocks * BLOCK;
    }
    return -1;
}

// What nobody has written takes no memory when a handle is made.
SECTION(shared_pages)
{
    enum { MIB = 1 << 20, SIZE = 64 * MIB };
    unsigned long long at;
    struct CUipcMemHandle_st handle;
    api_ready();
    WORKS(cuMemAlloc_v2(&at, SIZE));
    WORKS(cuMemsetD8_v2(at + SIZE / 2, 9, 5));
    WORKS(cuIpcGetMemHandle(&handle, at + 100));
    REQUIRE(bytes_of_file() > 0 && bytes_of_file() < MIB);
    REQUIRE(api_byte(at + SIZE / 2 + 4) == 9 && api_byte(at + SIZE / 2 + 5) == 0 && api_byte(at + SIZE - 1) == 0);
    WORKS(cuMemFree_v2(at));
    REQUIRE(bytes_of_file() == -1);
}
