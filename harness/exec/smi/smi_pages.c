// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "smi.h"

enum { WIDTH = 89 }; // of the table between its two corners

static void rule(char of)
{
    putchar('+');
    for (int i = 0; i < WIDTH; i++) putchar(of);
    puts("+");
}

static void row(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void row(const char *format, ...)
{
    char text[WIDTH];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    printf("| %-*s|\n", WIDTH - 1, text);
}

static void write_cuda(char text[SMI_TEXT])
{
    int version = 0;
    nvmlSystemGetCudaDriverVersion_v2(&version);
    snprintf(text, SMI_TEXT, "%d.%d", version / 1000, version % 1000 / 10);
}

void smi_page_table(smi_device device)
{
    enum { WHEN, DRIVER, NAME, PLACE, USED, TOTAL, DRAW, LIMIT, BUSY, HEAT, STATE, MODE, VALUES };
    static const char *const fields[VALUES] = {"timestamp",       "driver_version",  "name",       "pci.bus_id",
                                               "memory.used",     "memory.total",    "power.draw", "power.limit",
                                               "utilization.gpu", "temperature.gpu", "pstate",     "compute_mode"};
    char is[VALUES][SMI_TEXT], cuda[SMI_TEXT];
    for (unsigned i = 0; i < VALUES; i++) smi_value(device, fields[i], is[i]);
    is[DRAW][strcspn(is[DRAW], ".")] = is[LIMIT][strcspn(is[LIMIT], ".")] = '\0';
    write_cuda(cuda);
    puts(is[WHEN]);
    rule('-');
    row("NVIDIA-SMI %s   Driver Version: %s   CUDA Version: %s", is[DRIVER], is[DRIVER], cuda);
    rule('-');
    row("GPU  Name                           Bus-Id               simulated by tmaref");
    row("     Temp  Perf  Pwr:Usage/Cap      Memory-Usage         GPU-Util  Compute M.");
    rule('=');
    row("  0  %-30s %s", is[NAME], is[PLACE]);
    row("     %3sC  %-4s %4sW / %4sW      %6sMiB / %6sMiB  %6s%%   %s", is[HEAT], is[STATE], is[DRAW], is[LIMIT],
        is[USED], is[TOTAL], is[BUSY], is[MODE]);
    rule('-');
    row("Processes: no running processes found");
    rule('-');
}

void smi_page_names(smi_device device)
{
    char index[SMI_TEXT], name[SMI_TEXT], uuid[SMI_TEXT];
    smi_value(device, "index", index);
    smi_value(device, "name", name);
    smi_value(device, "uuid", uuid);
    printf("GPU %s: %s (UUID: %s)\n", index, name, uuid);
}

// One line: its name as NVIDIA's -q prints it, and the field that it has.
struct line {
    const char *title, *field, *unit;
};

static void print_lines(smi_device device, const char *group, const struct line *lines, unsigned count)
{
    char text[SMI_TEXT];
    const int indent = group == NULL ? 4 : 8;
    if (group != NULL) printf("    %s\n", group);
    for (unsigned i = 0; i < count; i++) {
        smi_value(device, lines[i].field, text);
        const bool is_known = strcmp(text, "[N/A]") != 0;
        printf("%*s%-*s: %s%s%s\n", indent, "", 50 - indent, lines[i].title, is_known ? text : "N/A",
               is_known && lines[i].unit[0] != '\0' ? " " : "", is_known ? lines[i].unit : "");
    }
}
#define LINES(device, group, lines) print_lines(device, group, lines, sizeof lines / sizeof lines[0])

static void print_head(smi_device device)
{
    char when[SMI_TEXT], driver[SMI_TEXT], cuda[SMI_TEXT], place[SMI_TEXT];
    smi_value(device, "timestamp", when);
    smi_value(device, "driver_version", driver);
    smi_value(device, "pci.bus_id", place);
    write_cuda(cuda);
    printf("%-50s: %s\n%-50s: %s\n%-50s: %s\n\n%-50s: 1\n", "Timestamp", when, "Driver Version", driver, "CUDA Version",
           cuda, "Attached GPUs");
    printf("GPU %s\n", place);
}

void smi_page_long(smi_device device)
{
    static const struct line what[] = {{"Product Name", "name", ""},
                                       {"Display Active", "display_active", ""},
                                       {"Persistence Mode", "persistence_mode", ""},
                                       {"Accounting Mode", "accounting.mode", ""},
                                       {"Serial Number", "serial", ""},
                                       {"GPU UUID", "uuid", ""},
                                       {"VBIOS Version", "vbios_version", ""},
                                       {"Performance State", "pstate", ""},
                                       {"Compute Mode", "compute_mode", ""}};
    static const struct line mig[] = {{"Current", "mig.mode.current", ""}, {"Pending", "mig.mode.pending", ""}};
    static const struct line pci[] = {{"Domain", "pci.domain", ""},
                                      {"Bus", "pci.bus", ""},
                                      {"Device", "pci.device", ""},
                                      {"Device Id", "pci.device_id", ""},
                                      {"Bus Id", "pci.bus_id", ""}};
    static const struct line memory[] = {{"Total", "memory.total", "MiB"},
                                         {"Reserved", "memory.reserved", "MiB"},
                                         {"Used", "memory.used", "MiB"},
                                         {"Free", "memory.free", "MiB"}};
    static const struct line used[] = {{"GPU", "utilization.gpu", "%"}, {"Memory", "utilization.memory", "%"}};
    static const struct line ecc[] = {{"Current", "ecc.mode.current", ""}, {"Pending", "ecc.mode.pending", ""}};
    static const struct line heat[] = {{"GPU Current Temp", "temperature.gpu", "C"},
                                       {"Memory Current Temp", "temperature.memory", "C"}};
    static const struct line power[] = {{"Average Power Draw", "power.draw", "W"},
                                        {"Current Power Limit", "power.limit", "W"},
                                        {"Default Power Limit", "power.default_limit", "W"},
                                        {"Min Power Limit", "power.min_limit", "W"},
                                        {"Max Power Limit", "power.max_limit", "W"}};
    static const struct line clocks[] = {{"Graphics", "clocks.gr", "MHz"},
                                         {"SM", "clocks.sm", "MHz"},
                                         {"Memory", "clocks.mem", "MHz"},
                                         {"Video", "clocks.video", "MHz"}};
    static const struct line fastest[] = {
        {"Graphics", "clocks.max.gr", "MHz"}, {"SM", "clocks.max.sm", "MHz"}, {"Memory", "clocks.max.mem", "MHz"}};
    print_head(device);
    LINES(device, NULL, what);
    LINES(device, "MIG Mode", mig);
    LINES(device, "PCI", pci);
    LINES(device, "FB Memory Usage", memory);
    LINES(device, "Utilization", used);
    LINES(device, "ECC Mode", ecc);
    LINES(device, "Temperature", heat);
    LINES(device, "GPU Power Readings", power);
    LINES(device, "Clocks", clocks);
    LINES(device, "Max Clocks", fastest);
    printf("    %-46s: None\n", "Processes");
}

void smi_page_version(void)
{
    char driver[SMI_TEXT], nvml[SMI_TEXT], cuda[SMI_TEXT];
    smi_value(NULL, "driver_version", driver);
    if (nvmlSystemGetNVMLVersion(nvml, sizeof nvml) != NVML_SUCCESS) snprintf(nvml, sizeof nvml, "N/A");
    write_cuda(cuda);
    printf("NVIDIA-SMI version  : %s (tmaref)\nNVML version        : %s\nDRIVER version      : %s\n"
           "CUDA Version        : %s\n",
           driver, nvml, driver, cuda);
}

void smi_page_topology(void)
{
    puts("\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X \tN/A\tN/A\tN/A");
}
