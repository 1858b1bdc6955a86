// SPDX-License-Identifier: MIT
// `tmaref core`: the report of a hang or a fault out of the core dump that the CUDA driver wrote on a real GPU.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "command_option.h"
#include "core_tell.h"
#include "json.h"
#include "sarif.h"
#include "unpack.h"

#define MOST_BYTES ((size_t)4 << 30)

struct options {
    int json, verbose;
    const char *path, *sarif;
};

static const char help[] =
    "Report from a core dump of the CUDA driver who waits for whom, or what faulted, and where in the source.\n\n"
    "  CUDA_ENABLE_USER_TRIGGERED_COREDUMP=1 CUDA_COREDUMP_PIPE=/tmp/pipe CUDA_COREDUMP_FILE=/tmp/core ./program &\n"
    "  printf x > /tmp/pipe\n"
    "  tmaref core /tmp/core\n"
    "\v"
    "FILE is a dump, as it is or packed by zstd; - is standard input. Compile with nvcc -lineinfo for lines of the "
    "source and names of barriers. "
    "CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1 asks for a dump of a fault. docs/core.md has the variables that keep dumps "
    "small.\n\n"
    "Exit status: 0 if no thread waits or has faulted; 1 if the report tells of a wait or a fault; 2 if FILE is no "
    "dump of sm_90, or is broken.";

#define TO struct options
static const struct command_option option_rows[] = {
    OPTION_FLAG('j', "json", json, "print JSON"),
    OPTION_TEXT(0, "sarif", "FILE", sarif,
                "also write the faults and waits as SARIF, which editors and code hosts show"),
    OPTION_FLAG('v', "verbose", verbose, "show every group of threads, mbarrier and tensor map"),
    OPTION_END,
};

static bool is_quiet(const struct core_groups *groups)
{
    for (uint32_t i = 0; i < groups->groups; i++)
        if (groups->group[i].first->doing != CORE_RUNS) return false;
    return true;
}

// What sarif.h takes of the JSON of a report: each fault, and each wait that depends on no other.
static json_t *findings_of(const json_t *report)
{
    json_t *findings = json_array();
    const json_t *wait;
    size_t i;
    json_array_foreach(json_object_get(report, "waits"), i, wait)
    {
        const json_t *place = json_object_get(wait, "place"), *error = json_object_get(wait, "exception");
        const char *likely = json_string_value(json_object_get(wait, "likely"));
        if (!json_is_true(json_object_get(wait, "root"))) continue;
        json_t *finding =
            json_pack("{s:s, s:s, s:o}", "rule", error != NULL ? "faulted" : "hung", "level", "error", "message",
                      json_sprintf("%s%s%s%s", error != NULL ? "" : "waits for ",
                                   json_string_value(error != NULL ? error : json_object_get(wait, "wait")),
                                   likely == NULL || likely[0] == '\0' ? "" : ": ", likely == NULL ? "" : likely));
        json_object_update_missing(finding, (json_t *)place);
        json_object_set(finding, "kernel", json_object_get(place, "function"));
        json_array_append_new(findings, finding);
    }
    return findings;
}

// Prints the report, and writes the file of --sarif; 0 with `why` if that fails.
static bool print(const struct options *options, const struct core_report *report, struct text *why)
{
    json_t *json = core_json(report), *findings = findings_of(json);
    const bool ok = options->sarif == NULL || sarif_save(options->sarif, findings, why);
    json_decref(findings);
    if (options->json)
        json_print(json_incref(json), JSON_INDENT(2));
    else
        core_tell(stdout, report, options->verbose);
    json_decref(json);
    return ok;
}

static int report_of(const struct options *options, const struct core_dump *dump, struct text *why)
{
    struct core_state state = {0};
    struct core_groups groups = {0};
    struct core_maps maps = {0};
    struct core_barriers barriers = {0};
    int status = -1;
    if (core_state_open(&state, dump, why)) {
        const struct core_report report = {dump, &state, &groups, &maps, &barriers};
        text_set(why, "no memory");
        if (core_groups_open(&groups, &state) && core_maps_open(&maps, dump) && core_barriers_open(&barriers, &state) &&
            print(options, &report, why))
            status = is_quiet(&groups) ? EXIT_AGREE : EXIT_MISMATCH;
    }
    core_barriers_close(&barriers);
    core_maps_close(&maps);
    core_groups_close(&groups);
    core_state_close(&state);
    return status;
}

// What the report reads in machine code is that of Hopper.
static bool is_hopper(const struct core_dump *dump, struct text *why)
{
    const struct core_device *device = &dump->device[0];
    if (device->major == 9) return true;
    return text_fail(why, "it is of a GPU of sm_%u%u (%s); the report is only known for sm_90", device->major,
                     device->minor, device->name);
}

// The file's bytes, unpacked if zstd packed them. The caller frees them; NULL with a sentence.
static char *read_dump(const char *path, size_t *size_bytes, struct text *why)
{
    char *bytes = read_file(path, MOST_BYTES, size_bytes, why);
    if (bytes == NULL || !unpack_is_zstd(bytes, *size_bytes)) return bytes;
    struct text reason;
    char *unpacked = unpack_zstd(bytes, *size_bytes, MOST_BYTES, size_bytes, &reason);
    if (unpacked == NULL) text_set(why, "%.200s: %.280s", path, reason.at);
    free(bytes);
    return unpacked;
}

int command_core(int argc, char **argv)
{
    static const struct command_line line = {
        .usage = "FILE",
        .help = help,
        .options = option_rows,
        .twice = "one dump at a time; '%s' is a second one",
        .argument_at = offsetof(struct options, path),
    };
    struct options options = {0};
    struct core_dump dump = {0};
    struct text why;
    size_t size_bytes;
    command_line_read(&line, argc, argv, &options);
    if (options.path == NULL) return command_usage("core", "give the file of a core dump");
    char *bytes = read_dump(options.path, &size_bytes, &why);
    if (bytes == NULL) return command_usage("core", "%s", why.at);
    int status = -1;
    if (core_open(&dump, bytes, size_bytes, &why) && is_hopper(&dump, &why)) status = report_of(&options, &dump, &why);
    if (status < 0) status = command_usage("core", "%.200s: %.280s", options.path, why.at);
    core_close(&dump);
    free(bytes);
    return status;
}
