// SPDX-License-Identifier: MIT
// A table of the last writes, one place for each address, made at the first. It is written under the lock of atomics.
#include "noted.h"

#include <stdlib.h>

#include "report.h"

enum { NOTES = 1024, WORD_BYTES = 4 };

static uint64_t place_of(uint64_t address)
{
    return (address / WORD_BYTES ^ address / WORD_BYTES / NOTES) % NOTES;
}

static void write(struct machine_note *note, const struct machine_strand *strand, const struct machine_code *code)
{
    const struct machine_cta *cta = strand->warp->cta;
    note->writes++;
    note->cta = cta->number;
    if (cta->number < 64) note->ctas |= UINT64_C(1) << cta->number;
    for (int i = 0; i < 3; i++) note->ctaid[i] = cta->ctaid[i];
    note->warp = strand->warp->index;
    note->line = strand->frame->function->source->instruction[code->instruction].line;
    note->called_at = machine_called_at(strand->frame);
}

// One warp alone has nobody to write for.
static bool is_alone(const struct machine *machine, const struct machine_cta *cta)
{
    const uint32_t *grid = machine->shape.grid;
    return cta->warps == 1 && grid[0] == 1 && grid[1] == 1 && grid[2] == 1;
}

void machine_note_write(const struct machine_strand *strand, const struct machine_code *code, uint64_t address,
                        uint32_t bytes, const uint64_t *value)
{
    struct machine *machine = strand->warp->cta->cluster->machine;
    if (is_alone(machine, strand->warp->cta) || code->instruction >= strand->frame->function->source->instructions)
        return;
    machine_combine_lock(machine);
    if (machine->note == NULL) machine->note = calloc(NOTES, sizeof *machine->note);
    if (machine->note != NULL) {
        struct machine_note *note = &machine->note[place_of(address)];
        if (note->address != address) *note = (struct machine_note){.address = address, .is_partial = note->writes > 0};
        note->bytes = bytes;
        note->has_value = value != NULL;
        note->value = value != NULL ? *value : 0;
        write(note, strand, code);
    }
    machine_combine_unlock(machine);
}

// A write lies at a multiple of its size.
const struct machine_note *machine_noted(const struct machine *machine, uint64_t address)
{
    enum { MOST_BYTES = 16 };
    for (uint64_t size = 1; machine->note != NULL && size <= MOST_BYTES; size *= 2) {
        const uint64_t at = address - address % size;
        const struct machine_note *note = &machine->note[place_of(at)];
        if (note->address == at && note->writes > 0 && address - at < note->bytes) return note;
    }
    return NULL;
}

bool machine_note_is_lost(const struct machine *machine, uint64_t address)
{
    return machine->note != NULL && machine->note[place_of(address)].writes > 0;
}

const struct machine_note *machine_noted_near(const struct machine *machine, uint64_t address)
{
    enum { NEAR = 64 };
    for (uint64_t far = WORD_BYTES; far <= NEAR; far += WORD_BYTES) {
        const struct machine_note *before = machine_noted(machine, address - far);
        const struct machine_note *behind = before == NULL ? machine_noted(machine, address + far) : NULL;
        if (before != NULL || behind != NULL) return before != NULL ? before : behind;
    }
    return NULL;
}
