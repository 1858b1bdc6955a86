// SPDX-License-Identifier: MIT
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "smi.h"

static const char not_known[] = "[N/A]";

static void put(char text[SMI_TEXT], enum nvml_result result, const char *format, unsigned long long value)
{
    if (result == NVML_SUCCESS)
        snprintf(text, SMI_TEXT, format, value);
    else
        snprintf(text, SMI_TEXT, "%s", not_known);
}

static void write_switch(char text[SMI_TEXT], enum nvml_result result, unsigned value)
{
    snprintf(text, SMI_TEXT, "%s", result != NVML_SUCCESS ? not_known : value != 0 ? "Enabled" : "Disabled");
}

// --- Which device ----------------------------------------------------------------------------------------------------

static void write_time(smi_device device, char text[SMI_TEXT])
{
    struct timespec now;
    struct tm local;
    (void)device;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &local);
    const size_t length = strftime(text, SMI_TEXT, "%Y/%m/%d %H:%M:%S", &local);
    snprintf(text + length, SMI_TEXT - length, ".%03ld", now.tv_nsec / 1000000);
}

static void write_driver(smi_device device, char text[SMI_TEXT])
{
    (void)device;
    if (nvmlSystemGetDriverVersion(text, SMI_TEXT) != NVML_SUCCESS) snprintf(text, SMI_TEXT, "%s", not_known);
}

static void write_count(smi_device device, char text[SMI_TEXT])
{
    unsigned count = 0;
    (void)device;
    put(text, nvmlDeviceGetCount_v2(&count), "%llu", count);
}

static void write_name(smi_device device, char text[SMI_TEXT])
{
    if (nvmlDeviceGetName(device, text, SMI_TEXT) != NVML_SUCCESS) snprintf(text, SMI_TEXT, "%s", not_known);
}

static void write_uuid(smi_device device, char text[SMI_TEXT])
{
    if (nvmlDeviceGetUUID(device, text, SMI_TEXT) != NVML_SUCCESS) snprintf(text, SMI_TEXT, "%s", not_known);
}

static void write_capability(smi_device device, char text[SMI_TEXT])
{
    int major = 0, minor = 0;
    const enum nvml_result result = nvmlDeviceGetCudaComputeCapability(device, &major, &minor);
    if (result == NVML_SUCCESS)
        snprintf(text, SMI_TEXT, "%d.%d", major, minor);
    else
        snprintf(text, SMI_TEXT, "%s", not_known);
}

// What the simulated device has not: a serial number, a BIOS, fans, a sensor in its memory, Windows.
static void write_nothing(smi_device device, char text[SMI_TEXT])
{
    (void)device;
    snprintf(text, SMI_TEXT, "%s", not_known);
}

// --- Its place on the bus --------------------------------------------------------------------------------------------

static void write_place(smi_device device, char text[SMI_TEXT])
{
    struct nvml_pci pci;
    const bool is_known = nvmlDeviceGetPciInfo_v3(device, &pci) == NVML_SUCCESS;
    snprintf(text, SMI_TEXT, "%s", is_known ? pci.bus_id : not_known);
}

#define PCI(of, format)                                                                                                \
    static void write_pci_##of(smi_device device, char text[SMI_TEXT])                                                 \
    {                                                                                                                  \
        struct nvml_pci pci = {0};                                                                                     \
        const enum nvml_result result = nvmlDeviceGetPciInfo_v3(device, &pci);                                         \
        put(text, result, format, pci.of);                                                                             \
    }
PCI(domain, "0x%04llX")
PCI(bus, "0x%02llX")
PCI(device, "0x%02llX")
PCI(pci_device_id, "0x%08llX")
PCI(pci_subsystem_id, "0x%08llX")

// --- Numbers ---------------------------------------------------------------------------------------------------------

static struct nvml_memory_v2 memory_of(smi_device device)
{
    struct nvml_memory_v2 memory = {.version = (unsigned)sizeof memory | 2U << 24};
    nvmlDeviceGetMemoryInfo_v2(device, &memory);
    return memory;
}

#define MEMORY(of)                                                                                                     \
    static void write_memory_##of(smi_device device, char text[SMI_TEXT])                                              \
    {                                                                                                                  \
        put(text, NVML_SUCCESS, "%llu", memory_of(device).of >> 20);                                                   \
    }
MEMORY(total)
MEMORY(reserved)
MEMORY(used)
MEMORY(free)

#define NUMBER(name, call, format)                                                                                     \
    static void write_##name(smi_device device, char text[SMI_TEXT])                                                   \
    {                                                                                                                  \
        unsigned value = 0;                                                                                            \
        const enum nvml_result result = call;                                                                          \
        put(text, result, format, value);                                                                              \
    }
#define SWITCH(name, call)                                                                                             \
    static void write_##name(smi_device device, char text[SMI_TEXT])                                                   \
    {                                                                                                                  \
        unsigned value = 0, other = 0;                                                                                 \
        const enum nvml_result result = call;                                                                          \
        (void)other;                                                                                                   \
        write_switch(text, result, value);                                                                             \
    }
#define WATTS(name, call)                                                                                              \
    static void write_##name(smi_device device, char text[SMI_TEXT])                                                   \
    {                                                                                                                  \
        unsigned value = 0, other = 0;                                                                                 \
        const enum nvml_result result = call;                                                                          \
        (void)other;                                                                                                   \
        if (result == NVML_SUCCESS)                                                                                    \
            snprintf(text, SMI_TEXT, "%u.%02u", value / 1000, value % 1000 / 10);                                      \
        else                                                                                                           \
            snprintf(text, SMI_TEXT, "%s", not_known);                                                                 \
    }
enum { CLOCK_GRAPHICS, CLOCK_SM, CLOCK_MEMORY, CLOCK_VIDEO };
NUMBER(index, nvmlDeviceGetIndex(device, &value), "%llu")
NUMBER(temperature, nvmlDeviceGetTemperature(device, 0, &value), "%llu")
NUMBER(state, nvmlDeviceGetPerformanceState(device, &value), "P%llu")
NUMBER(clock_graphics, nvmlDeviceGetClockInfo(device, CLOCK_GRAPHICS, &value), "%llu")
NUMBER(clock_sm, nvmlDeviceGetClockInfo(device, CLOCK_SM, &value), "%llu")
NUMBER(clock_memory, nvmlDeviceGetClockInfo(device, CLOCK_MEMORY, &value), "%llu")
NUMBER(clock_video, nvmlDeviceGetClockInfo(device, CLOCK_VIDEO, &value), "%llu")
NUMBER(max_graphics, nvmlDeviceGetMaxClockInfo(device, CLOCK_GRAPHICS, &value), "%llu")
NUMBER(max_sm, nvmlDeviceGetMaxClockInfo(device, CLOCK_SM, &value), "%llu")
NUMBER(max_memory, nvmlDeviceGetMaxClockInfo(device, CLOCK_MEMORY, &value), "%llu")
NUMBER(link_now, nvmlDeviceGetCurrPcieLinkGeneration(device, &value), "%llu")
NUMBER(link_max, nvmlDeviceGetMaxPcieLinkGeneration(device, &value), "%llu")
NUMBER(lanes_now, nvmlDeviceGetCurrPcieLinkWidth(device, &value), "%llu")
NUMBER(lanes_max, nvmlDeviceGetMaxPcieLinkWidth(device, &value), "%llu")
SWITCH(display_active, nvmlDeviceGetDisplayActive(device, &value))
SWITCH(display_mode, nvmlDeviceGetDisplayMode(device, &value))
SWITCH(persistence, nvmlDeviceGetPersistenceMode(device, &value))
SWITCH(accounting, nvmlDeviceGetAccountingMode(device, &value))
SWITCH(power_management, nvmlDeviceGetPowerManagementMode(device, &value))
SWITCH(ecc_now, nvmlDeviceGetEccMode(device, &value, &other))
SWITCH(ecc_next, nvmlDeviceGetEccMode(device, &other, &value))
SWITCH(mig_now, nvmlDeviceGetMigMode(device, &value, &other))
SWITCH(mig_next, nvmlDeviceGetMigMode(device, &other, &value))
WATTS(power_draw, nvmlDeviceGetPowerUsage(device, &value))
WATTS(power_limit, nvmlDeviceGetPowerManagementLimit(device, &value))
WATTS(power_enforced, nvmlDeviceGetEnforcedPowerLimit(device, &value))
WATTS(power_default, nvmlDeviceGetPowerManagementDefaultLimit(device, &value))
WATTS(power_least, nvmlDeviceGetPowerManagementLimitConstraints(device, &value, &other))
WATTS(power_most, nvmlDeviceGetPowerManagementLimitConstraints(device, &other, &value))

static void write_used_gpu(smi_device device, char text[SMI_TEXT])
{
    struct nvml_utilization used = {0};
    const enum nvml_result result = nvmlDeviceGetUtilizationRates(device, &used);
    put(text, result, "%llu", used.gpu);
}

static void write_used_memory(smi_device device, char text[SMI_TEXT])
{
    struct nvml_utilization used = {0};
    const enum nvml_result result = nvmlDeviceGetUtilizationRates(device, &used);
    put(text, result, "%llu", used.memory);
}

static void write_compute_mode(smi_device device, char text[SMI_TEXT])
{
    static const char *const modes[] = {"Default", "Exclusive_Thread", "Prohibited", "Exclusive_Process"};
    unsigned mode = 0;
    const enum nvml_result result = nvmlDeviceGetComputeMode(device, &mode);
    snprintf(text, SMI_TEXT, "%s", result == NVML_SUCCESS && mode < 4 ? modes[mode] : not_known);
}

static void write_reasons(smi_device device, char text[SMI_TEXT])
{
    unsigned long long reasons = 0;
    const enum nvml_result result = nvmlDeviceGetCurrentClocksEventReasons(device, &reasons);
    put(text, result, "0x%016llx", reasons);
}

static const struct smi_field fields[] = {
    {"timestamp", NULL, "", write_time},
    {"driver_version", NULL, "", write_driver},
    {"count", NULL, "", write_count},
    {"name", "gpu_name", "", write_name},
    {"serial", "gpu_serial", "", write_nothing},
    {"uuid", "gpu_uuid", "", write_uuid},
    {"index", NULL, "", write_index},
    {"compute_cap", NULL, "", write_capability},
    {"vbios_version", NULL, "", write_nothing},
    {"pci.bus_id", "gpu_bus_id", "", write_place},
    {"pci.domain", NULL, "", write_pci_domain},
    {"pci.bus", NULL, "", write_pci_bus},
    {"pci.device", NULL, "", write_pci_device},
    {"pci.device_id", NULL, "", write_pci_pci_device_id},
    {"pci.sub_device_id", NULL, "", write_pci_pci_subsystem_id},
    {"pcie.link.gen.current", "pcie.link.gen.gpucurrent", "", write_link_now},
    {"pcie.link.gen.max", "pcie.link.gen.gpumax", "", write_link_max},
    {"pcie.link.width.current", NULL, "", write_lanes_now},
    {"pcie.link.width.max", NULL, "", write_lanes_max},
    {"display_active", "display_attached", "", write_display_active},
    {"display_mode", NULL, "", write_display_mode},
    {"persistence_mode", NULL, "", write_persistence},
    {"accounting.mode", NULL, "", write_accounting},
    {"driver_model.current", "driver_model.pending", "", write_nothing},
    {"fan.speed", NULL, "%", write_nothing},
    {"pstate", NULL, "", write_state},
    {"clocks_event_reasons.active", "clocks_throttle_reasons.active", "", write_reasons},
    {"memory.total", NULL, "MiB", write_memory_total},
    {"memory.reserved", NULL, "MiB", write_memory_reserved},
    {"memory.used", NULL, "MiB", write_memory_used},
    {"memory.free", NULL, "MiB", write_memory_free},
    {"compute_mode", NULL, "", write_compute_mode},
    {"utilization.gpu", NULL, "%", write_used_gpu},
    {"utilization.memory", NULL, "%", write_used_memory},
    {"ecc.mode.current", NULL, "", write_ecc_now},
    {"ecc.mode.pending", NULL, "", write_ecc_next},
    {"temperature.gpu", NULL, "", write_temperature},
    {"temperature.memory", NULL, "", write_nothing},
    {"power.management", NULL, "", write_power_management},
    {"power.draw", "power.draw.average", "W", write_power_draw},
    {"power.draw.instant", NULL, "W", write_power_draw},
    {"power.limit", NULL, "W", write_power_limit},
    {"enforced.power.limit", NULL, "W", write_power_enforced},
    {"power.default_limit", NULL, "W", write_power_default},
    {"power.min_limit", NULL, "W", write_power_least},
    {"power.max_limit", NULL, "W", write_power_most},
    {"clocks.current.graphics", "clocks.gr", "MHz", write_clock_graphics},
    {"clocks.current.sm", "clocks.sm", "MHz", write_clock_sm},
    {"clocks.current.memory", "clocks.mem", "MHz", write_clock_memory},
    {"clocks.current.video", "clocks.video", "MHz", write_clock_video},
    {"clocks.max.graphics", "clocks.max.gr", "MHz", write_max_graphics},
    {"clocks.max.sm", NULL, "MHz", write_max_sm},
    {"clocks.max.memory", "clocks.max.mem", "MHz", write_max_memory},
    {"mig.mode.current", NULL, "", write_mig_now},
    {"mig.mode.pending", NULL, "", write_mig_next},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static bool is_name(const char *name, const char *text, size_t bytes)
{
    return name != NULL && strlen(name) == bytes && memcmp(name, text, bytes) == 0;
}

const struct smi_field *smi_find(const char *name, size_t bytes)
{
    for (unsigned i = 0; i < FIELDS; i++)
        if (is_name(fields[i].name, name, bytes) || is_name(fields[i].other, name, bytes)) return &fields[i];
    return NULL;
}

void smi_value(smi_device device, const char *name, char text[SMI_TEXT])
{
    smi_find(name, strlen(name))->write(device, text);
}

void smi_list_fields(void)
{
    for (unsigned i = 0; i < FIELDS; i++) {
        printf("%s", fields[i].name);
        if (fields[i].other != NULL) printf(" or %s", fields[i].other);
        puts("");
    }
}
