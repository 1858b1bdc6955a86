# SPDX-License-Identifier: MIT
"""What the site has beside docs/: pages of the root, the reference of the Python package, the playground, the functions.
Links to files that are no pages become their names."""

import ast
import inspect
import os
import posixpath
import re
import shlex
from pathlib import Path
from urllib.parse import urlencode

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).parent.parent
MADE = Path(os.environ["TMAREF_PAGES"])  # the pages of the build, in the places of the short ones of docs/
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md"}


def _entry(node, level):
    """A class or function of the package: its name with what it takes, its docstring as it is, its public members."""
    text = inspect.cleandoc(ast.get_docstring(node) or "")
    if not text:
        return []
    head = f"{node.name}({ast.unparse(node.args)})\n\n" if isinstance(node, ast.FunctionDef) else ""
    parts = [f"{'#' * level} `{node.name}`", f"```text\n{head}{text}\n```"]
    for member in node.body if isinstance(node, ast.ClassDef) else []:
        if isinstance(member, ast.FunctionDef) and (member.name == "__init__" or member.name[0] != "_"):
            parts += _entry(member, level + 1)
    return parts


def _python_reference():
    """A page of the names that the package has, from its sources."""
    package = ROOT / "python" / "tmaref"
    public = next(ast.literal_eval(n.value) for n in ast.parse((package / "__init__.py").read_text()).body
                  if isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == "__all__")
    found = {n.name: n for path in package.glob("*.py") for n in ast.parse(path.read_text()).body
             if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    parts = ["# The Python package, name by name", "What it is for, and the order of shapes: [python.md](python.md)."]
    for name in public:
        parts += _entry(found[name], 2)
    return "\n\n".join(parts) + "\n"



# --- The rules, a page for each first word of their ids -----------------------------------------------------------------


def _rules():
    """rules.md in parts: what stands before the rules, and the rules by first word."""
    text = (MADE / "rules.md").read_text(encoding="utf-8")
    before, *rules = re.split(r"^(?=## [A-Z][A-Z0-9]*(?:_[A-Z0-9_]+)?$)", text, flags=re.M)
    words = {}
    for rule in rules:
        words.setdefault(re.match(r"## ([A-Z0-9]+)", rule).group(1), []).append(rule)
    return before, words


def _rule_place(anchor):
    """The page of the rule of this anchor, None where it is of no rule: a word alone is a heading of the index."""
    word, _, rest = anchor.partition("_")
    return f"rules/{word}.md" if rest and word.upper() in _RULES[1] else None


_RULES = _rules()


def on_config(config):
    """Puts the pages of rules behind the table of all."""
    for part in config.nav:
        for name, pages in part.items():
            if "rules.md" in pages:
                at = pages.index("rules.md") + 1
                pages[at:at] = [{"Rules by word": [{word: f"rules/{word.lower()}.md"} for word in _RULES[1]]}]
    return config


# --- Pictures, one for each of the site's colours -----------------------------------------------------------------------

DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{(.*?)\n\s*\}(?=\s*(?:</style>|\n))", re.S)


def _pictures(config):
    """Pictures that follow the system, as two that do not: the site shows one of them by its own switch."""
    for path in sorted((ROOT / "docs" / "img").glob("*.svg")):
        text = path.read_text(encoding="utf-8")
        for colour, becomes in (("light", ""), ("dark", r"\1")):
            made, count = DARK.subn(becomes, text)
            if count != 1:
                raise PluginError(f"{path}: {count} blocks of dark colours, not 1")
            yield File.generated(config, f"img/{path.stem}-{colour}.svg", content=made)


PICTURE = re.compile(r"!\[([^\]]+)\]\((?:[^)\s]*/)?img/([\w-]+)\.svg\)")


def _two_pictures(match, page):
    text, name = match.groups()
    place = posixpath.relpath("img", posixpath.dirname(page.file.src_uri) or ".")
    return "".join(f"![{text}]({place}/{name}-{colour}.svg#only-{colour})" for colour in ("light", "dark"))


# Reports are whole on any screen, and so is all of the first page. Drawings and tables must not be wrapped.
WRAPPED = "\n<style>.md-typeset pre > code { white-space: pre-wrap; overflow-wrap: anywhere }</style>\n"
REPORT = re.compile(r": error: |  refused, rule |^ *Likely: ", re.M)


def _wrap_reports(markdown):
    """The page, with the blocks that are reports of the class that site.css wraps."""
    parts = re.split(r"^( *```.*\n)", markdown, flags=re.M)  # text, fence, block, fence, text, ...
    for at in range(2, len(parts), 4):
        fence = parts[at - 1]
        if fence.strip() == "```" and REPORT.search(parts[at]) and not re.search("[\u2500-\u25ff]", parts[at]):
            parts[at - 1] = fence.rstrip() + " {.text .report}\n"
    return "".join(parts)


# What people type who look for a page: the search counts these words most. The site does not print them.
SEARCHED = {
    "exec.md": ["why does my kernel hang", "illegal memory access", "misaligned address", "deadlock", "compute-sanitizer", "no GPU"],
    "frameworks.md": ["PyTorch without a GPU", "torch.cuda.is_available", "JAX on the CPU", "Triton without a GPU", "CuPy"],
    "faults.md": ["illegal memory access", "misaligned address", "illegal instruction", "unspecified launch failure"],
}


def on_files(files, config):
    """Adds what does not lie in docs/, and leaves out what is not to be read there."""
    _check_fields()
    for made in sorted(MADE.glob("*.md")):
        files.remove(files.get_file_from_path(made.name))
        files.append(File.generated(config, made.name, abs_src_path=str(made)))
    files.append(File.generated(config, "site.css", content=(ROOT / "site" / "site.css").read_text(encoding="utf-8")))
    for word, rules in _RULES[1].items():
        text = f"# Rules of {word}\n\nOf [all rules](../rules.md). The first lines of that page say what the outcomes mean.\n\n"
        files.append(File.generated(config, f"rules/{word.lower()}.md", content=text + "".join(rules)))
    for picture in _pictures(config):
        files.append(picture)
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    files.append(File.generated(config, "python-reference.md", content=_python_reference()))
    for name, place in (("playground.html", "TMAREF_PLAYGROUND"), ("functions", "TMAREF_REFERENCE")):
        if place not in os.environ:
            continue
        made = Path(os.environ[place])
        for path in [made] if made.is_file() else sorted(p for p in made.rglob("*") if p.is_file()):
            inside = name if made.is_file() else f"{name}/{path.relative_to(made)}"
            files.append(File.generated(config, inside, abs_src_path=str(path)))
    return files


def _link(page, target, is_page):
    """The link of a page to a place of the tree, as the site has it; None if the site does not have it."""
    path, _, anchor = target.partition("#")
    at_root = page in PAGES.values()
    place = posixpath.normpath(posixpath.join("" if at_root else posixpath.join("docs", posixpath.dirname(page)), path))
    place = PAGES.get(place) or (place.removeprefix("docs/") if place.startswith("docs/") else None)
    if place is None or not is_page(place):
        return None
    if place == "rules.md":
        place = _rule_place(anchor) or place
    return posixpath.relpath(place, posixpath.dirname(page) or ".") + (f"#{anchor}" if anchor else "")


# What the options of `tmaref encode` and `tmaref explain` are called in the address of the playground.
FIELDS = {"--dtype": "dtype", "--dim": "dim", "--strides": "strides", "--box": "box", "--element-strides": "estride", "--address": "address",
          "--swizzle": "swizzle", "--interleave": "interleave", "--oob-fill": "fill", "--coord": "coord", "--shared": "shared", "--cluster": "cluster",
          "--multicast": "along", "--tile": "whole"}  # fmt: skip

# A block of a page that shows what a command prints.
EXAMPLE = re.compile(r"^(?P<indent> *)```\n *\$ (?P<command>tmaref .*)\n(?:(?! *```).*\n)*? *```\n", re.M)


def _packed(dtype, dim):
    """Strides as the command has them when they are left out: packed, in multiples of 16 bytes."""
    strides = [int(re.search(r"\d+", dtype).group()) // 8]
    for elements in dim[:-1]:
        strides.append((strides[-1] * elements + 15) // 16 * 16)
    return strides[1:]


def _check_fields():
    """The playground has all of them, by these names."""
    page = (ROOT / "playground" / "main.js").read_text(encoding="utf-8")
    missing = [field for field in FIELDS.values() if not re.search(rf"\b{field}: \"", page)]
    if missing:
        raise PluginError(f"playground/main.js has no field {', '.join(missing)}: FIELDS of site/hooks.py is wrong")


def playground_state(command):
    """The address of the playground that shows a command's tiled map, behind #; None for any other command."""
    words = shlex.split(command)
    given = {name: value for name, value in zip(words, words[1:]) if name in FIELDS}
    if words[1] not in ("encode", "explain") or not {"--dtype", "--dim", "--box"} <= given.keys():
        return None
    dim = [int(n, 0) for n in given["--dim"].split(",")]
    state = {"address": "0", "swizzle": "none", "shared": "0", "estride": "", "coord": ",".join("0" for _ in dim), "along": "xyz",
             "strides": ",".join(map(str, _packed(given["--dtype"], dim)))}  # what the command takes for options that are left out
    state |= {FIELDS[name]: value for name, value in given.items()}
    if "cluster" in state:
        state["cluster"] = state["cluster"].replace("x", ",")
    return urlencode(state)


def _example(match, place):
    """A block of the page with the link behind it."""
    block, indent, command = match.group(0), match["indent"], match["command"]
    state = playground_state(command)
    return f"{block}\n{indent}[The map in the playground]({place}#{state})\n" if state else block


def _source_of(page):
    """The page of docs/ that a page is cut from."""
    return "rules.md" if page.file.src_uri.startswith("rules/") else page.file.src_uri


def on_page_markdown(markdown, page, config, files):
    """Rewrites links, and adds those of examples into the playground."""
    has = lambda place: files.get_file_from_path(place) is not None
    if page.file.src_uri == "rules.md":
        markdown = _RULES[0]
    if page.file.src_uri == "index.md":
        markdown += WRAPPED
    if page.file.src_uri in SEARCHED:
        page.meta["tags"] = SEARCHED[page.file.src_uri]

    def rewrite(match):
        picture, text, target = match.groups()
        here = page.file.src_uri
        rule = re.fullmatch(r"((?:\.\./)*)(?:rules\.md)?#([a-z0-9_]+)", target) if here != "index.md" else None
        if rule and (_source_of(page) == "rules.md" or "rules.md" in target) and _rule_place(rule[2]):
            return f"{picture}[{text}]({posixpath.relpath(_rule_place(rule[2]), posixpath.dirname(here) or '.')}#{rule[2]})"
        if here.startswith("rules/") and not re.match(r"[a-z]+:|#|\.\./rules.md$", target):
            target = f"../{target}"  # it was written for docs/
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(here), target.partition("#")[0]))
        if re.match(r"[a-z]+:|#", target) or (here not in PAGES.values() and has(beside)):
            return match.group(0)
        link = _link(here, target, has)
        return f"{picture}[{text}]({link})" if link else (text if text.startswith("`") else f"`{text}`")

    markdown = PICTURE.sub(lambda match: _two_pictures(match, page), markdown)
    linked = re.sub(r"(!?)\[([^\]\[]+)\]\(([^)\s]+)\)", rewrite, markdown)
    if has("playground.html"):
        place = posixpath.relpath("playground.html", posixpath.dirname(page.file.src_uri) or ".")
        linked = EXAMPLE.sub(lambda match: _example(match, place), linked)
    linked = _wrap_reports(linked)
    # Modifiers that may be left out stand in brackets in that table; they name no page.
    return re.sub(r"\[(?![^\]\[]+\]\()", "&#91;", linked) if page.file.src_uri == "ptx-forms.md" else linked
