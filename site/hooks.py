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



def on_files(files, config):
    """Adds what does not lie in docs/, and leaves out what is not to be read there."""
    _check_fields()
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


def on_page_markdown(markdown, page, config, files):
    """Rewrites links, and adds those of examples into the playground."""
    has = lambda place: files.get_file_from_path(place) is not None

    def rewrite(match):
        picture, text, target = match.groups()
        here = page.file.src_uri
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(here), target.partition("#")[0]))
        if re.match(r"[a-z]+:|#", target) or (here not in PAGES.values() and has(beside)):
            return match.group(0)
        link = _link(here, target, has)
        return f"{picture}[{text}]({link})" if link else (text if text.startswith("`") else f"`{text}`")

    linked = re.sub(r"(!?)\[([^\]\[]+)\]\(([^)\s]+)\)", rewrite, markdown)
    if has("playground.html"):
        place = posixpath.relpath("playground.html", posixpath.dirname(page.file.src_uri) or ".")
        linked = EXAMPLE.sub(lambda match: _example(match, place), linked)
    # Modifiers that may be left out stand in brackets in that table; they name no page.
    return re.sub(r"\[(?![^\]\[]+\]\()", "&#91;", linked) if page.file.src_uri == "ptx-forms.md" else linked
