// SPDX-License-Identifier: MIT
// The vectors of encode_vectors.tsv. Tests count them too, where Check's assertions have no test that could fail.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode_call.h"
#include "rows.h"

#define VECTORS "encode_vectors.tsv" // rule, why, base, changes, outcome, limit, nearest

static const char *const bases[] = {"TILED", "IM2COL", "WIDE", "PIXELS_16B", "PIXELS_32B"};
static const char *const outcomes[] = {"ACCEPTED", "REFUSED", "WARNED", "ELSEWHERE"};

static void require(bool holds, const struct row *row, const char *what)
{
    if (holds) return;
    fprintf(stderr, "%s: no such %s\n", row->where, what);
    exit(EXIT_FAILURE);
}

static int find(const struct row *row, int field, const char *const *names, int count, const char *what)
{
    int i = 0;
    while (i < count && strcmp(names[i], row->field[field]) != 0) i++;
    require(i < count, row, what);
    return i;
}

// Its texts are there to the end of the test.
static void read_vector(const struct row *row, struct encode_vector *vector)
{
    char *text = strdup(row->field[3]), *token = strtok(text, " ;"), *index, *value;
    for (int i = 0; token != NULL; token = strtok(NULL, " ;")) {
        require(i + 1 < ROWS_OF(vector->edit) && (index = strtok(NULL, " ;")) != NULL &&
                    (value = strtok(NULL, " ;")) != NULL,
                row, "change");
        vector->edit[i++] = (struct edit){token, atoi(index), strtoull(value, NULL, 0)};
    }
    vector->about = rule_find(row->field[0]);
    require(vector->about != RULE_NONE, row, "rule");
    snprintf(vector->why, sizeof vector->why, "%s: %s", row->where, row->field[1]);
    vector->base = (enum base)find(row, 2, bases, ROWS_OF(bases), "base");
    vector->outcome = (enum outcome_of_call)find(row, 4, outcomes, ROWS_OF(outcomes), "outcome");
    vector->limit = row_number(row, 5);
    vector->nearest = row_number(row, 6);
}

const struct encode_vector *encode_vector(int i)
{
    static struct encode_vector *vectors;
    static int count;
    if (vectors == NULL) {
        count = rows_count(VECTORS, NULL);
        vectors = calloc((size_t)count, sizeof *vectors);
        if (vectors == NULL) abort();
        for (int v = 0; v < count; v++) read_vector(rows_at(VECTORS, NULL, v), &vectors[v]);
    }
    return i < count ? &vectors[i] : NULL;
}

struct encode_call encode_vector_call(const struct encode_vector *vector)
{
    struct encode_call call = encode_call_base(vector->base);
    encode_call_edits(&call, vector->edit);
    return call;
}
