// SPDX-License-Identifier: MIT
// The answer of a command is one tree of JSON. Programs get the tree; people get a text with fields in braces:
//   {key}          the value; {a.b}: key b of the object a; {a.0}: the first entry of the array a; {}: the value here
//   {key#}         how many entries the array or object has; {@}: the number or key of this entry
//   {key:FORMAT}   as printf has it: {cases:9}, {trace:-28}, {word:016x}
//   {key?TEXT}     TEXT if the value is there, and not null, false, 0 or empty; {key!TEXT}: if it is not
//   {key=WORD?TEXT}, {key=WORD!TEXT}  TEXT if the value prints as WORD, or does not; WORD * fits each value that is there
//   {key*TEXT|BETWEEN}  TEXT for each entry of an array or object; keys are the entry's,
//                 {^key} is one of what is around it, and {^a.@} the entry of a with the same number
//   {{             a brace
// A field without a value is printed as it stands.
#ifndef TMAREF_ANSWER_H
#define TMAREF_ANSWER_H

#include <jansson.h>
#include <stdio.h>

void answer_text(const json_t *tree, const char *text, FILE *out);

// Prints the tree to standard output and drops it: by `text`, or with NULL as JSON with jansson's `flags`.
void answer_print(json_t *tree, const char *text, size_t flags);

#endif
