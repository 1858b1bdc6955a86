// SPDX-License-Identifier: MIT
// The file of delays.
#include "delays.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILE_BYTES = 1 << 28, FIRST_ROOM = 64 };

void machine_delay_write(const struct machine_delay *delay, char text[MACHINE_DELAY_BYTES])
{
    snprintf(text, MACHINE_DELAY_BYTES, "%llu launch %llu cta %u,%u,%u warp %u %s %llu",
             (unsigned long long)delay->level, (unsigned long long)delay->launch, delay->cta[0], delay->cta[1],
             delay->cta[2], delay->warp, delay->is_operation ? "operation" : "after", (unsigned long long)delay->at);
}

// Reads a line of `bytes` bytes; 0 if it is none.
static bool read_line(const char *line, size_t bytes, struct machine_delay *delay)
{
    char text[MACHINE_DELAY_BYTES], kind[12] = "";
    unsigned long long level, launch, at;
    int end = 0;
    if (bytes >= sizeof text) return false;
    memcpy(text, line, bytes);
    text[bytes] = '\0';
    if (sscanf(text, "%20llu launch %20llu cta %10u,%10u,%10u warp %10u %10s %20llu %n", &level, &launch,
               &delay->cta[0], &delay->cta[1], &delay->cta[2], &delay->warp, kind, &at, &end) < 8)
        return false;
    delay->is_operation = strcmp(kind, "operation") == 0;
    delay->level = level;
    delay->launch = launch;
    delay->at = at;
    const char *rest = text + end;
    return (delay->is_operation ? at > 0 : strcmp(kind, "after") == 0) && level > 0 && (*rest == '\0' || *rest == '#');
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare(const void *left, const void *right)
{
    const struct machine_delay *a = left, *b = right;
    int order = compare_numbers(a->launch, b->launch);
    for (int i = 2; order == 0 && i >= 0; i--) order = compare_numbers(a->cta[i], b->cta[i]);
    if (order == 0) order = compare_numbers(a->warp, b->warp);
    if (order == 0) order = a->is_operation - b->is_operation;
    return order != 0 ? order : compare_numbers(a->at, b->at);
}

static bool add(struct machine_delays *delays, const struct machine_delay *delay)
{
    if (delays->count % FIRST_ROOM == 0 && (delays->count & (delays->count - 1)) == 0) { // 0, 64, 128, 256, ...
        const size_t room = delays->count == 0 ? FIRST_ROOM : 2 * (size_t)delays->count;
        struct machine_delay *item = realloc(delays->item, room * sizeof *item);
        if (item == NULL) return false;
        delays->item = item;
    }
    delays->item[delays->count++] = *delay;
    return true;
}

// "turn 1/0/2/5": operation 5 of warp 2 of cluster 0, launch 1; 0 if it is none.
static bool add_turn(struct machine_delays *delays, const char *line, size_t bytes)
{
    char text[96];
    unsigned long long launch, cluster;
    unsigned warp, operation = 0;
    int end = 0;
    const char *comment = memchr(line, '#', bytes);
    if (comment != NULL) bytes = (size_t)(comment - line);
    while (bytes > 0 && line[bytes - 1] == ' ') bytes--;
    snprintf(text, sizeof text, "%.*s", bytes < sizeof text ? (int)bytes : 0, line);
    if (sscanf(text, "turn %20llu/%20llu/%10u%n/%10u%n", &launch, &cluster, &warp, &end, &operation, &end) < 3)
        return false;
    if (launch == 0 || end == 0 || text[end] != '\0') return false;
    if (delays->turns % FIRST_ROOM == 0) {
        struct machine_turn *turn = realloc(delays->turn, 2 * (size_t)(delays->turns + FIRST_ROOM) * sizeof *turn);
        if (turn == NULL) return false;
        delays->turn = turn;
    }
    delays->turn[delays->turns++] = (struct machine_turn){launch, cluster, warp, operation};
    return delays->are_turns = true;
}

static bool is_line(const char *line, size_t bytes, const char *text)
{
    return strlen(text) == bytes && memcmp(line, text, bytes) == 0;
}

// "2 warps", "1 operations": the level of all of a kind; 0 if it is none.
static bool read_level(struct machine_delays *delays, const char *line, size_t bytes)
{
    char text[48], kind[12] = "";
    unsigned long long level = 0;
    int end = 0;
    snprintf(text, sizeof text, "%.*s", bytes < sizeof text ? (int)bytes : 0, line);
    if (sscanf(text, "%20llu %11s%n", &level, kind, &end) < 2 || level == 0 || text[end] != '\0') return false;
    uint64_t *to = strcmp(kind, "warps") == 0        ? &delays->of_warps
                   : strcmp(kind, "operations") == 0 ? &delays->of_operations
                                                     : NULL;
    if (to != NULL) *to = level;
    return to != NULL;
}

// One line of the file; 0 if it is wrong.
static bool take_line(struct machine_delays *delays, const char *line, size_t bytes, uint32_t number)
{
    struct machine_delay delay;
    while (bytes > 0 && (line[bytes - 1] == ' ' || line[bytes - 1] == '\r')) bytes--;
    if (number == 1) return is_line(line, bytes, MACHINE_DELAYS_HEAD);
    if (bytes == 0 || line[0] == '#') return true;
    if (is_line(line, bytes, "weak")) return delays->is_weak = true;
    if (is_line(line, bytes, "turns")) return delays->are_turns = true;
    if (bytes > 5 && memcmp(line, "turn ", 5) == 0) return add_turn(delays, line, bytes);
    return read_level(delays, line, bytes) || (read_line(line, bytes, &delay) && add(delays, &delay));
}

// The text of a file; the rest as machine_delays_load() has it.
static struct machine_delays *machine_delays_read(const char *text, char *why, size_t why_bytes)
{
    struct machine_delays *delays = calloc(1, sizeof *delays);
    snprintf(why, why_bytes, "no memory");
    uint32_t number = 1;
    for (const char *line = text; delays != NULL; line++, number++) {
        const size_t bytes = strcspn(line, "\n");
        if (!take_line(delays, line, bytes, number)) {
            snprintf(why, why_bytes, "line %u is '%.*s', not %s", number, bytes < 80 ? (int)bytes : 80, line,
                     number == 1 ? "'" MACHINE_DELAYS_HEAD "'"
                                 : "'weak', 'turns', or as 'turn 1/0/2', '1 warps', '1 operations', '1 launch 1 cta "
                                   "0,0,0 warp 2 after 37', "
                                   "'2 launch 1 cta 0,0,0 warp 0 operation 3'");
            machine_delays_free(delays);
            return NULL;
        }
        line += bytes;
        if (*line == '\0') break;
    }
    if (delays != NULL && delays->count > 0) qsort(delays->item, delays->count, sizeof *delays->item, compare);
    return delays;
}

void machine_delays_free(struct machine_delays *delays)
{
    if (delays == NULL) return;
    free(delays->item);
    free(delays->turn);
    free(delays);
}

struct machine_delays *machine_delays_load(const char *path, char *why, size_t why_bytes)
{
    struct machine_delays *delays = NULL;
    char *text = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    snprintf(why, why_bytes, "cannot read %s: %s", path, strerror(file == NULL ? errno : EFBIG));
    if (file == NULL) return NULL;
    errno = 0;
    const ssize_t bytes = getdelim(&text, &room, '\0', file); // up to its end, or a 0
    if (bytes < 0 && errno != 0)
        snprintf(why, why_bytes, "cannot read %s: %s", path, strerror(errno));
    else if (bytes < MOST_FILE_BYTES)
        delays = machine_delays_read(bytes < 0 ? "" : text, why, why_bytes);
    free(text);
    fclose(file);
    return delays;
}
