"""What goes into a run: its rows, and what identifies them, the model and the files they come from."""

from __future__ import annotations

import hashlib
import io
import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lormika.errors import InputError
from lormika.writing import whole_file

if TYPE_CHECKING:
    import pandas as pd

_ROW_GROUP = 1000


def save_input(frame: pd.DataFrame, folder: Path) -> str:
    """Write the rows to be explained into a file that is named by its content, and give that name."""
    content = io.BytesIO()
    try:
        frame.to_parquet(content, index=False, row_group_size=_ROW_GROUP)
    except (ValueError, TypeError) as error:  # a column of several types, for instance
        raise InputError(f"the rows cannot be written as Parquet: {error}") from error
    name = f"input-{hashlib.sha256(content.getbuffer()).hexdigest()[:32]}.parquet"
    if not is_input(folder / name):
        with whole_file(folder / name, sync=True) as beside:
            beside.write_bytes(content.getbuffer())
    return name


def is_input(path: Path) -> bool:
    """Whether a file of rows is there, and still what its name says."""
    return path.is_file() and path.stem == f"input-{sha256(path)[:32]}"


def read_input(path: Path, rows: range) -> pd.DataFrame:
    """Some rows of the input; only the part of the file that holds them is read."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        groups = range(rows.start // _ROW_GROUP, -(-rows.stop // _ROW_GROUP))
        table = file.read_row_groups(list(groups))
    frame: pd.DataFrame = table.slice(rows.start - groups.start * _ROW_GROUP, len(rows)).to_pandas()
    return frame


def sha256(path: Path) -> str:
    """Of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def model_facts(source: str, how: Mapping[str, Any]) -> dict[str, Any]:
    """How a model is loaded, and what identifies it beside its name; None: nothing does."""
    digest = None
    if source.startswith("python:"):
        digest = _module_digest(source.split(":")[1])
    elif "://" not in source:
        digest = sha256(Path(source))
        source = str(Path(source).resolve())
    return {"source": source, "sha256": digest, **how}


def _module_digest(name: str) -> str | None:
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)  # where the model will be looked for, too
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return None
    return sha256(Path(spec.origin)) if spec is not None and spec.origin and Path(spec.origin).is_file() else None
