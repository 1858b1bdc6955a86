# SPDX-License-Identifier: MIT
# A simulator for tests of the executor command: it knows the results that `tmaref run` printed (simulator.py FILE), and
# goes wrong at case NUMBER (its line in the file, from 0) as told: simulator.py FILE NUMBER:WAY...
import json
import os
import signal
import sys
import time

results = {}
with open(sys.argv[1], encoding="utf-8") as lines:
    for number, line in enumerate(lines):
        known = json.loads(line)
        results[json.dumps(known["case"], sort_keys=True)] = (number, known["result"])
ways = dict(argument.split(":", 1) for argument in sys.argv[2:])


def changed(window):  # the same bytes as changes, two bytes each
    digits = window["bytes"]
    return {"changed": [{"at": at // 2, "bytes": digits[at:at + 4]} for at in range(0, len(digits), 4)]}


for line in sys.stdin:
    asked = json.loads(line)
    number, result = results[json.dumps(asked["case"], sort_keys=True)]
    way = ways.get(str(number), ways.get("all", ""))
    answer = {"index": asked["index"], "result": result}
    if way == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif way == "exit":
        sys.exit(3)
    elif way == "hang":
        time.sleep(3600)
    elif way == "garbage":
        print("Segment 3 of the pipeline is ready", flush=True)
        continue
    elif way == "flood":
        sys.stdout.write("x" * (1 << 25))
        continue
    elif way == "unsupported":
        answer = {"index": asked["index"], "unsupported": "no 128B swizzle yet"}
    elif way == "nowindow":
        answer["result"] = {"status": 0}
    elif way == "wrong":
        name = "shared"
        window = dict(result[name])
        digits = window["bytes"]
        window["bytes"] = ("0" if digits[512] != "0" else "1").join((digits[:512], digits[513:]))
        answer["result"] = {**result, name: window}
    elif way == "rule":
        answer["result"] = {**result, "rule": "MBARRIER_LAYOUT"}
    elif way == "changed":
        answer["result"] = {key: changed(value) if isinstance(value, dict) else value for key, value in result.items()}
    elif way == "twice":
        print(json.dumps(answer), flush=True)
    print(json.dumps(answer), flush=True)
    if way == "leave":
        sys.exit(0)
