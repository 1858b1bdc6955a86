// SPDX-License-Identifier: MIT
// What memory of other processes takes of this one. The rest of two processes is in processes.calls.
#include <sys/stat.h>
#include <unistd.h>

#include "api.h"

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
