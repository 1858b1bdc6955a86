// SPDX-License-Identifier: MIT
#include "sarif.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "version_text.h"

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

static const char *text_of(const json_t *of, const char *key)
{
    const char *text = json_string_value(json_object_get(of, key));
    return text != NULL ? text : "";
}

// A path as a URI: below the current folder it is relative.
static json_t *uri_of(const char *path)
{
    char folder[PATH_MAX], uri[3 * PATH_MAX];
    size_t used = 0, length = getcwd(folder, sizeof folder) != NULL ? strlen(folder) : 0;
    if (length > 1 && strncmp(path, folder, length) == 0 && path[length] == '/') path += length + 1;
    if (path[0] == '/') used = (size_t)sprintf(uri, "file://");
    for (; *path != '\0' && used + 4 < sizeof uri; path++)
        used += (size_t)sprintf(&uri[used], isalnum((unsigned char)*path) || strchr("-._~/", *path) ? "%c" : "%%%02X",
                                (unsigned char)*path);
    return json_stringn(uri, used);
}

// NULL where no line is known.
static json_t *place_of(const json_t *of)
{
    const json_int_t line = json_integer_value(json_object_get(of, "line"));
    const json_int_t column = json_integer_value(json_object_get(of, "column"));
    if (text_of(of, "file")[0] == '\0' || line <= 0) return NULL;
    json_t *region = json_pack("{s:I}", "startLine", line);
    if (column > 0) json_object_set_new(region, "startColumn", json_integer(column));
    return json_pack("{s:{s:o}, s:o}", "artifactLocation", "uri", uri_of(text_of(of, "file")), "region", region);
}

static json_t *location_of(const json_t *finding)
{
    json_t *location = json_object(), *place = place_of(finding);
    const char *kernel = text_of(finding, "kernel");
    if (place != NULL) json_object_set_new(location, "physicalLocation", place);
    if (kernel[0] != '\0')
        json_object_set_new(location, "logicalLocations",
                            json_pack("[{s:s, s:s}]", "fullyQualifiedName", kernel, "kind", "function"));
    return location;
}

static json_t *related_of(const json_t *finding)
{
    json_t *list = json_array();
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(finding, "related"), i, one)
    {
        json_t *place = place_of(one);
        if (place != NULL)
            json_array_append_new(list, json_pack("{s:o, s:{s:s}}", "physicalLocation", place, "message", "text",
                                                  text_of(one, "message")));
    }
    return list;
}

// The number of a rule, which is added if it is new.
static size_t rule_at(json_t *rules, const json_t *finding)
{
    const char *id = text_of(finding, "rule"), *advice = text_of(finding, "advice");
    size_t i;
    json_t *rule;
    json_array_foreach(rules, i, rule) if (strcmp(text_of(rule, "id"), id) == 0) return i;
    rule = json_pack("{s:s}", "id", id);
    if (advice[0] != '\0') json_object_set_new(rule, "help", json_pack("{s:s}", "text", advice));
    json_array_append_new(rules, rule);
    return i;
}

static json_t *log_of(const json_t *findings)
{
    json_t *rules = json_array(), *results = json_array();
    const json_t *finding;
    size_t i;
    json_array_foreach((json_t *)findings, i, finding) json_array_append_new(
        results, json_pack("{s:s, s:I, s:s, s:{s:s}, s:[o], s:o}", "ruleId", text_of(finding, "rule"), "ruleIndex",
                           (json_int_t)rule_at(rules, finding), "level", text_of(finding, "level"), "message", "text",
                           text_of(finding, "message"), "locations", location_of(finding), "relatedLocations",
                           related_of(finding)));
    return json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:o}]}", "$schema", SCHEMA, "version", "2.1.0", "runs",
                     "tool", "driver", "name", "tmaref", "version", TMAREF_VERSION_TEXT, "rules", rules, "results",
                     results);
}

static void write_log(const void *log, FILE *out)
{
    json_dumpf(log, out, JSON_INDENT(1));
    fputc('\n', out);
}

int sarif_save(const char *path, const json_t *findings, struct text *why)
{
    json_t *log = log_of(findings);
    const int ok = log != NULL ? save_written(path, write_log, log, why) : text_fail(why, "not enough memory");
    json_decref(log);
    return ok;
}
