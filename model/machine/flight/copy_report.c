// SPDX-License-Identifier: MIT
// What is said of a copy that faults: the map, decoded, its coordinates and addresses, and the value that breaks the
// rule.
#include "copy_report.h"

#include "finding_text.h"
#include "report.h"
#include "rules/map.h"

static void add_list(struct machine_text *text, const char *name, const uint64_t *value, int count)
{
    machine_text_add(text, "%s", name);
    for (int i = 0; i < count; i++) machine_text_add(text, "%s%llu", i > 0 ? " x " : " ", (unsigned long long)value[i]);
}

void machine_map_explain(const struct tensormap *map, struct machine_text *text)
{
    static const char *const swizzles[] = {"no swizzle", "swizzle 32B", "swizzle 64B", "swizzle 128B"};
    uint64_t box[TENSORMAP_MAX_RANK];
    int rank = map->rank < 0 ? 0 : map->rank > TENSORMAP_MAX_RANK ? TENSORMAP_MAX_RANK : map->rank;
    for (int i = 0; i < rank; i++) box[i] = map->box[i];
    machine_text_add(text, "%s of %s at 0x%llx", map->mode == TENSORMAP_IM2COL ? "im2col" : "tiled",
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

// The end of a linear copy: a shared address by its name, a global one as it is.
static void add_end(struct machine_text *text, const struct machine *machine, uint64_t address)
{
    if (address <= UINT32_MAX)
        add_shared(text, machine, (uint32_t)address);
    else
        machine_text_add(text, "0x%llx", (unsigned long long)address);
}

static void add_operation(struct machine_text *text, const struct machine *machine, const struct operation *o,
                          bool is_read)
{
    if (o->map_address == 0) {
        machine_text_add(text, "The copy moves %u bytes from ", o->size_bytes);
        add_end(text, machine, o->from);
        machine_text_add(text, " to ");
        add_end(text, machine, o->to);
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
    if (o->map_address != 0 && is_read) {
        machine_text_add(text, "\n    the map: ");
        machine_map_explain(&o->map, text);
    }
}

// A map in shared or local memory: its address there, which generic addresses hide.
static void add_window(struct machine_text *text, const struct machine *machine, uint64_t address)
{
    if (address >= MACHINE_LOCAL_WINDOW) {
        machine_text_add(text, "; it is in local memory, on the stack of the thread");
        return;
    }
    machine_text_add(text, "; it is in shared memory, ");
    add_shared(text, machine, (uint32_t)(address - MACHINE_SHARED_WINDOW));
}

void machine_copy_explain(const struct machine *machine, const struct operation *o, bool is_read,
                          const struct finding *finding, char *text, size_t bytes)
{
    struct machine_text to = {text, 0, bytes};
    text[0] = '\0';
    machine_finding_add(&to, machine, finding, o->map_address != 0 ? TENSORMAP_BYTES : o->size_bytes);
    if (finding->rule == RULE_MAP_LOCATION_SPACE) add_window(&to, machine, finding->value);
    machine_text_add(&to, "\n  ");
    add_operation(&to, machine, o, is_read);
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
                         "\n  descriptor of %c: start address 0x%x, leading dimension %u bytes, stride %u bytes, %s",
                         "AB"[i], d.start_bytes, d.leading_bytes, d.stride_bytes, swizzles[d.swizzle & 3]);
    }
}
