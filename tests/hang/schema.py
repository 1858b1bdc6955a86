#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what `tmaref exec --json` says of hangs against docs/hang.schema.json.

usage: schema.py SCHEMA FILE    each line of FILE is one of exec's. The keywords that the schema uses are checked here, and by
the package jsonschema, too, where it is installed.
"""
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}
KEYWORDS = {"type", "enum", "const", "pattern", "required", "properties", "additionalProperties", "items", "minItems", "maxItems",
            "$ref", "$defs", "$schema", "title", "description"}


def mistakes(value, schema, root, at):
    """Where a value is not as the schema has it."""
    assert set(schema) <= KEYWORDS, set(schema) - KEYWORDS
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    kind = schema.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or (kind == "integer" and isinstance(value, bool))):
        return [f"{at} is {value!r}, not of type {kind}"]
    found = []
    if "enum" in schema and value not in schema["enum"] or "const" in schema and value != schema["const"]:
        found.append(f"{at} is {value!r}")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{at} is {value!r}, not like {schema['pattern']}")
    if kind == "array":
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append(f"{at} has {len(value)} items")
        for i, item in enumerate(value):
            found += mistakes(item, schema["items"], root, f"{at}[{i}]")
    if kind == "object":
        found += [f"{at} lacks {key}" for key in schema.get("required", []) if key not in value]
        for key, item in value.items():
            if key in schema["properties"]:
                found += mistakes(item, schema["properties"][key], root, f"{at}.{key}")
            else:
                found.append(f"{at} has {key}, which the schema does not list")
    return found


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        hangs = [json.loads(line)["hang"] for line in file if line.startswith("{")]
    found = [] if hangs else ["no line has a hang"]
    for hang in hangs:
        found += mistakes(hang, schema, schema, "hang")
        found += [f"root {i} is none" for i in hang["roots"] if not hang["waits"][i]["root"]]
    try:
        import jsonschema
        found += [error.message for hang in hangs for error in jsonschema.Draft202012Validator(schema).iter_errors(hang)]
    except ImportError:
        pass
    print("\n".join(found), end="\n" if found else "")
    return bool(found)


sys.exit(main())
