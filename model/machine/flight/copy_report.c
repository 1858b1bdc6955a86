// SPDX-License-Identifier: MIT
// What is said of a copy that faults: the map, decoded, its coordinates and addresses, and the value that breaks the
// rule.
#include "copy_report.h"

#include "report.h"

static void add_list(struct machine_text *text, const char *name, const uint64_t *value, int count)
{
    machine_text_add(text, "%s", name);
    for (int i = 0; i < count; i++) machine_text_add(text, "%s%llu", i > 0 ? " x " : " ", (unsigned long long)value[i]);
}

static void add_map(struct machine_text *text, const struct tensormap *map)
{
    static const char *const swizzles[] = {"no swizzle", "swizzle 32B", "swizzle 64B", "swizzle 128B"};
    uint64_t box[TENSORMAP_MAX_RANK];
    int rank = map->rank < 0 ? 0 : map->rank > TENSORMAP_MAX_RANK ? TENSORMAP_MAX_RANK : map->rank;
    for (int i = 0; i < rank; i++) box[i] = map->box[i];
    machine_text_add(text, "\n    the map: %s of %s at 0x%llx", map->mode == TENSORMAP_IM2COL ? "im2col" : "tiled",
                     map->dtype < DTYPE_COUNT ? dtype_row(map->dtype)->name : "no type",
                     (unsigned long long)map->address);
    add_list(text, ", dimensions", map->dim, rank);
    if (rank > 1) add_list(text, ", strides", map->stride + 1, rank - 1);
    if (map->mode == TENSORMAP_IM2COL)
        machine_text_add(text, ", columns of %u pixels", map->pixels);
    else
        add_list(text, ", box", box, rank);
    machine_text_add(text, ", %s", swizzles[map->swizzle & 3]);
}

// "full = 0x800", or the address alone.
static void add_shared(struct machine_text *text, const struct machine *machine, uint32_t address)
{
    char name[128];
    if (machine_shared_name(machine, address & (SHARED_WINDOW_BYTES - 1), name, sizeof name) > 0)
        machine_text_add(text, "%s = ", name);
    machine_text_add(text, "0x%x", address);
}

static void add_operation(struct machine_text *text, const struct machine *machine, const struct operation *o,
                          int is_read)
{
    if (o->map_address == 0) {
        machine_text_add(text, "The copy moves %u bytes from 0x%llx to 0x%llx", o->size_bytes,
                         (unsigned long long)o->from, (unsigned long long)o->to);
    } else {
        machine_text_add(text, "The copy uses the tensor map at 0x%llx; coordinates",
                         (unsigned long long)o->map_address);
        for (int i = 0; i < o->dims; i++) machine_text_add(text, " %d", o->coord[i]);
        machine_text_add(text, "; shared memory ");
        add_shared(text, machine, o->shared);
    }
    if (operation_has_barrier(o->kind)) {
        machine_text_add(text, "; mbarrier ");
        add_shared(text, machine, o->barrier);
    }
    if (o->map_address != 0 && is_read) add_map(text, &o->map);
}

static void add_number(struct machine_text *text, const struct finding *finding, uint64_t number)
{
    if (finding->is_signed)
        machine_text_add(text, "%lld", (long long)number);
    else if (number < 100000)
        machine_text_add(text, "%llu", (unsigned long long)number);
    else
        machine_text_add(text, "0x%llx", (unsigned long long)number);
}

void machine_copy_explain(const struct machine *machine, const struct operation *o, int is_read,
                          const struct finding *finding, char *text, size_t bytes)
{
    struct machine_text to = {text, 0, bytes};
    text[0] = '\0';
    add_operation(&to, machine, o, is_read);
    if (finding == NULL || finding->argument == NULL) return;
    machine_text_add(&to, "\n    %s", finding->argument);
    if (finding->index >= 0) machine_text_add(&to, "[%d]", finding->index);
    machine_text_add(&to, " is ");
    add_number(&to, finding, finding->value);
    machine_text_add(&to, ", limit ");
    add_number(&to, finding, finding->limit);
    machine_text_add(&to, ", nearest legal value ");
    add_number(&to, finding, finding->nearest);
}

void machine_descriptors_explain(const uint64_t bits[2], char *text, size_t bytes)
{
    static const char *const swizzles[] = {"no swizzle", "swizzle 128B", "swizzle 64B", "swizzle 32B"};
    struct machine_text to = {text, 0, bytes};
    text[0] = '\0';
    for (int i = 0; i < 2; i++) {
        const struct wgmma_descriptor d = wgmma_descriptor_unpack(bits[i]);
        if (bits[i] == 0) continue; // A in registers has none
        machine_text_add(&to,
                         "\n    descriptor of %c: start address 0x%x, leading dimension %u bytes, stride %u bytes, %s",
                         "AB"[i], d.start_bytes, d.leading_bytes, d.stride_bytes, swizzles[d.swizzle & 3]);
    }
}
