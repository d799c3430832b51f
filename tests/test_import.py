"""`import lormika` stays light."""

from __future__ import annotations

import subprocess
import sys


def test_import_is_light():
    program = "import lormika, sys; print([m for m in sys.modules if '.' not in m])"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    for heavy in (
        "pandas",
        "sklearn",
        "scipy",
        "matplotlib",
        "jinja2",
        "rich",
        "typer",
        "joblib",
        "polars",
        "pyarrow",
        "skops",
        "onnx",
        "onnxruntime",
        "ssl",
        "http",
        "starlette",
        "uvicorn",
        "mlflow",
        "anywidget",
        "ipywidgets",
    ):
        assert f"'{heavy}'" not in loaded, f"import lormika loads {heavy}"
