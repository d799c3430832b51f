"""CPU time of a whole `lormika explain`, from its start to its end, in this release and an earlier one."""

from __future__ import annotations

import os
import pickle
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import joblib
from beside import Pair, previous

REPEAT = 2


def explain_file(folder: Path, kind: str) -> Pair:
    """One row of Adult, as a CSV file, with the forest in a file of this kind: joblib or skops."""
    known = joblib.load(folder / "adult.joblib")
    table, model = folder / "adult.csv", folder / f"model.{kind}"
    known["X"].assign(income=known["y"].to_numpy()).to_csv(table, index=False)
    if kind == "skops":
        import skops.io

        skops.io.dump(known["model"], model)
    else:
        model.write_bytes(pickle.dumps(known["model"]))
    turns = [(_seconds(previous(), table, model), _seconds(sys.executable, table, model)) for _ in range(REPEAT)]
    before = [each for each, _ in turns if each is not None]
    return Pair(min(before, default=None), min(now for _, now in turns if now is not None))


def _seconds(python: str | None, table: Path, model: Path) -> float | None:
    """CPU seconds of the process and its children; None if it failed."""
    if python is None:
        return None
    words = ["-m", "lormika", "explain", table, "--model", model, "--target", "income", "--row", "5"]
    pickled = [] if model.suffix == ".skops" else ["--allow-pickle"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile() as output:
        # Images of Python forbid it to keep what it has compiled: then most of the time would go into that.
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        done = subprocess.run([python, *map(str, words), *pickled], stdout=output, stderr=output, env=variables)
        if done.returncode:
            output.seek(0)
            print(output.read().decode()[-500:], file=sys.stderr)
            return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
