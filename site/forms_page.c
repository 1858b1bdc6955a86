// SPDX-License-Identifier: MIT
// Prints the page ptx-forms.md, the table of instruction forms for people to read. Everything comes from forms.def;
// there is nothing to edit here when a form changes.
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "form.h"

static const char *const support[] = {[PTX_ACCEPTED] = "yes", [PTX_REFUSED] = "no", [PTX_OUTSIDE] = "yes, tmaref no"};

static int count(enum ptx_support wanted)
{
    int rows = 0;
    for (int i = 0; i < ptx_form_count(); i++) rows += ptx_form_row(i)->support == wanted;
    return rows;
}

static int runs(void)
{
    int rows = 0;
    for (int i = 0; i < ptx_form_count(); i++) rows += ptx_form_row(i)->runs != PTX_RUNS_NOT;
    return rows;
}

static void print_intro(void)
{
    printf("# The instruction forms of PTX\n\n"
           "The build makes this page from `model/ptx/forms.def`. [ptx.md](ptx.md) says how to read PTX with `tmaref "
           "ptx`.\n\n"
           "| rows | what they are |\n|---|---|\n"
           "| %d | ptxas of CUDA 13.0 accepts them for sm_90a, and tmaref reads them |\n"
           "| %d | ptxas accepts them for sm_90a, and tmaref refuses them |\n"
           "| %d | ptxas refuses them for sm_90a |\n"
           "| %d | run by tmaref |\n\n",
           count(PTX_ACCEPTED), count(PTX_OUTSIDE), count(PTX_REFUSED), runs());
    if (runs() == 0)
        printf("**No form runs yet.** tmaref reads and checks PTX; there is no machine that executes it.\n\n");
    printf("- Modifiers: words parted by `/` stand for one another; those in brackets may be left out. Types, state "
           "spaces and layouts come in "
           "this order, other words in any.\n"
           "- Operands: `=` is written, `:` is read. T and U are the first and the second type, D is twice as wide as "
           "T, A the accumulator of "
           "a product. Words behind a slash say what else an operand may be, or must be.\n"
           "- Since: the version of PTX.\n\n"
           "| opcode | modifiers | operands | since | ptxas, sm_90a | runs |\n|---|---|---|---|---|---|\n");
}

// A cell must not hold |.
static void print_bars(const char *text)
{
    for (; *text != '\0'; text++) putchar(*text == '|' ? '/' : *text);
}

static void print_slots(const char *text)
{
    if (*text == '\0') printf("-");
    for (size_t length; *text != '\0'; text += length + (text[length] == ' ')) {
        char slot[256];
        length = strcspn(text, " ");
        bool is_optional = text[length - 1] == '?';
        snprintf(slot, sizeof slot, "%.*s", (int)(length - (size_t)is_optional), text);
        printf(is_optional ? "[" : "");
        print_bars(slot);
        printf("%s%s", is_optional ? "]" : "", text[length] == ' ' ? " " : "");
    }
}

static void print_row(const struct ptx_form *form)
{
    printf("| `%s` | ", form->opcode);
    print_slots(form->modifiers);
    printf(" | ");
    if (form->support == PTX_ACCEPTED && form->operands[0] != '\0')
        print_bars(form->operands);
    else
        printf("%s", form->support == PTX_ACCEPTED ? "-" : form->note);
    printf(" | %d.%d | %s | %s |\n", form->since / 10, form->since % 10, support[form->support],
           form->runs == PTX_RUNS_NOT ? "no" : "yes");
}

int main(void)
{
    print_intro();
    for (int i = 0; i < ptx_form_count(); i++) print_row(ptx_form_row(i));
    printf(
        "\n## Sets\n\nShort names of the table for words that stand for one another:\n\n| set | words |\n|---|---|\n");
#define SET(name, words) printf("| @" #name " | "), print_bars(words), printf(" |\n");
#include "sets.def"
    return 0;
}
