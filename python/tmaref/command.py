# SPDX-License-Identifier: MIT
"""What the command knows, asked from Python: `diagnose`, `explain`, and any other of its commands."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .copies import base_of
from .maps import TensorMap
from .tensors import innermost_first, plain_array, raw_bytes


def executable() -> str:
    """The command `tmaref`: the one that came with the package, else that of TMAREF_COMMAND or the PATH."""
    own = Path(__file__).parent / "_programs" / "tmaref"
    found = os.environ.get("TMAREF_COMMAND") or (str(own) if own.exists() else shutil.which("tmaref"))
    if found is None:
        raise FileNotFoundError("the command tmaref is not here: install the package with pip, or set TMAREF_COMMAND")
    return found


def run(*arguments: str) -> tuple[int, str]:
    """Runs `tmaref arguments`. Returns its exit status, 0 or 1, and what it printed; ValueError with its own words for
    status 2: it was called with what it does not take."""
    done = subprocess.run([executable(), *arguments], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise ValueError(done.stderr.strip() or f"tmaref ended with status {done.returncode}")
    return done.returncode, done.stdout


def explain(*arguments: str | int) -> str:
    """`tmaref explain`: what a rule ("MAP_STRIDE_ALIGN") or an error (716) means, or where elements lie."""
    return run("explain", *(str(argument) for argument in arguments))[1]


class Diagnosis(dict[str, Any]):
    """The answer of diagnose(): the keys of docs/json.md. `is_right` says whether the dump is as meant; str() is what
    the command prints."""

    def __init__(self, status: int, answer: dict[str, Any], text: str) -> None:
        super().__init__(answer)
        self.is_right = status == 0
        self._text = text

    def __str__(self) -> str:
        return self._text


def _list(values: Any) -> str:
    return ",".join(str(v) for v in innermost_first(values))


def diagnose(dump: Any, tensor: Any, tensor_map: TensorMap, coords: Any, *, shared: int = 1024, offsets: Any = None,
             before: Any = None, other: Any = (), store: bool = False) -> Diagnosis:
    """Says what explains a tile that is wrong in shared memory.

    dump     the bytes that were found in shared memory from `shared` on; of a store: memory as load() takes it
    tensor   global memory, as load() takes it; of a store: the bytes of the tile
    before   what lay in the place of the dump before, if it is known
    other    arrays whose bytes may have come in their place
    returns  causes, the best first, and everything else that the command says
    """
    with tempfile.TemporaryDirectory() as folder:

        def file(name: str, array: Any) -> str:
            path = Path(folder) / name
            path.write_bytes(np.ascontiguousarray(plain_array(name, array)).tobytes())
            return str(path)

        def memory(name: str, array: Any) -> str:
            path = Path(folder) / name
            path.write_bytes(raw_bytes(array, max(tensor_map.address - base_of(tensor_map, array), 0)))
            return str(path)

        arguments = ["diagnose", f"--map={bytes(tensor_map).hex()}", f"--coord={_list(coords)}", f"--shared={shared}",
                     f"--dump={memory('dump', dump) if store else file('dump', dump)}",
                     f"--tile={file('tile', tensor)}" if store else f"--tensor={memory('tensor', tensor)}"]
        arguments += ["--store"] if store else []
        arguments += [f"--offsets={_list(offsets)}"] if offsets is not None else []
        arguments += [f"--before={file('before', before)}"] if before is not None else []
        arguments += [f"--other={file(f'other{i}', array)}" for i, array in enumerate(other)]
        status, text = run(*arguments)
        answer = json.loads(run(*arguments, "--json")[1])
    return Diagnosis(status, answer, text)


def main() -> None:
    """`python -m tmaref`: the command itself."""
    os.execv(executable(), [executable(), *sys.argv[1:]])


class CoreReport(dict[str, Any]):
    """The answer of core(): the keys of docs/json.md. str() is what the command prints."""

    def __init__(self, answer: dict[str, Any], text: str) -> None:
        super().__init__(answer)
        self._text = text

    def __str__(self) -> str:
        return self._text


def core(path: str | os.PathLike[str]) -> CoreReport:
    """`tmaref core`: what a core dump of the CUDA driver says of a hang or a fault on a real GPU. ValueError if the file is
    no dump of sm_90, or is broken."""
    answer = json.loads(run("core", "--json", os.fspath(path))[1])
    return CoreReport(answer, run("core", os.fspath(path))[1])
