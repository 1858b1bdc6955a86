// SPDX-License-Identifier: MIT
// The answer of `tmaref diagnose`, in words and as JSON.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "diagnose_command.h"
#include "explain.h"
#include "map_names.h"
#include "mbarrier.h"
#include "provenance.h"

enum { ORIGIN_BYTES = 16 };

// What lies at the first wrong byte: the element meant there, and the one whose bytes were found.
//   is_meant, is_found  whether it is known; found holds the element at the global address `source`
struct first_wrong {
    uint32_t shared;
    int is_meant, is_found;
    struct provenance meant;
    uint64_t source;
    int64_t found[TENSORMAP_MAX_RANK];
};

static void look(const struct diagnose *question, const struct diagnosis *answer, struct first_wrong *first)
{
    const struct memory *dump = &question->dump;
    *first = (struct first_wrong){.shared = answer->first_wrong};
    uint64_t at = answer->first_wrong / ORIGIN_BYTES * ORIGIN_BYTES;
    if (question->map.mode == TENSORMAP_TILED && question->slices == 1)
        first->is_meant =
            provenance_of_shared(&question->map, question->coord, question->shared, first->shared, &first->meant);
    if (at < dump->base || at - dump->base + ORIGIN_BYTES > dump->size_bytes) return;
    first->source = diagnose_origin(question, dump->bytes + (at - dump->base));
    if (first->source == 0) return;
    first->is_found = 1;
    first->source += first->shared % ORIGIN_BYTES;
    diagnose_element(&question->map, first->source, first->found);
}

static void print_first(const struct diagnose *question, const struct diagnosis *answer)
{
    struct first_wrong first;
    look(question, answer, &first);
    printf("first wrong byte     shared 0x%x (bank %u)\n", first.shared, first.shared / 4 % 32);
    printf("  meant there        ");
    if (first.is_meant && first.meant.is_fill) printf("fill, ");
    if (first.is_meant) {
        printf("element ");
        explain_print_index(first.meant.index, question->map.rank);
        printf(" byte %u\n", first.meant.byte);
    } else
        printf("%s\n", question->map.mode == TENSORMAP_TILED && question->slices == 1
                           ? "what was there before: no byte of the box"
                           : "not said for im2col maps and slices");
    printf("  found there        ");
    if (first.is_found) {
        printf("element ");
        explain_print_index(first.found, question->map.rank);
        printf(", global address 0x%" PRIx64 "\n", first.source);
    } else
        printf("bytes that are nowhere in the tensor, or all alike\n");
}

static void print_question(const struct diagnose *question, const struct diagnosis *answer)
{
    const struct tensormap *map = &question->map;
    int64_t coord[TENSORMAP_MAX_RANK] = {0};
    for (int i = 0; i < map->rank; i++) coord[i] = question->coord[i];
    printf("as meant             %u bytes at shared 0x%x, %s, coordinates ", answer->tx_bytes, question->shared,
           map_value_name(MAP_SWIZZLE, map->swizzle) + sizeof "CU_TENSOR_MAP_" - 1);
    explain_print_index(coord, map->rank);
    printf("\ndump                 0x%" PRIx64 " to 0x%" PRIx64 "%s\n", question->dump.base,
           question->dump.base + question->dump.size_bytes - 1,
           question->before != NULL ? "" : "; what lay there before is not known");
    if (question->has_word) {
        struct mbarrier_fields word = mbarrier_unpack(question->word);
        printf("barrier              phase %d, %u arrivals pending, tx %d\n", word.phase, word.pending, word.tx);
    }
}

static void print_explanation(const struct diagnosis *answer, int i)
{
    const struct explanation *explanation = &answer->explanation[i];
    const struct cause_row *row = cause_row(explanation->cause);
    printf("\n%s: %s\n", row->id, explanation->what);
    if (!explanation->is_whole)
        printf("  This explains %u of the %u wrong bytes.\n", explanation->bytes, answer->wrong_bytes);
    if (i == 0) printf("  %s\n  %s\n", row->sentence, row->advice);
}

void diagnose_print(const struct diagnose *question, const struct diagnosis *answer)
{
    if (answer->rule != RULE_OK) {
        printf("the load as meant faults, rule %s: %s\n", rule_row(answer->rule)->id, rule_row(answer->rule)->sentence);
        return;
    }
    print_question(question, answer);
    printf("wrong bytes          %u\n", answer->wrong_bytes);
    if (answer->wrong_bytes > 0) print_first(question, answer);
    if (diagnosis_is_clean(answer)) printf("\nClean: the dump is what this load leaves.\n");
    if (answer->wrong_bytes > 0 && answer->explanations == 0) printf("\nNo cause that tmaref knows explains it.\n");
    for (int i = 0; i < answer->explanations; i++) {
        if (i == 1 && answer->explanation[0].is_whole) printf("\nThe same bytes would come of:\n");
        if (i == 0 && !answer->explanation[0].is_whole) printf("\nNo cause explains every byte. What explains most:\n");
        print_explanation(answer, i);
    }
}

static json_t *explanation_json(const struct explanation *explanation)
{
    const struct cause_row *row = cause_row(explanation->cause);
    return json_pack("{s:s, s:s, s:b, s:i, s:s, s:s}", "cause", row->id, "what", explanation->what, "whole",
                     explanation->is_whole, "bytes", (int)explanation->bytes, "sentence", row->sentence, "advice",
                     row->advice);
}

static json_t *first_json(const struct diagnose *question, const struct diagnosis *answer)
{
    struct first_wrong first;
    look(question, answer, &first);
    json_t *json = json_pack("{s:i}", "shared", (int)first.shared);
    if (first.is_meant) {
        json_object_set_new(json, "meant", explain_index(first.meant.index, question->map.rank));
        json_object_set_new(json, "fill", json_boolean(first.meant.is_fill));
    }
    if (first.is_found) json_object_set_new(json, "found", explain_index(first.found, question->map.rank));
    return json;
}

void diagnose_print_json(const struct diagnose *question, const struct diagnosis *answer)
{
    json_t *json = json_pack("{s:b, s:i, s:i, s:i}", "clean", diagnosis_is_clean(answer), "wrong",
                             (int)answer->wrong_bytes, "txBytes", (int)answer->tx_bytes, "tried", (int)answer->tried);
    json_t *array = json_array();
    if (answer->rule != RULE_OK) json_object_set_new(json, "rule", json_string(rule_row(answer->rule)->id));
    if (answer->wrong_bytes > 0) json_object_set_new(json, "first", first_json(question, answer));
    for (int i = 0; i < answer->explanations; i++)
        json_array_append_new(array, explanation_json(&answer->explanation[i]));
    json_object_set_new(json, "explanations", array);
    explain_print_json(json);
}
