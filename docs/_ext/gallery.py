"""Settings of the gallery: which examples are run, and what is kept of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

QUICK = ("01_loans", "21_constraints", "41_mine_rules")
"""Examples that the quick form of the site runs; all others are shown with their text and code alone."""


def gallery_settings(docs: Path, *, quick: bool) -> dict[str, Any]:
    """For sphinx-gallery, with paths relative to the folder of the documentation."""
    chosen = "|".join(QUICK) if quick else r"\w+"
    return {
        "examples_dirs": ["../examples"],
        "gallery_dirs": ["gallery"],
        "filename_pattern": rf"/({chosen})\.py$",
        "ignore_pattern": r"/_",
        "within_subsection_order": "FileNameSortKey",
        "abort_on_example_error": True,
        "capture_repr": ("_repr_html_", "__repr__"),
        "image_scrapers": ("matplotlib",),
        "remove_config_comments": True,
        "download_all_examples": False,
        "show_memory": False,
        "show_signature": False,
        "min_reported_time": 1_000_000,  # seconds: times differ from build to build, so none is shown
        "write_computation_times": False,
        "default_thumb_file": str(docs / "explanation.png"),  # of those that show no figure
    }
