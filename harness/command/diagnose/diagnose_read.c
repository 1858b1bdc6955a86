// SPDX-License-Identifier: MIT
// The question of `tmaref diagnose`, out of options, a dump with or without a head, and the tensor's bytes.
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "diagnose_command.h"
#include "map_question.h"
#include "number_list.h"
#include "random.h"
#include "tile.h"
#include "tmaref_dump.h"

enum { DUMP_END = 1 << 18, WORD_BYTES = 8, TEXT_MAX_BYTES = 1 << 22 };
#define TENSOR_MAX_BYTES ((size_t)1 << 30)

// What is being read; `head` is 0 without a dump of tmaref_dump().
struct reading {
    const struct diagnose_options *from;
    struct diagnose *to;
    struct diagnose_room *room;
    struct tmaref_dump_head head;
};

// What a debugger prints of 32-bit words ("0x400: 0x1 0x2", "$1 = {0x1, 0x2}") becomes bytes, in place: as text a word
// takes at least as much room, a blank included. Returns how many bytes there are, 0 if this is no such print.
static size_t words_to_bytes(char *text, size_t size)
{
    size_t bytes = 0;
    if (strlen(text) != size || strspn(text, " \t\r\n,:={}<>$()+_/.abcdefghijklmnopqrstuvwxyz0123456789") != size)
        return 0;
    for (char *at = strstr(text, "0x"); at != NULL; at = strstr(at, "0x")) {
        uint32_t word = (uint32_t)strtoul(at, &at, 16);
        if (*at == ':') continue; // an address
        memmove(text + bytes, &word, sizeof word);
        bytes += sizeof word;
    }
    return bytes;
}

static int read_dump(struct reading *reading)
{
    struct text why;
    size_t size, words;
    struct memory *dump = &reading->to->dump;
    reading->room->dump = read_file(reading->from->dump, TEXT_MAX_BYTES, &size, &why);
    if (reading->room->dump == NULL) return command_usage("diagnose", "--dump: %s", why.at);
    if (strlen(reading->room->dump) == size && strstr(reading->room->dump, "<repeats") != NULL)
        return command_usage("diagnose", "--dump: %s counts repeats; print it again after 'set print repeats 0'",
                             reading->from->dump);
    words = words_to_bytes(reading->room->dump, size);
    if (words > 0) size = words;
    *dump = (struct memory){(uint8_t *)reading->room->dump, 0, size};
    if (size >= sizeof reading->head) memcpy(&reading->head, reading->room->dump, sizeof reading->head);
    if (reading->head.magic != TMAREF_DUMP_MAGIC) {
        reading->head = (struct tmaref_dump_head){0};
        return size > 0 ? EXIT_AGREE : command_usage("diagnose", "--dump: %s is empty", reading->from->dump);
    }
    if (reading->head.head_bytes != sizeof reading->head || reading->head.bytes == 0 ||
        reading->head.bytes != size - sizeof reading->head)
        return command_usage("diagnose", "--dump: %s is cut short, or of another version", reading->from->dump);
    *dump = (struct memory){dump->bytes + sizeof reading->head, reading->head.first, reading->head.bytes};
    return EXIT_AGREE;
}

// The map of the options, else of the dump's head.
static int read_map(struct reading *reading)
{
    struct tensormap_image image;
    const struct diagnose_options *from = reading->from;
    struct tensormap *map = &reading->to->map;
    if (from->map_text != NULL || from->map.given != 0)
        return map_question_read("diagnose", from->map_text, &from->map, map);
    if ((reading->head.has & TMAREF_DUMP_MAP) == 0)
        return command_usage("diagnose", "say which map: --map, or its options; the dump has none");
    memcpy(image.word, reading->head.map, sizeof image.word);
    tensormap_decode(&image, map, NULL);
    if (map->rank > TENSORMAP_MAX_RANK || map->dtype == DTYPE_COUNT)
        return command_usage("diagnose", "the map in the dump is one that no encoder makes; 'tmaref decode' says why");
    return EXIT_AGREE;
}

// Coordinates, offsets, the place in shared memory, slices.
static int read_box(struct reading *reading)
{
    const struct diagnose_options *from = reading->from;
    const struct tmaref_dump_head *head = &reading->head;
    struct diagnose *to = reading->to;
    int64_t values[TENSORMAP_MAX_RANK] = {0}, slices[TENSORMAP_MAX_RANK] = {1, 0};
    int status = EXIT_AGREE, rank = to->map.rank;
    for (int i = 0; i < rank; i++) values[i] = head->coord[i];
    if (from->coord != NULL)
        status = index_read("diagnose", "coord", from->coord, rank, "the rank", INT32_MIN, INT32_MAX, values);
    for (int i = 0; i < rank; i++) to->coord[i] = (int32_t)values[i];
    memcpy(to->offset, head->offset, sizeof to->offset);
    if (status == EXIT_AGREE && from->offsets != NULL) {
        if (to->map.mode != TENSORMAP_IM2COL)
            return command_usage("diagnose", "--offsets: only loads of im2col maps have them");
        status = index_read("diagnose", "offsets", from->offsets, rank - 2, "rank - 2", 0, UINT16_MAX, values);
        for (int i = 0; i < rank - 2; i++) to->offset[i] = (uint16_t)values[i];
    }
    if (status == EXIT_AGREE && from->dump_at != NULL) {
        uint32_t at = 0;
        status = address_read("diagnose", "dump-at", from->dump_at, &at);
        to->dump.base = at;
    }
    to->shared = head->magic != 0 ? head->destination : (uint32_t)to->dump.base;
    if (status == EXIT_AGREE && from->shared != NULL)
        status = address_read("diagnose", "shared", from->shared, &to->shared);
    if (from->dump_at == NULL && head->magic == 0) to->dump.base = to->shared;
    if (status == EXIT_AGREE && from->slices != NULL) {
        struct text why;
        if (parse_i64_list(from->slices, 0, DIAGNOSE_MAX_SLICES, 2, slices, &why) != 2 || slices[0] < 1 ||
            slices[1] >= rank)
            return command_usage("diagnose", "--slices: takes 1 to %d and a dimension, as in 4,1", DIAGNOSE_MAX_SLICES);
    }
    to->slices = (uint32_t)slices[0];
    to->slice_dim = (int)slices[1];
    if (status == EXIT_AGREE && (to->dump.base > DUMP_END || to->dump.base + to->dump.size_bytes > DUMP_END))
        return command_usage("diagnose", "the dump ends at 0x%llx: shared addresses end at 0x%x",
                             (unsigned long long)(to->dump.base + to->dump.size_bytes), DUMP_END);
    return status;
}

// Bytes of global memory from the tensor's first to its last.
static uint64_t tensor_bytes(const struct tensormap *map)
{
    unsigned __int128 bytes = map->stride[0];
    for (int i = 0; i < map->rank; i++) bytes += (unsigned __int128)(map->dim[i] - 1) * map->stride[i];
    return bytes > TENSOR_MAX_BYTES ? 0 : (uint64_t)(bytes + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
}

static void fill_tensor(const struct tensormap *map, int is_iota, uint8_t *bytes, uint64_t size_bytes)
{
    uint32_t element = is_iota ? dtype_row(map->dtype)->size_bytes : WORD_BYTES;
    for (uint64_t n = 0; n * element < size_bytes; n++) {
        uint64_t value = is_iota ? n : random_mix(n + 1);
        memcpy(bytes + n * element, &value, element);
    }
}

static int read_tensor(struct reading *reading)
{
    struct text why;
    const struct diagnose_options *from = reading->from;
    struct memory *tensor = &reading->to->tensor;
    size_t size = tensor_bytes(&reading->to->map);
    tensor->base = reading->to->map.address;
    if (from->tensor_at != NULL && !parse_u64(from->tensor_at, UINT64_MAX, &tensor->base))
        return command_usage("diagnose", "--tensor-at: '%s' is not an address, decimal or 0x...", from->tensor_at);
    if (from->tensor != NULL) {
        reading->room->tensor = read_file(from->tensor, TENSOR_MAX_BYTES, &size, &why);
        if (reading->room->tensor == NULL) return command_usage("diagnose", "--tensor: %s", why.at);
    } else {
        int is_iota = strcmp(from->fill, "iota") == 0;
        if (!is_iota && strcmp(from->fill, "words") != 0)
            return command_usage("diagnose", "--fill: takes iota or words, not '%s'", from->fill);
        if (size == 0) return command_usage("diagnose", "--fill: the tensor spans more than 1 GiB; give --tensor");
        reading->room->tensor = malloc(size);
        if (reading->room->tensor == NULL) return command_usage("diagnose", "not enough memory for the tensor");
        fill_tensor(&reading->to->map, is_iota, (uint8_t *)reading->room->tensor, size);
    }
    tensor->bytes = (uint8_t *)reading->room->tensor;
    tensor->size_bytes = size;
    return EXIT_AGREE;
}

static void poison(uint8_t *bytes, const struct memory *dump)
{
    for (uint64_t i = 0; i < dump->size_bytes; i++) {
        uint32_t at = (uint32_t)(dump->base + i), word = tmaref_poison_word(at / 4 * 4);
        bytes[i] = (uint8_t)(word >> 8 * (at % 4));
    }
}

static int read_before(struct reading *reading)
{
    struct text why;
    uint64_t byte;
    size_t size;
    const char *text = reading->from->before;
    const struct memory *dump = &reading->to->dump;
    if (text == NULL && (reading->head.has & TMAREF_DUMP_POISONED) != 0) text = "poison";
    if (text == NULL) return EXIT_AGREE;
    int is_byte = parse_u64(text, UINT8_MAX, &byte);
    if (is_byte || strcmp(text, "poison") == 0) {
        reading->room->before = malloc(dump->size_bytes);
        if (reading->room->before == NULL) return command_usage("diagnose", "not enough memory");
        if (is_byte)
            memset(reading->room->before, (int)byte, dump->size_bytes);
        else
            poison((uint8_t *)reading->room->before, dump);
    } else {
        reading->room->before = read_file(text, DUMP_END, &size, &why);
        if (reading->room->before == NULL) return command_usage("diagnose", "--before: %s", why.at);
        if (size != dump->size_bytes)
            return command_usage("diagnose", "--before: %s has %zu bytes, the dump %llu", text, size,
                                 (unsigned long long)dump->size_bytes);
    }
    reading->to->before = (uint8_t *)reading->room->before;
    return EXIT_AGREE;
}

static int read_barrier(struct reading *reading)
{
    const struct diagnose_options *from = reading->from;
    struct diagnose *to = reading->to;
    uint64_t expect = reading->head.expect;
    to->has_word = from->barrier != NULL || (reading->head.has & TMAREF_DUMP_BARRIER) != 0;
    to->has_expect = from->expect != NULL || (reading->head.has & TMAREF_DUMP_EXPECT) != 0;
    to->word = reading->head.word;
    if (from->barrier != NULL && !parse_u64(from->barrier, UINT64_MAX, &to->word))
        return command_usage("diagnose", "--barrier: '%s' is not a 64-bit word", from->barrier);
    if (from->expect != NULL && !parse_u64(from->expect, UINT32_MAX, &expect))
        return command_usage("diagnose", "--expect: '%s' is not a number of bytes", from->expect);
    to->expect = (uint32_t)expect;
    return EXIT_AGREE;
}

int diagnose_read(const struct diagnose_options *from, struct diagnose *question, struct diagnose_room *room)
{
    struct reading reading = {.from = from, .to = question, .room = room};
    *question = (struct diagnose){0};
    int (*const steps[])(struct reading *) = {read_dump, read_map, read_box, read_tensor, read_before, read_barrier};
    int status = EXIT_AGREE;
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0] && status == EXIT_AGREE; i++) status = steps[i](&reading);
    return status;
}
