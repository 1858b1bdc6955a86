// SPDX-License-Identifier: MIT
#include "exec_findings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec_notes.h"
#include "sarif.h"

static int lines = -1; // the file

bool exec_findings_open(const char *path, struct text *why)
{
    json_t *nothing = json_array();
    const int ok = sarif_save(path, nothing, why);
    json_decref(nothing);
    if (!ok) return false;
    lines = exec_memory_file("TMAREF_FINDINGS");
    return lines >= 0 || text_fail(why, "cannot make a file in memory: %s", strerror(errno));
}

static const char *text_of(const json_t *of, const char *key)
{
    const char *text = json_string_value(json_object_get(of, key));
    return text != NULL ? text : "";
}

// The user's own line, whose keys begin with `before`. What kernels without lines of the source have is in the message.
static void set_place(json_t *to, const json_t *line, const char *before)
{
    struct text file, number;
    text_set(&file, "%suser_file", before);
    text_set(&number, "%suser_line", before);
    if (json_object_get(line, file.at) == NULL) return;
    json_object_set(to, "file", json_object_get(line, file.at));
    json_object_set(to, "line", json_object_get(line, number.at));
}

// The waits of a hang, each at its line; the first root is where the hang is.
static void add_waits(json_t *finding, json_t *related, const json_t *hang)
{
    const json_t *wait;
    size_t i;
    json_array_foreach(json_object_get(hang, "waits"), i, wait)
    {
        const json_t *place = json_object_get(wait, "place");
        const bool is_first = (json_int_t)i == json_integer_value(json_array_get(json_object_get(hang, "roots"), 0));
        if (is_first && json_object_get(place, "line") != NULL) {
            json_object_set(finding, "file", json_object_get(place, "file"));
            json_object_set(finding, "line", json_object_get(place, "line"));
        }
        json_t *one = json_pack("{s:o}", "message",
                                json_sprintf("waits for %s%s%s", text_of(wait, "wait"),
                                             text_of(wait, "likely")[0] != '\0' ? ": " : "", text_of(wait, "likely")));
        json_object_update_missing(one, (json_t *)place);
        json_array_append_new(related, one);
    }
}

// A hang's says all, behind the place that it begins with.
static json_t *message_of(const json_t *line)
{
    const char *message = text_of(line, "message"), *name = text_of(line, "name");
    const char *head = strstr(message, ": error: ");
    if (json_object_get(line, "hang") != NULL && head != NULL) return json_string(head + strlen(": error: "));
    const char *kernel = text_of(line, "signature");
    const json_int_t ptx_line = json_integer_value(json_object_get(line, "ptx_line"));
    struct text place = {""};
    if (ptx_line > 0 && strstr(message, "PTX line ") == NULL) text_set(&place, " (PTX line %lld)", (long long)ptx_line);
    return json_sprintf("%s%s%s%s%s%s%s", kernel[0] != '\0' ? "kernel " : "", kernel, kernel[0] != '\0' ? ": " : "",
                        message, name[0] != '\0' ? ": " : "", name, place.at);
}

// A line of `tmaref exec --json` (docs/json.md) as sarif.h has it; NULL: it is no finding.
static json_t *finding_of(const json_t *line)
{
    const char *rules[] = {text_of(line, "sanitize"), text_of(line, "check"), text_of(line, "rule"),
                           text_of(line, "kind")};
    const char *rule = "", *level = text_of(line, "level");
    for (int i = 4; i-- > 0;)
        if (rules[i][0] != '\0' && strcmp(rules[i], "OK") != 0) rule = rules[i];
    if (rule[0] == '\0' || strcmp(rule, "VERDICT") == 0) return NULL;
    json_t *related = json_array();
    json_t *finding = json_pack("{s:s, s:s, s:o, s:s, s:s, s:o}", "rule", rule, "level",
                                level[0] != '\0' ? level : "error", "message", message_of(line), "advice",
                                text_of(line, "advice"), "kernel", text_of(line, "signature"), "related", related);
    set_place(finding, line, "");
    if (json_object_get(line, "other_user_line") != NULL) {
        json_t *other = json_pack("{s:s}", "message", text_of(line, "other_what"));
        set_place(other, line, "other_");
        json_array_append_new(related, other);
    }
    if (json_object_get(line, "hang") != NULL) add_waits(finding, related, json_object_get(line, "hang"));
    return finding;
}

int exec_findings_close(const char *path, struct text *why)
{
    json_t *findings = json_array();
    char *line = NULL;
    size_t room = 0;
    FILE *file = fdopen(lines, "r");
    if (file != NULL) rewind(file);
    while (file != NULL && getline(&line, &room, file) >= 0) {
        json_t *json = json_loads(line, 0, NULL), *finding = finding_of(json);
        if (finding != NULL) json_array_append_new(findings, finding);
        json_decref(json);
    }
    free(line);
    if (file != NULL) fclose(file);
    const int ok = sarif_save(path, findings, why);
    json_decref(findings);
    return ok;
}
