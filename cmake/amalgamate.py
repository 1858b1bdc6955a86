#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes two files of the library, tmaref.h and tmaref.c, for projects that take its source in.

  amalgamate.py PUBLIC IDS OUT SOURCE...

PUBLIC: what publish.sh wrote (include/, renames). IDS: the folder of the tables that ids.sh cut. SOURCE: the model's files,
in any order. In tmaref.c public functions have their public names, all others are static in effect: they get a prefix. What
two sources both define for themselves is renamed in each.
"""
import os
import re
import sys
from collections import Counter

public, ids, out, sources = sys.argv[1], sys.argv[2], sys.argv[3], sorted(sys.argv[4:])
model = os.path.dirname(os.path.dirname(os.path.abspath(sources[0])))
SYSTEM = re.compile(r"^#include <([a-z_/]+\.h)>.*\n", re.M)
OWN = re.compile(r'^ *#include "([\w./]+)".*\n', re.M)
WORDS = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|//[^\n]*|[A-Za-z_]\w*|->|[^\sA-Za-z_]')


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


places = {}
for folder, _, files in os.walk(model):
    for name in files:
        if name.endswith((".h", ".def")):
            places.setdefault(name, []).append(os.path.join(folder, name))


def find(name, beside):
    near = os.path.join(os.path.dirname(beside), name)
    if os.path.exists(near):
        return near
    if os.path.exists(os.path.join(ids, name)):
        return os.path.join(ids, name)
    return places[name][0]


# --- tmaref.h ---------------------------------------------------------------------------------------------------------

def flat_header():
    seen, system, parts = set(), set(), []

    def take(path):
        if path in seen:
            return
        seen.add(path)
        text = read(os.path.join(public, "include", path))
        for inner in re.findall(r"^#include <(tmaref/[\w/]+\.h)>", text, re.M):
            take(inner)
        system.update(SYSTEM.findall(re.sub(r"^#include <tmaref/.*\n", "", text, flags=re.M)))
        text = re.sub(r"^#include <.*\n", "", text, flags=re.M)
        title = f"// --- {path} ".ljust(120, "-")  # comments of other parts name it so
        parts.append(title + "\n\n" + text.replace("// SPDX-License-Identifier: MIT\n", "", 1).strip("\n"))

    take("tmaref.h")
    head = "// tmaref in one header, made of those of the library: each part begins with the name of its own. The source is tmaref.c.\n"
    return "// SPDX-License-Identifier: MIT\n" + head + "".join(f"#include <{name}>\n" for name in sorted(system)) + "\n" + "\n\n".join(parts) + "\n"


# --- tmaref.c ---------------------------------------------------------------------------------------------------------

def without_bodies(text):
    """The text at file scope: strings, comments and what stands in braces of functions taken out."""
    text = re.sub(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"', "", text)
    text = re.sub(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\) *", "", text)
    return re.sub(r"\\\n", " ", text)


def tags_of(text):
    return set(re.findall(r"^(?:static const |static )?(?:struct|enum|union) (\w+)\s*\{", without_bodies(text), re.M))


def own_names(text):
    """What a file defines at file scope and no other sees: macros, static functions and objects, types, enumerators."""
    names = set(re.findall(r"^#define (\w+)", text, re.M))
    text = without_bodies(text)
    names.update(re.findall(r"^(?:static|[A-Z_]*INLINE)\b[^\n;={]*?\b(\w+)\(", text, re.M))
    names.update(re.findall(r"^(?:static|_Alignas)[^\n;=({]*?\b(\w+)(?:\[[^\n]*?\])* (?:=|\{)", text, re.M))
    names.update(re.findall(r"^static[^\n=({]*?\b(\w+)(?:\[[^\n]*?\])*;", text, re.M))
    names.update(re.findall(r"^\} (?:const )?(\w+)(?:\[[^\n]*?\])*(?: =|;)", text, re.M))
    names.update(re.findall(r"^typedef [^\n]*?\b(\w+)(?:\([^\n]*\))?;", text, re.M))
    for body in re.findall(r"^enum \w*\s*\{(.*?)\}", text, re.M | re.S):
        names.update(re.findall(r"(?:^|,)\s*(\w+)", body))
    return names - {"static", "struct", "enum", "const"}


def all_names(text):
    """The functions too that others see."""
    return own_names(text) | set(re.findall(r"^[a-z][^\n;={#]*?\b(\w+)\(", without_bodies(text), re.M))


def rename(text, names, tags, prefix):
    """Every use of the names but as fields; of tags behind struct, enum, union."""
    last = ""

    def one(match):
        nonlocal last
        word = match.group()
        before, last = last, word if not word.startswith("//") else last
        if before in ("struct", "enum", "union"):
            return prefix + word if word in tags else word
        return prefix + word if word in names and before not in (".", "->") else word

    return WORDS.sub(one, text)


def main():
    renames = dict(line.split() for line in read(os.path.join(public, "renames")).splitlines())
    seen, system, body = set(), set(), []

    def inline(text, path):
        def one(match):
            found = find(match.group(1), path)
            if found.endswith(".h"):
                if found in seen:
                    return ""
                seen.add(found)
            return inline(read(found), found) + "\n"

        system.update(SYSTEM.findall(text))
        return OWN.sub(one, SYSTEM.sub("", text).replace("// SPDX-License-Identifier: MIT\n", "", 1))

    texts = {}
    for path in sources:  # all headers first, then the sources
        texts[path] = re.sub(r'^#include "[\w./]+\.h".*\n', "", read(path), flags=re.M)
        for name in OWN.findall(read(path)):
            if name.endswith(".h"):
                body.append(inline(f'#include "{name}"\n', path))
    headers = "".join(body)
    names, tags = Counter(all_names(headers)), Counter(tags_of(headers))
    for text in texts.values():
        names.update(all_names(text))
        tags.update(tags_of(text))
    for path, text in texts.items():
        stem = re.sub(r"\W", "_", os.path.relpath(path, model))[:-1]
        macros = set(re.findall(r"^#define (\w+)", text, re.M))
        twice = {name for name in own_names(text) - macros if names[name] > 1}
        tags_twice = {tag for tag in tags_of(text) if tags[tag] > 1}
        body.append(f"// --- {os.path.relpath(path, model)}\n" + rename(inline(text, path), twice, tags_twice, stem))
        body.append("".join(f"#undef {name}\n" for name in sorted(macros)))
    with open(os.path.join(out, "tmaref.h"), "w", encoding="utf-8") as file:
        file.write(flat_header())
    with open(os.path.join(out, "tmaref.c"), "w", encoding="utf-8") as file:
        file.write("// SPDX-License-Identifier: MIT\n// tmaref in one file, made of its sources; its header is tmaref.h.\n"
                   "#define _GNU_SOURCE\n#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n"
                   "#pragma clang diagnostic ignored \"-Wunused-function\" // headers' inline functions\n#endif\n")
        file.write("".join(f"#include <{name}>\n" for name in sorted(system)))
        file.write("".join(f"#define {old} {new}\n" for old, new in sorted(renames.items())))
        hidden = all_names(headers) - own_names(headers) - set(renames)
        for line in re.findall(r"^extern ([^\n;(]*;)", headers, re.M):
            hidden.update(re.findall(r"(\w+)(?:\[\w*\])*[,;]", line))
        file.write("".join(f"#define {name} tmaref_private_{name}\n" for name in sorted(hidden)))
        file.write("\n" + re.sub(r"\n{3,}", "\n\n", "".join(body)))


main()
