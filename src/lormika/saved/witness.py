"""Witness: a few rows of the background, from which its types are learnt again, written without pickle.

Columns of objects, for which Arrow has no type, are kept as lists of JSON, and everything else in the format of Arrow
(an array in that of numpy). What cannot be read again just as it was is refused.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lormika.errors import InputError
from lormika.frames.values import is_missing, plain
from lormika.types import JsonObject, JsonValue, UserTable, UserValue

if TYPE_CHECKING:
    import pandas as pd

_MISSING: dict[str, Callable[[], UserValue]] = {"None": lambda: None, "nan": lambda: np.nan, "<NA>": lambda: _na()}


class Witness(NamedTuple):
    """Rows as bytes, and what to know to read them."""

    content: bytes
    facts: JsonObject  # library, and what the bytes do not say


def write_witness(table: UserTable) -> Witness:
    """The rows of a table of the user's library."""
    library = next(
        (name for name in _WRITERS if any(kind.__module__.split(".")[0] == name for kind in type(table).__mro__)), None
    )
    if library is None:
        raise InputError(f"a {type(table).__module__} table cannot be saved: give a pandas, polars or pyarrow frame")
    try:
        content, facts = _WRITERS[library](table)
    except ImportError:
        raise InputError("saving an explainer needs pyarrow: pip install 'lormika[files]'") from None
    return Witness(content, {"library": library} | facts)


def read_witness(witness: Witness) -> UserTable:
    """The inverse of `write_witness`."""
    try:
        return _READERS[witness.facts["library"]](witness.content, witness.facts)
    except ImportError as error:
        raise InputError(f"this explainer needs {error.name}: install it (pip install 'lormika[files]')") from None


def _write_pandas(frame: pd.DataFrame) -> tuple[bytes, JsonObject]:
    import pyarrow as pa

    names = frame.columns.tolist()
    for name in names:
        if not isinstance(name, str | int):
            raise InputError(f"the column name {name!r} cannot be saved: make it a string")
    by_place = frame.set_axis([str(place) for place in range(len(names))], axis=1)
    objects = [name for name in by_place.columns if by_place[name].dtype == object]
    try:
        table = pa.Table.from_pandas(by_place.drop(columns=objects), preserve_index=False)
    except pa.ArrowException as error:
        raise InputError(f"the types of the background cannot be saved: {error}") from error
    lists = {name: _write_objects(by_place[name].tolist()) for name in objects}
    return _write_arrow(table)[0], {"names": names, "index": str(frame.columns.dtype), "objects": lists}


def _read_pandas(content: bytes, facts: JsonObject) -> pd.DataFrame:
    import pandas as pd

    frame: pd.DataFrame = _read_arrow(content, facts).to_pandas()
    lists = {name: pd.Series(_read_objects(entry), dtype=object) for name, entry in facts["objects"].items()}
    columns = {str(place): None for place in range(len(facts["names"]))}
    columns |= {name: frame[name] for name in frame.columns} | lists
    restored = pd.DataFrame(columns)
    is_object = facts["index"] == "object"
    restored.columns = pd.Index(facts["names"], dtype=object) if is_object else pd.Index(facts["names"])
    return restored


def _write_polars(frame: UserTable) -> tuple[bytes, JsonObject]:
    content = io.BytesIO()
    frame.write_ipc(content)
    return content.getvalue(), {}


def _read_polars(content: bytes, _: JsonObject) -> UserTable:
    import polars as pl

    return pl.read_ipc(io.BytesIO(content))


def _write_arrow(table: UserTable) -> tuple[bytes, JsonObject]:
    import pyarrow as pa

    content = io.BytesIO()
    with pa.ipc.new_file(content, table.schema) as file:
        file.write_table(table)
    return content.getvalue(), {}


def _read_arrow(content: bytes, _: JsonObject) -> UserTable:
    import pyarrow as pa

    with pa.ipc.open_file(pa.BufferReader(content)) as file:
        table = file.read_all()
    table.validate(full=True)  # offsets and positions that lead nowhere would end the process
    return table


def _write_numpy(array: np.ndarray) -> tuple[bytes, JsonObject]:
    if array.dtype == object:
        return b"", {"objects": [_write_objects(column.tolist()) for column in array.T]}
    content = io.BytesIO()
    np.save(content, array, allow_pickle=False)
    return content.getvalue(), {}


def _read_numpy(content: bytes, facts: JsonObject) -> np.ndarray:
    if "objects" not in facts:
        array: np.ndarray = np.load(io.BytesIO(content), allow_pickle=False)
        return array
    columns = [_read_objects(entry) for entry in facts["objects"]]
    table = np.empty((len(columns[0]), len(columns)), dtype=object)
    for place, column in enumerate(columns):
        table[:, place] = column
    return table


def _write_objects(values: list[UserValue]) -> JsonObject:
    """Scalars, and what stands for a missing one among them."""
    missing = next((str(value) for value in values if is_missing(value)), "nan")
    return {"values": [None if is_missing(value) else plain(value) for value in values], "missing": missing}


def _read_objects(entry: JsonObject) -> list[JsonValue]:
    missing = _MISSING[entry["missing"]]()
    return [missing if value is None else value for value in entry["values"]]


def _na() -> UserValue:
    import pandas as pd

    return pd.NA


_WRITERS: dict[str, Callable[[UserTable], tuple[bytes, JsonObject]]] = {
    "pandas": _write_pandas,
    "polars": _write_polars,
    "pyarrow": _write_arrow,
    "numpy": _write_numpy,
}
_READERS: dict[str, Callable[[bytes, JsonObject], UserTable]] = {
    "pandas": _read_pandas,
    "polars": _read_polars,
    "pyarrow": _read_arrow,
    "numpy": _read_numpy,
}
