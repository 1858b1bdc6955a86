// SPDX-License-Identifier: MIT
// The two files of `tmaref compare`: dumps of tmaref_dump(), .npy files, or raw bytes; and what is said of them besides
// their elements.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "compare_command.h"
#include "map_names.h"
#include "map_text.h"
#include "mbarrier.h"
#include "parse_number.h"

enum { MOST_BYTES = 1 << 30 };

__attribute__((format(printf, 4, 5))) static void say(struct compare *compare, const char *name, int side,
                                                      const char *format, ...)
{
    struct compare_fact *fact = &compare->fact[compare->facts];
    va_list list;
    if (compare->facts == COMPARE_MOST_FACTS) return;
    snprintf(fact->name, sizeof fact->name, "%s", name);
    va_start(list, format);
    vsnprintf(fact->value[side], sizeof fact->value[side], format, list);
    va_end(list);
    compare->facts += side == 1 && strcmp(fact->value[0], fact->value[1]) != 0; // what agrees is overwritten
}

// --- Dumps -----------------------------------------------------------------------------------------------------------

static void say_bytes(struct compare *compare, const char *name, int side, const uint8_t *byte, uint32_t count)
{
    char text[COMPARE_TEXT_BYTES] = "";
    for (uint32_t i = 0; i < count && 2 * i + 2 < sizeof text; i++) sprintf(text + 2 * i, "%02x", byte[i]);
    say(compare, name, side, "%s", text);
}

// The lines of the map's text that differ; where the tensor lies is no difference.
static void say_maps(struct compare *compare, const struct tensormap map[2])
{
    char *text[2] = {NULL, NULL}, *line[2], *rest[2];
    size_t size[2];
    for (int s = 0; s < 2; s++) {
        FILE *out = open_memstream(&text[s], &size[s]);
        if (out == NULL) return;
        map_print_fields(&map[s], out);
        fclose(out);
        line[s] = strtok_r(text[s], "\n", &rest[s]);
    }
    while (line[0] != NULL && line[1] != NULL) {
        size_t length = strcspn(line[0], " ");
        for (int s = 0; s < 2 && line[0][0] != '(' && strncmp(line[0], "globalAddress", length) != 0; s++) {
            char name[48];
            snprintf(name, sizeof name, "map: %.*s", (int)(length < 40 ? length : 40), line[0]);
            say(compare, name, s, "%s", line[s] + strcspn(line[s], " ") + strspn(line[s] + strcspn(line[s], " "), " "));
        }
        for (int s = 0; s < 2; s++) line[s] = strtok_r(NULL, "\n", &rest[s]);
    }
    free(text[0]);
    free(text[1]);
}

// Both maps with one address: where the first byte differs that the lines above do not tell of.
static void say_map_bytes(struct compare *compare, struct tensormap_image image[2])
{
    const uint8_t *byte[2] = {(const uint8_t *)image[0].word, (const uint8_t *)image[1].word};
    uint32_t at = 0;
    for (int s = 0; s < 2; s++) tensormap_replace_address(&image[s], 32, NULL);
    while (at < TENSORMAP_BYTES && byte[0][at] == byte[1][at]) at++;
    for (int s = 0; s < 2 && at < TENSORMAP_BYTES; s++)
        say(compare, "map: its 128 bytes", s, "byte %" PRIu32 " is 0x%02x", at, byte[s][at]);
}

// All that the heads say, but for the dump's own clock and the address of the tensor, which differ from run to run.
static void say_heads(struct compare *compare)
{
    const struct tmaref_dump_head *head[2] = {&compare->side[0].head, &compare->side[1].head};
    for (int s = 0; s < 2; s++) say(compare, "what the dump has (bits of `has`)", s, "%#x", head[s]->has);
    for (int s = 0; s < 2; s++) say(compare, "shared address", s, "%#x", head[s]->first);
    for (int s = 0; s < 2; s++) say(compare, "bytes", s, "%u", head[s]->bytes);
    for (int s = 0; s < 2; s++) say(compare, "destination", s, "%#x", head[s]->destination);
    for (int s = 0; s < 2; s++) say(compare, "expected bytes", s, "%u", head[s]->expect);
    for (int s = 0; s < 2; s++) say(compare, "dimensions", s, "%u", head[s]->dims);
    for (int s = 0; s < 2; s++) say(compare, "coordinates", s, "%s", text_numbers(NUMBERS(head[s]->coord, 5), ", ").at);
    for (int s = 0; s < 2; s++)
        say(compare, "im2col offsets", s, "%s", text_numbers(NUMBERS(head[s]->offset, 4), ", ").at);
    for (int s = 0; s < 2; s++) say(compare, "block", s, "%s", text_numbers(NUMBERS(head[s]->block, 3), ", ").at);
    for (int s = 0; s < 2; s++) say(compare, "barrier's address", s, "%#x", head[s]->barrier);
    for (int s = 0; s < 2; s++) {
        const struct mbarrier_fields word = mbarrier_unpack(head[s]->word);
        say(compare, "barrier", s, "phase %d, %u of %u arrivals pending, tx %d (0x%016" PRIx64 ")", word.phase,
            word.pending, word.expected, word.tx, head[s]->word);
    }
}

static void read_maps(struct compare *compare)
{
    struct tensormap map[2];
    struct tensormap_image image[2];
    int readable = 0, facts = compare->facts;
    for (int s = 0; s < 2; s++) {
        if ((compare->side[s].head.has & TMAREF_DUMP_MAP) == 0) return;
        memcpy(image[s].word, compare->side[s].head.map, sizeof image[s].word);
        tensormap_decode(&image[s], &map[s], NULL);
        readable += map[s].rank >= 1 && map[s].rank <= TENSORMAP_MAX_RANK && map[s].dtype < DTYPE_COUNT;
    }
    if (readable == 2) say_maps(compare, map);
    if (compare->facts == facts) say_map_bytes(compare, image);
    if (readable < 2) return;
    compare->map = map[0];
    compare->has_map = map[0].mode == TENSORMAP_TILED;
    compare->dtype = map[0].dtype;
    compare->element_bytes = dtype_row(map[0].dtype)->size_bytes;
}

static int open_dumps(struct compare *compare, const uint64_t size[2])
{
    for (int s = 0; s < 2; s++) {
        const struct compare_side *side = &compare->side[s];
        if (side->head.head_bytes != sizeof side->head || side->head.bytes != size[s] - sizeof side->head)
            return command_usage("compare", "%s is cut short, or of another version", side->path);
    }
    compare->is_dump = true;
    compare->base = compare->side[0].head.first & 0xffffff;
    say_heads(compare);
    read_maps(compare);
    for (int s = 0; s < 2; s++) compare->side[s].bytes += sizeof(struct tmaref_dump_head);
    const uint32_t *bytes[2] = {&compare->side[0].head.bytes, &compare->side[1].head.bytes};
    compare->elements = (*bytes[0] < *bytes[1] ? *bytes[0] : *bytes[1]) / compare->element_bytes;
    const uint64_t end = compare->elements * compare->element_bytes;
    for (int s = 0; s < 2; s++) // too few for an element
        say_bytes(compare, "bytes behind the last element", s, compare->side[s].bytes + end,
                  *bytes[s] - end < compare->element_bytes ? (uint32_t)(*bytes[s] - end) : 0);
    return EXIT_AGREE;
}

// --- Buffers ---------------------------------------------------------------------------------------------------------

static enum dtype npy_dtype(const struct npy *npy)
{
    static const struct {
        char kind;
        uint32_t bytes;
        enum dtype dtype;
    } rows[] = {{'f', 2, DTYPE_FLOAT16}, {'f', 4, DTYPE_FLOAT32}, {'f', 8, DTYPE_FLOAT64}, {'i', 4, DTYPE_INT32},
                {'i', 8, DTYPE_INT64},   {'u', 1, DTYPE_UINT8},   {'u', 2, DTYPE_UINT16},  {'u', 4, DTYPE_UINT32},
                {'u', 8, DTYPE_UINT64},  {'b', 1, DTYPE_UINT8}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].kind == npy->kind && rows[i].bytes == npy->item_bytes) return rows[i].dtype;
    return DTYPE_COUNT;
}

// Two .npy files: their types and shapes are compared too. *size: of the elements.
static int open_npys(struct compare *compare, uint64_t size[2])
{
    struct npy npy[2];
    struct text why;
    int types, shapes;
    for (int s = 0; s < 2; s++) {
        struct compare_side *side = &compare->side[s];
        if (!npy_read(side->room, size[s], &npy[s], &why)) return command_usage("compare", "%s %s", side->path, why.at);
        side->bytes = (const uint8_t *)side->room + npy[s].data;
        size[s] = npy[s].data_bytes;
    }
    for (int s = 0; s < 2; s++) {
        if (npy[s].is_fortran)
            return command_usage("compare", "%s is in Fortran order; save it with numpy.ascontiguousarray()",
                                 compare->side[s].path);
        if (npy[s].is_big)
            return command_usage("compare", "%s is big-endian (%s): a GPU is little-endian; save it as '<%s'",
                                 compare->side[s].path, npy[s].descr, npy[s].descr + 1);
    }
    for (int s = 0; s < 2; s++) say(compare, "type", s, "%s", npy[s].descr);
    types = compare->facts;
    for (int s = 0; s < 2; s++) {
        say(compare, "shape", s, "(%s)", text_numbers(NUMBERS(npy[s].shape, npy[s].rank), ", ").at);
    }
    shapes = compare->facts - types;
    if (types == 0) {
        compare->dtype = npy_dtype(&npy[0]);
        compare->element_bytes = npy[0].item_bytes;
    }
    if (types > 0 || shapes > 0) return EXIT_AGREE; // elements by their numbers alone
    compare->rank = npy[0].rank;
    memcpy(compare->shape, npy[0].shape, sizeof compare->shape);
    return EXIT_AGREE;
}

static int read_type(const struct compare_options *options, struct compare *compare)
{
    struct text why;
    if (options->type != NULL) {
        uint32_t value;
        if (!map_value_find(MAP_DATA_TYPE, options->type, &value, &why))
            return command_usage("compare", "--type: %s", why.at);
        if (value >= DTYPE_COUNT)
            return command_usage("compare", "--type: %s is not a type of a tensor map's elements", options->type);
        compare->dtype = (enum dtype)value;
        compare->element_bytes = dtype_row(compare->dtype)->size_bytes;
    }
    if (options->shape == NULL) return EXIT_AGREE;
    compare->rank = parse_u64_list(options->shape, UINT32_MAX, NPY_MAX_RANK, compare->shape, &why);
    return compare->rank > 0 ? EXIT_AGREE : command_usage("compare", "--shape: %s", why.at);
}

static int open_buffers(const struct compare_options *options, struct compare *compare, uint64_t size[2])
{
    int npys = npy_is(compare->side[0].room, size[0]) + npy_is(compare->side[1].room, size[1]);
    if (npys == 1) return command_usage("compare", "one of the files is a .npy file, the other is not");
    if (npys == 2 && (options->type != NULL || options->shape != NULL))
        return command_usage("compare", ".npy files say their type and shape: no --type, no --shape");
    int status = npys == 2 ? open_npys(compare, size) : read_type(options, compare);
    if (status != EXIT_AGREE) return status;
    for (int s = 0; s < 2; s++) say(compare, "bytes", s, "%" PRIu64, size[s]);
    for (int s = 0; s < 2; s++)
        if (size[s] % compare->element_bytes != 0)
            return command_usage("compare", "%s has %" PRIu64 " bytes, not a multiple of the %u of an element",
                                 compare->side[s].path, size[s], compare->element_bytes);
    uint64_t all = 1;
    for (int i = 0; i < compare->rank; i++) all *= compare->shape[i];
    compare->elements = (size[0] < size[1] ? size[0] : size[1]) / compare->element_bytes;
    if (npys == 0 && compare->rank > 0 && all != compare->elements)
        return command_usage("compare", "--shape: %s has %" PRIu64 " elements, the shape %" PRIu64,
                             compare->side[0].path, compare->elements, all);
    return EXIT_AGREE;
}

// --- Files -----------------------------------------------------------------------------------------------------------

int compare_read(const struct compare_options *options, struct compare *compare)
{
    uint64_t size[2];
    int dumps = 0;
    *compare = (struct compare){.dtype = DTYPE_UINT8, .element_bytes = 1};
    for (int s = 0; s < 2; s++) {
        struct compare_side *side = &compare->side[s];
        struct text why;
        size_t bytes;
        side->path = options->path[s];
        side->room = read_file(side->path, MOST_BYTES, &bytes, &why);
        if (side->room == NULL) return command_usage("compare", "%s", why.at);
        if (bytes == 0) return command_usage("compare", "%s is empty", side->path);
        side->bytes = (const uint8_t *)side->room;
        size[s] = bytes;
        if (bytes >= sizeof side->head) memcpy(&side->head, side->room, sizeof side->head);
        if (side->head.magic != TMAREF_DUMP_MAGIC) memset(&side->head, 0, sizeof side->head);
        dumps += side->head.magic != 0;
    }
    if (dumps == 1) return command_usage("compare", "one of the files is a dump of tmaref_dump(), the other is not");
    if (dumps == 2 && (options->type != NULL || options->shape != NULL))
        return command_usage("compare", "dumps of tmaref_dump() say what they hold: no --type, no --shape");
    return dumps == 2 ? open_dumps(compare, size) : open_buffers(options, compare, size);
}
