"""Print the lowest versions that pyproject.toml names for package, build and tests, as constraints for pip."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

pyproject = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
project = pyproject["project"]
named = pyproject["build-system"]["requires"] + project["dependencies"] + project["optional-dependencies"]["test"]
for requirement in named:
    if match := re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement):
        print(f"{match[1]}=={match[2]}")
