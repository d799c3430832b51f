"""What must be installed where a logged explainer is loaded."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path

import numpy as np

from lormika.explainer import Explainer
from lormika.integrations.mlflow.extra import require
from lormika.integrations.mlflow.named_model import is_logged

_ALWAYS = ("lormika", "numpy", "pandas", "pyarrow", "scikit-learn")  # they decide about answers, or read the folder
_BY_SUFFIX = {".skops": ("skops",), ".onnx": ("onnx", "onnxruntime")}
_NAME = re.compile(r"[\w.-]+")


def list_requirements(explainer: Explainer, named: str) -> list[str]:
    """Versions that are installed here; those of a logged model are as it was logged with."""
    table = explainer.schema.restore(explainer.background.rows(np.zeros(1, dtype=np.intp)))
    library = type(table).__module__.partition(".")[0]
    names = [*_ALWAYS, *_BY_SUFFIX.get(Path(named).suffix, ()), *(["polars"] if library == "polars" else [])]
    needed = {name: f"{name}=={version(name)}" for name in names}
    return list((needed | _of_logged(named) if is_logged(named) else needed).values())


def _of_logged(source: str) -> dict[str, str]:
    """What a logged model needs, by the name of the package."""
    path = Path(require().pyfunc.get_model_dependencies(source))
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    return {match[0].lower().replace("_", "-"): line for line in lines if (match := _NAME.match(line))}
