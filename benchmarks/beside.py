"""A figure of this release and of an earlier one, in turn.

LORMIKA_PREVIOUS names the Python of an environment in which the earlier release is installed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from timing import milliseconds

NO_PREVIOUS = "Not beside an earlier release: LORMIKA_PREVIOUS names no Python that has one."


@dataclass(frozen=True)
class Pair:
    """Seconds before and now; None if that release cannot do it."""

    before: float | None
    now: float

    def texts(self) -> list[str]:
        """Before, now, and how many times as fast."""
        ratio = "" if self.before is None else f"{self.before / self.now:.1f}"
        return ["–" if self.before is None else milliseconds(self.before), milliseconds(self.now), ratio]


def previous() -> str | None:
    """Python of the earlier release, if there is one."""
    return os.environ.get("LORMIKA_PREVIOUS")


def measure(folder: Path, spec: dict[str, Any], repeat: int = 2) -> tuple[dict[str, Pair], bool]:
    """Each figure of a case, the least of some turns; and whether both releases found the same rules, if it has any."""
    before: list[dict[str, Any]] = []
    now: list[dict[str, Any]] = []
    for _ in range(repeat):
        before.extend(_figures(previous(), folder, spec))
        now.extend(_figures(sys.executable, folder, spec))
    if not now:
        raise RuntimeError(f"{spec} failed; its error is above")
    rules = {json.dumps(each.pop("rules", None)) for each in (*before, *now)}
    return {name: Pair(_least(before, name), min(each[name] for each in now)) for name in now[0]}, len(rules) == 1


def figures_now(folder: Path, spec: dict[str, Any]) -> dict[str, Any]:
    """Figures of this release alone."""
    found = _figures(sys.executable, folder, spec)
    if not found:
        raise RuntimeError(f"{spec} failed; its error is above")
    return found[0]


def _least(outcomes: list[dict[str, Any]], name: str) -> float | None:
    return min((each[name] for each in outcomes if name in each), default=None)


def _figures(python: str | None, folder: Path, spec: dict[str, Any]) -> list[dict[str, Any]]:
    """One outcome, or none: an earlier release may lack what is measured, or the library that it needs."""
    if python is None:
        return []
    command = [python, str(Path(__file__).with_name("one_figure.py")), str(folder), json.dumps(spec)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"{python}: {spec}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return []
    return [json.loads(done.stdout.splitlines()[-1])]
