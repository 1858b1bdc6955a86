// SPDX-License-Identifier: MIT
// The sections of a test program: SECTION(name) { ... } is one, which the program runs in a process of its own. CMake
// finds the names in the sources (sections.cmake) and makes a test of each.
#ifndef TMAREF_TESTS_SECTION_H
#define TMAREF_TESTS_SECTION_H

struct section {
    const char *name;
    void (*show)(void);
    struct section *next;
};

// For the macro.
void section_register(struct section *section);

// NULL if there is none of that name.
const struct section *section_find(const char *name);

#define SECTION(title)                                                                                                 \
    void show_##title(void);                                                                                           \
    __attribute__((constructor)) static void register_##title(void)                                                    \
    {                                                                                                                  \
        static struct section section = {.name = #title, .show = show_##title};                                        \
        section_register(&section);                                                                                    \
    }                                                                                                                  \
    void show_##title(void)

#endif
