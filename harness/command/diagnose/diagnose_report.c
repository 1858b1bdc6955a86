// SPDX-License-Identifier: MIT
// The answer of `tmaref diagnose`, in words and as JSON.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "answer.h"
#include "diagnose_command.h"
#include "json.h"
#include "map_names.h"
#include "mbarrier.h"
#include "provenance.h"

enum { ORIGIN_BYTES = 16 };

// What lies at the first wrong byte: the element meant there, and where the bytes found are from.
//   at         address in the dump
//   is_meant, is_found  whether it is known; of a load, `found` is the element at the global address `source`; of a
//              store, `source` is the shared address
struct first_wrong {
    uint64_t at;
    bool is_meant, is_found;
    struct provenance meant;
    uint64_t source;
    int64_t found[TENSORMAP_MAX_RANK];
};

static void look(const struct diagnose *question, const struct diagnosis *answer, struct first_wrong *first)
{
    const struct memory *dump = &question->dump;
    *first = (struct first_wrong){.at = answer->first_wrong};
    uint64_t at = answer->first_wrong / ORIGIN_BYTES * ORIGIN_BYTES;
    if (question->is_store) {
        first->is_meant = true;
        diagnose_element(&question->map, first->at, first->meant.index);
    } else if (question->map.mode == TENSORMAP_TILED && question->slices == 1) {
        struct box box;
        box_start(&box, TENSORMAP_TILED, &question->map, question->coord, NULL);
        first->is_meant =
            provenance_of_shared(&box, question->coord, question->shared, (uint32_t)first->at, &first->meant);
    }
    if (at < dump->base || at - dump->base + ORIGIN_BYTES > dump->size_bytes) return;
    first->source = diagnose_origin(question, dump->bytes + (at - dump->base));
    if (first->source == 0) return;
    first->is_found = true;
    first->source += first->at % ORIGIN_BYTES;
    if (!question->is_store) diagnose_element(&question->map, first->source, first->found);
}

static void print_meant(const struct diagnose *question, const struct first_wrong *first)
{
    printf("  meant there        ");
    if (first->is_meant && first->meant.is_fill) printf("fill, ");
    if (first->is_meant) {
        printf("element (%s)", text_numbers(NUMBERS(first->meant.index, question->map.rank), ", ").at);
        if (!question->is_store) printf(" byte %u", first->meant.byte);
        printf("\n");
    } else
        printf("%s\n", question->map.mode == TENSORMAP_TILED && question->slices == 1
                           ? "what was there before the load: the box has no byte here"
                           : "not said for im2col maps and slices");
}

static void print_first(const struct diagnose *question, const struct diagnosis *answer)
{
    struct first_wrong first;
    look(question, answer, &first);
    if (question->is_store)
        printf("first wrong byte     global 0x%" PRIx64 "\n", first.at);
    else
        printf("first wrong byte     shared 0x%" PRIx64 " (bank %u)\n", first.at, (unsigned)(first.at / 4 % 32));
    print_meant(question, &first);
    printf("  found there        ");
    if (first.is_found && question->is_store)
        printf("what is at shared 0x%" PRIx64 "\n", first.source);
    else if (first.is_found)
        printf("element (%s), global address 0x%" PRIx64 "\n",
               text_numbers(NUMBERS(first.found, question->map.rank), ", ").at, first.source);
    else
        printf("bytes that are not in the %s, or are all alike\n", question->is_store ? "tile" : "tensor");
}

static void print_question(const struct diagnose *question, const struct diagnosis *answer)
{
    const struct tensormap *map = &question->map;
    printf("as meant             %u bytes %s shared 0x%x, %s, coordinates (%s)\n", answer->tx_bytes,
           question->is_store ? "stored from" : "at", question->shared,
           map_value_name(MAP_SWIZZLE, map->swizzle) + sizeof "CU_TENSOR_MAP_" - 1,
           text_numbers(NUMBERS(question->coord, map->rank), ", ").at);
    printf("dump                 0x%" PRIx64 " to 0x%" PRIx64 "%s\n", question->dump.base,
           question->dump.base + question->dump.size_bytes - 1,
           question->before != NULL ? "" : "; what lay there before is not known");
    if (question->has_word) {
        struct mbarrier_fields word = mbarrier_unpack(question->word);
        printf("barrier              phase %d, %u arrivals pending, tx %d\n", word.phase, word.pending, word.tx);
    }
}

static void print_advice(enum cause cause)
{
    if (cause < CAUSES) printf("  %s\n  %s\n", cause_row(cause)->sentence, cause_row(cause)->advice);
}

static void print_explanation(const struct diagnosis *answer, int i)
{
    const struct explanation *e = &answer->explanation[i];
    bool is_two = e->second < CAUSES;
    printf("\n%s%s%s: %s\n", cause_row(e->cause)->id, is_two ? " and " : "", is_two ? cause_row(e->second)->id : "",
           e->what);
    if (!e->is_whole && !e->is_maybe)
        printf("  This explains %u of the %u wrong bytes.\n", e->bytes, answer->wrong_bytes);
    if (i > 0) return;
    print_advice(e->cause);
    print_advice(e->second);
}

// What follows is of another kind than what came before: why. `previous` is NULL at the start.
static void print_heading(const struct diagnose *question, const struct diagnosis *answer,
                          const struct explanation *previous, const struct explanation *next)
{
    bool is_known = next->is_whole || next->is_maybe;
    if (previous == NULL && !next->is_whole && next->is_maybe && diagnosis_is_foreign(answer))
        printf("\n%u of the wrong bytes are not from this %s. Possible reasons: they are old; they are from "
               "another tensor, operand or\nstage (give it with --other); they were converted or byte-swapped; "
               "threads wrote them.\n",
               answer->foreign_bytes, question->is_store ? "tile" : "tensor");
    else if (previous == NULL && !is_known)
        printf("\nNo cause explains every byte. These causes explain the most:\n");
    else if (previous != NULL && next->is_whole && previous->is_whole && previous == &answer->explanation[0])
        printf("\nThese causes leave the same bytes:\n");
    else if (previous != NULL && previous->is_whole && !next->is_whole)
        printf("\nOr, if %s:\n", question->before == NULL ? "the unknown bytes are as it says"
                                                          : "each piece that fits two sources is from the right one");
}

static void print_explanations(const struct diagnose *question, const struct diagnosis *answer)
{
    enum { GUESSES = 5 };
    int guesses = 0;
    for (int i = 0; i < answer->explanations; i++) {
        const struct explanation *e = &answer->explanation[i];
        if (!e->is_whole && e->is_maybe && ++guesses > GUESSES) continue;
        print_heading(question, answer, i == 0 ? NULL : e - 1, e);
        print_explanation(answer, i);
    }
    if (guesses > GUESSES) printf("\n%d more possible causes are in the output of --json.\n", guesses - GUESSES);
}

void diagnose_print(const struct diagnose *question, const struct diagnosis *answer)
{
    if (answer->rule != RULE_OK) {
        printf("the %s as meant faults, rule %s: %s\n", question->is_store ? "store" : "load",
               rule_row(answer->rule)->id, rule_row(answer->rule)->sentence);
        return;
    }
    print_question(question, answer);
    printf("wrong bytes          %u\n", answer->wrong_bytes);
    if (answer->wrong_bytes > 0) print_first(question, answer);
    if (diagnosis_is_clean(answer))
        printf("\nClean: the dump is what this %s leaves.\n", question->is_store ? "store" : "load");
    if (answer->wrong_bytes > 0 && answer->explanations == 0)
        printf("\ntmaref knows no cause that explains these bytes.\n");
    print_explanations(question, answer);
}

static json_t *explanation_json(const struct explanation *explanation)
{
    const struct cause_row *row = cause_row(explanation->cause);
    json_t *json = json_pack("{s:s, s:s, s:b, s:b, s:i, s:s, s:s}", "cause", row->id, "what", explanation->what,
                             "whole", explanation->is_whole, "maybe", explanation->is_maybe, "bytes",
                             (int)explanation->bytes, "sentence", row->sentence, "advice", row->advice);
    if (explanation->second == CAUSES) return json;
    row = cause_row(explanation->second);
    json_object_set_new(
        json, "second",
        json_pack("{s:s, s:s, s:s}", "cause", row->id, "sentence", row->sentence, "advice", row->advice));
    return json;
}

static json_t *first_json(const struct diagnose *question, const struct diagnosis *answer)
{
    struct first_wrong first;
    look(question, answer, &first);
    json_t *json = json_pack("{s:I}", question->is_store ? "global" : "shared", (json_int_t)first.at);
    if (first.is_meant) {
        json_object_set_new(json, "meant", json_numbers(NUMBERS(first.meant.index, question->map.rank)));
        json_object_set_new(json, "fill", json_boolean(first.meant.is_fill));
    }
    if (first.is_found && question->is_store)
        json_object_set_new(json, "source", json_integer((json_int_t)first.source));
    else if (first.is_found)
        json_object_set_new(json, "found", json_numbers(NUMBERS(first.found, question->map.rank)));
    return json;
}

void diagnose_print_json(const struct diagnose *question, const struct diagnosis *answer)
{
    json_t *json = json_pack("{s:b, s:b, s:i, s:i, s:b, s:i, s:i}", "clean", diagnosis_is_clean(answer), "store",
                             question->is_store, "wrong", (int)answer->wrong_bytes, "foreignBytes",
                             (int)answer->foreign_bytes, "foreign", diagnosis_is_foreign(answer), "txBytes",
                             (int)answer->tx_bytes, "tried", (int)answer->tried);
    json_t *array = json_array();
    if (answer->rule != RULE_OK) json_object_set_new(json, "rule", json_string(rule_row(answer->rule)->id));
    if (answer->wrong_bytes > 0) json_object_set_new(json, "first", first_json(question, answer));
    for (int i = 0; i < answer->explanations; i++)
        json_array_append_new(array, explanation_json(&answer->explanation[i]));
    json_object_set_new(json, "explanations", array);
    json_print(json, JSON_INDENT(2));
}

void diagnose_print_causes(bool is_json)
{
    json_t *json = json_array();
    for (int cause = 0; cause < CAUSES; cause++) {
        const struct cause_row *row = cause_row((enum cause)cause);
        json_array_append_new(
            json, json_pack("{s:s, s:s, s:s}", "id", row->id, "sentence", row->sentence, "advice", row->advice));
    }
    answer_print(json, is_json ? NULL : "{*{id:-16}  {sentence}\n}", JSON_INDENT(2));
}
