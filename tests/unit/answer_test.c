// SPDX-License-Identifier: MIT
// The suite `answer`: each kind of field of a text, and the text that it makes of a tree.
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "rows.h"

static const char tree[] =
    "{\"name\": \"a\", \"n\": 12, \"big\": \"0xffffffffffffffff\", \"one\": 1, \"none\": 0, \"half\": 0.5, \"yes\": "
    "true, \"no\": false, \"null\": null,"
    " \"empty\": [], \"list\": [1, 0, 3], \"in\": {\"name\": \"b\", \"list\": [7]}, \"rows\": [{\"n\": 1}, {\"m\": "
    "2}]}";

#define ROWS "answers.tsv"

LOOP_TEST(answer_text_fills_fields, 0, rows_count(ROWS, NULL))
{
    const struct row *row = rows_at(ROWS, NULL, _i);
    json_t *json = json_loads(tree, 0, NULL);
    char *printed = NULL;
    size_t bytes;
    FILE *out = open_memstream(&printed, &bytes);
    answer_text(json, row->field[0], out);
    fclose(out);
    ck_assert_msg(strcmp(printed, row->field[1]) == 0, "%s: '%s' makes '%s', not '%s'", row->where, row->field[0],
                  printed, row->field[1]);
    free(printed);
    json_decref(json);
}
