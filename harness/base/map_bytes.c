// SPDX-License-Identifier: MIT
#include "map_bytes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "parse_number.h"

enum { MAX_TEXT_BYTES = 1 << 20, MAX_WORDS = 1024, MAX_DIGITS = 2 * TENSORMAP_BYTES };

// What was read so far: digits in the order of the bytes, or numbers that began with 0x. `digit_count` and
// `word_count` go on past the room there is.
struct dump {
    char digits[MAX_DIGITS];
    size_t digit_count;
    uint64_t words[MAX_WORDS];
    size_t word_count, word_digits; // the most digits of a word
    int line;
    struct text *why;
    const char *where;
};

static bool is_between(char c)
{
    return c != '\0' && strchr(" \t\r\n,;{}[]()\"'", c) != NULL;
}

static int complain(struct dump *dump, const char *at)
{
    return text_fail(dump->why, "%s: line %d: '%.*s' is not hexadecimal", dump->where, dump->line,
                     isprint((unsigned char)*at) ? (int)strcspn(at, " \t\r\n,") : 0, at);
}

static void add_word(struct dump *dump, uint64_t word, size_t digits)
{
    if (dump->word_count < MAX_WORDS) dump->words[dump->word_count] = word;
    dump->word_count++;
    if (digits > dump->word_digits) dump->word_digits = digits;
}

// "0x12ab" at **at: a word of at most 16 digits, or the beginning of a long string of digits.
static int read_word(struct dump *dump, const char **at)
{
    const char *first = *at + 2, *end = first;
    while (isxdigit((unsigned char)*end)) end++;
    size_t digits = (size_t)(end - first);
    if (digits == 0) return complain(dump, *at);
    if (digits > 16) { // bytes, not a word
        *at = first;
        return 1;
    }
    add_word(dump, strtoull(first, NULL, 16), digits);
    while (*end == 'u' || *end == 'U' || *end == 'l' || *end == 'L') end++;
    *at = end;
    return 1;
}

// "<repeats 11 times>" after a word: as cuda-gdb prints equal entries of an array.
static int read_repeats(struct dump *dump, const char **at)
{
    unsigned times;
    int length = 0;
    if (sscanf(*at, "<repeats %4u times>%n", &times, &length) != 1 || length == 0 || dump->word_count == 0 ||
        dump->word_count > MAX_WORDS)
        return complain(dump, *at);
    uint64_t word = dump->words[dump->word_count - 1];
    for (unsigned i = 1; i < times; i++) add_word(dump, word, 1);
    *at += length;
    return 1;
}

// What a debugger prints before the values of a line: an address and a colon, or a name and an equals sign.
static const char *skip_label(const char *line, const char *end)
{
    for (const char *at = end; at > line; at--)
        if (at[-1] == ':' || at[-1] == '=') return at;
    return line;
}

static int read_line(struct dump *dump, const char *at, const char *end)
{
    for (at = skip_label(at, end); at < end;) {
        if (is_between(*at)) {
            at++;
        } else if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
            if (!read_word(dump, &at)) return 0;
        } else if (*at == '<') {
            if (!read_repeats(dump, &at)) return 0;
        } else if (isxdigit((unsigned char)*at)) {
            if (dump->digit_count < MAX_DIGITS) dump->digits[dump->digit_count] = *at;
            dump->digit_count++, at++;
        } else {
            return complain(dump, at);
        }
    }
    return 1;
}

// Bytes of each word: what makes 128 of them, else what the longest one needs.
static size_t word_bytes(const struct dump *dump)
{
    for (size_t bytes = 8; bytes >= 1; bytes /= 2)
        if (dump->word_count * bytes == TENSORMAP_BYTES && dump->word_digits <= 2 * bytes) return bytes;
    size_t bytes = 1;
    while (2 * bytes < dump->word_digits) bytes *= 2;
    return bytes;
}

static int finish_words(const struct dump *dump, struct tensormap_image *image)
{
    size_t bytes = word_bytes(dump);
    if (dump->word_count * bytes != TENSORMAP_BYTES)
        return text_fail(dump->why, "%s: found %zu words of %zu bytes, which are %zu bytes; a tensor map has 128",
                         dump->where, dump->word_count, bytes, dump->word_count * bytes);
    memset(image, 0, sizeof *image);
    for (size_t i = 0; i < dump->word_count; i++) image->word[i * bytes / 8] |= dump->words[i] << i * bytes % 8 * 8;
    return 1;
}

static int finish_digits(const struct dump *dump, struct tensormap_image *image)
{
    if (dump->digit_count != MAX_DIGITS)
        return text_fail(dump->why, "%s: found %zu hex digits (%zu%s bytes); a tensor map has 256 (128 bytes)",
                         dump->where, dump->digit_count, dump->digit_count / 2,
                         dump->digit_count % 2 == 0 ? "" : " and a half");
    memset(image, 0, sizeof *image);
    for (size_t i = 0; i < TENSORMAP_BYTES; i++) {
        char byte[3] = {dump->digits[2 * i], dump->digits[2 * i + 1], '\0'};
        image->word[i / 8] |= (uint64_t)strtoul(byte, NULL, 16) << i % 8 * 8;
    }
    return 1;
}

static bool is_binary(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!isprint((unsigned char)text[i]) && !isspace((unsigned char)text[i])) return true;
    return false;
}

int map_bytes_parse(const char *text, size_t size, const char *where, struct tensormap_image *image, struct text *why)
{
    if (is_binary(text, size)) {
        if (size == TENSORMAP_BYTES)
            memcpy(image->word, text, TENSORMAP_BYTES);
        else
            text_set(why, "%s: found %zu raw bytes; a tensor map has 128", where, size);
        return size == TENSORMAP_BYTES;
    }
    struct dump dump = {.line = 1, .why = why, .where = where};
    for (const char *line = text, *end; line < text + size; line = end + 1, dump.line++) {
        end = memchr(line, '\n', (size_t)(text + size - line));
        if (end == NULL) end = text + size;
        if (!read_line(&dump, line, end)) return 0;
        if (end == text + size) break;
    }
    if (dump.word_count != 0 && dump.digit_count != 0)
        return text_fail(why, "%s: words that begin with 0x and plain digits are mixed; give one kind", where);
    return dump.word_count != 0 ? finish_words(&dump, image) : finish_digits(&dump, image);
}

char *argument_text(const char *argument, size_t *size, struct text *why)
{
    if (strcmp(argument, "-") == 0 || access(argument, F_OK) == 0)
        return read_file(argument, MAX_TEXT_BYTES, size, why);
    *size = strlen(argument);
    char *copy = strdup(argument);
    if (copy == NULL) text_set(why, "out of memory");
    return copy;
}

// Digits, not the misspelt name of a file.
static bool looks_like_digits(const char *text)
{
    for (; *text != '\0'; text++)
        if (!isxdigit((unsigned char)*text) && !is_between(*text) && strchr("xX:_<>=", *text) == NULL) return false;
    return true;
}

int map_bytes_read(const char *argument, struct tensormap_image *image, struct text *why)
{
    bool is_file = strcmp(argument, "-") == 0 || access(argument, F_OK) == 0;
    if (!is_file && !looks_like_digits(argument) && strstr(argument, "0x") == NULL)
        return text_fail(why, "'%.64s' is neither a file nor hexadecimal digits", argument);
    size_t size;
    char *text = argument_text(argument, &size, why);
    if (text == NULL) return 0;
    const char *where = !is_file ? "the argument" : strcmp(argument, "-") == 0 ? "standard input" : argument;
    int ok = map_bytes_parse(text, size, where, image, why);
    free(text);
    return ok;
}
