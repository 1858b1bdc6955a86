// SPDX-License-Identifier: MIT
#include "warp_access.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum key { KEY_ROW, KEY_CHUNK, KEY_BYTE, KEY_ELEMENT, KEY_BYTES, KEY_LANES, KEY_COUNT };
enum { MAX_ROWS = 1024, MAX_BYTE = 65535 };

static const char *const key_names[KEY_COUNT] = {"row", "chunk", "byte", "element", "bytes", "lanes"};

const struct access_preset access_presets[] = {
    {"column", "row=l,chunk=0,bytes=16", "lane l reads chunk 0 of row l"},
    {"row", "row=l/chunks,chunk=l%chunks,bytes=16", "lanes read one row after the other"},
    {"transpose", "row=l%8,chunk=l/8,bytes=16", "every 8 lanes read a column of an 8 x 8 tile of chunks"},
    {"ldmatrix", "row=l%16,chunk=l/16,bytes=16",
     "ldmatrix.x4 of 16 x 16 16-bit elements: lane l gives a row's address"},
    {NULL, NULL, NULL},
};

// Where each key's expression stands in the pattern; begin 0 where it was not given.
struct pattern {
    const char *text;
    int begin[KEY_COUNT], end[KEY_COUNT];
};

static int fail(struct expression_error *error, int column, const char *why)
{
    error->column = column;
    return text_fail(&error->why, "%s", why);
}

static int find_key(const char *text, int length)
{
    for (int key = 0; key < KEY_COUNT; key++)
        if (strlen(key_names[key]) == (size_t)length && memcmp(key_names[key], text, (size_t)length) == 0) return key;
    return KEY_COUNT;
}

static int split_pair(struct pattern *pattern, int begin, int end, struct expression_error *error)
{
    const char *text = pattern->text;
    while (begin < end && isspace((unsigned char)text[begin])) begin++;
    int length = 0;
    while (begin + length < end && isalpha((unsigned char)text[begin + length])) length++;
    int key = find_key(text + begin, length), equals = begin + length;
    if (key == KEY_COUNT)
        return fail(
            error, begin,
            "this is neither a named pattern (column, row, transpose, ldmatrix) nor one of the keys row, chunk, "
            "byte, element, bytes and lanes");
    while (equals < end && isspace((unsigned char)text[equals])) equals++;
    if (equals == end || text[equals] != '=') return fail(error, equals, "'=' is expected here");
    if (pattern->begin[key] != 0) return fail(error, begin, "this key is given twice");
    pattern->begin[key] = equals + 1;
    pattern->end[key] = end;
    return 1;
}

static bool split(struct pattern *pattern, struct expression_error *error)
{
    const char *text = pattern->text;
    for (int begin = 0;;) {
        int end = begin + (int)strcspn(text + begin, ",");
        if (!split_pair(pattern, begin, end, error)) return false;
        if (text[end] == '\0') return true;
        begin = end + 1;
    }
}

static int key_value(const struct pattern *pattern, enum key key, int lane, int chunks, int64_t otherwise,
                     int64_t *value, struct expression_error *error)
{
    *value = otherwise;
    if (pattern->begin[key] == 0) return 1;
    struct expression expression = {pattern->text, pattern->begin[key], pattern->end[key], lane, chunks};
    return expression_value(&expression, value, error);
}

static int read_constants(const struct pattern *pattern, int chunks, struct access *access,
                          struct expression_error *error)
{
    int64_t bytes, lanes;
    if (!key_value(pattern, KEY_BYTES, EXPRESSION_NO_LANE, chunks, 16, &bytes, error) ||
        !key_value(pattern, KEY_LANES, EXPRESSION_NO_LANE, chunks, WARP_LANES, &lanes, error))
        return 0;
    if (bytes < 1 || bytes > 16 || (bytes & (bytes - 1)) != 0)
        return fail(error, pattern->begin[KEY_BYTES], "a lane reads 1, 2, 4, 8 or 16 bytes");
    if (lanes < 1 || lanes > WARP_LANES) return fail(error, pattern->begin[KEY_LANES], "a warp has 1 to 32 lanes");
    access->bytes = (uint32_t)bytes;
    access->lanes = (int)lanes;
    return 1;
}

static int check_values(const struct pattern *pattern, int lane, const int64_t *value, struct expression_error *error)
{
    for (int key = KEY_ROW; key <= KEY_ELEMENT; key++) {
        int64_t max = key == KEY_ROW ? MAX_ROWS - 1 : MAX_BYTE;
        if (value[key] >= 0 && value[key] <= max) continue;
        error->column = pattern->begin[key];
        return text_fail(&error->why, "lane %d gets %s %lld: legal is 0 to %lld", lane, key_names[key],
                         (long long)value[key], (long long)max);
    }
    return 1;
}

static int check_offset(const struct layout *layout, int lane, int64_t row, int64_t offset, uint32_t bytes,
                        struct expression_error *error)
{
    if (offset % bytes == 0 && offset + bytes <= layout->row_bytes) return 1;
    error->column = -1;
    if (offset % bytes != 0)
        return text_fail(&error->why,
                         "lane %d reads %u bytes from byte %lld of a row: not a multiple of %u, a kernel would fault",
                         lane, bytes, (long long)offset, bytes);
    return text_fail(&error->why, "lane %d reads bytes %lld to %lld of row %lld, but a row has %u bytes (%u chunks)",
                     lane, (long long)offset, (long long)offset + bytes - 1, (long long)row, layout->row_bytes,
                     layout->row_bytes / LAYOUT_CHUNK_BYTES);
}

static bool read_lane(const struct pattern *pattern, const struct layout *layout, int lane, struct access *access,
                      struct expression_error *error)
{
    int64_t value[KEY_COUNT];
    int chunks = (int)(layout->row_bytes / LAYOUT_CHUNK_BYTES);
    for (int key = KEY_ROW; key <= KEY_ELEMENT; key++)
        if (!key_value(pattern, (enum key)key, lane, chunks, 0, &value[key], error)) return false;
    if (!check_values(pattern, lane, value, error)) return false;
    int64_t offset =
        value[KEY_CHUNK] * LAYOUT_CHUNK_BYTES + value[KEY_BYTE] + value[KEY_ELEMENT] * layout->element_bytes;
    if (!check_offset(layout, lane, value[KEY_ROW], offset, access->bytes, error)) return false;

    access->row[lane] = (uint32_t)value[KEY_ROW];
    access->byte[lane] = (uint32_t)offset;
    if (access->rows <= access->row[lane]) access->rows = access->row[lane] + 1;
    return true;
}

int access_parse(const char *text, const struct layout *layout, struct access *access, struct expression_error *error)
{
    struct pattern pattern = {.text = text};
    memset(access, 0, sizeof *access);
    for (int i = 0; access_presets[i].name != NULL; i++)
        if (strcasecmp(text, access_presets[i].name) == 0) pattern.text = access_presets[i].pattern;
    access->pattern = pattern.text;
    if (!split(&pattern, error)) return 0;
    if (pattern.begin[KEY_ELEMENT] != 0 && layout->element_bytes == 0)
        return fail(error, pattern.begin[KEY_ELEMENT], "element= needs --dtype or --element-bytes");
    if (!read_constants(&pattern, (int)(layout->row_bytes / LAYOUT_CHUNK_BYTES), access, error)) return 0;
    for (int lane = 0; lane < access->lanes; lane++)
        if (!read_lane(&pattern, layout, lane, access, error)) return 0;
    return 1;
}

void access_count(const struct access *access, const struct layout *layout, struct bank_report *report)
{
    uint32_t address[WARP_LANES];
    for (int lane = 0; lane < access->lanes; lane++)
        address[lane] = layout_address(layout, access->row[lane], access->byte[lane]);
    bank_count(BANK_LOAD, address, UINT32_MAX >> (WARP_LANES - access->lanes), access->bytes, report);
}

struct layout access_unswizzled(const struct layout *layout)
{
    struct layout plain = *layout;
    plain.mode = SWIZZLE_NONE;
    return plain;
}
