// SPDX-License-Identifier: MIT
// For the suites of families: what their readers refuse.
#ifndef TMAREF_FAMILY_REFUSES_H
#define TMAREF_FAMILY_REFUSES_H

// Fails the test if the family takes this case, or refuses it in a sentence without `why`.
void family_refuses(const char *family, const char *text, const char *why);

#endif
