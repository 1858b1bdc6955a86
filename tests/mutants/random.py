#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Which small mistakes in model/ do the unit tests not see? Puts N random ones, each of one token, into the sources one after the
# other, builds, runs the tests, cheapest first, until one fails, and prints the survivors as rows for docs/conformance.md.
# The sources are changed in place and put back, also when the run is interrupted: model/ has to be as git has it.
# Usage, from the top of the source tree: random.py [--count N] [--seed S] [--build build/default] [--under model/sync]
#        random.py --mutant FILE:LINE:OLD:NEW [--mutant ...]   these in place of random ones; NEW may be empty
import argparse, json, os, pathlib, random, re, signal, subprocess, sys, time

# The programs whose tests are run, by the target that builds each; those that this build lacks are left out.
PROGRAMS = ["unit", "model_calls", "api_calls", "calls", "runtime_calls"]
# What a token may become. "-" and "*" are also signs and pointers: only with blanks around them are they operators.
OTHER = {" < ": [" <= ", " >= "], " <= ": [" < ", " > "], " > ": [" >= ", " <= "], " >= ": [" > ", " < "],
         " == ": [" != "], " != ": [" == "], " && ": [" || "], " || ": [" && "], " + ": [" - "], " - ": [" + "],
         " * ": [" + "], " / ": [" * "], " % ": [" / "], " & ": [" | "], " | ": [" & "], " << ": [" >> "], " >> ": [" << "],
         "++": ["--"], "--": ["++"], " += ": [" -= "], " -= ": [" += "], "|= ": ["&= "], "&= ": ["|= "]}
TOKEN = re.compile("|".join(re.escape(token) for token in sorted(OTHER, key=len, reverse=True)) + r"|(?<![\w.])\d+(?![\w.])")
STATEMENT = re.compile(r"^\s+(?!return|case|default|static|const|struct|enum|else|goto|break|continue|int |uint|size_t )[^{}=]*\([^{}]*\);$")
BLANKED = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//.*')


def code_of(line):
    """The line with its texts and comments blanked, so that what is found in it is code."""
    return BLANKED.sub(lambda match: " " * len(match.group()), line)


def places(path):
    """(line, column, old, new) of every mutant of a file. Only indented lines: bodies of functions, and tables."""
    for number, line in enumerate(path.read_text().split("\n"), 1):
        code = code_of(line)
        if not code.startswith(" ") or code.lstrip().startswith(("#", "assert(", "static_assert")):
            continue
        for match in TOKEN.finditer(code):
            old = match.group()
            for new in OTHER.get(old) or [str(int(old) + 1)]:
                yield number, match.start(), old, new
        if STATEMENT.match(code):
            text = line.strip()
            yield number, line.index(text), text, ";"


def chosen(arguments, files):
    """Random places: of a random file, the larger the likelier, so that each place is as likely as any other."""
    source = random.Random(arguments.seed)
    every = [(path, *place) for path in files for place in places(path)]
    return source.sample(every, min(arguments.count, len(every)))


def named(text):
    path, number, old, new = text.split(":", 3)
    line = pathlib.Path(path).read_text().split("\n")[int(number) - 1]
    if old not in line:
        sys.exit(f"random.py: line {number} of {path} has no '{old}'. It is: {line.strip()}")
    return pathlib.Path(path), int(number), line.index(old), old, new


def tests_of(build):
    """The ctest tests of PROGRAMS with the label unit, cheapest first by what ctest measured."""
    costs = {}
    measured = build / "Testing/Temporary/CTestCostData.txt"
    for row in measured.read_text().splitlines() if measured.exists() else []:
        if len(parts := row.split()) == 3:
            costs[parts[0]] = float(parts[2])
    listed = json.loads(subprocess.run(["ctest", "--test-dir", str(build), "-L", "^unit$", "--show-only=json-v1"],
                                       check=True, capture_output=True, text=True).stdout)
    tests = []
    for test in listed["tests"]:
        command = test.get("command", [])
        if not command or os.path.basename(command[0]) not in PROGRAMS or test["name"].startswith("environment."):
            continue
        told = {row["name"]: row["value"] for row in test["properties"]}
        tests.append((test["name"], command, dict(row.split("=", 1) for row in told.get("ENVIRONMENT", []))))
    return sorted(tests, key=lambda test: costs.get(test[0], 0))


def run(command, seconds, environment=None):
    """The exit status, None where the time was over. What the command started ends with it."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                          env={**os.environ, **(environment or {})}) as process:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def judge(arguments, tests):
    """What became of the mutant that now lies in the sources: (verdict, by which test)."""
    built = run(["ninja", "-C", str(arguments.build), *arguments.programs], 600)
    if built != 0:
        return "not built", ""
    end = time.monotonic() + arguments.seconds
    for name, command, environment in tests:
        left = end - time.monotonic()
        if left <= 0:
            return "time over", f"before {name}"
        status = run(command, min(60, left), environment)
        if status is None and left <= 60:
            return "time over", f"in {name}"
        if status != 0:
            return "killed", name + (" (hangs)" if status is None else "")
    return "survived", ""


def try_one(arguments, tests, mutant):
    path, number, column, old, new = mutant
    text = path.read_text()
    lines = text.split("\n")
    line = lines[number - 1]
    lines[number - 1] = line[:column] + new + line[column + len(old):]
    try:
        path.write_text("\n".join(lines))
        return judge(arguments, tests)
    finally:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/default"))
    parser.add_argument("--under", default="model", help="the folder or file that is mutated")
    parser.add_argument("--seconds", type=float, default=300, help="the time of the tests of one mutant")
    parser.add_argument("--mutant", action="append", default=[], metavar="FILE:LINE:OLD:NEW")
    arguments = parser.parse_args()
    if subprocess.run(["git", "diff", "--quiet", "HEAD", "--", "model"]).returncode != 0:
        sys.exit("random.py: model/ differs from the last commit. Commit first: this program changes its files and puts them back.")
    tests = tests_of(arguments.build)
    arguments.programs = sorted({os.path.basename(test[1][0]) for test in tests})
    under = pathlib.Path(arguments.under)
    files = sorted(under.rglob("*.c")) if under.is_dir() else [under]
    mutants = [named(text) for text in arguments.mutant] or chosen(arguments, files)
    signal.signal(signal.SIGTERM, signal.default_int_handler) # puts the sources back as Ctrl-C does
    if run(["ninja", "-C", str(arguments.build), *arguments.programs], 3600) != 0:
        sys.exit(f"random.py: {arguments.build} does not build")
    print(f"# seed {arguments.seed}, {len(mutants)} mutants, {len(tests)} tests of {' '.join(arguments.programs)}", flush=True)
    survivors, count = [], {}
    try:
        for mutant in mutants:
            begun = time.monotonic()
            verdict, by = try_one(arguments, tests, mutant)
            count[verdict] = count.get(verdict, 0) + 1
            path, number, _, old, new = mutant
            print(f"# {verdict:9} {path}:{number}: '{old}' to '{new}' {by} ({time.monotonic() - begun:.0f} s)", flush=True)
            if verdict in ("survived", "time over"):
                survivors.append(f"| `{path}:{number}` | `{old.strip()}` | `{new.strip()}` | {verdict} |")
    except KeyboardInterrupt:
        print("# ended early", flush=True)
    finally:
        run(["ninja", "-C", str(arguments.build), *arguments.programs], 600)
    print("\n| place | token | mutant | |\n|---|---|---|---|")
    print("\n".join(survivors))
    print("\n" + ", ".join(f"{what}: {number}" for what, number in sorted(count.items())))


main()
