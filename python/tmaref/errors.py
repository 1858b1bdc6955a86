# SPDX-License-Identifier: MIT
"""What is wrong with a call or an instruction: findings, and the two exceptions that carry them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ._library import ffi, library, text


@dataclass(frozen=True)
class Finding:
    """One broken rule.

    rule       its id, as ``tmaref explain RULE`` takes it
    severity   "refused" (the call), "fault" (the kernel dies), "crash" (the driver dies) or "warning"
    argument   the parameter or operand, as the CUDA driver API or PTX spells it; index: which entry of it, or None
    value, limit, nearest   what was passed, what the rule allows, the nearest legal value; None where there is none
    sentence, advice        the rule, and what to do
    """

    rule: str
    severity: str
    argument: str
    sentence: str
    advice: str
    index: int | None = None
    value: int | None = None
    limit: int | None = None
    nearest: int | None = None


class Broken(Exception):
    """Rules are broken. ``findings`` has all of them, ``cuda_error`` the number that an H200 gives for the first."""

    def __init__(self, message: str, findings: tuple[Finding, ...] = (), cuda_error: int = 0) -> None:
        super().__init__(message)
        self.findings = findings
        self.cuda_error = cuda_error


class Refused(Broken, ValueError):
    """The driver's call returns an error (CUDA_ERROR_INVALID_VALUE), or it cannot be made at all. It is a ValueError too.

    `findings` has every broken rule, with the value, the limit and the nearest legal value; with all `nearest` in place
    the driver takes the call. str() is what `tmaref encode` prints."""


class Fault(Broken, RuntimeError):
    """An H200 ends the kernel with ``cuda_error``: 700, 715, 716, 717 or 719. It is a RuntimeError too.

    `findings` has every broken rule, in the order in which the hardware looks: the first one gives the error. What came
    before the instruction stays done. An instruction that PTX does not have has the rule INSTRUCTION_FORM and
    ``cuda_error`` 0: no assembler takes it."""


def _number(value: Any) -> Any:
    return int(value, 0) if isinstance(value, str) else value


class Report:
    """Room for what a call of the library says."""

    def __init__(self) -> None:
        self.c = ffi.new("struct native_report *")

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, warnings among them."""
        return tuple(
            Finding(**{key: _number(value) if key in ("value", "limit", "nearest") else value
                       for key, value in item.items()})
            for item in json.loads(text(self.c.json)))

    @property
    def text(self) -> str:
        """All findings as the command prints them."""
        return text(self.c.text)

    def raise_refused(self, call: str) -> None:
        """Raises Refused if the call broke a rule."""
        if self.c.rule != 0:
            raise Refused(f"{call} returns CUDA error {self.c.cuda_error}:\n{self.text.rstrip()}", self.findings,
                          self.c.cuda_error)

    def raise_fault(self, what: str) -> None:
        """Raises Fault if the instruction broke a rule."""
        if self.c.rule != 0:
            ends = f"ends the kernel with CUDA error {self.c.cuda_error}" if self.c.cuda_error else "is no instruction of PTX"
            raise Fault(f"{what} {ends}:\n{self.text.rstrip()}", self.findings, self.c.cuda_error)


def version() -> str:
    """The version of the library."""
    return text(library.native_version())
