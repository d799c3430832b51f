"""Print what an extra of the package adds, as requirements: `python .ci/extra.py NAME`."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

pyproject = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
print(*pyproject["project"]["optional-dependencies"][sys.argv[1]], sep="\n")
