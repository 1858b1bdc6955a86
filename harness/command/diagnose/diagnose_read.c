// SPDX-License-Identifier: MIT
// The question of `tmaref diagnose`, out of options, a dump with or without a head, and the tensor's bytes.
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "diagnose_command.h"
#include "map_options.h"
#include "npy.h"
#include "parse_number.h"
#include "random.h"
#include "tile.h"
#include "tmaref_dump.h"

enum { DUMP_END = 1 << 18, WORD_BYTES = 8, TEXT_MAX_BYTES = 1 << 22 };

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

// In a cluster a CTA's own addresses have its rank in bits 24 to 31.
static uint32_t place_in_cta(uint32_t address)
{
    return address & 0xffffff;
}

// Shared memory: raw bytes, a .npy file's, a debugger's words, or a file of tmaref_dump(), whose head is kept.
static int read_shared(struct reading *reading, const char *option, const char *path, char **room, struct memory *to)
{
    struct text why;
    struct npy npy;
    struct tmaref_dump_head *head = &reading->head;
    size_t size, words;
    *room = read_file(path, TEXT_MAX_BYTES, &size, &why);
    if (*room == NULL) return command_usage("diagnose", "--%s: %s", option, why.at);
    *to = (struct memory){(uint8_t *)*room, 0, size};
    if (npy_is(*room, size)) {
        if (!npy_read(*room, size, &npy, &why)) return command_usage("diagnose", "--%s: %s %s", option, path, why.at);
        *to = (struct memory){(uint8_t *)*room + npy.data, 0, npy.data_bytes};
        return npy.data_bytes > 0 ? EXIT_AGREE : command_usage("diagnose", "--%s: %s is empty", option, path);
    }
    if (strlen(*room) == size && strstr(*room, "<repeats") != NULL)
        return command_usage("diagnose", "--%s: %s counts repeats; print it again after 'set print repeats 0'", option,
                             path);
    words = words_to_bytes(*room, size);
    if (words > 0) to->size_bytes = size = words;
    if (size >= sizeof *head) memcpy(head, *room, sizeof *head);
    if (head->magic != TMAREF_DUMP_MAGIC) {
        *head = (struct tmaref_dump_head){0};
        return size > 0 ? EXIT_AGREE : command_usage("diagnose", "--%s: %s is empty", option, path);
    }
    if (head->head_bytes != sizeof *head || head->bytes == 0 || head->bytes != size - sizeof *head)
        return command_usage("diagnose", "--%s: %s is cut short, or of another version", option, path);
    *to = (struct memory){to->bytes + sizeof *head, place_in_cta(head->first), head->bytes};
    return EXIT_AGREE;
}

// The side in shared memory, which may bring a head.
static int read_shared_side(struct reading *reading)
{
    const struct diagnose_options *from = reading->from;
    struct diagnose *to = reading->to;
    to->is_store = from->is_store;
    if (!from->is_store) return read_shared(reading, "dump", from->dump, &reading->room->dump, &to->dump);
    return from->tile == NULL ? EXIT_AGREE
                              : read_shared(reading, "tile", from->tile, &reading->room->source, &to->source);
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

// Where the box and the raw bytes of shared memory begin.
static int read_places(struct reading *reading)
{
    const struct diagnose_options *from = reading->from;
    struct diagnose *to = reading->to;
    struct memory *shared = to->is_store ? &to->source : &to->dump;
    int status = EXIT_AGREE;
    bool has_head = reading->head.magic != 0;
    uint32_t at = 0;
    if (from->dump_at != NULL && !to->is_store) {
        status = address_read("diagnose", "dump-at", from->dump_at, &at);
        shared->base = at;
    }
    to->shared = has_head ? place_in_cta(reading->head.destination) : (uint32_t)shared->base;
    if (status == EXIT_AGREE && from->shared != NULL)
        status = address_read("diagnose", "shared", from->shared, &to->shared);
    if ((from->dump_at == NULL || to->is_store) && !has_head) shared->base = to->shared;
    return status;
}

static uint32_t tile_bytes(const struct diagnose *question)
{
    if (question->map.mode != TENSORMAP_TILED) return 0; // not asked for
    struct tile tile = tile_of(&question->map, question->coord);
    uint64_t box = tile_extent_bytes(&tile);
    return (uint32_t)((question->slices - 1) * ((box + 127) / 128 * 128) + box);
}

// Raw bytes that begin with the box must hold all of it; a head, or an address, says what is left out.
static int check_length(const struct reading *reading)
{
    const struct diagnose *to = reading->to;
    const struct memory *shared = to->is_store ? &to->source : &to->dump;
    bool is_raw = reading->head.magic == 0 && reading->from->dump_at == NULL && shared->bytes != NULL;
    if (!is_raw || shared->size_bytes >= tile_bytes(to)) return EXIT_AGREE;
    return command_usage("diagnose", "--%s: %s has %llu bytes, the tile %u", to->is_store ? "tile" : "dump",
                         to->is_store ? reading->from->tile : reading->from->dump,
                         (unsigned long long)shared->size_bytes, tile_bytes(to));
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
        status = index_read("diagnose", "coord", from->coord, &(struct indices){rank, "the rank", INT32_MIN, INT32_MAX},
                            values);
    for (int i = 0; i < rank; i++) to->coord[i] = (int32_t)values[i];
    memcpy(to->offset, head->offset, sizeof to->offset);
    if (status == EXIT_AGREE && from->offsets != NULL) {
        if (to->map.mode != TENSORMAP_IM2COL)
            return command_usage("diagnose", "--offsets: only loads of im2col maps have them");
        status = index_read("diagnose", "offsets", from->offsets,
                            &(struct indices){rank - 2, "rank - 2", 0, UINT16_MAX}, values);
        for (int i = 0; i < rank - 2; i++) to->offset[i] = (uint16_t)values[i];
    }
    if (status == EXIT_AGREE) status = read_places(reading);
    if (status == EXIT_AGREE && from->slices != NULL) {
        struct text why;
        if (parse_i64_list(from->slices, 0, DIAGNOSE_MAX_SLICES, 2, slices, &why) != 2 || slices[0] < 1 ||
            slices[1] >= rank)
            return command_usage("diagnose", "--slices: takes 1 to %d and a dimension, as in 4,1", DIAGNOSE_MAX_SLICES);
    }
    to->slices = (uint32_t)slices[0];
    to->slice_dim = (int)slices[1];
    const struct memory *shared = to->is_store ? &to->source : &to->dump;
    if (status == EXIT_AGREE && (shared->base > DUMP_END || shared->base + shared->size_bytes > DUMP_END))
        return command_usage("diagnose", "the dump ends at 0x%llx: shared addresses end at 0x%x",
                             (unsigned long long)(shared->base + shared->size_bytes), DUMP_END);
    return status == EXIT_AGREE ? check_length(reading) : status;
}

static void fill(uint32_t element, bool is_iota, uint8_t *bytes, uint64_t size_bytes)
{
    for (uint64_t n = 0; n * element + element <= size_bytes; n++) {
        uint64_t value = is_iota ? n : random_mix(n + 1);
        memcpy(bytes + n * element, &value, element);
    }
}

// The source by a rule: the tensor, or for a store the tile.
static int fill_source(struct reading *reading)
{
    const char *rule = reading->from->fill;
    struct diagnose *to = reading->to;
    bool is_iota = strcmp(rule, "iota") == 0;
    uint64_t size = to->is_store ? tile_bytes(to) : diagnose_tensor_bytes(&to->map);
    if (!is_iota && strcmp(rule, "words") != 0)
        return command_usage("diagnose", "--fill: takes iota or words, not '%s'", rule);
    if (size == 0) return command_usage("diagnose", "--fill: the tensor spans more than 1 GiB; give it as a file");
    size = (size + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
    reading->room->source = calloc(size, 1);
    if (reading->room->source == NULL) return command_usage("diagnose", "not enough memory for the tensor");
    fill(is_iota ? dtype_row(to->map.dtype)->size_bytes : WORD_BYTES, is_iota, (uint8_t *)reading->room->source, size);
    to->source = (struct memory){(uint8_t *)reading->room->source, to->is_store ? to->shared : to->map.address, size};
    return EXIT_AGREE;
}

// The side in global memory: the tensor that is loaded from, or the one that was stored to.
static int read_global_side(struct reading *reading)
{
    const struct diagnose_options *from = reading->from;
    struct diagnose *to = reading->to;
    const char *option = to->is_store ? "dump" : "tensor", *path = to->is_store ? from->dump : from->tensor;
    const char *at = to->is_store ? from->dump_at : from->tensor_at;
    struct memory *global = to->is_store ? &to->dump : &to->source;
    char **room = to->is_store ? &reading->room->dump : &reading->room->source;
    uint64_t base = to->map.address, needed = diagnose_tensor_bytes(&to->map);
    size_t size;
    if (at != NULL && !parse_u64(at, UINT64_MAX, &base))
        return command_usage("diagnose", "--%s-at: '%s' is not an address, decimal or 0x...", option, at);
    if (from->fill != NULL && fill_source(reading) != EXIT_AGREE) return EXIT_USAGE;
    if (path == NULL) return EXIT_AGREE;
    *room = diagnose_read_tensor(option, path, &to->map, 0, &size);
    if (*room == NULL) return EXIT_USAGE;
    *global = (struct memory){(uint8_t *)*room, base, size};
    if (at != NULL || size >= needed) return EXIT_AGREE;
    return command_usage("diagnose", "--%s: %s has %zu bytes, the tensor %llu%s", option, path, size,
                         (unsigned long long)needed,
                         needed % size == 0 ? "; are its elements of a smaller type?"
                                            : "; is it without the padding of the rows, or only a part (--tensor-at)?");
}

// Bytes that the head of a dump of tmaref_dump() took; what follows moves into its place.
static size_t drop_head(char *bytes, size_t size)
{
    struct tmaref_dump_head head = {0};
    if (size >= sizeof head) memcpy(&head, bytes, sizeof head);
    if (head.magic != TMAREF_DUMP_MAGIC || head.head_bytes != sizeof head) return 0;
    memmove(bytes, bytes + sizeof head, size - sizeof head);
    return sizeof head;
}

// Another tensor of this layout, or another stage's dump.
static int read_others(struct reading *reading)
{
    struct diagnose *to = reading->to;
    for (int i = 0; i < reading->from->others; i++) {
        size_t size;
        const char *path = reading->from->other[i];
        char *bytes = reading->room->other[i] =
            diagnose_read_tensor("other", path, &to->map, to->dump.size_bytes, &size);
        if (bytes == NULL) return EXIT_USAGE;
        size -= drop_head(bytes, size);
        if (size != to->dump.size_bytes && size < to->source.size_bytes)
            return command_usage("diagnose",
                                 "--other: %s has %zu bytes, neither as many as the dump (%llu) nor as what "
                                 "is copied from (%llu)",
                                 path, size, (unsigned long long)to->dump.size_bytes,
                                 (unsigned long long)to->source.size_bytes);
        to->other[to->others++] = (struct memory){(uint8_t *)bytes, 0, size};
    }
    return EXIT_AGREE;
}

// What tmaref_poison() left, whose words have the rank of the CTA in them.
static void poison(uint8_t *bytes, const struct memory *dump, uint32_t rank)
{
    for (uint64_t i = 0; i < dump->size_bytes; i++) {
        uint32_t at = (uint32_t)(dump->base + i), word = tmaref_poison_word(rank | at / 4 * 4);
        bytes[i] = (uint8_t)(word >> 8 * (at % 4));
    }
}

// All of it was this byte, or what tmaref_poison() leaves.
static int make_before(struct reading *reading, bool is_byte, uint64_t byte)
{
    const struct memory *dump = &reading->to->dump;
    reading->room->before = malloc(dump->size_bytes);
    if (reading->room->before == NULL) return command_usage("diagnose", "not enough memory");
    if (is_byte)
        memset(reading->room->before, (int)byte, dump->size_bytes);
    else
        poison((uint8_t *)reading->room->before, dump, reading->head.first & ~place_in_cta(UINT32_MAX));
    reading->to->before = (uint8_t *)reading->room->before;
    return EXIT_AGREE;
}

static int read_before(struct reading *reading)
{
    uint64_t byte;
    size_t size;
    const char *text = reading->from->before;
    const struct memory *dump = &reading->to->dump;
    if (text == NULL && !reading->to->is_store && (reading->head.has & TMAREF_DUMP_POISONED) != 0) text = "poison";
    if (text == NULL) return EXIT_AGREE;
    bool is_byte = parse_u64(text, UINT8_MAX, &byte);
    if (!is_byte && reading->to->is_store && strcmp(text, "poison") == 0)
        return command_usage("diagnose", "--before: poison is what tmaref_poison() leaves in shared memory");
    if (is_byte || strcmp(text, "poison") == 0) return make_before(reading, is_byte, byte);
    reading->room->before = diagnose_read_tensor("before", text, &reading->to->map, dump->size_bytes, &size);
    if (reading->room->before == NULL) return EXIT_USAGE;
    if (size != dump->size_bytes)
        return command_usage("diagnose", "--before: %s has %zu bytes, the dump %llu", text, size,
                             (unsigned long long)dump->size_bytes);
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
    *question = (struct diagnose){false};
    int (*const steps[])(struct reading *) = {read_shared_side, read_map,    read_box,    read_global_side,
                                              read_others,      read_before, read_barrier};
    int status = EXIT_AGREE;
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0] && status == EXIT_AGREE; i++) status = steps[i](&reading);
    return status;
}
