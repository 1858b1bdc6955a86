#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# NVML under `tmaref exec`, as C and as Python's pynvml (nvidia-ml-py) ask it. TMAREF is the command, NVML_CALLS a program.
set -u
failed=0
for device in h200 h100; do "$TMAREF" exec --device "$device" -- "$NVML_CALLS" || failed=1; done
"$TMAREF" exec --cuda 13050 -- "$NVML_CALLS" || failed=1
told=$("$TMAREF" exec --verbose -- "$NVML_CALLS" 2>&1) || failed=1
[ "$(grep -c 'nvmlDeviceGetSerial: .*NVML_ERROR_NOT_SUPPORTED' <<<"$told")" = 1 ] || { echo "not named once: $told"; failed=1; }
[ -z "$("$TMAREF" exec -- "$NVML_CALLS" 2>&1)" ] || { echo "it speaks without --verbose"; failed=1; }
[ $failed = 0 ] || exit 1

python=${NVML_PYTHON:-python3}
"$python" -c 'import pynvml' 2>/dev/null || { echo "skipped: $python has no pynvml (nvidia-ml-py); C was shown"; exit 0; }
"$TMAREF" exec -- "$python" - <<'END'
from pynvml import *
nvmlInit()
device = nvmlDeviceGetHandleByIndex(0)
text = lambda value: value.decode() if isinstance(value, bytes) else value
assert nvmlDeviceGetCount() == 1 and text(nvmlDeviceGetName(device)) == "NVIDIA H200 (tmaref)"
assert nvmlDeviceGetMemoryInfo(device).free == nvmlDeviceGetMemoryInfo(device, version=nvmlMemory_v2).free == 150109880320
assert nvmlDeviceGetCudaComputeCapability(device) == (9, 0) and nvmlSystemGetCudaDriverVersion() == 13000
place = text(nvmlDeviceGetPciInfo(device).busId)
assert nvmlDeviceGetIndex(nvmlDeviceGetHandleByPciBusId(nvmlDeviceGetPciInfo(device).busId)) == 0, place
assert nvmlDeviceGetIndex(nvmlDeviceGetHandleByUUID(nvmlDeviceGetUUID(device))) == 0
assert nvmlDeviceGetUtilizationRates(device).gpu == 0 and nvmlDeviceGetComputeRunningProcesses(device) == []
assert nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU) == 0 and nvmlDeviceGetEnforcedPowerLimit(device) == 700000
assert nvmlDeviceGetMaxClockInfo(device, NVML_CLOCK_SM) == 1980 and nvmlDeviceGetArchitecture(device) == NVML_DEVICE_ARCH_HOPPER
try:
    assert nvmlDeviceGetMigMode(device) == [0, 0]
    nvmlDeviceGetSerial(device)
    raise SystemExit("it has a serial number?")
except NVMLError_NotSupported as error:
    assert str(error) == "Not Supported" or str(error) == "Not supported", error
nvmlShutdown()
END
