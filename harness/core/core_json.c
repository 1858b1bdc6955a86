// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <string.h>

#include "core_tell.h"
#include "json.h"

static const char *doing_name(enum core_doing doing)
{
    static const char *const names[] = {
        [CORE_RUNS] = "nothing",
        [CORE_FAULTED] = "fault",
        [CORE_WAITS_MBARRIER] = "mbarrier",
        [CORE_WAITS_NAMED] = "barrier",
        [CORE_WAITS_CLUSTER] = "barrier.cluster",
        [CORE_WAITS_WARP] = "lanes",
        [CORE_POLLS] = "memory",
        [CORE_WAITS_REGISTERS] = "setmaxnreg",
        [CORE_WAITS_GRID] = "griddepcontrol",
    };
    return names[doing];
}

static json_t *hex(uint64_t value)
{
    struct text text;
    text_set(&text, "0x%" PRIx64, value);
    return json_string(text.at);
}

// Names in a dump are bytes that anyone may have written: what is no UTF-8 is null.
static json_t *name_of(struct ptx_name name)
{
    json_t *text = json_stringn(name.at, name.length);
    return text != NULL ? text : json_null();
}

static json_t *string(const char *text)
{
    return name_of((struct ptx_name){text, (uint32_t)strlen(text)});
}

static json_t *place_json(const struct core_strand *strand)
{
    const struct machine_caller own = machine_where_own(&strand->where);
    json_t *place = json_pack("{s:o}", "offset", hex(strand->home));
    if (strand->function != NULL) json_object_set_new(place, "function", string(strand->function->name));
    if (own.line > 0) {
        json_object_set_new(place, "file", name_of(own.file));
        json_object_set_new(place, "line", json_integer(own.line));
    }
    if (strand->where.ptx_line > 0) json_object_set_new(place, "ptx_line", json_integer(strand->where.ptx_line));
    if (strand->where.instruction.length > 0)
        json_object_set_new(place, "instruction", name_of(strand->where.instruction));
    return place;
}

static void set_word(json_t *barrier, uint64_t word)
{
    const struct mbarrier_fields now = mbarrier_unpack(word);
    json_object_set_new(barrier, "word", hex(word));
    json_object_set_new(barrier, "parity", json_integer(now.phase));
    json_object_set_new(barrier, "pending", json_integer(now.pending));
    json_object_set_new(barrier, "count", json_integer(now.expected));
    json_object_set_new(barrier, "tx", json_integer(now.tx));
    json_object_set_new(barrier, "error", json_boolean(now.error));
}

static json_t *named_barrier(const struct core_report *report, const struct core_barrier *barrier)
{
    const struct core_cta *cta = &report->dump->cta[barrier->cta];
    json_t *json = json_pack("{s:o, s:o, s:o}", "name", string(core_shared_name(report, cta, barrier->address).at),
                             "address", hex(barrier->address), "cta", json_numbers(NUMBERS(cta->block, 3)));
    set_word(json, barrier->word);
    return json;
}

static json_t *barrier_json(const struct core_report *report, const struct core_strand *strand)
{
    json_t *barrier =
        json_pack("{s:o, s:o}", "name", string(core_barrier_name(report, strand).at), "address", hex(strand->address));
    if (strand->barrier_cta != UINT32_MAX) {
        const struct core_cta *cta = &report->dump->cta[strand->barrier_cta];
        json_object_set_new(barrier, "cta", json_numbers(NUMBERS(cta->block, 3)));
    }
    if (strand->has_word) set_word(barrier, strand->word);
    return barrier;
}

static json_t *thread_json(const struct core_report *report, const struct core_strand *strand)
{
    const struct core_cta *cta = core_strand_cta(report->state, strand);
    struct text lanes;
    text_set(&lanes, "0x%08x", strand->lanes);
    return json_pack("{s:o, s:i, s:s}", "cta", json_numbers(NUMBERS(cta->block, 3)), "warp",
                     (int)core_strand_warp(report->state, strand), "lanes", lanes.at);
}

// The threads of a group; what is told of its first strand goes for all, but for the CTA of its barrier.
static json_t *group_json(const struct core_report *report, uint32_t number)
{
    const struct core_strand *strand = report->groups->group[number].first;
    const bool is_root = strand->doing == CORE_FAULTED || strand->reason != CORE_NO_ROOT;
    json_t *threads = json_array();
    for (uint32_t i = 0; i < report->state->strands; i++)
        if (report->groups->of[i] == number)
            json_array_append_new(threads, thread_json(report, &report->state->strand[i]));
    json_t *wait = json_pack("{s:s, s:b, s:o, s:o}", "wait", doing_name(strand->doing), "root", is_root, "place",
                             place_json(strand), "threads", threads);
    if (strand->doing == CORE_WAITS_MBARRIER && strand->has_address) {
        json_object_set_new(wait, "parity", json_integer(strand->parity));
        json_object_set_new(wait, "barrier", barrier_json(report, strand));
    }
    if (strand->doing == CORE_WAITS_NAMED && strand->named != SASS_ANY_NUMBER)
        json_object_set_new(wait, "number", json_integer(strand->named));
    if (strand->doing == CORE_WAITS_NAMED) {
        json_object_set_new(wait, "come", json_integer((json_int_t)core_threads_at(report, strand)));
        json_object_set_new(wait, "wanted", json_integer(core_threads_wanted(report, strand)));
    }
    if (strand->doing == CORE_POLLS && strand->has_address) json_object_set_new(wait, "address", hex(strand->memory));
    if (strand->doing == CORE_POLLS && strand->has_value) json_object_set_new(wait, "value", hex(strand->value));
    if (strand->exception != 0)
        json_object_set_new(wait, "exception", json_string(core_exception_name(strand->exception).at));
    json_object_set_new(wait, "likely", string(core_likely(report, strand).at));
    return wait;
}

static json_t *map_of(const struct core_map *map)
{
    static const char *const places[] = {"parameter", "constant", "global"};
    json_t *dim = json_numbers(NUMBERS(map->map.dim, map->map.rank));
    json_t *box = json_numbers(NUMBERS(map->map.box, map->map.rank));
    return json_pack("{s:s, s:o, s:s, s:o, s:o, s:i, s:o}", "place", places[map->place], "at", hex(map->at), "text",
                     core_map_text(map).at, "dim", dim, "box", box, "boxBytes", (int)map->map.box_bytes, "map",
                     json_hex((const uint8_t *)map->image.word, sizeof map->image.word));
}

static json_t *kernel_json(const struct core_kernel *kernel)
{
    const struct core_grid *grid = kernel->grid;
    return json_pack("{s:o, s:o, s:o, s:o}", "name",
                     kernel->function == NULL ? json_null() : string(kernel->function->name), "grid",
                     json_numbers(NUMBERS(grid->grid, 3)), "block", json_numbers(NUMBERS(grid->block, 3)), "cluster",
                     json_numbers(NUMBERS(grid->cluster, 3)));
}

json_t *core_json(const struct core_report *report)
{
    const struct core_device *device = &report->dump->device[0];
    json_t *waits = json_array(), *maps = json_array(), *kernels = json_array(), *barriers = json_array();
    for (uint32_t i = 0; i < report->barriers->barriers; i++)
        json_array_append_new(barriers, named_barrier(report, &report->barriers->barrier[i]));
    for (uint32_t i = 0; i < report->groups->groups; i++) json_array_append_new(waits, group_json(report, i));
    for (uint32_t i = 0; i < report->maps->maps; i++) json_array_append_new(maps, map_of(&report->maps->map[i]));
    for (uint32_t i = 0; i < report->state->kernels; i++)
        json_array_append_new(kernels, kernel_json(&report->state->kernel[i]));
    return json_pack("{s:i, s:o, s:i, s:i, s:i, s:o, s:o, s:o, s:o}", "version", 1, "gpu", string(device->name), "sm",
                     (int)(device->major * 10 + device->minor), "ctas", (int)report->dump->ctas, "warps",
                     (int)report->dump->warps, "kernels", kernels, "waits", waits, "barriers", barriers, "maps", maps);
}
