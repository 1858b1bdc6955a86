// SPDX-License-Identifier: MIT
// Does a conformance test that fails say what is wrong? altered FOLDER: of each family a recorded case is altered, once
// what a window holds, once the status; the replay must name the file, the line, the case and a likely rule.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exit_status.h"
#include "trace_batch.h"
#include "trace_file.h"

enum { PATH_BYTES = 64 };

static json_t *first_case(const char *path, struct trace_header *header, char **line, struct text *why)
{
    struct trace_text trace;
    if (!trace_open(path, &trace, why)) return NULL;
    *header = trace.header;
    char *text = lines_next(&trace.lines);
    json_t *json = text != NULL ? json_loads(text, 0, NULL) : NULL;
    (void)line;
    trace_close(&trace);
    return json;
}

// Turns the hexadecimal digit `at` of a text of `json`.
static void turn(json_t *json, const char *key, size_t at)
{
    const char *text = json_string_value(json_object_get(json, key));
    char *copy = text != NULL ? strdup(text) : NULL;
    if (copy == NULL || at >= strlen(copy)) return free(copy);
    copy[at] = copy[at] == '0' ? '1' : '0';
    json_object_set_new(json, key, json_string(copy));
    free(copy);
}

// Alters the last window that is kept as digests, or else the last one; 0 if there is none.
static bool alter_window(json_t *entry)
{
    json_t *chosen = NULL, *window;
    const char *name;
    json_object_foreach(json_object_get(entry, "windows"), name, window)
    {
        bool is_digest = json_object_get(window, "digest") != NULL;
        const char *bytes = json_string_value(json_object_get(window, "bytes"));
        if (is_digest || (bytes != NULL && bytes[0] != '\0' && json_object_get(chosen, "digest") == NULL))
            chosen = window;
    }
    const char *lines = json_string_value(json_object_get(chosen, "lines"));
    size_t middle = lines == NULL ? 0 : strlen(lines) / 4 * 2;
    turn(chosen, "bytes", 0);
    turn(chosen, "digest", 0);
    turn(chosen, "lines", middle);
    return chosen != NULL;
}

static bool write_trace(const char *path, const struct trace_header *from, const json_t *entry)
{
    struct trace_header header = *from;
    header.cases = 1;
    FILE *file = fopen(path, "w");
    json_t *first = trace_header_write(&header);
    bool ok = file != NULL && json_dumpf(first, file, JSON_COMPACT) == 0 && fputc('\n', file) != EOF &&
              json_dumpf(entry, file, JSON_COMPACT) == 0;
    json_decref(first);
    return file != NULL && fclose(file) == 0 && ok;
}

static int tell(const struct trace_batch *cases, int i, void *context)
{
    return !trace_batch_agrees(cases, i, context); // it must not
}

// A likely rule, or those that a status may come from. Of bank conflicts no rule speaks: the clocks of an access are
// measured. Of order the memory model speaks, by a litmus test.
static bool names_a_rule(const struct family *family, const char *text)
{
    return strcmp(family->name, "bank") == 0 || strstr(text, "\n    likely rule ") != NULL ||
           strstr(text, "\n    rules that end in ") != NULL ||
           strstr(text, "\n    the memory model forbids that any goes wrong: tmaref litmus, test ") != NULL;
}

// Replays the altered case; returns 1 if all is said.
static bool speaks(const char *path, const struct trace_header *header, const json_t *entry, const char *what)
{
    struct trace_header read;
    struct text why = {"cannot write it"};
    char *said = NULL, place[PATH_BYTES + 8];
    size_t said_bytes;
    FILE *out = open_memstream(&said, &said_bytes);
    const struct trace_run run = {.executor = &executor_model, .visit = tell, .context = out};
    bool ok = write_trace(path, header, entry) && trace_run(path, &run, &read, &why);
    fclose(out);
    snprintf(place, sizeof place, "%s:2: ", path);
    const char *lacks = !ok                                                         ? why.at
                        : strncmp(said, place, strlen(place)) != 0                  ? "the place does not come first"
                        : strstr(said, "\n    case {") == NULL                      ? "the case is not there"
                        : strchr(strstr(said, "\n    case {") + 1, '\n')[1] == '\0' ? "the element is not there"
                        : !names_a_rule(header->family, said)                       ? "no rule is named"
                                                                                    : NULL;
    if (lacks != NULL) printf("FAILED: %s, altered %s: %s:\n%s", header->family->name, what, lacks, said);
    free(said);
    return lacks == NULL;
}

static int check_family(const char *source, const struct family *family)
{
    struct trace_header header;
    struct text why;
    char path[PATH_BYTES] = "/tmp/altered-XXXXXX", *line = NULL;
    json_t *entry = first_case(source, &header, &line, &why);
    int file = mkstemp(path), failed = 0;
    if (entry == NULL || file < 0) return printf("FAILED: %s\n", source), 1;
    close(file);
    json_t *status = json_deep_copy(entry);
    failed += !alter_window(entry) || !speaks(path, &header, entry, "window");
    json_object_set_new(status, "status", json_integer(700));
    failed += !speaks(path, &header, status, "status");
    json_decref(status);
    json_decref(entry);
    unlink(path);
    (void)family;
    return failed;
}

int main(int argc, char **argv)
{
    static struct trace_paths paths;
    struct text why = {"usage: altered FOLDER"};
    int failed = 0, checked = 0;
    if (argc != 2 || !trace_paths_add(&paths, argv[1], &why)) {
        fprintf(stderr, "%s\n", why.at);
        return EXIT_USAGE;
    }
    for (int f = 0; families[f] != NULL; f++) {
        char name[128];
        snprintf(name, sizeof name, "/%s.jsonl", families[f]->name);
        for (int i = 0; i < paths.count; i++) {
            if (strstr(paths.path[i], name) == NULL) continue;
            failed += check_family(paths.path[i], families[f]);
            checked++;
            break;
        }
        if (families[f + 1] == NULL) printf("%d families, %d altered recordings told badly\n", checked, failed);
    }
    return failed > 0;
}
