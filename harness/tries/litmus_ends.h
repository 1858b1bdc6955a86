// SPDX-License-Identifier: MIT
// Ends of a litmus test as keys (litmus_kernel.h): what the memory model allows, and what the test asks of an end.
#ifndef TMAREF_LITMUS_ENDS_H
#define TMAREF_LITMUS_ENDS_H

#include <jansson.h>

#include "litmus_layout.h"
#include "memory_model.h"

// The memory of a question to the model; too large for the stack.
struct litmus_model {
    struct model_work work;
    struct model_answer answer;
};

// The keys of all ends that the model allows. `is_cut`: of runs whose loops take no more rounds than the model tried.
struct litmus_allowed {
    bool is_cut;
    int keys;
    uint64_t key[MODEL_OUTCOMES];
};

// 0 with a sentence in `why` if the model cannot tell them all.
int litmus_allowed_ask(const struct litmus *test, const struct litmus_layout *layout,
                       const struct model_options *options, struct litmus_model *model, struct litmus_allowed *allowed,
                       struct text *why);

bool litmus_allowed_has(const struct litmus_allowed *allowed, uint64_t key);

// Asks the model of one end alone, as the claim of `copy`, which becomes the test with that question. The answer then
// names the axiom that forbids it.
void litmus_end_ask(const struct litmus *test, const struct litmus_layout *layout, uint64_t key,
                    const struct model_options *options, struct litmus *copy, struct litmus_model *model);

// Is an end with this key one that the question is about, and one that passes the filter?
bool litmus_key_is_asked(const struct litmus *test, const struct litmus_layout *layout, uint64_t key);
bool litmus_key_passes(const struct litmus *test, const struct litmus_layout *layout, uint64_t key);

// "P1:r0 = 1, x = 0": a key.
struct text litmus_key_text(const struct litmus *test, const struct litmus_layout *layout, uint64_t key);

// {"P1:r0": 1, "x": 0}, and back: 0 with `why` if it is no end of this test.
json_t *litmus_key_json(const struct litmus *test, const struct litmus_layout *layout, uint64_t key);
int litmus_key_read(const struct litmus *test, const struct litmus_layout *layout, const json_t *json, uint64_t *key,
                    struct text *why);

#endif
