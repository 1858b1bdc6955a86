// SPDX-License-Identifier: MIT
#include "load_launch.h"
#include "result.h"

#include <string.h>

enum { GUARD_BYTES = 256, WORD_BYTES = 8 };

struct load_window load_window_around(uint32_t shared, uint64_t extent)
{
    if (extent > LOAD_SHARED_BYTES) extent = LOAD_SHARED_BYTES;
    uint32_t base = shared / 128 * 128 - GUARD_BYTES;
    uint32_t end = (shared + (uint32_t)extent + 127) / 128 * 128 + GUARD_BYTES;
    if (base < LOAD_WINDOW_START) base = LOAD_WINDOW_START;
    if (end > LOAD_SHARED_END) end = LOAD_SHARED_END;
    return (struct load_window){base, end > base ? end - base : 0};
}

void load_lay_out(struct load_window window, struct result *result)
{
    result->free_bytes += LOAD_LEAD_BYTES - WORD_BYTES;
    result_window(result, "mbarrier", LOAD_BARRIER, WORD_BYTES);
    result_window(result, "shared", window.base, window.size_bytes);
}

void load_canaries(uint32_t base, uint8_t *bytes, uint32_t size_bytes)
{
    for (uint32_t at = 0; at < size_bytes; at += 4) put_u32(bytes + at, load_canary(base + at));
}

// Where the window of shared memory lies in it.
static uint32_t window_at(const struct window *window)
{
    return (uint32_t)window->base - LOAD_SHARED_START;
}

void load_cta_open(struct load_cta *cta, const struct result *result)
{
    const struct window *window = &result->window[result->windows - 1];
    cta->shared = (struct memory){cta->bytes, LOAD_SHARED_START, sizeof cta->bytes};
    cta->word = 0;
    load_canaries((uint32_t)window->base, cta->bytes + window_at(window), window->size_bytes);
}

void load_cta_close(const struct load_cta *cta, const struct result *result)
{
    const struct window *window = &result->window[result->windows - 1];
    memcpy(window[-1].bytes, &cta->word, sizeof cta->word);
    memcpy(window->bytes, cta->bytes + window_at(window), window->size_bytes);
}

void load_set_window(const struct gpu_place *place, struct load_job *job)
{
    const struct window *window = &place->result->window[place->result->windows - 1];
    job->window = (uint32_t)window->base;
    job->window_end = (uint32_t)window->base + window->size_bytes;
    job->output = place->offset + LOAD_LEAD_BYTES;
}
