// SPDX-License-Identifier: MIT
#include "sanitize_value.h"

#include <string.h>

static bool is_of_lines(const struct sanitize_finding *one, const struct sanitize_finding *other)
{
    return one->older.line == other->older.line && one->newer.line == other->newer.line;
}

// shared: the CTA's memory, NULL: it is global.
static bool read_bytes(const struct global_memory *global, const struct memory *shared, uint64_t address,
                       uint32_t bytes, uint8_t *byte)
{
    if (shared != NULL) {
        const uint8_t *at = memory_at(shared, address, bytes);
        if (at != NULL) memcpy(byte, at, bytes);
        return at != NULL;
    }
    if (global_usable_bytes(global, address, bytes, MEMORY_READS) != bytes) return false;
    global_read(global, address, byte, bytes);
    return true;
}

bool sanitize_watch_take(struct sanitize_watch *watch, const struct global_memory *global)
{
    watch->is_taken = read_bytes(global, NULL, watch->finding.address, watch->finding.bytes, watch->byte);
    return watch->is_taken;
}

bool sanitize_values_know(const struct sanitize_values *values, struct sanitize_found *found,
                          const struct sanitize_finding *finding)
{
    uint64_t same = 0;
    if (sanitize_found_again(found, finding)) return true;
    for (uint32_t i = 0; i < values->count; i++) same += is_of_lines(&values->item[i].finding, finding);
    for (uint32_t i = 0; i < found->count; i++)
        if (found->item[i].kind == SANITIZE_SAME_VALUE && is_of_lines(&found->item[i], finding))
            same += found->item[i].seen;
    return same >= SANITIZE_WATCHES_OF_LINES;
}

bool sanitize_values_watch(struct sanitize_values *values, const struct sanitize_watch *watch)
{
    if (values->count == SANITIZE_WATCHES) return false;
    values->item[values->count++] = *watch;
    return true;
}

void sanitize_bytes_note(struct sanitize_bytes *before, const struct global_memory *global, const struct memory *shared,
                         const struct access *access)
{
    struct sanitize_piece *last = before->pieces > 0 ? &before->piece[before->pieces - 1] : NULL;
    const uint32_t bytes = (uint32_t)access->bytes;
    if (access->bytes > SANITIZE_BYTES - before->bytes) return;
    if (last != NULL && last->shared == shared && last->address == access->address && last->bytes == access->bytes)
        return;
    if (!read_bytes(global, shared, access->address, bytes, before->byte + before->bytes)) return;
    if (last != NULL && last->shared == shared && last->address + last->bytes == access->address) {
        last->bytes += bytes;
    } else {
        if (before->pieces == SANITIZE_PIECES) return;
        before->piece[before->pieces++] = (struct sanitize_piece){access->address, bytes, before->bytes, shared};
    }
    before->bytes += bytes;
}

bool sanitize_bytes_take(const struct sanitize_bytes *before, struct sanitize_watch *watch)
{
    const struct sanitize_finding *finding = &watch->finding;
    for (uint32_t i = 0; i < before->pieces; i++) {
        const struct sanitize_piece *piece = &before->piece[i];
        const uint64_t offset = finding->address - piece->address;
        if ((piece->shared != NULL) != (finding->space == SPACE_SHARED)) continue;
        if (offset >= piece->bytes || piece->bytes - offset < finding->bytes) continue;
        memcpy(watch->byte, before->byte + piece->at + offset, finding->bytes);
        watch->shared = piece->shared;
        watch->is_taken = true;
        return true;
    }
    return false;
}

void sanitize_values_done(struct sanitize_values *values, const struct global_memory *global, uint32_t actor)
{
    for (uint32_t i = 0; i < values->count; i++) {
        struct sanitize_watch *watch = &values->item[i];
        if (!watch->is_taken && (watch->older == actor || watch->newer == actor)) sanitize_watch_take(watch, global);
    }
}

static void judge(struct sanitize_watch *watch, const struct global_memory *global, struct sanitize_found *found)
{
    uint8_t now[SHADOW_CELL_BYTES];
    if (watch->is_taken && read_bytes(global, watch->shared, watch->finding.address, watch->finding.bytes, now) &&
        memcmp(now, watch->byte, watch->finding.bytes) == 0)
        watch->finding.kind = SANITIZE_SAME_VALUE;
    sanitize_found_add(found, &watch->finding);
}

void sanitize_values_settle(struct sanitize_values *values, const struct global_memory *global,
                            struct sanitize_found *found)
{
    for (uint32_t i = values->waiting; i < values->count; i++) {
        if (values->item[i].is_thread)
            judge(&values->item[i], global, found);
        else
            values->item[values->waiting++] = values->item[i];
    }
    values->count = values->waiting;
}

void sanitize_values_end(struct sanitize_values *values, const struct global_memory *global,
                         struct sanitize_found *found)
{
    for (uint32_t i = 0; i < values->count; i++) judge(&values->item[i], global, found);
    values->count = values->waiting = 0;
}
