// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "smi.h"

enum page { PAGE_TABLE, PAGE_NAMES, PAGE_LONG, PAGE_QUERY, PAGE_PROCESSES };

struct request {
    enum page page;
    const char *fields; // of a query
    const char *format; // NULL: not given
    const char *device; // -i; NULL: all
    long loop_ms;       // 0: once
};

static const char usage[] =
    "nvidia-smi of tmaref exec: what the simulated GPU is, as scripts ask NVIDIA's program of this name\n"
    "  nvidia-smi                        a table\n"
    "  nvidia-smi -L                     name and UUID\n"
    "  nvidia-smi -q                     all that is known\n"
    "  nvidia-smi --query-gpu=FIELD,...  --format=csv[,noheader][,nounits]\n"
    "  nvidia-smi --query-compute-apps=FIELD,... --format=csv...   no process runs: a header\n"
    "  nvidia-smi --help-query-gpu       the fields\n"
    "  nvidia-smi --version, topo -m\n"
    "  -i, --id ID: an index, a UUID or a place on the bus; -l SECONDS, -lms MS: again and again; -f FILE: into a "
    "file\n";

static int refuse(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int refuse(int status, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    fputs("nvidia-smi (tmaref): ", stderr);
    vfprintf(stderr, format, rest);
    fputs("\n", stderr);
    va_end(rest);
    return status;
}

// The next of a list with commas, without the spaces around it; NULL: there is no other.
static const char *next_item(const char **list, size_t *bytes)
{
    const char *at = *list;
    if (at == NULL) return NULL;
    const char *end = strchr(at, ',');
    *list = end == NULL ? NULL : end + 1;
    if (end == NULL) end = at + strlen(at);
    while (at < end && *at == ' ') at++;
    while (end > at && end[-1] == ' ') end--;
    *bytes = (size_t)(end - at);
    return at;
}

struct format {
    bool has_header, has_units;
};

static int read_format(const char *text, struct format *format)
{
    const char *item;
    size_t bytes;
    bool is_csv = false;
    *format = (struct format){true, true};
    if (text == NULL) return refuse(SMI_BAD_ARGUMENT, "a query takes --format=csv[,noheader][,nounits]");
    while ((item = next_item(&text, &bytes)) != NULL) {
        if (bytes == 3 && memcmp(item, "csv", 3) == 0)
            is_csv = true;
        else if (bytes == 8 && memcmp(item, "noheader", 8) == 0)
            format->has_header = false;
        else if (bytes == 7 && memcmp(item, "nounits", 7) == 0)
            format->has_units = false;
        else
            return refuse(SMI_BAD_ARGUMENT, "--format: \"%.*s\" is none of csv, noheader, nounits", (int)bytes, item);
    }
    return is_csv ? SMI_OK : refuse(SMI_BAD_ARGUMENT, "--format: csv is missing");
}

static void print_header(const char *list)
{
    const char *item, *separator = "";
    size_t bytes;
    while ((item = next_item(&list, &bytes)) != NULL) {
        const struct smi_field *field = smi_find(item, bytes);
        printf("%s%.*s", separator, (int)bytes, item);
        if (field->unit[0] != '\0') printf(" [%s]", field->unit);
        separator = ", ";
    }
    puts("");
}

static void print_values(smi_device device, const char *list, bool has_units)
{
    char text[SMI_TEXT];
    const char *item, *separator = "";
    size_t bytes;
    while ((item = next_item(&list, &bytes)) != NULL) {
        const struct smi_field *field = smi_find(item, bytes);
        field->write(device, text);
        printf("%s%s", separator, text);
        if (has_units && field->unit[0] != '\0' && text[0] != '[') printf(" %s", field->unit);
        separator = ", ";
    }
    puts("");
}

static int query(smi_device device, const struct request *request)
{
    struct format format;
    const char *item, *list = request->fields;
    size_t bytes;
    while ((item = next_item(&list, &bytes)) != NULL)
        if (smi_find(item, bytes) == NULL)
            return refuse(SMI_BAD_ARGUMENT, "--query-gpu: \"%.*s\" is no field that it knows; see --help-query-gpu",
                          (int)bytes, item);
    const int error = read_format(request->format, &format);
    if (error != SMI_OK) return error;
    if (format.has_header) print_header(request->fields);
    print_values(device, request->fields, format.has_units);
    return SMI_OK;
}

// No process has anything on a GPU: there is a header alone.
static int query_processes(const struct request *request)
{
    static const char *const names[] = {"timestamp", "gpu_name",     "gpu_bus_id",      "gpu_serial",  "gpu_uuid",
                                        "pid",       "process_name", "used_gpu_memory", "used_memory", "name"};
    struct format format;
    const char *item, *list = request->fields, *separator = "";
    size_t bytes;
    const int error = read_format(request->format, &format);
    while (error == SMI_OK && (item = next_item(&list, &bytes)) != NULL) {
        unsigned i = 0;
        while (i < sizeof names / sizeof names[0] && (strlen(names[i]) != bytes || memcmp(names[i], item, bytes) != 0))
            i++;
        if (i == sizeof names / sizeof names[0])
            return refuse(SMI_BAD_ARGUMENT, "--query-compute-apps: \"%.*s\" is no field that it knows", (int)bytes,
                          item);
        if (!format.has_header) continue;
        printf("%s%s%s", separator, names[i], strncmp(names[i], "used", 4) == 0 ? " [MiB]" : "");
        separator = ", ";
    }
    if (error == SMI_OK && format.has_header) puts("");
    return error;
}

static int find_device(const char *id, smi_device *device)
{
    char *end;
    if (id == NULL || strcmp(id, "all") == 0)
        return nvmlDeviceGetHandleByIndex_v2(0, device) == NVML_SUCCESS ? SMI_OK : SMI_FAILED;
    const unsigned long index = strtoul(id, &end, 10);
    const bool is_index = id[0] >= '0' && id[0] <= '9' && *end == '\0' && index < 1U << 16;
    if (is_index && nvmlDeviceGetHandleByIndex_v2((unsigned)index, device) == NVML_SUCCESS) return SMI_OK;
    if (nvmlDeviceGetHandleByUUID(id, device) == NVML_SUCCESS) return SMI_OK;
    if (nvmlDeviceGetHandleByPciBusId_v2(id, device) == NVML_SUCCESS) return SMI_OK;
    return refuse(SMI_NOT_FOUND, "-i %s: there is one GPU, number 0", id);
}

static int answer(const struct request *request)
{
    smi_device device;
    int error = find_device(request->device, &device);
    if (error != SMI_OK) return error;
    switch (request->page) {
    case PAGE_NAMES:
        smi_page_names(device);
        break;
    case PAGE_LONG:
        smi_page_long(device);
        break;
    case PAGE_QUERY:
        error = query(device, request);
        break;
    case PAGE_PROCESSES:
        error = query_processes(request);
        break;
    case PAGE_TABLE:
        smi_page_table(device);
        break;
    }
    if (fflush(stdout) != 0 || ferror(stdout)) return refuse(SMI_FAILED, "cannot write");
    return error;
}

// The value of an option that is written NAME=VALUE or NAME VALUE; NULL: it is another option. `*at` moves behind it.
static const char *value_of(char **arguments, int *at, const char *name)
{
    const size_t bytes = strlen(name);
    const char *argument = arguments[*at];
    if (strncmp(argument, name, bytes) != 0) return NULL;
    if (argument[bytes] == '=') return argument + bytes + 1;
    if (argument[bytes] != '\0') return NULL;
    if (arguments[*at + 1] == NULL) exit(refuse(SMI_BAD_ARGUMENT, "%s: its value is missing", name));
    return arguments[++*at];
}

static long read_time(const char *option, const char *text, long unit)
{
    char *end;
    const long number = strtol(text, &end, 10);
    if (*end != '\0' || number < 1 || number > 1000000)
        exit(refuse(SMI_BAD_ARGUMENT, "%s: \"%s\" is no time", option, text));
    return number * unit;
}

static bool is_one(const char *argument, const char *first, const char *second)
{
    return strcmp(argument, first) == 0 || strcmp(argument, second) == 0;
}

// Options that take a value. Returns 0 if it is none of them.
static bool read_value(char **arguments, int *at, struct request *request)
{
    const char *value;
    if ((value = value_of(arguments, at, "--query-gpu")) != NULL)
        *request = (struct request){PAGE_QUERY, value, request->format, request->device, request->loop_ms};
    else if ((value = value_of(arguments, at, "--query-compute-apps")) != NULL)
        *request = (struct request){PAGE_PROCESSES, value, request->format, request->device, request->loop_ms};
    else if ((value = value_of(arguments, at, "--format")) != NULL)
        request->format = value;
    else if ((value = value_of(arguments, at, "-i")) != NULL || (value = value_of(arguments, at, "--id")) != NULL)
        request->device = value;
    else if ((value = value_of(arguments, at, "-l")) != NULL || (value = value_of(arguments, at, "--loop")) != NULL)
        request->loop_ms = read_time("-l", value, 1000);
    else if ((value = value_of(arguments, at, "-lms")) != NULL ||
             (value = value_of(arguments, at, "--loop-ms")) != NULL)
        request->loop_ms = read_time("-lms", value, 1);
    else if ((value = value_of(arguments, at, "-f")) != NULL ||
             (value = value_of(arguments, at, "--filename")) != NULL) {
        if (freopen(value, "w", stdout) == NULL) exit(refuse(SMI_FAILED, "-f %s: cannot open the file", value));
    } else
        return false;
    return true;
}

// What would set something up: there is no board to do it to.
static bool sets_something(const char *argument)
{
    static const char *const names[] = {"-pm",
                                        "-pl",
                                        "-lgc",
                                        "-rgc",
                                        "-lmc",
                                        "-rmc",
                                        "-ac",
                                        "-rac",
                                        "-c",
                                        "-e",
                                        "-p",
                                        "-r",
                                        "-mig",
                                        "-am",
                                        "-caa",
                                        "-gtt",
                                        "-cc",
                                        "-dm",
                                        "--persistence-mode",
                                        "--power-limit",
                                        "--lock-gpu-clocks",
                                        "--gpu-reset",
                                        "--compute-mode"};
    const size_t bytes = strcspn(argument, "=");
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == bytes && strncmp(argument, names[i], bytes) == 0) return true;
    return false;
}

static void read_arguments(char **arguments, struct request *request)
{
    for (int i = 1; arguments[i] != NULL; i++) {
        const char *argument = arguments[i];
        if (read_value(arguments, &i, request)) continue;
        if (is_one(argument, "-L", "--list-gpus"))
            request->page = PAGE_NAMES;
        else if (is_one(argument, "-q", "--query"))
            request->page = PAGE_LONG;
        else if (is_one(argument, "-h", "--help"))
            exit(fputs(usage, stdout) < 0 ? SMI_FAILED : SMI_OK);
        else if (strcmp(argument, "--help-query-gpu") == 0)
            exit((smi_list_fields(), SMI_OK));
        else if (strcmp(argument, "--version") == 0)
            exit((smi_page_version(), SMI_OK));
        else if (i == 1 && strcmp(argument, "topo") == 0 && arguments[2] != NULL &&
                 is_one(arguments[2], "-m", "--matrix"))
            exit((smi_page_topology(), SMI_OK));
        else if (sets_something(argument))
            exit(refuse(SMI_NOT_SUPPORTED, "%s: the GPU is simulated, and has no such setting", argument));
        else
            exit(refuse(SMI_BAD_ARGUMENT, "\"%s\" is no option that it knows; see --help", argument));
    }
    if (request->format != NULL && request->page != PAGE_QUERY && request->page != PAGE_PROCESSES)
        exit(refuse(SMI_BAD_ARGUMENT, "--format belongs to --query-gpu and --query-compute-apps"));
}

int main(int argc, char **argv)
{
    struct request request = {0};
    (void)argc;
    if (nvmlInit_v2() != NVML_SUCCESS) return refuse(SMI_FAILED, "the simulated NVML does not start");
    read_arguments(argv, &request);
    for (;;) {
        const int error = answer(&request);
        if (error != SMI_OK || request.loop_ms == 0) return error;
        const struct timespec pause = {request.loop_ms / 1000, request.loop_ms % 1000 * 1000000};
        nanosleep(&pause, NULL);
    }
}
