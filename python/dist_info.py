# SPDX-License-Identifier: MIT
"""What pip and pytest look for beside an installed package, for those who install it without pip:
dist_info.py pyproject.toml VERSION FOLDER writes it into FOLDER."""

import sys
import tomllib
from pathlib import Path

with open(sys.argv[1], "rb") as file:
    project = tomllib.load(file)["project"]
folder = Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)
heads = {"Metadata-Version": "2.1", "Name": project["name"], "Version": sys.argv[2], "Summary": project["description"],
         "License": project["license"], "Requires-Python": project["requires-python"]}
lines = [f"{key}: {value}" for key, value in heads.items()]
lines += [f"Requires-Dist: {requirement}" for requirement in project["dependencies"]]
(folder / "METADATA").write_text("\n".join(lines) + "\n")
points = [f"[{group}]\n" + "".join(f"{name} = {where}\n" for name, where in rows.items())
          for group, rows in project["entry-points"].items()]
(folder / "entry_points.txt").write_text("\n".join(points))
