#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks a log of SARIF: the members that SARIF 2.1.0 requires, their types, and no others than these.

usage: sarif.py LOG [RULE FILE:LINE]...    the results are these, in this order; of a result without a line the FILE:LINE is -
"""
import json
import re
import sys

TEXT = {"text": str}
PLACE = {"artifactLocation": {"uri": str}, "region": {"startLine": int, "startColumn?": int}}
LOCATION = {"physicalLocation?": PLACE, "logicalLocations?": [{"fullyQualifiedName": str, "kind": str}]}
RESULT = {"ruleId": str, "ruleIndex": int, "level": str, "message": TEXT, "locations": [LOCATION],
          "relatedLocations": [{"physicalLocation": PLACE, "message": TEXT}]}
DRIVER = {"name": str, "version": str, "rules": [{"id": str, "help?": TEXT}]}
LOG = {"$schema": str, "version": str, "runs": [{"tool": {"driver": DRIVER}, "results": [RESULT]}]}


def mistakes(value, shape, at):
    """Where a value has not the shape: a dictionary of members (`?`: may be missing), a list of one shape, or a type."""
    if isinstance(shape, type):
        return [] if type(value) is shape else [f"{at} is {value!r}"]
    if type(value) is not type(shape):
        return [f"{at} is {value!r}"]
    if isinstance(shape, list):
        return [one for i, item in enumerate(value) for one in mistakes(item, shape[0], f"{at}[{i}]")]
    found = [f"{at} has {key}" for key in value if key not in shape and key + "?" not in shape]
    for key, inner in shape.items():
        if key.rstrip("?") in value:
            found += mistakes(value[key.rstrip("?")], inner, f"{at}.{key.rstrip('?')}")
        elif not key.endswith("?"):
            found.append(f"{at} lacks {key}")
    return found


def place_mistakes(place, at):
    """What the types do not say of a place."""
    uri = place["artifactLocation"]["uri"]
    found = [] if re.fullmatch(r"(file:///|(?!/))([A-Za-z0-9._~/-]|%[0-9A-F]{2})+", uri) else [f"{at}: the uri {uri!r}"]
    return found + [f"{at}: {key} is {number}" for key, number in place["region"].items() if number < 1]


def result_mistakes(result, rules, at):
    """What the types do not say of a result."""
    found = [] if result["level"] in ("error", "warning", "note") else [f"{at}: the level {result['level']!r}"]
    if not 0 <= result["ruleIndex"] < len(rules) or rules[result["ruleIndex"]]["id"] != result["ruleId"]:
        found.append(f"{at}: rule {result['ruleIndex']} is not {result['ruleId']}")
    if not result["message"]["text"]:
        found.append(f"{at} says nothing")
    for place in [one["physicalLocation"] for one in result["locations"] + result["relatedLocations"] if "physicalLocation" in one]:
        found += place_mistakes(place, at)
    return found


def line_of(result):
    """FILE:LINE of a result, - if there is none."""
    place = result["locations"][0].get("physicalLocation")
    return f"{place['artifactLocation']['uri']}:{place['region']['startLine']}" if place else "-"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        log = json.load(file)
    found = mistakes(log, LOG, "log")
    if not found:
        rules = [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
        found += [f"the version {log['version']}"] if log["version"] != "2.1.0" or len(log["runs"]) != 1 else []
        found += ["a rule stands twice"] if len(set(rules)) != len(rules) else []
        for i, result in enumerate(log["runs"][0]["results"]):
            found += result_mistakes(result, log["runs"][0]["tool"]["driver"]["rules"], f"result {i}")
        told = [word for result in log["runs"][0]["results"] for word in (result["ruleId"], line_of(result))]
        found += [f"it tells {told}, not {sys.argv[2:]}"] if told != sys.argv[2:] else []
    print("\n".join(found), end="\n" if found else "")
    return bool(found)


sys.exit(main())
