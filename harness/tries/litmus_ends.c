// SPDX-License-Identifier: MIT
#include "litmus_ends.h"

#include <stdio.h>
#include <string.h>

static uint64_t value_at(uint64_t key, int i)
{
    return key >> (i * LITMUS_SEEN_BITS) & LITMUS_OTHER;
}

static uint64_t value_key(int64_t value, int i)
{
    const uint64_t kept = value >= 0 && value < LITMUS_OTHER ? (uint64_t)value : LITMUS_OTHER;
    return kept << (i * LITMUS_SEEN_BITS);
}

static uint64_t key_of(const struct litmus_layout *layout, const struct litmus_end *end)
{
    uint64_t key = 0;
    for (int i = 0; i < layout->seen; i++) {
        const struct litmus_seen *seen = &layout->see[i];
        key |= value_key(seen->thread >= 0 ? end->reg[seen->thread][seen->index] : end->place[seen->index], i);
    }
    return key;
}

static struct litmus_end end_of(const struct litmus_layout *layout, uint64_t key)
{
    struct litmus_end end = {0};
    for (int i = 0; i < layout->seen; i++) {
        const struct litmus_seen *seen = &layout->see[i];
        *(seen->thread >= 0 ? &end.reg[seen->thread][seen->index] : &end.place[seen->index]) =
            (int64_t)value_at(key, i);
    }
    return end;
}

bool litmus_key_is_asked(const struct litmus *test, const struct litmus_layout *layout, uint64_t key)
{
    const struct litmus_end end = end_of(layout, key);
    return litmus_holds(test, test->condition, &end) != (test->claim == CLAIM_ALWAYS);
}

bool litmus_key_passes(const struct litmus *test, const struct litmus_layout *layout, uint64_t key)
{
    const struct litmus_end end = end_of(layout, key);
    return test->filter < 0 || litmus_holds(test, test->filter, &end);
}

// --- What the model says ---------------------------------------------------------------------------------------------

int litmus_allowed_ask(const struct litmus *test, const struct litmus_layout *layout,
                       const struct model_options *options, struct litmus_model *model, struct litmus_allowed *allowed,
                       struct text *why)
{
    struct model_options all = *options;
    const struct model_answer *answer = &model->answer;
    all.question = MODEL_CLAIM;
    all.all_outcomes = 1;
    memory_model_ask(test, &all, &model->work, &model->answer);
    if (answer->is_full || answer->outcomes_lost)
        return text_fail(why, "the test is too large for the model: its paths, values, events or ends do not fit");
    if (answer->is_unfinished) return text_fail(why, "gave up: --most is reached; raise it, or make the test smaller");
    *allowed = (struct litmus_allowed){.is_cut = answer->is_cut, .keys = answer->outcomes};
    for (int i = 0; i < answer->outcomes; i++) allowed->key[i] = key_of(layout, &answer->outcome[i].end);
    return 1;
}

bool litmus_allowed_has(const struct litmus_allowed *allowed, uint64_t key)
{
    for (int i = 0; i < allowed->keys; i++)
        if (allowed->key[i] == key) return true;
    return false;
}

static struct litmus_leaf leaf_of(const struct litmus_seen *seen)
{
    return (struct litmus_leaf){.kind = seen->thread >= 0 ? LEAF_REGISTER : LEAF_PLACE,
                                .thread = seen->thread >= 0 ? seen->thread : 0,
                                .index = seen->index};
}

void litmus_end_ask(const struct litmus *test, const struct litmus_layout *layout, uint64_t key,
                    const struct model_options *options, struct litmus *copy, struct litmus_model *model)
{
    *copy = *test;
    copy->claim = CLAIM_EXISTS;
    copy->filter = -1;
    copy->term[0] = (struct litmus_term){.kind = TERM_TRUE};
    copy->terms = 1;
    copy->condition = 0;
    for (int i = 0; i < layout->seen; i++) {
        const struct litmus_leaf value = {.kind = LEAF_NUMBER, .number = (int64_t)value_at(key, i)};
        copy->term[copy->terms] =
            (struct litmus_term){.kind = TERM_COMPARE, .compare = IF_EQUAL, .leaf = {leaf_of(&layout->see[i]), value}};
        copy->term[copy->terms + 1] =
            (struct litmus_term){.kind = TERM_AND, .left = copy->condition, .right = copy->terms};
        copy->condition = copy->terms + 1;
        copy->terms += 2;
    }
    memory_model_ask(copy, options, &model->work, &model->answer);
}

// --- Words -----------------------------------------------------------------------------------------------------------

// "P1:r0", "x": what value `i` of a key is of.
static struct text litmus_seen_name(const struct litmus *test, const struct litmus_layout *layout, int i)
{
    const struct litmus_seen *seen = &layout->see[i];
    struct text name;
    if (seen->thread < 0)
        text_set(&name, "%s", test->place[seen->index].name);
    else
        text_set(&name, "P%d:%s", seen->thread, test->thread[seen->thread].register_name[seen->index]);
    return name;
}

struct text litmus_key_text(const struct litmus *test, const struct litmus_layout *layout, uint64_t key)
{
    struct text text = {""};
    for (int i = 0; i < layout->seen; i++) {
        char one[100];
        snprintf(one, sizeof one, "%s%.60s = %d%s", i > 0 ? ", " : "", litmus_seen_name(test, layout, i).at,
                 (int)value_at(key, i), value_at(key, i) == LITMUS_OTHER ? " or more" : "");
        strncat(text.at, one, sizeof text.at - strlen(text.at) - 1);
    }
    return text;
}

json_t *litmus_key_json(const struct litmus *test, const struct litmus_layout *layout, uint64_t key)
{
    json_t *json = json_object();
    for (int i = 0; i < layout->seen; i++)
        json_object_set_new(json, litmus_seen_name(test, layout, i).at, json_integer((json_int_t)value_at(key, i)));
    return json;
}

int litmus_key_read(const struct litmus *test, const struct litmus_layout *layout, const json_t *json, uint64_t *key,
                    struct text *why)
{
    *key = 0;
    for (int i = 0; i < layout->seen; i++) {
        const struct text name = litmus_seen_name(test, layout, i);
        const json_t *value = json_object_get(json, name.at);
        const json_int_t number = json_integer_value(value);
        if (!json_is_integer(value) || number < 0 || number > LITMUS_OTHER)
            return text_fail(why, "an end of %.60s says no value of %.40s from 0 to %d", test->name, name.at,
                             LITMUS_OTHER);
        *key |= value_key(number, i);
    }
    if (json_object_size(json) == (size_t)layout->seen) return 1;
    return text_fail(why, "an end of %.60s names more than the test asks for", test->name);
}
