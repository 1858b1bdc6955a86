// SPDX-License-Identifier: MIT
#define _GNU_SOURCE 1
#include "failing_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

_Thread_local long memory_left = -1;
_Thread_local bool memory_has_failed;
long memory_pieces;

static bool fails(void)
{
    if (memory_left < 0 || memory_left-- > 0) return false;
    memory_has_failed = true;
    errno = ENOMEM;
    return true;
}

// What was given counts from here on.
static void *counted(void *piece)
{
    if (piece != NULL) __atomic_fetch_add(&memory_pieces, 1, __ATOMIC_RELAXED);
    return piece;
}

void __libc_free(void *at);
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *at, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

void *malloc(size_t bytes)
{
    return fails() ? NULL : counted(__libc_malloc(bytes));
}

void *calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : counted(__libc_calloc(count, bytes));
}

void *realloc(void *at, size_t bytes)
{
    if (fails()) return NULL;
    return at == NULL ? counted(__libc_malloc(bytes)) : __libc_realloc(at, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
    return fails() ? NULL : counted(__libc_memalign(align, bytes));
}

void free(void *at)
{
    if (at != NULL) __atomic_fetch_sub(&memory_pieces, 1, __ATOMIC_RELAXED);
    __libc_free(at);
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
