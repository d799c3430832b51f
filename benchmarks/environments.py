"""Environments of rivals: each its own, made once, since some need an older numpy or a C compiler."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from importlib.metadata import version
from pathlib import Path

from report import SkippedError

# Rivals that explain get the very model that we do, and so its libraries in the same versions.
SAME = ("numpy", "pandas", "scikit-learn")
MINERS = {
    "pysubgroup": ["numpy<2", "pandas<3", "pysubgroup"],
    "pyfim": ["numpy<2", "pandas<3", "pyfim"],
    "efficient-apriori": ["pandas", "efficient-apriori"],
}
EXPLAINERS = {
    "lime": "lime",
    "shap": "shap",
    "anchor": "anchor-exp",
    "dice": "dice-ml",
    "calibrated-explanations": "calibrated-explanations",
}


def environment(name: str) -> Path:
    """Python of a rival's environment, under LORMIKA_BENCH_ENV or the temporary folder."""
    root = Path(os.environ.get("LORMIKA_BENCH_ENV") or Path(tempfile.gettempdir()) / "lormika-bench-env")
    folder = root / name
    python, ready = folder / "bin" / "python", folder / "ready"
    if not ready.exists():
        print(f"making an environment for {name} in {folder} ...", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "install", "--quiet", *_packages(name)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise SkippedError(f"skipped: pip could not install {name}: {done.stderr.strip().splitlines()[-1]}")
        ready.touch()
    return python


def _packages(name: str) -> list[str]:
    if name in MINERS:
        return MINERS[name]
    return [EXPLAINERS[name], *(f"{package}=={version(package)}" for package in SAME)]
