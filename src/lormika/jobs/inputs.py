"""What goes into a run: its rows, and what identifies them, the model and the files they come from."""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lormika import frames
from lormika.data.alike import value_kind
from lormika.errors import InputError
from lormika.frames.feature import Feature
from lormika.frames.schema import Schema, is_identifier
from lormika.models.identity import source_digest
from lormika.saved import MANIFEST, is_whole
from lormika.writing import whole_file

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow.parquet as pq

    from lormika.stages.background import Background
    from lormika.types import JsonObject, Keywords

_LEAST_GROUP = 1000  # rows
_FOOTER = 8  # rows whose reading takes as long as that of what a file says about one more group
_NUMBERS = "__index_level_0__"  # what pandas calls the column of an index without a name


def check_rows(rows: pd.DataFrame, schema: Schema) -> None:
    """Refuse rows without numbers, or with a column that is wrong in all of them: that is no failure of a row."""
    if rows.empty:
        raise InputError("there is no row to explain")
    if rows.index.dtype.kind not in "iu" or not rows.index.is_unique:
        raise InputError("the index of the rows numbers them: give a whole number to each")
    for feature in schema.features:
        reason = _wrong_everywhere(feature, rows[[feature.name]])
        if reason is not None:
            where = f"all {len(rows):,} rows" if len(rows) > 1 else "the only row"
            raise InputError(f"column {feature.name!r} is wrong in {where}: {reason}")


def _wrong_everywhere(feature: Feature, column: pd.DataFrame) -> str | None:
    """Why no value of a column can be used; None if one can."""
    reason = None
    for some in _attempts(column):
        try:
            feature.encode(frames.read(some)[feature.name])
        except InputError as error:
            reason = reason or str(error).removeprefix(f"column {feature.name!r}, row 0: ")
        else:
            return None
    return reason


def all_unseen(rows: pd.DataFrame, background: Background) -> dict[str, object]:
    """Columns none of whose categories occur in the background, each with one such category.

    Identifiers are always new; and for a single row, its explanation says enough.
    """
    examples = {}
    for f, feature in enumerate(background.schema.features if len(rows) > 1 else ()):
        if not feature.is_numeric and not is_identifier(len(background.observed(f)), len(background)):
            values = rows[feature.name].dropna().unique().tolist()
            if values and not any(value in feature.positions for value in values):
                examples[feature.name] = values[0]
    return examples


def _attempts(column: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """The whole column, and each of its different values."""
    yield column
    different = np.flatnonzero(~column.iloc[:, 0].map(repr).duplicated())
    yield from (column.iloc[[row]] for row in different.tolist())


def save_input(frame: pd.DataFrame, folder: Path, schema: Schema) -> str:
    """Write the rows to be explained to a file named by its content, and return that name.

    The index of the frame numbers the rows, as they are in the user's file.
    """
    content = io.BytesIO()
    frame = frame.assign(**{name: frame[name].map(str, na_action="ignore") for name in _mixed(frame, schema)})
    try:
        frame.rename_axis(index=None).to_parquet(content, index=True, row_group_size=_group_rows(len(frame)))
    except (ValueError, TypeError) as error:  # a column of several types, for instance
        raise InputError(f"the rows cannot be written as Parquet: {error}") from error
    name = f"input-{hashlib.sha256(content.getbuffer()).hexdigest()[:32]}.parquet"
    if not is_input(folder / name):
        with whole_file(folder / name, sync=True) as beside:
            beside.write_bytes(content.getbuffer())
    return name


def _mixed(frame: pd.DataFrame, schema: Schema) -> list[str]:
    """Columns of numbers or booleans with some texts, for which Parquet has no type: workers read them as text."""
    typed = [feature.name for feature in schema.features if value_kind(feature) != "text"]
    names = [name for name in typed if frame[name].dtype == object]
    return [name for name in names if any(isinstance(value, str) for value in frame[name])]


def is_input(path: Path, rows: int | None = None) -> bool:
    """Whether a file of rows is there, still matches its name, and has this many rows."""
    if not path.is_file() or path.stem != f"input-{sha256(path)[:32]}":
        return False
    return rows is None or _count_rows(path) == rows


def _count_rows(path: Path) -> int | None:
    """Rows of a Parquet file; None if it is not one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return int(pq.read_metadata(path).num_rows)
    except (pa.ArrowException, OSError):
        return None


def is_background(folder: Path) -> bool:
    """Whether the explainer of a run is there, and still matches its folder's name."""
    return not folder.is_symlink() and folder.is_dir() and is_whole(folder) and folder.name == name_background(folder)


def name_background(folder: Path) -> str:
    """A name made from what is in a folder: its manifest has the hashes of all other files."""
    return f"background-{sha256(folder / MANIFEST)[:32]}"


def read_input(path: Path, rows: range) -> pd.DataFrame:
    """Some rows of the input, whose index numbers them; only the part of the file that holds them is read."""
    file = _opened(path)
    groups = _groups(file, rows)
    table = file.read_row_groups(list(groups))
    frame: pd.DataFrame = table.slice(rows.start - groups.start * _group_size(file), len(rows)).to_pandas()
    return frame


def read_numbers(path: Path, rows: range) -> list[int]:
    """Numbers of some rows of the input."""
    file = _opened(path)
    size = _group_size(file)
    numbers: list[int] = []
    for group in _groups(file, rows):
        start = group * size
        numbers += _numbers(file, group)[max(0, rows.start - start) : rows.stop - start]
    return numbers


def _group_rows(rows: int) -> int:
    """Rows of a group: of a long table more, since whoever reads one group reads about all groups first.

    >>> _group_rows(60), _group_rows(100_000_000)
    (1000, 28284)
    """
    return max(_LEAST_GROUP, math.isqrt(_FOOTER * rows))


def _opened(path: Path) -> pq.ParquetFile:
    """A file that stays open until another one is wanted, or it has changed: chunk after chunk is read from it."""
    facts = path.stat()
    return _open(path, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)


@lru_cache(maxsize=1)
def _open(path: Path, *_facts: int) -> pq.ParquetFile:
    import pyarrow.parquet as pq

    return pq.ParquetFile(path)


def _group_size(file: pq.ParquetFile) -> int:
    return int(file.metadata.row_group(0).num_rows)


def _groups(file: pq.ParquetFile, rows: range) -> range:
    """Groups that hold some rows."""
    size = _group_size(file)
    return range(rows.start // size, -(-rows.stop // size))


@lru_cache(maxsize=1)  # chunks are looked at in their order
def _numbers(file: pq.ParquetFile, group: int) -> list[int]:
    numbers: list[int] = file.read_row_group(group, [_NUMBERS])[_NUMBERS].to_pylist()
    return numbers


def sha256(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def model_facts(source: str, how: Keywords) -> JsonObject:
    """How a model is loaded, and what identifies it besides its name; None if nothing does."""
    digest = source_digest(source)
    if "://" not in source and not source.startswith("python:"):
        source = str(Path(source).resolve())
    return {"source": source, "sha256": digest, **how}
