// SPDX-License-Identifier: MIT
#include "command_help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "version_text.h"

enum { LINE_COLUMNS = 70, MOST_GROUP = 16 };

// Characters that troff takes for something else, or shows as another one. A hyphen stays one that can be copied.
static void put(char c)
{
    static const struct {
        char c;
        const char *troff;
    } special[] = {{'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        if (special[i].c != c) continue;
        fputs(special[i].troff, stdout);
        return;
    }
    putchar(c);
}

static void put_all(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) put(text[i]);
}

// Puts the words of one paragraph into lines. A line that would begin with a dot gets a mark of no width.
static void put_words(const char *text, size_t length)
{
    size_t column = 0;
    for (size_t at = 0, word; at < length; at += word) {
        while (at < length && text[at] == ' ') at++;
        for (word = 0; at + word < length && text[at + word] != ' ';) word++;
        if (word == 0) break;
        if (column > 0) putchar(column + 1 + word > LINE_COLUMNS ? '\n' : ' ');
        column = column > 0 && column + 1 + word <= LINE_COLUMNS ? column + 1 + word : word;
        if (column == word && text[at] == '.') fputs("\\&", stdout);
        put_all(text + at, word);
    }
    putchar('\n');
}

void man_text(const char *text)
{
    bool is_first = true, is_literal = false, is_blank = false;
    for (; text != NULL && *text != '\0'; text += strcspn(text, "\n"), text += *text == '\n') {
        const size_t length = strcspn(text, "\n");
        if (length == 0) {
            is_blank = true;
            continue;
        }
        const bool becomes_literal = text[0] == ' ';
        if (is_literal && !becomes_literal) printf(".fi\n");
        if (is_blank || is_literal != becomes_literal)
            printf(".PP\n");
        else if (!is_literal && !is_first)
            printf(".br\n");
        if (becomes_literal && !is_literal) printf(".nf\n");
        is_literal = becomes_literal, is_blank = is_first = false;
        if (is_literal)
            put_all(text, length), putchar('\n');
        else
            put_words(text, length);
    }
    if (is_literal) printf(".fi\n");
}

// "tmaref encode" as the name of its page.
static void put_page_name(const char *name, int (*letter)(int))
{
    for (; *name != '\0'; name++) put(*name == ' ' ? '-' : (char)letter((unsigned char)*name));
}

static int same(int c)
{
    return c;
}

void man_section(const char *title)
{
    printf(".SH \"%s\"\n", title);
}

// No date: the same sources give the same page on every day. Names are not hyphenated.
void man_head(const char *name, const char *summary)
{
    printf(".TH \"");
    put_page_name(name, toupper);
    printf("\" 1 \"\" \"tmaref " TMAREF_VERSION_TEXT "\" \"tmaref\"\n.nh\n.ad l\n");
    man_section("NAME");
    put_page_name(name, same);
    printf(" \\- ");
    put_words(summary, strlen(summary));
}

void man_term(const char *term, const char *meaning)
{
    printf(".TP\n\\fB");
    put_all(term, strlen(term));
    printf("\\fR\n");
    man_text(meaning);
}

void man_see(const char *command, bool goes_on)
{
    printf("\\fBtmaref\\-%s\\fR(1)%s\n", command, goes_on ? "," : "");
}

static void put_name(const struct command_option *row, const struct command_option *owner)
{
    if (row->letter != 0) printf("\\fB\\-%c\\fR, ", row->letter);
    printf("\\fB\\-\\-");
    put_all(row->name, strlen(row->name));
    printf("\\fR");
    if (owner->argument == NULL) return;
    printf("=\\fI");
    put_all(owner->argument, strlen(owner->argument));
    printf("\\fR");
}

static void put_option(const struct command_line *line, const struct command_option *option)
{
    printf(".TP\n");
    put_name(option, option);
    for (const struct command_option *alias = option + 1; alias->is_alias; alias++)
        printf(", "), put_name(alias, option);
    putchar('\n');
    man_text(command_option_help(line, option).at);
}

// A title of the table without its colon.
static void put_title(const char *title)
{
    printf(".SS \"");
    put_all(title, strcspn(title, ":"));
    printf("\"\n");
}

// The rows of one group of --help: those of the part that commands share come first.
static void put_group(const struct command_line *line, int group)
{
    int at = 0;
    if (line->part != NULL) put_group(line->part, group);
    for (const struct command_option *row = line->options; !command_option_is_end(row); row++) {
        if (row->group != 0) at = row->group;
        if (at != group || row->is_alias) continue;
        if (row->name == NULL)
            put_title(row->help);
        else
            put_option(line, row);
    }
}

static void put_usage(const char *name, const char *usage)
{
    for (;;) {
        const size_t length = usage == NULL ? 0 : strcspn(usage, "\n");
        printf("\\fB%s\\fR [\\fIOPTION\\fR...]%s", name, length > 0 ? " " : "");
        if (length > 0) put_all(usage, length);
        putchar('\n');
        if (length == 0 || usage[length] == '\0') return;
        usage += length + 1;
        printf(".br\n");
    }
}

void command_man(const struct command_line *line, const char *name, const char *summary)
{
    struct command_help help = command_help_open(line);
    man_head(name, summary);
    man_section("SYNOPSIS");
    put_usage(name, line->usage);
    man_section("DESCRIPTION");
    man_text(help.before);
    man_section("OPTIONS");
    for (int group = 0; group <= MOST_GROUP; group++) put_group(line, group);
    man_term("--help", "show the options");
    if (help.after != NULL) man_section("NOTES");
    man_text(help.after);
    man_section("SEE ALSO");
    printf("\\fBtmaref\\fR(1)\n");
    command_help_close(&help);
}
