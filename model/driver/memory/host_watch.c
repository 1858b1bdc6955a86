// SPDX-License-Identifier: MIT
#include "host_watch.h"

#include <sys/mman.h>

#include "history.h"

// Pages that works have accessed and that may be protected, and those that are now.
enum { WATCH_MOST = 1024, WATCH_PAGE_BYTES = 4096, WATCH_SMALL_BYTES = 16384 };
static struct {
    struct driver *driver;
    uint64_t page[WATCH_MOST];
    int is_closed[WATCH_MOST];
    uint32_t count;
    bool speaks;     // the work of now to the host
    uintptr_t place; // of a fault that is told
} watch;

static void protect(uint64_t page, int how)
{
    mprotect((void *)(uintptr_t)page, WATCH_PAGE_BYTES, how);
}

static const struct allocation *host_memory(const struct driver *driver, uint64_t address)
{
    const struct allocation *found = allocations_find(&driver->allocations, address);
    return found != NULL && (found->kind == ALLOCATION_PINNED || found->kind == ALLOCATION_MANAGED) ? found : NULL;
}

static void add_page(uint64_t page)
{
    for (uint32_t i = watch.count; i-- > 0;)
        if (watch.page[i] == page) return;
    if (watch.count == WATCH_MOST) return;
    watch.is_closed[watch.count] = 0;
    watch.page[watch.count++] = page;
}

void host_watch_touch(struct driver *driver, uint64_t address, uint64_t bytes, uint32_t flags)
{
    if (bytes == 0 || host_memory(driver, address) == NULL) return;
    watch.driver = driver;
    watch.speaks |= (flags & SHADOW_STRONG) != 0;
    for (uint64_t page = address / WATCH_PAGE_BYTES; page <= (address + bytes - 1) / WATCH_PAGE_BYTES; page++) {
        if (watch.count == WATCH_MOST) return;
        add_page(page * WATCH_PAGE_BYTES);
    }
}

void host_watch_open(struct driver *driver)
{
    (void)driver;
    watch.speaks = false;
    for (uint32_t i = 0; i < watch.count; i++)
        if (watch.is_closed[i]) protect(watch.page[i], PROT_READ | PROT_WRITE);
    for (uint32_t i = 0; i < watch.count; i++) watch.is_closed[i] = 0;
}

// Is the page in use: each of its bytes that are somebody's, or of a small allocation, any? What the host then accesses
// between them is not told, but a system call on it fails.
static bool is_in_use(const struct driver *driver, const struct allocation *of, uint64_t page, bool writes)
{
    const uint64_t left = of->address + of->size_bytes - page,
                   bytes = left < WATCH_PAGE_BYTES ? left : WATCH_PAGE_BYTES;
    const uint64_t pending = history_pending(driver->history, page, bytes, writes);
    return pending == bytes || (pending > 0 && of->size_bytes <= WATCH_SMALL_BYTES);
}

// Whether works write it, or read it, that the host has not waited for.
static int protection_of(const struct driver *driver, uint64_t page)
{
    const struct allocation *found = host_memory(driver, page);
    if (found == NULL) return PROT_READ | PROT_WRITE;
    if (is_in_use(driver, found, page, true)) return PROT_NONE;
    return is_in_use(driver, found, page, false) ? PROT_READ : PROT_READ | PROT_WRITE;
}

bool host_watch_close(struct driver *driver)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < watch.count; i++) {
        const int how = protection_of(driver, watch.page[i]);
        const bool is_closed = how != (PROT_READ | PROT_WRITE);
        if (is_closed || watch.is_closed[i]) protect(watch.page[i], how);
        if (!is_closed) continue;
        watch.page[kept] = watch.page[i];
        watch.is_closed[kept++] = 1;
    }
    watch.count = kept;
    return watch.speaks;
}

void host_watch_drop(void)
{
    host_watch_open(NULL);
    watch.count = 0;
}

size_t host_watch_tell(char *text, size_t bytes)
{
    const struct who here = watch.place != 0 ? who_at(watch.place) : who_now();
    return watch.place != 0 ? who_tell_place(&here, text, bytes) : who_tell(&here, text, bytes);
}

int host_watch_fault(uint64_t address, int writes, uintptr_t place)
{
    const uint64_t page = address - address % WATCH_PAGE_BYTES;
    uint32_t at = 0;
    while (at < watch.count && (watch.page[at] != page || !watch.is_closed[at])) at++;
    if (at == watch.count) return 0;
    protect(page, PROT_READ | PROT_WRITE);
    watch.is_closed[at] = 0;
    if (place == 0 || pthread_mutex_trylock(&watch.driver->lock) != 0) return 1;
    watch.place = place;
    if (watch.driver->history != NULL) history_range(watch.driver->history, 0, address, 1, writes ? SHADOW_WRITES : 0);
    watch.place = 0;
    pthread_mutex_unlock(&watch.driver->lock);
    return 1;
}
