// SPDX-License-Identifier: MIT
#include "allocations.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backing.h"
#include "budget.h"
#include "objects.h"

// What is reserved around each allocation and never mapped, so that nothing lies within reach of an overrun.
#define GUARD_BYTES ((uint64_t)1 << 16)
#define PAGE_BYTES  ((uint64_t)4096)
#define DEVICE_PAGE ((uint64_t)2 << 20)

static bool is_made_here(enum allocation_kind kind)
{
    return kind == ALLOCATION_DEVICE || kind == ALLOCATION_MANAGED || kind == ALLOCATION_PINNED ||
           kind == ALLOCATION_HOST_POOL || kind == ALLOCATION_GRAPH || kind == ALLOCATION_IPC ||
           kind == ALLOCATION_POOL_IPC;
}

bool allocation_is_of_device(enum allocation_kind kind)
{
    return kind == ALLOCATION_DEVICE || kind == ALLOCATION_MANAGED || kind == ALLOCATION_GRAPH;
}

uint64_t allocations_left(const struct allocations *allocations, uint64_t memory_bytes)
{
    return memory_bytes > allocations->device_bytes ? memory_bytes - allocations->device_bytes : 0;
}

static uint64_t round_up(uint64_t bytes, uint64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

// How much of memory that begins at a page of its own kernels may touch.
static uint64_t reach_bytes(const struct allocations *allocations, enum allocation_kind kind, uint64_t size_bytes)
{
    const bool is_whole = allocations->are_pages_whole && allocation_is_of_device(kind);
    return is_whole ? round_up(size_bytes, DEVICE_PAGE) : size_bytes;
}

static uint64_t mapped_bytes(const struct allocations *allocations, enum allocation_kind kind, uint64_t size_bytes)
{
    return round_up(reach_bytes(allocations, kind, size_bytes), PAGE_BYTES);
}

// The first allocation that begins above `address`.
static uint32_t place_of(const struct allocations *allocations, uint64_t address)
{
    uint32_t low = 0, high = allocations->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (allocations->item[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has_room(struct allocations *allocations)
{
    if (allocations->count < allocations->room) return true;
    uint32_t room = allocations->room == 0 ? 64 : 2 * allocations->room;
    struct allocation *item = realloc(allocations->item, room * sizeof *item);
    if (item == NULL) return false;
    allocations->item = item;
    allocations->room = room;
    return true;
}

bool allocations_add(struct allocations *allocations, const struct allocation *allocation)
{
    uint32_t at = place_of(allocations, allocation->address);
    const uint64_t end = allocation->address + allocation->size_bytes;
    if (allocation->size_bytes == 0 || end < allocation->address || !has_room(allocations)) return false;
    if (at > 0 && allocations->item[at - 1].address + allocations->item[at - 1].size_bytes > allocation->address)
        return false;
    if (at < allocations->count && allocations->item[at].address < end) return false;
    memmove(allocations->item + at + 1, allocations->item + at, (allocations->count - at) * sizeof *allocations->item);
    allocations->item[at] = *allocation;
    allocations->item[at].id = ++allocations->next_id;
    allocations->item[at].maker = who_now();
    allocations->count++;
    allocations->has_changed = true;
    if (allocation_is_of_device(allocation->kind)) allocations->device_bytes += allocation->size_bytes;
    return true;
}

uint64_t allocations_make(struct allocations *allocations, uint64_t size_bytes, enum allocation_kind kind,
                          uint32_t flags, const void *owner)
{
    if (size_bytes == 0 || size_bytes > (uint64_t)1 << 46) return 0;
    const uint64_t mapped = mapped_bytes(allocations, kind, size_bytes), reserved = mapped + 2 * GUARD_BYTES;
    if (!budget_take(BUDGET_DEVICE, size_bytes)) return 0;
    uint8_t *base = mmap(NULL, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) budget_give(BUDGET_DEVICE, size_bytes);
    if (base == MAP_FAILED) return 0;
    struct allocation made = {.address = (uint64_t)(uintptr_t)base + GUARD_BYTES,
                              .size_bytes = size_bytes,
                              .kind = kind,
                              .flags = flags,
                              .owner = owner};
    if (mprotect(base + GUARD_BYTES, mapped, PROT_READ | PROT_WRITE) == 0 && allocations_add(allocations, &made))
        return made.address;
    munmap(base, reserved);
    budget_give(BUDGET_DEVICE, size_bytes);
    return 0;
}

struct allocation *allocations_find(const struct allocations *allocations, uint64_t address)
{
    uint32_t at = place_of(allocations, address);
    if (at == 0) return NULL;
    struct allocation *found = &allocations->item[at - 1];
    return address - found->address < found->size_bytes ? found : NULL;
}

bool allocations_page_holds(const struct allocations *allocations, uint64_t address)
{
    const uint32_t at = place_of(allocations, address);
    if (at == 0) return false;
    const struct allocation *before = &allocations->item[at - 1];
    return allocation_is_of_device(before->kind) &&
           address - before->address < round_up(before->size_bytes, DEVICE_PAGE);
}

void allocation_join(struct allocation *allocation, struct CUmemPoolHandle_st *pool)
{
    allocation->pool = pool;
    pool->used_bytes += allocation->size_bytes;
    if (pool->used_bytes > pool->used_high_bytes) pool->used_high_bytes = pool->used_bytes;
    if (pool->used_bytes > pool->reserved_high_bytes) pool->reserved_high_bytes = pool->used_bytes;
}

void allocations_leave_pool(struct allocations *allocations, const struct CUmemPoolHandle_st *pool)
{
    for (uint32_t i = 0; i < allocations->count; i++)
        if (allocations->item[i].pool == pool) allocations->item[i].pool = NULL;
}

void allocations_hide_pool(struct allocations *allocations, const struct CUmemPoolHandle_st *pool, bool is_hidden)
{
    for (uint32_t i = 0; i < allocations->count; i++)
        if (allocations->item[i].pool == pool) allocations->item[i].is_hidden = is_hidden;
    allocations->has_changed = true;
}

void allocations_remove(struct allocations *allocations, struct allocation *allocation)
{
    struct allocation gone = *allocation;
    allocations->freed[allocations->freed_count++ % FREED_MOST] =
        (struct freed){gone.address, gone.size_bytes, gone.maker, who_now()};
    ranges_free(&gone.ranges);
    if (gone.shared_file != 0) close(gone.shared_file - 1);
    const uint32_t at = (uint32_t)(allocation - allocations->item);
    memmove(allocation, allocation + 1, (allocations->count - at - 1) * sizeof *allocation);
    allocations->count--;
    allocations->has_changed = true;
    if (allocation_is_of_device(gone.kind)) allocations->device_bytes -= gone.size_bytes;
    if (gone.pool != NULL) gone.pool->used_bytes -= gone.size_bytes;
    if (is_made_here(gone.kind)) budget_give(BUDGET_DEVICE, gone.size_bytes);
    if (is_made_here(gone.kind))
        munmap((void *)(uintptr_t)(gone.address - GUARD_BYTES),
               mapped_bytes(allocations, gone.kind, gone.size_bytes) + 2 * GUARD_BYTES);
}

void allocations_remove_owned(struct allocations *allocations, const void *owner)
{
    for (uint32_t i = allocations->count; i-- > 0;)
        if (owner == NULL || allocations->item[i].owner == owner)
            allocations_remove(allocations, &allocations->item[i]);
}

// --- For reports -----------------------------------------------------------------------------------------------------

// The last that held the address.
static const struct freed *find_freed(const struct allocations *allocations, uint64_t address)
{
    for (uint64_t i = allocations->freed_count; i > 0 && i + FREED_MOST > allocations->freed_count; i--) {
        const struct freed *freed = &allocations->freed[(i - 1) % FREED_MOST];
        if (address - freed->address < freed->size_bytes) return freed;
    }
    return NULL;
}

size_t allocations_describe(const struct allocations *allocations, uint64_t address, char *text, size_t bytes)
{
    const struct allocation *live = allocations_find(allocations, address);
    const struct freed *freed = live == NULL ? find_freed(allocations, address) : NULL;
    char maker[256], ender[256];
    int length = 0;
    if (live != NULL && live->kind == ALLOCATION_MODULE) {
        length = snprintf(text, bytes, "the variables of a module");
    } else if (live != NULL) {
        who_tell(&live->maker, maker, sizeof maker);
        length = snprintf(text, bytes, "which %s allocated", maker);
    } else if (freed != NULL) {
        who_tell(&freed->maker, maker, sizeof maker);
        who_tell(&freed->ender, ender, sizeof ender);
        length = snprintf(text, bytes, "%llu bytes at 0x%llx that %s allocated and %s freed",
                          (unsigned long long)freed->size_bytes, (unsigned long long)freed->address, maker, ender);
    }
    return length < 0 ? 0 : (size_t)length < bytes ? (size_t)length : bytes - 1;
}

// --- Regions ---------------------------------------------------------------------------------------------------------

static bool has_region_room(struct allocations *allocations)
{
    if (allocations->region_room >= allocations->count) return true;
    struct region *region = realloc(allocations->region, allocations->room * sizeof *region);
    if (region == NULL) return false;
    allocations->region = region;
    allocations->region_room = allocations->room;
    return true;
}

const struct global_memory *allocations_regions(struct allocations *allocations)
{
    if (!allocations->has_changed || !has_region_room(allocations)) return &allocations->global;
    allocations->global = (struct global_memory){allocations->region, 0};
    for (uint32_t i = 0; i < allocations->count; i++) {
        const struct allocation *item = &allocations->item[i];
        if (item->is_hidden) continue;
        struct memory memory = {(uint8_t *)(uintptr_t)item->address, item->address,
                                reach_bytes(allocations, item->kind, item->size_bytes)};
        allocations->region[allocations->global.count++] = (struct region){memory, item->is_read_only};
    }
    allocations->has_changed = false;
    allocations->regions_made++;
    return &allocations->global;
}

// --- Pages that nobody has touched -----------------------------------------------------------------------------------

static bool is_device(const struct allocations *allocations, uint64_t address)
{
    const struct allocation *found = allocations_find(allocations, address);
    return found != NULL && found->kind == ALLOCATION_DEVICE;
}

// A page is in memory (bit 63 of its entry in pagemap) or on disk (bit 62) from its first access on.
uint32_t allocations_untouched(const struct allocations *allocations, uint64_t address, uint32_t pages)
{
    const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t entry[32];
    uint32_t untouched = 0;
    const int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    const ssize_t bytes = pread(file, entry, pages * sizeof entry[0], (off_t)(address / page_bytes * sizeof entry[0]));
    close(file);
    for (uint32_t i = 0; (ssize_t)((i + 1) * sizeof entry[0]) <= bytes; i++)
        if (entry[i] >> 62 == 0 && is_device(allocations, address + i * page_bytes)) untouched |= UINT32_C(1) << i;
    return untouched;
}

void allocations_untouch(const struct allocations *allocations, uint64_t address)
{
    const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    if (allocations_find(allocations, address) == NULL) return;
    madvise((void *)(uintptr_t)(address / page_bytes * page_bytes), page_bytes, MADV_DONTNEED);
}

bool allocations_are_own(const struct allocations *allocations)
{
    for (uint32_t i = 0; i < allocations->count; i++) {
        const struct allocation *item = &allocations->item[i];
        const bool is_others = item->kind == ALLOCATION_IPC || item->kind == ALLOCATION_POOL_IPC ||
                               item->shared_file != 0 || (item->backing != NULL && !backing_is_own(item->backing));
        if (is_others && !item->is_hidden) return false;
    }
    return true;
}
