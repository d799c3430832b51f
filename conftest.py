"""Examples in docstrings that need something which is not there are skipped, with the reason."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest

NEEDS = {
    "lormika.data.paper.load_": ("LORMIKA_DATA" in os.environ, "LORMIKA_DATA names no folder with the data sets"),
    "lormika.integrations.mlflow.": (find_spec("mlflow") is not None, "MLflow is not installed"),
}
"""By the beginning of a name: whether its examples can be run, and why not."""

WARNS = "lormika.integrations.mlflow."
"""Beginning of names whose examples use a package that warns of itself."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what cannot be run."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            for beginning, (is_there, reason) in NEEDS.items():
                if item.name.startswith(beginning) and not is_there:
                    item.add_marker(pytest.mark.skip(reason=reason))
            if item.name.startswith(WARNS):
                item.add_marker(pytest.mark.filterwarnings("ignore", r"error:::lormika(\..*)?"))
