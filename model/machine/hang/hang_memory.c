// SPDX-License-Identifier: MIT
// Memory that is polled in vain: which variable it is, who wrote it last, and what has become of who did.
#include <string.h>

#include "hang.h"
#include "noted.h"
#include "report.h"

enum { PLACE_BYTES = 160 };

static const struct machine_note *note_of(const struct hang_wait *wait)
{
    return wait->is_known ? machine_noted(wait->cluster->machine, wait->address) : NULL;
}

// The warp that wrote it, if its CTA still runs.
static const struct machine_warp *writer_of(const struct machine_hang *hang, const struct machine_note *note)
{
    for (uint32_t i = 0; i < hang->waits; i++) {
        const struct machine_cluster *cluster = hang->wait[i].cluster;
        for (uint32_t rank = 0; rank < cluster->ctas; rank++)
            if (cluster->cta[rank].number == note->cta && cluster->cta[rank].warp[note->warp].live != 0)
                return &cluster->cta[rank].warp[note->warp];
    }
    return NULL;
}

// What it waits for: memory that one of its lanes polls, while others may wait for that one.
static const struct hang_wait *wait_of_writer(const struct machine_hang *hang, const struct machine_warp *writer)
{
    for (uint32_t i = 0; i < writer->strands; i++) {
        const struct hang_wait *its = hang_wait_of_strand(hang, &writer->strand[i]);
        if (its != NULL && its->what == HANG_MEMORY) return its;
    }
    return hang_wait_of(hang, writer);
}

static void add_note(struct machine_text *text, const struct hang_wait *wait, const struct machine_note *note)
{
    char place[PLACE_BYTES];
    machine_text_add(text, "CTA (%u,%u,%u), warp %u, at %s", note->ctaid[0], note->ctaid[1], note->ctaid[2], note->warp,
                     hang_line(wait->cluster->machine, note->line, note->called_at, place, sizeof place));
    if (note->has_value) machine_text_add(text, ", which stored 0x%llx", (unsigned long long)note->value);
}

// Of a few CTAs, the one that has not written what all others have; -1: there is none.
static int who_has_not(const struct machine *machine, const struct machine_note *note)
{
    const uint64_t ctas = (uint64_t)machine->shape.grid[0] * machine->shape.grid[1] * machine->shape.grid[2];
    if (ctas < 3 || ctas > 64 || note->is_partial) return -1;
    const uint64_t missing = ~note->ctas & (ctas == 64 ? UINT64_MAX : (UINT64_C(1) << ctas) - 1);
    return missing != 0 && (missing & (missing - 1)) == 0 ? __builtin_ctzll(missing) : -1;
}

void hang_tell_memory(const struct machine_hang *hang, const struct hang_wait *wait, struct machine_text *text)
{
    const struct machine *machine = wait->cluster->machine;
    const struct machine_note *note = note_of(wait);
    if (note == NULL) {
        const uint64_t ended = machine->begun > hang->clusters ? machine->begun - hang->clusters : 0;
        machine_text_add(text, "%s; %llu of its CTAs %s ended",
                         machine_note_is_lost(machine, wait->address)
                             ? "who wrote it last is not known"
                             : "no store or atomic of one thread has written it in this launch",
                         (unsigned long long)(ended * machine->ctas), ended * machine->ctas == 1 ? "has" : "have");
        return;
    }
    const int without = who_has_not(machine, note);
    machine_text_add(text, "written last by ");
    add_note(text, wait, note);
    machine_text_add(text, "; %s%llu write%s in this launch", note->is_partial ? "at least " : "",
                     (unsigned long long)note->writes, note->writes == 1 ? "" : "s");
    if (without >= 0) machine_text_add(text, ", by all CTAs but number %d", without);
}

// Clusters that have not begun are kept out by those that run, and wait.
static bool others_cannot_begin(struct hang_wait *wait)
{
    const struct machine *machine = wait->cluster->machine;
    const uint32_t *count = machine->first.nclusterid;
    const uint64_t clusters = (uint64_t)count[0] * count[1] * count[2];
    if (machine->begun >= clusters) return false;
    struct machine_text to = hang_likely(wait, wait->score);
    machine_text_add(
        &to,
        "%llu of %llu CTAs have not begun: those that run leave no room. If one of them is to write it, the "
        "grid is too large; a cooperative launch refuses such a grid.",
        (unsigned long long)((clusters - machine->begun) * machine->ctas),
        (unsigned long long)(clusters * machine->ctas));
    return true;
}

// Nobody has written it, but a word near it: flags lie side by side.
static void explain_unwritten(struct hang_wait *wait)
{
    const struct machine *machine = wait->cluster->machine;
    const struct machine_note *near = wait->is_known ? machine_noted_near(machine, wait->address) : NULL;
    if (near == NULL || machine_note_is_lost(machine, wait->address)) return;
    const int without = who_has_not(machine, near);
    struct machine_text to = hang_likely(wait, wait->score);
    machine_text_add(&to, "near it, 0x%llx was written last by ", (unsigned long long)near->address);
    add_note(&to, wait, near);
    if (without >= 0) machine_text_add(&to, ", and by all CTAs but number %d", without);
    machine_text_add(&to,
                     ". The write of this one is missing or goes to another address, or the poll reads the wrong one.");
}

void hang_explain_memory(const struct machine_hang *hang, struct hang_wait *wait)
{
    const struct machine_note *note = note_of(wait);
    char place[PLACE_BYTES];
    if (others_cannot_begin(wait)) return;
    if (note == NULL) {
        explain_unwritten(wait);
        return;
    }
    const struct machine_warp *writer = writer_of(hang, note);
    const struct hang_wait *its = writer != NULL ? wait_of_writer(hang, writer) : NULL;
    struct machine_text to = hang_likely(wait, wait->score);
    machine_text_add(&to, "CTA (%u,%u,%u) wrote it last (%s)", note->ctaid[0], note->ctaid[1], note->ctaid[2],
                     hang_line(wait->cluster->machine, note->line, note->called_at, place, sizeof place));
    if (its != NULL)
        machine_text_add(&to, " and is at %s. If that keeps it from its next write, look there. Else ",
                         hang_place(its, place, sizeof place));
    else
        machine_text_add(&to, " and has exited: ");
    machine_text_add(&to,
                     "a write behind that is missing or goes to another address, or this one left another value than "
                     "the poll wants.");
}

// Can somebody who polls at `by` still come to where the word that is polled at `at` was written last? Then he may
// write it.
static bool may_be_written_by(const struct hang_wait *at, const struct hang_wait *by)
{
    const struct machine_note *note = note_of(at);
    const struct hang_part part = {.line = note != NULL ? note->line : 0};
    return note != NULL && hang_reaches_line(by->strand[0], &part);
}

// Is it the first root of its place that polls memory? What goes for it goes for the others.
static bool is_first_poll(const struct machine_hang *hang, uint32_t at)
{
    const struct hang_wait *wait = &hang->wait[at];
    if (wait->what != HANG_MEMORY || !wait->is_root) return false;
    for (uint32_t i = 0; i < at; i++)
        if (hang->wait[i].what == HANG_MEMORY && hang->wait[i].is_root && hang->wait[i].code == wait->code)
            return false;
    return true;
}

// Of two that wait for each other in a loop: the one that is earlier in its round keeps up the other.
static bool is_behind(const struct hang_wait *one, const struct hang_wait *other)
{
    return one->function == other->function && one->code < other->code;
}

// Nobody has written it yet, so who is to is behind. That is the other, unless he waits for a write that is yet to come
// from here.
static bool is_yet_unwritten(const struct hang_wait *wait, const struct hang_wait *other)
{
    return note_of(wait) == NULL && wait->is_known && is_behind(other, wait) && !may_be_written_by(other, wait);
}

static bool depends_on(const struct machine_hang *hang, const struct hang_wait *wait)
{
    for (uint32_t i = 0; i < hang->waits; i++) {
        const struct hang_wait *other = &hang->wait[i];
        if (other->code == wait->code || !is_first_poll(hang, i)) continue;
        if (is_yet_unwritten(wait, other)) return true;
        if (!may_be_written_by(wait, other) || is_yet_unwritten(other, wait)) continue;
        if (!may_be_written_by(other, wait) || is_behind(other, wait)) return true;
    }
    return false;
}

void hang_order_polls(struct machine_hang *hang)
{
    for (uint32_t i = 0; i < hang->waits; i++) {
        const struct machine_code *code = hang->wait[i].code;
        if (!is_first_poll(hang, i) || !depends_on(hang, &hang->wait[i])) continue;
        for (uint32_t j = i; j < hang->waits; j++)
            if (hang->wait[j].what == HANG_MEMORY && hang->wait[j].code == code) hang->wait[j].is_root = false;
    }
}
