// SPDX-License-Identifier: MIT
#include "sanitize_value.h"

#include <string.h>

static int is_of_lines(const struct sanitize_finding *one, const struct sanitize_finding *other)
{
    return one->kind == other->kind && one->older.line == other->older.line && one->newer.line == other->newer.line;
}

// shared: the CTA's memory, NULL: it is global.
static int read_bytes(const struct global_memory *global, const struct memory *shared, uint64_t address, uint32_t bytes,
                      uint8_t *byte)
{
    if (shared != NULL) {
        const uint8_t *at = memory_at(shared, address, bytes);
        if (at != NULL) memcpy(byte, at, bytes);
        return at != NULL;
    }
    if (global_usable_bytes(global, address, bytes, MEMORY_READS) != bytes) return 0;
    global_read(global, address, byte, bytes);
    return 1;
}

int sanitize_watch_take(struct sanitize_watch *watch, const struct global_memory *global)
{
    watch->is_taken = read_bytes(global, NULL, watch->finding.address, watch->finding.bytes, watch->byte);
    return watch->is_taken;
}

int sanitize_values_know(const struct sanitize_values *values, const struct sanitize_finding *finding)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < values->count; i++) same += is_of_lines(&values->item[i].finding, finding);
    return same == SANITIZE_WATCHES_OF_LINES;
}

int sanitize_values_watch(struct sanitize_values *values, const struct sanitize_watch *watch)
{
    if (values->count == SANITIZE_WATCHES) return 0;
    values->item[values->count++] = *watch;
    return 1;
}

void sanitize_bytes_note(struct sanitize_bytes *before, const struct global_memory *global, const struct memory *shared,
                         const struct access *access)
{
    const uint64_t end = access->address + access->bytes, known = before->address + before->bytes;
    const int goes_on = before->bytes != 0 && before->shared == shared && access->address >= before->address &&
                        access->address <= known && end - before->address <= SANITIZE_BYTES;
    if (access->bytes > SANITIZE_BYTES || (goes_on && end <= known)) return;
    if (!goes_on) *before = (struct sanitize_bytes){.address = access->address, .shared = shared};
    const uint64_t from = goes_on ? known : access->address;
    if (read_bytes(global, shared, from, (uint32_t)(end - from), before->byte + before->bytes))
        before->bytes += (uint32_t)(end - from);
}

int sanitize_bytes_take(const struct sanitize_bytes *before, struct sanitize_watch *watch)
{
    const uint64_t offset = watch->finding.address - before->address;
    if ((before->shared != NULL) != (watch->finding.space == SPACE_SHARED)) return 0;
    if (offset >= before->bytes || before->bytes - offset < watch->finding.bytes) return 0;
    memcpy(watch->byte, before->byte + offset, watch->finding.bytes);
    watch->shared = before->shared;
    watch->is_taken = 1;
    return 1;
}

void sanitize_values_done(struct sanitize_values *values, const struct global_memory *global, uint32_t actor)
{
    for (uint32_t i = 0; i < values->count; i++) {
        struct sanitize_watch *watch = &values->item[i];
        if (!watch->is_taken && (watch->older == actor || watch->newer == actor)) sanitize_watch_take(watch, global);
    }
}

static void judge(struct sanitize_watch *watch, const struct global_memory *global)
{
    uint8_t now[SHADOW_CELL_BYTES];
    if (watch->is_judged) return;
    watch->is_same = watch->is_taken &&
                     read_bytes(global, watch->shared, watch->finding.address, watch->finding.bytes, now) &&
                     memcmp(now, watch->byte, watch->finding.bytes) == 0;
    watch->is_judged = 1;
}

void sanitize_values_settle(struct sanitize_values *values, const struct global_memory *global)
{
    for (; values->judged < values->count; values->judged++)
        if (values->item[values->judged].is_thread) judge(&values->item[values->judged], global);
}

void sanitize_values_end(struct sanitize_values *values, const struct global_memory *global,
                         struct sanitize_found *found)
{
    for (uint32_t i = 0; i < values->count; i++) {
        struct sanitize_watch *watch = &values->item[i];
        judge(watch, global);
        if (watch->is_same) watch->finding.kind = SANITIZE_SAME_VALUE;
        sanitize_found_add(found, &watch->finding);
    }
    values->count = values->judged = 0;
}
