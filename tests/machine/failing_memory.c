// SPDX-License-Identifier: MIT
#define _GNU_SOURCE 1
#include "failing_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

_Thread_local long memory_left = -1;
_Thread_local int memory_has_failed;

static int fails(void)
{
    if (memory_left < 0 || memory_left-- > 0) return 0;
    memory_has_failed = 1;
    errno = ENOMEM;
    return 1;
}

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *at, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *at, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(at, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
    return fails() ? NULL : __libc_memalign(align, bytes);
}

void *mmap(void *at, size_t bytes, int may, int flags, int file, off_t offset)
{
    return fails() ? MAP_FAILED : (void *)syscall(SYS_mmap, at, bytes, may, flags, file, offset);
}

int mprotect(void *at, size_t bytes, int may)
{
    return fails() ? -1 : (int)syscall(SYS_mprotect, at, bytes, may);
}

int memfd_create(const char *name, unsigned flags)
{
    return fails() ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}

int ftruncate(int file, off_t bytes)
{
    return fails() ? -1 : (int)syscall(SYS_ftruncate, file, bytes);
}
