// SPDX-License-Identifier: MIT
// The suite `answer`: each kind of field of a text, and the text that it makes of a tree.
#include <stdlib.h>
#include <string.h>

#include "answer.h"

static const char tree[] =
    "{\"name\": \"a\", \"n\": 12, \"big\": \"0xffffffffffffffff\", \"one\": 1, \"none\": 0, \"half\": 0.5, \"yes\": "
    "true, \"no\": false, \"null\": null,"
    " \"empty\": [], \"list\": [1, 0, 3], \"in\": {\"name\": \"b\", \"list\": [7]}, \"rows\": [{\"n\": 1}, {\"m\": "
    "2}]}";

static const struct {
    const char *text, *printed;
} rows[] = {
    {"", ""},
    {"plain } text", "plain } text"},
    {"{name} {n}, {half}", "a 12, 0.5"},
    {"{yes} {no}", "true false"},
    {"{n:5}|{n:-5}|{n:04x}|{half:.2f}|{name:-3}|{name:3}", "   12|12   |000c|0.50|a  |  a"},
    {"{n:*n} {n:%s} {name:x.} {half:*}", "12 12 a 0.5"}, // what is no format of printf counts for nothing
    {"{big} {big:x} {big:20x}", "0xffffffffffffffff ffffffffffffffff     ffffffffffffffff"},
    {"{in.name} {list.2} {in.list.0}", "b 3 7"},
    {"{list#} {empty#} {in#} {list#:3}", "3 0 2   3"},
    {"{name?a}{n?b}{one?c}{yes?d}{list?e}{in?f}{half?g}", "abcdefg"},
    {"{none?a}{no?b}{null?c}{empty?d}{nowhere?e}", ""},
    {"{none!a}{no!b}{null!c}{empty!d}{nowhere!e}{name!f}", "abcde"},
    {"{name=a?yes}{name=a!no}{name=ab?yes}{name=ab!no}", "yesno"},
    {"{one} row{one=1!s}, {n} row{n=1!s}", "1 row, 12 rows"},
    {"{list#=3?three}{none=0?zero}", "threezero"},
    {"{none=*?there}{null=*?there}{nowhere=*?there}{no=*!not there}", "there"},
    {"({list*{}|, })", "(1, 0, 3)"},
    {"{list*{@}: {}\n}", "0: 1\n1: 0\n2: 3\n"},
    {"{list*{? {@}}}", " 0 2"},
    {"{in*{@} }", "name list "},
    {"{empty*x|y}{nowhere*x|y}", ""},
    {"{rows*{n?{n}}{n!{^n}} {^name}|; }", "1 a; 12 a"},
    {"{rows*{^rows#} {^list*{^@}{}{^^none}|-}|, }", "2 010-000-030, 2 110-100-130"},
    {"{rows*{^list.@}{^list*{^^list.@}}|, }", "1103, 0103"},
    {"{rows*{name}}", "{name}{name}"},
    {"{{{n}} {{", "{12} {"},
    {"{yes?{{braces}", "{braces"},
    {"{nowhere} {in.nowhere:4}", "{nowhere} {in.nowhere:4}"},
};

LOOP_TEST(answer_text_fills_fields, 0, ROWS_OF(rows))
{
    json_t *json = json_loads(tree, 0, NULL);
    char *printed = NULL;
    size_t bytes;
    FILE *out = open_memstream(&printed, &bytes);
    answer_text(json, rows[_i].text, out);
    fclose(out);
    ck_assert_msg(strcmp(printed, rows[_i].printed) == 0, "'%s' makes '%s', not '%s'", rows[_i].text, printed,
                  rows[_i].printed);
    free(printed);
    json_decref(json);
}
