"""lormika info."""

from __future__ import annotations

import json as json_format
import os
import platform
from importlib import metadata

import typer

from lormika.cli import parameters as p
from lormika.version import __version__

_PACKAGES = (
    "numpy", "pandas", "narwhals", "scikit-learn", "jinja2", "rich", "typer", "matplotlib", "pyarrow", "polars",
    "skops", "onnx", "onnxruntime", "starlette", "uvicorn",
)  # fmt: skip


def info(json: p.Json = False) -> None:
    """Show versions, how the core was built, and where data and caches are.

    For example:

        lormika info --json
    """
    facts = _facts()
    if json:
        typer.echo(json_format.dumps(facts, ensure_ascii=False, indent=2))
        return
    for title, entries in facts.items():
        typer.secho(title, bold=True)
        width = max(map(len, entries))
        for name, value in entries.items():
            typer.echo(f"  {name:<{width}}  {value}")


def _facts() -> dict[str, dict[str, object]]:
    from lormika._core import build

    return {
        "lormika": {
            "version": __version__,
            "python": f"{platform.python_version()} ({platform.system()}, {platform.machine()})",
            "core": build,
            "installed in": os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
        },
        "packages": {name: _version(name) for name in _PACKAGES},
        "data": {
            "LORMIKA_DATA": os.environ.get("LORMIKA_DATA") or "not set",
            "downloads": _downloads(),
        },
    }


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def _downloads() -> str:
    """Where scikit-learn keeps data sets; looked up without making the folder."""
    return os.path.expanduser(os.environ.get("SCIKIT_LEARN_DATA", os.path.join("~", "scikit_learn_data")))
