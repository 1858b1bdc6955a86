# SPDX-License-Identifier: MIT
# Checks JSON lines against a schema, without a package: schema.py SCHEMA [FILE]. It knows the keywords that the schemas
# of conformance/schema use, and refuses others, so that none is passed over.
import json
import re
import sys

KINDS = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "number": (int, float)}
SILENT = {"$schema", "title", "description", "$defs"}


def kind_is(value, name):
    return isinstance(value, KINDS[name]) and not (name in ("integer", "number") and isinstance(value, bool))


def complaints(schema, value, root, at="$"):
    """Sentences, each with the place in the value."""
    for key, want in schema.items():
        if key == "$ref":
            part = root
            for name in want.removeprefix("#/").split("/"):
                part = part[name]
            yield from complaints(part, value, root, at)
        elif key == "type":
            if not kind_is(value, want):
                yield f"{at} is no {want}"
        elif key == "enum":
            if value not in want:
                yield f"{at} is {value!r}, not one of {want}"
        elif key == "oneOf":
            fits = sum(not list(complaints(part, value, root, at)) for part in want)
            if fits != 1:
                yield f"{at} fits {fits} of the {len(want)} forms"
        elif key == "required":
            yield from (f"{at}.{name} is missing" for name in want if name not in value)
        elif key == "properties":
            for name in want.keys() & value.keys():
                yield from complaints(want[name], value[name], root, f"{at}.{name}")
        elif key == "additionalProperties":
            for name in value.keys() - schema.get("properties", {}).keys():
                if want is False:
                    yield f"{at}.{name} is unknown"
                else:
                    yield from complaints(want, value[name], root, f"{at}.{name}")
        elif key == "items":
            for i, item in enumerate(value):
                yield from complaints(want, item, root, f"{at}[{i}]")
        elif key in ("minimum", "maximum"):
            if isinstance(value, int) and (value < want if key == "minimum" else value > want):
                yield f"{at} is {value}: {key} {want}"
        elif key == "maxLength":
            if isinstance(value, str) and len(value) > want:
                yield f"{at} has {len(value)} characters: at most {want}"
        elif key == "pattern":
            if isinstance(value, str) and not re.search(want, value):
                yield f"{at} is {value[:40]!r}: not {want}"
        elif key not in SILENT:
            sys.exit(f"schema.py does not know the keyword {key!r}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    checked = wrong = 0
    with open(sys.argv[2], encoding="utf-8") if len(sys.argv) > 2 else sys.stdin as lines:
        for number, line in enumerate(lines, 1):
            checked += 1
            for complaint in complaints(schema, json.loads(line), schema):
                print(f"line {number}: {complaint}")
                wrong += 1
    sys.exit(wrong > 0 or checked == 0)


main()
