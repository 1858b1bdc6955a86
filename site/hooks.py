# SPDX-License-Identifier: MIT
"""What the site has beside docs/: pages of the root, the reference of the Python package, the playground, the functions.
Links to files that are no pages become their names."""

import ast
import inspect
import os
import posixpath
import re
from pathlib import Path

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


def on_page_markdown(markdown, page, config, files):
    """Rewrites links."""
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
    # Modifiers that may be left out stand in brackets in that table; they name no page.
    return re.sub(r"\[(?![^\]\[]+\]\()", "&#91;", linked) if page.file.src_uri == "ptx-forms.md" else linked
