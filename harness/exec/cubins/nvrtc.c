// SPDX-License-Identifier: MIT
// NVRTC keeps the PTX of what it compiles for a real GPU, too: nvrtcGetPTX gives it beside the cubin (13.0 and 12.4,
// tried).
#include <stdlib.h>
#include <string.h>

#include "cubin.h"
#include "cubins.h"

enum { NVRTC_ERROR_OUT_OF_MEMORY = 1, NVRTC_ERROR_INVALID_INPUT = 3 };

// What a program has of one kind, by the two functions that give it: NULL if it has nothing, else the caller frees it.
static int fetch(void *program, nvrtcGetCUBINSize_fn ask, nvrtcGetCUBIN_fn get, char **content, size_t *bytes)
{
    *content = NULL;
    int result = ask == NULL || get == NULL ? NVRTC_ERROR_INVALID_INPUT : ask(program, bytes);
    if (result != CUBINS_SUCCESS || *bytes == 0) return result;
    *content = malloc(*bytes);
    result = *content == NULL ? NVRTC_ERROR_OUT_OF_MEMORY : get(program, *content);
    if (result != CUBINS_SUCCESS) free(*content);
    if (result != CUBINS_SUCCESS) *content = NULL;
    return result;
}

// The cubin with its PTX in it; NULL if there is no cubin, or no PTX: then NVIDIA's own answer stands. Programs ask for
// its size and then give as much room: so the answer may not be another one the second time.
static int whole_cubin(void *program, char **whole, size_t *bytes)
{
    char *cubin, *ptx;
    size_t cubin_bytes, ptx_bytes;
    const nvrtcGetCUBIN_fn real = CUBINS_REAL(nvrtcGetCUBIN);
    *whole = NULL;
    int result = fetch(program, CUBINS_REAL(nvrtcGetCUBINSize), real, &cubin, &cubin_bytes);
    if (cubin == NULL) return result;
    result = fetch(program, (nvrtcGetCUBINSize_fn)interpose_beside((void *)real, "nvrtcGetPTXSize"),
                   (nvrtcGetCUBIN_fn)interpose_beside((void *)real, "nvrtcGetPTX"), &ptx, &ptx_bytes);
    const struct cubin_input input = {INPUT_PTX, "", ptx, ptx_bytes};
    if (ptx != NULL) *whole = cubin_with(cubin, cubin_bytes, &input, 1, bytes);
    if (ptx == NULL && result != NVRTC_ERROR_OUT_OF_MEMORY) result = CUBINS_SUCCESS;
    if (ptx != NULL && *whole == NULL) result = NVRTC_ERROR_OUT_OF_MEMORY;
    free(cubin);
    free(ptx);
    return result;
}

int nvrtcGetCUBINSize(void *program, size_t *bytes)
{
    char *whole;
    size_t whole_bytes;
    const nvrtcGetCUBINSize_fn real = CUBINS_REAL(nvrtcGetCUBINSize);
    int result = real == NULL ? NVRTC_ERROR_INVALID_INPUT : real(program, bytes);
    if (result == CUBINS_SUCCESS) result = whole_cubin(program, &whole, &whole_bytes);
    if (result != CUBINS_SUCCESS || whole == NULL) return result;
    *bytes = whole_bytes;
    free(whole);
    return CUBINS_SUCCESS;
}

int nvrtcGetCUBIN(void *program, char *cubin)
{
    char *whole = NULL;
    size_t bytes;
    const nvrtcGetCUBIN_fn real = CUBINS_REAL(nvrtcGetCUBIN);
    if (real == NULL) return NVRTC_ERROR_INVALID_INPUT;
    const int result = cubin == NULL ? CUBINS_SUCCESS : whole_cubin(program, &whole, &bytes);
    if (result != CUBINS_SUCCESS) return result;
    if (whole == NULL) return real(program, cubin);
    memcpy(cubin, whole, bytes);
    free(whole);
    return CUBINS_SUCCESS;
}
